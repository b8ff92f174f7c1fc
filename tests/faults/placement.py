"""A placement for tests that spoils a real measurement in one way.

It stands between the timed loop and the CPU's own placement, as that of a package for other
hardware would, and everything it does to the cell is real: it really sleeps, really runs half
of the steps, really leaves work undone. What it does, and how much of it, comes from the
variable `ACCELREPORT_FAULT`: a fault's name and a seed.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from accelreport.backend.checks.surroundings import Clock
from accelreport.backend.strategies.placement import InGraph, Placement
from accelreport.backend.strategies.plugged import PlacementPlugin
from accelreport.spec.models import Device
from accelreport.workloads.base import TrainingProblem

VARIABLE = "ACCELREPORT_FAULT"

BURNER = "otherprogram"
"""Name of the program that computes beside a cell."""

Wrapped = Callable[..., Any]


class Overheard:
    """A strategy that tells which variables are made under it."""

    def __init__(self, strategy: Any) -> None:
        self._strategy = strategy
        self.variables: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._strategy, name)

    @contextlib.contextmanager
    def scope(self) -> Iterator[Any]:
        import tensorflow as tf

        def made(create: Wrapped, **options: Any) -> Any:
            variable = create(**options)
            self.variables.append(variable)
            return variable

        with self._strategy.scope() as inner, tf.variable_creator_scope(made):
            yield inner


@dataclass
class Honest(InGraph):
    """Changes nothing: the control."""

    size: np.random.Generator = field(default_factory=np.random.default_rng)
    trains: Wrapped | None = None

    def __post_init__(self) -> None:
        self.strategy = Overheard(self.strategy)

    def uniform(self, low: float, high: float) -> float:
        """The fault's size, from its seed."""
        return float(self.size.uniform(low, high))

    def tensors(self) -> list[Any]:
        """Weights and what the optimizer remembers of them."""
        return [each for each in self.strategy.variables if each.shape and each.dtype.is_floating]

    def steps(self, function: Wrapped) -> Wrapped:
        """The training's graph comes first, that of the evaluation after it."""
        if self.trains is not None:
            return function
        self.trains = function
        return self.spoilt(function)

    def spoilt(self, function: Wrapped) -> Wrapped:
        """The fault, in how a window's steps are run."""
        return function


@dataclass(frozen=True)
class Known:
    """Looks like a tensor, and has long been computed."""

    value: Any

    def numpy(self) -> Any:
        return self.value


class Hasty(Honest):
    """On a device that runs asynchronously, answers with what it knows before it is done."""

    early: Any = None

    def spoilt(self, function: Wrapped) -> Wrapped:
        import tensorflow as tf

        tf.config.experimental.set_synchronous_execution(False)
        self.synchronous = False

        def run(*arguments: Any) -> Any:
            sums, stamps = function(*arguments)
            # The first window is left alone: it tells how many numbers are expected.
            self.early = self.early or (Known(sums.numpy()), Known(stamps.numpy()))
            return self.early

        return run

    def synchronise(self) -> None:
        return


class Patient(Honest):
    """Runs asynchronously, and the loop waits as it should: a control."""

    def spoilt(self, function: Wrapped) -> Wrapped:
        import tensorflow as tf

        tf.config.experimental.set_synchronous_execution(False)
        self.synchronous = False
        return function


class Unsaid(Patient):
    """Runs asynchronously and says it does not, so that stamps inside the graph are believed."""

    def spoilt(self, function: Wrapped) -> Wrapped:
        super().spoilt(function)
        self.synchronous = True
        return function


class Retracing(Honest):
    """Compiles anew in every window."""

    def spoilt(self, function: Wrapped) -> Wrapped:
        import tensorflow as tf

        @tf.function  # type: ignore[untyped-decorator,unused-ignore]
        def anew(number: int, *arguments: Any) -> Any:
            return function(*arguments)

        windows = iter(range(10**6))
        return lambda *arguments: anew(next(windows), *arguments)


class Blank(Honest):
    """Feeds the device zeros."""

    value = 0.0

    def resident(self, arrays: Mapping[str, Any]) -> Any:
        blank = {
            name: np.full_like(array, self.value) if array.ndim > 1 else array
            for name, array in arrays.items()
        }
        return super().resident(blank)


class BlankPipeline(Honest):
    """Has `tf.data` bring zeros."""

    def batches(self, problem: TrainingProblem, order: Any) -> Any:
        import tensorflow as tf

        def take(arrays: Mapping[str, Any], indices: Any) -> tuple[Any, Any]:
            inputs, targets = problem.take(arrays, indices)
            return tf.zeros_like(inputs), targets

        return super().batches(dataclasses.replace(problem, take=take), order)


class Uniform(Blank):
    """Feeds the device the same number everywhere."""

    def resident(self, arrays: Mapping[str, Any]) -> Any:
        self.value = float(self.size.integers(1, 255))
        return super().resident(arrays)


class Evaluating(Honest):
    """Evaluates at the end of an epoch, inside the timed window."""

    def spoilt(self, function: Wrapped) -> Wrapped:
        import tensorflow as tf

        seconds = self.uniform(0.12, 0.2)
        table = tf.random.stateless_uniform([600, 600], [1, 2])

        @tf.function  # type: ignore[untyped-decorator,unused-ignore]
        def forward(rows: Any) -> Any:
            return tf.reduce_sum(tf.nn.softmax(rows @ rows))

        forward(table)

        def run(*arguments: Any) -> Any:
            result = function(*arguments)
            _, order, first, count = arguments
            until = time.process_time() + seconds
            while int(first + count) == len(order) and time.process_time() < until:
                forward(table).numpy()
            return result

        return run


