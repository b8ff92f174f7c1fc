"""Every command line in a block of the README and of docs/ works.

Each is parsed by the real command line. Those that measure nothing are run as they stand, by
bash, in a folder that holds what their page speaks of; of those that measure, the plan is made.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from accelreport.chips.contribution import SHIPPED
from tests.house.documents import (
    DOCUMENTS,
    SHELLS,
    Block,
    blocks,
    calls,
    fenced,
    resolve,
    shell_lines,
)
from tests.house.tree import ROOT
from tests.support.program import Finished, alone, executable
from tests.support.records import store_of, study

pytestmark = pytest.mark.e2e


def lines_of(name: str) -> dict[str, Block]:
    """Line of a document without its comment → where it stands."""
    return {
        re.sub(r"\s+# .*$", "", line.strip()): block
        for block in blocks(name)
        if block.language in SHELLS
        for line in shell_lines(block)
        if list(calls(line))
    }


TUTORIAL = lines_of("docs/tutorial.md")
"""`test_tutorial.py` enters these, and measures."""

LINES = {
    line: block
    for name in DOCUMENTS
    if name != "CHANGELOG.md"
    for line, block in lines_of(name).items()
    if line not in TUTORIAL
}
"""What several documents show is run once."""

NOT_RUN = {
    ("run",): "measures",
    ("noise",): "measures; its own tests do so",
    ("chip",): "measures",
    ("contribute",): "needs what chip measured; its own tests have that",
    ("serve",): "goes on until it is stopped",
    ("data", "fetch"): "needs a network",
    ("import",): "reads files of the reader's own; its own tests do so",
}
"""Commands that are parsed and not run here, and why."""


def name_of(words: list[str]) -> tuple[str, ...]:
    """The command's name: the words that `resolve` takes away."""
    _, rest = resolve(words)
    return tuple(words[: len(words) - len(rest)])


def stands_alone(line: str, block: Block) -> bool:
    """Whether a line is for a shell to run by itself, without variables or a container."""
    return block.language != "yaml" and "$" not in line and not line.startswith(("docker", "("))


def runs_here(line: str, block: Block) -> bool:
    """Whether a line is run: it stands alone, and nothing in it measures."""
    named = [(name_of(words), words) for words in calls(line)]
    harmless = all(name not in NOT_RUN or "--dry-run" in words for name, words in named)
    return stands_alone(line, block) and harmless


RUN = sorted(line for line, block in LINES.items() if runs_here(line, block))

PLANNED = sorted(
    line
    for line, block in LINES.items()
    if stands_alone(line, block)
    and [name_of(words) for words in calls(line)] == [("run",)]
    and line not in RUN
    and " --on " not in line
)
"""Lines that measure; only their plan is made here, but not on a cluster, which is asked for it:
the launchers' own tests start what stands for one."""


def understood(words: list[str]) -> None:
    """Parses the words behind `accelreport` as the program does.

    Raises:
        Exception: Typer's, where the program would refuse them.
    """
    command, rest = resolve(words)
    context = command.make_context(" ".join(name_of(words)), list(rest))
    assert context.args == []


@pytest.mark.parametrize("line", sorted(LINES), ids=lambda line: line[:60])
def test_a_command_line_is_one_that_the_program_understands(line: str) -> None:
    found = list(calls(line))
    assert found
    for words in found:
        understood(words)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with everything that the documents' commands speak of, and the command itself."""
    root = tmp_path_factory.mktemp("documented")
    folder = root / "project"
    shutil.copytree(ROOT / "specs", folder / "specs")
    (text,) = fenced("README.md", "toml")
    (folder / "specs" / "my_sweep.toml").write_text(text, encoding="utf-8")
    for number, place in enumerate(("results", "old/results", "new/results", "before", "after")):
        made = study("matmul", devices=("cpu",), axes={"size": (1024,)}, repeats=2, seed=number)
        store_of(folder / place, made)
    (folder / "chips").mkdir()
    # Two contributions of one machine: who verifies one of them has the other.
    (shipped,) = SHIPPED.glob("*.zip")
    shutil.copy(shipped, folder / "FILE.zip")
    shutil.copy(ROOT / "tests" / "chips" / "honest.zip", folder / "chips" / "mine.zip")
    (folder / "my_templates").mkdir()
    (own,) = [text for text in fenced("docs/report.md", "html") if "extends" in text]
    (folder / "my_templates" / "page.html").write_text(own, encoding="utf-8")
    (folder / ".git").mkdir()
    executable(root / "bin" / "accelreport", forked=True)
    return root


def shell(line: str, world: Path, temporary: Path) -> Finished:
    """Runs a line in a fresh copy of that folder."""
    folder = temporary / "project"
    shutil.copytree(world / "project", folder)
    if "--from quick" in line:  # in an empty folder
        shutil.rmtree(folder / "specs")
    if "examples/" in line:  # too large to be copied for every line, or to be built again
        shutil.copytree(ROOT / "examples", folder / "examples")
        for plans in (folder / "examples").glob("*/plans"):
            one, *others = sorted(plans.iterdir())
            for plan in others:
                plan.unlink()
            assert one.is_file()
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", line],
        cwd=folder,
        env={
            **os.environ,
            "PATH": f"{world / 'bin'}:{os.environ['PATH']}",
            "ACCELREPORT_DATA": str(temporary / "data"),
            **alone(temporary),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=1200,
    )


@pytest.mark.parametrize("line", RUN)
def test_a_command_that_measures_nothing_does_what_its_page_says(
    line: str, world: Path, tmp_path: Path
) -> None:
    done = shell(line, world, tmp_path)
    assert done.returncode == 0, f"{LINES[line]}: {done.stderr}"
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("line", PLANNED)
def test_a_command_that_measures_has_something_to_measure(
    line: str, world: Path, tmp_path: Path
) -> None:
    done = shell(f"{line} --dry-run", world, tmp_path)
    assert done.returncode == 0, f"{LINES[line]}: {done.stderr}"
    # Where its data are not here, the plan names the command that brings them.
    assert re.search(r"\b[1-9][0-9]* run\b|\"run\":[1-9]|accelreport data fetch", done.stdout)
