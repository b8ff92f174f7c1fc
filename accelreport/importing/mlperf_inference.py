"""Summaries of MLPerf Inference rounds, as the submission checker writes them (`summary.csv`).

Source: `tools/submission` of https://github.com/mlcommons/inference. A row is a system, a model and
a scenario, with one `Result` in `Units`.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from accelreport.importing.errors import Unreadable
from accelreport.importing.given import Given
from accelreport.importing.numbers import number, rounded
from accelreport.importing.reader import Asked, Found, Readout, Value, has_columns, texts
from accelreport.importing.tables import TableRow
from accelreport.spec.problems import quote

NEEDED = frozenset({"Organization", "SystemName", "MlperfModel", "Scenario", "Result", "Units"})
"""Columns without which a row is not understood; rounds before v2.1 wrote no `Units`."""

RATES = ("samples/s", "queries/s")
"""Units whose inverse is the time of a sample: a query of the Server scenario is one sample."""

LATENCY = "latency (ms)"
"""Unit of the scenarios that send one query after another."""


class MLPerfInference:
    """A summary: a figure for each system, model and scenario, as the time of a sample."""

    title = "a summary of an MLPerf Inference round"

    def recognises(self, given: Given) -> bool:
        """Whether the columns of a result are there."""
        return has_columns(given, NEEDED - {"Units"})

    def read(self, given: Given, asked: Asked) -> Readout:  # noqa: ARG002 -- none of it applies
        """A row for each result that is a time of a sample; the others are named."""
        if given.table is None or not has_columns(given, NEEDED):
            raise Unreadable(
                f"{given.name}: this is no summary of MLPerf Inference with units.",
                why=f"It has the columns {', '.join(sorted(NEEDED))}.",
                remedy="Write the figures of an older round as a table of figures.",
            )
        rows: list[Found] = []
        left_out: dict[str, int] = {}
        for row in given.table.rows:
            facts = texts(row.cells)
            found = _result(row, facts)
            if isinstance(found, Found):
                rows.append(found)
            else:
                left_out[found] = left_out.get(found, 0) + 1
        return Readout(rows, list(_said(left_out)))


def _said(left_out: dict[str, int]) -> Iterator[str]:
    for why, count in left_out.items():
        yield f"{count:,} {'row' if count == 1 else 'rows'}: {why}"


def _result(row: TableRow, facts: dict[str, str]) -> Found | str:
    """A row's figure, or why there is none."""
    unit, scenario = facts.get("Units", ""), facts.get("Scenario", "")
    result = number(row.cells.get("Result"))
    if result is None or result <= 0:
        return "there is no result"
    if unit.lower() in RATES:
        inverse = rounded(1 / result)
        how = f" 1 ÷ {result} {unit}."
        keys: dict[str, Value] = {"sample_time": inverse, "mark": "D"}
    elif unit.lower() == LATENCY and scenario == "SingleStream":
        how = " The latency that 90 % of the queries keep."
        keys = {"sample_time": f"{_fixed(result)} ms", "mark": "S"}
    elif unit.lower() == LATENCY:
        return f"a query of {quote(scenario)} is of several samples"
    else:
        return f"no figure of a spec is in {quote(unit)}"
    keys |= {"comparable": False, "note": _note(facts) + how}
    return Found(row.place, keys, name=_name(facts), facts=facts)


def _fixed(value: Decimal) -> str:
    return f"{value:f}"


def _name(facts: dict[str, str]) -> str:
    system = f"{facts.get('Organization', '')} {facts.get('SystemName', '')}".strip()
    # The model first: a page cuts a long label at its end.
    return f"{facts.get('MlperfModel', '')} {facts.get('Scenario', '')} on {system}"


def _note(facts: dict[str, str]) -> str:
    accelerators = " × ".join(
        facts[column]
        for column in ("number_of_nodes", "accelerators_per_node", "accelerator_model_name")
        if column in facts
    )
    on = f", on {accelerators}" if accelerators else ""
    return (
        f"MLPerf Inference {facts.get('version', '')}".rstrip()
        + f", {facts.get('Division', 'unknown')} division{on}: answers only, no training."
    )
