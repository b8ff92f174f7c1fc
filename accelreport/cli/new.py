"""`accelreport new` writes the first text of a spec, `notebook` a spec as a notebook."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin

import typer

from accelreport.cli.options import SPECS, DevicesFile, Profile, argument, option
from accelreport.errors import UsageError
from accelreport.loader.first_spec import (
    DEVICES,
    SYSTEMS,
    files_beside,
    own_workload,
    refuse_replacing,
    unwritable,
    write_checked,
)

if TYPE_CHECKING:
    from accelreport.workloads.base import Family


QUICK = "quick"
"""What `--from` calls the published systems of a first run: those that this profile orders."""

EXAMPLES = """What is written:
A spec with a comment on every key, ready to run, or with --from a copy of a published system
that comes with accelreport. If there are none beside it, also a devices file and the JSON
Schema with which editors complete and check both, and in the root of a Git repository a
.gitignore. Existing files are never overwritten. A spec of your own compares the devices of
this machine: one thread of the CPU, the whole CPU and an accelerator or, without one, JAX and
PyTorch where installed.

Kinds:
matmul, image_classification, text_classification, sequence_classification, text_generation,
series_forecast, keras (a model of your own) and python (a training step of your own).

A model of your own, --model and --data:
The keys of the data follow from the file: the target is the column called target, label,
class or y, or else the last one. --set corrects them: --set target=price.

Keys, --set:
Keys of the workload, with a dot for those of a table (series.path=x.csv), and keys of the
measurement (measure.repeats=5). For a CSV file, the columns of time and target are proposed.

\b
Examples:
  accelreport new --list
  accelreport new --from quick                   ten systems, into specs/
  accelreport new --from mnist_batch_sweep       into specs/
  accelreport new specs/digits.toml --kind image_classification
  accelreport new specs/mine.toml --model model.py:build --data train.csv
  accelreport new pets.toml --model MobileNetV2 --data pets/
  accelreport new specs/ways.toml --kind python --set file=step.py
  accelreport new specs/xla.toml --model model.py -d cpu -d cpu-xla
  accelreport new sea.toml --kind series_forecast --set dataset=csv
  accelreport new specs/products.toml --kind matmul --set size=8192

