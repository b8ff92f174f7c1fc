"""Models and data of somebody's own, made where they are needed: by Python, Keras, or chance.

A spec names a function of a file beside it (`model.py:build`). The text of the file, and of the
modules beside it that it imports, is read while the spec is checked and is part of the cell's key.
It is run by the process that measures, and by one of `accelreport check` that builds the model.
"""

from __future__ import annotations

import difflib
import hashlib
import inspect
import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from types import ModuleType
from typing import TYPE_CHECKING, Any

from pydantic import ValidationInfo

from accelreport.datasets.own import OwnData, UnfitData
from accelreport.errors import AccelReportError, ExitCode
from accelreport.spec.validators import FieldsError, folder_of, inside_folder, refuse_written
from accelreport.workloads.numerics import numbers
from accelreport.workloads.own_code import OwnCode, functions_of, local_modules, text_of

if TYPE_CHECKING:
    from accelreport.datasets.base import Dataset

CODE = re.compile(r"(?P<file>[^:]*\.py)(?::(?P<function>[A-Za-z_]\w*))?")

DOCUMENTS = (".json", ".keras")
"""Endings of what Keras wrote of a model."""

GIVEN = ("input_shape", "outputs")
"""What a function that builds a model is called with, where it has a parameter of the name."""

FIXED = ("classes", "include_top", "input_shape", "input_tensor", "pooling", "weights")
"""Arguments of an application that follow from the data."""

APPLICATIONS = (
    *("ConvNeXtBase", "ConvNeXtLarge", "ConvNeXtSmall", "ConvNeXtTiny", "ConvNeXtXLarge"),
    *("DenseNet121", "DenseNet169", "DenseNet201", "EfficientNetB0", "EfficientNetB1"),
    *("EfficientNetB2", "EfficientNetB3", "EfficientNetB4", "EfficientNetB5", "EfficientNetB6"),
    *("EfficientNetB7", "EfficientNetV2B0", "EfficientNetV2B1", "EfficientNetV2B2"),
    *("EfficientNetV2B3", "EfficientNetV2L", "EfficientNetV2M", "EfficientNetV2S"),
    *("InceptionResNetV2", "InceptionV3", "MobileNet", "MobileNetV2", "MobileNetV3Large"),
    *("MobileNetV3Small", "NASNetLarge", "NASNetMobile", "ResNet101", "ResNet101V2", "ResNet152"),
    *("ResNet152V2", "ResNet50", "ResNet50V2", "VGG16", "VGG19", "Xception"),
)
"""Models of `keras.applications`; a test holds the list against the installed Keras."""

RANDOM_BYTES, RANDOM_EXAMPLES, LEAST_EXAMPLES = 256 * 1024 * 1024, 4096, 64
"""Bytes and number of random examples, at most, and their number at least."""


class ModelError(AccelReportError):
    """A model cannot be made, or it does not fit the data.

    Args:
        what: what is wrong.
        key: the parameter to change.
        why: the cause.
        remedy: what to do.
    """

    exit_code = ExitCode.BAD_SPEC

    def __init__(self, what: str, *, key: str, why: str = "", remedy: str = "") -> None:
        super().__init__(what, why=why, remedy=remedy)
        self.key = key


# While a spec is read -----------------------------------------------------------------------------


def named_code(text: str | None) -> tuple[str, str] | None:
    """File and function of a key's value; None where it names no Python."""
    match = CODE.fullmatch(text or "")
    return (match["file"], match["function"] or "") if match else None


def check_named(text: str, key: str, example: str, info: ValidationInfo) -> str:
    """See that a value that names Python names a function of a file beside the spec.

    Args:
        text: the value.
        key: its key.
        example: a function's usual name.
        info: of pydantic's validator.

    Raises:
        ValueError: it does not; the message follows the key's name.
    """
    code = named_code(text)
    if code is None:
        return text
    file, function = code
    if not function:
        raise ValueError(f'names no function of {file}; write {key} = "{file}:{example}"')
    inside_folder(*based(file, folder_of(info)))
    return f"{PurePosixPath(file).as_posix()}:{function}"


