"""The Danish archive: text only, brought to full hours as the tutorial does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from accelreport.datasets.errors import DataCorrupt
from accelreport.datasets.load import load
from accelreport.datasets.weather_denmark import CITIES, INPUTS
from tests.datasets.layouts import danish_readings, write_denmark


def by_the_tutorial(readings: pd.DataFrame) -> pd.DataFrame:
    """Every minute interpolated in time, every hour of those, hours of all cities."""
    hourly = []
    for city in CITIES:
        minutes = readings.xs(city).dropna(how="all").resample("1min").interpolate(method="time")
        hourly.append(minutes.resample("60min").interpolate().dropna(how="all"))
    joined = pd.concat(hourly, keys=CITIES, axis=1, join="inner")
    joined.columns = [" ".join(name) for name in joined.columns]
    return joined


def test_hours_agree_with_the_tutorials_resampling(data_folder: Path) -> None:
    write_denmark(data_folder)
    data = load("weather_denmark", mode="real")
    table = by_the_tutorial(danish_readings()).dropna(subset=list(INPUTS))
    assert data.details["inputs"] == [*INPUTS, "day of year", "hour"]
    assert data.details["first_time"] == table.index[0].isoformat()
    seen = np.concatenate([data.train["inputs"], data.validation["inputs"]])
    ranges = np.array(data.details["input_range"])
    values = seen * (ranges[:, 1] - ranges[:, 0]) + ranges[:, 0]
    wanted = table[list(INPUTS)].to_numpy()[: len(values)]
    assert len(values) == len(table) - 24
    assert np.allclose(values[:, :18], wanted, atol=1e-3)


def test_it_reads_the_same_again_from_what_it_kept(data_folder: Path) -> None:
    write_denmark(data_folder)
    first = load("weather_denmark", mode="real")
    again = load("weather_denmark", mode="real")
    assert again.fingerprint == first.fingerprint
    assert again.details == first.details


def test_other_cities_can_be_predicted(data_folder: Path) -> None:
    write_denmark(data_folder)
    options = {"targets": ["Aarhus WindDir"], "horizon": 6, "calendar": False}
    data = load("weather_denmark", mode="real", options=options)
    assert data.train["targets"].shape[1] == 1
    assert data.train["inputs"].shape[1] == 18


READINGS = danish_readings().reset_index()


@pytest.mark.parametrize(
    ("members", "why"),
    [
        ({}, "no member 'weather-denmark.csv'"),
        ({"weather-denmark.csv": b"City,DateTime\n"}, "has no readings"),
        ({"weather-denmark.csv": b"<html></html>"}, "has no readings"),
        (
            {"weather-denmark.csv": READINGS[READINGS.City != "Odense"].to_csv().encode()},
            "no readings of Odense",
        ),
        (
            {"weather-denmark.csv": READINGS.assign(Temp="warm").to_csv().encode()},
            "has no readings",
        ),
        (
            {"weather-denmark.csv": READINGS.assign(DateTime="at noon").to_csv().encode()},
            "has no readings",
        ),
    ],
)
def test_an_archive_of_another_form_is_refused(
    data_folder: Path, members: dict[str, bytes], why: str
) -> None:
    write_denmark(data_folder, members)
    with pytest.raises(DataCorrupt, match=why):
        load("weather_denmark", mode="real")
