"""What a benchmark's page begins with: its finding, one picture of it, and few numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from accelreport.analysis.rates import published_rates
from accelreport.report.heroes.hero import MOST_NUMBERS, ON_A_CARD, ON_A_SLIDE, HeroFigure, Size
from accelreport.report.heroes.registry import hero_of
from accelreport.report.pages.benchmark import benchmark_page
from accelreport.report.site.assembly import gather
from accelreport.report.view import BenchmarkView
from accelreport.spec.models import Published
from tests.report.scenarios import Results, ordinary
from tests.support.records import study


@pytest.fixture(scope="module")
def benches() -> list[BenchmarkView]:
    """Benchmarks of several forms, and one of which nothing was measured."""
    empty = study("matmul", spec="later", repeats=1)
    return gather(Results((*ordinary().studies, replace(empty, records=()))))


def test_every_benchmark_begins_with_what_it_found_and_a_picture(
    benches: list[BenchmarkView],
) -> None:
    for bench in benches:
        page = benchmark_page(bench)
        assert page.headline
        assert not page.headline.endswith(".")
        assert page.opening
        assert page.opening.blocks[0].kind in {"figure", "gallery", "code"}
        hero = hero_of(bench)
        assert 1 <= len(hero.figures) <= 3
        assert len(hero.numbers) <= MOST_NUMBERS
        assert hero.sentence.endswith(".")


def test_a_hero_is_drawn_as_large_as_its_place(benches: list[BenchmarkView]) -> None:
    for bench in benches:
        hero = hero_of(bench)
        shown = [each for each in (*hero.figures, hero.thumbnail) if isinstance(each, HeroFigure)]
        for size in (ON_A_CARD, ON_A_SLIDE, Size(650, 320)):
            for figure in shown:
                spec = figure.drawing(size).spec
                beside = spec.get("hconcat", [spec])
                width = sum(part.get("width") for part in beside)
                height = max(part.get("height") for part in beside)
                assert isinstance(width, int | float), figure.id
                assert isinstance(height, int | float), figure.id
                assert 0 < width < size.width
                assert 0 < height < size.height


def test_a_published_figure_is_a_rate_whatever_the_source_printed() -> None:
    """60 000 images in 6 s, 100 µs an image, or a step of 256 in 25.6 ms: 10 000 a second."""
    printed = [
        {"epoch_time": 6.0},
        {"sample_time": 1e-4},
        {"step_time": 0.0256},
        {"step_time": 1e-4, "epoch_time": 6.0},
        {"total_time": 60.0},
        {"accuracy": 0.9},
    ]
    made = study("training", spec="m", origin="official", repeats=1)
    where = {"batch_size": 256}
    rows = [Published(device="gpu", label=str(x), where=where, **x) for x in printed]  # type: ignore[arg-type]
    workload = {**made.plan.workload, "dataset": "mnist", "epochs": 10, "steps_per_epoch": None}
    plan = made.plan.model_copy(update={"published": rows, "workload": workload})
    assert [each.rate for each in published_rates(plan)] == pytest.approx([10_000.0] * 5)
