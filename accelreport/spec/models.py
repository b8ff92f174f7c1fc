"""What a spec file and the devices file may say, once every value has been checked.

The models are frozen values: the rest of the program receives them and never
changes them. Keys' positions in the file are found elsewhere (`positions`), so
that nothing here depends on TOML.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from accelreport.spec.base import (
    Duration,
    Fraction,
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
    """The published piece a spec reproduces."""

    title: Text
    """Title of the piece."""
    url: str = ""
    """Where it can be read."""
    authors: str = ""
    """Who wrote it."""
    year: int | None = None
    """When it was published."""
    licence: str = ""
    """The terms under which its figures may be shown."""
    accessed: str = ""
    """The day it was read, such as 2026-11-22: what stands at an address changes."""
    note: str = ""
    """What a reader should know about it."""

    @model_validator(mode="after")
    def _names_a_day(self) -> Self:
        if self.accessed:
            require_day(self.accessed, "accessed")
        return self


class ListPrice(SpecModel):
    """What an hour of rented hardware cost on a day, as somebody printed it."""

    per_hour: Positive
    """Money for an hour."""
    of: Text
    """What was rented, such as "Google Cloud TPU v2"."""
    date: Text
    """The day on which that was the price, as "2018-10-08"."""
    source: Text
    """Who printed it."""
    currency: Text = "USD"
    """The currency of `per_hour`."""

    @model_validator(mode="after")
    def _names_a_day(self) -> Self:
        require_day(self.date, "date")
        return self


class Target(SpecModel):
    """The quality at which the clock of "time to accuracy" stops."""

    metric: Text
    """Name of a metric in the learning curve, such as `val_accuracy`."""
    at_least: Number | None = None
    """Reached when the metric is this large."""
    at_most: Number | None = None
    """Reached when the metric is this small."""
    required: bool = False
    """Whether a complete training that never reaches it has failed (`not-converged`)."""

    @model_validator(mode="after")
    def _has_one_bound(self) -> Self:
        exactly_one(self, "at_least", "at_most")
        return self


class Measure(SpecModel):
    """How each cell is measured."""

    repeats: Annotated[int, Field(ge=1, le=1000)] = 3
    """Independent processes; repeat i uses seed `first_seed` + i on every device."""
    first_seed: Annotated[int, Field(ge=0, le=2**31 - 1001)] = 0
    """Seed of the first repeat."""
    warmup_steps: Annotated[int, Field(ge=1)] = 20
    """Training steps (the first one included) left out of the steady time."""
    warmup_calls: Annotated[int, Field(ge=1)] = 1
    """Calls of a kernel, or of a model in inference, left out of the steady time."""
    calls: Annotated[int, Field(ge=2)] = 6
    """Calls of a kernel, or of a model in inference, the warm-up included."""
    budget: Duration = 600.0
    """Seconds of measuring, evaluations between epochs among them, after which a cell stops, keeps
    what is done and says so."""
    timeout: Duration = 3600.0
    """Seconds after which the whole process of a cell is killed."""
    target: Target | None = None
    """The quality that "time to accuracy" waits for."""
    split: bool = False
    """Whether a training is followed by its parts, each timed by itself: dispatch, input, compute
    and optimizer. It takes some seconds for each cell."""

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if self.warmup_calls >= self.calls:
            raise FieldsError(
                "every call is a warm-up call, so none is left to be measured",
                "warmup_calls",
                "calls",
            )
        if self.budget > self.timeout:
            raise FieldsError(
                "the process would be killed before its budget ends",
                "budget",
                "timeout",
                help="raise `timeout` above `budget`",
            )
        return self


class Published(SpecModel):
    """One row of somebody else's figures, shown beside ours and never mixed with them."""

    device: Text
    """The device of `devices.toml` it is to be compared with."""
    label: Text
    """What it was measured on, such as "Colab GPU"."""
    hardware: str = ""
    """The hardware behind the label, such as "Tesla K80", where the label does not name it: its
    rates are held against the cited peak. "2-core Xeon" stands for two virtual cores."""
    hardware_by: str = ""
    """Who names that hardware, where the row's source does not."""
    where: dict[str, Scalar] = {}
    """The sweep point it belongs to; empty means every point."""
    includes: Literal["validation"] | None = None
    """What its times include beside the training steps: "validation" after each epoch, as Keras
    prints them. Measured times are then compared with their validation, or the number is marked."""
    mark: Literal["S", "O", "D"] = "S"
    """S: printed in the source; O: in the original behind it; D: derived by arithmetic."""
    note: str = ""
    """What must be known to compare it fairly."""
    comparable: bool = True
    """False when its conditions differ from the spec's; the note says how."""
    first_epoch_time: Duration | None = None
    """Seconds of the first epoch."""
    epoch_time: Duration | None = None
    """Seconds of a later epoch."""
    step_time: Duration | None = None
    """Seconds of a training step."""
    sample_time: Duration | None = None
    """Seconds for each sample."""
    total_time: Duration | None = None
    """Seconds of the whole training."""
    throughput: Positive | None = None
    """Samples in a second."""
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
    """Size of the model before it is quantised."""
    int8_bytes: Size | None = None
    """Size of the model in 8-bit integers."""
    tflops_cold: Tflops | None = None
    """10¹² floating-point operations per second of the first call."""
    tflops: Tflops | None = None
    """10¹² floating-point operations per second of later calls."""
    speedup: Positive | None = None
    """How many times faster than `over`."""
    over: str = ""
    """The device `speedup` is relative to; the baseline when empty."""
    over_where: dict[str, Scalar] = {}
    """The sweep point of `over`, where it differs from `where`."""
    quantity: Speed = "speedup"
    """What `speedup` compares: the rate of steady steps, a time or a rate."""
    source: Source | None = None
    """Who published this row, when it is not the spec's own source."""
    price: ListPrice | None = None
    """What such hardware cost; the page then says what the published training did."""
    imported: str = ""
    """Name of the file that `accelreport import` read it from; empty when written by hand."""

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.figures():
            raise FieldsError("this row gives no figure", help=f"give one of {', '.join(FIGURES)}")
        if self.over and self.speedup is None:
            raise FieldsError("`over` belongs to `speedup`, which this row does not give", "over")
        for key, default in (("over_where", {}), ("quantity", "speedup")):
            if getattr(self, key) != default and self.speedup is None:
                message = f"`{key}` belongs to `speedup`, which this row does not give"
                raise FieldsError(message, key)
        if self.hardware_by and not self.hardware:
            raise FieldsError("`hardware_by` belongs to `hardware`, which is empty", "hardware_by")
        if self.includes and not any(getattr(self, name) is not None for name in TIME_FIGURES):
            message = "`includes` belongs to a time, and this row gives none"
            raise FieldsError(message, "includes", help=f"give one of {', '.join(TIME_FIGURES)}")
        if self.price and self.total_time is None and self.epoch_time is None:
            message = "`price` needs `total_time` or `epoch_time`, and this row gives neither"
            raise FieldsError(message, "price")
        if not self.comparable and not self.note.strip():
            raise FieldsError(
                "this row is not comparable and does not say why",
                "comparable",
                help="say in `note` how its conditions differ",
            )
        return self

    def figures(self) -> dict[str, float]:
        """The figures this row gives, by field name, in SI units and fractions."""
        return {
            name: value for name in FIGURES if isinstance(value := getattr(self, name), float | int)
        }


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
"""Names of the figures a `[[published]]` row may give."""

