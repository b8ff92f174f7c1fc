"""The process of one cell: `python -m accelreport.backend.main JOB.json`."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from accelreport.atomic import write_whole
from accelreport.backend.distributed.tasks import SUPERVISED
from accelreport.backend.failures import failure
from accelreport.backend.measure import measure
from accelreport.backend.measurement import Measurement
from accelreport.backend.protocol import Job, ParentTimings, Reporter
from accelreport.errors import AccelReportError
from accelreport.machine.parent_death import end_with_parent
from accelreport.results.record import Record
from accelreport.spec.models import Target
from accelreport.workloads.registry import package_of


class NotConvergedError(AccelReportError):
    """A complete training never reached the target that its spec requires."""

    kind = "not-converged"


def require_target(record: Record) -> None:
    """See that a complete training reached its target in some epoch, where that is required.

    A training that a budget ended has not failed: nobody knows where it would have ended.

    Raises:
        NotConvergedError: it did not.
    """
    target = record.cell.measure.target
    if target is None or not target.required or record.status != "ok":
        return
    values = [value for row in record.epochs if (value := row.metrics.get(target.metric))]
    if any(_reached(target, value) for value in values):
        return
    rises = target.at_least is not None
    bound = f"{'at least' if rises else 'at most'} {target.at_least if rises else target.at_most:g}"
    best = f"{(max if rises else min)(values):.4g}" if values else "none"
    raise NotConvergedError(
        f"{target.metric} had to be {bound}; the best of {len(record.epochs)} epochs was {best}",
        remedy="train for more epochs, or require less in measure.target",
    )


def _reached(target: Target, value: float) -> bool:
    if target.at_least is not None:
        return value >= target.at_least
    return target.at_most is not None and value <= target.at_most


def leave_record(record: Record, path: Path) -> None:
    """Write a record for the process that waits for it, which finds all of it or nothing."""
    write_whole(path, record.model_dump_json().encode(), durable=False)


def measured(
    job: Job, reporter: Reporter, parent: ParentTimings | None = None, *, leads: bool = True
) -> Record:
    """The record of a cell measured in this process, whatever happens meanwhile."""
    measurement = Measurement(job, reporter, parent, leads=leads)
    try:
        record = measure(measurement)
        require_target(record)
    except Exception as error:  # whatever happened belongs into the record
        measurement.facts.pop("complete", None)
        guest = package_of(job.cell.workload["kind"])
        return measurement.record("failed", failure=failure(error, guest))
    return record


def supervised(job: Job) -> Record:
    """The record of a cell measured by processes that this one starts and watches."""
    from accelreport.backend.distributed.supervisor import supervise

    measurement = Measurement(job, Reporter(None))
    try:
        return supervise(job)
    except Exception as error:  # no cluster could be made
        return measurement.record("failed", failure=failure(error))


def quiet_tensorflow() -> None:
    """Have TensorFlow print only errors: its greetings would fill the log a failure needs."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")


def keep_temporary_files_in(folder: Path) -> None:
    """Have temporary files of this process, and of those it starts, lie in a folder.

    TensorFlow writes a file for each function that it converts, and a process that ends at
    once never removes them. The runner removes the folder of a cell.
    """
    os.environ["TMPDIR"] = tempfile.tempdir = str(folder)


def carry_out(job: Job, parent: ParentTimings | None = None) -> int:
    """Measure the cell of a job and leave its record; 0 when a record was left.

    Args:
        job: what to measure, and where the record goes.
        parent: what stood before this process, when it was forked.
    """
    end_with_parent()
    keep_temporary_files_in(Path(job.record_path).parent)
    if job.cell.device_spec.strategy in SUPERVISED:
        record = supervised(job)
    else:
        record = measured(job, Reporter(job.events_fd), parent)
    leave_record(record, Path(job.record_path))
    return 0


def leave(code: int) -> None:
    """End this process at once.

    The record is written. Taking TensorFlow down in good order costs up to a second and, with
    a strategy that has lost a worker, may never end.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def main(arguments: list[str]) -> int:
    """Carry out the job of a file; see `carry_out`."""
    job = Job.model_validate_json(Path(arguments[0]).read_text(encoding="utf-8"))
    quiet_tensorflow()
    return carry_out(job)


if __name__ == "__main__":
    leave(main(sys.argv[1:]))
