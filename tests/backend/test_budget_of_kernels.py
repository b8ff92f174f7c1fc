"""A kernel keeps to its budget, and still has a time of its own."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelreport.backend import calls
from accelreport.backend.calls import LEAST_SHARE, fitting, run_kernel
from accelreport.backend.checks.windows import WindowWatch
from accelreport.backend.protocol import Reporter
from accelreport.machine.energy import Meter
from accelreport.results.record import Block
from accelreport.spec.models import Measure
from accelreport.workloads.base import KernelProblem
from tests.support.children import Measures, cell


def problem(operations: int, *, countable: bool = True) -> KernelProblem:
    return KernelProblem(
        operations=operations,
        flops=1.0,
        flops_method="",
        build=lambda _seed, _compiled: lambda: 0.0,
        fingerprint=lambda _seed: "",
        countable=countable,
    )


def called(operations: int, each_s: float, *, warmup: bool) -> Block:
    return Block(
        epoch=1,
        first_step=0,
        steps=operations,
        wall_s=operations * each_s,
        cpu_s=0,
        warmup=warmup,
    )


@given(
    operations=st.integers(1, 1000),
    each_s=st.floats(1e-6, 10),
    left_s=st.floats(-100, 1e4),
)
def test_a_warm_call_ends_with_the_budget_or_is_not_made(
    operations: int, each_s: float, left_s: float
) -> None:
    blocks = [called(operations, each_s, warmup=True), called(operations, each_s, warmup=False)]
    fit = fitting(problem(operations), blocks, left_s)
    assert 0 <= fit <= operations
    assert fit * each_s <= max(0.0, left_s) * (1 + 1e-9)
    assert fit == 0 or fit * LEAST_SHARE >= operations
    assert fit == operations or (fit + 1) * each_s > left_s or operations > LEAST_SHARE * (fit + 1)


@given(operations=st.integers(1, 1000), left_s=st.floats(-100, 1e4))
def test_a_kernel_that_was_only_called_cold_is_called_once_more(
    operations: int, left_s: float
) -> None:
    fit = fitting(problem(operations), [called(operations, 1.0, warmup=True)], left_s)
    assert fit * LEAST_SHARE >= operations


class Clock:
    """A clock that only calls move."""

    def __init__(self) -> None:
        self.now = 0.0

    def perf_counter(self) -> float:
        return self.now


@pytest.mark.e2e
def test_the_budget_of_a_kernel_begins_after_its_first_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Clock()
    monkeypatch.setattr(calls, "time", clock)

    def run(operations: int) -> float:
        clock.now += 1.0 if clock.now else 34.0
        return float(operations)

    placement = SimpleNamespace(agreed=float, synchronise=lambda: None, cpu_s=lambda: 0.0)
    measurement: Any = SimpleNamespace(
        cell=SimpleNamespace(measure=Measure(calls=9, budget=2.5)),
        reporter=Reporter(None),
        ready=lambda: SimpleNamespace(placement=placement),
        open_meter=Meter,
    )
    kernel: Any = SimpleNamespace(problem=problem(1, countable=False), run=run)
    blocks = run_kernel(measurement, kernel, WindowWatch(lambda: None, "TensorFlow"))
    assert [block.warmup for block in blocks] == [True, False, False, False]


@pytest.mark.e2e
def test_products_whose_budget_is_shorter_than_a_call_still_have_a_warm_time(
    measure: Measures,
) -> None:
    what = cell(
        "matmul",
        {"size": 256, "count": 200},
        measure=Measure(calls=6, warmup_calls=1, budget=1e-3),
    )
    record = measure(what)
    assert record.status == "partial", record.failure
    assert [(block.steps, block.warmup) for block in record.blocks] == [(200, True), (20, False)]
    assert [block.first_step for block in record.blocks] == [0, 200]
    assert record.planned_steps == 1200
