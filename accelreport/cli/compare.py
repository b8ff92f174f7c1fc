"""`accelreport compare`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from accelreport.cli.options import argument
from accelreport.errors import ExitCode

if TYPE_CHECKING:
    from accelreport.report.comparison import FolderComparison

EXAMPLES = """What is compared:
OLD and NEW are results folders. For each spec, profile, sweep point and device that both
hold: how many times as fast NEW is, the geometric mean over seeds that both ran, with its
95 % interval. FASTER and SLOWER mean that the whole interval says so, SAME that it lies within
3 %, UNDECIDED anything else, WITHHELD that NEW does not reach OLD's accuracy. What only
one folder holds, what failed and what was measured under other conditions is listed. A
different machine or framework is named above the table.

The gate, --fail-if-slower MARGIN:
A comparison FAILS the gate when NEW is less than 1/(1 + MARGIN) times as fast, with the whole
95 % interval, or less accurate beyond doubt. It PASSES when the whole interval lies at or above
that and the accuracy does not differ, and is OPEN otherwise; its row then says how many more
processes would decide. Only FAILS closes the gate; with --fail-if-undecided OPEN does, too, with
exit code 12. A cell that OLD measured and that failed in NEW also closes it, with exit code 4.

\b
Examples:
  accelreport compare old/results new/results
  accelreport compare old/results new/results --fail-if-slower 5%
  accelreport compare old/results new/results --format markdown -o new.md
  accelreport compare old/results new/results --format html -o comparison.html

Exit codes, the first that applies: 6 something is slower than the gate allows, or less
accurate, 7 a folder or a file in it cannot be read, 4 (with a gate) something that OLD
measured failed in NEW, 9 nothing could be compared, 12 (with --fail-if-undecided) something is
OPEN, 0 compared.
"""


Old = Annotated[Path, argument("OLD", "Results before.")]
New = Annotated[Path, argument("NEW", "Results now.")]
Gate = Annotated[
    str | None,
    typer.Option(
        "--fail-if-slower",
        metavar="MARGIN",
        help="Exit code 6 when NEW is slower than OLD by more than this, beyond doubt: 5%, 0.05; "
        "or less accurate.",
    ),
]
FailIfUndecided = Annotated[
    bool,
    typer.Option(
        "--fail-if-undecided",
        help="With --fail-if-slower: exit code 12 where a comparison is OPEN.",
    ),
]
Format = Annotated[
    Literal["text", "markdown", "html", "json"], typer.Option("--format", help="Output format.")
]
Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", metavar="FILE", help="Write to this file instead of the screen."),
]


def compare(
    old: Old,
    new: New,
    *,
    fail_if_slower: Gate = None,
    fail_if_undecided: FailIfUndecided = False,
    format_: Format = "text",
    out: Out = None,
) -> None:
    """Say what became faster or slower between two results folders."""
    from accelreport.analysis.compare import Gate as GateVerdict
    from accelreport.analysis.compare import read_margin
    from accelreport.report.comparison import compare_folders, conclusions
    from accelreport.results.store import existing, writing
    from accelreport.terminal.noise import kept
    from accelreport.terminal.say import say

    try:
        gate = None if fail_if_slower is None else read_margin(fail_if_slower)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--fail-if-slower") from error
    if fail_if_undecided and gate is None:
        raise typer.BadParameter("--fail-if-undecided belongs to --fail-if-slower")
    noises = kept() if gate is not None else []
    compared = compare_folders(existing(old), existing(new), gate, noises)
    text = _written(compared, format_)
    if out is None:
        typer.echo(text, nl=False)
    else:
        with writing(out):
            out.parent.mkdir(parents=True, exist_ok=True)
            out.write_text(text, encoding="utf-8")
        say(*conclusions(compared))
    code = CODES[compared.result.value]
    if fail_if_undecided and code == ExitCode.OK and compared.gated(GateVerdict.OPEN):
        code = ExitCode.GATE_CLOSED
    raise typer.Exit(code)


CODES = {
    "slower": ExitCode.SLOWER,
    "unreadable": ExitCode.BAD_RESULTS,
    "failed": ExitCode.SOME_FAILED,
    "nothing": ExitCode.NOTHING_COMPARED,
    "done": ExitCode.OK,
}
"""Exit code of every result."""


def _written(compared: FolderComparison, format_: str) -> str:
    """A comparison as text of a format."""
    from accelreport.terminal.comparison import comparison_markdown, comparison_text
    from accelreport.terminal.say import on_one_line

    if format_ == "json":
        return f"{compared.model_dump_json(indent=2)}\n"
    if format_ == "html":
        from accelreport.report.pages.compare import comparison_html

        return comparison_html(compared)
    written = comparison_markdown if format_ == "markdown" else comparison_text
    return "".join(f"{on_one_line(text)}\n" for text in written(compared))
