"""The table of layers, against the shipped records and against the graph that TensorFlow traces."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from accelreport.backend.arithmetic import (
    TABLE,
    NotCountedError,
    calls_of,
    count_flops,
    flops_of,
)
from accelreport.datasets.base import Dataset
from accelreport.datasets.load import load
from accelreport.results.record import Flops, Record
from accelreport.results.store import Store
from accelreport.workloads.base import TrainingProblem
from accelreport.workloads.registry import FAMILIES
from tests.support.traced_graph import Traced
from tests.support.tracer import count_depth, count_step

pytestmark = pytest.mark.e2e

EXAMPLE = Path(__file__).parents[2] / "examples" / "two_core_cpu"

BATCH = 3

NUMBERS = ("per_step", "bytes_per_step", "convolutions_per_step", "least_per_step", "depth")


@cache
def stand_in(name: str, options: str) -> Dataset:
    return load(name, mode="synthetic", options=json.loads(options))


def recorded() -> list[Record]:
    """One shipped record of each network, batch, precision and strategy."""
    kept = {}
    for record in Store(EXAMPLE).records():
        cell = record.cell
        if record.flops and cell.workload["kind"] != "matmul":
            kept[json.dumps([cell.workload, cell.device_spec.model_dump(mode="json")])] = record
    return list(kept.values())


def test_every_shipped_record_has_the_numbers_that_the_table_gives() -> None:
    import keras

    policy = keras.mixed_precision.global_policy()
    records = recorded()
    assert len(records) > 70
    try:
        for record in records:
            device = record.cell.device_spec
            keras.mixed_precision.set_global_policy(device.precision)
            flops, measured = flops_of_cell(record), record.flops
            assert measured is not None
            for name in NUMBERS:
                expected = getattr(measured, name)
                # What other frameworks were seen to read: PyTorch pads images in memory, and JAX'
                # gradients of convolutions read no shapes.
                exact = device.framework == "tensorflow" or name != "bytes_per_step"
                share = 0 if exact else 0.035
                assert getattr(flops, name) == pytest.approx(expected, rel=share), record.key
    finally:
        keras.mixed_precision.set_global_policy(policy)


def flops_of_cell(record: Record) -> Flops:
    """What the table says of a cell's model."""
    cell = record.cell
    family = FAMILIES[cell.workload["kind"]]
    parameters = family.parameters.model_validate(cell.workload | {"data": "synthetic"})
    request = family.data(parameters)
    assert request is not None
    problem = family.problem(parameters, stand_in(request.name, json.dumps(request.options)), 0)
    assert isinstance(problem, TrainingProblem)
    device = cell.device_spec
    replicas = max(device.replicas, len(record.hosts))
    engine: Any = SimpleNamespace(
        model=problem.model(),
        problem=problem,
        runtime=SimpleNamespace(replicas=1 if device.strategy == "parameter_server" else replicas),
        state_bytes=lambda: 0.0,
        batch_bytes=lambda: 0.0,
    )
    counted = count_flops(engine, trained=cell.workload.get("mode") != "inference")
    assert counted.flops is not None, counted.unknown
    return counted.flops


# Each layer of the table ------------------------------------------------------------------------


