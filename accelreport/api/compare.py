"""`accelreport.compare`: what the command of that name does, for programs, notebooks and tests."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path

import pandas as pd

from accelreport.analysis.compare import Gate
from accelreport.report.comparison import (
    ComparisonRow,
    FolderComparison,
    OverallOutcome,
    alarms,
    compare_folders,
    conclusions,
    read_margin,
)
from accelreport.results.store import existing
from accelreport.terminal.comparison import comparison_text


@dataclass(frozen=True, repr=False)
class Comparison:
    """Two results folders against each other; in a notebook it shows its tables.

    Attributes:
        old: the results folder of what was before.
        new: the results folder of what is now.
    """

    old: Path
    new: Path
    _found: FolderComparison

    @cached_property
    def rows(self) -> pd.DataFrame:
        """One row for each sweep point and device of either folder.

        A swept key is a column by its name. `ratio` is NEW's steady time over OLD's, `low` and
        `high` are the ends of its 95 % interval, `verdict` is FASTER, SLOWER, SAME or UNDECIDED.
        `outcome` is `compared` or says why there is no ratio, and `reasons` tells more.
        """
        return pd.DataFrame([_row(row) for row in self._found.rows], columns=_columns(self._found))

    def assert_not_slower(self, margin: float | str = 0.05, *, decided: bool = False) -> None:
        """Fail a test where NEW is slower than OLD by more than a margin, beyond doubt.

        The rule is that of `accelreport compare --fail-if-slower`. A comparison that too few
        processes leave open is a Python warning, which pytest lists below its tests.

        Args:
            margin: how much longer a step may take: 0.05, or "5%".
            decided: fail, too, where a larger slowdown is not excluded.

        Raises:
            AssertionError: something is slower, failed or cannot be read, or there is nothing
                new to compare; every such row is named.
            ValueError: the margin is none.
        """
        gated = _compared(self.old, self.new, read_margin(str(margin)))
        told = "\n  ".join([f"{self.new} against {self.old}:", *conclusions(gated), *alarms(gated)])
        still_open = bool(gated.gated(Gate.OPEN))
        if gated.result is not OverallOutcome.DONE or (decided and still_open):
            raise AssertionError(told)
        if still_open:
            warnings.warn(told, stacklevel=2)

    def __repr__(self) -> str:
        return "\n".join(comparison_text(self._found))

    def _repr_html_(self) -> str:
        return f"<pre>{escape(repr(self))}</pre>"


def compare(old: str | Path, new: str | Path) -> Comparison:
    """Say what became faster or slower between two results folders.

    Nothing is measured, and TensorFlow is not needed.

    Args:
        old: the results folder of what was before.
        new: the results folder of what is now.

    Raises:
        AccelReportError: one of them is no results folder.
    """
    return Comparison(Path(old), Path(new), _compared(Path(old), Path(new), None))


def _compared(old: Path, new: Path, gate: float | None) -> FolderComparison:
    return compare_folders(existing(old), existing(new), gate)


NAMED = ("spec", "profile", "device")
"""Columns before the swept keys."""


def _row(row: ComparisonRow) -> dict[str, object]:
    values = row.model_dump(mode="json", exclude={"point"})
    return {**values, **row.point, "reasons": "; ".join(row.reasons)}


def _columns(compared: FolderComparison) -> list[str]:
    axes = [key for row in compared.rows for key in row.point]
    others = [
        name for name in ComparisonRow.model_fields if name not in {*NAMED, "point", "reasons"}
    ]
    return list(dict.fromkeys([*NAMED, *axes, *others, "reasons"]))
