"""Published against measured: somebody else's figures beside ours, never mixed with them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from accelreport.analysis.published import citation
from accelreport.report import formatting
from accelreport.report.charts.drawing import Named, panel
from accelreport.report.charts.published import Pair, published_pairs
from accelreport.report.charts.scales import percent_text, plain, plain_duration
from accelreport.report.metrics import (
    FIGURES,
    axis_title,
    figure_interval,
    figure_text,
    printed_text,
)
from accelreport.report.model import (
    Badge,
    Column,
    Download,
    Entry,
    Figure,
    Key,
    Line,
    Panel,
    Row,
    RowGroup,
    Section,
    Table,
)
from accelreport.report.pages.sections.about import web_address
from accelreport.report.text import label, sentence, tied
from accelreport.report.theme import COLOURS
from accelreport.report.view import BenchmarkView, Rows, plain_rows, present


def rows_by_figure(bench: BenchmarkView) -> dict[str, Rows]:
    """Published rows of each kind of figure that there are any of, in the order of `FIGURES`."""
    found: dict[str, Rows] = {}
    for row in plain_rows(bench.published):
        found.setdefault(row["figure"], []).append(row)
    return {figure: found[figure] for figure in FIGURES if figure in found}


def published_figure(bench: BenchmarkView, most_rows: int = 0) -> Figure:
    """A drawing for each kind of figure, published and measured on one scale.

    Args:
        bench: the benchmark.
        most_rows: rows of a drawing at most; those of one kind are then shared out evenly.
    """
    panels = []
    by_figure = rows_by_figure(bench)
    devices = [_device(bench, row) for rows in by_figure.values() for row in rows]
    for figure, part, rows in _shares(by_figure, most_rows):
        name = FIGURES[figure][0]
        pairs = [_pair(bench, row) for row in rows]
        make = published_pairs(
            pairs,
            shown=devices,
            axis_title=name,
            text=_tick(figure),
            share=FIGURES[figure][1] == "share",
        )
        said = "; ".join(
            _sentence(pair.row, figure, row) for pair, row in zip(pairs, rows, strict=True)
        )
        number = list(FIGURES).index(figure)
        drawn = panel(
            make,
            prefix=f"pm{number}{part}",
            title=f"Published and measured {name}",
            description=said,
        )
        panels.append(Panel(drawn.wide, drawn.narrow, title=sentence(name)))
    return Figure(
        id="published-pairs",
        title="Published (◇) and measured here (●)",
        caption=(
            "A diamond is somebody else's figure as printed, a dot ours with its 95 % interval "
            "over processes, the rule between them their distance. Dashed: the published "
            "conditions differ from the spec's. Crossed out: it cannot be. A diamond alone: the "
            "device was not measured here."
        ),
        panels=tuple(panels),
        stacked=True,
        keys=_keys(bench, by_figure),
    )


def _shares(by_figure: dict[str, Rows], most_rows: int) -> Iterator[tuple[str, str, Rows]]:
    """Kind of figure, a letter where it has several drawings, and the rows of each."""
    for figure, rows in by_figure.items():
        count = -(-len(rows) // most_rows) if most_rows else 1
        size = -(-len(rows) // count)
        for number in range(count):
            part = chr(ord("a") + number) if count > 1 else ""
            yield figure, part, rows[number * size : (number + 1) * size]


def _keys(bench: BenchmarkView, by_figure: dict[str, Rows]) -> tuple[Key, ...]:
    devices = dict.fromkeys(_device(bench, row) for rows in by_figure.values() for row in rows)
    return tuple(Key(each.title, f"s{each.colour % COLOURS}") for each in devices)


def _device(bench: BenchmarkView, row: dict[str, Any]) -> Named:
    return Named(bench.title_of(row["device"]), bench.colours[row["device"]])


def _sentence(name: str, figure: str, row: dict[str, Any]) -> str:
    ours = figure_text(figure, row["measured"]) if present(row["measured"]) else "nothing"
    return f"{name}: published {printed_text(figure, row['published'])}, measured {ours}"


def row_name(bench: BenchmarkView, row: dict[str, Any]) -> str:
    """What a published row is called: its sweep point, its label, and the machine it is beside."""
    point = row["point"]
    where = ", ".join(f"{axis_title(k)} {label(v, 30)}" for k, v in point.items())
    if len(point) == 1 == len(bench.axes):
        where = label(next(iter(point.values())), 30)
    machines = {series.machine for series in bench.series if series.machine}
    name = f"{where} · {label(row['label'], 44)}" if where else label(row["label"], 44)
    return f"{name} @ {label(row['machine'], 12)}" if len(machines) > 1 and row["machine"] else name


def _pair(bench: BenchmarkView, row: dict[str, Any]) -> Pair:
    known = present(row["measured"])
    interval = known and present(row["low"]) and present(row["high"])
    return Pair(
        row=row_name(bench, row),
        device=_device(bench, row),
        published=float(row["published"]),
        measured=float(row["measured"]) if known else None,
        low=float(row["low"]) if interval else None,
        high=float(row["high"]) if interval else None,
        comparable=bool(row["comparable"]),
        flagged=bool(row["flags"]),
    )


def _tick(figure: str) -> Any:
    unit = FIGURES[figure][1]
    texts = {
        "time": plain_duration,
        "share": percent_text,
        "number": formatting.short,
        "ratio": lambda value: f"{plain(value)}×",
    }
    return texts[unit]


MISMATCH = Badge("other conditions", "The published figure was made under other conditions.")
FLAG = Badge("flagged", "The published figures contradict arithmetic or physics.", "bad")


def published_section(bench: BenchmarkView) -> Section | None:
    """The section; None where the spec quotes nobody."""
    if bench.published.empty:
        return None
    ordered = rows_by_figure(bench)
    blocks = (published_figure(bench), _table(bench, ordered))
    return Section(
        "published", "Published against measured", blocks, finding=_finding(bench, ordered)
    )


def _finding(bench: BenchmarkView, by_figure: dict[str, Rows]) -> str:
    rows = [row for rows in by_figure.values() for row in rows]
    measured = [row for row in rows if present(row["measured"])]
    titles = _titles(bench)
    by = f" by {formatting.listed(titles)}" if titles else ""
    published = f"Of {formatting.plural(len(rows), 'figure')} published{by}, "
    if not measured:
        return f"{published}none could be measured here."
    fair = [row for row in measured if row["comparable"]]
    near = [row for row in fair if 1 / 1.25 <= row["ratio"] <= 1.25]
    verb = "has" if len(measured) == 1 else "have"
    text = f"{published}{len(measured)} {verb} a counterpart measured here"
    if not fair:
        return f"{text}, none of them under the same conditions."
    if len(fair) < len(measured):
        text += f", {len(fair)} of them under the same conditions"
    agree = "1 agrees" if len(near) == 1 else f"{len(near) or 'none'} agree"
    return f"{text}; {agree} within a factor of 1.25."


def _titles(bench: BenchmarkView) -> list[str]:
    """Titles of the pieces that the figures are from, at most three of them."""
    sources = [row.source or bench.plan.source for row in bench.plan.published]
    titles = list(dict.fromkeys(f"“{label(each.title)}”" for each in sources if each))
    others = formatting.plural(len(titles) - 2, "other piece")
    return titles if len(titles) <= 3 else [*titles[:2], others]


def _table(bench: BenchmarkView, by_figure: dict[str, Rows]) -> Table:
    groups = tuple(
        RowGroup(
            tuple(_row(bench, figure, row) for row in rows),
            title=sentence(FIGURES[figure][0]),
        )
        for figure, rows in by_figure.items()
    )
    titles = _titles(bench)
    noun = "Source" if len(titles) == 1 else "Sources"
    return Table(
        id="published-table",
        title="The figures",
        caption=(
            "Published figures stand as printed and enter no statistic; ours stand over their 95 % "
            "intervals over processes. "
            + (f"{noun}: {formatting.listed(titles)}. " if titles else "")
            + "S: printed in the source; O: in the original behind it; D: derived by arithmetic."
        ),
        corner=f"{bench.points_heading} · published on" if bench.axes else "published on",
        columns=(
            Column("published", number=True),
            Column("measured here", number=True),
            Column("measured ÷ published", number=True),
            Column("what to know"),
        ),
        groups=groups,
        style="prose",
        download=Download(f"{bench.slug}/published.csv", "CSV"),
    )


def _row(bench: BenchmarkView, figure: str, row: dict[str, Any]) -> Row:
    badges = (() if row["comparable"] else (MISMATCH,)) + ((FLAG,) if row["flags"] else ())
    notes = [row["note"], row["caveat"], *row["flags"]]
    known = (*(Line(tied(label(note, 500))) for note in notes if note), *_source(bench, row))
    device, mark = bench.title_of(row["device"]), row["mark"]
    return Row(
        Entry((Line(row_name(bench, row)), Line(f"against {device}", "reason"))),
        (
            Entry(
                (Line(f"{printed_text(figure, row['published'])}{formatting.SPACE}[{mark}]"),),
                badges=badges,
            ),
            _measured(figure, row),
            Entry((Line(formatting.ratio(row["ratio"]) if present(row["ratio"]) else "–"),)),
            Entry(known or (Line("–"),)),
        ),
        device=bench.colours[row["device"]],
    )


def _source(bench: BenchmarkView, row: dict[str, Any]) -> list[Line]:
    """Who published a row, where that is not the spec's own source or the row was imported."""
    if not row["imported"] and row["source"] == citation(bench.plan.source):
        return []
    begin = f"imported from {label(row['imported'], 60)}: " if row["imported"] else "from "
    address = web_address(row["source_url"])
    return [Line(begin + label(row["source"], 240), "reason", href=address)]


def _measured(figure: str, row: dict[str, Any]) -> Entry:
    if not present(row["measured"]):
        return Entry((Line("not measured", "reason"),))
    known = present(row["low"]) and present(row["high"])
    low, high = (row["low"], row["high"]) if known else (None, None)
    lines = [Line(figure_text(figure, row["measured"], low, high))]
    if known:
        between = figure_interval(figure, row["measured"], row["low"], row["high"])
        lines.append(Line(between, "interval"))
    caveat = row["caveat"]
    badges = [Badge("extrapolated", caveat)] if "extrapolated" in caveat else []
    badges += [Badge("synthetic data", caveat)] if "synthetic" in caveat else []
    return Entry(tuple(lines), badges=tuple(badges))
