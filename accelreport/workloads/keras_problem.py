"""The training problem of a model that Keras wrote as JSON."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from numpy.typing import NDArray

from accelreport.datasets.base import Dataset
from accelreport.datasets.errors import DataOptionsError
from accelreport.errors import AccelReportError, ExitCode
from accelreport.workloads.base import TrainingProblem
from accelreport.workloads.keras_model import ArchitectureError, KerasParameters, check_architecture
from accelreport.workloads.numerics import numerics
from accelreport.workloads.training import labelled_problem, limited

PerExample = Callable[[Any, Any], Any]
"""(targets, outputs) → one value for each example."""


class ModelError(AccelReportError):
    """Keras cannot make a model of the document."""

    exit_code = ExitCode.BAD_SPEC


def problem(parameters: KerasParameters, data: Dataset) -> TrainingProblem:
    """The training problem: examples `x` [n, …] and labels `y` [n, …].

    An example is reshaped to the model's input where both hold equally many numbers, as a
    grey image [28, 28] and an input [28, 28, 1] do.

    Raises:
        ModelError: Keras refuses the document, or it does not fit the data.
        DataOptionsError: the data set has no examples and labels.
    """
    n = numerics()
    if not {"x", "y"} <= set(data.train):
        raise DataOptionsError(
            f"The data set {data.name} has no examples and labels.",
            why=f"It has {', '.join(data.train)}.",
            remedy="Choose another data set: mnist, fashion_mnist, imdb or uci_har have them.",
        )
    train = limited(data.train, parameters.train_examples)
    validation = limited(data.validation, parameters.validation_examples)
    trial = build(parameters)
    shape, dtype = trial.input_shape[1:], trial.inputs[0].dtype
    _check_shape(data.train["x"].shape[1:], shape)
    _check_inputs(trial, data.train["x"], parameters)
    for labels in (data.train["y"], data.validation["y"]):
        _check_outputs(trial.output_shape[1:], labels, parameters)
    integers = parameters.loss == "sparse_categorical_crossentropy"

    def take(resident: Mapping[str, Any], indices: Any) -> tuple[Any, Any]:
        inputs = n.cast(n.gather(resident["x"], indices), dtype)
        if parameters.divide_by != 1:
            inputs = inputs / n.cast(parameters.divide_by, dtype)
        fixed = [length for length in shape if length is not None]
        if len(fixed) == len(shape):
            inputs = n.reshape(inputs, [-1, *shape])
        targets = n.gather(resident["y"], indices)
        return inputs, n.cast(targets, "int32" if integers else "float32")

    return labelled_problem(
        parameters,
        train,
        validation,
        model=lambda: build(parameters),
        take=take,
        loss=loss_named(parameters.loss, from_logits=parameters.from_logits),
        metrics={name: metric_named(name, parameters) for name in parameters.metrics},
    )


def build(parameters: KerasParameters) -> Any:
    """The model, with new weights; raises `ModelError`."""
    import keras

    try:
        check_architecture(parameters.document)
        model = keras.models.model_from_json(parameters.document)
    except (ArchitectureError, TypeError, ValueError, KeyError, AttributeError) as error:
        raise ModelError(
            f"Keras cannot build {parameters.architecture}.",
            why=str(error).strip().splitlines()[0] if str(error).strip() else "",
            remedy="Write it with `model.to_json()` of the installed Keras, without Lambda layers.",
        ) from error
    if not model.built or len(model.inputs) != 1 or len(model.outputs) != 1:
        raise ModelError(
            f"{parameters.architecture} has not exactly one input of known shape and one output.",
            remedy="Begin a sequential model with keras.Input(shape).",
        )
    return model


def loss_named(name: str, *, from_logits: bool) -> PerExample:
    """A loss of Keras' by name, one value for each example: the mean over its other axes."""
    from keras import losses

    n = numerics()

    def loss(targets: Any, outputs: Any) -> Any:
        outputs = n.cast(outputs, "float32")
        if name == "sparse_categorical_crossentropy":
            values = losses.sparse_categorical_crossentropy(
                targets, outputs, from_logits=from_logits
            )
        elif name == "binary_crossentropy":
            values = losses.binary_crossentropy(
                _like(targets, outputs), outputs, from_logits=from_logits
            )
        else:
            values = getattr(losses, name)(_like(targets, outputs), outputs)
        return _mean(values)

    return loss


