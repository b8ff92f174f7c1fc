"""`accelreport bench`."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from accelreport.cli.new import DEVICES, SYSTEMS, Set, here
from accelreport.cli.options import (
    RESULTS,
    SPECS,
    Devices,
    DevicesFile,
    Results,
    complete_dataset,
)
from accelreport.cli.run import Data, DryRun, carried_out
from accelreport.errors import AccelReportError, ExitCode

if TYPE_CHECKING:
    from accelreport.workloads.base import Family

EXAMPLES = """\b
What it does:
  Measures a model without a spec, prints the spec that it used, and ends with the speedups. Save
  what it prints as specs/NAME.toml to say more. The devices are those that are here and worth
  comparing, rows of specs/devices.toml where that is there; --device names others.

\b
Examples:
  accelreport bench --dataset mnist --model conv64_conv32 --batch 256,512
  accelreport bench --kind matmul --set size=2048 --repeats 5
  accelreport bench --dataset weather_denmark --data synthetic --budget 30s

\b
Exit codes: those of run; 2 where no kind of workload, or more than one, fits.
"""

Dataset = Annotated[
    str,
    typer.Option(
        "--dataset", metavar="NAME", autocompletion=complete_dataset, help="What is learnt from."
    ),
]
Kind = Annotated[
    str, typer.Option("--kind", metavar="KIND", help="The kind of workload; by --dataset, if said.")
]
Model = Annotated[str, typer.Option("--model", metavar="NAME", help="The network of that kind.")]
Batch = Annotated[
    str, typer.Option("--batch", metavar="N,N…", help="Batch sizes, each of which is measured.")
]
Repeats = Annotated[
    int, typer.Option("--repeats", min=1, metavar="N", help="Processes for each device.")
]
Budget = Annotated[
    str, typer.Option("--budget", metavar="TIME", help="Measured time after which a cell stops.")
]


class NoBench(AccelReportError):  # noqa: N818 -- reads as what it says
    """What was asked for is no workload."""

    exit_code = ExitCode.USAGE


def bench(
    *,
    dataset: Dataset = "",
    kind: Kind = "",
    model: Model = "",
    batch: Batch = "",
    repeats: Repeats = 3,
    budget: Budget = "20s",
    device: Devices = [],  # noqa: B006 -- Typer copies it
    data: Data = None,
    set_: Set = [],  # noqa: B006
    results: Results = RESULTS,
    devices_file: DevicesFile = None,
    dry_run: DryRun = False,
) -> None:
    """Measure a model without a spec, and print the spec that was used."""
    from accelreport.runner.prepare import Request, parse_tables

    given = parse_tables(set_)
    measure = {"repeats": repeats, "budget": budget, **given.pop("measure", {})}
    said = {"dataset": dataset, "model": model, "data": data}
    workload = {name: value for name, value in said.items() if value} | given
    family = _family(kind, dataset)
    beside = devices_file or SPECS[0] / DEVICES
    found = beside if devices_file or beside.exists() else SYSTEMS / DEVICES
    with tempfile.TemporaryDirectory() as folder:
        spec = Path(folder, f"{_name(family.kind, dataset, model)}.toml")
        text = _text(family, workload, _sizes(batch), measure, device or _here(found))
        spec.write_text(text, encoding="utf-8")
        typer.echo(text)
        request = Request(paths=[spec], results=results, devices_file=found)
        code = carried_out(request, dry_run=dry_run)
    raise typer.Exit(code)


def _here(devices: Path) -> list[str]:
    from accelreport.loader.load import load

    return here(dict(load([devices]).devices))


def _text(
    family: Family,
    workload: dict[str, Any],
    sizes: list[int],
    measure: dict[str, Any],
    devices: list[str],
) -> str:
    from accelreport.workloads.spec_template import short_spec

    subject = [str(workload[key]) for key in ("model", "dataset") if key in workload]
    return short_spec(
        title=" on ".join(subject) or family.title,
        devices=devices,
        workload={"kind": family.kind, **workload, **({"batch_size": sizes[0]} if sizes else {})},
        sweep={"batch_size": sizes} if len(sizes) > 1 else {},
        measure=measure,
    )


def _family(kind: str, dataset: str) -> Family:
    """The kind that was named, or the only one that learns from the data set.

    Raises:
        NoBench: there is none, or more than one.
    """
    from accelreport.workloads.registry import FAMILIES

    if kind:
        fitting = [kind] if kind in FAMILIES else []
    else:
        fields = {name: family.parameters.model_fields for name, family in FAMILIES.items()}
        fitting = [
            name
            for name, found in fields.items()
            if "dataset" in found and dataset in get_args(found["dataset"].annotation)
        ]
    if len(fitting) == 1:
        return FAMILIES[fitting[0]]
    what = f"of the kind {kind!r}" if kind else f"that learns from {dataset!r}"
    raise NoBench(
        f"There is not one workload {what if kind or dataset else 'that was asked for'}.",
        remedy=f"Name a data set (`accelreport data list`) with --dataset, or one of these with "
        f"--kind: {', '.join(sorted(FAMILIES))}.",
    )


def _sizes(text: str) -> list[int]:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not all(part.isdecimal() and int(part) for part in parts):
        raise typer.BadParameter(f"{text!r} is no list of batch sizes; write 256,512")
    return [int(part) for part in dict.fromkeys(parts)]


def _name(*parts: str) -> str:
    """A name of a spec that tells its workload."""
    kind, *named = parts
    told = [part for part in named if part] or [kind]
    return re.sub(r"[^A-Za-z0-9_-]+", "_", "_".join(["bench", *told]))
