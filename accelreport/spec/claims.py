"""Claims: sentences somebody said, and the rules that test them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import AfterValidator, Discriminator, Field, FiniteFloat, Tag, model_validator

from accelreport.spec.base import (
    NotNegative,
    Number,
    Positive,
    Scalar,
    SpecModel,
    Text,
    bounded,
    exactly_one,
    given,
)
from accelreport.spec.validators import FieldsError

Speed = Literal[
    "speedup",
    "steady_step_time",
    "epoch_time",
    "first_epoch_time",
    "total_time",
    "throughput",
    "tflops",
    "tflops_cold",
]
"""The quantities by which one device is faster than another."""

SPEEDS = frozenset(get_args(Speed))
"""The same, to look them up."""

TIME_QUANTITIES = frozenset(
    {"steady_step_time", "step_time", "epoch_time", "first_epoch_time", "total_time", "sample_time"}
)
"""Quantities of which less is faster."""

QualityName = Literal["accuracy", "val_accuracy", "loss", "val_loss"]
"""What a complete training ends with."""

Quantity = Literal[
    Speed, QualityName, "energy_per_example", "quantised_size_ratio", "quantised_accuracy_loss"
]
"""What a claim may speak of."""

Factor = Annotated[FiniteFloat, Field(gt=1), AfterValidator(bounded)]
"""A factor within which one value is about another."""

Where = dict[str, Scalar]
"""Swept keys and the values at which they are held."""


def _ordered(low: float | None, high: float | None, *fields: str) -> None:
    if low is not None and high is not None and low > high:
        raise FieldsError("no number is as large and as small as this", *fields)


def bounds_text(at_least: float | None, at_most: float | None) -> str:
    """Bounds in words: "at least 2 and at most 3"; empty without any."""
    parts = [f"at least {at_least:g}"] if at_least is not None else []
    parts += [f"at most {at_most:g}"] if at_most is not None else []
    return " and ".join(parts)


@dataclass(frozen=True)
class Names:
    """What a sentence calls devices, quantities, swept keys and values: as a spec, by default."""

    device: Callable[[str], str] = str
    quantity: Callable[[str], str] = str
    axis: Callable[[str], str] = str
    value: Callable[[object], str] = str
    difference: Callable[[str, float], str] = lambda _quality, amount: f"{amount:g}"
    """A quality, and how far two of its values are apart → the distance."""

    def every(self, axes: Iterable[str]) -> str:
        """Swept keys: "every batch_size and units"."""
        return f"every {' and '.join(map(self.axis, axes))}"

    def at(self, where: Mapping[str, Scalar]) -> str:
        """Held keys: " at batch_size = 256 and units = 4"; empty without any."""
        said = [f"{self.axis(axis)} = {self.value(value)}" for axis, value in where.items()]
        return f" at {' and '.join(said)}" if said else ""

    def place(self, device: str, where: Mapping[str, Scalar]) -> str:
        """A device where keys are held: "gpu at batch_size = 256"."""
        return f"{self.device(device)}{self.at(where)}"

    def of(self, quantity: str | None, device: str, where: Mapping[str, Scalar]) -> str:
        """A quantity of it: "val_accuracy of gpu at batch_size = 256"."""
        return f"{self.quantity(str(quantity))} of {self.place(device, where)}"

    def left(
        self,
        axes: Collection[str],
        held: Collection[str],
        mean_over: Collection[str] = (),
        mean: str = "geometric mean",
    ) -> str:
        """What becomes of the keys at which nothing is held."""
        left = [axis for axis in axes if axis not in {*held, *mean_over}]
        said = [f"as the {mean} over {self.every(mean_over)}"] if mean_over else []
        said += [f"for {self.every(left)}"] if left else []
        return "".join(f", {each}" for each in said)


AS_WRITTEN = Names()
"""Names as the spec has them."""


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
    starting_at: Number | None = None
    """The value of the swept key from which it does; below, it stays the same."""
    tolerance: Factor = 1.25
    """For `starting_at`: the factor within which it stays the same."""
    where: Where = {}
    """Values at which the other axes are held."""
    mean_over: list[Text] = []
    """Axes whose values count together, by their mean."""

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        exactly_one(self, "rises", "falls")
        if self.over and "speedup" not in {self.rises, self.falls}:
            raise FieldsError("`over` belongs to a trend of `speedup`", "over")
        if self.starting_at is None and self.tolerance != 1.25:
            raise FieldsError("`tolerance` belongs to `starting_at`", "tolerance")
        return self

    def reading(self, baseline: str, axes: Collection[str], names: Names = AS_WRITTEN) -> str:
        """What is tested, as a sentence; `axes` are the swept keys, `names` what it calls them."""
        name, verb = (self.rises, "rises") if self.rises else (str(self.falls), "falls")
        over = f" over {names.device(self.over or baseline)}" if name == "speedup" else ""
        start = "" if self.starting_at is None else f" from {self.starting_at:g} on"
        flat = "" if self.starting_at is None else f", and below stays within {self.tolerance:g}×"
        rest = names.left(axes, {self.along, *self.where}, self.mean_over, "mean")
        along = f"along {names.axis(self.along)}{start}{flat}"
        return f"{names.of(name, self.of, {})}{over} {verb} {along}{names.at(self.where)}{rest}"


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
    where: Where = {}
    """The sweep point."""
    over_where: Where = {}
    """The denominator's point, where it differs from `where`."""
    mean_over: list[Text] = []
    """Axes whose values count together, by their geometric mean."""
    at_least: Number | None = None
    """Confirmed when the whole interval lies above."""
    at_most: Number | None = None
    """Confirmed when the whole interval lies below."""
    about: Number | None = None
    """Confirmed when the whole interval lies within a factor `tolerance` of this."""
    tolerance: Factor = 1.25
    """The factor for `about`."""

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if not given(self, "at_least", "at_most", "about"):
            raise FieldsError("`at_least`, `at_most` or `about` is missing")
        if self.about is not None and (bounds := given(self, "at_least", "at_most")):
            raise FieldsError("`about` stands alone, without a bound", "about", *bounds)
        if self.about is None and self.tolerance != 1.25:
            raise FieldsError("`tolerance` belongs to `about`", "tolerance")
        _ordered(self.at_least, self.at_most, "at_least", "at_most")
        return self

    @property
    def bounds(self) -> tuple[float | None, float | None]:
        """The least and the most that the ratio may be; None where nothing bounds it."""
        if self.about is None:
            return self.at_least, self.at_most
        return self.about / self.tolerance, self.about * self.tolerance

    @property
    def within_process(self) -> bool:
        """Whether two quantities of the same process are divided."""
        return self.to is not None and not self.over

    def reading(self, baseline: str, axes: Collection[str], names: Names = AS_WRITTEN) -> str:
        """What is tested, as a sentence; `axes` are the swept keys, `names` what it calls them."""
        asked = bounds_text(self.at_least, self.at_most)
        if self.about is not None:
            low, high = self.bounds
            asked = f"about {self.about:g} ({low:g} to {high:g})"
        rest = names.left(axes, self.where, self.mean_over)
        one = names.place(self.of, self.where)
        other = names.place(self.over or baseline, self.over_where)
        of_one = names.of(self.ratio, self.of, self.where)
        if self.within_process:
            to = names.quantity(str(self.to))
            return f"{of_one} is {asked} times {to} of the same process{rest}"
        if self.to not in {None, self.ratio}:
            above, below = of_one, names.of(self.to, self.over or baseline, self.over_where)
            if self.ratio in TIME_QUANTITIES:
                above, below = below, above
            return f"{above} is {asked} times {below}{rest}"
        if self.ratio not in SPEEDS:
            return f"{of_one} is {asked} times that of {other}{rest}"
        by = "steady_step_time" if self.ratio == "speedup" else self.ratio
        return f"{one} is {asked} times as fast as {other}, by {names.quantity(by)}{rest}"


