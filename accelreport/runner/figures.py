"""The headline figures of one record, for the line that tells of it."""

from __future__ import annotations

from accelreport.results.record import Record


def headline(record: Record) -> dict[str, float]:
    """`step_s`, `samples_per_s`, `tflops` where they apply, then the final metrics.

    The steady step is Σ wall ÷ Σ steps over the blocks that are not warm-up, as in the report.
    For a kernel one step is one operation, and `tflops` is its FLOPs ÷ step_s ÷ 10¹².
    """
    steady = [block for block in record.blocks if block.steady]
    steps = sum(block.steps for block in steady)
    seconds = sum(block.wall_s for block in steady)
    figures: dict[str, float] = {}
    if steps and seconds > 0:
        figures["step_s"] = seconds / steps
        if record.samples_per_step:
            figures["samples_per_s"] = record.samples_per_step * steps / seconds
        elif record.flops:
            figures["tflops"] = record.flops.per_step * steps / seconds / 1e12
    return figures | record.final
