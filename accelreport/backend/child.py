"""The process of one cell: `python -m accelreport.backend.child JOB.json`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

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


def main(arguments: list[str]) -> int:
    """Measure the cell of a job file and leave its record; 0 when a record was left."""
    job = Job.model_validate_json(Path(arguments[0]).read_text(encoding="utf-8"))
    end_with_parent()
    # Only errors: TensorFlow's greetings would fill the log that a failure needs.
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")
    measurement = Measurement(job.cell, Reporter(job.events_fd), job.launched_at)
    try:
        record = measurement.run()
    except Exception as error:  # whatever happened belongs into the record
        measurement.facts.pop("complete", None)
        record = measurement.record("failed", failure=failure(error))
    write_whole(record, Path(job.record_path))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
