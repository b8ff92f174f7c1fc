"""`accelreport ceilings`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from accelreport.cli.laws import benches
from accelreport.cli.options import RESULTS, SPECS, DevicesFile, Profile, Results, Specs
from accelreport.errors import ExitCode

if TYPE_CHECKING:
    from accelreport.analysis.ceilings import Limits
    from accelreport.report.view import BenchmarkView

EXAMPLES = """\b
What is told:
  The least time of a step that a piece of hardware leaves, max(least operations / peak,
  compulsory bytes / bandwidth, depth · --kernel-us), and the largest speedup over what was
  measured here. It is a bound and no measurement. Operations and bytes are those that records
  counted, so that each spec has to be measured once on any machine; its quick profile will do,
  with --profile quick.

\b
Examples:
  accelreport ceilings specs/mnist_batch_sweep.toml
  accelreport ceilings specs/ --hardware "Tesla T4" --hardware "TPU v2"
  accelreport ceilings specs/ --peak-tflops 50 --bandwidth 1000
  accelreport ceilings specs/imdb_lstm.toml --kernel-us 3

\b
Exit codes: 0 told, 2 unknown hardware, 3 a spec has an error, 5 no operations were counted yet,
  7 the results cannot be read.
"""

Hardware = Annotated[
    list[str],
    typer.Option(
        "--hardware",
        metavar="NAME",
        help="Hardware by its name, as docs/arithmetic.md has it. May be given several times.",
        show_default=False,
    ),
]
PeakTflops = Annotated[
    float | None,
    typer.Option("--peak-tflops", min=1e-6, help="Peak of hardware that no table has, in TFLOPS."),
]
MemoryGbps = Annotated[
    float | None,
    typer.Option("--bandwidth", min=1e-6, help="Its memory bandwidth in GB/s, with --peak-tflops."),
]

KernelUs = Annotated[
    float | None,
    typer.Option(
        "--kernel-us",
        min=1e-6,
        help="Time of a kernel that waits for the one before, in µs.",
    ),
]


def ceilings(
    specs: Specs = SPECS,
    *,
    hardware: Hardware = [],  # noqa: B006 -- Typer reads the default
    peak_tflops: PeakTflops = None,
    bandwidth: MemoryGbps = None,
    kernel_us: KernelUs = None,
    results: Results = RESULTS,
    profile: Profile = None,
    devices_file: DevicesFile = None,
) -> None:
    """Say how fast hardware could be at the most: its ceiling for each measured benchmark."""
    from accelreport.terminal.say import say

    if bandwidth is not None and peak_tflops is None:
        raise typer.BadParameter("--bandwidth needs --peak-tflops")
    told = 0
    for bench in benches(specs, results, profile, devices_file):
        for line in _lines(bench, hardware, peak_tflops, bandwidth, kernel_us or 0.0):
            told += 1
            say(line)
    if not told:
        say("no ceiling: no measured step has its operations counted; run a spec once, see --help")
        raise typer.Exit(ExitCode.NOTHING_RAN)


def _lines(
    bench: BenchmarkView,
    names: Sequence[str],
    tflops: float | None,
    gbps: float | None,
    kernel_us: float,
) -> Iterator[str]:
    from accelreport.analysis.ceilings import ceiling
    from accelreport.report.formatting import duration, percent
    from accelreport.report.pages.sections.ceilings import most, own_share, places, published_share

    for place in places(bench):
        at = f", {bench.point_title(place.point)}" if bench.axes else ""
        share = own_share(bench, place)
        own = "" if share is None else f", {percent(share, 1)} of its own ceiling"
        own += f", {place.work.depth:,.0f} products deep or more" if place.work.depth else ""
        yield (
            f"{bench.plan.title}{at}: {duration(place.seconds)} on {place.series.title}{own}; "
            "ceilings of others, no measurements:"
        )
        rows = [["", "least time", "speedup at most", "limited by", "published share"]]
        for each in _chosen(names, tflops, gbps, place.work.dtype):
            found = ceiling(place.work, replace(each, kernel_s=kernel_us * 1e-6))
            shares = published_share(bench, place, each, found)
            rows.append(
                [
                    each.name,
                    duration(found.seconds),
                    most(place.seconds / found.seconds),
                    found.limit.value,
                    ", ".join(f"{sweep.label} {percent(part, 2)}" for sweep, part in shares),
                ]
            )
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            padded = (text.ljust(width) for text, width in zip(row, widths, strict=True))
            yield f"  {'  '.join(padded).rstrip()}"


def _chosen(
    names: Sequence[str], tflops: float | None, gbps: float | None, dtype: str
) -> Sequence[Limits]:
    """The hardware that was named or typed in; every row of the table where none was.

    Raises:
        typer.BadParameter: the table has none of a name.
    """
    from accelreport.analysis.ceilings import Limits, known_limits, limits_named
    from accelreport.analysis.compute import Bandwidth, Peak

    found = []
    for name in names:
        limits = limits_named(name, dtype)
        if limits is None:
            raise typer.BadParameter(
                f"no known hardware is called {name!r}; the table is in docs/arithmetic.md, and "
                "--peak-tflops with --bandwidth takes any other"
            )
        found.append(limits)
    if tflops is not None:
        width = Bandwidth(gbps, "typed in") if gbps is not None else None
        found.append(Limits(f"{tflops:g} TFLOPS", "GPU", Peak(tflops, dtype, "typed in"), width))
    return found or known_limits(dtype)
