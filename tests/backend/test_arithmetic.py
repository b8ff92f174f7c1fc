"""The table of layers, against counts by hand and in TensorFlow's graphs.

By hand: a convolution or a dense layer multiplies every output with its share of the weights
(2 operations each), an LSTM 4 · units · (inputs + units) weights for every step. Backward
takes the same twice, for the gradients of inputs and weights; the gradient of the data
themselves is needed by nobody, and no framework computes it.
"""

import json
import tomllib
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
from accelreport.results.record import Flops
from accelreport.workloads.base import TrainingProblem
from accelreport.workloads.registry import FAMILIES

pytestmark = pytest.mark.e2e

ANSWERS = tomllib.loads(Path(__file__).with_name("arithmetic.toml").read_text(encoding="utf-8"))
"""Model → step → what it computes; the file says how the steps were counted."""

TRACED = json.loads(Path(__file__).with_name("traced.json").read_text(encoding="utf-8"))
"""Steps of the networks of the specs, as counted in the graphs that TensorFlow 2.21 traced."""

BATCH = 3


@cache
def stand_in(name: str, options: str) -> Dataset:
    return load(name, mode="synthetic", options=json.loads(options))


def test_every_network_of_the_specs_has_the_numbers_of_its_traced_graph() -> None:
    import keras

    policy = keras.mixed_precision.global_policy()
    try:
        for step in TRACED:
            keras.mixed_precision.set_global_policy(step["precision"])
            flops = flops_of_workload(step["workload"], replicas=step["replicas"])
            assert {name: getattr(flops, name) for name in step["counted"]} == step["counted"], step
    finally:
        keras.mixed_precision.set_global_policy(policy)


def flops_of_workload(workload: dict[str, Any], *, replicas: int = 1) -> Flops:
    family = FAMILIES[workload["kind"]]
    parameters = family.parameters.model_validate(workload | {"data": "synthetic"})
    request = family.data(parameters)
    assert request is not None
    problem = family.problem(parameters, stand_in(request.name, json.dumps(request.options)), 0)
    assert isinstance(problem, TrainingProblem)
    engine: Any = SimpleNamespace(
        model=problem.model(),
        problem=problem,
        runtime=SimpleNamespace(replicas=replicas),
        state_bytes=lambda: 0.0,
        batch_bytes=lambda: 0.0,
    )
    counted = count_flops(engine, trained=workload.get("mode") != "inference")
    assert counted.flops is not None, counted.unknown
    return counted.flops


# Networks by hand -------------------------------------------------------------------------------


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


@pytest.mark.parametrize("system", BY_HAND)
def test_a_training_step_has_the_operations_counted_by_hand(system: str) -> None:
    kind, parameters, by_hand = BY_HAND[system]
    small = {"kind": kind, "batch_size": BATCH, "train_examples": 64}
    flops = flops_of_workload(small | parameters)
    assert flops.per_step == BATCH * by_hand
    assert flops.depth == DEPTHS[system]


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


def assert_answer(name: str, step: str, calls: Any, *, loose: float = 0.0) -> None:
    """The table counts a step of a model as `ANSWERS` has it.

    Args:
        name: of the model.
        step: of the model's steps.
        calls: what `calls_of` makes of the model.
        loose: the share of the bytes by which the two may differ.
    """
    answer = ANSWERS[name][step]
    flops = flops_of(calls, trained="trained" in step)
    assert flops.per_step == answer["operations"] > 0
    assert flops.convolutions_per_step == answer["convolutions"]
    assert flops.least_per_step == pytest.approx(answer["least"])
    assert flops.depth == answer["depth"]
    # A transposed convolution reads its result's shape in other places than a plain one.
    assert flops.bytes_per_step == pytest.approx(answer["bytes"], rel=loose, abs=20)


LAYERS = list(each_layer())


def test_every_layer_of_the_table_has_an_answer() -> None:
    assert {name.split(" ")[0] for name in LAYERS} == set(TABLE)


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("before", [False, True])
def test_a_layer_counts_what_its_answer_says(name: str, before: bool) -> None:
    shape = each_layer()[name][0]
    calls = calls_of(small_model(name, before=before), [(BATCH, *shape)])
    # TensorFlow leaves a gradient of an einsum's kernel for each example before it adds them up.
    loose = 0.21 if name.startswith(("EinsumDense", "MultiHeadAttention")) else 0.0
    for step in ("trained", "called"):
        assert_answer(name, f"{step} behind Dense" if before else step, calls, loose=loose)


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
    assert_answer("Layers that are not trained", "trained", calls_of(model, [(BATCH, 8, 8, 3)]))


def test_a_graph_with_branches_counts_what_its_answer_says() -> None:
    import keras
    from keras import layers

    inputs = keras.Input((8, 8, 3))
    trunk = layers.BatchNormalization()(layers.Conv2D(4, 3, padding="same")(inputs))
    longer = layers.Conv2D(4, 3, padding="same")(layers.Conv2D(4, 1, activation="relu")(trunk))
    joined = layers.Concatenate()([layers.Add()([trunk, longer]), layers.Conv2D(2, 1)(trunk)])
    squeezed = layers.Dense(6, activation="sigmoid")(layers.GlobalAveragePooling2D()(joined))
    scaled = layers.Multiply()([joined, layers.Reshape((1, 1, 6))(squeezed)])
    model = keras.Model(inputs, layers.Dense(2)(layers.Flatten()(scaled)))
    assert_answer("Branches", "trained", calls_of(model, [(BATCH, 8, 8, 3)]))


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
    calls = calls_of(model, [(BATCH, 4)])
    assert_answer("Layers that are called twice", "trained", calls)
    flops = flops_of(calls, trained=False)
    assert flops.per_step == 4 * 2 * BATCH * 4 * 4


@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
def test_a_recurrent_layer_on_cudnn_counts_its_one_kernel(kind: str) -> None:
    import keras

    made = getattr(keras.layers, kind)(13, return_sequences=True)
    calls = calls_of(keras.Sequential([keras.Input((11, 7)), made]), [(BATCH, 11, 7)], fused=True)
    assert_answer(f"{kind} on cuDNN", "trained", calls, loose=0.15)
