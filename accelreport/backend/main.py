"""The process of one cell: `python -m accelreport.backend.main JOB.json`.

The cell's family says what is done, and a kernel or a training does it. A training is timed,
counted, evaluated, and looked at once it has ended.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from accelreport.atomic import write_whole
from accelreport.backend.arithmetic import count_flops
from accelreport.backend.calls import measure_inference, measure_kernel, measure_own_step
from accelreport.backend.checks.model import judge_kernels, kernel_path
from accelreport.backend.distributed.tasks import SUPERVISED
from accelreport.backend.engine import Engine, engine_for
from accelreport.backend.failures import failure
from accelreport.backend.frameworks import choose, configure, framework_module, require_support
from accelreport.backend.measurement import Measurement
from accelreport.backend.network import network_of
from accelreport.backend.post_training import observe
from accelreport.backend.protocol import (
    ARTEFACTS,
    UNWRITTEN,
    Artefacts,
    Job,
    ParentTimings,
    Reporter,
)
from accelreport.backend.training import Policies, Trained, Training, grace_s
from accelreport.datasets.base import Dataset
from accelreport.errors import AccelReportError
from accelreport.machine.parent_death import end_with_parent
from accelreport.machine.roofs import roofs
from accelreport.results.record import Beginning, DataSource, Record
from accelreport.workloads.base import (
    Family,
    KernelProblem,
    StepProblem,
    TrainingParameters,
    TrainingProblem,
)
from accelreport.workloads.registry import family_of, package_of


def measure_training(
    measurement: Measurement, problem: TrainingProblem, parameters: TrainingParameters
) -> None:
    """Train a model, check the timer, and do what the spec asks for with what was trained.

    Raises:
        NanLossError: the loss of a window is not finite.
    """
    runtime, conditions = measurement.ready(), measurement.cell.measure
    with measurement.stage("build_s", "build"):
        engine = engine_for(problem, runtime)
    measurement.result.network = network_of(engine, trained=True)
    policies, pipeline = Policies(parameters, engine), parameters.input == "pipeline"
    training = Training(
        engine,
        pipeline=pipeline,
        epochs=parameters.epochs,
        evaluation_batch=parameters.evaluation_batch_size,
        warmup=conditions.warmup_steps,
        seed=measurement.cell.seed,
        reporter=measurement.reporter,
        policies=policies,
    )
    checks = measurement.begin_checks()
    training.prepare()
    checks.before_training(engine, training.watch, training.feed.source, pipeline=pipeline)
    training.meter = measurement.open_meter()
    trained = training.run(conditions.budget)
    resident = [] if pipeline else list(training.feed.source.values())
    measurement.result.began_with = Beginning(
        weights=checks.after_training(engine, training.watch, trained.blocks, resident),
        order=training.feed.order,
    )
    _note_training(measurement, trained, training, engine)
    measurement.note_memory()  # before anything else is made of the model
    kinds = framework_module(runtime.framework).operation_kinds(training.feed.step_graph())
    if kinds is not None:
        runtime.facts.update(kernel_path(engine.model, kinds, runtime.facts))
        judge_kernels(checks.log, runtime.facts)
    else:
        checks.log.inapplicable("cudnn-fallback", "no memory was left for one more step")
    measurement.note_flops(count_flops(engine, trained=True, kinds=kinds or ()), "a step")
    _select(measurement, policies, trained, training)
    with measurement.stage("observe_s", "finish"):
        measurement.warnings += observe(
            measurement.result,
            parameters,
            training.evaluation,
            engine,
            measurement.cell.seed,
            time.perf_counter() + grace_s(conditions.budget),
            Artefacts(Path(measurement.job.record_path).parent / ARTEFACTS)
            if measurement.leads
            else None,
        )
    checks.canary_of_training(engine, training.again, training.watch, trained.blocks)


def _note_training(
    measurement: Measurement, trained: Trained, training: Training, engine: Engine
) -> None:
    measurement.times |= {"train_s": trained.train_s, "evaluate_s": trained.evaluate_s}
    if trained.first_step_s is not None:
        measurement.times["first_step_s"] = trained.first_step_s
    result = measurement.result
    result.blocks, result.epochs = trained.blocks, trained.epochs
    result.planned_steps = training.planned_steps
    result.samples_per_step = engine.problem.batch_size
    result.final = dict(trained.epochs[-1].metrics) if trained.epochs else {}
    result.parameters = engine.parameters()
    result.complete = trained.complete
    if trained.unevaluated:
        epochs = ", ".join(map(str, trained.unevaluated))
        measurement.warn("not-evaluated", f"the budget left no time to evaluate epoch {epochs}")
    measurement.check_window(trained.blocks)


def _select(
    measurement: Measurement, policies: Policies, trained: Trained, training: Training
) -> None:
    """What the policies decided: which epoch's weights, and whether training ended early."""
    selection = policies.finish()
    if selection is not None:
        measurement.result.selection = selection
        if selection.restored and selection.best_epoch is not None:
            measurement.result.final = dict(policies.best_metrics)
            training.evaluation.sums = trained.sums.get(selection.best_epoch)
        if selection.stopped_early:
            measurement.result.planned_steps = sum(block.steps for block in trained.blocks)
    for metric in sorted(policies.unmonitored):
        measurement.warn("unmonitored", f"some epoch has no {metric}, which a policy waits for")


