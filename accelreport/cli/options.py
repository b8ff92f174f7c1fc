"""Options and arguments that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from accelreport.cli.completion import complete_device, complete_profile

Specs = Annotated[
    list[Path],
    typer.Argument(
        help="Spec files, or folders of them; specs/ when none is named.",
        show_default=False,
        metavar="SPECS",
    ),
]
Results = Annotated[Path, typer.Option("--results", metavar="DIR", help="Folder of the results.")]
DevicesFile = Annotated[
    Path | None,
    typer.Option(
        "--devices-file", metavar="FILE", help="Devices file, instead of the one beside each spec."
    ),
]
Profile = Annotated[
    str | None,
    typer.Option(
        "--profile",
        "-p",
        metavar="NAME",
        autocompletion=complete_profile,
        help="Read the specs with this profile; a spec without it is read as it stands.",
    ),
]
Devices = Annotated[
    list[str],
    typer.Option(
        "--device",
        "-d",
        metavar="NAME",
        autocompletion=complete_device,
        help="Run on this device only. May be given several times.",
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]

SPECS = [Path("specs")]
"""Where specs are looked for when none is named."""
RESULTS = Path("results")
"""Where results are kept when nothing else is said."""
