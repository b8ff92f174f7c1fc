"""Families by the name a spec gives them."""

from __future__ import annotations

from accelreport.plugins import WORKLOADS, PluginError, Plugins
from accelreport.workloads import (
    image_classification,
    keras_model,
    matmul,
    python_step,
    sequence_classification,
    series_forecast,
    text_classification,
    text_generation,
)
from accelreport.workloads.base import Family

BUILT_IN: dict[str, Family] = {
    family.kind: family
    for family in (
        matmul.FAMILY,
        image_classification.FAMILY,
        text_classification.FAMILY,
        sequence_classification.FAMILY,
        text_generation.FAMILY,
        series_forecast.FAMILY,
        keras_model.FAMILY,
        python_step.FAMILY,
    )
}

_PLUGINS = Plugins(WORKLOADS, Family, "kind", BUILT_IN)

FAMILIES: dict[str, Family] = {**BUILT_IN, **_PLUGINS.usable}
"""The families that can be used: the built-in ones and those that packages add."""

BROKEN: dict[str, PluginError] = _PLUGINS.broken
"""Why a package's family cannot be used, by its name."""


def package_of(kind: str) -> str:
    """The package whose code a family is, such as `my_package`; empty for the built-in ones."""
    family = _PLUGINS.usable.get(kind)
    return family.problem.__module__.partition(".")[0] if family else ""


def family_of(kind: str) -> Family:
    """The family of that kind.

    Raises:
        PluginError: there is none, or the package that gives it does not work.
    """
    if kind in FAMILIES:
        return FAMILIES[kind]
    if kind in BROKEN:
        raise BROKEN[kind]
    raise PluginError(
        f"There is no workload of the kind {kind!r} here.",
        why=f"Known are: {', '.join(sorted(FAMILIES))}.",
        remedy="Install the package that adds it.",
    )
