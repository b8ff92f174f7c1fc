"""What JAX has compiled in this process, and whether it has done all it was given."""

from __future__ import annotations

import functools
from collections.abc import Hashable
from dataclasses import dataclass

import jax

COMPILED = "/jax/core/compile/backend_compile_duration"
"""The event that JAX records after XLA has compiled a program."""


@dataclass
class Compilations:
    """Counts from its making on.

    Attributes:
        count: programs so far.
    """

    count: int = 0

    def heard(self, event: str, _seconds: float, **_details: object) -> None:
        """JAX has recorded how long something took."""
        self.count += event == COMPILED


@functools.cache
def compilations() -> Compilations:
    """The one count of this process: JAX has no way to stop listening to one listener."""
    found = Compilations()
    jax.monitoring.register_event_duration_secs_listener(found.heard)
    return found


def compiled() -> frozenset[Hashable]:
    """See `accelreport.backend.checks.process.compiled`; counts from the first call on."""
    return frozenset(range(compilations().count))


def everything_done() -> None:
    """Wait for every array of this process, whoever holds it."""
    jax.block_until_ready(jax.live_arrays())
