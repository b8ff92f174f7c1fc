"""The record: everything that was observed while one cell ran.

Nothing is averaged before it is stored. Times are in seconds, sizes in bytes,
shares are fractions, instants are UTC in ISO 8601.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from math import isfinite
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, FiniteFloat, field_validator, model_validator

from accelreport.results.block import Block as Block
from accelreport.results.block import Steady
from accelreport.results.deployed import Artefact as Artefact
from accelreport.results.deployed import Precision as Precision
from accelreport.results.deployed import Quantised as Quantised
from accelreport.results.deployed import SavedWeights as SavedWeights
from accelreport.results.deployed import Served as Served
from accelreport.results.plan_document import Amount, Count, Document, Instant, Seconds
from accelreport.spec.base import Scalar, bounded
from accelreport.spec.cells import Cell

SHORT_WINDOW_S = 0.25
"""Effects of timer, synchronisation and scheduler are visible in a shorter window of steady
steps.
"""

OTHER_LOAD = 0.10
"""If other processes keep more than this many cores busy, the machine counts as loaded."""


class SelfCheck(Document):
    """A check for one fault that would make a timing wrong."""

    name: str
    """The name of the check, which is also the kind of its warning."""
    outcome: Literal["passed", "failed", "not-applicable"]
    """failed: the fault was detected, and the record has a warning of this kind; not-applicable:
    the check does not apply to this device or workload, and `seen` says why.
    """
    expected: str = ""
    """The expected observation of a correct measurement."""
    seen: str
    """The actual observation."""


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
    learning_rate: Metric | None = None
    """That of the first step; None where nothing was trained."""


class Beginning(Document):
    """Checksums of the start of a training, which two repeats of different seeds must not share."""

    weights: str = ""
    """SHA-256 of the beginnings of the random initial weights; empty if none is random."""
    order: str = ""
    """SHA-256 of the order of the examples in the first epoch; empty if there are too few
    examples for orders to differ for certain.
    """


class Energy(Document):
    """Energy of the steady steps by one sensor of the machine, or why there is none.

    A sensor measures the whole package or board, including idle power and other programs.
    """

    sensor: str
    """The sensor: `RAPL` or `NVML`."""
    scope: str
    """What it measures: `CPU package` or `GPU board`."""
    parts: list[str] = []
    """The packages or boards whose readings were added."""
    joules: float | None = None
    """Energy between the readings; absent if the sensor could not be read."""
    window_s: Seconds = 0.0
    """Wall-clock seconds between the readings, summed over windows."""
    steps: Count = 0
    """Steady steps within the windows."""
    windows: Count = 0
    """Windows: one per epoch (one for all calls of a kernel), without evaluations."""
    unit_j: float | None = None
    """Unit in which the sensor counts."""
    update_s: float | None = None
    """Seconds between the sensor's updates, from its documentation."""
    absent: str = ""
    """Why there is no energy."""


class Confusion(Document):
    """The confusion matrix of the last evaluation."""

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
    """The epoch that a cell ended with, if its spec lets a metric decide."""

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
    """A text that a trained model wrote."""

    prompt: str
    """The text that it had read before."""
    text: str
    """The text that it wrote, with characters from U+0000 to U+00FF."""


class Forecast(Document):
    """A series and the trained model's forecast, at equal time steps."""

    target: str
    """Name of the series."""
    unit: str = ""
    """Its unit."""
    first_time: Instant
    """Time of the first value, ISO 8601."""
    step_s: Seconds
    """Seconds from one value to the next."""
    ignored_steps: Count
    """Number of values at the beginning that the loss leaves out, because the model had no input
    before them.
    """
    horizon_steps: Count | None = None
    """Number of steps between the model's last input and each forecast value; absent in older
    records.
    """
    train_mean: FiniteFloat | None = None
    """Mean of the series over the training data; absent in older records."""
    true: list[FiniteFloat]
    """What was."""
    predicted: list[float]
    """The forecast; NaN or infinite if it diverged."""

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
"""Version of the record; `results.reading` migrates older ones."""

Status = Literal["ok", "partial", "failed", "skipped"]

MEASURED = frozenset({"ok", "partial"})
"""Statuses of records that hold times."""

STANDING = {"ok": 3, "partial": 2, "failed": 1, "skipped": 0}
"""Status → rank of a record among several records of one cell."""

UNKNOWN_MACHINE = "unknown"
"""The machine of a record that names none."""

