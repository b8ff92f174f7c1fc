"""Sweeps become cells: how many, in which order, and what makes two of them the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelreport.spec.base import same
from accelreport.spec.cells import Cell
from tests.spec.conftest import TRAINING, Write, the_spec, told


def _cells(path: Path) -> tuple[Cell, ...]:
    return the_spec(path).cells


def test_cells_come_by_point_then_repeat_then_device(write: Write) -> None:
    text = TRAINING + "[sweep]\nbatch_size = [256, 512]\n[measure]\nrepeats = 2\nfirst_seed = 7\n"
    found = [
        (cell.point["batch_size"], cell.repeat, cell.seed, cell.device)
        for cell in _cells(write(text))
    ]
    assert found == [
        (batch, repeat, 7 + repeat, device)
        for batch in (256, 512)
        for repeat in (0, 1)
        for device in ("cpu", "gpu")
    ]


def test_every_combination_of_free_keys_is_a_point(write: Write) -> None:
    text = TRAINING + '[sweep]\nepochs = [1, 2]\n"optimizer.learning_rate" = [0.1, 0.2]\n'
    spec = the_spec(write(text))
    assert list(spec.axes) == ["epochs", "optimizer.learning_rate"]
    points = [cell.point for cell in spec.cells if (cell.repeat, cell.device) == (0, "cpu")]
    assert points == [
        {"epochs": epochs, "optimizer.learning_rate": rate}
        for epochs in (1, 2)
        for rate in (0.1, 0.2)
    ]
    assert {cell.workload["optimizer"]["learning_rate"] for cell in spec.cells} == {0.1, 0.2}


def test_zipped_keys_advance_together(write: Write) -> None:
    text = TRAINING + (
        "[sweep]\nepochs = [1, 2]\n"
        "[sweep.zip]\nbatch_size = [1024, 8192]\nsteps_per_epoch = [60, 8]\n"
    )
    spec = the_spec(write(text))
    points = [cell.point for cell in spec.cells if (cell.repeat, cell.device) == (0, "cpu")]
    assert points == [
        {"epochs": epochs, "batch_size": batch, "steps_per_epoch": steps}
        for epochs in (1, 2)
        for batch, steps in ((1024, 60), (8192, 8))
    ]


def test_a_swept_key_may_be_quoted_or_nested(write: Write) -> None:
    quoted = TRAINING + '[sweep]\n"optimizer.name" = ["adam", "sgd"]\n'
    nested = TRAINING + '[sweep]\noptimizer.name = ["adam", "sgd"]\n'
    assert the_spec(write(quoted)).axes == the_spec(write(nested)).axes


def test_a_parameter_that_only_the_sweep_gives_has_its_first_value_before_it(
    write: Write, folder: Path
) -> None:
    (folder / "a.csv").write_text("x")
    (folder / "b.csv").write_text("y")
    head, _, _ = TRAINING.partition("[workload]")
    text = head + '[workload]\nkind = "table"\n[sweep]\nfile = ["a.csv", "b.csv"]\n'
    assert the_spec(write(text)).workload["file"] == "a.csv"


def test_a_sweep_beyond_a_hundred_thousand_cells_is_refused_unexpanded(write: Write) -> None:
    many = ", ".join(str(number) for number in range(1, 2001))
    text = (
        TRAINING + f"[sweep]\nbatch_size = [{many}]\nepochs = [{many}]\nsamples = [{many[:400]}1]\n"
    )
    assert "at most 100,000 are allowed" in str(told(write(text)))


def _keys(path: Path) -> list[str]:
    return [cell.key for cell in _cells(path)]


BASE = (
    TRAINING + '[source]\ntitle = "A talk"\n[sweep]\nbatch_size = [256, 512]\n'
    '[[published]]\ndevice = "gpu"\nlabel = "Colab"\nepoch_time = "6 s"\n'
)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Batches", "Another title"),
        ("A talk", "Another talk"),
        ("Colab", "Elsewhere"),
        ("6 s", "7 s"),
        ("[sweep]", '# a comment\n[measure]\nbudget = "1 h"\ntimeout = "2 h"\n[sweep]'),
        ("[sweep]", '[measure]\ntarget = { metric = "val_accuracy", at_least = 0.9 }\n[sweep]'),
    ],
)
def test_what_is_only_shown_re_runs_nothing(write: Write, old: str, new: str) -> None:
    assert old in BASE
    assert _keys(write(BASE.replace(old, new), "other")) == _keys(write(BASE))


def test_a_device_s_label_and_price_re_run_nothing(folder: Path, write: Write) -> None:
    before = _keys(write(BASE))
    devices = folder / "devices.toml"
    text = devices.read_text()
    devices.write_text(
        text.replace('kind = "GPU"', 'kind = "GPU"\nlabel = "T4"\nprice_per_hour = 0.35')
    )
    assert _keys(write(BASE)) == before
    devices.write_text(text.replace('kind = "GPU"', 'kind = "GPU"\nxla = true'))
    assert _keys(write(BASE)) != before


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[256, 512]", "[128, 1024]"),
        ("[sweep]", "epochs = 7\n[sweep]"),
        ("[sweep]", "[workload.optimizer]\nlearning_rate = 0.01\n[sweep]"),
        ("[sweep]", "[measure]\nwarmup_steps = 5\n[sweep]"),
        ("[sweep]", "[measure]\nfirst_seed = 100\n[sweep]"),
    ],
)
def test_what_is_measured_differently_is_another_cell(write: Write, old: str, new: str) -> None:
    base = BASE.replace('[source]\ntitle = "A talk"\n', "")
    assert not set(_keys(write(base.replace(old, new), "other"))) & set(_keys(write(base)))


def test_a_default_that_is_written_out_is_the_same_cell(write: Write) -> None:
    base = BASE.replace('[source]\ntitle = "A talk"\n', "")
    written = base.replace("[sweep]", 'batch_size = 64\ndataset = "mnist"\n[sweep]')
    assert _keys(write(written, "other")) == _keys(write(base))


@given(
    st.lists(st.integers(1, 5000), min_size=1, max_size=4, unique=True),
    st.lists(st.integers(1, 9), min_size=1, max_size=3, unique=True),
    st.integers(1, 4),
)
def test_cells_are_as_many_as_points_times_repeats_times_devices_and_all_differ(
    tmp_path_factory: pytest.TempPathFactory, batches: list[int], epochs: list[int], repeats: int
) -> None:
    folder = tmp_path_factory.mktemp("specs")
    (folder / "devices.toml").write_text('schema = 1\n[cpu]\nkind = "CPU"\n[gpu]\nkind = "GPU"\n')
    path = folder / "batches.toml"
    path.write_text(
        f"{TRAINING}[sweep]\nbatch_size = {batches}\nepochs = {epochs}\n"
        f"[measure]\nrepeats = {repeats}\n"
    )
    found = _keys(path)
    assert len(found) == len(batches) * len(epochs) * repeats * 2
    assert len(set(found)) == len(found)


def test_true_is_not_one_and_a_half_is_a_half() -> None:
    assert not same(True, 1)
    assert same(1, 1.0)
    assert not same("1", 1)
