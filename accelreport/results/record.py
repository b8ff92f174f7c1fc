"""The record: everything that was observed while one cell ran.

Nothing is averaged before it is stored. Times are in seconds, sizes in bytes,
shares are fractions, instants are UTC in ISO 8601.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from math import isfinite
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, FiniteFloat, field_validator, model_validator

from accelreport.results.deployed import Artefact as Artefact
from accelreport.results.deployed import Precision as Precision
from accelreport.results.deployed import Quantised as Quantised
from accelreport.results.deployed import SavedWeights as SavedWeights
from accelreport.results.deployed import Served as Served
from accelreport.results.plan_document import Amount, Count, Document, Instant, Seconds
from accelreport.spec.base import Scalar, bounded
from accelreport.spec.cells import Cell

SHORT_WINDOW_S = 0.25
"""Timer, synchronisation and scheduler show in a shorter window of steady steps."""

OTHER_LOAD = 0.10
"""Other processes that keep more than this many cores busy make a machine loaded."""


class SelfCheck(Document):
    """One thing that would make a timing wrong, looked for in this process."""

    name: str
    """What was looked for; the kind of the warning where it was found."""
    outcome: Literal["passed", "failed", "not-applicable"]
    """failed: found, and the record has a warning of this kind; not-applicable: this device or
    workload does not let it be looked for, and `seen` says why."""
    expected: str = ""
    """What a sound measurement shows."""
    seen: str
    """What was observed."""


class Layer(Document):
    """One layer of the model that was measured."""

    kind: str
    """Its class in Keras, such as `Conv2D`; a wrapper precedes what it wraps."""
    settings: dict[str, Scalar | list[Count]] = {}
    """What makes it unlike another of its class, such as `filters` and `activation`."""
    shape: list[Count | None] = []
    """Of its output, the batch left out; None where a length is open."""
    parameters: Count = 0
    """Its weights."""


class Network(Document):
    """The model that was measured, read from the model itself."""

    layers: list[Layer]
    """From the input to the output."""
    loss: str
    """What the training lowers, such as "cross-entropy"; empty where nothing was trained."""
    optimizer: str
    """Its class in Keras; empty where nothing was trained."""
    learning_rate: Annotated[float, AfterValidator(bounded)] | None = None
    """That of the first step; None where nothing was trained."""


class Beginning(Document):
    """What a training began with; two repeats of different seeds must not share it."""

    weights: str = ""
    """SHA-256 over the beginnings of the random initial weights; empty where none is random."""
    order: str = ""
    """SHA-256 over the order of the examples in the first epoch; empty where there are too few
    examples for two orders to differ for certain."""


class Energy(Document):
    """Energy of the steady steps by one sensor of the machine, or why there is none.

    A sensor sees the whole package or board, idle power and other programs included.
    """

    sensor: str
    """The sensor: `RAPL` or `NVML`."""
    scope: str
    """What it measures: `CPU package` or `GPU board`."""
    parts: list[str] = []
    """The packages or boards that were read and added."""
    joules: float | None = None
    """Energy between the readings; absent where the sensor could not be read."""
    window_s: Seconds = 0.0
    """Wall-clock seconds between the readings, added over windows."""
    steps: Count = 0
    """Steady steps within the windows."""
    windows: Count = 0
    """Windows: one for each epoch (one for all calls of a kernel), evaluations left out."""
    unit_j: float | None = None
    """Unit in which the sensor counts."""
    update_s: float | None = None
    """Seconds between the sensor's updates, by its documentation."""
    absent: str = ""
    """Why there is no energy."""


class Confusion(Document):
    """How often each class was taken for each other one in the last evaluation."""

    classes: list[str]
    """Names of the classes."""
    counts: list[list[Count]]
    """A row for each true class, a column for each predicted one."""

    @model_validator(mode="after")
    def _is_square(self) -> Self:
        if {len(self.counts), *map(len, self.counts)} - {len(self.classes)}:
            raise ValueError("its counts do not have a row and a column for each class")
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
    first_time: Instant
    """Time of the first value, ISO 8601."""
    step_s: Seconds
    """Seconds from one value to the next."""
    ignored_steps: Count
    """Values at the beginning that the loss leaves out: the model had seen nothing before."""
    horizon_steps: Count | None = None
    """Steps by which each value lies ahead of what the model had seen when it predicted it;
    absent in older records."""
    train_mean: FiniteFloat | None = None
    """Mean of the series over the training data; absent in older records."""
    true: list[FiniteFloat]
    """What was."""
    predicted: list[float]
    """What the model said; NaN or infinite where it diverged."""

    @model_validator(mode="after")
    def _is_a_series(self) -> Self:
        if len(self.true) != len(self.predicted):
            raise ValueError("it does not have a prediction for each true value")
        try:
            datetime.fromisoformat(self.first_time) + len(self.true) * timedelta(
                seconds=self.step_s
            )
        except OverflowError as error:
            raise ValueError("it continues after the year 9999") from error
        return self


