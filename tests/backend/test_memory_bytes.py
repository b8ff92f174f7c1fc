"""Bytes of the counted operations, against counts by hand."""

from collections.abc import Callable
from typing import Any

import pytest

from accelreport.backend.flops import CountError
from accelreport.backend.frameworks.tensorflow.flops import MEMORY_BYTES, count_step
from tests.backend.test_flops import BATCH, one_turn, training_step

pytestmark = pytest.mark.e2e


def moved(function: Callable[..., Any], *shapes: tuple[int | None, ...], dtype: str) -> float:
    return count_step(one_turn(function, *shapes, dtype=dtype), MEMORY_BYTES)


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


@pytest.mark.parametrize(
    ("kind", "parameters"),
    [("image_classification", {"model": "conv64_conv32"}), ("text_classification", {})],
)
def test_a_training_step_moves_at_least_its_weights_and_has_a_finite_intensity(
    kind: str, parameters: dict[str, Any]
) -> None:
    step = training_step(kind, parameters)
    operations, moved_bytes = count_step(step), count_step(step, MEMORY_BYTES)
    # Two operations need at least one element, and no element of 4 bytes serves in more
    # products than the largest axis of these models is long.
    assert 0 < operations / moved_bytes < 4096
    assert moved_bytes > 4 * BATCH


def test_a_dense_layers_step_moves_what_forward_and_backward_need() -> None:
    import tensorflow as tf

    def step(x: Any, w: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(w)
            loss = tf.reduce_sum(tf.matmul(x, w))
        return tape.gradient(loss, w)

    # The loss is a sum, so that only the gradient's product is left: xᵀ · ones.
    assert moved(step, (6, 5), (5, 7), dtype="float32") == 4 * (6 * 5 + 6 * 7 + 5 * 7)
