"""What `run --dry-run` shows: each cell and what would be done with it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from accelreport.runner.events import PlanLine, PlannedCellLine
from accelreport.terminal.summary import opening
from accelreport.terminal.wording import cell_name

ACTIONS = {"run": "run", "done": "done", "failed": "failed before", "skip": "skip"}


def plan_text(plan: PlanLine) -> Iterator[str]:
    """The plan, spec by spec, in the order in which cells are measured."""
    place = 0
    for (spec, profile), group in groupby(plan.cells, lambda cell: (cell.spec, cell.profile)):
        cells = list(group)
        yield f"{spec} ({profile}): {_counts(cells)}"
        for cell in cells:
            place += cell.action == "run"
            number = str(place) if cell.action == "run" else ""
            reason = f"  ({cell.reason})" if cell.reason and cell.action != "skip" else ""
            yield f"{number:>5}  {ACTIONS[cell.action]:<13}  {cell_name(cell)}{reason}"
    yield from opening(plan)
    if plan.failed:
        yield "Cells that failed before are left alone: --retry-failed runs them again."
    yield f"Nothing was run. Results: {plan.results}"


def _counts(cells: list[PlannedCellLine]) -> str:
    counts = {action: sum(cell.action == action for cell in cells) for action in ACTIONS}
    return ", ".join(f"{count} {ACTIONS[name]}" for name, count in counts.items() if count)
