"""Faults that are known before the first cell of a run: absent data, too few steps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import tomli

from accelreport.datasets.cache import data_root, file_at, locate, places
from accelreport.datasets.catalogue import CATALOGUE
from accelreport.datasets.errors import DataUnavailable
from accelreport.datasets.own import OwnData, most_examples, place_of
from accelreport.results.record import Failure
from accelreport.spec.cells import Cell
from accelreport.spec.parameters import TrainingParameters, is_called
from accelreport.workloads.keras_parameters import KerasParameters
from accelreport.workloads.own_model import RANDOM_EXAMPLES, named_code
from accelreport.workloads.training import steps_for


class AbsentData:
    """The data of cells that are absent on this machine.

    Args:
        texts: text of each spec, by its name, because its profiles may read other data.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._known: dict[tuple[str, ...], Failure | None] = {}

    def of(self, cell: Cell) -> Failure | None:
        """A cell's absent data and the remedy; None if all are present."""
        name, data = (str(cell.workload.get(key) or "") for key in ("dataset", "data"))
        file = str(cell.value("series.path") or "") if name == "csv" and data == "real" else ""
        asked = (cell.spec, name, data, file, cell.folder)
        if asked not in self._known:
            absent = _absent(name, data, file, cell.folder)
            if absent:
                profiles = tomli.loads(self._texts.get(cell.spec, "")).get("profiles", {})
                if profiles.get("quick", {}).get("workload.data") in {"sample", "synthetic"}:
                    remedy = f"{absent.remedy} --profile quick needs none."
                    absent = absent.model_copy(update={"remedy": remedy})
            self._known[asked] = absent
        return self._known[asked]

    def warnings(self, cells: Iterable[Cell]) -> dict[str, str]:
        """Spec → its absent data and the remedy; only specs with absent data."""
        absent = {cell.spec: failure for cell in cells if (failure := self.of(cell))}
        return {spec: f"{error.message} {error.remedy}" for spec, error in absent.items()}


def _absent(name: str, data: str, file: str, folder: str) -> Failure | None:
    entry = CATALOGUE.get(name)
    if file:
        if file_at(file, folder):
            return None
        looked = dict.fromkeys(places(file, folder))
        message = f"There is no file {file}; looked for {', '.join(map(str, looked))}."
        remedy = "Put it there, or measure on a stand-in with --data synthetic."
        return Failure(kind="data-unavailable", message=message, remedy=remedy)
    if entry is not None and data == "real" and entry.files:
        root = data_root()
        missing = [file.path for file in entry.files if locate(file, root) is None]
        if not missing:
            return None
        message = f"The data set {name} is not in {root} (missing: {', '.join(missing)})."
        remedy = f"`accelreport data fetch {name}` brings it."
        return Failure(kind="data-unavailable", message=message, remedy=remedy)
    if name or data in {"", "real", "sample", "synthetic"} or named_code(data):
        return None
    try:
        place_of(data, folder)
    except DataUnavailable as error:
        message = f"{error.what} {error.why}"
        return Failure(kind="data-unavailable", message=message, remedy=error.remedy)
    return None


def unsound(cells: Sequence[Cell]) -> list[tuple[str, str]]:
    """Spec, and a message with the remedy, for each part of it that measures nothing."""
    return [*new_weights(cells), *too_few_steps(cells), *unknown_metrics(cells)]


def new_weights(cells: Iterable[Cell]) -> list[tuple[str, str]]:
    """Each spec that names a saved model and begins with new weights."""
    named = {
        (cell.spec, cell.parameters.new_weights): None
        for cell in cells
        if isinstance(cell.parameters, KerasParameters) and cell.parameters.new_weights
    }
    return [(spec, f'{text}; weights = "keep" keeps them') for spec, text in named]


def too_few_steps(cells: Iterable[Cell]) -> Iterator[tuple[str, str]]:
    """Each spec whose trainings end within their warm-up, so that no step of them is timed."""
    warned: set[str] = set()
    examples: dict[tuple[str | None, str, float | None, str], int | None] = {}
    for cell in cells:
        parameters = cell.parameters
        if cell.spec in warned or not isinstance(parameters, TrainingParameters):
            continue
        if is_called(parameters):
            continue
        name, share = (getattr(parameters, key, None) for key in ("dataset", "validation_split"))
        read = (name, parameters.data, share, cell.folder)
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


def _most_examples(name: str | None, data: str, share: float | None, folder: str) -> int | None:
    """The largest possible number of training examples; None if it needs reading the data."""
    if name or data in {"", "real", "sample"} or named_code(data):
        entry = CATALOGUE.get(str(name))
        return entry.examples if entry else None
    if data == "synthetic":
        return RANDOM_EXAMPLES
    try:
        return most_examples(place_of(data, folder), share or OwnData.validation_split)
    except DataUnavailable:
        return None


def unknown_metrics(cells: Iterable[Cell]) -> Iterator[tuple[str, str]]:
    """Each spec that waits for a metric which its model does not have."""
    reported: set[tuple[str, str]] = set()
    for cell in cells:
        parameters = cell.parameters
        if not isinstance(parameters, KerasParameters) or is_called(parameters):
            continue
        if not parameters.dataset and parameters.data == "synthetic":
            continue
        if parameters.metrics is None and "compile" in parameters.document:
            continue  # the model has metrics of its own
        usual = "accuracy" if parameters.classifies else "mean_absolute_error"
        known = {"loss", *([usual] if parameters.metrics is None else parameters.metrics)}
        known |= {f"val_{name}" for name in known}
        target = cell.measure.target
        stopping, plateau = parameters.early_stopping, parameters.reduce_on_plateau
        asked = {
            "measure.target": target and target.metric,
            "workload.early_stopping": stopping and stopping.monitor,
            "workload.reduce_on_plateau": plateau and plateau.monitor,
        }
        for key, metric in asked.items():
            if metric and metric not in known and (cell.spec, key) not in reported:
                reported.add((cell.spec, key))
                names = ", ".join(sorted(known))
                text = f"`{key}` waits for {metric}, which the model does not have; it has {names}"
                yield cell.spec, text
