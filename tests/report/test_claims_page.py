"""Claims on pages and slides: what was decided on made-up data says so where it stands."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Literal

import pytest

from accelreport.report.heroes.rates import claims_number
from accelreport.report.model import Prose, Table
from accelreport.report.pages.badges import number_badges
from accelreport.report.pages.headline import headline
from accelreport.report.pages.sections.claims import claims_section, state_of
from accelreport.report.pages.sections.learning import quality_section
from accelreport.report.pages.sections.problems import notices_of
from accelreport.spec.claims import (
    Claim,
    DifferenceCheck,
    EquivalentCheck,
    FasterCheck,
    PeakCheck,
    QuantisedCheck,
    RatioCheck,
    ValueCheck,
)
from accelreport.spec.models import Source
from tests.report.test_resources import bench_of
from tests.support.records import study

FAST = Claim(text="Fast", check=FasterCheck(faster="gpu", than="cpu", by_at_least=2))
FAR = Claim(text="Far", check=FasterCheck(faster="tpu", than="cpu-1", by_at_least=2))
ABSENT = Claim(text="Faster yet", check=FasterCheck(faster="tpu", than="gpu", by_at_least=2))


def test_claims_that_need_an_absent_device_are_one_line_and_a_list_to_open() -> None:
    absent = [ABSENT.model_copy(update={"text": f"Faster yet {n}"}) for n in range(30)]
    made = study(
        claims=[FAST, *absent, FAR],
        devices=("cpu", "cpu-1", "gpu", "tpu"),
        fate=lambda cell: "ok" if cell.device in {"cpu", "gpu"} else "skipped",
    )
    section = claims_section([bench_of(made)])
    assert section is not None
    shown, line, listed = section.blocks
    assert isinstance(shown, Table)
    assert isinstance(listed, Table)
    assert [row.header.lines[0].text for row in shown.groups[0].rows] == ["Fast"]
    assert isinstance(line, Prose)
    assert line.text == (
        "31 claims need a device that was not measured here: TPU v2-8 (device not present) and "
        "CPU (one thread) in 1 of them (device not present)."
    )
    assert listed.folded
    assert len(listed.groups[0].rows) == 31
    assert (shown.download, listed.download) != (None, None)


def test_a_claim_about_a_device_that_was_measured_is_not_among_those_that_lack_it() -> None:
    learnt = ValueCheck(value="val_accuracy", of="cpu", at_least=0.5)
    made = study(
        claims=[FAST, Claim(text="Learns", check=learnt), ABSENT],
        devices=("cpu", "gpu", "tpu"),
        fate=lambda cell: "skipped" if cell.device == "tpu" else "partial",
    )
    bench = bench_of(made)
    section = claims_section([bench])
    assert section is not None
    shown, line, _ = section.blocks
    assert isinstance(shown, Table)
    _, row = shown.groups[0].rows
    assert [each.text for each in row.entries[1].lines] == [
        "Example has no number for it here (its budget ended before its training did)"
    ]
    assert isinstance(line, Prose)
    assert line.text.startswith("1 claim needs a device that was not measured here: TPU v2-8 (")
    counted = claims_number(bench)
    assert counted is not None
    states = [state_of(bench, each) for each in bench.tested]
    assert states == ["confirmed", "undecided", "device"], "a longer run would test the second"
    assert counted.value == "1 of 3"
    assert counted.text == "claims confirmed here; 1 not tested, 1 needs another device"


@pytest.mark.parametrize(("devices", "state"), [({"cpu"}, "device"), ({"cpu", "gpu"}, "undecided")])
def test_a_claim_about_all_devices_needs_another_where_one_is_alone(
    devices: set[str], state: str
) -> None:
    alike = Claim(text="Alike", check=EquivalentCheck(equivalent="val_accuracy", within=0.01))
    made = study(
        claims=[alike],
        devices=("cpu", "gpu"),
        fate=lambda cell: "partial" if cell.device in devices else "skipped",
    )
    bench = bench_of(made)
    assert [state_of(bench, each) for each in bench.tested] == [state]


def test_claims_are_a_large_number_where_some_are_decided() -> None:
    slow = Claim(text="Slow", check=FasterCheck(faster="cpu", than="gpu", by_at_least=2))

    def said(*claims: Claim) -> str:
        made = study(
            claims=claims,
            devices=("cpu", "gpu", "tpu"),
            fate=lambda cell: "skipped" if cell.device == "tpu" else "ok",
        )
        number = claims_number(bench_of(made))
        return f"{number.value} {number.text}" if number else ""

    assert said(FAST, slow) == "1 of 2 claims confirmed here; 1 refuted"
    assert said(slow, ABSENT) == "1 of 2 claims refuted here; 1 needs another device"
    assert not said(ABSENT), "that none of one is decided is no number that matters"


def test_a_page_without_any_tested_claim_still_offers_their_file() -> None:
    made = study(claims=[ABSENT], fate=lambda cell: "skipped" if cell.device == "tpu" else "ok")
    section = claims_section([bench_of(made)])
    assert section is not None
    line, listed = section.blocks
    assert isinstance(line, Prose)
    assert line.text.startswith("1 claim needs a device that was not measured here: TPU v2-8 (")
    assert isinstance(listed, Table)
    assert listed.download is not None


def test_claims_about_points_that_are_not_in_the_run_are_a_line_and_a_list_to_open() -> None:
    far = RatioCheck(ratio="speedup", of="gpu", where={"batch_size": 4096}, at_least=2)
    made = study(claims=[FAST, Claim(text="Far", check=far)], devices=("cpu", "gpu"))
    section = claims_section([bench_of(made)])
    assert section is not None
    shown, line, listed = section.blocks
    assert isinstance(shown, Table)
    assert isinstance(line, Prose)
    assert isinstance(listed, Table)
    assert [row.header.lines[0].text for row in shown.groups[0].rows] == ["Fast"]
    assert line.text == "1 claim is about sweep points that this run does not have."
    assert [row.header.lines[0].text for row in listed.groups[0].rows] == ["Far"]
    assert listed.folded


def test_beside_a_claim_stand_three_numbers_at_most_and_the_others_open_with_its_rule() -> None:
    same = Claim(text="Same", check=EquivalentCheck(equivalent="val_accuracy", within=0.01))
    section = claims_section([bench_of(study(claims=[same], devices=("cpu", "cpu-1", "gpu")))])
    assert section is not None
    (table,) = section.blocks
    assert isinstance(table, Table)
    (measured,) = [row.entries[1] for row in table.groups[0].rows]
    assert len(measured.lines) == 3
    *others, rule = measured.more
    assert len(others) == 2 * 3 - 3
    assert rule.text.startswith("The rule: two one-sided tests")
    assert measured.more_title == "3\N{NO-BREAK SPACE}more lines and the rule"


def test_a_sentence_names_devices_and_keys_as_the_page_does_and_leaves_all_other_words() -> None:
    costs = QuantisedCheck(quantised_costs="accuracy", of="gpu")
    tall = RatioCheck(ratio="val_accuracy", of="gpu", over="cpu", mean_over=["batch_size"], about=1)
    made = study(claims=[Claim(text="Costs", check=costs), Claim(text="As good", check=tall)])
    section = claims_section([bench_of(made)])
    assert section is not None
    rows = [
        row for block in section.blocks if isinstance(block, Table) for row in block.groups[0].rows
    ]
    rules = {row.header.lines[0].text: row.entries[1].more[-1].text for row in rows}
    assert "of each model trained on Example T4 finds" in rules["Costs"]
    assert "exclude a loss of 0.5 percentage points" in rules["Costs"]
    assert "of validation accuracy of Example T4 over that of Example is" in rules["As good"]
    assert rules["As good"].endswith("over every batch size.")


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
    other = bench_of(study("matmul", claims=[Claim(text="x", check=PeakCheck(below_peak=True))]))
    for shown in ([bench], [bench, other]):
        sections = [claims_section(shown)]
        tables = [
            block
            for section in sections
            if section is not None
            for block in section.blocks
            if isinstance(block, Table)
        ]
        marked = {
            row.header.lines[0].text: [badge.text for badge in row.entries[0].badges]
            for table in tables
            for group in table.groups
            for row in group.rows
        }
        extra = ["synthetic data"] if origin == "synthetic" else []
        assert marked["Fast"] == ["confirmed", *extra]
        assert marked["Faster yet"] == ["not tested here"]
        told = " ".join(section.finding for section in sections if section is not None)
        assert ("synthetic data" in told) is (origin == "synthetic")


def test_a_sample_of_the_data_is_a_banner_and_a_mark_at_qualities_and_at_no_time() -> None:
    made = study(origin="sample")
    bench = bench_of(made)
    (banner,) = notices_of([bench])
    assert banner.title == "Samples of the data."
    assert "no published one is judged by them" in banner.text
    for row in [bench.planned(bench.shown_series[0], point) for point in bench.points]:
        assert [badge.text for badge in number_badges(row)] == []
        assert [badge.text for badge in number_badges(row, quality=True)] == ["sample"]
    assert not headline(bench).startswith("On synthetic data")
    section = quality_section(bench)
    assert section is not None
    tables = [block for block in section.blocks if isinstance(block, Table)]
    entries = [e for t in tables for g in t.groups for row in g.rows for e in row.entries]
    assert any(entry.badges for entry in entries)
    assert all("sample" in [b.text for b in e.badges] for e in entries if e.lines[0].text != "–")


def test_a_claim_says_under_its_sentence_who_made_it_and_the_page_s_source_in_few_words() -> None:
    source = Source(title="A comparison of many devices", authors="A. Author, B. Author", year=2021)
    other = FAR.model_copy(update={"text": "Other", "source": "a talk of 2019"})
    made = study(claims=[FAST, other], devices=("cpu", "cpu-1", "gpu", "tpu"))
    plan = made.plan.model_copy(update={"source": source})
    section = claims_section([bench_of(replace(made, plan=plan))])
    assert section is not None
    (table,) = [block for block in section.blocks if isinstance(block, Table)]
    said = {row.header.lines[0].text: row.header.lines[1].text for row in table.groups[0].rows}
    assert said == {"Fast": "A. Author, B. Author 2021", "Other": "a talk of 2019"}
    assert [column.title for column in table.columns] == ["verdict", "measured"]


def test_how_far_two_accuracies_are_apart_is_told_in_percentage_points() -> None:
    claims = [
        Claim(text="Alike", check=EquivalentCheck(equivalent="val_accuracy", within=0.005)),
        Claim(
            text="Higher",
            check=DifferenceCheck(higher="val_accuracy", of="gpu", than="cpu", by_at_least=0.01),
        ),
        Claim(text="Lower", check=DifferenceCheck(lower="val_loss", of="gpu", than="cpu")),
    ]
    made = study(claims=claims, devices=("cpu", "gpu"), repeats=3, axes={})
    section = claims_section([bench_of(made)])
    assert section is not None
    (table,) = section.blocks
    assert isinstance(table, Table)
    alike, higher, lower = (
        " ".join(line.text for line in (*row.entries[1].lines, *row.entries[1].more))
        for row in table.groups[0].rows
    )
    number = r"[+\N{MINUS SIGN}]?\d+\.\d\d"
    for said, rule in ((alike, "± 0.5 percentage points"), (higher, "at least 1 percentage point")):
        plain = said.replace("\xa0", " ")
        assert rule in plain
        assert re.search(rf"{number} points \({number} to {number}, n = 3\)", plain), plain
    assert "points" not in lower
