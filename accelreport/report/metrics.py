"""Names and units: of a family's work, of qualities, and of published figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from accelreport.analysis.findings import Caveat, Provenance, Unit, Value
from accelreport.analysis.warnings import is_share
from accelreport.report import quantity
from accelreport.report.text import label
from accelreport.workloads.registry import FAMILIES


@dataclass(frozen=True)
class Words:
    """Nouns of one family.

    Attributes:
        family: what the family is called.
        kernel: whether it calls a kernel instead of training a model.
        step: what a steady time is the time of.
        first: what a cold time is the time of.
        sample: what throughput counts.
        verb: what a device does with it.
    """

    family: str
    kernel: bool
    step: str
    first: str
    sample: str
    verb: str = "trains"

    @property
    def trains(self) -> bool:
        """Whether a model is trained; else it is called, or a kernel is."""
        return self.verb == "trains"

    @property
    def calls(self) -> bool:
        """Whether a model is called, and not trained."""
        return self.verb == "predicts"

    @property
    def rate(self) -> str:
        """What a rate counts: "images/s", "TFLOPS"."""
        return "TFLOPS" if self.kernel else f"{self.sample}/s"

    @property
    def round(self) -> str:
        """What its steps are counted in: an epoch, a kernel's call; empty where in nothing."""
        return "call" if self.kernel else "epoch" if self.trains else ""


_SAMPLES = {"image_classification": "images"}


def words_of(workload: Mapping[str, Any]) -> Words:
    """The nouns of a workload; those of training where its family is not built in."""
    kind = str(workload.get("kind", ""))
    family = FAMILIES.get(kind)
    title = family.title if family else label(kind.replace("_", " ").capitalize(), 60)
    if family and family.shape == "kernel":
        work = {"step": "product", "first": "first call", "sample": "products"}
        return Words(title, kernel=True, **work, verb="multiplies")
    sample = _SAMPLES.get(kind, "examples")
    if workload.get("mode") == "inference":
        work = {"step": "call", "first": "first call", "sample": sample}
        return Words(f"{title}, inference", kernel=False, **work, verb="predicts")
    work = {"step": "step", "first": "first step", "sample": sample}
    if family and family.shape == "step":
        return Words(title, kernel=False, **work, verb="runs")
    return Words(title, kernel=False, **work)


def axis_title(axis: str) -> str:
    """A swept key in words: "optimizer.learning_rate" is "learning rate"."""
    name = axis.rsplit(".", 1)[-1]
    return label(_AXES.get(name, name.replace("_", " ")), 60)


_AXES = {"train_examples": "training examples"}
"""Keys whose words are no title."""


def settings_text(point: Mapping[str, object], joint: str = ", ") -> str:
    """Swept keys with their values in words: "layers 1, batch size 1,024"; empty without any."""
    return joint.join(
        f"{axis_title(axis)} {label(quantity.setting(value), 40)}" for axis, value in point.items()
    )


FIGURES: dict[str, tuple[str, str]] = {
    "first_epoch_time": ("first epoch", "time"),
    "epoch_time": ("later epoch", "time"),
    "step_time": ("step", "time"),
    "sample_time": ("time for each sample", "time"),
    "total_time": ("whole training", "time"),
    "throughput": ("throughput", "number"),
    "accuracy": ("training accuracy", "share"),
    "val_accuracy": ("validation accuracy", "share"),
    "val_precision": ("validation precision", "share"),
    "val_recall": ("validation recall", "share"),
    "val_f1": ("validation F1", "share"),
    "loss": ("training loss", "number"),
    "val_loss": ("validation loss", "number"),
    "float32_bytes": ("size in float32", "size"),
    "int8_bytes": ("size in 8-bit integers", "size"),
    "tflops_cold": ("TFLOPS, first call", "number"),
    "tflops": ("TFLOPS", "number"),
    "speedup": ("speedup", "ratio"),
}
"""Published figures: what they are called and how they are written."""

QUANTITIES = {
    "first_epoch_time": "time of the first epoch",
    "epoch_time": "time of a later epoch",
    "step_time": "time of a step",
    "total_time": "time of the whole training",
    "tflops_cold": "TFLOPS of the first call",
    "tflops": "TFLOPS",
}
"""Figures that are called by a heading in a table, as they are called in a sentence."""

_TEXTS: dict[str, Callable[..., str]] = {
    "time": quantity.duration,
    "number": quantity.number,
    "ratio": quantity.ratio,
    "size": quantity.megabytes,
    "share": lambda share, *_: quantity.percent(share),
}


def figure_text(
    figure: str, value: float, low: float | None = None, high: float | None = None
) -> str:
    """A published or measured figure with its unit."""
    return _TEXTS[FIGURES[figure][1]](value, low, high)


