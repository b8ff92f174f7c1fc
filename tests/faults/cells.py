"""The cells into which faults are put, and what is to be said of each."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from accelreport.results.reading import read_record
from accelreport.results.record import Record
from accelreport.spec.cells import Cell
from accelreport.spec.device import Device
from accelreport.spec.models import Measure
from tests.support import children
from tests.support.nets import dense
from tests.support.packages import install

ROOT = Path(__file__).parents[2]

DENSE: Mapping[str, Any] = dense(
    80, 1, train_examples=4800, batch_size=32, steps_per_epoch=150, epochs=3
)
"""A small training of accelreport's own, whose graph AutoGraph need not rewrite in every cell."""

PIPED: Mapping[str, Any] = {**DENSE, "input": "pipeline"}
"""The same, its batches brought by `tf.data`."""

LONGER: Mapping[str, Any] = {**DENSE, "train_examples": 19_200, "steps_per_epoch": 600}
"""The same in windows so long that reading a counter after one is no tenth of them where other
programs compute as well: on a device that is asynchronous, it takes a turn of another thread."""

RECURRENT: Mapping[str, Any] = {
    "kind": "sequence_classification",
    "model": "stacked_bilstm",
    "layers": 1,
    "units": 8,
    "data": "synthetic",
    "train_examples": 64,
    "validation_examples": 16,
    "batch_size": 16,
}

PRODUCTS: Mapping[str, Any] = {"kind": "matmul", "size": 192, "count": 300, "dtype": "float32"}


@dataclass(frozen=True)
class Fault:
    """A fault, and the name by which it must be caught.

    Attributes:
        injected: a class of `tests.faults.placement`.
        name: kind of the warning; empty for a control.
        workload: what is spoilt.
        kind: kind of the device's row.
        seed: of the cell.
    """

    injected: str
    name: str = ""
    workload: Mapping[str, Any] = field(default_factory=lambda: DENSE)
    kind: Any = "CPU"
    seed: int = 3

    def cell(self, number: int) -> Cell:
        device = Device(
            kind=self.kind,
            placement="faulty",
            threads=1 if self.kind == "CPU" else None,
            label=f"{self.injected} {number}",
        )
        measure = Measure(warmup_steps=4, budget=60.0)
        return children.bare_cell(self.workload, device=device, measure=measure, seed=self.seed)


def measure(faults: Sequence[Fault], folder: Path) -> list[Record]:
    """The record of each fault, in real processes with real TensorFlow."""
    site = folder / "site"
    install(
        site, "faults", {"accelreport.placements": {"faulty": "tests.faults.placement:PLACEMENT"}}
    )
    orders = []
    for number, fault in enumerate(faults):
        own = folder / str(number)
        own.mkdir()
        job = own / "job.json"
        job.write_text(children.job(fault.cell(number), own).model_dump_json())
        orders.append((str(job), f"{fault.injected}:{number + SIZES}"))
    (folder / "orders.json").write_text(json.dumps(orders))
    done = children.python(
        "-m", "tests.faults.farm", str(folder / "orders.json"), paths=[site, ROOT]
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return [read_record(folder / str(number) / "record.json") for number in range(len(faults))]


SIZES = 1000
"""Added to a fault's number for the seed of its size."""
