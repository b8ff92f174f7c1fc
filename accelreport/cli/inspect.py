"""`accelreport check`, `devices` and `schema`: commands that measure nothing."""

from __future__ import annotations

import csv
import json as json_module
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from accelreport.cli.options import SPECS, DevicesFile, Json, Specs
from accelreport.errors import ExitCode

if TYPE_CHECKING:
    from accelreport.backend.shapes import Misfit
    from accelreport.spec.cells import Cell, Spec, SpecSet
    from accelreport.spec.problems import Problem
    from accelreport.spec.syntax import KeyPath

CHECK_EXAMPLES = """\b
Examples:
  accelreport check specs/
  accelreport check specs/mnist_batch_sweep.toml
  accelreport check specs/ --json

Your own files:
check opens each CSV file that a spec names. A missing file or column is a warning, because
another machine may have it. Where the framework is installed, check also builds your own models
(kind = "keras", or a package's) and any model on your own data in a separate process without
accelerators and calls them with two examples. It runs the Python that makes them (model.py,
data.py), and of kind = "python" nothing. A model that does not fit the data is an error. This
takes some seconds. Of a stranger's spec, `accelreport run --dry-run` runs no Python.

JSON: one object with the counts and a list of problems, each with its code, file, line,
column, message and help.

\b
Exit codes: 0 no errors, 3 errors.
"""

DEVICES_EXAMPLES = """\b
Examples:
  accelreport devices
  accelreport devices --no-probe       without asking the frameworks (faster)
  accelreport devices --json

\b
Exit codes: 0 listed, 3 the devices file has an error.
"""

SCHEMA_EXAMPLES = """\b
Examples:
  accelreport schema > spec.schema.json
  accelreport schema devices > devices.schema.json
  accelreport schema record | jq '."$defs".Times'
  accelreport schema events

An editor that knows TOML (Taplo, Even Better TOML) checks and completes a spec whose first
line is:
#:schema ./spec.schema.json
"""

NoProbe = Annotated[
    bool,
    typer.Option(
        "--no-probe", help="Do not ask the frameworks which devices they see (takes seconds)."
    ),
]
Kind = Annotated[
    Literal["spec", "devices", "record", "events"],
    typer.Argument(
        metavar="KIND", help="spec, devices, record (of a cell) or events (of `run --json`)."
    ),
]


def check(*, specs: Specs = SPECS, devices_file: DevicesFile = None, json: Json = False) -> None:
    """Read specs and show every error with its place, or what each claim tests."""
    from accelreport.backend.frameworks import installed
    from accelreport.loader.load import load
    from accelreport.spec.files_beside import DEVICES_FILE, FILE_NAME, read_options
    from accelreport.spec.problems import SpecErrors

    try:
        # A change of a devices file may break the specs beside it.
        changed = [path for path in specs if path.name == DEVICES_FILE and path.is_file()]
        beside = [spec for path in changed for spec in sorted(path.parent.glob("*.toml"))]
        loaded = load([*specs, *beside], devices_file=devices_file, frameworks=installed())
        for folder in specs:
            read_options(folder / FILE_NAME)
        warnings = _warnings_of(loaded)
    except SpecErrors as errors:
        if not json:
            raise
        problems = [problem.as_json() for problem in errors.problems]
        typer.echo(json_module.dumps({"ok": False, "problems": problems}, indent=2))
        raise typer.Exit(ExitCode.BAD_SPEC) from errors
    counts = {"specs": len(loaded.specs), "cells": len(loaded.cells)}
    if json:
        typer.echo(json_module.dumps({"ok": True, **counts, "problems": []}, indent=2))
    else:
        from accelreport.results.plan_document import plan_document
        from accelreport.terminal.say import claims_text, say, tell_secrets

        say(*claims_text(loaded.specs))
        tell_secrets(plan_document(spec, {}) for spec in loaded.specs)
        for name, warning in warnings:
            say(f"warning: {name}: {warning}", err=True)
        totals = (f"{count:,} {name if count > 1 else name[:-1]}" for name, count in counts.items())
        say(f"{', '.join(totals)}: no errors")


