"""Claims: sentences, and the rules that test them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Discriminator,
    Field,
    FiniteFloat,
    Tag,
    ValidationInfo,
    model_validator,
)

from accelreport.spec.base import (
    Baseline,
    Fraction,
    Number,
    Positive,
    Scalar,
    Size,
    SpecModel,
    Text,
    bounded,
    exactly_one,
    given,
    parse_fraction,
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
"""`Speed` as a set."""

TIME_QUANTITIES = frozenset(
    {"steady_step_time", "step_time", "epoch_time", "first_epoch_time", "total_time", "sample_time"}
)
"""Quantities for which less is faster."""

QualityName = Literal["accuracy", "val_accuracy", "loss", "val_loss"]
"""Results of a complete training."""

Quantity = Literal[
    Speed,
    QualityName,
    "energy_per_example",
    "quantised_size_ratio",
    "quantised_speedup",
    "quantised_accuracy_loss",
]
"""What a claim may speak of."""

SIGNED = frozenset({*get_args(QualityName), "quantised_accuracy_loss"})
"""Quantities that may be zero or negative: their mean is the arithmetic one, any other geometric.
"""

SHARES = frozenset({"accuracy", "val_accuracy", "quantised_accuracy_loss"})
"""Quantities that are shares of examples: at most 1, which is 100 %."""

Factor = Annotated[FiniteFloat, Field(gt=1), AfterValidator(bounded)]
"""A factor within which one value is about another."""


def _of_a_share(value: object, info: ValidationInfo) -> object:
    """A bound as a number: of an accuracy, "90 %" is 0.9."""
    quantities = [info.data.get(key) for key in ("value", "difference", "equivalent")]
    is_text = isinstance(value, str)
    return parse_fraction(value) if is_text and not SHARES.isdisjoint(quantities) else value


_Written = BeforeValidator(_of_a_share, json_schema_input_type=float | str)

Bound = Annotated[Number, _Written]
"""A bound of a quantity; of an accuracy, text such as "90 %" is converted."""

Margin = Annotated[Positive, _Written]
"""A bound above 0."""

Where = dict[str, Scalar]
"""Swept keys with fixed values."""


def _check_share(check: SpecModel, quantity: str | None, *fields: str) -> None:
    """Refuse a bound of a share above 1, which is nearly always meant in per cent."""
    for field in given(check, *fields) if quantity in SHARES else ():
        if abs(bound := getattr(check, field)) > 1:
            message = f"`{quantity}` is a share, so `{field}` must be at most 1, not {bound:g}"
            raise FieldsError(message, field, help='write a fraction such as 0.9, or "90 %"')


def _check_bounds(check: BoundCheck | FasterCheck, prefix: str = "") -> None:
    """Refuse a rule without bounds, or with bounds that contradict each other."""
    least, most, about = (f"{prefix}{bound}" for bound in ("at_least", "at_most", "about"))
    bounds, is_about = given(check, least, most), bool(given(check, about))
    if not (bounds or is_about):
        raise FieldsError(f"`{least}`, `{most}` or `{about}` is missing")
    if is_about and bounds:
        raise FieldsError(f"`{about}` cannot have a bound beside it", about, *bounds)
    if not is_about and check.tolerance != 1.25:
        raise FieldsError(f"`tolerance` belongs to `{about}`", "tolerance")
    if len(bounds) == 2 and getattr(check, least) > getattr(check, most):
        raise FieldsError("the bounds exclude every number", least, most)


def bounds_text(
    at_least: float | None, at_most: float | None, text: Callable[[float], str] = "{:g}".format
) -> str:
    """Bounds in words: "at least 2 and at most 3"; empty without bounds.

    Args:
        at_least: the lower bound.
        at_most: the upper bound.
        text: writes a number.
    """
    parts = [f"at least {text(at_least)}"] if at_least is not None else []
    parts += [f"at most {text(at_most)}"] if at_most is not None else []
    return " and ".join(parts)


def _plain(_quantity: str, amount: float) -> str:
    return f"{amount:g}"


@dataclass(frozen=True)
class Names:
    """Names of devices, quantities, swept keys and values in a sentence; default: the spec's."""

    device: Callable[[str], str] = str
    quantity: Callable[[str], str] = str
    figure: Callable[[str], str] = str
    """A published figure, which may include what the measured quantity leaves out."""
    axis: Callable[[str], str] = str
    value: Callable[[object], str] = str
    amount: Callable[[str, float], str] = _plain
    """A quantity and one of its values → the value in words."""
    difference: Callable[[str, float], str] = _plain
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


