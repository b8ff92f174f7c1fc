"""`accelreport check`, `devices` and `schema`: they measure nothing."""

from __future__ import annotations

import csv
import json as json_module
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from accelreport.cli.options import SPECS, DevicesFile, Json, Specs
from accelreport.errors import ExitCode

if TYPE_CHECKING:
    from accelreport.spec.cells import Spec

CHECK_EXAMPLES = """\b
Examples:
  accelreport check specs/
  accelreport check specs/mnist_batch_sweep.toml
  accelreport check specs/ --json

\b
Files of your own:
  A CSV file that a spec names is opened: that it is not here, or has no column of a name, is a
  warning, since another machine may have it.

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
            read_options(folder / FILE_NAME).check({spec.name for spec in found.specs})
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
        for complaint in _own_files(found.specs):
            say(f"warning: {complaint}", err=True)
        told = (f"{count:,} {name if count > 1 else name[:-1]}" for name, count in counts.items())
        say(f"{', '.join(told)}: no errors")


def _own_files(specs: Iterable[Spec]) -> Iterator[str]:
    """CSV files that specs name and that are not here, or lack a column that is named."""
    from accelreport.datasets.cache import data_root

    for spec in specs:
        series = spec.workload.get("series") or {}
        if not (path := series.get("path")):
            continue
        places = [folder / path for folder in (data_root(), Path.cwd())]
        place = next((place for place in places if place.is_file()), None)
        if place is None:
            yield f"{spec.name}: there is no file {path}; looked for {', '.join(map(str, places))}"
            continue
        try:
            with place.open(encoding="utf-8-sig", newline="") as file:
                head = next(csv.reader(file, delimiter=series.get("separator") or ","), [])
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            yield f"{spec.name}: {place} cannot be read: {error}"
            continue
        columns = [name.strip() for name in head]
        keys = ("time", "targets", "inputs", "one_hot", "where")
        for name in {name: None for key in keys for name in series.get(key) or ()}:
            if name not in columns:
                yield f"{spec.name}: {place} has no column {name!r}, but {', '.join(columns)}"


def _with_neighbours(paths: Sequence[Path]) -> list[Path]:
    """The paths, and for a devices file the specs beside it, too, each of which it may break."""
    from accelreport.spec.devices_file import FILE_NAME

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
