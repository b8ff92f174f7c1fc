"""How the families that train a model are put together."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from accelreport.workloads.base import DataRequest, Family, TrainingParameters, TrainingProblem

if TYPE_CHECKING:
    from accelreport.datasets.base import Dataset

EVERY = frozenset({"tensorflow", "jax", "torch"})
"""For families whose models are Keras' own layers, and all else `numerics`."""


def training_family(
    title: str,
    parameters: type[TrainingParameters],
    module: str,
    options: Callable[[Any], Mapping[str, Any]] = lambda parameters: {},  # noqa: ARG005
    frameworks: frozenset[str] = frozenset({"tensorflow"}),
    recurrent: Callable[[Mapping[str, Any]], bool] = lambda workload: False,  # noqa: ARG005
) -> Family:
    """A family whose parameters name a `dataset`, and whose models live in a module.

    Args:
        title: what the report calls it.
        parameters: its typed parameters; the default of `kind` is its name.
        module: has `problem(parameters, data)`; imported only when a cell is measured,
            because it needs TensorFlow.
        options: parameters (checked) → what the data set is asked for.
        frameworks: see `Family`.
        recurrent: see `Family`.
    """

    def data(checked: Any) -> DataRequest:
        return DataRequest(name=checked.dataset, mode=checked.data, options=options(checked))

    def problem(checked: Any, data: Dataset | None, _seed: int) -> TrainingProblem:
        made: TrainingProblem = importlib.import_module(module).problem(checked, data)
        return made

    return Family(
        kind=parameters.model_fields["kind"].default,
        title=title,
        parameters=parameters,
        shape="training",
        data=data,
        problem=problem,
        frameworks=frameworks,
        recurrent=recurrent,
    )
