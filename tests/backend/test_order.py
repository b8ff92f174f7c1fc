"""Which examples a step sees."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from accelreport.backend.engine import padded_order
from accelreport.backend.training import Order

sizes = st.integers(1, 200)


@given(examples=sizes, batch=sizes, steps=st.integers(1, 20), seed=st.integers(0, 2**31 - 1))
def test_every_example_is_seen_once_before_any_is_seen_again(
    examples: int, batch: int, steps: int, seed: int
) -> None:
    stream = Order(examples, batch, seed).epoch(steps).ravel()
    for start in range(0, len(stream) - examples + 1, examples):
        assert sorted(stream[start : start + examples]) == list(range(examples))
    rest = stream[len(stream) - len(stream) % examples :]
    assert len(set(rest.tolist())) == len(rest)


@given(examples=sizes, batch=sizes, seed=st.integers(0, 2**31 - 1))
def test_epochs_go_on_where_the_last_one_ended(examples: int, batch: int, seed: int) -> None:
    order = Order(examples, batch, seed)
    in_parts = np.concatenate([order.epoch(2), order.epoch(1), order.epoch(3)])
    assert np.array_equal(in_parts, Order(examples, batch, seed).epoch(6))


def test_another_seed_gives_another_order() -> None:
    first, second = (Order(1000, 100, seed).epoch(10) for seed in (0, 1))
    assert not np.array_equal(first, second)


@given(examples=st.integers(1, 500), batch=st.integers(1, 100))
def test_an_evaluation_weighs_every_example_once_and_padding_not_at_all(
    examples: int, batch: int
) -> None:
    indices, weights = padded_order(examples, batch)
    assert indices.shape == weights.shape
    assert indices[weights == 1].tolist() == list(range(examples))
    assert weights.sum() == examples
    assert indices.size - examples < batch
