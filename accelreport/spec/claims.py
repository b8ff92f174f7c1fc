"""Claims: sentences, and the rules that test them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import AfterValidator, Discriminator, Field, FiniteFloat, Tag, model_validator

from accelreport.spec.base import (
    Baseline,
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
"""Quantities for which less is faster."""

QualityName = Literal["accuracy", "val_accuracy", "loss", "val_loss"]
"""Results of a complete training."""

Quantity = Literal[
    Speed, QualityName, "energy_per_example", "quantised_size_ratio", "quantised_accuracy_loss"
]
"""What a claim may speak of."""

Factor = Annotated[FiniteFloat, Field(gt=1), AfterValidator(bounded)]
"""A factor within which one value is about another."""

Where = dict[str, Scalar]
"""Swept keys with fixed values."""


def _ordered(low: float | None, high: float | None, *fields: str) -> None:
    if low is not None and high is not None and low > high:
        raise FieldsError("the bounds exclude every number", *fields)


def _check_factor(check: RatioCheck | FasterCheck, prefix: str = "") -> None:
    """Refuse a rule that bounds its factor in no way, or in two ways at once."""
    least, most, about = (f"{prefix}{bound}" for bound in ("at_least", "at_most", "about"))
    bounds, is_about = given(check, least, most), bool(given(check, about))
    if not (bounds or is_about):
        raise FieldsError(f"`{least}`, `{most}` or `{about}` is missing")
    if is_about and bounds:
        raise FieldsError(f"`{about}` cannot have a bound beside it", about, *bounds)
    if not is_about and check.tolerance != 1.25:
        raise FieldsError(f"`tolerance` belongs to `{about}`", "tolerance")
    _ordered(getattr(check, least), getattr(check, most), least, most)


def bounds_text(at_least: float | None, at_most: float | None) -> str:
    """Bounds in words: "at least 2 and at most 3"; empty without bounds."""
    parts = [f"at least {at_least:g}"] if at_least is not None else []
    parts += [f"at most {at_most:g}"] if at_most is not None else []
    return " and ".join(parts)


@dataclass(frozen=True)
class Names:
    """Names of devices, quantities, swept keys and values in a sentence; default: the spec's."""

    device: Callable[[str], str] = str
    quantity: Callable[[str], str] = str
    axis: Callable[[str], str] = str
    value: Callable[[object], str] = str
    difference: Callable[[str, float], str] = lambda _quality, amount: f"{amount:g}"
    """A quality and the distance of two of its values → the distance in words."""

    def every(self, axes: Iterable[str]) -> str:
        """Swept keys: "all values of batch_size and units"."""
        return f"all values of {' and '.join(map(self.axis, axes))}"

    def at(self, where: Mapping[str, Scalar]) -> str:
        """Fixed keys: " at batch_size = 256 and units = 4"; empty without any."""
        parts = [f"{self.axis(axis)} = {self.value(value)}" for axis, value in where.items()]
        return f" at {' and '.join(parts)}" if parts else ""

    def place(self, device: str, where: Mapping[str, Scalar]) -> str:
        """A device with fixed keys: "gpu at batch_size = 256"."""
        return f"{self.device(device)}{self.at(where)}"

    def of(self, quantity: str | None, device: str, where: Mapping[str, Scalar]) -> str:
        """A quantity of such a device: "val_accuracy of gpu at batch_size = 256"."""
        return f"{self.quantity(str(quantity))} of {self.place(device, where)}"

    def left(
        self,
        axes: Collection[str],
        held: Collection[str],
        mean_over: Collection[str] = (),
        mean: str = "geometric mean",
    ) -> str:
        """What happens to the keys that are not fixed."""
        left = [axis for axis in axes if axis not in {*held, *mean_over}]
        parts = [f"as the {mean} over {self.every(mean_over)}"] if mean_over else []
        parts += [f"for {self.every(left)}"] if left else []
        return "".join(f", {part}" for part in parts)


AS_WRITTEN = Names()
"""Names as in the spec."""


class TrendCheck(SpecModel):
    """A quantity rises or falls along an axis of the sweep."""

    rises: Quantity | None = None
    """The quantity that grows along the axis."""
    falls: Quantity | None = None
    """The quantity that shrinks along the axis."""
    of: Text
    """The device."""
    over: str = ""
    """For `speedup`: the base; default: the baseline."""
    along: Text
    """The swept key."""
    starting_at: Number | None = None
    """The value of the swept key at which the trend begins; below it, the quantity is constant."""
    tolerance: Factor = 1.25
    """For `starting_at`: the factor within which the quantity is constant."""
    where: Where = {}
    """Fixed values of the other axes."""
    mean_over: list[Text] = []
    """Axes over which the mean is taken."""

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        exactly_one(self, "rises", "falls")
        if self.over and "speedup" not in {self.rises, self.falls}:
            raise FieldsError("`over` belongs to a trend of `speedup`", "over")
        if self.starting_at is None and self.tolerance != 1.25:
            raise FieldsError("`tolerance` belongs to `starting_at`", "tolerance")
        return self

    def reading(self, baseline: Baseline, axes: Collection[str], names: Names = AS_WRITTEN) -> str:
        """The tested sentence; `axes` are the swept keys, and `names` gives their names."""
        name, verb = (self.rises, "rises") if self.rises else (str(self.falls), "falls")
        over = f" over {names.place(*baseline.place(self.over, {}))}" if name == "speedup" else ""
        rest = names.left(axes, {self.along, *self.where}, self.mean_over, "mean")
        along = f"along {names.axis(self.along)}"
        if self.starting_at is not None:
            along += f" from {self.starting_at:g} on, and below it stays within {self.tolerance:g}×"
        return f"{names.of(name, self.of, {})}{over} {verb} {along}{names.at(self.where)}{rest}"


