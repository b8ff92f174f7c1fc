"""What weakens a number, and why there is none, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from math import isnan

from accelreport.analysis.compute import AnyChip, OwnRoof, Peak
from accelreport.analysis.findings import Finding
from accelreport.analysis.overview import is_busy
from accelreport.analysis.published import Contradiction
from accelreport.analysis.results import MISSING, UNTIMED, Result
from accelreport.analysis.warnings import (
    REFUSED,
    AbovePeak,
    BegunAlike,
    ChangedRecord,
    CpuAboveWall,
    ImpossibleShare,
    OldCode,
    Recorded,
    ResultWarning,
    SlowProcess,
    TwoModes,
)
from accelreport.report.forms import EVIDENCE
from accelreport.report.metrics import printed_text
from accelreport.report.quantity import count, duration, extent, listed, number, plural, significant
from accelreport.report.text import label
from accelreport.results.record import OTHER_LOAD, SHORT_WINDOW_S

REMEDY = "Correct what is named and measure again with --rerun; the record has the raw times."
"""What can be done about a number that is refused."""


KINDS = {
    "no-device": "device not present",
    "no-framework": "framework not installed",
    "data-unavailable": "data not available",
    "data-corrupt": "data damaged",
    "oom-host": "out of memory",
    "oom-device": "device memory full",
    "timeout": "timed out",
    "signal": "process was killed",
    "nan-loss": "loss became NaN",
    "compile-error": "did not compile",
    "worker-lost": "worker lost",
    "not-converged": "did not converge",
    "bad-spec": "invalid spec",
    "bad-plugin": "plugin is broken",
    "interrupted": "interrupted",
    "refused": "refused by checks",
    "above-machine": "a rate above what the machine can do",
    "cpu-above-wall": "more CPU time than there was",
    "impossible-share": "a share above 100 %",
    "changed-record": "its record was changed",
    "harness-error": "error in accelreport",
}
"""Failure kinds in words."""


def reason_text(kind: str) -> str:
    """A kind of failure in words: "out of memory"."""
    return KINDS.get(kind, label(kind.replace("-", " "), 40))


def failed_text(finding: Finding, results: Sequence[Result]) -> tuple[str, str]:
    """How many cells failed or were refused, and why: "2 of 9 cells failed", "out of memory".

    Of several reasons each has its count. Where nothing else ran, the cells are counted that did
    not run at all.
    """
    several, lost = len(finding.failed) > 1, sum(count for _, count in finding.failed)
    why = listed([f"{reason_text(kind)}{f' ({n})' * several}" for kind, n in finding.failed])
    ran = sum(row.ran for row in results)
    refused = sum(row.status == REFUSED for row in results)
    was = f"{'was' if lost == 1 else 'were'} refused"
    verb = "failed" if not refused else was if refused == lost else f"failed or {was}"
    who = f"{lost} of {plural(ran, 'cell')}"
    if lost == ran:
        who = f"{'the only cell' if ran == 1 else f'all {ran} cells'} that ran"
        if idle := len(results) - ran:
            why += f"; {count(idle)} {'was' if idle == 1 else 'were'} not run"
    return f"{who} {verb}", why


TITLES = {"untested": "steady state untested", "drifting-machine": "trend over processes"}
"""Kinds of warnings whose own word says too little."""


def warning_title(kind: str) -> str:
    """A kind of warning in words: "loaded machine", "user-supplied data"."""
    of_data, title = kind.removeprefix("data-"), TITLES.get(kind, kind.replace("-", " "))
    return label(f"{of_data} data" if of_data != kind else title, 80)


def warning_text(warned: ResultWarning, *others: ResultWarning) -> str:
    """The sentence beside a number; of several warnings of one kind with their extent.

    Raises:
        ValueError: nothing can be said of its kind.
    """
    alike = (warned, *others)
    sizes = [own.value for own in alike]
    match warned:
        case Recorded("data-user-supplied"):  # Its message names the data as a spec does.
            return "the data files are not the official ones"
        case Recorded("not-quantised"):  # What follows names the converter's files.
            return warned.message.partition(":")[0]
        case Recorded():
            return warned.message
        case TwoModes():
            slow = [own.slow_share for own in alike if isinstance(own, TwoModes)]
            cores = "" if others else _fewer_cores(warned.busy, warned.usual)
            return (
                f"steps have two modes: {extent(slow, _hundredth)} % of them take "
                f"{extent(sizes, _two_digits)} times as long as the others{cores}"
            )
        case SlowProcess():
            text = f"work took {extent(sizes, _two_digits)} times as long as in the fastest repeat"
            if others:
                return text
            busy = f", while others kept {warned.others:.2g} cores busy"
            cores = _fewer_cores(warned.busy, warned.usual)
            return f"{text}{'' if isnan(warned.others) else busy}{cores}"
        case BegunAlike():
            seeds = dict.fromkeys(f"seed {seed}" for seed in warned.seeds.values())
            return f"its {' and '.join(warned.seeds)} were those of {' and '.join(seeds)}"
        case OldCode():
            return (
                f"{warned.file} changed after it was measured, and later processes ran the new "
                "code; the next run measures it again"
            )
        case ChangedRecord():
            return (
                f"the cell that it describes has the key {warned.measured}, but it is kept as "
                f"{warned.kept}: it was edited by hand"
            )
        case ImpossibleShare():
            return (
                f"{warned.metric} is {warned.value:g}, and a share of examples lies between 0 and 1"
            )
        case CpuAboveWall():
            return (
                f"{warned.cpu_s:.3g} s of CPU time in {warned.wall_s:.3g} s on {warned.threads} "
                "processors: its clocks cannot both be right"
            )
        case AbovePeak():
            return _above_peak(warned)
    return _of_series(warned.kind, sizes)


_hundredth, _two_digits = (lambda part: f"{100 * part:.0f}"), "{:.2g}".format


def busy_text(processes: Iterable[Result]) -> str:
    """During how many of some processes other programs used the processor; empty of none."""
    every = {(row.key, row.machine): row for row in processes}.values()
    busy, of = sum(is_busy([row]) for row in every), plural(len(every), "process", "processes")
    return EVIDENCE["load"].format(busy=busy, processes=of) * bool(busy)


def _fewer_cores(busy: float, usual: float) -> str:
    return "" if isnan(busy) else f", with {busy:.2g} cores busy instead of {usual:.2g}"


def _above_peak(warned: AbovePeak) -> str:
    peak = warned.peak
    times = number(significant(warned.value / peak.tflops, 2))
    rate = f"{number(warned.value)} TFLOPS is {times} times"
    if warned.kind == "above-machine":
        return f"{rate} what this machine can do: {source_of_peak(peak)}"
    of = f"{peak.tflops:g} TFLOPS in {type_of_peak(peak)}"
    return f"{rate} the peak of {of} ({source_of_peak(peak)})"


def _of_series(kind: str, sizes: Sequence[float]) -> str:
    """What is said of series of timings by one number of each."""
    size, most = min(sizes), max(sizes)
    change = f"{extent([*map(abs, sizes)], _hundredth)} % {'slower' if size > 0 else 'faster'}"
    if size < 0 < most:
        change = f"{share(-size)} faster to {share(most)} slower"
    match kind:
        case "bad-timing":
            return "some of its timings are not positive numbers"
        case "untested":
            few = extent(sizes, "{:g}".format)
            return f"too few steady timings to test for a steady state: {few}"
        case "short-window":
            # Rounded up it would be "0.25 s in all, less than 0.25 s".
            shown = [min(float(f"{own:.3g}"), SHORT_WINDOW_S - 0.001) for own in sizes]
            window = extent(shown, "{:.3g}".format)
            return f"the steady steps took {window} s in all, less than {SHORT_WINDOW_S} s"
        case "loaded-machine":
            # Rounded down it would be the limit itself.
            cores = extent([max(own, OTHER_LOAD + 0.001) for own in sizes], "{:.3g}".format)
            return f"other processes kept {cores} cores busy"
        case "not-steady":
            return f"the first steps after the warm-up are {change} than the later ones"
        case "drifting":
            return f"steps became {change} while they were timed"
        case "drifting-machine":
            return f"on average, repeats became {change} from the first to the last"
        case "stalled":
            return f"{extent(sizes, _hundredth)} % of the time was stalls with little computed"
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


seconds_text = partial(printed_text, "total_time")
"""Published seconds with their unit."""


def flag_text(flag: Contradiction) -> str:
    """What about a published figure cannot be right, as a sentence."""
    printed, other, count = flag.printed, flag.other, flag.count
    match flag.kind:
        case "above-peak":
            source = f" ({flag.source})" if flag.source else ""
            rate = f"{printed:g} TFLOPS is"
            if not isnan(count):
                rate = f"a step of {duration(count)} is at least {printed:.3g} TFLOPS, which is"
            times = f"{rate} {printed / other:.2g} times the"
            if flag.inferred:
                return f"{times} {other:g} TFLOPS peak ({flag.source}, presumably the one used)"
            return f"{times} peak of {other:g} TFLOPS in {flag.of}{source}"
        case "not-of-epochs" | "not-of-samples":
            parts = flag.kind.removeprefix("not-of-")
            counted = f"{count:,.0f}" if parts == "samples" else f"{count}"
            return (
                f"a total of {seconds_text(printed)} does not fit {counted} {parts}: they take "
                f"{duration(other)}"
            )
        case "step-is-a-sample":
            return (
                f"what the source calls a step ({seconds_text(printed)}) is the time of a sample: "
                f"{count:,.0f} of them take {duration(printed * count)}, "
                f"and its epoch {seconds_text(other)}"
            )
        case "steps-unlike-epoch":
            steps = f"{count:,.0f} steps of {seconds_text(printed)}"
            return f"{steps} do not make an epoch of {seconds_text(other)}"
        case "samples-unlike-epoch":
            sample, whole = seconds_text(printed), duration(printed * count)
            return (
                f"{count:,.0f} samples of {sample} take {whole}, "
                f"not an epoch of {seconds_text(other)}"
            )
        case "speedup-unlike-times":
            return (
                f"a speedup of {printed:g} does not follow from the source's own "
                f"{flag.of.replace('_', ' ')}, which gives {other:.3g}"
            )


def failure_text(result: Result) -> str:
    """Why a result has no number, in the record's sentence or for what it is refused."""
    return warning_text(result.refusal) if result.refusal else result.failure_message


def remedy_text(result: Result) -> str:
    """What a person can do about a result that has no number."""
    if result.outcome == UNTIMED:
        return "Raise measure.budget, or lower measure.warmup_steps."
    return REMEDY if result.refusal else result.failure_remedy


def problem_text(result: Result) -> str:
    """Why a result has no time; empty where it has one."""
    if result.measured:
        return "" if result.timed else "ended before its first steady step"
    if result.status == MISSING:
        return "not run"
    kind = result.failure_kind
    return (
        f"{result.status} ({reason_text(kind)}): {failure_text(result)}" if kind else result.status
    )
