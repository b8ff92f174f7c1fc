"""Claims on pages and slides: what was decided on made-up data says so where it stands."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest

from accelreport.analysis.claims import ClaimState, distinct
from accelreport.report.claim_text import claims_sentence, values_text
from accelreport.report.model import Row, Table, Units
from accelreport.report.notices import notices_of
from accelreport.report.pages.badges import number_badges
from accelreport.report.pages.benchmark import benchmark_page
from accelreport.report.pages.devices import devices_page
from accelreport.report.pages.sections.claims import claims_page, claims_section
from accelreport.report.pages.sections.learning import quality_section
from accelreport.report.site.assembly import gather
from accelreport.report.site.export import site_files
from accelreport.report.slides.benchmark import verdict_slide
from accelreport.report.view import BenchmarkView
from accelreport.results.store import Store
from accelreport.spec.claims import (
    BoundCheck,
    Claim,
    EquivalentCheck,
    FasterCheck,
    MemoryCheck,
    QuantisedCheck,
    TrendCheck,
)
from accelreport.spec.models import Source
from accelreport.terminal.answer import answers
from accelreport.terminal.claims import claim_lines
from tests.report.test_front import present
from tests.report.test_resources import bench_of
from tests.support.records import Study, study

CONFIRMED, NOT_MEASURED, NEEDS_DEVICE = (
    ClaimState.CONFIRMED,
    ClaimState.NOT_MEASURED,
    ClaimState.NEEDS_DEVICE,
)
FAST = Claim(text="Fast", check=FasterCheck(faster="gpu", than="cpu", by_at_least=2))
FAR = Claim(text="Far", check=FasterCheck(faster="tpu", than="cpu-1", by_at_least=2))
ABSENT = Claim(text="Faster yet", check=FasterCheck(faster="tpu", than="gpu", by_at_least=2))


def rows_of(bench: BenchmarkView) -> list[Row]:
    """The rows of the claims of a benchmark's page."""
    section = claims_section(bench)
    tables = [block for block in section.blocks if isinstance(block, Table)] if section else []
    return [row for table in tables for row in table.groups[0].rows]


def test_claims_that_were_tested_come_first_and_the_others_say_what_they_lack() -> None:
    made = study(
        claims=[FAR, FAST],
        devices=("cpu", "cpu-1", "gpu", "tpu"),
        fate=lambda cell: "ok" if cell.device in {"cpu", "gpu"} else "skipped",
    )
    section = claims_section(bench_of(made))
    assert section is not None
    tested, untested = section.blocks
    assert isinstance(tested, Table)
    assert isinstance(untested, Table)
    assert (tested.folded, untested.folded) == (False, True)
    (fast,), (far,) = tested.groups[0].rows, untested.groups[0].rows
    assert (fast.header.lines[0].text, far.header.lines[0].text) == ("Fast", "Far")
    assert far.entries[1].lines[0].text == ("Example, 1 thread; and TPU v2-8: device not present")


def test_what_a_profile_lacks_of_measured_devices_is_what_the_claim_needs_of_them() -> None:
    there = FAST.check.model_copy(update={"where": {"batch_size": 7}})
    alike = Claim(text="Alike", check=EquivalentCheck(equivalent="val_accuracy", within=0.05))
    claims, devices = [FAST.model_copy(update={"check": there}), alike], ("cpu", "gpu")
    made = study(claims=claims, devices=devices, fate=present("cpu"), profile="quick")
    assert [row.entries[1].lines[0].text for row in rows_of(bench_of(made))] == [
        "Example and GPU: too little in the quick profile",
        "no two devices completed the same seed (device not present)",
    ]


def test_a_claim_about_a_device_that_was_measured_is_not_among_those_that_lack_it() -> None:
    learnt = BoundCheck(value="val_accuracy", of="cpu", at_least=0.5)
    made = study(
        claims=[FAST, Claim(text="Learns", check=learnt), ABSENT],
        devices=("cpu", "gpu", "tpu"),
        fate=lambda cell: "skipped" if cell.device == "tpu" else "partial",
    )
    bench = bench_of(made)
    *_, row, absent = rows_of(bench)
    assert [each.text for each in row.entries[1].lines] == [
        "numbers of Example are missing (its budget ended before its training did)"
    ]
    assert absent.entries[1].lines[0].text.startswith("TPU v2-8: ")
    states = [each.state for each in bench.tested]
    assert states == [CONFIRMED, NOT_MEASURED, NEEDS_DEVICE], "a longer run would test the second"


