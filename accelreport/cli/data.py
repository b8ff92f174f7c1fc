"""`accelreport data list` and `fetch`."""

from __future__ import annotations

from typing import Annotated

import typer

from accelreport.cli.options import Json

LIST_EXAMPLES = """\b
Examples:
  accelreport data list
  accelreport data list --json
"""

FETCH_EXAMPLES = """\
An interrupted download continues where it stopped, now or at the next call. A file gets its name
only after its checksum is verified.

\b
Examples:
  accelreport data fetch mnist
  accelreport data fetch mnist fashion_mnist
  accelreport data fetch --all

\b
Exit codes: 0 every file is here, 8 a file cannot be fetched.
"""

app = typer.Typer(
    help="List data sets, where they are kept, and fetch them.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Names = Annotated[
    list[str],
    typer.Argument(
        help="Data sets, as `accelreport data list` names them.",
        metavar="NAME",
        show_default=False,
    ),
]
All = Annotated[bool, typer.Option("--all", help="Fetch every data set that can be fetched.")]
Replace = Annotated[
    bool,
    typer.Option("--replace", help="Replace files that differ from the published ones."),
]


@app.command("list", epilog=LIST_EXAMPLES)
def list_(*, json: Json = False) -> None:
    """List the folder of the data sets, and each with its licence and whether it is here."""
    from accelreport.terminal.listings import catalogue_json, catalogue_text

    typer.echo(catalogue_json() if json else "\n".join(catalogue_text()))


@app.command(epilog=FETCH_EXAMPLES)
def fetch(
    names: Names = [],  # noqa: B006 -- Typer copies it
    *,
    all_: All = False,
    replace: Replace = False,
) -> None:
    """Download data sets from their publishers, checked by SHA-256."""
    from accelreport.terminal.listings import fetch_all, fetchable

    chosen = fetchable() if all_ else names
    if not chosen:
        raise typer.BadParameter("name a data set, or give --all")
    fetch_all(chosen, replace=replace)
