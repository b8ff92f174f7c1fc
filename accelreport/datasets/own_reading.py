"""A user's data beside a spec: a table, arrays, or a folder of images by class.

Everything that is fitted is fitted on the training part alone: means and scales of numbers, the
words of a column, and the values for missing numbers. The division of the rows does not depend on a
cell's seed, so that every process learns from the same examples.
"""

from __future__ import annotations

import hashlib
import io
import math
import os
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from accelreport.datasets.base import Arrays, Dataset, fingerprint
from accelreport.datasets.cache import read_bounded
from accelreport.datasets.errors import DataCorrupt, DataUnavailable, FormatError
from accelreport.datasets.own import (
    ARRAYS,
    DAMAGED,
    FOUR,
    IMAGES,
    LIMIT,
    PAIRS,
    PARTS,
    REMEDY,
    TABLES,
    OwnData,
    Task,
    UnfitData,
    folders_in,
    images_below,
    place_of,
)
from accelreport.datasets.series import parse_csv

MOST_WORDS = 100
"""Words of a column above which it is no category."""

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
    pairs = [("x", "y")] if "x" in ready else [("x_train", "y_train"), ("x_test", "y_test")]
    for x, y in pairs:
        if ready[x].ndim < 1 or ready[y].ndim < 1 or len(ready[x]) != len(ready[y]):
            raise UnfitData(
                f"{own.path} has {_length(ready[x])} examples in `{x}` and {_length(ready[y])} "
                f"labels in `{y}`.",
                remedy="Give each example its label.",
            )
        if ready[x].dtype.kind == "U":
            raise UnfitData(
                f"`{x}` of {own.path} holds text, which no model takes.",
                remedy="Give numbers; only labels may be text.",
            )
    _refuse_unlike({x: ready[x] for x, _ in pairs}, own.path)
    columns = {y: _column(ready[y]) for _, y in pairs}
    _refuse_unlike(columns, own.path)
    labels = np.concatenate(list(columns.values()))
    classes: tuple[str, ...] = ()
    if own.task == "classification":
        labels, classes = _classes(labels, own.path, "`y`")
    else:
        labels = _finite(labels, own.path, "y")
    if len(pairs) == 2:
        border = len(ready["x_train"])
        train = {"x": ready["x_train"], "y": labels[:border]}
        validation = {"x": ready["x_test"], "y": labels[border:]}
        note = ""
    else:
        first, second = _divided(len(labels), labels if classes else None, own)
        train = {"x": ready["x"][first], "y": labels[first]}
        validation = {"x": ready["x"][second], "y": labels[second]}
        note = _how_divided(own, len(second), len(labels))
    return _dataset(own, train, validation, classes, sha256, [note], folder)


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


def _length(array: NDArray[Any]) -> int:
    return len(array) if array.ndim else 0


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
            names = next((names for names in (FOUR, PAIRS) if set(names) <= set(held)), None)
            if names is None:
                raise UnfitData(
                    f"{place.name} holds {', '.join(held) or 'no array'}.",
                    remedy="Name its arrays x and y, or x_train, y_train, x_test and y_test: "
                    f'np.savez("{place.name}", x=x, y=y).',
                )
            return {name: archive[name] for name in names}
    except DAMAGED as error:
        why = f"It is no archive of np.savez ({error})."
        raise DataCorrupt(place, why, remedy=REMEDY) from error
    except ValueError as error:
        why = f"An array cannot be read ({error})."
        remedy = "Save numbers and text: arrays of Python objects are not read."
        raise DataCorrupt(place, why, remedy=remedy) from error


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
    names, numbers = np.unique(labels, return_inverse=True)
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
    table = _rows(place, data, own)
    names = [*own.target, *(own.features or ())]
    for name in names:
        if name not in table.columns:
            raise UnfitData(
                f"{own.path} has no column {name!r}; its columns are {', '.join(table.columns)}.",
                remedy=_separator_remedy(table),
                key="target" if name in own.target else "features",
            )
    features = own.features or tuple(
        map(str, table.columns.difference(list(own.target), sort=False))
    )
    if not features:
        raise UnfitData(
            f"{own.path} has no column beside the target.",
            remedy=_separator_remedy(table) or "Add the columns to predict from.",
            key="target",
        )
    notes: list[str] = []
    every = len(table)
    table = _with_targets(table, own)
    if gone := every - len(table):
        notes.append(f"Rows left out because their target is missing: {gone:,}.")
    if own.missing == "drop" and (gone := int(table[[*features]].isna().any(axis=1).sum())):
        table = table.dropna(subset=list(features))
        notes.append(f"Rows left out because of missing values: {gone:,}.")
    classes: tuple[str, ...] = ()
    if own.task == "classification":
        labels, classes = _classes(_words(table[own.target[0]]), own.path, repr(own.target[0]))
    else:
        columns = [_numbers(table, name, own, "target") for name in own.target]
        labels = np.stack(columns, axis=1).astype(np.float32)
    first, second = _divided(len(table), labels if classes else None, own)
    encoded = [_encoded(table, name, own, first) for name in features]
    x = np.concatenate(encoded, axis=1).astype(np.float32)
    gaps = {name: int(table[name].isna().sum()) for name in features}
    numbers = sum(gaps[name] for name in features if _is_number(table[name]))
    if numbers:
        notes.append(f"Missing numbers replaced by the mean of the training part: {numbers:,}.")
    if words := sum(gaps.values()) - numbers:
        notes.append(f"Missing words, which are 0 in every input: {words:,}.")
    notes.append(_how_divided(own, len(second), len(table)))
    train = {"x": x[first], "y": labels[first]}
    validation = {"x": x[second], "y": labels[second]}
    return _dataset(own, train, validation, classes, sha256, notes, folder)