TIME_FIGURES = FIGURES[: FIGURES.index("accuracy")]
"""Those of them that are times, or a rate that a time gives."""

SCHEMA = 1
"""The version of the format of specs and devices files that is read here."""


class Header(SpecModel):
    """The keys before the first table."""

    schema_version: Annotated[Literal[1], Field(alias="schema")]
    """Version of the spec's format: 1."""
    title: Text
    """Title of the benchmark."""
    description: str = ""
    """A paragraph about it: what is done and why."""
    devices: Annotated[list[Text], Field(min_length=1)]
    """Names of devices in `devices.toml`, in the order in which they are shown."""
    baseline: Text | None = None
    """The device that speedups are relative to; the first one when absent."""
    only_named: bool = False
    """Whether a run of the folder leaves it out: it is measured where its file is named."""


class SpecDocument(Header):
    """A spec file."""

    source: Source | None = None
    """The published piece that is reproduced."""
    workload: dict[str, Any]
    """What is computed: `kind`, and the parameters of that family."""
    sweep: dict[str, Any] = {}
    """Workload keys and the values each one takes. Every combination is measured; the keys
    under `[sweep.zip]` advance together instead."""
    measure: Measure = Measure()
    """How each cell is measured."""
    profiles: dict[str, dict[str, Any]] = {}
    """Named changes: dotted keys, such as `"workload.epochs"`, and their other values."""
    published: list[Published] = []
    """Somebody else's figures."""
    claims: list[Claim] = []
    """Sentences to be tested."""


MOST_SLIDES = 12
"""Slides of a deck, the first one among them: a talk of ten minutes has room for no more."""


class TalkSlide(SpecModel):
    """A slide after the first."""

    slide: Literal["rates", "figure-1", "figure-2", "figure-3", "claims"] | None = None
    """Its name, as the address of the deck ends: of all benchmarks `rates` or `claims`, and where
    there is none, the first one of its benchmark."""
    benchmark: Text | None = None
    """The spec whose figure it shows; absent for a slide of all benchmarks."""
    title: Text | None = None
    """What stands above the figure instead of the finding."""

    @model_validator(mode="after")
    def _of_one_or_of_all(self) -> Self:
        if self.benchmark is None and self.slide not in {"rates", "claims"}:
            every = "`rates` or `claims`, which are of all benchmarks"
            help_ = f"add `benchmark`, or show {every}"
            if self.slide is None:
                raise FieldsError("nothing is named that this slide shows", help=help_)
            message = f"`{self.slide}` is the figure of one benchmark, and none is named"
            raise FieldsError(message, "slide", help=help_)
        if self.benchmark is not None and self.slide == "claims":
            raise FieldsError(
                f"`{self.slide}` is of all benchmarks", "benchmark", help="leave `benchmark` out"
            )
        return self


class Talk(SpecModel):
    """The deck of all benchmarks: what it asks, and what it shows in which order."""

    title: Text | None = None
    """The question on the first slide."""
    slides: list[TalkSlide] = []
    """What follows; chosen by what was found where none is named."""

    @field_validator("slides")
    @classmethod
    def _not_too_long(cls, slides: list[TalkSlide]) -> list[TalkSlide]:
        if len(slides) >= MOST_SLIDES:
            raise ValueError(
                f"has {len(slides)} slides; at most {MOST_SLIDES - 1} follow the first"
            )
        return slides


NO_TALK = Talk()
"""Nothing chosen."""
