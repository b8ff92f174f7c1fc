"""A spec keeps every byte it had, and gets rows only if it still is without an error."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from accelreport.errors import ExitCode
from accelreport.importing import published
from accelreport.importing.published import Composed, RowDefaults, append, composed
from accelreport.importing.reader import Asked, NotAsked, NotFitting
from accelreport.loader.load import examine, load
from accelreport.spec.cells import Spec
from accelreport.spec.problems import SpecErrors
from tests.importing.files import SOURCE, SPEC, a_file, a_spec, read, rows

ONE = "label,batch_size,epoch_time\nA GPU,256,6 s\n"


def _rows(folder: Path, text: str = ONE) -> list[Composed]:
    return rows(a_file(folder, text), Asked({"batch_size": (256, 512)}))


def _spec(path: Path) -> Spec:
    (spec,) = load([path]).specs
    return spec


@pytest.mark.parametrize(
    "text",
    [
        SPEC,
        SPEC.rstrip("\n"),
        SPEC + "\n\n# at the end, without a line end",
        SPEC + '\n[[published]]\ndevice = "gpu"\nlabel = "before"\nepoch_time = 1 # kept\n',
        SPEC + '\n[[claims]]\ntext = "x"\ncheck = { runs_out_of = "memory", of = "gpu" }\n',
        SPEC.replace("\n", "\r\n"),
        SPEC.replace("\n", "\r\n").rstrip(),
    ],
)
def test_rows_stand_behind_what_the_file_held_byte_for_byte(text: str, tmp_path: Path) -> None:
    spec = a_spec(tmp_path, text)
    before = _spec(spec)
    append(spec, _rows(tmp_path))
    written = spec.read_bytes()
    assert written.startswith(text.encode())
    assert (b"\r\n" in written) == ("\r\n" in text)
    assert written.count(b"\n") == written.count(b"\r\n") or "\r\n" not in text
    after = _spec(spec)
    assert after.published[:-1] == before.published
    assert (after.claims, after.axes, after.workload) == (
        before.claims, before.axes, before.workload
    )  # fmt: skip
    assert after.published[-1].figures() == {"epoch_time": 6.0}


def test_the_file_keeps_its_permissions_and_a_link_stays_a_link(tmp_path: Path) -> None:
    spec = a_spec(tmp_path)
    spec.chmod(0o640)
    link = tmp_path / "linked.toml"
    link.symlink_to(spec)
    append(link, _rows(tmp_path))
    assert link.is_symlink()
    assert stat.S_IMODE(spec.stat().st_mode) == 0o640
    assert len(_spec(spec).published) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "batches.toml", "devices.toml", "figures.csv", "linked.toml"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("A GPU,1024,6 s", "`batch_size` does not take the value 1024 in this sweep"),
        ("A GPU,256,6 parsecs", 'has the unknown unit "parsecs"'),
        ("A GPU,256,-6", "must be greater than 0"),
        ("A GPU,256,1e400", "has the unknown unit"),
        ("A GPU,256,", "gives no figure"),
    ],
)
def test_what_does_not_fit_is_told_at_its_row_and_nothing_is_written(
    line: str, says: str, tmp_path: Path
) -> None:
    spec = a_spec(tmp_path)
    with pytest.raises(NotFitting) as caught:
        append(spec, _rows(tmp_path, f"{ONE}{line.replace('A GPU', 'Another')}\n"))
    assert "figures.csv:3: " in str(caught.value)
    assert says in str(caught.value)
    assert "Nothing was written" in caught.value.remedy
    assert caught.value.exit_code == ExitCode.BAD_SPEC
    assert spec.read_bytes() == SPEC.encode()


def test_figures_that_are_there_already_are_not_appended_twice(tmp_path: Path) -> None:
    spec = a_spec(tmp_path)
    append(spec, _rows(tmp_path))
    once = spec.read_bytes()
    with pytest.raises(NotFitting, match=r"figures\.csv:2: this row repeats an earlier one"):
        append(spec, _rows(tmp_path))
    assert spec.read_bytes() == once


def test_a_device_that_the_spec_does_not_use_is_refused(tmp_path: Path) -> None:
    spec = a_spec(tmp_path)
    found = read(a_file(tmp_path, ONE), Asked({"batch_size": (256, 512)})).rows
    with pytest.raises(NotFitting, match='"tpu" is not among the devices of this spec'):
        append(spec, composed(found, RowDefaults("figures.csv", device="tpu", source=SOURCE)))
    assert spec.read_bytes() == SPEC.encode()


def test_a_spec_that_has_an_error_already_is_left_alone(tmp_path: Path) -> None:
    text = SPEC.replace("batch_size", "batchsize")
    spec = a_spec(tmp_path, text)
    with pytest.raises(SpecErrors, match="did you mean `batch_size`"):
        append(spec, _rows(tmp_path))
    assert spec.read_bytes() == text.encode()


def test_rows_in_another_notation_of_toml_are_not_mixed_with_tables(tmp_path: Path) -> None:
    inline = 'published = [{ device = "gpu", label = "x", epoch_time = 1 }]\n'
    text = SPEC.replace("\n[workload]", f"{inline}\n[workload]")
    spec = a_spec(tmp_path, text)
    with pytest.raises(NotFitting, match="Nothing was written"):
        append(spec, _rows(tmp_path))
    assert spec.read_bytes() == text.encode()


def test_a_folder_is_no_spec_to_import_into(tmp_path: Path) -> None:
    a_spec(tmp_path)
    (tmp_path / "other.toml").write_text(SPEC.replace("Batches", "Others"))
    with pytest.raises(NotAsked, match="this is not a spec file"):
        append(tmp_path, _rows(tmp_path))
    assert (tmp_path / "other.toml").read_text() == SPEC.replace("Batches", "Others")


def test_a_spec_that_was_edited_in_the_meantime_keeps_the_edit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = a_spec(tmp_path)
    really = examine

    def edited(path: Path, content: bytes, devices_file: Path | None = None) -> object:
        spec.write_text(f"{SPEC}# edited\n")
        return really(path, content, devices_file)

    monkeypatch.setattr(published, "examine", edited)
    with pytest.raises(NotFitting, match="changed while the figures were read"):
        append(spec, _rows(tmp_path))
    assert spec.read_text() == f"{SPEC}# edited\n"
