"""Ctrl-C and similar signals: the first stops the run in order, the second immediately."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that stop a run."""


class Stop:
    """A request to stop, which can be waited for together with other events.

    Attributes:
        reason: the cause of the request, such as `SIGINT`; empty without one.
    """

    def __init__(self) -> None:
        self.reason = ""
        self._reading, self._writing = os.pipe()

    def __bool__(self) -> bool:
        return bool(self.reason)

    def fileno(self) -> int:
        """A descriptor that becomes readable after the request."""
        return self._reading

    def request(self, reason: str) -> None:
        """Request a stop. Safe in a signal handler."""
        if not self.reason:
            self.reason = reason
            os.write(self._writing, b"!")

    def close(self) -> None:
        """Close the descriptors."""
        os.close(self._reading)
        os.close(self._writing)


@contextmanager
def stopped_by_signals() -> Iterator[Stop]:
    """A `Stop` that signals request; enter it in the main thread.

    The first signal only requests the stop, so a record is written completely. The second signal
    raises `KeyboardInterrupt` immediately.
    """
    stop = Stop()

    def handle(number: int, _frame: FrameType | None) -> None:
        if stop:
            raise KeyboardInterrupt
        stop.request(signal.Signals(number).name)

    before = {number: signal.signal(number, handle) for number in SIGNALS}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        stop.close()
