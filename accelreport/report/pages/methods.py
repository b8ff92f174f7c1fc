"""How every number on the site is made, in a page's worth of words."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from accelreport.analysis.ceilings import PublicRate, public_rates
from accelreport.analysis.learning import WITHIN
from accelreport.analysis.stats import LEVEL, MARGIN, Calibration, Shares, found
from accelreport.analysis.timed_sweeps import GOALS, Predictions, TimedSweep, predictions
from accelreport.report import quantity
from accelreport.report.charts.drawing import panel
from accelreport.report.charts.ecdf import Goal, shares_ecdf
from accelreport.report.law_text import fixed_text, predictions_sentence, refusal_text
from accelreport.report.model import (
    Column,
    Fact,
    Facts,
    Figure,
    Line,
    Page,
    Prose,
    Row,
    RowGroup,
    Section,
    Table,
    entries_of,
    entry,
    number_columns,
)
from accelreport.report.pages.badges import (
    EXTRAPOLATED,
    PARTIAL,
    SAMPLE,
    SINGLE,
    SYNTHETIC,
    USER_SUPPLIED,
)
from accelreport.report.text import label, sentence
from accelreport.report.view import BenchmarkView


def coverage_section() -> Section:
    """Coverage of the intervals, and false alarms between equals, under each kind of noise."""
    kept = found()
    count = quantity.count(kept.experiments)
    return Section(
        "coverage",
        "How often intervals hold the true value",
        (
            _table(
                kept,
                kept.coverage,
                "coverage-table",
                "Intervals that hold the true speedup",
                (
                    f"Share of the 95 % intervals that hold it, over {count} simulated experiments "
                    "each, by processes of each device. python -m benchmarks.calibration makes "
                    "them."
                ),
            ),
            _table(
                kept,
                kept.differences,
                "difference-table",
                "Equal devices that are called faster or slower",
                f"Share of {count} comparisons of two equal devices.",
            ),
            _table(
                kept,
                kept.modes,
                "modes-table",
                "Intervals that hold the true speedup, where one device has a slow mode",
                (
                    "A few processes may all miss the slow mode. The spread at other sweep points "
                    "widens the interval; a point measured alone has nothing to widen it."
                ),
            ),
        ),
        finding=_finding(kept),
    )


def _finding(kept: Calibration) -> str:
    """The worst and the best from three processes on; what is said comes from the figures."""
    few = kept.processes.index(3)
    held = [share for row in kept.coverage for share in row.percent[few:]]
    wrong = max(share for row in kept.differences for share in row.percent[few:])
    return (
        f"With three processes or more, {_percent(min(held))} to {_percent(max(held))} "
        f"of the 95 % intervals hold the true value, and at most {_percent(wrong)} of "
        "equal devices are called different."
    )


def _table(kept: Calibration, rows: Sequence[Shares], name: str, title: str, caption: str) -> Table:
    return Table(
        id=name,
        title=title,
        caption=caption,
        corner="noise",
        columns=number_columns(f"n = {n}" for n in kept.processes),
        groups=(
            RowGroup(
                tuple(
                    Row(
                        entry(sentence(row.name), Line(row.text, "reason")),
                        entries_of(_percent(share) for share in row.percent),
                    )
                    for row in rows
                )
            ),
        ),
    )


def _percent(share: float) -> str:
    return f"{quantity.fixed(share, 1)}{quantity.SPACE}%"


def methods_page(benches: Sequence[BenchmarkView] = ()) -> Page:
    """The page: the same whatever was measured, but for how well the model of steps holds here."""
    level = f"{quantity.fixed(100 * LEVEL, 0)}{quantity.SPACE}%"
    margin = f"{quantity.fixed(100 * MARGIN, 0)}{quantity.SPACE}%"
    finding = (
        "One process gives one number. Intervals are over processes, and verdicts "
        "follow from intervals. A missing number is explained where it would be."
    )
    return Page(
        path="methods.html",
        title="How the numbers are made",
        kicker="Methods",
        finding=finding,
        sections=(
            _measuring(),
            _comparing(level, margin),
            coverage_section(),
            _quality(),
            _marks(),
            *_model(benches),
            public_section(),
            _not_claimed(),
        ),
        template="article.html",
    )


def _measuring() -> Section:
    return Section(
        "measuring",
        "What is measured",
        (
            Facts(
                (
                    Fact("Cell", "One workload at one sweep point on one device with one seed, in "
                         "a process of its own that is started for it."),
                    Fact("Step", "A training step with its own batch; for a kernel, one operation "
                         "of a chain inside one call."),
                    Fact("Steady time", "Wall-clock seconds of the steps after a fixed warm-up, "
                         "over their number. The device is synchronised before the clock starts "
                         "and before it stops."),
                    Fact("First step", "Tracing, compiling and running the first step, or the "
                         "first call of a kernel."),
                    Fact("Evaluation", "Done after each epoch and never part of a timed window."),
                    Fact("Throughput", "Training examples of a step over its steady time."),
                    Fact("TFLOPS", "Operations counted by the stated method over the steady "
                         "time; one multiply-add counts as two."),
                    Fact("Share of the peak", "TFLOPS over the dense peak that the devices file or "
                         "the table of known hardware cites for the element type. Without one "
                         "there is no share."),
                    Fact("Roofline", "The peak, or operations a byte times the cited memory "
                         "bandwidth "
                         "where that is lower. Bytes are counted, not measured: the "
                         "operands and results of the products."),
                    Fact("Energy", "Sensors of the machine count energy over windows of steady "
                         "steps, without evaluations. Where none can be read, the reason "
                         "is given and nothing is estimated."),
                    Fact("Order", "Cells are measured one repeat after the other. Devices and "
                         "points are balanced within a repeat, so that drift affects all "
                         "alike."),
                ),
                long=True,
            ),
        ),
    )  # fmt: skip


def _comparing(level: str, margin: str) -> Section:
    return Section(
        "comparing",
        "How devices are compared",
        (
            Facts(
                (
                    Fact("Speedup", "The baseline’s steady time over the device’s. Each is the "
                         "geometric mean over processes."),
                    Fact("Interval", f"{level}, Student’s t on logarithms: within repeats where "
                         "both "
                         "devices ran them, else Welch’s between processes. Steps of one "
                         "process never count as independent."),
                    Fact("Faster, slower", "The whole interval lies above, or below, 1×."),
                    Fact("Same", f"The whole interval lies within {margin} of 1×."),
                    Fact("Undecided", "Anything else, and a single process. Only decided cells "
                         "of a table are coloured."),
                    Fact("Colours", "Nine bins on a logarithmic scale, symmetric about 1×. The "
                         "middle one is 0.8× to 1.25×, its neighbours are a factor of two "
                         "wide, and the outer two are open."),
                    Fact("No headline", "A speedup is withheld from headlines where the two "
                         "devices do "
                         "not reach the same quality, compute in different precision, or "
                         "read different data."),
                    Fact("Several points", "The geometric mean over the points where both "
                         "devices were measured."),
                    Fact("Pays off after", "The difference of two cold starts over the "
                         "difference of the two steady times, rounded up."),
                ),
                long=True,
            ),
        ),
    )  # fmt: skip


def _quality() -> Section:
    return Section(
        "quality",
        "Quality, targets, published figures and claims",
        (
            Facts(
                (
                    Fact("Same quality", "Two one-sided t tests over paired seeds: the 90 % "
                         "interval of "
                         "the difference lies within the stated margin "
                         f"({quantity.short(100 * WITHIN)} percentage point unless a claim "
                         "names another)."),
                    Fact("Time to a target", "Timed training seconds up to the end of the first "
                         "epoch that reached it; compilation counts, evaluations do not."),
                    Fact("Evaluation", "Over all validation examples; padding of the last step "
                         "does not "
                         "count."),
                    Fact("Published", "Figures that others published, as printed. They enter no "
                         "statistic. Differing conditions are marked, and rules flag "
                         "figures that contradict arithmetic or physics."),
                    Fact("Claims", "A rule written into the spec. Confirmed when the whole "
                         "interval "
                         "fulfils it, refuted when the whole interval contradicts it, "
                         "undecided otherwise, and not tested where a device is absent."),
                ),
                long=True,
            ),
        ),
    )  # fmt: skip


def _marks() -> Section:
    badges = (SYNTHETIC, SAMPLE, USER_SUPPLIED, PARTIAL, EXTRAPOLATED, SINGLE)
    facts = [Fact(badge.text, badge.meaning) for badge in badges]
    facts.append(Fact("n of m failed", "That many of the planned processes gave no number."))
    return Section("marks", "Marks on a number", (Facts(tuple(facts), long=True),))


def _model(benches: Sequence[BenchmarkView]) -> tuple[Section, ...]:
    """How well the law of a step predicts this site's own times; nothing where none was swept."""
    swept = [(bench, s) for bench in benches for s in bench.timed_sweeps if s.errors]
    found = predictions(sweep for _, sweep in swept)
    if not found.sweeps:
        return ()
    table = Table(
        id="model-errors",
        title="Predicted times against measured ones",
        caption=(
            "The model is a fixed cost of a step and a cost of its work, on the pages that "
            "sweep a batch or another size. Each size is left out in turn and predicted "
            "from the others; the smallest and the largest are extrapolated. Where the "
            "model does not describe a sweep, no line is drawn and its errors are not "
            "counted above."
        ),
        corner="sweep",
        columns=(Column("half within", number=True), Column("worst", number=True), Column("law")),
        groups=(RowGroup(tuple(_model_row(bench, sweep) for bench, sweep in swept)),),
        folded=True,
    )
    block = _errors_figure(found, table) if found.errors else table
    finding = predictions_sentence(found)
    return (Section("model", "How well the model of a step predicts", (block,), finding=finding),)


