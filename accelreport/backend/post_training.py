"""What is done once training has ended: predictions, and what a spec asks of the trained model.

It is saved, served or quantised on the host, with a copy of the model, after everything that is
timed.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from accelreport.backend.artefacts import Artefacts
from accelreport.backend.engine import Engine
from accelreport.backend.evaluation import Evaluation
from accelreport.backend.quantisation import QuantisationError, quantise
from accelreport.backend.serving.serve import ServingError, serve
from accelreport.results.record import Confusion, Quantised, Sample, SavedWeights, Warned
from accelreport.spec.cells import Cell
from accelreport.workloads.base import Afterwards, Observation, TrainingParameters, TrainingProblem


def save_weights(
    model: Any,
    build: Callable[[], Any],
    examples: NDArray[Any],
    predicted: NDArray[np.float32],
    artefacts: Artefacts,
) -> SavedWeights:
    """Save a model's weights, load them into another model, and compare what both predict.

    Args:
        model: a Keras model on the host.
        build: makes the same model with other weights.
        examples: inputs [n, …].
        predicted: what the training process predicted of them [n, …].
        artefacts: takes the file.
    """
    with tempfile.TemporaryDirectory(prefix="accelreport-weights-") as folder:
        path = Path(folder) / "model.weights.h5"
        model.save_weights(path)
        content = path.read_bytes()
        again = build()
        again.load_weights(path)
    artefacts.keep("weights.h5", "trained weights, for Keras' load_weights", content)
    outputs = again(examples, training=False).numpy().astype(np.float32)
    return SavedWeights(
        format="HDF5 (.weights.h5)",
        bytes=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        examples=len(examples),
        max_difference=float(np.max(np.abs(outputs - predicted))),
    )


COMPARED = 500
"""Examples whose answers are compared after saving and serving."""
CALIBRATION = 200
"""Training examples from which quantisation takes its ranges."""
CLASSIFIED = 10_000
"""Examples that the quantised model classifies at most."""


class Deployment:
    """Does what a spec asks for with a trained model.

    Args:
        graphs: the model and its problem.
        evaluation: predicts on the devices of the training.
        deadline: instant of `time.perf_counter()` by which those predictions end.
        artefacts: takes the files; None in a process that only takes part in predictions,
            because another one of its cell does the rest.
    """

    def __init__(
        self,
        graphs: Engine,
        evaluation: Evaluation,
        deadline: float,
        artefacts: Artefacts | None,
    ) -> None:
        self._graphs = graphs
        self._problem = graphs.problem
        self._evaluation = evaluation
        self._deadline = deadline
        self._artefacts = artefacts
        self.fields: dict[str, Any] = {}
        self.final: dict[str, float] = {}
        self.warnings: list[Warned] = []

    def run(self, wanted: tuple[Afterwards, ...]) -> None:
        """Fill `fields`, `final` and `warnings`; a step that fails is a warning."""
        predicted = np.zeros(0, np.float32)
        if "save_weights" in wanted or "serve" in wanted:
            count = min(COMPARED, self._problem.validation_examples)
            predicted = self._evaluation.predict(count, self._deadline)
        model = self._copy()  # every process: weights spread over them are gathered
        if self._artefacts is not None:
            self._use(model, wanted, predicted, self._artefacts)
            self.fields["artefacts"] = self._artefacts.kept

    def _use(
        self,
        model: Any,
        wanted: tuple[Afterwards, ...],
        predicted: NDArray[np.float32],
        artefacts: Artefacts,
    ) -> None:
        examples = self._inputs(self._problem.validation, len(predicted))
        if "save_weights" in wanted:
            self.fields["weights"] = save_weights(
                model, self._build, examples, predicted, artefacts
            )
        if "serve" in wanted:
            self._serve(model, examples, predicted, artefacts)
        if "quantise" in wanted:
            self._quantise(model, artefacts)

    def _serve(
        self,
        model: Any,
        examples: NDArray[Any],
        predicted: NDArray[np.float32],
        artefacts: Artefacts,
    ) -> None:
        try:
            self.fields["served"] = serve(model, examples, predicted, artefacts)
        except ServingError as error:
            self.warnings.append(Warned(kind="not-served", message=str(error)))

    def _quantise(self, model: Any, artefacts: Artefacts) -> None:
        count = min(CLASSIFIED, self._problem.validation_examples)
        calibration = self._inputs(self._problem.resident, min(CALIBRATION, self._problem.examples))
        try:
            examples = self._inputs(self._problem.validation, count)
            found = quantise(model, calibration, examples, self._right, artefacts)
        except QuantisationError as error:
            self.warnings.append(Warned(kind="not-quantised", message=str(error)))
            return
        self.fields["quantised"] = found
        self.final |= summary(found)

    def _right(self, outputs: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Which of the first validation examples are classified rightly, bool [n]."""
        import tensorflow as tf

        assert self._problem.validation is not None
        indices = np.arange(len(outputs), dtype=np.int32)
        with tf.device("/CPU:0"):
            _, targets = self._problem.take(self._problem.validation, indices)
            right = self._problem.metrics["accuracy"](targets, tf.constant(outputs))
        return np.asarray(right) > 0.5

    def _inputs(self, arrays: Any, count: int) -> NDArray[Any]:
        import tensorflow as tf

        with tf.device("/CPU:0"):
            inputs, _ = self._problem.take(arrays, np.arange(count, dtype=np.int32))
        return np.asarray(inputs)

    def _build(self) -> Any:
        import tensorflow as tf

        with tf.device("/CPU:0"):
            return self._problem.model()

    def _copy(self) -> Any:
        """The model on the host: one that is spread over devices cannot be exported."""
        model = self._build()
        model.set_weights(self._graphs.weights())
        return model