class BoundCheck(SpecModel):
    """A quantity, or the ratio or difference of two quantities, lies within bounds."""

    value: Quantity | None = None
    """The quantity."""
    ratio: Quantity | None = None
    """The numerator of a ratio; of times, and of `speedup`, a larger ratio means faster."""
    difference: QualityName | None = None
    """The quality from which another one is subtracted, seed by seed."""
    of: Text
    """The device."""
    over: str = ""
    """The device to compare it with; default: the baseline, or with `to` the same device."""
    to: Quantity | None = None
    """The quantity to compare it with, if it is another one."""
    where: Where = {}
    """The sweep point."""
    over_where: Where = {}
    """The other device's point, if it differs from `where`."""
    mean_over: list[Text] = []
    """Axes over which the mean is taken; of times, rates and ratios, the geometric mean."""
    at_least: Bound | None = None
    """Confirmed if the whole interval is above this; for a difference, 0 means more than 0."""
    at_most: Bound | None = None
    """Confirmed if the whole interval is below this; for a difference, 0 means less than 0."""
    about: Bound | None = None
    """Confirmed if the whole interval is within a factor `tolerance` of this."""
    tolerance: Factor = 1.25
    """The factor for `about`."""

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        exactly_one(self, "value", "ratio", "difference")
        others = [key for key in ("over", "to", "over_where") if getattr(self, key)]
        if self.value and others:
            raise FieldsError(f"`{others[0]}` belongs to a ratio or difference", *others)
        _check_bounds(self)
        if self.difference and self.about is not None:
            help_ = "write `at_least` and `at_most`"
            raise FieldsError("`about` belongs to a value or ratio", "about", help=help_)
        if self.difference and self.to not in {None, *get_args(QualityName)}:
            qualities = " or ".join(get_args(QualityName))
            raise FieldsError(f"a difference is one of {qualities}", "to")
        _check_share(self, self.value or self.difference, "at_least", "at_most", "about")
        return self

    @property
    def compared(self) -> str:
        """The quantity of `of` that is compared."""
        return str(self.value or self.ratio or self.difference)

    @property
    def bounds(self) -> tuple[float | None, float | None]:
        """The lower and the upper bound; None without a bound."""
        if self.about is None:
            return self.at_least, self.at_most
        return self.about / self.tolerance, self.about * self.tolerance

    @property
    def within_process(self) -> bool:
        """Whether two quantities of the same processes are compared."""
        return self.to is not None and not self.over

    def other(self, baseline: Baseline) -> tuple[str, dict[str, Any]]:
        """The device to compare with, and the swept keys with other values than in `where`."""
        device, held = baseline.place(self.over or (self.of if self.to else ""), {})
        return device, held | self.over_where

    def reading(self, baseline: Baseline, axes: Collection[str], names: Names = AS_WRITTEN) -> str:
        """The tested sentence; `axes` are the swept keys, and `names` gives their names."""
        mean = "mean" if self.difference or self.value in SIGNED else "geometric mean"
        rest = names.left(axes, self.where, self.mean_over, mean)
        own = names.of(self.compared, self.of, self.where)
        if self.value:
            asked = bounds_text(*self.bounds, lambda bound: names.amount(self.compared, bound))
            return f"{own} is {asked}{rest}"
        other = self.other(baseline)
        to = self.to or self.compared
        if self.difference:
            return f"{self._apart(names, own, names.of(to, *other))}, seed by seed{rest}"
        times = "at least" if self.bounds == (1, None) else f"{bounds_text(*self.bounds)} times"
        if self.within_process:
            return f"{own} is {times} {names.quantity(to)} of the same process{rest}"
        if to != self.compared:
            above, below = own, names.of(to, *other)
            if self.ratio in TIME_QUANTITIES:
                above, below = below, above
            return f"{above} is {times} {below}{rest}"
        if self.ratio not in SPEEDS:
            return f"{own} is {times} that of {names.place(*other)}{rest}"
        by = names.quantity("steady_step_time" if self.ratio == "speedup" else self.compared)
        one = names.place(self.of, self.where)
        return f"{one} is {times} as fast as {names.place(*other)}, by {by}{rest}"

    def _apart(self, names: Names, own: str, other: str) -> str:
        """What is asked of a difference: "loss of cpu is lower than loss of gpu by at least 1"."""

        def apart(distance: float) -> str:
            return names.difference(self.compared, distance)

        match self.bounds:
            case (float(least), None) if least >= 0:
                direction = "higher"
            case (None, float(most)) if most <= 0:
                direction, least = "lower", -most
            case (low, high):
                return f"{own} minus {other} is {bounds_text(low, high, apart)}"
        by = f" by at least {apart(least)}" if least else ""
        return f"{own} is {direction} than {other}{by}"


