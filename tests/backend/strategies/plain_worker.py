"""A worker of a cluster whose S3 network has no dropout; otherwise accelreport's own."""

import os
import sys

from accelreport.backend.distributed.worker import main
from tests.backend.strategies.plain_cnn import leave_out_dropout

if __name__ == "__main__":
    leave_out_dropout()
    code = main(sys.argv[1:])
    sys.stderr.flush()
    os._exit(code)
