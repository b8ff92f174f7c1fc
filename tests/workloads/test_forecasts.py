"""Windows of a series, and forecasts in real units."""

from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from accelreport.datasets.base import Dataset
from accelreport.workloads.series_forecast import (
    FAMILY,
    SeriesForecastParameters,
    forecasts,
    problem,
)
from tests.workloads.conftest import dataset

pytestmark = pytest.mark.e2e

SMALL = {"window": 12, "ignored_steps": 5, "units": 4}


def parameters(**changes: Any) -> SeriesForecastParameters:
    return SeriesForecastParameters.model_validate({**SMALL, **changes})


@pytest.fixture(scope="module")
def series() -> Dataset:
    """Series that count, so that every window shows where it was taken."""

    def part(first: int, rows: int) -> dict[str, Any]:
        row = np.arange(first, first + rows, dtype=np.float32)[:, None]
        return {
            "inputs": row * 0.001 + np.arange(20, dtype=np.float32),
            "targets": row * 0.0005 + np.arange(3, dtype=np.float32) * 0.1,
        }

    return dataset(
        part(0, 100),
        part(100, 40),
        targets=["temperature", "wind", "pressure"],
        target_range=[[-20.0, 30.0], [0.0, 40.0], [950.0, 1050.0]],
        horizon=24,
        step_s=3600.0,
        validation_time="2014-07-01T00:00:00",
    )


@pytest.mark.parametrize(("kernel", "size"), [("default", 821_763), ("keras2", 820_227)])
def test_the_weather_model_has_the_published_size(kernel: str, size: int, series: Dataset) -> None:
    changes = {"window": 60, "units": 512, "kernel": kernel}
    assert problem(parameters(**changes), series).model().count_params() == size


def test_a_window_is_cut_where_it_begins_and_the_last_one_ends_with_the_data(
    series: Dataset,
) -> None:
    made = problem(parameters(), series)
    assert made.examples == 100 - 12 + 1
    x, y = made.take(made.resident, np.array([3, 88], np.int32))
    assert np.asarray(x).shape == (2, 12, 20)
    assert np.asarray(x)[0] == pytest.approx(series.train["inputs"][3:15])
    assert np.asarray(x)[1] == pytest.approx(series.train["inputs"][88:100])
    assert np.asarray(y)[1] == pytest.approx(series.train["targets"][88:100])


def test_the_validation_data_are_one_sequence(series: Dataset) -> None:
    made = problem(parameters(validation_rows=30), series)
    assert made.validation is not None
    x, y = made.take(made.validation, np.array([0], np.int32))
    assert np.asarray(x).shape == (1, 30, 20)
    assert np.asarray(y)[0] == pytest.approx(series.validation["targets"][:30])


def test_the_loss_leaves_out_the_steps_in_which_nothing_was_seen(series: Dataset) -> None:
    made = problem(parameters(), series)
    x, y = made.take(made.resident, np.array([0, 40], np.int32))
    outputs = np.asarray(made.model()(x))
    expected = ((np.asarray(y) - outputs)[:, 5:] ** 2).mean(axis=(1, 2))
    assert np.asarray(made.loss(y, outputs)) == pytest.approx(expected, rel=1e-4)


def test_a_forecast_is_shown_in_real_units_at_the_time_it_speaks_of(series: Dataset) -> None:
    chosen = parameters(forecast_steps=8, target_units=["°C", "m/s"])
    made = problem(chosen, series)
    model = made.model()
    found = forecasts(chosen, series, model)
    assert [each.target for each in found] == ["temperature", "wind", "pressure"]
    assert [each.unit for each in found] == ["°C", "m/s", ""]
    assert found[0].first_time == "2014-07-02T00:00:00", "24 hours after what was seen"
    assert found[0].true == pytest.approx(
        [0.0005 * row * 50 - 20 for row in range(100, 108)], rel=1e-4
    )
    outputs = np.asarray(model(series.validation["inputs"][None, :8]))[0]
    assert found[2].predicted == pytest.approx(outputs[:, 2] * 100 + 950, rel=1e-4)
    assert found[2].ignored_steps == 5


def test_a_forecast_carries_what_naive_guesses_need(series: Dataset) -> None:
    chosen = parameters(forecast_steps=8)
    first = forecasts(chosen, series, problem(chosen, series).model())[0]
    assert first.horizon_steps == 24
    assert first.train_mean == pytest.approx(0.0005 * 49.5 * 50 - 20), "of what it learned from"


def test_a_csv_file_is_described_and_any_other_data_set_describes_itself() -> None:
    csv = {"path": "mine.csv", "time": ["when"], "targets": ["a"]}
    made = SeriesForecastParameters.model_validate({"dataset": "csv", "series": csv})
    request = FAMILY.data(made)
    assert request is not None
    assert request.options == csv
    with pytest.raises(ValidationError, match="needs `targets`"):
        SeriesForecastParameters.model_validate(
            {"dataset": "csv", "series": {"path": "mine.csv", "time": ["when"]}}
        )
    with pytest.raises(ValidationError, match="belongs to a CSV file"):
        SeriesForecastParameters.model_validate({"series": {"path": "mine.csv"}})