@pytest.mark.parametrize(
    ("fates", "state"),
    [
        ({"cpu": "partial"}, NEEDS_DEVICE),
        ({"cpu": "partial", "cpu-1": "partial", "gpu": "partial"}, NOT_MEASURED),
        ({"cpu": "ok", "cpu-1": "ok"}, NEEDS_DEVICE),
        ({"cpu": "ok", "cpu-1": "partial", "gpu": "ok"}, ClaimState.UNDECIDED),
    ],
)
def test_a_claim_about_all_devices_needs_those_that_are_absent(
    fates: dict[str, str], state: ClaimState
) -> None:
    alike = Claim(text="Alike", check=EquivalentCheck(equivalent="val_accuracy", within=0.5))
    made = study(
        claims=[alike],
        devices=("cpu", "cpu-1", "gpu"),
        origin="official",
        fate=lambda cell: fates.get(cell.device, "skipped"),
    )
    assert [each.state for each in bench_of(made).tested] == [state]


def test_another_row_of_a_chip_that_was_measured_lacks_a_run_and_no_device() -> None:
    threads = Claim(text="Threads", check=FasterCheck(faster="cpu", than="cpu-1", by_at_least=2))
    made = study(
        claims=[threads, ABSENT],
        devices=("cpu", "cpu-1", "gpu", "tpu"),
        fate=lambda cell: "ok" if cell.device == "cpu" else "missing",
    )
    assert [each.state for each in bench_of(made).tested] == [NOT_MEASURED, NEEDS_DEVICE]


def test_a_framework_that_is_not_installed_is_no_device_that_is_not_present() -> None:
    """On the page, and in what is said of claims."""
    threads = Claim(text="Threads", check=FasterCheck(faster="cpu", than="cpu-1", by_at_least=2))
    fates = {"cpu": "ok", "cpu-1": "not-installed", "tpu": "skipped"}
    made = study(
        claims=[threads, ABSENT],
        devices=("cpu", "cpu-1", "tpu"),
        fate=lambda cell: fates[cell.device],
    )
    bench = bench_of(made)
    assert [each.state for each in bench.tested] == [NOT_MEASURED, NEEDS_DEVICE]
    text = devices_page([bench]).finding
    assert "Example, 1 thread (framework not installed)" in text
    assert "TPU v2-8 (needs a TPU)" in text


def test_no_claim_needs_a_device_of_which_every_process_failed() -> None:
    made = study(
        claims=[FAST, ABSENT],
        devices=("cpu", "gpu", "tpu"),
        fate=lambda cell: {"cpu": "ok", "gpu": "oom-device"}.get(cell.device, "skipped"),
    )
    assert [each.state for each in bench_of(made).tested] == [NOT_MEASURED, NEEDS_DEVICE]


def _claimed(folder: Path) -> Store:
    """Four claims of three speakers, tested in two profiles and on two machines."""
    alike = Claim(text="Alike", check=EquivalentCheck(equivalent="val_accuracy", within=0.05))
    theirs = FAST.model_copy(update={"text": "Said", "by": "source"})
    claims = [FAST, theirs, ABSENT.model_copy(update={"by": "accelreport"}), alike]

    def made(**of_study: Any) -> Study:
        return study(
            claims=claims,
            fate=lambda cell: "skipped" if cell.device == "tpu" else "ok",
            **of_study,
        )

    quick, full = made(profile="quick", first_seed=40), made(origin="synthetic")
    elsewhere = made(origin="synthetic", machine="ffffffff")
    store = Store(folder)
    for each in (quick, full):
        store.write_plan(each.plan)
    for record in (*quick.records, *full.records, *elsewhere.records):
        store.write(record)
    return store


