"""All processes of a cell on this host, seen from one of them."""

from __future__ import annotations

import os
import time

import psutil

from accelreport.backend.cluster.orders import SUPERVISOR_VARIABLE


def cpu_s() -> float:
    """CPU seconds of the cell's processes on this host, those of the supervisor left out."""
    supervisor = os.environ.get(SUPERVISOR_VARIABLE)
    if supervisor is None:
        return time.process_time()
    total = time.process_time()
    for child in psutil.Process(int(supervisor)).children():
        if child.pid == os.getpid():
            continue  # read above, to the nanosecond instead of the clock tick
        try:
            times = child.cpu_times()
        except psutil.NoSuchProcess:
            continue  # the supervisor will say so
        total += times.user + times.system
    return total
