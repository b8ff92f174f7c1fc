"""A process to be forked for scripted cells, in place of one that has imported TensorFlow.

    python -m tests.runner.scripted_forkserver CONTROL LAUNCHED FOLDER [REFUSAL]

It is the real server with other imports and other cells.
"""

from __future__ import annotations

import socket
import sys

from accelreport.backend.forkserver import serve
from accelreport.backend.protocol import Job, ParentTimings
from tests.runner.scripted_child import perform


def carry_out(job: Job, parent: ParentTimings) -> int:
    perform(job.model_dump(mode="json"))
    return 0


def main() -> None:
    refusal, number, launched = "", *sys.argv[1:3]
    if len(sys.argv) > 4:
        refusal, number, launched = sys.argv[1:4]
    with socket.socket(fileno=int(number)) as control:
        serve(control, float(launched), lambda: refusal, carry_out)


if __name__ == "__main__":
    main()
