"""A user's data beside a spec: a table, arrays, or a folder of images by class.

Everything that is fitted is fitted on the training part alone: means and scales of numbers, the
words of a column, and the values for missing numbers. The division of the rows does not depend on a
cell's seed, so that every process learns from the same examples.
"""

from __future__ import annotations

import hashlib
import io
import math
import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from accelreport.datasets.base import Arrays, Dataset, fingerprint
from accelreport.datasets.cache import read_bounded
from accelreport.datasets.errors import DataCorrupt
from accelreport.datasets.own import (
    ARRAYS,
    DAMAGED,
    FOUR,
    LIMIT,
    PAIRS,
    REMEDY,
    OwnData,
    Task,
    UnfitData,
    most_examples,
    place_of,
    shape_in,
)
from accelreport.datasets.own_images import converted, first_image, images_by_class, pixels
from accelreport.datasets.own_table import (
    encoded,
    features_of,
    is_number,
    numbers,
    other_separator,
    rows,
    separator_remedy,
    too_many_words,
    with_targets,
    words,
)

SEED = 20_260_101
"""Of the division into training and validation."""


def read(own: OwnData, folder: str) -> Dataset:
    """Read a user's data.

    Args:
        own: their description in the spec.
        folder: the spec's folder.

    Returns:
        `x` [n, …] and `y` [n, …] of both parts: of classes int32, of numbers float32.

    Raises:
        DataUnavailable: they are not here, or what reads them is not installed.
        DataCorrupt: the file is not what its name says.
        UnfitData: the description is wrong.
    """
    place = place_of(own.path, folder)
    if place.is_dir():
        return _images(place, own, folder)
    data = read_bounded(place, LIMIT, REMEDY)
    sha256 = hashlib.sha256(data).hexdigest()
    if place.suffix == ARRAYS:
        return arranged(_arrays(place, data), own, sha256, folder)
    return _table(place, data, own, sha256, folder)


def arranged(arrays: Arrays, own: OwnData, sha256: str, folder: str) -> Dataset:
    """Arrays as a data set.

    Args:
        arrays: `x` and `y`, or the four of `FOUR`.
        own: what the spec says of them.
        sha256: of the file that they are from.
        folder: the spec's folder.

    Raises:
        UnfitData: they are not examples and labels of this task.
    """
    ready = {name: _plain(array, name, own.path) for name, array in arrays.items()}
    _refuse_unpaired({name: (array.shape or (0,))[0] for name, array in ready.items()}, own.path)
    examples: dict[str, dict[str, NDArray[Any]]] = {}
    for name in (name for name in ready if name.startswith("x")):
        if ready[name].dtype.kind == "U":
            raise UnfitData(
                f"`{name}` of {own.path} holds text, which no model takes.",
                remedy="Give numbers; only labels may be text.",
            )
        examples.setdefault(name.partition("/")[2], {})[name] = ready[name]
    for parts in examples.values():
        _refuse_unlike(parts, own.path)
    columns = {name: _column(array) for name, array in ready.items() if name.startswith("y")}
    _refuse_unlike(columns, own.path)
    labels = np.concatenate(list(columns.values()))
    classes: tuple[str, ...] = ()
    if own.task == "classification":
        labels, classes = _classes(labels, own.path, "`y`")
    else:
        labels = _finite(labels, own.path, "y")
    if len(columns) == 2:
        border = len(ready["y_train"])
        train, validation = {"y": labels[:border]}, {"y": labels[border:]}
        for name, parts in examples.items():
            key = f"x/{name}" if name else "x"
            train[key], validation[key] = parts.values()
        note = ""
    else:
        first, second = _divided(len(labels), labels if classes else None, own)
        whole = ready | {"y": labels}
        train, validation = ({n: a[part] for n, a in whole.items()} for part in (first, second))
        note = _how_divided(own, len(second), len(labels))
    return _dataset(own, train, validation, classes, sha256, [note], folder)