FailureKind = Literal[
    "no-device",
    "no-framework",
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


Operations = Annotated[float, Field(ge=0, le=1e24, allow_inf_nan=False), AfterValidator(bounded)]
"""Operations or bytes of a step: 10²⁴ would keep the fastest machine busy for days."""


def _not_beyond_use(value: float) -> float:
    if isfinite(value) and abs(value) > 1e100:
        raise ValueError("is too large for a loss")
    return value


Metric = Annotated[float, AfterValidator(_not_beyond_use)]
"""A metric; NaN or infinite if a training diverged."""


class Failure(Document):
    """Why a cell failed or was skipped."""

    kind: FailureKind
    """The cause, from a closed list."""
    message: str
    """What happened, in a sentence."""
    remedy: str = ""
    """The remedy."""
    traceback: str = ""
    """The traceback, if Python raised an exception."""


class Times(Document):
    """The stages of a cell, timed separately; absent if a stage was not reached."""

    process_s: Seconds | None = None
    """Seconds from the launch of the process to accelreport's first line."""
    import_s: Seconds | None = None
    """Seconds to import the framework and Keras."""
    prepared_s: Seconds | None = None
    """The part of `process_s` and `import_s` that passed before the launch, in the fork server,
    and is therefore not in `wall_s`; absent if the process was not forked.
    """
    data_s: Seconds | None = None
    """Seconds to read or generate the data set and move it to the device."""
    build_s: Seconds | None = None
    """Seconds to build model and optimizer."""
    first_step_s: Seconds | None = None
    """The first step, or the first call of a kernel: trace, compile and run."""
    train_s: Seconds | None = None
    """All timed steps, including the first one, without the seconds in which the process stood
    still.
    """
    evaluate_s: Seconds | None = None
    """All evaluations; never part of a timed window."""
    observe_s: Seconds | None = None
    """Observations of the trained model: predictions, export, int8, texts."""
    checks_s: Seconds | None = None
    """The timer's checks, including the canary; never part of a timed window."""
    wall_s: Seconds | None = None
    """From launch to the end of the process, by a monotonic clock."""


class Epoch(Document):
    """A row of the learning curve."""

    epoch: Count
    """From 1."""
    steps: Count
    """Steps in this epoch."""
    train_s: Seconds
    """Timed seconds of this epoch's steps, compilation included."""
    evaluate_s: Seconds
    """Seconds of the evaluation after it and of generated text, untimed."""
    elapsed_s: Seconds
    """Timed training seconds from the start to the end of this epoch."""
    learning_rate: float | None = None
    """Learning rate in this epoch."""
    text: GeneratedText | None = None
    """The text that the model wrote after it, if it generates text."""
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
    """For an image: a byte for each pixel, row by row, compressed by zlib (RFC 1950), in base64.
    Early records hold the bytes uncompressed.
    """
    shape: list[int] = []
    """For an image: rows and columns."""


class Flops(Document):
    """Floating-point operations, and how they were counted."""

    per_step: Operations
    """Operations in one step over all replicas; a multiply-add counts as two. The replicas of a
    training share them. Each replica of a kernel does all of its own operations, so this number
    divided by the step time is the rate of work for any number of replicas.
    """
    method: str
    """Method of the count."""
    bytes_per_step: Operations | None = None
    """Bytes that the counted operations read and write, over all replicas; absent if not
    counted.
    """
    bytes_method: str = ""
    """Method of the count of bytes."""
    convolutions_per_step: Operations | None = None
    """Operations of convolutions in `per_step`, which fast algorithms reduce; absent in records
    without this distinction.
    """
    least_per_step: Operations | None = None
    """Lower bound of the operations of any fast algorithm: `per_step` with each convolution
    divided by the places of its kernel; absent in records without the sizes of kernels.
    """
    depth: Operations | None = None
    """The longest chain of products and convolutions of a step in which each needs the previous
    one. A loop counts its iterations; the chain does not pass through stacked outputs of a loop,
    so layers may overlap. Absent if not counted.
    """
    batch_bytes: Operations | None = None
    """Bytes of a step's examples as stored on the device, over all replicas."""
    state_bytes: Operations | None = None
    """Bytes of the weights and of the optimizer's state, once."""

    @property
    def least(self) -> float | None:
        """`least_per_step`, or `per_step` without convolutions; None if unknown."""
        exact = self.per_step if self.convolutions_per_step == 0 else None
        return exact if self.least_per_step is None else self.least_per_step


class StepParts(Document):
    """Parts of a training step, in records of versions that had `measure.split`.

    Each was timed after the training as a separate program, called like a step, in windows of the
    same number of steps; in seconds per step.
    """

    empty_s: list[Seconds] = []
    """An empty step: the cost of the call."""
    input_s: list[Seconds] = []
    """A step that reads its batch."""
    gradient_s: list[Seconds] = []
    """A step that reads its batch and computes the loss and its gradients."""
    optimizer_s: list[Seconds] = []
    """A step that updates the weights with existing gradients."""
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
    """Peak of the framework's allocator on the device, if it reports one."""


class DataSource(Document):
    """The origin of the input."""

    dataset: str
    """Name in the catalogue."""
    origin: Literal["official", "user-supplied", "sample", "synthetic", "generated"]
    """official: files with the published sha256; user-supplied: other files; sample: a part of
    published files; synthetic: generated data of the same shapes; generated: the workload's own
    input.
    """
    fingerprint: str
    """SHA-256 of the arrays as used."""
    files: dict[str, str] = {}
    """SHA-256 of each input file."""
    seed: int | None = None
    """Seed of synthetic or generated data; absent where nobody knows whether they come from it."""
    train_examples: Count = 0
    """Training examples used."""
    validation_examples: Count = 0
    """Examples evaluated."""
    note: str = ""
    """A note for the reader, such as "a learnable stand-in, not MNIST"."""


class Gpu(Document):
    """One GPU."""

    name: str
    """Model."""
    memory_bytes: Count | None = None
    """Memory."""
    driver: str = ""
    """Driver version."""


class Roofs(Document):
    """The roofs of a machine's processor, measured with two loops."""

    tflops: Amount
    """10¹² float32 operations per second in a matrix product on all processors; a multiply-add
    counts as two.
    """
    core_tflops: Amount
    """The same per second of CPU time: the rate of one logical processor, independent of waiting
    programs.
    """
    gbps: Amount
    """10⁹ bytes per second that the sum of two long arrays read and wrote."""
    method: str
    """Method, sizes and number of repetitions."""
    other_cores: float
    """Number of cores that other processes kept busy; above a tenth, the two rates of the whole
    machine are too low, and a later cell measures them again.
    """
    measured_at: str
    """When."""


class Environment(Document):
    """The hardware and software of a cell."""

    machine: str
    """Fingerprint of the machine, eight hexadecimal digits."""
    host: str = ""
    """Name of the machine, if a launcher ran the cell there; otherwise empty."""
    accelreport: str
    """Version of accelreport."""
    commit: str = ""
    """Commit of accelreport's checkout, if it is one."""
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
    """Processors that a container or a job may use, if limited."""
    memory_bytes: Count
    """Memory of the machine (or of its container)."""
    gpus: list[Gpu] = []
    """GPUs that the driver lists and `CUDA_VISIBLE_DEVICES` shows, in CUDA's order."""
    accelerators: list[str] = []
    """Devices that the framework used, by its own names."""
    runtime: dict[str, str] = {}
    """Threads, build flags and kernel libraries as resolved by the framework."""
    variables: dict[str, str] = {}
    """Environment variables that change the measurement (`TF_*`, `XLA_*`, `OMP_*`, …)."""
    load_before: float | None = None
    """One-minute load average before the cell."""
    load_after: float | None = None
    """The same after it."""
    clock_mhz: Amount | None = None
    """CPU clock at the start, where it can be read."""
    clock_max_mhz: Amount | None = None
    """Highest CPU clock, if the system reports it (most virtual machines do not)."""
    vector: list[str] = []
    """The CPU's vector extensions that multiply, such as `fma` or `avx512f`."""
    roofs: Roofs | None = None
    """The highest measured roofs of its processor; absent if a cell ended before the
    measurement.
    """


class ImportedFile(Document):
    """A file of code that a cell ran and that is no part of its parameters.

    It was imported from outside the spec's folder, or by a name that was made while the code ran.
    Python's own modules and packages from an index are left out.
    """

    file: str
    """Its path from where Python found its package, such as `mypkg/model.py`."""
    folder: str = ""
    """The folder that this path begins in, seen from the spec's folder or, in somebody's home
    folder, from there (`~`); empty where the record is published."""
    sha256: str
    """SHA-256 of the file."""


class Host(Document):
    """One process of a distributed cell, and the machine it ran on."""

    task: str
    """Its task in the cluster, such as `worker:0`, `ps:0` or `chief:0`."""
    host: str
    """Name of the machine."""
    address: str = ""
    """Its address for the other processes: `host:port`."""
    chief: bool = False
    """Whether it writes the record."""
    machine: str = ""
    """Fingerprint of the machine, if known."""
    cpu: str = ""
    """CPU model, if known."""
    devices: list[str] = []
    """Computing devices of the process, by TensorFlow's names."""
    peak_bytes: Count | None = None
    """Peak resident set of the process, if it was read."""


class Warned(Document):
    """A note that a reader of the number needs."""

    kind: str
    """Short name, such as `data-synthetic` or `short-window`."""
    message: str
    """The sentence shown beside the number."""


class Record(Document):
    """One cell's result."""

    record_version: Literal[1] = 1
    """Version of this document."""
    cell: Cell
    """All parameters of the cell."""
    key: str
    """The cell's content hash."""
    status: Status
    """ok: complete; partial: the budget stopped it; failed; skipped: its device is absent."""
    failure: Failure | None = None
    """Why, unless the status is ok."""
    started_at: Instant
    """When the process was launched."""
    finished_at: Instant
    """When it ended."""
    times: Times = Times()
    """The stages, timed separately."""
    blocks: list[Block] = []
    """Every timed block, in order."""
    epochs: list[Epoch] = []
    """The learning curve."""
    planned_steps: Count = 0
    """Number of steps of a complete run, which is larger than the number of steps if the status
    is partial.
    """
    samples_per_step: Annotated[Count, Field(le=10**12)] = 0
    """Training examples per step, over all replicas."""
    final: dict[str, Metric] = {}
    """Final metrics."""
    parameters: Count | None = None
    """Trainable and other weights of the model."""
    network: Network | None = None
    """Layers, loss and optimizer; None in records that were made before this was kept."""
    samples: list[Sample] = []
    """Predictions for the page, misclassified ones first, with the most confident ones kept."""
    confusion: Confusion | None = None
    """The confusion matrix."""
    forecasts: list[Forecast] = []
    """Series with the trained model's forecasts."""
    texts: list[GeneratedText] = []
    """Texts that the trained model wrote."""
    weights: SavedWeights | None = None
    """The trained weights, saved and read back."""
    served: Served | None = None
    """The trained model, exported and served."""
    quantised: Quantised | None = None
    """The trained model in int8."""
    artefacts: list[Artefact] = []
    """Its files in the results folder: weights, exported and converted models."""
    selection: Selection | None = None
    """The epoch that it ended with, if a metric decided."""
    flops: Flops | None = None
    """Arithmetic done."""
    parts: StepParts | None = None
    """The parts of a step, in records of versions that had `measure.split`."""
    memory: Memory = Memory()
    """Peak memory."""
    energy: list[Energy] = []
    """Energy of the steady steps, sensor-grade; one entry for each sensor."""
    data: DataSource | None = None
    """The origin of the input."""
    environment: Environment | None = None
    """Hardware and software."""
    imported: Annotated[list[ImportedFile], Field(exclude_if=lambda files: not files)] = []
    """Code that it ran and that is no part of `cell`; absent where there is none, and in records
    of versions that did not look."""
    hosts: list[Host] = []
    """Every process of a distributed cell, the chief first; empty for a single process. `times`,
    `memory` and `environment` are the chief's.
    """
    warnings: list[Warned] = []
    """Notes for the reader."""
    checks: list[SelfCheck] = []
    """Results of the timer's checks."""
    began_with: Beginning | None = None
    """Checksums of the initial weights and of the order of the examples."""
    log_tail: str = ""
    """The last lines of the process's output, including TensorFlow's."""
    withheld: Annotated[dict[str, Count], Field(exclude_if=lambda fields: not fields)] = {}
    """Field → number of secrets that `…` took the place of in it; absent where there is none."""
    details: dict[str, Any] = {}
    """Further observations of this family (documented by the family)."""

    @field_validator("cell")
    @classmethod
    def _wherever_it_lay(cls, cell: Cell) -> Cell:
        return cell.as_recorded()

    @model_validator(mode="after")
    def _did_some_work(self) -> Self:
        if self.measured and not self.samples_per_step:
            if self.epochs:
                raise ValueError("it trained, but its steps had no examples")
            if self.blocks and not (self.flops and self.flops.per_step):
                raise ValueError("its steps had neither examples nor counted operations")
        return self

    @property
    def machine(self) -> str:
        """Fingerprint of its machine; `UNKNOWN_MACHINE` without one."""
        return self.environment.machine if self.environment else UNKNOWN_MACHINE

    @property
    def steady(self) -> Steady:
        """Its steady blocks, and the step time that follows from them."""
        return Steady.of(self.blocks)

    @property
    def memory_of_all(self) -> Memory:
        """Its peaks, and those of a distributed cell's processes added up where all are known."""
        peaks = [host.peak_bytes for host in self.hosts if host.peak_bytes is not None]
        if not peaks or len(peaks) < len(self.hosts):
            return self.memory
        return self.memory.model_copy(update={"host_peak_bytes": sum(peaks)})

    @property
    def measured(self) -> bool:
        """Whether its times may enter a statistic, unless a check refuses them."""
        return self.status in MEASURED
