"""Files, folders, profiles and overrides: what `load` reads and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from accelreport.loader.load import load
from accelreport.spec.base import Baseline
from accelreport.spec.problems import SpecErrors
from tests.spec.conftest import HEAD, KERNEL, TRAINING, Write, the_spec, told

SWEPT = TRAINING + "[sweep]\nbatch_size = [256, 512]\n"


def test_a_folder_is_read_by_name_without_its_devices_file(folder: Path, write: Write) -> None:
    write(TRAINING, "b")
    write(KERNEL.replace("Batches", "Kernels"), "a")
    (folder / "notes.txt").write_text("not a spec")
    found = load([folder])
    assert [spec.name for spec in found.specs] == ["a", "b"]
    assert list(found.devices) == ["cpu", "cpu-1", "gpu", "tpu"]
    assert len(found.cells) == 12


def test_a_device_without_label_is_called_by_its_name(write: Write) -> None:
    assert the_spec(write(TRAINING)).devices["gpu"].label == "gpu"


def test_the_baseline_is_the_first_device_unless_it_is_named(write: Write) -> None:
    assert the_spec(write(TRAINING)).baseline == Baseline(device="cpu")
    assert the_spec(write(f'baseline = "gpu"\n{TRAINING}')).baseline == Baseline(device="gpu")


def test_a_baseline_may_fix_values_of_the_sweep(write: Write) -> None:
    spec = the_spec(write(f'baseline = {{ device = "cpu", batch_size = 256 }}\n{SWEPT}'))
    assert spec.baseline.where == {"batch_size": 256}
    assert spec.baseline.place("", {"batch_size": 512}) == ("cpu", {"batch_size": 256})
    assert spec.baseline.place("gpu", {"batch_size": 512}) == ("gpu", {"batch_size": 512})
    plain = the_spec(write(SWEPT, "plain"))
    assert [cell.key for cell in spec.cells] == [cell.key for cell in plain.cells]


def test_a_claim_names_the_point_of_its_baseline(write: Write) -> None:
    claim = """
[[claims]]
text = "A larger batch is faster"
check = { ratio = "speedup", of = "cpu", where = { batch_size = 512 }, at_least = 1.5 }
"""
    spec = the_spec(write(f'baseline = {{ device = "cpu", batch_size = 256 }}\n{SWEPT}{claim}'))
    assert spec.claims[0].rule.reading(spec.baseline, spec.axes) == (
        "cpu at batch_size = 512 is at least 1.5 times as fast as cpu at batch_size = 256, "
        "by steady_step_time"
    )


def test_the_text_is_kept_as_it_stands_in_the_file(write: Write) -> None:
    text = TRAINING.replace("\n", "\r\n") + "# the end"
    spec = the_spec(write(text))
    assert spec.text == text


def test_lines_that_end_as_on_windows_are_counted_alike(write: Write) -> None:
    error = told(write((TRAINING + "epochs = 0\n").replace("\n", "\r\n")))
    (problem,) = error.problems
    assert (problem.place.line, problem.place.column) == (6, 10)
    assert "\r" not in str(error)


@pytest.mark.parametrize(
    ("content", "line", "column", "said"),
    [
        (b"", 1, 1, "this file is empty"),
        (b" \n\n", 1, 1, "this file is empty"),
        (b"\xef\xbb\xbfschema = 1\n", 1, 1, "byte order mark"),
        ("schema = 1\n".encode("utf-16"), 1, 1, "this file is UTF-16"),
        ('schema = 1\ntitle = "äö\xfc"\n'.encode("latin-1"), 2, 10, "the byte 0xe4 is not UTF-8"),
        ("# é\n# ü".encode() + b"\xff\n", 2, 4, "the byte 0xff is not UTF-8"),
    ],
)
def test_a_file_in_another_encoding_is_refused_at_the_byte(
    write: Write, content: bytes, line: int, column: int, said: str
) -> None:
    (problem,) = told(write(content)).problems
    assert (problem.place.line, problem.place.column) == (line, column)
    assert said in problem.message


def test_a_file_as_large_as_no_hand_writes_is_refused(write: Write) -> None:
    path = write(TRAINING + "#" * (1 << 20))
    assert "larger than the limit of 1 MiB" in str(told(path))


def test_a_folder_without_specs_is_an_error(folder: Path) -> None:
    assert "has no spec" in str(told(folder))


def test_a_file_that_is_not_there_is_looked_for_among_its_neighbours(write: Write) -> None:
    path = write(TRAINING, "mnist_batch_sweep")
    error = str(told(path.with_name("mnist_batchsweep.toml")))
    assert "there is no such file" in error
    assert "did you mean `mnist_batch_sweep.toml`?" in error


def test_a_file_of_another_kind_is_no_spec(folder: Path) -> None:
    path = folder / "spec.yaml"
    path.write_text("schema: 1")
    assert "spec file ends in .toml" in str(told(path))


def test_a_name_that_can_be_no_file_name_elsewhere_is_refused(write: Write) -> None:
    error = told(write(TRAINING, "zwei wörter"))
    assert 'zwei wörter.toml: "zwei wörter" cannot be the name of a spec' in str(error)


def _spec_elsewhere(folder: Path, name: str) -> Path:
    other = folder / "more"
    other.mkdir()
    path = other / f"{name}.toml"
    path.write_text(TRAINING.replace("Batches", "More"))
    return path


def test_two_specs_of_one_name_are_refused_wherever_they_lie(folder: Path, write: Write) -> None:
    first = write(TRAINING)
    second = _spec_elsewhere(folder, "Batches")
    (second.parent / "devices.toml").write_bytes((folder / "devices.toml").read_bytes())
    (problem,) = told(first, second).problems
    assert problem.place.file == str(second)
    assert [place.file for place in problem.related] == [str(first)]


def test_one_name_for_two_devices_is_refused(folder: Path, write: Write) -> None:
    first = write(TRAINING)
    second = _spec_elsewhere(folder, "others")
    (second.parent / "devices.toml").write_text(
        'schema = 1\n[cpu]\nkind = "CPU"\nthreads = 4\n[gpu]\nkind = "GPU"\n'
    )
    (problem,) = told(first, second).problems
    assert "the device `cpu` differs between two devices files" in problem.message
    assert problem.place.line == 2


PROFILED = (
    SWEPT
    + """
