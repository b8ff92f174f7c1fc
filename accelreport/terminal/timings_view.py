"""What `run --timings` shows."""

from __future__ import annotations

from collections.abc import Iterator

from accelreport.runner.timings import STAGES, TimingsLine
from accelreport.terminal.wording import counted, duration


def timings_text(line: TimingsLine) -> Iterator[str]:
    """A row for each stage, with its seconds and its share of the run."""
    yield f"Where {duration(line.wall_s)} went:"
    for name, words in STAGES.items():
        seconds = line.stages_s[name]
        share = seconds / line.wall_s if line.wall_s > 0 else 0.0
        yield f"  {words:<40} {seconds:9.2f} s  {share:6.1%}"
    yield (
        f"Measured share {line.measured_share:.0%}; {line.outside_per_cell_s:.2f} s outside "
        f"measured steps and evaluations for each of {counted(line.cells, 'cell')}."
    )