RECORD_VERSION = 1
"""Version of the record; `results.reading` reads the older ones."""

Status = Literal["ok", "partial", "failed", "skipped"]

MEASURED = frozenset({"ok", "partial"})
"""Statuses of records that hold times."""

STANDING = {"ok": 3, "partial": 2, "failed": 1, "skipped": 0}
"""Status → which of several records of one cell says most of it."""

UNKNOWN_MACHINE = "unknown"
"""The machine of a record that names none."""

FailureKind = Literal[
    "no-device",
    "data-unavailable",
    "data-corrupt",
    "oom-host",
    "oom-device",
    "timeout",
    "signal",
    "nan-loss",
    "compile-error",
    "worker-lost",
    "not-converged",
    "bad-spec",
    "bad-plugin",
    "interrupted",
    "refused",
    "harness-error",
]
"""Why a cell has no complete result."""


Stamp = Annotated[float, Field(ge=-1e9, le=1e9, allow_inf_nan=False)]
"""Seconds between two stamps; below zero where earlier versions met a clock that was set."""

Operations = Annotated[float, Field(ge=0, le=1e24, allow_inf_nan=False), AfterValidator(bounded)]
"""Operations or bytes of a step: 10²⁴ would keep the fastest machine there is busy for days."""


def _not_beyond_use(value: float) -> float:
    if isfinite(value) and abs(value) > 1e100:
        raise ValueError("is too large for a loss")
    return value


Metric = Annotated[float, AfterValidator(_not_beyond_use)]
"""A metric; NaN or infinite where a training diverged."""


class Failure(Document):
    """Why a cell failed or was skipped."""

    kind: FailureKind
    """The cause, from a closed list."""
    message: str
    """What happened, in a sentence."""
    remedy: str = ""
    """What a person can do about it."""
    traceback: str = ""
    """Where it happened, when Python said so."""


class Times(Document):
    """The stages of a cell's life, kept apart; absent where a stage was not reached."""

    process_s: Seconds | None = None
    """From the launch of the process to its first line of ours."""
    import_s: Seconds | None = None
    """Importing the framework and Keras."""
    prepared_s: Seconds | None = None
    """How much of `process_s` and `import_s` passed before the launch, in the process that this
    one was forked from, and is therefore not in `wall_s`; absent when it was not forked."""
    data_s: Seconds | None = None
    """Reading or making the data set and moving it to the device."""
    build_s: Seconds | None = None
    """Building model and optimizer."""
    first_step_s: Seconds | None = None
    """The first step, or the first call of a kernel: trace, compile and run."""
    train_s: Seconds | None = None
    """All timed steps, the first one included, without what the process stood still."""
    evaluate_s: Seconds | None = None
    """All evaluations; never part of a timed window."""
    observe_s: Seconds | None = None
    """What was observed of the trained model: predictions, export, 8-bit integers, texts."""
    checks_s: Seconds | None = None
    """The timer's checks of itself, the canary among them; never part of a timed window."""
    wall_s: Seconds | None = None
    """From launch to the end of the process, by a monotonic clock."""


