"""Bytes of the counted operations, against counts by hand."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.backend.test_flops import BATCH, one_turn, training_step
from tests.support.tracer import CountError, Work, convolution, count_step, dearest, product

pytestmark = pytest.mark.e2e


def moved(
    function: Callable[..., Any], *shapes: tuple[int | None, ...], dtype: str
) -> float | None:
    return count_step(one_turn(function, *shapes, dtype=dtype)).moved


@pytest.mark.parametrize(("dtype", "size"), [("float32", 4), ("bfloat16", 2), ("float16", 2)])
def test_a_product_reads_both_factors_and_writes_its_result(dtype: str, size: int) -> None:
    import tensorflow as tf

    assert moved(tf.matmul, (3, 5), (5, 7), dtype=dtype) == size * (3 * 5 + 5 * 7 + 3 * 7)
    assert moved(tf.matmul, (2, 3, 5), (2, 5, 7), dtype=dtype) == size * 2 * (15 + 35 + 21)


def test_a_loop_moves_its_operands_as_often_as_it_runs() -> None:
    import tensorflow as tf

    def chain(x: Any, y: Any) -> Any:
        return tf.while_loop(
            lambda number, _: number < 9,
            lambda number, x: (number + 1, tf.matmul(x, y)),
            (tf.constant(0), x),
        )[1]

    assert moved(chain, (4, 4), (4, 4), dtype="float32") == 9 * 4 * 3 * 16


def test_a_convolution_moves_image_kernel_and_result() -> None:
    import tensorflow as tf

    def convolve(x: Any, kernel: Any) -> Any:
        return tf.nn.conv2d(x, kernel, strides=1, padding="SAME")

    by_hand = 4 * (2 * 8 * 8 * 3 + 5 * 5 * 3 * 6 + 2 * 8 * 8 * 6)
    assert moved(convolve, (2, 8, 8, 3), (5, 5, 3, 6), dtype="float32") == by_hand


def test_a_size_that_is_not_known_is_not_guessed() -> None:
    import tensorflow as tf

    with pytest.raises(CountError, match="a size of MatMul"):
        moved(tf.matmul, (None, 5), (5, 7), dtype="float32")


def test_operations_are_known_where_the_bytes_of_an_element_are_not() -> None:
    import tensorflow as tf

    work = count_step(one_turn(tf.matmul, (3, 5), (5, 7), dtype="int32"))
    assert (work.operations, work.moved) == (2 * 3 * 5 * 7, None)


def test_work_adds_up_and_an_unknown_part_leaves_only_the_bytes_unknown() -> None:
    dense, image = product(10, 4), convolution(90, 6, places=9)
    assert dense + image * 2 == Work(operations=190, moved=16, convolved=180, least=30)
    unknown = product(1, None)
    assert dense + unknown == Work(operations=11, moved=None, convolved=0, least=11)
    assert (unknown * 3).moved is None
    assert dearest([dense, image]) == Work(operations=90, moved=6, convolved=90, least=10)
    assert dearest([dense, unknown]) == Work(operations=10, moved=None, convolved=0, least=10)


@pytest.mark.parametrize(
    ("kind", "parameters"),
    [("image_classification", {"model": "conv64_conv32"}), ("text_classification", {})],
)
def test_a_training_step_moves_at_least_its_weights_and_has_a_finite_intensity(
    kind: str, parameters: dict[str, Any]
) -> None:
    step = training_step(kind, parameters)
    work = count_step(step)
    assert work.moved is not None
    # Two operations need at least one element, and no element of 4 bytes serves in more
    # products than the largest axis of these models is long.
    assert 0 < work.operations / work.moved < 4096
    assert work.moved > 4 * BATCH


def test_a_dense_layers_step_moves_what_forward_and_backward_need() -> None:
    import tensorflow as tf

    def step(x: Any, w: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(w)
            loss = tf.reduce_sum(tf.matmul(x, w))
        return tape.gradient(loss, w)

    # The loss is a sum, so that only the gradient's product is left: xᵀ · ones.
    assert moved(step, (6, 5), (5, 7), dtype="float32") == 4 * (6 * 5 + 6 * 7 + 5 * 7)
