"""Rows of frames."""

from __future__ import annotations

from typing import Any

import pandas as pd


def the_row(frame: pd.DataFrame, **where: object) -> dict[str, Any]:
    """The one row with these values."""
    for name, value in where.items():
        frame = frame[frame[name] == value]
    (row,) = frame.to_dict("records")
    return {str(name): value for name, value in row.items()}