class Block(Document):
    """Steps that were timed together: the device is synchronised before and after."""

    epoch: Count
    """The epoch, from 1; the number of the call, from 1, for a kernel."""
    first_step: Count
    """Number of its first step within the cell, from 0."""
    steps: Count
    """How many steps (for a kernel: how many chained operations)."""
    wall_s: Seconds
    """Wall-clock seconds, by a monotonic clock."""
    cpu_s: Seconds
    """CPU seconds of the cell's processes on this machine in that time; over `wall_s` it gives
    the cores used."""
    other_cpu_s: Seconds | None = None
    """CPU seconds of every other process of the machine in that time."""
    warmup: bool
    """Whether it is left out of the steady time."""
    stopped_s: Seconds | None = None
    """Seconds in which the process stood still meanwhile: it was stopped, or the machine slept.
    Such a block is left out of the steady time, too. Absent where it ran all the time."""
    step_s: list[Stamp] = []
    """Seconds of each step from the second on, stamped inside the graph as each step's
    loss is ready. Empty where the device runs asynchronously and a stamp would lie, and where
    the wall clock, which is all that a graph can read, was set meanwhile."""

    @property
    def steady(self) -> bool:
        """Whether it belongs to the steady time: no warm-up, and the process ran all the time."""
        return not self.warmup and not self.stopped_s

    @property
    def stamped_s(self) -> list[float]:
        """`step_s` where it is a series of times within this block; else empty.

        Earlier versions kept the stamps of a wall clock that was set meanwhile.
        """
        possible = min(self.step_s, default=1.0) > 0 and sum(self.step_s) <= 1.01 * self.wall_s
        return self.step_s if possible else []

    @property
    def single_s(self) -> list[float]:
        """Seconds of the steps that were timed one by one; empty where none was."""
        return self.stamped_s or [self.wall_s] * (self.steps == 1)


class Epoch(Document):
    """A row of the learning curve."""

    epoch: Count
    """From 1."""
    steps: Count
    """Steps in this epoch."""
    train_s: Seconds
    """Timed seconds of this epoch's steps, compilation included."""
    evaluate_s: Seconds
    """Seconds of the evaluation after it and of what was written then, untimed."""
    elapsed_s: Seconds
    """Timed training seconds from the start up to the end of this epoch."""
    learning_rate: float | None = None
    """Learning rate in this epoch."""
    text: GeneratedText | None = None
    """What the model wrote after it, for a model that writes."""
    metrics: dict[str, Metric]
    """`loss`, `accuracy`, `val_loss`, `val_accuracy`, …"""


class Sample(Document):
    """A prediction shown on the page."""

    index: Count
    """Position in the evaluation data."""
    true: str
    """The true label, as text."""
    predicted: str
    """The predicted label, as text."""
    probability: float
    """Probability of the predicted label."""
    pixels: str = ""
    """For an image: its bytes, row by row, base64, one byte a pixel."""
    shape: list[int] = []
    """For an image: rows and columns."""


class Flops(Document):
    """Floating-point operations, and how they were counted."""

    per_step: Operations
    """Operations in one step over all replicas, forward and backward; one multiply-add counts as
    two. A training's replicas share them; each of a kernel's does all of its own, so that this over
    the step's time is the rate of work on any number of replicas."""
    method: str
    """How they were counted."""
    bytes_per_step: Operations | None = None
    """Bytes that the counted operations read and write, over all replicas; absent where they were
    not counted."""
    bytes_method: str = ""
    """How the bytes were counted."""
    convolutions_per_step: Operations | None = None
    """Those of `per_step` that are convolutions', which fast algorithms do with fewer; absent in
    records that did not tell them apart."""
    least_per_step: Operations | None = None
    """Operations that no fast algorithm goes below: `per_step` with each convolution divided by the
    places of its kernel; absent in records that do not tell how large kernels are."""
    depth: Operations | None = None
    """The longest chain of products and convolutions of a step each of which needs the one before:
    a loop counts its turns; through what a loop stacks up no chain is followed, so that layers may
    overlap. Absent where it was not counted."""
    batch_bytes: Operations | None = None
    """Bytes of the examples of a step as they are stored on the device, over all replicas."""
    state_bytes: Operations | None = None
    """Bytes of the weights and of the optimizer's state, once."""

    @property
    def least(self) -> float | None:
        """`least_per_step`, which is `per_step` where nothing is a convolution; None if unknown."""
        exact = self.per_step if self.convolutions_per_step == 0 else None
        return exact if self.least_per_step is None else self.least_per_step


class StepParts(Document):
    """Parts of a training step, timed after the training as programs of their own.

    Each is driven as the steps were; windows of as many steps, in seconds of a step.
    """

    empty_s: list[Seconds] = []
    """Of a step that does nothing: what driving it costs."""
    input_s: list[Seconds] = []
    """Of one that takes its batch."""
    gradient_s: list[Seconds] = []
    """Of one that takes its batch and computes the loss and its gradients."""
    optimizer_s: list[Seconds] = []
    """Of one that updates the weights by gradients that are there."""
    absent: str = ""
    """Why nothing was timed."""

    @model_validator(mode="after")
    def _has_parts(self) -> Self:
        parts = self.empty_s, self.input_s, self.gradient_s, self.optimizer_s
        if not (self.absent or all(parts)):
            raise ValueError("a part was not timed, and the reason is missing")
        return self


