"""What is looked at once training has ended: predictions, and what the family asks for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from accelreport.backend.artefacts import Artefacts
from accelreport.backend.deployment import Deployment
from accelreport.backend.engine import Engine
from accelreport.backend.evaluation import Evaluation
from accelreport.results.record import Confusion, Sample, Warned
from accelreport.spec.cells import Cell
from accelreport.workloads.base import Observation, TrainingParameters, TrainingProblem


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
