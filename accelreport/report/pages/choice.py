"""Which device for what: a table derived from what was measured, not an opinion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from accelreport.analysis.choice import best_devices
from accelreport.analysis.overview import Benchmark
from accelreport.report import formatting
from accelreport.report.bench import Bench
from accelreport.report.frames import plain_rows, present
from accelreport.report.model import Column, Entry, Line, Row, RowGroup, Section, Table
from accelreport.report.pages.matrix import MOST_POINTS
from accelreport.report.text import label
from accelreport.report.words import axis_title


def choice_section(benches: Sequence[Bench]) -> Section | None:
    """The section; None where no two devices were measured at the same point."""
    found = best_devices([Benchmark(bench.plan, bench.cells) for bench in benches])
    rows = [row for row in plain_rows(found) if row["runner_up"]]
    if not rows:
        return None
    groups = []
    for bench in benches:
        name = (bench.plan.spec, bench.plan.profile)
        own = [row for row in rows if (row["spec"], row["profile"]) == name]
        if own:
            groups.append(
                RowGroup(
                    _rows(bench, own),
                    title=label(bench.plan.title),
                    href=f"{bench.slug}.html",
                    detail=f"{label(bench.plan.profile, 40)} profile",
                )
            )
    table = Table(
        id="choice-table",
        title="The fastest device at each point, and by how much",
        caption=(
            "By steady time, with the 95 % interval of the factor over processes. A device is "
            "named alone only where it was shown to be faster than every other one; otherwise "
            "those it was not told apart from stand beside it. Cost is what a million steps take "
            "at the prices of the devices file."
        ),
        corner="sweep point",
        columns=(
            Column("use"),
            Column("faster than the next", number=True),
            Column("a step takes", number=True),
            Column("cheapest"),
        ),
        groups=tuple(groups),
        style="prose",
    )
    decided = sum(bool(row["decided"]) for row in rows)
    finding = (
        f"At {decided} of {formatting.plural(len(rows), 'point')} with two devices or more, one of "
        "them is shown to be the fastest."
    )
    return Section("choice", "Which device for what", (table,), finding=finding)


def _rows(bench: Bench, own: list[dict[str, Any]]) -> tuple[Row, ...]:
    """A row for each point; with many points, one for each outcome."""
    if len(own) <= MOST_POINTS:
        return tuple(_row(bench, row) for row in own)
    outcomes: dict[tuple[str, bool], list[dict[str, Any]]] = {}
    for row in own:
        outcomes.setdefault((row["best"], bool(row["decided"])), []).append(row)
    total = formatting.plural(len(own), "point")
    return tuple(
        _outcome(bench, rows, f"{len(rows)} of {total}")
        for _, rows in sorted(outcomes.items(), key=lambda each: -len(each[1]))
    )


def _outcome(bench: Bench, rows: list[dict[str, Any]], header: str) -> Row:
    names = dict.fromkeys(bench.title_of(name) for row in rows for name in row["ties"])
    use = [Line(bench.title_of(rows[0]["best"]))]
    if names:
        use.append(Line(f"not told apart from {formatting.listed(list(names), 'or')}", "reason"))
    factors = sorted(float(row["factor"]) for row in rows)
    seconds = sorted(float(row["seconds"]) for row in rows)
    between = f"{formatting.ratio(factors[0])} to {formatting.ratio(factors[-1])}"
    return Row(
        Entry((Line(header),)),
        (
            Entry(tuple(use)),
            Entry((Line(between),)),
            Entry((Line(formatting.duration_range(seconds[0], seconds[-1])),)),
            Entry((Line(_cheapest(bench, rows)),)),
        ),
    )


def _cheapest(bench: Bench, rows: list[dict[str, Any]]) -> str:
    names = dict.fromkeys(bench.title_of(row["cheapest"]) for row in rows if row["cheapest"])
    return formatting.listed(list(names), "or") or "–"


def _row(bench: Bench, row: dict[str, Any]) -> Row:
    parts = [f"{axis_title(axis)} {label(value, 40)}" for axis, value in row["point"].items()]
    best = Line(bench.title_of(row["best"]))
    if row["ties"]:
        names = formatting.listed([bench.title_of(name) for name in row["ties"]], "or")
        use = (best, Line(f"not told apart from {names}", "reason"))
    else:
        use = (best, Line(f"before {bench.title_of(row['runner_up'])}", "reason"))
    low, high = row["low"], row["high"]
    known = present(low) and present(high)
    factor = [Line(formatting.ratio(row["factor"], *((low, high) if known else ())))]
    if known:
        factor.append(Line(formatting.ratio_interval(low, high, row["factor"]), "interval"))
    cost: tuple[Line, ...] = (Line("–"),)
    if row["cheapest"]:
        amount = formatting.number(row["cost_per_million_steps"])
        price = Line(f"{amount}{formatting.SPACE}{label(row['currency'], 8)}", "reason")
        cost = (Line(bench.title_of(row["cheapest"])), price)
    return Row(
        Entry((Line(" · ".join(parts) or "as specified"),)),
        (
            Entry(use),
            Entry(tuple(factor)),
            Entry((Line(formatting.duration(row["seconds"])),)),
            Entry(cost),
        ),
    )
