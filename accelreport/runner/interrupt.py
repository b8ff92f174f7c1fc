"""Ctrl-C and its relatives: asked once, a run ends in order; asked twice, at once."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that ask a run to end."""


class Stop:
    """A wish to stop, which can be waited for beside other things.

    Attributes:
        reason: what asked for it, such as `SIGINT`; empty while nobody has.
    """

    def __init__(self) -> None:
        self.reason = ""
        self._reading, self._writing = os.pipe()

    def __bool__(self) -> bool:
        return bool(self.reason)

    def fileno(self) -> int:
        """A descriptor that can be read from once stopping was asked for."""
        return self._reading

    def request(self, reason: str) -> None:
        """Ask for it. May be called from a signal handler."""
        if not self.reason:
            self.reason = reason
            os.write(self._writing, b"!")

    def close(self) -> None:
        """Give the descriptors back."""
        os.close(self._reading)
        os.close(self._writing)


@contextmanager
def stopped_by_signals() -> Iterator[Stop]:
    """A `Stop` that signals ask for; must be entered in the main thread.

    The first one only asks, so that a record that is being written is written to its end.
    The second one raises `KeyboardInterrupt` where the program stands.
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
