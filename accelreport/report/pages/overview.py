"""All workloads in one picture.

Rates are relative to one base, a device of one machine; where several machines measured, and
no base stands in all workloads, they are absolute. A headline is made of numbers that hold over
all comparisons together, were measured while nothing else ran, and were printed with digits enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

from accelreport.analysis.findings import Caveat, Provenance, Subject, Unit, Value
from accelreport.analysis.overview import (
    PrintedRate,
    RateRow,
    common_base,
    id_of,
    is_busy,
    rate_rows,
)
from accelreport.analysis.published import UNLIKE
from accelreport.analysis.ranking import ACCELERATORS
from accelreport.analysis.results import Result
from accelreport.analysis.speed_findings import caveats_of, divided, rate_of, ratio_of
from accelreport.analysis.speedup import Speedup
from accelreport.analysis.stats import Interval, Verdict
from accelreport.report import quantity
from accelreport.report.charts.dot_plot import dot_plot
from accelreport.report.charts.dots import Base, Dot, brief_marks, from_zero, marks_text
from accelreport.report.charts.drawing import WIDE, Chart, DeviceStyle, Named
from accelreport.report.charts.scales import factor_text, plain
from accelreport.report.forms import why_hollow
from accelreport.report.frames import why_withheld, withheld_word
from accelreport.report.metrics import printed_text, settings_text
from accelreport.report.model import Column, Facets, Line, Row, Table, entry, table_row
from accelreport.report.openings.opening import ON_A_SLIDE, Plot, Size, left_out
from accelreport.report.pages.badges import benchmark_rows
from accelreport.report.pages.sections.about import web_address
from accelreport.report.text import label, sentence
from accelreport.report.view import BenchmarkView, processor_kinds
from accelreport.results.record import Environment

MOST_ROWS = 12
"""Workloads of the picture: more do not fit into a first screen."""
FAR_SLOWER = 0.5
"""A published accelerator below this share of the base's rate is explained beside its row."""
PAGE, PHONE = Size(WIDE, 0), Size(358, 0)
"""The page's own width and a telephone's; the height is that of the rows."""


Compared = Speedup | PrintedRate
"""What is beside the base of a row: a measured device, or a published rate."""


def factor_of(one: Compared) -> float:
    """How many times as fast as the base it is."""
    return one.factor if isinstance(one, PrintedRate) else one.interval.value


def device_of(one: Compared) -> str:
    """Its device in the plan."""
    return one.result.row.device if isinstance(one, PrintedRate) else one.device