def _warnings_of(loaded: SpecSet) -> list[tuple[str, str]]:
    """Warnings about the user's own files and models, each behind the name of its spec.

    Raises:
        SpecErrors: a model does not fit its data.
    """
    from accelreport.spec.problems import SpecErrors

    unread = list(_lacking_columns(loaded.specs))
    unclear = {name for name, _ in unread}
    # A model cannot be called with data that cannot be read.
    unknown, wrong = _misfits(spec for spec in loaded.specs if spec.name not in unclear)
    if wrong:
        raise SpecErrors(wrong)
    from accelreport.runner.outlook import AbsentData, unsound
    from accelreport.spec.sections import STARTER

    absent = AbsentData({spec.name: spec.text for spec in loaded.specs}).warnings(loaded.cells)
    others = [(name, text) for name, text in unknown if name not in absent]
    warnings = [*unread, *others, *absent.items(), *unsound(loaded.cells)]
    advice = "`description` is the starter's and is left out. Say what is compared, or remove it."
    starters = [(spec.name, advice) for spec in loaded.specs if STARTER in spec.text]
    return [*misplaced_files(loaded.cells), *starters, *warnings]


def misplaced_files(cells: Iterable[Cell]) -> list[tuple[str, str]]:
    """Each spec whose CSV file is not where relative paths begin, with the remedy."""
    named = {
        (cell.spec, path, cell.folder): None
        for cell in cells
        if (path := cell.value("series.path"))
    }
    if not named:
        return []
    from accelreport.datasets.cache import misplaced

    warnings = ((spec, misplaced(path, folder)) for spec, path, folder in named)
    return [(spec, text) for spec, text in warnings if text]


def _lacking_columns(specs: Iterable[Spec]) -> Iterator[tuple[str, str]]:
    """Specs whose CSV file cannot be read or lacks a column that they name, with the reason."""
    from accelreport.workloads.series_forecast import SeriesForecastParameters

    for spec in specs:
        if not isinstance(spec.parameters, SeriesForecastParameters):
            continue
        series = spec.parameters.series
        if not (path := series.path):
            continue
        from accelreport.datasets.cache import file_at

        place = file_at(path, str(spec.path.parent.absolute()))
        if place is None:
            continue  # the warning about absent data names it
        try:
            with place.open(encoding="utf-8-sig", newline="") as file:
                head = next(csv.reader(file, delimiter=series.separator or ","), [])
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            yield spec.name, f"{place} cannot be read: {error}"
            continue
        columns = [name.strip() for name in head]
        keys = ("time", "targets", "inputs", "one_hot", "where")
        for name in {name: None for key in keys for name in getattr(series, key) or ()}:
            if name not in columns:
                yield (
                    spec.name,
                    f"{place} has no column {name!r}; its columns are {', '.join(columns)}",
                )


def _is_own(workload: Mapping[str, Any]) -> bool:
    """Whether a model or its data come from outside accelreport, so that they may not fit."""
    from accelreport.datasets.cache import samples
    from accelreport.datasets.catalogue import BUILT_IN, CATALOGUE
    from accelreport.workloads.registry import package_of

    kind, data = workload["kind"], workload.get("dataset", "")
    own_data = data in CATALOGUE and data not in BUILT_IN
    if data == "csv":
        files = {file.path for sample in samples().values() for file in sample.files}
        own_data = workload["series"]["path"] not in files
    return bool(kind == "keras" or own_data or package_of(kind))


