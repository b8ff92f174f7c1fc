"""Summaries of MLPerf Training and HPC rounds, as MLCommons' `result_summarizer` writes them.

A row is a system and its software; behind the columns that describe it stands one column for each
benchmark (`resnet`, `bert`, …) with minutes to the benchmark's target of quality. Source:
`mlperf_logging/result_summarizer` of https://github.com/mlcommons/logging, which writes
`summary.csv` and `summary.json` with the same columns.
"""

from __future__ import annotations

from collections.abc import Iterator

from accelreport.importing.errors import Unreadable
from accelreport.importing.given import Given
from accelreport.importing.numbers import number
from accelreport.importing.reader import Asked, Found, Readout, has_columns, texts
from accelreport.importing.tables import TableRow
from accelreport.spec.problems import quote

NEEDED = frozenset(
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

DESCRIBING = NEEDED | {
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
        return has_columns(given, NEEDED)

    def read(self, given: Given, asked: Asked) -> Readout:
        """A row for each result, in minutes as it was written."""
        if given.table is None or not self.recognises(given):
            raise Unreadable(
                f"{given.name}: this is no summary of MLPerf Training.",
                why=f"It has the columns {', '.join(sorted(NEEDED))}, and one for each benchmark.",
            )
        benchmarks = [
            column
            for column in given.table.columns
            if column not in DESCRIBING and column not in asked.leave_out
        ]
        weak = [column for column in benchmarks if ":" in column]
        strong = [column for column in benchmarks if ":" not in column]
        rows = [found for row in given.table.rows for found in _results(row, strong)]
        said = f"weak scaling ({', '.join(weak[:6])}): it times many trainings at once"
        return Readout(rows, [said] if weak else [])


def _results(row: TableRow, benchmarks: list[str]) -> Iterator[Found]:
    facts = texts(row.cells)
    for benchmark in benchmarks:
        cell = row.cells.get(benchmark)
        if cell is None:
            continue
        minutes = number(cell)
        if minutes is None or minutes <= 0:
            raise Unreadable(
                f"{row.place}: the column {quote(benchmark)} holds {quote(str(cell))}, "
                "which is no number of minutes.",
                remedy=f"Leave the column out: --leave-out {benchmark}",
            )
        yield Found(
            row.place,
            {"total_time": f"{minutes} min", "comparable": False, "note": _note(facts, benchmark)},
            name=_name(facts, benchmark),
            facts=facts | {"benchmark": benchmark},
        )


def _name(facts: dict[str, str], benchmark: str) -> str:
    system = f"{facts.get('submitter', '')} {facts.get('system', '')}".strip()
    count, model = (facts.get(key, "") for key in ("accelerators_count", "accelerator_model_name"))
    accelerators = f"{count} × {model}" if count not in {"", "0"} and model else "no accelerator"
    # The benchmark first: a page cuts a long label at its end.
    return f"{benchmark} on {system} ({accelerators}, {facts.get('framework', '')})"


def _note(facts: dict[str, str], benchmark: str) -> str:
    details = facts.get("details_url", "")
    where = f" The system: {details}" if details else ""
    return (
        f"MLPerf Training, {facts.get('division', 'unknown')} division: time to the target of "
        f"quality of its benchmark {benchmark}, with its own model, data and rules.{where}"
    )
