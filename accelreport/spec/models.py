"""The content of a spec file and of the devices file, with checked values.

The models are frozen: the rest of the program reads them and never changes them. `syntax`
finds the places of keys in the file, so nothing here depends on TOML.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from accelreport.spec.base import (
    Duration,
    Fraction,
    GivenBaseline,
    Number,
    Positive,
    Scalar,
    Size,
    SpecModel,
    Text,
    Tflops,
    exactly_one,
)
from accelreport.spec.claims import Claim, Speed
from accelreport.spec.validators import FieldsError, require_day


class Source(SpecModel):
    """The source that a spec reproduces."""

    title: Text
    """Title of the source."""
    url: str = ""
    """Address of the source."""
    authors: str = ""
    """Authors of the source."""
    year: int | None = None
    """Date or year of publication."""
    licence: str = ""
    """The terms under which its figures may be shown."""
    accessed: str = ""
    """Day of access, such as 2026-11-22, because the content of an address changes."""
    note: str = ""
    """A note for the reader."""

    @model_validator(mode="after")
    def _names_a_day(self) -> Self:
        if self.accessed:
            require_day(self.accessed, "accessed")
        return self


class ListPrice(SpecModel):
    """The published price of rented hardware per hour, on a day."""

    per_hour: Positive
    """Price per hour."""
    of: Text
    """The rented hardware, such as "Google Cloud TPU v2"."""
    date: Text
    """The day of the price, such as "2018-10-08"."""
    source: Text
    """Who published the price."""
    currency: Text = "USD"
    """The currency of `per_hour`."""

    @model_validator(mode="after")
    def _names_a_day(self) -> Self:
        require_day(self.date, "date")
        return self


class Target(SpecModel):
    """The quality that a training must reach ("time to accuracy")."""

    metric: Text
    """Name of a metric in the learning curve, such as `val_accuracy`."""
    at_least: Number | None = None
    """Reached when the metric is at least this large."""
    at_most: Number | None = None
    """Reached when the metric is at most this large."""
    required: bool = False
    """Whether a complete training that never reaches the target fails (`not-converged`)."""

    @model_validator(mode="after")
    def _has_one_bound(self) -> Self:
        exactly_one(self, "at_least", "at_most")
        return self

    @property
    def rises(self) -> bool:
        """Whether larger values of the metric are better."""
        return self.at_least is not None

    @property
    def level(self) -> float:
        """The value that the metric must reach."""
        return next(bound for bound in (self.at_least, self.at_most) if bound is not None)

    @property
    def bound(self) -> str:
        """On which side of the level the target is: "at least" or "at most"."""
        return "at least" if self.rises else "at most"

    def reached_by(self, value: float) -> bool:
        """Whether a value of the metric is as good as the level, or better."""
        return value >= self.level if self.rises else value <= self.level


class Measure(SpecModel):
    """How each cell is measured."""

    repeats: Annotated[int, Field(ge=1, le=1000)] = 3
    """Independent processes; repeat i uses seed `first_seed` + i on every device."""
    first_seed: Annotated[int, Field(ge=0, le=2**31 - 1001)] = 0
    """Seed of the first repeat."""
    warmup_steps: Annotated[int, Field(ge=1)] = 20
    """Training steps excluded from the steady time, including the first one."""
    warmup_calls: Annotated[int, Field(ge=1)] = 1
    """Calls of a kernel, or of a model in inference, excluded from the steady time."""
    calls: Annotated[int, Field(ge=2)] = 6
    """Calls of a kernel, or of a model in inference, including the warm-up."""
    budget: Duration = 600.0
    """Measured seconds, including evaluations between epochs, after which a cell stops and keeps
    its results. They begin after the first step or call, which is traced and compiled.
    """
    timeout: Duration = 1800.0
    """Seconds that a cell's process may take beyond its budget: for its start-up with the first
    step, and for what follows the last one. Then it is killed.
    """
    target: Target | None = None
    """The quality for "time to accuracy"."""

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if self.warmup_calls >= self.calls:
            raise FieldsError(
                "every call is a warm-up call, so no call is measured",
                "warmup_calls",
                "calls",
            )
        return self

    @property
    def limit_s(self) -> float:
        """Seconds after which a cell's process is killed."""
        return self.budget + self.timeout


