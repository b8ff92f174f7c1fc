"""What a benchmark's page, its card and its slides begin with: figures, each with its finding."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import pytest

from accelreport.analysis.findings import Caveat, Finding, Kind, Unit
from accelreport.analysis.overview import published_rates
from accelreport.loader.load import load
from accelreport.report import quantity
from accelreport.report.model import Figure, Prose, Table
from accelreport.report.openings.opening import (
    ON_A_PHONE,
    ON_A_SLIDE,
    Plot,
    Size,
)
from accelreport.report.openings.rates import rates_at, rates_scene
from accelreport.report.openings.registry import opening_of
from accelreport.report.pages.benchmark import benchmark_page
from accelreport.report.pages.benchmarks import shown_number
from accelreport.report.pages.overview import Overview, rates_table
from accelreport.report.pages.sections.published import published_section
from accelreport.report.pages.sections.shares import reached_shares
from accelreport.report.pages.sections.speedup import speedup_table
from accelreport.report.pages.sections.steps import steps_section
from accelreport.report.quantity import MISSING
from accelreport.report.site.assembly import gather
from accelreport.report.text import text_width
from accelreport.report.view import BenchmarkView, median, step_times
from accelreport.results.plan_document import plan_document
from accelreport.results.record import Roofs
from accelreport.results.store import Store
from accelreport.runner.run import headline as run_figures
from accelreport.spec.models import Published
from accelreport.terminal.run_text import figures_text
from tests.analysis.test_speed_findings import example
from tests.house.tree import ROOT
from tests.report.scenarios import Results, driven_study, ordinary, started_late
from tests.report.tree import parse
from tests.support.maker import Origin
from tests.support.records import Noise, Study, slowed, study, without_peaks
from tests.support.sites import build
from tests.support.worlds import Fact, records_of

GRID = {"layers": (1, 2, 3), "units": (32, 64, 128, 256), "batch_size": (64, 128)}


def view(made: Study) -> BenchmarkView:
    (bench,) = gather(Results((made,)))
    return bench


def plots(bench: BenchmarkView) -> list[Plot]:
    shown = (scene.shown for scene in opening_of(bench).scenes)
    return [plot for plot in shown if isinstance(plot, Plot)]


def of_kind(bench: BenchmarkView, kind: Kind) -> list[Finding]:
    return [finding for finding in bench.findings if finding.kind is kind]


def drawn_in(plot: Plot, size: Size) -> str:
    return json.dumps(plot.drawing(size).spec, ensure_ascii=False)


def data_of(plot: Plot, size: Size) -> list[dict[str, Any]]:
    return [row for rows in plot.drawing(size).spec["datasets"].values() for row in rows]


@pytest.fixture(scope="module")
def benches() -> list[BenchmarkView]:
    """Benchmarks of several forms, and one of which nothing was measured."""
    empty = study("matmul", spec="later", repeats=1)
    return gather(Results((*ordinary().studies, replace(empty, records=()))))


def test_every_page_begins_with_a_finding_and_its_figure(benches: list[BenchmarkView]) -> None:
    for bench in benches:
        page, opening = benchmark_page(bench), opening_of(bench)
        assert opening.findings is bench.findings
        assert page.headline == opening.title != ""
        assert page.opening
        assert page.opening.blocks[0].kind in {"figure", "gallery", "code"}
        assert 1 <= len(opening.scenes) <= 3
        assert opening.scenes[0].finding is bench.findings[0]
        assert opening.finding is None or any(
            scene.marks(opening.finding.title_values) or scene.finding is opening.finding
            for scene in opening.scenes
        )
        assert opening_of(bench) is opening, "its page and both decks show the same one"


def test_a_figure_is_drawn_no_larger_than_its_place(benches: list[BenchmarkView]) -> None:
    for plot in (plot for bench in benches for plot in plots(bench)):
        for size in (ON_A_SLIDE, Size(650, 320)):
            spec = plot.drawing(size).spec
            beside = spec.get("hconcat", [spec])
            assert 0 < sum(part["width"] for part in beside) < size.width, plot.id
            assert 0 < max(part["height"] for part in beside) < size.height, plot.id


def test_a_page_leads_to_each_place_once(tmp_path: Path) -> None:
    build(Results((study("matmul", spec="k", repeats=1),)), tmp_path)
    page = parse((tmp_path / "k.full.html").read_text(encoding="utf-8"))
    (nav,) = [each for each in page.all("nav") if "Slides" in each.text]
    links = [(each.text, each.attributes["href"]) for each in nav.all("a")]
    assert len({text for text, _ in links}) == len({href for _, href in links}) == len(links)


# Compilers and replicas --------------------------------------------------------------------------


def test_a_compiler_is_compared_with_the_same_framework_without_it() -> None:
    made = driven_study(Compiled={"xla": True}, Graph={}, Eager={"eager": True})
    assert [plot.id for plot in plots(view(made))] == ["rates"], "it does not start later"
    bench = view(started_late(made, "cpu"))
    rates, until = plots(bench)
    assert (rates.id, until.id) == ("rates", "until")
    pairs = {(f.values[0].of.device, f.values[0].over.device) for f in of_kind(bench, Kind.COMPILED)
             if f.values[0].over}  # fmt: skip
    assert pairs == {("cpu", "cpu-1"), ("cpu-1", "gpu")}
    # It has the two lines of one comparison, marked where one overtakes the other, and columns
    # beyond what ran say so.
    drawn = [row.get("label", "") for row in data_of(until, ON_A_PHONE)]
    names = {bench.title_of(name) for name in bench.plan.devices}
    sides = {bench.title_of(of.device) for v in until.values for of in (v.of, v.over) if of}
    assert len(sides) == 2
    assert names & {*drawn} == sides
    met = {quantity.plural(max(1, round(value.number)), "step") for value in until.values}
    assert set() < {label for label in drawn if "step" in label} <= met
    assert until.table
    assert [column.detail for column in until.table.columns][-1] == "extrapolated"


def test_what_differs_in_more_than_the_compiler_is_no_pair() -> None:
    others: list[dict[str, object]] = [{"threads": 1}, {"precision": "mixed_bfloat16"}]
    for other in others:
        bench = view(driven_study(A={"xla": True}, B=other))
        assert not of_kind(bench, Kind.COMPILED)
        assert "until" not in [plot.id for plot in plots(bench)]


def test_ratios_beside_rates_have_the_base_of_the_title_and_none_is_undecided() -> None:
    made = driven_study(Graph={}, Compiled={"xla": True}, Eager={"eager": True})
    plot, *_ = plots(view(made))
    assert "20×" in plot.description
    assert plot.description.count("×") == 2, "the title's ratio and its base"
    assert "over Eager." in plot.caption
    assert not plot.cut, "a slide has all three rows"
    made = driven_study(Graph={}, Compiled={"xla": True})
    # A graph's process takes as long as a compiled one, now a quarter less and now a quarter more.
    for repeat, factor in enumerate((1.5, 1.9, 2.4)):
        made = slowed(made, factor, repeat=repeat, device="cpu")
    rates = rates_scene(view(made), view(made).findings[0]).shown
    assert isinstance(rates, Plot)
    assert "×" not in rates.description, "its interval is in the table of speedups"


@pytest.mark.parametrize("spec", ["strategies", "har_strategies"])
def test_replicas_have_one_base_in_one_finding(spec: str) -> None:
    """1.04× over all threads and 1.68× over one thread are no range of one sentence."""
    paces = {"cpu": 1.0, "cpu-1": 2.0, "cpu-mirrored-2": 0.9, "cpu-workers-2": 1.4}
    (known,) = load([ROOT / "specs" / f"{spec}.toml"]).specs
    cells = tuple(cell for cell in known.cells if cell.device in paces)
    right = {"accuracy": 0.9, "val_accuracy": 0.9}
    records = records_of(cells, lambda cell: Fact(paces[cell.device], final=right))
    bench = view(Study(plan_document(known, {}), records))
    for finding in bench.findings:
        over = {value.over.device for value in finding.values if value.over}
        assert len(over) <= 1 or finding.kind is Kind.GAIN, finding.kind
    # A range holds what is decided over that base alone: 1.04 undecided is in no range of FASTER.
    for finding in (*of_kind(bench, Kind.FASTER), *of_kind(bench, Kind.SLOWER)):
        truth = [1 / paces[value.of.device] for value in finding.values]
        assert [value.number for value in finding.values] == pytest.approx(truth, rel=0.01)
    # Rows of one machine are named by what varies.
    for rates in (plot for plot in plots(bench) if plot.id == "rates"):
        assert re.search(r"(^|; )1 thread: ", rates.description)
        assert rates.title.endswith(" on Example")


def test_devices_of_one_board_have_names_of_their_own_in_the_picture() -> None:
    (known,) = load([ROOT / "specs" / "strategies.toml"]).specs
    paces = {"cpu": 1.0, "gpu": 0.2, "gpu-mirrored": 0.1}
    cells = tuple(cell for cell in known.cells if cell.device in paces)
    right = {"accuracy": 0.9, "val_accuracy": 0.9}
    records = records_of(cells, lambda cell: Fact(paces[cell.device], final=right))
    overview = Overview([view(Study(plan_document(known, {}), records))])
    (shown,) = overview.shown
    names = [dot.owner for dot in overview.dots(shown) if not dot.is_base]
    assert len(set(names)) == 2


# Grids -------------------------------------------------------------------------------------------


def test_a_grid_has_a_cell_for_every_point_of_every_device_and_says_why_one_is_empty() -> None:
    grid = study(axes=GRID, devices=("cpu", "gpu"), repeats=1)
    gone = next(cell for cell in grid.plan.cells if cell.point["units"] == 256)
    records = tuple(record for record in grid.records if record.key != gone.key)
    bench = view(replace(grid, records=records))
    (figure,) = plots(bench)
    cells = sum(row.get("known", False) for row in data_of(figure, Size(1104, 320)))
    assert cells == 3 * 4 * 2 * 2 - 1
    assert "Hatched (1 of 48): not run." in figure.caption


@pytest.mark.parametrize(
    ("axis", "left_out", "cells"),
    [("layers", "1 of 3 rows", 32), ("units", "1 of 4 columns", 36)],
)
def test_a_grid_leaves_out_what_has_no_number_and_says_so(
    axis: str, left_out: str, cells: int
) -> None:
    grid = study(axes=GRID, devices=("cpu", "gpu"), repeats=1)
    gone = {cell.key for cell in grid.plan.cells if cell.point[axis] == GRID[axis][-1]}
    records = tuple(record for record in grid.records if record.key not in gone)
    (figure,) = plots(view(replace(grid, records=records)))
    rows = data_of(figure, Size(1104, 320))
    assert sum("known" in row for row in rows) == cells
    assert f"{left_out} left out: not run." in figure.caption
    assert "Hatched" not in figure.caption


def test_what_is_under_the_time_of_a_grid_s_cell_is_an_accuracy() -> None:
    axes = {"layers": (1, 2), "units": (32, 64)}
    (figure,) = plots(view(study(axes=axes, devices=("cpu",), repeats=1)))
    assert figure.table
    cells = [row.entries[0] for group in figure.table.groups for row in group.rows]
    assert all(cell.lines[1].text.endswith("\xa0% accuracy") for cell in cells)


def test_a_grid_on_a_telephone_has_no_half_of_a_word() -> None:
    axes = {"layers": (1, 2), "units": (32, 64)}
    (figure,) = plots(view(study(axes=axes, devices=("cpu", "gpu", "tpu"), repeats=1)))
    words = [str(row["label"]) for row in data_of(figure, ON_A_PHONE) if "label" in row]
    assert "Example" in words
    assert not [word for word in words if "…" in word]


def test_the_heading_of_each_panel_of_a_grid_ends_before_the_next_begins() -> None:
    axes = {"layers": (1, 2), "units": (32, 64), "batch_size": (32,)}
    bench = view(study(axes=axes, devices=("cpu", "cpu-1", "gpu"), repeats=1))
    (figure,) = plots(bench)
    spec = figure.drawing(Size(676, 284)).spec
    heads = sorted(
        (row["x"], row["label"], layer["mark"]["fontSize"])
        for layer in spec["layer"]
        for row in spec["datasets"][layer["data"]["name"]]
        if row.get("label", "").startswith("Example")
    )
    assert [head for _, head, _ in heads] == [each.title for each in bench.shown_series]
    for (x, text, size), (following, _, _) in pairwise(heads):
        assert x + text_width(text, size, bold=True) < following


def test_of_many_comparisons_each_interval_holds_with_all_others() -> None:
    """With three processes each, 48 intervals that hold together decide nothing."""
    made = study(axes=GRID, repeats=3, noise=Noise(process=0.6), factors={"tpu": 0.02})
    bench = view(made)
    assert sum(row.verdict == "FASTER" for row in bench.compared) > 20, "each by itself"
    assert not of_kind(bench, Kind.FASTER)
    (undecided,), (tabled,) = of_kind(bench, Kind.UNDECIDED), of_kind(bench, Kind.TABLED)
    assert len(undecided.values) + len(tabled.values) == 48
    assert not tabled.is_sentence


# Peaks and published figures ---------------------------------------------------------------------


def test_a_published_figure_above_the_peak_is_crossed_out_and_is_the_title() -> None:
    row = Published(
        device="gpu", label="GPU, first session", hardware="Tesla K80", tflops=15.7, mark="S"
    )
    bench = view(study("matmul", spec="k", published=(row,), devices=("cpu", "gpu"), axes={}))
    (above,) = of_kind(bench, Kind.EXCEEDS_PEAK)
    (figure,) = plots(bench)
    spec = figure.drawing(Size(1104, 320)).spec
    (cross,) = [layer for layer in spec["layer"] if layer["mark"].get("shape") == "cross"]
    assert cross["mark"]["fill"] == "var(--alert)"
    (marked,) = spec["datasets"][cross["data"]["name"]]
    assert marked["value"] == 15.7
    # How far beyond is whole on a telephone; a slide has the measured rows of its title.
    told = quantity.write(above.values[0].number, Unit.RATIO)
    assert f"{told} its peak" in drawn_in(figure, ON_A_PHONE).replace("\\n", " ")
    assert row.label not in drawn_in(figure, ON_A_SLIDE)


@pytest.mark.parametrize("origin", ["official", "sample"])
def test_no_ratio_is_made_of_a_rate_with_validation_and_one_without(origin: Origin) -> None:
    figures = {"device": "tpu", "label": "A TPU", "epoch_time": 0.5}
    rows = [Published.model_validate({**figures, **more}) for more in ({}, INCLUDES)]
    plain, whole = (_beside(row, origin) for row in rows)
    (finding,) = of_kind(plain, Kind.PUBLISHED)
    assert finding.base
    rate = next(v for p in plots(plain) for v in p.values if v.of == finding.values[0].of)
    assert finding.values[0].number == pytest.approx(rate.number / finding.base.number)
    ends = finding.base.interval
    # The printed 5 s are 4.5 to 5.5 s.
    assert finding.values[0].interval.low == pytest.approx(rate.number / ends.high / 1.1)
    assert not of_kind(whole, Kind.PUBLISHED)
    for bench, known in ((plain, True), (whole, False)):
        (row,) = (row for shown in Overview([bench]).rows for row in shown.row.printed)
        assert (row.factor > 0) is known
        table = str(rates_table(Overview([bench]).rows, "rates", "Rates"))
        assert ("with validation" in table) is not known


def test_a_first_call_stands_beside_the_later_ones_with_what_was_published_of_both() -> None:
    rows = tuple(
        Published.model_validate({"device": "tpu", "label": label, "over": "cpu", **figures})
        for label, figures in (
            ("A TPU, first call", {"tflops_cold": 35.47, "speedup": 75}),
            ("A TPU, later calls", {"tflops": 158.91, "speedup": 338}),
        )
    )
    bench = view(study("matmul", spec="k", published=rows, devices=("cpu",), axes={}))
    (figure,) = plots(bench)
    first, later = (figure.description.index(row.label) for row in rows)
    assert later < first
    assert f": 35.47{NBSP}TFLOPS · published 75× its CPU" in figure.description
    assert f": 158.91{NBSP}TFLOPS · 798× · published 338× its CPU" in figure.description


def test_accuracies_of_single_epochs_are_drawn_beside_those_of_whole_trainings() -> None:
    by_epoch = {"15": 0.8302, "16": 0.8204, "17": 0.8103}
    rows = (
        Published(device="tpu", label="A TPU", val_accuracy=0.8103, val_accuracy_by_epoch=by_epoch),
        Published(device="gpu", label="A GPU", val_accuracy=0.845),
    )
    section = published_section(view(study(axes={}, published=rows)))
    assert section is not None
    (figure,) = (block for block in section.blocks if isinstance(block, Figure))
    assert "spread 1.99 percentage points" in figure.caption.replace(NBSP, " ")
    assert isinstance(figure.table, Table)
    named = [
        (row.header.lines[0].text, row.entries[0].lines[0].text.replace(NBSP, " "))
        for group in figure.table.groups
        for row in group.rows
    ]
    assert named == [
        ("A TPU · epoch 15", "83.02 %"),
        ("A TPU · epoch 16", "82.04 %"),
        ("A TPU · epoch 17", "81.03 %"),
        ("A GPU", "84.5 %"),
    ]


NBSP = quantity.SPACE
INCLUDES = {"includes": "validation"}


def _beside(row: Published, origin: Origin) -> BenchmarkView:
    return view(study(axes={}, devices=("cpu",), published=(row,), origin=origin))


def test_a_peak_of_a_chip_that_the_source_does_not_name_is_called_inferred() -> None:
    row = Published(
        device="gpu", label="GPU, first session", hardware="Tesla K80", hardware_by="somebody else",
        tflops=15.7,
    )  # fmt: skip
    bench = view(study("matmul", spec="k", published=(row,), devices=("cpu", "gpu"), axes={}))
    (above,) = of_kind(bench, Kind.EXCEEDS_PEAK)
    assert above.caveats >= {Caveat.INFERRED}
    (figure,) = plots(bench)
    drawn = drawn_in(figure, ON_A_PHONE).replace("\\n", " ")
    assert "the inferred peak" in drawn
    assert "3.6× its peak" not in drawn


def test_a_figure_that_cannot_be_is_in_no_finding_but_that_it_cannot_be() -> None:
    rows = tuple(
        Published(device="gpu", label="K80, 2018", hardware="Tesla K80", tflops=tflops,
                  where={"size": size})
        for size, tflops in ((256, 2.1), (512, 15.7), (1024, 2.6))
    )  # fmt: skip
    sizes = {"size": (256, 512, 1024)}
    bench = view(study("matmul", axes=sizes, devices=("cpu", "gpu"), published=rows, repeats=1))
    where = {
        f.kind for f in bench.findings for v in f.values if v.of.row and v.of.row.tflops == 15.7
    }
    assert where == {Kind.EXCEEDS_PEAK}
    assert of_kind(bench, Kind.PUBLISHED)


def _with_roofs(tflops: float) -> Study:
    roofs = Roofs(
        tflops=tflops, core_tflops=0.1, gbps=31.0, method="", other_cores=0.0, measured_at=""
    )
    made = without_peaks(study("matmul", devices=("cpu",), axes={}, repeats=3))
    environment = {"roofs": roofs, "threads": 2}
    records = tuple(
        record.model_copy(update={"environment": record.environment.model_copy(update=environment)})
        for record in made.records
        if record.environment
    )
    return replace(made, records=records)


def test_a_run_that_set_its_roof_itself_has_no_share_of_it() -> None:
    """The roof is the best of what ran on that machine, every run of every kernel among it."""
    bench = view(_with_roofs(0.05))
    assert not of_kind(bench, Kind.SHARE_OF_PEAK)
    assert not reached_shares(bench)


def test_title_and_section_hold_a_processor_against_its_roof_also_where_a_peak_is_cited() -> None:
    made = _with_roofs(0.7)
    cited = {"peak_tflops": {"float32": 2.0}, "peak_source": "a data sheet"}
    devices = {"cpu": made.plan.devices["cpu"].model_copy(update=cited)}
    bench = view(replace(made, plan=made.plan.model_copy(update={"devices": devices})))
    (share,) = of_kind(bench, Kind.SHARE_OF_PEAK)
    (row,) = reached_shares(bench)
    assert share.values[0].over
    assert share.values[0].over.part == "measured roof"
    assert row.limit == "measured roof"
    assert row.shares[0].number == pytest.approx(share.values[0].number)


METRICS = ("accuracy", "precision", "recall", "F1")


@pytest.mark.parametrize(
    ("spec", "figure", "panels", "rows"),
    [
        ("har_sweep", "grid-total_time", ["batch size 128"], {"layers 1": ["5.11 s", "14.6 s"]}),
        (
            "har_sweep",
            "grid-val_accuracy",
            [f"validation {name} · batch size 128" for name in METRICS],
            {"layers 3": ["80.49 %", "81.85 %"]},
        ),
        ("har_sample", "quality-loss", [""], {}),
        (
            "mnist_batch_sweep",
            "published-by-point",
            [],
            {"512": ["5 s, later epoch", "3 s, later epoch"]},
        ),
    ],
)
def test_a_page_has_the_kinds_of_figures_of_its_source(
    spec: str, figure: str, panels: list[str], rows: dict[str, list[str]]
) -> None:
    """Runtime and metrics by units of Kimm and others, their losses; the table of Alyafeai."""
    benches = {
        bench.plan.spec: bench for bench in gather(Store(ROOT / "examples" / "whole_trainings"))
    }
    blocks = [block for part in benchmark_page(benches[spec]).sections for block in part.blocks]
    (block,) = (b for b in blocks if isinstance(b, Figure | Table) and b.id == figure)
    assert [panel.title for panel in getattr(block, "panels", ())] == panels
    table = block if isinstance(block, Table) else block.table
    assert table is not None
    cells = {
        row.header.lines[0].text: row.entries
        for group in reversed(table.groups)
        for row in group.rows
    }
    source, said = benches[spec].plan.source, [b.text for b in blocks if isinstance(b, Prose)]
    assert source is not None
    assert (source.note.strip() in " ".join(said).replace("\xa0", " ")) == (spec != "har_sample")
    for name, texts in rows.items():
        shown = [cell.lines[0].text.replace("\xa0", " ") for cell in cells[name]]
        assert shown[: len(texts)] == texts


def test_totals_are_of_the_same_training_alone() -> None:
    rows = (
        Published(device="gpu", label="Colab K80, 2018", total_time=11_160.0),
        Published(device="tpu", label="Colab TPU v2, 2018", epoch_time=51.0),
        Published(
            device="tpu", label="another model", total_time=0.1, comparable=False, note="wider"
        ),
    )
    bench = view(
        study(
            axes={}, devices=("cpu", "gpu", "tpu"), published=rows, origin="official", epochs=10,
            steps_per_epoch=600, fate=lambda cell: "ok" if cell.device == "cpu" else "skipped",
        )
    )  # fmt: skip
    (total,) = of_kind(bench, Kind.TOTAL)
    assert [value.number for value in total.values] == [11_160.0], "an epoch of 51 s is no total"
    (plot,) = plots(bench)
    assert plot.id == "totals"
    assert "another model" not in plot.description


@pytest.mark.parametrize(
    ("status", "includes", "note"),
    [
        ("ok", None, "This machine: measured whole, without evaluation."),
        ("partial", "validation", "This machine: extrapolated, without evaluation."),
    ],
)
def test_a_figure_of_totals_says_extrapolated_and_has_no_ratio_over_unlike_clocks(
    status: str, includes: Literal["validation"] | None, note: str
) -> None:
    rows = (Published(device="tpu", label="Colab TPU", total_time=102.0, includes=includes),)
    bench = view(
        study(
            axes={}, devices=("cpu", "tpu"), published=rows, repeats=3,
            fate=lambda cell: status if cell.device == "cpu" else "skipped",
        )
    )  # fmt: skip
    (plot,) = [each for each in plots(bench) if each.id == "totals"]
    assert plot.caption.endswith(note)
    cut = status == "partial"
    assert ("† " in " ".join(speedup_table(bench).notes)) == cut
    assert not (cut and "×" in plot.caption + plot.description)


def test_a_total_that_was_worked_out_is_no_figure_beside_the_one_it_follows_from() -> None:
    rows = (
        Published(device="gpu", label="Colab GPU, 2019", sample_time=0.012, epoch_time=300.0),
        Published(device="gpu", label="10 epochs of 25,000 at 12 ms", total_time=3000.0, mark="D"),
    )
    bench = view(study(axes={}, devices=("cpu", "gpu"), published=rows, steps_per_epoch=98))
    labels = {v.of.row.label for plot in plots(bench) for v in plot.values if v.of.row}
    assert labels <= {"Colab GPU, 2019"}


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
    printed: list[dict[str, float]] = [
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


def test_a_measured_accelerator_comes_before_a_published_one() -> None:
    rows = (Published(device="tpu", label="Colab TPU v2, 2018", step_time=0.001),)

    def first(*devices: str, **factors: float) -> Finding:
        made = study(
            axes={}, devices=("cpu", "cpu-1", "gpu", "tpu"), published=rows, repeats=5,
            noise=Noise(process=0.08), factors=factors,
            fate=lambda cell: "ok" if cell.device in devices else "skipped",
        )  # fmt: skip
        return view(made).findings[0]

    found = first("cpu", "gpu", "tpu")
    assert (found.kind, found.values[0].of.device) == (Kind.FASTER, "tpu")
    assert first("cpu", "gpu", gpu=5.5).kind is not Kind.FASTER, "neither is shown to be faster"


# Calls -------------------------------------------------------------------------------------------


def _called(steps: int, **asked: Any) -> BenchmarkView:
    """A model that was called so many times, by batch size, in a process on each device."""
    axes: dict[str, Any] = {"axes": {"batch_size": (1, 8, 64)}, "devices": ("cpu", "cpu-1")}
    axes |= {"repeats": 1, **asked}
    made = study(epochs=1, steps_per_epoch=steps, **axes)
    plan = made.plan.model_copy(update={"workload": {**made.plan.workload, "mode": "inference"}})
    records = tuple(
        each.model_copy(
            update={
                "epochs": [],
                "final": {},
                "cell": each.cell.model_copy(update={"workload": plan.workload}),
            }
        )
        for each in made.records
    )
    return view(replace(made, plan=plan, records=records))


def test_a_sweep_with_one_rate_of_each_thing_is_rows_with_their_places() -> None:
    row = Published(device="tpu", label="Colab TPU", where={"batch_size": 8192}, step_time=0.0512)
    here = "cpu", {"batch_size": 1024}
    made = study(
        axes={"batch_size": (1024, 8192)}, devices=("cpu", "tpu"), published=(row,),
        fate=lambda cell: "partial" if (cell.device, cell.point) == here else "missing",
    )  # fmt: skip
    scene, *_ = opening_of(view(made)).scenes
    assert isinstance(scene.shown, Plot)
    assert "Colab TPU batch size 8,192: 160,000\xa0images/s;" in scene.shown.description
    assert "○ stopped by the budget · ◇ published" in scene.shown.caption


def test_inference_begins_with_its_latency_by_batch() -> None:
    bench = _called(600)
    (figure,) = plots(bench)
    finding = bench.findings[0]
    assert (figure.id, finding.kind, finding.axis) == ("latency", Kind.LATENCY, "batch_size")
    assert finding.values[0].of.point == (1,)
    assert figure.table
    titles = figure.table.title, figure.table.columns[5].title
    assert titles == ("Percentiles, means over processes", "longest of all")
    median = figure.table.groups[0].rows[0].entries[2].lines[0].text
    assert median == quantity.duration(finding.values[0].number), "one definition on a page"
    assert steps_section(bench) is None, "the opening has its calls"
    page = benchmark_page(bench)
    assert "trains" not in f"{page.headline} {page.finding} {page.description}"


@pytest.mark.parametrize("axes", [{}, {"units": ("a", "b")}], ids=str)
def test_calls_without_a_swept_number_have_rates_and_a_table(axes: dict[str, Any]) -> None:
    bench = _called(60, axes=axes)
    assert "images/s" in benchmark_page(bench).headline, "no median stands beside a mean rate"
    assert shown_number(bench)[0].endswith("images/s")
    assert [plot.id for plot in plots(bench)] == ["rates"]
    assert steps_section(bench)


def test_percentiles_of_calls_are_means_over_processes_and_no_curve_of_all() -> None:
    bench = _called(300, devices=("cpu", "gpu"), repeats=4)
    assert bench.findings[0].kind is not Kind.LATENCY, "the opening is of rates"
    section = steps_section(bench)
    assert section
    assert [getattr(block, "id", "") for block in section.blocks] == ["step-table"]


def test_a_call_is_its_median_by_name_on_the_page_and_in_the_terminal() -> None:
    bench = _called(60, axes={}, devices=("cpu",))
    (record,) = bench.records.values()
    times, _ = step_times(bench)
    figures = run_figures(record)
    assert figures["median_s"] == pytest.approx(median(times[bench.series[0], ()].tolist()))
    assert figures["median_s"] != pytest.approx(figures["step_s"])
    assert "(median)" in figures_text(figures, bench.plan.workload)
    assert "(mean)" in figures_text({"step_s": 0.025}, {"kind": "image_classification"})


def test_a_99th_percentile_of_fewer_than_a_hundred_calls_is_not_told() -> None:
    (figure,) = plots(_called(90))
    assert figure.table
    for row in (row for group in figure.table.groups for row in group.rows):
        calls, p5, middle, p95, p99, *_ = (entry.lines[0].text for entry in row.entries)
        assert int(calls.split()[0]) < 100
        assert (p99, MISSING in (p5, middle, p95)) == (MISSING, False)


@pytest.mark.parametrize(("calls", "told"), [(90, False), (300, True)])
def test_pointing_at_a_curve_tells_a_99th_percentile_only_where_it_is_known(
    calls: int, told: bool
) -> None:
    section = steps_section(
        view(study(devices=("cpu",), repeats=1, epochs=1, steps_per_epoch=calls))
    )
    assert section is not None
    figures = [block for block in section.blocks if isinstance(block, Figure)]
    drawn = json.dumps([drawing.spec for figure in figures for drawing in figure.drawings])
    assert "median" in drawn
    assert ("p99" in drawn) == told


def test_many_measured_rows_have_the_order_of_their_rates() -> None:
    bench = example()["frameworks"]
    rates = [value.number for value, _ in rates_at(bench, ()) if value.of.machine]
    assert len(rates) > 6
    assert rates == sorted(rates, reverse=True)


@pytest.mark.parametrize(
    ("spec", "texts"),
    [
        ("imdb_lstm", ["17× (Colab TPU over GPU)"]),
        ("har_sweep", []),
        ("mnist_batch_sweep", []),
    ],
)
def test_an_opening_names_what_the_source_printed_of_devices_that_it_draws(
    spec: str, texts: list[str]
) -> None:
    captions = [shown.caption for shown in plots(example()[spec])]
    printed = " ".join(captions).replace("\xa0", " ")
    assert all(text in printed for text in texts)
    assert printed.count("Published speedup") == len(texts)
