"""The placement that faults are made from: it stands in between and changes nothing."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from accelreport.backend.placement import Placement

Wrapped = Callable[..., Any]
"""A graph over many steps, or what stands for it."""


@dataclass
class Honest(Placement):
    """Changes nothing: the control."""

    size: np.random.Generator = field(default_factory=np.random.default_rng)
    trains: Wrapped | None = None
    variables: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        # The strategy stays what it is: under another one AutoGraph rewrites every step.
        self.strategy.scope = partial(self._overheard, self.strategy.scope)

    @contextlib.contextmanager
    def _overheard(self, scope: Callable[[], Any]) -> Iterator[Any]:
        """A strategy's scope, in which it is noted which variables are made."""
        import tensorflow as tf

        def made(create: Wrapped, **options: Any) -> Any:
            variable = create(**options)
            self.variables.append(variable)
            return variable

        with scope() as inner, tf.variable_creator_scope(made):
            yield inner

    def uniform(self, low: float, high: float) -> float:
        """The fault's size, from its seed."""
        return float(self.size.uniform(low, high))

    def tensors(self) -> list[Any]:
        """Weights and what the optimizer remembers of them."""
        return [each for each in self.variables if each.shape and each.dtype.is_floating]

    def steps(self, function: Wrapped) -> Wrapped:
        """The training's graph comes first, that of the evaluation after it."""
        if self.trains is not None:
            return function
        self.trains = function
        return self.spoilt(function)

    def spoilt(self, function: Wrapped) -> Wrapped:
        """The fault, in how a window's steps are run."""
        return function
