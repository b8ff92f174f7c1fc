"""`accelreport check`, `devices` and `schema`: they measure nothing."""

from __future__ import annotations

import json as json_module
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from accelreport.cli.options import SPECS, DevicesFile, Json, Specs
from accelreport.errors import ExitCode

CHECK_EXAMPLES = """\b
Examples:
  accelreport check specs/
  accelreport check specs/mnist_batch_sweep.toml
  accelreport check specs/ --json

\b
JSON: one object with the counts and a list of problems, each with its code, file, line,
  column, message and help.

\b
Exit codes: 0 all is well, 3 there are errors.
"""

DEVICES_EXAMPLES = """\b
Examples:
  accelreport devices
  accelreport devices --no-probe       at once, without asking TensorFlow
  accelreport devices --json

\b
Exit codes: 0 told, 3 the devices file has an error.
"""

SCHEMA_EXAMPLES = """\b
Examples:
  accelreport schema > spec.schema.json
  accelreport schema --devices > devices.schema.json
  accelreport schema --record | jq '."$defs".Times'
  accelreport schema --events

\b
An editor that knows TOML (Taplo, Even Better TOML) checks and completes a spec whose first
line is:
  #:schema ./spec.schema.json
"""

NoProbe = Annotated[
    bool,
    typer.Option("--no-probe", help="Do not ask TensorFlow which devices it sees (seconds)."),
]
OfDevices = Annotated[bool, typer.Option("--devices", help="The schema of devices files.")]
OfRecord = Annotated[
    bool, typer.Option("--record", help="The schema of a cell's record under results/cells/.")
]
OfEvents = Annotated[
    bool, typer.Option("--events", help="The schema of a line of `accelreport run --json`.")
]


def check(*, specs: Specs = SPECS, devices_file: DevicesFile = None, json: Json = False) -> None:
    """Read specs and show every error of every file, with its place, or what each claim tests."""
    from accelreport.loader.load import load
    from accelreport.spec.problems import SpecErrors
    from accelreport.spec.report_file import FILE_NAME, read_options

    try:
        found = load(_with_neighbours(specs), devices_file=devices_file)
        for folder in specs:
            read_options(folder / FILE_NAME)
    except SpecErrors as errors:
        if not json:
            raise
        problems = [problem.as_json() for problem in errors.problems]
        typer.echo(json_module.dumps({"ok": False, "problems": problems}, indent=2))
        raise typer.Exit(ExitCode.BAD_SPEC) from errors
    counts = {"specs": len(found.specs), "cells": len(found.cells)}
    if json:
        typer.echo(json_module.dumps({"ok": True, **counts, "problems": []}, indent=2))
    else:
        from accelreport.terminal.say import claims_text, say

        say(*claims_text(found.specs))
        told = (f"{count:,} {name if count > 1 else name[:-1]}" for name, count in counts.items())
        say(f"{', '.join(told)}: no errors")


def _with_neighbours(paths: Sequence[Path]) -> list[Path]:
    """The paths, and for a devices file the specs beside it, too, each of which it may break."""
    from accelreport.spec.devices import FILE_NAME

    named = [path for path in paths if path.name == FILE_NAME and path.is_file()]
    return [*paths, *(beside for path in named for beside in sorted(path.parent.glob("*.toml")))]


def devices(
    *,
    devices_file: Annotated[
        Path, typer.Option("--devices-file", metavar="FILE", help="The devices file.")
    ] = SPECS[0] / "devices.toml",
    no_probe: NoProbe = False,
    json: Json = False,
) -> None:
    """Show what this machine has, and which devices of the devices file can run here."""
    from accelreport.runner.survey import survey
    from accelreport.terminal.devices import machine_text
    from accelreport.terminal.say import say

    found = survey(devices_file, ask_tensorflow=not no_probe)
    if json:
        typer.echo(found.model_dump_json(indent=2))
    else:
        say(*machine_text(found))


def schema(
    *, devices: OfDevices = False, record: OfRecord = False, events: OfEvents = False
) -> None:
    """Print a JSON Schema: of specs, for editors that complete and check them, or of others."""
    if devices + record + events > 1:
        raise typer.BadParameter("--devices, --record and --events exclude each other")
    from accelreport.loader.schema import as_text

    typer.echo(as_text(_schema(devices, record, events)), nl=False)


def _schema(devices: bool, record: bool, events: bool) -> dict[str, Any]:  # noqa: FBT001
    from accelreport.loader.schema import devices_json_schema, json_schema

    if record:
        from accelreport.results.record import Record

        return Record.model_json_schema()
    if events:
        from accelreport.runner.events import LINES

        return LINES.json_schema()
    return devices_json_schema() if devices else json_schema()
