"""What every record of a study has, whatever was measured."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import numpy as np

from accelreport.results.record import DataSource, Environment, Failure, Gpu, Record, Times
from accelreport.spec.cells import Cell
from tests.support.pace import Noise

Origin = Literal["official", "user-supplied", "sample", "synthetic", "generated"]

REMEDIES: dict[str, str] = {
    "no-device": "Run it on a machine that has one, or leave it out with --device.",
    "oom-device": "Use a smaller batch.",
    "oom-host": "Use fewer training examples.",
    "timeout": "Raise measure.timeout.",
    "data-unavailable": "Run `accelreport data fetch mnist`, or use --data synthetic.",
}


@dataclass
class Maker(ABC):
    """Makes the records of one study, with one stream of noise."""

    noise: Noise
    factors: dict[str, float]
    machine: str
    origin: Origin
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
        return self.measured(cell, fate == "ok", pace, common)

    @abstractmethod
    def measured(self, cell: Cell, complete: bool, pace: float, common: dict[str, Any]) -> Record:
        """The record of a cell that was measured, to its end or in part."""

    def seconds(self, mean: float, steps: int) -> list[float]:
        """Seconds of single steps: log-normal, with a share of outliers."""
        noise = np.exp(self.rng.normal(0, self.noise.step, steps))
        late = self.rng.random(steps) < self.noise.outlier_share
        values = mean * noise * np.where(late, self.noise.outlier_factor, 1.0)
        return [float(value) for value in values]

    def times(self, first: float, train: float, evaluate: float) -> Times:
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

    def data(self, cell: Cell, examples: int) -> DataSource:
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

    def _failed(self, cell: Cell, fate: str, common: dict[str, Any]) -> Record:
        framework = cell.device_spec.framework_name
        why = {
            "skipped": ("no-device", f"no {cell.device_spec.kind} on this machine"),
            "not-installed": (
                "no-framework",
                f"{framework} is not installed",
            ),
        }
        skipped = fate in why
        kind: Any
        kind, message = why.get(fate, (fate, f"the cell ended with {fate}"))
        return Record(
            **common,
            status="skipped" if skipped else "failed",
            failure=Failure(kind=kind, message=message, remedy=REMEDIES.get(kind, "")),
            times=Times() if skipped else Times(process_s=0.1, import_s=2.4, wall_s=5.0),
            log_tail="" if skipped else "W0000 an ordinary line of the log",
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