[profiles.quick]
devices = ["cpu"]
"workload.epochs" = 2
"workload.optimizer.learning_rate" = 0.01
measure.repeats = 2
"sweep.batch_size" = [64]
"""
)


def test_a_profile_changes_what_it_names_and_nothing_else(write: Write) -> None:
    path = write(PROFILED)
    full, quick = the_spec(path), the_spec(path, "quick")
    assert (full.profile, quick.profile) == ("full", "quick")
    assert list(quick.devices) == ["cpu"]
    assert quick.axes == {"batch_size": [64]}
    assert quick.measure.repeats == 2
    assert quick.workload == {
        **full.workload,
        "epochs": 2,
        "batch_size": 64,
        "optimizer": {**full.workload["optimizer"], "learning_rate": 0.01},
    }
    assert full.axes == {"batch_size": [256, 512]}
    # A swept parameter that [workload] leaves out has the first of its values before the sweep.
    assert full.workload["batch_size"] == 256
    assert full.workload["epochs"] == 1


def test_a_profile_that_no_spec_has_is_an_error_that_names_those_there_are(write: Write) -> None:
    error = str(told(write(PROFILED), profile="quik"))
    assert 'no spec has a profile "quik"' in error
    assert 'did you mean "quick"?' in error
    error = str(told(write(PROFILED), profile="nightly"))
    assert 'there is "quick" and "full"' in error


def test_figures_may_speak_of_more_than_a_profile_sweeps(write: Write) -> None:
    row = '[[published]]\ndevice = "gpu"\nlabel = "Colab"\nwhere = { batch_size = 512 }\n'
    spec = the_spec(write(PROFILED + row + 'epoch_time = "6 s"\n'), "quick")
    assert spec.published[0].where == {"batch_size": 512}


def test_the_command_line_overrides_the_profile(write: Write) -> None:
    found = load(
        [write(PROFILED)],
        profile="quick",
        overrides={"workload.epochs": 3, "measure.budget": "2m"},
    )
    assert found.specs[0].workload["epochs"] == 3
    assert found.specs[0].measure.budget == 120
    assert found.specs[0].measure.repeats == 2


def test_an_override_changes_only_the_specs_that_have_its_key(write: Write) -> None:
    paths = [write(TRAINING, "a"), write(KERNEL.replace("Batches", "Kernels"), "b")]
    training, kernel = load(paths, overrides={"workload.data": "synthetic"}).specs
    assert training.workload["data"] == "synthetic"
    assert "data" not in kernel.workload


def test_a_wrong_override_is_told_as_one_of_the_command_line(write: Write) -> None:
    with pytest.raises(SpecErrors) as caught:
        load([write(TRAINING)], overrides={"workload.data": "synthetik"})
    assert str(caught.value).startswith(
        'command line: workload.data: "synthetik" is not a value of `data`\n'
        '  help: did you mean "synthetic"?'
    )


def test_an_override_that_no_spec_has_is_an_error(write: Write) -> None:
    with pytest.raises(SpecErrors, match=r"no spec has a key `workload\.epoch`"):
        load([write(TRAINING)], overrides={"workload.epoch": 1})
    with pytest.raises(SpecErrors, match=r"no spec has a key `axes`"):
        load([write(TRAINING)], overrides={"axes": 1})


def test_what_a_broken_line_would_have_said_is_not_told_as_missing(write: Write) -> None:
    error = told(write(HEAD.replace('["cpu", "gpu"]', '["cpu"') + '[workload]\nkind = "matmul"\n'))
    assert [problem.code for problem in error.problems] == ["syntax"]
