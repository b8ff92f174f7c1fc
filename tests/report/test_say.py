"""Each finding about speed has one form; a number has the digits that its interval allows."""

from __future__ import annotations

from dataclasses import replace
from math import nan

import pytest

from accelreport.analysis.findings import Caveat, Finding, Kind, Provenance, Subject, Unit, Value
from accelreport.analysis.results import Result, Timings
from accelreport.analysis.speedup import Why, Withheld
from accelreport.analysis.stats import Interval, Verdict
from accelreport.analysis.warnings import Recorded
from accelreport.report.forms import signs
from accelreport.report.say import Speaker
from accelreport.report.site.assembly import gather
from accelreport.spec.models import Published
from tests.report.scenarios import Results
from tests.support.records import study

CPU, ONE = Subject("cpu", "0a1b2c3d", (256,)), Subject("cpu-1", "0a1b2c3d", (256,))
GPU, TPU = Subject("gpu", "0a1b2c3d", (256,)), Subject("tpu", "0a1b2c3d", (256,))
ROW = Published(device="gpu", label="Colab K80, 2018", step_time=0.01)
THEIRS = Subject("gpu", "", (256,), ROW)
OTHERS = Subject("cpu", "", (256,), Published(device="cpu", label="Colab CPU", step_time=0.1))
PRECISION = Withheld(Why.PRECISION, "mixed_bfloat16", "float32")

LOADED = (Recorded("loaded-machine", nan, ""),)


@pytest.fixture(scope="module")
def speaker() -> Speaker:
    """Of a sweep over the batch, whose devices are Example, its thread, a GPU and a TPU."""
    made = study(devices=("cpu", "cpu-1", "gpu", "tpu"), repeats=1)
    return Speaker(gather(Results((made,)))[0])


def ratio(
    of: Subject, number: float, verdict: Verdict | None = Verdict.FASTER, *, over: Subject = CPU,
    low: float = nan, high: float = nan, **more: object,
) -> Value:  # fmt: skip
    asked = {"unit": Unit.RATIO, "provenance": Provenance.MEASURED, "caveats": frozenset()}
    interval = Interval(number, low, high, 4)
    return Value(of, interval, **{**asked, "verdict": verdict, "over": over, **more})  # type: ignore[arg-type]


def amount(
    of: Subject, number: float, unit: Unit, *caveats: Caveat, low: float = nan, high: float = nan,
    **more: object,
) -> Value:  # fmt: skip
    interval = Interval(number, low, high, 4)
    held = frozenset(caveats)
    return Value(of, interval, unit, Provenance.MEASURED, held, **more)  # type: ignore[arg-type]


def process(of: Subject, steps: int = 1500, timed: int = 0, *, repeat: int = 0) -> Result:
    """A process that was to take 1,500 steps and took so many, of which some were timed."""
    return Result(
        f"{of.device}-{repeat}", of.device, of.machine, repeat, repeat, {"batch_size": 256},
        status="ok" if steps == 1500 else "partial",
        steps=steps,
        timings=Timings(steady_step_s=1.0, steady_steps=timed, planned_steps=1500),
    )  # fmt: skip


FAST = ratio(GPU, 5.234, low=5.1, high=5.4)
SLOW = ratio(ONE, 0.538, Verdict.SLOWER, low=0.52, high=0.55)
OPEN = ratio(ONE, 1.02, Verdict.UNDECIDED, low=0.9, high=1.15)
SECONDS = amount(CPU, 3.0, Unit.SECONDS)
TWO, K80 = "Example with 2 threads", "the published Colab K80, 2018"


def total(low: float, seconds: float, high: float) -> Finding:
    """A training here beside one of 3 h 6 min."""
    ours = replace(SECONDS, interval=Interval(seconds, low, high, 3))
    return Finding(Kind.TOTAL, (amount(THEIRS, 11_160.0, Unit.SECONDS),), ours)


