"""What the simulation found of the intervals in use, kept for the page of methods.

The file beside this module is written by `python -m benchmarks.calibration PAGE`
together with the tables of that page, and by nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path

FILE = "calibration.json"


@dataclass(frozen=True)
class Shares:
    """A quantity under one kind of noise.

    Attributes:
        name: the kind of noise.
        text: what it is.
        percent: the quantity in percent, in the order of `Calibration.processes`.
    """

    name: str
    text: str
    percent: tuple[float, ...]


@dataclass(frozen=True)
class Calibration:
    """Shares of simulated experiments.

    Attributes:
        experiments: simulated experiments behind each share.
        processes: processes of each device, one for each column.
        coverage: 95 % intervals that hold the true ratio.
        differences: comparisons of equals that are called FASTER or SLOWER.
        modes: 95 % intervals that hold the true ratio where one device has a slow mode.
    """

    experiments: int
    processes: tuple[int, ...]
    coverage: tuple[Shares, ...]
    differences: tuple[Shares, ...]
    modes: tuple[Shares, ...]


def found() -> Calibration:
    """What the last whole calibration found."""
    text = resources.files(__package__).joinpath(FILE).read_text(encoding="utf-8")
    kept = json.loads(text)
    return Calibration(
        experiments=kept["experiments"],
        processes=tuple(kept["processes"]),
        coverage=_shares(kept["coverage"]),
        differences=_shares(kept["differences"]),
        modes=_shares(kept["modes"]),
    )


def _shares(rows: Sequence[dict[str, object]]) -> tuple[Shares, ...]:
    return tuple(Shares(**{**row, "percent": tuple(row["percent"])}) for row in rows)  # type: ignore[arg-type]


def write(what: Calibration, path: Path) -> None:
    """Keeps it as JSON, each share to a millionth."""
    kept = asdict(what)
    for rows in (kept["coverage"], kept["differences"], kept["modes"]):
        for row in rows:
            row["percent"] = [round(value, 4) for value in row["percent"]]
    path.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
