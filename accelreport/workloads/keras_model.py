"""Any Keras model of somebody's own, on a data set with labels or on data of their own."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, cast, get_args

from pydantic import (
    AfterValidator,
    Field,
    FiniteFloat,
    ValidationInfo,
    field_validator,
    model_validator,
)

from accelreport.datasets.catalogue import find
from accelreport.datasets.errors import DataOptionsError, DataUnavailable
from accelreport.datasets.own import (
    ARRAYS,
    TABLES,
    ColorMode,
    Missing,
    OwnData,
    Split,
    Task,
    ending,
)
from accelreport.errors import AccelReportError
from accelreport.spec.base import Text, exactly_one
from accelreport.spec.parameters import DataMode
from accelreport.spec.validators import (
    FieldsError,
    SpecPath,
    folder_of,
    inside_folder,
    refuse_written,
)
from accelreport.workloads.base import (
    DataRequest,
    TrainingParameters,
    TrainingProblem,
    training_family,
)
from accelreport.workloads.compiled import (
    LossName,
    MetricName,
    class_weights,
    compile_as,
    judged,
    loss_name,
    prove,
    refuse_own_steps,
)
from accelreport.workloads.keras_document import (
    ArchitectureError,
    check_architecture,
    document_of,
    names_recurrent_layers,
    uncompiled,
)
from accelreport.workloads.numerics import numerics
from accelreport.workloads.objectives import accuracy_of
from accelreport.workloads.own_model import (
    DOCUMENTS,
    FIXED,
    GIVEN,
    ModelError,
    Named,
    application,
    based,
    check_application,
    check_function,
    check_named,
    input_embeddings,
    loaded_by,
    named_code,
    nearest,
    random_data,
    read_code,
    read_modules,
    with_one_input,
)
from accelreport.workloads.training import labelled_problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from accelreport.datasets.base import Dataset

MODES = get_args(DataMode)

RANDOM_OUTPUTS = 10
"""Outputs of a model on random data, where it leaves them open."""

READ = (*TABLES, ARRAYS)
"""Endings of files that are read."""

READ_AS = ("separator", "header", "decimal", "thousands", "na_values", "keep_default_na")
"""Keys that say how a CSV file is read."""

DataKey = Annotated[Text, Field(json_schema_extra={"pattern": f"^({'|'.join(MODES)})$|[./]"})]
"""A mode, a file, or a folder, which is written with its `/`."""


OF_COMPILE = frozenset({"optimizer", "loss", "from_logits", "metrics"})
"""Keys that say what `compile` says of a model."""


class KerasParameters(TrainingParameters):
    """A model of your own, on a data set or on data of your own.

    What Keras wrote of it, or the text of its Python, becomes part of the parameters while the spec
    is checked, so that a cell is known by the model itself and not by the name of a file.
    """

    omitted_at_default = frozenset(
        {
            *("architecture", "model", "application", "options", "input_shape", "modules"),
            *("dataset", "target", "features", "task", "validation_split", "split", "missing"),
            *("standardise", "separator", "image_size", "data_document", "data_modules"),
            *("header", "decimal", "thousands", "na_values", "keep_default_na", "color_mode"),
            *(*OF_COMPILE, "class_weight"),
        }
    )

    kind: Literal["keras"] = "keras"
    """Name of the family."""
    architecture: SpecPath | None = None
    """What Keras wrote of the model: `model.to_json()` or `model.save("NAME.keras")`."""
    model: Text | None = None
    """The model: a function of a Python file that returns it (`model.py:build`), with the weights
    and the `compile` that it has; or what Keras wrote of it (`net.keras`, `net.json`), of which
    only the layers are read: it begins with new weights. Whoever runs the spec runs this Python:
    name only a file that you trust."""
    application: Annotated[str, AfterValidator(check_application)] | None = None
    """A model of `keras.applications`, such as `MobileNetV2`, with new weights."""
    options: dict[str, bool | int | FiniteFloat | str] = {}
    """Further arguments of the function or the application."""
    input_shape: Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1)] | None = None
    """Shape of an example, for random data of a model that does not say it."""
    document: str = Field(default="", validate_default=True)
    """What is in the file; filled in when the spec is read, not to be written."""
    modules: dict[str, str] = Field(default={}, validate_default=True)
    """What is in the modules beside it that it imports; filled in like `document`."""
    dataset: Text | None = None
    """A data set of examples and labels: `mnist`, `fashion_mnist`, `imdb`, `uci_har`, or one
    that a package adds."""
    dataset_options: dict[str, bool | int | FiniteFloat | str | list[str]] = {}
    """What this data set lets one choose, such as `length` of `imdb`."""
    data: DataKey = "real"  # type: ignore[assignment]
    """Data of your own: `train.csv`, `.tsv`, `.parquet`, `.npz`, a folder (`pets/`) with one of
    images for each class, or a function that loads them (`data.py:load`); `synthetic` without them:
    random numbers of the model's shape. With a `dataset`: `real`, `sample` or `synthetic`."""
    target: Annotated[list[Text], Field(min_length=1)] | Text | None = None
    """The column of a table to predict, or several."""
    features: Annotated[list[Text], Field(min_length=1)] | None = None
    """The columns to predict from; all others when absent. A column of words becomes an input of 0
    or 1 for each word."""
    task: Task | None = None
    """What is predicted from data of your own: `classification` or `regression`."""
    validation_split: Annotated[FiniteFloat, Field(gt=0, lt=1)] = 0.2
    """Share of the rows that validates, where the data are not divided already."""
    split: Split = "random"
    """Which rows these are: `random`, as large a share of each class, or the `last` ones."""
    missing: Missing = "fail"
    """Missing values of a table: an error, `drop` the row, or the `mean` of the training part."""
    standardise: bool = True
    """Bring numbers of a table to mean 0 and deviation 1 of the training part."""
    separator: Annotated[str, Field(min_length=1, max_length=1)] | None = None
    """What divides the columns of a CSV file."""
    header: bool | None = None
    """Whether the first line of a CSV file names its columns; if not, they are called 0, 1, 2 …"""
    decimal: Annotated[str, Field(min_length=1, max_length=1)] | None = None
    """The decimal mark of a CSV file's numbers; this and the next three as in `pandas.read_csv`."""
    thousands: Annotated[str, Field(min_length=1, max_length=1)] | None = None
    """What divides the groups of digits of a number."""
    na_values: list[Text] | None = None
    """Further texts that stand for a missing value, such as `?`."""
    keep_default_na: bool | None = None
    """Whether texts such as `NA` and `None` stand for a missing value."""
    image_size: Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=2, max_length=2)] | (
        None
    ) = None
    """Height and width to which images are brought."""
    color_mode: ColorMode | None = None
    """Channels to which images are brought: `rgb`, where nothing else is said, or `grayscale`."""
    data_document: str = Field(default="", validate_default=True)
    """What is in the Python that loads the data; filled in like `document`."""
    data_modules: dict[str, str] = Field(default={}, validate_default=True)
    """What is in the modules beside it that it imports; filled in like `document`."""
    divide_by: Annotated[FiniteFloat, Field(gt=0)] = 1.0
    """Inputs are divided by this: 255 for pixels."""
    loss: LossName | None = None
    """The loss, by Keras' name. Where nothing is said, it is that of the model's `compile`, or
    follows from the end of the model and the labels."""
    from_logits: bool | None = None
    """Whether the model ends without softmax or sigmoid; its outputs tell, and must agree."""
    metrics: list[MetricName] | None = None
    """The metrics, by Keras' names. Where nothing is said, they are those of the model's `compile`,
    or the accuracy; of numbers, the mean absolute error."""
    class_weight: dict[str, Annotated[FiniteFloat, Field(ge=0)]] = {}
    """How much an example of a class counts in the loss, as in `fit`: by the class's name or
    number; 1 where nothing is said."""

    @field_validator("dataset")
    @classmethod
    def _known(cls, name: str | None) -> str | None:
        if name is None:
            return None
        looks = ending(name) in {*READ, ".py"} or "/" in name or ".py:" in name
        if looks or name == "csv":
            file = name if looks else "FILE.csv"
            raise ValueError(f'names a data set, and {name} is none; write data = "{file}"')
        try:
            return find(name).name
        except AccelReportError as error:
            raise ValueError(
                f"{' '.join(part for part in (error.what, error.why) if part)} Data of your own "
                'are named by data = "FILE"'
            ) from error

    @field_validator("model")
    @classmethod
    def _is_code_or_document(cls, value: str | None, info: ValidationInfo) -> str | None:
        if value is None or named_code(value):
            return value and check_named(value, "model", "build", info)
        if not value.endswith(DOCUMENTS):
            raise ValueError(
                f"is {value!r}; write a function of a Python file (model.py:build), or what Keras "
                "wrote (net.keras, net.json)"
            )
        inside_folder(*based(value, folder_of(info)))
        return value

    @field_validator("data")
    @classmethod
    def _is_mode_or_file(cls, value: str, info: ValidationInfo) -> str:
        value = check_named(value, "data", "load", info)
        folder = value.endswith("/")
        if value in MODES or named_code(value) or folder or ending(value) in READ:
            return value
        near = nearest(value, MODES) or "write a file"
        raise ValueError(
            f"is {value!r}; {near}: what is read ends in {', '.join(READ)}, is a folder of"
            '  images by class ("pets/"), or is loaded by Python ("data.py:load")'
        )

    @field_validator("document")
    @classmethod
    def _read(cls, document: str, info: ValidationInfo) -> str:
        folder, named = folder_of(info), info.data.get("model")
        name = info.data.get("architecture") or named
        key = "model" if name and name == named else "architecture"
        if folder:
            refuse_written(document)
            if (text := read_code(named, key, info)) is not None:
                return text
            document = document_of(folder / name, key) if name else ""
        if document and named_code(named) is None:
            document = uncompiled(document)
            try:
                check_architecture(document)
            except ArchitectureError as error:
                raise FieldsError(f"{name} cannot be used: it {error}", key) from error
        return document

    @field_validator("modules", "data_modules")
    @classmethod
    def _read_modules(cls, modules: dict[str, str], info: ValidationInfo) -> dict[str, str]:
        of_model = info.field_name == "modules"
        key, text = ("model", "document") if of_model else ("data", "data_document")
        return read_modules(info.data.get(key), key, info.data.get(text, ""), modules, info)

    @field_validator("data_document")
    @classmethod
    def _read_loader(cls, document: str, info: ValidationInfo) -> str:
        if folder_of(info):
            refuse_written(document, "data_document")
        text = read_code(info.data.get("data"), "data", info)
        return document if text is None else text

    @property
    def classifies(self) -> bool:
        """Whether accuracy is among the metrics."""
        if self.metrics is None:
            return self.task != "regression"
        return "accuracy" in self.metrics

    def _is_given(self, name: str) -> bool:
        # What is written contradicts a model that is compiled, even where it is the default.
        return name in self.model_fields_set if name in OF_COMPILE else super()._is_given(name)

    @model_validator(mode="after")
    def _names_one_model(self) -> Self:
        exactly_one(self, "model", "application", "architecture")
        if self.options and self.architecture:
            raise FieldsError("`options` are of a function or an application", "options")
        if self.model:
            check_function("model", self.model, self.document, GIVEN, self.options)
        fixed = next((name for name in self.options if self.application and name in FIXED), None)
        if fixed is not None:
            raise FieldsError(
                f"`{fixed}` of an application follows from the data", f"options.{fixed}"
            )
        return self

    @model_validator(mode="after")
    def _names_what_to_learn_from(self) -> Self:
        if self.dataset is not None:
            own = {"task", "target", "features", "image_size", "color_mode", *READ_AS}
            self._refuse("dataset", own)
            if self.data not in MODES:
                why = f"`dataset` names {self.dataset}, and `data` {self.data}"
                raise FieldsError(why, "dataset", "data", help="leave one of them out")
            return self
        if self.data == "real":
            raise FieldsError(
                "nothing is named to learn from",
                help='write data = "FILE" for data of your own, dataset = "mnist" for a data set, '
                'or data = "synthetic" for random numbers of the model\'s shape',
            )
        if self.data in MODES:
            return self
        suffix = ending(self.data)
        if self.task is None:
            raise FieldsError(
                "`task` is missing: what is predicted from the data",
                "data",
                help='write task = "classification" or task = "regression"',
            )
        if suffix in TABLES and self.target is None:
            raise FieldsError(
                f"`target` is missing: the column of {self.data} to predict",
                "data",
                help='write target = "NAME"',
            )
        if suffix not in TABLES:
            self._refuse("data", {"target", "features", *READ_AS})
        if suffix == ".parquet":
            self._refuse("data", set(READ_AS))
        if not self.data.endswith("/"):
            self._refuse("data", {"image_size", "color_mode"})
        if self.task == "classification" and isinstance(self.target, list) and self.target[1:]:
            raise FieldsError("a classification has one target", "target")
        self._check_columns()
        if self.application and self.task == "regression":
            raise FieldsError(
                "a Keras application predicts classes, not numbers",
                "task",
                "application",
                help='build a model that ends with numbers: model = "model.py:build"',
            )
        check_function("data", self.data, self.data_document, (), {})
        return self

    def _check_columns(self) -> None:
        """See that each column is named once: a model that is given its target learns nothing."""
        targets = [self.target] if isinstance(self.target, str) else self.target or []
        features = self.features or []
        for key, names in (("target", targets), ("features", features)):
            if len(set(names)) < len(names):
                twice = next(name for name in names if names.count(name) > 1)
                raise FieldsError(f"`{key}` names {twice!r} twice", key)
        if both := [name for name in features if name in targets]:
            raise FieldsError(
                f"the target {both[0]!r} is among the features",
                "features",
                "target",
                help="leave it out of `features`",
            )

    def _refuse(self, key: str, names: set[str]) -> None:
        for name in sorted(names):
            if getattr(self, name) is not None:
                value = getattr(self, key)
                raise FieldsError(
                    f"`{name}` does not apply to {value}", name, key, help="delete it"
                )

    @property
    def runs_code(self) -> bool:
        """Whether the model is made by somebody's own code."""
        return named_code(self.model) is not None

    @property
    def model_key(self) -> str:
        """The key that names the model."""
        return next(k for k in ("model", "application", "architecture") if getattr(self, k))


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
    if not {"x", "y"} <= set(data.train):
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
    shape, dtype = trial.input_shape[1:], trial.inputs[0].dtype
    _check_inputs(trial, data.train["x"], parameters)
    for part in (labels, data.validation["y"]):
        _check_outputs(trial.output_shape[1:], part, loss, parameters.model_key)
    integers = labels.dtype.kind in "iub"

    def take(resident: Mapping[str, Any], indices: Any) -> tuple[Any, Any]:
        inputs = n.cast(n.gather(resident["x"], indices), dtype)
        if parameters.divide_by != 1:
            inputs = inputs / n.cast(parameters.divide_by, dtype)
        if None not in shape:
            inputs = n.reshape(inputs, [-1, *shape])
        targets = n.gather(resident["y"], indices)
        return inputs, n.cast(targets, "int32" if integers else "float32")

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
        weigh=class_weights(parameters.class_weight, data.classes, labels),
        **({"learning_rate": None} if own else {}),
    )


