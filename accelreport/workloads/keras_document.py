"""What Keras wrote of a model: which documents may be read, and what is in them.

Keras deserialises what it wrote of a model by importing what the document names, and some layers
run Python or read files. Here a document may only name the layers and their parts that compute;
everything else is refused while the spec is checked, long before Keras sees it.
"""

from __future__ import annotations

import json
import re
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from accelreport import strict_json
from accelreport.spec.validators import FieldsError

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


LOADED = (
    'name a function that returns it: model = "model.py:load", which ends with '
    '`return keras.models.load_model("NAME.keras")`'
)
"""What to do where only Keras' own loading gives the whole model."""


class ArchitectureError(ValueError):
    """The document is no architecture, or not one that may be loaded."""


def check_architecture(text: str, *, weights: bool = False) -> dict[str, Any]:
    """Read a document and refuse whatever does more than compute.

    Args:
        text: of the document.
        weights: whether the weights that were saved with it are kept, too.

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
        adapted = part["class_name"] == "Normalization" and not weights
        if adapted and dict(part.get("config") or {}).get("mean") is None:
            raise ArchitectureError(
                "holds `Normalization`, whose mean and variance are among the weights; write "
                'weights = "keep" with what `model.save("NAME.keras")` wrote'
            )
    return document


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    """Every mapping within a document that names a class."""
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            if "class_name" in node:
                yield node
            waiting += node.values()
        elif isinstance(node, list):
            waiting += node


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
        raise ArchitectureError(
            f"names `{name}` of `{module}`, which is no layer of Keras; {LOADED}"
        )
    if registered is not None and registered not in (name, part.get("config")):
        raise ArchitectureError(
            f"names `{registered}`, which is registered by other code; {LOADED}"
        )


def uncompiled(document: str) -> str:
    """The document without how its model was compiled, which the spec says instead."""
    try:
        parts = strict_json.loads(document)
        compiled = parts.pop("compile_config", None)
    except (ValueError, AttributeError, TypeError):
        return document  # `check_architecture` says what is wrong with it
    return json.dumps(parts) if compiled else document


def document_of(path: Path, key: str) -> str:
    """What is in a file of `to_json`, or in `config.json` of what `model.save` wrote.

    Args:
        path: the file.
        key: the key that names it.

    Raises:
        FieldsError: it cannot be read.
    """
    try:
        if path.suffix != ".keras":
            with path.open(encoding="utf-8") as file:
                return file.read(LIMIT + 1)
        with zipfile.ZipFile(path) as archive, archive.open("config.json") as inside:
            return inside.read(LIMIT + 1).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise FieldsError(f"{path.name} cannot be read: {error}", key) from error
    except (zipfile.BadZipFile, zlib.error, KeyError, RuntimeError, NotImplementedError) as error:
        raise FieldsError(f"{path.name} is no archive of `model.save`: {error}", key) from error