class FasterCheck(SpecModel):
    """One device is so many times as fast as another."""

    faster: Text
    """The device that is said to be faster."""
    than: Text
    """The device it is compared with."""
    by_at_least: Number | None = None
    """Confirmed when it is at least so many times as fast, with the whole interval."""
    by_at_most: Number | None = None
    """Confirmed when it is at most so many times as fast, with the whole interval."""
    by_about: Number | None = None
    """Confirmed when the whole interval lies within a factor `tolerance` of this."""
    tolerance: Factor = 1.25
    """The factor for `by_about`."""
    quantity: Speed = "speedup"
    """What is compared: the rate of steady steps, a time, or a rate."""
    where: Where = {}
    """The sweep point."""
    than_where: Where = {}
    """The other device's point, where it differs from `where`."""
    mean_over: list[Text] = []
    """Axes whose values count together, by their geometric mean."""

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        bounds = given(self, "by_at_least", "by_at_most")
        if not bounds and self.by_about is None:
            raise FieldsError("`by_at_least`, `by_at_most` or `by_about` is missing")
        if self.by_about is not None and bounds:
            raise FieldsError("`by_about` stands alone, without a bound", "by_about", *bounds)
        if self.by_about is None and self.tolerance != 1.25:
            raise FieldsError("`tolerance` belongs to `by_about`", "tolerance")
        low, high = self.by_at_least, self.by_at_most
        _ordered(low, high, "by_at_least", "by_at_most")
        if any(bound is not None and bound <= 0 for bound in (low, high, self.by_about)):
            message = "a device is more than 0 times as fast as another"
            raise FieldsError(message, *bounds, *(["by_about"] if self.by_about else []))
        return self

    @property
    def as_ratio(self) -> RatioCheck:
        """The same as a ratio, of which more is faster."""
        return RatioCheck(
            ratio=self.quantity,
            of=self.faster,
            over=self.than,
            where=self.where,
            over_where=self.than_where,
            mean_over=self.mean_over,
            at_least=self.by_at_least,
            at_most=self.by_at_most,
            about=self.by_about,
            tolerance=self.tolerance,
        )

    def reading(self, baseline: str, axes: Collection[str], names: Names = AS_WRITTEN) -> str:
        """What is tested, as a sentence; `axes` are the swept keys, `names` what it calls them."""
        return self.as_ratio.reading(baseline, axes, names)


