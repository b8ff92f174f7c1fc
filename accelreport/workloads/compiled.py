"""Loss and metrics of a compiled Keras model: Keras' own step in parts that keep no state.

What `fit` adds up in the variables of its metrics, a step here gives as its own share, beginning
at zero. Such shares are added over steps, windows and replicas, and Keras makes the results.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from accelreport.workloads.numerics import numbers
from accelreport.workloads.own_model import ModelError, last_activation, own_parts
from accelreport.workloads.training import keras_optimizer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from accelreport.workloads.keras_parameters import KerasParameters

Batch = tuple[Any, Any, Any]
"""Inputs, targets, and weights of the examples or None."""


class Compiled:
    """What the `compile` of a model says of its loss and metrics.

    Args:
        model: compiled.
        batch: some examples; only their shapes and types count.

    Attributes:
        width: numbers that a step adds up.
    """

    def __init__(self, model: Any, batch: Batch) -> None:
        model._symbolic_build(data_batch=batch)
        self._model = model
        self._variables = list(model.metrics_variables)
        self.width = sum(map(_size, self._variables))

    def zeros(self) -> list[Any]:
        """What the metrics begin an epoch with."""
        from keras import ops

        return [ops.zeros(variable.shape, variable.dtype) for variable in self._variables]

    def loss(
        self, batch: Batch, outputs: Any, *, training: bool, held: Sequence[Any] | None = None
    ) -> tuple[Any, list[Any]]:
        """The loss of a batch, and what the metrics hold with it; they begin at zero."""
        inputs, targets, weights = batch
        # In a scope the model knows only penalties of the scope; Keras' own step does the same.
        self._model._losses_override = list(self._model.losses)
        with self._scope(self.zeros() if held is None else held) as scope:
            loss = self._model._compute_loss(
                x=inputs, y=targets, y_pred=outputs, sample_weight=weights, training=training
            )
        self._model._losses_override.clear()
        return loss, self._values(scope)

    def sums(self, batch: Batch, outputs: Any, loss: Any, held: Sequence[Any]) -> Any:
        """What a step adds up, [width]; the first one is of the loss.

        Args:
            batch: the examples.
            outputs: of the model.
            loss: of this replica alone, before it is scaled.
            held: what the metrics hold of the loss.
        """
        from keras import ops, tree

        inputs, targets, weights = batch
        with self._scope(held) as scope:
            count = tree.flatten(inputs)[0].shape[0]
            self._model._loss_tracker.update_state(loss, sample_weight=count)
            if self._model._compile_metrics is not None:
                self._model._compile_metrics.update_state(targets, outputs, sample_weight=weights)
        rows = [ops.cast(ops.reshape(part, [-1]), "float32") for part in self._values(scope)]
        return ops.concatenate(rows)

    def named(self, sums: NDArray[Any]) -> dict[str, float]:
        """Loss and metrics as `fit` reports them."""
        with self._scope(self.held(sums)):
            results = self._model.get_metrics_result()
            return {name: float(numbers(value)) for name, value in results.items()}

    def held(self, sums: NDArray[Any]) -> list[Any]:
        """The values of all metrics from one row of numbers."""
        from keras import ops

        values, begin = [], 0
        for variable in self._variables:
            part = sums[begin : begin + _size(variable)].reshape(tuple(variable.shape))
            values.append(ops.convert_to_tensor(part.astype(variable.dtype), variable.dtype))
            begin += _size(variable)
        return values

    def _scope(self, values: Sequence[Any]) -> Any:
        from keras import StatelessScope

        return StatelessScope(state_mapping=list(zip(self._variables, values, strict=True)))

    def _values(self, scope: Any) -> list[Any]:
        return [scope.get_current_value(variable) for variable in self._variables]


def _size(variable: Any) -> int:
    return math.prod(variable.shape)


# What a spec says of a model that is not compiled -------------------------------------------------


def judged(
    parameters: KerasParameters, model: Any, labels: NDArray[Any] | None = None
) -> KerasParameters:
    """The parameters with the loss that the end of the model and the labels ask for.

    A model that ends with one output, or with a sigmoid, tells two classes apart, or says of each
    class whether it applies; a linear end gives logits, or numbers where labels are no classes.

    Raises:
        ModelError: `from_logits` is not what the outputs are.
    """
    end, shape = last_activation(model), model.output_shape
    linear = end not in {"softmax", "sigmoid"}
    # Fractions beyond 0 and 1 are no classes.
    free = labels is None or bool(((labels < 0) | (labels > 1)).any() and (labels % 1).any())
    numbers = parameters.task is None and free and linear and (len(shape) != 2 or shape[-1] == 1)
    loss = parameters.loss
    if loss is None and (numbers or parameters.task == "regression"):
        loss = "mean_squared_error"
    elif loss is None:
        per_class = labels is not None and labels.ndim == len(shape) and shape[-1] != 1
        loss = "sparse_categorical_crossentropy"
        if end == "sigmoid" or shape[-1] == 1:
            loss = "binary_crossentropy"
        elif per_class and labels is not None:
            one = abs(labels.sum(axis=-1) - 1).max() < ROUNDED
            loss = "categorical_crossentropy" if one else "binary_crossentropy"
            if not one and end == "softmax":
                raise ModelError(
                    "The model ends with softmax, and an example may have several classes.",
                    remedy="End it with sigmoid.",
                    key=parameters.model_key,
                )
    if "crossentropy" in loss and parameters.from_logits not in {None, linear}:
        what = "logits" if linear else "probabilities"
        raise ModelError(f"The outputs of the model are {what}.", key="from_logits",
                         remedy="Delete `from_logits`, or change the model's end.")  # fmt: skip
    metrics = parameters.metrics
    if metrics is None:
        metrics = ["accuracy"] if "crossentropy" in loss else ["mean_absolute_error"]
    return parameters.model_copy(update={"loss": loss, "from_logits": linear, "metrics": metrics})


ROUNDED = 1e-3
"""By how much the sum of an example's probabilities may differ from 1."""


