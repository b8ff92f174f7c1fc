"""Simulates how often the intervals and verdicts err: `python -m benchmarks.calibration`.

With paths, each table replaces the one between its markers in one of these files, and the numbers
that the page of methods shows are written to calibration.json. Without paths, the tables are
printed. It takes about five minutes and gives the same tables every time.
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
    parser.add_argument("pages", nargs="*", type=Path, help="Markdown files with the markers")
    parser.add_argument("--experiments", type=int, default=EXPERIMENTS)
    options = parser.parse_args()
    built, kept = build(options.experiments)
    if not options.pages:
        for name, table in built.items():
            sys.stdout.write(f"{name}\n\n{table}\n\n")
        return
    texts = {page: page.read_text(encoding="utf-8") for page in options.pages}
    for name, table in built.items():
        page = next((page for page in texts if f"<!-- table: {name} -->" in texts[page]), None)
        if page is None:
            parser.error(f"no file has markers for the table {name}")
        texts[page] = replace(texts[page], name, table)
    for page, text in texts.items():
        page.write_text(text, encoding="utf-8")
    write(kept, FILE)


if __name__ == "__main__":
    main()
