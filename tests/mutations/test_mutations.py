"""A document that is changed anywhere is read or refused by name; nothing else happens.

`MUTATIONS=100000 pytest tests/mutations` makes every change of every value; here is one in many.
"""

from __future__ import annotations

import os
from itertools import islice
from typing import Any

import pytest

from tests.mutations.documents import KINDS, Kind
from tests.mutations.values import Mutation

MOST = int(os.environ.get("MUTATIONS", "12"))
"""Mutations of each kind of document that are judged here."""

FOUND: tuple[tuple[str, str, str, Any], ...] = (
    ("record", "training", "started_at", "0001-01-01T00:00:00+23:59"),
    ("record", "training", "finished_at", "9999-12-31T23:59:59-23:59"),
    ("record", "training", "environment.threads", 0),
    ("record", "training", "environment.clock_max_mhz", 5e-324),
    ("record", "training", "flops.least_per_step", 5e-324),
    ("record", "training", "forecasts.0.step_s", 5e-324),
    ("record", "training", "parts", {}),
    ("record", "training", "parts.input_s", []),
    ("record", "training", "quantised.float32.throughput", 0),
    ("record", "training", "quantised.int8.bytes", 0),
    ("record", "training", "quantised.int8.latency_s.0", 0),
    ("record", "training", "quantised.examples", 1),
    ("record", "training", "samples_per_step", 0),
    ("record", "training", "samples_per_step", 2**53),
    ("record", "training", "failure.message", ""),
    ("record", "kernel", "blocks.0.steps", 0),
    ("record", "training", "final.loss", 1e308),
    ("plan", "training", "published.0.device", "zzz"),
    ("plan", "training", "published.0.where.batch_size", True),
    ("plan", "training", "published.0.where.batch_size", "zzz"),
    ("plan", "training", "until_decided.level", 1),
    ("plan", "training", "until_decided.at.0", 1e17),
    ("plan", "training", "published.0.sample_time", 5e-324),
    ("plan", "training", "claims.2.check.along", "zzz"),
    ("plan", "training", "workload.kind", "paradnn"),
    ("spec", "own_step", "workload.file", "x" * 3000),
    ("architecture", "architecture", "config", "zzz"),
    ("architecture", "architecture", "config.layers.-1", True),
)
"""What once ended a page, a build or a run: kind, document, place, value."""


def broken(kind: Kind, which: str, mutation: Mutation) -> str:
    """What a changed document did that none may do, and why; empty where it is read or refused."""
    try:
        kind.judge(which, mutation)
    except Exception as error:  # whatever a reader raises is a fault
        return f"{which}, {mutation}: {error!r}"
    return ""


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_changed_document_is_read_or_refused(kind: Kind) -> None:
    every = list(kind.mutations())
    step = max(1, len(every) // MOST)
    chosen = islice(every, step // 2, None, step)
    assert not [fault for each in chosen if (fault := broken(kind, *each))]


@pytest.mark.parametrize(("kind", "which", "place", "value"), FOUND)
def test_what_once_broke_something_does_not_any_more(
    kind: str, which: str, place: str, value: Any
) -> None:
    (known,) = [each for each in KINDS if each.name == kind]
    parts = (int(part) if part.lstrip("-").isdigit() else part for part in place.split("."))
    assert not broken(known, which, Mutation(tuple(parts), "put", value))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_the_documents_that_are_changed_are_taken_as_they_stand(kind: Kind) -> None:
    for which in kind.sound:
        assert kind.judged(which, Mutation((), "keep")), which
