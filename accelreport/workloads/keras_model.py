"""Any model that Keras wrote (`model.to_json()`, `model.save`), on any data set with labels.

Keras deserialises by importing what a document names, and some layers run Python or read
files. Here a document may only name the layers and their parts that compute; everything else
is refused while the spec is checked, long before Keras sees it.
"""

from __future__ import annotations

import json
import re
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, FiniteFloat, ValidationInfo, field_validator, model_validator

from accelreport.datasets.catalogue import find
from accelreport.errors import AccelReportError
from accelreport.spec.base import Text
from accelreport.spec.validators import FieldsError, SpecPath
from accelreport.workloads.base import EVERY, TrainingParameters, training_family

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
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
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
        if not document and isinstance(folder, Path) and name is not None:
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
        if "folder" not in (info.context or {}) or not self.document:
            return self
        if "crossentropy" in self.loss and not self.from_logits:
            layers = json.loads(self.document)["config"].get("layers") or [{}]
            last = layers[-1].get("config", {}) if layers[-1].get("class_name") == "Dense" else {}
            if last.get("activation") == "linear":
                raise FieldsError(
                    f"{self.architecture} ends with a linear layer, whose outputs are no "
                    "probabilities: it would learn next to nothing",
                    "from_logits",
                    "architecture",
                    help="write from_logits = true, or end the model with softmax or sigmoid",
                )
        return self


def _uncompiled(document: str) -> str:
    """The document without how its model was compiled, which the spec says instead."""
    try:
        parts = json.loads(document)
        compiled = parts.pop("compile_config", None)
    except (ValueError, RecursionError, AttributeError, TypeError):
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


FAMILY = training_family(
    "Keras model",
    KerasParameters,
    "accelreport.workloads.keras_problem",
    options=lambda parameters: parameters.dataset_options,
    frameworks=EVERY,
    recurrent=lambda workload: names_recurrent_layers(str(workload.get("document", ""))),
)
"""The family as the registry knows it."""