class Memory(Document):
    """Peak memory."""

    host_peak_bytes: Count | None = None
    """Peak resident set of the process."""
    device_peak_bytes: Count | None = None
    """Peak of the framework's allocator on the device, where it says so."""


class DataSource(Document):
    """Where the input came from."""

    dataset: str
    """Name in the catalogue."""
    origin: Literal["official", "user-supplied", "sample", "synthetic", "generated"]
    """official: files with the published sha256; user-supplied: other files; sample: a part of
    published files; synthetic: a stand-in of the same shapes; generated: the workload's own
    input."""
    fingerprint: str
    """SHA-256 over the arrays as they were used."""
    files: dict[str, str] = {}
    """SHA-256 of each file read."""
    seed: int | None = None
    """Seed of synthetic or generated data."""
    train_examples: Count = 0
    """Training examples used."""
    validation_examples: Count = 0
    """Examples evaluated."""
    note: str = ""
    """What a reader must know, such as "a learnable stand-in, not MNIST"."""


class Gpu(Document):
    """One GPU."""

    name: str
    """Model."""
    memory_bytes: Count | None = None
    """Memory."""
    driver: str = ""
    """Driver version."""


class Roofs(Document):
    """What a machine's processor reached in two loops made for the purpose: its own roofs."""

    tflops: Amount
    """10¹² float32 operations a second in a product of matrices, by all its processors; one
    multiply-add counts as two."""
    core_tflops: Amount
    """The same in a second of CPU time: what one logical processor does, however many other
    programs waited for it."""
    gbps: Amount
    """10⁹ bytes a second that the sum of two long arrays read and wrote."""
    method: str
    """By what, of which sizes, and how often."""
    other_cores: float
    """Cores that other processes kept busy meanwhile; above a tenth the two rates of the whole
    machine are too low, and a later cell measures them again."""
    measured_at: str
    """When."""


class Environment(Document):
    """What a cell ran on and with."""

    machine: str
    """Fingerprint of the machine, eight hexadecimal digits."""
    host: str = ""
    """Name of the machine, when a launcher had the cell measured there; else empty."""
    accelreport: str
    """Version of accelreport."""
    commit: str = ""
    """Commit of the checkout accelreport ran from, when it is one."""
    dirty: bool | None = None
    """Whether that checkout had uncommitted changes."""
    python: str
    """Python version."""
    packages: dict[str, str] = {}
    """Versions of the packages that matter to the measurement."""
    os: str
    """Operating system and kernel."""
    cpu: str
    """CPU model."""
    cores: Count | None = None
    """Physical cores."""
    threads: Annotated[Count, Field(ge=1)]
    """Logical processors this process may use."""
    cpu_limit: float | None = None
    """Seconds of processors granted in a second, where a container or a job limits them."""
    memory_bytes: Count
    """Memory of the machine (or of its container)."""
    gpus: list[Gpu] = []
    """GPUs that the driver lists and `CUDA_VISIBLE_DEVICES` shows, in CUDA's order."""
    accelerators: list[str] = []
    """Devices the framework used, by its own names."""
    runtime: dict[str, str] = {}
    """Threads, build flags and kernel libraries as the framework resolved them."""
    variables: dict[str, str] = {}
    """Environment variables that change the measurement (`TF_*`, `XLA_*`, `OMP_*`, …)."""
    load_before: float | None = None
    """One-minute load average before the cell."""
    load_after: float | None = None
    """The same after it."""
    clock_mhz: Amount | None = None
    """CPU clock at the start, where it can be read."""
    clock_max_mhz: Amount | None = None
    """Highest CPU clock, where the system tells it (a virtual machine mostly does not)."""
    vector: list[str] = []
    """The CPU's vector extensions that multiply, such as `fma` or `avx512f`."""
    roofs: Roofs | None = None
    """What its processor reached at best; absent where a cell ended before that was asked."""


