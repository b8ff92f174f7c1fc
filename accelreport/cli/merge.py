"""`accelreport merge`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from accelreport.errors import ExitCode

EXAMPLES = """\b
What is kept:
  Merging is a union: the order of the folders does not matter, nor does merging twice. Machines
  are told apart by their fingerprint, so results of several machines never collide. Of one cell
  on one machine, a measurement stands before a failure and a complete one before a partial one.
  Where folders hold different measurements of the same cell and machine, all are kept: the
  newest in cells/, the others under conflicts/, and each is named. Nothing is overwritten: what
  cannot be read is set aside. Records that are in DIR alone stay as they are and are not read.

\b
Examples:
  accelreport merge laptop/results cluster/results -o results
  accelreport merge colab/results -o results       into what is here already
  accelreport merge results-*.zip -o results       archives, as notebooks leave them

\b
Exit codes: 0 merged, 7 a folder cannot be read or written, or a file in one cannot be read
  (the others are merged all the same).
"""

Sources = Annotated[
    list[Path],
    typer.Argument(
        help="Results folders, or zip archives of them.", metavar="RESULTS", show_default=False
    ),
]
Out = Annotated[
    Path,
    typer.Option(
        "--out", "-o", metavar="DIR", help="Where the union goes; what is there takes part."
    ),
]


def merge(sources: Sources, *, out: Out) -> None:
    """Merge results folders, such as those of several machines, into one."""
    from accelreport.results.merge import merge as unite
    from accelreport.results.merge import unpacked
    from accelreport.spec.problems import counted
    from accelreport.terminal.say import say

    with unpacked(sources) as folders:
        merged = unite(folders, out)
    for name in merged.conflicts:
        say(f"conflict: {name} differs; the others are under {out / 'conflicts'}", err=True)
    for problem in merged.problems:
        say(f"left out: {problem}", err=True)
    machines = counted(len(merged.machines), "machine")
    say(f"{out}: {counted(merged.records, 'record')} of {machines}")
    if merged.problems:
        raise typer.Exit(ExitCode.BAD_RESULTS)
