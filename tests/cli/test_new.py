"""A spec to begin with: right as it is written, and right with every further key it offers."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from accelreport.loader.load import load
from accelreport.workloads.registry import BUILT_IN
from accelreport.workloads.spec_template import draft

DEVICES = 'schema = 1\n[lab]\nkind = "CPU"\n[gpu]\nkind = "GPU"\n'

OFFERED = re.compile(r"^# (\w+ = .*|\[.*\])$", re.MULTILINE)
"""A key or a table behind a "#"."""


def told(folder: Path, *arguments: str, answers: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "accelreport", "new", *arguments],
        cwd=folder,
        input=answers,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )


def given(kind: str, folder: Path) -> dict[str, bool | int | float | str]:
    """What a family cannot do without."""
    if kind != "keras":
        return {}
    layers = '[{"class_name": "InputLayer", "config": {"batch_shape": [null, 28, 28, 1]}}]'
    (folder / "mine.json").write_text(
        f'{{"class_name": "Sequential", "config": {{"layers": {layers}}}}}'
    )
    return {"architecture": "mine.json", "dataset": "mnist"}


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
    assert (plain.title, plain.baseline, plain.claims) == ("Mine", "lab", ())
    assert load([spec], profile="quick").specs[0].cells
    spec.write_text(OFFERED.sub(r"\1", text))
    (offered,) = load([spec]).specs
    assert len(offered.claims) == 1
    # What stands behind "#" is what holds anyway: only the sweep makes other cells.
    one = next(cell for cell in offered.cells if cell.repeat == 0)
    unswept = {key: one.workload[key] for key in one.workload if f"workload.{key}" not in one.point}
    assert {key: plain.cells[0].workload[key] for key in unswept} == unswept


def test_one_device_alone_is_compared_with_nothing() -> None:
    text = draft(BUILT_IN["matmul"], title="Mine", devices=["lab"], given={})
    assert "claims" not in text


def test_a_new_folder_gets_a_devices_file_and_an_old_one_keeps_its_own(tmp_path: Path) -> None:
    assert told(tmp_path, "specs/one.toml", "--kind", "matmul").returncode == 0
    devices = tmp_path / "specs" / "devices.toml"
    assert set(load([devices]).devices) == {"cpu", "gpu", "tpu"}
    devices.write_text(DEVICES)
    assert told(tmp_path, "specs/two.toml", "--kind", "matmul").returncode == 0
    assert devices.read_text() == DEVICES
    assert 'devices = ["lab", "gpu"]' in (tmp_path / "specs" / "two.toml").read_text()


def test_nothing_that_is_there_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text("mine")
    done = told(tmp_path, "mine.toml", "--kind", "matmul")
    assert done.returncode == 2
    assert "is there already" in done.stderr
    assert (tmp_path / "mine.toml").read_text() == "mine"
    assert not (tmp_path / "devices.toml").exists()


def test_a_value_that_does_not_fit_leaves_no_file(tmp_path: Path) -> None:
    done = told(tmp_path, "mine.toml", "--kind", "matmul", "--set", "size=-1")
    assert done.returncode == 3
    assert "size" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["x.toml", "--kind", "nothing"], "no workload of the kind 'nothing'"),
        (["x.toml", "--kind", "keras"], "architecture"),
        (["x.txt", "--kind", "matmul"], "is no name for a spec"),
    ],
)
def test_what_is_missing_or_unknown_is_told(
    arguments: list[str], expected: str, tmp_path: Path
) -> None:
    done = told(tmp_path, *arguments)
    assert done.returncode == 2
    assert expected in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.e2e
def test_a_first_look_at_a_new_spec_runs(tmp_path: Path) -> None:
    assert told(tmp_path, "mine.toml", "--kind", "matmul", "--set", "size=64").returncode == 0
    command = [sys.executable, "-m", "accelreport", "run", "mine.toml", "--profile", "quick"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=300)
