"""A runner over scripted cells as a process of its own, to be killed and interrupted.

    python -m tests.runner.scripted_runner FOLDER CELLS STEP_SECONDS [DO] [OPTION…]

Options are `--fork`, `--no-fork` (the same cells, started) and `--retry-failed`.
Writes `start KEY` and `end KEY STATUS` to standard output as cells start and end.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from accelreport.runner.events import CellEndLine, CellStartLine, RunLine, WaitingLine
from accelreport.runner.interrupt import stopped_by_signals
from accelreport.runner.plan import Policy
from tests.runner.scripted import Bench, Collector, cells, different, forking


def main() -> None:
    folder, count, step_s = Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    do = next((word for word in sys.argv[4:] if not word.startswith("--")), "ok")
    policy = Policy(retry_failed="--retry-failed" in sys.argv)
    work: dict[str, Any] = {"step_s": step_s, "trace": str(folder / "trace")}
    forked = "--fork" in sys.argv
    alike = not forked and "--no-fork" not in sys.argv
    chosen = cells(count, do=do, **work) if alike else different(count, do, **work)
    with stopped_by_signals() as stop:
        bench = forking(folder) if forked else Bench(folder)
        bench.observer, bench.stop, bench.policy = Collector(react=tell), stop, policy
        end = bench.run(chosen)
    sys.stdout.write(f"stopped {end.stopped_by or 'no'} left {end.left}\n")


def tell(line: RunLine) -> None:
    if isinstance(line, CellStartLine):
        sys.stdout.write(f"start {line.key}\n")
    elif isinstance(line, CellEndLine):
        sys.stdout.write(f"end {line.key} {line.status}\n")
    elif isinstance(line, WaitingLine):
        sys.stdout.write(f"waiting {line.reason}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
