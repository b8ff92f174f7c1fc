"""A run as text: its cells and numbers, its first and last lines, its plan."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from accelreport.report.metrics import words_of
from accelreport.runner.events import CellEndLine, CellName, EndLine, LookLine, PlanLine
from accelreport.runner.timings import TimeEstimate
from accelreport.spec.base import Scalar
from accelreport.spec.problems import counted, listed

MARKS = {"ok": "✓", "partial": "◐", "failed": "✗", "skipped": "–"}
"""The sign of each status."""


def duration(seconds: float) -> str:
    """`0.4 s`, `12 s`, `3 min 20 s`, `1 h 05 min`."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s" if whole % 60 else f"{whole // 60} min"
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60:02d} min"


def number(value: float) -> str:
    """Three significant digits, with thousands separators: `0.0241`, `24.1`, `10,600`."""
    if not math.isfinite(value):
        return str(value)
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.0f}" if 1000 <= abs(rounded) < 1e15 else f"{rounded:.3g}"


def spec_name(cell: CellName) -> str:
    """Its spec, with the profile unless that is `full`."""
    return cell.spec if cell.profile == "full" else f"{cell.spec} ({cell.profile})"


def cell_name(cell: CellName) -> str:
    """Device, sweep point and repeat: `cpu batch_size=512 #0`."""
    return " ".join(filter(None, (cell.device, point_text(cell.point), f"#{cell.repeat}")))


def point_text(point: Mapping[str, Scalar | None]) -> str:
    """A sweep point: `batch_size=512 units=4`."""
    return " ".join(f"{key.removeprefix('workload.')}={value}" for key, value in point.items())


def figures_text(figures: Mapping[str, float], workload: Mapping[str, Any]) -> str:
    """The headline figures of a workload: time of a step (a call, a product), rate, quality."""
    parts, words = [], words_of(workload)
    for name, statistic in (("median_s", "median"), ("step_s", "mean")):
        if name in figures:
            parts = [f"{_time(figures[name])}/{words.step} ({statistic})"]
            break
    if (rate := figures.get("samples_per_s")) is not None:
        parts.append(f"{number(rate)} {words.sample}/s")
    if (tflops := figures.get("tflops")) is not None:
        parts.append(f"{number(tflops)} TFLOPS")
    return "  ".join(filter(None, (*parts, quality_text(figures))))


def quality_text(metrics: Mapping[str, float]) -> str:
    """The most informative metric: "val_accuracy 0.9812"; empty without any."""
    names = ("val_accuracy", "accuracy", "val_loss", "loss")
    return next((f"{name} {metrics[name]:.4f}" for name in names if name in metrics), "")


def end_text(line: CellEndLine) -> str:
    """The outcome of a cell: its headline figures, or why there are none."""
    if line.status in {"failed", "skipped"}:
        first = line.message.splitlines()[0] if line.message else ""
        kept = "" if line.record_path else "  (its earlier result is kept)"
        return f"{line.failure}: {first}{kept}"
    parts = [figures_text(line.figures, line.record.cell.workload)]
    early = " before its first steady step" if "step_s" not in line.figures else ""
    if line.status == "partial" or early:
        parts.append(("stopped by its budget" if line.status == "partial" else "ended") + early)
    if line.warnings:
        parts.append(f"⚠ {', '.join(dict.fromkeys(line.warnings))}")
    return "  ".join(part for part in parts if part)


