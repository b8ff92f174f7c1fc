"""The page of one process: everything behind a number, raw.

Where its time went, what was observed, and what the timer found when it checked itself.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from math import nan

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from accelreport.analysis.stability import steps_of_epoch
from accelreport.analysis.warnings import Recorded
from accelreport.report import quantity
from accelreport.report.charts.scales import nice_ticks, plain_duration
from accelreport.report.metrics import Words, metric_text, metric_title, words_of
from accelreport.report.model import (
    Block,
    Code,
    Download,
    Downloads,
    Fact,
    Facts,
    Note,
    Notes,
    Notice,
    Page,
    RawTable,
    Section,
    Sparkline,
    Token,
)
from accelreport.report.pages.machines import DEVICES, machine_facts, machine_id, machine_line
from accelreport.report.pages.sections.about import commands
from accelreport.report.pages.sections.deployment import examples_text, int8_text
from accelreport.report.pages.sections.hardware import joules
from accelreport.report.text import label, sentence, tail
from accelreport.report.theme import series
from accelreport.report.view import BenchmarkView, cell_slug
from accelreport.report.warning_text import reason_text, warning_text, warning_title
from accelreport.results.record import Energy, Record
from accelreport.spec.cells import OMITTED_AT_DEFAULT

Times = NDArray[np.float64]
WIDTH, HEIGHT = 1104.0, 220.0
MOST = 430
"""Columns of the drawing;
with more steps, each column reaches from the least to the most of several."""


def sparkline(record: Record, step: str) -> Sparkline | None:
    """Step times in order, with their mean, the page's number; None with fewer than ten."""
    blocks = [block for block in record.steady.blocks if block.steps]
    stamped = [value for block in blocks for value in block.stamped_s]
    seconds = np.array(stamped or [block.wall_s / block.steps for block in blocks])
    if len(seconds) < 10:
        return None
    scale, _ = quantity.time_unit(float(seconds.max()))
    # Times that are nearly the same would fill the top of an axis from 0.
    start = float(seconds.min()) if seconds.min() > seconds.max() / 2 else 0.0
    ends = start / scale, float(seconds.max()) / scale
    most_ticks = (nice_ticks(*ends, about) for about in range(3, 7))
    ticks = [scale * tick for tick in min(most_ticks, key=lambda own: own[-1])]
    base, top = ticks[0], ticks[-1]

    def height(values: Times) -> Times:
        return HEIGHT * (1 - (values - base) / (top - base)) + 1

    columns = min(len(seconds), MOST)
    starts = np.arange(columns) * len(seconds) // columns
    least, most = (
        height(pick.reduceat(seconds, starts)).tolist() for pick in (np.minimum, np.maximum)
    )
    path = "".join(
        f"V{low:.1f}{f'V{high:.1f}' if high != low else ''}H{(number + 1) * WIDTH / columns:.1f}"
        for number, (low, high) in enumerate(zip(least, most, strict=True))
    )
    mean = record.steady.step_s
    grid, dashed = (
        "".join(f"M0 {y:.1f}H{WIDTH:.0f}" for y in height(np.array(values)))
        for values in (ticks[1:], [mean])
    )
    count = len(seconds)
    numbers = sorted({max(int(tick), 1) for tick in nice_ticks(0, count, 4) if tick <= count})
    at = {number: (number - 0.5) / count for number in numbers}
    grid += "".join(f"M{part * WIDTH:.1f} {HEIGHT - 4:.0f}v5" for part in at.values())
    at_mean = float(height(np.array([mean]))[0])
    mean_text = f'<text y="{at_mean + 4:.0f}">mean {quantity.duration(mean)}</text>'
    across = "".join(
        f'<text x="{100 * part:.2f}%" y="11" text-anchor="middle">{number:,}</text>'
        for number, part in at.items()
    )
    what = f"individually timed {step}" if stamped else f"block of {step}s"
    text = f"Seconds by {what}"
    drawn = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:.0f} {HEIGHT:.0f}" '
        f'width="{WIDTH:.0f}" height="{HEIGHT:.0f}" preserveAspectRatio="none" role="img" '
        'aria-labelledby="spark-t">'
        f'<title id="spark-t">{text}</title>'
        f'<path d="{grid}" stroke="var(--grid)"/>'
        f'<path d="M0 {path[1:]}" fill="none" stroke="{series(0)}" stroke-width="1.5" '
        'vector-effect="non-scaling-stroke"/>'
        f'<path d="{dashed}" stroke="var(--ink)" stroke-dasharray="6 4"/></svg>'
        f'<svg class="ends">{mean_text}</svg><svg class="across">{across}'
        f'<text x="50%" y="28" text-anchor="middle">{what}</text></svg>'
    )
    figure = Markup(drawn)  # noqa: S704 -- numbers and our own words only
    highest, *others, lowest = map(plain_duration, reversed(ticks))
    return Sparkline(figure, (f"{highest} a {step}", *others, f"{'from ' * (base > 0)}{lowest}"))


