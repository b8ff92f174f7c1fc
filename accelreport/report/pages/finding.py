"""Sentences computed from the data: what a page found, said before any table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from accelreport.report import formatting
from accelreport.report.bench import Bench, Point, Series
from accelreport.report.frames import present
from accelreport.report.metrics import is_share, metric_title
from accelreport.report.pages.marks import kind_text
from accelreport.report.text import sentence as capital


@dataclass(frozen=True)
class Compared:
    """A device with a speedup at a point."""

    series: Series
    point: Point
    row: dict[str, Any]

    @property
    def speedup(self) -> float:
        """The factor."""
        return float(self.row["speedup"])

    @property
    def text(self) -> str:
        """The factor, formatted."""
        return formatting.ratio(self.speedup, self.row["low"], self.row["high"])

    @property
    def interval(self) -> str:
        """The interval in brackets, or that there is none."""
        low, high = self.row["low"], self.row["high"]
        if not present(low) or not present(high):
            return "(one process each, so no interval)"
        level = formatting.fixed(100 * self.row["level"], 0)
        between = formatting.ratio_interval(low, high, self.speedup)
        return f"({level}{formatting.SPACE}% interval {between})"


def compared(bench: Bench) -> list[Compared]:
    """Every device and point with a speedup, the baseline left out."""
    found = []
    for series in bench.series:
        for point in bench.points:
            row = bench.speedup(series, point)
            if not series.baseline and row and present(row["speedup"]):
                found.append(Compared(series, point, row))
    return found


def interval_text(bench: Bench) -> str:
    """What the intervals of the speedups are, in a sentence."""
    found = compared(bench)
    paired = [each for each in found if each.row["paired"]]
    if not found:
        return ""
    if len(paired) == len(found):
        how = "compares within repeats"
    elif paired:
        how = "compares within repeats where both devices ran them, between processes elsewhere"
    else:
        how = "compares between processes, whose spread may differ (Welch)"
    return f"The interval is Student’s t on logarithms and {how}."


def headline(bench: Bench) -> str:
    """The one sentence of a benchmark (two, when something is absent)."""
    if not bench.shown_series:
        return "Nothing has been measured yet."
    found = [each for each in compared(bench) if not each.row["withheld"]]
    baseline = bench.title_of(bench.plan.baseline)
    said = _best(bench, found, baseline) if found else _absolute(bench)
    prefix = "On synthetic data, " if _synthetic(bench) else ""
    return capital(prefix + said) + _absent(bench)


def _synthetic(bench: Bench) -> bool:
    return any(row["origin"] == "synthetic" for row in bench.rows)


def _best(bench: Bench, found: list[Compared], baseline: str) -> str:
    """The largest factor that was decided; without one, that nothing was."""
    decided = [each for each in found if each.row["verdict"] in {"FASTER", "SLOWER", "SAME"}]
    known = [each for each in found if present(each.row["low"])]
    if not decided and known:
        return _undecided(bench, known, baseline)
    best = max(decided or found, key=lambda each: each.speedup)
    verb = "multiplies" if bench.words.kernel else "trains"
    sentence = f"{best.series.title} {verb} {best.text} as fast as {baseline}"
    if bench.axes:
        sentence += f" at {bench.point_title(best.point)}"
    sentence += f" {best.interval}"
    return sentence + _range(bench, best, decided or found) + "." + _same_quality(best)


def _undecided(bench: Bench, known: list[Compared], baseline: str) -> str:
    """The comparison with the narrowest interval, which still holds 1×."""
    nearest = min(known, key=lambda each: each.row["high"] / each.row["low"])
    where = f" at {bench.point_title(nearest.point)}" if bench.axes else ""
    return (
        f"{nearest.series.title} and {baseline} cannot be told apart{where} {nearest.interval}: "
        "more processes would narrow the interval."
    )


def _same_quality(best: Compared) -> str:
    """Whether the faster device learnt as well; a speedup means little without it."""
    row = best.row
    if row["parity"] != "EQUIVALENT" or not is_share(row["parity_metric"]):
        return ""
    margin = formatting.short(100 * row["parity_within"])
    return f" Both reach the same {metric_title(row['parity_metric'])} (± {margin} points)."


def _range(bench: Bench, best: Compared, found: list[Compared]) -> str:
    """How the same device does at the point where it does worst."""
    own = [each for each in found if each.series == best.series and each is not best]
    if not own:
        return ""
    worst = min(own, key=lambda each: each.speedup)
    return f" and {worst.text} at {bench.point_header(worst.point)}"


def _absolute(bench: Bench) -> str:
    """What the only measured device does, when there is nothing to compare."""
    series = bench.shown_series[0]
    point = next(p for p in bench.points if bench.measured(series, p))
    row = bench.speedup(series, point)
    if row is None or not present(row["seconds"]):
        return f"{series.title} ended before its first steady {bench.words.step}."
    seconds = formatting.duration(row["seconds"], row["seconds_low"], row["seconds_high"])
    where = f" at {bench.point_title(point)}" if bench.axes else ""
    return f"{series.title} takes {seconds} a {bench.words.step}{where}."


def _absent(bench: Bench) -> str:
    """Which devices have no number at all, and why."""
    reasons: dict[str, list[str]] = {}
    for series in bench.series:
        if series in bench.shown_series:
            continue
        rows = [row for point in bench.points for row in bench.planned(series, point)]
        why = formatting.listed(sorted({kind_text(row) for row in rows}))
        reasons.setdefault(why, []).append(series.title)
    said = [
        f" {formatting.listed(who)} {_was(who)} not measured: {why}."
        for why, who in reasons.items()
    ]
    return "".join(said)


def _was(who: list[str]) -> str:
    return "was" if len(who) == 1 else "were"
