"""The placement that faults are made from: it stands in between and changes nothing."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from accelreport.backend.placement import InGraph

Wrapped = Callable[..., Any]
"""A graph over many steps, or what stands for it."""


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
