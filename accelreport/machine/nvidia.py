"""NVIDIA's boards, by the driver's own library (NVML), and which of them CUDA shows a process.

This module asks the driver, by the package nvidia-ml-py, and no other module does. The CUDA
programming guide, "CUDA environment variables", defines `CUDA_VISIBLE_DEVICES`: identifiers up to
the first invalid one, each an index, the beginning of a board's UUID (`GPU-8932f937`) or that of a
part of a board (`MIG-…`).
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeVar

T = TypeVar("T")

ANSWER_WITHIN_S = 20
"""Seconds until a query is given up: a driver in trouble may never answer."""

HINDERED = 0x8 | 0x20 | 0x40 | 0x80
"""Clock event reasons that reduce speed: hardware slow-down, software and hardware thermal
slow-down, power brake. A power cap (0x4) is normal under full load."""

LEGACY_PART = "MIG-GPU-"
"""Beginning of a part's name in drivers before 470: `MIG-GPU-<UUID>/<instance>/<compute>`."""


class DriverError(RuntimeError):
    """The driver does not answer, or its answer is ambiguous; the message says why."""


@dataclass(frozen=True)
class Board:
    """A board that the driver lists.

    Attributes:
        handle: NVML's.
        name: the model.
        uuid: its identifier, `GPU-…`.
        part: whether CUDA shows only an instance of it (MIG), which has no sensors of its own.
    """

    handle: Any
    name: str
    uuid: str
    part: bool = False

    def memory_bytes(self) -> int | None:
        """Its memory in whole MiB; None if unknown, as for a board that shares the host's."""
        import pynvml

        try:
            total: int = pynvml.nvmlDeviceGetMemoryInfo(self.handle).total
        except pynvml.NVMLError:
            return None
        return total >> 20 << 20

    def millijoules(self) -> int:
        """Energy since the driver was loaded; boards before Volta do not count it."""
        import pynvml

        counted: int = pynvml.nvmlDeviceGetTotalEnergyConsumption(self.handle)
        return counted

    def sm_mhz(self) -> float:
        """Clock of its multiprocessors now."""
        import pynvml

        return float(pynvml.nvmlDeviceGetClockInfo(self.handle, pynvml.NVML_CLOCK_SM))

    def hindered(self) -> bool:
        """Whether its driver reduces its clock now."""
        import pynvml

        try:
            reasons = pynvml.nvmlDeviceGetCurrentClocksEventReasons(self.handle)
        except pynvml.NVMLError_FunctionNotFound:  # the name before driver 535
            reasons = pynvml.nvmlDeviceGetCurrentClocksThrottleReasons(self.handle)
        return bool(reasons & HINDERED)


@dataclass(frozen=True)
class Visible:
    """The boards that CUDA shows a process.

    Attributes:
        boards: each of them once.
        ordered: whether their order is known to be CUDA's, whose device 0 is then the first.
    """

    boards: Sequence[Board]
    ordered: bool


@contextmanager
def driver() -> Iterator[Any]:
    """NVML, opened for the time of the context.

    Yields:
        The module `pynvml`.

    Raises:
        DriverError: there is no driver here, or it refuses.
    """
    import pynvml

    with _driver_errors(pynvml):
        pynvml.nvmlInit()
    try:
        with _driver_errors(pynvml):
            yield pynvml
    finally:
        with _driver_errors(pynvml):
            pynvml.nvmlShutdown()


@contextmanager
def _driver_errors(pynvml: Any) -> Iterator[None]:
    try:
        yield
    except pynvml.NVMLError_LibraryNotFound as error:
        raise DriverError("the driver's library libnvidia-ml.so.1 is not installed") from error
    except pynvml.NVMLError as error:
        raise DriverError(f"the driver says: {error}") from error