def _rows(place: Path, data: bytes, own: OwnData) -> pd.DataFrame:
    """The rows of a file.

    Raises:
        DataUnavailable: what reads such a file is not installed.
        DataCorrupt: it is no such file, or has no row.
    """
    if place.suffix == ".parquet":
        try:
            table = pd.read_parquet(io.BytesIO(data))
        except ImportError as error:
            raise DataUnavailable(
                f"{own.path} cannot be read here.",
                why="pandas reads Parquet with pyarrow, which is not installed.",
                remedy="Install it: pip install pyarrow. Or save the table as CSV.",
            ) from error
        except (ValueError, OSError) as error:
            why = f"It is not a Parquet file ({str(error).strip()})."
            raise DataCorrupt(place, why, remedy=REMEDY) from error
        table = table.reset_index(drop=True)
        table.columns = table.columns.astype(str)
    else:
        try:
            table = parse_csv(data, own.separator or TABLES.get(place.suffix, ","))
        except FormatError as error:
            raise DataCorrupt(place, str(error), remedy=REMEDY) from error
    if not isinstance(table.index, pd.RangeIndex):
        raise DataCorrupt(place, "Its rows have more values than names of columns.", remedy=REMEDY)
    if table.empty:
        raise DataCorrupt(place, "It has no row.", remedy=REMEDY)
    return table


def _other_separator(table: pd.DataFrame) -> str:
    """What divides columns where a header of one name shows that something else does."""
    only = str(table.columns[0]) if len(table.columns) == 1 else ""
    return next((mark for mark in ";\t|" if mark in only), "")


def _separator_remedy(table: pd.DataFrame) -> str:
    """What to write there."""
    written = _other_separator(table).replace("\t", "\\t")
    return f'Write separator = "{written}": that divides its columns.' if written else ""


def _with_targets(table: pd.DataFrame, own: OwnData) -> pd.DataFrame:
    """The rows whose target is known.

    Raises:
        UnfitData: one is not known, and no row may be left out.
    """
    gone = table[[*own.target]].isna()
    rows = np.flatnonzero(gone.any(axis=1).to_numpy())
    if not len(rows):
        return table
    if own.missing == "drop":
        return table.drop(index=table.index[rows])
    name = next(name for name in own.target if gone[name].iloc[rows[0]])
    raise UnfitData(
        f"Column {name!r} of {own.path} has no value in row {rows[0] + 1:,}, and it is the target.",
        remedy='Write missing = "drop" to leave such rows out.',
        key="missing",
    )


def _words(column: pd.Series) -> NDArray[Any]:
    """The values of a column of classes: numbers as numbers, everything else as text."""
    if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
        return np.asarray(column.to_numpy())
    return np.asarray(column.astype(str).to_numpy(), dtype=np.str_)


def _is_number(column: pd.Series) -> bool:
    """Whether more than half of a column's values are numbers."""
    if pd.api.types.is_numeric_dtype(column):
        return True
    if not (pd.api.types.is_string_dtype(column) or pd.api.types.is_object_dtype(column)):
        return False
    had = column.dropna()
    return len(had) > 0 and bool(pd.to_numeric(had, errors="coerce").notna().mean() > 0.5)


