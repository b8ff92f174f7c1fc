"""What was measured, as data frames, and a results folder at a glance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path

import pandas as pd

from accelreport.errors import AccelReportError
from accelreport.report.claim_text import claims_frame
from accelreport.report.frames import curve_frame, results_frame, speedups_frame, steps_frame
from accelreport.report.site.assembly import gather
from accelreport.report.view import BenchmarkView
from accelreport.results.record import Record
from accelreport.results.store import Store, existing
from accelreport.runner.events import EndLine
from accelreport.terminal.answer import (
    COLUMNS,
    absences,
    named,
    summary_text,
    table_rows,
    table_title,
)


def summary_html(folder: Path, speedups: pd.DataFrame) -> str:
    """The same as an HTML table; every text in it is escaped."""

    def line(tag: str, texts: tuple[str, ...]) -> str:
        return "<tr>" + "".join(f"<{tag}>{escape(text)}</{tag}>" for text in texts) + "</tr>"

    body = "".join(line("td", row) for row in table_rows(speedups))
    notes = "".join(f"<p>{escape(text)}</p>" for text in absences(speedups))
    return (
        f"<table><caption>{escape(table_title(folder, speedups))}</caption>"
        f"<thead>{line('th', COLUMNS)}</thead><tbody>{body}</tbody></table>{notes}"
    )


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
        return self._united(lambda bench: results_frame(bench.plan, bench.results))

    @cached_property
    def speedups(self) -> pd.DataFrame:
        """One row for each sweep point, device and machine, with its speedup over the baseline.

        The step time and the speedup have intervals, the speedup a verdict. `parity` says
        whether the device learns the same, `withheld` why the speedup must not stand alone.
        """
        return self._united(lambda bench: speedups_frame(bench.plan, bench.compared))

    @cached_property
    def claims(self) -> pd.DataFrame:
        """One row for each claim: its verdict, the numbers and the rule behind it."""
        return self._united(lambda bench: claims_frame(bench.plan, bench.tested))

    @cached_property
    def curves(self) -> pd.DataFrame:
        """One row for each metric of each epoch."""
        return self._united(lambda bench: curve_frame(bench.shown_records))

    @cached_property
    def steps(self) -> pd.DataFrame:
        """One row for each timed step, or window where steps were not timed one by one."""
        return self._united(lambda bench: steps_frame(bench.shown_records))

    @property
    def records(self) -> list[Record]:
        """Every record with all that its process observed."""
        return [record for bench in self._benches for record in bench.records.values()]

    def _united(self, frame_of: Callable[[BenchmarkView], pd.DataFrame]) -> pd.DataFrame:
        return united([named(bench, frame_of(bench)) for bench in self._benches])

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
