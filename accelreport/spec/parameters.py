"""The parameters of `[workload]` that families of workloads share."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import (
    Field,
    FiniteFloat,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from accelreport.spec.base import SpecModel, Text
from accelreport.spec.validators import FieldsError


class EarlyStopping(SpecModel):
    """Stop when a metric has not improved for some epochs, as Keras' callback does."""

    monitor: Text = "val_loss"
    """The metric of the learning curve."""
    patience: Annotated[int, Field(ge=0)] = 0
    """Epochs without improvement after which training stops."""
    min_delta: Annotated[FiniteFloat, Field(ge=0)] = 0.0
    """A smaller change than this is no improvement."""


class ReduceOnPlateau(SpecModel):
    """Reduce the learning rate when a metric stops improving, as Keras' callback does."""

    monitor: Text = "val_loss"
    """The metric of the learning curve."""
    factor: Annotated[FiniteFloat, Field(gt=0, lt=1)] = 0.1
    """What the learning rate is multiplied by."""
    patience: Annotated[int, Field(ge=0)] = 10
    """Epochs without improvement after which it is reduced."""
    min_delta: Annotated[FiniteFloat, Field(ge=0)] = 1e-4
    """A smaller change than this is no improvement."""
    min_learning_rate: Annotated[FiniteFloat, Field(ge=0)] = 0.0
    """It is never reduced below this."""


DataMode = Literal["real", "sample", "synthetic"]
"""The official data, a sample of them, or synthetic data of the same shapes."""

Afterwards = Literal["save_weights", "serve", "quantise"]
"""What can be done with a trained model."""