@dataclass(frozen=True)
class Shown:
    """A row of the picture.

    Attributes:
        bench: its benchmark.
        row: its sweep point, the base, and what stands beside it.
    """

    bench: BenchmarkView
    row: RateRow

    @property
    def kernel(self) -> bool:
        """Whether it calls a kernel instead of a model."""
        return self.bench.words.kernel

    @property
    def trains(self) -> bool:
        """Whether it trains a model."""
        return self.bench.words.trains

    @property
    def point(self) -> str:
        """Its sweep point in words; empty without axes."""
        return settings_text(self.row.point, " · ")

    @property
    def where(self) -> str:
        """Its benchmark and sweep point as a sentence names them."""
        at = f" at {self.point}" if self.point else ""
        return f"“{label(self.bench.plan.title, 80)}”{at}"

    def kind(self, device: str) -> str:
        """Kind of a device of its plan, also of one that only a source had."""
        known = self.bench.plan.devices.get(device)
        return known.kind if known else ""

    def environment(self, processes: Iterable[Result]) -> Environment | None:
        """Where processes ran."""
        for process in processes:
            record = self.bench.record(process)
            if record is not None and record.environment is not None:
                return record.environment
        return None

    def hardware(self, device: str, results: Iterable[Result]) -> str:
        """The name of a device on the machine of some processes."""
        machine = next((row.machine for row in results), "")
        several = len({s.machine for s in self.bench.series if s.device == device}) > 1
        return self.bench.title_on(device, machine if several else "")

    @property
    def name(self) -> tuple[str, tuple[str, ...]]:
        """Its benchmark in a few words, and what else its sweep point and its title say."""
        head, _, tail = label(self.bench.plan.title, 120).partition(": ")
        details = tuple(part for part in (self.point, "" if tail in self.point else tail) if part)
        return head, details or (f"{label(self.bench.plan.profile, 30)} profile",)

    @property
    def caveats(self) -> frozenset[Caveat]:
        """Of every number that the row shows."""
        groups = [self.row.base.timed, *(one.own.timed for one in self.row.measured)]
        return frozenset().union(*map(caveats_of, groups))

    @property
    def note(self) -> str:
        """What a source notes of an accelerator that is far slower than the base."""
        slow = [
            one.result.row
            for one in self.row.printed
            if one.factor < FAR_SLOWER and self.kind(one.result.row.device) in ACCELERATORS
        ]
        notes = [f"{label(row.label, 48)}: {label(row.note, 160)}" for row in slow if row.note]
        return notes[0] if notes else ""

    @property
    def withheld(self) -> list[Speedup]:
        """Devices that were measured here and do not do the same as the base."""
        base = self.row.base
        return [
            speedup
            for speedup in self.bench.compared
            if speedup.withheld and speedup.own.timed and id_of(speedup.base) == id_of(base)
        ]

    def published(self, one: PrintedRate) -> Value:
        """A published rate over that of the base."""
        base = self.row.base
        return Value(
            Subject(one.result.row.device, "", (), one.result.row),
            divided(one.factor * self.row.rate.value, self.row.rate),
            Unit.RATIO,
            Provenance.CALCULATED,
            caveats_of(base.results),
            over=Subject(base.device, base.machine, tuple(base.point.values())),
        )

    @cached_property
    def _candidates(self) -> list[Compared]:
        """What is beside the base: accelerators alone where there is one."""
        alike = (one for one in self.row.printed if one.factor > 0)
        every: list[Compared] = [*self.row.measured, *alike]
        return [one for one in every if self.kind(device_of(one)) in ACCELERATORS] or every

    @cached_property
    def compared(self) -> list[Compared]:
        """What the picture shows beside the base: the fastest, then the slowest.

        What was measured here is always among them. A figure above its chip's peak is shown only
        where there is no other.
        """
        every = sorted(self._candidates, key=factor_of, reverse=True)
        sound = [
            one for one in every if not (isinstance(one, PrintedRate) and one.beyond_peak)
        ] or every
        if len(sound) < 2:
            return sound
        first, last = sound[0], sound[-1]
        own = [one for one in sound if isinstance(one, Speedup)]
        if own and first not in own and last not in own:
            last = own[0]
        return [first, last]

    def accelerated(self) -> bool:
        """Whether a GPU or a TPU is beside the base."""
        return any(self.kind(device_of(one)) in ACCELERATORS for one in self._candidates)


