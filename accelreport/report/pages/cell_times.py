"""Where the time of a record went: its stages, every timed block, every epoch."""

from __future__ import annotations

from accelreport.report import formatting
from accelreport.report.bench import Bench
from accelreport.report.model import Block, Fact, Facts, RawTable, Section
from accelreport.report.sparkline import sparkline
from accelreport.report.text import label, sentence
from accelreport.results.record import Record

MOST_BLOCKS = 500
"""Rows of the table of blocks; the record's JSON has every one."""

_STAGES = (
    ("process_s", "process until our first line"),
    ("import_s", "importing {framework} and Keras"),
    ("prepared_s", "of these two: before the launch, shared with other cells"),
    ("data_s", "data, onto the device"),
    ("build_s", "building model and optimizer"),
    ("first_step_s", "first step or call: trace, compile, run"),
    ("train_s", "all timed steps"),
    ("evaluate_s", "evaluations, untimed"),
    ("observe_s", "observations of the trained model"),
    ("checks_s", "the timer's checks of itself"),
    ("wall_s", "launch to end"),
)


def stages_section(record: Record) -> Section | None:
    """Seconds of each stage of the process; None where none was timed."""
    framework = record.cell.device_spec.framework_name
    rows = [
        Fact(sentence(text.format(framework=framework)), formatting.duration(seconds))
        for name, text in _STAGES
        if (seconds := getattr(record.times, name)) is not None
    ]
    return Section("times", "Where the time went", (Facts(tuple(rows)),)) if rows else None


def blocks_section(bench: Bench, record: Record) -> Section | None:
    """Every timed block as it was read, with a drawing of its steps; None without any."""
    if not record.blocks:
        return None
    step = bench.words.step
    shown = record.blocks[:MOST_BLOCKS]
    rows = tuple(
        (
            str(number),
            str(block.epoch),
            str(block.first_step),
            str(block.steps),
            f"{block.wall_s:.6f}",
            f"{1000 * block.wall_s / block.steps:.4f}" if block.steps else "",
            f"{block.cpu_s:.3f}",
            "" if block.other_cpu_s is None else f"{block.other_cpu_s:.3f}",
            "stopped" if block.stopped_s else "warm-up" if block.warmup else "steady",
        )
        for number, block in enumerate(shown, start=1)
    )
    first = "call" if bench.words.kernel else "epoch"
    table = RawTable(
        title="Timed blocks",
        columns=(
            "block", first, f"first {step}", f"{step}s", "wall s", f"ms a {step}",
            "CPU s", "CPU s of others", "part",
        ),
        rows=rows,
        note=(
            "The device was synchronised before and after each block."
            + ("" if len(shown) == len(record.blocks) else " The JSON has the rest.")
        ),
    )  # fmt: skip
    drawn = sparkline(record, step)
    blocks: tuple[Block, ...] = (drawn, table) if drawn else (table,)
    return Section("blocks", f"Timed {step}s, raw", blocks)


def curve_section(record: Record) -> Section | None:
    """What every epoch came to; None where a workload has none."""
    if not record.epochs:
        return None
    metrics = sorted({name for epoch in record.epochs for name in epoch.metrics})
    rows = tuple(
        (
            str(epoch.epoch),
            str(epoch.steps),
            f"{epoch.train_s:.4f}",
            f"{epoch.elapsed_s:.4f}",
            *(f"{epoch.metrics[name]:.6g}" if name in epoch.metrics else "" for name in metrics),
        )
        for epoch in record.epochs
    )
    columns = ("epoch", "steps", "training s", "elapsed s", *(label(name, 60) for name in metrics))
    table = RawTable("Every epoch", columns, rows, "Evaluations are not in these times.")
    return Section("curve", "Learning curve", (table,))