def each_layer() -> dict[str, tuple[tuple[int, ...], Callable[[Any], Any]]]:
    """Shape of an example, and the layers that are called with it."""
    from keras import layers, ops

    image, sequence, clip = (8, 9, 4), (6, 5), (4, 5, 6, 2)

    def attend(inputs: Any) -> Any:
        asking = layers.Dense(4)(inputs)
        return layers.Attention()([asking, inputs, layers.Dense(4)(inputs)])

    def attend_masked(inputs: Any) -> Any:
        sums = ops.sum(inputs, -1)
        # The product takes the mask off, which flattening would complain of.
        return layers.Attention()([inputs, inputs], mask=[sums, sums]) * 1

    def masked(inputs: Any) -> Any:
        mask = ops.expand_dims(ops.sum(inputs, -1), 1)
        return layers.MultiHeadAttention(2, 3)(inputs, inputs, attention_mask=mask)

    return {
        "Dense": ((7,), layers.Dense(5)),
        "Dense of a sequence": (sequence, layers.Dense(3, activation="relu")),
        "EinsumDense": (sequence, layers.EinsumDense("abc,cd->abd", (6, 3))),
        "EinsumDense of any rank": ((7,), layers.EinsumDense("...x,xy->...y", 3)),
        "Conv1D": (sequence, layers.Conv1D(3, 2, padding="same")),
        "Conv2D": (image, layers.Conv2D(6, 3, strides=2)),
        "Conv2D in groups": (image, layers.Conv2D(6, 3, groups=2)),
        "Conv3D": (clip, layers.Conv3D(3, 2)),
        "DepthwiseConv1D": (sequence, layers.DepthwiseConv1D(3)),
        "DepthwiseConv2D": (image, layers.DepthwiseConv2D(3, depth_multiplier=2)),
        "SeparableConv1D": (sequence, layers.SeparableConv1D(3, 2)),
        "SeparableConv2D": (image, layers.SeparableConv2D(6, 3, depth_multiplier=2)),
        "Conv1DTranspose": (sequence, layers.Conv1DTranspose(3, 2)),
        "Conv2DTranspose": (image, layers.Conv2DTranspose(6, 3, strides=2)),
        "Conv3DTranspose": (clip, layers.Conv3DTranspose(3, 2)),
        "LSTM": (sequence, layers.LSTM(4)),
        "LSTM by gates": (sequence, layers.LSTM(4, recurrent_dropout=0.1)),
        "LSTM of whole sequences": (sequence, layers.LSTM(4, return_sequences=True)),
        "GRU": (sequence, layers.GRU(4)),
        "GRU with its reset before": (sequence, layers.GRU(4, reset_after=False)),
        "SimpleRNN": (sequence, layers.SimpleRNN(4)),
        "Bidirectional": (sequence, layers.Bidirectional(layers.LSTM(4))),
        "MultiHeadAttention": (sequence, lambda x: layers.MultiHeadAttention(2, 3)(x, x)),
        "Attention": (sequence, attend),
        "MultiHeadAttention with a mask": (sequence, masked),
        "Attention with masks": (sequence, attend_masked),
    }


def small_model(name: str, *, before: bool) -> Any:
    """A layer, behind one that learns where `before` is said, and in front of a dense one."""
    import keras

    shape, layer = each_layer()[name]
    inputs = keras.Input(shape)
    outputs = layer(keras.layers.Dense(shape[-1])(inputs) if before else inputs)
    return keras.Model(inputs, keras.layers.Dense(2)(keras.layers.Flatten()(outputs)))


def traced(model: Any, shape: tuple[int, ...], *, trained: bool) -> Traced:
    """One step of a model as the only turn of a loop, as TensorFlow traces it."""
    import tensorflow as tf

    def outcome(inputs: Any) -> Any:
        if not trained:
            return [model(inputs, training=False)]
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(model(inputs, training=True)))
        return [loss, *tape.gradient(loss, model.trainable_variables)]

    def steps(inputs: Any) -> Any:
        def turn(number: Any, total: Any) -> Any:
            return number + 1, total + tf.add_n([tf.reduce_sum(each) for each in outcome(inputs)])

        return tf.while_loop(lambda number, _: number < 1, turn, (tf.constant(0), tf.zeros([])))

    specified = tf.TensorSpec((BATCH, *shape), tf.float32)
    graph = tf.function(steps, autograph=False).get_concrete_function(specified).graph
    return Traced(graph.as_graph_def(add_shapes=True))


def assert_same(model: Any, shape: tuple[int, ...], *, trained: bool, einsum: bool = False) -> None:
    """The table and the tracer agree on a model."""
    step = traced(model, shape, trained=trained)
    work = count_step(step)
    flops = flops_of(calls_of(model, [(BATCH, *shape)]), trained=trained)
    assert flops.per_step == work.operations > 0
    assert flops.convolutions_per_step == work.convolved
    assert flops.least_per_step == pytest.approx(work.least)
    # A transposed convolution reads its result's shape in other places than a plain one, and
    # TensorFlow leaves a gradient of an einsum's kernel for each example before it adds them up.
    assert work.moved is not None
    assert flops.bytes_per_step is not None
    assert 0 <= work.moved - flops.bytes_per_step <= (0.21 * work.moved if einsum else 20)
    assert flops.depth == count_depth(step)


LAYERS = list(each_layer())


def test_every_layer_of_the_table_is_held_against_the_tracer() -> None:
    assert {name.split(" ")[0] for name in LAYERS} == set(TABLE)


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("before", [False, True])
def test_a_layer_counts_what_tensorflow_traces(name: str, before: bool) -> None:
    shape = each_layer()[name][0]
    einsum = name.startswith(("EinsumDense", "MultiHeadAttention"))
    for trained in (True, False):
        assert_same(small_model(name, before=before), shape, trained=trained, einsum=einsum)