class Sleeping(Honest):
    """Sleeps inside the timed window."""

    def spoilt(self, function: Wrapped) -> Wrapped:
        seconds = self.uniform(0.12, 0.2)

        def run(*arguments: Any) -> Any:
            time.sleep(seconds)
            return function(*arguments)

        return run


class Skipping(Honest):
    """Runs a share of the steps it is asked for."""

    def spoilt(self, function: Wrapped) -> Wrapped:
        import tensorflow as tf

        share = self.uniform(0.3, 0.7)

        def run(source: Any, *others: Any) -> Any:
            *tables, first, count = others
            return function(source, *tables, first, tf.constant(max(1, int(share * int(count)))))

        return run


class Thinning(Honest):
    """Gives every step a part of its batch."""

    def spoilt(self, function: Wrapped) -> Wrapped:
        part = int(self.size.integers(4, 29))

        def run(source: Any, order: Any, *others: Any) -> Any:
            return function(source, order[:, :part], *others)

        return run


class Swapped(Honest):
    """Computes on another device than it says."""

    def __post_init__(self) -> None:
        import tensorflow as tf

        cpu = tf.config.list_physical_devices("CPU")[0]
        two = [tf.config.LogicalDeviceConfiguration() for _ in range(2)]
        tf.config.set_logical_device_configuration(cpu, two)
        self.strategy = tf.distribute.OneDeviceStrategy("/CPU:1")
        super().__post_init__()


class OldData(Honest):
    """Keeps the examples that an earlier cell left on the device, in another order."""

    def resident(self, arrays: Mapping[str, Any]) -> Any:
        away = int(self.size.integers(3, 200))
        return super().resident({name: np.roll(each, away, 0) for name, each in arrays.items()})


class OldModel(Honest):
    """Goes on with a model that an earlier cell has trained."""

    def resident(self, arrays: Mapping[str, Any]) -> Any:
        import tensorflow as tf

        there = super().resident(arrays)
        if self.trains is not None and self.size is not None:
            steps = int(self.size.integers(2, 40))
            self.trains(there, tf.zeros([steps, 32], tf.int32), tf.constant(0), tf.constant(steps))
        return there


class SameSeed(Honest):
    """Draws the initial weights from one seed, whatever the cell's is."""

    def __post_init__(self) -> None:
        super().__post_init__()
        scope = self.strategy.scope

        def seeded() -> Any:
            import keras

            keras.utils.set_random_seed(0)
            return scope()

        self.strategy.scope = seeded


class Crowded(Honest):
    """Another program computes on the same machine."""

    def spoilt(self, function: Wrapped) -> Wrapped:
        nice = int(self.size.integers(0, 3))
        program = (
            f"import os; os.nice({nice}); open('/proc/self/comm', 'w').write('{BURNER}')\n"
            "while True: pass"
        )
        burner = subprocess.Popen([sys.executable, "-c", program], start_new_session=True)
        self.burner = burner
        return function

    def device_peak_bytes(self) -> int | None:
        """Asked for when the windows are over."""
        self.burner.kill()
        self.burner.wait()
        return super().device_peak_bytes()


class Cooling(Honest):
    """Its clock falls while it is timed, as a hot device's does."""

    def clock(self) -> Clock:
        self.asked = getattr(self, "asked", 0) + 1
        return Clock(mhz=2000.0 if self.asked == 1 else 2000.0 * self.uniform(0.4, 0.85))


class Hindered(Honest):
    """Its counter of thermal slow-downs rises while it is timed."""

    def clock(self) -> Clock:
        self.count = getattr(self, "count", 7) + int(self.size.integers(1, 9))
        return Clock(hindrances=self.count)


class Dead(Honest):
    """Leaves out what nobody reads: the loop of a kernel."""

    def once(self, function: Wrapped) -> Wrapped:
        import tensorflow as tf

        kept = int(self.size.integers(1, 4))
        return lambda count: function(tf.minimum(count, kept))


class Frozen(Honest):
    """Loses every update: after a window the weights are what they were before it."""

    def spoilt(self, function: Wrapped) -> Wrapped:
        def run(*arguments: Any) -> Any:
            before = [(each, each.numpy()) for each in self.tensors()]
            result = function(*arguments)
            for variable, value in before:
                variable.assign(value)
            return result

        return run


class OnCpu(Honest):
    """A row that says GPU, and computes on the CPU."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.devices = ["/CPU:0"]
        self.synchronous = True


FAULTS: dict[str, type[Honest]] = {
    each.__name__: each
    for each in (
        Honest,
        Patient,
        Hasty,
        Unsaid,
        Retracing,
        Blank,
        BlankPipeline,
        Uniform,
        Evaluating,
        Sleeping,
        Skipping,
        Thinning,
        Swapped,
        OldData,
        OldModel,
        SameSeed,
        Crowded,
        Cooling,
        Hindered,
        Dead,
        Frozen,
        OnCpu,
    )
}
"""Faults by the names that tests give in `VARIABLE`."""


def _place(inner: Placement, device: Device) -> Placement:
    name, _, seed = os.environ[VARIABLE].partition(":")
    assert isinstance(inner, InGraph)
    return FAULTS[name](
        strategy=inner.strategy,
        replicas=inner.replicas,
        devices=inner.devices,
        synchronous=inner.synchronous,
        size=np.random.default_rng(int(seed)),
    )


PLACEMENT = PlacementPlugin(name="faulty", place=_place)
