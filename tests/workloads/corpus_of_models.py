"""Small models as strangers write them, each with what their notebook says in `compile`.

A line of `MODELS` names the data, what the spec says, and its loss and metrics, None
where the function compiles its model itself. `REFUSED` are those that no step of ours can train.
"""

from typing import Any

import keras
import numpy as np
from keras import layers, losses, metrics, ops, regularizers

SPARSE, CATEGORICAL = "sparse_categorical_crossentropy", "categorical_crossentropy"
LOGITS = losses.SparseCategoricalCrossentropy(from_logits=True)
BINARY_LOGITS = losses.BinaryCrossentropy(from_logits=True)
ACC = ["accuracy"]


def dense(end: Any = None, units: int = 3, **options: Any) -> Any:
    i = keras.Input((6,))
    x = layers.Dense(8, activation="relu", **options)(i)
    o = layers.Dense(units, activation=end)(x)
    return keras.Model(i, o)


def ending(*after: Any, units: int = 3, end: Any = "softmax") -> Any:
    model = dense(end, units)
    o = model.output
    for layer in after:
        o = layer(o)
    return keras.Model(model.input, o)


def tagger(end: Any, first: Any = None) -> Any:
    words = layers.Embedding(12, 4, mask_zero=True)
    inside = first or layers.LSTM(4, return_sequences=True)
    return keras.Sequential([keras.Input((7,), dtype="int32"), words, inside, end])


def joined(*, by_name: bool = False, left: str = "left") -> Any:
    i, k = keras.Input((2,), name=left), keras.Input((1,), name="items", dtype="int32")
    x = layers.Concatenate()([layers.Flatten()(layers.Embedding(2, 3)(k)), layers.Dense(4)(i)])
    inputs = {"left": i, "items": k} if by_name else [i, k]
    return keras.Model(inputs, layers.Dense(3, "softmax")(x))


class Joined(keras.Model):  # type: ignore[misc, unused-ignore]
    def __init__(self) -> None:
        super().__init__()
        self.end = layers.Dense(3, "softmax")

    def call(self, x: Any) -> Any:
        return self.end(ops.concatenate([x["left"], ops.cast(x["items"][:, None], "float32")], 1))


def masked() -> Any:
    i = keras.Input((7,))
    x = layers.Masking(0.0)(layers.Reshape((7, 1))(i))
    return keras.Model(i, layers.Dense(3, "softmax")(layers.LSTM(4, return_sequences=True)(x)))


def attention() -> Any:
    i = keras.Input((7,), dtype="int32")
    x = layers.Embedding(12, 4, mask_zero=True)(i)
    x = layers.LayerNormalization()(x + layers.MultiHeadAttention(2, 2)(x, x))
    return keras.Model(i, layers.Dense(3, "softmax")(x))


class Net(keras.Model):  # type: ignore[misc, unused-ignore]
    def __init__(self) -> None:
        super().__init__()
        self.end = layers.Dense(3, "softmax")
        self.start = layers.Dense(8, "relu")

    def call(self, x: Any) -> Any:
        return self.end(self.start(x))


class Penalised(layers.Layer):  # type: ignore[misc, unused-ignore]
    def call(self, x: Any) -> Any:
        self.add_loss(0.1 * ops.mean(ops.square(x)))
        return x


class OwnLoss(keras.Model):  # type: ignore[misc, unused-ignore]
    def compute_loss(
        self, x: Any = None, y: Any = None, y_pred: Any = None, sample_weight: Any = None, **_: Any
    ) -> Any:
        return 2 * ops.mean(losses.sparse_categorical_crossentropy(y, y_pred)) + 0 * ops.sum(x)


class OwnStep(keras.Model):  # type: ignore[misc, unused-ignore]
    def train_step(self, *arguments: Any) -> Any:
        raise RuntimeError(arguments)


class Largest(metrics.Metric):  # type: ignore[misc, unused-ignore]
    def __init__(self) -> None:
        super().__init__(name="largest")
        self.value = self.add_variable((), "zeros")

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        del y_true, sample_weight
        self.value.assign(ops.maximum(self.value, ops.max(y_pred)))

    def result(self) -> Any:
        return self.value + 0.0


def compiled(model: Any, loss: Any, names: Any = None, optimizer: Any = "adam", **rest: Any) -> Any:
    model.compile(optimizer=optimizer, loss=loss, metrics=names, **rest)
    return model


def subclass(kind: Any) -> Any:
    model = dense("softmax")
    return kind(model.input, model.output)


def convolutional() -> Any:
    inside = [layers.Conv2D(4, 3, activation="relu"), layers.BatchNormalization()]
    end = [layers.GlobalMaxPooling2D(), layers.Dense(3, activation="softmax")]
    return keras.Sequential([keras.Input((8, 8, 1)), *inside, *end])


def preprocessed() -> Any:
    adapted = layers.Normalization()
    adapted.adapt(np.arange(60.0).reshape(10, 6))
    model = keras.Sequential([keras.Input((6,)), layers.Rescaling(0.5), adapted, layers.Dense(3)])
    model.layers[-1].set_weights([np.arange(18.0).reshape(6, 3) / 100, np.arange(3.0)])
    return model


