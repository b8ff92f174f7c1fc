"""A process of a cluster must end with the one that started it, even inside C++ code."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

from accelreport.backend.guardian import end_with_parent

PR_SET_PDEATHSIG = 1


def end_with(supervisor: int) -> None:
    """End this process when its supervisor ends, however that happens.

    A constructor that waits for a missing peer can hold Python's lock for many minutes, and
    then no thread of ours runs. Linux' kernel does it by itself; elsewhere a thread looks.
    """
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG)")
    end_with_parent()
    if os.getppid() != supervisor:
        os._exit(1)  # it ended before we were listening