ABOVE = "../"
"""Code may lie in the folder above that of the specs, too: where a project has both."""


def based(file: str, folder: Path | None) -> tuple[str, Path | None]:
    """A file's path and the folder that it is relative to: the spec's, or the one above."""
    if not file.startswith(ABOVE):
        return file, folder
    return file.removeprefix(ABOVE), None if folder is None else folder.absolute().parent


def read_code(value: str | None, key: str, info: ValidationInfo) -> str | None:
    """The text of the file that a key names, while a spec is read; None at other times.

    Raises:
        FieldsError: the file cannot be read.
    """
    folder, code = folder_of(info), named_code(value)
    if folder is None or code is None:
        return None
    with _of_key(key):
        return text_of(folder / code[0], code[0])


def read_modules(
    value: str | None, key: str, text: str, written: dict[str, str], info: ValidationInfo
) -> dict[str, str]:
    """The modules beside that file which it imports, while a spec is read.

    Args:
        value: of the key.
        key: the key that names the file.
        text: what is in the file.
        written: what stands there already: in a record it is what was read.
        info: of pydantic's validator.

    Raises:
        FieldsError: the spec says it, or a module cannot be read.
    """
    folder, code = folder_of(info), named_code(value)
    if folder is None:
        return written
    refuse_written(written, str(info.field_name))
    if code is None:
        return {}
    with _of_key(key):
        file, top = based(code[0], folder)
        return local_modules(top or folder, file, text)


@contextmanager
def _of_key(key: str) -> Iterator[None]:
    """Have an error of a file point at the key that names it."""
    try:
        yield
    except FieldsError as error:
        raise FieldsError(str(error), key, help=error.help) from error


def check_function(
    key: str, value: str, text: str, given: Collection[str], options: Mapping[str, Any]
) -> None:
    """See that a file defines a function that can be called, without running it.

    Args:
        key: the key that names it.
        value: what is named.
        text: what is in the file.
        given: names of arguments that it may have.
        options: further arguments that the spec gives.

    Raises:
        FieldsError: it does not.
    """
    code = named_code(value)
    if code is None or not text:
        return
    file, name = code
    with _of_key(key):
        functions = functions_of(file, text)
    own = functions.get(name)
    if own is None:
        names = ", ".join(functions)
        help_ = f"it defines {names}" if names else f"write `def {name}():` there"
        raise FieldsError(f"{file} defines no function `{name}`", key, help=help_)
    arguments = [*own.args.posonlyargs, *own.args.args]
    without = arguments[: len(arguments) - len(own.args.defaults)]
    keywords = zip(own.args.kwonlyargs, own.args.kw_defaults, strict=True)
    without += [argument for argument, default in keywords if default is None]
    place = f"{file}, line {own.lineno}: `{name}`"
    for argument in without:
        if argument.arg not in {*given, *options}:
            raise FieldsError(
                f"{place} needs `{argument.arg}`, which it is not given",
                key,
                help=f"give it a default, or write options = {{ {argument.arg} = … }}"
                if given
                else "give it a default",
            )
    taken = {argument.arg for argument in (*arguments, *own.args.kwonlyargs)}
    unknown = next((option for option in options if option not in taken), None)
    if unknown is not None and own.args.kwarg is None:
        raise FieldsError(
            f"{place} does not take `{unknown}`",
            f"options.{unknown}",
            help=f"add the parameter `{unknown}`",
        )


def check_application(name: str) -> str:
    """The name of one of Keras' applications.

    Raises:
        ValueError: it is none.
    """
    if name not in APPLICATIONS:
        near = nearest(name, APPLICATIONS) or ", ".join(APPLICATIONS)
        raise ValueError(f"is no model of keras.applications; {near}")
    return name


def nearest(name: str, known: Sequence[str]) -> str:
    """A clause that asks for the nearest of some names; empty where none is near."""
    close = difflib.get_close_matches(name, known, n=1)
    return f'did you mean "{close[0]}"?' if close else ""


# Where the model is needed ------------------------------------------------------------------------