def _time(seconds: float) -> str:
    """The time of a step, such as `24.1 ms`."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{number(seconds / size)} {unit}"
    return f"{number(seconds / 1e-9)} ns"


def opening(plan: PlanLine) -> Iterator[str]:
    """The plan in a line, and each reason why devices are left out."""
    parts = [f"{plan.run} to run" + _expected(plan)]
    parts += [f"{plan.done} already done"] if plan.done else []
    parts += [f"{plan.failed} failed before"] if plan.failed else []
    parts += [f"{plan.skip} skipped"] if plan.skip else []
    yield f"{counted(len(plan.cells), 'cell')}: {', '.join(parts)}"
    skipped: dict[str, list[str]] = {}
    for cell in plan.cells:
        if cell.action == "skip":
            skipped.setdefault(cell.reason, []).append(cell.device)
    for reason, devices in skipped.items():
        named = listed(list(dict.fromkeys(devices)))
        yield f"  {named}: {counted(len(devices), 'cell')} skipped: {reason}"
    if plan.further:
        known = "" if plan.unknown else f" (at most {duration(plan.further_at_most_s)})"
        yield (
            f"Then, while comparisons with the baseline are undecided: at most {plan.further} "
            f"more{known}"
        )


DAY_S = 24 * 3600.0
"""A plan that may take longer says so."""


def too_long(estimate: TimeEstimate) -> str:
    """A warning about a plan that may take more than a day; empty for a shorter one."""
    most = estimate.seconds + estimate.at_most_s
    if most <= DAY_S:
        return ""
    return (
        f"this may take {most / DAY_S:.1f} days by its budgets. --profile quick takes a first "
        "look, --dry-run shows the plan, and a shorter --budget bounds each cell"
    )


def looked(line: LookLine) -> Iterator[str]:
    """How many comparisons a look of `--until-decided` found decided, and the repeats it adds."""
    undecided = [
        comparison for comparison in line.comparisons if comparison.wanted or comparison.reason
    ]
    decided = len(line.comparisons) - len(undecided)
    begin = f"{decided} of {counted(len(line.comparisons), 'comparison')} with the baseline decided"
    if line.cells:
        upto = max(comparison.wanted for comparison in undecided)
        yield f"{begin}: adds {counted(len(line.cells), 'cell')}, up to {upto} repeats"
        return
    yield begin
    for comparison in undecided:
        point = "".join(f" {key}={value}" for key, value in comparison.point.items())
        repeats = counted(comparison.repeats, "repeat")
        after = f"{comparison.verdict} after {repeats}; " if comparison.repeats else ""
        yield f"  {comparison.spec} {comparison.device}{point}: {after}{comparison.reason}"


def closing(end: EndLine) -> Iterator[str]:
    """The end of a run, and remedies for what went wrong."""
    parts = [f"{end.ok + end.partial} measured"]
    parts += [f"{end.partial} of them stopped by the budget"] if end.partial else []
    parts += [f"{end.untimed} ended before the first steady step"] if end.untimed else []
    parts += [f"{end.failed} failed"] if end.failed else []
    parts += [f"{end.skipped} skipped"] if end.skipped else []
    parts += [f"{end.done_before} already done"] if end.done_before else []
    parts += [f"{end.left} interrupted"] if end.left else []
    if end.stopped_by:
        finished = end.ok + end.partial + end.untimed + end.failed + end.done_before
        yield (
            f"Stopped ({end.stopped_by}) after {duration(end.wall_s)}: "
            f"{counted(finished, 'finished cell')} kept in {end.results}, {end.left} to do. Run "
            "the same command again to continue."
        )
        return
    yield f"{', '.join(parts)} in {duration(end.wall_s)}. Results: {end.results}"
    if end.left_out:
        lacking = end.left_out.items()
        cells = [
            f"{'all ' if left == of else f'{left} of '}{counted(of, 'cell')} of {spec}"
            for spec, (left, of) in lacking
        ]
        begun = [spec for spec, (left, of) in lacking if left < of]
        singles = f"; the others of {listed(begun)} are single runs" if begun else ""
        yield (
            f"No time was left for {listed(cells)}{singles}. Run the same command again to "
            "measure them."
        )
    if end.left:
        yield "Run the same command again to measure the interrupted cells."
    if end.untimed:
        yield "Raise measure.budget, or lower measure.warmup_steps, to time their steady steps."
    if end.failed:
        yield "The report shows the failures; --retry-failed runs them again."
    if end.failed_before:
        yield (
            f"{counted(end.failed_before, 'cell')} failed in an earlier run and "
            f"{'was' if end.failed_before == 1 else 'were'} not run again: --retry-failed runs "
            f"{'it' if end.failed_before == 1 else 'them'} again."
        )
    if nothing_ran(end):
        yield "No cell can run on this machine: `accelreport devices` shows what is here."


def nothing_ran(end: EndLine) -> bool:
    """Whether no cell has a result or a failure, because every device is absent."""
    measured = end.ok + end.partial + end.untimed + end.done_before
    return not (measured or end.failed or end.failed_before or end.left)


def _expected(plan: PlanLine) -> str:
    """How long the cells to run will take, in brackets; empty where none will run."""
    if not plan.run:
        return ""
    if plan.unknown == plan.run:
        return " (the first cell will show how long this takes)"
    known = f"about {duration(plan.estimate_s)}"
    if not plan.unknown:
        return f" ({known})"
    return f" ({known}, and {plan.unknown} of unknown duration)"


ACTIONS = {"run": "run", "done": "done", "failed": "failed before", "skip": "skip"}


def plan_text(plan: PlanLine) -> Iterator[str]:
    """The plan, spec by spec, in the order of measurement."""
    place = 0
    for (spec, profile), group in groupby(plan.cells, lambda cell: (cell.spec, cell.profile)):
        cells = list(group)
        counts = {action: sum(cell.action == action for cell in cells) for action in ACTIONS}
        known = (f"{count} {ACTIONS[name]}" for name, count in counts.items() if count)
        yield f"{spec} ({profile}): {', '.join(known)}"
        for cell in cells:
            place += cell.action == "run"
            number = str(place) if cell.action == "run" else ""
            reason = f"  ({cell.reason})" if cell.reason and cell.action != "skip" else ""
            yield f"{number:>5}  {ACTIONS[cell.action]:<13}  {cell_name(cell)}{reason}"
    yield from opening(plan)
    if plan.failed:
        yield "Failed cells are not run again: --retry-failed runs them."
    yield f"Nothing was run. Results: {plan.results}"
