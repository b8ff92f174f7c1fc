"""What every workload family gives: typed parameters, the data it needs, its arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from accelreport.spec.families import WorkloadKind
from accelreport.spec.parameters import DataMode
from accelreport.spec.parameters import TrainingParameters as TrainingParameters
from accelreport.spec.parameters import WorkloadParameters as WorkloadParameters
from accelreport.workloads.own_code import OwnCode

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from accelreport.datasets.base import Dataset
    from accelreport.spec.device import Device


def rises(metric: str) -> bool:
    """Whether more of a metric is better; of every other one, less is."""
    return any(word in metric for word in ("accuracy", "precision", "recall", "f1"))


@dataclass(frozen=True)
class Tally:
    """Metrics that are ratios of counts (precision, recall, F1), and so no mean of examples.

    Attributes:
        size: number of counts.
        count: (targets, outputs) → the counts of each example, shape [batch, size].
        metrics: sums over all examples [size] → metrics by name.
        confusion: the same sums → rows of true, columns of predicted classes.
        classes: names of the classes.
    """

    size: int
    count: Callable[[Any, Any], Any]
    metrics: Callable[[NDArray[np.float64]], dict[str, float]]
    confusion: Callable[[NDArray[np.float64]], list[list[int]]] | None = None
    classes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Observation:
    """A trained model, given back to its family once the timed region has ended.

    Attributes:
        model: the Keras model, with the weights the cell ends with.
        seed: the cell's seed.
        deadline: instant of `time.perf_counter()` by which to be done.
        predict: number of examples → outputs for the first of the validation data; fewer
            than asked for when the deadline comes first.
    """

    model: Any
    seed: int
    deadline: float
    predict: Callable[[int], NDArray[np.float32]]


def loss_of_the_model(targets: Any, outputs: Any) -> Any:
    """Stands where a model is compiled, or only called, and has the loss itself."""
    raise TypeError(f"the model has the loss of {targets} and {outputs}")


@dataclass(frozen=True)
class TrainingProblem:
    """A model to be trained, as the timed loop needs it.

    The loop keeps `resident` on the device and calls `take` inside its graph, so a
    family decides what an example is: a row of an image array, a window of a series.

    Attributes:
        model: makes the Keras model; called under the strategy's scope.
        optimizer: makes the Keras optimizer; called under the strategy's scope.
        resident: arrays kept on the device, in the dtype in which they are stored.
        examples: number of training examples; the loop draws indices below it.
        take: (resident tensors, indices of shape [batch]) → (inputs, targets).
        loss: (targets, outputs) → one loss for each example, shape [batch].
        loss_name: what the field calls it.
        metrics: name → function (targets, outputs) → one value for each example.
        validation: arrays of the evaluation, like `resident`; None when there is none.
        validation_examples: number of evaluation examples.
        describe: (outputs for the validation examples, in order; only the first ones when
            the budget allowed no more) → samples for the page.
        steps_per_epoch: steps when the spec does not say.
        batch_size: examples in a step.
        learning_rate: epoch, from 0 → its learning rate; constant when None.
        tally: metrics that are ratios of counts, for training and validation.
        observe: what the family wants to know of the trained model: fields of the record by
            name. `final` adds to the final metrics, `warnings` to the warnings.
        compiled: whether the model is compiled: its own optimizer, loss and metrics are what is
            trained and reported, and those named here are not.
        warnings: what a reader should know, by its kind.
        weigh: targets → a weight of each example in the loss; None when all are alike.
        after_epoch: (model, seed) → further fields of an epoch's row by name; called after
            every epoch, outside what is timed.
    """

    model: Callable[[], Any]
    optimizer: Callable[[], Any]
    resident: Mapping[str, NDArray[Any]]
    examples: int
    take: Callable[[Mapping[str, Any], Any], tuple[Any, Any]]
    metrics: Mapping[str, Callable[[Any, Any], Any]]
    validation: Mapping[str, NDArray[Any]] | None
    validation_examples: int
    batch_size: int
    steps_per_epoch: int
    loss: Callable[[Any, Any], Any] = loss_of_the_model
    loss_name: str = ""
    describe: Callable[[NDArray[np.float32]], list[dict[str, Any]]] | None = None
    learning_rate: Callable[[int], float] | None = None
    tally: Tally | None = None
    observe: Callable[[Observation], Mapping[str, Any]] | None = None
    compiled: bool = False
    warnings: Mapping[str, str] = field(default_factory=dict)
    weigh: Callable[[Any], Any] | None = None
    after_epoch: Callable[[Any, int], Mapping[str, Any]] | None = None


@dataclass(frozen=True)
class KernelProblem:
    """Arithmetic without training, called again and again.

    Attributes:
        build: (seed, jit_compile) → a function that runs the work inside one graph and returns
            a scalar which depends on all of it. It takes no arguments or, where it is
            `countable`, the number of operations as a scalar tensor. It may carry the tensors
            it reads as its attribute `inputs`.
        operations: chained operations in one call.
        flops: floating-point operations in one call.
        flops_method: the formula.
        fingerprint: SHA-256 over the input arrays.
        countable: whether a call may be asked for another number of operations, so that the
            timer can check that twice as many take twice as long.
        moved: bytes that the operations of one call read and write; None where unknown.
        moved_method: how they were counted.
    """

    build: Callable[[int, bool], Callable[..., Any]]
    operations: int
    flops: float
    flops_method: str
    fingerprint: Callable[[int], str]
    countable: bool = False
    moved: float | None = None
    moved_method: str = ""


@dataclass(frozen=True)
class StepProblem:
    """Steps of somebody's own, of which only the examples are known.

    Attributes:
        build: (code with its folder, seed, device) → (step, batches). The step takes one of the
            batches and returns a number that depends on all it did.
        code: where both are written.
        batch_size: examples in a step.
    """

    build: Callable[[OwnCode, int, Device], tuple[Callable[[Any], Any], Sequence[Any]]]
    code: OwnCode
    batch_size: int


@dataclass(frozen=True)
class DataRequest:
    """The data set a workload needs.

    Attributes:
        name: name in the catalogue.
        mode: real files, a sample of them, or a synthetic stand-in.
        options: what the loader of that data set understands.
        make: the spec's folder → the data, where they are in no catalogue.
    """

    name: str
    mode: DataMode
    options: Mapping[str, Any] = field(default_factory=dict)
    make: Callable[[str], Dataset] | None = None

    def load(self, folder: str) -> Dataset:
        """The data; see `datasets.load.load` for what is raised.

        Args:
            folder: the spec's folder.
        """
        if self.make is not None:
            return self.make(folder)
        from accelreport.datasets.load import load

        return load(self.name, mode=self.mode, options=self.options, folder=folder)


@dataclass(frozen=True, kw_only=True)
class Family(WorkloadKind):
    """A kind of workload, with what makes it.

    Attributes:
        data: parameters (checked) → the data set it needs, or None.
        problem: parameters (checked) and data (None for a kernel) → the problem. Imports
            TensorFlow when it is called, never before.
    """

    data: Callable[[Any], DataRequest | None]
    problem: Callable[[Any, Dataset | None, int], TrainingProblem | KernelProblem | StepProblem]


EVERY = frozenset({"tensorflow", "jax", "torch"})
"""For families whose models are Keras' own layers, and all else `numerics`."""


def training_family(
    title: str,
    parameters: type[TrainingParameters],
    problem: Callable[[Any, Any], TrainingProblem],
    options: Callable[[Any], Mapping[str, Any]] = lambda parameters: {},  # noqa: ARG005
    recurrent: Callable[[Any], bool] = lambda parameters: False,  # noqa: ARG005
) -> Family:
    """A family that trains a model in any framework, and whose parameters name a `dataset`.

    Args:
        title: what the report calls it.
        parameters: its typed parameters; the default of `kind` is its name.
        problem: (parameters, data) → the training problem. Imports a framework when it is
            called, never before.
        options: parameters (checked) → what the data set is asked for.
        recurrent: see `Family`.
    """

    def data(checked: Any) -> DataRequest:
        return DataRequest(name=checked.dataset, mode=checked.data, options=options(checked))

    return Family(
        kind=parameters.model_fields["kind"].default,
        title=title,
        parameters=parameters,
        shape="training",
        data=data,
        problem=lambda checked, dataset, seed: problem(checked, dataset),  # noqa: ARG005
        frameworks=EVERY,
        recurrent=recurrent,
    )