FORMS = [
    (Finding(Kind.FASTER, (FAST,)), f"Example T4 trains 5.2× as fast as {TWO} at batch size 256"),
    (
        Finding(Kind.FASTER, (ratio(TPU, 9.8), FAST)),
        f"TPU v2-8 trains 9.80× as fast as {TWO} at batch size 256",
    ),
    (
        Finding(Kind.SLOWER, (SLOW,)),
        f"{TWO} trains 1.86× as fast as 1 thread at batch size 256",
    ),
    (
        Finding(Kind.SAME, (ratio(ONE, 1.0, Verdict.SAME),)),
        "Example with 1 thread is as fast as 2 threads at batch size 256, within 3 %",
    ),
    (
        Finding(Kind.UNDECIDED, (OPEN,)),
        "1 comparison is not decided (1 thread over 2 threads at batch size 256: 1.0×)",
    ),
    (
        Finding(Kind.UNDECIDED, (OPEN, ratio(GPU, 1.0, Verdict.UNDECIDED), ratio(TPU, 1.0))),
        "3 comparisons are not decided",
    ),
    (
        Finding(Kind.PUBLISHED, (ratio(THEIRS, 14.2, None),)),
        f"The published Colab K80, 2018 trains about 14.2× as fast as {TWO} at batch size 256",
    ),
    (
        Finding(Kind.PUBLISHED, (ratio(THEIRS, 0.5, None),)),
        f"{TWO} trains about 2.00× as fast as the published Colab K80, 2018 at batch size 256",
    ),
    (total(nan, 3.0, nan), f"The training takes 3.00 s on {TWO} and 3 h 6 min on {K80}"),
    (total(13e3, 13_500, 14e3), f"The training takes 3 h 45 min on {TWO} and 3 h 6 min on {K80}"),
    (
        total(920, 940, 966),
        f"The training takes 15.7 min on {TWO}, 11.9× as fast as {K80} (3 h 6 min)",
    ),
    (
        Finding(
            Kind.GAIN,
            (ratio(Subject("cpu", "", (1024,)), 2.62), ratio(Subject("gpu", "", (1024,)), 1.4)),
            axis="batch_size",
        ),
        f"{TWO} at batch size 1,024 trains 2.62× as fast as at 256",
    ),
    (
        Finding(Kind.GAIN, (ratio(CPU, 0.8, Verdict.SLOWER),), axis="batch_size"),
        f"{TWO} at batch size 256 trains 1.25× as fast as at 256",
    ),
    (
        Finding(Kind.GAIN, (ratio(CPU, 1.01, Verdict.SAME),), axis="batch_size"),
        f"{TWO} at batch size 256 is as fast as at 256, within 3 %",
    ),
    (
        Finding(Kind.RATE, (amount(CPU, 541.2, Unit.RATE),)),
        f"{TWO} trains 541 images/s at batch size 256",
    ),
    (
        Finding(Kind.RATE, (amount(CPU, 6200.0, Unit.RATE, low=2468.0, high=15_539.0),)),
        f"{TWO} trains at least 2,468 images/s at batch size 256",
    ),
    (
        Finding(Kind.RANGE, (amount(CPU, 10.7, Unit.SECONDS), SECONDS)),
        f"One example takes 3.00 s to 10.7 s on {TWO}",
    ),
    (
        Finding(Kind.LATENCY, (amount(CPU, 0.00244, Unit.SECONDS),)),
        f"The median call at batch size 256 takes 2.44 ms on {TWO}",
    ),
    (Finding(Kind.NOT_MEASURED, ()), "Nothing has been measured yet"),
    (Finding(Kind.NOT_MEASURED, (), of=3), "No baseline was timed"),
    (
        Finding(Kind.NOT_MEASURED, (), failed=(("out of memory", 2), ("refused", 1))),
        "3 of 12 cells failed: out of memory (2) and refused by checks (1)",
    ),
]


@pytest.mark.parametrize(("finding", "title"), FORMS)
def test_a_finding_has_one_form(speaker: Speaker, finding: Finding, title: str) -> None:
    assert speaker.title(finding).replace("\xa0", " ") == title


@pytest.mark.parametrize(
    ("value", "title"),
    [
        (
            ratio(GPU, 1.12, over=CPU),
            "Graph mode with XLA trains 1.12× as fast as graph mode in TensorFlow",
        ),
    ],
)
def test_a_compiler_is_named_as_the_field_does(speaker: Speaker, value: Value, title: str) -> None:
    compiled = speaker.bench.plan.devices["gpu"].model_copy(update={"xla": True})
    devices = {**speaker.bench.plan.devices, "gpu": compiled}
    plan = speaker.bench.plan.model_copy(update={"devices": devices})
    own = Speaker(replace(speaker.bench, plan=plan))
    assert own.title(Finding(Kind.COMPILED, (value,))).startswith(title)


