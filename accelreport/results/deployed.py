"""A trained network in use: its files, served answers and int8 model."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from accelreport.results.plan_document import Amount, Count, Document, Seconds


class Artefact(Document):
    """A file that a cell wrote: `artefacts/<sha256>.<name>` in the results folder."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9_]{1,30}(\.[a-z0-9_]{1,30})*$")]
    """Ending of its file's name."""
    what: str
    """Description of the file."""
    bytes: Count
    """Its size."""
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    """Its checksum."""

    @property
    def file(self) -> str:
        """The name of its file: the same content has the same name, whichever cell wrote it."""
        return f"{self.sha256}.{self.name}"


class SavedWeights(Document):
    """The trained weights, written to a file and read back into a new model."""

    format: str
    """Format of the file."""
    bytes: Count
    """Its size."""
    sha256: str
    """Its checksum."""
    examples: Count
    """Examples predicted by both models."""
    max_difference: float
    """Largest difference between the outputs of both models."""


class Served(Document):
    """The exported model, served by a separate process over loopback HTTP."""

    format: str
    """Format of the export."""
    bytes: Count
    """Total size of its files."""
    export_s: Seconds
    """Seconds of the export."""
    start_s: Seconds
    """Seconds from the server's launch to its first answer, including the import of TensorFlow."""
    server: str
    """The server, and how it was called."""
    examples: Count
    """Examples whose answers were compared with the predictions of the training process."""
    max_difference: float
    """Largest difference between an answer and the prediction."""
    same_class: float | None = None
    """Share of examples with the same class, for a classifier."""
    latency_s: list[Amount]
    """Seconds of each request for one example, one after the other on one connection."""
    throughput_batch: Count
    """Examples in a request of the throughput measurement."""
    throughput_clients: Count
    """Number of simultaneous clients."""
    throughput: Amount
    """Examples per second."""


class Precision(Document):
    """A converted model, run by the LiteRT interpreter."""

    bytes: Annotated[Count, Field(ge=1)]
    """Size of the model."""
    latency_s: list[Amount]
    """Seconds of each inference of one example."""
    batch: Count
    """Examples in an inference of the throughput measurement."""
    throughput: Amount
    """Examples per second."""


class Quantised(Document):
    """The trained model in int8, and in float32 for comparison."""

    method: str
    """Method of the quantisation."""
    calibration_examples: Count
    """Training examples that set the ranges of values."""
    threads: Count
    """Threads of the interpreter."""
    float32: Precision
    """The model without quantisation, by the same converter and interpreter."""
    int8: Precision
    """The quantised model."""
    examples: Count
    """Validation examples that both models classified."""
    both_right: Count
    """Examples that both models classified correctly."""
    float32_only: Count
    """Examples that only the float32 model classified correctly."""
    int8_only: Count
    """Examples that only the int8 model classified correctly."""
    neither: Count
    """Examples that both models misclassified."""

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        counts = self.both_right, self.float32_only, self.int8_only, self.neither
        if not 0 < self.examples == sum(counts):
            raise ValueError("its four counts are not those of its examples")
        return self
