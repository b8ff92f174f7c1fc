"""What weakens a number, and why there is none, in sentences."""

from __future__ import annotations

from math import isnan

from accelreport.analysis.compute import AnyChip, OwnRoof, Peak
from accelreport.analysis.results import MISSING, Result
from accelreport.analysis.warnings import (
    AbovePeak,
    BegunAlike,
    ChangedRecord,
    CpuAboveWall,
    ImpossibleShare,
    Recorded,
    ResultWarning,
    SlowProcess,
    TwoModes,
)
from accelreport.report.text import label
from accelreport.results.record import SHORT_WINDOW_S

REMEDY = "Correct what is named and measure again with --rerun; the record has the raw times."
"""What can be done about a number that is refused."""


def warning_text(found: ResultWarning) -> str:
    """The sentence beside a number.

    Raises:
        ValueError: nothing can be said of its kind.
    """
    match found:
        case Recorded():
            return found.message
        case TwoModes():
            return (
                f"steps have two modes: {share(found.slow_share)} of them take {found.seen:.2g} "
                f"times as long as the others{_fewer_cores(found.busy, found.usual)}"
            )
        case SlowProcess():
            others = f", while others kept {found.others:.2g} cores busy"
            return (
                f"this process took {found.seen:.2g} times as long as the fastest repeat"
                f"{'' if isnan(found.others) else others}{_fewer_cores(found.busy, found.usual)}"
            )
        case BegunAlike():
            seeds = dict.fromkeys(f"seed {seed}" for seed in found.seeds.values())
            return f"its {' and '.join(found.seeds)} were those of {' and '.join(seeds)}"
        case ChangedRecord():
            return (
                f"what it says was measured has the key {found.measured}, and it is kept as "
                f"{found.kept}: it was changed by hand"
            )
        case ImpossibleShare():
            return f"{found.metric} is {found.seen:g}, and a share of examples lies between 0 and 1"
        case CpuAboveWall():
            return (
                f"{found.cpu_s:.3g} s of CPU time in {found.wall_s:.3g} s on {found.threads} "
                "processors: its clocks cannot both be right"
            )
        case AbovePeak():
            return _above_peak(found)
    return _of_series(found.kind, found.seen)


def _fewer_cores(busy: float, usual: float) -> str:
    return "" if isnan(busy) else f", with {busy:.2g} cores busy instead of {usual:.2g}"


def _above_peak(found: AbovePeak) -> str:
    peak = found.peak
    rate = f"{found.seen:.3g} TFLOPS is {found.seen / peak.tflops:.2g} times"
    if found.kind == "above-machine":
        return f"{rate} what this machine can do: {source_of_peak(peak)}"
    of = f"{peak.tflops:g} TFLOPS in {type_of_peak(peak)}"
    return f"{rate} the peak of {of} ({source_of_peak(peak)})"


def _of_series(kind: str, seen: float) -> str:
    """What is said of a series of timings by one number."""
    change = f"{share(abs(seen))} {'slower' if seen > 0 else 'faster'}"
    match kind:
        case "bad-timing":
            return "some of its timings are no positive numbers"
        case "untested":
            return f"{seen} steady timings are too few to test whether they are steady"
        case "short-window":
            # Rounded up it would be "0.25 s in all, less than 0.25 s".
            shown = min(float(f"{seen:.3g}"), SHORT_WINDOW_S - 0.001)
            return f"the steady steps took {shown:.3g} s in all, less than {SHORT_WINDOW_S} s"
        case "loaded-machine":
            return f"other processes kept {seen:.2g} cores busy"
        case "not-steady":
            return f"the first steps after the warm-up are {share(seen)} slower than the later ones"
        case "throttled":
            return (
                f"steps became {change} with as many cores busy and no other load: the processor "
                "slowed down"
            )
        case "drifting":
            return f"steps became {change} while they were timed"
        case "drifting-machine":
            return f"the machine became {change} over the run"
        case "stalled":
            return (
                f"{share(seen)} of the time went into stalls in which the process computed little"
            )
    raise ValueError(f"nothing is said of the warning {kind}")


def share(part: float) -> str:
    """A part of a whole as per cent: "26 %"."""
    return f"{100 * part:.0f} %"


def type_of_peak(peak: Peak) -> str:
    """The element type of a peak: "TF32", or "float32, 156 in TF32" where both are known."""
    if peak.dtype == "tensorfloat32":
        return "TF32"
    tf32 = f", {peak.tf32_tflops:g} in TF32" if peak.tf32_tflops else ""
    return f"{label(peak.dtype, 20)}{tf32}"


def source_of_peak(peak: Peak) -> str:
    """Where a peak is written, or what it follows from where nobody cites one."""
    match source := peak.source:
        case str():
            return source
        case AnyChip():
            return f"no chip does {source.tflops:g} TFLOPS"
        case OwnRoof():
            own = source.measured_tflops
            return f"{source.times:g} times the {own:.3g} TFLOPS that were measured of it"
    return (
        f"derived bound: {source.cores} cores × {source.operations} operations a cycle "
        f"({source.extension}) × {source.ghz:.2f} GHz"
    )


def failure_text(result: Result) -> str:
    """Why a result has no number, in the record's sentence or for what it is refused."""
    return warning_text(result.refusal) if result.refusal else result.failure_message


def remedy_text(result: Result) -> str:
    """What a person can do about a result that has no number."""
    return REMEDY if result.refusal else result.failure_remedy


def problem_text(result: Result) -> str:
    """Why a result has no time; empty where it has one."""
    if result.measured:
        return "" if result.timed else "ended before its first steady step"
    if result.status == MISSING:
        return "not run yet"
    kind = result.failure_kind
    return f"{result.status} ({kind}): {failure_text(result)}" if kind else result.status
