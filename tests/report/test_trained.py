"""What a page shows of trained models: curves, mistakes, forecasts, texts, int8."""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from accelreport.analysis.findings import Kind
from accelreport.report.charts.curves import DOTTED
from accelreport.report.metrics import metric_text
from accelreport.report.model import Code, Downloads, Figure, Gallery
from accelreport.report.openings.opening import Plot, Size
from accelreport.report.openings.registry import QUALITY_FORMS, opening_of
from accelreport.report.pages.benchmark import benchmark_page
from accelreport.report.pages.sections.learning import Curves, quality_section, target_table
from accelreport.report.pages.sections.predictions import forecast_plots, predictions_section
from accelreport.report.site.assembly import gather
from accelreport.report.view import BenchmarkView
from accelreport.results.record import GeneratedText
from accelreport.spec.claims import Claim
from accelreport.spec.models import Target
from tests.report.scenarios import Results, ordinary
from tests.support.learned import apart, curve, forecast, quantised, sample, trained
from tests.support.records import study


def bench_of(*records: dict[str, Any], **changes: Any) -> BenchmarkView:
    """A training of one device, a seed for each of the changes to its records."""
    (bench,) = gather(Results((trained(*records, **changes),)))
    return bench


def specs(figure: Figure) -> Iterator[dict[str, Any]]:
    """Every plot of a figure, also those beside one another."""
    for panel in figure.panels:
        for drawing in filter(None, (panel.wide, panel.narrow)):
            yield dict(drawing.spec)


def domains(spec: dict[str, Any], channel: str) -> set[tuple[float, ...]]:
    """Ends of an axis in all layers of a plot."""
    return {
        tuple(layer["encoding"][channel]["scale"]["domain"])
        for layer in spec["layer"]
        if layer["encoding"].get(channel, {}).get("scale")  # said once for all layers
    }


def test_all_sweep_points_share_an_axis_of_the_metric_and_each_ends_with_its_time() -> None:
    bench = next(each for each in gather(ordinary()) if each.quality and each.axes)
    section = quality_section(bench)
    assert section
    figure = section.blocks[0]
    assert isinstance(figure, Figure)
    assert figure.title == "Accuracy"
    assert [panel.title for panel in figure.panels] == list(map(bench.point_title, bench.points))
    assert len(set().union(*(domains(spec, "y") for spec in specs(figure)))) == 1
    for panel, point in zip(figure.panels, bench.points, strict=True):
        last = max(line.elapsed_s[-1] for line in Curves(bench).of("accuracy", point))
        for drawing in filter(None, (panel.wide, panel.narrow)):
            ((_, end),) = domains(dict(drawing.spec), "x")
            assert last <= end <= last * 1.2
    shares = [domains(spec, "y") for spec in specs(figure)]
    assert all(low >= 0 and high <= 1 for ends in shares for low, high in ends)


def test_the_number_of_the_finding_is_the_one_at_the_end_of_the_line() -> None:
    losses = ((0.05, 0.0294, 0.0311), (0.05, 0.04, 0.0331), (0.05, 0.02, 0.0300))
    bench = bench_of(
        *({"epochs": curve(*each, metric="val_loss"), "final": {"val_loss": min(each)}}
          for each in losses)
    )  # fmt: skip
    (line,) = Curves(bench).of("loss", bench.points[0])
    section = quality_section(bench)
    assert section
    assert line.end == "0.031"
    assert section.detail.startswith(f"{line.end} validation loss")


@pytest.mark.parametrize(
    ("metric", "solid"), [("accuracy", "training"), ("val_accuracy", "validation")]
)
def test_the_solid_line_is_of_what_the_title_is_of(metric: str, solid: str) -> None:
    check = {"value": metric, "of": "cpu", "at_least": 0.5}
    claim = Claim.model_validate({"text": "Learns", "check": check})
    made = study(devices=("cpu",), axes={}, claims=(claim,), origin="official")
    (bench,) = gather(Results((made,)))
    assert opening_of(bench).title.startswith("Learns")
    learns = next(finding for finding in bench.findings if finding.kind is Kind.LEARNS)
    plot = Curves(bench).plot("accuracy", (), learns)
    assert plot
    assert plot.caption.startswith(f"Solid: {solid}. Dotted: ")
    spec = plot.drawing(Size(650, 320)).spec
    (dotted,) = (layer for layer in spec["layer"] if layer["mark"].get("strokeDash") == DOTTED)
    assert f", {solid}, epoch" not in str(spec["datasets"][dotted["data"]["name"]])


