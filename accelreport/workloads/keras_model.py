"""Any model that Keras wrote (`model.to_json()`, `model.save`), on any data set with labels.

Keras deserialises by importing what a document names, and some layers run Python or read
files. Here a document may only name the layers and their parts that compute; everything else
is refused while the spec is checked, long before Keras sees it.
"""

from __future__ import annotations

import json
import math
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import Field, FiniteFloat, ValidationInfo, field_validator, model_validator

from accelreport import strict_json
from accelreport.datasets.catalogue import find
from accelreport.datasets.errors import DataOptionsError
from accelreport.errors import AccelReportError, ExitCode
from accelreport.spec.base import Text
from accelreport.spec.validators import FieldsError, SpecPath, refuse_written
from accelreport.workloads.base import EVERY, TrainingParameters, TrainingProblem, training_family
from accelreport.workloads.numerics import numerics
from accelreport.workloads.training import labelled_problem, limited

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from accelreport.datasets.base import Dataset

LIMIT = 4 * 1024 * 1024
"""Characters above which no document is read."""

_MODULES = re.compile(
    r"keras"
    r"|keras\.(layers|initializers|regularizers|constraints|activations)"
    r"|keras\.src\.models\.(functional|sequential)"
    r"|keras\.src\.(layers|ops|initializers|regularizers|constraints|activations)(\.\w+)*"
)
"""Modules whose classes a document may name."""

_SPECIAL = {"__keras_tensor__", "__tuple__", "__ellipsis__", "__slice__"}
"""What Keras writes for things that are no objects of its own."""

FORBIDDEN = {
    "Lambda": "it holds Python code",
    "__lambda__": "it holds Python code",
    "TorchModuleWrapper": "it holds pickled Python objects",
    "FlaxLayer": "it names Python code",
    "JaxLayer": "it names Python code",
    "TFSMLayer": "it reads a model from a folder",
    "StringLookup": "it may read a file",
    "IntegerLookup": "it may read a file",
    "TextVectorization": "it may read a file",
    "IndexLookup": "it may read a file",
}
"""Classes that do more than compute, and why each is refused."""

RECURRENT = re.compile(r'"class_name"\s*:\s*"(?:\w*RNN|\w*LSTM\w*|GRU\w*)"')
"""The name of a recurrent layer, as Keras writes it."""


class ArchitectureError(ValueError):
    """The document is no architecture, or not one that may be loaded."""


def check_architecture(text: str) -> dict[str, Any]:
    """Read a document and refuse whatever does more than compute.

    Returns:
        The document.

    Raises:
        ArchitectureError: the message begins with a verb, for a sentence about the file.
    """
    if len(text) > LIMIT:
        raise ArchitectureError(f"has {len(text):,} characters; at most {LIMIT:,} are read")
    try:
        document = strict_json.loads(text)
    except ValueError as error:
        raise ArchitectureError(f"is not JSON ({error})") from error
    if not isinstance(document, dict) or document.get("class_name") not in (
        "Sequential",
        "Functional",
        "Model",
    ):
        raise ArchitectureError(
            "is not the architecture of a sequential or functional model, as `to_json` writes it"
        )
    for part in _objects(document):
        _check(part)
    return document


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    """Every mapping within a document that names a class."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            if "class_name" in each:
                yield each
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each


def _check(part: dict[str, Any]) -> None:
    name, module = part["class_name"], part.get("module")
    if not isinstance(name, str):
        raise ArchitectureError("names a class that is no text")
    if name in FORBIDDEN:
        raise ArchitectureError(f"holds `{name}`, which is not loaded: {FORBIDDEN[name]}")
    config = part.get("config")
    if isinstance(config, dict) and isinstance(config.get("vocabulary"), str):
        raise ArchitectureError(f"holds `{name}` with the name of a vocabulary: it may read a file")
    if name in _SPECIAL:
        return
    registered = part.get("registered_name")
    if name == "function":
        if module != "builtins" or not str(part.get("config")).isidentifier():
            raise ArchitectureError("names a function that is not one of Keras' own")
    elif name.startswith("__") or not name.isidentifier():
        raise ArchitectureError(f"names `{name}`, which is no layer of Keras")
    elif module is not None and not (isinstance(module, str) and _MODULES.fullmatch(module)):
        raise ArchitectureError(f"names `{name}` of `{module}`, which is no layer of Keras")
    if registered is not None and registered not in (name, part.get("config")):
        raise ArchitectureError(f"names `{registered}`, which is registered by other code")


def names_recurrent_layers(text: str) -> bool:
    """Whether a document names an LSTM, a GRU, or another recurrent layer of Keras'."""
    return RECURRENT.search(text) is not None


LossName = Literal[
    "sparse_categorical_crossentropy",
    "binary_crossentropy",
    "mean_squared_error",
    "mean_absolute_error",
]
"""Losses by Keras' names."""

