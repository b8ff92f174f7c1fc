"""Any Keras model of somebody's own, on a data set with labels or on data of their own."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from accelreport.datasets.cache import checksum
from accelreport.datasets.errors import DataOptionsError, DataUnavailable
from accelreport.datasets.own import OwnData, inputs_in
from accelreport.spec.parameters import DataMode
from accelreport.workloads.base import DataRequest, TrainingProblem, training_family
from accelreport.workloads.compiled import (
    class_weights,
    compile_as,
    judged,
    loss_name,
    prove,
    refuse_own_steps,
)
from accelreport.workloads.keras_document import RECURRENT, ArchitectureError, check_architecture
from accelreport.workloads.keras_parameters import MODES, OF_COMPILE, KerasParameters, saved_model
from accelreport.workloads.model_inputs import arrays_of_inputs, check_inputs, check_outputs
from accelreport.workloads.numerics import numerics
from accelreport.workloads.objectives import accuracy_of
from accelreport.workloads.own_model import (
    ModelError,
    Named,
    Shapes,
    application,
    as_passed,
    inputs_of,
    loaded_by,
    named_code,
    random_data,
    refuse_outputs,
    with_inputs,
)
from accelreport.workloads.training import labelled_problem

if TYPE_CHECKING:
    from accelreport.datasets.base import Dataset

RANDOM_OUTPUTS = 10
"""Outputs of a model on random data, where it leaves them open."""


def problem(parameters: KerasParameters, data: Dataset) -> TrainingProblem:
    """The training problem: examples `x` [n, …] and labels `y` [n, …].

    Axes of length 1 are added or removed where the model's input asks for it, as Keras does: a grey
    image [28, 28] fits an input [28, 28, 1].

    Raises:
        ModelError: Keras refuses the document, or it does not fit the data.
        DataOptionsError: the data set has no examples and labels.
        OwnCodeError: somebody's own code raised something.
    """
    n = numerics()
    held = inputs_in(data.train)
    if not held or "y" not in data.train:
        raise DataOptionsError(
            f"The data set {data.name} has no examples and labels.",
            why=f"It has {', '.join(data.train)}.",
            remedy="Choose another data set: mnist, fashion_mnist, imdb or uci_har have them.",
        )
    labels = data.train["y"]
    make, trial = _maker_and_trial(parameters, data)
    inference = parameters.mode == "inference"
    own = trial.compiled and not inference
    if own and (given := sorted(OF_COMPILE & parameters.model_fields_set)):
        raise ModelError(
            f"The model is compiled, and the spec names `{given[0]}`, too.",
            remedy=f"Delete `{given[0]}`, or return the model before it is compiled.",
            key=given[0],
        )
    parameters = judged(parameters, trial, labels)
    loss = loss_name(trial) if own else str(parameters.loss)
    arrays = arrays_of_inputs(trial, held, parameters)
    check_inputs(trial, {name: data.train[key] for name, key in arrays.items()}, parameters)
    kinds = {name: (tensor.dtype, tensor.shape[1:]) for name, tensor in inputs_of(trial).items()}
    for part in (labels, data.validation["y"]):
        check_outputs(trial.output_shape[1:], part, loss, parameters.model_key)
    integers = labels.dtype.kind in "iub"

    def take(resident: Mapping[str, Any], indices: Any) -> tuple[Any, Any]:
        passed = {}
        for name, (dtype, shape) in kinds.items():
            inputs = n.cast(n.gather(resident[arrays[name]], indices), dtype)
            if parameters.divide_by != 1:
                inputs = inputs / n.cast(parameters.divide_by, dtype)
            if None not in shape:
                inputs = n.reshape(inputs, [-1, *shape])
            passed[name] = inputs
        targets = n.gather(resident["y"], indices)
        return as_passed(trial, passed), n.cast(targets, "int32" if integers else "float32")

    def compiled() -> Any:
        model = make()
        return model if model.compiled else compile_as(model, parameters, labels)

    names: list[str] = list(parameters.metrics or [])
    if not inference:
        refuse_own_steps(trial, parameters.model_key)
        trial = trial if own else compile_as(trial, parameters, labels)
        names = prove(trial, take, data.train, parameters.model_key)
    known = {"accuracy": accuracy_of(loss, from_logits=bool(parameters.from_logits))}
    return labelled_problem(
        parameters,
        data,
        model=make if inference else compiled,
        take=take,
        loss_name=loss.replace("_", " "),
        metrics=known if "accuracy" in names else {},
        compiled=not inference,
        warnings={"new-weights": parameters.new_weights} if parameters.new_weights else {},
        weigh=class_weights(parameters.class_weight, data.classes, labels),
        **({"learning_rate": None} if own else {}),
    )


def _maker_and_trial(parameters: KerasParameters, data: Dataset) -> tuple[Callable[[], Any], Any]:
    """What makes the model, and one that it made."""
    labels, held = data.train["y"], inputs_in(data.train)
    shapes = {name: array.shape[1:] for name, array in held.items()}
    shape = shapes.get("", shapes)
    outputs = math.prod(labels.shape[1:])  # of numbers one for each
    if labels.dtype.kind in "iu" and (labels.ndim == 1 or labels.max() > 1):
        outputs = len(data.classes) or int(labels.max()) + 1
    make = maker(parameters, shape, outputs, data.folder)
    trial = make()
    if 1 < labels.ndim < len(trial.output_shape) and labels.max() <= 1:
        # Of each place in a sequence a class is predicted, and not a number for each place.
        make = maker(parameters, shape, 2, data.folder)
        trial = make()
    return make, trial


def maker(
    parameters: KerasParameters, shape: Shapes | None, outputs: int | None, folder: str
) -> Callable[[], Any]:
    """What makes the model anew each time, with new weights or those that are kept.

    Args:
        parameters: what the spec says of it.
        shape: of an example; None where the model says it.
        outputs: how many outputs the data ask for; None where nothing is known of them.
        folder: the spec's folder.
    """
    if parameters.application:
        name, options = parameters.application, parameters.options
        if isinstance(shape, Mapping):
            raise ModelError(
                f"{name} has one input, and the data have the inputs {', '.join(shape)}.",
                remedy='Name a model with these inputs: model = "model.py:build".',
                key="application",
            )
        image = [*(shape or (224, 224, 3)), *([1] if shape and len(shape) == 2 else [])]
        return lambda: application(name, image, outputs or RANDOM_OUTPUTS, options)
    if named_code(parameters.model) is None:
        return lambda: build(parameters, folder)
    value = str(parameters.model)
    function = Named(value, parameters.document, parameters.modules, folder)
    whole = shape if shape is None or isinstance(shape, Mapping) else tuple(shape)
    known = {"input_shape": whole, "outputs": outputs}
    given = {name: value for name, value in known.items() if value is not None}
    return lambda: with_inputs(function.call(given, parameters.options), shape, f"`{value}`")


def request(parameters: KerasParameters) -> DataRequest:
    """The data: of the catalogue, somebody's own, or random numbers."""
    if parameters.dataset is not None:
        return DataRequest(
            name=parameters.dataset,
            mode=cast("DataMode", parameters.data),
            options=parameters.dataset_options,
        )
    if parameters.data in MODES:
        return DataRequest(
            name=parameters.data,
            mode="synthetic",
            make=partial(_random, parameters),
        )
    keys = {field.name for field in fields(OwnData)}
    described: dict[str, Any] = parameters.model_dump(include=keys, exclude_none=True)
    if isinstance(described.get("target"), str):
        described["target"] = [described["target"]]
    described |= {k: tuple(v) for k, v in described.items() if isinstance(v, list)}
    if isinstance(described.get("features"), dict):
        described["features"] = {k: tuple(v) for k, v in described["features"].items()}
    own = OwnData(**{"path": parameters.data, "task": "classification", **described})
    if named_code(parameters.data) is None:
        return DataRequest(name=own.path, mode="real", make=partial(_read, own))
    text, modules = parameters.data_document, parameters.data_modules
    return DataRequest(
        name=own.path,
        mode="real",
        make=lambda folder: loaded_by(Named(own.path, text, modules, folder), own),
    )


