"""Where the wall time of a run went."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from accelreport.results.plan_document import Document
from accelreport.results.record import Record

STAGES = {
    "process": "starting processes",
    "import": "importing TensorFlow",
    "data": "reading or making data",
    "build": "building models",
    "train": "measured steps, the first one included",
    "evaluate": "evaluations",
    "other": "everything else of the cells' processes",
    "between": "between the cells",
}
"""The stages, in their order, in words."""


class TimingsLine(Document):
    """Where the wall time of a run went; printed by `--timings`."""

    event: Literal["timings"] = "timings"
    wall_s: float
    """Seconds of the whole run."""
    cells: int
    """Processes that were started."""
    stages_s: dict[str, float]
    """Seconds in `process`, `import`, `data`, `build`, `train`, `evaluate`, `other` (the rest
    of the cells' processes) and `between` (the cells); their sum is `wall_s`."""
    measured_share: float
    """`train` ÷ `wall_s`."""
    outside_per_cell_s: float
    """Seconds of a cell's process, on average, outside measured steps and evaluations."""


def timings(records: Sequence[Record], wall_s: float) -> TimingsLine:
    """Sum the stages of a run's records.

    Args:
        records: the records of this run.
        wall_s: its wall time in seconds.
    """
    times = [record.times for record in records if record.times.wall_s is not None]
    stages = {
        name: sum(getattr(one, f"{name}_s") or 0.0 for one in times)
        for name in ("process", "import", "data", "build", "train", "evaluate")
    }
    in_cells = sum(one.wall_s or 0.0 for one in times)
    outside = in_cells - stages["train"] - stages["evaluate"]
    stages["other"] = in_cells - sum(stages.values())
    stages["between"] = wall_s - in_cells
    return TimingsLine(
        wall_s=wall_s,
        cells=len(times),
        stages_s=stages,
        measured_share=stages["train"] / wall_s if wall_s > 0 else 0.0,
        outside_per_cell_s=outside / len(times) if times else 0.0,
    )