def test_every_surface_counts_the_same_claims_in_the_same_states(tmp_path: Path) -> None:
    store = _claimed(tmp_path / "results")
    benches = gather(store)
    every = [found for bench in benches for found in bench.tested]
    assert len(every) > 4, "profiles and machines are tested one by one"
    sentence = (
        "4 claims (1 published, 1 from accelreport, 2 from the author): "
        "2 confirmed, 1 undecided, 1 needs a device"
    )
    assert claims_sentence(every) == sentence
    page = claims_page(benches)
    assert page.headline == "2 of 4\N{NO-BREAK SPACE}claims are decided: 2 confirmed"
    _, *rest = page.sections
    one = "1\N{NO-BREAK SPACE}claim"
    assert [(each.id, each.folded, each.detail) for each in rest] == [
        ("open", True, one),
        ("device", True, one),
    ]
    assert page.opening
    (squares,) = page.opening.blocks
    assert isinstance(squares, Units)
    assert squares.keys == (
        ("confirmed", "confirmed", 2),
        ("undecided", "undecided", 1),
        ("needs_device", "needs a device", 1),
    )
    deck = verdict_slide(benches)
    assert deck is not None
    (units,) = deck.blocks
    assert isinstance(units, Units)
    assert [(row.title, row.detail, row.shown) for row in units.rows] == [("2", "confirmed", 2)]
    assert units.keys == squares.keys[1:]
    assert deck.title == "2 of 4\N{NO-BREAK SPACE}claims are decided: 2 confirmed"
    (bench,) = [each for each in benches if each.plan.profile == "full"]
    own = claims_section(bench)
    assert own is not None
    assert own.detail.replace("\xa0", " ") == "2 confirmed, 1 undecided, 1 needs a device · n = 3"
    told = [line.strip() for line in answers(store, [bench.plan])]
    states = {"confirmed", "refuted", "undecided", "needs a device"}
    answered = [line.split("  ")[0] for line in told[told.index(sentence) + 1 :]]
    assert [state for state in answered if state in states] == [
        "confirmed",
        "confirmed",
        "needs a device",
        "undecided",
    ]
    assert json.loads(dict(site_files(benches))["results.json"])["claims"] == {
        "count": 4,
        "by": {"author": 2, "source": 1, "accelreport": 1},
        "verdict": {"CONFIRMED": 2, "NEEDS A DEVICE": 1, "UNDECIDED": 1},
    }


def test_a_claim_that_one_of_two_machines_refutes_is_refuted() -> None:
    (found,) = bench_of(study(claims=[FAST], devices=("cpu", "gpu"), axes={})).tested
    other = replace(found, state=ClaimState.REFUTED, machine="ffffffff")
    assert distinct([found, other]) == distinct([other, found]) == [other]


def test_the_claims_of_a_benchmark_are_open_with_their_count_beside_the_heading() -> None:
    made = study(claims=[FAST], devices=("cpu", "gpu"), fate=present("cpu", "gpu"))
    (section,) = [s for s in benchmark_page(bench_of(made)).sections if s.id == "claims"]
    assert not section.folded
    assert (section.title, section.detail) == ("Claims", "1 confirmed · n\xa0=\xa03")


def test_beside_an_undecided_claim_stands_one_number_and_the_others_open_with_its_rule() -> None:
    same = Claim(text="Same", check=EquivalentCheck(equivalent="val_accuracy", within=0.01))
    (row,) = rows_of(bench_of(study(claims=[same], devices=("cpu", "cpu-1", "gpu"))))
    measured = row.entries[1]
    assert len(measured.measures) == 1
    *others, rule = measured.more
    assert len(others) == 2 * 3 - 1
    assert rule.text.endswith(
        "at the 5\N{NO-BREAK SPACE}% level, on 90\N{NO-BREAK SPACE}% intervals."
    )
    assert measured.more_title == "5 more"


def test_a_sentence_names_devices_and_keys_as_the_page_does_and_leaves_all_other_words() -> None:
    costs = QuantisedCheck(quantised_costs="accuracy", of="gpu")
    tall = BoundCheck(ratio="val_accuracy", of="gpu", over="cpu", mean_over=["batch_size"], about=1)
    made = study(claims=[Claim(text="Costs", check=costs), Claim(text="As good", check=tall)])
    rows = rows_of(bench_of(made))
    rules = {row.header.lines[0].text: row.entries[1].more[-1].text for row in rows}
    assert "of each model trained on Example T4 finds" in rules["Costs"]
    assert "exclude a loss of 0.5 percentage points" in rules["Costs"]
    assert "validation accuracy of Example T4 is at least 0.8 and at most" in rules["As good"]
    assert (
        "times that of Example, as the geometric mean over all values of batch" in rules["As good"]
    )