@dataclass(frozen=True)
class Overview:
    """All workloads over one base.

    Attributes:
        benches: every benchmark.
    """

    benches: Sequence[BenchmarkView]

    @cached_property
    def machines(self) -> list[str]:
        """Machines that measured anything."""
        return sorted({row.machine for b in self.benches for row in b.results if row.measured})

    @cached_property
    def several(self) -> bool:
        """Whether more than one kind of host measured: machines, or processors of one name."""
        every = (record.environment for b in self.benches for record in b.records.values())
        return len(self.machines) > 1 or len(processor_kinds(filter(None, every))) > 1

    @cached_property
    def _over_one(self) -> list[Shown]:
        return self._rows(common_base((bench.plan, bench.results) for bench in self.benches))

    def _rows(self, place: tuple[str, str] | None) -> list[Shown]:
        return [
            Shown(bench, row)
            for bench in self.benches
            for row in rate_rows(bench.plan, bench.results, bench.compared, place)
        ]

    @cached_property
    def relative(self) -> bool:
        """Whether all rates are over one base; no base of one machine stands for another's."""
        if len(self.machines) < 2:
            return True
        with_base = {shown.bench.slug for shown in self._over_one}
        timed = {b.slug for b in self.benches if any(r.seconds > 0 for r in b.results)}
        return timed <= with_base

    @cached_property
    def rows(self) -> list[Shown]:
        """Every workload and sweep point with a base."""
        return self._over_one if self.relative else self._rows(None)

    @cached_property
    def _ranked(self) -> list[Shown]:
        """Rows for the picture, the ones with most to see first.

        Those with nothing beside their base have no row, unless that holds of all. A sweep has a
        row for each end or, where there are many workloads, one for the point with most beside it.
        """
        lone = {id(own) for own in self._lone}
        drawn = [own for own in self._by_bench if id(own) not in lone]
        kept = [_ends(own) for own in drawn]
        if sum(map(len, kept)) > MOST_ROWS:
            kept = [[max(reversed(own), key=_to_see)] for own in drawn]
        rows = [shown for own in kept for shown in own]

        def order(shown: Shown) -> tuple[bool, bool, float]:
            return shown.accelerated(), shown.trains, self._fastest(shown)

        return sorted(rows, key=order, reverse=True)

    def _fastest(self, shown: Shown) -> float:
        """The largest number that a row shows beside its base, or that of the base itself."""
        own = 1.0 if self.over_base else shown.row.rate.value
        beside = [own * factor_of(one) for one in self.compared(shown)]
        return max(beside, default=own)

    @cached_property
    def shown(self) -> list[Shown]:
        """Rows that the picture has room for, the largest number first."""
        return sorted(self._ranked[:MOST_ROWS], key=self._fastest, reverse=True)

    @cached_property
    def _by_bench(self) -> list[list[Shown]]:
        """The rows of each benchmark; of profiles of one spec the full one's."""
        full = {row.bench.plan.spec for row in self.rows if row.bench.plan.profile == "full"}
        by_slug: dict[str, list[Shown]] = {}
        for shown in self.rows:
            plan = shown.bench.plan
            if plan.profile == "full" or plan.spec not in full:
                by_slug.setdefault(shown.bench.slug, []).append(shown)
        return list(by_slug.values())

    @cached_property
    def over_base(self) -> bool:
        """Whether the picture has rates over the base: where there is one, and anything else.

        No rate is over a base that other programs slowed down.
        """
        comparable = (shown for shown in self.rows if not shown.row.busy)
        return self.relative and any(shown.compared for shown in comparable)

    def compared(self, shown: Shown) -> list[Compared]:
        """What the picture shows beside the base of a row."""
        return [] if self.over_base and shown.row.busy else shown.compared

    @cached_property
    def _lone(self) -> list[list[Shown]]:
        """Benchmarks of which nothing stands beside the base, while of others something does."""
        return [
            own
            for own in self._by_bench
            if self.over_base and not any(shown.compared for shown in own)
        ]

    @cached_property
    def base(self) -> str:
        """What all rates are relative to, by its name in the picture; empty where absolute."""
        if not self.over_base:
            return ""
        if len(self.machines) > 1:
            return self._hardware_of_base
        return "these computers" if self.several else "this computer"

    @property
    def base_in_words(self) -> str:
        """The base in a sentence: "this 2-core CPU"."""
        first = self.rows[0]
        if first.kind(first.row.base.device) != "CPU" or len(self.machines) > 1:
            return self._hardware_of_base
        environment = first.environment(first.row.base.timed)
        cores = environment.cores or environment.threads if environment else None
        return f"this {cores}-core CPU" if cores else "this CPU"

    @property
    def _hardware_of_base(self) -> str:
        first = self.rows[0]
        return first.hardware(first.row.base.device, first.row.base.timed)

    # Marks of the picture ---------------------------------------------------------------------

    def dots(self, shown: Shown) -> tuple[Dot, ...]:
        """The marks of a row: the base, then what is compared with it, the fastest first."""
        row, (title, details) = shown.row, shown.name
        unit = 1.0 if self.over_base else row.rate.value
        low, high = row.rate.ends
        scale = unit / row.rate.value
        rate, busy = _rate(shown, row.rate), ["busy"] * row.busy
        compared = self.compared(shown)
        hidden = row.compared - len(compared)
        base = Dot(
            name=title,
            detail=" · ".join((details[0], *([rate, *busy] * self.over_base), *details[1:])),
            device=_style(shown, row.base.device),
            value=unit,
            text=" ".join((rate, *([] if self.over_base else busy))),
            owner=shown.hardware(row.base.device, row.base.timed),
            low=low * scale,
            high=high * scale,
            hollow=why_hollow(caveats_of(row.base.timed)),
            is_base=self.over_base,
        )
        beside = [
            self._published(shown, one, unit)
            if isinstance(one, PrintedRate)
            else self._measured(shown, one, unit)
            for one in compared
        ]
        dots = [base, *beside]
        if not self.over_base:
            dots += map(partial(self._alone, shown), self.apart(shown))
            dots.sort(key=lambda dot: -dot.value)
        rest = f"+{hidden}" if hidden else ""
        first = replace(dots[0], detail=base.detail, rest=rest)
        return (first, *(replace(dot, joined=True) for dot in dots[1:]))

    def _published(self, shown: Shown, one: PrintedRate, unit: float) -> Dot:
        printed = shown.row.printed
        name = printed_names(printed)[printed.index(one)]
        value = one.factor * unit
        rounded = one.slack if one.slack > UNLIKE else 0.0
        rate = f"{_printed(one)}{quantity.SPACE}{shown.bench.words.rate}"
        number = _factor(shown, one) if self.over_base else rate
        text = f"{'about ' * bool(rounded)}{number}"
        return Dot(
            name=shown.name[0],
            detail="published",
            device=_style(shown, one.result.row.device),
            value=value,
            text=text,
            owner=name,
            low=value * (1 - rounded),
            high=value * (1 + rounded),
            published=True,
            flagged="exceeds the peak" if one.beyond_peak else "",
        )

    def _measured(self, shown: Shown, speedup: Speedup, unit: float) -> Dot:
        interval, own = speedup.interval, speedup.own
        name = shown.hardware(own.device, own.timed)
        alike = [
            other.machine
            for other in shown.row.measured
            if shown.hardware(other.device, other.own.timed) == name and other.device == own.device
        ]
        if len(alike) > 1:
            name += f" ({sorted(alike).index(own.machine) + 1})"
        low, high = interval.ends
        value = interval.value * unit
        text = quantity.ratio(interval.value, interval.low, interval.high)
        text = text if self.over_base else _rate(shown, value)
        text += " busy" if Caveat.BUSY in caveats_of(own.timed) else ""
        return Dot(
            name=shown.name[0],
            detail="measured",
            device=_style(shown, own.device),
            value=value,
            text=text,
            owner=name,
            low=low * unit,
            high=high * unit,
            hollow=why_hollow(caveats_of(own.timed)),
        )

    def apart(self, shown: Shown) -> list[Value]:
        """The highest rate of another kind of device without a ratio, where all are absolute."""
        kind = shown.kind(shown.row.base.device)
        others = (one for one in shown.withheld if shown.kind(one.device) != kind)
        known = [] if self.over_base else [rate_of(one.own) for one in others]
        return sorted(filter(None, known), key=lambda rate: -rate.number)[:1]

    def _alone(self, shown: Shown, rate: Value) -> Dot:
        low, high = rate.interval.ends
        return Dot(
            name=shown.name[0],
            detail="measured",
            device=_style(shown, rate.of.device),
            value=rate.number,
            text=_rate(shown, rate.interval) + " busy" * (Caveat.BUSY in rate.caveats),
            owner=shown.hardware(rate.of.device, rate.processes),
            low=low,
            high=high,
            hollow=why_hollow(rate.caveats),
        )

    # The figure -------------------------------------------------------------------------------

    @property
    def axis_title(self) -> str:
        """What is counted."""
        trained = all(shown.trains for shown in self.shown)
        what = "examples trained" if trained else "work done"
        of = f"that of {self.base}"
        return f"{what} each second" + (f", as a multiple of {of}" if self.base else "")

    def _chart(self, size: Size) -> Chart:
        """The picture; a slide has its first rows, with their titles and numbers alone."""
        rows = [self.dots(shown) for shown in self.shown[: size.most or None]]
        if size.most:
            titles = [shown.name for shown in self.shown[: size.most]]
            named = [title for title, _ in titles]
            rows = [
                tuple(
                    replace(dot, name=name, detail=owner, rest="", owner=dot.owner * several)
                    for dot in dots
                )
                for dots, (title, details) in zip(rows, titles, strict=True)
                for name in [f"{title}, {details[0]}" if named.count(title) > 1 else title]
                # One device beside the base is named below its workload.
                for several in [bool(self.base) and len(dots) > 2]
                for owner in [dots[1].owner if self.base and len(dots) == 2 else ""]
            ]
        base = Base(1.0, f"{self.base} = 1×", "← slower", "faster →") if self.base else None
        return dot_plot(
            [dot for dots in rows for dot in dots],
            axis_title="" if size.most else self.axis_title,
            tick=factor_text if self.base else plain,
            width=size.width,
            height=size.height,
            base=base,
        )

    @property
    def picture(self) -> Plot | None:
        """The picture, for a page or a slide; None where there is nothing to draw."""
        if not self.shown:
            return None
        marks, bars = self._marks(ON_A_SLIDE.most)
        rest = left_out(ON_A_SLIDE.most, len(self.shown))
        return Plot(
            id="rates",
            title="Throughput",
            description="; ".join(
                f"{label(shown.bench.plan.title, 80)} {shown.point}: "
                + ", ".join(dot.whole_text for dot in self.dots(shown))
                for shown in self.shown
            ),
            chart=self._chart,
            points=sum(len(self.dots(shown)) for shown in self.shown),
            caption=self._caption(),
            brief=" · ".join(filter(None, [*rest, brief_marks(marks, bars=bars), self._bands])),
            values=tuple(value for shown in self.shown for value in self.values_of(shown)),
            table=rates_table(self.shown, "rates-table", "Rates"),
        )

    def _marks(self, most: int | None) -> tuple[list[Dot], bool]:
        """The marks of its first rows without the base's, and whether they are bars."""
        dots = [dot for shown in self.shown[:most] for dot in self.dots(shown)]
        return [dot for dot in dots if not dot.is_base], not self.base and from_zero(dots)

    @property
    def _bands(self) -> str:
        """What the bands at the base are, where they are drawn."""
        bases = (dot for shown in self.shown for dot in self.dots(shown) if dot.is_base)
        return f"bands: {self.base}, 95{quantity.SPACE}% interval" * any(
            d.low < d.high for d in bases
        )

    def _caption(self) -> str:
        dots, bars = self._marks(None)
        notes = [
            marks_text(dots, bars=bars),
            *([f"{sentence(self._bands)}."] if self._bands else []),
        ]
        notes += [f"{shown.name[0]}, {shown.note}." for shown in self.shown if shown.note]
        if any(shown.row.busy for shown in self.shown):
            notes.append("Busy processor.")
        return " ".join(notes)

    @cached_property
    def comparisons(self) -> list[tuple[Shown, Speedup]]:
        """Every measured comparison with the base."""
        return [(shown, one) for shown in self.rows for one in shown.row.measured]

    def fastest_published(self, bench: BenchmarkView, rate: Value | None) -> str:
        """The fastest published rate where one of a benchmark is the base, and over it, if any."""
        known = [
            (one, shown)
            for shown in self.rows
            if rate and shown.bench is bench and rate_of(shown.row.base) == rate
            for one in shown.row.printed
            if one.factor > 0 and not (one.beyond_peak or shown.row.busy)
        ]
        if not known:
            return ""
        one, shown = max(known, key=lambda row: row[0].factor)
        text = f"{_printed(one)}{quantity.SPACE}{bench.words.rate}, {_factor(shown, one)}"
        return f"{label(one.result.row.label, 48)}: {text}"

    def values_of(self, shown: Shown) -> Iterator[Value]:
        """The numbers that a row marks: the rate of its base, and the ratios over it."""
        if rate := rate_of(shown.row.base):
            yield rate
        yield from self.apart(shown)
        compared = [] if shown.row.busy else shown.compared
        drawn = [id_of(one.own) for one in compared if isinstance(one, Speedup)]
        for other, one in self.comparisons:
            if other is shown and id_of(one.own) in drawn:
                yield ratio_of(one)
        yield from (shown.published(one) for one in compared if isinstance(one, PrintedRate))