def _read(own: OwnData, folder: str) -> Dataset:
    from accelreport.datasets.own_reading import read

    return read(own, folder)


def _random(parameters: KerasParameters, folder: str) -> Dataset:
    """Random numbers of the model's shape.

    Raises:
        DataUnavailable: the spec asks for a sample, which nobody has of data of somebody's own.
        ModelError: the model has no shape.
    """
    if parameters.data == "sample":
        raise DataUnavailable(
            "There is no sample of data of your own.",
            remedy="Use `--data synthetic`: random numbers of the model's shape.",
        )
    model = maker(parameters, parameters.input_shape, RANDOM_OUTPUTS, folder)()
    shapes = {name: list(tensor.shape[1:]) for name, tensor in inputs_of(model).items()}
    if parameters.input_shape and len(shapes) == 1:
        shapes = dict.fromkeys(shapes, parameters.input_shape)
    if left := next((shape for shape in shapes.values() if None in shape), None):
        raise ModelError(
            f"The model leaves lengths of its input open: {left}.",
            remedy="Write input_shape in the spec."
            if len(shapes) == 1
            else "Write each length in its keras.Input.",
            key=parameters.model_key,
        )
    loss = loss_name(model) if model.compiled else str(judged(parameters, model).loss)
    data = random_data(model, loss, shapes, parameters.train_examples)
    return replace(data, folder=folder)


def build(parameters: KerasParameters, folder: str) -> Any:
    """The model of a document, with new weights or those that are kept; raises `ModelError`."""
    import keras

    path = Path(folder) / saved_model(vars(parameters))
    if parameters.weights and checksum(path) != parameters.weights_sha256:
        raise ModelError(
            f"{path.name} is not the file that it was when the spec was read.",
            remedy="Run again; an edited file is another configuration.",
            key=parameters.model_key,
        )
    named = parameters.architecture or parameters.model
    try:
        check_architecture(parameters.document, weights=bool(parameters.weights))
        model = keras.models.model_from_json(parameters.document)
        if parameters.weights:
            model.load_weights(path)
    except (ArchitectureError, TypeError, ValueError, KeyError, AttributeError) as error:
        raise ModelError(
            f"Keras cannot build {named}.",
            why=str(error).strip().splitlines()[0] if str(error).strip() else "",
            remedy="Write it with `model.to_json()` of the installed Keras, without Lambda layers.",
            key=parameters.model_key,
        ) from error
    if not model.built:
        raise ModelError(
            f"{named} has no input of known shape.",
            remedy="Begin a sequential model with keras.Input(shape).",
            key=parameters.model_key,
        )
    refuse_outputs(model, str(named), parameters.model_key)
    return model


FAMILY = replace(
    training_family(
        "Keras model",
        KerasParameters,
        problem,
        recurrent=lambda parameters: RECURRENT.search(parameters.document) is not None,
    ),
    data=request,
)
