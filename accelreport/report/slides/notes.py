"""Presenter's notes: conditions, and the commands that measure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from accelreport.report.notices import notices_of
from accelreport.report.pages.sections.about import checkout_of, site_commands
from accelreport.report.view import BenchmarkView, measured_records


def measure_again(benches: Sequence[BenchmarkView]) -> tuple[str, ...]:
    """Notes to the last slide: the commands that measure, on one line."""
    # They run where they are pasted: no comment hides those behind it, and no full stop ends them.
    lines = [token.text.strip() for token in site_commands(benches) if token.role != "note"]
    _, code = checkout_of(measured_records(benches))
    return (f"Commands{f' ({code})' * bool(code)}: {'; '.join(lines)}",)


def notice_sentences(benches: Sequence[BenchmarkView]) -> list[str]:
    """What must be said before any number."""
    return [f"{notice.title} {notice.text}" for notice in notices_of(benches)]


def unique(sentences: Iterable[str]) -> tuple[str, ...]:
    """Each sentence once, without empty ones."""
    return tuple(dict.fromkeys(text for text in sentences if text))
