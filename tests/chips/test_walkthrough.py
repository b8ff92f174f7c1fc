"""The walk-through of docs/chips.md: each command prints what the page shows."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from accelreport.chips.contribution import read
from accelreport.cli import app
from accelreport.errors import AccelReportError, ExitCode
from accelreport.runner.prepare import Request
from tests.chips.test_contribution import stored
from tests.chips.test_verify import HONEST, SHIPPED_FILE
from tests.house.documents import fenced
from tests.house.tree import ROOT

ANSWER, CONTENTS = fenced("docs/chips.md", "text")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the results of a real contribution, and another one as the shipped one."""
    honest = read(HONEST)
    stored(tmp_path / "results", honest, honest.records)
    (tmp_path / "chips").mkdir()
    (tmp_path / "shipped").mkdir()
    shutil.copy(SHIPPED_FILE, tmp_path / "shipped")
    monkeypatch.setattr("accelreport.chips.contribution.SHIPPED", tmp_path / "shipped")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ACCELREPORT_DATA", str(tmp_path / "data"))
    return tmp_path


def output(*words: str, code: int = ExitCode.OK, typed: str = "") -> str:
    done = CliRunner().invoke(app, list(words), input=typed)
    assert done.exit_code == code, done.output
    return done.output.replace("\N{NO-BREAK SPACE}", " ")


def test_chip_leaves_out_what_has_no_data_and_ends_with_the_rank(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Everything is measured already, as after a run that was interrupted at its end."""
    requests = []

    def carried_out(request: Request, **_: bool) -> int:
        requests.append(request)
        return ExitCode.OK

    monkeypatch.setattr("accelreport.cli.run.carried_out", carried_out)
    printed = output("chip")
    assert "chip_mnist is left out: accelreport data fetch mnist adds it" in printed
    assert {path.stem for path in requests[0].paths} == {
        "chip_accuracy",
        "chip_latency",
        "chip_lstm",
        "chip_training",
    }
    assert ANSWER in printed


def test_contribute_shows_what_the_file_holds_and_asks(folder: Path) -> None:
    refused = output("contribute", "-o", "chips/mine.zip", code=ExitCode.USAGE, typed="n\n")
    assert CONTENTS in refused
    assert not (folder / "chips" / "mine.zip").exists()
    output("contribute", "-o", "chips/mine.zip", typed="y\n")
    output("contribute", "-o", "chips", "--yes")  # by the canonical name into a folder
    names = ("mine.zip", f"{read(HONEST).name}.zip")
    assert {path.name for path in (folder / "chips").iterdir()} == {*names}
    assert all((folder / "chips" / name).read_bytes() == HONEST.read_bytes() for name in names)


def test_contribute_before_anything_was_measured_names_chip() -> None:
    done = CliRunner().invoke(app, ["contribute", "--results", "none"])
    assert isinstance(done.exception, AccelReportError)
    assert "`accelreport chip`" in done.exception.remedy


def test_verify_says_what_a_person_should_look_at(folder: Path) -> None:
    shutil.copy(HONEST, folder / "chips" / "mine.zip")
    verdict = CONTENTS.partition("chips/mine.zip: ")[2]
    printed = output("verify", "chips/mine.zip")
    assert verdict in printed
    assert ANSWER in printed


def test_a_copy_of_an_accepted_file_is_a_duplicate(folder: Path) -> None:
    shutil.copy(SHIPPED_FILE, folder / "chips" / "mine.zip")
    assert "duplicate" in output("verify", "chips/mine.zip", code=ExitCode.GATE_CLOSED)


def test_its_pictures_are_small() -> None:
    for name in ("chips-ranked.png", "chips-machine.png"):
        assert (ROOT / "docs" / "images" / name).stat().st_size < 150_000