def summary(found: Quantised) -> dict[str, float]:
    """Figures a claim may speak of: how much smaller, and how much less accurate."""
    return {
        "quantised_size_ratio": found.float32.bytes / found.int8.bytes,
        "quantised_accuracy_loss": (found.float32_only - found.int8_only) / found.examples,
        "quantised_val_accuracy": (found.both_right + found.int8_only) / found.examples,
    }


@dataclass
class Observed:
    """Parts of the record.

    Attributes:
        fields: fields of the record by name.
        final: further final metrics.
        warnings: what a reader should know.
    """

    fields: dict[str, Any] = field(default_factory=dict)
    final: dict[str, float] = field(default_factory=dict)
    warnings: list[Warned] = field(default_factory=list)


def observe(
    problem: TrainingProblem,
    parameters: TrainingParameters,
    evaluation: Evaluation,
    graphs: Engine,
    cell: Cell,
    deadline: float,
    artefacts: Artefacts | None,
) -> Observed:
    """Predict samples, read the confusion matrix, and let the family look at the model.

    Args:
        problem: what was trained.
        parameters: the family's parameters.
        evaluation: the validation data under the model.
        graphs: holds the model.
        cell: gives the seed.
        deadline: instant of `time.perf_counter()` by which to be done.
        artefacts: takes the files; see `Deployment`.
    """
    observed = Observed()
    if problem.describe is not None and parameters.samples:
        outputs = evaluation.predict(problem.validation_examples, deadline)
        observed.fields["samples"] = [Sample(**sample) for sample in problem.describe(outputs)]
        if len(outputs) < problem.validation_examples:
            observed.warnings.append(_cut(len(outputs), problem.validation_examples))
    if problem.tally is not None and problem.tally.confusion is not None:
        sums = evaluation.sums
        if sums is not None:
            observed.fields["confusion"] = Confusion(
                classes=list(problem.tally.classes),
                counts=problem.tally.confusion(sums[len(graphs.columns) :]),
            )
    if problem.observe is not None:
        found = dict(
            problem.observe(
                Observation(
                    model=graphs.model,
                    seed=cell.seed,
                    deadline=deadline,
                    predict=lambda count: evaluation.predict(count, deadline),
                )
            )
        )
        observed.final |= found.pop("final", {})
        observed.warnings += found.pop("warnings", [])
        observed.fields |= found
    if parameters.afterwards:
        deployment = Deployment(graphs, evaluation, deadline, artefacts)
        deployment.run(tuple(parameters.afterwards))
        observed.final |= deployment.final
        observed.warnings += deployment.warnings
        observed.fields |= deployment.fields
    return observed


def _cut(had: int, wanted: int) -> Warned:
    return Warned(
        kind="samples-cut",
        message=f"the samples were chosen from the first {had:,} of {wanted:,} predictions, "
        "which is what the budget allowed",
    )
