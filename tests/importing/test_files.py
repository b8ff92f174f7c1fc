"""Whatever a file holds, it is read within limits, or refused with a place and a reason."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accelreport.errors import AccelReportError, ExitCode
from accelreport.importing.reader import LARGEST, Asked, Unreadable, read_given
from tests.importing.files import a_file, rows

HEAD = "label,epoch_time\n"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (b" \n\n", "is empty"),
        (pickle.dumps({"epoch_time": [1.0]}), "Pickled"),
        (b"\x1f\x8b\x08\x00", "Pickled, compressed"),
        (b"\xff\xfel\x00a\x00", "is not UTF-8"),
        (b'{"epoch_time": 6', ":1:17: this is not valid JSON"),
        (b'[{"a": 1, "a": 2}]', 'the key "a" twice'),
        (b"[" * 100_000, "nested too deeply"),
        (b'[{"label": "x", "epoch_time": ' + b"9" * 5000 + b"}]", "digits"),
        (b"a,b,\n1,2,3\n", ":1: the column 3 has no name"),
        (b"a,b,a\n1,2,3\n", 'two columns have the name "a"'),
        (b"label,epoch_time\nx,6 s,7\n", ":2: this row has 3 cells, but there are 2 columns"),
        (b'label,epoch_time\nx,6 s\n"y,7 s\n', ":3: this is not valid CSV"),
        (b"label,epoch_time\n" + b"x" * (10 << 20) + b",6 s\n", "field larger than field limit"),
        (b"label,epoch_time\n" + b"x" * 5000 + b",6 s\n", "has 5,000 characters"),
        (b",".join(b"c%d" % i for i in range(10_000)), "10,000 columns; at most 500 are read"),
        (b'[{"label": "' + b"x" * (10 << 20) + b'"}]', "has 10,485,760 characters"),
        (b'[{"' + b"x" * 1000 + b'": 1}]', "too long for the name of a column"),
        (b"name,seconds\nx,6\n", "unknown format"),
        (b'["epoch_time"]', "unknown format"),
        (b"[" + b'{"epoch_time": 6},' * 60_000 + b"{}]", "more than 50,000 rows"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_reason(
    content: bytes, says: str, tmp_path: Path
) -> None:
    with pytest.raises(Unreadable) as caught:
        rows(a_file(tmp_path, content, "theirs.csv"))
    assert says in str(caught.value)
    assert "theirs.csv" in caught.value.what
    assert len(str(caught.value)) < 1500
    assert caught.value.exit_code == ExitCode.DATA_UNAVAILABLE


def test_a_file_beyond_the_limit_is_not_read_to_its_end(tmp_path: Path) -> None:
    path = a_file(tmp_path, HEAD)
    with path.open("r+b") as file:
        file.truncate(LARGEST * 4)
    with pytest.raises(Unreadable, match="larger than 16 MiB"):
        read_given(path)


def test_a_folder_and_an_absent_file_are_told_as_what_they_are(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="is not a file"):
        read_given(tmp_path)
    with pytest.raises(Unreadable, match="No such file"):
        read_given(tmp_path / "nowhere.csv")


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_table_is_read_with_any_usual_separator_and_a_byte_order_mark(
    separator: str, tmp_path: Path
) -> None:
    lines = ["label,epoch_time,val_accuracy", "A GPU,6 s,98 %"]
    text = "\ufeff" + "\r\n".join(lines).replace(",", separator) + "\r\n\r\n"
    (row,) = rows(a_file(tmp_path, text))
    assert row.published.figures() == {"epoch_time": 6.0, "val_accuracy": 0.98}
    assert row.place.endswith("figures.csv:2")


def test_a_cell_may_hold_line_ends_and_the_next_row_still_knows_its_line(tmp_path: Path) -> None:
    text = 'label,epoch_time\n"two\nlines",6 s\n\nB,7\n'
    first, second = rows(a_file(tmp_path, text))
    assert first.published.label == "two\nlines"
    assert second.place.endswith(":5")
    assert second.published.epoch_time == 7.0


def test_what_a_file_holds_is_told_without_what_a_terminal_obeys(tmp_path: Path) -> None:
    path = a_file(tmp_path, "label,loss,\x1b[31mred\nx,1,2\n")
    with pytest.raises(Unreadable) as caught:
        rows(path, Asked({"batch_size": (256,)}))
    assert "\x1b" not in str(caught.value)
    assert "\ufffd[31mred" in str(caught.value)


def _outcome(path: Path) -> str:
    try:
        return f"{len(rows(path))} rows"
    except AccelReportError as error:
        return str(error)


PIECES = st.sampled_from(
    ["label", "epoch_time", "epoch", "loss", "Result", "report", "train", "latency", "where", "NaN",
     ",", ";", "\n", '"', "[", "]", "{", "}", ":", "6 s", "-1", "1e999", "null", "\x00", " "]
)  # fmt: skip


@settings(max_examples=150)
@given(st.binary(max_size=60) | st.lists(PIECES, max_size=30).map("".join).map(str.encode))
def test_any_bytes_are_rows_or_one_clear_refusal(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = a_file(tmp_path_factory.mktemp("any"), content)
    assert _outcome(path) != ""
