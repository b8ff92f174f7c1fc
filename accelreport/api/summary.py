"""A results folder at a glance: its speedups, as text and as a small table for notebooks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd

from accelreport.analysis.frames import SPEEDUP_COLUMNS
from accelreport.analysis.verdicts import Verdict
from accelreport.report.formatting import duration, plural, ratio, ratio_interval

COLUMNS = ("benchmark", "point", "device", "processes", "step", "speedup", "verdict")

FIXED = frozenset({"spec", "profile", *SPEEDUP_COLUMNS})
"""Columns of `Results.speedups` that are no swept key."""


def summary_text(folder: Path, speedups: pd.DataFrame) -> str:
    """The rows in columns of equal width, then what was not measured."""
    rows = [COLUMNS, *_rows(speedups)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(COLUMNS))]
    lines = (
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
    return "\n".join([_title(folder, speedups), *lines, *_absent(speedups)])


def summary_html(folder: Path, speedups: pd.DataFrame) -> str:
    """The same as an HTML table; every text in it is escaped."""

    def line(tag: str, texts: tuple[str, ...]) -> str:
        return "<tr>" + "".join(f"<{tag}>{escape(text)}</{tag}>" for text in texts) + "</tr>"

    body = "".join(line("td", row) for row in _rows(speedups))
    notes = "".join(f"<p>{escape(text)}</p>" for text in _absent(speedups))
    return (
        f"<table><caption>{escape(_title(folder, speedups))}</caption>"
        f"<thead>{line('th', COLUMNS)}</thead><tbody>{body}</tbody></table>{notes}"
    )


def _title(folder: Path, speedups: pd.DataFrame) -> str:
    benchmarks = speedups[["spec", "profile"]].drop_duplicates() if len(speedups) else speedups
    return f"{folder}: {plural(len(benchmarks), 'benchmark')}"


def _rows(speedups: pd.DataFrame) -> Iterator[tuple[str, ...]]:
    axes = [name for name in speedups.columns if name not in FIXED]
    for row in speedups.to_dict("records"):
        if row["verdict"] == Verdict.NOT_MEASURED:
            continue
        point = ", ".join(f"{axis}={row[axis]}" for axis in axes if not pd.isna(row[axis]))
        yield (
            f"{row['spec']} ({row['profile']})",
            point,
            str(row["device"]),
            str(row["n"]),
            duration(row["seconds"]),
            _speedup(row),
            _said(row),
        )


def _absent(speedups: pd.DataFrame) -> list[str]:
    """A line for each device and reason for which rows were not measured."""
    rows = (row for row in speedups.to_dict("records") if row["verdict"] == Verdict.NOT_MEASURED)
    counts = Counter((row["device"], row["reason"]) for row in rows)
    return [
        f"not measured, {plural(count, 'row')}: {device}: {reason}"
        for (device, reason), count in sorted(counts.items())
    ]


def _speedup(row: dict[Any, Any]) -> str:
    if pd.isna(row["speedup"]):
        return "–"
    if row["verdict"] == Verdict.BASELINE:
        return "1×"
    found = ratio(row["speedup"], row["low"], row["high"])
    if pd.isna(row["low"]):
        return f"{found} (no interval)"
    return f"{found} ({ratio_interval(row['low'], row['high'], row['speedup'])})"


def _said(row: dict[Any, Any]) -> str:
    """The verdict, and why the speedup must not stand alone or is missing."""
    reason = row["withheld"] or row["reason"]
    return f"{row['verdict']}: {reason}" if reason else str(row["verdict"])
