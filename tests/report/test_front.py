"""The front page: its sentence, its picture, its cards and its squares."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelreport.report.charts.dot_plot import Dot, dot_plot
from accelreport.report.charts.drawing import Named
from accelreport.report.charts.workloads import (
    RateMark,
    RateSpan,
    Workload,
    placed_labels,
    work_rates,
)
from accelreport.report.heroes.hero import Size
from accelreport.report.model import Cards, Page, Table, Units
from accelreport.report.pages.benchmark import benchmark_page
from accelreport.report.pages.benchmarks import benchmarks_page
from accelreport.report.pages.data import data_page
from accelreport.report.pages.headline import decided_alone
from accelreport.report.pages.index import index_page
from accelreport.report.pages.overview import MOST_ROWS, WIDE, Overview, rates_table
from accelreport.report.pages.sections.claims import claims_page
from accelreport.report.site.assembly import gather
from accelreport.report.text import label, short_hardware, text_width
from accelreport.results.record import Record
from accelreport.spec.cells import Cell
from accelreport.spec.claims import Claim
from accelreport.spec.models import Published
from tests.report.scenarios import THERE, Results, ordinary
from tests.support.fates import Fate
from tests.support.records import Noise, Study, slowed, study, without_peaks


def front(*studies: Study) -> Page:
    return index_page(gather(Results(studies)), "A site", ())


def published(device: str, label: str, **figures: Any) -> Published:
    return Published.model_validate({"device": device, "label": label} | figures)


def present(*names: str) -> Fate:
    """Devices that this machine has; the others are skipped."""
    return lambda cell: "ok" if cell.device in names else "skipped"


def changed(made: Study, **update: Any) -> Study:
    """The study with another environment in each record."""

    def each(record: Record) -> Record:
        assert record.environment
        environment = record.environment.model_copy(update=update)
        return record.model_copy(update={"environment": environment})

    return replace(made, records=tuple(map(each, made.records)))


def busy(made: Study) -> Study:
    """The study as it is measured while other programs hold a processor and a half."""

    def held(record: Record) -> Record:
        own = record.blocks
        blocks = [each.model_copy(update={"other_cpu_s": 1.5 * each.wall_s}) for each in own]
        return record.model_copy(update={"blocks": blocks})

    return replace(made, records=tuple(map(held, made.records)))


PRINTED = (published("tpu", "Colab TPU v2, 2018", step_time=0.0112),)


# The sentence -----------------------------------------------------------------------------------


def test_a_measured_accelerator_is_named_by_its_hardware_with_its_range() -> None:
    page = front(study(devices=("cpu", "gpu"), repeats=5))
    assert page.headline.startswith("An Example T4 trains this model ")
    assert page.headline.endswith(" times as fast as this 2-core CPU")
    assert "interval over all 3 comparisons" in page.finding
    assert "@" not in page.headline + page.finding


def test_where_only_figures_of_others_are_known_they_are_the_sentence() -> None:
    page = front(study(devices=("cpu", "tpu"), axes={}, fate=present("cpu"), published=PRINTED))
    assert page.headline.startswith("A Colab TPU v2 of 2018 trained this model ")
    assert page.headline.endswith(" times as fast as this 2-core CPU")


def test_published_devices_that_were_slower_or_not_always_faster_are_told_so() -> None:
    def heading(*seconds: float) -> str:
        rows = tuple(
            published("tpu", f"Colab TPU v{n}", step_time=each, where={"batch_size": size})
            for n, (each, size) in enumerate(zip(seconds, (256, 512), strict=False), start=2)
        )
        axes = {"batch_size": (256, 512)}
        made = study(devices=("cpu", "tpu"), fate=present("cpu"), published=rows, axes=axes)
        return front(made).headline

    assert heading(9.0, 8.0).startswith("This 2-core CPU trains this model ")
    assert heading(9.0, 8.0).endswith(" times as fast as the sources’ TPUs")
    assert heading(9.0).endswith(" as fast as the Colab TPU v2 of 2018")
    assert re.fullmatch(
        r"The sources’ TPUs of 2018 were faster than this 2-core CPU in 1 of 2 workloads "
        r"\([\d.]+ times\) and slower in the other \([\d.]+ times\)",
        heading(9.0, 0.0112),
    )


def test_a_measured_device_that_is_slower_or_not_always_faster_is_told_so() -> None:
    made = study(axes={"batch_size": (256, 512)}, devices=("cpu", "gpu"), repeats=5)
    for repeat in range(5):
        made = slowed(made, 20.0, repeat=repeat, device="gpu", batch_size=256)
    assert re.fullmatch(
        r"An Example T4 is faster than this 2-core CPU in 1 of 2 workloads \([\d.]+ times\) "
        r"and slower in the other \([\d.]+ times\)",
        front(made).headline,
    )
    slow = front(study(axes={}, devices=("cpu", "cpu-1"), repeats=5, factors={"cpu-1": 3.0}))
    assert re.fullmatch(
        r"CPU \(all threads\) trains this model [\d.]+ times as fast as CPU \(one thread\)",
        slow.headline.replace("\xa0", " "),
    )
    told = slow.finding.replace("\xa0", " ")
    found = re.match(r"CPU \(one thread\) takes ([\d.]+)× as long \(.* ([\d.]+)–([\d.]+)×\)", told)
    assert found, told
    least, most = sorted(map(float, found.groups()[1:]))
    assert 1 < least < float(found[1]) < most


def test_labels_of_marks_that_lie_close_together_take_more_lines_and_lie_on_nothing() -> None:
    named = {"CPU (one thread)": 0.80, "CPU (2 mirrored replicas)": 0.65, "CPU (2 workers)": 0.5}
    marks = [RateMark("", "", Named("CPU", 0), 1.0, 1.0, 1.0, "base")]
    marks += [
        RateMark(name, f"{value}×¹ busy", Named(name, n), value, value, value, "measured")
        for n, (name, value) in enumerate(named.items(), start=1)
    ]
    row = Workload("MNIST", "replicas", "2,000", "images/s", tuple(marks))
    far = replace(row, marks=(marks[0], replace(marks[1], value=7.0, low=7.0, high=7.0)))
    drawn = work_rates([row, far], base="this computer", axis_title="x")(1104, 0).to_dict()
    alone = work_rates([far], base="this computer", axis_title="x")(1104, 0).to_dict()
    assert drawn["height"] > 2 * alone["height"] - 34


def test_a_row_that_would_need_three_lines_of_labels_on_a_page_names_its_ends() -> None:
    values = {"CPU (2 workers and a parameter server)": 0.9, "CPU (2 mirrored replicas)": 0.97,
              "CPU (2 workers in step)": 0.98, "CPU (one thread)": 0.99}  # fmt: skip
    marks = [RateMark("", "", Named("CPU", 0), 1.0, 1.0, 1.0, "base")]
    marks += [
        RateMark(name, f"{value}×", Named(name, n), value, value, value, "measured")
        for n, (name, value) in enumerate(values.items(), start=1)
    ]
    row = Workload("MNIST", "replicas", "2,000", "images/s", tuple(marks))
    page = work_rates([row], base="this computer", axis_title="x")(1104, 0)
    drawn = json.dumps(page.to_dict(), ensure_ascii=False)
    named = [mark.value for mark in marks if mark.label and f'"{mark.label}"' in drawn]
    assert named == [0.9, 0.99]


def test_no_name_in_the_picture_is_cut_where_two_lines_hold_it() -> None:
    marks = (RateMark("", "", Named("CPU", 0), 1.0, 1.0, 1.0, "base"),)
    detail = "batch size 64 · strategies, and scaling over replicas and workers"
    row = Workload("Human activity", detail, "984", "busy · images/s", marks)
    for width in (1104, 358):
        chart = work_rates([row], base="this computer", axis_title="x")(width, 0)
        drawn = json.dumps(chart.to_dict(), ensure_ascii=False)
        words = re.findall(r'"text": "([^"]+)"', drawn)
        assert "…" not in drawn
        assert sum("scaling" in word for word in words) == 1


def test_a_number_from_a_busy_machine_makes_no_headline_and_is_marked() -> None:
    calm = study(devices=("cpu", "tpu"), axes={}, fate=present("cpu"), published=PRINTED)
    page = front(busy(calm))
    assert page.headline == "The machine was too busy to compare: other programs held its processor"
    picture = Overview(gather(Results((busy(calm),)))).picture
    assert picture
    assert "Busy: other programs held the processor" in picture.caption
    measured = busy(study(devices=("cpu", "gpu"), repeats=5))
    assert "times as fast" not in front(measured).headline


def test_that_the_processor_was_busy_beside_published_figures_comes_before_its_threads() -> None:
    fate = present("cpu", "cpu-1")
    held = busy(study(devices=("cpu", "cpu-1", "tpu"), axes={}, fate=fate, published=PRINTED))
    calm = study(spec="calm", devices=("cpu", "cpu-1"), axes={}, repeats=5, first_seed=50,
                 factors={"cpu-1": 3.0})  # fmt: skip
    assert front(calm).headline.startswith("CPU (all threads) trains ")
    assert front(held, calm).headline.startswith("The machine was too busy to compare")


def test_the_steady_rate_of_a_run_that_its_budget_ended_may_make_the_headline() -> None:
    def early(cell: Cell) -> str:
        return "partial" if cell.device == "cpu" else "skipped"

    made = study(devices=("cpu", "tpu"), axes={}, fate=early, published=PRINTED)
    page = front(made)
    assert page.headline.startswith("A Colab TPU v2 of 2018 trained this model ")
    assert {record.status for record in made.records} == {"partial", "skipped"}


def test_where_one_process_each_was_measured_the_headline_says_so_and_claims_nothing() -> None:
    page = front(study(devices=("cpu", "gpu"), repeats=1))
    assert re.fullmatch(
        r"Measured so far: Example T4 at [\d.]+ times the speed of this 2-core CPU", page.headline
    )
    assert "median of 3\xa0workloads" in page.finding
    assert "Nothing is decided by that" in page.finding


def test_what_was_measured_once_beside_what_is_decided_stands_in_the_sentence_as_undecided() -> (
    None
):
    decided = study(devices=("cpu", "gpu"), axes={}, repeats=5)
    once = study(spec="once", devices=("cpu", "gpu"), axes={}, repeats=1, first_seed=50)
    page = front(decided, once)
    assert page.headline.startswith("An Example T4 trains one of these models ")
    assert re.search(
        r"Measured once in 1\xa0more workload: [\d.]+ times; "
        r"1 of 2\xa0comparisons is not decided yet\.$",
        page.finding,
    )


def test_a_published_figure_has_the_year_that_its_source_prints_on_other_rows_of_the_device() -> (
    None
):
    rows = (
        published("tpu", "Colab TPU v2 (notebook)", epoch_time=6.123),
        published("tpu", "Colab TPU v2, 2018", total_time=31),
    )

    def heading(some: tuple[Published, ...]) -> str:
        made = study(devices=("cpu", "tpu"), axes={}, fate=present("cpu"), published=some)
        assert made.plan.source
        undated = made.plan.source.model_copy(update={"year": None})
        return front(replace(made, plan=made.plan.model_copy(update={"source": undated}))).headline

    assert heading(rows).startswith("A Colab TPU v2 of 2018 ")
    assert heading(rows[:1]).startswith("A Colab TPU v2 trained ")


def test_a_rate_that_its_processes_do_not_agree_on_is_divided_by_in_no_headline() -> None:
    made = study(devices=("cpu", "tpu"), axes={}, fate=present("cpu"), published=PRINTED)
    assert "times as fast" in front(made).headline
    assert "times as fast" not in front(slowed(made, 9.0, repeat=1, device="cpu")).headline


def test_several_sentences_below_the_headline_are_sentences() -> None:
    rows = (
        published("tpu", "Colab TPU v2, 2018", step_time=0.0112),
        published("gpu", "Colab K80, 2018", step_time=0.0312),
    )
    made = study(devices=("cpu", "gpu", "tpu"), axes={}, fate=present("cpu"), published=rows)
    assert re.fullmatch(
        r"The Colab K80 ran at [\d.]+ times its speed; it trains [\d,]+ examples a second\.",
        front(made).finding,
    )


def test_a_figure_that_was_printed_too_roughly_makes_no_headline() -> None:
    rough = (published("tpu", "Colab TPU v2, 2018", epoch_time=1),)
    page = front(study(devices=("cpu", "tpu"), axes={}, fate=present("cpu"), published=rough))
    assert "times as fast" not in page.headline


def test_a_figure_beyond_the_chip_is_crossed_out_and_makes_no_headline() -> None:
    row = published("gpu", "GPU, first session", hardware="Tesla K80", tflops=15.7)
    made = study("matmul", axes={}, devices=("cpu", "gpu"), fate=present("cpu"), published=(row,))
    view = Overview(gather(Results((made,))))
    assert [mark.kind for each in view.shown for mark in view.marks(each)] == ["base", "beyond"]
    assert view.picture
    assert "✕ printed, and beyond the peak of the chip" in view.picture.caption
    assert '"shape": "cross"' in json.dumps(view.picture.drawing(Size(1104, 320)).spec)
    assert "times as fast" not in front(made).headline


def test_what_is_not_decided_over_all_comparisons_is_no_headline() -> None:
    page = front(study(devices=("cpu", "gpu"), repeats=2, axes={}, factors={"gpu": 5.2}))
    assert page.headline == "Nothing is shown to be faster or slower than this 2-core CPU yet"
    axes = {"layers": (1, 2, 3), "units": (32, 64, 128, 256), "batch_size": (64, 128)}
    grid = study(axes=axes, devices=("cpu", "gpu"), repeats=2, noise=Noise(process=0.08))
    (bench,) = gather(Results((grid,)))
    assert any(map(len, decided_alone(bench).values()))
    assert front(grid).headline == page.headline


def test_one_device_alone_and_nothing_measured_are_said_as_they_are() -> None:
    alone = front(study(devices=("cpu",)))
    assert alone.headline == "1\xa0benchmark on this 2-core CPU"
    assert "examples a second" in alone.finding
    nothing = front(study(fate=lambda cell: "missing"))
    assert nothing.headline == "1\xa0benchmark, none of them measured yet"


def test_several_machines_have_one_named_base_or_absolute_rates() -> None:
    one = without_peaks(study("matmul", spec="k", devices=("cpu", "gpu"), repeats=4))
    two = without_peaks(
        study("matmul", spec="k", devices=("cpu", "gpu"), repeats=4, machine=THERE, seed=7)
    )
    shared = Overview(gather(Results((replace(one, records=one.records + two.records),))))
    assert shared.relative
    assert shared.base == "a processor, 2\xa0cores (1 of 2 alike)"
    elsewhere = study(spec="only_there", devices=("cpu", "gpu"), machine=THERE, first_seed=50)
    apart = Overview(gather(Results((one, elsewhere))))
    assert not apart.relative
    picture = apart.picture
    assert picture
    assert picture.title == "How fast each workload is"
    assert not any(mark.text.endswith("×") for each in apart.shown for mark in apart.marks(each))
    assert "absolute" in front(one, elsewhere).finding


@pytest.mark.parametrize(
    ("driver", "said"),
    [
        ("Intel(R) Xeon(R) Processor", "Intel Xeon"),
        ("Intel(R) Core(TM) i7-8700 CPU @ 3.20GHz", "Intel Core i7-8700"),
        ("NVIDIA Tesla T4", "Tesla T4"),
        ("AMD EPYC 7B12", "AMD EPYC 7B12"),
    ],
)
def test_hardware_is_called_as_people_call_it(driver: str, said: str) -> None:
    assert short_hardware(driver) == said


# The picture ------------------------------------------------------------------------------------


def test_absent_devices_have_one_line_and_no_row_or_column() -> None:
    made = study(devices=("cpu", "cpu-1", "gpu", "tpu"), fate=present("cpu", "cpu-1"))
    page = front(made)
    assert page.opening
    line = page.opening.finding
    assert line.startswith("Not measured: GPU and TPU v2-8 (device not present). “accelreport run ")
    assert "accelreport merge" in line
    tables = benchmarks_page(gather(Results((made,)))).sections
    (table,) = [block for each in tables if each.id == "speedups" for block in each.blocks]
    assert table.kind == "table"
    rows = [row for group in table.groups for row in group.rows]
    named = {row.entries[0].lines[0].text for row in rows}
    assert named == {"CPU (all threads)", "CPU (one thread)"}
    assert {row.header.lines[0].text for row in rows} == {
        f"batch size {size}" for size in ("256", "512", "1,024")
    }


def test_the_line_of_absent_devices_names_some_and_counts_the_rest_however_many_there_are() -> None:
    def away(n: int) -> Study:
        made = study(spec=f"s{n}", devices=("cpu", "gpu"), fate=present("cpu"), first_seed=50 * n)
        gpu = made.plan.devices["gpu"].model_copy(update={"label": f"GPU {n}"})
        devices = dict(made.plan.devices) | {"gpu": gpu}
        return replace(made, plan=made.plan.model_copy(update={"devices": devices}))

    opening = front(*map(away, range(6))).opening
    assert opening
    assert opening.finding.startswith("Not measured: GPU 0, GPU 1, GPU 2 and 3 more (device not ")


@pytest.mark.parametrize("here", [("cpu", "cpu-1"), ("cpu",)])
def test_a_benchmark_s_page_tells_absent_devices_in_one_note_with_the_command(
    here: tuple[str, ...],
) -> None:
    made = study(devices=("cpu", "cpu-1", "gpu", "tpu"), fate=present(*here), repeats=2)
    (bench,) = gather(Results((made,)))
    page = benchmark_page(bench)
    # What was asked for of each device, and the page of each record, are told of all.
    sections = [section for section in page.sections if section.id not in {"cells", "environment"}]
    blocks = [block for section in sections for block in section.blocks]
    tables = [block for block in blocks if block.kind == "table"]
    tables += [block.table for block in blocks if block.kind == "figure" and block.table]
    assert len(tables) > 5
    for table in tables:
        heads = [row.header.lines[0].text for group in table.groups for row in group.rows]
        assert not {"GPU", "TPU v2-8"} & {*heads, *(column.title for column in table.columns)}
    (notes,) = [block for block in blocks if block.kind == "notes" and "TPU" in str(block)]
    (note,) = notes.items
    absent = "GPU and TPU v2-8" if len(here) > 1 else "CPU (one thread), GPU and TPU v2-8"
    assert note.title == f"{absent}: device not present."
    assert "accelreport run specs/example_training.toml" in note.remedy
    assert any(section.id == "speedup" for section in page.sections) == (len(here) > 1)


def test_the_picture_has_room_for_a_first_screen_and_the_full_profile_before_others() -> None:
    many = [
        study(spec=f"s{n}", devices=("cpu", "gpu"), first_seed=50 * n, repeats=2)
        for n in range(MOST_ROWS // 2 + 1)
    ]
    quick = study(spec="s1", profile="quick", devices=("cpu", "gpu"), first_seed=900, repeats=2)
    view = Overview(gather(Results((*many, quick))))
    assert len(view.shown) == len(many)
    assert all(each.bench.plan.profile == "full" for each in view.shown)
    more = study(spec="more", devices=("cpu", "gpu"), first_seed=950, repeats=2)
    others = [study(spec=f"o{n}", devices=("cpu", "gpu"), first_seed=1000 + 50 * n, repeats=2)
              for n in range(MOST_ROWS - len(many))]  # fmt: skip
    full = Overview(gather(Results((*many, more, *others))))
    assert len(full.shown) == MOST_ROWS
    assert full.picture
    assert "1\xa0row more: see Benchmarks." in full.picture.caption.replace("1 row", "1\xa0row")


def test_workloads_with_nothing_beside_them_are_counted_below_the_picture_and_have_no_row() -> None:
    step = {"step_time": 0.0112}
    beside = study(devices=("cpu", "gpu"), repeats=2, spec="a")
    alone = study(devices=("cpu",), spec="b", first_seed=50)
    elsewhere = published("tpu", "Colab TPU v2", where={"batch_size": 4096}, **step)
    other = study(devices=("cpu", "tpu"), spec="c", fate=present("cpu"), published=(elsewhere,))
    mixed = study(devices=("cpu", "gpu"), spec="d", first_seed=90)
    devices = dict(mixed.plan.devices)
    devices["gpu"] = devices["gpu"].model_copy(update={"precision": "mixed_float16"})
    lower = replace(mixed, plan=mixed.plan.model_copy(update={"devices": devices}))
    gone = study(devices=("cpu",), spec="e", fate=lambda cell: "missing", first_seed=130)
    view = Overview(gather(Results((beside, alone, other, lower, gone))))
    assert {each.bench.plan.spec for each in view.shown} == {"a"}
    picture = view.picture
    assert picture
    assert f"Without a rate here: “{label(gone.plan.title)}”." in picture.caption
    counted = "3\xa0more workloads have nothing to be compared with"
    assert f"{counted} (in 1 of them a device is withheld): see Benchmarks." in picture.caption
    table = rates_table(view.rows, "rates", "Rates")
    assert {group.href for group in table.groups} == {
        f"{each.bench.slug}.html" for each in view.rows
    }
    withheld = [
        row
        for group in table.groups
        for row in group.rows
        if row.entries[2].lines[0].text == "withheld"
    ]
    assert {row.entries[3].lines[0].text for row in withheld} == {
        "it computes in mixed_float16, the baseline in float32"
    }
    assert len(withheld) == 3
    records = tuple(each for each in lower.records if each.cell.device == "cpu")
    absent = Overview(gather(Results((replace(lower, records=records),))))
    assert not any(each.withheld for each in absent.rows), "it was not even measured"


def test_where_nothing_stands_beside_anything_the_picture_tells_the_rates_themselves() -> None:
    made = study(devices=("cpu",), spec="a"), study(devices=("cpu",), spec="b", first_seed=50)
    view = Overview(gather(Results(made)))
    assert {each.bench.plan.spec for each in view.shown} == {"a", "b"}
    assert view.elsewhere == ""
    picture = view.picture
    assert picture
    drawn = json.dumps(picture.drawing(WIDE).spec, ensure_ascii=False)
    assert "1×" not in drawn
    assert all(mark.text in drawn for each in view.shown for mark in view.marks(each))
    assert picture.title == "How fast each workload is"


def test_a_benchmark_of_which_nothing_has_a_time_is_named_and_has_no_card() -> None:
    made = (
        study(spec="a", devices=("cpu",)),
        study(spec="b", fate=lambda cell: "missing", first_seed=50),
    )
    (section,) = [each for each in front(*made).sections if each.id == "benchmarks"]
    cards, prose = section.blocks
    assert isinstance(cards, Cards)
    assert [card.href for card in cards.items] == ["a.full.html"]
    assert prose.kind == "prose"
    assert prose.text.startswith("Without any measurement: “")


def test_a_lone_process_and_a_partial_run_are_signs_at_the_number_explained_once() -> None:
    view = Overview(
        gather(Results((study(devices=("cpu", "gpu"), repeats=1, fate=lambda _: "partial"),)))
    )
    picture = view.picture
    assert picture
    assert picture.caption.count("one process, so no interval") == 1
    assert picture.caption.count("the time budget ended the run") == 1
    marks = [mark for each in view.shown for mark in view.marks(each) if mark.kind == "measured"]
    assert marks
    assert all(mark.text.endswith("¹²") for mark in marks)


@given(
    st.lists(
        st.tuples(st.floats(0.05, 50), st.sampled_from(["K80", "Colab TPU v2", "Tesla T4"])),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from([(350.0, 1090.0), (0.0, 344.0)]),
)
def test_labels_of_a_row_lie_on_no_other_label(
    marks: list[tuple[float, str]], span: tuple[float, float]
) -> None:
    device = Named("GPU", 1)
    row = [
        RateMark(name, f"{value:.2g}×", device, value, value, value, "published")
        for value, name in marks
    ]
    row.append(RateMark("", "", device, 1.0, 1.0, 1.0, "base"))
    boxes = [
        (start, start + text_width(said, 12.5, bold=True), dy)
        for _, said, start, dy in placed_labels(row, RateSpan((0.02, 400.0), *span), 2)
    ]
    for (left, right, dy), (start, end, other) in combinations(boxes, 2):
        assert dy != other or right <= start or end <= left or len(marks) > 3


def test_a_label_lies_neither_on_its_own_band_nor_on_the_line_of_the_base() -> None:
    device, span = Named("CPU", 0), RateSpan((0.25, 4.0), 350.0, 1090.0)
    base = RateMark("", "", device, 1.0, 0.9, 1.1, "base")
    wide = RateMark("Tesla T4", "2.0×", device, 2.0, 1.6, 2.5, "measured")
    near = RateMark("CPU (2 workers in step)", "0.87×¹", device, 0.87, 0.87, 0.87, "measured")
    for mark in (wide, near):
        ((_, said, start, dy),) = placed_labels((base, mark), span)
        end = start + text_width(said, 12.5, bold=True)
        assert end < span.at(1.0) or span.at(1.0) < start
        assert dy or end < span.at(mark.low) or span.at(mark.high) < start


def test_a_card_has_rows_for_the_first_the_impossible_the_fastest_and_the_slowest() -> None:
    def dot(n: int, limit: float | None = None) -> Dot:
        value = 10.0 * (n + 1)
        return Dot(f"row {n}", "", Named("CPU", 0), value, "", value, value, limit=limit)

    dots = [dot(n, 5.0 if n == 2 else None) for n in range(8)]
    chart = dot_plot(dots, axis_title="images", tick=str, width=230, height=130).to_dict()
    drawn = json.dumps(chart)
    assert {n for n in range(8) if f'"row {n}"' in drawn} == {0, 1, 2, 6, 7}
    assert "images · 3 more" in chart["layer"][0]["encoding"]["x"]["axis"]["title"]
    page = json.dumps(dot_plot(dots, axis_title="x", tick=str, width=1104, height=290).to_dict())
    assert all(f'"row {n}"' in page for n in range(8))


def test_on_a_slide_a_row_names_all_marks_that_have_room_else_its_slowest_and_fastest() -> None:
    device = Named("GPU", 1)

    def row(*values: float) -> Workload:
        base = RateMark("", "", device, 1.0, 1.0, 1.0, "base")
        marks = [RateMark(f"Colab {v!r}", f"{v}×", device, v, v, v, "published") for v in values]
        return Workload("MNIST", "batch size 512", "4,450", "images/s", (base, *marks))

    def named(shown: Workload, width: float, height: float) -> set[float]:
        chart = work_rates([shown] * 9, base="this computer", axis_title="images")(width, height)
        drawn = json.dumps(chart.to_dict(), ensure_ascii=False)
        return {mark.value for mark in shown.marks if mark.label and f'"{mark.label}"' in drawn}

    full = row(2.7, 0.18, 3.9, 0.31, 2.9, 0.2)
    assert named(full, 676, 284) == {0.18, 3.9}
    assert named(full, 1104, 0) == {2.7, 0.18, 3.9, 0.31, 2.9, 0.2}
    # One label beside two marks that lie near one another would leave open which of them it names.
    assert named(row(2.2, 2.3, 0.5), 676, 284) == {2.2, 2.3, 0.5}


def test_of_a_row_with_more_marks_than_labels_find_room_the_slowest_and_the_fastest_are_named() -> (
    None
):
    device = Named("CPU", 0)
    base = RateMark("", "", device, 1.0, 1.0, 1.0, "base")
    values = [0.1 + 0.05 * number for number in range(11)]
    marks = [RateMark(f"PyTorch {v:.2f}", "×", device, v, v, v, "measured") for v in values]
    row = Workload("Frameworks", "eager and compiled", "4,670", "images/s", (base, *marks))
    page = work_rates([row], base="this computer", axis_title="images")(1104, 0)
    drawn = json.dumps(page.to_dict(), ensure_ascii=False)
    assert [mark.value for mark in marks if f'"{mark.label}"' in drawn] == [values[0], values[-1]]
    assert drawn.count('"x": 0.') >= len(marks)


# Cards and squares ------------------------------------------------------------------------------


def claim(text: str, **check: Any) -> Claim:
    return Claim.model_validate({"text": text, "check": check})


CLAIMS = (
    claim("A GPU is twice as fast", faster="gpu", than="cpu", by_at_least=2.0),
    claim("A GPU is a hundred times as fast", faster="gpu", than="cpu", by_at_least=100.0),
    claim("Accuracy does not depend on the device", equivalent="val_accuracy", within=0.05),
    claim("A TPU is four times as fast as a GPU", faster="tpu", than="gpu", by_about=4.0),
    claim("A TPU is as fast as a GPU", faster="tpu", than="gpu", by_about=1.0),
    claim("A TPU is accurate", value="val_accuracy", of="tpu", at_least=0.9),
)
THEIRS = (published("tpu", "A TPU", epoch_time=10.2), published("gpu", "A GPU", epoch_time=40.3))


def claimed(**of_study: Any) -> Study:
    return study(fate=present("cpu", "gpu"), claims=CLAIMS, published=THEIRS, repeats=5, **of_study)


def units(page: Page) -> Units:
    (found,) = [b for each in page.sections for b in each.blocks if isinstance(b, Units)]
    return found


def test_every_claim_is_one_square_of_its_state_that_leads_to_its_row() -> None:
    page = front(claimed(origin="official"))
    found = units(page)
    assert {unit.text.partition(":")[0]: unit.state for unit in found.items} == {
        "A GPU is twice as fast": "confirmed",
        "A GPU is a hundred times as fast": "refuted",
        "Accuracy does not depend on the device": "confirmed",
        "A TPU is four times as fast as a GPU": "agree",
        "A TPU is as fast as a GPU": "contradict",
        "A TPU is accurate": "device",
    }
    rows = {
        row.id
        for section in claims_page(gather(Results((claimed(origin="official"),)))).sections
        for block in section.blocks
        if block.kind == "table"
        for group in block.groups
        for row in group.rows
    }
    assert {unit.href.partition("#")[2] for unit in found.items} == rows
    assert sum(count for _, _, count in found.keys) == len(CLAIMS)


def test_stand_ins_for_the_data_decide_nothing_about_quality() -> None:
    found = units(front(claimed(origin="synthetic")))
    states = {unit.text.partition(":")[0]: unit.state for unit in found.items}
    assert states["Accuracy does not depend on the device"] == "undecided"
    assert states["A GPU is twice as fast"] == "confirmed"


def test_a_claim_of_two_profiles_is_one_square_and_the_full_one_speaks() -> None:
    full = claimed(origin="official")
    quick = claimed(profile="quick", first_seed=70, factors={"gpu": 40.0})
    found = units(front(quick, full))
    states = {unit.text.partition(":")[0]: unit.state for unit in found.items}
    assert len(found.items) == len(CLAIMS)
    assert states["A GPU is twice as fast"] == "confirmed"


def test_each_benchmark_has_one_card_that_leads_to_its_page() -> None:
    made = study(devices=("cpu", "gpu")), study("matmul", spec="k", devices=("cpu",))
    page = front(*made)
    (cards,) = [b for each in page.sections for b in each.blocks if isinstance(b, Cards)]
    benches = gather(Results(made))
    assert [card.href for card in cards.items] == [f"{bench.slug}.html" for bench in benches]
    assert all(card.sentence for card in cards.items)
    assert len({figure.id for figure in page.thumbnails}) == len(page.thumbnails)


# Tables -----------------------------------------------------------------------------------------


def test_tables_of_benchmarks_have_no_column_of_dashes_and_no_heading_over_a_lone_row() -> None:
    lone = study(devices=("cpu", "gpu"), axes={}, repeats=2)
    swept = study(
        spec="a", devices=("cpu", "gpu"), axes={"batch_size": (8, 16)}, repeats=2, first_seed=50
    )
    free = {
        name: device.model_copy(update={"price_per_hour": None})
        for name, device in lone.plan.devices.items()
    }
    made = tuple(
        replace(each, plan=each.plan.model_copy(update={"devices": free})) for each in (swept, lone)
    )
    sections = {each.id: each for each in benchmarks_page(gather(Results(made))).sections}
    (progress,), (choice,) = (sections[name].blocks for name in ("progress", "choice"))
    assert isinstance(progress, Table)
    assert isinstance(choice, Table)
    assert [column.title for column in progress.columns] == ["finding", "complete"]
    assert [column.title for column in choice.columns][-1] == "a step takes"
    group, other = choice.groups
    (row,) = group.rows
    assert (group.title, row.header.href) == ("", "example_training.full.html")
    assert (other.title != "", len(other.rows)) == (True, 2)  # no lone row lies below a heading
    assert len(row.entries) == len(choice.columns)
    # Every rate is looked up and not read: a reader opens it.
    assert sections["speedups"].folded


def test_a_data_set_is_described_once_with_all_benchmarks_that_read_it() -> None:
    here = study(spec="a", axes={}), study(spec="b", axes={}, first_seed=50)
    made = (*here, study("matmul", spec="c"))
    *_, section = data_page(gather(Results(made))).sections
    (table,) = section.blocks
    assert isinstance(table, Table)
    (group,) = table.groups
    (row,) = group.rows
    assert [line.href for line in row.header.lines] == ["a.full.html", "b.full.html"]


def test_the_page_of_benchmarks_says_of_each_what_its_card_says() -> None:
    benches = gather(ordinary())
    pages = (index_page(benches, "t", ()), benchmarks_page(benches))
    cards, table = (page.sections[0].blocks[0] for page in pages)
    assert isinstance(cards, Cards) and isinstance(table, Table)  # noqa: PT018
    said = [row.entries[0].lines[0].text for row in table.groups[0].rows]
    assert said == [card.sentence for card in cards.items]