def compile_as(model: Any, parameters: KerasParameters, labels: NDArray[Any]) -> Any:
    """The model, compiled by the optimizer, loss and metrics of parameters that were judged."""
    from keras import losses

    name, logits = str(parameters.loss), bool(parameters.from_logits)
    options = {"from_logits": logits} if "crossentropy" in name else {}
    model.compile(
        optimizer=keras_optimizer(parameters.optimizer),
        loss=getattr(losses, _class(name))(**options),
        metrics=[_metric(m, name, labels, logits=logits) for m in parameters.metrics or []],
    )
    return model


def _class(name: str) -> str:
    return "".join(part.title() for part in name.split("_"))


def _metric(name: str, loss: str, labels: NDArray[Any], *, logits: bool) -> Any:
    from keras import metrics

    sparse, binary = loss.startswith("sparse"), loss.startswith("binary")
    options: dict[str, Any] = {}
    kind = {"auc": "AUC", "r2_score": "R2Score"}.get(name) or _class(name)
    if name in {"accuracy", "top_5_accuracy"}:
        kind = ("Sparse" if sparse else "") + ("TopK" if name != "accuracy" else "")
        kind += "CategoricalAccuracy"
        if name == "accuracy" and not sparse and not loss.startswith("categorical"):
            kind = "BinaryAccuracy"
            options["threshold"] = 0.0 if logits and binary else 0.5
    elif name in {"precision", "recall"} and logits:
        options["thresholds"] = 0.0
    elif name == "auc":
        many = binary and labels.ndim > 1 and labels.shape[-1] > 1
        options = {"from_logits": logits, "multi_label": many}
    return getattr(metrics, kind)(name=name, **options)


