"""Cells that wait for a node of a Ray cluster."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from itertools import count

from accelreport.spec.cells import Cell
from accelreport.spec.device import Device


class Queue:
    """Cells in their order, found by what their device needs without looking at each.

    Args:
        cells: the cells in the order in which they are measured.
    """

    def __init__(self, cells: Iterable[Cell]) -> None:
        self._numbers = count()
        self._waiting: dict[str, deque[tuple[int, Cell]]] = {}
        self._devices: dict[str, Device] = {}
        for cell in cells:
            self._lane(cell).append((next(self._numbers), cell))

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    def put_first(self, cell: Cell) -> None:
        """Have a cell that was lost measured before all others of its device."""
        self._lane(cell).appendleft((-next(self._numbers), cell))

    def take(self, fits: Callable[[Device], bool]) -> Cell | None:
        """The first cell whose device fits; None when there is none.

        Args:
            fits: whether a device can run.
        """
        name = self._first(fits)
        return self._waiting[name].popleft()[1] if name is not None else None

    def take_like(
        self, most: int, fits: Callable[[Device], bool], like: Callable[[Device, Device], bool]
    ) -> list[Cell]:
        """The first cell whose device fits and those that follow it, while they are like it.

        Args:
            most: how many.
            fits: whether a device can run.
            like: whether two devices ask for the same.
        """
        taken: list[Cell] = []
        while len(taken) < most and (name := self._first(fits)) is not None:
            if taken and not like(taken[0].device_spec, self._devices[name]):
                break
            taken.append(self._waiting[name].popleft()[1])
        return taken

    def _first(self, fits: Callable[[Device], bool]) -> str | None:
        heads = [
            (lane[0][0], name)
            for name, lane in self._waiting.items()
            if lane and fits(self._devices[name])
        ]
        return min(heads)[1] if heads else None

    def _lane(self, cell: Cell) -> deque[tuple[int, Cell]]:
        self._devices.setdefault(cell.device, cell.device_spec)
        return self._waiting.setdefault(cell.device, deque())
