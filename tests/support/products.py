"""Records of chained matrix products."""

from __future__ import annotations

from typing import Any

from accelreport.results.record import Block, Flops, Memory, Record
from accelreport.spec.cells import Cell
from tests.support.maker import Maker
from tests.support.pace import RATES


class Products(Maker):
    """Makes the records of a study of matrix products."""

    def measured(self, cell: Cell, complete: bool, pace: float, common: dict[str, Any]) -> Record:
        size, count = int(cell.workload["size"]), int(cell.workload["count"])
        flops = 2.0 * size**3
        rate = RATES[cell.device] * size / (size + 200)
        mean = flops / rate * pace * self.factors.get(cell.device, 1.0)
        calls = cell.measure.calls if complete else max(cell.measure.calls // 2, 2)
        blocks = []
        for call in range(calls):
            cold = 0.4 if call == 0 else 0.0
            wall = sum(self.seconds(mean, 1)) * count + cold
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
            status="ok" if complete else "partial",
            times=self.times(blocks[0].wall_s, train, 0.0),
            blocks=blocks,
            planned_steps=count * cell.measure.calls,
            flops=Flops(
                per_step=flops,
                method="2·N³ for each product",
                least_per_step=flops,
                bytes_per_step=3.0 * size**2 * 4,
                bytes_method="3·N² elements for each product",
            ),
            memory=Memory(host_peak_bytes=500_000_000 + 8 * size * size),
            data=self.data(cell, 0),
        )
