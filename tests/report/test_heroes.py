"""What a benchmark's page begins with: its finding, one picture of it, and few numbers."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from accelreport.analysis.rates import published_rates
from accelreport.report.heroes.grid import grid_lines_section
from accelreport.report.heroes.hero import MOST_NUMBERS, ON_A_CARD, ON_A_SLIDE, HeroFigure, Size
from accelreport.report.heroes.registry import hero_of
from accelreport.report.model import Figure
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


def test_a_grid_has_a_cell_for_every_point_of_every_device_and_says_why_one_is_empty() -> None:
    axes = {"layers": (1, 2, 3), "units": (32, 64, 128, 256), "batch_size": (64, 128)}
    grid = study(axes=axes, devices=("cpu", "gpu"), repeats=1)
    gone = next(cell for cell in grid.plan.cells if cell.point["units"] == 256)
    records = tuple(record for record in grid.records if record.key != gone.key)
    (bench,) = gather(Results((replace(grid, records=records),)))
    (figure,) = hero_of(bench).figures
    assert isinstance(figure, HeroFigure)
    spec = figure.drawing(Size(1104, 320)).spec
    words = [row["text"] for rows in spec["datasets"].values() for row in rows if "text" in row]
    times = [word for word in words if word.endswith(("s", "min")) and word[0].isdigit()]
    assert len(times) == 3 * 4 * 2 * 2 - 1
    assert words.count("not run") == 1
    lines = grid_lines_section(bench)
    assert lines is not None
    drawn = lines.blocks[0]
    assert isinstance(drawn, Figure)
    assert len(drawn.panels) == 2, "a panel for each batch size, none left out"


def test_a_device_faster_than_its_chip_is_red_and_in_the_title() -> None:
    row = Published(
        device="gpu", label="GPU, first session", hardware="Tesla K80", tflops=15.7, mark="S"
    )
    kernel = study("matmul", spec="k", published=(row,), devices=("cpu", "gpu"), axes={})
    (bench,) = gather(Results((kernel,)))
    hero = hero_of(bench)
    assert hero.title == "One published figure is faster than the chip can be"
    (figure,) = hero.figures
    assert isinstance(figure, HeroFigure)
    assert "var(--alert)" in json.dumps(figure.drawing(Size(1104, 320)).spec)


def test_what_differs_in_more_than_length_is_never_compared() -> None:
    """A profile with another batch does other work a step than the source did."""
    stated = "[workload]\nbatch_size = 512\nsteps_per_epoch = 100\n"
    text = f'{stated}[profiles.quick]\n"workload.batch_size" = 64\n'
    row = Published(device="gpu", label="K80, 2018", epoch_time=13.0)
    made = study(axes={}, repeats=1, published=(row,))
    for batch, alike in ((64, False), (512, True)):
        workload = {**made.plan.workload, "batch_size": batch}
        update = {"profile": "quick", "text": text, "workload": workload}
        (found,) = published_rates(made.plan.model_copy(update=update))
        assert found.comparable is alike


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
