"""What was measured, as data frames, and a results folder at a glance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd

from accelreport.analysis.stats import Verdict
from accelreport.errors import AccelReportError
from accelreport.report.formatting import duration, plural, ratio, ratio_interval
from accelreport.report.frames import SPEEDUP_COLUMNS
from accelreport.report.site.assembly import gather
from accelreport.report.view import BenchmarkView
from accelreport.results.record import Record
from accelreport.results.store import Store, existing
from accelreport.runner.events import EndLine

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


@dataclass(frozen=True, repr=False)
class Results:
    """Everything in a results folder; in a notebook it shows its speedups.

    Every frame begins with the columns `spec` and `profile`. Seconds, bytes and fractions
    throughout; a swept key is a column by its name, empty in rows of other specs.

    Attributes:
        folder: the results folder.
        outcome: how many cells were measured, skipped and so on, when it comes from `run`.
        problems: a sentence for each file that could not be read.
    """

    folder: Path
    outcome: EndLine | None = None
    problems: tuple[str, ...] = ()
    _benches: tuple[BenchmarkView, ...] = ()

    @cached_property
    def cells(self) -> pd.DataFrame:
        """One row for each planned cell and machine: status, times, metrics, warnings."""
        return self._united(lambda bench: bench.cells)

    @cached_property
    def speedups(self) -> pd.DataFrame:
        """One row for each sweep point, device and machine, with its speedup over the baseline.

        The step time and the speedup have intervals, the speedup a verdict. `parity` says
        whether the device learns the same, `withheld` why the speedup must not stand alone.
        """
        return self._united(lambda bench: bench.speedups)

    @cached_property
    def claims(self) -> pd.DataFrame:
        """One row for each claim: its verdict, the numbers and the rule behind it."""
        return self._united(lambda bench: bench.claims)

    @cached_property
    def curves(self) -> pd.DataFrame:
        """One row for each metric of each epoch."""
        return self._united(lambda bench: bench.curves)

    @cached_property
    def steps(self) -> pd.DataFrame:
        """One row for each timed step, or window where steps were not timed one by one."""
        return self._united(lambda bench: bench.steps)

    @property
    def records(self) -> list[Record]:
        """Every record with all that its process observed."""
        return [record for bench in self._benches for record in bench.records.values()]

    def _united(self, frame_of: Callable[[BenchmarkView], pd.DataFrame]) -> pd.DataFrame:
        frames = []
        for bench in self._benches:
            frame = frame_of(bench).copy()
            frame.insert(0, "profile", bench.plan.profile)
            frame.insert(0, "spec", bench.plan.spec)
            frames.append(frame)
        return united(frames)

    def __repr__(self) -> str:
        return summary_text(self.folder, self.speedups)

    def _repr_html_(self) -> str:
        return summary_html(self.folder, self.speedups)


def united(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Frames below each other, with every column that one of them has."""
    columns = list(dict.fromkeys(name for frame in frames for name in frame.columns))
    filled = [_nullable(frame) for frame in frames if len(frame)]
    if not filled:
        return pd.DataFrame(columns=columns)
    return pd.concat(filled, ignore_index=True).reindex(columns=columns)


def _nullable(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with whole numbers that stay whole beside rows which have none."""
    whole = frame.select_dtypes("integer").columns
    return frame.astype(dict.fromkeys(whole, "Int64"))


def load_results(folder: str | Path = "results") -> Results:
    """Read a results folder.

    Args:
        folder: where `run` left its results.

    Raises:
        AccelReportError: there is no such folder, or nothing in it.
    """
    return results_of(Path(folder))


def results_of(folder: Path, outcome: EndLine | None = None) -> Results:
    """The content of a results folder, with the outcome of the run that left it, if any.

    Raises:
        AccelReportError: there is no such folder, or nothing in it.
    """
    existing(folder)
    store = Store(folder)
    try:
        benches = tuple(gather(store))
    except AccelReportError as error:
        error.what = f"There are no results in {folder}."
        raise
    return Results(folder, outcome, tuple(str(problem) for problem in store.problems), benches)