Exit codes: 0 written, 2 a file is in the way or a kind is unknown, 3 the spec would have an error.
"""

Target = Annotated[
    Path | None, argument("FILE", "The spec's file; with --from also specs/NAME.toml.")
]
System = Annotated[
    str,
    option("--from", metavar="NAME", help="Copy a published system; quick: those of a first run."),
]
Listed = Annotated[bool, typer.Option("--list", help="List the published systems.")]
Kind = Annotated[
    str | None,
    typer.Option(
        "--kind",
        metavar="KIND",
        help="The kind of workload; default: image_classification.",
    ),
]
Model = Annotated[
    str,
    option(
        "--model",
        metavar="MODEL",
        help="A model of your own: model.py:build, net.keras, net.json, or MobileNetV2.",
    ),
]
Data = Annotated[
    str,
    option(
        "--data",
        metavar="DATA",
        help="Data for it: train.csv, img.npz, a folder of images by class, data.py:load, or a "
        "data set; random numbers when absent.",
    ),
]
Compared = Annotated[
    list[str],
    option(
        "--device",
        "-d",
        metavar="NAME",
        help="A row of the devices file to compare, the baseline first; default: those of this "
        "machine. May be given several times.",
    ),
]
Swept = Annotated[
    list[str],
    option(
        "--sweep",
        metavar="KEY=VALUE,VALUE",
        help="Values of a key of the workload, each of which is measured on every device. May be "
        "given several times.",
    ),
]
Set = Annotated[
    list[str],
    option(
        "--set",
        metavar="KEY=VALUE",
        help="A value for a key of the workload, or measure.KEY. May be given several times.",
    ),
]


def new(
    file: Target = None,
    *,
    system: System = "",
    list_: Listed = False,
    kind: Kind = None,
    model: Model = "",
    data: Data = "",
    device: Compared = [],  # noqa: B006 -- Typer copies it
    sweep: Swept = [],  # noqa: B006 -- Typer copies it
    set_: Set = [],  # noqa: B006 -- Typer copies it
) -> None:
    """Write a spec to begin with: one with a comment on every key, or a published system."""
    from accelreport.runner.prepare import parse_lists, parse_tables

    if list_:
        from accelreport.loader.load import load
        from accelreport.terminal.say import say

        specs = load([SYSTEMS]).specs
        width = max(len(spec.name) for spec in specs)
        say(*(f"{spec.name:<{width}}  {spec.title}" for spec in specs))
        return
    if system and (kind or model or data or device or sweep or set_):
        raise typer.BadParameter("--from copies a system as it is: leave out the other options")
    sources = _system_files(system) if system else []
    if file is None and not system:
        raise typer.BadParameter("name the spec's file, or a published system with --from")
    if file and len(sources) > 1:
        raise typer.BadParameter("--from quick writes several files: leave out FILE")
    files = [file] if file else [SPECS[0] / source.name for source in sources]
    for new_file in files:
        refuse_replacing(new_file)
    if (model or data) and kind not in {None, "keras"}:
        raise typer.BadParameter("--model and --data are of the kind keras")
    file = files[0]
    with files_beside(file) as fresh:
        for source, copy in zip(sources, files, strict=False):
            from accelreport.spec.problems import SpecErrors

            try:
                write_checked(copy, source.read_text(encoding="utf-8"))
            except SpecErrors as error:
                raise UsageError(
                    f"{source.stem} does not fit {file.parent / DEVICES}:\n{error.what}",
                    remedy=f"Choose another folder: "
                    f"accelreport new systems/{source.name} --from {source.stem}",
                ) from error
        if not sources:
            given = parse_tables(set_)
            given["sweep"] = parse_lists(sweep)
            if model or data or kind == "keras":
                kind, given = "keras", _keras_keys(model, data, file, given)
            write_checked(file, _drafted(file, kind or "image_classification", device, given))
    typer.echo(f"Written: {', '.join(map(str, [*files, *fresh]))}")
    what = f"{file} --profile quick" if len(files) == 1 else "--profile quick --within 4m"
    typer.echo(f"Next: accelreport run {what}")


def _keras_keys(model: str, data: str, file: Path, given: dict[str, Any]) -> dict[str, Any]:
    """The keys of a spec of the kind keras: from --model and --data, then from --set and --sweep.

    Raises:
        UsageError: no model or no task is named, or a CSV file is named as a data set.
    """
    values: dict[str, Any] = {**given.pop("workload", {}), **given}
    if {"model", "application", "architecture"} & values.keys() and not (model or data):
        return values
    if values.get("dataset") == "csv" and not data:
        remedy = "Name it with --data FILE.csv, and the model with --model model.py:build."
        raise UsageError("A CSV file is no data set of the kind keras.", remedy=remedy)
    if not model:
        remedy = "Name it with --model, such as --model model.py:build or --model MobileNetV2."
        raise UsageError("A model is needed.", remedy=remedy)
    keys = own_workload(model, data, file.parent)
    if "dataset" in values:
        keys.pop("data", None)
    if values.get("mode") == "inference":
        keys.pop("epochs", None)
    keys |= values
    if data and "dataset" not in keys and "task" not in keys:
        raise _needed("task (classification or regression)")
    return keys


def _system_files(name: str) -> list[Path]:
    """The spec of a published system; of "quick", those that a first run measures, in their order.

    Raises:
        UsageError: there is none of this name.
    """
    from accelreport.loader.load import NO_SPECS, load
    from accelreport.spec.problems import did_you_mean

    if name == QUICK:
        specs = load([SYSTEMS], profile=QUICK).specs
        return [spec.path for spec in sorted(specs, key=lambda spec: spec.order) if spec.order]
    known = {path.stem: path for path in SYSTEMS.glob("*.toml") if path.name not in NO_SPECS}
    if name not in known:
        near = did_you_mean(name, known)
        raise UsageError(
            f"There is no published system {name!r}{'; ' + near if near else '.'}",
            remedy="`accelreport new --list` shows them.",
        )
    return [known[name]]


def _drafted(file: Path, kind: str, devices: list[str], given: dict[str, Any]) -> str:
    """The text of a spec.

    Args:
        file: where it will be written.
        kind: the kind of workload.
        devices: names of rows in the devices file, the baseline first; those of this machine that
            are worth comparing where there is none.
        given: keys of the workload, with `measure` and `sweep`.

    Raises:
        UsageError: there is no such kind, or it needs a key that is not given.
    """
    from accelreport.loader.load import load
    from accelreport.runner.prepare import devices_here
    from accelreport.terminal.say import tell_waiting
    from accelreport.workloads.registry import FAMILIES
    from accelreport.workloads.spec_template import draft

    if kind not in FAMILIES:
        raise UsageError(
            f"There is no workload of the kind {kind!r}.",
            remedy=f"Choose one of {', '.join(sorted(FAMILIES))}.",
        )
    measure, sweep = given.pop("measure", {}), given.pop("sweep")
    given = _complete(FAMILIES[kind], {**given.pop("workload", {}), **given}, file.parent)
    if not devices:
        known = dict(load([file.parent / DEVICES]).devices)
        devices = devices_here(known, waiting=tell_waiting)
    title = file.stem.replace("_", " ").capitalize()
    return draft(
        FAMILIES[kind], title=title, devices=devices, given=given, measure=measure, sweep=sweep
    )


def _complete(family: Family, given: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The given keys, and the columns of a series that its file proposes."""
    for name, field in family.parameters.model_fields.items():
        if field.is_required() and name not in given:
            raise _needed(f"{name} ({' '.join((field.description or '').split())})")
    if given.get("dataset") == "csv":
        # The file of a series, and the columns of its time and its targets.
        from accelreport.datasets.cache import file_at, places
        from accelreport.datasets.series import proposed_columns

        series = given.get("series", {})
        if not (path := series.get("path")):
            raise _needed("series.path (the CSV file)")
        place = file_at(path, str(folder.absolute())) or places(path, str(folder.absolute()))[-1]
        if place.is_relative_to(folder.absolute()):
            path = place.relative_to(folder.absolute()).as_posix()
        proposed = proposed_columns(place, str(series.get("separator", ",")))
        table = {**series, "path": path}
        for key, columns in proposed.items():
            if key not in table:
                table[key] = columns
                typer.echo(f"series.{key} = {', '.join(columns)}: correct it if it is another.")
        given["series"] = table
    return _as_lists(family.parameters, given)


