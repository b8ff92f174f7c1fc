"""What a page shows of trained models: curves, mistakes, forecasts, texts, eight bits."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from accelreport.report.heroes.hero import HeroFigure, Size
from accelreport.report.heroes.learning import (
    classes_hero,
    deployment_hero,
    forecast_hero,
    images_hero,
    writing_hero,
)
from accelreport.report.model import Code, Figure, Gallery
from accelreport.report.pages.benchmark import benchmark_page
from accelreport.report.pages.sections.learning import Curves, quality_section
from accelreport.report.pages.sections.predictions import confusion_section, samples_section
from accelreport.report.site.assembly import gather
from accelreport.report.view import BenchmarkView
from accelreport.results.record import Confusion, Epoch, Forecast, GeneratedText, Sample
from tests.report.scenarios import Results, observed, ordinary
from tests.report.tree import parse
from tests.support.records import study


def bench_of(*records: dict[str, Any], **changes: Any) -> BenchmarkView:
    """A training of one device, a seed for each of the changes to its records."""
    given = {"origin": "official"} | changes
    made = study(repeats=len(records), devices=("cpu",), axes={}, **given)
    found = tuple(
        record.model_copy(update=update)
        for record, update in zip(made.records, records, strict=True)
    )
    return gather(Results((replace(made, records=found),)))[0]


def specs(figure: Figure) -> Iterator[dict[str, Any]]:
    """Every plot of a figure, also those beside one another."""
    for panel in figure.panels:
        for drawing in filter(None, (panel.wide, panel.narrow)):
            spec = dict(drawing.spec)
            yield from spec.get("hconcat") or spec.get("vconcat") or [spec]


def domains(spec: dict[str, Any], channel: str) -> set[tuple[float, ...]]:
    """Ends of an axis in all layers of a plot."""
    return {
        tuple(layer["encoding"][channel]["scale"]["domain"])
        for layer in spec["layer"]
        if "scale" in layer["encoding"].get(channel, {})
    }


def test_training_and_validation_of_all_sweep_points_have_the_same_axes() -> None:
    bench = next(each for each in gather(ordinary()) if each.quality and each.axes)
    section = quality_section(bench)
    assert section
    figure = section.blocks[0]
    assert isinstance(figure, Figure)
    assert figure.title == "Accuracy of training and validation, epoch by epoch"
    assert [panel.title for panel in figure.panels] == list(map(bench.point_title, bench.points))
    curves = Curves(bench)
    for metric in curves.metrics:
        drawn = [curves.chart(metric, 860, 300, [point]).to_dict() for point in bench.points]
        for channel in ("x", "y"):
            assert len(set().union(*(domains(spec, channel) for spec in drawn))) == 1, metric
    shares = [domains(spec, "y") for spec in specs(figure)]
    assert all(low >= 0 and high <= 1 for ends in shares for low, high in ends)


def test_a_reader_chooses_one_of_several_drawings_without_a_script(site: Path) -> None:
    page = parse((site / "ceilings.html").read_text(encoding="utf-8"))
    (choice,) = [e for e in page.all("fieldset") if e.attributes.get("class") == "choice"]
    radios = list(choice.all("input"))
    assert [radio.attributes["type"] for radio in radios] == ["radio"] * len(radios)
    assert len({radio.attributes["name"] for radio in radios}) == 1
    assert sum("checked" in radio.attributes for radio in radios) == 1
    named = {label.attributes["for"]: label.text for label in choice.all("label")}
    assert list(named) == [radio.attributes["id"] for radio in radios]
    assert "Tesla T4" in named.values()
    css = (site / "ceilings.html").read_text(encoding="utf-8")
    css += "".join(each.read_text(encoding="utf-8") for each in site.glob("**/*.css"))
    printed = "".join(re.findall(r"@media print\s*\{(?:[^{}]|\{[^{}]*\})*\}", css))
    assert re.search(r"\.choice\s*>\s*\.panel\s*\{\s*display:\s*block", printed), "print has all"


def epochs(*losses: float, text: bool = False) -> list[Epoch]:
    return [
        Epoch(
            epoch=number, steps=10, train_s=1, evaluate_s=1, elapsed_s=number,
            metrics={"loss": loss, "val_loss": loss, "val_accuracy": 0.1 * number},
            text=GeneratedText(prompt="To be", text=f" <{number}>") if text else None,
        )
        for number, loss in enumerate(losses, 1)
    ]  # fmt: skip


def test_the_number_told_is_the_one_at_the_end_of_the_line() -> None:
    losses = [[0.05, 0.0294, 0.0311], [0.05, 0.04, 0.0331], [0.05, 0.02, 0.0300]]
    bench = bench_of(
        *({"epochs": [e.model_copy(update={"metrics": {"val_loss": e.metrics["val_loss"]}})
                      for e in epochs(*each)],
           "final": {"val_loss": min(each)}} for each in losses)
    )  # fmt: skip
    curves = Curves(bench)
    (line,) = curves.of("loss", bench.points[0])
    section = quality_section(bench)
    assert section
    assert line.end == "0.0311"
    assert f"ended at {line.end}, the median of 3 seeds" in section.finding.replace("\xa0", " ")


def sample(index: int, true: str, predicted: str, probability: float) -> Sample:
    return Sample(index=index, true=true, predicted=predicted, probability=probability)


def test_mistakes_come_first_and_the_surest_before_all() -> None:
    kept = [sample(1, "7", "1", 0.6), sample(2, "4", "9", 0.99), sample(3, "5", "5", 0.9),
            sample(4, "3", "8", 0.7), sample(5, "2", "2", 0.4)]  # fmt: skip
    bench = bench_of({"samples": kept, "epochs": epochs(0.3, 0.2)})
    section = samples_section(bench)
    assert section
    (block,) = section.blocks
    assert isinstance(block, Gallery)
    assert [picture.predicted for picture in block.pictures] == ["9", "8", "1", "2", "5"]
    assert section.title.replace("\xa0", " ") == "3 mistakes, the surest first"
    hero = images_hero(bench)
    assert hero
    beside = hero.figures[1]
    assert isinstance(beside, Gallery)
    assert [picture.wrong for picture in beside.pictures] == [True] * 3


def test_the_gallery_is_of_the_batch_that_the_spec_states_and_not_of_the_first_that_it_sweeps() -> (
    None
):
    made = study(axes={"batch_size": (64, 512)}, devices=("cpu",), samples=4, origin="official")
    for stated in (64, 512):
        workload = {**made.plan.workload, "batch_size": stated}
        plan = made.plan.model_copy(update={"workload": workload})
        (bench,) = gather(Results((replace(made, plan=plan),)))
        section = samples_section(bench)
        assert section
        (gallery,) = section.blocks
        assert isinstance(gallery, Gallery)
        assert f"batch size {stated}" in gallery.rule.replace("\xa0", " ")


@pytest.mark.parametrize(("examples", "told"), [(1000, True), (1024, False)])
def test_what_fills_up_the_last_step_of_an_evaluation_is_told_where_it_is_shown(
    examples: int, told: bool
) -> None:
    made = study(devices=("cpu",), axes={}, repeats=1, origin="official")
    (record,) = made.records
    assert record.data
    cell = record.cell.model_copy(
        update={"workload": {**record.cell.workload, "evaluation_batch_size": 256}}
    )
    data = record.data.model_copy(update={"validation_examples": examples})
    bench = bench_of({"cell": cell, "data": data})
    section = quality_section(bench)
    assert section
    figure = section.blocks[0]
    assert isinstance(figure, Figure)
    said = figure.caption.replace("\xa0", " ")
    assert ("1,000 examples are no multiple of the 256 that an evaluation takes" in said) is told


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ([[8, 2, 0], [2, 8, 0], [1, 0, 9]], "a was taken for b and b was taken for a: 20 % of the"),
        ([[8, 1, 1], [1, 8, 1], [1, 0, 9]], "No confusion stands out: 5 pairs of classes are at"),
        ([[997, 2, 1], [3, 997, 0], [0, 0, 9]], "No example was taken for another class often"),
    ],
)
def test_pairs_of_classes_that_tie_are_told_as_ties(counts: list[list[int]], said: str) -> None:
    seen = Confusion(classes=["a", "b", "c"], counts=counts)
    section = confusion_section(bench_of({"confusion": seen}))
    assert section
    assert said in section.finding.replace("\xa0", " ")


def series(missed: float) -> dict[str, Any]:
    true = [float(i % 24 + i // 24) for i in range(200)]
    made = Forecast(
        target="temperature", unit="°C", first_time="2014-05-14T03:00:00", step_s=3600.0,
        ignored_steps=10, horizon_steps=24, train_mean=9.0, true=true,
        predicted=[value + missed for value in true],
    )  # fmt: skip
    return {"forecasts": [made]}


@pytest.mark.parametrize(
    ("missed", "origin", "title"),
    [
        ((0.4, 0.5), "official", "The network beats “same hour yesterday”: 0.450 °C"),
        ((2.0, 3.0), "official", "“Same hour yesterday” beats the network: 1.00 °C"),
        ((0.5, 1.7), "official", "The network is no surer than “same hour yesterday”: 1.10 °C"),
        ((0.4, 0.5), "synthetic", "On a synthetic stand-in: the network misses by 0.450, “same"),
        ((2.0, 3.0), "sample", "On a sample: “same hour yesterday” beats the network: 1.00 °C"),
    ],
)  # fmt: skip
def test_the_title_says_whether_the_network_or_a_naive_guess_wins_in_every_run(
    missed: tuple[float, ...], origin: str, title: str
) -> None:
    hero = forecast_hero(bench_of(*map(series, missed), origin=origin))
    assert hero
    assert hero.title.replace("\xa0", " ").startswith(title)


@pytest.mark.parametrize(("origin", "told"), [("official", True), ("synthetic", False)])
def test_values_that_were_made_up_are_in_no_unit(origin: str, told: bool) -> None:
    hero = forecast_hero(bench_of(series(0.4), series(0.5), origin=origin))
    assert hero
    drawn = [each for each in hero.figures if isinstance(each, HeroFigure)]
    said = [hero.title, hero.answer, *(each.value for each in hero.numbers)]
    said += [json.dumps(each.drawing(Size(800, 300)).spec, ensure_ascii=False) for each in drawn]
    said += [each.title + each.description for each in drawn]
    assert any("°C" in each for each in said) is told


@pytest.mark.parametrize("origin", ["official", "synthetic", "sample"])
def test_only_real_data_say_that_a_network_learned_by_heart(origin: str) -> None:
    rows = [
        each.model_copy(update={"metrics": {"accuracy": 0.99, "val_accuracy": 0.6}})
        for each in epochs(0.3, 0.2)
    ]
    kept = [sample(1, "7", "1", 0.6)]
    hero = images_hero(bench_of({"samples": kept, "epochs": rows}, origin=origin))
    assert hero
    assert ("rained to 99.0" in hero.title) == (origin != "synthetic")
    assert hero.title.startswith("On a synthetic stand-in: ") == (origin == "synthetic")
    assert hero.title.startswith("On a sample: ") == (origin == "sample")
    assert all(told.startswith("On a") == (origin != "official") for told in hero.findings)


def test_eight_bits_are_told_by_every_seed_and_never_by_the_first_alone() -> None:
    (whole,) = gather(observed())
    first = next(iter(whole.records.values())).quantised
    assert first
    worse = {"quantised": first}
    alike = {"quantised": first.model_copy(update={"float32_only": 41, "int8_only": 39})}
    hero = deployment_hero(bench_of(alike, worse, alike))
    assert hero
    assert hero.title.endswith("; less accurate in 1 of 3 seeds")
    assert "by −0.20, −4.00 and −0.20 points in 3 seeds" in hero.answer.replace("\xa0", " ")
    all_worse = deployment_hero(bench_of(worse, worse))
    assert all_worse
    assert all_worse.title.endswith("; less accurate")
    sampled = deployment_hero(bench_of(worse, origin="sample"))
    assert sampled
    assert sampled.title.endswith("; less accurate on a sample")


def test_eight_bits_are_drawn_once_on_a_page_and_in_its_section_where_it_begins_otherwise() -> None:
    (whole,) = gather(observed())
    first = next(iter(whole.records.values())).quantised
    for kind, begins in (
        ("image_classification", True),
        ("text_classification", False),
    ):
        bench = bench_of({"quantised": first, "epochs": epochs(0.3, 0.2)})
        workload = {**bench.plan.workload, "kind": kind}
        bench = replace(bench, plan=bench.plan.model_copy(update={"workload": workload}))
        page = benchmark_page(bench)
        assert [each.id for each in page.figures].count("hero-bits") == 1
        opening = page.opening
        assert opening
        assert any(
            block.kind == "figure" and block.id == "hero-bits" for block in opening.blocks
        ) is (begins)


def test_what_a_network_writes_is_shown_by_epoch() -> None:
    texts = [GeneratedText(prompt="To be", text=" or not")]
    hero = writing_hero(bench_of({"texts": texts, "epochs": epochs(3, 2, 1.5, 1, text=True)}))
    assert hero
    text = hero.figures[0]
    assert isinstance(text, Code)
    written = "".join(token.text for token in text.tokens)
    assert re.findall(r"After epoch (\d)", written) == ["1", "3", "4"]
    assert "To be <4>" in written
    assert hero.title.replace("\xa0", " ") == (
        "After 4 epochs it guesses 40 % of the letters that come next"
    )


def test_one_epoch_is_a_number_and_no_curve() -> None:
    texts = [GeneratedText(prompt="To be", text=" or not")]
    written = writing_hero(bench_of({"texts": texts, "epochs": epochs(3, text=True)}))
    seen = images_hero(bench_of({"epochs": epochs(3)}, samples=9))
    learned = classes_hero(bench_of({"epochs": epochs(3)}))
    for hero in (written, seen, learned):
        assert hero
        assert len(hero.shown()) == 1
        assert "hero-curves" not in {getattr(each, "id", "") for each in hero.figures}
    section = quality_section(bench_of({"epochs": epochs(3)}))
    assert section
    assert "quality-curves" not in {getattr(each, "id", "") for each in section.blocks}
    assert learned
    assert learned.title.startswith("Example trains"), "what its picture shows"
    assert learned.answer.startswith("Validation ends at 10.0")


def test_a_training_that_was_cut_within_an_epoch_is_told_by_its_steps() -> None:
    texts = [GeneratedText(prompt="To be", text=" or not")]
    cut = {"status": "partial", "planned_steps": 1000}
    bench = bench_of({"texts": texts, "epochs": epochs(3, text=True), **cut}, epochs=10)
    hero = writing_hero(bench)
    assert hero
    (text, *_) = hero.figures
    assert isinstance(text, Code)
    assert text.tokens[0].text.startswith("Within epoch 1, ")
    assert hero.title.startswith("After 10\xa0steps it guesses")
    curves = images_hero(bench_of(*({"epochs": epochs(3, 2), **cut},) * 2, epochs=10, samples=9))
    assert curves
    assert curves.answer.endswith(" after 20\xa0steps and 2.00\xa0s.")
    unlike = ({"epochs": epochs(3, 2), **cut}, {"epochs": epochs(3), **cut})
    curves = images_hero(bench_of(*unlike, epochs=10, samples=9))
    assert curves
    assert "epoch" not in curves.answer
    assert "step" not in curves.answer
