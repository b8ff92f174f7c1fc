"""Published against measured: somebody else's figures beside ours, never mixed with them."""

from __future__ import annotations

from typing import Any

from accelreport.analysis.published import citation
from accelreport.report import formatting
from accelreport.report.bench import Bench
from accelreport.report.frames import Rows, present
from accelreport.report.metrics import FIGURES, figure_interval, figure_text, printed_text
from accelreport.report.model import (
    Badge,
    Column,
    Download,
    Entry,
    Line,
    Row,
    RowGroup,
    Section,
    Table,
)
from accelreport.report.pages.about import web_address
from accelreport.report.pages.published_figure import published_figure, row_name, rows_by_figure
from accelreport.report.text import label, sentence, tied

MISMATCH = Badge("other conditions", "The published figure was made under other conditions.")
FLAG = Badge("flagged", "The published figures contradict arithmetic or physics.", "bad")


def published_section(bench: Bench) -> Section | None:
    """The section; None where the spec quotes nobody."""
    if bench.published.empty:
        return None
    ordered = rows_by_figure(bench)
    blocks = (published_figure(bench), _table(bench, ordered))
    return Section(
        "published", "Published against measured", blocks, finding=_finding(bench, ordered)
    )


def _finding(bench: Bench, by_figure: dict[str, Rows]) -> str:
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


def _titles(bench: Bench) -> list[str]:
    """Titles of the pieces that the figures are from, at most three of them."""
    sources = [row.source or bench.plan.source for row in bench.plan.published]
    titles = list(dict.fromkeys(f"“{label(each.title)}”" for each in sources if each))
    others = formatting.plural(len(titles) - 2, "other piece")
    return titles if len(titles) <= 3 else [*titles[:2], others]


def _table(bench: Bench, by_figure: dict[str, Rows]) -> Table:
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


def _row(bench: Bench, figure: str, row: dict[str, Any]) -> Row:
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


def _source(bench: Bench, row: dict[str, Any]) -> list[Line]:
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