class RatioCheck(SpecModel):
    """How many times larger a quantity is on one device, or stage, than on another."""

    ratio: Quantity
    """The numerator; for `speedup` and times, larger means faster."""
    of: Text
    """The device of the numerator."""
    over: str = ""
    """The device of the denominator; the same device compares `ratio` with `to`."""
    to: Quantity | None = None
    """The denominator's quantity, if it is another one."""
    where: Where = {}
    """The sweep point."""
    over_where: Where = {}
    """The denominator's point, if it differs from `where`."""
    mean_over: list[Text] = []
    """Axes over which the geometric mean is taken."""
    at_least: Number | None = None
    """Confirmed if the whole interval is above this."""
    at_most: Number | None = None
    """Confirmed if the whole interval is below this."""
    about: Number | None = None
    """Confirmed if the whole interval is within a factor `tolerance` of this."""
    tolerance: Factor = 1.25
    """The factor for `about`."""

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        _check_factor(self)
        return self

    @property
    def bounds(self) -> tuple[float | None, float | None]:
        """The lower and the upper bound of the ratio; None without a bound."""
        if self.about is None:
            return self.at_least, self.at_most
        return self.about / self.tolerance, self.about * self.tolerance

    @property
    def within_process(self) -> bool:
        """Whether two quantities of the same process are divided."""
        return self.to is not None and not self.over

    def reading(self, baseline: Baseline, axes: Collection[str], names: Names = AS_WRITTEN) -> str:
        """The tested sentence; `axes` are the swept keys, and `names` gives their names."""
        asked = bounds_text(*self.bounds)
        rest = names.left(axes, self.where, self.mean_over)
        one = names.place(self.of, self.where)
        base, elsewhere = baseline.place(self.over, {})
        elsewhere |= self.over_where
        other = names.place(base, elsewhere)
        of_one = names.of(self.ratio, self.of, self.where)
        if self.within_process:
            to = names.quantity(str(self.to))
            return f"{of_one} is {asked} times {to} of the same process{rest}"
        if self.to not in {None, self.ratio}:
            above, below = of_one, names.of(self.to, base, elsewhere)
            if self.ratio in TIME_QUANTITIES:
                above, below = below, above
            return f"{above} is {asked} times {below}{rest}"
        if self.ratio not in SPEEDS:
            return f"{of_one} is {asked} times that of {other}{rest}"
        by = "steady_step_time" if self.ratio == "speedup" else self.ratio
        fast = "at least" if self.bounds == (1, None) else f"{asked} times"
        return f"{one} is {fast} as fast as {other}, by {names.quantity(by)}{rest}"


class FasterCheck(SpecModel):
    """One device is a number of times as fast as another."""

    faster: Text
    """The device that the claim calls faster."""
    than: Text
    """The device to compare it with."""
    by_at_least: Number | None = None
    """Confirmed if it is at least this many times as fast, with the whole interval."""
    by_at_most: Number | None = None
    """Confirmed if it is at most this many times as fast, with the whole interval."""
    by_about: Number | None = None
    """Confirmed if the whole interval is within a factor `tolerance` of this."""
    tolerance: Factor = 1.25
    """The factor for `by_about`."""
    quantity: Speed = "speedup"
    """The compared quantity: the rate of steady steps, a time, or a rate."""
    where: Where = {}
    """The sweep point."""
    than_where: Where = {}
    """The other device's point, if it differs from `where`."""
    mean_over: list[Text] = []
    """Axes over which the geometric mean is taken."""

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        _check_factor(self, "by_")
        factors = (self.by_at_least, self.by_at_most, self.by_about)
        if any(factor is not None and factor <= 0 for factor in factors):
            bounds = given(self, "by_at_least", "by_at_most", "by_about")
            raise FieldsError("the factor must be greater than 0", *bounds)
        return self

    @property
    def as_ratio(self) -> RatioCheck:
        """The same rule as a ratio, in which more is faster."""
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

    def reading(self, baseline: Baseline, axes: Collection[str], names: Names = AS_WRITTEN) -> str:
        """The tested sentence; `axes` are the swept keys, and `names` gives their names."""
        return self.as_ratio.reading(baseline, axes, names)


