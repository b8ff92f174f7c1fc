"""Convolutional classifiers of small grey images (MNIST, Fashion-MNIST): the sources' networks."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from accelreport.workloads.base import TrainingParameters, TrainingProblem, training_family
from accelreport.workloads.numerics import numerics
from accelreport.workloads.objectives import class_accuracy, class_loss
from accelreport.workloads.training import labelled_problem

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from accelreport.datasets.base import Dataset


ModelName = Literal[
    "conv64_conv32", "conv32_conv64_conv64", "conv12_conv24_conv32", "conv64_conv128_conv256"
]
"""The convolutional networks of the sources, named by their convolutions' filters."""


class ImageClassificationParameters(TrainingParameters):
    """A convolutional network on 28 × 28 grey images in ten classes."""

    kind: Literal["image_classification"] = "image_classification"
    """Name of the family."""
    dataset: Literal["mnist", "fashion_mnist"] = "mnist"
    """The data set."""
    model: ModelName = "conv64_conv32"
    """The network."""
    scale_pixels: bool = True
    """Divide pixels by 255, as all sources but one do."""


CLASSES = 10
PIXELS = (28, 28)


def conv64_conv32() -> list[Any]:
    """S3's network: 412,778 parameters."""
    from keras import layers

    return [
        layers.Conv2D(64, 2, padding="same", activation="relu"),
        layers.MaxPooling2D(2),
        layers.Dropout(0.3),
        layers.Conv2D(32, 2, padding="same", activation="relu"),
        layers.MaxPooling2D(2),
        layers.Dropout(0.3),
        layers.Flatten(),
        layers.Dense(256, activation="relu"),
        layers.Dropout(0.5),
        layers.Dense(CLASSES),
    ]


def conv32_conv64_conv64() -> list[Any]:
    """S2-A's network: 93,322 parameters."""
    from keras import layers

    return [
        layers.Conv2D(32, 3, activation="relu"),
        layers.MaxPooling2D(2),
        layers.Conv2D(64, 3, activation="relu"),
        layers.MaxPooling2D(2),
        layers.Conv2D(64, 3, activation="relu"),
        layers.Flatten(),
        layers.Dense(64, activation="relu"),
        layers.Dropout(0.5),
        layers.Dense(CLASSES),
    ]


def conv12_conv24_conv32() -> list[Any]:
    """S2-B's network with batch normalisation: 354,538 parameters."""
    from keras import layers

    def normalised(layer: Any) -> list[Any]:
        return [layer, layers.BatchNormalization(scale=False), layers.Activation("relu")]

    return [
        *normalised(layers.Conv2D(12, 3, padding="same", use_bias=False)),
        *normalised(layers.Conv2D(24, 6, strides=2, padding="same", use_bias=False)),
        *normalised(layers.Conv2D(32, 6, strides=2, padding="same", use_bias=False)),
        layers.Flatten(),
        *normalised(layers.Dense(200, use_bias=False)),
        layers.Dropout(0.4),
        layers.Dense(CLASSES),
    ]


def conv64_conv128_conv256() -> list[Any]:
    """S2-C's network: 1,619,470 parameters."""
    from keras import layers

    def stage(filters: int) -> list[Any]:
        return [
            layers.BatchNormalization(),
            layers.Conv2D(filters, 5, padding="same", activation="elu"),
            layers.MaxPooling2D(2),
            layers.Dropout(0.25),
        ]

    return [
        *stage(64),
        *stage(128),
        *stage(256),
        layers.Flatten(),
        layers.Dense(256, activation="elu"),
        layers.Dropout(0.5),
        layers.Dense(CLASSES),
    ]


LAYERS: dict[str, Callable[[], list[Any]]] = {
    "conv64_conv32": conv64_conv32,
    "conv32_conv64_conv64": conv32_conv64_conv64,
    "conv12_conv24_conv32": conv12_conv24_conv32,
    "conv64_conv128_conv256": conv64_conv128_conv256,
}
"""Layers by the model's name. The last one gives logits; softmax is part of the loss."""


def problem(parameters: ImageClassificationParameters, data: Dataset) -> TrainingProblem:
    """The training problem: images [n, 28, 28] of bytes and labels [n]."""
    import keras

    n = numerics()
    divisor = 255.0 if parameters.scale_pixels else 1.0

    def model() -> Any:
        # The two-dimensional input becomes one channel in here, not in the stored array.
        inputs = keras.Input((*PIXELS, 1))
        return keras.Sequential([inputs, *LAYERS[parameters.model]()], name=parameters.model)

    def take(resident: Mapping[str, Any], indices: Any) -> tuple[Any, Any]:
        # Scaling happens after the cast: bytes on the device are a quarter of the memory.
        pixels = n.cast(n.gather(resident["x"], indices), "float32") / divisor
        return pixels[..., None], n.cast(n.gather(resident["y"], indices), "int32")

    return labelled_problem(
        parameters,
        data,
        model=model,
        take=take,
        loss=class_loss,
        loss_name="sparse categorical cross-entropy",
        metrics={"accuracy": class_accuracy},
        describe=lambda outputs: digits(outputs, data.validation, data.classes, parameters.samples),
    )


def digits(
    outputs: NDArray[np.float32],
    validation: Mapping[str, NDArray[Any]],
    classes: tuple[str, ...],
    count: int,
) -> list[dict[str, Any]]:
    """The predictions to show: wrong ones, surest first, then right ones in the data's order.

    Args:
        outputs: logits [n, 10], for the first n images.
        validation: images `x` [m, 28, 28] and labels `y` [m], m ≥ n.
        classes: names of the classes.
        count: how many to give.
    """
    import numpy as np

    shifted = np.exp(outputs - outputs.max(axis=1, keepdims=True))
    probabilities = shifted / shifted.sum(axis=1, keepdims=True)
    predicted = probabilities.argmax(axis=1)
    true = validation["y"][: len(predicted)]
    wrong, right = np.flatnonzero(predicted != true), np.flatnonzero(predicted == true)
    sure = probabilities[wrong, predicted[wrong]]
    wrong = wrong[np.argsort(-sure, kind="stable")]
    return [
        {
            "index": int(i),
            "true": classes[int(validation["y"][i])],
            "predicted": classes[int(predicted[i])],
            "probability": float(probabilities[i, predicted[i]]),
            "pixels": _compressed(validation["x"][i]),
            "shape": list(PIXELS),
        }
        for i in np.concatenate([wrong, right])[:count]
    ]


def _compressed(image: NDArray[np.uint8]) -> str:
    """The bytes of an image, as a record keeps them."""
    return base64.b64encode(zlib.compress(image.tobytes(), 9)).decode("ascii")


FAMILY = training_family("Image classification", ImageClassificationParameters, problem)
