"""What a worker has to tell, between the thread that measures and the one that hands it over."""

from __future__ import annotations

import threading
from collections.abc import Iterator

from accelreport.runner.artefacts import LeftFile
from accelreport.runner.launchers.letters import Letter, Reachable, Through

REPORT_EVERY_S = 0.5
"""What a cell says is passed on so often: this process shares the node with what is measured."""

URGENT = (Through, Reachable)
"""Letters that are passed on at once. A record is lost with this process as long as it is here."""

Letters = list[Letter | LeftFile]


class Outbox:
    """Letters on their way. Nobody is woken for one that can wait."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._letters: Letters = []
        self._urgent = False
        self._closed = False

    def post(self, letter: Letter | LeftFile) -> None:
        """Put in a letter."""
        with self._changed:
            self._letters.append(letter)
            if isinstance(letter, URGENT):
                self._urgent = True
                self._changed.notify()

    def close(self) -> None:
        """Say that no further letter comes."""
        with self._changed:
            self._closed = True
            self._changed.notify()

    def bundles(self) -> Iterator[Letters]:
        """What there is to tell, until the outbox is closed."""
        closed = False
        while not closed:
            with self._changed:
                self._changed.wait_for(lambda: self._urgent or self._closed, REPORT_EVERY_S)
                letters, self._letters = self._letters, []
                self._urgent, closed = False, self._closed
            if letters:
                yield letters