class StoredMeasure(Measure):
    """`[measure]` in a record or a plan, whose format keeps what a spec can no longer ask for."""

    split: bool = False
    """Whether an earlier version also timed the parts of a step."""

    @model_validator(mode="before")
    @classmethod
    def _of_a_spec(cls, value: object) -> object:
        return dict(value) if isinstance(value, Measure) else value


class Published(SpecModel):
    """One published row of figures, shown beside the measured ones and never mixed with them."""

    device: Text
    """The device of `devices.toml` to compare it with."""
    label: Text
    """The label of the hardware, such as "Colab GPU"."""
    hardware: str = ""
    """The hardware behind the label, such as "Tesla K80", if the label does not name it. Its cited
    peak is the upper bound of the rates. "2-core Xeon" stands for two virtual cores.
    """
    hardware_by: str = ""
    """Who names that hardware, if the row's source does not."""
    where: dict[str, Scalar] = {}
    """The sweep point it belongs to; empty means every point."""
    includes: Literal["validation"] | None = None
    """What its times include beside the training steps: "validation" after each epoch, as Keras
    prints them. Measured times are then compared with their validation, or the number is marked."""
    mark: Literal["S", "O", "D"] = "S"
    """S: in the source; O: in the original behind the source; D: derived by arithmetic."""
    note: str = ""
    """What a reader must know for a fair comparison."""
    comparable: bool = True
    """False if its conditions differ from the spec's; the note says how."""
    first_epoch_time: Duration | None = None
    """Seconds of the first epoch."""
    epoch_time: Duration | None = None
    """Seconds of a later epoch."""
    step_time: Duration | None = None
    """Seconds of a training step."""
    sample_time: Duration | None = None
    """Seconds per sample."""
    total_time: Duration | None = None
    """Seconds of the whole training."""
    throughput: Positive | None = None
    """Samples per second."""
    accuracy: Fraction | None = None
    """Final training accuracy."""
    val_accuracy: Fraction | None = None
    """Final validation or test accuracy."""
    val_accuracy_by_epoch: dict[Annotated[str, Field(pattern=r"^[1-9]\d*$")], Fraction] = {}
    """Validation accuracy after some epochs, by their numbers: how much it varies by itself."""
    val_precision: Fraction | None = None
    """Final precision on the validation data, as a mean over the classes."""
    val_recall: Fraction | None = None
    """Final recall on the validation data, as a mean over the classes."""
    val_f1: Fraction | None = None
    """Final F1 score on the validation data, as a mean over the classes."""
    loss: Number | None = None
    """Final training loss."""
    val_loss: Number | None = None
    """Final loss on the validation data."""
    float32_bytes: Size | None = None
    """Size of the model before quantisation."""
    int8_bytes: Size | None = None
    """Size of the int8 model."""
    tflops_cold: Tflops | None = None
    """10¹² floating-point operations per second of the first call."""
    tflops: Tflops | None = None
    """10¹² floating-point operations per second of later calls."""
    speedup: Positive | None = None
    """How many times as fast as `over`."""
    over: str = ""
    """The base of `speedup`; default: the baseline."""
    over_where: dict[str, Scalar] = {}
    """The sweep point of `over`, if it differs from `where`."""
    quantity: Speed = "speedup"
    """What `speedup` compares: the rate of steady steps, a time or a rate."""
    source: Source | None = None
    """Source of this row, if it is not the spec's own source."""
    price: ListPrice | None = None
    """The price of such hardware, from which the page calculates the cost of the published
    training.
    """
    imported: str = ""
    """Name of the file from which `accelreport import` read the row; empty if written by hand."""

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if not self.figures():
            raise FieldsError("this row gives no figure", help=f"give one of {', '.join(FIGURES)}")
        for key, default in (("over", ""), ("over_where", {}), ("quantity", "speedup")):
            if getattr(self, key) != default and self.speedup is None:
                message = f"`{key}` needs `speedup`, which this row does not have"
                raise FieldsError(message, key)
        if self.hardware_by and not self.hardware:
            raise FieldsError("`hardware_by` belongs to `hardware`, which is empty", "hardware_by")
        if self.includes and not any(getattr(self, name) is not None for name in TIME_FIGURES):
            message = "`includes` belongs to a time, and this row gives none"
            raise FieldsError(message, "includes", help=f"give one of {', '.join(TIME_FIGURES)}")
        if self.price and self.total_time is None and self.epoch_time is None:
            message = "`price` needs `total_time` or `epoch_time`, and this row has neither"
            raise FieldsError(message, "price")
        if not self.comparable and not self.note.strip():
            raise FieldsError(
                "this row is not comparable and gives no reason",
                "comparable",
                help="say in `note` how its conditions differ",
            )
        return self

    def figures(self) -> dict[str, float]:
        """The figures of this row by field name, in SI units and fractions."""
        return {
            name: value for name in FIGURES if isinstance(value := getattr(self, name), float | int)
        }


