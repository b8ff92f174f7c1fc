"""Nothing is faster than its ceiling: what others published, what was measured, what is counted."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelreport.analysis.ceilings import (
    ON_CHIP,
    Limit,
    StepWork,
    ceiling,
    highest_rate,
    known_limits,
    limits_named,
    own_limits,
    processor_of,
)
from accelreport.analysis.hardware import HARDWARE
from accelreport.analysis.published import flags_of
from accelreport.analysis.speed_findings import limits_of
from accelreport.loader.load import load
from accelreport.report.model import Downloads, Figure, Table
from accelreport.report.pages.ceilings import ceilings_page
from accelreport.report.pages.sections.hardware import hardware_section
from accelreport.report.pages.sections.shares import every_place, reached_shares
from accelreport.report.say import Speaker
from accelreport.report.theme import device_colours
from accelreport.report.view import BenchmarkView, views
from accelreport.report.warning_text import flag_text
from accelreport.results.plan_document import plan_document
from accelreport.results.record import Environment, Record, Roofs
from accelreport.spec.models import Published
from tests.analysis.public_rates import public_rates
from tests.report.scenarios import ordinary
from tests.support.records import Study, study, without_peaks

SPECS = Path(__file__).parents[2] / "specs"
RATES = [row for source in public_rates() for row in source.rows]
SIZES = st.floats(1.0, 1e15)


def test_no_throughput_that_others_published_is_above_its_ceiling() -> None:
    assert len(RATES) >= 20
    assert len({row.hardware for row in RATES}) >= 4
    assert all(source.address.startswith("https://") for source in public_rates())
    assert all(row.counted for row in RATES)
    shares = {(row.hardware, row.model, row.batch_size, row.dtype): row.share for row in RATES}
    assert len(shares) == len(RATES)
    assert all(0 < share <= 1 for share in shares.values())
    assert 0.05 < median(shares.values()) < 0.2


@given(SIZES, SIZES, SIZES)
def test_a_ceiling_is_the_slower_of_arithmetic_and_memory(
    operations: float, batch: float, state: float
) -> None:
    work = StepWork(operations, batch, state)
    for limits in known_limits("float32"):
        found = ceiling(work, limits)
        least = operations / limits.peak.tflops / 1e12
        assert found.seconds >= least * (1 - 1e-9)
        deep = ceiling(replace(work, depth=100), replace(limits, kernel_s=1e-6))
        assert deep.seconds == pytest.approx(max(found.seconds, 100e-6))
        assert (deep.limit is Limit.DEPTH) == (found.seconds < 100e-6)
        if found.limit is Limit.MEMORY:
            assert limits.bandwidth is not None
            moved = work.compulsory_bytes(limits.kind)
            assert found.seconds == pytest.approx(moved / limits.bandwidth.gbps / 1e9)
        twice = StepWork(2 * operations, 2 * batch, state)
        assert ceiling(twice, limits).seconds >= found.seconds * (1 - 1e-9)


def test_what_fits_on_the_chip_need_not_cross_the_memory() -> None:
    small = StepWork(1e9, batch_bytes=1e6, state_bytes=1e7)
    large = StepWork(1e9, batch_bytes=1e6, state_bytes=ON_CHIP["GPU"] + 1e9)
    assert small.compulsory_bytes("GPU") == 1e6
    assert large.compulsory_bytes("GPU") == pytest.approx(1e6 + 2e9)


def test_hardware_is_found_by_the_name_that_its_maker_or_a_label_gives_it() -> None:
    board = limits_named("Colab TPU v2-8", "float32")
    assert board is not None
    assert (board.kind, board.peak.tflops) == ("TPU", 180)
    assert limits_named("some abacus", "float32") is None
    for each in known_limits("float32"):
        again = limits_named(each.name, "float32")
        assert again is not None
        assert again.peak.tflops == each.peak.tflops


def seen(made: Study) -> BenchmarkView:
    records = {(record.key, record.machine): record for record in made.records}
    return BenchmarkView(made.plan, records, device_colours(made.plan.devices))


@pytest.fixture(scope="module")
def bench() -> BenchmarkView:
    rows = (
        Published(device="gpu", label="K80", hardware="Tesla K80", where={"batch_size": 256},
                  step_time=1e-6),
        Published(device="gpu", label="K80", hardware="Tesla K80", where={"batch_size": 512},
                  step_time=1.0),
    )  # fmt: skip
    made = study(axes={"batch_size": (256, 512)}, devices=("cpu", "gpu"), published=rows)
    return seen(made)


def test_a_published_time_that_its_hardware_leaves_no_room_for_is_flagged(
    bench: BenchmarkView,
) -> None:
    flags = {found.row.where["batch_size"]: found.flags for found in bench.published_results}
    (flag,) = flags[256]
    assert flag.kind == "above-peak"
    assert flag_text(flag).startswith("a step of 1.00\N{NO-BREAK SPACE}µs is at least ")
    assert "Tesla K80" in flag_text(flag)
    assert not flags[512]


def test_a_page_shows_what_was_reached_as_a_figure_and_a_table(bench: BenchmarkView) -> None:
    page = ceilings_page([bench])
    assert page.opening is not None
    (figure,) = page.opening.blocks
    assert isinstance(figure, Figure)
    reached = figure.table
    assert reached is not None
    rows = [row for group in reached.groups for row in group.rows]
    shares = {row.entries[-1].lines[0].text for row in rows}
    assert {row.entries[0].lines[0].text for row in rows} == {"measured", "published"}
    for panel in figure.panels:
        drawn = panel.wide.spec["datasets"].values()
        labels = {row["label"] for rows in drawn for row in rows if "label" in row}
        assert {share for share in shares if any(text.endswith(share) for text in labels)} == {
            share for share in shares if "," not in share
        }
    # What a chip cannot do is in the table alone.
    assert any("," in share for share in shares)


def test_shares_of_two_roofs_are_in_no_order_together() -> None:
    """The middle one, of another roof, comes after both of the first."""
    benches = []
    for roof, factor in ((1.0, 4.0), (2.0, 1.0), (1.0, 1.0)):
        name = f"of_{roof:g}_{factor:g}"
        made = without_peaks(study(spec=name, axes={}, devices=("cpu",), factors={"cpu": factor}))
        hosts = [with_roofs(r.environment, roof, roof / 4) for r in made.records if r.environment]
        records = [
            record.model_copy(update={"environment": host})
            for record, host in zip(made.records, hosts, strict=True)
        ]
        benches.append(seen(replace(made, records=tuple(records))))
    page = ceilings_page(benches)
    assert page.opening
    (figure,) = page.opening.blocks
    assert isinstance(figure, Figure)
    shares = [float(n) for n in re.findall(r"([\d.]+)\s%", figure.drawings[0].description)]
    assert shares == [max(shares), min(shares), sorted(shares)[1]]
    title = re.match(r"Highest share of measured roof: (([\d.]+)\s%) counted in", page.headline)
    assert title
    assert float(title[2]) == max(shares)
    spec = figure.drawings[0].spec
    bold = [layer for layer in spec["layer"] if layer["mark"].get("fontWeight") == "bold"]
    texts = [row["label"] for own in bold for row in spec["datasets"][own["data"]["name"]]]
    assert [text for text in texts if text.endswith("%")] == [title[1]]


def test_without_a_known_roof_the_page_says_what_a_share_needs(bench: BenchmarkView) -> None:
    def uncounted(record: Record) -> Record:
        return record.model_copy(update={"flops": None})

    made = study(axes={"batch_size": (256,)})
    bare = seen(replace(made, records=tuple(map(uncounted, made.records))))
    page = ceilings_page([bare])
    assert page.headline == "No known peak"
    assert ceilings_page([]).headline == "No benchmark measured"
    assert not page.sections
    section = hardware_section(bare)
    assert section is not None
    assert {block.id for block in section.blocks if isinstance(block, Table)} == {"use-table"}


def test_a_benchmarks_page_leads_to_the_roofs_of_all(bench: BenchmarkView) -> None:
    section = hardware_section(bench)
    assert section is not None
    (links,) = (block for block in section.blocks if isinstance(block, Downloads))
    assert [each.href for each in links.items] == ["ceilings.html"]


@pytest.mark.parametrize("name", range(len(ordinary().studies)))
def test_nothing_measured_in_the_worlds_of_tests_is_above_its_ceiling(name: int) -> None:
    view = seen(ordinary().studies[name])
    shares = [
        ceiling(place.work, known[0]).share(place.seconds)
        for place in every_place(view)
        if (known := limits_of(view, place.group))
    ]
    assert shares
    assert all(0 < share <= 1 for share in shares)


def test_the_specs_alone_give_away_the_rates_that_no_hardware_has() -> None:
    """S0 prints .53 and .47 TFLOPS of a CPU, and 15.7 of a GPU, on what others name as Colab's."""
    rates = {
        (row.label, row.tflops)
        for spec in load([SPECS]).specs
        for plan in [plan_document(spec, {})]
        for row in plan.published
        for figure in row.figures()
        if any(flag.kind == "above-peak" for flag in flags_of(plan, row, figure))
    }
    assert sorted(rate for _, rate in rates if rate) == [0.47, 0.53, 15.7]
    assert len(rates) == 3


