"""A process must not outlive the one that asked for it, even inside C++ code."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time

LOOK_EVERY_S = 0.5


def end_with_parent() -> None:
    """End this process soon after its parent has ended, however the parent ended.

    A killed parent cannot tell anybody. The kernel then gives the child another parent,
    which is what this thread looks for.
    """
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(LOOK_EVERY_S)
        os._exit(1)

    threading.Thread(target=watch, name="end-with-parent", daemon=True).start()


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
