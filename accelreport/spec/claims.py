"""Claims: sentences somebody said, and the rules that test them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import Discriminator, Field, FiniteFloat, Tag, model_validator

from accelreport.spec.base import Scalar, SpecModel, Text, exactly_one, given
from accelreport.spec.validators import FieldsError

Quantity = Literal[
    "speedup",
    "steady_step_time",
    "epoch_time",
    "first_epoch_time",
    "total_time",
    "throughput",
    "tflops",
    "tflops_cold",
    "accuracy",
    "val_accuracy",
    "loss",
    "val_loss",
    "quantised_size_ratio",
    "quantised_accuracy_loss",
]
"""What a claim may speak of."""


def _ordered(low: float | None, high: float | None) -> None:
    if low is not None and high is not None and low > high:
        raise FieldsError("no number is as large and as small as this", "at_least", "at_most")


class TrendCheck(SpecModel):
    """A quantity rises or falls along an axis of the sweep."""

    rises: Quantity | None = None
    """The quantity that grows along the axis."""
    falls: Quantity | None = None
    """The quantity that shrinks along the axis."""
    of: Text
    """The device."""
    over: str = ""
    """For `speedup`: relative to this device; the baseline when empty."""
    along: Text
    """The swept key."""
    where: dict[str, Scalar] = {}
    """Values at which the other axes are held."""

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        exactly_one(self, "rises", "falls")
        if self.over and "speedup" not in {self.rises, self.falls}:
            raise FieldsError("`over` belongs to a trend of `speedup`", "over")
        return self


class RatioCheck(SpecModel):
    """How many times larger a quantity is on one device, or stage, than on another."""

    ratio: Quantity
    """The quantity divided; for `speedup` and times, larger means faster."""
    of: Text
    """The device of the numerator."""
    over: str = ""
    """The device of the denominator; the same device compares `ratio` with `to`."""
    to: Quantity | None = None
    """The denominator's quantity, when it is another one."""
    where: dict[str, Scalar] = {}
    """The sweep point."""
    at_least: FiniteFloat | None = None
    """Confirmed when the whole interval lies above."""
    at_most: FiniteFloat | None = None
    """Confirmed when the whole interval lies below."""
    about: FiniteFloat | None = None
    """Confirmed when the whole interval lies within a factor `tolerance` of this."""
    tolerance: Annotated[FiniteFloat, Field(gt=1)] = 1.25
    """The factor for `about`."""

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if not given(self, "at_least", "at_most", "about"):
            raise FieldsError("`at_least`, `at_most` or `about` is missing")
        if self.about is not None and (bounds := given(self, "at_least", "at_most")):
            raise FieldsError("`about` stands alone, without a bound", "about", *bounds)
        if self.about is None and self.tolerance != 1.25:
            raise FieldsError("`tolerance` belongs to `about`", "tolerance")
        _ordered(self.at_least, self.at_most)
        return self


class ValueCheck(SpecModel):
    """A quantity on one device is above or below a value."""

    value: Quantity
    """The quantity."""
    of: Text
    """The device."""
    where: dict[str, Scalar] = {}
    """The sweep point."""
    at_least: FiniteFloat | None = None
    """Confirmed when the whole interval lies above."""
    at_most: FiniteFloat | None = None
    """Confirmed when the whole interval lies below."""

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if not given(self, "at_least", "at_most"):
            raise FieldsError("`at_least` or `at_most` is missing")
        _ordered(self.at_least, self.at_most)
        return self


class EquivalentCheck(SpecModel):
    """A quality is the same on all devices (TOST over paired seeds)."""

    equivalent: Quantity
    """The quality."""
    within: Annotated[FiniteFloat, Field(gt=0)]
    """Largest difference that counts as the same, in the quality's unit."""
    where: dict[str, Scalar] = {}
    """The sweep point."""


class PeakCheck(SpecModel):
    """Measured TFLOPS stay below the device's cited peak."""

    below_peak: Literal[True]
    """Always true."""


CHECKS: dict[str, type[SpecModel]] = {
    "rises": TrendCheck,
    "falls": TrendCheck,
    "ratio": RatioCheck,
    "value": ValueCheck,
    "equivalent": EquivalentCheck,
    "below_peak": PeakCheck,
}
"""The rules by the key that begins them."""


def _rule(check: object) -> str | None:
    """The name of the rule that a check's first telling key stands for."""
    if isinstance(check, Mapping):
        return next((CHECKS[key].__name__ for key in check if key in CHECKS), None)
    return type(check).__name__


Check = Annotated[
    Annotated[TrendCheck, Tag("TrendCheck")]
    | Annotated[RatioCheck, Tag("RatioCheck")]
    | Annotated[ValueCheck, Tag("ValueCheck")]
    | Annotated[EquivalentCheck, Tag("EquivalentCheck")]
    | Annotated[PeakCheck, Tag("PeakCheck")],
    Discriminator(_rule),
]
"""A rule. Its first key decides which one, so that an error speaks of that rule alone."""


class Claim(SpecModel):
    """A sentence somebody said, and the rule that tests it."""

    text: Text
    """The sentence."""
    check: Check
    """The rule; its first key says which one."""
    source: str = ""
    """Who said it, when it is not the spec's own source."""
