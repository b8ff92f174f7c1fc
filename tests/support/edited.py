"""The shipped example with a few records left out, copied or changed, each as one line.

Run as `python -m tests.support.edited NAME FOLDER` to write one of them as a results folder.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from accelreport.results.plan_document import PlanDocument
from accelreport.results.record import Epoch, Failure, Gpu, Record, Times
from accelreport.results.store import Store
from accelreport.spec.cells import Cell
from tests.report.scenarios import Results
from tests.support.records import Study, store_of

EXAMPLE = Path(__file__).parents[2] / "examples" / "whole_trainings"
A100 = [Gpu(name="NVIDIA A100-SXM4-40GB", memory_bytes=40 * 2**30, driver="550.54")]


def paced(record: Record, factor: float) -> Record:
    """The record with all its times of steps so many times as long."""
    blocks = [
        b.model_copy(
            update={
                "wall_s": factor * b.wall_s,
                "cpu_s": factor * b.cpu_s,
                "step_s": [factor * step for step in b.step_s],
            }
        )
        for b in record.blocks
    ]
    epochs = [
        e.model_copy(update={name: factor * getattr(e, name) for name in ("train_s", "elapsed_s")})
        for e in record.epochs
    ]
    train = factor * record.times.train_s if record.times.train_s else record.times.train_s
    times = record.times.model_copy(update={"train_s": train})
    return record.model_copy(update={"blocks": blocks, "epochs": epochs, "times": times})


def out_of_memory(record: Record) -> Record:
    """The record of the same cell that ended for lack of memory."""
    failure = Failure(kind="oom-host", message="killed for lack of memory", remedy="")
    lost = {"blocks": [], "epochs": [], "final": {}, "times": Times(), "confusion": None}
    return record.model_copy(update={"status": "failed", "failure": failure, **lost})


def stopped(record: Record, share: float) -> Record:
    """The record as the budget ends it after this share of its steps, the last epoch cut short."""
    blocks = [b for b in record.blocks if b.first_step + b.steps <= share * record.planned_steps]
    left, epochs = sum(b.steps for b in blocks), list[Epoch]()
    for epoch in record.epochs:
        steps = min(epoch.steps, left)
        if steps:
            train_s = epoch.train_s * steps / epoch.steps
            elapsed_s = epoch.elapsed_s - epoch.train_s + train_s
            update = {"steps": steps, "train_s": train_s, "elapsed_s": elapsed_s}
            epochs.append(epoch.model_copy(update=update))
        left -= steps
    times = record.times.model_copy(update={"train_s": epochs[-1].elapsed_s})
    kept = {"blocks": blocks, "epochs": epochs, "final": epochs[-1].metrics, "times": times}
    return record.model_copy(update={"status": "partial", **kept})


@dataclass(frozen=True)
class Copy:
    """Records of a device, made of those of the CPU with 1 % of noise.

    Attributes:
        devices: the names of the devices.
        pace: how many times as long a step takes.
        host: fingerprint of the machine; empty for that of the CPU.
    """

    devices: tuple[str, ...]
    pace: float = 1.0
    host: str = ""

    def of(self, study: Study) -> Iterator[Record]:
        """Those of a study."""
        for record in study.records:
            environment = record.environment
            if record.cell.device != "cpu" or environment is None:
                continue
            for name in self.devices:
                if name not in study.plan.devices:
                    continue
                device = study.plan.devices[name]
                own = {key: getattr(record.cell, key) for key in Cell.model_fields}
                cell = Cell(**{**own, "device": name, "device_spec": device})
                rng = np.random.default_rng(int(cell.key, 16))
                placed = environment.model_copy(
                    update={
                        "machine": self.host or environment.machine,
                        "gpus": A100 if device.kind == "GPU" else [],
                    }
                )
                copied = record.model_copy(
                    update={"cell": cell, "key": cell.key, "environment": placed}
                )
                yield paced(copied, self.pace * float(np.exp(rng.normal(0, 0.01))))


@dataclass(frozen=True)
class Edit:
    """What becomes of the example.

    Attributes:
        specs: the benchmarks that stay; all where none is named.
        keep: which records stay.
        change: what becomes of each of them.
        copies: what is added.
    """

    specs: tuple[str, ...] = ()
    keep: Callable[[Record], bool] = lambda _: True
    change: Callable[[Record], Record] = lambda record: record
    copies: tuple[Copy, ...] = ()


def of(*devices: str) -> Callable[[Record], bool]:
    """Whether a record is of one of these devices."""
    return lambda record: record.cell.device in devices


def _first_impossible(record: Record) -> Record:
    first = record.cell.point["batch_size"] == 256 and record.cell.repeat == 0
    return paced(record, 1e-6) if first else record


def _cut(record: Record) -> Record:
    """One thread stops half-way, others later; of frameworks XLA alone."""
    whole = record.cell.spec == "frameworks" and record.cell.device != "cpu-xla"
    return record if whole else stopped(record, 0.5 if record.cell.device == "cpu-1" else 0.75)


def _two_processors(record: Record) -> Record:
    """The first repeat on a processor of the same name without AVX-512."""
    known = record.environment
    if known is None or record.cell.repeat:
        return record
    update = {"vector": ["avx", "avx2"], "runtime": {**known.runtime, "onednn": "off"}}
    return record.model_copy(update={"environment": known.model_copy(update=update)})


def _twice_cpu(record: Record) -> bool:
    return record.cell.device == "cpu" or (
        record.cell.device == "cpu-1" and record.cell.repeat == 0
    )


W = EXAMPLE.name
STRATEGIES = ("cpu-1", "cpu-mirrored-2", "cpu-workers-2")
FRAMEWORKS = (
    "cpu-eager", "cpu-xla", "cpu-jax", "cpu-torch", "cpu-torch-compiled", "cpu-bf16",
    "cpu-jax-bf16", "cpu-torch-bf16", "cpu-1", "cpu-jax-1", "cpu-torch-1",
)  # fmt: skip
CPU = of("cpu")

EDITS: dict[str, Edit] = {
    "fwjax": Edit(("frameworks",), of("cpu", "cpu-jax-bf16")),
    "aa": Edit(("strategies",), CPU, copies=(Copy(STRATEGIES),)),
    "fw_aa": Edit(("frameworks",), CPU, copies=(Copy(FRAMEWORKS),)),
    "lat13": Edit(("mnist_latency",), _twice_cpu),
    "failed2": Edit(
        ("har_sweep", "beijing_gru", "fashion_mnist", "imdb_lstm"),
        lambda record: record.cell.spec == "har_sweep", out_of_memory,
    ),
    "nan": Edit(("mnist_batch_sweep",), change=_first_impossible),
    "nobase": Edit(("strategies",), of(*STRATEGIES)),
    "gpusweep": Edit(("mnist_batch_sweep",), copies=(Copy(("gpu",), 1 / 20, "a1000001"),)),
    "gpu2": Edit(
        ("fashion_mnist",),
        copies=(Copy(("gpu",), 1 / 20, "a1000001"), Copy(("gpu",), 1 / 20, "a1000002")),
    ),
    "twohosts": Edit(("mnist_gorner",), copies=(Copy(("cpu",), 0.5, "b0000002"),)),
    "one": Edit(("mnist_batch_sweep",), lambda record: record.cell.repeat == 0),
    "processors": Edit(("strategies",), change=_two_processors),
    "cut": Edit(("fashion_mnist", "frameworks", "har_sample", "strategies"), change=_cut),
}  # fmt: skip
"""Every edited folder."""


@cache
def _example() -> tuple[tuple[PlanDocument, ...], dict[str, list[Record]]]:
    store = Store(EXAMPLE)
    records: dict[str, list[Record]] = {}
    for record in store.records():
        records.setdefault(record.key, []).append(record)
    return tuple(store.plans()), records


@cache
def edited(name: str, *, quick: bool = False) -> Results:
    """An edited folder, or the example as it is; quick: one process each, of that profile."""
    return made(EDITS.get(name, Edit()), 1 if quick else None)


def made(edit: Edit, repeats: int | None = None) -> Results:
    """What an edit makes, of all repeats or of the first ones alone as the quick profile."""
    plans, records = _example()
    studies = []
    for plan in plans:
        if edit.specs and plan.spec not in edit.specs:
            continue
        own = [r for planned in plan.cells for r in records.get(planned.key, ())]
        kept = [edit.change(record) for record in own if edit.keep(record)]
        study = Study(plan, tuple(kept))
        kept += [record for each in edit.copies for record in each.of(study)]
        if repeats:
            cells = [each for each in plan.cells if each.repeat < repeats]
            plan = plan.model_copy(update={"profile": "quick", "cells": cells})
            kept = [record for record in kept if record.cell.repeat < repeats]
        studies.append(Study(plan, tuple(kept)))
    return Results(tuple(studies))


def write(name: str, folder: Path) -> None:
    """An edited folder as a results folder."""
    store_of(folder, *edited(name).studies)


if __name__ == "__main__":
    write(sys.argv[1], Path(sys.argv[2]))
