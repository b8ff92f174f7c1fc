"""Operations counted in a traced graph, against counts by hand.

By hand: a convolution or a dense layer multiplies every output with its share of the weights
(2 operations each), an LSTM 4 · units · (inputs + units) weights for every step. Backward
takes the same twice, for the gradients of inputs and weights; the gradient of the data
themselves is needed by nobody, and TensorFlow does not compute it.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelreport.datasets.base import Dataset
from accelreport.datasets.load import load
from accelreport.spec.device import Device
from accelreport.workloads.base import TrainingProblem
from accelreport.workloads.registry import FAMILIES
from tests.support.traced_graph import Traced
from tests.support.tracer import (
    NEVER,
    CountError,
    after_turns,
    count_depth,
    count_step,
)

pytestmark = pytest.mark.e2e

BATCH = 4


def layer(outputs: int, weights: int, *, first: bool = False) -> int:
    """Operations of one example forward and backward, each weight used for every output."""
    return 2 * outputs * weights * (2 if first else 3)


def lstm(steps: int, inputs: int, units: int, *, gates: int = 4, first: bool = False) -> int:
    """Operations of one example through a recurrent layer."""
    width = gates * units
    return 2 * steps * width * (inputs * (2 if first else 3) + units * 3)


S2_A = (
    layer(26 * 26 * 32, 3 * 3 * 1, first=True)
    + layer(11 * 11 * 64, 3 * 3 * 32)
    + layer(3 * 3 * 64, 3 * 3 * 64)
    + layer(64, 576)
    + layer(10, 64)
)
S2_B = (
    layer(28 * 28 * 12, 3 * 3 * 1, first=True)
    + layer(14 * 14 * 24, 6 * 6 * 12)
    + layer(7 * 7 * 32, 6 * 6 * 24)
    + layer(200, 7 * 7 * 32)
    + layer(10, 200)
)
S2_C = (
    layer(28 * 28 * 64, 5 * 5 * 1)  # the normalisation before it learns from its gradient
    + layer(14 * 14 * 128, 5 * 5 * 64)
    + layer(7 * 7 * 256, 5 * 5 * 128)
    + layer(256, 3 * 3 * 256)
    + layer(10, 256)
)
S3 = (
    layer(28 * 28 * 64, 2 * 2 * 1, first=True)
    + layer(14 * 14 * 32, 2 * 2 * 64)
    + layer(256, 7 * 7 * 32)
    + layer(10, 256)
)
S1 = lstm(250, 32, 100) + layer(1, 100)
S2_D = lstm(100, 512, 512) + lstm(100, 512, 512) + 100 * layer(256, 512)
S4 = 2 * lstm(128, 9, 128, first=True) + 2 * lstm(128, 256, 128) + lstm(128, 256, 64) + layer(6, 64)

S0_B = lstm(100, 20, 512, gates=3, first=True) + 100 * layer(3, 512)

BY_HAND: dict[str, tuple[str, dict[str, Any], int]] = {
    "S0-B weather GRU": ("series_forecast", {"window": 100}, S0_B),
    "S1 IMDB LSTM": ("text_classification", {}, S1),
    "S2-A MNIST": ("image_classification", {"model": "conv32_conv64_conv64"}, S2_A),
    "S2-B Görner": ("image_classification", {"model": "conv12_conv24_conv32"}, S2_B),
    "S2-C Fashion": (
        "image_classification",
        {"model": "conv64_conv128_conv256", "dataset": "fashion_mnist"},
        S2_C,
    ),
    "S2-D Shakespeare": ("text_generation", {}, S2_D),
    "S3 MNIST": ("image_classification", {"model": "conv64_conv32"}, S3),
    "S4 BiLSTM": ("sequence_classification", {}, S4),
}

DEPTHS = {
    "S0-B weather GRU": 100,
    "S1 IMDB LSTM": 250,
    "S2-A MNIST": 2 * 5,
    "S2-B Görner": 2 * 5,
    "S2-C Fashion": 2 * 5,
    "S2-D Shakespeare": 100,
    "S3 MNIST": 2 * 4,
    "S4 BiLSTM": 128,
}
"""Layers, forward and back; of a recurrent network the steps, since layers may overlap."""


@cache
def stand_in(name: str, **options: Any) -> Dataset:
    """A data set of the published shapes, made once for all models that learn from it."""
    return load(name, mode="synthetic", options=options)


def training_step(kind: str, parameters: dict[str, Any], **replaced: Any) -> Traced:
    """The graph of a family's training step, traced and not run."""
    import tensorflow as tf

    from accelreport.backend.frameworks import Runtime
    from accelreport.backend.frameworks.tensorflow.engine import TensorFlowEngine
    from accelreport.backend.frameworks.tensorflow.strategies import place

    family = FAMILIES[kind]
    small = {"kind": kind, "data": "synthetic", "batch_size": BATCH, "train_examples": 64}
    checked = family.parameters.model_validate(small | parameters)
    request = family.data(checked)
    data = stand_in(request.name, **request.options) if request else None
    problem = family.problem(checked, data, 0)
    assert isinstance(problem, TrainingProblem)
    runtime = Runtime(placement=place(Device(kind="CPU")), jit_compile=False, facts={})
    graphs = TensorFlowEngine(replace(problem, **replaced), runtime)
    assert graphs.rewrites == bool(replaced), "AutoGraph is for functions of others"
    graphs.resident_trainer()
    order = tf.zeros([2, BATCH], tf.int32)
    resident = graphs.on_devices(problem.resident)
    return Traced(graphs.step_graph(resident, order, tf.constant(0), tf.constant(1)))


