"""What families use: files beside a spec, and fields that must agree."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import TypeAdapter, ValidationError

from accelreport.spec.problems import SpecErrors
from accelreport.spec.validators import SpecPath
from tests.spec.conftest import HEAD, Write, the_spec, told

PATH: TypeAdapter[str] = TypeAdapter(SpecPath)
TABLE = HEAD + '[workload]\nkind = "table"\nfile = "{}"\n'


def _said(write: Write, file: str) -> SpecErrors:
    return told(write(TABLE.format(file)))


def test_a_file_beside_the_spec_is_kept_as_it_is_written(folder: Path, write: Write) -> None:
    (folder / "data").mkdir()
    (folder / "data" / "weather.csv").write_text("t\n")
    spec = the_spec(write(TABLE.format("./data/weather.csv")))
    assert spec.workload["file"] == "data/weather.csv"


@pytest.mark.parametrize("file", ["../devices.toml", "/etc/hostname", "a/../../b", "C:/data.csv"])
def test_a_path_out_of_the_folder_is_refused(write: Write, file: str) -> None:
    (problem,) = _said(write, file).problems
    assert problem.key == "workload.file"


def test_a_link_out_of_the_folder_is_refused(
    tmp_path_factory: pytest.TempPathFactory, write: Write, folder: Path
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "secret.csv"
    outside.write_text("secret")
    (folder / "data.csv").symlink_to(outside)
    assert "leads outside the spec's folder through a symbolic link" in str(
        _said(write, "data.csv")
    )


def test_a_folder_or_an_absent_file_is_no_file(write: Write, folder: Path) -> None:
    (folder / "data").mkdir()
    assert "is not a file in the spec's folder" in str(_said(write, "data"))
    assert "is not a file in the spec's folder" in str(_said(write, "absent.csv"))


def test_where_no_spec_is_being_checked_the_path_alone_is_checked() -> None:
    assert PATH.validate_python("data/weather.csv") == "data/weather.csv"
    for wrong in ("/data/weather.csv", "../weather.csv", "", "a\\b", "a\0b"):
        with pytest.raises(ValidationError):
            PATH.validate_python(wrong)
