"""What a spec file and the devices file may say, once every value has been checked.

The models are frozen values: the rest of the program receives them and never
changes them. Keys' positions in the file are found elsewhere (`positions`), so
that nothing here depends on TOML.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, FiniteFloat

from accelreport.spec.quantities import parse_duration, parse_fraction

Scalar = bool | int | FiniteFloat | str
"""One value of a sweep axis."""

Duration = Annotated[
    FiniteFloat,
    BeforeValidator(parse_duration, json_schema_input_type=str | float),
    Field(gt=0, description='Seconds, or text with a unit: "6 s", "94 µs", "2.5 h".'),
]
"""A time in seconds; text such as "6 s", "94 µs" or "2.5 h" is converted."""

Fraction = Annotated[
    FiniteFloat,
    BeforeValidator(parse_fraction, json_schema_input_type=str | float),
    Field(ge=0, le=1, description='A number from 0 to 1, or text: "58 %".'),
]
"""A share between 0 and 1; text such as "58 %" is converted."""


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    return text


Text = Annotated[str, AfterValidator(_not_blank)]
"""A text that says something."""


class SpecModel(BaseModel):
    """Strict, frozen, and closed to keys it does not know."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, use_attribute_docstrings=True
    )


class Device(SpecModel):
    """One row of `devices.toml`: what to run on, and how."""

    kind: Literal["CPU", "GPU", "TPU"]
    """The hardware that does the arithmetic."""
    label: str = ""
    """What the report calls it; the table's name when empty."""
    strategy: Literal[
        "default", "one_device", "mirrored", "multi_worker_mirrored", "parameter_server", "tpu"
    ] = "default"
    """The `tf.distribute` strategy that places the model."""
    replicas: Annotated[int, Field(ge=1, le=4096)] = 1
    """Replicas in one process: GPUs, or logical CPUs for `mirrored` on a CPU."""
    workers: Annotated[int, Field(ge=1, le=4096)] = 1
    """Worker processes, for `multi_worker_mirrored` and `parameter_server`."""
    parameter_servers: Annotated[int, Field(ge=1, le=4096)] = 1
    """Parameter-server processes, for `parameter_server`."""
    threads: Annotated[int, Field(ge=1, le=4096)] | None = None
    """Threads for one operation; every core when absent."""
    precision: Literal["float32", "mixed_float16", "mixed_bfloat16"] = "float32"
    """The Keras dtype policy."""
    tf32: bool = False
    """On NVIDIA GPUs, whether float32 products may use TensorFloat-32."""
    xla: bool = False
    """Whether steps are compiled by XLA (`jit_compile`)."""
    address: str = ""
    """For `tpu`: the resolver's address; empty means a TPU of this machine (`local`)."""
    price_per_hour: Annotated[FiniteFloat, Field(ge=0)] | None = None
    """What an hour costs, in `currency`."""
    currency: str = "USD"
    """The currency of `price_per_hour`."""
    peak_tflops: dict[str, Annotated[FiniteFloat, Field(gt=0)]] = {}
    """Cited peak, in 10¹² floating-point operations per second, for each dtype."""
    peak_source: str = ""
    """Where `peak_tflops` is written."""


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
    note: str = ""
    """What a reader should know about it."""


class Target(SpecModel):
    """The quality at which the clock of "time to accuracy" stops."""

    metric: Text
    """Name of a metric in the learning curve, such as `val_accuracy`."""
    at_least: FiniteFloat | None = None
    """Reached when the metric is this large."""
    at_most: FiniteFloat | None = None
    """Reached when the metric is this small."""


class Measure(SpecModel):
    """How each cell is measured."""

    repeats: Annotated[int, Field(ge=1, le=1000)] = 3
    """Independent processes; repeat i uses seed `first_seed` + i on every device."""
    first_seed: Annotated[int, Field(ge=0, le=2**31 - 1001)] = 0
    """Seed of the first repeat."""
    warmup_steps: Annotated[int, Field(ge=1)] = 20
    """Training steps (the first one included) left out of the steady time."""
    warmup_calls: Annotated[int, Field(ge=1)] = 1
    """Calls of a kernel workload left out of the steady time."""
    calls: Annotated[int, Field(ge=2)] = 6
    """Calls of a kernel workload, the warm-up included."""
    budget: Duration = 600.0
    """Measured seconds after which a cell stops, keeps what is done and says so."""
    timeout: Duration = 3600.0
    """Seconds after which the whole process of a cell is killed."""
    target: Target | None = None
    """The quality that "time to accuracy" waits for."""


class Published(SpecModel):
    """One row of somebody else's figures, shown beside ours and never mixed with them."""

    device: Text
    """The device of `devices.toml` it is to be compared with."""
    label: Text
    """What it was measured on, such as "Colab GPU, 2018"."""
    where: dict[str, Scalar] = {}
    """The sweep point it belongs to; empty means every point."""
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
    accuracy: Fraction | None = None
    """Final training accuracy."""
    val_accuracy: Fraction | None = None
    """Final validation or test accuracy."""
    loss: FiniteFloat | None = None
    """Final training loss."""
    tflops_cold: Annotated[FiniteFloat, Field(gt=0)] | None = None
    """10¹² floating-point operations per second of the first call."""
    tflops: Annotated[FiniteFloat, Field(gt=0)] | None = None
    """10¹² floating-point operations per second of later calls."""
    speedup: Annotated[FiniteFloat, Field(gt=0)] | None = None
    """How many times faster than `over`."""
    over: str = ""
    """The device `speedup` is relative to; the baseline when empty."""

    def figures(self) -> dict[str, float]:
        """The figures this row gives, by field name, in SI units and fractions."""
        return {
            name: value
            for name in FIGURES
            if isinstance(value := getattr(self, name), float | int)
        }


FIGURES = (
    "first_epoch_time",
    "epoch_time",
    "step_time",
    "sample_time",
    "total_time",
    "accuracy",
    "val_accuracy",
    "loss",
    "tflops_cold",
    "tflops",
    "speedup",
)
"""Names of the figures a `[[published]]` row may give."""

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
]
"""What a claim may speak of."""


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


Check = TrendCheck | RatioCheck | ValueCheck | EquivalentCheck | PeakCheck


class Claim(SpecModel):
    """A sentence somebody said, and the rule that tests it."""

    text: Text
    """The sentence."""
    check: Check
    """The rule; its first key says which one."""
    source: str = ""
    """Who said it, when it is not the spec's own source."""


JsonValue = Any
"""A workload parameter before its family has checked it."""
