"""Realistic plan documents and records, made in milliseconds and without TensorFlow.

`study()` makes one plan and its records. Times follow a simple model of a device (a fixed
cost a step plus a cost a sample), with process effects, step noise, drift and outliers on
top, so that what is shown and what is computed meet numbers of the usual shape.
"""

from __future__ import annotations

import copy
import hashlib
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import numpy as np

from accelreport.results.plan_document import PlanDocument, PlannedCell
from accelreport.results.record import (
    Block,
    DataSource,
    Environment,
    Epoch,
    Failure,
    Flops,
    Gpu,
    Memory,
    Record,
    Sample,
    Times,
    Warned,
)
from accelreport.spec.cells import Cell
from accelreport.spec.models import Claim, Device, Measure, Published, Scalar, Source, Target

Shape = Literal["training", "matmul"]

DEVICES: dict[str, Device] = {
    "cpu": Device(
        kind="CPU",
        label="CPU, all threads",
        peak_tflops={"float32": 0.234},
        peak_source="2 cores × 2 × 256-bit FMA",
        price_per_hour=0.10,
    ),
    "cpu-1": Device(kind="CPU", label="CPU, one thread", threads=1),
    "gpu": Device(
        kind="GPU",
        label="GPU",
        strategy="one_device",
        peak_tflops={"float32": 8.1},
        peak_source="NVIDIA T4 datasheet",
        price_per_hour=0.35,
    ),
    "tpu": Device(
        kind="TPU",
        label="TPU v2-8",
        strategy="tpu",
        replicas=8,
        peak_tflops={"bfloat16": 180.0},
        peak_source="Google Cloud TPU documentation",
        price_per_hour=4.50,
    ),
}
"""Devices a study may name."""

STEP_MODEL: dict[str, tuple[float, float]] = {
    "cpu": (2e-3, 4.0e-4),
    "cpu-1": (2e-3, 7.5e-4),
    "gpu": (3e-3, 7.0e-5),
    "tpu": (5e-3, 2.0e-5),
}
"""Seconds of a training step: fixed, and for each sample."""

RATES: dict[str, float] = {"cpu": 0.21e12, "cpu-1": 0.11e12, "gpu": 6.5e12, "tpu": 110e12}
"""FLOP/s in a matrix product."""

REMEDIES: dict[str, str] = {
    "no-device": "Run it on a machine that has one, or leave it out with --device.",
    "oom-device": "Use a smaller batch.",
    "oom-host": "Use fewer training examples.",
    "timeout": "Raise measure.timeout.",
    "data-unavailable": "Run `accelreport data fetch mnist`, or use --data synthetic.",
}

Fate = Callable[[Cell], str]
"""Cell → `ok`, `partial`, `skipped`, `missing`, or a failure kind."""


def all_ok(cell: Cell) -> str:
    """Every cell is measured to its end."""
    return "ok"


def assorted(cell: Cell) -> str:
    """Something of everything: no TPU, a GPU out of memory, a partial CPU run, gaps."""
    largest = cell.point.get("batch_size") in {1024, 4096} or cell.point.get("size") == 4096
    if cell.device == "tpu":
        return "skipped"
    if cell.device == "gpu" and largest and cell.repeat == 1:
        return "oom-device"
    if cell.device == "cpu" and largest:
        return "partial"
    if cell.device == "cpu-1" and cell.repeat == 0:
        return "timeout"
    if cell.device == "cpu-1" and cell.repeat == 1:
        return "missing"
    return "ok"