_OUTCOMES = {"passed": "passed", "failed": "found"}


def checks_section(record: Record) -> Section | None:
    """What was looked for, and what was seen where it was found; None where nothing was."""
    # Earlier versions passed checks of steady windows where there was none.
    of_steady = {"loaded-machine", "compile-inside"} if not record.steady.blocks else set()
    checks = [
        check
        for check in record.checks
        if check.outcome in _OUTCOMES
        and not (check.name in of_steady and check.outcome == "passed")
    ]
    if not checks:
        return None
    rows = tuple(
        (
            sentence(label(check.name.replace("-", " "), 60)),
            _OUTCOMES[check.outcome],
            label(check.expected, 300) or "–",
            label(check.seen, 400) if check.outcome == "failed" else "",
        )
        for check in checks
    )
    counts = Counter(_OUTCOMES[check.outcome] for check in checks)
    detail = ", ".join(f"{count} {outcome}" for outcome, count in counts.items())
    columns = ("fault", "outcome", "expected", "seen")
    table = RawTable(title="Faults", columns=columns, rows=rows, words=True)
    return Section("checks", "Self-checks", (table,), folded=True, detail=detail)


MOST_BLOCKS = 500
"""Rows of the table of blocks; the record's JSON has every one."""

_STAGES = (
    ("process_s", "process start"),
    ("import_s", "importing {framework}"),
    ("prepared_s", "shared before launch"),
    ("data_s", "data"),
    ("build_s", "model, optimizer"),
    ("first_step_s", "{first}"),
    ("train_s", "all {step}s, warm-up included"),
    ("evaluate_s", "evaluations, untimed"),
    ("observe_s", "observations"),
    ("checks_s", "self-checks"),
    ("wall_s", "launch to end"),
)


def stages_section(record: Record) -> Section | None:
    """Seconds of each stage of the process; None where none was timed."""
    words = words_of(record.cell.workload)
    named = {"framework": record.cell.device_spec.framework_name} | vars(words)
    rows = [
        Fact(sentence(text.format_map(named)), quantity.duration(seconds))
        for name, text in _STAGES
        if (seconds := getattr(record.times, name)) is not None
    ]
    if not rows:
        return None
    detail = f"{rows[-1].value}, {rows[-1].term.lower()}"
    return Section("times", "Stages", (Facts(tuple(rows)),), folded=True, detail=detail)