class Advice(SpecModel):
    """Published advice on when to use a kind of device, word for word."""

    use: Literal["CPU", "GPU", "TPU"]
    """The kind of device that is advised."""
    words: list[Text] = []
    """Cases for which it is advised, and on which numbers of this spec bear."""
    others: list[Text] = []
    """Cases on which no number of this spec bears."""
    source: Source | None = None
    """Who advises it, if it is not the spec's own source."""


FIGURES = (
    "first_epoch_time",
    "epoch_time",
    "step_time",
    "sample_time",
    "total_time",
    "throughput",
    "accuracy",
    "val_accuracy",
    "val_precision",
    "val_recall",
    "val_f1",
    "loss",
    "val_loss",
    "float32_bytes",
    "int8_bytes",
    "tflops_cold",
    "tflops",
    "speedup",
)
"""Names of the figures that a `[[published]]` row can have."""

TIME_FIGURES = FIGURES[: FIGURES.index("accuracy")]
"""Figures that are times, or a rate that follows from a time."""

SCHEMA = 1
"""The supported version of the format of specs and devices files."""


class Header(SpecModel):
    """The keys before the first table."""

    schema_version: Annotated[Literal[1], Field(alias="schema")]
    """Version of the spec's format: 1."""
    title: Text
    """Title of the benchmark."""
    description: str = ""
    """A paragraph about the benchmark: what it does and why."""
    devices: Annotated[list[Text], Field(min_length=1)]
    """Names of devices in `devices.toml`, in display order."""
    baseline: GivenBaseline | None = None
    """The base of speedups: a device, or a device and the values of swept keys, such as
    `{ device = "cpu", "options.how" = "numpy" }`; default: the first device."""
    only_named: bool = False
    """Whether a run of the folder leaves the spec out; it runs only when its file is named."""
    order: Annotated[int, Field(ge=0)] = 0
    """Place in a run of the folder, of which `--within` keeps the first ones; ties run by name."""


class SpecDocument(Header):
    """A spec file."""

    source: Source | None = None
    """The source that the spec reproduces."""
    workload: dict[str, Any]
    """What to compute: `kind`, and the parameters of that family."""
    sweep: dict[str, Any] = {}
    """Workload keys and the values of each. Every combination is measured; the keys under
    `[sweep.zip]` advance together instead.
    """
    measure: Measure = Measure()
    """How each cell is measured."""
    profiles: dict[str, dict[str, Any]] = {}
    """Named changes: dotted keys, such as `"workload.epochs"`, with other values."""
    published: list[Published] = []
    """Published figures."""
    claims: list[Claim] = []
    """Sentences to test."""
    advice: list[Advice] = []
    """Published advice on when to use which device; the page shows the numbers beside it."""