def _maker_and_trial(parameters: KerasParameters, data: Dataset) -> tuple[Callable[[], Any], Any]:
    """What makes the model, and one that it made."""
    labels, shape = data.train["y"], data.train["x"].shape[1:]
    make = maker(parameters, shape, _outputs(data), data.folder)
    trial = make()
    if 1 < labels.ndim < len(trial.output_shape) and labels.max() <= 1:
        # Of each place in a sequence a class is predicted, and not a number for each place.
        make = maker(parameters, shape, 2, data.folder)
        trial = make()
    return make, trial


def _outputs(data: Dataset) -> int:
    """How many outputs tell the classes of the data apart; of numbers one for each."""
    labels = data.train["y"]
    if labels.dtype.kind in "iu" and (labels.ndim == 1 or labels.max() > 1):
        return len(data.classes) or int(labels.max()) + 1
    return math.prod(labels.shape[1:])


def maker(
    parameters: KerasParameters, shape: Sequence[int] | None, outputs: int | None, folder: str
) -> Callable[[], Any]:
    """What makes the model, with new weights each time.

    Args:
        parameters: what the spec says of it.
        shape: of an example; None where the model says it.
        outputs: how many outputs the data ask for; None where nothing is known of them.
        folder: the spec's folder.
    """
    if parameters.application:
        name, options = parameters.application, parameters.options
        image = [*(shape or (224, 224, 3)), *([1] if shape and len(shape) == 2 else [])]
        return lambda: application(name, image, outputs or RANDOM_OUTPUTS, options)
    if named_code(parameters.model) is None:
        return lambda: build(parameters)
    value = str(parameters.model)
    function = Named(value, parameters.document, parameters.modules, folder)
    known = {"input_shape": shape and tuple(shape), "outputs": outputs}
    given = {name: value for name, value in known.items() if value is not None}
    return lambda: with_one_input(function.call(given, parameters.options), shape, f"`{value}`")


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
            runs_code=parameters.runs_code,
        )
    keys = {field.name for field in fields(OwnData)}
    described: dict[str, Any] = parameters.model_dump(include=keys, exclude_none=True)
    if isinstance(described.get("target"), str):
        described["target"] = [described["target"]]
    described |= {k: tuple(v) for k, v in described.items() if isinstance(v, list)}
    own = OwnData(**{"path": parameters.data, "task": "classification", **described})
    if named_code(parameters.data) is None:
        return DataRequest(name=own.path, mode="real", make=partial(_read, own))
    text, modules = parameters.data_document, parameters.data_modules
    return DataRequest(
        name=own.path,
        mode="real",
        make=lambda folder: loaded_by(Named(own.path, text, modules, folder), own),
        runs_code=True,
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
    shape = parameters.input_shape or list(model.input_shape[1:])
    if None in shape:
        raise ModelError(
            f"The model leaves lengths of its input open: {shape}.",
            remedy="Write input_shape in the spec.",
            key=parameters.model_key,
        )
    loss = loss_name(model) if model.compiled else str(judged(parameters, model).loss)
    data = random_data(model, loss, shape, parameters.train_examples)
    return replace(data, folder=folder)


def build(parameters: KerasParameters) -> Any:
    """The model of a document, with new weights; raises `ModelError`."""
    import keras

    named = parameters.architecture or parameters.model
    try:
        check_architecture(parameters.document)
        model = keras.models.model_from_json(parameters.document)
    except (ArchitectureError, TypeError, ValueError, KeyError, AttributeError) as error:
        raise ModelError(
            f"Keras cannot build {named}.",
            why=str(error).strip().splitlines()[0] if str(error).strip() else "",
            remedy="Write it with `model.to_json()` of the installed Keras, without Lambda layers.",
            key=parameters.model_key,
        ) from error
    if not model.built or len(model.inputs) != 1 or len(model.outputs) != 1:
        raise ModelError(
            f"{named} does not have exactly one input of known shape and one output.",
            remedy="Begin a sequential model with keras.Input(shape).",
            key=parameters.model_key,
        )
    return model


def _check_inputs(model: Any, examples: NDArray[Any], parameters: KerasParameters) -> None:
    """See that a model takes examples: by their shape, or layer by layer where it is left open.

    Nothing is computed.

    Raises:
        ModelError: a layer does not take it, or an embedding has no row for one of its numbers.
    """
    import keras

    had, wanted = examples.shape[1:], model.input_shape[1:]
    if None in wanted:
        try:
            model.compute_output_spec(keras.KerasTensor((1, *had), model.inputs[0].dtype))
        except Exception as error:  # each layer and framework has a class of its own
            raise ModelError(
                f"The model does not take an example of the shape {had}.",
                why=next(iter(str(error).strip().splitlines()), type(error).__name__),
                remedy="Choose another data set, or options of it that give another shape.",
                key=parameters.model_key,
            ) from error
    elif [length for length in wanted if length != 1] != [length for length in had if length != 1]:
        remedy = "Choose another data set, or options of it that give this shape."
        if sorted(wanted) == sorted(had):
            remedy = "Transpose the examples, as np.moveaxis(x, 1, -1) does with channels."
        elif math.prod(wanted) == math.prod(had):
            remedy = f"Begin the model with keras.Input({had}) and keras.layers.Reshape({wanted})."
        raise ModelError(
            f"The model takes inputs of shape {wanted}, and an example has the shape {had}.",
            remedy=remedy,
            key=parameters.model_key,
        )
    least, most = (float(end) / parameters.divide_by for end in (examples.min(), examples.max()))
    for embedding in input_embeddings(model):
        if not 0 <= least <= most < embedding.input_dim:
            raise ModelError(
                f"The embedding {embedding.name} has rows for 0 to {embedding.input_dim - 1}, and "
                f"the examples hold numbers from {least:g} to {most:g}.",
                remedy=f"Write input_dim = {int(most) + 1} or more, or choose options of the data "
                "set that give fewer numbers.",
                key=parameters.model_key,
            )


def _check_outputs(
    shape: tuple[int | None, ...], labels: NDArray[Any], loss: str, key: str
) -> None:
    """Labels [n, …] fit the outputs [batch, *shape] under this loss.

    A framework notices neither in time: on a GPU a label without an output makes the loss NaN.

    Raises:
        ModelError: they do not.
    """
    own = labels.shape[1:]
    by_class = loss == "sparse_categorical_crossentropy"
    given = shape[:-1] if by_class else shape
    if None not in given and math.prod(own) != math.prod(n for n in given if n is not None):
        raise ModelError(
            f"The model gives outputs of shape {shape}, and under {loss} labels of shape {own} "
            "do not fit them.",
            remedy="End the model with another layer, or choose another loss.",
            key=key,
        )
    least, most = float(labels.min()), float(labels.max())
    if by_class and (least < 0 or most >= (shape[-1] or math.inf) or (labels % 1).any()):
        raise ModelError(
            f"The model gives {shape[-1]} outputs, and the labels go from {least:g} to {most:g}: "
            f"under {loss} each must be the number of an output.",
            remedy=f"End the model with {int(most) + 1} outputs, or choose another loss.",
            key=key,
        )
    if loss == "binary_crossentropy" and (least < 0 or most > 1):
        raise ModelError(
            f"Under {loss} labels lie between 0 and 1, and these go from {least:g} to {most:g}.",
            remedy="Choose sparse_categorical_crossentropy and one output for each class.",
            key=key,
        )


FAMILY = replace(
    training_family(
        "Keras model",
        KerasParameters,
        problem,
        recurrent=lambda parameters: names_recurrent_layers(parameters.document),
    ),
    data=request,
)