NUMBERS = {"task": "regression"}

# name: (data, keys of the spec, what makes the model, loss, metrics)
MODELS: dict[str, tuple[str, dict[str, Any], Any, Any, Any]] = {
    "softmax": ("classes", {}, lambda: dense("softmax"), SPARSE, ACC),
    "logits": ("classes", {}, dense, LOGITS, ACC),
    "float32": (
        "classes", {}, lambda: ending(layers.Activation("linear", dtype="float32")), SPARSE, ACC),
    "reshaped": ("classes", {}, lambda: ending(layers.Reshape((3,))), SPARSE, ACC),
    "wrapped": ("classes", {}, lambda: ending(ending(units=3), end=None, units=6), SPARSE, ACC),
    "in_a_lambda": (
        "classes", {}, lambda: ending(layers.Lambda(ops.softmax), end=None), SPARSE, ACC),
    "an_operation": ("classes", {}, lambda: ending(ops.softmax, end=None), SPARSE, ACC),
    "softmax_layer": ("classes", {}, lambda: ending(layers.Softmax(), end=None), SPARSE, ACC),
    "dropped": ("classes", {}, lambda: ending(layers.Dropout(0.0)), SPARSE, ACC),
    "logarithms": ("classes", {}, lambda: dense("log_softmax"), LOGITS, ACC),
    "own_class": ("classes", {}, Net, SPARSE, ACC),
    "own_loss": ("classes", {}, lambda: subclass(OwnLoss), SPARSE, ACC),
    "kernel_penalty": (
        "classes", {}, lambda: dense("softmax", kernel_regularizer="l2"), SPARSE, ACC),
    "activity_penalty": (
        "classes", {},
        lambda: dense("softmax", activity_regularizer=regularizers.L1(0.01)), SPARSE, ACC),
    "added_loss": ("classes", {}, lambda: ending(Penalised()), SPARSE, ACC),
    "batch_normalisation": ("images", {}, convolutional, SPARSE, ACC),
    "top_5": (
        "classes", {"metrics": ["accuracy", "top_5_accuracy"]}, lambda: dense("softmax", 9), SPARSE,
        [*ACC, metrics.SparseTopKCategoricalAccuracy(5, name="top_5_accuracy")]),
    "class_weights": (
        "classes", {"class_weight": {"0": 3.0, "2": 0.5}}, lambda: dense("softmax"), SPARSE, ACC),
    "accumulated": (
        "classes",
        {"optimizer": {"name": "sgd", "learning_rate": 0.1,
                       "options": {"gradient_accumulation_steps": 2}}},
        lambda: dense("softmax"), SPARSE, ACC),
    "adamw": (
        "classes",
        {"optimizer": {"name": "adamw", "learning_rate": 0.01,
                       "options": {"weight_decay": 0.1, "clipnorm": 0.1}}},
        lambda: dense("softmax"), SPARSE, ACC),
    "cosine": (
        "classes",
        {"optimizer": {"name": "sgd", "learning_rate": 0.1,
                       "schedule": {"name": "cosine_decay", "options": {"decay_steps": 15}}}},
        lambda: dense("softmax"), SPARSE, ACC),
    "one_hot": ("one_hot", {}, lambda: dense("softmax"), CATEGORICAL, ACC),
    "one_hot_logits": (
        "one_hot", {}, dense, losses.CategoricalCrossentropy(from_logits=True),
        [metrics.CategoricalAccuracy(name="accuracy")]),
    "soft": ("soft", {}, lambda: dense("softmax"), CATEGORICAL, ACC),
    "several": (
        "several", {}, lambda: dense("sigmoid"), "binary_crossentropy",
        [metrics.BinaryAccuracy(name="accuracy")]),
    "several_logits": (
        "several", {"metrics": ["auc"]}, dense, BINARY_LOGITS,
        [metrics.AUC(multi_label=True, from_logits=True, name="auc")]),
    "two": (
        "two", {"metrics": ["accuracy", "auc", "precision", "recall"]}, lambda: dense("sigmoid", 1),
        "binary_crossentropy", [*ACC, metrics.AUC(name="auc"), "precision", "recall"]),
    "two_logits": (
        "two", {}, lambda: dense(None, 1), BINARY_LOGITS,
        [metrics.BinaryAccuracy(threshold=0, name="accuracy")]),
    "masked": ("tags", {}, lambda: tagger(layers.Dense(3, "softmax")), SPARSE, ACC),
    "distributed": (
        "tags", {},
        lambda: tagger(layers.TimeDistributed(layers.Dense(3, "softmax"))), SPARSE, ACC),
    "masked_logits": ("tags", {}, lambda: tagger(layers.Dense(3)), LOGITS, ACC),
    "unmasked": (
        "tags", {},
        lambda: tagger(layers.Dense(3, "softmax"), layers.Conv1D(4, 3, padding="same")), SPARSE,
        ACC),
    "bidirectional": (
        "tags", {},
        lambda: tagger(layers.Dense(3, "softmax"),
                       layers.Bidirectional(layers.GRU(4, return_sequences=True))), SPARSE, ACC),
    "masked_values": ("tags", {}, masked, SPARSE, ACC),
    "attention": ("tags", {}, attention, SPARSE, ACC),
    "shares": (
        "classes", {},
        lambda: ending(layers.Lambda(lambda x: x / ops.sum(x, -1, keepdims=True)), end="softplus"),
        SPARSE, ACC),
    "clipped": (
        "classes", {}, lambda: ending(layers.Lambda(lambda x: ops.clip(x, 1e-6, 1))), SPARSE, ACC),
    "hard_sigmoid": ("two", {}, lambda: dense("hard_sigmoid", 1), "binary_crossentropy", ACC),
    "sigmoid_below": (
        "several", {}, lambda: ending(layers.Reshape((3,)), end="sigmoid"), "binary_crossentropy",
        [metrics.BinaryAccuracy(name="accuracy")]),
    "numbers": ("numbers", NUMBERS, lambda: dense(None, 1), "mse", ["mean_absolute_error"]),
    "two_numbers": ("pairs", {**NUMBERS, "loss": "huber", "metrics": ["r2_score"]},
                    lambda: dense(None, 2), "huber", ["r2_score"]),
    "percent": (
        "numbers", {**NUMBERS, "metrics": ["root_mean_squared_error"]}, lambda: dense(None, 1),
        "mse", [metrics.RootMeanSquaredError()]),
    "joined": ("joined", {}, joined, SPARSE, ACC),
    "joined_by_name": ("joined", {}, lambda: joined(by_name=True), SPARSE, ACC),
    "joined_class": ("joined", {}, Joined, SPARSE, ACC),
    "compiled": (
        "classes", {},
        lambda: compiled(dense("softmax"), SPARSE, ["acc"], keras.optimizers.Nadam(0.02)), None,
        None),
    "compiled_focal": (
        "one_hot", {}, lambda: compiled(dense("softmax"), "categorical_focal_crossentropy", ACC),
        None, None),
    "compiled_class": ("classes", {}, lambda: compiled(Net(), SPARSE, ACC, "rmsprop"), None, None),
    "compiled_weights": (
        "classes", {}, lambda: compiled(dense(), LOGITS, None, loss_weights=0.25,
                                        weighted_metrics=["accuracy"]), None, None),
    "kept": ("classes", {"weights": "keep"}, preprocessed, LOGITS, ACC),
}  # fmt: skip