def test_a_time_of_a_kernel_is_cited_word_for_word_or_there_is_none() -> None:
    timed = [row for row in HARDWARE if row.kernel_us]
    assert {row.name for row in timed} == {"Tesla V100 SXM2", "Tesla V100 PCIe"}
    for row in timed:
        assert "https://" in row.kernel_source
        assert "“gives 3.4μs (vs 2.9μs kernel execution time)”" in row.kernel_source
        assert row.kernel_us == pytest.approx(3.4 - 2.9)
    assert not any(row.kernel_source for row in HARDWARE if not row.kernel_us)
    deep = StepWork(1e6, depth=1000)
    for limits in known_limits("float32"):
        found = ceiling(deep, limits)
        cited = limits.name in {row.name for row in timed}
        assert (found.limit is Limit.DEPTH) == cited
        if cited:
            assert found.seconds == pytest.approx(1000 * 0.5e-6)


def test_a_refused_record_raises_no_roof() -> None:
    made = study(axes={}, devices=("cpu",), repeats=3)
    record = made.records[0]
    fast = [b.model_copy(update={"wall_s": b.wall_s * 1e-6}) for b in record.blocks]
    impossible = record.model_copy(update={"blocks": fast})
    sound = views([made.plan], made.records[1:])
    both = views([made.plan], (impossible, *made.records[1:]))
    assert any(row.refused for row in both[0].results)
    assert both[0].highest_tflops == sound[0].highest_tflops