def _numbers(
    table: pd.DataFrame, name: str, own: OwnData, key: str = "features"
) -> NDArray[np.float64]:
    """A column of numbers, NaN where none is given.

    Raises:
        UnfitData: it holds something else; the message names row and column.
    """
    column = table[name]
    values = pd.to_numeric(column, errors="coerce").to_numpy(np.float64, na_value=np.nan)
    wrong = np.flatnonzero((np.isnan(values) & column.notna().to_numpy()) | np.isinf(values))
    if len(wrong):
        row = int(wrong[0])
        raise UnfitData(
            f"Column {name!r} of {own.path} holds {str(column.iloc[row])!r} in row "
            f"{int(table.index[row]) + 1:,}, which is not a number.",
            remedy='Correct it, or write task = "classification".'
            if key == "target"
            else "Correct it, or leave the column out of `features`.",
            key=key,
        )
    return values


def _encoded(
    table: pd.DataFrame, name: str, own: OwnData, training: NDArray[np.int64]
) -> NDArray[np.float64]:
    """A column as the inputs that a model takes: [rows, 1], or one of 0 and 1 for each word.

    Raises:
        UnfitData: it cannot be encoded; the message names row and column.
    """
    column = table[name]
    gone = column.isna().to_numpy()
    values = _numbers(table, name, own) if _is_number(column) else None
    if gone.any() and own.missing == "fail":
        row = int(np.flatnonzero(gone)[0])
        raise UnfitData(
            f"Column {name!r} of {own.path} has no value in row {int(table.index[row]) + 1:,}.",
            remedy='Write missing = "mean" for the mean of the training part, or '
            'missing = "drop" to leave such rows out.',
            key="missing",
        )
    if values is not None:
        known = values[training][~gone[training]]
        if not len(known):
            raise UnfitData(
                f"Column {name!r} of {own.path} has no value in a row that trains.",
                remedy="Leave it out of `features`.",
                key="features",
            )
        values = np.where(gone, known.mean(), values)
        if own.standardise:
            scale = values[training].std()
            values = (values - values[training].mean()) / (scale if scale > 0 else 1.0)
        return values[:, np.newaxis]
    if pd.api.types.is_datetime64_any_dtype(column):
        raise UnfitData(
            f"Column {name!r} of {own.path} holds times, which a model cannot take as they are.",
            remedy="Make numbers of them, or leave the column out of `features`.",
            key="features",
        )
    text = column.astype(str).to_numpy(dtype=np.str_)
    # A missing word, and one that only the validation part has, is 0 in every input.
    words = np.unique(text[training][~gone[training]])
    if len(words) > MOST_WORDS:
        raise UnfitData(
            f"Column {name!r} of {own.path} holds {len(words):,} different words, such as "
            f"{str(words[0])!r}; at most {MOST_WORDS} become inputs.",
            remedy="Leave it out of `features`.",
            key="features",
        )
    inputs: NDArray[np.float64] = (text[:, np.newaxis] == words).astype(np.float64)
    return inputs * ~gone[:, np.newaxis]


# Images -----------------------------------------------------------------------------------------


def _images(place: Path, own: OwnData, folder: str) -> Dataset:
    """Images of a folder with one folder for each class, or with those of each part."""
    if own.task != "classification":
        raise UnfitData(
            f"{own.path} is a folder of images by class.",
            remedy='Write task = "classification".',
            key="task",
        )
    inside = [path.name for path in folders_in(place)]
    parts = {name: PARTS[name] for name in inside if name in PARTS}
    divided = set(parts.values()) == {"train", "test"} and len(parts) == len(inside) == 2
    tops = {parts[name]: place / name for name in inside} if divided else {"": place}
    images = {
        part: [path for class_folder in folders_in(top) for path in _images_in(class_folder)]
        for part, top in tops.items()
    }
    # A folder without images is no class: each class has examples.
    classes = tuple(sorted({path.parent.name for paths in images.values() for path in paths}))
    files = {
        part: [(path, classes.index(path.parent.name)) for path in paths]
        for part, paths in images.items()
    }
    if len(classes) < 2 or not all(files.values()):
        raise UnfitData(
            f"{own.path} holds {len(classes)} folders with images.",
            why=f"An image ends in {', '.join(IMAGES)}",
            remedy="Put the images of each class into a folder of its own, or these below train "
            "and test.",
        )
    digest = hashlib.sha256()
    arrays: dict[str, NDArray[Any]] = {}
    for part, listed in files.items():
        suffix = f"_{part}" if part else ""
        arrays[f"x{suffix}"] = _pixels(listed, own, place, digest.update)
        arrays[f"y{suffix}"] = np.array([number for _, number in listed], np.int32)
    return replace(arranged(arrays, own, digest.hexdigest(), folder), classes=classes)