def _misfits(specs: Iterable[Spec]) -> tuple[list[tuple[str, str]], list[Problem]]:
    """Builds the user's own models, and calls them with two examples of their data.

    Returns:
        Warnings about models that could not be examined, each behind the name of its spec, and an
        error for each model that does not fit its data.
    """
    own = [spec for spec in specs if any(_is_own(cell.workload) for cell in spec.cells)]
    if not own:
        return [], []
    from accelreport.backend.frameworks import absent
    from accelreport.backend.shapes import ShapeQuestion, ShapesUnknown, misfits

    asked: dict[tuple[str, str], list[tuple[Spec, Cell]]] = {}
    for spec in own:
        named = dict.fromkeys(device.framework for device in spec.devices.values())
        unlike: dict[str, Cell] = {}
        for cell in spec.cells:
            unlike.setdefault(_model_and_data(cell), cell)
        if here := [framework for framework in named if not absent(framework)]:
            for cell in unlike.values():
                asked.setdefault((here[0], _code(cell)), []).append((spec, cell))
    complaints: list[tuple[str, str]] = []
    problems: list[Problem] = []
    for (framework, _), pairs in asked.items():
        questions = [ShapeQuestion(workload=c.workload, folder=c.folder) for _, c in pairs]
        try:
            answers = misfits(questions, framework)
        except ShapesUnknown as error:
            text = " ".join(str(error).split())
            complaints += [(name, text) for name in dict.fromkeys(spec.name for spec, _ in pairs)]
            continue
        for (spec, cell), misfit in zip(pairs, answers, strict=True):
            if misfit and misfit.unread:
                complaints.append((spec.name, f"{misfit.what} {misfit.why}"))
            elif misfit:
                problems.append(_problem(spec, cell, misfit))
    return complaints, problems


def _code(cell: Cell) -> str:
    """The Python that makes a model or its data, in its folder: no two share a process."""
    from accelreport.workloads.own_model import named_code

    keys = cell.workload
    if not any(named_code(str(keys.get(key))) for key in ("model", "data")):
        return ""
    texts = ("document", "modules", "data_document", "data_modules")
    return json_module.dumps([cell.folder, *(keys.get(key) for key in texts)])


def _model_and_data(cell: Cell) -> str:
    """The parameters that decide the shapes of a model and of its examples, as one text."""
    from accelreport.spec.parameters import TRAINING_ONLY

    needless = TRAINING_ONLY | {"batch_size", "mode"}
    parameters = {name: value for name, value in cell.workload.items() if name not in needless}
    return json_module.dumps(parameters, sort_keys=True)


def _problem(spec: Spec, cell: Cell, misfit: Misfit) -> Problem:
    """An error for a model that does not fit its data, at the parameter in the file."""
    from accelreport.spec.problems import Place, Problem
    from accelreport.spec.source import read_file
    from accelreport.spec.syntax import value_at

    file = read_file(spec.path, str(spec.path))
    tables: tuple[KeyPath, ...] = (("sweep",), ("sweep", "zip"), ("workload",))
    paths = [(*table, misfit.key) for table in tables]
    at = "".join(
        f" at {axis} = {value}" for axis, value in cell.point.items() if axis == misfit.key
    )
    message = " ".join(part for part in (misfit.what, misfit.why) if part).rstrip(".")
    if isinstance(file, Problem):  # deleted after it was read
        return Problem("misfit", Place(str(spec.path)), f"{message}{at}", misfit.remedy)
    here = next((p for p in paths if value_at(file.document.data, p) is not None), ("workload",))
    return Problem(
        "misfit", file.place(here), f"{message}{at}", misfit.remedy, f"workload.{misfit.key}"
    )


def devices(
    *,
    devices_file: Annotated[
        Path, typer.Option("--devices-file", metavar="FILE", help="The devices file.")
    ] = SPECS[0] / "devices.toml",
    no_probe: NoProbe = False,
    json: Json = False,
) -> None:
    """Show what this machine has, and which devices of the devices file can run here."""
    from accelreport.runner.prepare import survey
    from accelreport.terminal.listings import machine_text
    from accelreport.terminal.say import say

    surveyed = survey(devices_file, ask=not no_probe)
    if json:
        typer.echo(surveyed.model_dump_json(indent=2))
    else:
        say(*machine_text(surveyed))


def schema(kind: Kind = "spec") -> None:
    """Print a JSON Schema of specs, for editors that complete and check them, or of other files."""
    from accelreport.loader.schema import as_text, devices_json_schema, json_schema

    if kind == "record":
        from accelreport.results.record import Record

        content = Record.model_json_schema()
    elif kind == "events":
        from accelreport.runner.events import LINES

        content = LINES.json_schema()
    else:
        content = devices_json_schema() if kind == "devices" else json_schema()
    typer.echo(as_text(content), nl=False)
