"""How a cell's process says what it is doing."""

from __future__ import annotations

import os
import time
from typing import TextIO

from accelreport.backend.job import EpochEvent, Event, PhaseEvent, ProgressEvent

SHORTEST_PAUSE_S = 0.2
"""Progress is told no more often than this: telling costs time, too."""


class Reporter:
    """Writes events, one JSON line each; to nowhere when there is no descriptor."""

    def __init__(self, descriptor: int | None) -> None:
        self._stream: TextIO | None = (
            None if descriptor is None else os.fdopen(descriptor, "w", encoding="utf-8")
        )
        self._last = 0.0

    def phase(self, phase: str) -> None:
        """A new stage begins."""
        self._say(PhaseEvent.model_validate({"phase": phase}))

    def progress(self, *, epoch: int, epochs: int, step: int, steps: int, eta_s: float) -> None:
        """Steps were done; told at most five times a second."""
        now = time.monotonic()
        if now - self._last < SHORTEST_PAUSE_S and step < steps:
            return
        self._last = now
        self._say(ProgressEvent(epoch=epoch, epochs=epochs, step=step, steps=steps, eta_s=eta_s))

    def epoch(self, epoch: int, metrics: dict[str, float]) -> None:
        """An epoch was finished and evaluated."""
        self._say(EpochEvent(epoch=epoch, metrics=metrics))

    def _say(self, event: Event) -> None:
        if self._stream is None:
            return
        try:
            self._stream.write(event.model_dump_json() + "\n")
            self._stream.flush()
        except BrokenPipeError:
            # Nobody listens any more. The parent's end is watched elsewhere (`guardian`).
            self._stream = None