@pytest.mark.parametrize("system", BY_HAND)
def test_a_training_step_has_the_operations_counted_by_hand(system: str) -> None:
    kind, parameters, by_hand = BY_HAND[system]
    step = training_step(kind, parameters)
    work = count_step(step)
    assert work.operations == BATCH * by_hand
    assert 0 <= work.convolved < BATCH * by_hand
    assert count_depth(step) == DEPTHS[system]


def test_a_package_may_decide_by_a_tensor_in_its_functions() -> None:
    import tensorflow as tf

    def loss(targets: Any, outputs: Any) -> Any:
        each = tf.reduce_sum(outputs, axis=-1)
        if tf.reduce_mean(each) > 0:
            each = -each
        return each

    given = {"dataset": "mnist", "model": "conv64_conv32"}
    step = training_step("image_classification", given, loss=loss)
    assert count_step(step) == count_step(training_step("image_classification", given))


def test_operations_of_convolutions_are_told_apart_from_those_of_dense_layers() -> None:
    step = training_step("image_classification", {"dataset": "mnist", "model": "conv64_conv32"})
    dense = 2 * 3 * (7 * 7 * 32 * 256 + 256 * 10)
    work = count_step(step)
    assert work.convolved == work.operations - BATCH * dense > 0
    assert work.least == BATCH * dense + work.convolved / 4  # kernels of 2 × 2


def one_turn(
    function: Callable[..., Any], *shapes: tuple[int | None, ...], dtype: str = "float32"
) -> Traced:
    """A function of inputs of some shapes, as the only step of a loop."""
    import tensorflow as tf

    def steps(*inputs: Any) -> Any:
        def turn(number: Any, total: Any) -> Any:
            results = tf.nest.flatten(function(*inputs))
            return number + 1, total + tf.add_n([tf.reduce_sum(one) for one in results])

        start = tf.constant(0), tf.zeros([], dtype)
        return tf.while_loop(lambda number, _: number < 1, turn, start)

    specs = [tf.TensorSpec(shape, tf.as_dtype(dtype)) for shape in shapes]
    graph = tf.function(steps).get_concrete_function(*specs).graph
    return Traced(graph.as_graph_def(add_shapes=True))