def _needed(key: str) -> UsageError:
    return UsageError(f"{key} is needed.", remedy="Give it with --set KEY=VALUE.")


def _as_lists(parameters: Any, given: dict[str, Any]) -> dict[str, Any]:
    """The values, with texts such as "a, b" split where a key holds a list."""
    values = dict(given)
    for name, value in given.items():
        field = parameters.model_fields.get(name)
        inner = [] if field is None else [field.annotation, *get_args(field.annotation)]
        table = next((member for member in inner if hasattr(member, "model_fields")), None)
        if isinstance(value, dict) and table:
            values[name] = _as_lists(table, value)
        elif isinstance(value, str) and any(_is_list(member) for member in inner):
            values[name] = [part.strip() for part in value.split(",") if part.strip()]
    return values


def _is_list(annotation: Any) -> bool:
    origin = get_origin(annotation)
    return origin is list or (origin is Annotated and _is_list(get_args(annotation)[0]))


NOTEBOOK_EXAMPLES = """What it does:
The notebook carries accelreport, the spec, its devices, and the models and data that the spec
names: it is the only file to upload. "Run all" installs accelreport, measures what the runtime
can measure, such as the free GPU or TPU beside that runtime's own CPU, and gives you the results
as an archive. Make one report of the archives of several runtimes:

\b
    accelreport merge results-*.zip -o results
    accelreport build

\b
Examples:
  accelreport notebook specs/matmul.toml
  accelreport notebook specs/mine.toml --profile quick -o quick.ipynb

Exit codes: 0 written, 2 the file is there already (--force replaces it), or the data are too
large for a notebook, 3 the spec has an error.
"""

Spec = Annotated[Path, argument("SPEC", "A spec file.")]
NotebookOut = Annotated[
    Path | None,
    option(
        "--out",
        "-o",
        metavar="FILE",
        help="Where it is written; the spec's name with .ipynb when absent.",
    ),
]
NotebookForce = Annotated[bool, typer.Option("--force", help="Replace a file that is there.")]


def notebook(
    spec: Spec,
    *,
    out: NotebookOut = None,
    profile: Profile = None,
    devices_file: DevicesFile = None,
    force: NotebookForce = False,
) -> None:
    """Write a notebook that measures a spec on Colab, Kaggle or any Jupyter server."""
    from accelreport.loader.notebook import notebook as written

    content = written(spec, profile=profile, devices_file=devices_file)
    target = out or Path(f"{spec.stem}.ipynb")
    try:
        with target.open("w" if force else "x", encoding="utf-8") as file:
            file.write(content)
    except FileExistsError as error:
        raise UsageError(
            f"{target} is there already.",
            remedy="Choose another name with -o, or replace it with --force.",
        ) from error
    except OSError as error:
        raise unwritable(target, error) from error
    typer.echo(f"{target} written.")
