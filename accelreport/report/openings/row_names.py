"""Names of the rows of one figure: by what differs between them, where all else is alike."""

from __future__ import annotations

from collections.abc import Sequence

from accelreport.analysis.compute import COMPUTE_DTYPE
from accelreport.analysis.findings import Finding, Subject
from accelreport.analysis.speed_findings import forward
from accelreport.report import quantity
from accelreport.report.metrics import axis_title
from accelreport.report.say import Speaker
from accelreport.report.view import BenchmarkView, Point
from accelreport.spec.device import FRAMEWORK_NAMES


def precisions(finding: Finding) -> dict[Subject, str]:
    """What the sides of a finding compute in, where that is how they differ."""
    ratios = (forward(value) for value in finding.title_values if value.over and value.why)
    return {
        of: COMPUTE_DTYPE[dtype]
        for value in ratios
        for of, dtype in ((value.of, value.why[0].own), (value.over, value.why[0].base))
        if of
    }


def of_one_machine(bench: BenchmarkView, rows: Sequence[Subject]) -> tuple[str, dict[Subject, str]]:
    """The machine of all measured rows, and what each is beside it: "2 threads", "eager kernel".

    Neither where they are of several machines, or one of them has no name without it.
    """
    speaker = Speaker(bench)
    parts = {of: speaker.name(of).partition(", ") for of in rows}
    machine = next((first for first, *_ in parts.values()), "")
    several = len({of.point for of in rows}) > 1
    names = {
        of: ", ".join(filter(None, (_setting(bench, of.point) if several else "", rest)))
        for of, (*_, rest) in parts.items()
    }
    alike = all(first == machine for first, *_ in parts.values()) and len(rows) > 1
    apart = all(names.values()) and len({*names.values()}) == len(rows)
    known = not machine.startswith(tuple(FRAMEWORK_NAMES.values()))
    return (machine, names) if alike and apart and known else ("", {})


def _setting(bench: BenchmarkView, point: Point) -> str:
    """A sweep point as a name: "default kernel", "batch size 256"."""
    if len(point) == 1 and isinstance(point[0], str):
        return f"{quantity.setting(point[0])} {axis_title(bench.axes[0])}"
    return bench.at(point, "")
