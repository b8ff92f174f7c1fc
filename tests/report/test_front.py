"""The front page: its sentence, its figures, its squares and its list."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from accelreport.analysis.findings import Kind, Unit
from accelreport.analysis.overview import PrintedRate
from accelreport.analysis.published import PublishedResult
from accelreport.report.front import FrontFinding, front_findings
from accelreport.report.model import Figure, Links, Notes, Page, Row, Table, Units
from accelreport.report.openings.opening import Size
from accelreport.report.pages.benchmark import benchmark_page
from accelreport.report.pages.benchmarks import benchmarks_page
from accelreport.report.pages.data import data_page
from accelreport.report.pages.index import index_page
from accelreport.report.pages.overview import MOST_ROWS, PAGE, Overview, printed_names, rates_table
from accelreport.report.pages.sections.claims import claims_page
from accelreport.report.site.assembly import gather
from accelreport.report.text import short_hardware
from accelreport.results.record import Record
from accelreport.spec.claims import Claim
from accelreport.spec.models import Published, Source
from tests.report.scenarios import THERE, Results
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


def first_figure(page: Page) -> tuple[Figure, list[tuple[Row, ...]], list[dict[str, Any]]]:
    """The first figure of a page, the rows of its table, and what it draws."""
    assert page.opening
    (figure,) = page.opening.blocks
    assert isinstance(figure, Figure)
    assert figure.table
    sets = figure.panels[0].wide.spec["datasets"].values()
    return figure, [g.rows for g in figure.table.groups], [row for rows in sets for row in rows]


PRINTED = (published("tpu", "Colab TPU v2, 2018", step_time=0.0112),)


# The sentence -----------------------------------------------------------------------------------


def found(*studies: Study) -> FrontFinding:
    """The finding of the heading."""
    return front_findings(Overview(gather(Results(studies))))[0]


def test_the_heading_is_the_first_finding_and_its_numbers_are_of_one_base() -> None:
    made = study(devices=("cpu", "gpu"), repeats=5)
    first = found(made)
    assert first.kind is Kind.FASTER
    assert {value.over.device for value in first.values if value.over} == {"cpu"}
    page = front(made)
    assert page.headline == (
        f"Example T4 trains {first.values[0].number:.1f}× as fast as this 2-core CPU "
        "at batch size 1,024"
    )
    assert page.finding.startswith("The 95\xa0% interval in “MNIST CNN: batch size” is ")
    assert "MNIST CNN · batch size 1,024" in repr(page.opening).replace("\\xa0", " ")


def test_the_line_above_the_title_says_what_holds_of_all_numbers() -> None:
    quick = study(profile="quick", origin="sample")
    scope = "quick profile on samples of the data"
    assert front(quick).kicker.endswith(f" · {scope}")
    assert claims_page(gather(Results((quick,)))).kicker == scope
    assert "profile" not in front(study(origin="official")).kicker


@pytest.mark.parametrize(("seconds", "words"), [(0.0112, "The pub"), (9.0, "This 2-core CPU ")])
def test_where_only_figures_of_others_are_known_they_are_the_heading(
    seconds: float, words: str
) -> None:
    """A published ratio begins with the faster side."""
    rows = (published("tpu", "Colab TPU v2, 2018", step_time=seconds),)
    made = study(devices=("cpu", "tpu"), axes={}, fate=present("cpu"), published=rows)
    assert found(made).kind is Kind.PUBLISHED
    assert front(made).headline.startswith(words)


def test_what_is_faster_at_one_point_and_slower_at_another_is_said_of_the_point() -> None:
    made = study(axes={"batch_size": (256, 512)}, devices=("cpu", "gpu"), repeats=5)
    for repeat in range(5):
        made = slowed(made, 90.0, repeat=repeat, device="gpu", batch_size=256)
    headline = front(made).headline
    assert re.fullmatch(
        r"This 2-core CPU trains .* as fast as Example T4 at batch size 256", headline
    )


def _rough(made: Study) -> Study:
    rows = [published("tpu", "Colab TPU v2, 2018", epoch_time=1)]
    return replace(made, plan=made.plan.model_copy(update={"published": rows}))


@pytest.mark.parametrize(
    "spoilt",
    [
        busy,
        lambda made: slowed(made, 9.0, repeat=1, device="cpu"),
        _rough,
    ],
)
def test_nothing_is_divided_by_what_is_not_firm(spoilt: Callable[[Study], Study]) -> None:
    """A busy machine, processes that do not agree, a figure that was printed too roughly."""
    made = study(devices=("cpu", "tpu"), axes={}, fate=present("cpu"), published=PRINTED)
    assert found(made).kind is Kind.PUBLISHED
    assert found(spoilt(made)).kind is Kind.RATE


def test_a_busy_machine_is_said_and_marked() -> None:
    held = busy(study(devices=("cpu", "gpu"), repeats=5))
    assert front(held).finding.count("Other programs used the processor") == 1
    quiet = study(spec="quiet", devices=("cpu", "gpu"), repeats=5, first_seed=50)
    heads = found(held, quiet).bench
    assert heads
    assert heads.plan.spec == "quiet"
    picture = Overview(gather(Results((held,)))).picture
    assert picture
    assert "Busy processor" in picture.caption


def test_no_speedup_is_drawn_over_a_base_of_which_a_sentence_says_that_none_is_shown() -> None:
    made = study(devices=("cpu", "gpu"), repeats=5, published=PRINTED)
    held = busy(study(spec="k", devices=("cpu", "gpu"), repeats=5))
    for studies in ((busy(made),), (made, held)):
        view = Overview(gather(Results(studies)))
        assert any(each.busy for each in front_findings(view))
        for shown in view.shown:
            factors = [dot for dot in view.dots(shown) if "×" in dot.text]
            assert bool(factors) != shown.row.busy
            ratios = [value for value in view.values_of(shown) if value.unit is Unit.RATIO]
            assert bool(ratios) != shown.row.busy
    assert [shown.row.busy for shown in view.shown].count(True), "the base itself is drawn"
    alone = Overview(gather(Results((busy(made),))))
    assert not alone.base, "rates alone, none relative to the busy base"


def test_a_figure_beyond_the_chip_is_crossed_out_and_makes_no_heading() -> None:
    row = published("gpu", "GPU, first session", hardware="Tesla K80", tflops=15.7)
    made = study("matmul", axes={}, devices=("cpu", "gpu"), fate=present("cpu"), published=(row,))
    view = Overview(gather(Results((made,))))
    dots = [dot for shown in view.shown for dot in view.dots(shown)]
    assert [(dot.is_base, bool(dot.flagged)) for dot in dots] == [(True, False), (False, True)]
    assert view.picture
    assert "✕ above the peak" in view.picture.caption
    assert '"shape": "cross"' in json.dumps(view.picture.drawing(Size(1104, 320)).spec)
    assert found(made).kind is Kind.RATE


def test_what_is_not_decided_over_all_comparisons_together_is_undecided() -> None:
    axes = {"layers": (1, 2, 3), "units": (32, 64, 128, 256), "batch_size": (64, 128)}
    grid = study(axes=axes, devices=("cpu", "gpu"), repeats=3, noise=Noise(process=0.25))
    assert any(row.verdict == "FASTER" for row in gather(Results((grid,)))[0].compared)
    assert found(grid).kind is Kind.RATE, "what is decided heads the page"
    once = study(devices=("cpu", "gpu"), repeats=1)
    assert found(once).kind is Kind.UNDECIDED
    assert "not decided: single runs" in front(once).headline


def test_one_device_alone_and_nothing_measured_are_said_as_they_are() -> None:
    assert found(study(devices=("cpu",))).kind is Kind.RATE
    nothing = study(fate=lambda cell: "missing")
    assert found(nothing).kind is Kind.NOT_MEASURED
    assert "Nothing has been measured yet" in front(nothing).headline


def test_several_machines_have_one_named_base_or_absolute_rates() -> None:
    one = without_peaks(study("matmul", spec="k", devices=("cpu", "gpu"), repeats=4))
    two = without_peaks(
        study("matmul", spec="k", devices=("cpu", "gpu"), repeats=4, machine=THERE, seed=7)
    )
    shared = Overview(gather(Results((replace(one, records=one.records + two.records),))))
    assert shared.relative
    assert shared.base == "CPU on machine 0a1b2c3d"
    elsewhere = study(spec="only_there", devices=("cpu", "gpu"), machine=THERE, first_seed=50)
    apart = Overview(gather(Results((one, elsewhere))))
    assert not apart.relative
    assert apart.picture
    assert not any("×" in dot.text for shown in apart.shown for dot in apart.dots(shown))
    *compared, rate, _ = front_findings(apart)
    named = {each.title.partition("× ")[2] for each in compared}
    assert named == {
        "as fast as CPU at size 4,096 in “Matrix product, cold and warm”",
        "as fast as Example at batch size 1,024 in “MNIST CNN: batch size”",
    }
    assert rate.kind is Kind.RATE
    assert rate.title.startswith("Example trains ")
    here = study(spec="only_here", devices=("cpu", "gpu"))
    both = Overview(gather(Results((here, elsewhere))))
    assert front_findings(both)[2].title.startswith("Example trains ")


@pytest.mark.parametrize(
    ("driver", "name"),
    [
        ("Intel(R) Xeon(R) Processor", "Intel Xeon"),
        ("Intel(R) Core(TM) i7-8700 CPU @ 3.20GHz", "Intel Core i7-8700"),
        ("NVIDIA Tesla T4", "Tesla T4"),
        ("AMD EPYC 7B12", "AMD EPYC 7B12"),
    ],
)
def test_hardware_is_called_as_people_call_it(driver: str, name: str) -> None:
    assert short_hardware(driver) == name


# The picture ------------------------------------------------------------------------------------


def test_absent_devices_have_no_row_or_column() -> None:
    made = study(devices=("cpu", "cpu-1", "gpu", "tpu"), fate=present("cpu", "cpu-1"))
    tables = benchmarks_page(gather(Results((made,)))).sections
    (table,) = [block for each in tables if each.id == "speedups" for block in each.blocks]
    assert table.kind == "table"
    rows = [row for group in table.groups for row in group.rows]
    named = {row.entries[0].lines[0].text for row in rows}
    assert named == {"Example, 2 threads", "Example, 1 thread"}
    assert {row.header.lines[0].text for row in rows} == {
        f"batch size {size}" for size in ("256", "512", "1,024")
    }


@pytest.mark.parametrize("here", [("cpu", "cpu-1"), ("cpu",)])
def test_a_benchmark_s_page_tells_absent_devices_in_one_note_with_the_command(
    here: tuple[str, ...],
) -> None:
    made = study(devices=("cpu", "cpu-1", "gpu", "tpu"), fate=present(*here), repeats=2)
    (bench,) = gather(Results((made,)))
    page = benchmark_page(bench)
    # What was asked for of each device, and the page of each record, are told of all.
    sections = [section for section in page.sections if section.id != "runs"]
    blocks = [block for section in sections for block in section.blocks]
    tables = [block for block in blocks if block.kind == "table"]
    tables += [block.table for block in blocks if block.kind == "figure" and block.table]
    assert len(tables) > 5
    for table in tables:
        heads = [row.header.lines[0].text for group in table.groups for row in group.rows]
        assert not {"GPU", "TPU v2-8"} & {*heads, *(column.title for column in table.columns)}
    (runs,) = [section for section in page.sections if section.id == "runs"]
    notes = runs.blocks[0]
    assert isinstance(notes, Notes)
    (note,) = [note for note in notes.items if "TPU" in note.title]
    absent = "GPU and TPU v2-8" if len(here) > 1 else "Example, 1 thread; GPU; and TPU v2-8"
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


def test_a_row_says_what_was_swept_once() -> None:
    planned = study(devices=("cpu", "gpu"), axes={"batch_size": [256]}, repeats=2)
    plan = planned.plan.model_copy(update={"title": "MNIST CNN: batch size"})
    (row,) = Overview(gather(Results((replace(planned, plan=plan),)))).shown
    assert row.name == ("MNIST CNN", ("batch size 256",))


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
    table = rates_table(view.rows, "rates", "Rates")
    assert {group.href for group in table.groups} == {
        f"{each.bench.slug}.html" for each in view.rows
    }
    withheld = [
        row
        for group in table.groups
        for row in group.rows
        if "precision differs" in repr(row.entries[2])
    ]
    assert {row.entries[3].lines[0].text for row in withheld} == {"measured, 3\xa0processes"}
    assert len(withheld) == 3
    records = tuple(each for each in lower.records if each.cell.device == "cpu")
    absent = Overview(gather(Results((replace(lower, records=records),))))
    assert not any(each.withheld for each in absent.rows), "it was not even measured"


def test_where_nothing_stands_beside_anything_the_picture_tells_the_rates_themselves() -> None:
    made = study(devices=("cpu",), spec="a"), study(devices=("cpu",), spec="b", first_seed=50)
    view = Overview(gather(Results(made)))
    assert {each.bench.plan.spec for each in view.shown} == {"a", "b"}
    picture = view.picture
    assert picture
    drawn = json.dumps(picture.drawing(PAGE).spec, ensure_ascii=False)
    assert "1×" not in drawn
    assert all(dot.whole_text in drawn for shown in view.shown for dot in view.dots(shown))
    assert picture.title == "Throughput"


def test_a_benchmark_of_which_nothing_has_a_time_is_named_and_has_no_line() -> None:
    made = (
        study(spec="a", devices=("cpu",)),
        study(spec="b", fate=lambda cell: "missing", first_seed=50),
    )
    (section,) = [each for each in front(*made).sections if each.id == "benchmarks"]
    links, prose = section.blocks
    assert isinstance(links, Links)
    assert [link.href for link in links.items] == ["a.full.html"]
    assert prose.kind == "prose"
    assert prose.text.startswith("Not run: “")
    assert prose.text.endswith("“accelreport run specs/b.toml” runs it.")
    assert section.title.replace("\xa0", " ") == "1 of 2 benchmarks measured"


def test_a_lone_process_and_a_partial_run_are_pale_marks_explained_once() -> None:
    view = Overview(
        gather(Results((study(devices=("cpu", "gpu"), repeats=1, fate=lambda _: "partial"),)))
    )
    picture = view.picture
    assert picture
    why = "○ stopped by the budget or single run."
    assert picture.caption.count(why) == 1
    dots = [dot for shown in view.shown for dot in view.dots(shown)]
    assert len(dots) > len(view.shown)
    assert all(dot.hollow and not dot.text.endswith(("†", "‡")) for dot in dots)


def test_a_row_shows_its_base_the_fastest_and_the_slowest_and_counts_the_others() -> None:
    rates = (published("tpu", f"TPU of {year}", step_time=0.001 * 4**year) for year in range(1, 6))
    made = study(devices=("cpu", "tpu"), axes={}, fate=present("cpu"), published=tuple(rates))
    view = Overview(gather(Results((made,))))
    (shown,) = view.shown
    base, fastest, slowest = view.dots(shown)
    assert (base.is_base, base.rest) == (True, "+3")
    assert (fastest.owner, slowest.owner) == ("TPU of 1", "TPU of 5")
    table = rates_table(view.shown, "rates", "Rates")
    assert sum(len(group.rows) for group in table.groups) == 6


def test_an_accelerator_that_was_measured_here_is_always_shown_and_processors_give_way() -> None:
    theirs = [published("tpu", f"TPU {seconds}", step_time=seconds) for seconds in (1e-4, 9.0)]
    made = study(devices=("cpu", "cpu-1", "gpu", "tpu"), axes={}, repeats=3, published=theirs,
                 fate=present("cpu", "cpu-1", "gpu"))  # fmt: skip
    view = Overview(gather(Results((made,))))
    (shown,) = view.shown
    base, fastest, own = view.dots(shown)
    assert (fastest.published, own.published) == (True, False)
    assert own.owner == "Example T4"
    assert base.rest == "+2"


def test_rows_have_the_order_of_their_largest_number() -> None:
    made = (
        study(spec=f"s{n}", devices=("cpu", "tpu"), axes={}, first_seed=50 * n,
              fate=present("cpu"), published=[published("tpu", "TPU", step_time=seconds)])
        for n, seconds in enumerate((0.01, 0.0001, 0.001))
    )  # fmt: skip
    view = Overview(gather(Results(tuple(made))))
    largest = [max(dot.value for dot in view.dots(shown)) for shown in view.shown]
    assert largest == sorted(largest, reverse=True)


def test_what_a_source_notes_of_a_slow_accelerator_is_below_the_picture() -> None:
    row = published("gpu", "Colab GPU", step_time=900.0, note="a loop, not the kernel of cuDNN")
    made = study(devices=("cpu", "gpu"), axes={}, fate=present("cpu"), published=(row,))
    picture = Overview(gather(Results((made,)))).picture
    assert picture
    assert "Colab GPU: a loop, not the kernel of cuDNN." in picture.caption


# Squares and lines ------------------------------------------------------------------------------


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


def units(*studies: Study) -> Units:
    page = claims_page(gather(Results(studies)))
    assert page.opening
    (found,) = page.opening.blocks
    assert isinstance(found, Units)
    return found


def test_the_front_page_names_decided_claims_and_has_no_section_where_none_is() -> None:
    sections = {each.id: each for each in front(claimed(origin="official")).sections}
    block, *_ = sections["claims"].blocks
    assert isinstance(block, Units)
    assert [(row.title, len(row.items)) for row in block.rows] == [
        ("1 confirmed", 1),
        ("1 refuted", 1),
    ]
    none = front(study(claims=CLAIMS[:1], axes={}, repeats=1)).sections
    assert not [each for each in none if each.id == "claims"]


def test_every_claim_is_one_square_of_its_state_that_leads_to_its_row() -> None:
    found = units(claimed(origin="official"))
    assert {unit.text.partition(":")[0]: unit.state for unit in found.items} == {
        "A GPU is twice as fast": "confirmed",
        "A GPU is a hundred times as fast": "refuted",
        "Accuracy does not depend on the device": "needs_device",
        "A TPU is four times as fast as a GPU": "needs_device",
        "A TPU is as fast as a GPU": "needs_device",
        "A TPU is accurate": "needs_device",
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


def test_stand_ins_for_the_data_decide_nothing_about_quality() -> None:
    found = units(claimed(origin="synthetic"))
    states = {unit.text.partition(":")[0]: unit.state for unit in found.items}
    assert states["Accuracy does not depend on the device"] == "undecided"
    assert states["A GPU is twice as fast"] == "confirmed"


def test_a_claim_of_two_profiles_is_one_square_and_the_full_one_speaks() -> None:
    full = claimed(origin="official")
    quick = claimed(profile="quick", first_seed=70, factors={"gpu": 40.0})
    found = units(quick, full)
    states = {unit.text.partition(":")[0]: unit.state for unit in found.items}
    assert len(found.items) == len(CLAIMS)
    assert states["A GPU is twice as fast"] == "confirmed"


def test_each_benchmark_has_one_line_with_a_number_that_leads_to_its_page() -> None:
    made = study(devices=("cpu", "gpu")), study("matmul", spec="k", devices=("cpu",))
    page = front(*made)
    (links,) = [b for each in page.sections for b in each.blocks if isinstance(b, Links)]
    benches = gather(Results(made))
    assert [link.href for link in links.items] == [f"{bench.slug}.html" for bench in benches]
    assert all(link.number and link.interval for link in links.items)
    # The list of benchmarks has the same number.
    table = next(b for each in benchmarks_page(benches).sections for b in each.blocks)
    assert isinstance(table, Table)
    listed = {row.header.href: row.entries[1].lines[0].text for g in table.groups for row in g.rows}
    assert {link.href: link.number for link in links.items} == listed


@pytest.mark.parametrize(("repeats", "decided"), [(5, 1), (1, 0)])
def test_the_first_figure_has_the_comparisons_and_pale_are_those_that_are_not_decided(
    repeats: int, decided: int
) -> None:
    made = study(devices=("cpu", "cpu-1"), axes={}, repeats=repeats)
    page = front(made)
    figure, ((row,),), data = first_figure(page)
    (steps,) = page.sections[0].blocks
    assert isinstance(steps, Notes)
    *again, own = [step.remedy for step in steps.items if step.remedy]
    assert any("--until-decided" in command for command in again) is (repeats == 1)
    assert own.startswith("accelreport new specs/mine.toml --model ")
    assert figure.title == "Comparisons on this machine"
    assert figure.subtitle.replace("\xa0", " ") == ("1 decided" if decided else "1 undecided")
    assert {mark["hollow"] for mark in data if "hollow" in mark} == {repeats == 1}
    assert row.entries[1].lines[0].href == f"{made.plan.spec}.full.html"
    assert (row.entries[4].lines[0].text == "undecided") is (repeats == 1)


def test_points_of_a_sweep_that_no_interval_tells_apart_are_one_row_of_the_first_figure() -> None:
    """A busy one is marked in its name, where its number is not pushed aside."""
    made = study(devices=("cpu", "gpu"), repeats=5, noise=Noise(process=0.1))
    figure, rows, data = first_figure(front(busy(made)))
    assert "; 1 drawn (sweeps in part), all in" in figure.subtitle
    assert [len(own) > 1 for own in rows] == [False, True]
    labels = [mark["label"] for mark in data if "label" in mark]
    assert any(text.endswith(" · busy") for text in labels)
    assert not any("× busy" in text for text in labels)


def test_the_line_above_the_title_counts_the_benchmarks_with_other_settings() -> None:
    benches = (study(), study(spec="k"), study(spec="l", profile="full+workload.epochs=1"))
    assert "full profile, with other settings in 1 of 3 benchmarks" in front(*benches).kicker


@pytest.mark.parametrize("processors", [1, 2])
def test_a_site_of_two_processors_names_that_of_a_comparison_in_its_title_and_its_row(
    processors: int,
) -> None:
    made = study(devices=("cpu", "cpu-1"), axes={}, repeats=5)
    eager = made.plan.devices["cpu-1"].model_copy(update={"threads": None, "eager": True})
    plan = made.plan.model_copy(update={"devices": {**made.plan.devices, "cpu-1": eager}})
    other = changed(study(spec="k", devices=("cpu",), first_seed=50), vector=("avx512f",))
    page = front(*(changed(replace(made, plan=plan), vector=("avx2",)), other)[:processors])
    assert page.headline.endswith(" in TensorFlow" + " on AVX2" * (processors == 2))
    _, ((row,), *_), data = first_figure(page)
    assert row.entries[0].lines[0].text == "TensorFlow" + ", AVX2" * (processors == 2)
    assert any(mark.get("label") == "AVX2" for mark in data) is (processors == 2)


# Tables -----------------------------------------------------------------------------------------


def test_the_table_of_benchmarks_counts_what_was_run_and_once_what_needs_a_device() -> None:
    fates = {"cpu": "ok", "gpu": "skipped"}
    made = study(devices=("cpu", "gpu"), axes={}, repeats=2, fate=lambda c: fates[c.device])
    sections = {each.id: each for each in benchmarks_page(gather(Results((made,)))).sections}
    (progress,) = sections["progress"].blocks
    assert isinstance(progress, Table)
    titles = [column.title for column in progress.columns]
    assert titles == ["finding", "rate", "measured cells"]
    assert progress.columns[-1].detail == "2 more need a GPU"
    (group,) = progress.groups
    cells = group.rows[0].entries[-1]
    assert [line.text for line in cells.lines] == ["2 of 2"]
    # Rates are looked up and not read: a reader opens them.
    assert sections["speedups"].folded


def test_a_data_set_is_described_once_with_all_benchmarks_that_read_it() -> None:
    here = study(spec="a", axes={}), study(spec="b", axes={}, first_seed=50)
    made = (*here, study("matmul", spec="c"))
    section, *_ = data_page(gather(Results(made))).sections
    (table,) = section.blocks
    assert isinstance(table, Table)
    (group,) = table.groups
    (row,) = group.rows
    assert [line.href for line in row.header.lines] == ["a.full.html", "b.full.html"]
    assert group.title == "MNIST handwritten digits (a synthetic stand-in)"
    assert row.entries[2].lines[0].text == "CC BY-SA 3.0"
    assert "Proceedings of the IEEE" in group.detail


def test_published_rates_are_named_by_label_and_by_the_year_of_their_source_if_alike() -> None:
    def rate(year: int, text: str, hardware: str = "") -> PrintedRate:
        row = Published(device="gpu", label=text, hardware=hardware, epoch_time=1.0)
        source = Source(title="s", year=year)
        return PrintedRate(PublishedResult(row, "epoch_time", 1.0, "", {}, (), source), 1.0, 1.0)

    named = [rate(2018, "Colab GPU", "Tesla K80"), rate(2018, "GPU"), rate(2020, "GPU")]
    assert printed_names(named) == ["Colab GPU", "GPU, 2018", "GPU, 2020"]
