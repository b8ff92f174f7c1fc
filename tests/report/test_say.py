"""Each finding about speed has one form; a number has the digits that its interval allows."""

from __future__ import annotations

from dataclasses import replace
from math import nan

import pytest

from accelreport.analysis.findings import Caveat, Finding, Kind, Provenance, Subject, Unit, Value
from accelreport.analysis.results import Result, Timings
from accelreport.analysis.speedup import Why, Withheld
from accelreport.analysis.stats import Interval, Verdict
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


def amount(of: Subject, number: float, unit: Unit, *caveats: Caveat, **more: object) -> Value:
    interval = Interval(number, nan, nan, 4)
    held = frozenset(caveats)
    return Value(of, interval, unit, Provenance.MEASURED, held, **more)  # type: ignore[arg-type]


def process(of: Subject, steps: int = 1500, timed: int = 0, *, repeat: int = 0) -> Result:
    """A process that was to take 1,500 steps and took so many, of which some were timed."""
    return Result(
        f"{of.device}-{repeat}", of.device, of.machine, repeat, repeat, {"batch_size": 256},
        status="ok" if steps == 1500 else "partial",
        steps=steps,
        timings=Timings(steady_steps=timed, planned_steps=1500),
    )  # fmt: skip


FAST = ratio(GPU, 5.234, low=5.1, high=5.4)
SLOW = ratio(ONE, 0.538, Verdict.SLOWER, low=0.52, high=0.55)
OPEN = ratio(ONE, 1.02, Verdict.UNDECIDED, low=0.9, high=1.15)
SECONDS = amount(CPU, 3.0, Unit.SECONDS)
STATED = ratio(Subject("gpu", row=ROW), 110.0, None)
FORMS = [
    (Finding(Kind.FASTER, (FAST,)), "Example T4 trains 5.2× as fast as Example at batch size 256"),
    (
        Finding(Kind.FASTER, (ratio(TPU, 9.8), FAST)),
        "TPU v2-8 trains 9.8× and Example T4 5.2× as fast as Example",
    ),
    (
        Finding(Kind.FASTER, (ratio(GPU, 9.8), FAST)),
        "Example T4 trains 5.2× to 9.8× as fast as Example",
    ),
    (
        Finding(Kind.FASTER, (ratio(TPU, 9.8), FAST, ratio(ONE, 2.0))),
        "3 devices train 2.0× to 9.8× as fast as Example",
    ),
    (
        Finding(Kind.SLOWER, (SLOW,)),
        "Example, 1 thread reaches 0.54× the throughput of Example at batch size 256",
    ),
    (
        Finding(Kind.SAME, (ratio(ONE, 1.0, Verdict.SAME),)),
        "Example, 1 thread is as fast as Example, within 3 %",
    ),
    (
        Finding(Kind.UNDECIDED, (OPEN,)),
        "Whether Example, 1 thread is faster or slower than Example at batch size 256 is undecided",
    ),
    (
        Finding(Kind.UNDECIDED, (OPEN, ratio(GPU, 1.0, Verdict.UNDECIDED), ratio(TPU, 1.0))),
        "Whether any of 3 devices is faster or slower than Example is undecided",
    ),
    (
        Finding(Kind.SINGLE, (ratio(GPU, 5.0, None), ratio(TPU, 7.0, None))),
        "None of 2 comparisons is decided: each is a single run",
    ),
    (
        Finding(Kind.SINGLE, (ratio(GPU, 5.0, None),)),
        "The comparison of Example T4 with Example at batch size 256 is a single run",
    ),
    (
        Finding(Kind.WITHHELD, (ratio(GPU, 0.87, None, why=(PRECISION,)),)),
        "bfloat16 reaches 0.87× the throughput of float32 on Example",
    ),
    (
        Finding(Kind.WITHHELD, (ratio(GPU, 2.0, None, why=(Withheld(Why.QUALITY, "", ""),)),)),
        "Example T4 is not compared with Example: it does not reach the same quality as Example",
    ),
    (
        Finding(Kind.PUBLISHED, (ratio(THEIRS, 14.2, None),)),
        "The published Colab K80, 2018 trains 14× as fast as Example at batch size 256",
    ),
    (
        Finding(Kind.PUBLISHED, (ratio(THEIRS, 0.5, None),)),
        "The published Colab K80, 2018 reaches 0.50× the throughput of Example at batch size 256",
    ),
    (
        Finding(Kind.RESTATED, (STATED, ratio(STATED.of, 14.2, None)), SECONDS),
        "The published 110× is 14× against Example",
    ),
    (
        Finding(Kind.TOTAL, (amount(THEIRS, 11_160.0, Unit.SECONDS),), SECONDS),
        "The training takes 3.1 h on the published Colab K80, 2018 and 3.0 s on Example",
    ),
    (
        Finding(
            Kind.GAIN,
            (ratio(Subject("cpu", "", (1024,)), 2.62), ratio(Subject("gpu", "", (1024,)), 1.4)),
            axis="batch_size",
        ),
        "Example gains 2.6× from batch size 256 to 1,024",
    ),
    (
        Finding(Kind.GAIN, (ratio(CPU, 0.8, Verdict.SLOWER),), axis="batch_size"),
        "Example falls to 0.80× from batch size 256 to 256",
    ),
    (
        Finding(Kind.GAIN, (ratio(CPU, 1.01, Verdict.SAME),), axis="batch_size"),
        "Example stays the same, within 3 %, from batch size 256 to 256",
    ),
    (
        Finding(Kind.GAIN, (OPEN,), axis="batch_size"),
        (
            "Whether the throughput of Example, 1 thread changes from batch size 256 to 256 is "
            "undecided"
        ),
    ),
    (
        Finding(
            Kind.RANGE, (amount(CPU, 10.7, Unit.SECONDS), amount(CPU, 1.0, Unit.SECONDS)), of=24
        ),
        (
            "The slowest timed configuration takes 11× as long as the fastest; "
            "22 of 24 were not timed"
        ),
    ),
    (
        Finding(Kind.RATE, (amount(CPU, 541.2, Unit.RATE),)),
        "Example trains 540 images/s at batch size 256",
    ),
    (
        Finding(Kind.EXCEEDS_PEAK, (ratio(THEIRS, 3.6, None),)),
        "The published Colab K80, 2018 exceeds its chip’s peak",
    ),
    (
        Finding(Kind.EXCEEDS_PEAK, (ratio(THEIRS, 3.6, None),) * 3),
        "Three published figures exceed the peak of their chip",
    ),
    (
        Finding(Kind.EXCEEDS_PEAK, (ratio(THEIRS, 3.6, None, caveats={Caveat.INFERRED}),)),
        "The published Colab K80, 2018 exceeds the peak of the inferred chip",
    ),
    (
        Finding(Kind.EXCEEDS_PEAK, (ratio(THEIRS, 3.6, None, caveats={Caveat.INFERRED}),) * 3),
        "Three published figures exceed the peak of the inferred chip",
    ),
    (
        Finding(
            Kind.EXCEEDS_PEAK,
            tuple(ratio(of, 3.6, None, caveats={Caveat.INFERRED}) for of in (THEIRS, OTHERS)),
        ),
        "Two published figures exceed the peaks of inferred chips",
    ),
    (
        Finding(
            Kind.SHARE_OF_PEAK,
            (amount(CPU, 0.154, Unit.SHARE, over=Subject("cpu", part="measured roof")),),
        ),
        "Example reaches 15 % of its measured roof",
    ),
    (
        Finding(Kind.LATENCY, (amount(CPU, 0.00244, Unit.SECONDS),)),
        "A call at batch size 256 takes 2.4 ms on Example",
    ),
    (Finding(Kind.NOT_MEASURED, (), of=3), "Nothing has been measured yet"),
]