def _refuse_unpaired(lengths: Mapping[str, int], path: str) -> None:
    """See that there is an example for each label, and one at least.

    Raises:
        UnfitData: there is not.
    """
    for x in (name for name in lengths if name.startswith("x")):
        y = x.partition("/")[0].replace("x", "y")
        if not lengths[x] or lengths[x] != lengths[y]:
            raise UnfitData(
                f"{path} has {lengths[x]} examples in `{x}` and {lengths[y]} labels in `{y}`.",
                remedy="Give each example its label.",
            )


def _refuse_unlike(parts: Arrays, path: str) -> None:
    """See that what trains and what validates are alike, example by example.

    Raises:
        UnfitData: they are not.
    """
    shapes = {name: array.shape[1:] for name, array in parts.items()}
    if len(set(shapes.values())) > 1:
        unlike = " and ".join(f"{shape} in `{name}`" for name, shape in shapes.items())
        raise UnfitData(
            f"One row of {path} has the shape {unlike}.",
            remedy="Give both parts rows of one shape.",
        )


def _dataset(
    own: OwnData,
    train: Arrays,
    validation: Arrays,
    classes: tuple[str, ...],
    sha256: str,
    notes: Sequence[str],
    folder: str,
) -> Dataset:
    return Dataset(
        name=Path(own.path).name,
        train=train,
        validation=validation,
        classes=classes,
        origin="user-supplied",
        files={Path(own.path).name: sha256},
        fingerprint=fingerprint(train, validation),
        note=" ".join(note for note in notes if note),
        folder=folder,
    )


# Arrays -----------------------------------------------------------------------------------------