@dataclass(frozen=True)
class Noise:
    """How times vary, as standard deviations of logarithms unless said otherwise.

    Attributes:
        process: between processes.
        step: between the steps of a process.
        drift: how much slower the last cell of the study is than the first.
        outlier_share: share of steps that are outliers.
        outlier_factor: how much longer an outlier takes.
    """

    process: float = 0.02
    step: float = 0.05
    drift: float = 0.0
    outlier_share: float = 0.005
    outlier_factor: float = 4.0


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
    baseline: str = "",
    axes: Mapping[str, Sequence[Scalar]] | None = None,
    repeats: int = 3,
    epochs: int = 5,
    steps_per_epoch: int = 60,
    calls: int = 6,
    noise: Noise = Noise(),
    fate: Fate = all_ok,
    factors: Mapping[str, float] | None = None,
    machine: str = "0a1b2c3d",
    origin: Literal["official", "user-supplied", "synthetic", "generated"] | None = None,
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
    swept = dict(axes) if axes is not None else _default_axes(shape)
    measure = Measure(repeats=repeats, calls=calls, target=target, first_seed=first_seed)
    workload = _workload(shape, epochs, steps_per_epoch)
    cells = _cells(spec or f"example_{shape}", profile, devices, swept, workload, measure)
    plan = PlanDocument(
        spec=spec or f"example_{shape}",
        profile=profile,
        title="MNIST CNN: batch size" if shape == "training" else "Matrix product, cold and warm",
        description="A study made for tests.",
        source=Source(title="An example", url="https://example.org/piece", year=2018),
        text=f'schema = 1\ntitle = "Example"\ndevices = {list(devices)}\n'.replace("'", '"'),
        workload=workload,
        baseline=baseline or devices[0],
        devices={name: DEVICES[name] for name in devices},
        axes={key: list(values) for key, values in swept.items()},
        measure=measure,
        published=list(published),
        claims=list(claims),
        cells=[
            PlannedCell(
                key=cell.key,
                device=cell.device,
                point=cell.point,
                repeat=cell.repeat,
                seed=cell.seed,
            )
            for cell in cells
        ],
    )
    maker = _Maker(
        shape=shape,
        noise=noise,
        factors=dict(factors or {}),
        machine=machine,
        origin=origin or ("synthetic" if shape == "training" else "generated"),
        samples=samples,
        stamps=stamps,
        rng=np.random.default_rng(seed),
        total=len(cells),
    )
    order = np.random.default_rng(seed + 1).permutation(len(cells))
    made = {int(i): maker.record(cells[i], fate(cells[i]), when) for when, i in enumerate(order)}
    records = tuple(made[i] for i in sorted(made) if made[i] is not None)
    return Study(plan=plan, records=records, cells=tuple(cells))  # type: ignore[arg-type]


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


def _cells(
    spec: str,
    profile: str,
    devices: Sequence[str],
    axes: Mapping[str, Sequence[Scalar]],
    workload: dict[str, Any],
    measure: Measure,
) -> list[Cell]:
    points = [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]
    return [
        Cell(
            spec=spec,
            profile=profile,
            device=device,
            point=point,
            repeat=repeat,
            seed=measure.first_seed + repeat,
            workload=_at(workload, point),
            device_spec=DEVICES[device],
            measure=measure,
        )
        for point in points
        for repeat in range(measure.repeats)
        for device in devices
    ]


def _at(workload: dict[str, Any], point: Mapping[str, Scalar]) -> dict[str, Any]:
    changed = copy.deepcopy(workload)
    for dotted, value in point.items():
        *parents, last = dotted.split(".")
        inner = changed
        for parent in parents:
            inner = inner[parent]
        inner[last] = value
    return changed