def measure(measurement: Measurement) -> Record:
    """Measure a cell in this process.

    Raises:
        Exception: whatever ended it; `Measurement.record` knows what was observed by then.
    """
    cell = measurement.cell
    family = family_of(cell.workload["kind"])
    parameters = family.parameters.model_validate(cell.workload, strict=False)
    require_support(family, parameters, cell.device_spec)
    with measurement.stage("import_s", "import"):
        choose(cell.device_spec.framework, cell.device_spec.kind)
        import keras

        measurement.runtime = configure(cell.device_spec)
        measurement.result.hosts = measurement.runtime.placement.hosts(cell.key)
    measurement.add_parent_timings()
    keras.utils.set_random_seed(cell.seed)
    with measurement.stage("data_s", "data"):
        dataset = _dataset(measurement, family, parameters)
    problem = family.problem(parameters, dataset, cell.seed)
    if isinstance(problem, KernelProblem):
        measure_kernel(measurement, problem)
    elif isinstance(problem, StepProblem):
        measure_own_step(measurement, problem)
    else:
        assert isinstance(parameters, TrainingParameters)
        for kind, message in problem.warnings.items():
            measurement.warn(kind, message)
        if parameters.mode == "inference":
            measure_inference(measurement, problem)
        else:
            measure_training(measurement, problem, parameters)
        if measurement.data is not None:
            counts = {
                "train_examples": problem.examples,
                "validation_examples": problem.validation_examples,
            }
            measurement.data = measurement.data.model_copy(update=counts)
    measurement.reporter.phase("finish")
    if measurement.leads:
        measurement.roofs = roofs()
    return measurement.record("ok" if measurement.result.complete else "partial")


def _dataset(measurement: Measurement, family: Family, parameters: Any) -> Dataset | None:
    request = family.data(parameters)
    if request is None:
        return None
    from accelreport.datasets.catalogue import find

    dataset = request.load(measurement.cell.folder)
    measurement.data = DataSource(
        dataset=dataset.name,
        origin=dataset.origin,
        fingerprint=dataset.fingerprint,
        files=dict(dataset.files),
        seed=dataset.seed,
        note=dataset.note,
    )
    if dataset.origin == "synthetic":
        stands_for = "" if request.make else f"synthetic stand-in, not {dataset.name}: "
        measurement.warn("data-synthetic", f"{stands_for}{dataset.note}")
    elif dataset.origin == "sample":
        measurement.warn("data-sample", dataset.note)
    elif dataset.origin == "user-supplied" and not request.make and find(dataset.name).files:
        measurement.warn("data-user-supplied", f"{dataset.name} is not the official file")
    return dataset


