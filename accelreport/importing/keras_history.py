"""Trainings as Keras recorded them: `History.history` as JSON or CSV, or a `CSVLogger`'s file.

They hold a value of each metric for each epoch, or for those that validated. Keras records no
times. A column of times that a callback added is read if its name is a usual one, or if an option
names it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from accelreport.importing import WhichEpoch
from accelreport.importing.reader import (
    Asked,
    FigureRow,
    FigureTable,
    Given,
    NotAsked,
    Readout,
    Unreadable,
    Value,
    number,
    rounded,
)
from accelreport.spec.problems import listed, quote

METRICS = {
    "accuracy": ("accuracy", "acc", "sparse_categorical_accuracy", "categorical_accuracy",
                 "binary_accuracy"),
    "loss": ("loss",),
}  # fmt: skip
METRICS |= {f"val_{key}": tuple(f"val_{name}" for name in METRICS[key]) for key in tuple(METRICS)}
"""Figure → its names in Keras."""

MONITORS = ("val_accuracy", "val_loss", "accuracy", "loss")
"""Metrics that decide which epoch is the best; the first one that was recorded does."""

RATES = ("learning_rate", "lr")

TIMES = ("epoch_time", "epoch_seconds", "epoch_duration", "seconds", "duration")
"""Usual names of a column with the seconds of each epoch."""

ELAPSED = ("elapsed", "elapsed_time", "elapsed_seconds")
"""Usual names of a column with the seconds since the training began."""

Curves = Mapping[str, Mapping[int, Decimal | None]]
"""Values of each column by epoch from 0; None is no number, and an epoch without a value absent."""


class KerasHistory:
    """A training: the metrics of its last or best epoch, and its times where there are any."""

    title = "a History or CSVLogger file of Keras"

    def recognises(self, given: Given) -> bool:
        """Whether there are lists of a metric by epoch, or rows of epochs."""
        return _curves(given) is not None

    def read(self, given: Given, asked: Asked) -> Readout:
        """One row."""
        curves = _curves(given)
        if curves is None:
            raise Unreadable(
                f"{given.name}: this is not a Keras training history.",
                why="A history is the JSON of history.history or a file of CSVLogger.",
            )
        curves = {name: curve for name, curve in curves.items() if name not in asked.leave_out}
        chosen = _chosen(curves)
        epochs = max((max(curve, default=-1) for curve in curves.values()), default=-1) + 1
        index, when = _epoch(given.name, curves, chosen, asked, epochs)
        at = {
            figure: max((epoch for epoch in curves[name] if epoch <= index), default=index)
            for figure, name in chosen.items()
        }
        there = {figure: curves[name].get(at[figure]) for figure, name in chosen.items()}
        keys: dict[str, Value] = {key: value for key, value in there.items() if value is not None}
        left_out = [f"{quote(chosen[key])}: not a number" for key in there if key not in keys]
        times, column = _times(given.name, curves, asked)
        read = {*chosen.values(), column, "epoch"}
        note = f"Keras recorded {epochs} epochs; {when}."
        for epoch in sorted({epoch for epoch in at.values() if epoch != index}):
            names = [figure for figure in at if at[figure] == epoch]
            note += f" {listed(names)} {'is' if len(names) == 1 else 'are'} of epoch {epoch + 1}."
        if times:
            keys["first_epoch_time"] = rounded(times[0])
            keys["total_time"] = rounded(sum(times, Decimal(0)))
            mean = ""
            if later := times[1:]:
                keys["epoch_time"] = rounded(sum(later, Decimal(0)) / len(later))
                mean = "; epoch_time is the mean of all but the first"
            note += f" Times from the column {quote(column)}{mean}."
            keys["mark"] = "D"
        row = FigureRow(given.name, keys | {"note": note})
        return Readout([row], [*left_out, *_left_out(curves, read)])


def _curves(given: Given) -> Curves | None:
    """The columns of a training by epoch; None where the file holds none."""
    data = given.data
    if given.table is not None and (data is None or isinstance(data, list)):
        return _logged(given.table)
    if isinstance(data, dict) and isinstance(data.get("history"), dict):
        data = data["history"]
    if not isinstance(data, dict) or not data:
        return None
    if all(isinstance(values, dict) and "0" in values for values in data.values()):
        # `DataFrame.to_json` writes each column as an object of its rows.
        data = {name: list(values.values()) for name, values in data.items()}
    if not all(isinstance(values, list) and values for values in data.values()):
        return None
    epochs = max(map(len, data.values()))
    curves = {}
    for name, values in data.items():
        # With `validation_freq` only each so many epochs have a value.
        step = epochs // len(values) if name.startswith("val_") else 1
        even = epochs // step == len(values)
        first = step - 1 if even else epochs - len(values)
        places = range(first, epochs, step if even else 1)
        curves[name] = dict(zip(places, map(number, values), strict=True))
    return curves


def _logged(table: FigureTable) -> Curves | None:
    """The columns of a CSVLogger's file, or of a table of epochs; None where it is another one.

    Raises:
        Unreadable: the epochs do not increase.
    """
    columns = set(table.columns)
    known = {"index", "Unnamed: 0", "time", *RATES, *TIMES, *ELAPSED}
    known |= {name for names in METRICS.values() for name in names}
    known |= {name for name in columns if f"val_{name}" in columns or name[4:] in columns}
    # A further metric has fractions; a swept key has whole numbers or names.
    other = [
        all((number(row.cells.get(name)) or Decimal(0)) % 1 == 0 for row in table.rows)
        for name in columns - known
    ]
    is_history = "epoch" in columns or (
        "loss" in columns and len(table.rows) > 1 and not any(other)
    )
    if columns & {"device", "label"} or not table.rows or not is_history:
        return None
    before: Decimal | None = None
    for row in table.rows if "epoch" in columns else ():
        epoch = number(row.cells.get("epoch"))
        if epoch is None or (before is not None and epoch <= before):
            raise Unreadable(
                f"{row.place}: the epoch {quote(str(row.cells.get('epoch', '')))} does not follow "
                f"{'the header' if before is None else before}.",
                why="A file with several appended trainings is not one training.",
                remedy="Keep the rows of one training.",
            )
        before = epoch
    return {
        column: {
            place: number(row.cells[column])
            for place, row in enumerate(table.rows)
            if row.cells.get(column) not in {None, "NA"}  # CSVLogger's mark of an absent value
        }
        for column in table.columns
    }


def _chosen(curves: Curves) -> dict[str, str]:
    """Figure → the column that holds it.

    Raises:
        NotAsked: several columns hold one figure.
    """
    chosen = {}
    for figure, names in METRICS.items():
        there = [
            name for name in names if any(v is not None for v in curves.get(name, {}).values())
        ]
        if len(there) > 1:
            raise NotAsked(
                f"There are {listed([quote(name) for name in there])}, and one `{figure}`.",
                remedy=f"Leave out the others, for example: --leave-out {there[-1]}",
            )
        if there:
            chosen[figure] = there[0]
    return chosen


def _epoch(
    name: str, curves: Curves, chosen: Mapping[str, str], asked: Asked, epochs: int
) -> tuple[int, str]:
    """The index of the epoch to import, and a clause of the note that says which it is.

    Raises:
        Unreadable: the best one is wanted, and no metric decides which it is.
    """
    if asked.take is WhichEpoch.LAST:
        return epochs - 1, "these are of the last"
    for monitor in MONITORS:
        values = curves.get(chosen.get(monitor, ""), {})
        known = [(value, index) for index, value in values.items() if value is not None]
        if known:
            least = monitor.endswith("loss")
            best = min(known, key=lambda pair: (pair[0] if least else -pair[0], pair[1]))
            return best[1], f"these are of epoch {best[1] + 1}, the best by {chosen[monitor]}"
    raise Unreadable(f"{name}: no metric shows which epoch is the best.")


def _times(name: str, curves: Curves, asked: Asked) -> tuple[list[Decimal], str]:
    """The seconds of each epoch, and their column; empty where there is none.

    Raises:
        NotAsked: an option names a column that is absent.
        Unreadable: the column holds no such times.
    """
    for column in (asked.time_column, asked.elapsed_column):
        if column and column not in curves:
            raise NotAsked(f"{name} has no column {quote(column)}.")
    elapsed = asked.elapsed_column or next((column for column in ELAPSED if column in curves), "")
    column = asked.time_column or next((column for column in TIMES if column in curves), "")
    if asked.elapsed_column or (elapsed and not column):
        column = elapsed
        since = _numbers(name, curves, column)
        times = [late - early for early, late in zip([Decimal(0), *since], since, strict=False)]
    elif column:
        times = _numbers(name, curves, column)
    else:
        return [], ""
    if any(time <= 0 for time in times):
        raise Unreadable(
            f"{name}: the column {quote(column)} does not hold "
            f"{'times that grow' if column == elapsed else 'times above 0'}.",
            remedy="--time-column names the seconds of each epoch, --elapsed-column the seconds "
            f"since the start; --leave-out {column} ignores the column.",
        )
    return times, column


def _numbers(name: str, curves: Curves, column: str) -> list[Decimal]:
    """The values of a column, all of which must be numbers."""
    epochs = max(map(len, curves.values()))
    values = [value for value in curves[column].values() if value is not None]
    if len(values) < epochs:
        raise Unreadable(f"{name}: the column {quote(column)} has values that are not numbers.")
    return values


def _left_out(curves: Mapping[str, Any], read: set[str]) -> Iterator[str]:
    """Sentences about the columns that were not read."""
    others = [name for name in curves if name not in read]
    if others:
        yield f"{', '.join(map(quote, others[:12]))}: not figures of a spec"
    if not read & {*TIMES, *ELAPSED} and "time" in others:
        yield (
            '"time" may be seconds of an epoch (--time-column time) or since the start '
            "(--elapsed-column time)"
        )
