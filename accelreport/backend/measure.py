"""A cell, measured: what its process observed becomes a record."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

from accelreport.backend import environment as surroundings
from accelreport.backend.artefacts import artefacts_of
from accelreport.backend.checks.examination import Examination, can_wait, everything_done
from accelreport.backend.checks.watch import Watch
from accelreport.backend.device_errors import BatchError
from accelreport.backend.energy import Meter
from accelreport.backend.flops import METHOD, CountError, count_step
from accelreport.backend.graphs import Graphs
from accelreport.backend.job import Image, Job
from accelreport.backend.kernel import Kernel, run_kernel
from accelreport.backend.kernel_path import judge_kernels, kernel_path
from accelreport.backend.observing import observe
from accelreport.backend.pace import grace_s
from accelreport.backend.peak_memory import own_peak_bytes
from accelreport.backend.policies import Policies
from accelreport.backend.reporter import Reporter
from accelreport.backend.runtime import Runtime, configure
from accelreport.backend.sensors import open_meter
from accelreport.backend.traced import Traced
from accelreport.backend.traffic import METHOD as TRAFFIC_METHOD
from accelreport.backend.traffic import TRAFFIC
from accelreport.backend.training import Trained, Training
from accelreport.datasets.base import Dataset
from accelreport.results.record import (
    DataSource,
    Flops,
    Memory,
    Record,
    Times,
    Warned,
)
from accelreport.spec.cells import Cell
from accelreport.workloads.base import (
    Family,
    KernelProblem,
    TrainingParameters,
    TrainingProblem,
)
from accelreport.workloads.registry import family_of

SHORTEST_WINDOW_S = 0.25
"""Below this a steady window says more about the clock and the scheduler than the device."""


def now() -> str:
    """This instant, UTC, in ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class Measurement:
    """Measures one cell in this process.

    Args:
        job: what to measure, and when the process was launched.
        reporter: is told about progress.
        image: what stood before this process, when it was forked.
        leads: whether this process, of several that measure the cell, leaves its files.
    """

    def __init__(
        self, job: Job, reporter: Reporter, image: Image | None = None, *, leads: bool = True
    ) -> None:
        self.cell: Cell = job.cell
        self._job = job
        self._leads = leads
        self.reporter = reporter
        self._image = image
        self.times: dict[str, float] = {"process_s": max(0.0, time.monotonic() - job.launched_s)}
        self.started_at = datetime.fromtimestamp(job.launched_at, UTC).isoformat(
            timespec="milliseconds"
        )
        self.load_before = surroundings.load()
        self.runtime: Runtime | None = None
        self.data: DataSource | None = None
        self.facts: dict[str, Any] = {}
        self.warnings: list[Warned] = []
        self.examination: Examination | None = None
        self.meter: Meter | None = None

    def run(self) -> Record:
        """Measure.

        Raises:
            Exception: whatever ended the measurement; `failed` turns it into a record.
        """
        family = family_of(self.cell.workload["kind"])
        parameters = family.parameters.model_validate(self.cell.workload, strict=False)
        with _Timed(self, "import_s", "import"):
            import keras

            self.runtime = configure(self.cell.device_spec)
            self.facts["hosts"] = self.runtime.placement.hosts(self.cell.key)
            self.warnings += self.runtime.placement.warnings
        self._count_image()
        keras.utils.set_random_seed(self.cell.seed)
        with _Timed(self, "data_s", "data"):
            dataset = self._dataset(family, parameters)
        problem = family.problem(parameters, dataset, self.cell.seed)
        if isinstance(problem, KernelProblem):
            self._kernel(problem)
        else:
            assert isinstance(parameters, TrainingParameters)
            self._training(problem, parameters, dataset)
        self.reporter.phase("finish")
        return self.record("ok" if self.facts.pop("complete") else "partial")

    def record(self, status: str, **more: Any) -> Record:
        """What is known by now, as a record."""
        found = self.examination.found if self.examination else None
        return Record.model_validate(
            {
                "cell": self.cell,
                "key": self.cell.key,
                "status": status,
                "started_at": self.started_at,
                "finished_at": now(),
                "times": Times(**self.times, **self._checks_s()),
                "data": self.data,
                "environment": surroundings.environment(
                    load_before=self.load_before,
                    accelerators=self.runtime.devices if self.runtime else None,
                    runtime=self.runtime.facts if self.runtime else None,
                ),
                "warnings": [*self.warnings, *(found.warnings() if found else [])],
                "checks": found.checks if found else [],
                "energy": self.meter.energies() if self.meter else [],
                **self.facts,
                **more,
            }
        )

    # The two shapes of work ----------------------------------------------------------------

    def _kernel(self, problem: KernelProblem) -> None:
        runtime, measure = self._ready(), self.cell.measure
        kernel = Kernel(problem, runtime, self.cell.seed)
        watch = Watch(everything_done if can_wait() else lambda: None)
        examination = self._examination()
        watch.clock = runtime.placement.clock
        examination.before_kernel(kernel)
        blocks = run_kernel(
            kernel,
            runtime,
            watch=watch,
            meter=self._meter(),
            calls=measure.calls,
            warmup_calls=measure.warmup_calls,
            budget_s=measure.budget,
            reporter=self.reporter,
        )
        self.times |= {
            "first_step_s": blocks[0].wall_s,
            "train_s": sum(block.wall_s for block in blocks),
        }
        self.data = DataSource(
            dataset="",
            origin="generated",
            fingerprint=problem.fingerprint(self.cell.seed),
            seed=self.cell.seed,
        )
        self.facts |= {
            "blocks": blocks,
            "planned_steps": measure.calls * problem.operations,
            "flops": Flops(
                per_step=problem.flops * runtime.replicas / problem.operations,
                method=problem.flops_method,
                bytes_per_step=None
                if problem.moved is None
                else problem.moved * runtime.replicas / problem.operations,
                bytes_method=problem.moved_method,
            ),
            "complete": len(blocks) == measure.calls,
        }
        self._memory()
        self._check_window([block.wall_s for block in blocks if not block.warmup])
        examination.after_kernel(kernel, watch, blocks)
        examination.canary_of_kernel(kernel, blocks)

    def _training(
        self, problem: TrainingProblem, parameters: TrainingParameters, dataset: Dataset | None
    ) -> None:
        runtime = self._ready()
        if problem.batch_size % runtime.replicas:
            raise BatchError(problem.batch_size, runtime.replicas)
        with _Timed(self, "build_s", "build"):
            graphs = Graphs(problem, runtime)
        policies = Policies(parameters, graphs)
        training = Training(
            graphs,
            pipeline=parameters.input == "pipeline",
            epochs=parameters.epochs,
            evaluation_batch=parameters.evaluation_batch_size,
            warmup=self.cell.measure.warmup_steps,
            seed=self.cell.seed,
            reporter=self.reporter,
            policies=policies,
        )
        examination, pipeline = self._examination(), parameters.input == "pipeline"
        training.prepare()
        examination.before_training(graphs, training, pipeline=pipeline)
        training.meter = self._meter()
        trained = training.run(self.cell.measure.budget)
        self.facts["began_with"] = examination.after_training(
            graphs, training, trained.blocks, pipeline=pipeline
        )
        self._note_training(trained, training, graphs, problem)
        self._note_arithmetic(training, graphs)
        self._memory()  # before anything else is made of the model
        self._select(policies, trained)
        with _Timed(self, "observe_s", "finish"):
            self._observe(problem, parameters, training, graphs)
        examination.canary_of_training(graphs, training, trained.blocks)
        if self.data is not None and dataset is not None:
            self.data = self.data.model_copy(
                update={
                    "train_examples": problem.examples,
                    "validation_examples": problem.validation_examples,
                }
            )

    def _note_training(
        self, trained: Trained, training: Training, graphs: Graphs, problem: TrainingProblem
    ) -> None:
        self.times |= {"train_s": trained.train_s, "evaluate_s": trained.evaluate_s}
        if trained.first_step_s is not None:
            self.times["first_step_s"] = trained.first_step_s
        self.facts |= {
            "blocks": trained.blocks,
            "epochs": trained.epochs,
            "planned_steps": training.planned_steps,
            "samples_per_step": problem.batch_size,
            "final": trained.epochs[-1].metrics if trained.epochs else {},
            "parameters": graphs.parameters(),
            "complete": trained.complete,
        }
        if trained.unevaluated:
            epochs = ", ".join(map(str, trained.unevaluated))
            self._warn("not-evaluated", f"the budget left no time to evaluate epoch {epochs}")
        self._check_window([block.wall_s for block in trained.blocks if not block.warmup])

    def _note_arithmetic(self, training: Training, graphs: Graphs) -> None:
        """Operations of a step and the kernels that did them, from the graph that ran."""
        runtime, traced = self._ready(), Traced(training.step_graph())
        runtime.facts.update(kernel_path(graphs.model, traced.kinds(), runtime.facts))
        if self.examination is not None:
            judge_kernels(self.examination.found, runtime.facts)
        try:
            counted = count_step(traced)
        except CountError as error:
            self._warn("flops-unknown", f"operations of a step were not counted: {error}")
            return
        graphs_in_step = runtime.placement.graphs_in_step
        moved = _moved(traced)
        self.facts["flops"] = Flops(
            per_step=counted * graphs_in_step,
            method=METHOD,
            bytes_per_step=None if moved is None else moved * graphs_in_step,
            bytes_method="" if moved is None else TRAFFIC_METHOD,
        )

    def _select(self, policies: Policies, trained: Trained) -> None:
        selection = policies.finish()
        if selection is not None:
            self.facts["selection"] = selection
        if selection is not None and selection.restored:
            self.facts["final"] = dict(policies.best_metrics)
        if selection is not None and selection.stopped_early:
            self.facts["planned_steps"] = sum(block.steps for block in trained.blocks)
        for metric in sorted(policies.unmonitored):
            self._warn("unmonitored", f"some epoch has no {metric}, which a policy waits for")

    def _observe(
        self,
        problem: TrainingProblem,
        parameters: TrainingParameters,
        training: Training,
        graphs: Graphs,
    ) -> None:
        deadline = time.perf_counter() + grace_s(self.cell.measure.budget)
        observed = observe(
            problem,
            parameters,
            training.evaluation,
            graphs,
            self.cell,
            deadline,
            artefacts_of(self._job) if self._leads else None,
        )
        self.facts["final"] = {**self.facts["final"], **observed.final}
        self.facts |= observed.fields
        self.warnings += observed.warnings

    # Parts ----------------------------------------------------------------------------------

    def _count_image(self) -> None:
        """Add what the process this one was forked from had done for it, and say how much.

        A cold start would have taken it, so that devices whose processes are not forked can
        be compared with those whose are.
        """
        if self._image is not None:
            self.times["process_s"] += self._image.process_s
            self.times["import_s"] += self._image.import_s
            self.times["prepared_s"] = self._image.process_s + self._image.import_s

    def _checks_s(self) -> dict[str, float]:
        return {"checks_s": self.examination.spent_s} if self.examination else {}

    def _examination(self) -> Examination:
        self.examination = Examination(self._ready(), self.cell.device_spec.kind)
        return self.examination

    def _meter(self) -> Meter:
        self.meter = open_meter(self.cell.device_spec.kind, self._ready().devices)
        return self.meter

    def _ready(self) -> Runtime:
        assert self.runtime is not None
        return self.runtime

    def _dataset(self, family: Family, parameters: Any) -> Dataset | None:
        request = family.data(parameters)
        if request is None:
            return None
        from accelreport.datasets.load import load

        dataset = load(request.name, mode=request.mode, options=request.options)
        self.data = DataSource(
            dataset=dataset.name,
            origin=dataset.origin,
            fingerprint=dataset.fingerprint,
            files=dict(dataset.files),
            seed=dataset.seed,
            note=dataset.note,
        )
        if dataset.origin == "synthetic":
            self._warn("data-synthetic", f"synthetic stand-in, not {dataset.name}: {dataset.note}")
        elif dataset.origin == "user-supplied":
            self._warn("data-user-supplied", f"{dataset.name} is not the official file")
        return dataset

    def _check_window(self, steady: list[float]) -> None:
        if not steady:
            self._warn("no-steady-steps", "it ended within the warm-up: there is no steady time")
        elif sum(steady) < SHORTEST_WINDOW_S:
            self._warn(
                "short-window",
                f"the steady steps took {sum(steady):.3f} s in all, "
                f"less than {SHORTEST_WINDOW_S} s",
            )

    def _warn(self, kind: str, message: str) -> None:
        self.warnings.append(Warned(kind=kind, message=message))

    def _memory(self) -> None:
        self.facts["memory"] = Memory(
            host_peak_bytes=own_peak_bytes(),
            device_peak_bytes=self._ready().placement.device_peak_bytes(),
        )


def _moved(traced: Traced) -> float | None:
    """Bytes of a step; None where a shape is not known, which the page then says."""
    try:
        return count_step(traced, TRAFFIC)
    except CountError:
        return None


class _Timed:
    """Times one stage and announces it."""

    def __init__(self, measurement: Measurement, name: str, phase: str) -> None:
        self._measurement = measurement
        self._name = name
        self._phase = phase

    def __enter__(self) -> None:
        self._measurement.reporter.phase(self._phase)
        self._watch = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        self._measurement.times[self._name] = time.perf_counter() - self._watch