class Host(Document):
    """One process of a distributed cell, and the machine it ran on."""

    task: str
    """Its task in the cluster, such as `worker:0`, `ps:0` or `chief:0`."""
    host: str
    """Name of the machine."""
    address: str = ""
    """Where the other processes reach it: `host:port`."""
    chief: bool = False
    """Whether it is the one that writes the record."""
    machine: str = ""
    """Fingerprint of the machine, where the process could say it."""
    cpu: str = ""
    """CPU model, where the process could say it."""
    devices: list[str] = []
    """Devices of the process that compute, by TensorFlow's names."""
    peak_bytes: Count | None = None
    """Peak resident set of the process, where it was read."""


class Warned(Document):
    """Something a reader of the number should know."""

    kind: str
    """Short name, such as `data-synthetic` or `short-window`."""
    message: str
    """The sentence shown beside the number."""


class Record(Document):
    """One cell's result."""

    record_version: Literal[1] = 1
    """Version of this document."""
    cell: Cell
    """What was asked for, in full."""
    key: str
    """The cell's content hash."""
    status: Status
    """ok: complete; partial: the budget ended it; failed; skipped: its device is absent."""
    failure: Failure | None = None
    """Why, unless the status is ok."""
    started_at: Instant
    """When the process was launched."""
    finished_at: Instant
    """When it ended."""
    times: Times = Times()
    """The stages, kept apart."""
    blocks: list[Block] = []
    """Every timed block, in order."""
    epochs: list[Epoch] = []
    """The learning curve."""
    planned_steps: Count = 0
    """Steps a complete run takes; more than were run when the status is partial."""
    samples_per_step: Count = 0
    """Training examples in one step, over all replicas."""
    final: dict[str, Metric] = {}
    """Final metrics."""
    parameters: Count | None = None
    """Trainable and other weights of the model."""
    network: Network | None = None
    """Layers, loss and optimizer; None in records that were made before this was kept."""
    samples: list[Sample] = []
    """Predictions for the page, wrong ones first; of more mistakes than are kept the surest."""
    confusion: Confusion | None = None
    """True against predicted classes."""
    forecasts: list[Forecast] = []
    """Series and what the trained model predicted of them."""
    texts: list[GeneratedText] = []
    """What the trained model wrote."""
    weights: SavedWeights | None = None
    """The trained weights, saved and read back."""
    served: Served | None = None
    """The trained model, exported and served."""
    quantised: Quantised | None = None
    """The trained model in 8-bit integers."""
    artefacts: list[Artefact] = []
    """Files it left in the results folder: weights, exported and converted models."""
    selection: Selection | None = None
    """Which epoch it ended with, where a metric decides that."""
    flops: Flops | None = None
    """Arithmetic done."""
    parts: StepParts | None = None
    """Parts of a step by themselves, where `measure.split` asks for them."""
    memory: Memory = Memory()
    """Peak memory."""
    energy: list[Energy] = []
    """Energy of the steady steps, sensor-grade; one entry for each sensor that was looked for."""
    data: DataSource | None = None
    """Where the input came from."""
    environment: Environment | None = None
    """What it ran on and with."""
    hosts: list[Host] = []
    """Every process of a distributed cell, the chief first; empty when there was one process.
    `times`, `memory` and `environment` are the chief's."""
    warnings: list[Warned] = []
    """What a reader should know."""
    checks: list[SelfCheck] = []
    """What the timer looked for in itself, and what it found."""
    began_with: Beginning | None = None
    """Initial weights and order of the examples, as checksums."""
    log_tail: str = ""
    """The last lines the process printed, TensorFlow's own among them."""
    details: dict[str, Any] = {}
    """What only this family observes (documented by the family)."""

    @field_validator("cell")
    @classmethod
    def _wherever_it_lay(cls, cell: Cell) -> Cell:
        return cell.anywhere()

    @model_validator(mode="after")
    def _trained_on_something(self) -> Self:
        if self.measured and self.epochs and not self.samples_per_step:
            raise ValueError("it trained, but its steps had no examples")
        return self

    @property
    def machine(self) -> str:
        """Fingerprint of the machine it was made on; `UNKNOWN_MACHINE` where it names none."""
        return self.environment.machine if self.environment else UNKNOWN_MACHINE

    @property
    def measured(self) -> bool:
        """Whether its times may enter a statistic, unless something was found against them."""
        return self.status in MEASURED
