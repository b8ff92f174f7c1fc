"""Cells with faults in them, each measured by a process of its own.

    python -m tests.faults.farm ORDERS.json

Imports TensorFlow once and is forked for each cell, as the runner does it, so that twenty real
processes cost little more than twenty trainings.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

from accelreport.backend.checks import windows
from accelreport.backend.frameworks import choose
from accelreport.backend.main import (
    keep_temporary_files_in,
    leave_record,
    measured,
    quiet_tensorflow,
)
from accelreport.backend.protocol import Job, Reporter
from accelreport.spec.families import TENSORFLOW
from tests.faults.placement import VARIABLE


def carry_out(job_path: str, fault: str) -> None:
    """Measure one cell with one fault."""
    os.environ[VARIABLE] = fault
    keep_temporary_files_in(Path(job_path).parent)
    job = Job.model_validate_json(Path(job_path).read_text())
    now = {"launched_at": time.time(), "launched_s": time.monotonic()}
    record = measured(job.model_copy(update=now), Reporter(None))
    leave_record(record, Path(job.record_path))


def main(orders: str) -> None:
    """Measure every cell of the orders: pairs of a job's file and a fault."""
    os.environ[windows.NAME_PROGRAMS] = "1"
    windows.SHOWN = sys.maxsize  # whatever else computes: the program of a fault is among them
    quiet_tensorflow()
    choose(TENSORFLOW)

    for job_path, fault in json.loads(Path(orders).read_text()):
        pid = os.fork()
        if pid == 0:
            try:
                os.setsid()  # a cell leads its own group; others' load is told apart by that
                carry_out(job_path, fault)
            except BaseException:
                sys.excepthook(*sys.exc_info())
            finally:
                sys.stderr.flush()
                os._exit(0)
        os.waitpid(pid, 0)


if __name__ == "__main__":
    main(sys.argv[1])
