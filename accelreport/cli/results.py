"""`accelreport results list`, `private` and `rm`; and `merge`."""

from __future__ import annotations

import json as json_module
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from accelreport.cli.options import RESULTS, Json, Results, Yes, argument
from accelreport.errors import ExitCode

if TYPE_CHECKING:
    from accelreport.results.store import Store

LIST_EXAMPLES = """What is shown:
Without NAME every benchmark that was run; for a benchmark its cells, each with its key; for a
cell what it measured on every machine.

\b
Examples:
  accelreport results list
  accelreport results list mnist_batch_sweep
  accelreport results list matmul:quick --json
  accelreport results list 3f0c9a              a unique prefix is enough

Exit codes: 0 listed, 5 a name is unknown, 7 the folder cannot be read.
"""

PRIVATE_EXAMPLES = """What is shown:
The names of users, home folders, hosts and other programs in the records, each with what
replaces it in a report. Then the paths and environment variables that are published unchanged;
check whether these reveal too much. The command changes nothing.

\b
Examples:
  accelreport results private                     all records
  accelreport results private 3f0c9a            one record, as it is published
"""

RM_EXAMPLES = """What is removed:
For a cell: its records from every machine and its files, unless another cell has the same files.
For a spec: its plan, and its cells unless another plan names them. The next run measures again
what its specs ask for.

\b
Examples:
  accelreport results rm 3f0c9a
  accelreport results rm matmul:quick+workload.count=3 --yes
  accelreport results rm --unplanned        cells that no plan names

Exit codes: 0 removed, 2 no name was given or the removal was not confirmed, 5 a name is unknown,
7 the folder cannot be read or written.
"""

app = typer.Typer(
    help="List what was measured, show what is private, and remove.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Name = Annotated[str, argument("NAME", "A spec, SPEC:PROFILE, or the key of a cell.")]
Key = Annotated[str, argument("KEY", "A cell's key, or a prefix of it.")]
Names = Annotated[
    list[str],
    typer.Argument(help="Keys of cells, specs, or SPEC:PROFILE.", metavar="NAME"),
]
Unplanned = Annotated[
    bool, typer.Option("--unplanned", help="Remove every record that no plan names any more.")
]


@app.command("list", epilog=LIST_EXAMPLES)
def list_(
    name: Name = "",
    *,
    results: Results = RESULTS,
    json: Json = False,
) -> None:
    """List the benchmarks of a results folder, the cells of one, or what one cell measured."""
    from accelreport.results.store import existing
    from accelreport.terminal.listings import benchmarks, cells, lines, planned_names
    from accelreport.terminal.say import say, tell_unread

    store = existing(results)
    if name and name not in planned_names(store):
        _show(store, name, json=json)
    else:
        rows = cells(store, name) if name else benchmarks(store)
        if json:
            typer.echo(json_module.dumps(rows, indent=2))
        else:
            say(*lines(rows))
    tell_unread(store.problems)


def _show(store: Store, key: str, *, json: bool) -> None:
    """Print what a cell measured, on every machine that measured it."""
    from accelreport.terminal.listings import cells_named, record_text, refusals
    from accelreport.terminal.say import say

    for full, machines in cells_named(store, key).items():
        refused = {} if json else refusals(store, full)
        for machine in machines:
            record = store.get(full, machine)
            if record and json:
                typer.echo(record.model_dump_json(indent=2))
            elif record:
                path = store.record_path(full, machine)
                say(*record_text(record, path, refused.get(machine, "")))


@app.command(epilog=PRIVATE_EXAMPLES)
def private(key: Key = "", *, results: Results = RESULTS, json: Json = False) -> None:
    """Show which names of people and machines are in the records, and what replaces them."""
    from accelreport.results.store import existing
    from accelreport.terminal.listings import cells_named, lines, privacy
    from accelreport.terminal.say import say, tell_unread

    store = existing(results)
    published, rows = privacy(store)
    if key:
        keys = cells_named(store, key)
        for record in (row for row in published if row.key in keys):
            typer.echo(record.model_dump_json(indent=2))
    elif json:
        typer.echo(json_module.dumps(rows, indent=2))
    else:
        say(*lines(rows) if rows else ["These records name no person and no machine."])
    tell_unread(store.problems)


@app.command(epilog=RM_EXAMPLES)
def rm(
    names: Names = [],  # noqa: B006 -- Typer copies it
    *,
    results: Results = RESULTS,
    unplanned: Unplanned = False,
    yes: Yes = False,
) -> None:
    """Remove the records of cells, of whole benchmarks, or of cells that no plan names any more."""
    from accelreport.results.store import existing
    from accelreport.spec.problems import counted
    from accelreport.terminal.listings import meant
    from accelreport.terminal.say import say

    if bool(names) == unplanned:
        raise typer.BadParameter("name cells or specs, or give --unplanned")
    store = existing(results)
    gone, plans = meant(store, names)
    records = sum(map(len, gone.values()))
    counts = f"{counted(records, 'record')} and {counted(len(plans), 'plan')} of {results}"
    if not yes:
        if not sys.stdin.isatty():
            raise typer.BadParameter(
                f"{counts}: there is no terminal to ask for confirmation; give --yes"
            )
        typer.confirm(f"Remove {counts}?", abort=True)
    store.remove(gone, plans)
    say(f"Removed: {counts}")


MERGE_EXAMPLES = """What is kept:
Merging is a union: the order of the folders does not matter, and merging twice changes nothing.
Machines have fingerprints, so the results of several machines never collide. For one cell on
one machine, a measurement takes precedence over a failure, and a complete one over a partial
one. If folders hold different measurements of the same cell and machine, all are kept and
named: the newest in cells/, the others in conflicts/. Nothing is overwritten, and unreadable
files are set aside. Records that only DIR holds are neither read nor changed.

\b
Examples:
  accelreport merge laptop/results cluster/results -o results
  accelreport merge colab/results -o results       into existing results
  accelreport merge results-*.zip -o results     archives that notebooks wrote

Exit codes: 0 merged, 7 a folder cannot be read or written, or a file in it cannot be read
(the others are still merged).
"""

Sources = Annotated[list[Path], argument("RESULTS", "Results folders or zip archives of them.")]
Out = Annotated[
    Path,
    typer.Option(
        "--out",
        "-o",
        metavar="DIR",
        help="Folder of the merged results; existing results there are included.",
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
        say(
            f"conflict: {name} differs; the other measurements are in {out / 'conflicts'}", err=True
        )
    for problem in merged.problems:
        say(f"left out: {problem}", err=True)
    machines = counted(len(merged.machines), "machine")
    say(f"{out}: {counted(merged.records, 'record')} of {machines}")
    if merged.problems:
        raise typer.Exit(ExitCode.BAD_RESULTS)
