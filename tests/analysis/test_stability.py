"""Warnings on timed series, each by its name."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from accelreport.analysis.results import results_of
from accelreport.analysis.stability import (
    CERTAIN,
    findings,
    shared_trend,
    slower_start,
    trend,
)
from accelreport.report.warning_text import warning_text
from accelreport.results.block import Block
from accelreport.results.record import Record
from tests.support.records import Noise, study
from tests.support.rows import cells_frame

Floats = NDArray[np.float64]


def _record(
    pace: Sequence[float] | Floats,
    *,
    steps: int = 10,
    cores: Sequence[float] | Floats | float = 1.8,
    other: float | None = 0.0,
    stamps: bool = False,
) -> Record:
    """A record with one warm-up block and one steady block for each pace, in seconds a step."""
    seconds = np.asarray(pace, dtype=float)
    busy = np.broadcast_to(np.asarray(cores, dtype=float), seconds.shape)
    blocks = [
        Block(epoch=1, first_step=0, steps=1, wall_s=9.0, cpu_s=9.0, other_cpu_s=9.0, warmup=True)
    ]
    for number, (step, used) in enumerate(zip(seconds, busy, strict=True)):
        wall = float(step) * steps
        blocks.append(
            Block(
                epoch=1,
                first_step=1 + number * steps,
                steps=steps,
                wall_s=wall,
                cpu_s=wall * float(used),
                other_cpu_s=None if other is None else wall * other,
                warmup=False,
                step_s=[float(step)] * (steps - 1) if stamps else [],
            )
        )
    base = study(repeats=1, devices=("cpu",), axes={}).records[0]
    return base.model_copy(update={"blocks": blocks})


def _kinds(record: Record) -> set[str]:
    return {found.kind for found in findings(record)}


def _noise(count: int, seed: int = 0, spread: float = 0.02) -> Floats:
    return np.exp(np.random.default_rng(seed).normal(0, spread, count))


@pytest.mark.parametrize("count", [5, 20, 33])
def test_a_trend_is_the_line_of_least_squares_and_its_t_test(count: int) -> None:
    said = set()
    for seed in range(40):
        drift = np.linspace(0, 0.02 * (seed % 3), count)
        values = _noise(count, seed) + drift
        line = stats.linregress(np.arange(count), values)
        found = trend(values)
        change = line.slope * (count - 1) / values.mean()
        assert found.change == pytest.approx(change, rel=1e-9, abs=1e-12)
        assert found.certain == (line.pvalue < 2 * CERTAIN)
        said.add(found.certain)
    assert said == {True, False}


def test_a_slower_start_is_told_by_welchs_test() -> None:
    said = set()
    for seed in range(40):
        values = _noise(20, seed) + np.where(np.arange(20) < 4, 0.02 * (seed % 3), 0.0)
        head, tail = values[:4], values[10:]
        p = stats.ttest_ind(head, tail, equal_var=False, alternative="greater").pvalue
        share = head.mean() / tail.mean() - 1
        assert slower_start(values) == pytest.approx(share if p < CERTAIN else 0.0, rel=1e-9)
        said.add(p < CERTAIN)
    assert said == {True, False}


def test_steady_steps_give_no_warning() -> None:
    assert _kinds(_record(0.05 * _noise(40))) == set()


def test_a_window_below_a_quarter_of_a_second_is_short() -> None:
    assert _kinds(_record(0.0004 * _noise(40))) == {"short-window"}
    assert "short-window" not in _kinds(_record(0.0007 * _noise(40)))


def test_a_machine_that_computes_for_others_is_loaded() -> None:
    assert _kinds(_record(0.05 * _noise(40), other=0.5)) == {"loaded-machine"}
    assert _kinds(_record(0.05 * _noise(40), other=0.05)) == set()
    assert _kinds(_record(0.05 * _noise(40), other=None)) == set()


def test_a_warm_up_that_was_too_short_is_not_steady() -> None:
    pace = 0.05 * _noise(40)
    pace[:8] *= 1.3
    assert _kinds(_record(pace)) == {"not-steady"}


def test_steps_that_become_slower_drift() -> None:
    pace = 0.05 * _noise(40) * np.linspace(1, 1.08, 40)
    assert _kinds(_record(pace)) == {"drifting"}


def test_steps_that_become_faster_drift() -> None:
    pace = 0.05 * _noise(40) * np.linspace(1.2, 1, 40)
    (found,) = findings(_record(pace))
    assert found.kind == "drifting"
    assert "faster" in warning_text(found)


def test_steps_that_dip_in_the_middle_do_not_drift() -> None:
    pace = 0.05 * _noise(40)
    pace[8:24] *= np.linspace(0.4, 0.8, 16)
    assert "drifting" not in _kinds(_record(pace))


def _two_modes(seed: int = 1) -> tuple[Floats, Floats]:
    slow = np.random.default_rng(seed).random(40) < 0.4
    return 0.064 * np.where(slow, 1.7, 1.0) * _noise(40, seed), np.where(slow, 1.0, 1.8)


def test_two_modes_are_found_and_explained_by_the_cores_that_were_busy() -> None:
    pace, cores = _two_modes()
    (found,) = findings(_record(pace, cores=cores))
    assert found.kind == "bimodal"
    assert warning_text(found).endswith("with 1 cores busy instead of 1.8")
    assert found.value == pytest.approx(1.7, rel=0.05)


def test_two_modes_with_equal_cores_are_found_and_not_explained() -> None:
    (found,) = findings(_record(_two_modes()[0]))
    assert found.kind == "bimodal"
    assert "cores" not in warning_text(found)


def test_a_switch_of_modes_that_happens_once_is_no_bimodality() -> None:
    pace = 0.05 * _noise(40)
    pace[20:] *= 1.5
    assert "bimodal" not in _kinds(_record(pace))


def test_single_outliers_are_no_second_mode() -> None:
    pace = 0.05 * _noise(100)
    pace[[3, 50]] *= 5
    assert "bimodal" not in _kinds(_record(pace))


def test_idle_stretches_are_stalls() -> None:
    pace, cores = 0.05 * _noise(40), np.full(40, 1.8)
    pace[[7, 25]] *= 8
    cores[[7, 25]] = 0.2
    assert "stalled" in _kinds(_record(pace, cores=cores))


def test_too_few_timings_are_said_to_be_untested() -> None:
    assert _kinds(_record([0.05, 0.05, 0.05])) == {"untested"}


def test_stamped_steps_are_tested_even_in_a_single_block() -> None:
    assert _kinds(_record([0.05], steps=200, stamps=True)) == set()


def test_a_record_without_steady_steps_has_nothing_to_be_tested() -> None:
    assert findings(_record([])) == ()


def test_ordinary_noise_is_rarely_called_unsteady() -> None:
    made = study(repeats=100, axes={}, devices=("cpu",), epochs=5, noise=Noise())
    assert sum(len(findings(record)) for record in made.records) <= 5


def test_a_process_in_the_slow_mode_is_named_beside_its_siblings() -> None:
    made = study(repeats=3, devices=("cpu",), axes={})
    slow = made.records[1]
    blocks = [
        block.model_copy(update={"wall_s": block.wall_s * 1.7, "step_s": []})
        for block in slow.blocks
    ]
    records = [made.records[0], slow.model_copy(update={"blocks": blocks}), made.records[2]]
    warned = cells_frame(made.plan, records)["warnings"]
    kinds = [[kind for kind, _ in warnings] for warnings in warned]
    assert ["bimodal" in each for each in kinds] == [False, True, False]
    message = dict(warned[1])["bimodal"]
    assert "1.1 cores busy instead of 1.8" in message


def test_a_slow_process_with_all_cores_busy_is_only_slow() -> None:
    made = study(repeats=3, devices=("cpu",), axes={})
    slow = made.records[1]
    blocks = [
        block.model_copy(
            update={"wall_s": block.wall_s * 1.7, "cpu_s": block.cpu_s * 1.7, "step_s": []}
        )
        for block in slow.blocks
    ]
    records = [made.records[0], slow.model_copy(update={"blocks": blocks}), made.records[2]]
    warned = cells_frame(made.plan, records)["warnings"]
    assert "slow-process" in dict(warned[1])


def test_a_process_that_others_slowed_is_not_called_bimodal() -> None:
    made = study(repeats=3, devices=("cpu",), axes={})
    slow = made.records[1]
    blocks = [
        block.model_copy(update={"wall_s": block.wall_s * 1.7, "other_cpu_s": block.wall_s})
        for block in slow.blocks
    ]
    records = [made.records[0], slow.model_copy(update={"blocks": blocks}), made.records[2]]
    warned = dict(cells_frame(made.plan, records)["warnings"][1])
    assert "bimodal" not in warned
    assert "while others kept 0.59 cores busy" in warned["slow-process"]


# The questions to a series --------------------------------------------------------------------


def _run(
    drift: float, seed: int, devices: int = 6, repeats: int = 4
) -> list[list[tuple[float, float]]]:
    """Cells of levels far apart, whose processes vary by 2 %, repeat after repeat."""
    rng = np.random.default_rng(seed)
    count = devices * repeats
    cells: list[list[tuple[float, float]]] = [[] for _ in range(devices)]
    for repeat in range(repeats):
        for turn, device in enumerate(rng.permutation(devices)):
            place = repeat * devices + turn
            late = (1 + drift) ** (place / (count - 1))
            cells[device].append((place, 10.0**device * late * float(np.exp(rng.normal(0, 0.02)))))
    return cells


def test_the_drift_that_all_cells_of_a_run_share_is_estimated() -> None:
    found = [shared_trend(_run(0.10, seed)) for seed in range(200)]
    assert np.mean([each.change for each in found]) == pytest.approx(0.10, abs=0.005)
    assert np.mean([each.certain for each in found]) > 0.95


def test_a_machine_at_rest_is_seldom_said_to_drift() -> None:
    found = [shared_trend(_run(0.0, seed)) for seed in range(1000)]
    # One in a hundred, with a standard error of 0.3 points.
    assert 1 <= sum(each.certain for each in found) <= 20


def test_a_few_processes_say_nothing_of_a_drift() -> None:
    assert not shared_trend(_run(3.0, 0, devices=2, repeats=2)).certain
    assert not shared_trend([]).certain
    assert not shared_trend([[(0.0, 1.0)]] * 20).certain


@pytest.mark.parametrize(("factor", "word"), [(1.2, "slower"), (1 / 1.2, "faster")])
def test_a_machine_that_drifts_over_a_run_is_told_beside_its_numbers(
    factor: float, word: str
) -> None:
    made = study(noise=Noise(process=0.005, step=0.01, outlier_share=0), epochs=2)
    ordered = sorted(made.records, key=lambda each: (each.cell.repeat, each.key))
    drifted = []
    for place, record in enumerate(ordered):
        # Never faster than it was made: times above the peak of the processor are refused.
        late = max(1.0, 1 / factor) * factor ** (place / (len(ordered) - 1))
        blocks = [one.model_copy(update={"wall_s": late * one.wall_s}) for one in record.blocks]
        moment = f"2026-01-01T{place // 60:02}:{place % 60:02}:00+00:00"
        update = {"blocks": blocks, "started_at": moment}
        drifted.append(record.model_copy(update=update))
    results = results_of(made.plan, drifted)
    said = [
        [warning_text(found) for found in each.warnings if found.kind == "drifting-machine"]
        for each in results
    ]
    assert len(said) == len(drifted)
    assert all(word in message for (message,) in said)
    at_rest = results_of(made.plan, made.records)
    assert "drifting-machine" not in {found.kind for each in at_rest for found in each.warnings}