@pytest.mark.parametrize("origin", ["synthetic", "sample", "official"])
def test_a_verdict_from_synthetic_data_is_marked_on_page_and_index(
    origin: Literal["synthetic", "sample", "official"],
) -> None:
    made = study(
        claims=[FAST, ABSENT],
        origin=origin,
        fate=lambda cell: "skipped" if cell.device == "tpu" else "ok",
    )
    bench = bench_of(made)
    other = bench_of(
        study("matmul", claims=[Claim(text="x", check=MemoryCheck(runs_out_of="memory", of="cpu"))])
    )
    page = claims_page([bench, other])
    own = claims_section(bench)
    assert own is not None
    for sections in ([own], page.sections):
        tables = [
            block for section in sections for block in section.blocks if isinstance(block, Table)
        ]
        marked = {
            row.header.lines[0].text: (row.entries[0].badges, row.header.lines)
            for table in tables
            for group in table.groups
            for row in group.rows
        }
        badges, lines = marked["Fast"]
        assert ("synthetic data" in lines[-1].text) is (origin == "synthetic")
        assert [badge.text for badge in badges] == ["confirmed"] * (sections == [own])
        assert marked["Faster yet"][0] == (), "the heading of its table says it"


def test_a_sample_of_the_data_is_a_banner_and_a_mark_at_qualities_and_at_no_time() -> None:
    made = study(origin="sample")
    bench = bench_of(made)
    (banner,) = notices_of([bench])
    assert banner.title == "Samples of the data."
    assert banner.text.startswith("Accuracies and losses are not comparable")
    for row in [bench.planned(bench.shown_series[0], point) for point in bench.points]:
        assert [badge.text for badge in number_badges(row)] == []
        assert [badge.text for badge in number_badges(row, quality=True)] == ["sample"]
    section = quality_section(bench)
    assert section is not None
    tables = [block for block in section.blocks if isinstance(block, Table)]
    entries = [e for t in tables for g in t.groups for row in g.rows for e in row.entries]
    assert any(entry.badges for entry in entries)
    assert all("sample" in [b.text for b in e.badges] for e in entries if e.lines[0].text != "–")


def test_a_claim_says_beside_its_sentence_who_made_it_and_the_page_s_source_in_few_words() -> None:
    source = Source(title="A comparison of many devices", authors="A. Author, B. Author", year=2021)
    theirs = FAST.model_copy(update={"by": "source", "note": "on a T4"})
    other = FAR.model_copy(update={"text": "Other", "by": "source", "source": "a talk of 2019"})
    ours = FAST.model_copy(update={"text": "Ours", "by": "accelreport"})
    own = FAST.model_copy(update={"text": "Own"})
    devices = ("cpu", "cpu-1", "gpu", "tpu")
    made = study(claims=[theirs, other, ours, own], devices=devices, origin="official")
    plan = made.plan.model_copy(update={"source": source})
    rows = rows_of(bench_of(replace(made, plan=plan)))
    said = {row.header.lines[0].text: row.header.lines[-1].text for row in rows}
    assert said == {
        "Fast": "on a T4 · A. Author, B. Author 2021",
        "Other": "a talk of 2019",
        "Ours": "from accelreport",
        "Own": "from the author",
    }