def rates_table(rows: Sequence[Shown], identity: str, title: str) -> Table:
    """Every number of some workloads: measured, withheld and published, a row for each."""
    groups: dict[str, list[Row]] = {}
    for shown in rows:
        groups.setdefault(shown.bench.slug, []).extend(_table_rows(shown))
    first = {row.bench.slug: row.bench for row in rows}
    return Table(
        id=identity,
        title=title,
        corner="sweep point",
        columns=(
            Column("device"),
            Column("rate", number=True),
            Column("speedup over the baseline", number=True),
            Column("origin"),
        ),
        groups=tuple(benchmark_rows(first[slug], own) for slug, own in groups.items()),
    )


def _table_rows(shown: Shown) -> list[Row]:
    """The base, what was measured beside it, what is withheld and why, and what was printed."""
    row, unit, rate = shown.row, shown.bench.words.rate, shown.row.rate
    header = entry(shown.point or "as specified")

    def rate_row(
        name: str, rate: str, factor: str, origin: str, href: str = "",
        provenance: str = "measured",
    ) -> Row:  # fmt: skip
        facets = Facets(device=(name,), provenance=(provenance,))
        with_unit = rate + quantity.SPACE + unit
        return table_row(header, name, with_unit, factor, Line(origin, href=href), facets=facets)

    def measured(timed: Sequence[Result]) -> str:
        parts = ["measured", quantity.plural(len(timed), "process", "processes")]
        parts += ["partial"] if Caveat.BUDGET in caveats_of(timed) else []
        return ", ".join([*parts, "other programs running"] if is_busy(timed) else parts)

    own = shown.hardware(row.base.device, row.base.timed)
    rows = [
        rate_row(
            own, quantity.number(rate.value, rate.low, rate.high), "1×", measured(row.base.timed)
        )
    ]
    for other in row.measured:
        interval = other.interval
        text = quantity.ratio(interval.value, interval.low, interval.high)
        if interval.known:
            text += f" ({quantity.ratio_interval(interval.low, interval.high, interval.value)})"
        name = shown.hardware(other.device, other.own.timed)
        there = quantity.number(rate.value * interval.value)
        rows.append(rate_row(name, there, text, measured(other.own.timed)))
    for other in shown.withheld:
        name, origin = shown.hardware(other.device, other.own.timed), measured(other.own.timed)
        if not other.of_precisions:
            origin += f"; {label(why_withheld(other), 200)}"
        verdict = withheld_word(other.withheld)
        has_ratio = other.computed and other.of_precisions and other.verdict is not Verdict.WITHHELD
        ratio = other.computed.interval if other.computed and has_ratio else None
        factor = quantity.ratio_of(ratio) if ratio else verdict
        facets = Facets(device=(name,), provenance=("measured",))
        held = rate_of(other.own)
        text = f"{quantity.number(held.number)}{quantity.SPACE}{unit}" if held else quantity.MISSING
        rows.append(table_row(header, name, text, factor, origin, facets=facets))
    for name, one in zip(printed_names(row.printed), row.printed, strict=True):
        result = one.result
        source_text = (
            f"{label(result.row.label, 60)}: {printed_text(result.figure, result.value)} "
            f"({result.figure.replace('_', ' ')}{' with validation' * (result.validation != 1)})"
        )
        href = web_address(result.source.url if result.source else "")
        rate_text = _printed(one)
        factor = _factor(shown, one) if one.factor > 0 else "–"
        rows.append(rate_row(name, rate_text, factor, source_text, href, provenance="published"))
    return rows


