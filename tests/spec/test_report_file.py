"""Options that need not be repeated: from the file beside the specs, a variable, or the command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import typer.main
from typer.testing import CliRunner

from accelreport.cli import app
from accelreport.cli.options import REPORT_FILE
from accelreport.loader.load import load
from accelreport.results.reading import ResultsError
from accelreport.spec.files_beside import FILE_NAME, ReportOptions, read_options
from accelreport.spec.problems import SpecErrors
from tests.support.program import write_specs


def test_an_option_goes_before_its_variable_and_that_before_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    specs = write_specs(tmp_path)
    monkeypatch.chdir(tmp_path)
    for name in ("results", "of-file", "of-variable", "of-option"):
        Path(name).touch()  # no folder, which the error says

    def results(*arguments: str) -> str:
        error = CliRunner().invoke(app, ["build", *arguments]).exception
        assert isinstance(error, ResultsError)
        return error.why.partition(" ")[0]

    assert results() == "results"
    assert Path("specs", FILE_NAME) == REPORT_FILE
    (specs / FILE_NAME).write_text('schema = 1\n[report]\nresults = "of-file"\n')
    assert results() == "of-file"
    monkeypatch.setenv("ACCELREPORT_RESULTS", "of-variable")
    assert results() == "of-variable"
    assert results("--results", "of-option") == "of-option"
    assert {spec.name for spec in load([specs]).specs} == {"mnist", "matmul"}


def test_every_key_is_an_option_of_build_with_a_variable_of_its_name() -> None:
    command: Any = typer.main.get_command(app)
    variables = {option.name: option.envvar for option in command.commands["build"].params}
    for name in ReportOptions.model_fields:
        assert variables[name] == f"ACCELREPORT_{name.upper()}"


def test_what_serve_shares_with_build_has_the_same_variable() -> None:
    command: Any = typer.main.get_command(app)
    build, serve = (
        {option.name: option.envvar for option in command.commands[name].params}
        for name in ("build", "serve")
    )
    assert {"out", "title", "results"} <= build.keys() & serve.keys()
    for name in build.keys() & serve.keys():
        assert serve[name] == build[name]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('schema = 1\n[report]\ntitel = "x"\n', ":3:1: `titel` is not a key of [report]"),
        ('schema = 1\n[report]\ntheme = "red"\n', ':3:9: "red" is not a value of `theme`'),
        ("schema = 1\n[report]\ntitle = 3\n", ":3:9: `title` must be text"),
        ("schema = 1\n[raport]\n", ":2:2: `raport` is no table of this file"),
        ("[report]\n", ": `schema` is missing"),
        ("schema = 1\nreport = 3\n", ":2:10: `report` must be a table"),
        ("schema = 1\n[talk]\n", "help: leave it out: a deck shows one finding of each kind"),
        (
            'schema = 1\n[report]\ntemplates = "specs/tpl"\n',
            ":3:1: `templates` is not a key of [report]",
        ),
        ('schema = 1\n[report]\nout = "../elsewhere"\n', ":3:7: `out` leads outside "),
        ('schema = 1\n[report]\nout = "/etc/site"\n', ":3:7: `out` leads outside "),
        ('schema = 1\n[report]\nresults = "specs/../link/x"\n', ":3:11: `results` leads outside "),
        ("schema = 9\n", ":1:10: this file has `schema = 9`"),
        ("schema = 1\n[report\n", ":2:"),
    ],
)
def test_what_is_wrong_in_the_file_is_told_with_its_place_by_check_too(
    text: str, place: str, tmp_path: Path
) -> None:
    specs = write_specs(tmp_path)
    (tmp_path / "link").symlink_to(tmp_path.parent)
    (specs / FILE_NAME).write_text(text)
    with pytest.raises(SpecErrors) as caught:
        read_options(specs / FILE_NAME)
    assert place in str(caught.value)
    told = CliRunner().invoke(app, ["check", str(specs)])
    assert isinstance(told.exception, SpecErrors)


def test_templates_are_named_where_the_file_says_where_they_belong(tmp_path: Path) -> None:
    specs = write_specs(tmp_path)
    (specs / FILE_NAME).write_text('schema = 1\n[report]\ntemplates = "specs/tpl"\n')
    with pytest.raises(SpecErrors, match="`templates` belongs on the command line"):
        read_options(specs / FILE_NAME)


def test_paths_that_stay_in_the_folder_above_the_specs_may_be_links_and_absolute(
    tmp_path: Path,
) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "home").symlink_to(real)
    specs = write_specs(tmp_path / "home")
    (real / "results").symlink_to(real / "measured")
    (specs / FILE_NAME).write_text(
        f'schema = 1\n[report]\nout = "{tmp_path}/home/docs/web"\nresults = "results"\n'
    )
    said = read_options(specs / FILE_NAME)
    assert (said.out, said.results) == (f"{tmp_path}/home/docs/web", "results")
