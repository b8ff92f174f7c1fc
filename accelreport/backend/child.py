"""The process of one cell: `python -m accelreport.backend.child JOB.json`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from accelreport.backend.cluster.tasks import SUPERVISED
from accelreport.backend.failures import failure
from accelreport.backend.guardian import end_with_parent
from accelreport.backend.job import Job
from accelreport.backend.measure import Measurement
from accelreport.backend.reporter import Reporter
from accelreport.results.record import Record


def write_whole(record: Record, path: Path) -> None:
    """Write a record so that a reader finds all of it or nothing."""
    part = path.with_name(path.name + ".part")
    part.write_text(record.model_dump_json(), encoding="utf-8")
    part.replace(path)


def measured(job: Job, reporter: Reporter) -> Record:
    """The record of a cell measured in this process, whatever happens meanwhile."""
    measurement = Measurement(job.cell, reporter, job.launched_at)
    try:
        return measurement.run()
    except Exception as error:  # whatever happened belongs into the record
        measurement.facts.pop("complete", None)
        return measurement.record("failed", failure=failure(error))


def supervised(job: Job) -> Record:
    """The record of a cell measured by processes that this one starts and watches."""
    from accelreport.backend.cluster.supervisor import supervise

    measurement = Measurement(job.cell, Reporter(None), job.launched_at)
    try:
        return supervise(job)
    except Exception as error:  # no cluster could be made
        return measurement.record("failed", failure=failure(error))


def main(arguments: list[str]) -> int:
    """Measure the cell of a job file and leave its record; 0 when a record was left."""
    job = Job.model_validate_json(Path(arguments[0]).read_text(encoding="utf-8"))
    end_with_parent()
    # Only errors: TensorFlow's greetings would fill the log that a failure needs.
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")
    if job.cell.device_spec.strategy in SUPERVISED:
        record = supervised(job)
    else:
        record = measured(job, Reporter(job.events_fd))
    write_whole(record, Path(job.record_path))
    return 0


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stdout.flush()
    sys.stderr.flush()
    # The record is written. Taking TensorFlow down in good order costs up to a second and, with
    # a strategy that has lost a worker, may never end.
    os._exit(code)