def printed_text(figure: str, value: float) -> str:
    """A published figure with its unit and no digit that its source did not print."""
    unit, (scale, sign) = FIGURES[figure][1], quantity.time_unit(value)
    if scale > 1 and _count(_digits(value / scale)) > _count(_digits(value)):
        scale, sign = 1.0, "s"  # 173 s is not 2.88333 min
    text = {
        "share": f"{_digits(100 * value)}{quantity.SPACE}%",
        "size": f"{_digits(value / 1e6)}{quantity.SPACE}MB",
        "ratio": f"{_digits(value)}×",
        "time": f"{_digits(value / scale)}{quantity.SPACE}{sign}",
    }.get(unit, _digits(value))
    return quantity.Number.of(text, value)


_KINDS = {Unit.RATE: "number", Unit.SECONDS: "time", Unit.RATIO: "ratio", Unit.SHARE: "share"}


def figure_of(value: Value) -> str:
    """The figure of its published row that a value repeats; empty where it follows from another."""
    if not (row := value.of.row):
        return ""
    by_epoch = row.val_accuracy_by_epoch.values()
    printed = [*row.figures().items(), *(("val_accuracy", share) for share in by_epoch)]
    alike = (name for name, own in printed if own == value.number)
    return next((name for name in alike if FIGURES[name][1] == _KINDS.get(value.unit)), "")


def _digits(value: float) -> str:
    """The shortest way to write the number, with six digits that say something at most."""
    text = f"{value:.6g}"
    if "e" in text:
        return quantity.number(value)
    return quantity.fixed(value, len(text.partition(".")[2]))


def _count(text: str) -> int:
    return sum(letter.isdigit() for letter in text)


def figure_interval(figure: str, value: float, low: float, high: float) -> str:
    """An interval with the unit and the digits of its value."""
    unit = FIGURES[figure][1]
    if unit == "time":
        return quantity.duration_interval(low, high, value)
    if unit == "ratio":
        return quantity.ratio_interval(low, high, value)
    if unit == "share":
        return f"{quantity.fixed(100 * low, 2)}{quantity.EN_DASH}{quantity.percent(high)}"
    scale = 1e6 if unit == "size" else 1.0
    places = quantity.decimals(value / scale, low / scale, high / scale)
    ends = (quantity.fixed(bound / scale, places) for bound in (low, high))
    return quantity.EN_DASH.join(ends) + (f"{quantity.SPACE}MB" if unit == "size" else "")


def metric_title(metric: str) -> str:
    """A metric in words: "val_accuracy" is "validation accuracy".

    What quantisation did was found on validation data, after the training.
    """
    spelled = {"val": "validation", "f1": "F1"}
    words = [spelled.get(word, word) for word in label(metric, 60).split("_")]
    afterwards = "validation" in words or words[0] == "quantised"
    # Where no class of an example is that probable, it counts as no prediction.
    sure = ["at probability > ½"] * ("micro" in words)
    return " ".join([*(["training"] * (not afterwards)), *words, *sure])


def in_percent(metric: str) -> bool:
    """Whether a metric is written in per cent: a share, or what quantisation takes of one."""
    return is_share(metric) or metric == "quantised_accuracy_loss"


def level_text(metric: str, level: float) -> str:
    """A level somebody chose, with the digits it was written with: "97 %"."""
    if in_percent(metric):
        return f"{quantity.short(round(100 * level, 9))}{quantity.SPACE}%"
    return quantity.short(level)


def metric_text(metric: str, value: float, spread: float | None = None) -> str:
    """A metric's value, with a standard deviation where there is one."""
    if in_percent(metric):
        text = quantity.percent(value)
        if not is_share(metric):
            text = f"{quantity.fixed(100 * value, 2)}{quantity.SPACE}points"
        return f"{text} ± {quantity.fixed(100 * spread, 2)}" if quantity.present(spread) else text
    if spread is None or not quantity.present(spread):
        return quantity.number(value)
    places = quantity.decimals(value, value - spread, value + spread)
    return f"{quantity.fixed(value, places)} ± {quantity.fixed(spread, places)}"


def provenance_text(value: Value, year: int | None = None) -> str:
    """Where a number is from, in a word or two: "measured, 3 processes", "published 2018, derived".

    A change that a test of single examples judged counts these.
    """
    if value.provenance is Provenance.PUBLISHED:
        row = value.of.row
        derived = row is not None and (row.mark == "D" or not figure_of(value))
        return f"published{f' {year}' * bool(year)}{', derived' * derived}"
    count = quantity.plural(value.interval.n, "process", "processes")
    if Caveat.EXTRAPOLATED in value.caveats:
        return f"extrapolated, {count}"
    if isfinite(value.p):
        count = quantity.plural(value.interval.n, "example")
    return f"{value.provenance}, {count}" if value.interval.n else str(value.provenance)