def blocks_section(bench: BenchmarkView, record: Record) -> Section | None:
    """Every timed block as it was read, with a drawing of its steps; None without any."""
    if not record.blocks:
        return None
    step, in_rounds = bench.words.step, bench.words.round
    shown = record.blocks[:MOST_BLOCKS]
    rows = tuple(
        (
            str(number),
            *([str(block.epoch)] if in_rounds else []),
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
    table = RawTable(
        title=f"Blocks: {quantity.count(len(record.blocks))}",
        columns=(
            "block", *([in_rounds] if in_rounds else []), f"first {step}", f"{step}s", "wall s",
            f"ms a {step}", "CPU s", "others’ CPU s", "part",
        ),
        rows=rows,
        folded=True,
    )  # fmt: skip
    drawn = sparkline(record, step)
    blocks: tuple[Block, ...] = (drawn, table) if drawn else (table,)
    return Section("blocks", f"Timed {step}s", blocks)


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
    table = RawTable("Every epoch", columns, rows)
    detail = quantity.plural(len(rows), "epoch")
    if record.epochs[-1].steps < steps_of_epoch(record):
        detail += f", {'the last ' * (len(rows) > 1)}incomplete"
    return Section("curve", "Learning curve", (table,), folded=True, detail=detail)


LONGEST_IN_COLUMNS = 60
"""Letters of a fact that still fits into a column."""


def result_section(bench: BenchmarkView, record: Record) -> Section | None:
    """Failure, warnings, and the numbers that come from this record."""
    blocks: list[Block] = []
    notes = [
        Note(
            f"{sentence(warning_title(w.kind))}.",
            sentence(label(warning_text(Recorded(w.kind, nan, w.message)), 600)),
            tone="loud",
        )
        for w in record.warnings
    ]
    if record.failure is not None:
        failure = record.failure
        title = f"{sentence(reason_text(failure.kind))}."
        remedy = sentence(label(failure.remedy, 600))
        notes.insert(0, Note(title, label(failure.message, 2000), remedy, tone="bad"))
    if notes:
        blocks.append(Notes(tuple(notes)))
    blocks += in_columns(_numbers(bench, record))
    if record.failure is not None and record.failure.traceback:
        blocks.append(Code("Traceback", (Token(tail(record.failure.traceback)),), folded=True))
    return Section("result", "Result", tuple(blocks)) if blocks else None


def _numbers(bench: BenchmarkView, record: Record) -> list[Fact]:
    """The time of a step, what the benchmark asks of the model, and the memory."""
    facts = []
    window, memory = record.steady, record.memory_of_all
    if window.steps:
        facts.append(Fact(f"Steady {bench.words.step}", quantity.duration(window.step_s)))
        facts.append(Fact("CPU ÷ wall time", quantity.number(window.cpu_per_wall)))
    if bench.quality in record.final:
        value = metric_text(bench.quality, record.final[bench.quality])
        facts.append(Fact(sentence(metric_title(bench.quality)), value))
    if record.parameters is not None:
        facts.append(Fact("Parameters", quantity.count(record.parameters)))
    if memory.host_peak_bytes is not None:
        facts.append(Fact("Peak memory, host", quantity.size(memory.host_peak_bytes)))
    if memory.device_peak_bytes is not None and record.cell.device_spec.kind != "CPU":
        facts.append(Fact("Peak memory, device", quantity.size(memory.device_peak_bytes)))
    return facts


def numbers_section(record: Record) -> Section | None:
    """Every metric, the counted work and the energy of a record; None without any."""
    of = examples_text(record)
    facts = []
    for name, value in sorted(record.final.items()):
        own = of * (name in {"quantised_val_accuracy", "quantised_accuracy_loss"})
        text = ", ".join(filter(None, (metric_text(name, value), own)))
        facts.append(Fact(sentence(metric_title(name)), text))
    detail = [quantity.plural(len(facts), "metric")] * bool(facts)
    if record.flops:
        count = quantity.operations(record.flops.per_step)
        detail.append(count)
        of = f"a {words_of(record.cell.workload).step}"
        # Earlier records: a kernel's formula of a whole call, and "backward" also of an inference.
        how, bytes_how = (
            label(text.removeprefix("COUNT · ").replace(", forward and backward", ""), 400)
            for text in (record.flops.method, record.flops.bytes_method)
        )
        facts.append(Fact("FLOPs", f"{count} {of} ({how})"))
        if record.flops.bytes_per_step is not None:
            moved = quantity.size(record.flops.bytes_per_step)
            facts.append(Fact("Bytes", f"{moved} {of} ({bytes_how})"))
    if record.quantised:
        facts.append(Fact("int8", int8_text(record.quantised)))
    facts += [_energy(energy) for energy in record.energy]
    if not facts:
        return None
    blocks = tuple(in_columns(facts))
    return Section("numbers", "Every number", blocks, folded=True, detail=" · ".join(detail))


def _energy(energy: Energy) -> Fact:
    term = f"Energy, {label(energy.sensor, 20)} ({label(energy.scope, 40)})"
    if energy.joules is None:
        return Fact(term, f"not read: {label(energy.absent, 300)}")
    parts = (
        joules(energy.joules),
        quantity.duration(energy.window_s),
        quantity.plural(energy.steps, "step"),
        label(", ".join(energy.parts), 120),
        f"± {joules(energy.unit_j or 0.0)}",
        f"every {quantity.duration(energy.update_s)}",
    )
    return Fact(term, "; ".join(parts))


def in_columns(facts: list[Fact]) -> list[Block]:
    """Facts in columns; those that need a line of their own stand below."""
    blocks: list[Block] = []
    for long in (False, True):
        some = tuple(fact for fact in facts if (len(fact.value) > LONGEST_IN_COLUMNS) is long)
        if some:
            blocks.append(Facts(some, long=long))
    return blocks


def cell_page(
    bench: BenchmarkView, record: Record, machine: str, benches: Sequence[BenchmarkView]
) -> Page:
    """The page of a record.

    Args:
        bench: the first plan that asks for the cell.
        record: what was observed.
        machine: the record's machine.
        benches: every plan that asks for the cell.
    """
    point = tuple(record.cell.point.get(axis) for axis in bench.axes)
    device, where = bench.title_of(record.cell.device), bench.at(point, ", ")
    refusal = bench.refusal(record, machine)
    headline, finding = _answer(bench.words, record, refusal, device, bench.at(point))
    log, file = None, f"{cell_slug(record.key, machine)}.json"
    if record.log_tail.strip():
        lines = quantity.plural(len(record.log_tail.splitlines()), "line")
        code = Code("", (Token(tail(record.log_tail)),))
        log = Section("log", "Log", (code,), folded=True, detail=lines)
    place = f"../{DEVICES}#{machine_id(machine)}" if record.environment else ""
    states = {"ok": "complete", "partial": "stopped by budget"}
    sections = (
        result_section(bench, record),
        blocks_section(bench, record),
        numbers_section(record),
        checks_section(record),
        stages_section(record),
        curve_section(record),
        _asked(bench, record),
        _input(record),
        Section(
            "environment",
            "Environment",
            machine_facts([record], page=f"../{DEVICES}"),
            folded=True,
            detail=machine_line([record]),
        ),
        log,
        Section("files", "Files", (Downloads((Download(file, file),)),), folded=True, detail=file),
    )
    return Page(
        path=f"cells/{cell_slug(record.key, machine)}.html",
        title=f"{device}{where}, seed {record.cell.seed}",
        headline=headline,
        kicker=f"seed {record.cell.seed}",
        finding=finding,
        sections=tuple(section for section in sections if section),
        template="cell.html",
        record="Record",
        byline=(
            Fact("State", states.get(record.status, record.status)),
            Fact("Started", quantity.moment(label(record.started_at, 60))),
            Fact("Ended", quantity.moment(label(record.finished_at, 60))),
            Fact("Machine", label(machine, 20), href=place),
            Fact("Cell", label(record.key, 20)),
        ),
        notices=_notices(record),
        crumbs=tuple(Download(f"{owner.slug}.html", owner.named) for owner in benches),
    )


def _answer(words: Words, record: Record, refusal: str, who: str, at: str) -> tuple[str, str]:
    """What became of the cell, as the heading of its page, and what that rests on.

    Args:
        words: of its family.
        record: what was observed.
        refusal: why its number is not shown; empty where it is.
        who: the device.
        at: the sweep point, to go behind a number.
    """
    if refusal:
        return f"{who} refused{at}", f"{label(refusal, 600)}."
    if record.failure is not None and record.status == "failed":
        kind = record.failure.kind
        return f"{who} failed{at}", f"{sentence(reason_text(kind))}."
    window = record.steady
    if not window.steps:
        return f"{who}: no steady {words.step}{at}", ""
    of = f" of {quantity.count(record.planned_steps)}" * bool(record.planned_steps)
    timed = f"{quantity.count(window.steps)}{of} {words.step}s timed after the warm-up"
    return f"{who}: {quantity.duration(window.step_s)} a {words.step}{at}", timed


def _notices(record: Record) -> tuple[Notice, ...]:
    notices = []
    if record.data and record.data.origin == "synthetic":
        text = label(record.data.note, 300)
        notices.append(Notice("Synthetic data.", text))
    if record.data and record.data.origin == "sample":
        notices.append(Notice("Sample.", label(record.data.note, 400)))
    if record.status == "partial":
        notices.append(Notice("Partial run.", "The time budget stopped it."))
    return tuple(notices)


def _asked(bench: BenchmarkView, record: Record) -> Section:
    cell = record.cell
    device = cell.device_spec
    unsaid = {
        key
        for key in OMITTED_AT_DEFAULT
        if getattr(device, key) == type(device).model_fields[key].default
    }
    asked = {
        "workload": cell.workload,
        "device": device.model_dump(mode="json", exclude=unsaid),
        "measure": cell.measure.model_dump(
            mode="json", exclude=set() if cell.measure.split else {"split"}
        ),
        "seed": cell.seed,
    }
    # A reader sees each key, and text in it is escaped, never raw.
    spec = json.dumps(asked, indent=1, ensure_ascii=True, default=str)
    blocks = (
        Code("", commands(bench, record)),
        Code("Spec", (Token(spec),)),
    )
    return Section("asked", "Run it yourself", blocks, folded=True, detail="command and spec")


def _input(record: Record) -> Section | None:
    data = record.data
    if data is None:
        return None
    facts = [
        Fact("Data set", label(data.dataset, 80)),
        Fact("Origin", data.origin),
        Fact("Fingerprint", label(data.fingerprint, 80)),
        Fact("Training examples", quantity.count(data.train_examples)),
        Fact("Validation examples", quantity.count(data.validation_examples)),
    ]
    facts += [Fact("Seed", str(data.seed))] if data.seed is not None else []
    facts += [Fact("Note", label(data.note, 300))] if data.note else []
    facts += [Fact(label(name, 80), label(sha, 80)) for name, sha in sorted(data.files.items())]
    return Section("input", "Input", tuple(in_columns(facts)), folded=True, detail=facts[0].value)
