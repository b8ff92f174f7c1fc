"""Series: what is seen, what lies ahead, the scaling, and every way a table can be wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accelreport.datasets.base import Dataset
from accelreport.datasets.cache import misplaced
from accelreport.datasets.errors import DataCorrupt, DataUnavailable
from accelreport.datasets.load import load

OPTIONS = {"path": "own.csv", "time": ["when"], "targets": ["t"], "horizon": 3}


def own_table(rows: int = 100) -> pd.DataFrame:
    """Hours, a column that counts, one that falls, and words."""
    return pd.DataFrame(
        {
            "when": pd.date_range("2024-02-28", periods=rows, freq="h").astype(str),
            "t": np.arange(rows) * 2.0,
            "u": -np.arange(rows) + 0.5,
            "sky": np.resize(["rain", "sun", "fog"], rows),
        }
    )


def own(folder: Path, table: pd.DataFrame | bytes, **options: Any) -> Dataset:
    data = table if isinstance(table, bytes) else table.to_csv(index=False).encode()
    (folder / "own.csv").write_bytes(data)
    return load("csv", mode="real", options={**OPTIONS, **options})


def unscaled(data: Dataset, part: str, which: str) -> np.ndarray:
    arrays = data.train if part == "train" else data.validation
    ranges = np.array(data.details[f"{which}_range"])
    values: np.ndarray = arrays[f"{which}s"] * (ranges[:, 1] - ranges[:, 0]) + ranges[:, 0]
    return values


def test_targets_lie_the_horizon_ahead_and_come_back_in_real_units(data_folder: Path) -> None:
    data = own(data_folder, own_table())
    assert data.details["inputs"] == ["t", "u", "day of year", "hour"]
    seen = np.concatenate([unscaled(data, part, "input") for part in ("train", "validation")])
    ahead = np.concatenate([unscaled(data, part, "target") for part in ("train", "validation")])
    assert seen.shape == (97, 4)
    assert np.allclose(ahead[:, 0], (np.arange(97) + 3) * 2, atol=1e-4)
    assert np.allclose(seen[:, 1], -np.arange(97) + 0.5, atol=1e-4)
    assert seen[:, 2].round().tolist() == [59 + hour // 24 for hour in range(97)]  # 29 February
    assert seen[:, 3].round().tolist() == [hour % 24 for hour in range(97)]
    assert data.details["step_s"] == 3600
    assert data.details["first_time"] == "2024-02-28T00:00:00"


def test_scaling_is_fitted_on_the_training_part_alone(data_folder: Path) -> None:
    data = own(data_folder, own_table(), calendar=False)
    assert len(data.train["inputs"]) == 87
    for arrays in (data.train["inputs"], data.train["targets"]):
        assert arrays.dtype == np.float32
        assert arrays.min(axis=0).tolist() == [0.0] * arrays.shape[1]
        assert arrays.max(axis=0).tolist() == [1.0] * arrays.shape[1]
    assert data.validation["targets"].min() > 1
    assert data.validation["inputs"][:, 1].max() < 0


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.integers(17, 200),
    horizon=st.integers(0, 80),
    share=st.floats(0.05, 0.95, allow_nan=False),
)
def test_parts_join_without_gap_or_overlap(
    data_folder: Path, rows: int, horizon: int, share: float
) -> None:
    options = {"horizon": horizon, "train_share": share}
    if rows - horizon < 16 or int(share * (rows - horizon)) < 1:
        with pytest.raises(DataCorrupt, match="rows; at least 16"):
            own(data_folder, own_table(rows), **options)
        return
    data = own(data_folder, own_table(rows), **options)
    joined = np.concatenate([unscaled(data, part, "input") for part in ("train", "validation")])
    assert np.allclose(joined[:, 0], np.arange(rows - horizon) * 2, atol=1e-3)
    assert len(data.train["inputs"]) == int(share * (rows - horizon))


def test_words_become_inputs_of_zero_and_one(data_folder: Path) -> None:
    data = own(data_folder, own_table(), one_hot=["sky"], calendar=False)
    assert data.details["inputs"] == ["t", "u", "sky=fog", "sky=rain", "sky=sun"]
    hot = data.train["inputs"][:, 2:]
    assert (hot.sum(axis=1) == 1).all()
    assert hot[:3].tolist() == [[0, 1, 0], [0, 0, 1], [1, 0, 0]]


def with_gaps() -> pd.DataFrame:
    table = own_table()
    table.loc[[0, 40, 41, 99], "u"] = np.nan
    return table


def test_missing_values_are_an_error_unless_one_says_what_to_do(data_folder: Path) -> None:
    with pytest.raises(DataCorrupt, match=r"4 values are missing, such as 'u' at 2024-02-28 00"):
        own(data_folder, with_gaps())


@pytest.mark.parametrize(
    ("missing", "rows", "middle", "said"),
    [
        ("drop", 93, None, "4 rows without all values were left out. The rows are not equally"),
        ("forward_fill", 96, [-38.5, -38.5], "3 missing values were given the last value"),
        ("interpolate", 96, [-39.5, -40.5], "3 missing values were interpolated in time"),
    ],
)
def test_missing_values_are_treated_as_one_says(
    data_folder: Path, missing: str, rows: int, middle: list[float] | None, said: str
) -> None:
    data = own(data_folder, with_gaps(), missing=missing)
    assert len(data.train["inputs"]) + len(data.validation["inputs"]) == rows
    assert said in data.note
    if middle:
        assert np.allclose(unscaled(data, "train", "input")[39:41, 1], middle, atol=1e-4)
        assert "1 rows without all values were left out" in data.note


@pytest.mark.parametrize(
    ("change", "options", "why"),
    [
        ({}, {"targets": ["x"]}, "no column 'x'; its columns are when, t, u, sky"),
        ({}, {"inputs": ["sky"]}, "Column 'sky' has 'rain' in row 1, which is not a number"),
        ({"u": "inf"}, {}, "Column 'u' has 'inf' in row 1"),
        ({"when": "yesterday"}, {}, r"'yesterday' in row 1 of when cannot be read as a date"),
        ({"when": ""}, {}, "The time in row 1 is missing"),
        ({"when": "0000-02-28 00:00:00"}, {}, "row 1 is outside the years 1 to 9999"),
        ({"when": "2024-02-28 00:00:00"}, {}, r"row 2 .* is not after the one before"),
        ({}, {"time": ["when", "t"]}, "must be called year, month, day"),
        ({}, {"horizon": 99}, "leaves 1 rows"),
        ({}, {"separator": ";"}, "no column 'when'"),
    ],
)
def test_a_table_that_cannot_become_a_series_is_refused_in_words(
    data_folder: Path, change: dict[str, str], options: dict[str, Any], why: str
) -> None:
    table = own_table().astype(dict.fromkeys(change, object))
    for name, value in change.items():
        table[name] = value
    with pytest.raises(DataCorrupt, match=why) as caught:
        own(data_folder, table, **options)
    assert caught.value.path == str(data_folder / "own.csv")


def mixed() -> pd.DataFrame:
    """Three stations of 40 hours each, hour by hour, of which each counts from elsewhere."""
    names = ["EWR", "JFK", "LGA"]
    tables = [own_table(40).assign(station=name, deck=5 * at) for at, name in enumerate(names)]
    for at, table in enumerate(tables):
        table["t"] += 1000 * at
    return pd.concat(tables).sort_values("when", kind="stable")


def test_mixed_series_are_told_apart_and_one_of_them_is_read(data_folder: Path) -> None:
    with pytest.raises(DataCorrupt, match="3 series are mixed, which column 'station'") as refused:
        own(data_folder, mixed())
    assert 'where = { "station" = "EWR" }' in str(refused.value)
    for where in ({"station": "JFK"}, {"deck": 5}, {"station": "JFK", "deck": 5.0}):
        data = own(data_folder, mixed(), where=where, inputs=["u"])
        ahead = np.concatenate([unscaled(data, part, "target") for part in ("train", "validation")])
        assert np.allclose(ahead[:, 0], 1000 + (np.arange(37) + 3) * 2, atol=1e-3)
    with pytest.raises(DataCorrupt, match="No row has 'ORD' in column 'station', which has EWR"):
        own(data_folder, mixed(), where={"station": "ORD"})


@given(st.permutations(range(40)))
@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_rows_in_any_order_are_one_series_once_sorted(data_folder: Path, order: list[int]) -> None:
    table = own_table(40)
    data = own(data_folder, table.iloc[order], sort=True)
    straight = own(data_folder, table)
    assert np.array_equal(data.train["inputs"], straight.train["inputs"])
    if order != sorted(order):
        with pytest.raises(DataCorrupt, match="write sort = true"):
            own(data_folder, table.iloc[order])


@pytest.mark.parametrize(("which", "third"), [("first", 4.0), ("last", 10.0), ("mean", 7.0)])
def test_rows_of_the_same_time_become_what_one_says(
    data_folder: Path, which: str, third: float
) -> None:
    table = own_table().drop(columns="sky")
    again = table.iloc[[2]].assign(t=10.0)
    table = pd.concat([table.iloc[:3], again, table.iloc[3:]])
    with pytest.raises(DataCorrupt, match=r'row 4 .* write duplicates = "first", "last" or "mean"'):
        own(data_folder, table)
    data = own(data_folder, table, duplicates=which)
    assert unscaled(data, "train", "input")[2, 0] == pytest.approx(third, abs=1e-4)
    assert len(data.train["inputs"]) + len(data.validation["inputs"]) == 97


def test_times_of_a_zone_are_told_in_universal_time_and_its_clock_changes_are_no_gaps(
    data_folder: Path,
) -> None:
    moments = pd.date_range("2024-03-30", periods=100, freq="h", tz="Europe/Berlin")
    table = own_table().assign(when=moments.tz_localize(None).astype(str))
    data = own(data_folder, table, time_zone="Europe/Berlin")
    assert data.details["first_time"] == "2024-03-29T23:00:00"
    assert "not equally spaced" not in data.note
    assert "not equally spaced" in own(data_folder, table).note
    with pytest.raises(DataCorrupt, match="not fit the time zone Europe/Berlin"):
        own(data_folder, own_table().assign(when=own_hours()), time_zone="Europe/Berlin")
    with pytest.raises(DataCorrupt, match="zone Moon/Sea"):
        own(data_folder, table, time_zone="Moon/Sea")


def own_hours() -> list[str]:
    """Hours of universal time, of which one never was in Berlin."""
    return list(pd.date_range("2024-03-31", periods=100, freq="h").astype(str))


@pytest.mark.parametrize("name", ["t", "u", " u", "when"])
def test_two_columns_of_one_name_are_refused_and_none_is_renamed(
    data_folder: Path, name: str
) -> None:
    text = own_table().to_csv(index=False)
    data = text.replace(",sky\n", f",{name}\n").encode()
    with pytest.raises(DataCorrupt, match=f"two columns with the name '{name.strip()}'"):
        own(data_folder, data, inputs=["t"])


@pytest.mark.parametrize(
    "data",
    [b"", b"\n\n", b"\x00\x01\x02", b'a,b\n"unclosed', b"a,b\n1,2,3,4\n5\n", b"\xff\xfe\xff"],
)
def test_what_is_no_table_is_refused(data_folder: Path, data: bytes) -> None:
    with pytest.raises(DataCorrupt):
        own(data_folder, data)


def test_other_ways_of_writing_a_table_can_be_named(data_folder: Path) -> None:
    rows = [f"{1 + day:02d}.03.2024;{day},5;n/v" for day in range(28)]
    text = "\ufeffdatum;wert;rest\n" + "\n".join(rows) + "\n"
    data = own(
        data_folder,
        text.encode(),
        time=["datum"],
        time_format="%d.%m.%Y",
        targets=["wert"],
        inputs=["wert"],
        separator=";",
        decimal=",",
        na_values=["n/v"],
    )
    assert data.details["step_s"] == 86_400
    assert data.details["target_range"] == [[3.5, 24.5]]


def test_the_beijing_file_is_read_with_its_four_columns_of_time(some_data: Path) -> None:
    data = load("beijing_pm25", mode="real")
    assert data.details["targets"] == ["TEMP", "Iws", "PRES"]
    assert data.details["inputs"][7:11] == ["cbwd=NE", "cbwd=NW", "cbwd=SE", "cbwd=cv"]
    assert data.details["first_time"] == "2010-01-02T00:00:00"
    assert data.train["inputs"].shape[1] == 13
    assert "24 rows without all values were left out" in data.note


def test_a_relative_path_begins_at_the_spec_then_at_the_data_and_warns_of_the_working_folder(
    tmp_path: Path, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    specs, working = tmp_path / "specs", tmp_path / "working"
    folders = (specs, data_folder, working)
    for folder in folders:
        folder.mkdir(exist_ok=True)
        own_table(100 + 10 * folders.index(folder)).to_csv(folder / "own.csv", index=False)
    monkeypatch.chdir(working)
    found = []
    for folder in folders:
        assert bool(misplaced("own.csv", str(specs))) == (folder is working)
        data = load("csv", mode="real", options=OPTIONS, folder=str(specs))
        found.append(len(data.train["inputs"]))
        told = misplaced("own.csv", str(specs))
        (folder / "own.csv").unlink()
    assert found == sorted(set(found)), "not in the order of the folders"
    assert f"({working / 'own.csv'})" in told
    assert f"move it to {specs / 'own.csv'}" in told
    with pytest.raises(DataUnavailable) as gone:
        load("csv", mode="real", options=OPTIONS, folder=str(specs))
    assert all(str(folder / "own.csv") in gone.value.why for folder in folders)
