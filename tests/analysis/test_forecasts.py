"""What a forecast has to beat: guesses that know no more than the network did."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelreport.analysis.learning import forecast_errors
from accelreport.results.record import Forecast

DAILY = [float(i % 24) for i in range(200)]


def forecast(true: list[float], predicted: list[float] | None = None, **more: object) -> Forecast:
    given = {"step_s": 3600.0, "ignored_steps": 10, "horizon_steps": 24, **more}
    return Forecast.model_validate(
        {
            "target": "t",
            "first_time": "2014-01-01",
            "true": true,
            "predicted": predicted or [value + 0.5 for value in true],
            **given,
        }
    )


def test_a_series_that_repeats_every_day_is_known_from_yesterday() -> None:
    found = forecast_errors(forecast(DAILY), 24)
    assert [each.name for each in found.naive] == ["same hour yesterday", "always the mean"]
    assert found.naive[0].error == 0
    assert found.model == pytest.approx(0.5)
    assert found.values == 200 - 24, "nobody knows the day before the first"


def test_the_mean_is_that_of_what_was_learned_from_where_the_record_has_it() -> None:
    known = forecast_errors(forecast(DAILY, train_mean=100.0), 24)
    assert known.naive[-1].error == pytest.approx(100 - sum(DAILY[24:]) / len(DAILY[24:]))
    assert forecast_errors(forecast(DAILY), 24).naive[-1].error == pytest.approx(6, abs=0.1)


@pytest.mark.parametrize(
    ("step_s", "ahead", "name"),
    [
        (3600.0, 30, "same hour 2 days before"),
        (600.0, 1, "same time yesterday"),
        (7000.0, 3, "no change"),
        (86_400.0, 1, "no change"),
    ],
)
def test_the_guess_is_named_by_how_far_back_it_must_look(
    step_s: float, ahead: int, name: str
) -> None:
    long = forecast(DAILY * 3, step_s=step_s, horizon_steps=ahead)
    assert name in [each.name for each in forecast_errors(long, 24).naive]


@given(st.integers(1, 60), st.integers(0, 40), st.integers(0, 1000))
def test_no_guess_looks_at_what_had_not_come_when_the_forecast_was_made(
    ahead: int, ignored: int, seed: int
) -> None:
    """It must hold for every value alone: what lies within the horizon does not matter."""
    true = np.random.default_rng(seed).uniform(-9, 9, 160).tolist()
    one = forecast(true, true, horizon_steps=ahead, ignored_steps=ignored, train_mean=0.0)
    last = len(true) - 1
    other = one.model_copy(
        update={
            "true": [
                value if not last - ahead < i < last else value + 50 for i, value in enumerate(true)
            ]
        }
    )

    def guessed(made: Forecast) -> list[float]:
        """What each guess misses the last value by."""
        shorter = made.model_copy(
            update={"true": made.true[:last], "predicted": made.predicted[:last]}
        )
        whole, rest = forecast_errors(made, 24), forecast_errors(shorter, 24)
        sums = {each.name: each.error * whole.values for each in whole.naive}
        return [sums[each.name] - each.error * rest.values for each in rest.naive]

    assert sorted(guessed(one)) == pytest.approx(sorted(guessed(other)), abs=1e-6)


def test_a_model_that_diverged_errs_without_bound() -> None:
    assert not math.isfinite(forecast_errors(forecast(DAILY, [math.nan] * 200), 24).model)
