"""`accelreport laws` and `ceilings`: what models say beyond the measured points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from accelreport.cli.options import RESULTS, SPECS, DevicesFile, Profile, Results, Specs, option
from accelreport.errors import ExitCode

if TYPE_CHECKING:
    from accelreport.analysis.ceilings import Limits
    from accelreport.analysis.timed_sweeps import TimedSweep
    from accelreport.report.view import BenchmarkView
    from accelreport.spec.cells import SpecSet
    from accelreport.spec.device import Device


LAWS_EXAMPLES = """\b
What is fitted:
  The time of a step is a fixed cost plus a cost for each example, t(b) = a + b/r (Hockney and
  Jesshope 1981). Where a spec sweeps a batch size, units or another size over at least three
  values, this model is fitted to the measured times and, separately, to the [[published]] ones.
  It is rejected where a time deviates from it by more than 10 %.

\b
Examples:
  accelreport laws specs/mnist_batch_sweep.toml
  accelreport laws specs/ --profile quick --results results

\b
Exit codes: 0 fitted, 3 a spec has an error, 5 there is nothing to fit, 7 the results cannot be
read.
"""


def laws(
    specs: Specs = SPECS,
    *,
    results: Results = RESULTS,
    profile: Profile = None,
    devices_file: DevicesFile = None,
) -> None:
    """Fit each device's fixed cost and rate: why the speedup depends on the batch size."""
    from accelreport.loader.load import load
    from accelreport.terminal.say import say

    lines = 0
    read = load(specs, profile=profile, devices_file=devices_file)
    for bench in benches(read, results):
        swept = [sweep for sweep in bench.timed_sweeps if sweep.fit.residuals]
        if swept:
            lines += 1
            say(*law_lines(bench, swept))
    if not lines:
        say("nothing to fit: no spec has measured or published times of a size at three values")
        raise typer.Exit(ExitCode.NOTHING_RAN)


def benches(read: SpecSet, results: Path) -> Iterator[BenchmarkView]:
    """Each spec with its records; without a results folder, with none."""
    from accelreport.report.theme import device_colours
    from accelreport.report.view import BenchmarkView
    from accelreport.results.store import existing
    from accelreport.runner.plan_documents import plan_document
    from accelreport.terminal.say import tell_unread

    held = []
    if results.is_dir():
        store = existing(results)
        held = list(store.records())
        tell_unread(store.problems)
    for spec in read.specs:
        plan = plan_document(spec, {})
        keys = {cell.key for cell in plan.cells}
        records = {(record.key, record.machine): record for record in held if record.key in keys}
        yield BenchmarkView(plan, records, device_colours(plan.devices))


def law_lines(bench: BenchmarkView, sweeps: Sequence[TimedSweep]) -> Iterator[str]:
    """A table of a spec's laws, and a sentence for each comparable pair, by sweep point."""
    from accelreport.report.law_text import fixed_text, pair_sentence, split_sentence

    yield f"{bench.plan.title} ({bench.plan.profile} profile), a model:"
    for where in dict.fromkeys(map(fixed_text, sweeps)):
        here = [sweep for sweep in sweeps if fixed_text(sweep) == where]
        if where:
            yield f"  at {where}:"
        yield from _table(bench, here)
        for sweep in here:
            if sentence := split_sentence(_name(bench, sweep), sweep):
                yield f"  {sentence}"
        for pair in bench.law_pairs:
            if pair.own in here:
                yield f"  {pair_sentence(pair, lambda name: _name(bench, name))}"
    yield ""


def _table(bench: BenchmarkView, sweeps: Sequence[TimedSweep]) -> Iterator[str]:
    from accelreport.report.law_text import columns, costs, refusal_text, worst
    from accelreport.report.quantity import percent
    from accelreport.terminal.say import columns as columns_of

    rows = [["", *columns(sweeps)]]
    refused = []
    for sweep in sweeps:
        name = f"{_name(bench, sweep)}{', published' if sweep.published else ''}"
        if sweep.fit.law is None:
            refused.append(f"  {name}: no law, {refusal_text(sweep.fit)}")
            continue
        values = [f"{value} ({span})" if span else value for value, span in costs(sweep.fit, sweep)]
        rows.append([name, *values, percent(worst(sweep.fit), 1)])
    yield from (f"  {line}" for line in columns_of(rows) if len(rows) > 1)
    yield from refused


def _name(bench: BenchmarkView, sweep: TimedSweep) -> str:
    return sweep.label if sweep.published else f"{bench.title_of(sweep.device)} @ {sweep.machine}"


EXAMPLES = """\b
What is calculated:
  A lower bound of a step's time on some hardware, max(least operations / peak, compulsory
  bytes / bandwidth, depth · --kernel-us), and the upper bound of the speedup over what was
  measured here. Both are calculated, not measured. The counts of operations and bytes come from
  records, so run each spec once on any machine first; its quick profile is enough (--profile
  quick).

\b
Examples:
  accelreport ceilings specs/mnist_batch_sweep.toml
  accelreport ceilings specs/ --hardware "Tesla T4" --hardware "TPU v2"
  accelreport ceilings specs/ --device colab-t4
  accelreport ceilings specs/ --peak-tflops 50 --bandwidth 1000
  accelreport ceilings specs/imdb_lstm.toml --kernel-us 3

\b
Exit codes: 0 calculated, 2 unknown hardware, 3 a spec has an error, 5 no record has a count of
  operations, 7 the results cannot be read.
"""

