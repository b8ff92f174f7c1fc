"""Layers, loss and optimizer in a record are those of the model that was measured."""

from __future__ import annotations

from typing import Any

import pytest

from accelreport.backend.network import layers_of, network_of
from accelreport.datasets.load import load
from accelreport.results.record import Layer
from accelreport.spec.device import Device
from accelreport.workloads.base import TrainingProblem
from accelreport.workloads.registry import FAMILIES

pytestmark = pytest.mark.e2e

PROBLEMS: dict[str, tuple[str, dict[str, Any]]] = {
    "convolutions": ("image_classification", {"dataset": "mnist", "model": "conv64_conv32"}),
    "both directions": (
        "sequence_classification",
        {"model": "stacked_bilstm", "units": 8, "layers": 2},
    ),
    "forecast": ("series_forecast", {"units": 4, "train_examples": None}),
}


def engine(kind: str, workload: dict[str, Any]) -> Any:
    """An engine of a family on a CPU, built and not run."""
    from accelreport.backend.frameworks import Runtime
    from accelreport.backend.frameworks.tensorflow.engine import TensorFlowEngine
    from accelreport.backend.frameworks.tensorflow.strategies import place

    family = FAMILIES[kind]
    small = {"kind": kind, "data": "synthetic", "batch_size": 4, "train_examples": 64}
    parameters = family.parameters.model_validate(small | workload)
    request = family.data(parameters)
    assert request is not None
    data = load(request.name, mode="synthetic", options=request.options)
    problem = family.problem(parameters, data, 0)
    assert isinstance(problem, TrainingProblem)
    runtime = Runtime(placement=place(Device(kind="CPU")), jit_compile=False, facts={})
    return TensorFlowEngine(problem, runtime)


def test_a_convolutional_network_has_its_filters_rates_and_weights() -> None:
    made = engine(*PROBLEMS["convolutions"])
    network = network_of(made, trained=True)
    assert network.layers[0] == Layer(
        kind="Conv2D",
        settings={"filters": 64, "kernel_size": [2, 2], "padding": "same", "activation": "relu"},
        shape=[28, 28, 64],
        parameters=2 * 2 * 64 + 64,
    )
    assert sum(layer.parameters for layer in network.layers) == made.parameters()
    assert network.loss == "sparse categorical cross-entropy"
    assert network.optimizer == "Adam"
    assert network.learning_rate == pytest.approx(1e-3)


def test_a_wrapped_layer_is_named_with_its_wrapper() -> None:
    network = network_of(engine(*PROBLEMS["both directions"]), trained=True)
    assert network.layers[0].kind == "Bidirectional LSTM"
    assert network.layers[0].settings["units"] == 8


def test_what_is_not_trained_has_no_loss() -> None:
    network = network_of(engine(*PROBLEMS["forecast"]), trained=False)
    assert (network.loss, network.optimizer, network.learning_rate) == ("", "", None)
    assert any(layer.kind == "GRU" for layer in network.layers)


def test_layers_of_somebody_s_own_class_have_their_weights_and_no_shape() -> None:
    import keras

    class Net(keras.Model):  # type: ignore[misc,unused-ignore]
        def __init__(self) -> None:
            super().__init__()
            self.last = keras.layers.Dense(2)

        def call(self, x: Any) -> Any:
            return self.last(x)

    inputs = keras.Input((3,))
    (layer,) = layers_of(keras.Model(inputs, Net()(inputs)))
    assert (layer.kind, layer.shape, layer.parameters) == ("Dense", [], 3 * 2 + 2)
