"""Frames as rows of plain values."""

from __future__ import annotations

from typing import Any

import pandas as pd

Row = dict[str, Any]
"""A row of a frame, by column."""


def rows_of(frame: pd.DataFrame) -> list[Row]:
    """The rows of a frame as dicts of plain values; several times as fast as `to_dict`."""
    names = [str(name) for name in frame.columns]
    columns = [frame[name].tolist() for name in names]
    return [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]
