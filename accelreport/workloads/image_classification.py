"""Convolutional classifiers of small grey images (MNIST and Fashion-MNIST)."""

from __future__ import annotations

from typing import Literal

from accelreport.workloads.base import EVERY, TrainingParameters, training_family

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


FAMILY = training_family(
    "Image classification",
    ImageClassificationParameters,
    "accelreport.workloads.image_models",
    frameworks=EVERY,
)
"""The family as the registry knows it."""
