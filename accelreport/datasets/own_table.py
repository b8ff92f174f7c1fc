"""A user's table: its rows, which columns are inputs, and texts that mean numbers."""

from __future__ import annotations

import gzip
import io
import re
import string
import unicodedata
import zlib
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from accelreport.datasets.errors import DataCorrupt, DataUnavailable, FormatError
from accelreport.datasets.own import (
    LIMIT,
    MOST_COLUMNS,
    MOST_VALUES,
    REMEDY,
    TABLES,
    OwnData,
    UnfitData,
    ending,
)
from accelreport.datasets.series import is_float, parse_csv

MOST_WORDS = 100
"""Words of a column above which it is no category."""

FEW_WORDS = 10
"""Words of a column up to which it is a category even where nearly every row has its own."""

DECIMAL_COMMA = re.compile(r"[+-]?(\d*|\d{1,3}([. '\u00a0\u202f]\d{3})+),\d+([eE][+-]?\d+)?")
GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}([,. '’_\u00a0\u202f])\d{3}(\1\d{3})*([.,]\d+)?")
"""A number whose digits are in groups of three; the first group of the match divides them."""
UNIT = re.compile(
    r"[+-]?[$€£¥]\s*[+-]?\d[\d.,]*|\(\d[\d.,]*\)|\d+\s*/\s*\d+"
    r"|[+-]?\d[\d.,]*\s*([%‰°$€£¥].{0,2}|[^\W\d]{1,7})"
)
LONGEST_DATE = 40
DATE = re.compile(
    r"\d{1,4}([-/.])\d{1,2}\1\d{1,4}([ T].*)?|\d{4}[-/.]\d{1,2}|\d{1,2}:\d{2}(:\d{2}.*)?"
    r"|(?=.*\d{4}).*\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b.*",
    re.IGNORECASE,
)
MISSING = {"?", "-", "--", ".", "na", "n/a", "none", "null", "missing", "unknown", "not available"}
"""Texts that stand for a missing number, wherever they are among numbers."""

COUNTER = re.compile(
    r"(?i:(.*[ _.])?(id|index|idx|row|rownames?|rownum|nr|s?no|number)|#)|.*[a-z]I[dD]"
)
"""Names of columns that number the rows."""

INDEX = re.compile(r"index|level_\d+")
"""Names that pandas gives an index, which begins again where tables were joined."""

BLANK = f"{string.whitespace}\N{NO-BREAK SPACE}\N{ZERO WIDTH SPACE}\ufeff"
"""What may stand around a text and cannot be seen."""


def rows(place: Path, data: bytes, own: OwnData) -> pd.DataFrame:
    """The rows of a file, without blanks around names and texts.

    Raises:
        DataUnavailable: what reads such a file is not installed.
        DataCorrupt: it is no such file, or has no row.
        UnfitData: its first line, or a text that stands for a missing value, may mean two things.
    """
    kind = ending(place)
    if kind == ".parquet":
        try:
            from pyarrow.parquet import ParquetFile

            held = ParquetFile(io.BytesIO(data)).metadata
            _refuse_large(place, held.num_rows, held.num_columns)
            table = pd.read_parquet(io.BytesIO(data))
        except ImportError as error:
            raise DataUnavailable(
                f"{own.path} cannot be read here.",
                why="pandas reads Parquet with pyarrow, which is not installed.",
                remedy="Install it: pip install pyarrow. Or save the table as CSV.",
            ) from error
        except (ValueError, OSError, LookupError, TypeError, AttributeError) as error:
            why = f"It is not a Parquet file ({str(error).strip()})."
            raise DataCorrupt(place, why, remedy=REMEDY) from error
        table = table.reset_index(drop=True)
        table.columns = table.columns.astype(str)
    else:
        try:
            if kind.endswith(".gz"):
                with gzip.open(io.BytesIO(data)) as packed:
                    data = packed.read(LIMIT + 1)
            if len(data) > LIMIT:
                why = f"Unpacked it has more than {LIMIT:,} bytes."
                raise DataCorrupt(place, why, remedy=REMEDY)
            separator = own.separator or TABLES.get(kind, ",")
            _refuse_large(place, 1, data.partition(b"\n")[0].count(separator.encode()) + 1)
            table = _parsed(data, own, separator)
        except (zlib.error, EOFError, OSError) as error:
            why = f"It cannot be unpacked ({error})."
            raise DataCorrupt(place, why, remedy=REMEDY) from error
        except FormatError as error:
            raise DataCorrupt(place, str(error), remedy=REMEDY) from error
    if not isinstance(table.index, pd.RangeIndex):
        if separator := other_separator(table):
            raise UnfitData(
                f"The columns of {own.path} are not divided by commas.",
                remedy=separator_remedy(table),
                key="data",
                writes={"separator": separator},
            )
        raise DataCorrupt(place, "Its rows have more values than names of columns.", remedy=REMEDY)
    if table.empty:
        raise DataCorrupt(place, "It has no row.", remedy=REMEDY)
    _refuse_large(place, *table.shape)
    return table


def _refuse_large(place: Path, rows: int, columns: int) -> None:
    for count, what, most in (
        (columns, "columns", MOST_COLUMNS),
        (rows * columns, "values", MOST_VALUES),
    ):
        if count > most:
            why = f"It has {count:,} {what}; at most {most:,} are read."
            remedy = "Leave some out, or save numbers as arrays with np.savez."
            raise DataCorrupt(place, why, remedy=remedy)


def _parsed(data: bytes, own: OwnData, separator: str) -> pd.DataFrame:
    """The rows of a CSV file, read with pandas' own keywords.

    Raises:
        FormatError: it is none.
        UnfitData: it may be read in two ways.
    """

    def read(**options: Any) -> pd.DataFrame:
        table = parse_csv(data, separator, **options)
        table.columns = table.columns.str.strip()
        for name in table.columns:
            if not pd.api.types.is_numeric_dtype(table[name]):
                blanks = {"": None} if options.get("keep_default_na", True) else {}
                table[name] = table[name].map(_stripped).replace(blanks)
        return table

    header = own.header is not False
    first = list(map(str, read(header=False, nrows=1, dtype=str, keep_default_na=False).iloc[0]))
    if own.header is None and _are_values(first):
        raise _no_header(own, first)
    table = read(
        header=header,
        decimal=own.decimal,
        thousands=own.thousands or None,
        na_values=own.na_values if own.keep_default_na else ("", *own.na_values),
        keep_default_na=own.keep_default_na,
    )
    if own.header is None:
        whole = np.flatnonzero((table.astype(str) == list(table)).all(axis=1))
        if len(whole):
            raise FormatError(f"Row {whole[0] + 1:,} repeats the names of its columns.")
        again = [name for name in map(str, table) if (table[name] == name).any()]
        if again:
            raise _no_header(own, again)
    texts = read(header=header, dtype=str, keep_default_na=False) if own.thousands else table[[]]
    for name in texts:
        # pandas takes "1,5" for 15 where a comma divides thousands.
        marked = texts[name][texts[name].str.contains(own.thousands, regex=False)]
        odd = [text for text in marked if (GROUPED.fullmatch(text) or "  ")[1] != own.thousands]
        if odd and pd.api.types.is_numeric_dtype(table[name]):
            raise UnfitData(
                f"Column {name!r} of {own.path} holds {odd[0]!r}, in which {own.thousands!r} does "
                "not divide thousands.",
                remedy="Write numbers of one form, or leave `thousands` out.",
                key="thousands",
            )
    lost = own.task == "classification" and own.keep_default_na
    if lost and table[[name for name in own.target if name in table]].isna().any(axis=None):
        _refuse_lost_class(table, read(header=header, dtype=str, keep_default_na=False), own)
    return table


def _stripped(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return unicodedata.normalize("NFC", value).strip(BLANK).replace("\N{MINUS SIGN}", "-")


def _are_values(names: Sequence[str]) -> bool:
    """Whether the first line holds numbers that do not count columns, as 0, 1, 2 … do."""
    numbers = [float(name) for name in names if re.fullmatch(r"[+-]?\d*\.?\d+(e[+-]?\d+)?", name)]
    return any(number % 1 for number in numbers) or any(b - a != 1 for a, b in pairwise(numbers))


def _no_header(own: OwnData, values: Sequence[str]) -> UnfitData:
    return UnfitData(
        f"The first line of {own.path} looks like a row and not like names of columns: "
        f"{', '.join(values[:6])}.",
        remedy="Write header = false where it is a row: its columns are called 0, 1, 2 and so on. "
        "Write header = true where it holds names.",
        key="header",
        writes={"header": False},
    )


def _refuse_lost_class(table: pd.DataFrame, texts: pd.DataFrame, own: OwnData) -> None:
    """See that no class is lost because pandas reads its name as a missing value.

    Raises:
        UnfitData: a target such as "NA" is there, and the spec does not say what it is.
    """
    for name in own.target:
        written = texts[name][table[name].isna().to_numpy()]
        lost = sorted(set(written) - {"", *own.na_values})
        if lost:
            raise UnfitData(
                f"Column {name!r} of {own.path} holds {lost[0]!r}, which is a class or a missing "
                "value.",
                remedy="Write keep_default_na = false where it is a class, or "
                f'na_values = ["{lost[0]}"] where it is a missing value.',
                key="na_values",
            )


def other_separator(table: pd.DataFrame) -> str:
    """What divides columns where a header of one name shows that something else does."""
    only = str(table.columns[0]) if len(table.columns) == 1 else ""
    return next((mark for mark in ";\t|" if mark in only), "")


def separator_remedy(table: pd.DataFrame) -> str:
    """What to write there."""
    written = other_separator(table).replace("\t", "\\t")
    return f'Write separator = "{written}": that divides its columns.' if written else ""


def features_of(table: pd.DataFrame, own: OwnData) -> tuple[list[str], list[str]]:
    """The columns to predict from where none are named, and those that only number the rows."""
    left = [str(name) for name in table.columns if name not in own.target]
    counters = [
        name for place, name in enumerate(left) if _counts(table[name], name, first=place == 0)
    ]
    return [name for name in left if name not in counters], counters


def _counts(column: pd.Series, name: str, *, first: bool) -> bool:
    """Whether a column numbers the rows: 0, 1, 2 … in the first one, or other numbers of an id."""
    if not name or name.startswith("Unnamed: "):
        return True
    whole = pd.api.types.is_numeric_dtype(column) and bool((column % 1 == 0).all())
    if not whole or pd.api.types.is_bool_dtype(column) or len(column) < 3:
        return False
    values = column.to_numpy()
    begins = values[0] in {0, 1} or name.casefold().endswith("id")
    counting = first and begins and bool((np.diff(values) == 1).all())
    unique = COUNTER.fullmatch(name) and column.is_unique
    return bool(counting or unique or INDEX.fullmatch(name))


def with_targets(table: pd.DataFrame, own: OwnData) -> pd.DataFrame:
    """The rows whose target is known.

    Raises:
        UnfitData: one is not known, and no row may be left out.
    """
    gone = table[[*own.target]].isna()
    empty = np.flatnonzero(gone.any(axis=1).to_numpy())
    if not len(empty):
        return table
    if own.missing == "drop":
        return table.drop(index=table.index[empty])
    name = next(name for name in own.target if gone[name].iloc[empty[0]])
    raise UnfitData(
        f"Column {name!r} of {own.path} has no value in row {empty[0] + 1:,}, and it is the "
        "target.",
        remedy='Write missing = "drop" to leave such rows out.',
        key="missing",
    )


def words(column: pd.Series) -> NDArray[Any]:
    """The values of a column of classes: numbers as numbers, everything else as text."""
    if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
        return np.asarray(column.to_numpy())
    return np.asarray(column.astype(str).to_numpy(), dtype=np.str_)


def is_number(table: pd.DataFrame, name: str, own: OwnData, key: str = "features") -> bool:
    """Whether a column holds numbers, and not words.

    Args:
        table: the rows.
        name: the column.
        own: how the rows were read.
        key: what names the column in the spec: `features` or `target`.

    Raises:
        UnfitData: it holds numbers or dates that were read as texts; the message names the key
            that reads them.
    """
    column = table[name]
    if pd.api.types.is_numeric_dtype(column):
        return True
    leave = "leave the column out of `features`" if key == "features" else "name another target"
    if pd.api.types.is_datetime64_any_dtype(column):
        raise UnfitData(
            f"Column {name!r} of {own.path} holds times, which a model cannot take as they are.",
            remedy=f"Make numbers of them, or {leave}.",
            key=key,
        )
    if any(isinstance(value, bytes | list | tuple | dict | set | np.ndarray) for value in column):
        raise UnfitData(
            f"Column {name!r} of {own.path} holds bytes or lists, which no model takes.",
            remedy=f"Make numbers or words of them, or {leave}.",
            key=key,
        )
    had = column.dropna().astype(str)
    texts = list(dict.fromkeys(had))

    def refused(text: str, what: str, remedy: str, key: str = key, **writes: Any) -> UnfitData:
        row = int(had.index[had == text][0]) + 1
        return UnfitData(
            f"Column {name!r} of {own.path} holds {text!r} in row {row:,}, which is {what}.",
            remedy=remedy,
            key=key,
            writes=writes,
        )

    dates = [text for text in texts if len(text) <= LONGEST_DATE and DATE.fullmatch(text)]
    if 2 * len(dates) > len(texts):
        raise refused(dates[0], "a date or a time", f"Make numbers of them, or {leave}.")
    plain = {text for text in texts if is_float(text) and (own.decimal == "." or "." not in text)}
    rest = [text for text in texts if text not in plain]
    commas = [text for text in rest if DECIMAL_COMMA.fullmatch(text)]
    groups = [text for text in rest if GROUPED.fullmatch(text)]
    units = [text for text in rest if UNIT.fullmatch(text)]
    points = [] if own.decimal == "." else [text for text in texts if is_float(text)]
    alike = {*commas, *groups, *plain, *units, *points}
    others = [text for text in texts if text not in alike]
    if not alike or not (2 * len(alike) > len(texts) or len(others) == 1):
        return False
    if units and (len(units) > FEW_WORDS or not units[0][-1].isalpha()):
        remedy = f"Write plain numbers in the file, or {leave}."
        raise refused(units[0], "a number with a unit", remedy)
    if units:
        return False
    decimals = [text for text in commas if not GROUPED.fullmatch(text)]
    if own.decimal == "." and decimals:
        mark = re.search(r"[^\d,+-]", "".join(commas + groups))
        also = {"thousands": mark[0]} if mark else {}
        keys = " and ".join(f'{k} = "{v}"' for k, v in {"decimal": ",", **also}.items())
        what = "a number with a decimal comma"
        raise refused(decimals[0], what, f"Write {keys}.", "decimal", decimal=",", **also)
    if groups:
        divider = next(char for char in groups[0] if char not in "+-0123456789")
        comma = divider == "." or (divider != "," and any("," in text for text in groups))
        either = {"thousands": divider, **({"decimal": ","} if comma else {})}
        keys = " and ".join(f'{key} = "{value}"' for key, value in either.items())
        doubt = divider == "," and own.decimal == "."
        other = f', or decimal = "," where it means {groups[0].replace(",", ".")}' if doubt else ""
        if doubt and own.separator == ";":
            either = {"decimal": ","}
        remedy = f"Write {keys}{other}."
        raise refused(groups[0], "a number in groups of digits", remedy, "thousands", **either)
    if points := [text for text in points if text not in plain]:
        remedy = "Write the numbers of the file in one form."
        raise refused(points[0], f"no number with decimal = {own.decimal!r}", remedy, "decimal")
    if others:
        marks = [*own.na_values, *others[:1]]
        shown = ", ".join(f'"{mark}"' for mark in marks)
        raise refused(
            others[0],
            "not a number",
            f"Write na_values = [{shown}] where it stands for a missing value; else correct it, or "
            + (leave if key == "features" else 'write task = "classification"')
            + ".",
            "na_values",
            **({"na_values": marks} if others[0].casefold() in MISSING else {}),
        )
    return True


def numbers(
    table: pd.DataFrame, name: str, own: OwnData, key: str = "features"
) -> NDArray[np.float64]:
    """A column of numbers, NaN where none is given.

    Raises:
        UnfitData: it holds something else; the message names row and column.
    """
    column = table[name]
    numeric = is_number(table, name, own, key)
    values = pd.to_numeric(column, errors="coerce").to_numpy(np.float64, na_value=np.nan)
    wrong = np.flatnonzero((np.isnan(values) & column.notna().to_numpy()) | np.isinf(values))
    if len(wrong) or not numeric:
        row = int(wrong[0])
        raise UnfitData(
            f"Column {name!r} of {own.path} holds {str(column.iloc[row])!r} in row "
            f"{int(table.index[row]) + 1:,}, which is not a number.",
            remedy='Correct it, or write task = "classification".'
            if key == "target"
            else "Correct it, or leave the column out of `features`.",
            key=key,
        )
    return values


def encoded(
    table: pd.DataFrame, name: str, own: OwnData, training: NDArray[np.int64]
) -> NDArray[np.float64]:
    """A column as the inputs that a model takes: [rows, 1], or one of 0 and 1 for each word.

    Raises:
        UnfitData: it cannot be encoded; the message names row and column.
    """
    column = table[name]
    gone = column.isna().to_numpy()
    values = numbers(table, name, own) if is_number(table, name, own) else None
    if gone.any() and own.missing == "fail":
        row = int(np.flatnonzero(gone)[0])
        raise UnfitData(
            f"Column {name!r} of {own.path} has no value in row {int(table.index[row]) + 1:,}.",
            remedy='Write missing = "mean" for the mean of the training part, or '
            'missing = "drop" to leave such rows out.',
            key="missing",
        )
    if values is not None:
        known = values[training][~gone[training]]
        if not len(known):
            raise UnfitData(
                f"Column {name!r} of {own.path} has no value in a row that trains.",
                remedy="Leave it out of `features`.",
                key="features",
            )
        values = np.where(gone, known.mean(), values)
        if own.standardise is True or (own.standardise and name in own.standardise):
            scale = values[training].std()
            values = (values - values[training].mean()) / (scale if scale > 0 else 1.0)
        return values[:, np.newaxis]
    if too_many_words(column):
        raise UnfitData(
            f"Column {name!r} of {own.path} holds {column.nunique():,} different words in "
            f"{len(column):,} rows, such as {str(column.dropna().iloc[0])[:60]!r}; at most "
            f"{MOST_WORDS}, and not one for each row, become inputs.",
            remedy="Leave it out of `features`. For a model that reads text, write Python that "
            'makes numbers of it, such as keras.layers.TextVectorization: data = "data.py:load".',
            key="features",
        )
    text = column.astype(str).to_numpy(dtype=np.str_)
    # A missing word, and one that only the validation part has, is 0 in every input.
    known_words = np.unique(text[training][~gone[training]])
    inputs: NDArray[np.float64] = (text[:, np.newaxis] == known_words).astype(np.float64)
    return inputs * ~gone[:, np.newaxis]


def too_many_words(column: pd.Series) -> bool:
    """Whether a column of words is a text or a name of each row, and no category."""
    different = column.nunique()
    return different > MOST_WORDS or different > max(FEW_WORDS, len(column) / 2)
