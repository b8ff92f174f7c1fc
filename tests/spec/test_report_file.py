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
from accelreport.results.store import Store
from accelreport.spec.files_beside import FILE_NAME, ReportOptions, read_options
from accelreport.spec.problems import SpecErrors
from tests.support.program import write_specs
from tests.support.records import study


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


_TALK = 'schema = 1\n[[talk.slides]]\nbenchmark = "mnist"\n'


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('schema = 1\n[report]\ntitel = "x"\n', ":3:1: `titel` is not a key of [report]"),
        ('schema = 1\n[report]\ntheme = "red"\n', ':3:9: "red" is not a value of `theme`'),
        ("schema = 1\n[report]\ntitle = 3\n", ":3:9: `title` must be text"),
        ("schema = 1\n[raport]\n", ":2:2: `raport` is no table of this file"),
        ("[report]\n", ": `schema` is missing"),
        ("schema = 1\nreport = 3\n", ":2:10: `report` must be a table"),
        ("schema = 1\n[talk]\nslide = []\n", ":3:1: `slide` is not a key of [talk]"),
        ('schema = 1\n[[talk.slides]]\nslide = "figure-1"\n', ":3:9: `figure-1` is a figure of"),
        (f"{_TALK}slide = 'claims'\n", ":3:13: `claims` shows all benchmarks"),
        (f"{_TALK}slide = 'numbers'\n", ':4:9: "numbers" is not a value of `slide`'),
        (f"{_TALK}{_TALK[11:]}", ":4:1: this slide appears twice"),
        (
            f"schema = 1\n{_TALK[11:] * 12}",
            ":2:8: `slides` has 12 slides; at most 9",
        ),
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
    said = read_options(specs / FILE_NAME).report
    assert (said.out, said.results) == (f"{tmp_path}/home/docs/web", "results")


def test_a_slide_of_a_benchmark_without_a_spec_is_told_with_its_place_and_the_nearest_name(
    tmp_path: Path,
) -> None:
    specs = write_specs(tmp_path)
    (specs / FILE_NAME).write_text(_TALK)
    assert CliRunner().invoke(app, ["check", str(specs)]).exit_code == 0
    (specs / FILE_NAME).write_text(_TALK.replace("mnist", "mnits"))
    told = CliRunner().invoke(app, ["check", str(specs)]).exception
    assert isinstance(told, SpecErrors)
    assert ':3:13: there is no benchmark "mnits"' in str(told)
    assert 'did you mean "mnist"?' in str(told)


@pytest.mark.e2e
def test_a_build_warns_of_a_slide_that_has_no_results_with_its_place_and_is_made_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Store(Path("results")).write_plan(study("matmul", spec="matmul", axes={}, repeats=1).plan)
    Path("specs").mkdir()
    said = '[talk]\ntitle = "What do we need?"\n[[talk.slides]]\nbenchmark = "mnist"\n'
    Path("specs", FILE_NAME).write_text(f"schema = 1\n{said}")
    built = CliRunner().invoke(app, ["build", "--no-cache"], catch_exceptions=False)
    assert built.exit_code == 0
    place = Path("specs", FILE_NAME)
    assert f'warning: {place}:5:13: there is no benchmark "mnist"' in built.output
    assert "help: it has no results; run its spec first" in built.output
    deck = Path("site", "slides.html").read_text(encoding="utf-8")
    assert "What do we need?" in deck
    assert "The talk asks for slides that the results do not give: a figure of mnist." in deck
