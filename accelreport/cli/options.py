"""Options and arguments that several commands share, and their shell completion.

Completion ignores files that it cannot read.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import tomli
import typer

KINDS = ("CPU", "GPU", "TPU")


def option(*names: str, metavar: str, help: str) -> Any:  # noqa: A002 -- as Typer calls it
    """An option whose default would not help a reader."""
    return typer.Option(*names, metavar=metavar, help=help, show_default=False)


def argument(metavar: str, help: str) -> Any:  # noqa: A002 -- as Typer calls it
    """An argument whose default would not help a reader."""
    return typer.Argument(metavar=metavar, help=help, show_default=False)


def complete_device(ctx: typer.Context, incomplete: str) -> list[str]:
    """Names of the devices in the devices file."""
    chosen = ctx.params.get("devices_file")
    folders = (path if path.is_dir() else path.parent for path in _paths(ctx))
    files = [Path(chosen)] if chosen else [folder / "devices.toml" for folder in folders]
    rows = ((name, row) for file in files for name, row in _read(file).items())
    names = {name for name, row in rows if isinstance(row, dict) and row.get("kind") in KINDS}
    return sorted(name for name in names if name.startswith(incomplete))


def complete_profile(ctx: typer.Context, incomplete: str) -> list[str]:
    """Names of the specs' profiles."""
    names = {"full"}
    for file in _specs(ctx):
        profiles = _read(file).get("profiles", {})
        names.update(profiles if isinstance(profiles, dict) else ())
    return sorted(name for name in names if name.startswith(incomplete))


def complete_filter(ctx: typer.Context, incomplete: str) -> list[str]:
    """Swept keys with their values: `batch_size=512`."""
    pairs: set[str] = set()
    for file in _specs(ctx):
        sweep = _read(file).get("sweep", {})
        for key, values in sweep.items() if isinstance(sweep, dict) else ():
            if isinstance(values, list):
                pairs.update(f"{key}={value}" for value in values)
    return sorted(pair for pair in pairs if pair.startswith(incomplete))


def complete_dataset(incomplete: str) -> list[str]:
    """Names of the data sets."""
    from accelreport.datasets.catalogue import CATALOGUE

    return sorted(name for name in CATALOGUE if name.startswith(incomplete))


def _paths(ctx: typer.Context) -> list[Path]:
    return [Path(path) for path in ctx.params.get("specs") or ["specs"]]


def _specs(ctx: typer.Context) -> Iterator[Path]:
    for path in _paths(ctx):
        yield from path.glob("*.toml") if path.is_dir() else [path]


def _read(file: Path) -> dict[str, Any]:
    try:
        return tomli.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomli.TOMLDecodeError):
        return {}


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
        autocompletion=complete_profile,
        help="Apply this profile; specs without it stay unchanged.",
    ),
]
Devices = Annotated[
    list[str],
    typer.Option(
        "--device",
        "-d",
        metavar="NAME",
        autocompletion=complete_device,
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
