"""The page of what each benchmark reaches of a peak or a measured roof."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from accelreport.analysis.findings import Value
from accelreport.report import quantity
from accelreport.report.charts.dots import Base, Dot
from accelreport.report.charts.drawing import NARROW, WIDE, Named
from accelreport.report.charts.scales import percent_text
from accelreport.report.model import (
    Page,
    RowGroup,
    Section,
    Table,
    entry,
    number_columns,
    table_row,
    under,
)
from accelreport.report.openings.opening import Plot, Size, dots_plot
from accelreport.report.openings.rates import dot_of, style_of
from accelreport.report.pages.machines import place_text
from accelreport.report.pages.sections.hardware import CEILINGS
from accelreport.report.pages.sections.shares import (
    DIVIDED,
    LIMITS,
    Place,
    Reached,
    divided,
    heaviest,
    reached_shares,
    shares_title,
)
from accelreport.report.say import Speaker
from accelreport.report.text import label
from accelreport.report.theme import as_circle
from accelreport.report.view import BenchmarkView

Share = tuple[Reached, Value]
"""Who reached something of a limit, and the share of it that the page shows."""
Shares = Sequence[tuple[BenchmarkView, Place, Sequence[Share]]]
"""Benchmarks with their heaviest sweep point and their shares, by limit and then by size."""


def ceilings_page(benches: Sequence[BenchmarkView]) -> Page:
    """The page. Each spec is there once, by the profile whose step has the most work.

    Benchmarks with convolutions have a figure of their own: their shares count all operations,
    and fast algorithms may do fewer.
    """
    best: dict[str, tuple[float, BenchmarkView, Place]] = {}
    for bench in benches:
        if place := heaviest(bench):
            known = best.get(bench.plan.spec)
            if known is None or place.work.operations > known[0]:
                best[bench.plan.spec] = (place.work.operations, bench, place)
    rows = [(bench, place, shares_of(bench, place)) for _, bench, place in best.values()]
    rows = sorted((row for row in rows if _shown(row[2])), key=lambda row: _order(row[2]))
    exact, counted = ([row for row in rows if divided(row[0]) is fewer] for fewer in (False, True))
    sections = [
        Section(place, title, (_plot(own).figure(Size(WIDE, 0), Size(NARROW, 0), alone=True),))
        for own, place, title in (
            (exact, "answer", ""),
            (counted, "counted", "Convolutions, counted in full"),
        )
        if own
    ]
    measured = any(row.measured for bench in benches for row in bench.results)
    headline = "No known peak" if measured else "Nothing was measured"
    if rows:
        headline = shares_title(row.limit for *_, own in rows for row, _ in own)
    first = next((row for row in (*exact, *counted) if _measured(row[2])), None)
    if first:
        bench, speaker = first[0], Speaker(first[0])
        reached, largest = _measured(first[2])[0]
        in_full = ", convolutions counted in full," * bool(reached.least)
        most = f"{'at least ' * reached.lower}{speaker.number(largest)} of its {reached.limit}"
        headline = (
            f"{speaker.spoken(largest.of)} reaches {most}{in_full} in "
            f"“{label(bench.plan.title, 60)}”"
        )
        headline += f", in {runs}" if (runs := speaker.runs(largest)) else ""
    return Page(
        path=CEILINGS,
        title="Hardware use",
        headline=headline,
        finding="",
        kicker=place_text(benches),
        sections=tuple(sections[1:]),
        template="article.html",
        opening=sections[0] if sections else None,
    )


def _measured(shares: Sequence[Share]) -> list[Share]:
    return [share for share in shares if share[1].of.row is None]


def _order(shares: Sequence[Share]) -> tuple[bool, int, float]:
    """By what they are of, for shares of unlike limits have no order; published ones come last."""
    row, value = next(iter(_measured(shares) or _shown(shares)))
    return value.of.row is not None, LIMITS.index(row.limit), -value.number


def shares_of(bench: BenchmarkView, place: Place) -> list[Share]:
    """A device's share at the heaviest sweep point, and the largest of a published row."""
    shares = [
        (row, value)
        for row in reached_shares(bench)
        for value in row.shares
        if (value is row.shares[-1] if value.of.row else value.of.point == place.point)
    ]
    return sorted(shares, key=lambda s: (LIMITS.index(s[0].limit), s[0].bounded, -s[1].number))