MetricName = Literal["accuracy", "top_5_accuracy", "mean_squared_error", "mean_absolute_error"]
"""Metrics that a mean over examples gives."""


class KerasParameters(TrainingParameters):
    """A model that Keras wrote with `model.to_json()` or `model.save("NAME.keras")`.

    The document becomes part of the parameters while the spec is checked, so that a cell is
    known by the architecture itself and not by the name of a file.
    """

    kind: Literal["keras"] = "keras"
    """Name of the family."""
    architecture: SpecPath
    """The file, beside the spec."""
    document: str = Field(default="", validate_default=True)
    """What is in the file; filled in when the spec is read, not to be written."""
    dataset: Text
    """A data set of examples and labels: `mnist`, `fashion_mnist`, `imdb`, `uci_har`, or one
    that a package adds."""
    dataset_options: dict[str, bool | int | FiniteFloat | str | list[str]] = {}
    """What this data set lets one choose, such as `length` of `imdb`."""
    divide_by: Annotated[FiniteFloat, Field(gt=0)] = 1.0
    """Inputs are divided by this: 255 for pixels."""
    loss: LossName = "sparse_categorical_crossentropy"
    """The loss."""
    from_logits: bool = False
    """Whether the model ends without softmax or sigmoid."""
    metrics: list[MetricName] = ["accuracy"]
    """The metrics."""

    @field_validator("dataset")
    @classmethod
    def _known(cls, name: str) -> str:
        try:
            return find(name).name
        except AccelReportError as error:
            raise ValueError(" ".join(part for part in (error.what, error.why) if part)) from error

    @field_validator("document")
    @classmethod
    def _read(cls, document: str, info: ValidationInfo) -> str:
        folder, name = (info.context or {}).get("folder"), info.data.get("architecture")
        if isinstance(folder, Path) and name is not None:
            refuse_written(document)
            document = _text(folder / name)
        if document:
            document = _uncompiled(document)
            try:
                check_architecture(document)
            except ArchitectureError as error:
                raise FieldsError(f"{name} cannot be used: it {error}", "architecture") from error
        return document

    @model_validator(mode="after")
    def _outputs_are_probabilities(self, info: ValidationInfo) -> Self:
        # Only of a spec that is being read: what was measured of such a model can still be shown.
        # In inference the outputs are used as they come, whatever they are.
        if "folder" not in (info.context or {}) or not self.document or self.mode == "inference":
            return self
        probabilities = "crossentropy" in self.loss and not self.from_logits
        if probabilities and _last_activation(json.loads(self.document)) == "linear":
            raise FieldsError(
                f"{self.architecture} ends with a linear layer, whose outputs are no "
                "probabilities: it would learn next to nothing",
                "from_logits",
                "architecture",
                help="write from_logits = true, or end the model with softmax or sigmoid",
            )
        return self


def _last_activation(document: Any) -> Any:
    """The activation of the last layer, where it is a dense one; None where it is none."""
    try:
        last = document["config"]["layers"][-1]
        return last["config"]["activation"] if last["class_name"] == "Dense" else None
    except (LookupError, TypeError):
        return None  # whatever else it is, Keras says it


def _uncompiled(document: str) -> str:
    """The document without how its model was compiled, which the spec says instead."""
    try:
        parts = strict_json.loads(document)
        compiled = parts.pop("compile_config", None)
    except (ValueError, AttributeError, TypeError):
        return document  # `check_architecture` says what is wrong with it
    return json.dumps(parts) if compiled else document


def _text(path: Path) -> str:
    """What is in a file of `to_json`, or in `config.json` of what `model.save` wrote."""
    try:
        if path.suffix != ".keras":
            with path.open(encoding="utf-8") as file:
                return file.read(LIMIT + 1)
        with zipfile.ZipFile(path) as archive, archive.open("config.json") as inside:
            return inside.read(LIMIT + 1).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise FieldsError(f"{path.name} cannot be read: {error}", "architecture") from error
    except (zipfile.BadZipFile, zlib.error, KeyError, RuntimeError, NotImplementedError) as error:
        raise FieldsError(
            f"{path.name} is no archive of `model.save`: {error}", "architecture"
        ) from error


PerExample = Callable[[Any, Any], Any]
"""(targets, outputs) → one value for each example."""


class ModelError(AccelReportError):
    """Keras cannot make a model of the document, or it does not fit the data."""

    exit_code = ExitCode.BAD_SPEC
    key = "architecture"


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
        loss_name=parameters.loss.replace("_", " "),
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
    return values if rank == 1 else numerics().mean(values, axis=tuple(range(1, rank)))


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


FAMILY = training_family(
    "Keras model",
    KerasParameters,
    problem,
    options=lambda parameters: parameters.dataset_options,
    frameworks=EVERY,
    recurrent=lambda workload: names_recurrent_layers(str(workload.get("document", ""))),
)
"""The family as the registry knows it."""