class NotConvergedError(AccelReportError):
    """A complete training never reached the target that its spec requires."""

    kind = "not-converged"


def require_target(record: Record) -> None:
    """See that a complete training reached its target in some epoch, where that is required.

    A training that a budget ended has not failed: nobody knows where it would have ended.

    Raises:
        NotConvergedError: it did not.
    """
    target = record.cell.measure.target
    if target is None or not target.required or record.status != "ok":
        return
    values = [row.metrics[target.metric] for row in record.epochs if target.metric in row.metrics]
    if any(map(target.reached_by, values)):
        return
    bound = f"{target.bound} {target.level:g}"
    best = f"{(max if target.rises else min)(values):.4g}" if values else "none"
    raise NotConvergedError(
        f"{target.metric} had to be {bound}; the best of {len(record.epochs)} epochs was {best}",
        remedy="train for more epochs, or lower measure.target",
    )


def leave_record(record: Record, path: Path) -> None:
    """Write a record for the process that waits for it, which finds all of it or nothing."""
    write_whole(path, record.model_dump_json().encode(), durable=False)


def measured(
    job: Job, reporter: Reporter, parent: ParentTimings | None = None, *, leads: bool = True
) -> Record:
    """The record of a cell measured in this process, whatever happens meanwhile."""
    measurement = Measurement(job, reporter, parent, leads=leads)
    try:
        record = measure(measurement)
        require_target(record)
    except BaseException as error:  # whatever happened belongs into the record
        guest = package_of(job.cell.workload["kind"])
        return measurement.record("failed", failure(error, guest))
    return record


def supervised(job: Job) -> Record:
    """The record of a cell measured by processes that this one starts and watches."""
    from accelreport.backend.distributed.supervisor import supervise

    measurement = Measurement(job, Reporter(None))
    try:
        return supervise(job)
    except Exception as error:  # no cluster could be made
        return measurement.record("failed", failure(error))


def quiet_tensorflow() -> None:
    """Have TensorFlow print only errors: its greetings would fill the log a failure needs."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")


def keep_temporary_files_in(folder: Path) -> None:
    """Have temporary files of this process, and of those it starts, lie in a folder.

    TensorFlow writes a file for each function that it converts, and a process that ends at
    once never removes them. The runner removes the folder of a cell.
    """
    os.environ["TMPDIR"] = tempfile.tempdir = str(folder)


def carry_out(job: Job, parent: ParentTimings | None = None) -> int:
    """Measure the cell of a job and leave its record; 0 when it was left, else `UNWRITTEN`.

    Args:
        job: what to measure, and where the record goes.
        parent: what stood before this process, when it was forked.
    """
    end_with_parent()
    # Somebody's own step works in its spec's folder from then on.
    job = job.model_copy(update={"record_path": str(Path(job.record_path).absolute())})
    keep_temporary_files_in(Path(job.record_path).parent)
    if job.cell.device_spec.strategy in SUPERVISED:
        record = supervised(job)
    else:
        record = measured(job, Reporter(job.events_fd), parent)
    try:
        leave_record(record, Path(job.record_path))
    except OSError:
        sys.excepthook(*sys.exc_info())
        return UNWRITTEN
    return 0


def leave(code: int) -> None:
    """End this process at once.

    The record is written. Taking TensorFlow down in good order costs up to a second and, with
    a strategy that has lost a worker, may never end.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def main(arguments: list[str]) -> int:
    """Carry out the job of a file; see `carry_out`."""
    job = Job.model_validate_json(Path(arguments[0]).read_text(encoding="utf-8"))
    quiet_tensorflow()
    return carry_out(job)


if __name__ == "__main__":
    leave(main(sys.argv[1:]))