class DifferenceCheck(SpecModel):
    """A quality is higher, or lower, on one device than on another, or than another quality."""

    higher: QualityName | None = None
    """The quality that is said to be higher."""
    lower: QualityName | None = None
    """The quality that is said to be lower."""
    of: Text
    """The device."""
    than: str = ""
    """The device it is compared with, seed by seed; the same device when empty."""
    to: QualityName | None = None
    """The quality it is compared with, when it is another one."""
    by_at_least: NotNegative = 0.0
    """Confirmed when the whole interval of the difference lies above this."""
    where: Where = {}
    """The sweep point."""
    than_where: Where = {}
    """The other device's point, where it differs from `where`."""
    mean_over: list[Text] = []
    """Axes whose values count together, by their mean."""

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        exactly_one(self, "higher", "lower")
        if not (self.than or self.to or self.than_where):
            raise FieldsError(
                "`than` is missing: the device, or `to`: the quality it is compared with"
            )
        return self

    @property
    def quality(self) -> str:
        """The quality that is compared."""
        return self.higher or str(self.lower)

    def reading(self, baseline: str, axes: Collection[str], names: Names = AS_WRITTEN) -> str:
        """What is tested, as a sentence; `axes` are the swept keys, `names` what it calls them."""
        del baseline
        rest = names.left(axes, self.where, self.mean_over, "mean")
        verb = "higher" if self.higher else "lower"
        least = names.difference(self.quality, self.by_at_least)
        by = f" by at least {least}" if self.by_at_least else ""
        one = names.of(self.quality, self.of, self.where)
        other = names.of(self.to or self.quality, self.than or self.of, self.than_where)
        return f"{one} is {verb} than {other}{by}, seed by seed{rest}"


class ValueCheck(SpecModel):
    """A quantity on one device is above or below a value."""

    value: Quantity
    """The quantity."""
    of: Text
    """The device."""
    where: Where = {}
    """The sweep point."""
    at_least: Number | None = None
    """Confirmed when the whole interval lies above."""
    at_most: Number | None = None
    """Confirmed when the whole interval lies below."""

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if not given(self, "at_least", "at_most"):
            raise FieldsError("`at_least` or `at_most` is missing")
        _ordered(self.at_least, self.at_most, "at_least", "at_most")
        return self

    def reading(self, baseline: str, axes: Collection[str], names: Names = AS_WRITTEN) -> str:
        """What is tested, as a sentence; `axes` are the swept keys, `names` what it calls them."""
        del baseline
        asked = bounds_text(self.at_least, self.at_most)
        rest = names.left(axes, self.where)
        return f"{names.of(self.value, self.of, self.where)} is {asked}{rest}"


class EquivalentCheck(SpecModel):
    """A quality is the same on all devices (TOST over paired seeds)."""

    equivalent: Quantity
    """The quality."""
    within: Positive
    """Largest difference that counts as the same, in the quality's unit."""
    where: Where = {}
    """The sweep point."""

    def reading(self, baseline: str, axes: Collection[str], names: Names = AS_WRITTEN) -> str:
        """What is tested, as a sentence; `axes` are the swept keys, `names` what it calls them."""
        rest = names.left(axes, self.where)
        within = names.difference(self.equivalent, self.within)
        return (
            f"{names.quantity(self.equivalent)} of every device is that of "
            f"{names.device(baseline)} within ± {within}, seed by seed"
            f"{names.at(self.where)}{rest}"
        )


