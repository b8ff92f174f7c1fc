"""The order in which cells are measured, balanced so that drift falls on all devices alike."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from accelreport.spec.base import Scalar


class Placed(Protocol):
    """A cell, of a spec or of a plan on disk."""

    @property
    def device(self) -> str:
        """Name of its device."""

    @property
    def point(self) -> Mapping[str, Scalar]:
        """Its sweep point."""

    @property
    def repeat(self) -> int:
        """Number of its repeat, from 0."""


Some = TypeVar("Some", bound=Placed)


@dataclass(frozen=True)
class Design:
    """Where every cell of one spec has its place, in every repeat there may ever be.

    - One repeat after the other, so that a run that is cut short has whole repeats.
    - Inside a repeat, the devices of a sweep point follow one another at once: what is
      compared is measured close together. The points come in a shuffled order.
    - Repeats come in pairs, and the second runs the order of the first backwards: over a
      pair every cell has the same mean position, and a drift in a straight line cancels.
      Pairs alternate which way round comes first (AB BA BA AB, Thue and Morse's sequence), so
      that after two pairs a bend of the drift cancels, too.
    - Three devices and more take the rows of a Williams design (1949) in turn, from point to
      point and from pair to pair: each has every place, and follows every other, equally
      often. Where the last pair is not complete, places are as equal as the points allow.

    It follows from the spec's name, its devices, its points and the number of the repeat
    alone. So it is the same on every machine, whichever cells a run leaves out, and repeats
    that are added later take the places they would have had.

    Attributes:
        spec: name of the spec.
        devices: its devices, in its order.
        points: its sweep points, in its order, as text.
    """

    spec: str
    devices: tuple[str, ...]
    points: tuple[str, ...]
    _rows: tuple[tuple[int, ...], ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_rows", williams(len(self.devices)))

    @classmethod
    def of(cls, spec: str, cells: Iterable[Placed]) -> Design:
        """The design of a spec with these cells."""
        known = list(cells)
        return cls(
            spec,
            tuple(dict.fromkeys(cell.device for cell in known)),
            tuple(dict.fromkeys(_text(cell.point) for cell in known)),
        )

    def repeat(self, number: int) -> list[tuple[str, str]]:
        """Device and point of each cell of a repeat, in the order in which they are measured."""
        pair = number // 2
        points = sorted(self.points, key=lambda point: _draw(self.spec, pair, point))
        first = int.from_bytes(_draw(self.spec)[:8], "big") + 2 * pair
        order = [
            (self.devices[device], point)
            for place, point in enumerate(points)
            for device in self._rows[(first + place) % len(self._rows)]
        ]
        return order if number.bit_count() % 2 == 0 else order[::-1]

    def ordered(self, cells: Iterable[Some]) -> list[Some]:
        """Some of the spec's cells in the order in which they are measured."""
        some = list(cells)
        places = {
            number: {name: place for place, name in enumerate(self.repeat(number))}
            for number in {cell.repeat for cell in some}
        }
        return sorted(
            some,
            key=lambda cell: (cell.repeat, places[cell.repeat][cell.device, _text(cell.point)]),
        )


def williams(count: int) -> tuple[tuple[int, ...], ...]:
    """Orders of `count` treatments, each order followed by its reverse (Williams 1949).

    Every treatment has every place, and follows every other, equally often: over `count` orders
    where that is even, over twice as many where it is odd.

    Raises:
        ValueError: there is no treatment.
    """
    if count < 1:
        raise ValueError("a design needs at least one treatment")
    base = [(step + 1) // 2 if step % 2 else -(step // 2) for step in range(count)]
    # For an even count the reverse of each row is another row of the square.
    rows = [
        tuple((each + shift) % count for each in base)
        for shift in range(count if count % 2 else count // 2)
    ]
    return tuple(way for row in rows for way in (row, row[::-1]))


def _draw(*parts: object) -> bytes:
    """Chance that is the same in every run and on every machine."""
    return hashlib.sha256("\n".join(map(str, parts)).encode()).digest()


def _text(point: Mapping[str, Scalar]) -> str:
    return repr(sorted(point.items()))