_MODULES: dict[tuple[str, str], ModuleType] = {}
"""Files that were run in this process, by folder and name."""

_LOADED: set[str] = set()
"""Modules beside them that were imported."""


@dataclass(frozen=True)
class Named:
    """A function of somebody's own.

    Attributes:
        value: file and function, as a spec names them.
        text: what is in the file.
        modules: the modules beside it that it imports.
        folder: the spec's folder.
    """

    value: str
    text: str
    modules: Mapping[str, str]
    folder: str

    def call(self, given: Mapping[str, Any], options: Mapping[str, Any]) -> Any:
        """What the function returns.

        Args:
            given: arguments that it is given where it has a parameter of the name.
            options: arguments that it is given in any case.

        Raises:
            OwnCodeError: the file, or what it calls, raised something.
        """
        named, name = named_code(self.value) or (self.value, "")
        file, top = based(named, Path(self.folder))
        folder = str(top) if self.folder else ""
        code = OwnCode(file, self.text, self.modules, folder)
        with code.blamed():
            # A model is made more than once, and its file may hold the data, too.
            module = _MODULES.get((folder, file))
            if module is None:
                # Those that another file of the spec imports, too, are loaded once.
                fresh = {key: t for key, t in self.modules.items() if key not in _LOADED}
                _LOADED.update(fresh)
                module = replace(code, modules=fresh).run(f"accelreport_own_{Path(file).stem}")
                _MODULES[folder, file] = module
            function = getattr(module, name)
            taken = inspect.signature(function).parameters
            asked = {key: value for key, value in given.items() if key in taken}
            lacking = [
                name
                for name, parameter in taken.items()
                if name in GIVEN and name not in asked and parameter.default is parameter.empty
            ]
            if lacking:
                raise ModelError(
                    f"`{self.value}` needs `{lacking[0]}`, which random data do not have.",
                    remedy="Write input_shape in the spec, such as input_shape = [28, 28, 1].",
                    key="model",
                )
            return function(**asked, **options)


def application(name: str, shape: Sequence[int], outputs: int, options: Mapping[str, Any]) -> Any:
    """One of Keras' applications with new weights.

    Args:
        name: its name.
        shape: of an example: height, width, channels.
        outputs: number of classes.
        options: further arguments, such as `alpha`.

    Raises:
        ModelError: Keras does not make it so.
    """
    import keras

    try:
        return getattr(keras.applications, name)(
            weights=None, input_shape=tuple(shape), classes=outputs, **options
        )
    except (TypeError, ValueError) as error:
        raise ModelError(
            f"Keras makes no {name} for examples of shape {list(shape)} and {outputs} classes.",
            why=next(iter(str(error).strip().splitlines()), ""),
            remedy="Choose another application, other options, or images of another size.",
            key="application",
        ) from error


Shapes = Sequence[int] | Mapping[str, Sequence[int]]
"""Shape of an example, or those of each of its inputs."""


def with_inputs(model: Any, shape: Shapes | None, named: str) -> Any:
    """A model with inputs of known shape and one output.

    Args:
        model: what was made.
        shape: of an example, for a model that has none of its own; None where it is not known.
        named: what was named, for people.

    Raises:
        ModelError: it is no model, or has several outputs.
    """
    import keras

    if not isinstance(model, keras.Model):
        raise ModelError(
            f"{named} returned {type(model).__name__}.",
            why="A Keras model is needed",
            remedy="End the function with `return model`.",
            key="model",
        )
    if getattr(model, "inputs", None) is None or not model.built:
        if shape is None:
            raise ModelError(
                f"{named} has no input of known shape.",
                remedy="Begin it with keras.Input(shape), or write input_shape in the spec.",
                key="model",
            )
        if own := [*own_parts(model), *own_parts(model, ("compute_loss",))]:
            raise ModelError(
                f"{named} has a `{own[0]}` of its own, and no input of known shape.",
                remedy='Begin it with keras.Input(shape), or measure its step: kind = "python".',
                key="model",
            )
        if isinstance(shape, Mapping):
            inputs = {name: keras.Input(tuple(part), name=name) for name, part in shape.items()}
        else:
            inputs = keras.Input(tuple(shape))
        own_model, model = model, keras.Model(inputs, model(inputs))
        if own_model.compiled:
            loss, metrics = own_model._compile_loss, own_model._compile_metrics
            model.compile(
                optimizer=own_model.optimizer,
                loss=loss and loss._user_loss,
                loss_weights=loss and loss._user_loss_weights,
                metrics=metrics and metrics._user_metrics,
                weighted_metrics=metrics and metrics._user_weighted_metrics,
                steps_per_execution=own_model.steps_per_execution,
                run_eagerly=own_model.run_eagerly,
            )
    refuse_outputs(model, named, "model")
    return model