def class_weights(
    weights: Mapping[str, float], classes: Sequence[str], labels: NDArray[Any]
) -> Callable[[Any], Any] | None:
    """What gives each example the weight of its class; None where a spec names none.

    Raises:
        ModelError: a class is none of the data's, or there is none for each example.
    """
    from keras import ops

    if not weights:
        return None
    if labels.ndim > 1 or labels.dtype.kind not in "iub":
        raise ModelError(
            "`class_weight` needs one class for each example.",
            remedy="Delete it.",
            key="class_weight",
        )
    names = list(classes) or [str(number) for number in range(int(labels.max()) + 1)]
    table = [1.0] * len(names)
    for name, weight in weights.items():
        if name not in names:
            raise ModelError(
                f"The data have no class {name!r}.",
                remedy=f"Their classes are {', '.join(names[:20])}.",
                key="class_weight",
            )
        table[names.index(name)] = weight
    return lambda targets: ops.take(ops.convert_to_tensor(table, "float32"), targets)


# What a model says of itself ----------------------------------------------------------------------


def loss_name(model: Any) -> str:
    """Keras' name of the loss of a compiled model."""
    from keras import losses

    loss = getattr(model._compile_loss, "_user_loss", None)
    if isinstance(loss, str):
        loss = losses.get(loss)
    return str(getattr(loss, "name", None) or getattr(loss, "__name__", "its own loss"))


def refuse_own_steps(model: Any, key: str) -> None:
    """See that a step of `fit` would be Keras' own, and nothing else than what is measured here.

    Raises:
        ModelError: it would not.
    """
    optimizer = getattr(model, "optimizer", None)
    optimizer = getattr(optimizer, "inner_optimizer", optimizer)
    wrong = next(iter(own_parts(model)), "")
    why, remedy = "", 'Measure it as a step of your own: kind = "python".'
    if wrong:
        what = f"The model has a `{wrong}` of its own, which is not run here."
        remedy += " A `compute_loss` of its own is run."
    elif not model.compiled:
        return
    elif model.steps_per_execution != 1:
        what = f"The model is compiled with steps_per_execution = {model.steps_per_execution}."
        why = "How many steps run in one call is chosen here, and each is counted and timed"
        remedy = "Delete it from `compile`; the loop over steps is in one program anyway."
    elif model.run_eagerly:
        what, remedy = "The model is compiled with run_eagerly.", "Write eager = true for a device."
    elif getattr(optimizer, "use_ema", False) or type(optimizer).__name__.startswith("Schedule"):
        what = "The optimizer averages weights, which `fit` puts into the model when it ends."
        remedy = "Choose another optimizer, or `use_ema=False`."
    else:
        return
    raise ModelError(what, why=why, remedy=remedy, key=key)


def prove(
    model: Any,
    take: Callable[[Any, Any], tuple[Any, Any]],
    train: Mapping[str, NDArray[Any]],
    key: str,
) -> list[str]:
    """Names of what a compiled model reports, once two batches show that it adds up.

    Raises:
        ModelError: Keras does not compute its loss or metrics, or what they hold after two batches
            is not the sum of what they hold after each.
    """
    import numpy as np
    from keras import ops

    rows = {name: ops.convert_to_tensor(array[:4]) for name, array in train.items()}
    halves = np.array_split(np.arange(min(4, len(train["y"])), dtype=np.int32), 2)
    shares: list[Any] = []
    try:
        batches = [(*take(rows, ops.convert_to_tensor(half)), None) for half in halves if len(half)]
        parts = Compiled(model, batches[0])
        both = np.zeros(parts.width, np.float32)
        for batch in [*batches, *batches]:  # one of them alone may add nothing
            outputs = model(batch[0], training=False)
            for start in (np.zeros(parts.width), both):
                loss, held = parts.loss(batch, outputs, training=True, held=parts.held(start))
                shares.append(numbers(parts.sums(batch, outputs, loss, held)))
            both = shares.pop()
        names = list(parts.named(both))
    except Exception as error:  # each layer, loss and framework has a class of its own
        raise ModelError(
            "Two examples do not fit the model, its loss and its metrics.",
            why=f"{type(error).__name__}: {next(iter(str(error).strip().splitlines()), '')}",
            key=key,
        ) from error
    if not np.allclose(sum(shares), both, rtol=1e-4, atol=1e-6, equal_nan=True):
        raise ModelError(
            "A metric of the model does not add up over batches.",
            why=f"It is one of {', '.join(names)}",
            remedy="Leave it out of `compile`.",
            key=key,
        )
    return names
