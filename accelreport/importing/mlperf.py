"""Summaries of MLPerf rounds: Inference, Training and HPC.

Inference, as the submission checker writes them (`summary.csv`; `tools/submission` of
https://github.com/mlcommons/inference): a row is a system, a model and a scenario, with one
`Result` in `Units`.

Training and HPC, as MLCommons' `result_summarizer` writes them
(https://github.com/mlcommons/logging; `summary.csv` and `summary.json` have the same columns): a
row is a system and its software; behind the columns that describe it stands one column for each
benchmark (`resnet`, `bert`, …) with minutes to the benchmark's target of quality.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from accelreport.importing.reader import (
    Asked,
    FigureRow,
    Given,
    Readout,
    TableRow,
    Unreadable,
    Value,
    has_columns,
    number,
    rounded,
    texts,
)
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
                f"{given.name}: this is not a summary of MLPerf Inference with units.",
                why=f"It has the columns {', '.join(sorted(NEEDED))}.",
                remedy="Write the figures of older rounds as a table of figures.",
            )
        rows: list[FigureRow] = []
        left_out: Counter[str] = Counter()
        for row in given.table.rows:
            facts = texts(row.cells)
            result = _result(row, facts)
            if isinstance(result, FigureRow):
                rows.append(result)
            else:
                left_out[result] += 1
        reasons = [
            f"{count:,} {'row' if count == 1 else 'rows'}: {why}" for why, count in left_out.items()
        ]
        return Readout(rows, reasons)


def _result(row: TableRow, facts: dict[str, str]) -> FigureRow | str:
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
        how = " 90 % of the queries take at most this latency."
        keys = {"sample_time": f"{result:f} ms", "mark": "S"}
    elif unit.lower() == LATENCY:
        return f"a query of {quote(scenario)} has several samples"
    else:
        return f"a spec has no figure in {quote(unit)}"
    keys |= {"comparable": False, "note": _note(facts) + how}
    return FigureRow(row.place, keys, name=_name(facts), facts=facts)


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


TRAINING_NEEDED = frozenset(
    {
        "division",
        "submitter",
        "system",
        "accelerator_model_name",
        "accelerators_count",
        "framework",
    }
)
"""Columns without which a row is not understood."""

DESCRIBING = TRAINING_NEEDED | {
    "availability",
    "number_of_nodes",
    "host_processor_model_name",
    "host_processors_count",
    "notes",
    "details_url",
    "code_url",
    "hash",
    "id",
}
"""Columns that describe a row; every other one is a benchmark."""


class MLPerfTraining:
    """A summary: a figure for each system and benchmark, as the time of a whole training."""

    title = "a summary of an MLPerf Training or HPC round"

    def recognises(self, given: Given) -> bool:
        """Whether the columns that describe a system are there."""
        return has_columns(given, TRAINING_NEEDED)

    def read(self, given: Given, asked: Asked) -> Readout:
        """A row for each result, in minutes as it was written."""
        if given.table is None or not self.recognises(given):
            raise Unreadable(
                f"{given.name}: this is not a summary of MLPerf Training.",
                why=f"It has the columns {', '.join(sorted(TRAINING_NEEDED))}, "
                "and one for each benchmark.",
            )
        benchmarks = [
            column
            for column in given.table.columns
            if column not in DESCRIBING and column not in asked.leave_out
        ]
        weak = [column for column in benchmarks if ":" in column]
        strong = [column for column in benchmarks if ":" not in column]
        rows = [result for row in given.table.rows for result in _results(row, strong)]
        reason = f"weak scaling ({', '.join(weak[:6])}): it times many trainings at once"
        return Readout(rows, [reason] if weak else [])


def _results(row: TableRow, benchmarks: list[str]) -> Iterator[FigureRow]:
    facts = texts(row.cells)
    for benchmark in benchmarks:
        cell = row.cells.get(benchmark)
        if cell is None:
            continue
        minutes = number(cell)
        if minutes is None or minutes <= 0:
            raise Unreadable(
                f"{row.place}: the column {quote(benchmark)} has {quote(str(cell))}, which is not "
                "a number of minutes.",
                remedy=f"Leave the column out: --leave-out {benchmark}",
            )
        yield FigureRow(
            row.place,
            {
                "total_time": f"{minutes} min",
                "comparable": False,
                "note": _training_note(facts, benchmark),
            },
            name=_training_name(facts, benchmark),
            facts=facts | {"benchmark": benchmark},
        )


def _training_name(facts: dict[str, str], benchmark: str) -> str:
    system = f"{facts.get('submitter', '')} {facts.get('system', '')}".strip()
    count, model = (facts.get(key, "") for key in ("accelerators_count", "accelerator_model_name"))
    accelerators = f"{count} × {model}" if count not in {"", "0"} and model else "no accelerator"
    # The benchmark first: a page cuts a long label at its end.
    return f"{benchmark} on {system} ({accelerators}, {facts.get('framework', '')})"


def _training_note(facts: dict[str, str], benchmark: str) -> str:
    details = facts.get("details_url", "")
    where = f" The system: {details}" if details else ""
    return (
        f"MLPerf Training, {facts.get('division', 'unknown')} division: time to the target of "
        f"quality of its benchmark {benchmark}, with its own model, data and rules.{where}"
    )
