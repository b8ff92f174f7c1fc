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
from accelreport.report.pages.headline import headline
from accelreport.report.pages.sections.problems import notices_of
from accelreport.report.site.assembly import gather, views
from accelreport.report.view import BenchmarkView
from accelreport.results.plan_document import PlanDocument
from accelreport.results.record import Record
from accelreport.results.store import Store, existing
from accelreport.runner.events import EndLine

COLUMNS = ("benchmark", "point", "device", "processes", "step", "speedup", "verdict")

FIXED = frozenset({"spec", "profile", *SPEEDUP_COLUMNS})
"""Columns of `Results.speedups` that are no swept key."""


MOST_ROWS = 40
"""So many rows of a benchmark stand at the end of a run; its page shows all of them."""


def summary_text(folder: Path, speedups: pd.DataFrame) -> str:
    """The rows in columns of equal width, then what was not measured."""
    lines = _aligned([COLUMNS, *_rows(speedups)])
    return "\n".join([_title(folder, speedups), *lines, *_absent(speedups)])


def answers(store: Store, plans: Sequence[PlanDocument]) -> Iterator[str]:
    """What was measured for some plans, as a run ends with it: lines for a terminal.

    Of each benchmark its headline, the table of its speedups, and what to know of its numbers:
    stand-ins for the data, extrapolated totals, every kind of warning.

    Args:
        store: the results folder; only the records of these plans are read.
        plans: the plans, as the run began with them; repeats that it added count, too.
    """
    now = [store.plan(plan.spec, plan.profile) or plan for plan in plans]
    places = store.machines({cell.key for plan in now for cell in plan.cells})
    found = [store.get(key, machine) for key, machines in places.items() for machine in machines]
    for bench in views(now, [record for record in found if record is not None]):
        yield ""
        yield f"{bench.plan.title} ({bench.plan.spec}, {bench.plan.profile})"
        yield f"  {headline(bench)}"
        first = 1 if bench.axes else 2
        rows = [row[first:] for row in (COLUMNS, *_rows(_named(bench, bench.speedups)))]
        # One row alone is the headline again.
        for line in _aligned(rows[: MOST_ROWS + 1]) if len(rows) > 2 else ():
            yield f"  {line}"
        if len(rows) > MOST_ROWS + 1:
            yield f"  and {plural(len(rows) - MOST_ROWS - 1, 'more row')} in the report"
        for notice in notices_of([bench]):
            yield f"  ⚠ {notice.title} {notice.text}"
        if warned := _warned(bench):
            yield f"  ⚠ {warned}; the report tells more"


def _warned(bench: BenchmarkView) -> str:
    """Each kind of warning, and how many of the measured cells it is about."""
    rows = [row for row in bench.rows if row.measured]
    counts = Counter(kind for row in rows for kind in {each.kind for each in row.warnings})
    every = {len(rows): "every measured cell"}
    told = (
        f"{kind.replace('-', ' ')}: {every.get(count) or plural(count, 'cell')}"
        for kind, count in counts.most_common()
    )
    return "; ".join(told)


def _aligned(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        texts = (text.ljust(width) for text, width in zip(row, widths, strict=True))
        yield "  ".join(texts).rstrip()


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
        return united([_named(bench, frame_of(bench)) for bench in self._benches])

    def __repr__(self) -> str:
        return summary_text(self.folder, self.speedups)

    def _repr_html_(self) -> str:
        return summary_html(self.folder, self.speedups)


def _named(bench: BenchmarkView, frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with the names of its benchmark as first columns."""
    named = frame.copy()
    named.insert(0, "profile", bench.plan.profile)
    named.insert(0, "spec", bench.plan.spec)
    return named


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