def metric_named(name: str, parameters: KerasParameters) -> PerExample:
    """A metric by name, one value for each example."""
    n = numerics()
    if name in ("mean_squared_error", "mean_absolute_error"):
        return loss_named(name, from_logits=False)
    border = 0.0 if parameters.from_logits else 0.5

    def accuracy(targets: Any, outputs: Any) -> Any:
        if parameters.loss == "sparse_categorical_crossentropy":
            if name == "top_5_accuracy":
                right = n.in_top(targets, outputs, 5)
            else:
                right = n.equal(n.argmax(outputs), targets)
        else:
            right = n.equal(outputs > border, _like(targets, outputs) > 0.5)
        return _mean(n.cast(right, "float32"))

    return accuracy


def _like(targets: Any, outputs: Any) -> Any:
    """Targets in the shape of the outputs: labels [batch] beside outputs [batch, 1]."""
    return numerics().reshape_like(targets, outputs)


def _mean(values: Any) -> Any:
    """[batch, …] → [batch]."""
    rank = len(values.shape)
    return values if rank == 1 else numerics().mean(values, axis=list(range(1, rank)))


def _check_shape(had: tuple[int, ...], wanted: tuple[int | None, ...]) -> None:
    known = [length for length in wanted if length is not None]
    fits = math.prod(known) == math.prod(had) if len(known) == len(wanted) else True
    if not fits:
        raise ModelError(
            f"The model takes inputs of shape {wanted}, and an example has the shape {had}.",
            remedy="Choose another data set, or options of it that give this shape.",
        )


def _check_inputs(model: Any, examples: NDArray[Any], parameters: KerasParameters) -> None:
    """Have a model that leaves lengths open follow an example's through, without computing.

    Raises:
        ModelError: a layer does not take it, or an embedding has no row for one of its numbers.
    """
    import keras

    had, inputs = examples.shape[1:], model.inputs[0]
    if None in model.input_shape[1:]:
        try:
            model.compute_output_spec(keras.KerasTensor((1, *had), inputs.dtype))
        except Exception as error:  # each layer and framework has a class of its own
            raise ModelError(
                f"The model does not take an example of the shape {had}.",
                why=next(iter(str(error).strip().splitlines()), type(error).__name__),
                remedy="Choose another data set, or options of it that give another shape.",
            ) from error
    least, most = float(examples.min()), float(examples.max()) / parameters.divide_by
    for layer in model.layers:
        is_first = isinstance(layer, keras.layers.Embedding) and layer.input is inputs
        if is_first and not 0 <= least <= most < layer.input_dim:
            raise ModelError(
                f"The embedding {layer.name} has rows for 0 to {layer.input_dim - 1}, and the "
                f"examples hold numbers from {least:g} to {most:g}.",
                remedy=f"Write input_dim = {int(most) + 1} or more, or choose options of the data "
                "set that give fewer numbers.",
            )


def _check_outputs(
    shape: tuple[int | None, ...], labels: NDArray[Any], parameters: KerasParameters
) -> None:
    """Labels [n, …] fit the outputs [batch, *shape] under this loss.

    A framework notices neither in time: on a GPU a label without an output makes the loss NaN.

    Raises:
        ModelError: they do not.
    """
    loss, own = parameters.loss, labels.shape[1:]
    by_class = loss == "sparse_categorical_crossentropy"
    given = shape[:-1] if by_class else shape
    if None not in given and math.prod(own) != math.prod(n for n in given if n is not None):
        raise ModelError(
            f"The model gives outputs of shape {shape}, and under {loss} labels of shape {own} "
            "do not fit them.",
            remedy="End the model with another layer, or choose another loss.",
        )
    least, most = float(labels.min()), float(labels.max())
    if by_class and (least < 0 or most >= (shape[-1] or math.inf) or (labels % 1).any()):
        raise ModelError(
            f"The model gives {shape[-1]} outputs, and the labels go from {least:g} to {most:g}: "
            f"under {loss} each must be the number of an output.",
            remedy=f"End the model with {int(most) + 1} outputs, or choose another loss.",
        )
    if loss == "binary_crossentropy" and (least < 0 or most > 1):
        raise ModelError(
            f"Under {loss} labels lie between 0 and 1, and these go from {least:g} to {most:g}.",
            remedy="Choose sparse_categorical_crossentropy and one output for each class.",
        )
