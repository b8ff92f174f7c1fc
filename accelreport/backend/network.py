"""The model that is measured, as a table: layers with their shapes and weights, loss, optimizer."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from accelreport.backend.engine import Engine
from accelreport.results.record import Layer, Network

SETTINGS: Mapping[str, object] = {
    "units": None, "filters": None, "kernel_size": None, "depth_multiplier": 1, "pool_size": None,
    "strides": 1, "padding": "valid", "dilation_rate": 1, "input_dim": None, "output_dim": None,
    "rate": None, "recurrent_dropout": 0.0, "activation": "linear", "return_sequences": False,
    "num_heads": None, "key_dim": None,
}  # fmt: skip
"""Settings of layers that a reader compares networks by, each with the value that says nothing."""


def network_of(engine: Engine, *, trained: bool) -> Network:
    """Layers of an engine's model in the order of its graph, with what trains them.

    Args:
        engine: its model and optimizer are built, and no step was done.
        trained: whether they will be used; a model in inference has a stand-in for both.
    """
    layers, problem = list(layers_of(engine.model)), engine.problem
    if not trained:
        return Network(layers=layers, loss="", optimizer="")
    optimizer = getattr(engine.optimizer, "inner_optimizer", engine.optimizer)
    schedule = problem.learning_rate
    return Network(
        layers=layers,
        loss=problem.loss_name,
        optimizer=type(optimizer).__name__,
        learning_rate=schedule(0) if schedule else engine.learning_rate(),
    )


def layers_of(model: Any) -> Iterator[Layer]:
    """The layers of a Keras model; a model within it is taken apart."""
    for layer in model.layers:
        if hasattr(layer, "layers"):
            yield from layers_of(layer)
        elif type(layer).__name__ != "InputLayer":
            yield _layer(layer)


def _layer(layer: Any) -> Layer:
    wrapped = getattr(layer, "forward_layer", None) or getattr(layer, "layer", None)
    kinds = [type(part).__name__ for part in (layer, wrapped) if part is not None]
    try:
        shape = list(getattr(layer.output, "shape", ()))[1:]
    except AttributeError:  # a layer that somebody's own class calls does not know its output
        shape = []
    try:
        config = (wrapped or layer).get_config()
    except NotImplementedError:  # a class of somebody's own
        config = {}
    return Layer(
        kind=" ".join(kinds),
        settings=dict(_settings(config)),
        shape=shape,
        parameters=sum(math.prod(weight.shape) for weight in layer.weights),
    )


def _settings(known: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Settings that are not the plain ones."""
    for key, plain in SETTINGS.items():
        value = known.get(key)
        if not isinstance(value, bool | int | float | str | list | tuple) or value == plain:
            continue
        # Zeros around an image are so many before and after each of its axes.
        sizes = _flat(value) if isinstance(value, list | tuple) else []
        overlapping = key != "strides" or value != known.get("pool_size")
        if (sizes and set(map(str, sizes)) == {str(plain)}) or not overlapping:
            continue
        if all(isinstance(size, int) and size >= 0 for size in sizes):
            yield key, sizes or value
        else:  # of somebody's own class
            yield key, ", ".join(map(str, sizes))


def _flat(value: Any) -> list[Any]:
    """The members of a list, and of those within it."""
    parts = [_flat(part) if isinstance(part, list | tuple) else [part] for part in value]
    return [member for part in parts for member in part]
