"""Records of trainings, with their epochs and curves."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from accelreport.results.record import (
    Block,
    Epoch,
    Flops,
    Layer,
    Memory,
    Network,
    Record,
    Sample,
    Warned,
)
from accelreport.spec.cells import Cell
from tests.support.maker import Maker
from tests.support.pace import STEP_MODEL

NETWORK = Network(
    layers=[
        Layer(
            kind="Conv2D",
            settings={"filters": 64, "kernel_size": [2, 2], "padding": "same"},
            shape=[28, 28, 64],
            parameters=320,
        ),
        Layer(kind="Flatten", shape=[50_176]),
        Layer(kind="LSTM", settings={"units": 8, "return_sequences": True}, shape=[None, 8]),
    ],
    loss="sparse categorical cross-entropy",
    optimizer="Adam",
    learning_rate=1e-3,
)


class Trainings(Maker):
    """Makes the records of a study of a training family."""

    def measured(self, cell: Cell, complete: bool, pace: float, common: dict[str, Any]) -> Record:
        epochs, per_epoch = int(cell.workload["epochs"]), int(cell.workload["steps_per_epoch"])
        batch = int(cell.workload["batch_size"])
        fixed, each = STEP_MODEL[cell.device]
        mean = (fixed + each * batch) * pace * self.factors.get(cell.device, 1.0)
        done = epochs if complete else max(epochs // 2, 1)
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
            status="ok" if complete else "partial",
            times=self.times(blocks[0].wall_s, elapsed, 0.4 * done),
            blocks=blocks,
            epochs=curve,
            planned_steps=epochs * per_epoch,
            samples_per_step=batch,
            final=final,
            parameters=412_778,
            network=NETWORK,
            samples=[self._sample(index) for index in range(self.samples)],
            flops=Flops(
                per_step=batch * 3 * 28e6,
                method="walk over the traced graph",
                least_per_step=batch * 3 * 6e6,
                bytes_per_step=3 * (4e6 + batch * 5e5),
                bytes_method="operands and results of the products",
            ),
            memory=Memory(host_peak_bytes=900_000_000, device_peak_bytes=batch * 400_000),
            data=self.data(cell, per_epoch * batch),
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
            seconds = self.seconds(mean, high - low)
            if start + low == 0:
                seconds[0] += 1.5
            blocks.append(self._block(seconds, start + low, epoch, start + high <= warm))
        return blocks

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