def test_how_far_two_accuracies_are_apart_is_told_in_percentage_points() -> None:
    claims = [
        Claim(text="Alike", check=EquivalentCheck(equivalent="val_accuracy", within=0.005)),
        Claim(
            text="Higher",
            check=BoundCheck(difference="val_accuracy", of="gpu", over="cpu", at_least=0.01),
        ),
        Claim(
            text="Lower", check=BoundCheck(difference="val_loss", of="gpu", over="cpu", at_most=0)
        ),
    ]
    made = study(claims=claims, devices=("cpu", "gpu"), repeats=3, axes={})
    alike, higher, lower = (
        " ".join(
            (
                *(f"{one.value} {one.rest}" for one in row.entries[1].measures),
                *(line.text for line in (*row.entries[1].lines, *row.entries[1].more)),
            )
        )
        for row in rows_of(bench_of(made))
    )
    number = r"[+\N{MINUS SIGN}]?\d+\.\d\d"
    for said, rule in ((alike, "± 0.5 percentage points"), (higher, "at least 1 percentage point")):
        plain = said.replace("\xa0", " ")
        assert rule in plain
        assert re.search(rf"{number} points \({number} to {number}\)", plain)
    assert "points" not in lower


def test_a_number_stands_by_its_bound_without_what_a_heading_or_all_rows_say() -> None:
    few = {"batch_size": [64, 256]}
    claims = [
        Claim(text="Bound", check=FasterCheck(faster="gpu", than="cpu", by_at_least=3)),
        Claim(text="About", check=BoundCheck(ratio="throughput", of="gpu", about=5)),
        Claim(text="Alike", check=EquivalentCheck(equivalent="val_accuracy", within=0.01)),
        Claim(text="Trend", check=TrendCheck(rises="throughput", of="gpu", along="batch_size")),
    ]
    made = study(claims=claims, devices=("cpu", "gpu"), axes=few, origin="user-supplied")
    bench = bench_of(made)
    assert re.fullmatch(r"[\d.]+ to [\d.]+×", values_text(bench.tested[0]))
    assert re.fullmatch(r"[\d,]+ → [\d,]+.examples/s", values_text(bench.tested[3]))
    rows = {row.header.lines[0].text: row for row in rows_of(bench)}
    bound, trend = rows["Bound"].entries[1], rows["Trend"].entries[1]
    assert [one.place for one in bound.measures] == ["batch size 64", "batch size 256"]
    for one in bound.measures:
        strip = one.strip
        assert strip is not None
        assert strip.allowed is not None
        assert strip.ticks == ((strip.allowed[0], "3×"),)
        assert strip.allowed[0] < strip.low < strip.value < strip.high < strip.allowed[1] == 100
    for text, limits in (("About", "4–6.25×"), ("Alike", "±1 point")):
        strip = rows[text].entries[1].measures[0].strip
        assert strip is not None
        assert [own for _, own in strip.ticks] == [limits, limits]
        assert strip.allowed == tuple(tick for tick, _ in strip.ticks)
        assert strip.open is (text == "Alike"), "its interval is one of 90 %"
    assert all(one.strip and not one.strip.ticks for one in trend.measures), "it has no bound"
    assert all("n" not in one.rest for one in (*bound.measures, *trend.measures))
    assert not (*bound.lines, *trend.lines)


def test_a_terminal_marks_files_of_one_s_own_and_the_machine_where_there_are_two() -> None:
    given: dict[str, Any] = {"devices": ("cpu", "gpu"), "claims": [FAST], "origin": "user-supplied"}
    made, other = study(**given), study(machine="bbbbbbbb", seed=1, **given)
    (_, _, alone) = claim_lines(bench_of(made).tested)
    assert alone.endswith("; own files")
    both = replace(made, records=(*made.records, *other.records))
    assert re.search("; own files; machine [0-9a-f]+$", [*claim_lines(bench_of(both).tested)][-1])


@pytest.mark.parametrize(("fate", "cause"), [
    (lambda cell: "partial" if cell.device == "cpu" else "ok",
     "its budget ended before its training did"),
    (lambda cell: "missing" if cell.device == "cpu" else "ok", "not run"),
    (present("cpu"), "device not present"),
])  # fmt: skip
def test_where_no_seed_was_completed_twice_the_cause_is_named(fate: Any, cause: str) -> None:
    alike = Claim(text="Alike", check=EquivalentCheck(equivalent="val_accuracy", within=0.05))
    bench = bench_of(study(claims=[alike], devices=("cpu", "gpu"), fate=fate))
    (row,) = rows_of(bench)
    shown = row.entries[1].lines[0].text.replace("\xa0", " ")
    assert shown == f"no two devices completed the same seed ({cause})"