def _shown(shares: Sequence[Share]) -> list[Share]:
    """The largest and the smallest measured share, and the largest published one that can be."""
    measured = _measured(shares)
    published = [share for share in shares if share[1].of.row and not share[0].flagged]
    ids = {id(share) for share in (*measured[:1], *measured[1:][-1:], *published[:1])}
    return [share for share in shares if id(share) in ids]


def _texts(speaker: Speaker, row: Reached, value: Value, *, counted: bool) -> tuple[str, ...]:
    """The texts of a share in its two columns, and those of a telephone.

    The columns are of a roof and of a peak; where operations are `counted` in full, of the share
    and of its lower bound.
    """
    number = speaker.number(value)
    of, empty = f"{number} of {row.amount}", ""
    if not counted:
        of, number = (f"{'≥ ' * row.lower}{text}" for text in (of, number))
        return (empty, of, empty, number) if row.limit == "peak" else (of, empty, number, empty)
    if row.lower:
        return empty, f"≥ {of}", empty, f"≥ {number}"
    least = [f"≥ {speaker.number(own)}" for own in row.least_of(value)] or [empty]
    return of, *least, number, *least


def _plot(rows: Shares) -> Plot:
    """The figure: a row for each benchmark, with at most three of its shares."""
    dots: list[Dot] = []
    groups = []
    counted = any(divided(bench) for bench, *_ in rows)
    for bench, place, shares in rows:
        speaker, points = Speaker(bench), [value.of.point for _, value in _shown(shares)]
        point = place.point if place.point in points else points[0]
        where = bench.point_name(point)
        shown = sorted(_shown(shares), key=lambda share: share[1].of.point != point)
        for number, (row, value) in enumerate(shown):
            dot, own = dot_of(speaker, value), value.of.point
            owner = label(row.short, 32)
            if own != point:
                owner = ", ".join(filter(None, (owner, bench.point_header(own))))
            text, beside, brief, ratio = _texts(speaker, row, value, counted=counted)
            dots.append(
                replace(dot, name=label(bench.plan.title), detail=where * (own == point),
                        device=Named(row.name, as_circle(dot.device.colour)),
                        joined=number > 0, text=text, beside=beside, brief=brief, ratio=ratio,
                        owner=owner)
            )  # fmt: skip
        lines = (
            table_row(
                entry(
                    row.short,
                    *under(bench.point_name(value.of.point) * (value.of.point != point)),
                    *under(row.of),
                    *under("exceeds the peak" if row.flagged else ""),
                ),
                ", in ".join(filter(None, (str(value.provenance), speaker.runs(value)))),
                replace(row, shares=(value,), least=row.least_of(value)).text(speaker),
                device=as_circle(style_of(bench, value.of).colour),
            )
            for row, value in shares
        )
        href = f"{bench.slug}.html#hardware"
        groups.append(RowGroup(tuple(lines), label(bench.plan.title), href=href, detail=where))
    every = [row for *_, shares in rows for row, _ in shares]
    limits = [row.limit for *_, shares in rows for row, _ in _shown(shares)]
    title, name = shares_title(limits), "shares-counted" if counted else "shares"
    exceed, left_out = sum(row.flagged for row in every), len(every) - len(dots)
    above = f", {exceed} above the peak" * (exceed > 0)
    caption = [f"Numbers has {quantity.plural(left_out, 'more share')}{above}."] * (left_out > 0)
    roof = "The roof is the fastest product measured on the host with as many threads."
    caption += [roof] * ("measured roof" in limits)
    bound = "The upper bound is one core’s rate times the threads; no product used them all."
    caption += [bound] * ("upper bound" in limits)
    caption += [DIVIDED] * counted
    return dots_plot(
        dots,
        axis=title.lower(),
        tick=percent_text,
        base=Base(
            1.0,
            f"{min(limits, key=LIMITS.index).removeprefix('measured ')} = 100 %",
            limit=True,
            columns=("counted in full", "at least") if counted else ("of roof", "of peak"),
        ),
        id=name,
        title=title,
        note=" ".join(caption),
        table=Table(
            id=f"{name}-table",
            title=title,
            corner="device",
            columns=number_columns(("provenance", "share")),
            groups=tuple(groups),
            style="prose",
        ),
    )