def test_a_layer_that_is_not_trained_costs_no_gradient_of_its_weights() -> None:
    import keras

    model = keras.Sequential(
        [
            keras.Input((8, 8, 3)),
            keras.layers.Conv2D(4, 3, trainable=False),
            keras.layers.Conv2D(5, 3, trainable=False),
            keras.layers.Flatten(),
            keras.layers.Dense(6),
            keras.layers.Dense(6, trainable=False),
            keras.layers.Dense(2),
        ]
    )
    assert_same(model, (8, 8, 3), trained=True)


def test_a_graph_with_branches_counts_what_tensorflow_traces() -> None:
    import keras
    from keras import layers

    inputs = keras.Input((8, 8, 3))
    trunk = layers.BatchNormalization()(layers.Conv2D(4, 3, padding="same")(inputs))
    longer = layers.Conv2D(4, 3, padding="same")(layers.Conv2D(4, 1, activation="relu")(trunk))
    joined = layers.Concatenate()([layers.Add()([trunk, longer]), layers.Conv2D(2, 1)(trunk)])
    squeezed = layers.Dense(6, activation="sigmoid")(layers.GlobalAveragePooling2D()(joined))
    scaled = layers.Multiply()([joined, layers.Reshape((1, 1, 6))(squeezed)])
    model = keras.Model(inputs, layers.Dense(2)(layers.Flatten()(scaled)))
    assert_same(model, (8, 8, 3), trained=True)


def test_a_layer_of_somebody_s_own_is_not_counted_and_is_named() -> None:
    import keras

    class Twice(keras.layers.Dense):  # type: ignore[misc,unused-ignore]
        def call(self, inputs: Any, training: Any = None) -> Any:
            return super().call(inputs) + super().call(inputs)

    class Free(keras.Model):  # type: ignore[misc,unused-ignore]
        pass

    def refused(model: Any, shape: tuple[int, ...]) -> str:
        with pytest.raises(NotCountedError) as refusal:
            flops_of(calls_of(model, [(BATCH, *shape)]), trained=True)
        return str(refusal.value)

    own = keras.Sequential([keras.Input((3,)), Twice(3, name="mine")])
    assert "the layer 'mine' (" in refused(own, (3,))
    assert "Twice) is not in the table of layers" in refused(own, (3,))
    inside = keras.Sequential([keras.Input((3, 3)), keras.layers.Lambda(lambda x: x @ x)])
    assert "(Lambda) is not in the table of layers" in refused(inside, (3, 3))
    inputs = keras.Input((3,))
    operation = keras.Model(inputs, keras.ops.outer(inputs, inputs))
    assert "(Outer) is not in the table of layers" in refused(operation, (3,))
    free = Free(name="free")
    free.inputs = [keras.KerasTensor((None, 3))]
    assert refused(free, (3,)) == "'free' (Free) is no graph of layers"


def test_a_model_within_a_model_and_a_layer_called_twice_count_as_often_as_they_run() -> None:
    import keras

    inputs = keras.Input((4,))
    shared, inner = keras.layers.Dense(4), keras.Sequential([keras.layers.Dense(4)])
    joined = keras.layers.Add()([shared(inputs), shared(inner(inputs))])
    model = keras.Model(inputs, inner(keras.ops.relu(joined) * 2))
    assert_same(model, (4,), trained=True)
    flops = flops_of(calls_of(model, [(BATCH, 4)]), trained=False)
    assert flops.per_step == 4 * 2 * BATCH * 4 * 4


@pytest.mark.parametrize(("mode", "gates"), [("lstm", 4), ("gru", 3)])
def test_a_recurrent_layer_on_cudnn_counts_its_one_kernel(mode: str, gates: int) -> None:
    import keras
    import tensorflow as tf

    steps, inputs, units = 11, 7, 13
    made = {"lstm": keras.layers.LSTM, "gru": keras.layers.GRU}[mode]
    model = keras.Sequential([keras.Input((steps, inputs)), made(units, return_sequences=True)])
    weights = gates * units * (inputs + units + 2)

    def once(x: Any, h: Any, c: Any, weights: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([weights])
            y = tf.raw_ops.CudnnRNNV3(
                input=x, input_h=h, input_c=c, params=weights, rnn_mode=mode, time_major=False,
                sequence_lengths=tf.fill([BATCH], steps),
            ).output  # fmt: skip
        return [y, tape.gradient(y, weights)]

    from tests.backend.test_flops import one_turn

    state = (BATCH, 1, units)
    step = one_turn(once, (BATCH, steps, inputs), state, state, (weights,))
    flops = flops_of(calls_of(model, [(BATCH, steps, inputs)], fused=True), trained=True)
    work = count_step(step)
    assert flops.per_step == work.operations
    assert flops.depth == count_depth(step) == 2 * steps
    assert flops.bytes_per_step == pytest.approx(work.moved, rel=0.15)
