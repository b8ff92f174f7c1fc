"""All findings of a benchmark in one order, which pages, slides and the terminal share."""

from __future__ import annotations

from collections.abc import Sequence

from accelreport.analysis import learning_findings, published_findings, speed_findings
from accelreport.analysis.benchmark import Benchmark
from accelreport.analysis.findings import BESIDE_PUBLISHED, COMPARED, COMPARISONS, Finding, Kind

FINDERS = (
    speed_findings.latency_findings,
    learning_findings.deployment_findings,
    speed_findings.compiled_findings,
    speed_findings.pays_off_findings,
    speed_findings.range_findings,
    speed_findings.gain_findings,
    published_findings.total_findings,
    speed_findings.peak_findings,
    learning_findings.mistake_findings,
    speed_findings.comparison_findings,
    published_findings.published_findings,
    learning_findings.curve_findings,
    speed_findings.rate_findings,
    learning_findings.end_findings,
    speed_findings.crossing_findings,
)
"""Benchmark → findings of one sort, in the order in which a page asks for them."""

ACCELERATORS = ("GPU", "TPU")


def ranked_findings(bench: Benchmark) -> tuple[Finding, ...]:
    """All findings; the first is the title of its page.

    Where the baseline is a point of the sweep, comparisons with it come first, because the spec
    asks for them. A decided comparison of an accelerator comes first wherever one was measured,
    because that is what a reader comes for. Otherwise the question of the benchmark comes first, in
    the order of `FINDERS`, and within each what is decided.
    """
    findings = [
        finding
        for find in FINDERS
        for finding in sorted(find(bench), key=lambda finding: not finding.decided)
    ]
    kinds = {name: device.kind for name, device in bench.plan.devices.items()}
    others = {kind for kind in ACCELERATORS if kind != kinds.get(bench.plan.baseline.device)}

    def comes_first(finding: Finding) -> bool:
        if bench.plan.baseline.where:
            return finding.kind in COMPARISONS
        # A published row may name a device that the plan does not have.
        compared = finding.kind in {Kind.FASTER, Kind.SLOWER}
        return compared and any(kinds.get(v.of.device) in others for v in finding.values)

    return tuple(sorted(findings, key=lambda finding: not comes_first(finding)))


def title_finding(findings: Sequence[Finding]) -> Finding | None:
    """The finding of a title, of ranked ones; None where there is only what is undecided.

    It is a decided comparison of measured devices, the largest (`Value.at_least`); else a published
    number beside a measured one; else what the page begins with; else a fact, of a sweep the rate.
    """
    able = [finding for finding in findings if finding.titles]
    compared = [finding for finding in able if finding.kind in COMPARED - {Kind.GAIN}]
    if compared:
        # Ratios over two machines' baselines cannot be ranked: a slower one has the larger ratio.
        base = compared[0].values[0].over
        same = [
            f for f in compared if (of := f.values[0].over) and base and of.machine == base.machine
        ]
        return max(same, key=lambda f: (f.values[0].number > 1, f.values[0].at_least))
    first = findings[0].kind
    asked = {first, Kind.RATE} if first is Kind.GAIN else {first}
    able.sort(key=lambda f: (f.kind not in BESIDE_PUBLISHED, f.kind not in asked))
    return next(iter(able), None)
