"""Families by the name a spec gives them."""

from __future__ import annotations

from accelreport.workloads import (
    image_classification,
    keras_model,
    matmul,
    sequence_classification,
    series_forecast,
    text_classification,
    text_generation,
)
from accelreport.workloads.base import Family

FAMILIES: dict[str, Family] = {
    family.kind: family
    for family in (
        matmul.FAMILY,
        image_classification.FAMILY,
        text_classification.FAMILY,
        sequence_classification.FAMILY,
        text_generation.FAMILY,
        series_forecast.FAMILY,
        keras_model.FAMILY,
    )
}
"""The built-in families."""
