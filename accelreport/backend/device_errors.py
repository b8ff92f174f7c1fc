"""What can go wrong between a device's row and the processes that stand for it."""

from __future__ import annotations

from accelreport.errors import AccelReportError, ExitCode


class NoDeviceError(RuntimeError):
    """The device is not there, found out only now."""

    kind = "no-device"


class CompileError(RuntimeError):
    """XLA cannot compile what the device asks for."""

    kind = "compile-error"


class WorkerLostError(RuntimeError):
    """A process of a distributed cell has ended, or never joined."""

    kind = "worker-lost"


class StrategyError(AccelReportError):
    """A strategy that cannot do what the workload asks for."""

    exit_code = ExitCode.BAD_SPEC


class BatchError(AccelReportError):
    """A batch that the replicas cannot share evenly.

    Args:
        batch_size: examples in a step.
        replicas: replicas in sync.
    """

    exit_code = ExitCode.BAD_SPEC

    def __init__(self, batch_size: int, replicas: int) -> None:
        below = batch_size // replicas * replicas
        near = [str(size) for size in (below, below + replicas) if size]
        super().__init__(
            f"batch_size = {batch_size} does not divide among {replicas} replicas",
            why="batch_size counts the examples of a step over all replicas",
            remedy=f"batch_size = {' or '.join(near)} does",
        )