def boards() -> list[Board]:
    """Every board, as the driver lists them: by their places on the bus. NVML must be open."""
    import pynvml

    boards = []
    for index in range(pynvml.nvmlDeviceGetCount()):
        handle = pynvml.nvmlDeviceGetHandleByIndex(index)
        name, uuid = pynvml.nvmlDeviceGetName(handle), pynvml.nvmlDeviceGetUUID(handle)
        try:
            # In MIG mode CUDA shows an instance and never the board.
            divided = bool(pynvml.nvmlDeviceGetMigMode(handle)[0])
        except pynvml.NVMLError:  # a board, driver or container that has no such mode
            divided = False
        boards.append(Board(handle, name, uuid, part=divided))
    return boards


def visible(listed: Sequence[Board], variables: Mapping[str, str] = os.environ) -> Visible:
    """The boards that CUDA shows a process with these environment variables. NVML must be open.

    An index is the driver's with `CUDA_DEVICE_ORDER=PCI_BUS_ID`, and among boards of one model.
    Otherwise CUDA numbers the fastest board 0, by a rule that NVIDIA does not publish.

    Raises:
        DriverError: the boards are ambiguous; the message names the remedy.
    """
    alike = len({board.name for board in listed}) <= 1
    ordered = alike or variables.get("CUDA_DEVICE_ORDER") == "PCI_BUS_ID"
    named = variables.get("CUDA_VISIBLE_DEVICES")
    if named is None:
        return Visible(listed, ordered)
    boards: list[Board] = []
    entries = [entry.strip() for entry in named.split(",")]
    for entry in entries:
        board = _named(entry, listed)
        if board is None:
            break
        boards.append(board)
    known = {board.uuid for board in boards}
    if len(known) < len(boards) and not any(board.part for board in boards):
        return Visible([], ordered=True)  # CUDA shows none if one is named twice
    by_index = any(entry.isdigit() for entry in entries[: len(boards)])
    if by_index and not ordered and len(boards) < len(listed):
        raise DriverError(
            "which boards CUDA_VISIBLE_DEVICES means is not known; with "
            "CUDA_DEVICE_ORDER=PCI_BUS_ID it is"
        )
    return Visible(boards, ordered or not by_index)


def _named(entry: str, listed: Sequence[Board]) -> Board | None:
    """The board that an entry of `CUDA_VISIBLE_DEVICES` names; None if it names none."""
    if entry.isdigit():
        return listed[int(entry)] if int(entry) < len(listed) else None
    if entry.startswith("MIG-"):
        return _part(entry, listed)
    if not entry.startswith("GPU-"):
        return None
    meant = [board for board in listed if board.uuid.startswith(entry)]
    return meant[0] if len(meant) == 1 else None


def _part(entry: str, listed: Sequence[Board]) -> Board | None:
    whole = entry.removeprefix("MIG-").partition("/")[0] if LEGACY_PART in entry else ""
    meant = [
        board
        for board in listed
        if (board.uuid == whole if whole else any(u.startswith(entry) for u in _parts(board)))
    ]
    return replace(meant[0], part=True) if meant else None


def _parts(board: Board) -> Iterator[str]:
    """UUIDs of the instances a board is divided into."""
    import pynvml

    if not board.part:
        return
    for index in range(pynvml.nvmlDeviceGetMaxMigDeviceCount(board.handle)):
        try:
            part = pynvml.nvmlDeviceGetMigDeviceHandleByIndex(board.handle, index)
        except pynvml.NVMLError_NotFound:
            continue  # an instance may have been removed
        yield pynvml.nvmlDeviceGetUUID(part)


def answered(question: Callable[[], T], within_s: float = ANSWER_WITHIN_S) -> T:
    """The driver's answer to a query, by a thread that is abandoned if it hangs.

    Raises:
        DriverError: there is no answer, or not within this time.
    """
    answers: list[T] = []
    errors: list[Exception] = []

    def ask() -> None:
        try:
            with driver():
                answers.append(question())
        except Exception as error:  # raised again below, in the thread that waits
            errors.append(error)

    thread = threading.Thread(target=ask, name="ask-nvml", daemon=True)
    thread.start()
    thread.join(within_s)
    if errors:
        raise errors[0]
    if not answers:
        raise DriverError(f"the driver did not answer within {within_s:g} s")
    return answers[0]
