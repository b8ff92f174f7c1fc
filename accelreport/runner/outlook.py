"""What is known of a run before its first cell: data that are absent, steps that are too few."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import tomli

from accelreport.datasets.cache import data_root, locate
from accelreport.datasets.catalogue import CATALOGUE
from accelreport.datasets.errors import DataUnavailable
from accelreport.datasets.own import OwnData, most_examples, place_of
from accelreport.spec.cells import Cell
from accelreport.spec.parameters import TrainingParameters, is_called
from accelreport.workloads.keras_model import KerasParameters
from accelreport.workloads.own_model import RANDOM_EXAMPLES, named_code
from accelreport.workloads.training import steps_for


def absent_data(cells: Iterable[Cell], texts: Mapping[str, str]) -> dict[str, str]:
    """Spec → what it reads that is not here, and what to do; without those that have all.

    Args:
        cells: those that would be run.
        texts: text of each spec, by its name: its profiles may read other data.
    """
    known: dict[tuple[str, str, str], str] = {}
    absent: dict[str, str] = {}
    for cell in cells:
        name, data = (str(getattr(cell.parameters, key, None) or "") for key in ("dataset", "data"))
        asked = (name, data, cell.folder)
        if asked not in known:
            known[asked] = _absent(*asked)
        if known[asked]:
            absent[cell.spec] = known[asked]
    remedy = ", or --profile quick needs none"
    return {
        spec: f"{text}{remedy if _quick(texts.get(spec, '')) else ''}"
        for spec, text in absent.items()
    }


def _quick(text: str) -> bool:
    """Whether a spec's profile "quick" reads a sample, or a stand-in."""
    quick = tomli.loads(text).get("profiles", {}).get("quick", {})
    return quick.get("workload.data") in {"sample", "synthetic"}


def _absent(name: str, data: str, folder: str) -> str:
    entry = CATALOGUE.get(name)
    if entry is not None and data == "real" and entry.files:
        root = data_root()
        missing = [file.path for file in entry.files if locate(file, root) is None]
        if not missing:
            return ""
        return (
            f"the data set {name} is not in {root} (missing: {', '.join(missing)}): "
            f"`accelreport data fetch {name}` brings it"
        )
    if name or data in {"", "real", "sample", "synthetic"} or named_code(data):
        return ""
    try:
        place_of(data, folder)
    except DataUnavailable as error:
        return f"{error.what} {error.why} {error.remedy}".rstrip(".")
    return ""


def unsound(cells: Sequence[Cell]) -> list[tuple[str, str]]:
    """What a spec says that measures nothing: its name, and what to do about it."""
    return [*too_few_steps(cells), *unknown_metrics(cells)]


def too_few_steps(cells: Iterable[Cell]) -> Iterator[tuple[str, str]]:
    """Each spec whose trainings end within their warm-up, so that no step of them is timed."""
    warned: set[str] = set()
    examples: dict[tuple[object, ...], int | None] = {}
    for cell in cells:
        parameters = cell.parameters
        if cell.spec in warned or not isinstance(parameters, TrainingParameters):
            continue
        if is_called(parameters):
            continue
        said = (getattr(parameters, key, None) for key in ("dataset", "data", "validation_split"))
        read = (*said, cell.folder)
        if read not in examples:
            examples[read] = _most_examples(*read)
        limit = parameters.train_examples
        known = [count for count in (limit, examples[read]) if count is not None]
        steps = steps_for(parameters, min(known, default=0))
        if not steps:
            continue
        total, warmup = steps * parameters.epochs, cell.measure.warmup_steps
        if total <= warmup:
            warned.add(cell.spec)
            point = "".join(f" at {key} = {value}" for key, value in cell.point.items())
            text = (
                f"a training has at most {total:,} steps{point}, and `warmup_steps` leaves out "
                f"the first {warmup:,}: no step is timed. Write more epochs, or fewer warmup_steps"
            )
            yield cell.spec, text


def _most_examples(name: str | None, data: str, split: float | None, folder: str) -> int | None:
    """The training examples that data can have at most; None where only reading them tells."""
    if name or data in {"", "real", "sample"} or named_code(data):
        entry = CATALOGUE.get(str(name))
        return entry.examples if entry else None
    if data == "synthetic":
        return RANDOM_EXAMPLES
    try:
        return most_examples(place_of(data, folder), split or OwnData.validation_split)
    except DataUnavailable:
        return None


def unknown_metrics(cells: Iterable[Cell]) -> Iterator[tuple[str, str]]:
    """Each spec that waits for a metric which its model does not have."""
    told: set[tuple[str, str]] = set()
    for cell in cells:
        parameters = cell.parameters
        if not isinstance(parameters, KerasParameters) or is_called(parameters):
            continue
        if not parameters.dataset and parameters.data == "synthetic":
            continue
        known = {"loss", *parameters.metrics}
        known |= {f"val_{name}" for name in known}
        target = cell.measure.target
        stopping, plateau = parameters.early_stopping, parameters.reduce_on_plateau
        asked = {
            "measure.target": target and target.metric,
            "workload.early_stopping": stopping and stopping.monitor,
            "workload.reduce_on_plateau": plateau and plateau.monitor,
        }
        for key, metric in asked.items():
            if metric and metric not in known and (cell.spec, key) not in told:
                told.add((cell.spec, key))
                names = ", ".join(sorted(known))
                text = f"`{key}` waits for {metric}, which the model does not have; it has {names}"
                yield cell.spec, text
