"""Records of a spec's cells in a world of which everything is known, without noise that matters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from accelreport.results.record import Block, Epoch, Failure, Flops, Gpu, Record
from accelreport.spec.cells import Cell
from tests.support.maker import Maker
from tests.support.pace import Noise

STEPS = 20
"""Steps in an epoch, and products in a call."""


@dataclass(frozen=True)
class Fact:
    """What a cell does in a world.

    Attributes:
        step_s: seconds of a step.
        first: how many times as long the first epoch, or call, takes as a later one.
        final: final metrics.
        rest: other fields of the record.
        oom: whether it ends for lack of memory.
        absent: whether it was not run.
    """

    step_s: float = 1.0
    first: float = 1.0
    final: Mapping[str, float] = field(default_factory=dict)
    rest: Mapping[str, Any] = field(default_factory=dict)
    oom: bool = False
    absent: bool = False


World = Callable[[Cell], Fact]
"""Cell → what it does."""


class Worldly(Maker):
    """Makes the records of a world: complete ones of four epochs, or of four calls."""

    world: World

    def measured(self, cell: Cell, complete: bool, pace: float, common: dict[str, Any]) -> Record:
        del complete, pace
        fact = self.world(cell)
        if fact.oom:
            failure = Failure(kind="oom-host", message="it ended for lack of memory", remedy="")
            return Record(**common, status="failed", failure=failure)
        # Repeats differ by thousandths, so that there are intervals.
        later = fact.step_s * STEPS * (1 + 0.001 * cell.repeat)
        walls = [later * fact.first, later, later, later]
        kernel = "epochs" not in cell.workload
        blocks = [
            Block(
                epoch=number,
                first_step=(number - 1) * STEPS,
                steps=STEPS,
                wall_s=wall,
                cpu_s=wall,
                other_cpu_s=0.0,
                warmup=number == 1,
            )
            for number, wall in enumerate(walls, start=1)
        ]
        final = {name: value + 1e-4 * cell.repeat for name, value in fact.final.items()}
        epochs = [
            Epoch(
                epoch=block.epoch,
                steps=STEPS,
                train_s=block.wall_s,
                evaluate_s=0.1,
                elapsed_s=sum(walls[: block.epoch]),
                learning_rate=1e-3,
                metrics=final,
            )
            for block in blocks
        ]
        flops = 2.0 * int(cell.workload.get("size", 8)) ** 3 if kernel else 1e9
        return Record(
            **common,
            **fact.rest,
            status="ok",
            times=self.times(walls[0], sum(walls), 0.4),
            blocks=blocks,
            epochs=[] if kernel else epochs,
            planned_steps=STEPS * len(walls),
            samples_per_step=int(cell.workload.get("batch_size", 0)),
            final={} if kernel else final,
            flops=Flops(per_step=flops, method="made up"),
            data=self.data(cell, 1000),
        )

    def _environment(self, cell: Cell) -> Any:
        known = super()._environment(cell)
        gpus = [Gpu(name="Tesla T4", memory_bytes=16 * 2**30, driver="550.54")]
        return known.model_copy(update={"gpus": gpus if cell.device_spec.kind == "GPU" else []})


def records_of(cells: tuple[Cell, ...], world: World) -> tuple[Record, ...]:
    """The record of each cell in a world."""
    maker = Worldly(
        noise=Noise(0, 0, 0, 0),
        factors={},
        machine="0a1b2c3d",
        origin="official",
        samples=0,
        stamps=False,
        rng=np.random.default_rng(0),
        total=len(cells),
    )
    maker.world = world
    run = (cell for cell in cells if not world(cell).absent)
    found = (maker.record(cell, "ok", number) for number, cell in enumerate(run))
    return tuple(record for record in found if record is not None)
