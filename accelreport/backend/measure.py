"""A cell, measured: its family says what is done, and a kernel or a training does it."""

from __future__ import annotations

from typing import Any

from accelreport.backend.frameworks import choose, require_support
from accelreport.backend.measure_kernel import measure_kernel
from accelreport.backend.measure_training import measure_training
from accelreport.backend.measurement import Measurement
from accelreport.backend.roofs import roofs
from accelreport.backend.runtime import configure
from accelreport.datasets.base import Dataset
from accelreport.results.record import DataSource, Record
from accelreport.workloads.base import Family, KernelProblem, TrainingParameters
from accelreport.workloads.registry import family_of


def measure(measurement: Measurement) -> Record:
    """Measure a cell in this process.

    Raises:
        Exception: whatever ended it; `Measurement.record` knows what was observed by then.
    """
    cell = measurement.cell
    family = family_of(cell.workload["kind"])
    parameters = family.parameters.model_validate(cell.workload, strict=False)
    require_support(family, cell.workload, cell.device_spec)
    with measurement.stage("import_s", "import"):
        choose(cell.device_spec.framework, cell.device_spec.kind)
        import keras

        measurement.runtime = configure(cell.device_spec)
        placement = measurement.runtime.placement
        measurement.facts["hosts"] = placement.hosts(cell.key)
        measurement.warnings += placement.warnings
    measurement.count_image()
    keras.utils.set_random_seed(cell.seed)
    with measurement.stage("data_s", "data"):
        dataset = _dataset(measurement, family, parameters)
    problem = family.problem(parameters, dataset, cell.seed)
    if isinstance(problem, KernelProblem):
        measure_kernel(measurement, problem)
    else:
        assert isinstance(parameters, TrainingParameters)
        measure_training(measurement, problem, parameters)
    measurement.reporter.phase("finish")
    if measurement.leads:
        measurement.roofs = roofs()
    return measurement.record("ok" if measurement.facts.pop("complete") else "partial")


def _dataset(measurement: Measurement, family: Family, parameters: Any) -> Dataset | None:
    request = family.data(parameters)
    if request is None:
        return None
    from accelreport.datasets.load import load

    dataset = load(request.name, mode=request.mode, options=request.options)
    measurement.data = DataSource(
        dataset=dataset.name,
        origin=dataset.origin,
        fingerprint=dataset.fingerprint,
        files=dict(dataset.files),
        seed=dataset.seed,
        note=dataset.note,
    )
    if dataset.origin == "synthetic":
        measurement.warn(
            "data-synthetic", f"synthetic stand-in, not {dataset.name}: {dataset.note}"
        )
    elif dataset.origin == "user-supplied":
        measurement.warn("data-user-supplied", f"{dataset.name} is not the official file")
    return dataset
