"""Realistic plan documents and records, made in milliseconds and without TensorFlow.

`study()` makes one plan and its records. Times follow a simple model of a device (a fixed
cost a step plus a cost a sample), with process effects, step noise, drift and outliers on
top, so that what is shown and what is computed meet numbers of the usual shape.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import ConfigDict, TypeAdapter

from accelreport.results.plan_document import PlanDocument, plan_document
from accelreport.results.record import Record
from accelreport.results.store import Store
from accelreport.spec.base import Baseline, GivenBaseline, Scalar
from accelreport.spec.cells import Cell, Spec
from accelreport.spec.claims import Claim
from accelreport.spec.examine import expanded_cells, placed
from accelreport.spec.models import Measure, Published, Source, Target
from accelreport.spec.parameters import WorkloadParameters
from tests.support.fates import Fate, all_ok, assorted
from tests.support.maker import Maker, Origin
from tests.support.pace import DEVICES, USUAL_NOISE, Noise
from tests.support.products import Products
from tests.support.trainings import Trainings

__all__ = [
    "DEVICES",
    "Noise",
    "Study",
    "all_ok",
    "assorted",
    "slowed",
    "study",
    "thousand",
    "without_peaks",
]

Shape = Literal["training", "matmul"]

MAKERS: dict[Shape, type[Maker]] = {"training": Trainings, "matmul": Products}
"""Who makes the records of a shape."""


@dataclass(frozen=True)
class Study:
    """A plan and the records that exist for it."""

    plan: PlanDocument
    records: tuple[Record, ...]
    cells: tuple[Cell, ...] = field(repr=False, default=())


def study(
    shape: Shape = "training",
    *,
    spec: str = "",
    profile: str = "full",
    devices: Sequence[str] = ("cpu", "gpu", "tpu"),
    baseline: str | Mapping[str, Scalar] = "",
    axes: Mapping[str, Sequence[Scalar]] | None = None,
    repeats: int = 3,
    epochs: int = 5,
    steps_per_epoch: int = 60,
    calls: int = 6,
    noise: Noise = USUAL_NOISE,
    fate: Fate = all_ok,
    factors: Mapping[str, float] | None = None,
    machine: str = "0a1b2c3d",
    origin: Origin | None = None,
    published: Sequence[Published] = (),
    claims: Sequence[Claim] = (),
    target: Target | None = None,
    samples: int = 0,
    stamps: bool = True,
    first_seed: int = 0,
    seed: int = 0,
) -> Study:
    """Makes a plan and its records.

    `shape` is a training family (with epochs and curves) or chained matrix products.
    `factors` multiply a device's times, beside `STEP_MODEL` or `RATES`; `fate` says what
    becomes of each cell; `stamps`, whether single steps were stamped (as on a CPU);
    `samples`, how many predictions a training keeps. Another `first_seed` gives the cells
    other keys; `seed` is that of all the noise.
    """
    asked = _spec(
        shape,
        spec or f"example_{shape}",
        profile,
        devices,
        axes=dict(axes) if axes is not None else _default_axes(shape),
        workload=_workload(shape, epochs, steps_per_epoch),
        measure=Measure(repeats=repeats, calls=calls, target=target, first_seed=first_seed),
        baseline=TypeAdapter(GivenBaseline).validate_python(baseline or devices[0]),
        published=tuple(published),
        claims=tuple(claims),
    )
    maker = MAKERS[shape](
        noise=noise,
        factors=dict(factors or {}),
        machine=machine,
        origin=origin or ("synthetic" if shape == "training" else "generated"),
        samples=samples,
        stamps=stamps,
        rng=np.random.default_rng(seed),
        total=len(asked.cells),
    )
    records = _measured(maker, asked.cells, fate, seed + 1)
    return Study(plan=plan_document(asked, {}), records=records, cells=asked.cells)


def store_of(folder: Path, *studies: Study) -> Store:
    """A results folder that holds studies."""
    store = Store(folder)
    for made in studies:
        store.write_plan(made.plan)
        for record in made.records:
            store.write(record)
    return store


def without_peaks(made: Study) -> Study:
    """The study with devices that nothing is known of, so that no rate is above their peak."""
    unknown = {"peak_tflops": {}, "peak_source": ""}
    devices = {name: each.model_copy(update=unknown) for name, each in made.plan.devices.items()}
    environment: dict[str, Any] = {
        "cpu": "a processor",
        "gpus": [],
        "vector": [],
        "clock_max_mhz": None,
    }
    records = tuple(
        each.model_copy(update={"environment": each.environment.model_copy(update=environment)})
        for each in made.records
        if each.environment
    )
    return replace(made, plan=made.plan.model_copy(update={"devices": devices}), records=records)


def slowed(made: Study, factor: float, *, repeat: int, **where: object) -> Study:
    """The study with one repeat of a `device` at a sweep point so many times as slow."""
    device = where.pop("device")
    records = tuple(
        each.model_copy(
            update={
                "blocks": [
                    one.model_copy(update={"wall_s": factor * one.wall_s}) for one in each.blocks
                ]
            }
        )
        if (each.cell.device, each.cell.repeat, each.cell.point) == (device, repeat, where)
        else each
        for each in made.records
    )
    return replace(made, records=records)


def _measured(maker: Maker, cells: Sequence[Cell], fate: Fate, seed: int) -> tuple[Record, ...]:
    """Records in an order of their own, so that drift is not a difference between devices."""
    made: dict[int, Record] = {}
    for when, number in enumerate(map(int, np.random.default_rng(seed).permutation(len(cells)))):
        record = maker.record(cells[number], fate(cells[number]), when)
        if record is not None:
            made[number] = record
    return tuple(made[number] for number in sorted(made))


def thousand(records: int = 1000) -> list[Study]:
    """Studies with at least `records` records in all, of both shapes."""
    studies: list[Study] = []
    while sum(len(each.records) for each in studies) < records:
        number = len(studies)
        shape: Shape = "matmul" if number % 2 else "training"
        spec = f"{shape}_{number}"
        # Seeds of their own keep the keys of different studies apart.
        studies.append(study(shape, spec=spec, repeats=5, first_seed=number * 100, seed=number))
    return studies


class AnyParameters(WorkloadParameters):
    """Whatever a test says of a workload; no family checks it."""

    model_config = ConfigDict(extra="allow")


def _spec(
    shape: Shape,
    name: str,
    profile: str,
    devices: Sequence[str],
    *,
    axes: Mapping[str, Sequence[Scalar]],
    workload: dict[str, Any],
    measure: Measure,
    baseline: Baseline,
    published: tuple[Published, ...],
    claims: tuple[Claim, ...],
) -> Spec:
    """A spec as if it had been read from a file."""
    named = {each: DEVICES[each] for each in devices}
    points = [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]
    pairs = [(point, AnyParameters(**placed(workload, point))) for point in points]
    return Spec(
        name=name,
        path=Path(f"{name}.toml"),
        text=f'schema = 1\ntitle = "Example"\ndevices = {list(devices)}\n'.replace("'", '"'),
        profile=profile,
        title="MNIST CNN: batch size" if shape == "training" else "Matrix product, cold and warm",
        description="A study made for tests.",
        source=Source(title="An example", url="https://example.org/piece", year=2018),
        devices=named,
        baseline=baseline,
        parameters=AnyParameters(**workload),
        axes={key: list(values) for key, values in axes.items()},
        measure=measure,
        published=published,
        claims=claims,
        cells=tuple(expanded_cells(pairs, named, measure, spec=name, profile=profile)),
    )


def _default_axes(shape: Shape) -> dict[str, Sequence[Scalar]]:
    return {"batch_size": (256, 512, 1024)} if shape == "training" else {"size": (1024, 4096)}


def _workload(shape: Shape, epochs: int, steps_per_epoch: int) -> dict[str, Any]:
    if shape == "matmul":
        return {"kind": "matmul", "size": 4096, "count": 100, "dtype": "float32"}
    return {
        "kind": "image_classification",
        "dataset": "mnist",
        "model": "conv64_conv32",
        "scale_pixels": True,
        "epochs": epochs,
        "batch_size": 256,
        "steps_per_epoch": steps_per_epoch,
        "optimizer": {"name": "adam", "learning_rate": 1e-3, "schedule": None},
        "data": "synthetic",
        "input": "resident",
        "train_examples": None,
        "validation_examples": None,
        "evaluation_batch_size": 1024,
        "samples": 0,
    }
