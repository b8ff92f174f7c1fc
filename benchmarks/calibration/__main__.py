"""Rebuilds the tables of docs/statistics.md: `python -m benchmarks.calibration`.

With a path, the tables between the markers of that file are replaced, and what the page of
methods shows of them is kept in found.json; without one they are printed. Takes about five
minutes, and gives the same tables every time.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable
from pathlib import Path

from accelreport.analysis.stats import FILE, Calibration, write
from benchmarks.calibration import decisions, drift, looks, tables

EXPERIMENTS = 20_000
"""Simulated experiments behind every share: its standard error is 0.15 points near 5 %."""

FINER = 5
"""How many times as many stand behind the tables of the interval in use.

Of 44 shares with a standard error of 0.15 points, the largest is 0.3 too high by chance alone;
shares that are held against a limit of 5 % need a finer measure (0.07 points).
"""


def build(count: int) -> tuple[dict[str, str], Calibration]:
    """Every table by the name of its marker, from `count` experiments each.

    The three about the interval in use are made from `FINER` times as many. Two of them are
    also returned as numbers.
    """
    bank = tables.Bank(count)
    finer = tables.Bank(FINER * count)
    kept = Calibration(
        experiments=FINER * count,
        processes=tables.SIZES,
        coverage=tuple(tables.coverage(finer)),
        differences=tuple(tables.differences(finer)),
        modes=tuple(tables.modes(bank)),
    )
    makers: dict[str, Callable[[], str]] = {
        "coverage": lambda: tables.shares_table(kept.coverage),
        "difference": lambda: tables.shares_table(kept.differences),
        "width": lambda: tables.shares_table(tables.widths(finer)),
        "order": lambda: drift.order_table(count),
        "modes": lambda: tables.modes_table(bank),
        "methods": lambda: tables.methods_table(bank),
        "fallback": lambda: tables.fallback_table(bank),
        "power": lambda: decisions.power_table(bank),
        "needed": lambda: decisions.needed_table(count),
        "peeking": lambda: looks.peeking_table(count),
        "sequential": lambda: looks.sequential_table(count),
        "gate": lambda: looks.gate_table(bank),
        "gate-power": lambda: looks.gate_power_table(bank),
        "parity": lambda: decisions.parity_table(count),
    }
    return {name: make() for name, make in makers.items()}, kept


def replace(text: str, name: str, table: str) -> str:
    """`text` with the table between the markers of `name` replaced.

    Raises:
        ValueError: the markers are not there.
    """
    begin, end = f"<!-- table: {name} -->", f"<!-- end: {name} -->"
    pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    if not pattern.search(text):
        raise ValueError(f"no table markers named {name}")
    return pattern.sub(lambda _: f"{begin}\n{table}\n{end}", text)


def main() -> None:
    """Prints the tables, or writes them into the page that is named."""
    parser = argparse.ArgumentParser(description=__doc__, prog="benchmarks.calibration")
    parser.add_argument("page", nargs="?", type=Path, help="Markdown file with the markers")
    parser.add_argument("--experiments", type=int, default=EXPERIMENTS)
    options = parser.parse_args()
    built, kept = build(options.experiments)
    if options.page is None:
        for name, table in built.items():
            sys.stdout.write(f"{name}\n\n{table}\n\n")
        return
    text = options.page.read_text(encoding="utf-8")
    for name, table in built.items():
        text = replace(text, name, table)
    options.page.write_text(text, encoding="utf-8")
    write(kept, FILE)


if __name__ == "__main__":
    main()
