"""A spec to begin with: right as it is written, and right with every further key it offers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from accelreport.backend.availability import Probe, ProbedDevice, no_device
from accelreport.cli import app
from accelreport.loader.first_spec import GITIGNORE, SYSTEMS
from accelreport.loader.load import load
from accelreport.machine.inventory import inventory
from accelreport.results.record import SHORT_WINDOW_S, Gpu
from accelreport.runner.prepare import Request, devices_here, prepare, worth_comparing
from accelreport.spec.device import FRAMEWORK_NAMES
from accelreport.workloads.registry import BUILT_IN
from accelreport.workloads.spec_template import draft
from tests.support.program import Finished, program

DEVICES = 'schema = 1\n[lab]\nkind = "CPU"\n[gpu]\nkind = "GPU"\n'

FRESH = (SYSTEMS / "devices.toml").read_text(encoding="utf-8")

OFFERED = re.compile(r"^# (\w+ = .*|\[.*\])$", re.MULTILINE)
"""A key or a table behind a "#"."""


def told(folder: Path, *arguments: str) -> Finished:
    return program(folder, ["new", *arguments])


def given(kind: str, folder: Path) -> dict[str, bool | int | float | str]:
    """What a family cannot do without."""
    if kind == "python":
        (folder / "step.py").write_text(
            "def build(batch_size, seed, device):\n    return device.kind\n"
        )
        return {"file": "step.py"}
    if kind != "keras":
        return {}
    layers = '[{"class_name": "InputLayer", "config": {"batch_shape": [null, 28, 28, 1]}}]'
    (folder / "mine.json").write_text(
        f'{{"class_name": "Sequential", "config": {{"layers": {layers}}}}}'
    )
    return {"architecture": "mine.json", "dataset": "mnist"}


def test_steps_and_answers_are_called_often_enough_for_a_window(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "step.py").write_text("def build(batch_size, seed):\n    return None\n")
    (tmp_path / "model.py").write_text("def build():\n    return None\n")
    (tmp_path / "train.csv").write_text("a,y\n" + "1,2.5\n2,3.5\n" * 20)
    named = ["--model", "model.py:build"]
    asked = {
        "step": ["--kind", "python", "--set", "file=step.py"],
        "call": [*named, "--set", "mode=inference"],
        "answer": [*named, "--data", "train.csv", "--set", "mode=inference"],
    }
    for name, arguments in asked.items():
        done = told(tmp_path, f"specs/{name}.toml", *arguments, "--device", "cpu")
        assert done.returncode == 0, done.stderr
    for spec in load([tmp_path / "specs"]).specs:
        # 0.3 ms are enough for a window that no warning is about, and 60 ms end after a minute.
        assert spec.measure.calls * 0.0003 > SHORT_WINDOW_S
        assert spec.measure.budget == 60


@pytest.mark.parametrize("kind", sorted(BUILT_IN))
def test_every_kind_gives_a_spec_that_is_right_with_all_it_offers(
    kind: str, tmp_path: Path
) -> None:
    (tmp_path / "devices.toml").write_text(DEVICES)
    values = given(kind, tmp_path)
    text = draft(BUILT_IN[kind], title="Mine", devices=["lab", "gpu"], given=values)
    spec = tmp_path / "mine.toml"
    spec.write_text(text)
    (plain,) = load([spec]).specs
    assert (plain.title, str(plain.baseline), plain.claims) == ("Mine", "lab", ())
    assert load([spec], profile="quick").specs[0].cells
    spec.write_text(OFFERED.sub(r"\1", text))
    (offered,) = load([spec]).specs
    assert len(offered.claims) == 1
    # What stands behind "#" is what holds anyway: only the sweep makes other cells.
    one = next(cell for cell in offered.cells if cell.repeat == 0)
    unswept = {key: one.workload[key] for key in one.workload if f"workload.{key}" not in one.point}
    unswept.pop("optimizer", None)  # a compiled model has its own
    assert {key: plain.cells[0].workload[key] for key in unswept} == unswept


def test_a_new_folder_gets_a_devices_file_and_an_old_one_keeps_its_own(tmp_path: Path) -> None:
    assert told(tmp_path, "specs/one.toml", "--kind", "matmul").returncode == 0
    devices = tmp_path / "specs" / "devices.toml"
    assert {"cpu", "cpu-1", "gpu", "tpu"} < set(load([devices]).devices)
    devices.write_text(DEVICES)
    assert told(tmp_path, "specs/two.toml", "--kind", "matmul").returncode == 0
    assert devices.read_text() == DEVICES
    (spec,) = load([tmp_path / "specs" / "two.toml"]).specs
    # A device that is not here is no comparison.
    assert set(spec.devices) == {"lab"}


@pytest.mark.parametrize(
    ("absent", "expected"),
    [
        ({"gpu", "tpu", "two"}, ["cpu-1", "cpu", "cpu-jax", "cpu-torch"]),
        ({"gpu", "tpu", "two", "cpu-torch"}, ["cpu-1", "cpu", "cpu-jax"]),
        ({"tpu"}, ["cpu-1", "cpu", "gpu"]),
        ({"gpu"}, ["cpu-1", "cpu", "tpu"]),
        ({"cpu", "gpu", "tpu"}, ["cpu"]),
    ],
)
def test_what_is_here_is_compared_and_frameworks_where_there_is_no_accelerator(
    absent: set[str], expected: list[str], tmp_path: Path
) -> None:
    (tmp_path / "devices.toml").write_text(
        f'{FRESH}\n[two]\nkind = "CPU"\nstrategy = "mirrored"\nreplicas = 2\n'
    )
    devices = load([tmp_path / "devices.toml"]).devices
    gone = {n for n, device in devices.items() if {n, device.kind.lower()} & absent}
    reasons = {name: no_device("gone") if name in gone else None for name in devices}
    assert worth_comparing(devices, reasons) == expected


H100 = inventory().model_copy(update={"gpus": [Gpu(name="NVIDIA H100", driver="580.65")]})


def with_gpu(framework: str) -> Probe:
    """The answer of a framework; those that are not named see no GPU."""
    devices = [ProbedDevice(kind="GPU", name="0")] if framework in {"jax", "torch"} else []
    return Probe(devices=devices)


@pytest.mark.parametrize(
    ("installed", "expected"),
    [
        (["jax"], ["cpu-1", "cpu", "gpu"]),
        (["torch"], ["cpu-1", "cpu", "gpu"]),
        (["jax", "torch"], ["cpu-1", "cpu", "gpu"]),
        # A build of TensorFlow that drives no GPU: the rows of the framework that does.
        (["tensorflow", "jax"], ["cpu-jax-1", "cpu-jax", "gpu-jax"]),
        (["tensorflow", "torch"], ["cpu-torch-1", "cpu-torch", "gpu-torch"]),
        (["tensorflow"], ["cpu-1", "cpu"]),
    ],
)
def test_a_gpu_is_compared_in_the_framework_that_drives_it(
    installed: list[str], expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    absent = set(FRAMEWORK_NAMES) - set(installed)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name in absent else 1)
    monkeypatch.setattr("accelreport.runner.prepare.inventory", lambda: H100)
    monkeypatch.setattr("accelreport.runner.prepare.probe", with_gpu)
    rows = load([SYSTEMS / "devices.toml"]).devices
    assert devices_here(rows, waiting=lambda _: None) == expected


def test_a_file_of_ones_own_becomes_a_spec_by_its_kind_and_its_path(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("id;Date;sea;wind\n1;2020-01-01;3,5;north\n")
    asked = ["--kind", "series_forecast", "--set", "dataset=csv", "--set", "series.path=x.csv"]
    given = ["series.separator=;", "series.targets=sea,id", "window=8", "ignored_steps=2"]
    sets = [part for text in [*given, "measure.repeats=5"] for part in ("--set", text)]
    done = told(tmp_path, "mine.toml", *asked, *sets)
    assert done.returncode == 0, done.stderr
    (spec,) = load([tmp_path / "mine.toml"]).specs
    series = spec.cells[0].workload["series"]
    assert (series["path"], series["time"], series["targets"]) == ("x.csv", ["Date"], ["sea", "id"])
    assert spec.measure.repeats == 5
    assert spec.cells[0].workload["window"] == 8


def test_a_file_beside_the_spec_is_named_as_a_run_finds_it(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "x.csv").write_text("time,v\n2020-01-01,1\n")
    asked = ["--kind", "series_forecast", "--set", "dataset=csv", "--set", "series.path=x.csv"]
    done = told(tmp_path, "specs/mine.toml", *asked)
    assert done.returncode == 0, done.stderr
    (spec,) = load([tmp_path / "specs" / "mine.toml"]).specs
    assert spec.cells[0].workload["series"]["path"] == "x.csv"
    named = asked[-1].replace("x.csv", "specs/x.csv")  # by its way from here
    assert told(tmp_path, "specs/other.toml", *asked[:-1], named).returncode == 0
    (other,) = load([tmp_path / "specs" / "other.toml"]).specs
    assert other.cells[0].workload["series"]["path"] == "x.csv"


def test_nothing_that_is_there_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text("mine")
    done = told(tmp_path, "mine.toml", "--kind", "matmul")
    assert done.returncode == 2
    assert "is there already" in done.stderr
    assert (tmp_path / "mine.toml").read_text() == "mine"
    assert not (tmp_path / "devices.toml").exists()


def test_published_systems_are_listed_and_each_can_be_copied(tmp_path: Path) -> None:
    runner = CliRunner()
    listed = [line.split()[0] for line in runner.invoke(app, ["new", "--list"]).stdout.splitlines()]
    assert {"mnist_batch_sweep", "matmul"} < set(listed)
    for name in listed:
        copy = str(tmp_path / f"{name}.toml")
        assert runner.invoke(app, ["new", copy, "--from", name]).exit_code == 0
    assert {spec.name for spec in load([tmp_path]).specs} == set(listed)
    misspelt = runner.invoke(app, ["new", "--from", "matmull"])
    assert "`matmul`" in str(misspelt.exception)


def test_the_systems_of_a_first_run_are_those_that_a_clone_measures_in_the_same_order(
    tmp_path: Path,
) -> None:
    assert "--profile quick --within 4m" in told(tmp_path, "--from", "quick").stdout

    def planned(specs: Path) -> list[str]:
        request = Request(paths=[specs], results=tmp_path / "results", profile="quick")
        plan = prepare(request, waiting=lambda _: None).plan
        return [one.cell.key for one in plan.cells]

    assert planned(tmp_path / "specs") == planned(SYSTEMS)
    assert told(tmp_path, "specs/mine.toml", "--from", "quick").returncode == 2


def test_a_system_whose_devices_are_not_there_is_not_copied(tmp_path: Path) -> None:
    (tmp_path / "devices.toml").write_text(DEVICES)
    done = told(tmp_path, "mine.toml", "--from", "matmul")
    assert done.returncode == 2
    assert "systems/matmul.toml" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["devices.toml"]


def test_the_root_of_a_repository_is_told_what_not_to_keep(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    assert told(tmp_path, "specs/a.toml", "--kind", "matmul").returncode == 0
    assert (tmp_path / ".gitignore").read_text() == GITIGNORE
    (tmp_path / ".gitignore").write_text("mine")
    assert told(tmp_path, "specs/b.toml", "--kind", "matmul").returncode == 0
    assert (tmp_path / ".gitignore").read_text() == "mine"


def test_a_spec_that_cannot_be_written_is_an_error_of_the_command_line(tmp_path: Path) -> None:
    done = told(tmp_path, f"{'x' * 300}.toml", "--kind", "matmul")
    assert done.returncode == 2
    assert "cannot be written." in done.stderr
    assert "choose another folder" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "code", "expected"),
    [
        (["x.toml", "--kind", "nothing"], 2, "no workload of the kind 'nothing'"),
        (["x.toml", "--kind", "keras"], 2, "--model model.py:build"),
        (["x.toml", "--kind", "keras", "--set", "dataset=csv"], 2, "--data FILE.csv"),
        (["x.txt", "--kind", "matmul"], 2, "is no name for a spec"),
        (["x.toml", "--kind", "matmul", "--set", "size=-1"], 3, "size"),
        (["x.toml", "--kind", "series_forecast", "--set", "epocks=3"], 3, "epocks"),
        (["x.toml", "--kind", "series_forecast", "--set", "series.targts=a"], 3, "targts"),
        (["x.toml", "--kind", "matmul", "--set", "measure.repeets=2"], 3, "repeets"),
    ],
)
def test_what_is_missing_or_unknown_is_told(
    arguments: list[str], code: int, expected: str, tmp_path: Path
) -> None:
    done = told(tmp_path, *arguments)
    assert done.returncode == code
    assert expected in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_what_a_starter_says_in_place_of_a_description_is_told_and_never_published(
    tmp_path: Path,
) -> None:
    (tmp_path / "devices.toml").write_text(DEVICES)
    assert told(tmp_path, "mine.toml", "--kind", "matmul", "--device", "lab").returncode == 0
    checked = program(tmp_path, ["check", "mine.toml"])
    assert checked.returncode == 0
    assert "warning: mine: `description` is the starter's and is left out." in checked.stderr
    (spec,) = load([tmp_path / "mine.toml"]).specs
    assert spec.description == ""
