"""What `run --timings` shows."""

from __future__ import annotations

from collections.abc import Iterator

from accelreport.analysis.words import counted
from accelreport.runner.timings import STAGES, TimingsLine
from accelreport.terminal.wording import duration


def timings_text(line: TimingsLine) -> Iterator[str]:
    """A row for each stage, with its seconds and its share of the run."""
    yield f"Where {duration(line.wall_s)} went:"
    for name, words in STAGES.items():
        seconds = line.stages_s[name]
        share = seconds / line.wall_s if line.wall_s > 0 else 0.0
        yield f"  {words:<42} {seconds:9.2f} s  {share:6.1%}"
    yield (
        f"Measured share {line.measured_share:.0%} (first steps, all other steps, evaluations, "
        f"observations); {line.outside_per_cell_s:.2f} s of anything else for each of "
        f"{counted(line.cells, 'cell')}."
    )
    if line.forked:
        ready = counted(line.prepared, "process", "processes")
        yield f"{counted(line.forked, 'cell')} forked from {ready} that had imported TensorFlow."
    if line.refused:
        yield f"Cells were not forked any more: {line.refused}."
