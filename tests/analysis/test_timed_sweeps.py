"""Laws come from what was measured and, apart, from what was published, and say where they end."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from math import inf, nan
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from accelreport.analysis.stats import Interval
from accelreport.analysis.timed_sweeps import Cause, TimedSweep, law_pairs
from accelreport.cli.app import app
from accelreport.loader.load import load
from accelreport.report.law_text import costs, pair_sentence, split_sentence
from accelreport.report.model import Figure, Prose, Table
from accelreport.report.pages.sections.batch_law import batch_law_section
from accelreport.report.quantity import SPACE, duration
from accelreport.report.theme import device_colours
from accelreport.report.view import BenchmarkView
from accelreport.results.plan_document import plan_document
from accelreport.results.record import Record, StepParts
from tests.support.records import Study, study

SPECS = Path(__file__).parents[2] / "specs"
BATCHES = (32, 64, 128, 256, 512)


def view(made: Study) -> BenchmarkView:
    records = {(record.key, record.machine): record for record in made.records}
    return BenchmarkView(made.plan, records, device_colours(made.plan.devices))


@pytest.fixture(scope="module")
def swept() -> BenchmarkView:
    return view(study(axes={"batch_size": BATCHES}))


@pytest.fixture(scope="module")
def printed() -> BenchmarkView:
    """S3 as it was published, nothing measured."""
    (spec,) = load([SPECS / "mnist_batch_sweep.toml"]).specs
    plan = plan_document(spec, {})
    return BenchmarkView(plan, {}, device_colours(plan.devices))


def test_a_command_gives_the_table_of_s3_from_its_published_figures_alone(tmp_path: Path) -> None:
    spec = str(SPECS / "mnist_batch_sweep.toml")
    asked = ["laws", spec, "--results", str(tmp_path / "none")]
    done = CliRunner().invoke(app, asked, catch_exceptions=False)
    assert done.exit_code == 0
    gpu, tpu = (line for line in done.output.splitlines() if ", published" in line)
    found = [[part.split(" (")[0] for part in line.split("  ") if part] for line in (gpu, tpu)]
    said = [[part.strip().replace("\N{NO-BREAK SPACE}", " ") for part in row] for row in found]
    assert said == [
        ["Colab GPU, published", "5.20 ms", "73.1 µs", "71", "1.6 %"],
        ["Colab TPU, published", "20.6 ms", "17.0 µs", "1,211", "1.2 %"],
    ]
    assert "Colab TPU and Colab GPU are equal at a batch of 275" in done.output
    assert "above it Colab TPU is faster, up to 4.3× as fast" in done.output


def test_a_page_says_what_the_published_figures_imply_and_that_it_is_a_model(
    printed: BenchmarkView,
) -> None:
    section = batch_law_section(printed)
    assert section is not None
    assert (
        "depends on the batch size: in a model of the published times, the Colab TPU"
        in section.title
    )
    assert "equal at a batch of 275" in section.title
    (figure,) = section.blocks
    assert isinstance(figure, Figure)
    assert "model" in figure.title
    assert "enters no other number" in figure.caption
    assert figure.table
    assert "Three published times leave it wide." in figure.table.caption


def test_what_was_measured_and_what_was_published_are_fitted_apart(
    swept: BenchmarkView, printed: BenchmarkView
) -> None:
    rows = [row for row in printed.plan.published if row.device in swept.plan.devices]
    both = replace(swept, plan=swept.plan.model_copy(update={"published": rows}))
    alone = {(s.device, s.machine): s.fit.law for s in (*swept.timed_sweeps, *printed.timed_sweeps)}
    assert {(s.device, s.machine): s.fit.law for s in both.timed_sweeps} == alone
    assert {s.published for s in both.timed_sweeps} == {True, False}
    assert all(pair.own.published == pair.base.published for pair in both.law_pairs)
    assert len(both.law_pairs) == len(swept.law_pairs) + 1


def test_devices_whose_speedup_is_withheld_are_not_compared_by_their_laws() -> None:
    def read_otherwise(record: Record) -> Record:
        if record.cell.device != "gpu" or record.data is None:
            return record
        data = record.data.model_copy(update={"fingerprint": "f" * 64})
        return record.model_copy(update={"data": data})

    made = study(axes={"batch_size": BATCHES})
    other = view(replace(made, records=tuple(map(read_otherwise, made.records))))
    assert {pair.own.device for pair in view(made).law_pairs} >= {"gpu"}
    named = {each.device for pair in other.law_pairs for each in (pair.own, pair.base)}
    assert "gpu" not in named


def test_where_no_line_fits_none_is_drawn_and_the_reason_stands_there(swept: BenchmarkView) -> None:
    def slower(record: Record) -> Record:
        if record.cell.point["batch_size"] != 128:
            return record
        blocks = [b.model_copy(update={"wall_s": 3 * b.wall_s}) for b in record.blocks]
        return record.model_copy(update={"blocks": blocks})

    records = {place: slower(record) for place, record in swept.records.items()}
    section = batch_law_section(replace(swept, records=records))
    assert section is not None
    (table,) = section.blocks
    assert isinstance(table, Table)
    assert "no fixed cost and rate describe these times" in section.title
    assert "Three published times" not in table.caption, "there are none"
    said = [row.entries[0].lines[0].text for group in table.groups for row in group.rows]
    assert said
    assert all("off the line" in text for text in said)


def test_a_learning_rate_changes_no_work_and_has_no_law() -> None:
    made = view(study(axes={"optimizer.learning_rate": (1e-4, 1e-3, 1e-2, 1e-1)}))
    assert made.timed_sweeps == ()
    assert batch_law_section(made) is None


def test_sentences_tell_whichever_device_wins_at_large_batches(swept: BenchmarkView) -> None:
    for pair in swept.law_pairs:
        assert pair.against.grows
        said = pair_sentence(pair, lambda sweep: sweep.device)
        law = {each.device: each.fit.law for each in (pair.own, pair.base)}
        own, base = law[pair.own.device], law[pair.base.device]
        assert own is not None
        assert base is not None
        where = pair.against.crossing.value
        if where == where:
            assert own.seconds(where) == pytest.approx(base.seconds(where))
            assert f"above it {pair.own.device} is faster" in said
        else:
            first = pair.own if own.seconds(1) < base.seconds(1) else pair.base
            assert said.startswith(f"{first.device} is faster")


def test_a_device_is_faster_whatever_the_batch_only_where_its_intervals_decide_it(
    swept: BenchmarkView,
) -> None:
    pair, even = swept.law_pairs[0], Interval(nan, nan, nan, 3)
    for low, decided in ((1.1, True), (0.9, False)):
        least, most = Interval(1.5, low, 2.0, 3), Interval(3.0, 2.5, 3.5, 3)
        against = replace(pair.against, crossing=even, smallest=least, largest=most)
        said = pair_sentence(replace(pair, against=against), lambda sweep: sweep.device)
        names = pair.own.device, pair.base.device
        if decided:
            assert said == (
                f"{names[0]} is faster than {names[1]} whatever the batch: 1.5× or more (95 %: "
                "1.1× to 2.0×), up to 3.0× as fast (95 %: 2.5× to 3.5×)"
            )
        else:
            assert said == (
                f"whether {names[0]} is faster than {names[1]} is undecided at every batch"
            )


COSTS = st.one_of(st.just(0.0), st.floats(1e-6, 1e-1))


@given(
    st.lists(st.tuples(COSTS, st.floats(1e-7, 1e-2)), min_size=2, max_size=2),
    st.integers(1, 3),
    st.integers(0, 99),
)
def test_whatever_the_costs_a_sentence_has_no_number_that_is_none(
    laws: list[tuple[float, float]], repeats: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    sweeps = [
        TimedSweep(
            f"device {number}", "m", "", "", "batch_size", {},
            tuple(
                {float(b): (fixed + b * each) * rng.uniform(0.97, 1.03) for b in BATCHES}
                for _ in range(repeats)
            ),
        )
        for number, (fixed, each) in enumerate(laws)
    ]  # fmt: skip
    for pair in law_pairs(sweeps, ()):
        said = pair_sentence(pair, lambda sweep: sweep.device)
        assert not re.search(r"\bnan\b|\binf\b|—", said)
    for sweep in sweeps:
        if sweep.fit.law:
            assert all("nan" not in text for pair in costs(sweep.fit, sweep) for text in pair)


def test_a_crossing_without_an_upper_end_is_not_located(swept: BenchmarkView) -> None:
    (pair, *_) = swept.law_pairs
    unbounded = replace(pair.against, crossing=Interval(584.0, 0.0, inf, 3))
    said = pair_sentence(replace(pair, against=unbounded), lambda sweep: sweep.device)
    assert said == "the batch at which gpu and cpu are equal cannot be located"


def in_parts(record: Record, *, fixed: Mapping[str, float], absent: str = "") -> Record:
    """A record whose parts are known: so many seconds of each whatever the batch, and the rest."""
    steady = [block for block in record.blocks if block.steady]
    step = sum(block.wall_s for block in steady) / sum(block.steps for block in steady)
    grows = 0.9 * (step - sum(fixed.values()))
    taken = fixed["empty"] + fixed["input"]
    parts = StepParts(
        empty_s=[fixed["empty"]] * 3,
        input_s=[taken] * 3,
        gradient_s=[taken + fixed["gradient"] + grows] * 3,
        optimizer_s=[fixed["empty"] + fixed["optimizer"]] * 3,
    )
    told = StepParts(absent=absent) if absent else parts
    return record.model_copy(update={"parts": told})


FIXED = {"empty": 1e-4, "input": 2e-4, "gradient": 4e-4, "optimizer": 8e-4}


def test_the_costs_of_a_law_are_split_by_cause_and_what_is_unexplained_is_told(
    swept: BenchmarkView,
) -> None:
    records = {place: in_parts(r, fixed=FIXED) for place, r in swept.records.items()}
    made = replace(swept, records=records)
    split = [sweep for sweep in made.timed_sweeps if sweep.split]
    assert split
    for sweep in split:
        law = sweep.fit.law
        assert law is not None
        of = {each.cause: each for each in sweep.split}
        assert sum(each.fixed_s.value for each in of.values()) == pytest.approx(law.fixed_s)
        assert sum(each.each_s.value for each in of.values()) == pytest.approx(law.each_s)
        known = {Cause.DISPATCH: 1e-4, Cause.INPUT: 2e-4, Cause.OPTIMIZER: 8e-4}
        for cause, fixed_s in known.items():
            assert of[cause].fixed_s.value == pytest.approx(fixed_s, rel=1e-2)
            assert of[cause].fixed_s.low <= fixed_s * (1 + 1e-2)
            assert of[cause].fixed_s.high >= fixed_s * (1 - 1e-2)
            assert of[cause].each_s.value == pytest.approx(0, abs=1e-6)
        # A tenth of what grows with the batch is in no part.
        assert of[Cause.UNEXPLAINED].each_s.value == pytest.approx(0.1 * law.each_s, rel=0.1)
    section = batch_law_section(made)
    assert section is not None
    (table,) = [each for each in section.blocks if isinstance(each, Table)]
    assert [column.title for column in table.columns] == [cause.value for cause in Cause]
    rows = [row for group in table.groups for row in group.rows]
    assert len(rows) == len(split)
    texts = [line.text for line in rows[0].entries[0].lines if line.role != "interval"]
    assert texts == [duration(1e-4), duration(0)]
    said = split_sentence("the CPU", split[0])
    assert f"{duration(8e-4)} optimizer" in said
    assert "unexplained" in said


def test_a_part_that_its_processes_do_not_tell_from_0_is_called_so_and_one_below_0_is_explained(
    swept: BenchmarkView,
) -> None:
    sweep = next(each for each in swept.timed_sweeps if each.fit.law)
    law = sweep.fit.law
    assert law is not None
    runs = [run for run in sweep.runs if set(run) == set(sweep.amounts)]
    parts = []
    for number, run in enumerate(runs):
        sign = (-1) ** number
        causes = {
            Cause.DISPATCH: dict.fromkeys(run, law.fixed_s / 2),
            Cause.INPUT: dict.fromkeys(run, law.fixed_s / 1e6),
            Cause.COMPUTE: {batch: batch * law.each_s - 2 * law.fixed_s for batch in run},
            Cause.OPTIMIZER: dict.fromkeys(run, sign * law.fixed_s),
        }
        parts.append((run, causes))
    said = split_sentence("the CPU", replace(sweep, parts=tuple(parts))).replace(SPACE, " ")
    assert "0 s input" in said
    assert "that of compute comes out negative (−" in said
    assert said.endswith("optimizer and unexplained not significantly different from 0")


def test_where_nobody_asked_for_parts_nothing_is_said_of_them(swept: BenchmarkView) -> None:
    assert not any(sweep.split for sweep in swept.timed_sweeps)
    section = batch_law_section(swept)
    assert section is not None
    assert [block for block in section.blocks if isinstance(block, Table)] == []
    why = "tf.data brings batches while steps compute"
    records = {p: in_parts(r, fixed=FIXED, absent=why) for p, r in swept.records.items()}
    told = batch_law_section(replace(swept, records=records))
    assert told is not None
    (absent,) = [b.text for b in told.blocks if isinstance(b, Prose) and "Not split" in b.text]
    assert why in absent
    # One cell without parts, such as an older record: its device has none.
    some = {p: in_parts(r, fixed=FIXED) for p, r in swept.records.items()}
    some = {p: r if r.cell.point["batch_size"] != 64 else swept.records[p] for p, r in some.items()}
    assert not any(s.split for s in replace(swept, records=some).timed_sweeps)