def _arrays(place: Path, data: bytes) -> Arrays:
    """The arrays of an archive by name, without any that would run code when it is read."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            size = sum(member.file_size for member in archive.infolist())
            if size > LIMIT:
                why = f"Unpacked it has {size:,} bytes; at most {LIMIT:,} are read."
                raise DataCorrupt(place, why, remedy=REMEDY)
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            held = list(archive.files)
            names = _names_of_parts(held)
            if names is None:
                raise UnfitData(
                    f"{place.name} holds {', '.join(held) or 'no array'}.",
                    remedy="Name its arrays x and y, or x_train, y_train, x_test and y_test: "
                    f'np.savez("{place.name}", x=x, y=y). For a model with several inputs name '
                    "each array as its input: age=age, rest=rest, y=y.",
                )
            if weights := next((name for name in held if name.startswith("sample_weight")), ""):
                raise UnfitData(
                    f"{place.name} holds `{weights}`: weights of examples are not read.",
                    remedy="Leave it out; class_weight in the spec weighs classes.",
                )
            shapes = {name: shape_in(archive.zip, written) for written, name in names.items()}
            _refuse_unpaired(
                {name: (shape or (0,))[0] for name, shape in shapes.items()}, place.name
            )
            return {name: archive[written] for written, name in names.items()}
    except DAMAGED as error:
        why = f"It is no archive of np.savez ({error})."
        raise DataCorrupt(place, why, remedy=REMEDY) from error
    except ValueError as error:
        why = f"An array cannot be read ({error})."
        remedy = "Save numbers and text: arrays of Python objects are not read."
        raise DataCorrupt(place, why, remedy=remedy) from error


def _names_of_parts(held: Sequence[str]) -> dict[str, str] | None:
    """The names in an archive, and what they are called here; None where they say nothing.

    Several arrays beside the labels, of which none is called `x`, are inputs of these names.
    """
    for names in (FOUR, PAIRS):
        if set(names) <= set(held):
            return {name: name for name in names}
    labels = FOUR[1::2] if set(FOUR[1::2]) <= set(held) else ("y",)
    named = {name: name for name in labels}
    for name in sorted(set(held) - set(labels)):
        start, _, part = name.rpartition("_") if len(labels) > 1 else (name, "", "")
        named[name] = f"x_{part}/{start}" if part else f"x/{name}"
    inputs = sorted(set(named.values()) - set(labels))
    whole = {f"x{label[1:]}/{name.partition('/')[2]}" for label in labels for name in inputs}
    alike = set(labels) <= set(held) and whole == set(inputs)
    return named if alike and len(inputs) > len(labels) else None


def _plain(array: Any, name: str, path: str) -> NDArray[Any]:
    """An array of numbers, truth values or text in a type that devices compute in."""
    values = np.asarray(array)
    if values.dtype.kind not in "biufU":
        raise UnfitData(
            f"`{name}` of {path} holds {values.dtype}, which no model takes.",
            remedy="Give numbers, or text as labels.",
        )
    if values.dtype.kind == "f":
        return _finite(values, path, name)
    if values.dtype.itemsize == 8 and values.dtype.kind in "iu" and values.size:
        least, most = int(values.min()), int(values.max())
        if least >= -(2**31) and most < 2**31:
            return values.astype(np.int32)
        return values.astype(np.float32)
    return values


def _finite(values: NDArray[Any], path: str, name: str) -> NDArray[np.float32]:
    """Numbers as float32; an error names the first that is none."""
    if values.dtype.kind not in "biuf":
        raise UnfitData(
            f"`{name}` of {path} holds text, such as {str(values.flat[0])!r}, and no numbers.",
            remedy='Write task = "classification" where these are classes.',
            key="task" if name == "y" else "data",
        )
    numbers = values.astype(np.float32)
    wrong = np.argwhere(~np.isfinite(numbers))
    if len(wrong):
        place = ", ".join(str(int(index)) for index in wrong[0])
        raise UnfitData(
            f"`{name}[{place}]` of {path} is {numbers[tuple(wrong[0])]}.",
            why="Its loss would not be a number",
            remedy="Leave the example out, or put a number there.",
        )
    return numbers


def _column(labels: NDArray[Any]) -> NDArray[Any]:
    """Labels without an axis of length 1, and the number of each row of 0 and a single 1."""
    if labels.ndim == 2 and labels.shape[1] == 1:
        return labels[:, 0]
    if labels.ndim == 2 and labels.dtype.kind in "biuf":
        ones = (labels == 1).sum(axis=1)
        if ((labels == 0) | (labels == 1)).all() and (ones == 1).all():
            return np.asarray(labels.argmax(axis=1).astype(np.int32))
    return labels


def _classes(
    labels: NDArray[Any], path: str, where: str
) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """Labels as numbers from 0 in the order of their names, and the names."""
    if labels.dtype.kind == "f":
        odd = np.flatnonzero(labels.ravel() % 1)
        if len(odd):
            raise UnfitData(
                f"{where} of {path} holds {labels.ravel()[odd[0]]:g} in row {odd[0] + 1:,}, which "
                "is not a class.",
                why="Classes are whole numbers, words or truth values",
                remedy='Write task = "regression" where it is a number to predict.',
                key="task",
            )
        labels = labels.astype(np.int64)
    if labels.dtype.kind == "U":
        labels = np.char.strip(labels)
    names, numbers = np.unique(labels, return_inverse=True)
    written: dict[str, str] = {}
    for name in map(str, names):
        other = written.setdefault(name.casefold().rstrip("."), name)
        if other != name and len(name) > 1:
            raise UnfitData(
                f"{where} of {path} holds {other!r} and {name!r}, which are one class or two.",
                remedy="Write one class in one way, and two by names that differ in a letter.",
                key="data",
            )
    return numbers.reshape(labels.shape).astype(np.int32), tuple(map(str, names))


def _divided(
    count: int, classes: NDArray[Any] | None, own: OwnData
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows that train and rows that validate; of classes as large a share of each.

    Raises:
        UnfitData: one of both would be empty.
    """
    kept = math.floor(count * own.validation_split + 1e-9)
    if not 0 < kept < count:
        raise UnfitData(
            f"{own.path} has {count:,} rows, of which a share of {own.validation_split:g} "
            f"leaves {kept:,} for validation.",
            remedy="Choose another share, so that both parts have rows.",
            key="validation_split",
        )
    if own.split == "last":
        rows = np.arange(count)
        return rows[: count - kept], rows[count - kept :]
    generator = np.random.default_rng(SEED)
    order = generator.permutation(count)
    if classes is not None and classes.ndim == 1:
        order = order[np.argsort(classes[order], kind="stable")]
    taken = np.diff(np.floor(np.arange(count + 1) * (kept / count) + 1e-9)) > 0
    return generator.permutation(order[~taken]), order[taken]