def refuse_outputs(model: Any, named: str, key: str) -> None:
    """See that a model has one output; raises `ModelError`."""
    if len(model.outputs) != 1:
        raise ModelError(
            f"{named} has {len(model.outputs)} outputs.",
            why="One is measured, against the columns of `target`",
            remedy="Join them at the end, with keras.layers.Concatenate()([a, b]), or measure a "
            'step of your own: kind = "python".',
            key=key,
        )


def inputs_of(model: Any) -> dict[str, Any]:
    """The inputs of a model by the names that `fit` takes."""
    named = getattr(model, "input", None) if len(model.inputs) > 1 else None
    return named if isinstance(named, dict) else {tensor.name: tensor for tensor in model.inputs}


def as_passed(model: Any, inputs: dict[str, Any]) -> Any:
    """Inputs as a model is called with them: one as it is, several by name."""
    return inputs if len(model.inputs) > 1 else next(iter(inputs.values()))


OWN_PARTS = (
    *("fit", "train_step", "test_step", "compute_metrics", "get_metrics_result"),
    *("make_train_function", "make_test_function"),
)
"""Methods that a step of `fit` calls, and that are Keras' own here."""


def own_parts(model: Any, names: Sequence[str] = OWN_PARTS) -> list[str]:
    """Which methods of a model, or of its class, are not Keras'."""
    return [name for name in names if not getattr(model, name).__module__.startswith("keras.")]


def last_activation(model: Any) -> str:
    """What the outputs of a model have gone through last: such as `softmax` or `linear`.

    The operation that gives the output tells, where it is a layer with such an activation. Whatever
    lies behind a softmax, or within a layer of somebody's own, is found in the outputs.
    """
    import keras

    layer = model.outputs[0]._keras_history.operation
    if isinstance(layer, keras.layers.Dense | keras.layers.Activation | keras.layers.Softmax):
        function = getattr(layer, "activation", keras.activations.softmax)
        for kind in ("softmax", "sigmoid"):
            if function is getattr(keras.activations, kind) and getattr(layer, "axis", -1) == -1:
                return kind
    return observed_activation(model)


def observed_activation(model: Any) -> str:
    """The same by the outputs of 16 random examples.

    One draw of weights can keep the outputs of a linear end between 0 and 1: units that are off, or
    a last layer that begins at zero. So trainable weights are drawn anew up to 12 times, and are
    put back.
    """
    import numpy as np
    from keras import ops

    rng = np.random.default_rng(0)
    drawn: dict[str, Any] = {}
    for name, tensor in inputs_of(model).items():
        shape = (16, *(length or 8 for length in tensor.shape[1:]))
        rows = next((embedding.input_dim for embedding in input_embeddings(model, tensor)), 0)
        whole = rows or "int" in str(tensor.dtype)
        values = rng.integers(0, rows or 2, shape) if whole else np.abs(rng.standard_normal(shape))
        drawn[name] = ops.cast(values, tensor.dtype)
    examples = as_passed(model, drawn)
    weights = [numbers(variable.value) for variable in model.weights]
    try:
        for _ in range(12):
            for variable in model.trainable_variables:
                inputs = math.prod(variable.shape[:-1])  # of a unit; keeps the outputs about 1
                variable.assign(rng.standard_normal(variable.shape) / math.sqrt(inputs))
            outputs = numbers(model(examples, training=False))
            if not ((outputs >= 0) & (outputs <= 1 + 1e-5)).all():
                return "linear"
            if outputs.shape[-1] > 1 and np.allclose(outputs.sum(-1), 1, atol=1e-2):
                return "softmax"
    finally:
        model.set_weights(weights)
    return "sigmoid"