def counted(function: Callable[..., Any], *shapes: tuple[int | None, ...]) -> float:
    return count_step(one_turn(function, *shapes)).operations


def least(function: Callable[..., Any], *shapes: tuple[int | None, ...]) -> float:
    return count_step(one_turn(function, *shapes)).least


def test_a_loop_counts_as_often_as_it_runs_also_inside_another_one() -> None:
    import tensorflow as tf

    def chain(x: Any, y: Any) -> Any:
        def outer(number: Any, x: Any) -> Any:
            _, x = tf.while_loop(
                lambda inner, _: inner < 5,
                lambda inner, x: (inner + 1, tf.matmul(x, y)),
                (tf.constant(0), x),
            )
            return number + 2, x

        return tf.while_loop(lambda number, _: number < 7, outer, (tf.constant(1), x))[1]

    assert counted(chain, (3, 4), (4, 4)) == 3 * 5 * 2 * 3 * 4 * 4


def test_what_nobody_needs_does_not_count() -> None:
    import tensorflow as tf

    def wasteful(x: Any) -> Any:
        _unused = tf.matmul(x, x)
        return tf.reduce_sum(x)

    def half_of_a_loop(x: Any) -> Any:
        found = tf.while_loop(
            lambda number, *_: number < 10,
            lambda number, a, b: (number + 1, tf.matmul(a, a), tf.matmul(b, b)),
            (tf.constant(0), x, x),
        )
        return found[1]

    assert counted(wasteful, (8, 8)) == 0
    assert counted(half_of_a_loop, (8, 8)) == 10 * 2 * 8**3


def test_of_two_branches_the_dearer_one_counts() -> None:
    import tensorflow as tf

    def either(x: Any) -> Any:
        return tf.cond(tf.reduce_sum(x) > 0, lambda: tf.matmul(x, tf.matmul(x, x)), lambda: x)

    assert counted(either, (8, 8)) == 2 * 2 * 8**3


def test_called_functions_count_at_each_call() -> None:
    import tensorflow as tf

    square = tf.function(lambda x: tf.matmul(x, x))
    assert counted(lambda x: square(square(x)), (8, 8)) == 2 * 2 * 8**3


def test_a_loop_of_unknown_length_is_not_guessed() -> None:
    import tensorflow as tf

    def until_large(x: Any) -> Any:
        return tf.while_loop(lambda x: tf.norm(x) < 9, lambda x: (tf.matmul(x, x),), (x,))[0]

    with pytest.raises(CountError, match=r"how often the loop '.*while' runs is not known"):
        counted(until_large, (4, 4))


def test_a_shape_that_is_not_known_is_not_guessed() -> None:
    import tensorflow as tf

    with pytest.raises(CountError, match="a size of MatMul"):
        counted(lambda x, y: tf.matmul(x, y), (None, 4), (4, 5))


@pytest.mark.parametrize(
    ("equation", "shapes", "by_hand"),
    [
        ("abc,cde->abde", ((2, 3, 4), (4, 5, 6)), 2 * 2 * 3 * 4 * 5 * 6),
        ("...ij,...jk->...ik", ((7, 2, 3), (7, 3, 5)), 2 * 7 * 2 * 3 * 5),
        ("ab->ba", ((2, 3),), 0),
    ],
)
def test_einsum_counts_every_product(
    equation: str, shapes: tuple[tuple[int, ...], ...], by_hand: int
) -> None:
    import tensorflow as tf

    assert counted(lambda *xs: tf.einsum(equation, *xs), *shapes) == by_hand


