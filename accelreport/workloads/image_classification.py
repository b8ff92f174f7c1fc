"""Convolutional classifiers of small grey images (MNIST and Fashion-MNIST)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from accelreport.workloads.base import DataRequest, Family, TrainingParameters, TrainingProblem

if TYPE_CHECKING:
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


def _data(parameters: Any) -> DataRequest:
    return DataRequest(name=parameters.dataset, mode=parameters.data)


def _problem(parameters: Any, data: Dataset | None, _seed: int) -> TrainingProblem:
    from accelreport.workloads.image_models import problem

    assert data is not None
    return problem(parameters, data)


FAMILY = Family(
    kind="image_classification",
    title="Image classification",
    parameters=ImageClassificationParameters,
    shape="training",
    data=_data,
    problem=_problem,
)
"""The family as the registry knows it."""
