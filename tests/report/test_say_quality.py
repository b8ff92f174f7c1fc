"""Each finding about quality has one form, whose numbers its figure shows."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from accelreport.analysis.findings import Kind
from accelreport.report.model import Code
from accelreport.report.openings.opening import ON_A_PHONE, ON_A_SLIDE, Plot, Scene
from accelreport.report.openings.registry import QUALITY_FORMS
from accelreport.report.say import Speaker
from accelreport.report.site.assembly import gather
from accelreport.report.view import BenchmarkView
from accelreport.results.record import Confusion, GeneratedText
from accelreport.spec.models import Target
from tests.report.scenarios import Results
from tests.support.learned import apart, curve, forecast, quantised, sample, trained

TEXTS = {"texts": [GeneratedText(prompt="To be", text=" or not")]}


def view(*updates: dict[str, Any], **changes: Any) -> BenchmarkView:
    (bench,) = gather(Results((trained(*updates, **changes),)))
    return bench


def told(bench: BenchmarkView, kind: Kind) -> tuple[str, str]:
    """Title and answer of the first finding of a kind."""
    speaker = Speaker(bench)
    finding = next(finding for finding in bench.findings if finding.kind is kind)
    title, answer = speaker.title(finding), speaker.answer(finding)
    return title.replace("\xa0", " "), answer.replace("\xa0", " ")


@pytest.mark.parametrize(
    ("ends", "metric", "words"),
    [
        (
            (0.990, 0.994, 0.998),
            "val_accuracy",
            (
                "The network has 99.4 % validation accuracy after 2.00 s of training steps",
                "The 95 % interval is 98.4–100.0 % over 3 processes.",
            ),
        ),
        (
            (0.0311,),
            "val_loss",
            (
                (
                    "The network has a validation loss of 0.0311 after 2.00 s of training steps, "
                    "in one run"
                ),
                "",
            ),
        ),
    ],
)
def test_a_network_reaches_a_quality(
    ends: tuple[float, ...], metric: str, words: tuple[str, str]
) -> None:
    bench = view(*({"epochs": curve(0.5, end, metric=metric)} for end in ends))
    assert told(bench, Kind.LEARNS) == words


@pytest.mark.parametrize(
    ("counts", "title"),
    [
        ([[8, 2], [1, 9]], "3 of 20 images are misclassified"),
        ([[9, 1], [0, 10]], "1 of 20 images is misclassified"),
        ([[10, 0], [0, 10]], "None of 20 images is misclassified"),
    ],
)
def test_images_are_misclassified(counts: list[list[int]], title: str) -> None:
    bench = view({"confusion": Confusion(classes=["a", "b"], counts=counts)})
    assert told(bench, Kind.MISCLASSIFIED) == (f"{title}, in one run", "")


def test_one_of_several_runs_is_no_single_run_but_has_its_seed() -> None:
    confusion = {"confusion": Confusion(classes=["a", "b"], counts=[[8, 2], [1, 9]])}
    bench = view(confusion, confusion, confusion)
    assert told(bench, Kind.MISCLASSIFIED)[1] == "The run is seed 0, one of 3 runs."


def test_a_network_guesses_letters() -> None:
    runs = [{**TEXTS, "epochs": curve(0.1, share, text=True)} for share in (0.14, 0.15, 0.16)]
    title, answer = told(view(*runs), Kind.WRITES)
    assert title == "The network predicts 15 % of the next characters after 120 steps of training"
    assert answer == ("The 95 % interval is 13–17 % over 3 processes.")


@pytest.mark.parametrize(
    ("errors", "origin", "title"),
    [
        (
            (0.4, 0.45, 0.5),
            "official",
            "The network forecasts temperature better than {naive}: 0.45 °C against 1.00 °C",
        ),
        (
            (2.0, 2.1, 2.2),
            "sample",
            (
                "On a sample: the network forecasts temperature worse than “same hour yesterday”: "
                "2.1 °C against 1.00 °C"
            ),
        ),
        (
            (0.4, 0.5),
            "synthetic",
            (
                "On synthetic data: the network’s mean absolute error for temperature is 0.450, "
                "and that of “same hour yesterday” is 1.00"
            ),
        ),
        (
            (0.4, math.inf),
            "official",
            "The network diverges in 1 of 2 runs and forecasts no temperature",
        ),
        (
            (math.nan,),
            "official",
            "The network diverges in 1 of 1 run and forecasts no temperature, in one run",
        ),
    ],
)
def test_the_errors_of_a_network_and_of_a_naive_guess_stand_beside_each_other(
    errors: tuple[float, ...], origin: str, title: str
) -> None:
    bench = view(*({"forecasts": [forecast(error)]} for error in errors), origin=origin)
    assert told(bench, Kind.FORECAST)[0] == title.replace("{naive}", "“same hour yesterday”")


def test_a_size_does_not_depend_on_the_data_but_what_is_said_of_the_accuracy_does() -> None:
    bench = view(quantised(2, 3), origin="synthetic")
    assert Speaker(bench).number_of(Kind.INT8).endswith(" of float32’s size in int8, one run")
    assert told(bench, Kind.INT8)[1].endswith("The data are synthetic.")


@pytest.mark.parametrize(
    ("runs", "title"),
    [
        (
            [(2, 3)] * 3,
            "The int8 network is 25.6 % of the size of the float32 network and {faster}",
        ),
        (
            [(60, 20)],
            "The int8 network is 25.6 % of the size of the float32 network, in one run",
        ),
        (
            [(60, 20), (2, 3), (2, 3)],
            "The int8 network is 25.6 % of the size of the float32 network and {faster}",
        ),
    ],
)
def test_int8_makes_a_network_smaller(runs: list[tuple[int, int]], title: str) -> None:
    bench = view(*(quantised(*disagreements) for disagreements in runs))
    own, answer = told(bench, Kind.INT8)
    assert own == title.replace("{faster}", "answers single calls 2.00× as fast")
    assert "on 1,000 examples" in answer


def test_int8_of_a_sweep_names_the_point() -> None:
    bench = view(*[quantised(2, 3)] * 3, axes={"batch_size": (64, 256)})
    title, answer = told(bench, Kind.INT8)
    assert title.startswith(
        "The int8 network at batch size 256 is 25.6 % of the size of the float32 network and "
    )
    assert answer.startswith("Accuracy shows no significant change in 3 runs on 1,000 examples (")


@pytest.mark.parametrize(
    ("level", "title"),
    [
        (0.9, "2 of 3 runs reach 90 % validation accuracy, the first after 1.00 s"),
        (0.93, "1 of 3 runs reaches 93 % validation accuracy, the first after 2.00 s"),
        (0.99, "No run reaches 99 % validation accuracy"),
    ],
)
def test_runs_reach_a_target(level: float, title: str) -> None:
    runs = [{"epochs": curve(*shares)} for shares in ((0.5, 0.95), (0.92,), (0.5,))]
    bench = view(*runs, target=Target(metric="val_accuracy", at_least=level))
    assert told(bench, Kind.TARGET)[0].removesuffix(" of training steps") == title


def labels(scene: Scene) -> str:
    """Every text of a figure and below it."""
    if isinstance(scene.shown, Plot):
        sizes = (ON_A_SLIDE, ON_A_PHONE)
        drawn = [json.dumps(scene.shown.drawing(size).spec, ensure_ascii=False) for size in sizes]
        return " ".join((*drawn, scene.shown.description, scene.shown.caption))
    if isinstance(scene.shown, Code):
        return "".join(token.text for token in scene.shown.tokens)
    return scene.shown.title


@pytest.mark.parametrize(
    ("runs", "kind"),
    [
        ([apart((0.5, 0.9), (0.5, 0.87)), apart((0.5, 0.9), (0.5, 0.88))], Kind.LEARNS),
        (
            [
                {
                    "samples": [sample(1, "a", "b"), sample(2, "b", "b")],
                    "epochs": curve(0.5, 0.9),
                }
            ],
            Kind.MISCLASSIFIED,
        ),
        ([{**TEXTS, "epochs": curve(0.1, 0.15, text=True)}], Kind.WRITES),
        ([{"forecasts": [forecast(0.4), forecast(2.0, "wind")]}] * 3, Kind.FORECAST),
        ([quantised(60, 20)], Kind.INT8),
    ],
)
@pytest.mark.parametrize("origin", ["official", "sample"])
def test_every_number_of_a_title_stands_in_its_figure(
    runs: list[dict[str, Any]], kind: Kind, origin: str
) -> None:
    bench = view(*runs, origin=origin)
    speaker, finding = Speaker(bench), bench.findings[0]
    assert finding.kind is kind
    title = speaker.title(finding)
    assert title.startswith("On a sample: ") is (origin == "sample" and kind is not Kind.INT8)
    for scene in QUALITY_FORMS[kind](bench, finding):
        values = [value for value in (*scene.finding.values, scene.finding.base) if value]
        if not scene.finding.is_sentence:
            continue
        title, text = speaker.title(scene.finding), labels(scene)
        numbers = {speaker.number(value).removesuffix("\xa0image") for value in values}
        if kind is Kind.FORECAST and len(scene.finding.values) > 1:
            assert f"of {len(values)} series" in title, "it counts what the figure has"
        else:
            assert any(number in title for number in numbers)
        assert all(number in text for number in numbers if number in title)
        if isinstance(scene.shown, Plot):
            assert set(map(id, values)) <= set(map(id, scene.shown.values))