def test_a_curve_ends_with_the_last_epoch_that_every_run_finished() -> None:
    cut = curve(0.5, 0.6, 0.7)
    cut[-1] = cut[-1].model_copy(update={"steps": 59})
    bench = bench_of({"epochs": cut}, {"epochs": curve(0.7, 0.8, 0.9)})
    (line,) = Curves(bench).of("accuracy", bench.points[0])
    assert line.value == pytest.approx((0.6, 0.7))


def test_precision_and_recall_are_drawn_over_the_epochs_where_they_were_recorded() -> None:
    names = ("accuracy", "precision", "recall", "loss")
    epochs = [
        row.model_copy(update={"metrics": {f"{part}{name}": 0.5 + 0.1 * number
                                           for name in names for part in ("", "val_")}})
        for number, row in enumerate(curve(0.5, 0.6, 0.7))
    ]  # fmt: skip
    section = quality_section(bench_of({"epochs": epochs}))
    assert section
    drawn = [block.id for block in section.blocks if isinstance(block, Figure)]
    assert drawn == ["learning-curves", "quality-loss", "quality-precision", "quality-recall"]


def test_mistakes_come_first_and_the_surest_before_all() -> None:
    kept = [sample(1, "7", "1", 0.6), sample(2, "4", "9", 0.99), sample(3, "5", "5", 0.9),
            sample(4, "3", "8", 0.7), sample(5, "2", "2", 0.4)]  # fmt: skip
    bench = bench_of({"samples": kept, "epochs": curve(0.3, 0.9)})
    section = predictions_section(bench)
    assert section
    (block,) = section.blocks
    assert isinstance(block, Gallery)
    assert [picture.predicted for picture in block.pictures] == ["9", "8", "1", "2", "5"]
    assert section.detail.replace("\xa0", " ").startswith("3 images of ")
    assert "most confident errors first" in block.rule
    pictures, curves = (scene.shown for scene in opening_of(bench).scenes)
    assert isinstance(pictures, Gallery)
    assert [picture.wrong for picture in pictures.pictures] == [True] * 3
    assert pictures.title == "3 of 3 misclassified images"
    assert isinstance(curves, Plot)


def test_a_picture_is_read_compressed_or_not_and_no_more_of_it_than_its_shape() -> None:
    """Early records hold bytes uncompressed; a stranger's may unfold to gigabytes."""
    grey = bytes(range(64))
    sources = []
    for pixels in (zlib.compress(grey), grey, zlib.compress(grey * 100_000), b"no picture"):
        picture = {"pixels": base64.b64encode(pixels).decode(), "shape": [8, 8]}
        kept = [sample(1, "7", "1").model_copy(update=picture)]
        section = predictions_section(bench_of({"samples": kept, "epochs": curve(0.3, 0.9)}))
        assert section
        (block,) = section.blocks
        assert isinstance(block, Gallery)
        sources.append(block.pictures[0].source)
    compressed, plain, *refused = sources
    assert compressed == plain
    assert compressed.startswith("data:image/png")
    assert refused == ["", ""]


def test_correct_predictions_are_shown_where_none_is_wrong() -> None:
    opening = opening_of(bench_of({"samples": [sample(1, "7", "7"), sample(2, "4", "4")]}))
    pictures = opening.scenes[0].shown
    assert isinstance(pictures, Gallery)
    assert pictures.title == "Correct, least confident"
    assert "errors" not in pictures.rule


def test_the_gallery_is_of_the_batch_that_the_spec_states_and_not_of_the_first_that_it_sweeps() -> (
    None
):
    made = study(axes={"batch_size": (64, 512)}, devices=("cpu",), samples=4, origin="official")
    for stated in (64, 512):
        workload = {**made.plan.workload, "batch_size": stated}
        plan = made.plan.model_copy(update={"workload": workload})
        (bench,) = gather(Results((replace(made, plan=plan),)))
        section = predictions_section(bench)
        assert section
        (gallery,) = section.blocks
        assert isinstance(gallery, Gallery)
        assert f"batch size {stated}" in gallery.rule.replace("\xa0", " ")