class Schedule(SpecModel):
    """How the learning rate changes with the epoch, or with the step."""

    name: Literal[
        "exponential",
        "cosine_decay",
        "cosine_decay_restarts",
        "exponential_decay",
        "inverse_time_decay",
        "polynomial_decay",
    ]
    """`exponential`: learning_rate · factor^epoch, the first epoch being 0. The others are Keras'
    schedules, which change it with the step."""
    factor: Annotated[FiniteFloat, Field(gt=0, le=1)] | None = None
    """Of `exponential`: the factor from one epoch to the next."""
    options: dict[str, bool | int | FiniteFloat] = {}
    """Arguments of Keras' schedule, such as `decay_steps`."""

    @model_validator(mode="after")
    def _has_its_own(self) -> Self:
        known = SCHEDULES.get(self.name, ())
        lacking = self.name == "exponential" and self.factor is None
        if lacking or (self.name != "exponential" and self.factor is not None):
            raise FieldsError("`exponential`, and no other schedule, has a `factor`", "factor")
        _check_options(self.name, self.options, known)
        if known and known[0] not in self.options:
            raise FieldsError(f"{self.name} needs `{known[0]}`", "options")
        return self

    @model_serializer(mode="wrap")
    def _identity(self, values: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {n: v for n, v in values(self).items() if v or n not in {"factor", "options"}}


SCHEDULES = {
    "cosine_decay": ("decay_steps", "alpha", "warmup_target", "warmup_steps"),
    "cosine_decay_restarts": ("first_decay_steps", "t_mul", "m_mul", "alpha"),
    "exponential_decay": ("decay_steps", "decay_rate", "staircase"),
    "inverse_time_decay": ("decay_steps", "decay_rate", "staircase"),
    "polynomial_decay": ("decay_steps", "end_learning_rate", "power", "cycle"),
}
"""Keras' schedules with their arguments but the first rate; the first argument is required."""

_MOMENTS = ("beta_1", "beta_2", "epsilon")
OPTIMIZERS: dict[str, tuple[str, ...]] = {
    "adadelta": ("rho", "epsilon"),
    "adafactor": ("beta_2_decay", "epsilon_1", "epsilon_2", "clip_threshold", "relative_step"),
    "adagrad": ("initial_accumulator_value", "epsilon"),
    "adam": (*_MOMENTS, "amsgrad"),
    "adamax": _MOMENTS,
    "adamw": (*_MOMENTS, "amsgrad"),
    "lamb": _MOMENTS,
    "lion": ("beta_1", "beta_2"),
    "nadam": _MOMENTS,
    "rmsprop": ("rho", "momentum", "epsilon", "centered"),
    "sgd": ("momentum", "nesterov"),
}
"""Keras' optimizers with the arguments that only they have."""

OF_EVERY_OPTIMIZER = (
    *("weight_decay", "clipnorm", "clipvalue", "global_clipnorm"),
    *("loss_scale_factor", "gradient_accumulation_steps"),
)
"""Arguments of every Keras optimizer. Averaged weights (`use_ema`) are not among them: `fit` puts
them into the model when it ends."""


OptimizerName = Literal[
    "adadelta", "adafactor", "adagrad", "adam", "adamax", "adamw", "lamb", "lion", "nadam",
    "rmsprop", "sgd",
]  # fmt: skip
"""The names in `OPTIMIZERS`."""


def _check_options(name: str, options: dict[str, Any], known: tuple[str, ...]) -> None:
    for option in options:
        if option not in known:
            listed = ", ".join(known) or "none"
            raise FieldsError(
                f"{name} has no `{option}`", f"options.{option}", help=f"it has {listed}"
            )


class Optimizer(SpecModel):
    """A Keras optimizer."""

    name: OptimizerName = "adam"
    """Which one."""
    learning_rate: Annotated[FiniteFloat, Field(gt=0)] = 1e-3
    """Its learning rate."""
    schedule: Schedule | None = None
    """How the learning rate changes; constant when absent."""
    options: dict[str, bool | int | FiniteFloat] = {}
    """Further arguments of Keras' optimizer, such as `weight_decay`, `clipnorm`, `momentum` or
    `gradient_accumulation_steps`."""

    @model_validator(mode="after")
    def _takes_its_options(self) -> Self:
        _check_options(self.name, self.options, (*OPTIMIZERS[self.name], *OF_EVERY_OPTIMIZER))
        return self

    @model_serializer(mode="wrap")
    def _identity(self, values: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in values(self).items() if value or name != "options"}


class WorkloadParameters(SpecModel):
    """What every family's parameters share."""

    kind: str
    """Name of the family."""


TRAINING_ONLY = frozenset(
    {
        "epochs",
        "steps_per_epoch",
        "optimizer",
        "input",
        "train_examples",
        "evaluation_batch_size",
        "samples",
        "early_stopping",
        "restore_best_weights",
        "reduce_on_plateau",
        "afterwards",
    }
)
"""Parameters that say how a model is trained; in inference they have no meaning."""


class TrainingParameters(WorkloadParameters):
    """What every family that trains a model shares."""

    omitted_at_default: ClassVar[frozenset[str]] = frozenset()
    """Keys that are part of a cell's identity only if they differ from their default. They were
    added later, and so earlier measurements keep their keys."""

    mode: Literal["training", "inference"] = "training"
    """`training`: the model is trained; `inference`: it is called with one batch after another,
    `measure.calls` times, and each call is waited for."""
    epochs: Annotated[int, Field(ge=1)] = 1
    """Passes over the training data (or over `steps_per_epoch` steps)."""
    batch_size: Annotated[int, Field(ge=1)] = 64
    """Training examples in a step, over all replicas."""
    steps_per_epoch: Annotated[int, Field(ge=1)] | None = None
    """Steps in an epoch; enough to see every training example when absent."""
    optimizer: Optimizer = Optimizer()
    """The optimizer."""
    data: DataMode = "real"
    """`real`: the official data; `sample`: a part of them that travels with accelreport;
    `synthetic`: a learnable stand-in of the same shapes."""
    input: Literal["resident", "pipeline"] = "resident"
    """`resident`: the data lie on the device; `pipeline`: `tf.data` brings every batch."""
    train_examples: Annotated[int, Field(ge=1)] | None = None
    """Use only the first examples of the training data."""
    validation_examples: Annotated[int, Field(ge=1)] | None = None
    """Use only the first examples of the validation data."""
    evaluation_batch_size: Annotated[int, Field(ge=1)] = 1024
    """Examples in a step of an evaluation."""
    samples: Annotated[int, Field(ge=0, le=1000)] = 0
    """Predictions kept for the page, wrong ones first."""
    early_stopping: EarlyStopping | None = None
    """Stop when a metric no longer improves."""
    restore_best_weights: bool = False
    """End with the weights of the best epoch by the metric of `early_stopping`, or by
    `val_loss`; the final metrics are then that epoch's."""
    reduce_on_plateau: ReduceOnPlateau | None = None
    """Reduce the learning rate when a metric no longer improves."""

    afterwards: list[Afterwards] = []
    """What is done with the trained model: `save_weights` writes its weights and reads them
    back, `serve` exports it and asks it over HTTP, `quantise` converts a classifier to 8-bit
    integers."""

    @model_validator(mode="after")
    def _inference_trains_nothing(self) -> Self:
        given = [name for name in self.model_fields_set & TRAINING_ONLY if self._is_given(name)]
        if self.mode == "inference" and given:
            raise FieldsError(
                f"`{min(given)}` says how a model is trained, and in inference it is only called",
                min(given),
                "mode",
                help="delete it, or write it in a spec of the training",
            )
        return self

    @property
    def classifies(self) -> bool:
        """Whether the model is a classifier that is judged by its accuracy."""
        return True

    @model_validator(mode="after")
    def _quantises_a_classifier(self) -> Self:
        if "quantise" in self.afterwards and not self.classifies:
            raise FieldsError(
                "`quantise` converts classifiers, and compares their accuracy",
                "afterwards",
                help="delete it; a model with the metric `accuracy` can be quantised",
            )
        return self

    def _is_given(self, name: str) -> bool:
        return bool(getattr(self, name) != type(self).model_fields[name].default)

    @model_serializer(mode="wrap")
    def _identity(self, parameters: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """The parameters that identify a cell; a training has no `mode`, which was added later."""
        needless = {"mode"} if self.mode == "training" else TRAINING_ONLY
        needless |= {name for name in self.omitted_at_default if not self._is_given(name)}
        return {name: value for name, value in parameters(self).items() if name not in needless}

    @model_validator(mode="after")
    def _one_rule_for_the_learning_rate(self) -> Self:
        if self.reduce_on_plateau is not None and self.optimizer.schedule is not None:
            raise FieldsError(
                "a schedule and a plateau cannot both rule the learning rate",
                "reduce_on_plateau",
                "optimizer.schedule",
            )
        return self


def is_called(parameters: WorkloadParameters) -> bool:
    """Whether a model is only called (`mode = "inference"`)."""
    return isinstance(parameters, TrainingParameters) and parameters.mode == "inference"
