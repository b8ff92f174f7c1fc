"""`accelreport import` as people call it; docs/importing.md is executed from its top down."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from accelreport.cli import app
from accelreport.errors import ExitCode
from accelreport.importing.formats import FORMATS
from accelreport.loader.load import load
from tests.importing.files import DEVICES, SPEC, a_file, a_spec
from tests.support.program import call

DOCUMENT = Path(__file__).parents[2] / "docs" / "importing.md"

FENCE = re.compile(
    r"(?:`(?P<name>[\w./]+)`:\n\n)?^```(?P<language>\w+)\n(?P<body>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)

CITED = ("--title", "A page", "--url", "https://example.org/page", "--year", "2018")


def _blocks() -> Iterator[tuple[str, str, str]]:
    """Language, name of the file and content of each block of the document."""
    for found in FENCE.finditer(DOCUMENT.read_text(encoding="utf-8")):
        yield found["language"], found["name"] or "", found["body"]


def test_every_example_of_the_documentation_does_what_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("specs").mkdir()
    Path("specs/devices.toml").write_text(DEVICES)
    shown, commands = "", 0
    for language, name, body in _blocks():
        if name:
            Path(name).write_text(body, encoding="utf-8")
        elif language == "sh":
            before = Path("specs/mnist.toml").read_text(encoding="utf-8")
            told = CliRunner().invoke(app, shlex.split(body)[1:], catch_exceptions=False)
            assert told.exit_code == ExitCode.OK
            after = Path("specs/mnist.toml").read_text(encoding="utf-8")
            shown = after.removeprefix(f"{before}\n") if "--into" in body else told.stdout
            commands += 1
        else:
            assert (language, body) == ("toml", shown)
    assert commands >= len(FORMATS)
    assert len(load([Path("specs")]).specs[0].published) == 6


def test_the_documentation_shows_every_format_and_says_how_it_is_known() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    for name in ("figures", "optimum-benchmark", "Keras"):
        assert re.search(rf"^## .*{name}", text, re.MULTILINE), name
    assert len(FORMATS) == 3


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a spec and somebody's figures."""
    a_spec(tmp_path)
    a_file(tmp_path, "label,batch_size,epoch_time\nA GPU,256,6 s\n")
    return tmp_path


@pytest.mark.e2e
def test_an_import_is_told_and_the_spec_still_passes_the_check(folder: Path) -> None:
    into = ("--into", "batches.toml", "--device", "gpu")
    told = call(folder, "import", "figures.csv", *into, *CITED)
    assert (told.returncode, told.stderr) == (ExitCode.OK, "")
    assert told.stdout == "1 row of figures.csv appended to batches.toml.\n"
    assert call(folder, "check", "batches.toml").returncode == ExitCode.OK
    again = call(folder, "import", "figures.csv", *into, *CITED)
    assert again.returncode == ExitCode.BAD_SPEC
    assert "error: figures.csv:2: this row repeats an earlier one" in again.stderr


@pytest.mark.e2e
@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("figures.csv", "--device", "gpu"), ExitCode.USAGE, "(--title)"),
        (("figures.csv", "--where", "x"), ExitCode.USAGE, "--where x: this is not key=value"),
        (("nowhere.csv", *CITED), ExitCode.DATA_UNAVAILABLE, "nowhere.csv cannot be read"),
        (("devices.toml", *CITED), ExitCode.DATA_UNAVAILABLE, "devices.toml"),
        (("figures.csv", "--into", "no.toml", *CITED), ExitCode.BAD_SPEC, "no such file"),
    ],
)
def test_what_goes_wrong_is_one_clear_message_and_its_exit_code(
    folder: Path, arguments: tuple[str, ...], code: ExitCode, says: str
) -> None:
    told = call(folder, "import", *arguments)
    assert told.returncode == code
    assert says in told.stderr
    assert "Traceback" not in told.stderr
    assert (folder / "batches.toml").read_text() == SPEC
