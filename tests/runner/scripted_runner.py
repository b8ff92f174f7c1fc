"""A runner over scripted cells as a process of its own, to be killed and interrupted.

    python -m tests.runner.scripted_runner FOLDER CELLS STEP_SECONDS [DO]

Writes `start KEY` and `end KEY` to standard output as cells start and end.
"""

from __future__ import annotations

import sys
from pathlib import Path

from accelreport.runner.events import CellEndLine, CellStartLine, RunLine, WaitingLine
from accelreport.runner.interrupt import stopped_by_signals
from tests.runner.scripted import Bench, Collector, cells


def main() -> None:
    folder, count, step_s = Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    do = sys.argv[4] if len(sys.argv) > 4 else "ok"
    chosen = cells(count, do=do, step_s=step_s, trace=str(folder / "trace"))
    with stopped_by_signals() as stop:
        end = Bench(folder, observer=Collector(react=tell), stop=stop).run(chosen)
    sys.stdout.write(f"stopped {end.stopped_by or 'no'} left {end.left}\n")


def tell(line: RunLine) -> None:
    if isinstance(line, CellStartLine):
        sys.stdout.write(f"start {line.key}\n")
    elif isinstance(line, CellEndLine):
        sys.stdout.write(f"end {line.key}\n")
    elif isinstance(line, WaitingLine):
        sys.stdout.write(f"waiting {line.reason}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