def _how_divided(own: OwnData, kept: int, count: int) -> str:
    which = "The last" if own.split == "last" else "Random"
    return f"{which} {kept:,} of {count:,} rows validate."


# Tables -----------------------------------------------------------------------------------------


def _table(place: Path, data: bytes, own: OwnData, sha256: str, folder: str) -> Dataset:
    table = rows(place, data, own)
    scaled = own.standardise if isinstance(own.standardise, tuple) else ()
    keys = {"target": own.target, "features": own.columns, "standardise": scaled}
    for key, names in keys.items():
        for name in names:
            if name not in table.columns:
                known = ", ".join(table.columns)
                raise UnfitData(
                    f"{own.path} has no column {name!r}; its columns are {known}.",
                    remedy=separator_remedy(table),
                    key=key,
                )
    features, counters = (own.columns, []) if own.features else features_of(table, own)
    if not features:
        also = f", except {counters[0]!r}, which numbers the rows" if counters else ""
        remedy = f'Write features = ["{counters[0]}"] to predict from it.' if counters else ""
        raise UnfitData(
            f"{own.path} has no column beside the target{also}.",
            remedy=separator_remedy(table) or remedy or "Add the columns to predict from.",
            key="target",
        )
    shown = ", ".join(map(repr, counters))
    notes = [f"Left out, because they number rows or have no name: {shown}."] if counters else []
    every = len(table)
    table = with_targets(table, own)
    if gone := every - len(table):
        notes.append(f"Rows left out because their target is missing: {gone:,}.")
    if own.missing == "drop" and (gone := int(table[features].isna().any(axis=1).sum())):
        table = table.dropna(subset=features)
        notes.append(f"Rows left out because of missing values: {gone:,}.")
    classes: tuple[str, ...] = ()
    if own.task == "classification":
        is_number(table, own.target[0], own, "target")
        labels, classes = _classes(words(table[own.target[0]]), own.path, repr(own.target[0]))
    else:
        columns = [numbers(table, name, own, "target") for name in own.target]
        labels = np.stack(columns, axis=1).astype(np.float32)
    first, second = _divided(len(table), labels if classes else None, own)
    inputs = {name: encoded(table, name, own, first) for name in features}
    divided = own.features if isinstance(own.features, Mapping) else {"": features}
    x = {
        f"x/{port}" if port else "x": np.concatenate([inputs[c] for c in columns], axis=1)
        for port, columns in divided.items()
    }
    gaps = {name: int(table[name].isna().sum()) for name in features}
    replaced = sum(gaps[name] for name in features if is_number(table, name, own))
    if replaced:
        notes.append(f"Missing numbers replaced by the mean of the training part: {replaced:,}.")
    if empty := sum(gaps.values()) - replaced:
        notes.append(f"Missing words, which are 0 in every input: {empty:,}.")
    notes.append(_how_divided(own, len(second), len(table)))
    whole = {name: array.astype(np.float32) for name, array in x.items()} | {"y": labels}
    train, validation = ({n: a[part] for n, a in whole.items()} for part in (first, second))
    return _dataset(own, train, validation, classes, sha256, notes, folder)


# Images -----------------------------------------------------------------------------------------


