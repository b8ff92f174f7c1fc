"""A worker of a cluster whose S3 network has no dropout, and whose workers compute for ages.

Otherwise it is accelreport's own.
"""

import os
import sys
from itertools import count

from accelreport.backend.distributed import supervisor
from accelreport.backend.distributed.worker import main
from tests.backend.strategies.plain_cnn import leave_out_dropout

AGES_S = 1000.0
"""CPU seconds that the workers seem to spend from one reading to the next."""


def spend_ages() -> None:
    """Add to the CPU time of all workers of a cell, and not to that of this process."""
    readings, all_workers_s = count(), supervisor.cpu_s
    supervisor.cpu_s = lambda: all_workers_s() + AGES_S * next(readings)


if __name__ == "__main__":
    spend_ages()
    leave_out_dropout()
    code = main(sys.argv[1:])
    sys.stderr.flush()
    os._exit(code)