@pytest.mark.parametrize(
    ("caveat", "words"),
    [
        (Caveat.BUDGET, "time budget per cell stopped the run after 20 of 1,500 steps"),
        (
            Caveat.EXTRAPOLATED,
            "extrapolated from 15 timed steps of 1,500; evaluation is not included",
        ),
        (Caveat.STAND_IN, "synthetic"),
        (Caveat.SAMPLE, "sample"),
        (Caveat.UNLIKE, "other conditions"),
        (Caveat.BUSY, "Other programs"),
        (Caveat.INFERRED, "inferred"),
    ],
)
def test_what_weakens_a_number_is_said_with_it(
    speaker: Speaker, caveat: Caveat, words: str
) -> None:
    run = replace(process(CPU, 20, 15), warnings=LOADED)
    finding = Finding(Kind.RATE, (amount(CPU, 3.0, Unit.RATE, caveat, processes=(run,)),))
    assert words in f"{speaker.title(finding)}. {speaker.answer(finding)}"


def test_a_ratio_over_a_run_that_the_budget_stopped_is_of_no_stopped_run_itself(
    speaker: Speaker,
) -> None:
    base = amount(CPU, 3.0, Unit.RATE, Caveat.BUDGET, processes=(process(CPU, 20, 15),))
    caveats = frozenset({Caveat.BUDGET})
    fast = replace(FAST, caveats=caveats, processes=(process(GPU), *base.processes))
    text = speaker.answer(Finding(Kind.FASTER, (fast,), base))
    assert (
        "stopped 1 of these 2 configurations (Example, 2 threads) after 20 of 1,500 steps." in text
    )


def test_no_sign_behind_a_number_is_a_digit() -> None:
    """102² reads as 10,404."""
    assert not set(signs(Caveat)) & set("⁰¹²³⁴⁵⁶⁷⁸⁹")


def test_evidence_has_the_interval_and_its_processes(speaker: Speaker) -> None:
    assert speaker.evidence(Finding(Kind.FASTER, (FAST,))).replace("\xa0", " ") == (
        "The 95 % interval is 5.1–5.4× over 4 processes on each side."
    )
    both = replace(FAST, interval=Interval(5.2, nan, nan, 2, (5.1, 5.4)))
    alone = speaker.evidence(Finding(Kind.FASTER, (both,)), " in “A”").replace("\xa0", " ")
    assert alone == "Two processes in “A” reach 5.10× and 5.40×."


def test_a_load_is_said_of_the_first_of_several_comparisons_alone(speaker: Speaker) -> None:
    runs = [process(CPU), process(GPU), replace(process(TPU), warnings=LOADED)]
    pairs = tuple(replace(FAST, processes=(runs[0], other)) for other in runs[1:])
    assert not speaker.load(Finding(Kind.FASTER, pairs))
    load = speaker.load(Finding(Kind.FASTER, pairs[1:])).replace("\xa0", " ")
    assert load == "Other programs used the processor while 1 of 2 processes ran."


@pytest.mark.parametrize(
    "finding",
    [
        Finding(Kind.TABLED, (FAST,)),
        Finding(Kind.WITHHELD, (ratio(GPU, 0.87, None, why=(PRECISION,)),)),
        Finding(Kind.GAIN, (OPEN,), axis="batch_size"),
        Finding(Kind.COMPILED, (OPEN,)),
        Finding(Kind.RANGE, (amount(CPU, 2.0, Unit.SECONDS, low=1.9, high=2.1), SECONDS)),
        Finding(Kind.EXCEEDS_PEAK, (ratio(THEIRS, 3.6, None),)),
        Finding(Kind.SHARE_OF_PEAK, (ratio(CPU, 0.1, None),)),
        Finding(Kind.LEARNS, (amount(CPU, 0.9, Unit.SHARE, Caveat.BUDGET),)),
        Finding(Kind.PUBLISHED, (ratio(THEIRS, 0.81, None, low=0.54, high=1.23),), SECONDS),
    ],
)
def test_what_is_not_decided_or_not_whole_is_no_sentence(
    speaker: Speaker, finding: Finding
) -> None:
    with pytest.raises(ValueError, match="no sentence"):
        speaker.title(finding)
    assert not finding.titles