def test_convolutions_over_channels_and_in_space_count() -> None:
    import tensorflow as tf

    def depthwise(x: Any, kernel: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([x, kernel])
            y = tf.nn.depthwise_conv2d(x, kernel, [1, 1, 1, 1], "SAME")
        return [y, *tape.gradient(y, [x, kernel])]

    ends = (2, 8, 8, 3), (3, 3, 3, 2)
    assert counted(depthwise, *ends) == 3 * 2 * (2 * 8 * 8 * 6) * 9
    assert least(depthwise, *ends) == 3 * 2 * (2 * 8 * 8 * 6)

    def in_space(x: Any, kernel: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([x, kernel])
            y = tf.nn.conv3d(x, kernel, [1, 1, 1, 1, 1], "SAME")
        return [y, *tape.gradient(y, [x, kernel])]

    spatial = (2, 4, 4, 4, 3), (3, 3, 3, 3, 5)
    assert counted(in_space, *spatial) == 3 * 2 * (2 * 64 * 5) * 27 * 3
    assert least(in_space, *spatial) == 3 * 2 * (2 * 64 * 5) * 3


@pytest.mark.parametrize(("mode", "gates"), [("lstm", 4), ("gru", 3)])
@pytest.mark.parametrize("time_major", [True, False])
def test_a_recurrent_kernel_of_cudnn_counts_like_the_loop_it_replaces(
    mode: str, gates: int, time_major: bool
) -> None:
    import tensorflow as tf

    steps, batch, inputs, units = 11, 5, 7, 13

    def fused(x: Any, h: Any, c: Any, weights: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([x, weights])
            y = tf.raw_ops.CudnnRNNV3(
                input=x,
                input_h=h,
                input_c=c,
                params=weights,
                sequence_lengths=tf.fill([batch], steps),
                rnn_mode=mode,
                time_major=time_major,
            ).output
        return [y, *tape.gradient(y, [x, weights])]

    sequence = (steps, batch, inputs) if time_major else (batch, steps, inputs)
    state = (1, batch, units) if time_major else (batch, 1, units)
    weights = (gates * units * (inputs + units + 2),)
    by_hand = batch * lstm(steps, inputs, units, gates=gates)
    assert counted(fused, sequence, state, state, weights) == by_hand


def test_a_recurrent_kernel_for_cpus_counts_like_the_loop_it_replaces() -> None:
    import tensorflow as tf

    steps, batch, inputs, units = 11, 5, 7, 13

    def fused(x: Any, state: Any, w: Any, peephole: Any, bias: Any) -> Any:
        return tf.raw_ops.BlockLSTMV2(
            seq_len_max=tf.constant(steps, tf.int64),
            x=x,
            cs_prev=state,
            h_prev=state,
            w=w,
            wci=peephole,
            wcf=peephole,
            wco=peephole,
            b=bias,
        ).h

    shapes = (
        (steps, batch, inputs),
        (batch, units),
        (inputs + units, 4 * units),
        (units,),
        (4 * units,),
    )
    assert counted(fused, *shapes) == batch * lstm(steps, inputs, units) / 3


@given(
    st.lists(st.lists(st.integers(-3, 3), min_size=3, max_size=3), min_size=3, max_size=3),
    st.lists(st.integers(0, 9), min_size=2, max_size=2),
    st.integers(1, 30),
)
def test_the_depth_of_a_loop_is_that_of_all_its_turns_one_after_the_other(
    paths: list[list[int]], start: list[int], turns: int
) -> None:
    """`paths[i][j]` leads from variable i to j, less than 0 being no way; the last is constants."""
    ways = [[way if way >= 0 else NEVER for way in row] for row in paths]

    def turn(inputs: Sequence[float], base: float) -> tuple[list[float], float]:
        ends = [*inputs, base]
        *results, most = (max(end + row[j] for end, row in zip(ends, ways, strict=True))
                          for j in range(3))  # fmt: skip
        return results, most

    depths, largest = [float(each) for each in start], NEVER
    for _ in range(turns):
        depths, most = turn(depths, 0.0)
        largest = max(largest, most)
    assert after_turns(turn, start, 0.0, turns) == (depths, largest)