def drawn(plots: list[Plot]) -> str:
    """Every text of some figures."""
    specs = [json.dumps(plot.drawing(Size(800, 300)).spec, ensure_ascii=False) for plot in plots]
    return " ".join([*specs, *(plot.title + plot.description for plot in plots)])


@pytest.mark.parametrize(("origin", "in_units"), [("official", True), ("synthetic", False)])
def test_values_that_were_made_up_are_in_no_unit(origin: str, in_units: bool) -> None:
    runs = ({"forecasts": [forecast(error), forecast(error, "wind")]} for error in (0.4, 0.45, 0.5))
    bench = bench_of(*runs, origin=origin)
    opening = opening_of(bench)
    shown = [scene.shown for scene in opening.scenes]
    assert [getattr(each, "id", "") for each in shown] == ["forecast-0", "forecast-errors"]
    text = drawn([each for each in shown if isinstance(each, Plot)])
    for words in (text, opening.title, opening.answer):
        assert ("°C" in words) is in_units


def values_of(plot: Plot) -> list[float]:
    """What the marks of a dot plot are at."""
    spec = plot.drawing(Size(800, 300)).spec
    marks = (rows for rows in spec["datasets"].values() if rows and "value" in rows[0])
    return sorted({row["value"] for rows in marks for row in rows})


def test_errors_of_several_series_are_drawn_relative_to_their_naive_guess() -> None:
    bench = bench_of({"forecasts": [forecast(0.4), forecast(0.4, "wind")]})
    plot = opening_of(bench).scenes[1].shown
    assert isinstance(plot, Plot)
    findings = [finding for finding in bench.findings if finding.kind is Kind.FORECAST]
    ratios = {f.values[0].number / f.base.number for f in findings if f.base}
    assert values_of(plot) == pytest.approx(sorted(ratios))


def test_a_drawn_forecast_names_its_seed_and_an_undecided_one_is_no_partial_run() -> None:
    runs = ({"forecasts": [forecast(e), forecast(2 * e, "wind")]} for e in (0.4, 0.5, 0.6))
    first, errors = (scene.shown for scene in opening_of(bench_of(*runs)).scenes)
    assert isinstance(first, Plot)
    assert isinstance(errors, Plot)
    text = drawn([first]).replace("\xa0", " ")
    assert "seed 0; error: 0.400 °C; mean of 3 seeds: 0.50 °C" in text
    assert '"same hour"' in text, "the guess has a line of its own"
    assert "Wind: 1.00× (0.50–1.50×), 1.00" in errors.description
    assert "○" not in errors.caption


def test_int8_is_drawn_relative_to_float32() -> None:
    bench = bench_of({**quantised(60, 20), "epochs": curve(0.3, 0.9)})
    plot = opening_of(bench).scenes[0].shown
    assert isinstance(plot, Plot)
    parts = {value.of.part: value.number for value in bench.findings[0].values}
    assert values_of(plot) == pytest.approx(sorted((parts["latency"], parts["throughput"])))
    assert min(values_of(plot)) > 1, "all marks have one direction, that of speed"


def test_a_single_series_needs_no_picture_of_errors() -> None:
    bench = bench_of({"forecasts": [forecast(0.4)]})
    assert len(opening_of(bench).scenes) == len(forecast_plots(bench)) == 1


@pytest.mark.parametrize(
    ("changes", "begins"), [({}, True), ({"axes": {"model": ("a", "b")}}, False)]
)
def test_int8_is_drawn_once_on_a_page_and_in_its_section_where_it_begins_otherwise(
    changes: dict[str, Any], begins: bool
) -> None:
    page = benchmark_page(bench_of({**quantised(60, 20), "epochs": curve(0.3, 0.9)}, **changes))
    names = [figure.id for figure in page.figures]
    assert names.count("int8") == 1
    assert page.opening
    opened = [block.id for block in page.opening.blocks if block.kind == "figure"]
    assert ("int8" in opened) is begins


def test_what_a_network_writes_is_shown_by_its_steps() -> None:
    texts = [GeneratedText(prompt="To be", text=" or not")]
    bench = bench_of({"texts": texts, "epochs": curve(0.1, 0.2, 0.3, 0.4, text=True)})
    text, curves = (scene.shown for scene in opening_of(bench).scenes)
    assert isinstance(text, Code)
    assert isinstance(curves, Plot)
    written = "".join(token.text for token in text.tokens).replace("\xa0", " ")
    assert re.findall(r"After (.*)", written) == [
        "60 steps: accuracy 10.0 %", "180 steps", "240 steps: accuracy 40.0 %",
    ]  # fmt: skip
    assert "To be <4>" in written


