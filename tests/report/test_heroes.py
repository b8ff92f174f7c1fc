"""What a benchmark's page begins with: its finding, one picture of it, and few numbers."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from accelreport.analysis.overview import published_rates
from accelreport.loader.load import load
from accelreport.report import formatting
from accelreport.report.formatting import MISSING
from accelreport.report.heroes import frameworks
from accelreport.report.heroes.general import rates_title
from accelreport.report.heroes.grid import grid_lines_section
from accelreport.report.heroes.hero import (
    MOST_NUMBERS,
    ON_A_CARD,
    ON_A_PHONE,
    ON_A_SLIDE,
    Hero,
    HeroFigure,
    Size,
)
from accelreport.report.heroes.rates import (
    beside_number,
    device_number,
    published_at,
    usual_numbers,
)
from accelreport.report.heroes.registry import hero_of
from accelreport.report.model import Figure
from accelreport.report.pages.benchmark import benchmark_page
from accelreport.report.pages.headline import compared, headline, together
from accelreport.report.pages.overview import Overview
from accelreport.report.site.assembly import gather
from accelreport.report.text import text_width
from accelreport.report.view import BenchmarkView, median
from accelreport.results.record import Roofs
from accelreport.runner.plan_documents import plan_document
from accelreport.spec.cells import Cell
from accelreport.spec.models import Published
from tests.house.tree import ROOT
from tests.report.scenarios import Results, driven_study, ordinary
from tests.report.tree import parse
from tests.support.records import Noise, Study, study, without_peaks
from tests.support.sites import build
from tests.support.worlds import Fact, records_of


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
        assert hero_of(bench) is hero, "its page, its card and both decks show the same one"


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


def driven(**ways: dict[str, object]) -> BenchmarkView:
    """The same as its pages see it."""
    (bench,) = gather(Results((driven_study(**ways),)))
    return bench


def test_one_processor_driven_in_several_ways_is_told_by_pace_and_by_when_compiling_pays() -> None:
    bench = driven(Compiled={"xla": True}, Graph={}, Eager={"eager": True})
    hero = hero_of(bench)
    _, until = hero.figures
    assert isinstance(until, HeroFigure)
    assert until.id == "hero-until"
    assert re.match(r"TensorFlow XLA trains [\d.]+× as fast as TensorFlow eager", hero.title)
    pays = r"ompiling pays (after \d+.steps?|from the first step on): TensorFlow "
    assert re.search(f"{pays}XLA overtakes graph", hero.answer)
    # The card of the front page says both, too, in three lines.
    assert hero.sentence.startswith(f"{hero.title}; compiling pays ")
    assert ":" not in hero.sentence
    rates = hero.figures[0]
    assert isinstance(rates, HeroFigure)
    assert rates.table is not None
    rows = [row.header.lines[0].text for row in rates.table.groups[0].rows]
    assert rows == ["TensorFlow XLA", "TensorFlow graph", "TensorFlow eager"], "as titles say"
    ends = until.figure(ON_A_PHONE).panels[0].wide.spec["datasets"].values()
    told = {f"{row['label']} {row['detail']}" for rows in ends for row in rows if "detail" in row}
    assert told == {"TensorFlow XLA", "TensorFlow graph", "TensorFlow eager"}
    # What the sentence compares is what the card shows.
    card = hero.thumbnail
    assert isinstance(card, HeroFigure)
    drawn = json.dumps(card.drawing(ON_A_CARD).spec, ensure_ascii=False)
    assert all(name in drawn for name in told)
    assert re.search(f"{pays}graph overtakes eager", hero.answer)
    # However many lines there are, the names at their ends have room below one another.
    assert until.drawing(Size(422, 60)).spec["height"] >= 3 * 26
    slow = hero_of(driven(Graph={}, Compiled={"xla": True}))
    said = r"Compiling does not pay: steps of TensorFlow XLA take [\d.]+× as long as of graph"
    assert re.search(said, slow.answer)
    # Two that are driven alike have the names that their spec gives them.
    alike = hero_of(driven(A={}, B={"model": "x"}, Eager={"eager": True}))
    assert re.match(r"A trains [\d.]+× as fast as Eager", alike.title)
    assert "hero-until" not in [
        f.id for f in hero_of(driven(A={}, B={"threads": 1})).figures if isinstance(f, HeroFigure)
    ]


def test_frameworks_are_compared_where_they_do_the_same_and_few_enough_lines_are_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ways: dict[str, dict[str, object]] = {
        "Graph": {}, "Eager": {"eager": True}, "Half": {"precision": "mixed_bfloat16"},
    }  # fmt: skip
    hero = hero_of(driven(**ways))
    assert re.match(r"TensorFlow graph trains [\d.]+× as fast as TensorFlow eager$", hero.title)

    def drawn(hero: Hero) -> set[str]:
        until = hero.figures[1]
        assert isinstance(until, HeroFigure)
        rows = [row for data in until.drawing(ON_A_PHONE).spec["datasets"].values() for row in data]
        assert until.table
        assert len(until.table.groups[0].rows) == 3, "its numbers are of all"
        return {f"{row['label']} {row['detail']}" for row in rows if "detail" in row}

    every = {"TensorFlow graph", "TensorFlow eager", "TensorFlow graph, bfloat16"}
    assert drawn(hero) == every
    monkeypatch.setattr(frameworks, "MOST_LINES", 2)
    few = hero_of(driven(**ways))
    assert drawn(few) == every - {"TensorFlow graph, bfloat16"}
    assert isinstance(few.figures[1], HeroFigure)
    assert "1 more, of other precision or threads" in few.figures[1].caption


def test_a_card_does_not_say_that_compiling_pays_where_it_depends() -> None:
    hero = hero_of(driven(Graph={}, Compiled={"xla": True}, Eager={"eager": True}))
    assert re.match("Compiling pays .+; compiling does not pay: steps of TensorFlow", hero.answer)
    assert hero.sentence == f"{hero.title}."


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


def test_a_grid_on_a_telephone_has_no_half_of_a_word() -> None:
    axes = {"layers": (1, 2), "units": (32, 64)}
    (bench,) = gather(Results((study(axes=axes, devices=("cpu", "gpu", "tpu"), repeats=1),)))
    (figure,) = hero_of(bench).figures
    assert isinstance(figure, HeroFigure)
    drawn = figure.drawing(ON_A_PHONE).spec["datasets"]
    words = [str(row["text"]) for rows in drawn.values() for row in rows if "text" in row]
    assert "Example" in words
    assert any(word.endswith("%") for word in words)
    assert not [word for word in words if "…" in word]


def test_the_heading_of_each_panel_of_a_grid_ends_before_the_next_begins() -> None:
    axes = {"layers": (1, 2), "units": (32, 64), "batch_size": (32,)}
    grid = study(axes=axes, devices=("cpu", "cpu-1", "gpu"), repeats=1)
    (bench,) = gather(Results((grid,)))
    (figure,) = hero_of(bench).figures
    assert isinstance(figure, HeroFigure)
    words = [row for rows in figure.drawing(ON_A_SLIDE).spec["datasets"].values() for row in rows]
    heads = [each for each in words if each.get("text", "").startswith("Example")]
    assert [each["text"] for each in heads] == [each.title for each in bench.shown_series]
    for one, other in pairwise(heads):
        assert one["x"] + text_width(one["text"], one["size"], bold=True) < other["x"]


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
    spec = figure.drawing(Size(1104, 320)).spec
    (cross,) = [layer for layer in spec["layer"] if layer["mark"].get("shape") == "cross"]
    assert cross["mark"]["fill"] == "var(--alert)"
    (marked,) = spec["datasets"][cross["data"]["name"]]
    assert marked["value"] == 15.7
    # How far beyond stands whole on a slide and on a telephone, where a name has less room.
    for size in (ON_A_SLIDE, ON_A_PHONE):
        drawn = json.dumps(figure.drawing(size).spec["datasets"], ensure_ascii=False)
        assert "3.59× its peak" in drawn.replace("\\n", " ")
        assert "…" not in drawn


def test_a_kernels_first_call_is_held_against_a_whole_later_call_and_not_a_product_of_it() -> None:
    made = study("matmul", devices=("cpu",), axes={}, repeats=3)
    (bench,) = gather(Results((made,)))
    records = [record for record in made.records if record.times.first_step_s]
    products = {record.blocks[0].steps for record in records}
    assert min(products) > 1
    (told,) = [each.value for each in usual_numbers(bench) if "over a later one" in each.text]
    steady = bench.speedup(bench.series[0], ())
    assert steady
    first = median([record.times.first_step_s or 0.0 for record in records])
    assert told == formatting.ratio(first / (steady.seconds.value * products.pop()))


def test_without_a_cited_peak_a_kernels_roof_is_the_ceiling_of_its_own_machine() -> None:
    roofs = Roofs(
        tflops=0.36, core_tflops=0.35, gbps=31.0, method="", other_cores=0.0, measured_at=""
    )
    made = without_peaks(study("matmul", devices=("cpu",), axes={}, repeats=3))
    environment = {"roofs": roofs, "threads": 2}
    records = [
        record.model_copy(update={"environment": record.environment.model_copy(update=environment)})
        for record in made.records
        if record.environment
    ]
    (bench,) = gather(Results((replace(made, records=tuple(records)),)))
    (figure,) = hero_of(bench).figures
    assert isinstance(figure, HeroFigure)
    drawn = str(figure.drawing(Size(1104, 320)).spec)
    assert "own roof 0.700" in drawn
    assert "0.36" not in drawn


def test_a_figure_that_cannot_be_is_no_point_of_a_published_line() -> None:
    rows = tuple(
        Published(device="gpu", label="K80, 2018", hardware="Tesla K80", tflops=tflops,
                  where={"size": size})
        for size, tflops in ((256, 2.1), (512, 15.7), (1024, 2.6))
    )  # fmt: skip
    sizes = {"size": (256, 512, 1024)}
    made = study("matmul", axes=sizes, devices=("cpu", "gpu"), published=rows, repeats=1)
    (bench,) = gather(Results((made,)))
    (figure,) = [each for each in hero_of(bench).figures if isinstance(each, HeroFigure)]
    spec = figure.drawing(Size(1104, 320)).spec
    drawn = [row for data in spec["datasets"].values() for row in data if "K80" in str(row)]
    assert {row["y"] for row in drawn if "y" in row} == {2.1, 2.6}


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


def test_the_question_of_a_page_of_a_sweep_is_the_sweep() -> None:
    made = study(axes={"batch_size": (256, 512)}, devices=("cpu",), samples=20, origin="sample")
    (bench,) = gather(Results((made,)))
    (figure,) = hero_of(bench).figures
    assert isinstance(figure, HeroFigure)
    assert figure.id == "sweep-lines"
    (alone,) = gather(Results((study(axes={}, devices=("cpu",), samples=20, origin="sample"),)))
    assert [each.id for each in hero_of(alone).figures if isinstance(each, HeroFigure)] == [
        "hero-curves"
    ]


def test_a_card_of_curves_says_which_end_is_of_training_and_has_one_device() -> None:
    made = study(axes={}, devices=("cpu", "cpu-1"), repeats=2, samples=20, origin="sample")
    (bench,) = gather(Results((made,)))
    (figure,) = [each for each in hero_of(bench).figures if isinstance(each, HeroFigure)]
    assert figure.id == "hero-curves"
    spec = figure.drawing(ON_A_CARD).spec
    ends = [row for rows in spec["datasets"].values() for row in rows if "role" in row]
    assert len(ends) == 2
    assert {row["label"].split()[-1] for row in ends} == {"train.", "valid."}
    # Where the curves of several devices stand, a legend names them.
    assert [key.text for key in figure.keys] == [each.title for each in bench.shown_series]
    (alone,) = gather(Results((replace(made, records=made.records[:1]),)))
    assert [f.keys for f in hero_of(alone).figures if isinstance(f, HeroFigure)] == [()]


def test_then_and_now_are_the_same_training_in_hours_and_only_of_like_conditions() -> None:
    rows = (
        Published(device="gpu", label="Colab K80, 2018", total_time=11_160.0),
        Published(device="tpu", label="Colab TPU v2, 2018", epoch_time=51.0),
        Published(
            device="tpu", label="another model", epoch_time=0.1, comparable=False, note="wider"
        ),
    )
    made = study(
        axes={}, devices=("cpu", "gpu", "tpu"), published=rows, origin="official", epochs=10,
        steps_per_epoch=600, fate=lambda cell: "ok" if cell.device == "cpu" else "skipped",
    )  # fmt: skip
    (bench,) = gather(Results((made,)))
    hero = hero_of(bench)
    (figure,) = hero.figures
    assert isinstance(figure, HeroFigure)
    assert figure.id == "then-and-now"
    said = figure.description.replace("\xa0", " ")
    assert re.search(r"Example, measured, 3 processes, extrapolated: [\d.]+ min", said)
    assert "Colab K80, published 2018: 3.10 h" in said
    assert "Colab TPU v2, published 2018: 8.50 min" in said, "ten epochs of 51 s"
    assert "another model" not in said
    assert hero.title.replace("\xa0", " ").startswith(
        "The same training: 3.10 h in 2018 on Colab K80"
    )
    assert hero.title.endswith(" here")
    # The number set large is the one that the answer tells of the same two.
    fastest = re.search(r"the Colab TPU v2 ([\d.]+× as fast|[\d.]+× the time)", hero.answer)
    (large,) = [each.value for each in hero.numbers if "Colab TPU v2" in each.text]
    assert fastest
    assert fastest[1].startswith(f"{large} ")


def test_a_total_that_was_worked_out_is_no_figure_beside_the_one_it_follows_from() -> None:
    rows = (
        Published(device="gpu", label="Colab GPU, 2019", sample_time=0.012, epoch_time=300.0),
        Published(device="gpu", label="10 epochs of 25,000 at 12 ms", total_time=3000.0, mark="D"),
    )
    made = study(axes={}, devices=("cpu", "gpu"), published=rows, steps_per_epoch=98)
    (bench,) = gather(Results((made,)))
    assert [each.name for each in published_at(bench, ())] == ["Colab GPU"]


def test_a_measured_accelerator_is_set_large_before_what_a_source_printed_of_one() -> None:
    rows = (Published(device="tpu", label="Colab TPU v2, 2018", step_time=0.001),)

    def said(*devices: str, **made: float) -> str:
        of = study(
            axes={},
            devices=("cpu", "cpu-1", "gpu", "tpu"),
            published=rows,
            repeats=5,
            noise=Noise(process=0.08),
            factors=made,
            fate=lambda cell: "ok" if cell.device in devices else "skipped",
        )
        (bench,) = gather(Results((of,)))
        number = device_number(bench)
        return f"{number.value} {number.text}" if number else ""

    assert re.match(r"[\d.]+× TPU v2-8 over Example$", said("cpu", "gpu", "tpu"))
    printed = said("cpu", "cpu-1")
    assert printed.endswith("Colab TPU v2, published 2018, over Example here")
    assert not said("cpu", "gpu", gpu=5.5), "neither is shown to be faster"


@pytest.mark.parametrize(
    ("spec", "paces", "title"),
    [
        (
            "strategies",
            {"cpu": 1.0, "cpu-1": 2.0, "cpu-mirrored-2": 1.1, "cpu-workers-2": 1.4},
            (
                "Beside one alone, 2 workers in step trained 1.4286× as fast and 2 mirrored "
                "replicas took 1.10× as long"
            ),
        ),
        (
            "har_strategies",
            {"cpu": 1.0, "cpu-1": 2.0, "cpu-mirrored-2": 1.1, "cpu-workers-2": 1.4},
            (
                "At batch size 512, 2 workers in step trained 1.43× and 2 mirrored replicas "
                "0.91× as fast as one"
            ),
        ),
        (
            "strategies",
            {"cpu": 1.0, "cpu-mirrored-2": 1.1, "gpu": 0.2, "gpu-mirrored": 0.1},
            "Beside one alone, 2 GPUs (mirrored) trained 2.0000× as fast",
        ),
        (
            "precision_lstm",
            {"cpu": 1.0, "cpu-bf16": 2.0},
            "Beside float32, bfloat16 on Example took 2.0000× as long",
        ),
        (
            "strategies",
            {
                "cpu": 1.0,
                "cpu-1": 2.0,
                "cpu-mirrored-2": 0.9,
                "cpu-workers-2": 1.4,
                "cpu-ps-2": 1.6,
            },
            "Beside one alone, 3 ways of sharing a step trained 1.11× to 1.43× as fast",
        ),
    ],
)
def test_replicas_and_bits_are_told_beside_the_same_without(
    spec: str, paces: dict[str, float], title: str
) -> None:
    (known,) = load([ROOT / "specs" / f"{spec}.toml"]).specs
    right = {"accuracy": 0.9, "val_accuracy": 0.9}
    cells = tuple(cell for cell in known.cells if cell.device in paces)
    records = records_of(cells, lambda cell: Fact(paces[cell.device], final=right))
    (bench,) = gather(Results((Study(plan_document(known, {}), records),)))
    hero = hero_of(bench)
    assert hero.title.replace("\xa0", " ") == title
    # One pace that the title tells is set large, too; of several none is chosen.
    large = [each for each in hero.numbers if " beside " in each.text]
    assert len(large) == (title.count("×") == 1)
    assert all(f"{each.value} as" in hero.title for each in large)


def test_devices_of_one_board_have_names_of_their_own_in_the_picture() -> None:
    (known,) = load([ROOT / "specs" / "strategies.toml"]).specs
    paces = {"cpu": 1.0, "gpu": 0.2, "gpu-mirrored": 0.1}
    cells = tuple(cell for cell in known.cells if cell.device in paces)
    right = {"accuracy": 0.9, "val_accuracy": 0.9}
    records = records_of(cells, lambda cell: Fact(paces[cell.device], final=right))
    view = Overview(gather(Results((Study(plan_document(known, {}), records),))))
    (shown,) = view.shown
    names = [mark.name for mark in view.marks(shown) if mark.kind == "measured"]
    assert names == ["Tesla T4", "2 GPUs (mirrored)"]


def test_a_page_leads_to_each_place_once(tmp_path: Path) -> None:
    made = study("matmul", spec="k", repeats=1)
    build(Results((made,)), tmp_path)
    page = parse((tmp_path / "k.full.html").read_text(encoding="utf-8"))
    (nav,) = [each for each in page.all("nav") if "Slides" in each.text]
    links = [(each.text, each.attributes["href"]) for each in nav.all("a")]
    assert len({text for text, _ in links}) == len(links)
    assert len({href for _, href in links}) == len(links)


def test_what_every_comparison_decides_by_itself_is_not_called_undecided() -> None:
    """With two processes each, 48 intervals that hold together are too wide to decide anything."""
    axes = {"layers": (1, 2, 3), "units": (32, 64, 128, 256), "batch_size": (64, 128)}
    made = study(axes=axes, repeats=2, noise=Noise(process=0.08), factors={"tpu": 0.02})
    (bench,) = gather(Results((made,)))
    every = [each for each in compared(bench) if not each.found.withheld]
    alone = [each for each in every if each.estimate.verdict == "FASTER"]
    together_ = [each for each in together(every, len(every)) if each.estimate.verdict == "FASTER"]
    assert len(every) == 48
    assert len(alone) > 30
    assert together_ == []
    said = headline(bench).replace("\xa0", " ")
    assert "cannot be told apart" not in said
    assert f"{len(alone)} of 48 comparisons are decided, each at 95 % by itself" in said
    assert re.match(r"TPU v2-8 trains [\d.]+× to [\d.]+× as fast as Example", hero_of(bench).title)


@pytest.mark.parametrize(
    ("repeats", "factor", "said"),
    [
        (5, 1.0, r"trains \d\.\d+× as fast as Example"),
        (5, 4.65, "is not shown to be faster or slower than Example"),
        (1, 1.0, r"trained \d\.\d+× as fast as Example[^.]*, measured once"),
    ],
)
def test_a_title_says_faster_only_where_that_is_decided(
    repeats: int, factor: float, said: str
) -> None:
    made = study(
        axes={},
        devices=("cpu", "gpu"),
        repeats=repeats,
        noise=Noise(process=0.08),
        factors={"gpu": factor},
    )
    (bench,) = gather(Results((made,)))
    (point,) = bench.points
    assert re.search(said, rates_title(bench, point).replace("\xa0", " "))


def _called(steps: int) -> BenchmarkView:
    """A model that was called so many times, by batch size, in a process on each device."""
    made = study(
        axes={"batch_size": (1, 8, 64)},
        devices=("cpu", "cpu-1"),
        repeats=1,
        epochs=1,
        steps_per_epoch=steps,
    )
    plan = made.plan.model_copy(update={"workload": {**made.plan.workload, "mode": "inference"}})
    records = tuple(each.model_copy(update={"epochs": [], "final": {}}) for each in made.records)
    (bench,) = gather(Results((replace(made, plan=plan, records=records),)))
    return bench


def test_inference_begins_with_its_latency_by_batch_and_what_it_answers_in_a_second() -> None:
    bench = _called(600)
    hero = hero_of(bench)
    (figure,) = hero.figures
    assert isinstance(figure, HeroFigure)
    assert figure.id == "latency-lines"
    assert re.match(
        r"At batch size 1, .+ answers in .+s; at 64 .+ gives .+ each second", hero.title
    )
    assert "one call in a hundred takes Example (one thread)" in hero.answer
    median, late, *_ = hero.numbers
    assert f"answers in {median.value};" in hero.title, "one call is one time on the whole page"
    assert "in a hundred" in late.text
    table = figure.table
    assert table is not None
    assert [column.title for column in table.columns] == [
        "calls", "p5", "median", "p95", "p99", "longest", "images each second",
    ]  # fmt: skip
    page = benchmark_page(bench)
    assert "trains" not in f"{page.headline} {page.finding} {page.description}"
    assert "steps" in [section.id for section in page.sections if not section.folded]


def test_a_99th_percentile_of_fewer_than_a_hundred_calls_is_not_told() -> None:
    bench = _called(90)
    hero = hero_of(bench)
    (figure,) = hero.figures
    assert isinstance(figure, HeroFigure)
    assert figure.table is not None
    for group in figure.table.groups:
        for row in group.rows:
            calls, p5, middle, p95, p99, *_ = (entry.lines[0].text for entry in row.entries)
            assert int(calls) < 100
            assert (p99, MISSING in (p5, middle, p95)) == (MISSING, False)
    assert "in a hundred" not in hero.answer
    assert not any("in a hundred" in number.text for number in hero.numbers)


def test_what_is_slower_is_told_by_how_much_longer_it_takes_also_of_one_process() -> None:
    made = study(devices=("cpu", "gpu"), axes={}, repeats=1, factors={"gpu": 400.0})
    (bench,) = gather(Results((made,)))
    said = [headline(bench), rates_title(bench, ())]
    for each in said:
        told = re.search(r"T4 (?:takes|took) ([\d.]+)× as long as Example", each)
        assert told, each
        assert float(told[1]) > 1
    answer = hero_of(bench).answer
    assert "one process each" in answer
    assert "as long as" not in answer  # the title says so
    large = device_number(bench)
    assert large
    assert large.text == "as long on Example T4 as on Example"
    assert float(large.value[:-1]) > 1
    assert beside_number(0.5, "Colab K80, published 2018,", "Example").value == "2.00×"
    assert formatting.pace(0.25) == "4.00× the time"
    assert formatting.pace(4) == "4.00× as fast"


def test_where_the_fastest_device_is_slower_at_another_point_that_is_told_by_its_time() -> None:
    (known,) = load([ROOT / "specs" / "mnist_batch_sweep.toml"]).specs
    kept = {"cpu", "gpu"}
    cells = tuple(c for c in known.cells if c.device in kept and c.repeat == 0)

    def fact(cell: Cell) -> Fact:
        return Fact(2.0 if (cell.device == "cpu") == (cell.point["batch_size"] == 256) else 1.0)

    (bench,) = gather(Results((Study(plan_document(known, {}), records_of(cells, fact)),)))
    told = (
        r"Tesla T4 trains 2\.00× as fast as .+ at batch size 256 .+ and takes 2\.00× as long at \d"
    )
    assert re.search(told, headline(bench).replace("\xa0", " ")), headline(bench)


def test_how_many_times_as_long_has_the_interval_of_that_and_not_of_the_speedup() -> None:
    made = study(devices=("cpu", "gpu"), axes={}, repeats=4, factors={"gpu": 400.0})
    (bench,) = gather(Results((made,)))
    said = headline(bench).replace("\xa0", " ")
    told = re.search(r"takes ([\d.]+)× as long as .+ interval ([\d.]+)–([\d.]+)×\)", said)
    assert told, said
    least, most = float(told[2]), float(told[3])
    assert 1 < least <= float(told[1]) <= most
