"""What a record says was observed: its failure, its warnings, its numbers."""

from __future__ import annotations

from accelreport.analysis.stability import steady
from accelreport.report import formatting
from accelreport.report.bench import Bench
from accelreport.report.metrics import metric_text, metric_title
from accelreport.report.model import Block, Code, Fact, Facts, Note, Notes, Section, Token
from accelreport.report.pages.marks import KINDS
from accelreport.report.pages.resources import joules
from accelreport.report.text import label, sentence, tail
from accelreport.report.words import Words
from accelreport.results.record import Energy, Record

LONGEST_IN_COLUMNS = 60
"""Letters of a fact that still fits into a column."""


def result_section(bench: Bench, record: Record) -> Section | None:
    """Failure, warnings, and the numbers that come from this record."""
    blocks: list[Block] = []
    notes = [
        Note(
            sentence(label(w.kind.replace("-", " "), 80)) + ".",
            sentence(label(w.message, 600)),
            tone="loud",
        )
        for w in record.warnings
    ]
    if record.failure is not None:
        failure = record.failure
        title = f"{sentence(KINDS.get(failure.kind, label(failure.kind, 60)))}."
        notes.insert(
            0, Note(title, label(failure.message, 2000), label(failure.remedy, 600), tone="bad")
        )
    if notes:
        blocks.append(Notes(tuple(notes)))
    facts = _numbers(bench.words, record)
    blocks += in_columns(facts)
    if record.failure is not None and record.failure.traceback:
        blocks.append(Code("Traceback", (Token(tail(record.failure.traceback)),), folded=True))
    return Section("result", "Result", tuple(blocks)) if blocks else None


def _numbers(words: Words, record: Record) -> list[Fact]:
    facts = [
        Fact(sentence(metric_title(name)), metric_text(name, value))
        for name, value in sorted(record.final.items())
    ]
    window = steady(record)
    if window.steps:
        facts.append(Fact(f"Steady {words.step}", formatting.duration(window.step_s)))
        facts.append(Fact("CPU time ÷ wall time", formatting.number(window.cpu_per_wall)))
    if record.flops:
        count = formatting.operations(record.flops.per_step)
        facts.append(
            Fact(f"Arithmetic of a {words.step}", f"{count} ({label(record.flops.method, 400)})")
        )
        if record.flops.bytes_per_step is not None:
            moved = formatting.size(record.flops.bytes_per_step)
            facts.append(
                Fact("Bytes of its products", f"{moved} ({label(record.flops.bytes_method, 400)})")
            )
    if record.parameters is not None:
        facts.append(Fact("Parameters", formatting.count(record.parameters)))
    memory = record.memory
    if memory.host_peak_bytes is not None:
        facts.append(Fact("Peak memory, host", formatting.size(memory.host_peak_bytes)))
    if memory.device_peak_bytes is not None:
        facts.append(Fact("Peak memory, device", formatting.size(memory.device_peak_bytes)))
    return facts + [_energy(energy) for energy in record.energy]


def _energy(energy: Energy) -> Fact:
    term = f"Energy, {label(energy.sensor, 20)} ({label(energy.scope, 40)})"
    if energy.joules is None:
        return Fact(term, f"not read: {label(energy.absent, 300)}")
    return Fact(
        term,
        f"{joules(energy.joules)} in {formatting.duration(energy.window_s)} and "
        f"{formatting.plural(energy.steps, 'steady step')}; {label(', '.join(energy.parts), 120)}; "
        f"counted in {joules(energy.unit_j or 0.0)}, updated every "
        f"{formatting.duration(energy.update_s)}; sensor-grade",
    )


def in_columns(facts: list[Fact]) -> list[Block]:
    """Facts in columns; those that need a line of their own stand below."""
    blocks: list[Block] = []
    for long in (False, True):
        some = tuple(fact for fact in facts if (len(fact.value) > LONGEST_IN_COLUMNS) is long)
        if some:
            blocks.append(Facts(some, long=long))
    return blocks