def _errors_figure(found: Predictions, table: Table) -> Figure:
    goals = [
        Goal(error, share, f"goal: {quantity.percent(share, 0)} within "
             f"{quantity.percent(error, 0)}")
        for error, share in GOALS
    ]  # fmt: skip
    make = shares_ecdf(found.errors, goals, axis_title="error of a prediction", log=False)
    title = "Errors of predicted times"
    said = predictions_sentence(found)
    return Figure(
        id="predictions",
        title=title,
        subtitle="Up: share of all predictions. Across: predicted over measured time, less 1.",
        caption="The model keeps a goal where the line passes above its hollow mark.",
        panels=(panel(make, prefix="me", title=title, description=said),),
        table=table,
    )


def public_section() -> Section:
    """What throughputs that others published of known hardware come to of their ceilings."""
    sources = public_rates()
    shares = sorted(rate.share for source in sources for rate in source.rows)
    count, above = len(shares), sum(share > 1 for share in shares)
    none = "none" if not above else quantity.count(above)
    finding = (
        f"{none} of {count} published throughputs exceed their bound. They reach "
        f"{quantity.percent(shares[0], 1)} to {quantity.percent(shares[-1], 0)} of it; "
        f"half of them reach more than {quantity.percent(median(shares), 0)}."
    )
    title = "Published throughputs, as shares of their upper bounds"
    make = shares_ecdf(shares, (), axis_title="share of the upper bound (log scale)", log=True)
    groups = (
        RowGroup(tuple(_public_row(rate) for rate in source.rows), title=label(source.title, 120),
                 detail=label(source.address, 200))
        for source in sources
    )  # fmt: skip
    table = Table(
        id="public-table",
        title="Each published throughput beside its upper bound",
        caption=(
            "Operations are counted from the network’s architecture or taken from its "
            "source, convolutions over the places of their kernels. Training does three "
            "times the operations of inference."
        ),
        corner="network",
        columns=(
            Column("on"),
            Column("printed", number=True),
            Column("share of the upper bound", number=True),
        ),
        groups=tuple(groups),
        folded=True,
    )
    figure = Figure(
        id="public-shares",
        title=title,
        subtitle="Up: share of all throughputs that reach at most that much.",
        caption=(
            "This tests upper bounds on figures that nobody here measured: no figure "
            "exceeds its bound."
        ),
        panels=(panel(make, prefix="pu", title=title, description=finding),),
        table=table,
    )
    return Section("public", "Whether upper bounds hold", (figure,), finding=finding)


def _public_row(rate: PublicRate) -> Row:
    done = f"{rate.task}, batch {quantity.count(rate.batch_size)}, {rate.dtype}"
    printed = quantity.rate(rate.examples_per_s, "image")
    return Row(
        entry(label(rate.model, 60), Line(done, "reason")),
        entries_of((rate.hardware, printed, quantity.percent(rate.share, 1))),
    )


def _model_row(bench: BenchmarkView, sweep: TimedSweep) -> Row:
    errors = [abs(each) for each in sweep.errors.values()]
    where = ", ".join(filter(None, (bench.title_of(sweep.device), fixed_text(sweep))))
    said = "drawn" if sweep.fit.law else refusal_text(sweep.fit)
    return Row(
        entry(label(bench.plan.title), Line(where, "reason")),
        (
            entry(quantity.percent(median(errors), 1)),
            entry(quantity.percent(max(errors), 1)),
            entry(said),
        ),
    )


def _not_claimed() -> Section:
    text = (
        "A number holds for its machine, its versions and its data. It says nothing "
        "about other batch sizes, other models, or a device of the same name with "
        "other cooling. Of twenty comparisons of equal devices, about one will be "
        "called a difference."
    )
    return Section("limits", "What is not claimed", (Prose(text),))
