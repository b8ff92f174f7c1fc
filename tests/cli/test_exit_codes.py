"""Every way in which a command may end has a code of its own, told alike everywhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from accelreport.cli.app import app
from accelreport.errors import AccelReportError, ExitCode
from tests.support.program import write_specs

ROOT = Path(__file__).parents[2]
EVERY = {int(code) for code in ExitCode}


def section(path: str, heading: str) -> str:
    """The text under a heading, up to the next one."""
    text = (ROOT / path).read_text(encoding="utf-8")
    return text.partition(f"## {heading}\n")[2].partition("\n## ")[0]


def test_every_code_is_distinct_and_fits_what_a_shell_can_tell() -> None:
    assert len(EVERY) == len(ExitCode.__members__)
    assert all(0 <= code < 256 for code in EVERY)


def test_the_table_of_the_documentation_is_that_of_the_code() -> None:
    rows = re.findall(r"^\| (\d+) \| ", section("docs/running.md", "Exit codes"), re.MULTILINE)
    assert [int(code) for code in rows] == sorted(EVERY)


def test_no_other_table_knows_a_code_that_the_program_does_not_have() -> None:
    text = (ROOT / "docs/comparing.md").read_text(encoding="utf-8")
    told = {int(code) for code in re.findall(r"exit code (\d+)", text)}
    told |= {int(code) for code in re.findall(r"^\| (\d+) \| ", text, re.MULTILINE)}
    assert told
    assert told <= EVERY


@pytest.mark.parametrize(
    "arguments",
    [
        ["--set", "measure.repeats=x"],
        ["--set", "measure.repeets=2"],
        ["--set", "measure.repeats"],
        ["--budget", "soon"],
        ["--profile", "nope"],
        ["--device", "nope"],
        ["--filter", "size=7"],
        ["--most-repeats", "5"],
    ],
    ids=" ".join,
)
def test_what_only_the_command_line_says_wrongly_is_its_own_code_and_no_specs(
    arguments: list[str], tmp_path: Path
) -> None:
    specs = write_specs(tmp_path)
    done = CliRunner().invoke(app, ["run", "--dry-run", str(specs), *arguments])
    # `main` ends with the code that such an error carries.
    code = done.exception.exit_code if isinstance(done.exception, AccelReportError) else None
    assert (code or done.exit_code) == ExitCode.USAGE
    assert " file" not in str(getattr(done.exception, "remedy", ""))
    (specs / "matmul.toml").write_text("schema = 2")
    done = CliRunner().invoke(app, ["run", "--dry-run", str(specs), "--budget", "soon"])
    assert isinstance(done.exception, AccelReportError)
    assert done.exception.exit_code == ExitCode.BAD_SPEC