def _images(place: Path, own: OwnData, folder: str) -> Dataset:
    """Images of a folder with one folder for each class, or with those of each part."""
    if own.task != "classification":
        raise UnfitData(
            f"{own.path} is a folder of images by class.",
            remedy='Write task = "classification".',
            key="task",
        )
    files, notes = images_by_class(place, own)
    classes = tuple(sorted({path.parent.name for paths in files.values() for path in paths}))
    digest = hashlib.sha256()
    arrays: dict[str, NDArray[Any]] = {}
    modes: Counter[str] = Counter()
    for part, paths in files.items():
        suffix = f"_{part}" if part else ""
        arrays[f"x{suffix}"], had = pixels(paths, own, place, digest.update)
        arrays[f"y{suffix}"] = np.array([classes.index(p.parent.name) for p in paths], np.int32)
        modes += had
    data = arranged(arrays, own, digest.hexdigest(), folder)
    notes = [data.note, *notes, converted(modes, own)]
    return replace(data, classes=classes, note=" ".join(note for note in notes if note))


# For a new spec ---------------------------------------------------------------------------------


def proposed(path: Path, shown: str) -> tuple[Mapping[str, Any], int]:
    """A description of data for a spec: keys and values by the contents of the file.

    Args:
        path: where the data are.
        shown: how the spec names them.

    Returns:
        The keys, and how many examples there are. The target is a column called so, or the last
        one that holds no times; the task is a classification where it holds words, or few
        whole numbers.

    Raises:
        DataUnavailable: the data cannot be read here.
        DataCorrupt: the file is not what its name says.
    """
    own = OwnData(path=shown, task="classification")
    if path.is_dir():
        image = first_image(path)
        size = (
            [64, 64]
            if image is None
            else list(pixels([image], own, path, lambda _: None)[0].shape[1:3])
        )
        count = most_examples(path, 0.0) or 0
        return {"task": "classification", "image_size": size, "divide_by": 255.0}, count
    data = read_bounded(path, LIMIT, REMEDY)
    if path.suffix == ARRAYS:
        arrays = _arrays(path, data)
        labels = _column(np.asarray(arrays["y" if "y" in arrays else "y_train"]))
        examples = arrays.get("x", arrays.get("x_train"))
        is_pixels = examples is not None and examples.dtype == np.uint8 and examples.ndim > 2
        return {"task": _task(labels)} | ({"divide_by": 255.0} if is_pixels else {}), len(labels)
    read_as: dict[str, Any] = {}
    while True:
        asked = replace(own, **read_as)
        try:
            table = rows(path, data, asked)
            if separator := other_separator(table):
                read_as["separator"] = separator
                continue
            inputs, left_out = _inputs(table, asked)
            break
        except UnfitData as error:
            if {**read_as, **error.writes} == read_as:
                raise
            read_as |= error.writes
    columns = list(map(str, table.columns))
    # No model takes a time, and none predicts one.
    usable = [name for name in columns if name not in left_out]
    called = [n for n in usable if n.casefold() in {"target", "label", "class", "y"}]
    target = (called or usable or columns)[-1]
    column = table[target]
    # An identifier, or a text without end, is no input.
    inputs = [name for name in inputs if name != target]
    keys: dict[str, Any] = {"target": target}
    if inputs and inputs != [name for name in columns if name != target]:
        keys["features"] = inputs
    keys["task"] = _task(words(column.dropna()))
    if column.isna().any():
        keys["missing"] = "drop"
    elif table[inputs].isna().any(axis=None):
        keys["missing"] = "mean"
    return keys | read_as, len(table)


def _inputs(table: pd.DataFrame, own: OwnData) -> tuple[list[str], list[str]]:
    """The columns that may be inputs, and those that may be neither input nor target.

    Raises:
        UnfitData: a column is a number with other keys.
    """
    inputs, neither = features_of(table, own)
    for name in list(inputs):
        try:
            if not is_number(table, name, own) and too_many_words(table[name]):
                inputs.remove(name)
        except UnfitData as error:
            if error.writes or error.key == "na_values":
                raise
            inputs.remove(name)
            neither.append(name)
    return inputs, neither


FEW_CLASSES = 20
"""Different whole numbers up to which a target looks like classes."""


def _task(labels: NDArray[Any]) -> Task:
    if labels.dtype.kind in "Ub":
        return "classification"
    values = np.unique(labels)
    whole = labels.dtype.kind in "iu" or not (values % 1).any()
    return "classification" if whole and len(values) <= FEW_CLASSES else "regression"