class DifferenceCheck(SpecModel):
    """A quality is higher, or lower, on one device than on another, or than another quality."""

    higher: QualityName | None = None
    """The quality that the claim calls higher."""
    lower: QualityName | None = None
    """The quality that the claim calls lower."""
    of: Text
    """The device."""
    than: str = ""
    """The device to compare it with, seed by seed; default: the same device."""
    to: QualityName | None = None
    """The quality to compare it with, if it is another one."""
    by_at_least: NotNegative = 0.0
    """Confirmed if the whole interval of the difference is above this."""
    where: Where = {}
    """The sweep point."""
    than_where: Where = {}
    """The other device's point, if it differs from `where`."""
    mean_over: list[Text] = []
    """Axes over which the mean is taken."""

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        exactly_one(self, "higher", "lower")
        if not (self.than or self.to or self.than_where):
            raise FieldsError("`than` (a device) or `to` (a quality) is missing")
        return self

    @property
    def quality(self) -> str:
        """The compared quality."""
        return self.higher or str(self.lower)

    def reading(self, baseline: Baseline, axes: Collection[str], names: Names = AS_WRITTEN) -> str:
        """The tested sentence; `axes` are the swept keys, and `names` gives their names."""
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
    """Confirmed if the whole interval is above this."""
    at_most: Number | None = None
    """Confirmed if the whole interval is below this."""

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if not given(self, "at_least", "at_most"):
            raise FieldsError("`at_least` or `at_most` is missing")
        _ordered(self.at_least, self.at_most, "at_least", "at_most")
        return self

    def reading(self, baseline: Baseline, axes: Collection[str], names: Names = AS_WRITTEN) -> str:
        """The tested sentence; `axes` are the swept keys, and `names` gives their names."""
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

    def reading(self, baseline: Baseline, axes: Collection[str], names: Names = AS_WRITTEN) -> str:
        """The tested sentence; `axes` are the swept keys, and `names` gives their names."""
        rest = names.left(axes, self.where)
        within = names.difference(self.equivalent, self.within)
        return (
            f"{names.quantity(self.equivalent)} of every device is that of "
            f"{names.place(*baseline.place('', {}))} within ± {within}, seed by seed"
            f"{names.at(self.where)}{rest}"
        )


class QuantisedCheck(SpecModel):
    """int8 costs a trained classifier accuracy (McNemar's test)."""

    quantised_costs: Literal["accuracy"]
    """Always "accuracy"."""
    of: Text
    """The device on which the models were trained."""
    negligible: Annotated[FiniteFloat, Field(gt=0, lt=1), AfterValidator(bounded)] = 0.005
    """Refuted if no loss is shown and a loss as large as this is excluded."""
    where: Where = {}
    """The sweep point."""

    def reading(self, baseline: Baseline, axes: Collection[str], names: Names = AS_WRITTEN) -> str:
        """The tested sentence; `axes` are the swept keys, and `names` gives their names."""
        del baseline
        loss = names.difference(self.quantised_costs, self.negligible)
        return (
            f"a model trained on {names.place(self.of, self.where)} is right more often than its "
            "8-bit copy among the examples on which they disagree (McNemar's exact test); it does "
            f"not hold where a loss of {loss} is excluded{names.left(axes, self.where)}"
        )


class MemoryCheck(SpecModel):
    """A device has too little memory for the workload."""

    runs_out_of: Literal["memory"]
    """Always "memory"."""
    of: Text
    """The device."""
    where: Where = {}
    """The sweep point."""

    def reading(self, baseline: Baseline, axes: Collection[str], names: Names = AS_WRITTEN) -> str:
        """The tested sentence; `axes` are the swept keys, and `names` gives their names."""
        del baseline
        rest = names.left(axes, self.where)
        return f"every process of {names.place(self.of, self.where)} runs out of memory{rest}"


class PeakCheck(SpecModel):
    """Measured TFLOPS stay below the device's cited peak."""

    below_peak: Literal[True]
    """Always true."""

    def reading(self, baseline: Baseline, axes: Collection[str], names: Names = AS_WRITTEN) -> str:
        """The tested sentence; `axes` are the swept keys, and `names` gives their names."""
        del baseline
        name, rest = names.quantity("tflops"), names.left(axes, ())
        return f"{name} of every device is below its cited peak{rest}"


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
"""The rules by their first key."""


def _rule(check: object) -> str | None:
    """The name of the rule that the first such key of a check selects."""
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
"""A rule. Its first key selects it, so an error names only that rule."""


Provenance = Literal["source", "accelreport", "author"]
"""The provenance of a claim."""


class Claim(SpecModel):
    """A sentence, and the rule that tests it."""

    text: Text
    """The sentence."""
    check: Check
    """The rule; its first key selects which one."""
    by: Provenance = "author"
    """Provenance: `source` (published), `accelreport` or `author` (of the spec). A claim with a
    `source` defaults to `source`.
    """
    source: str = ""
    """Title of its source, if that is not the spec's own source."""
    note: str = ""
    """A note, such as what the claim follows from."""

    @model_validator(mode="before")
    @classmethod
    def _by_its_source(cls, values: Any) -> Any:
        named = isinstance(values, Mapping) and values.get("source")
        return {"by": "source", **values} if named else values
