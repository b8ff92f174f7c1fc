"""`accelreport new`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from accelreport.errors import AccelReportError, ExitCode

if TYPE_CHECKING:
    from accelreport.spec.base import Scalar
    from accelreport.workloads.base import Family

EXAMPLES = """\b
What is written:
  A spec with a comment on every key, ready to run; and, where there is none beside it, a devices
  file with a CPU, a GPU and a TPU. Nothing that is there is overwritten.

\b
Kinds:
  those built in are matmul, image_classification, text_classification, sequence_classification,
  text_generation, series_forecast and keras (any model that Keras wrote as JSON).

\b
Examples:
  accelreport new specs/digits.toml                          asks for what it needs
  accelreport new specs/digits.toml --kind image_classification
  accelreport new specs/mine.toml --kind keras --set architecture=mine.json --set dataset=mnist
  accelreport new specs/products.toml --kind matmul --set size=8192 --title "Large products"

\b
Exit codes: 0 written, 2 a file is in the way or a kind is unknown, 3 the spec would have an error.
"""

DEVICES = """\
# What a spec may name in `devices`. A device that a machine does not have is skipped there.
schema = 1

[cpu]
label = "CPU"
kind = "CPU"

[gpu]
label = "GPU"
kind = "GPU"

[tpu]
label = "TPU"
kind = "TPU"
strategy = "tpu"
"""

Target = Annotated[
    Path, typer.Argument(help="The spec's file.", metavar="FILE", show_default=False)
]
Kind = Annotated[str | None, typer.Option("--kind", metavar="KIND", help="The kind of workload.")]
Title = Annotated[str | None, typer.Option("--title", metavar="TEXT", help="Its title.")]
Set = Annotated[
    list[str],
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="A value for a key of the workload. May be given several times.",
        show_default=False,
    ),
]


class CannotDraft(AccelReportError):  # noqa: N818 -- reads as what it says
    """A spec that is not written."""

    exit_code = ExitCode.USAGE


def new(file: Target, *, kind: Kind = None, title: Title = None, set_: Set = []) -> None:  # noqa: B006
    """Write a spec to begin with, with a comment on every key."""
    from accelreport.runner.overrides import parse_overrides
    from accelreport.spec.devices import FILE_NAME
    from accelreport.workloads.spec_template import draft

    if file.suffix != ".toml":
        raise CannotDraft(f"{file} is no name for a spec.", remedy="Let it end in .toml.")
    family = _family(kind)
    given = parse_overrides(set_)
    given |= _missing(family, given)
    named = title or _asked("Title", file.stem.replace("_", " ").capitalize())
    devices = file.parent / FILE_NAME
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = not devices.exists()
    if fresh:
        devices.write_text(DEVICES, encoding="utf-8")
    try:
        _write(file, draft(family, title=named, devices=_rows(devices), given=given))
    except Exception:
        if fresh:
            devices.unlink()
        raise
    typer.echo(f"{file} written{f', and {devices}' if fresh else ''}.")
    typer.echo(f"Next: accelreport run {file} --profile quick")


def _write(file: Path, text: str) -> None:
    """Write the spec, unless there is one or it would have an error."""
    from accelreport.loader.load import load

    try:
        with file.open("x", encoding="utf-8") as opened:
            opened.write(text)
    except FileExistsError as error:
        raise CannotDraft(f"{file} is there already.", remedy="Choose another name.") from error
    try:
        load([file])
    except AccelReportError:
        file.unlink()
        raise


def _rows(devices: Path) -> list[str]:
    """One device of each kind, by the order of the file."""
    from accelreport.loader.load import load

    first: dict[str, str] = {}
    for name, device in load([devices]).devices.items():
        first.setdefault(device.kind, name)
    return list(first.values())


def _family(kind: str | None) -> Family:
    from accelreport.workloads.registry import FAMILIES

    if kind is None:
        for name, family in FAMILIES.items():
            typer.echo(f"  {name:<24} {family.title}")
        kind = _asked("Kind", "image_classification")
    if kind not in FAMILIES:
        raise CannotDraft(
            f"There is no workload of the kind {kind!r}.",
            remedy=f"Choose one of {', '.join(sorted(FAMILIES))}.",
        )
    return FAMILIES[kind]


def _missing(family: Family, given: dict[str, Scalar]) -> dict[str, Scalar]:
    """Keys without a default that were not given."""
    return {
        name: _asked(f"{name} ({' '.join((found.description or '').split())})", "")
        for name, found in family.parameters.model_fields.items()
        if found.is_required() and name not in given
    }


def _asked(what: str, default: str) -> str:
    """What a person answers; the default where nobody can be asked."""
    if sys.stdin.isatty():
        return str(typer.prompt(what, default=default or None))
    if not default:
        raise CannotDraft(f"{what} is needed.", remedy="Give it with --set KEY=VALUE.")
    return default
