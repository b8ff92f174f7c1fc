"""The noise of a machine: what is estimated of it, and whether repeats show what it predicts."""

from __future__ import annotations

from math import log, log1p

import numpy as np
import pytest

from accelreport.analysis.noise import Noise, nearest, noise_of
from accelreport.analysis.stats import POWER, one_sample
from tests.support.records import study

SMALL = Noise(
    workload="",
    device="cpu",
    point={},
    machine="0a1b2c3d",
    pairs=10,
    spread=0.04,
    measured_at="2026-05-31T00:00:00.000+00:00",
)


@pytest.mark.parametrize("repeats", [3, 5, 10])
def test_so_many_repeats_show_the_predicted_slowdown_as_often_as_is_said(repeats: int) -> None:
    generator, experiments = np.random.default_rng(7), 4000
    slower = -log1p(SMALL.shown_by(repeats))
    ratios = slower + SMALL.spread * generator.standard_normal((experiments, repeats))
    shown = sum(one_sample(list(row)).ratio().high < 1 for row in ratios)
    # The formula adds two quantiles of t, an approximation: 77 % at three, 81 % at ten.
    assert abs(shown / experiments - POWER) < 0.04
    half = -log1p(SMALL.shown_by(repeats) / 2)
    ratios = half + SMALL.spread * generator.standard_normal((experiments, repeats))
    assert sum(one_sample(list(row)).ratio().high < 1 for row in ratios) / experiments < POWER


def test_the_repeats_that_a_slowdown_needs_are_the_fewest_that_show_it() -> None:
    for slowdown in (0.02, 0.05, 0.3):
        needed = SMALL.repeats_for(slowdown)
        assert needed is not None
        assert SMALL.shown_by(needed) < slowdown
        assert needed == 2 or SMALL.shown_by(needed - 1) >= slowdown
    assert SMALL.repeats_for(1e-4) is None


def test_neighbours_in_time_make_pairs_whose_true_ratio_is_one() -> None:
    made = study("matmul", devices=("cpu",), axes={"size": (512,)}, repeats=7)
    seconds = [1.0, 1.1, 2.0, 2.0, 0.9, 1.0, 55.0]
    begun = [f"2026-05-31T00:00:{second:02}.000+00:00" for second in range(7)]
    timed = [
        (record.model_copy(update={"started_at": at}), value)
        for record, at, value in zip(made.records, begun, seconds, strict=True)
    ]
    found = noise_of("matmul:full", reversed(timed))
    assert found is not None
    expected = np.sqrt(np.mean([log(1.1) ** 2, 0, log(1 / 0.9) ** 2]))
    assert found.pairs == 3, "the seventh has no partner"
    assert found.spread == pytest.approx(expected)
    assert (found.machine, found.device, found.point) == ("0a1b2c3d", "cpu", {"size": 512})
    assert noise_of("matmul:full", timed[:5]) is None, "two pairs tell too little"


def test_what_was_measured_of_a_spec_speaks_before_the_small_network_of_the_same_machine() -> None:
    own = SMALL.model_copy(update={"workload": "mine:full", "point": {"batch_size": 8}})
    known = [SMALL, own]
    asked = {"workload": "mine:full", "device": "cpu"}
    assert nearest(known, "0a1b2c3d", **asked, point={"batch_size": 8}) is own
    assert nearest(known, "0a1b2c3d", **asked, point={"batch_size": 9}) is SMALL
    assert nearest(known, "ffffffff", **asked, point={"batch_size": 8}) is None
    assert nearest(known, "0a1b2c3d", workload="mine:full", device="gpu", point={}) is None
