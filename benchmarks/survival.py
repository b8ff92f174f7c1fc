"""What a run loses when it is killed: `kill -9` at random moments, counted.

A runner measures cells that take milliseconds, and is started again and again. At a random
moment the runner, the process of its cell, the process that cells are forked from, or runner
and cell at once are killed. Meanwhile another process reads the results folder without pause.
After the last kill a run goes to its end undisturbed. What is counted:

- lost: cells that a runner had said were finished, and that have no measurement afterwards;
- doubled: measurements of one cell beyond those that a kill of its own process, or of its
  runner, made necessary;
- torn: files that a reader found unreadable at any moment;
- orphans: processes that were alive a second after their runner was killed.

    .venv/bin/python benchmarks/survival.py [--kills 100] [--seed 0] [--cells 400]

Needs a checkout, because the cells are those of the tests. Ends with 1 unless all are 0.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.runner.killing import Killing


def main() -> int:
    """Kill, count, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kills", type=int, default=100, help="how often something is killed")
    parser.add_argument("--seed", type=int, default=0, help="draws the moments and the victims")
    parser.add_argument("--cells", type=int, default=400, help="cells of the run")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        killing = Killing(Path(folder), cells=options.cells, seed=options.seed)
        toll = killing.run(options.kills, tell=print)
    print(f"{sum(toll.kills.values())} kills, seed {options.seed}: {toll.victims}")
    print(f"{toll.measured} measurements of {options.cells} cells; {toll.repeated} were run again")
    print(
        f"lost {len(toll.lost)}, doubled {len(toll.doubled)}, torn {len(toll.torn)}, "
        f"orphans {len(toll.orphans)}"
    )
    for word in (*toll.lost, *toll.doubled, *toll.torn, *toll.orphans):
        print(f"  {word}")
    return 0 if toll.nothing else 1


if __name__ == "__main__":
    sys.exit(main())