def _images_in(folder: Path) -> list[Path]:
    return sorted(p for p in folder.iterdir() if p.suffix.lower() in IMAGES and p.is_file())


def _pixels(
    files: Sequence[tuple[Path, int]],
    own: OwnData,
    place: Path,
    digest: Callable[[bytes], None],
) -> NDArray[np.uint8]:
    """uint8 [n, height, width, 3]; the names and bytes of the files go into the digest.

    Raises:
        DataUnavailable: nothing here decodes images.
        DataCorrupt: a file is not an image.
        UnfitData: no size is given, and the images differ in theirs; or they are too many.
    """
    try:
        from PIL import Image
    except ImportError as error:
        raise DataUnavailable(
            f"The images of {own.path} cannot be read here.",
            why="Pillow, which decodes them, is not installed.",
            remedy="Install it: pip install pillow.",
        ) from error
    size = own.image_size
    pixels: NDArray[np.uint8] | None = None
    for number, (path, _) in enumerate(files):
        data = read_bounded(path, LIMIT, REMEDY)
        digest(f"{path.relative_to(place).as_posix()} {len(data)}\n".encode())
        digest(data)
        try:
            with Image.open(io.BytesIO(data)) as image:
                size = height, width = size or (image.height, image.width)
                if pixels is None:
                    if (size_b := len(files) * height * width * 3) > LIMIT:
                        raise UnfitData(
                            f"The images of {own.path} have {size_b:,} bytes in all; at most "
                            f"{LIMIT:,} are read.",
                            remedy="Write a smaller image_size.",
                            key="image_size",
                        )
                    pixels = np.empty((len(files), height, width, 3), np.uint8)
                if own.image_size is None and (image.height, image.width) != size:
                    raise UnfitData(
                        f"{os.fspath(path.relative_to(place))} has {image.height} × {image.width} "
                        f"pixels, and others of {own.path} have {height} × {width}.",
                        remedy=f"Write image_size = [{height}, {width}], the height and "
                        "width to which all are resized.",
                        key="image_size",
                    )
                pixels[number] = np.asarray(image.convert("RGB").resize((width, height)))
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
            why = f"It is not an image ({error})."
            raise DataCorrupt(path, why, remedy="Replace it.") from error
    assert pixels is not None
    return pixels


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
        images = sorted(images_below(path))
        first = [(image, 0) for image in images[:1]]
        size = list(_pixels(first, own, path, lambda _: None).shape[1:3]) if first else [64, 64]
        return {"task": "classification", "image_size": size, "divide_by": 255.0}, len(images)
    data = read_bounded(path, LIMIT, REMEDY)
    if path.suffix == ARRAYS:
        arrays = _arrays(path, data)
        labels = _column(np.asarray(arrays["y" if "y" in arrays else "y_train"]))
        examples = arrays["x" if "x" in arrays else "x_train"]
        pixels = examples.dtype == np.uint8 and examples.ndim > 2
        return {"task": _task(labels)} | ({"divide_by": 255.0} if pixels else {}), len(examples)
    table = _rows(path, data, own)
    if separator := _other_separator(table):
        table = _rows(path, data, replace(own, separator=separator))
    columns = list(map(str, table.columns))
    # No model takes a time, and none predicts one.
    usable = [n for n in columns if not pd.api.types.is_datetime64_any_dtype(table[n])]
    called = [n for n in usable if n.casefold() in {"target", "label", "class", "y"}]
    target = (called or usable or columns)[-1]
    column = table[target]
    # An identifier, or a text without end, is no input.
    inputs = [
        name
        for name in usable
        if name != target and (_is_number(table[name]) or table[name].nunique() <= MOST_WORDS)
    ]
    keys: dict[str, Any] = {"target": target}
    if inputs != [name for name in columns if name != target]:
        keys["features"] = inputs
    keys["task"] = _task(_words(column.dropna()))
    if column.isna().any():
        keys["missing"] = "drop"
    elif table[inputs].isna().any(axis=None):
        keys["missing"] = "mean"
    return keys | ({"separator": separator} if separator else {}), len(table)


FEW_CLASSES = 20
"""Different whole numbers up to which a target looks like classes."""


def _task(labels: NDArray[Any]) -> Task:
    if labels.dtype.kind in "Ub":
        return "classification"
    values = np.unique(labels)
    whole = labels.dtype.kind in "iu" or not (values % 1).any()
    return "classification" if whole and len(values) <= FEW_CLASSES else "regression"