def input_embeddings(model: Any, tensor: Any) -> Iterator[Any]:
    """The embeddings that an input of a model goes through first."""
    import keras

    for layer in model.layers:
        if isinstance(layer, keras.layers.Embedding) and layer.input is tensor:
            yield layer


# Where its data are needed ------------------------------------------------------------------------


def loaded_by(function: Named, own: OwnData) -> Dataset:
    """What a function of somebody's own loads: (x, y), or ((x, y), (x, y)) as Keras' data sets.

    Raises:
        OwnCodeError: the function raised something.
        UnfitData: it returned something else.
    """
    import numpy as np

    from accelreport.datasets.own_reading import arranged

    value = function.call({}, {})
    try:
        first, second = value
        if isinstance(first, tuple | list) and isinstance(second, tuple | list):
            (a, b), (c, d) = first, second
            arrays = {"x_train": a, "y_train": b, "x_test": c, "y_test": d}
        else:
            arrays = {"x": first, "y": second}
        for key in [key for key, array in arrays.items() if isinstance(array, dict)]:
            arrays |= {f"{key}/{name}": array for name, array in arrays.pop(key).items()}
        named = {name: np.asarray(array) for name, array in arrays.items()}
    except (TypeError, ValueError) as error:
        raise UnfitData(
            f"{function.value} returned {type(value).__name__}.",
            why="Examples and labels are needed",
            remedy="End the function with `return x, y`, or with "
            "`return (x_train, y_train), (x_test, y_test)`; several inputs are a dict of arrays.",
        ) from error
    text = "".join([function.text, *(function.modules[name] for name in sorted(function.modules))])
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    return arranged(named, own, sha256, function.folder)


def random_data(
    model: Any, loss: str, shapes: Mapping[str, Sequence[int]], most: int | None
) -> Dataset:
    """Random examples and labels of a model's shape, of which nothing can be learnt.

    Args:
        model: takes the examples.
        loss: under which the labels are held against its outputs.
        shapes: of an example, by the name of the input.
        most: no more examples than this.
    """
    import numpy as np

    from accelreport.datasets.base import Dataset, fingerprint

    rng = np.random.default_rng(0)
    size = 4 * sum(map(math.prod, shapes.values()))
    fit = min(RANDOM_EXAMPLES, max(LEAST_EXAMPLES, RANDOM_BYTES // max(size, 1)))
    count = min(fit, most or fit)
    outputs = [length or 1 for length in model.output_shape[1:]]

    def part(number: int) -> dict[str, Any]:
        arrays: dict[str, Any] = {}
        for name, tensor in inputs_of(model).items():
            rows = next((embedding.input_dim for embedding in input_embeddings(model, tensor)), 0)
            x: Any = rng.standard_normal((number, *shapes[name]), np.float32)
            if rows or "int" in str(tensor.dtype):
                x = rng.integers(0, rows or 2, (number, *shapes[name]), np.int32)
            arrays[f"x/{name}" if len(shapes) > 1 else "x"] = x
        if loss == "sparse_categorical_crossentropy":
            y: Any = rng.integers(0, outputs[-1], (number, *outputs[:-1]), np.int32)
        elif loss == "binary_crossentropy":
            y = rng.integers(0, 2, (number, *outputs)).astype(np.float32)
        else:
            y = rng.standard_normal((number, *outputs), np.float32)
        return arrays | {"y": y}

    train, validation = part(count), part(max(1, count // 4))
    return Dataset(
        name="random numbers",
        train=train,
        validation=validation,
        classes=(),
        origin="synthetic",
        files={},
        fingerprint=fingerprint(train, validation),
        seed=0,
        note="Random numbers of the model's shape: they show how fast it is, and not what it "
        "learns.",
    )
