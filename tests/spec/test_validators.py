"""What families use: files beside a spec, and fields that must agree."""

from __future__ import annotations

from pathlib import Path
from typing import Self

import pytest
from pydantic import TypeAdapter, ValidationError, model_validator

from accelreport.spec.base import SpecModel
from accelreport.spec.diagnostics import value_problems
from accelreport.spec.problems import SpecErrors
from accelreport.spec.validators import FieldsError, SpecPath
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
    assert "which is not a file in the spec's folder" in str(_said(write, "data"))
    assert "which is not a file in the spec's folder" in str(_said(write, "absent.csv"))


def test_where_no_spec_is_being_checked_the_path_alone_is_checked() -> None:
    assert PATH.validate_python("data/weather.csv") == "data/weather.csv"
    for wrong in ("/data/weather.csv", "../weather.csv", "", "a\\b", "a\0b"):
        with pytest.raises(ValidationError):
            PATH.validate_python(wrong)


class Series(SpecModel):
    """A model within a model."""

    path: str = ""


class Forecast(SpecModel):
    """Fields that disagree, one of them deeper than the other."""

    dataset: str
    series: Series = Series()

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if self.dataset != "csv":
            raise FieldsError("only a CSV file has a path", "series.path", "dataset")
        return self


@pytest.mark.parametrize(
    ("data", "first", "also"),
    [
        ({"dataset": "x", "series": {"path": "a"}}, ("series", "path"), (("dataset",),)),
        ({"dataset": "x"}, ("dataset",), ()),
    ],
)
def test_fields_that_disagree_are_pointed_at_as_far_as_they_are_written(
    data: dict[str, object], first: tuple[str, ...], also: tuple[tuple[str, ...], ...]
) -> None:
    with pytest.raises(ValidationError) as caught:
        Forecast.model_validate(data)
    (found,) = value_problems(caught.value, Forecast, data, "a key")
    assert (found.code, found.path, found.also) == ("contradiction", first, also)
