"""Weights on servers of their own, updated by workers that do not wait for each other."""

from __future__ import annotations

import itertools
import os
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from accelreport.backend.checks.load import Clock
from accelreport.backend.distributed import processes
from accelreport.backend.distributed.tasks import LOOPBACK, Jobs
from accelreport.backend.failures import NoDeviceError
from accelreport.results.record import Host, Warned
from accelreport.spec.device import Device
from accelreport.workloads.base import TrainingProblem

PIECES_PER_WORKER = 4
"""A window's steps are handed out in this many pieces to each worker, so that a slow one
does not keep the others waiting at its end."""


@dataclass
class ParameterServer:
    """The coordinator's view: it computes nothing, and hands pieces of a window to workers.

    A step is one worker's batch and its update of the weights; steps are counted over all
    workers. No replica is in sync with another one.
    """

    strategy: Any
    coordinator: Any
    jobs: Jobs
    devices: list[str]
    warnings: list[Warned]
    replicas: int = 1
    synchronous: bool = False
    graphs_in_step: int = 1

    def hosts(self, key: str) -> list[Host]:  # noqa: ARG002 - its servers do what it says
        """See `Placement.hosts`; what each machine is, only its own process could say."""
        here = socket.gethostname()

        def machine(address: str) -> str:
            name = address.rpartition(":")[0]
            return here if name in {LOOPBACK, "localhost"} else name

        return [
            Host(
                task=f"{job}:{index}",
                host=machine(address),
                address=address,
                chief=job == "chief",
                devices=[name for name in self.devices if f"/job:{job}/" in name][
                    index : index + 1
                ],
            )
            for job in ("chief", "ps", "worker")
            for index, address in enumerate(self.jobs.get(job, []))
        ]

    def resident(self, arrays: Mapping[str, NDArray[Any]]) -> Any:
        """See `Placement.resident`: every worker keeps them in its memory."""
        import tensorflow as tf

        tensors = {name: tf.constant(array) for name, array in arrays.items()}
        # One element that is never copied: reading it gives the same buffers every time.
        return self._on_workers(lambda: tf.data.Dataset.from_tensors(tensors).repeat())

    def opened(self, resident: Any) -> Mapping[str, Any]:
        """See `Placement.opened`."""
        found: Mapping[str, Any] = next(resident)
        return found

    def batches(self, problem: TrainingProblem, order: NDArray[Any]) -> Any:
        """See `Placement.batches`: worker w of n reads the batches w, w + n, and so on."""
        import tensorflow as tf

        from accelreport.backend.placement import batches

        workers = len(self.jobs["worker"])
        rows = order[: len(order) // workers * workers] if len(order) >= workers else order

        def own() -> Any:
            worker = tf.distribute.coordinator.experimental_get_current_worker_index()
            number = tf.cast(worker, tf.int64)
            return batches(problem, tf.constant(rows)[number % len(rows) :: workers])

        return self._on_workers(own)

    def steps(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """See `Placement.steps`: every worker takes pieces until the window is done."""
        import tensorflow as tf

        def run(source: Any, *arguments: Any) -> Any:
            *tables, first, count = arguments
            begin, total = int(first), int(count)
            pieces = min(total, PIECES_PER_WORKER * len(self.jobs["worker"]))
            edges = np.linspace(begin, begin + total, pieces + 1).astype(np.int32)
            pending = [
                self.coordinator.schedule(
                    function, args=(source, *tables, tf.constant(start), tf.constant(end - start))
                )
                for start, end in itertools.pairwise(edges)
            ]
            self.coordinator.join()
            return _added([piece.fetch() for piece in pending])

        return run

    def specified(self, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """See `Placement.specified`: what the source is like on each worker."""
        import tensorflow as tf

        source, *others = arguments
        return (tf.type_spec_from_value(source), *others)

    def once(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """See `Placement.once`: one worker does it."""
        import tensorflow as tf

        def run(*arguments: Any) -> Any:
            pending = self.coordinator.schedule(function, args=arguments)
            self.coordinator.join()
            return tf.constant(pending.fetch())

        return run

    def synchronise(self) -> None:
        """See `Placement.synchronise`: a window has ended when all of its pieces have."""
        self.coordinator.join()

    def cpu_s(self) -> float:
        """See `Placement.cpu_s`."""
        return processes.cpu_s()

    def device_peak_bytes(self) -> int | None:
        """See `Placement.device_peak_bytes`; the workers' allocators cannot be asked."""
        return None

    def clock(self) -> Clock:
        """See `Placement.clock`; the coordinator computes nothing."""
        return Clock()

    def agreed(self, number: float) -> float:
        """See `Placement.agreed`; only the coordinator decides."""
        return number

    def _on_workers(self, dataset: Callable[[], Any]) -> Any:
        return iter(self.coordinator.create_per_worker_dataset(dataset))


def _added(pieces: list[Any]) -> Any:
    """The sums of all pieces, in the form in which each gives its own."""
    import tensorflow as tf

    if not isinstance(pieces[0], tuple | list):
        return tf.constant(np.sum(pieces, axis=0))
    sums = np.sum([piece[0] for piece in pieces], axis=0)
    return tf.constant(sums), tf.zeros([0], tf.float64)


def parameter_server(device: Device) -> ParameterServer:
    """The coordinator of a cluster that `TF_CONFIG` describes; returns when all servers answer.

    Raises:
        NoDeviceError: a worker was asked for several replicas, or this process is no part of
            a cluster.
    """
    import tensorflow as tf

    if device.replicas != 1:
        raise NoDeviceError("under a parameter server a worker is one replica: raise workers")
    if "TF_CONFIG" not in os.environ:
        raise NoDeviceError("this process is no part of a cluster: TF_CONFIG is not set")
    resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    strategy = tf.distribute.ParameterServerStrategy(resolver)
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    jobs: Jobs = resolver.cluster_spec().as_dict()
    return ParameterServer(
        strategy=strategy,
        coordinator=coordinator,
        jobs=jobs,
        devices=[
            f"/job:worker/replica:0/task:{index}/device:{device.kind}:0"
            for index in range(len(jobs["worker"]))
        ],
        warnings=[
            Warned(
                kind="asynchronous-updates",
                message=f"{len(jobs['worker'])} workers update the weights without waiting for "
                "each other: a step is one worker's batch, steps are counted over all workers, "
                "and the same seed does not give the same curve again",
            )
        ],
    )