@pytest.mark.parametrize(("finding", "title"), FORMS)
def test_a_finding_has_one_form(speaker: Speaker, finding: Finding, title: str) -> None:
    assert speaker.title(finding).replace("\xa0", " ") == title
    assert speaker.sentence(finding).startswith(speaker.title(finding))
    assert speaker.spoken(finding)[0] == f"{speaker.title(finding)}."


@pytest.mark.parametrize(
    ("value", "title"),
    [
        (ratio(GPU, 1.12, over=CPU), "XLA trains 1.1× as fast as graph mode in TensorFlow"),
        (replace(OPEN, of=GPU), "Whether XLA is faster than graph mode in TensorFlow is undecided"),
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
        (Caveat.SINGLE_RUN, "single run"),
        (Caveat.BUDGET, "time budget stopped the run after 20 of 1,500 steps"),
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
    value = amount(CPU, 3.0, Unit.RATE, caveat, processes=(process(CPU, 20, 15),))
    assert words in speaker.answer(Finding(Kind.RATE, (value,)))


def test_caveats_of_several_configurations_say_how_many_they_are_of(speaker: Speaker) -> None:
    """Two sentences with one caveat: "it is a single run" names neither of their subjects."""
    alone = (process(CPU, 20, 15),)
    single = amount(CPU, 3.0, Unit.RATE, Caveat.SINGLE_RUN, Caveat.BUDGET, processes=alone)
    several = (process(GPU, 900, 895), process(GPU, 700, 695, repeat=1))
    cut = amount(GPU, 9.0, Unit.RATE, Caveat.BUDGET, processes=several)
    complete = (process(TPU), process(TPU, repeat=1))
    whole = amount(TPU, 9.5, Unit.RATE, processes=complete)
    both = speaker.answer(Finding(Kind.EXCEEDS_PEAK, (single, cut)))
    assert "1 of these 2 configurations is a single run without an interval." in both
    assert "stopped both of these configurations, at the earliest after 20 of 1,500 steps." in both
    three = speaker.answer(Finding(Kind.EXCEEDS_PEAK, (single, cut, whole)))
    assert "stopped 2 of these 3 configurations, at the earliest after 20 of 1,500 " in three
    runs = speaker.answer(Finding(Kind.RATE, (cut,)))
    assert "stopped 2 of 2 runs, at the earliest after 700 of 1,500 steps." in runs
    after = speaker.answer(Finding(Kind.RATE, (whole,)), Finding(Kind.RATE, (single,)))
    assert after.index("It is a single run") > after.index("trains 3")


def test_a_ratio_over_a_run_that_the_budget_stopped_is_of_no_stopped_run_itself(
    speaker: Speaker,
) -> None:
    base = amount(CPU, 3.0, Unit.RATE, Caveat.BUDGET, processes=(process(CPU, 20, 15),))
    caveats = frozenset({Caveat.BUDGET})
    fast = replace(FAST, caveats=caveats, processes=(process(GPU), *base.processes))
    text = speaker.answer(Finding(Kind.FASTER, (fast,), base))
    assert "stopped 1 of these 2 configurations after 20 of 1,500 steps." in text


def test_gains_are_listed_with_their_intervals_and_undecided_ones_as_such(speaker: Speaker) -> None:
    """One interval does not say which of two gains of a title it is of."""
    published = ratio(replace(THEIRS, point=(1024,)), 2.6, None)
    own = ratio(CPU, 1.04, low=1.02, high=1.07)
    values = (published, own, replace(OPEN, of=ONE))
    text = speaker.evidence(Finding(Kind.GAIN, values, axis="batch_size"))
    assert text == "Example: 1.04× (1.02–1.07×); Example, 1 thread: undecided, 1.0× (0.9–1.1×)."
    neither = (ratio(GPU, 1.5, Verdict.UNDECIDED), replace(OPEN, of=ONE))
    text = speaker.evidence(Finding(Kind.GAIN, neither, axis="batch_size"))
    assert text.startswith("Example T4: undecided, 1.50×; Example, 1 thread: undecided, ")


def test_many_undecided_ratios_are_one_range(speaker: Speaker) -> None:
    values = tuple(replace(OPEN, of=replace(ONE, point=(size,))) for size in (256, 512, 1024))
    text = speaker.answer(Finding(Kind.UNDECIDED, values))
    assert text == "The ratios are 1.0×, and every interval contains 1."


def test_no_sign_behind_a_number_is_a_digit(speaker: Speaker) -> None:
    """102² reads as 10,404."""
    for caveat in Caveat:
        large = speaker.large(Finding(Kind.RATE, (amount(CPU, 102.0, Unit.RATE, caveat),)))
        assert large
        assert not set(large.value) & set("⁰¹²³⁴⁵⁶⁷⁸⁹")


def test_evidence_has_the_interval_and_how_many_comparisons_it_holds_with(speaker: Speaker) -> None:
    assert speaker.evidence(Finding(Kind.FASTER, (FAST,))).replace("\xa0", " ") == (
        "The 95 % interval is 5.1–5.4× over 4 processes."
    )
    chosen = speaker.evidence(Finding(Kind.FASTER, (FAST,), comparisons=48))
    assert chosen.endswith("The 95\xa0% level holds for all 48 comparisons together.")
    large = speaker.large(Finding(Kind.FASTER, (FAST,), comparisons=48))
    assert large
    assert large.text.endswith(", 5.1–5.4× (joint interval of 48 comparisons)")


def test_what_is_not_decided_has_no_large_number(speaker: Speaker) -> None:
    for kind, value in ((Kind.UNDECIDED, OPEN), (Kind.SINGLE, FAST), (Kind.GAIN, OPEN)):
        assert speaker.large(Finding(kind, (value,), axis="batch_size")) is None