class QuantisedCheck(SpecModel):
    """8-bit integers cost a trained classifier accuracy (McNemar's test)."""

    quantised_costs: Literal["accuracy"]
    """Always "accuracy"."""
    of: Text
    """The device on which the models were trained."""
    negligible: Annotated[FiniteFloat, Field(gt=0, lt=1), AfterValidator(bounded)] = 0.005
    """Refuted when no loss is shown and one as large as this is excluded."""
    where: Where = {}
    """The sweep point."""

    def reading(self, baseline: str, axes: Collection[str], names: Names = AS_WRITTEN) -> str:
        """What is tested, as a sentence; `axes` are the swept keys, `names` what it calls them."""
        del baseline
        loss = names.difference(self.quantised_costs, self.negligible)
        return (
            f"of the examples on which a model trained on {names.place(self.of, self.where)} and "
            f"its 8-bit copy disagree, more are right before (McNemar's exact test); it does not "
            f"hold where a loss of {loss} is excluded{names.left(axes, self.where)}"
        )


class MemoryCheck(SpecModel):
    """A device has too little memory for the workload."""

    runs_out_of: Literal["memory"]
    """Always "memory"."""
    of: Text
    """The device."""
    where: Where = {}
    """The sweep point."""

    def reading(self, baseline: str, axes: Collection[str], names: Names = AS_WRITTEN) -> str:
        """What is tested, as a sentence; `axes` are the swept keys, `names` what it calls them."""
        del baseline
        rest = names.left(axes, self.where)
        return f"every process of {names.place(self.of, self.where)} ends for lack of memory{rest}"


class PeakCheck(SpecModel):
    """Measured TFLOPS stay below the device's cited peak."""

    below_peak: Literal[True]
    """Always true."""

    def reading(self, baseline: str, axes: Collection[str], names: Names = AS_WRITTEN) -> str:
        """What is tested, as a sentence; `axes` are the swept keys, `names` what it calls them."""
        del baseline
        name, rest = names.quantity("tflops"), names.left(axes, ())
        return f"{name} of every device lies below its cited peak{rest}"


CHECKS: dict[str, type[SpecModel]] = {
    "faster": FasterCheck,
    "rises": TrendCheck,
    "falls": TrendCheck,
    "ratio": RatioCheck,
    "higher": DifferenceCheck,
    "lower": DifferenceCheck,
    "value": ValueCheck,
    "equivalent": EquivalentCheck,
    "quantised_costs": QuantisedCheck,
    "runs_out_of": MemoryCheck,
    "below_peak": PeakCheck,
}
"""The rules by the key that begins them."""


def _rule(check: object) -> str | None:
    """The name of the rule that a check's first telling key stands for."""
    if isinstance(check, Mapping):
        return next((CHECKS[key].__name__ for key in check if key in CHECKS), None)
    return type(check).__name__


Check = Annotated[
    Annotated[FasterCheck, Tag("FasterCheck")]
    | Annotated[TrendCheck, Tag("TrendCheck")]
    | Annotated[RatioCheck, Tag("RatioCheck")]
    | Annotated[DifferenceCheck, Tag("DifferenceCheck")]
    | Annotated[ValueCheck, Tag("ValueCheck")]
    | Annotated[EquivalentCheck, Tag("EquivalentCheck")]
    | Annotated[QuantisedCheck, Tag("QuantisedCheck")]
    | Annotated[MemoryCheck, Tag("MemoryCheck")]
    | Annotated[PeakCheck, Tag("PeakCheck")],
    Discriminator(_rule),
]
"""A rule. Its first key decides which one, so that an error speaks of that rule alone."""


Provenance = Literal["source", "accelreport", "author"]
"""Who says a claim."""


class Claim(SpecModel):
    """A sentence somebody said, and the rule that tests it."""

    text: Text
    """The sentence."""
    check: Check
    """The rule; its first key says which one."""
    by: Provenance = "author"
    """Who says it: `source` (published), `accelreport`, or `author`, who wrote the spec. Without
    it, a claim with a `source` is the source's."""
    source: str = ""
    """Title of the source that says it, when that is not the spec's own source."""
    note: str = ""
    """What else to know of it, such as what it follows from."""

    @model_validator(mode="before")
    @classmethod
    def _by_its_source(cls, values: Any) -> Any:
        named = isinstance(values, Mapping) and values.get("source")
        return {"by": "source", **values} if named else values