class FasterCheck(SpecModel):
    """One device is a number of times as fast as another: a short form of a ratio."""

    faster: Text
    """The device that the claim calls faster."""
    than: Text
    """The device to compare it with."""
    by_at_least: Positive | None = None
    """Confirmed if it is at least this many times as fast, with the whole interval."""
    by_at_most: Positive | None = None
    """Confirmed if it is at most this many times as fast, with the whole interval."""
    by_about: Positive | None = None
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
        _check_bounds(self, "by_")
        return self

    @property
    def as_ratio(self) -> BoundCheck:
        """The same rule as a ratio, in which more is faster."""
        return BoundCheck(
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


class TrendCheck(SpecModel):
    """A quantity rises or falls along an axis of the sweep.

    A speedup is an advantage, which is there at its largest: at the end of a rise, or the beginning
    of a fall, it is above 1.
    """

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
    where: Where = {}
    """Fixed values of the other axes."""
    mean_over: list[Text] = []
    """Axes over which the mean is taken; of times, rates and ratios, the geometric mean."""

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        exactly_one(self, "rises", "falls")
        if self.over and "speedup" not in {self.rises, self.falls}:
            raise FieldsError("`over` belongs to a trend of `speedup`", "over")
        return self

    def reading(self, baseline: Baseline, axes: Collection[str], names: Names = AS_WRITTEN) -> str:
        """The tested sentence; `axes` are the swept keys, and `names` gives their names."""
        name, verb = (self.rises, "rises") if self.rises else (str(self.falls), "falls")
        over = f" over {names.place(*baseline.place(self.over, {}))}" if name == "speedup" else ""
        mean = "mean" if name in SIGNED else "geometric mean"
        rest = names.left(axes, {self.along, *self.where}, self.mean_over, mean)
        along = f"along {names.axis(self.along)}{names.at(self.where)}"
        advantage = (
            f" and {'ends' if self.rises else 'begins'} above 1" if name == "speedup" else ""
        )
        return f"{names.of(name, self.of, {})}{over} {verb} {along}{advantage}{rest}"


class EquivalentCheck(SpecModel):
    """A quality is the same on all devices (TOST over paired seeds)."""

    equivalent: Quantity
    """The quality."""
    within: Margin
    """Largest difference that counts as the same, in the quality's unit."""
    where: Where = {}
    """The sweep point."""

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        _check_share(self, self.equivalent, "within")
        return self

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
    negligible: Annotated[Fraction, Field(gt=0, lt=1)] = 0.005
    """Refuted if no loss is shown and a loss as large as this is excluded."""
    where: Where = {}
    """The sweep point."""

    def reading(self, baseline: Baseline, axes: Collection[str], names: Names = AS_WRITTEN) -> str:
        """The tested sentence; `axes` are the swept keys, and `names` gives their names."""
        del baseline
        loss = names.difference(self.quantised_costs, self.negligible)
        trained = f"each model trained on {names.place(self.of, self.where)}"
        return (
            f"McNemar's exact test of {trained} finds significantly more examples that only the "
            f"float32 model gets right than examples that only the int8 model gets right; refuted "
            f"where none does and the intervals exclude a loss of {loss}"
            f"{names.left(axes, self.where)}"
        )


class MemoryCheck(SpecModel):
    """A device has too little memory for the workload."""

    runs_out_of: Literal["memory"]
    """Always "memory"."""
    of: Text
    """The device."""
    memory: Size | None = None
    """Memory of the machine that is meant; a process that took more elsewhere does not refute."""
    where: Where = {}
    """The sweep point."""

    def reading(self, baseline: Baseline, axes: Collection[str], names: Names = AS_WRITTEN) -> str:
        """The tested sentence; `axes` are the swept keys, and `names` gives their names."""
        del baseline
        rest = names.left(axes, self.where)
        place = names.place(self.of, self.where)
        more = f", or takes more than {self.memory / 1e9:g} GB" if self.memory else ""
        return f"every process of {place} runs out of memory{more}{rest}"


CHECKS: dict[str, type[SpecModel]] = {
    "faster": FasterCheck,
    "rises": TrendCheck,
    "falls": TrendCheck,
    "ratio": BoundCheck,
    "difference": BoundCheck,
    "value": BoundCheck,
    "equivalent": EquivalentCheck,
    "quantised_costs": QuantisedCheck,
    "runs_out_of": MemoryCheck,
}
"""The rules by their first key."""


def _rule(check: object) -> str | None:
    """The name of the rule that the first such key of a check selects."""
    if isinstance(check, Mapping):
        return next((CHECKS[key].__name__ for key in check if key in CHECKS), None)
    return type(check).__name__


Rule = BoundCheck | TrendCheck | EquivalentCheck | QuantisedCheck | MemoryCheck
"""What is tested: one of five kinds."""

Check = Annotated[
    Annotated[FasterCheck, Tag("FasterCheck")]
    | Annotated[BoundCheck, Tag("BoundCheck")]
    | Annotated[TrendCheck, Tag("TrendCheck")]
    | Annotated[EquivalentCheck, Tag("EquivalentCheck")]
    | Annotated[QuantisedCheck, Tag("QuantisedCheck")]
    | Annotated[MemoryCheck, Tag("MemoryCheck")],
    Discriminator(_rule),
]
"""A rule as it is written. Its first key selects it, so an error names only that rule."""


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

    @property
    def rule(self) -> Rule:
        """What is tested: the rule as it is written, or the ratio for which it is short."""
        return self.check.as_ratio if isinstance(self.check, FasterCheck) else self.check

    @model_validator(mode="before")
    @classmethod
    def _by_its_source(cls, values: Any) -> Any:
        named = isinstance(values, Mapping) and values.get("source")
        return {"by": "source", **values} if named else values