def test_one_epoch_is_a_number_and_no_curve() -> None:
    texts = [GeneratedText(prompt="To be", text=" or not")]
    one = {"epochs": curve(0.3, text=True)}
    for update in ({**one, "texts": texts}, {**one, "samples": [sample(1, "a", "b")]}, one):
        bench = bench_of(update)
        shown = [getattr(scene.shown, "id", "") for scene in opening_of(bench).scenes]
        assert len(shown) == 1
        assert "learning-curves" not in shown
        section = quality_section(bench)
        assert section
        assert "quality-curves" not in {getattr(block, "id", "") for block in section.blocks}


def test_the_opening_draws_the_baselines_training_alone_and_names_devices_in_a_legend() -> None:
    bench = bench_of(apart((0.5, 0.9), (0.5, 0.6)), devices=("cpu", "cpu-1"))
    learned = next(finding for finding in bench.findings if finding.kind is Kind.LEARNS)
    plot = QUALITY_FORMS[Kind.LEARNS](bench, learned)[0].shown
    assert isinstance(plot, Plot)
    data = plot.drawing(Size(422, 290)).spec["datasets"].values()
    lines = {(row["device"], row["value"]) for rows in data for row in rows if "epoch" in row}
    assert sorted(value for _, value in lines) == [0.5, 0.5, 0.6, 0.6, 0.9]
    assert [key.text for key in plot.keys] == [series.title for series in bench.shown_series]
    (baseline,) = (series.title for series in bench.shown_series if series.baseline)
    assert f"Dotted: training on {baseline}." in plot.caption
    (alone,) = (scene.shown for scene in opening_of(bench_of(apart((0.5, 0.9), (0.5, 0.6)))).scenes)
    assert isinstance(alone, Plot)
    assert alone.keys == ()
    assert "Dotted: training." in alone.caption


def test_no_figure_is_a_file_where_data_lie() -> None:
    page = benchmark_page(bench_of(apart((0.5, 0.9), (0.5, 0.6))))
    figures = {link.href for figure in page.figures for link in figure.downloads}
    data = {
        link.href
        for section in page.sections
        for block in section.blocks
        for link in (block.items if isinstance(block, Downloads) else ())
    }
    assert any(address.endswith("curves.csv") for address in data)
    assert not figures & data


def test_a_run_that_ended_by_itself_never_reached_its_target() -> None:
    target = Target(metric="val_accuracy", at_least=0.9)
    table = target_table(bench_of({"epochs": curve(0.5)}, target=target))
    assert table.title.endswith("at least 90\N{NO-BREAK SPACE}% validation accuracy")
    assert table.groups[0].rows[0].entries[0].lines[0].text == "never reached"


def test_training_accuracy_never_stands_for_a_validation_that_did_not_run() -> None:
    both = apart((0.5, 0.6), (0.4, 0.45))["epochs"]
    last = both[-1].model_copy(update={"metrics": {"accuracy": 0.6}})
    shown = Curves(bench_of({"epochs": [both[0], last]})).table("accuracy", "rows")
    lines = [[line.text for line in row.entries[0].lines] for row in shown.groups[0].rows]
    assert lines[0][:2] == ["40.00\xa0%", "training 50.00\xa0%"]
    assert lines[1][:2] == ["not evaluated", "training 60.00\xa0%"]


@pytest.mark.parametrize("status", ["ok", "partial"])
def test_a_text_says_whether_the_training_had_ended(status: str) -> None:
    texts = [GeneratedText(prompt="To be", text=" or not")]
    bench = bench_of({"texts": texts, "epochs": curve(0.1, text=True), "status": status})
    section = predictions_section(bench)
    assert section
    cut = " (partial run)" if status == "partial" else ""
    assert f"Text 1{cut}" in {getattr(block, "title", "") for block in section.blocks}


def test_what_quantisation_costs_is_in_points() -> None:
    assert metric_text("quantised_accuracy_loss", 0.0002, 0.0008) == "0.02\xa0points ± 0.08"
    assert metric_text("val_accuracy", 0.5, 0.01) == "50.00\xa0% ± 1.00"
