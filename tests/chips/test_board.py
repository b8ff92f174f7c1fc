"""The pages that rank a folder of contributions."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from accelreport.chips.board import board_of
from accelreport.chips.contribution import read, write
from accelreport.cli.app import app
from accelreport.errors import ExitCode
from accelreport.report.pages.ranked import machine_page
from tests.chips.invented import folder, history
from tests.chips.test_verify import HONEST

MACHINES = 12


@pytest.fixture(scope="module")
def chips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Invented machines, the real one, and a file that was edited."""
    path = folder(tmp_path_factory.mktemp("chips") / "chips", MACHINES)
    shutil.copy(HONEST, path / "real.zip")
    honest = read(HONEST)
    write(replace(honest, records=honest.records[1:]), path / "edited.zip")
    (path / "broken.zip").write_text("{")
    return path


@pytest.fixture(scope="module")
def site(chips: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("site")
    result = CliRunner().invoke(app, ["rank", str(chips), "--out", str(out)])
    assert result.exit_code == 0, result.output
    return out


def test_refused_files_are_named_and_not_ranked(chips: Path, site: Path) -> None:
    board = board_of(chips)
    assert {refusal.file for refusal in board.refused} == {"edited.zip", "broken.zip"}
    assert len(board.machines) == MACHINES + 1
    page = (site / "index.html").read_text()
    assert "edited.zip" in page
    assert "of 3 is left out." in page
    assert not (site / "edited.zip").exists()


def test_each_machine_has_a_page_with_its_file_beside_it(chips: Path, site: Path) -> None:
    page = (site / "f9c59622.html").read_text()
    assert 'href="real.zip"' in page
    assert re.search(r"precision</dt><dd>(mixed_bfloat16, float32|float32, mixed_bfloat16)<", page)
    assert (site / "real.zip").read_bytes() == (chips / "real.zip").read_bytes()
    assert "Its self-check loaded-machine failed." in page
    assert "look at it" in (site / "index.html").read_text()


def test_invented_machines_are_marked_above_everything(site: Path) -> None:
    assert (
        f"{MACHINES} of {MACHINES + 1} machines do not exist" in (site / "index.html").read_text()
    )
    assert "Invented data." not in (site / "f9c59622.html").read_text()


def test_the_same_contributions_give_the_same_bytes(
    chips: Path, site: Path, tmp_path: Path
) -> None:
    CliRunner().invoke(app, ["rank", str(chips), "--out", str(tmp_path)])
    for path in site.glob("*.html"):
        assert path.read_bytes() == (tmp_path / path.name).read_bytes()


def test_a_machine_that_contributes_again_has_a_history(tmp_path: Path) -> None:
    """It is ranked once, by its latest contribution, and its page has the values of all."""
    paces, releases = (4.0, 4.0, 8.0), ("2.19.1", "2.20.0", "2.21.0")
    contributions = list(history(paces, releases))
    for contribution in contributions:
        write(contribution, tmp_path / f"{contribution.name}.zip")
    board = board_of(tmp_path)
    assert not board.refused
    assert [machine.name for machine in board.machines] == [contributions[-1].name]
    (submissions,) = board.histories.values()
    assert [each.name for each in submissions] == [each.name for each in contributions]
    # A machine that became twice as fast is no machine unlike others of its hardware.
    assert not [doubt for each in submissions for doubt in each.doubts if doubt.kind == "unlike"]
    page = machine_page(board, submissions)
    section = next(section for section in page.sections if section.id == "history")
    (figure,) = section.blocks
    description = figure.drawings[0].description  # type: ignore[union-attr]
    assert description.count("images/s") == len(contributions)


def test_a_folder_without_a_believed_contribution_closes_the_gate(
    chips: Path, tmp_path: Path
) -> None:
    shutil.copy(chips / "edited.zip", tmp_path)
    result = CliRunner().invoke(app, ["rank", str(tmp_path), "--out", str(tmp_path / "site")])
    assert result.exit_code == ExitCode.GATE_CLOSED
    assert "edited.zip: refused" in result.output
