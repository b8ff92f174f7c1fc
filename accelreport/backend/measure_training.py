"""A training: timed, counted, evaluated, and looked at once it has ended."""

from __future__ import annotations

import time

from accelreport.backend.artefacts import artefacts_of
from accelreport.backend.counted import counted
from accelreport.backend.device_errors import BatchError
from accelreport.backend.engine import Engine, engine_for
from accelreport.backend.kernel_path import judge_kernels, kernel_path
from accelreport.backend.measurement import Measurement
from accelreport.backend.observing import observe
from accelreport.backend.pace import grace_s
from accelreport.backend.policies import Policies
from accelreport.backend.training import Trained, Training
from accelreport.workloads.base import TrainingParameters, TrainingProblem


def measure_training(
    measurement: Measurement, problem: TrainingProblem, parameters: TrainingParameters
) -> None:
    """Train a model, check the timer, and do what the spec asks for with what was trained.

    Raises:
        BatchError: the replicas do not divide the batch.
        NanLossError: the loss of a window is not finite.
    """
    runtime, conditions = measurement.ready(), measurement.cell.measure
    if problem.batch_size % runtime.replicas:
        raise BatchError(problem.batch_size, runtime.replicas)
    with measurement.stage("build_s", "build"):
        graphs = engine_for(problem, runtime)
    policies, pipeline = Policies(parameters, graphs), parameters.input == "pipeline"
    training = Training(
        graphs,
        pipeline=pipeline,
        epochs=parameters.epochs,
        evaluation_batch=parameters.evaluation_batch_size,
        warmup=conditions.warmup_steps,
        seed=measurement.cell.seed,
        reporter=measurement.reporter,
        policies=policies,
    )
    examination = measurement.begin_examination()
    training.prepare()
    examination.before_training(graphs, training, pipeline=pipeline)
    training.meter = measurement.open_meter()
    trained = training.run(conditions.budget)
    measurement.facts["began_with"] = examination.after_training(
        graphs, training, trained.blocks, pipeline=pipeline
    )
    _note_training(measurement, trained, training, graphs)
    measurement.note_memory()  # before anything else is made of the model
    _note_arithmetic(measurement, training, graphs)
    _select(measurement, policies, trained)
    with measurement.stage("observe_s", "finish"):
        _observe(measurement, problem, parameters, training, graphs)
    examination.canary_of_training(graphs, training, trained.blocks)
    _note_data(measurement, problem)


def _note_training(
    measurement: Measurement, trained: Trained, training: Training, graphs: Engine
) -> None:
    measurement.times |= {"train_s": trained.train_s, "evaluate_s": trained.evaluate_s}
    if trained.first_step_s is not None:
        measurement.times["first_step_s"] = trained.first_step_s
    measurement.facts |= {
        "blocks": trained.blocks,
        "epochs": trained.epochs,
        "planned_steps": training.planned_steps,
        "samples_per_step": graphs.problem.batch_size,
        "final": trained.epochs[-1].metrics if trained.epochs else {},
        "parameters": graphs.parameters(),
        "complete": trained.complete,
    }
    if trained.unevaluated:
        epochs = ", ".join(map(str, trained.unevaluated))
        measurement.warn("not-evaluated", f"the budget left no time to evaluate epoch {epochs}")
    measurement.check_window(trained.blocks)


def _note_arithmetic(measurement: Measurement, training: Training, graphs: Engine) -> None:
    """Operations of a step and the kernels that did them."""
    runtime = measurement.ready()
    found = counted(training.step_graph(), runtime)
    checks = measurement.examination.found if measurement.examination else None
    if found.kinds is not None:
        runtime.facts.update(kernel_path(graphs.model, found.kinds, runtime.facts))
        if checks:
            judge_kernels(checks, runtime.facts)
    elif checks:
        checks.inapplicable("cudnn-fallback", found.unknown)
    if found.flops is None:
        message = f"operations of a step were not counted: {found.unknown}"
        measurement.warn("flops-unknown", message)
    else:
        measurement.facts["flops"] = found.flops


def _select(measurement: Measurement, policies: Policies, trained: Trained) -> None:
    """What the policies decided: which epoch's weights, and whether training ended early."""
    selection = policies.finish()
    if selection is not None:
        measurement.facts["selection"] = selection
        if selection.restored:
            measurement.facts["final"] = dict(policies.best_metrics)
        if selection.stopped_early:
            measurement.facts["planned_steps"] = sum(block.steps for block in trained.blocks)
    for metric in sorted(policies.unmonitored):
        measurement.warn("unmonitored", f"some epoch has no {metric}, which a policy waits for")


def _observe(
    measurement: Measurement,
    problem: TrainingProblem,
    parameters: TrainingParameters,
    training: Training,
    graphs: Engine,
) -> None:
    observed = observe(
        problem,
        parameters,
        training.evaluation,
        graphs,
        measurement.cell,
        time.perf_counter() + grace_s(measurement.cell.measure.budget),
        artefacts_of(measurement.job) if measurement.leads else None,
    )
    measurement.facts["final"] = {**measurement.facts["final"], **observed.final}
    measurement.facts |= observed.fields
    measurement.warnings += observed.warnings


def _note_data(measurement: Measurement, problem: TrainingProblem) -> None:
    if measurement.data is not None:
        counts = {
            "train_examples": problem.examples,
            "validation_examples": problem.validation_examples,
        }
        measurement.data = measurement.data.model_copy(update=counts)
