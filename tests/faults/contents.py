"""Faults in what is computed with, on what, and in what a device says of itself."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from accelreport.machine.clocks import Clock
from accelreport.workloads.base import TrainingProblem
from tests.faults.honest import Honest


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


class OnCpu(Honest):
    """A row that says GPU, and computes on the CPU."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.devices = ["/CPU:0"]
        self.synchronous = True