def with_roofs(environment: Environment, tflops: float, core_tflops: float) -> Environment:
    known = {"tflops": tflops, "core_tflops": core_tflops, "gbps": 1e4, "other_cores": 0.0}
    roofs = Roofs(**known, method="", measured_at="2026-01-01T00:00:00+00:00")
    return environment.model_copy(update={"roofs": roofs, "threads": 4})


def test_a_rate_raises_the_roof_of_its_own_host_for_as_many_threads_or_more() -> None:
    environment = study(axes={}, devices=("cpu",)).records[0].environment
    assert environment
    fast, slow = (with_roofs(environment, 4 * core, core) for core in (0.3, 0.2))
    rates = {(processor_of(fast), 2): 0.9}
    assert [highest_rate(rates, fast, threads) for threads in (1, 2, 4)] == [0.0, 0.9, 0.9]
    assert highest_rate(rates, slow, 4) == 0.0, "of one image, and on another host"


@pytest.mark.parametrize("bounded", [False, True])
def test_convolutions_count_in_full_with_their_lower_bound_and_apart(*, bounded: bool) -> None:
    made = without_peaks(study(axes={}, devices=("cpu",), repeats=3))

    def convolved(record: Record) -> Record:
        assert record.flops
        assert record.environment
        work = record.flops.per_step
        rate = work / record.steady.step_s / 1e12
        flops = record.flops.model_copy(
            update={"convolutions_per_step": work, "least_per_step": work / 9}
        )
        roof = with_roofs(record.environment, *((rate / 2, rate / 8) if bounded else (1e3, 250)))
        return record.model_copy(update={"flops": flops, "environment": roof})

    bench = seen(replace(made, records=tuple(map(convolved, made.records))))
    (row,) = reached_shares(bench)
    text = row.text(Speaker(bench))
    assert row.bounded is bounded
    assert text.count("at least") == 1
    assert text.startswith("at least") is bounded
    if not bounded:
        assert row.least[0].number == pytest.approx(row.shares[0].number / 9)
    page = ceilings_page([bench])
    assert page.opening
    (figure,) = page.opening.blocks
    assert isinstance(figure, Figure)
    assert ("Pale bars begin" in figure.caption) is not bounded


@pytest.mark.parametrize(
    ("threads", "highest", "roof"),
    [(None, 0.0, 0.7), (4, 0.0, 0.7), (4, 0.8, 0.8), (1, 0.0, 0.2), (1, 0.3, 0.3), (2, 0.5, 0.5)],
)
def test_a_roof_is_the_fastest_product_of_the_threads_that_a_device_may_use(
    threads: int | None, highest: float, roof: float
) -> None:
    environment = study(axes={}, devices=("cpu",)).records[0].environment
    assert environment
    machine = with_roofs(environment, 0.7, 0.2)
    limits = own_limits(machine, "float32", highest, threads)
    assert limits
    assert limits.peak.tflops == pytest.approx(roof)
    assert not limits.cores
    bound = own_limits(machine, "float32", threads=2)
    assert bound
    assert bound.cores == 2, "no product used two"
    assert bound.peak.tflops == pytest.approx(0.4)
    alone = own_limits(with_roofs(environment, 0.2, 0.2), "float32")
    assert alone
    assert alone.cores == 4, "nor four"
    assert alone.peak.tflops == pytest.approx(0.8)
