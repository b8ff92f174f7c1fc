"""The marks a number carries where it stands: synthetic, extrapolated, one process, failed."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from accelreport.analysis.results import Result
from accelreport.analysis.warnings import REFUSED
from accelreport.report import formatting
from accelreport.report.model import Badge, Entry, Line, Tone
from accelreport.report.text import label
from accelreport.report.view import BenchmarkView, Point, Series

SYNTHETIC = Badge(
    "synthetic data",
    "Measured on a generated stand-in of the same shapes, not on the real data set.",
)
SAMPLE = Badge(
    "sample",
    "Learnt from a sample of the real data set: the quality is that of a small training set.",
    "quiet",
)
USER_SUPPLIED = Badge(
    "own files",
    "Measured on files whose checksums are not the published ones.",
    "quiet",
)
EXTRAPOLATED = Badge(
    "extrapolated",
    "The time budget ended the run; what is missing is added at the pace of the steady steps.",
)
PARTIAL = Badge(
    "partial run",
    "The time budget ended the run before its last step; its steady steps were measured.",
)
SINGLE = Badge("one process", "A single process gives no interval.", "quiet")

KINDS = {
    "no-device": "device not present",
    "data-unavailable": "data not available",
    "data-corrupt": "data damaged",
    "oom-host": "out of memory",
    "oom-device": "out of device memory",
    "timeout": "ran out of time",
    "signal": "process was killed",
    "nan-loss": "loss became NaN",
    "compile-error": "did not compile",
    "worker-lost": "a worker was lost",
    "not-converged": "did not converge",
    "bad-spec": "spec does not fit",
    "bad-plugin": "plugin is broken",
    "interrupted": "interrupted",
    "refused": "refused by the timer's checks",
    "harness-error": "error in accelreport",
}
"""Failure kinds in words."""


def kind_text(row: Result) -> str:
    """Why a row has no numbers, in two or three words."""
    if row.status == "missing":
        return "not run yet"
    if row.status == REFUSED:
        return f"refused: {label(row.failure_kind.replace('-', ' '), 40)}"
    if row.measured:
        return "ended before its first steady step"
    kind = row.failure_kind
    return KINDS.get(kind, label(kind.replace("-", " "), 40) or label(row.status, 40))


def origin_badges(origins: Collection[str]) -> list[Badge]:
    """What is said about the input of some cells, by where it came from."""
    pairs = (("synthetic", SYNTHETIC), ("sample", SAMPLE), ("user-supplied", USER_SUPPLIED))
    return [badge for origin, badge in pairs if origin in origins]


def number_badges(
    rows: Sequence[Result], *, total: bool = False, quality: bool = False
) -> tuple[Badge, ...]:
    """Marks of a number made from the measured ones of `rows`.

    Args:
        rows: every cell of one device and point, measured or not (`BenchmarkView.planned`).
        total: whether the number is the total of a run, which a partial run extrapolates.
        quality: whether the number is what a model learnt, which a sample of the data changes.
    """
    measured = [row for row in rows if row.measured]
    origins = {row.origin for row in measured}
    badges = origin_badges(origins if quality else origins - {"sample"})
    if any(row.status == "partial" for row in measured):
        badges.append(EXTRAPOLATED if total else PARTIAL)
    if len(measured) == 1:
        badges.append(SINGLE)
    if measured:
        badges += _lost(rows)
    return tuple(badges)


def _lost(rows: Sequence[Result]) -> list[Badge]:
    """How many of the planned processes gave nothing, failed ones apart from missing ones."""
    badges = []
    tones: tuple[tuple[str, set[str], Tone], ...] = (
        ("failed", {"failed", "skipped"}, "bad"),
        ("refused", {REFUSED}, "bad"),
        ("not run", {"missing"}, "quiet"),
    )
    for word, states, tone in tones:
        lost = [row for row in rows if row.status in states]
        if lost:
            reasons = formatting.listed(sorted({kind_text(row) for row in lost}))
            text = f"{len(lost)} of {len(rows)} {word}"
            badges.append(Badge(text, f"{text}: {reasons}.", tone))
    return badges


def absence(bench: BenchmarkView, series: Series, point: Point) -> Entry:
    """The cell of a table that has no number, with the reason."""
    rows = bench.planned(series, point)
    texts = sorted({kind_text(row) for row in rows}) or ["not planned"]
    bad = any(row.status in {"failed", REFUSED} for row in rows)
    said = "refused" if any(row.status == REFUSED for row in rows) else "failed"
    return Entry(
        lines=(
            Line(said if bad else "not measured", "value"),
            Line(label(formatting.listed(texts), 90), "reason"),
        ),
        href=bench.evidence(series, point),
        mark="failed" if bad else "absent",
    )
