"""What is imported, and then read by the spec's own parser, is what was given: nothing else."""

from __future__ import annotations

import csv
import io
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accelreport.importing import published
from accelreport.importing.published import append
from accelreport.importing.reader import Asked, Unreadable
from accelreport.loader.load import load
from accelreport.spec.base import parse_duration, parse_tflops
from tests.importing.files import SOURCE, SPEC, a_file, a_spec, rows

WRITABLE = st.characters(exclude_categories=["Cs"])
ANY = st.text(WRITABLE, max_size=40)
ATTACK = st.sampled_from(
    [
        '"\n[[claims]]\ntext = "mine"',
        "'''\n[workload]\n",
        '"""',
        '\\"',
        "\\",
        "x\r\n[measure]\nrepeats = 1000 #",
        "\x00\x1b[31m\x7f\x85\u2028\u202e\ufeff",
        '=HYPERLINK("http://evil.example/")',
        "a,b;c\td",
        "{ x = 1 }",
        "true",
        "1979-05-27",
        "007",
    ]
)
TEXT = ANY | ATTACK | st.builds("{}{}{}".format, ANY, ATTACK, ANY)
LABEL = TEXT.filter(lambda text: text.strip() != "")
SECONDS = st.one_of(
    st.floats(1e-9, 1e9).map(repr),
    st.integers(1, 10**9).map(str),
    st.builds("{} {}".format, st.integers(1, 999), st.sampled_from(["s", "ms", "µs", "h", "min"])),
)
RATE = st.floats(1e-6, 1e6).map(repr) | st.builds(
    "{} {}".format, st.integers(1, 999), st.sampled_from(["TFLOPS", "GFLOPS", "PFLOP/s"])
)
ROW = st.fixed_dictionaries(
    {"label": LABEL, "note": LABEL, "step_time": SECONDS, "tflops": RATE},
    optional={"batch_size": st.sampled_from(["256", "512"])},
)
ROWS = st.lists(ROW, min_size=1, max_size=4, unique_by=lambda row: row["label"])

AXES = {"batch_size": (256, 512)}


def _read(text: str, parse: Any) -> float:
    try:
        return float(text)
    except ValueError:
        return float(parse(text))


def _appended(folder: Path, path: Path) -> Path:
    spec = a_spec(folder)
    append(spec, rows(path, Asked(AXES)))
    return spec


def _rest(spec: Path) -> tuple[str, dict[str, Any]]:
    """What the spec holds before the figures, as text; and as values, without them."""
    text = spec.read_bytes().decode()
    return text[: len(SPEC)], {
        key: value for key, value in tomllib.loads(text).items() if key != "published"
    }


def _values(spec: Path) -> list[dict[str, Any]]:
    """The published rows as the spec's parser reads them."""
    return [row.model_dump(exclude_defaults=True) for row in load([spec]).specs[0].published]


def _expected(path: Path, row: dict[str, str]) -> dict[str, Any]:
    where = {"where": {"batch_size": int(row["batch_size"])}} if "batch_size" in row else {}
    return {
        "device": "gpu",
        "label": row["label"],
        "note": row["note"],
        "step_time": _read(row["step_time"], parse_duration),
        "tflops": _read(row["tflops"], parse_tflops),
        "source": SOURCE,
        "imported": path.name,
        **where,
    }


@settings(max_examples=40)
@given(ROWS)
def test_a_csv_file_becomes_exactly_its_values(
    tmp_path_factory: pytest.TempPathFactory, given_rows: list[dict[str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("csv")
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, ["label", "note", "step_time", "tflops", "batch_size"])
    writer.writeheader()
    writer.writerows(given_rows)
    path = a_file(folder, text.getvalue())
    spec = _appended(folder, path)
    assert _values(spec) == [_expected(path, row) for row in given_rows]
    assert _rest(spec) == (SPEC, tomllib.loads(SPEC))


VALUE = (
    st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.decimals(allow_nan=False, allow_infinity=False, places=5)
    | TEXT
)


def _floats(value: Any) -> Any:
    return value if isinstance(value, bool | int | str) else float(value)


@given(st.dictionaries(TEXT, VALUE, max_size=5), st.dictionaries(TEXT, VALUE, max_size=3))
def test_any_row_is_read_back_from_its_toml(row: dict[str, Any], inner: dict[str, Any]) -> None:
    text = published.table({**row, "where": inner})
    assert text.count("\n") == len({**row, "where": inner}) + 1
    assert all(char == "\n" or char.isprintable() for char in text)
    (read,) = tomllib.loads(text)["published"]
    assert {key: _floats(value) for key, value in read.pop("where").items()} == {
        key: _floats(value) for key, value in inner.items()
    }
    wanted = {key: _floats(value) for key, value in row.items() if key != "where"}
    assert {key: _floats(value) for key, value in read.items()} == wanted


def test_half_a_character_is_refused_and_not_replaced(tmp_path: Path) -> None:
    path = a_file(tmp_path, '[{"label": "\\ud800", "epoch_time": 6}]', "half.json")
    with pytest.raises(Unreadable, match=r"half\.json, row 1: a text holds half a character"):
        rows(path)
