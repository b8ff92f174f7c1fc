"""What is observed of a trained model beside its speed: parts of a record.

Each is what a published piece showed of its system, so that a page can show it, too.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Self

from pydantic import Field, FiniteFloat, model_validator

from accelreport.results.plan_document import Count, Document, Seconds


class Artefact(Document):
    """A file that a cell left: `artefacts/<sha256>.<name>` in the results folder."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9_]{1,30}(\.[a-z0-9_]{1,30})*$")]
    """Ending of its file's name."""
    what: str
    """What it is, in words."""
    bytes: Count
    """Its size."""
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    """Its checksum."""

    @property
    def file(self) -> str:
        """The name of its file: the same content has the same name, whoever left it."""
        return f"{self.sha256}.{self.name}"


class Confusion(Document):
    """How often each class was taken for each other one in the last evaluation."""

    classes: list[str]
    """Names of the classes."""
    counts: list[list[Count]]
    """A row for each true class, a column for each predicted one."""

    @model_validator(mode="after")
    def _is_square(self) -> Self:
        if {len(self.counts), *map(len, self.counts)} - {len(self.classes)}:
            raise ValueError("its counts have not a row and a column for each class")
        return self


class Selection(Document):
    """Which epoch a cell ended with, where its spec lets a metric decide."""

    monitor: str
    """The metric that decided."""
    best: float | None = None
    """Its best value."""
    best_epoch: Count | None = None
    """The epoch whose weights were kept, from 1."""
    restored: bool = False
    """Whether the cell ended with those weights; the final metrics are then that epoch's."""
    stopped_early: bool = False
    """Whether training ended before its epochs because the metric no longer improved."""


class GeneratedText(Document):
    """What a trained model wrote."""

    prompt: str
    """What it had read before."""
    text: str
    """What it wrote; any character from U+0000 to U+00FF may stand in it."""


class Forecast(Document):
    """A series and what the trained model predicted of it, at equal steps of time."""

    target: str
    """Name of the series."""
    unit: str = ""
    """Its unit."""
    first_time: str
    """Time of the first value, ISO 8601."""
    step_s: Seconds
    """Seconds from one value to the next."""
    ignored_steps: Count
    """Values at the beginning that the loss leaves out: the model had seen nothing before."""
    true: list[FiniteFloat]
    """What was."""
    predicted: list[float]
    """What the model said; NaN or infinite where it diverged."""

    @model_validator(mode="after")
    def _is_a_series(self) -> Self:
        if len(self.true) != len(self.predicted):
            raise ValueError("it does not predict a value for each true one")
        datetime.fromisoformat(self.first_time)
        return self


class SavedWeights(Document):
    """The trained weights, written to a file and read back into a model built anew."""

    format: str
    """The file's form."""
    bytes: Count
    """Its size."""
    sha256: str
    """Its checksum."""
    examples: Count
    """Examples predicted by both models."""
    max_difference: float
    """Largest difference between an output before and after."""


class Served(Document):
    """The exported model behind a server of its own process, asked over loopback HTTP."""

    format: str
    """Form of the export."""
    bytes: Count
    """Its size, all files together."""
    export_s: Seconds
    """Seconds of the export."""
    start_s: Seconds
    """Seconds from the server's launch until it answers, TensorFlow's import included."""
    server: str
    """What served, and how it was asked."""
    examples: Count
    """Examples whose answers were compared with the predictions of the training process."""
    max_difference: float
    """Largest difference between an answer and the prediction."""
    same_class: float | None = None
    """Share of examples with the same class, for a classifier."""
    latency_s: list[Seconds]
    """Seconds of each request for one example, one after the other on one connection."""
    throughput_batch: Count
    """Examples in a request of the throughput measurement."""
    throughput_clients: Count
    """Clients that asked at the same time."""
    throughput: float
    """Examples answered in a second."""


class Precision(Document):
    """A converted model, run by the LiteRT interpreter."""

    bytes: Count
    """Size of the model."""
    latency_s: list[Seconds]
    """Seconds of each inference of one example."""
    batch: Count
    """Examples in an inference of the throughput measurement."""
    throughput: float
    """Examples a second."""


class Quantised(Document):
    """The trained model in 8-bit integers, beside itself in float32."""

    method: str
    """How it was quantised."""
    calibration_examples: Count
    """Training examples from which the ranges of values were taken."""
    threads: Count
    """Threads of the interpreter."""
    float32: Precision
    """The model without quantisation, by the same converter and interpreter."""
    int8: Precision
    """The quantised model."""
    examples: Count
    """Validation examples that both classified."""
    both_right: Count
    """Examples that both classified rightly."""
    float32_only: Count
    """Examples that only the float32 model classified rightly."""
    int8_only: Count
    """Examples that only the quantised model classified rightly."""
    neither: Count
    """Examples that both classified wrongly."""