Hardware = Annotated[
    list[str],
    option(
        "--hardware",
        metavar="NAME",
        help="Hardware by its name in docs/arithmetic.md. May be given several times.",
    ),
]
Devices = Annotated[
    list[str],
    option(
        "--device",
        metavar="NAME",
        help="A device of the devices file that cites a peak or whose label names a known chip. "
        "May be given several times.",
    ),
]
PeakTflops = Annotated[
    float | None,
    typer.Option(
        "--peak-tflops", min=1e-6, help="Peak in TFLOPS, for hardware that is in no table."
    ),
]
MemoryGbps = Annotated[
    float | None,
    typer.Option("--bandwidth", min=1e-6, help="Memory bandwidth in GB/s, with --peak-tflops."),
]

KernelUs = Annotated[
    float | None,
    typer.Option(
        "--kernel-us",
        min=1e-6,
        help="Time of a kernel that waits for the one before, in µs; the table's where it has one.",
    ),
]


def ceilings(
    specs: Specs = SPECS,
    *,
    hardware: Hardware = [],  # noqa: B006 -- Typer reads the default
    device: Devices = [],  # noqa: B006 -- Typer reads the default
    peak_tflops: PeakTflops = None,
    bandwidth: MemoryGbps = None,
    kernel_us: KernelUs = None,
    results: Results = RESULTS,
    profile: Profile = None,
    devices_file: DevicesFile = None,
) -> None:
    """Calculate upper bounds: how fast each piece of hardware can be on each measured benchmark."""
    from accelreport.loader.load import load
    from accelreport.terminal.say import say

    if bandwidth is not None and peak_tflops is None:
        raise typer.BadParameter("--bandwidth needs --peak-tflops")
    lines = 0
    read = load(specs, profile=profile, devices_file=devices_file)
    typed = (peak_tflops, bandwidth) if peak_tflops is not None else None
    chosen = _Chosen(hardware, device, read.devices, typed, kernel_us)
    chosen.limits("float32")  # report an unknown name before any file is read
    for bench in benches(read, results):
        for line in _lines(bench, chosen):
            lines += 1
            say(line)
    if not lines:
        say("no upper bound: no record has a count of operations; run a spec once (see --help)")
        raise typer.Exit(ExitCode.NOTHING_RAN)


def _lines(bench: BenchmarkView, chosen: _Chosen) -> Iterator[str]:
    from accelreport.analysis.ceilings import ceiling
    from accelreport.report.pages.sections.compute import most, own_share, places, published_share
    from accelreport.report.quantity import duration, percent
    from accelreport.report.warning_text import type_of_peak
    from accelreport.terminal.say import columns

    for place in places(bench):
        at = f", {bench.point_title(place.point)}" if bench.axes else ""
        share = own_share(bench, place)
        own = "" if share is None else f", {percent(share, 1)} of its own upper bound"
        own += f", a depth of at least {place.work.depth:,.0f} products" if place.work.depth else ""
        yield (
            f"{bench.plan.title}{at}: {duration(place.seconds)} on {place.series.title}{own}; "
            "upper bounds on other hardware (calculated):"
        )
        rows = [["", "peak", "least time", "largest speedup", "limited by", "published share"]]
        for limit in chosen.limits(place.work.dtype):
            bound = ceiling(place.work, limit)
            shares = published_share(bench, place, limit, bound)
            rows.append(
                [
                    limit.name,
                    f"{limit.peak.tflops:g} TFLOPS {type_of_peak(limit.peak)}",
                    duration(bound.seconds),
                    most(place.seconds / bound.seconds),
                    bound.limit.value,
                    ", ".join(f"{sweep.label} {percent(part, 2)}" for sweep, part in shares),
                ]
            )
        yield from (f"  {line}" for line in columns(rows))


@dataclass(frozen=True)
class _Chosen:
    """The hardware that the user names.

    Attributes:
        hardware: names in the table of known hardware.
        devices: names in the devices file.
        file: the devices file's rows.
        typed: peak in TFLOPS and bandwidth in GB/s of hardware that is in no table.
        kernel_us: stated time of a kernel, which replaces the table's.
    """

    hardware: Sequence[str]
    devices: Sequence[str]
    file: Mapping[str, Device]
    typed: tuple[float, float | None] | None
    kernel_us: float | None

    def limits(self, dtype: str) -> Sequence[Limits]:
        """The limits for a data type; every row of the table if no hardware is named.

        Raises:
            typer.BadParameter: a name is unknown.
        """
        from accelreport.analysis.ceilings import (
            Limits,
            known_limits,
            limits_named,
            limits_of_device,
        )
        from accelreport.analysis.compute import Bandwidth, Peak

        asked: list[Limits] = []
        for name in self.hardware:
            limits = limits_named(name, dtype)
            if limits is None:
                raise typer.BadParameter(
                    f"no known hardware is called {name!r}; docs/arithmetic.md lists what is "
                    "known, and --peak-tflops with --bandwidth describes any other"
                )
            asked.append(limits)
        for name in self.devices:
            if name not in self.file:
                known = ", ".join(sorted(self.file))
                raise typer.BadParameter(f"the devices file has no {name!r}; it has {known}")
            limits = limits_of_device(name, self.file[name], dtype)
            if limits is None:
                raise typer.BadParameter(
                    f"the device {name!r} cites no `peak_tflops`, and its label names no chip in "
                    "the table of docs/arithmetic.md"
                )
            asked.append(limits)
        if self.typed is not None:
            tflops, gbps = self.typed
            width = Bandwidth(gbps, "typed in") if gbps is not None else None
            peak = Peak(tflops, dtype, "typed in")
            asked.append(Limits(f"{tflops:g} TFLOPS", "GPU", peak, width))
        every = asked or known_limits(dtype)
        if self.kernel_us is None:
            return every
        return [replace(limit, kernel_s=self.kernel_us * 1e-6) for limit in every]
