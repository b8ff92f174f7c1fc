"""Nothing is faster than its ceiling: what others published, what was measured, what is counted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
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
    known_limits,
    limits_named,
)
from accelreport.analysis.hardware import HARDWARE
from accelreport.analysis.published import flags_of
from accelreport.analysis.speed_findings import limits_of
from accelreport.loader.load import load
from accelreport.report.model import Downloads, Figure, Table
from accelreport.report.pages.ceilings import ceilings_page
from accelreport.report.pages.sections.hardware import hardware_section
from accelreport.report.pages.sections.shares import every_place
from accelreport.report.theme import device_colours
from accelreport.report.view import BenchmarkView, views
from accelreport.report.warning_text import flag_text
from accelreport.results.plan_document import plan_document
from accelreport.results.record import Record
from accelreport.spec.models import Published
from tests.analysis.public_rates import public_rates
from tests.report.scenarios import ordinary
from tests.support.records import Study, study

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


def residual(stages: tuple[int, ...], kind: str = "bottleneck", *, fast: bool = False) -> float:
    """10⁹ multiply-adds of a ResNet at 224 × 224 (He et al., arXiv:1512.03385, table 1).

    `fast` counts one product at each place of a result, whatever the kernel. v1.5 has its strides
    in the middle of a block.
    """
    count, channels, size = 112 * 112 * (1 if fast else 49) * 3 * 64, 64, 56
    places = 1 if fast else 9
    for stage, (blocks, width) in enumerate(zip(stages, (64, 128, 256, 512), strict=True)):
        for block in range(blocks):
            out = size // 2 if stage and not block else size
            wide = width if kind == "basic" else 4 * width
            if kind == "basic":
                count += out**2 * places * width * (channels + width)
            else:
                first = size if kind == "v1.5" else out
                count += first**2 * channels * width + out**2 * (places + 4) * width**2
            if not block and wide != channels:
                count += out**2 * channels * wide
            channels, size = wide, out
    return (count + channels * 1000) / 1e9


def vgg(stages: tuple[tuple[int, int], ...], *, fast: bool = False) -> float:
    """10⁹ multiply-adds of a VGG at 224 × 224 (Simonyan, Zisserman, arXiv:1409.1556, table 1)."""
    count, channels, size = 0, 3, 224
    for layers, width in stages:
        count += size**2 * (1 if fast else 9) * (channels * width + (layers - 1) * width**2)
        channels, size = width, size // 2
    return (count + size**2 * channels * 4096 + 4096 * 4096 + 4096 * 1000) / 1e9


ARCHITECTURES: dict[str, Callable[..., float]] = {
    "ResNet-50": partial(residual, (3, 4, 6, 3)),
    "ResNet-152": partial(residual, (3, 8, 36, 3)),
    "ResNet-50 v1.5": partial(residual, (3, 4, 6, 3), "v1.5"),
    "resnet18": partial(residual, (2, 2, 2, 2), "basic"),
    "resnet34": partial(residual, (3, 4, 6, 3), "basic"),
    "VGG-16": partial(vgg, ((2, 64), (2, 128), (3, 256), (3, 512), (3, 512))),
}


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_the_counts_of_the_public_rates_follow_from_the_architectures(name: str) -> None:
    """What a source rounded down (He et al.: 3.8 of 3.86) is within 2 % of its network's count."""
    layers = ARCHITECTURES[name]
    for row in (row for row in RATES if row.model == name):
        assert row.multiply_adds == pytest.approx(layers(), rel=0.02)
        assert 1 <= row.saved * layers(fast=True) / layers() < 1.01


@given(st.integers(1, 200), st.integers(1, 30))
def test_no_minimal_algorithm_saves_more_than_the_places_of_the_kernel(side: int, k: int) -> None:
    """Winograd's F(m × m, r × r) takes (m + r - 1)² products, whatever the tile."""
    assert side**2 * k**2 / (side + k - 1) ** 2 <= min(k**2, side**2)


def test_counted_operations_alone_would_be_no_ceiling_where_convolutions_are_fast() -> None:
    """Winograd's algorithms do fewer: a published VGG-16 did more than a P100's peak as counted."""
    shares: dict[tuple[str, str], float] = {}
    for row in RATES:
        limits = limits_named(row.hardware, row.dtype)
        assert limits is not None
        done = row.saved * row.work.operations * row.examples_per_s / row.batch_size
        place, share = (row.hardware, row.model), done / (limits.peak.tflops * 1e12)
        shares[place] = max(share, shares.get(place, 0.0))
    beyond = {place: share for place, share in shares.items() if share > 1}
    assert beyond == {("Tesla P100 SXM2", "VGG-16"): pytest.approx(1.35, abs=0.01)}


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
        assert {share for share in shares if any(text.endswith(share) for text in labels)} == shares
        crossed = [row for rows in drawn for row in rows if row.get("flagged")]
        assert crossed
        assert all(row["value"] > 1 for row in crossed)


def test_without_a_known_roof_the_page_says_what_a_share_needs(bench: BenchmarkView) -> None:
    def uncounted(record: Record) -> Record:
        return record.model_copy(update={"flops": None})

    made = study(axes={"batch_size": (256,)})
    bare = seen(replace(made, records=tuple(map(uncounted, made.records))))
    page = ceilings_page([bare])
    assert page.headline == "No known peak"
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