@dataclass
class _Maker:
    """Makes records of one study, with one stream of noise."""

    shape: Shape
    noise: Noise
    factors: dict[str, float]
    machine: str
    origin: Literal["official", "user-supplied", "synthetic", "generated"]
    samples: int
    stamps: bool
    rng: np.random.Generator
    total: int

    def record(self, cell: Cell, fate: str, when: int) -> Record | None:
        """The record of one cell, or None where it is missing."""
        process = float(np.exp(self.rng.normal(0, self.noise.process)))
        pace = process * (1 + self.noise.drift * when / max(self.total - 1, 1))
        if fate == "missing":
            return None
        started = datetime(2025, 3, 1, 12, tzinfo=UTC) + timedelta(minutes=when)
        common: dict[str, Any] = {
            "cell": cell,
            "key": cell.key,
            "started_at": started.isoformat(),
            "finished_at": (started + timedelta(seconds=40)).isoformat(),
            "environment": self._environment(cell),
        }
        if fate not in {"ok", "partial"}:
            return self._failed(cell, fate, common)
        if self.shape == "matmul":
            return self._kernel(cell, fate, pace, common)
        return self._training(cell, fate, pace, common)

    def _failed(self, cell: Cell, fate: str, common: dict[str, Any]) -> Record:
        kind: Any = "no-device" if fate == "skipped" else fate
        message = (
            f"no {cell.device_spec.kind} on this machine"
            if fate == "skipped"
            else f"the cell ended with {kind}"
        )
        return Record(
            **common,
            status="skipped" if fate == "skipped" else "failed",
            failure=Failure(kind=kind, message=message, remedy=REMEDIES.get(kind, "")),
            times=Times() if fate == "skipped" else Times(process_s=0.1, import_s=2.4, wall_s=5.0),
            log_tail="" if fate == "skipped" else "W0000 an ordinary line of the log",
        )

    def _seconds(self, mean: float, steps: int) -> list[float]:
        """Seconds of single steps: log-normal, with a share of outliers."""
        noise = np.exp(self.rng.normal(0, self.noise.step, steps))
        late = self.rng.random(steps) < self.noise.outlier_share
        values = mean * noise * np.where(late, self.noise.outlier_factor, 1.0)
        return [float(value) for value in values]

    def _block(self, seconds: list[float], first: int, epoch: int, warmup: bool) -> Block:
        wall = sum(seconds)
        return Block(
            epoch=epoch,
            first_step=first,
            steps=len(seconds),
            wall_s=wall,
            cpu_s=wall * 1.8,
            other_cpu_s=wall * 0.01,
            warmup=warmup,
            step_s=seconds[1:] if self.stamps else [],
        )

    def _kernel(self, cell: Cell, fate: str, pace: float, common: dict[str, Any]) -> Record:
        size, count = int(cell.workload["size"]), int(cell.workload["count"])
        flops = 2.0 * size**3
        rate = RATES[cell.device] * size / (size + 200)
        mean = flops / rate * pace * self.factors.get(cell.device, 1.0)
        calls = cell.measure.calls if fate == "ok" else max(cell.measure.calls // 2, 2)
        blocks = []
        for call in range(calls):
            cold = 0.4 if call == 0 else 0.0
            wall = sum(self._seconds(mean, 1)) * count + cold
            blocks.append(
                Block(
                    epoch=call + 1,
                    first_step=call * count,
                    steps=count,
                    wall_s=wall,
                    cpu_s=wall * 1.8,
                    other_cpu_s=0.0,
                    warmup=call < cell.measure.warmup_calls,
                )
            )
        train = sum(block.wall_s for block in blocks)
        return Record(
            **common,
            status="ok" if fate == "ok" else "partial",
            times=self._times(blocks[0].wall_s, train, 0.0),
            blocks=blocks,
            planned_steps=count * cell.measure.calls,
            flops=Flops(per_step=flops, method="2·N³ for each product"),
            memory=Memory(host_peak_bytes=500_000_000 + 8 * size * size),
            data=self._data(cell, 0),
        )

    def _training(self, cell: Cell, fate: str, pace: float, common: dict[str, Any]) -> Record:
        epochs, per_epoch = int(cell.workload["epochs"]), int(cell.workload["steps_per_epoch"])
        batch = int(cell.workload["batch_size"])
        fixed, each = STEP_MODEL[cell.device]
        mean = (fixed + each * batch) * pace * self.factors.get(cell.device, 1.0)
        done = epochs if fate == "ok" else max(epochs // 2, 1)
        blocks: list[Block] = []
        curve: list[Epoch] = []
        elapsed = 0.0
        for epoch in range(1, done + 1):
            new = self._epoch_blocks(cell, epoch, per_epoch, mean)
            elapsed += sum(block.wall_s for block in new)
            blocks += new
            curve.append(self._epoch_row(epoch, new, elapsed, per_epoch))
        final = dict(curve[-1].metrics)
        return Record(
            **common,
            status="ok" if fate == "ok" else "partial",
            times=self._times(blocks[0].wall_s, elapsed, 0.4 * done),
            blocks=blocks,
            epochs=curve,
            planned_steps=epochs * per_epoch,
            samples_per_step=batch,
            final=final,
            parameters=412_778,
            samples=[self._sample(index) for index in range(self.samples)],
            flops=Flops(per_step=batch * 3 * 28e6, method="walk over the traced graph"),
            memory=Memory(host_peak_bytes=900_000_000, device_peak_bytes=batch * 400_000),
            data=self._data(cell, per_epoch * batch),
            warnings=[
                Warned(kind="data-synthetic", message="A learnable stand-in was used, not MNIST.")
            ]
            if self.origin == "synthetic"
            else [],
        )

    def _epoch_blocks(self, cell: Cell, epoch: int, steps: int, mean: float) -> list[Block]:
        start = (epoch - 1) * steps
        warm = cell.measure.warmup_steps
        cuts = {1 - start, warm - start, *range(0, steps, 20)}
        edges = sorted({0, steps} | {cut for cut in cuts if 0 < cut < steps})
        blocks = []
        for low, high in itertools.pairwise(edges):
            seconds = self._seconds(mean, high - low)
            if start + low == 0:
                seconds[0] += 1.5
            blocks.append(self._block(seconds, start + low, epoch, start + high <= warm))
        return blocks

    def _epoch_row(self, epoch: int, blocks: list[Block], elapsed: float, steps: int) -> Epoch:
        reach = 1 - 0.12 * np.exp(-0.9 * (epoch - 1)) - 0.010
        return Epoch(
            epoch=epoch,
            steps=steps,
            train_s=sum(block.wall_s for block in blocks),
            evaluate_s=0.4,
            elapsed_s=elapsed,
            learning_rate=1e-3,
            metrics={
                "loss": float(0.5 * np.exp(-0.7 * epoch) + self.rng.normal(0, 0.002)),
                "accuracy": float(min(reach - 0.01 + self.rng.normal(0, 0.001), 1)),
                "val_loss": float(0.4 * np.exp(-0.6 * epoch) + self.rng.normal(0, 0.002)),
                "val_accuracy": float(min(reach + self.rng.normal(0, 0.001), 1)),
            },
        )

    def _sample(self, index: int) -> Sample:
        wrong = index % 5 == 0
        return Sample(
            index=index,
            true=str(index % 10),
            predicted=str((index + wrong) % 10),
            probability=0.55 if wrong else 0.98,
        )

    def _times(self, first: float, train: float, evaluate: float) -> Times:
        return Times(
            process_s=0.1,
            import_s=float(2.4 + self.rng.random()),
            data_s=0.3,
            build_s=0.2,
            first_step_s=first,
            train_s=train,
            evaluate_s=evaluate,
            wall_s=3.5 + train + evaluate,
        )

    def _data(self, cell: Cell, examples: int) -> DataSource:
        text = f"{self.origin} {cell.seed if self.origin == 'generated' else ''}"
        return DataSource(
            dataset=str(cell.workload.get("dataset", "matmul")),
            origin=self.origin,
            fingerprint=hashlib.sha256(text.encode()).hexdigest(),
            seed=cell.seed if self.origin != "official" else None,
            train_examples=examples,
            validation_examples=examples // 6,
            note="a learnable stand-in, not MNIST" if self.origin == "synthetic" else "",
        )

    def _environment(self, cell: Cell) -> Environment:
        gpus = [Gpu(name="Example T4", memory_bytes=16 * 2**30, driver="550.54")]
        return Environment(
            machine=self.machine,
            accelreport="0.1.0",
            commit="0123456789abcdef",
            dirty=False,
            python="3.11.9",
            packages={"tensorflow": "2.21.0", "keras": "3.15.0", "numpy": "2.2.0"},
            os="Linux 6.1",
            cpu="Example CPU @ 2.00GHz",
            cores=2,
            threads=2,
            memory_bytes=24 * 2**30,
            gpus=gpus if cell.device == "gpu" else [],
            accelerators=[f"/device:{cell.device_spec.kind}:0"],
            runtime={"intra_op_threads": "2"},
            load_before=0.1,
            load_after=1.2,
            clock_mhz=2000.0,
        )
