"""The record: everything that was observed while one cell ran.

Nothing is averaged before it is stored. Times are in seconds, sizes in bytes,
shares are fractions, instants are UTC in ISO 8601.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from accelreport.results.checks import Beginning, SelfCheck
from accelreport.results.energy import Energy
from accelreport.results.observations import (
    Artefact,
    Confusion,
    Forecast,
    GeneratedText,
    Quantised,
    SavedWeights,
    Selection,
    Served,
)
from accelreport.results.plan_document import Count, Document, Seconds
from accelreport.spec.cells import Cell

RECORD_VERSION = 1
"""Version of the record; `migration` reads the older ones."""

Status = Literal["ok", "partial", "failed", "skipped"]

MEASURED = frozenset({"ok", "partial"})
"""Statuses of records that hold times."""

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

Operations = Annotated[float, Field(ge=0, le=1e24, allow_inf_nan=False)]
"""Operations or bytes of a step: 10²⁴ would keep the fastest machine there is busy for days."""


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
        possible = all(each > 0 for each in self.step_s)
        return self.step_s if possible and sum(self.step_s) <= 1.01 * self.wall_s else []


class Epoch(Document):
    """A row of the learning curve."""

    epoch: Count
    """From 1."""
    steps: Count
    """Steps in this epoch."""
    train_s: Seconds
    """Timed seconds of this epoch's steps, compilation included."""
    evaluate_s: Seconds
    """Seconds of the evaluation after it, untimed."""
    elapsed_s: Seconds
    """Timed training seconds from the start up to the end of this epoch."""
    learning_rate: float | None = None
    """Learning rate in this epoch."""
    metrics: dict[str, float]
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
    origin: Literal["official", "user-supplied", "synthetic", "generated"]
    """official: files with the published sha256; user-supplied: other files;
    synthetic: a stand-in of the same shapes; generated: the workload's own input."""
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

    tflops: float
    """10¹² float32 operations a second in a product of matrices, by all its processors; one
    multiply-add counts as two."""
    core_tflops: float
    """The same in a second of CPU time: what one logical processor does, however many other
    programs waited for it."""
    gbps: float
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
    threads: Count
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
    clock_mhz: float | None = None
    """CPU clock at the start, where it can be read."""
    clock_max_mhz: float | None = None
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
    started_at: str
    """When the process was launched."""
    finished_at: str
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
    final: dict[str, float] = {}
    """Final metrics."""
    parameters: Count | None = None
    """Trainable and other weights of the model."""
    samples: list[Sample] = []
    """Predictions for the page, wrong ones first."""
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

    @property
    def machine(self) -> str:
        """Fingerprint of the machine it was made on; `UNKNOWN_MACHINE` where it names none."""
        return self.environment.machine if self.environment else UNKNOWN_MACHINE

    @property
    def measured(self) -> bool:
        """Whether its times may enter a statistic, unless something was found against them."""
        return self.status in MEASURED