def replaced(name: str) -> Any:
    model = dense("softmax")
    setattr(model, name, OwnStep.train_step)
    return compiled(model, SPARSE)


class OwnLoop(keras.Model):  # type: ignore[misc, unused-ignore]
    def make_train_function(self, *arguments: Any, **options: Any) -> Any:
        raise RuntimeError(arguments, options)


REFUSED: dict[str, tuple[str, dict[str, Any], Any, str]] = {
    "own_step": ("classes", {}, lambda: subclass(OwnStep), "`train_step` of its own"),
    "replaced_step": ("classes", {}, lambda: replaced("train_step"), "`train_step` of its own"),
    "own_loop": ("classes", {}, lambda: subclass(OwnLoop), "`make_train_function` of its own"),
    "contradicted": (
        "classes", {"optimizer": {"name": "adam"}}, lambda: compiled(dense("softmax"), SPARSE),
        "the spec names `optimizer`"),
    "executed": (
        "classes", {}, lambda: compiled(dense(), LOGITS, steps_per_execution=4),
        "steps_per_execution = 4"),
    "averaged": (
        "classes", {},
        lambda: compiled(dense(), LOGITS, optimizer=keras.optimizers.SGD(use_ema=True)),
        "averages weights"),
    "not_a_sum": (
        "classes", {}, lambda: compiled(dense("softmax"), SPARSE, [Largest()]), "does not add up"),
    "names_of_inputs": (
        "joined", {}, lambda: joined(left="first"), "has the inputs first, items, and the data"),
    "inputs_of_one": ("classes", {}, joined, "the data have one input"),
    "one_of_inputs": ("joined", {}, dense, "the data have inputs left, items"),
    "divided": ("joined", {"divide_by": 255.0}, joined, "is of models with one input"),
    "two_ends": (
        "classes", {}, lambda: keras.Model((m := dense()).input, [m.output, m.output]),
        "keras.layers.Concatenate"),
    "said_logits": (
        "classes", {"from_logits": True}, lambda: ending(layers.Reshape((3,))), "probabilities"),
    "one_of_several": ("several", {}, lambda: dense("softmax"), "several classes"),
    "auc_of_three": ("classes", {"metrics": ["auc"]}, lambda: dense("softmax"), "do not fit"),
}  # fmt: skip


def build(name: str) -> Any:
    return (MODELS[name] if name in MODELS else REFUSED[name])[2]()