def _to_see(shown: Shown) -> tuple[bool, int]:
    """How much stands beside a base, accelerators first."""
    return shown.accelerated(), shown.row.compared


def _ends(own: list[Shown]) -> list[Shown]:
    """The first and the last sweep point with accelerators; without them, one that says most."""
    beside = [shown for shown in own if shown.accelerated()]
    if len(beside) > 1:
        return [beside[0], beside[-1]]
    return [max(reversed(own), key=_to_see)]


def printed_names(printed: Sequence[PrintedRate]) -> list[str]:
    """The labels of published rates, with the year of their source where they are alike."""
    names = [label(rate.result.row.label, 48) for rate in printed]
    years = [one.result.source.year if one.result.source else None for one in printed]
    return [
        f"{name}, {year}" if year and names.count(name) > 1 else name
        for name, year in zip(names, years, strict=True)
    ]


def _style(shown: Shown, device: str) -> DeviceStyle:
    return Named(shown.bench.label_of(device), shown.bench.colours.get(device, 0))


def _rate(shown: Shown, rate: Interval | float) -> str:
    """A rate with its unit."""
    ends = (rate.value, rate.low, rate.high) if isinstance(rate, Interval) else (rate,)
    return f"{quantity.number(*ends)}{quantity.SPACE}{shown.bench.words.rate}"


def _printed(one: PrintedRate) -> str:
    """A published rate without its unit, with the digits that its figure leaves."""
    return quantity.write(one.rate, Unit.NUMBER, digits=one.digits)


def _factor(shown: Shown, one: PrintedRate) -> str:
    """A published rate over the base, with as many digits as the rate."""
    value = shown.published(one)
    return quantity.write(value.number, Unit.RATIO, value.interval, digits=one.digits)
