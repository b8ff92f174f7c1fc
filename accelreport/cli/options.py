"""Options and arguments that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer


def option(*names: str, metavar: str, help: str) -> Any:  # noqa: A002 -- as Typer calls it
    """An option whose default would not help a reader."""
    return typer.Option(*names, metavar=metavar, help=help, show_default=False)


def argument(metavar: str, help: str) -> Any:  # noqa: A002 -- as Typer calls it
    """An argument whose default would not help a reader."""
    return typer.Argument(metavar=metavar, help=help, show_default=False)


Specs = Annotated[list[Path], argument("SPECS", "Spec files or folders; default: specs/.")]
SpecNames = Annotated[list[str], argument("SPEC", "Specs, or SPEC:PROFILE; all when absent.")]
Results = Annotated[
    Path,
    typer.Option(
        "--results", metavar="DIR", envvar="ACCELREPORT_RESULTS", help="Folder of the results."
    ),
]
DevicesFile = Annotated[
    Path | None,
    typer.Option(
        "--devices-file",
        metavar="FILE",
        help="Devices file to use instead of the one beside each spec.",
    ),
]
Profile = Annotated[
    str | None,
    typer.Option(
        "--profile",
        "-p",
        metavar="NAME",
        help="Apply this profile; specs without it stay unchanged.",
    ),
]
Devices = Annotated[
    list[str],
    typer.Option(
        "--device",
        "-d",
        metavar="NAME",
        help="Run on this row of the devices file only; one that no spec lists is added. May be "
        "given several times.",
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]

SPECS = [Path("specs")]
REPORT_FILE = SPECS[0] / "accelreport.toml"
"""The settings file in that folder; `spec.files_beside` names it too, but is slow to import."""
RESULTS = Path("results")
