"""What a spec says of a Keras model of somebody's own, and of the data that it learns from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import (
    AfterValidator,
    Field,
    FiniteFloat,
    ValidationInfo,
    field_validator,
    model_validator,
)

from accelreport.datasets.cache import checksum
from accelreport.datasets.catalogue import find
from accelreport.datasets.own import ARRAYS, TABLES, ColorMode, Missing, Split, Task, ending
from accelreport.errors import AccelReportError
from accelreport.spec.base import Text, exactly_one
from accelreport.spec.parameters import DataMode, TrainingParameters
from accelreport.spec.validators import (
    FieldsError,
    SpecPath,
    folder_of,
    inside_folder,
    refuse_written,
)
from accelreport.workloads.keras_document import (
    ArchitectureError,
    check_architecture,
    document_of,
    uncompiled,
)
from accelreport.workloads.own_model import (
    DOCUMENTS,
    FIXED,
    GIVEN,
    based,
    check_application,
    check_function,
    check_named,
    named_code,
    nearest,
    read_code,
    read_modules,
)

MODES = get_args(DataMode)

READ = (*TABLES, ARRAYS)
"""Endings of files that are read."""

READ_AS = ("separator", "header", "decimal", "thousands", "na_values", "keep_default_na")
"""Keys that say how a CSV file is read."""

LossName = Literal[
    "sparse_categorical_crossentropy",
    "categorical_crossentropy",
    "binary_crossentropy",
    "mean_squared_error",
    "mean_absolute_error",
    "mean_absolute_percentage_error",
    "mean_squared_logarithmic_error",
    "huber",
    "log_cosh",
    "poisson",
]
"""Keras' losses that a spec can name; a function that compiles its model may use any."""

MetricName = Literal[
    "accuracy",
    "top_5_accuracy",
    "auc",
    "precision",
    "recall",
    "mean_squared_error",
    "root_mean_squared_error",
    "mean_absolute_error",
    "mean_absolute_percentage_error",
    "r2_score",
]
"""Keras' metrics that a spec can name."""

DataKey = Annotated[Text, Field(json_schema_extra={"pattern": f"^({'|'.join(MODES)})$|[./]"})]
"""A mode, a file, or a folder, which is written with its `/`."""


Columns = Annotated[list[Text], Field(min_length=1)]

OF_COMPILE = frozenset({"optimizer", "loss", "from_logits", "metrics"})
"""Keys that say what `compile` says of a model."""


def saved_model(values: Mapping[str, Any]) -> str:
    """The file of `model.save` that parameters name; empty where they name none."""
    name = str(values.get("model") or values.get("architecture") or "")
    return name if name.endswith(".keras") else ""


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
            *(*OF_COMPILE, "class_weight", "weights", "weights_sha256"),
        }
    )

    kind: Literal["keras"] = "keras"
    """Name of the family."""
    architecture: SpecPath | None = None
    """What Keras wrote of the model: `model.to_json()` or `model.save("NAME.keras")`."""
    model: Text | None = None
    """The model: a function of a Python file that returns it (`model.py:build`), with the weights
    and the `compile` that it has; or what Keras wrote of it (`net.keras`, `net.json`), of which
    only the layers are read, and with `weights = "keep"` the weights. Whoever checks or runs the
    spec runs this Python: name only a file that you trust."""
    application: Annotated[str, AfterValidator(check_application)] | None = None
    """A model of `keras.applications`, such as `MobileNetV2`, with new weights."""
    options: dict[str, bool | int | FiniteFloat | str] = {}
    """Further arguments of the function or the application."""
    input_shape: Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1)] | None = None
    """Shape of an example, for random data of a model that does not say it."""
    weights: Literal["keep"] | None = None
    """`keep`: every repeat begins with the weights that the model has: those in `net.keras`, or
    those that the function gave it. Seeds then order the examples, and draw dropout. Without it
    the layers in `net.keras` begin with new weights."""
    document: str = Field(default="", validate_default=True)
    """What is in the file; filled in when the spec is read, not to be written."""
    weights_sha256: str = Field(default="", validate_default=True)
    """SHA-256 of `net.keras`, whose weights are kept; filled in like `document`."""
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
    target: Columns | Text | None = None
    """The column of a table to predict, or several."""
    features: Columns | Annotated[dict[Text, Columns], Field(min_length=1)] | None = None
    """The columns to predict from; all others when absent. A column of words becomes an input of 0
    or 1 for each word. For a model with several inputs, the columns of each by the name of its
    `keras.Input`: `{ age = ["age"], rest = ["bmi", "bp"] }`."""
    task: Task | None = None
    """What is predicted from data of your own: `classification` or `regression`."""
    validation_split: Annotated[FiniteFloat, Field(gt=0, lt=1)] = 0.2
    """Share of the rows that validates, where the data are not divided already."""
    split: Split = "random"
    """Which rows these are: `random`, as large a share of each class, or the `last` ones."""
    missing: Missing = "fail"
    """Missing values of a table: an error, `drop` the row, or the `mean` of the training part."""
    standardise: bool | Columns = True
    """Bring numbers of a table, or of these columns, to mean 0 and deviation 1 of the training
    part. An identifier that an `Embedding` looks up must stay as it is."""
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
                check_architecture(document, weights=bool(info.data.get("weights")))
            except ArchitectureError as error:
                raise FieldsError(f"{name} cannot be used: it {error}", key) from error
        return document

    @field_validator("weights_sha256")
    @classmethod
    def _hash_weights(cls, sha256: str, info: ValidationInfo) -> str:
        folder, name = folder_of(info), saved_model(info.data)
        if folder is None:
            return sha256
        refuse_written(sha256, "weights_sha256")
        kept = name and info.data.get("weights") and "document" in info.data
        return checksum(folder / name) if kept else ""

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
        if self.weights and not (named_code(self.model) or saved_model(vars(self))):
            raise FieldsError(
                f"`{self.model_key}` names no weights that could be kept",
                "weights",
                self.model_key,
                help='name what `model.save("net.keras")` wrote, or a function that returns the '
                "model with its weights",
            )
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
        features = self.features if isinstance(self.features, dict) else {"": self.features or []}
        named = [("features", names) for names in features.values()]
        for key, names in (("target", targets), *named):
            if len(set(names)) < len(names):
                twice = next(name for name in names if names.count(name) > 1)
                raise FieldsError(f"`{key}` names {twice!r} twice", key)
            if key == "features" and (both := [name for name in names if name in targets]):
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
    def new_weights(self) -> str:
        """What to say where weights that were saved with a model are not used; else empty."""
        name = saved_model(vars(self))
        if not name or self.weights:
            return ""
        return f"the weights in {name} are not read: each repeat begins with new ones"

    @property
    def model_key(self) -> str:
        """The key that names the model."""
        return next(k for k in ("model", "application", "architecture") if getattr(self, k))
