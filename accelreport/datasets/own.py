"""A user's data as a spec describes them; `own_reading` reads them."""

from __future__ import annotations

import io
import lzma
import math
import os
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from accelreport.datasets.cache import is_file_or_folder, misspelt, open_regular, places
from accelreport.datasets.entry import MEBIBYTE
from accelreport.datasets.errors import DataCorrupt, DataOptionsError, DataUnavailable

Task = Literal["classification", "regression"]
"""Whether the target is a class or a number."""

Split = Literal["random", "last"]
"""Which rows validate: some of each class by chance, or the last ones of the file."""

Missing = Literal["fail", "drop", "mean"]
"""What becomes of missing values: an error, the row left out, or the mean of the training part."""

TABLES = {".csv": ",", ".csv.gz": ",", ".tsv": "\t", ".tsv.gz": "\t", ".parquet": ""}
"""Endings of tables, and what divides their columns."""

ARRAYS = ".npz"

IMAGES = (
    *(".avif", ".bmp", ".gif", ".jfif", ".jpe", ".jpeg", ".jpg", ".pbm", ".pgm", ".png"),
    *(".ppm", ".tif", ".tiff", ".webp"),
)

TRAIN = ("train", "training")
VALIDATE = ("val", "valid", "validation", "dev", "test", "testing")
"""Folders of images that are divided already; the first of those that are there validates."""

ColorMode = Literal["rgb", "grayscale"]
"""Channels of an image, as Keras names them."""

PAIRS = ("x", "y")
FOUR = ("x_train", "y_train", "x_test", "y_test")
"""Names of the arrays in an archive: to be divided, or divided already. Of examples with several
inputs each has an array of its own: `x/age`, `x_train/age`."""

LIMIT = 4096 * MEBIBYTE
"""Bytes above which no data are read."""

REMEDY = "Correct the file, or the keys that say how it is read."

DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    RuntimeError,  # it is encrypted, or packed in a way that Python does not know
)
"""What reading a member of an archive may raise."""

MOST_COLUMNS, MOST_VALUES, MOST_EXAMPLES = 10_000, 100_000_000, 20_000_000
"""Columns of a table, values in all of them, and examples of an archive, above which it is not
read: text of so many, and classes of so many labels, take minutes."""

HEAD = 1 << 16
"""Bytes of an array that are read for its shape, which NumPy writes into fewer."""


class UnfitData(DataOptionsError):  # noqa: N818 - the name says what is the case
    """A spec describes a user's data otherwise than they are.

    Args:
        what: what does not fit.
        why: the cause.
        remedy: what to do.
        key: the parameter to change.
        writes: keys of the spec, and the values with which the data fit.
    """

    def __init__(
        self,
        what: str,
        why: str = "",
        remedy: str = "",
        *,
        key: str = "data",
        writes: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        super().__init__(what, why=why, remedy=remedy)
        self.key = key
        self.writes = writes


@dataclass(frozen=True)
class OwnData:
    """The place of a user's data, and their description in a spec.

    Attributes:
        path: the file or folder, as the spec names it.
        task: whether the target is a class or a number.
        target: columns of a table to predict.
        features: columns of a table to predict from, or those of each input of the model; all
            others when None.
        validation_split: share of the rows that validates, where the data are not divided.
        split: which rows these are.
        missing: what becomes of a table's missing values.
        standardise: whether numbers of a table are brought to mean 0 and deviation 1, or which.
        separator: what divides a CSV file's columns; by its ending when empty.
        header: whether the first line of a CSV file names its columns; None to see from it.
        decimal, thousands, na_values, keep_default_na: as pandas' `read_csv` has them.
        image_size: height and width to which images are brought.
        color_mode: channels to which they are brought.
    """

    path: str
    task: Task
    target: tuple[str, ...] = ()
    features: tuple[str, ...] | Mapping[str, tuple[str, ...]] | None = None
    validation_split: float = 0.2
    split: Split = "random"
    missing: Missing = "fail"
    standardise: bool | tuple[str, ...] = True
    separator: str = ""
    header: bool | None = None
    decimal: str = "."
    thousands: str = ""
    na_values: tuple[str, ...] = ()
    keep_default_na: bool = True
    image_size: tuple[int, int] | None = None
    color_mode: ColorMode = "rgb"

    @property
    def columns(self) -> list[str]:
        """Columns of a table that are named to predict from; empty where none are."""
        if isinstance(self.features, Mapping):
            return list(dict.fromkeys(chain.from_iterable(self.features.values())))
        return list(self.features or ())


def inputs_in(arrays: Mapping[str, Any]) -> dict[str, Any]:
    """The arrays of examples by the name of their input; a single one has none."""
    return {n.removeprefix("x")[1:]: array for n, array in arrays.items() if n[:2] in {"x", "x/"}}


def place_of(path: str, folder: str) -> Path:
    """Where data lie: beside the spec, or in the data folder.

    Args:
        path: the file or folder, as the spec names it.
        folder: the spec's folder; empty where there is none.

    Raises:
        DataUnavailable: they are in neither.
    """
    *known, here = dict.fromkeys(places(path, folder))
    looked = known or [here]
    for place in looked:
        if is_file_or_folder(place):
            return place
    near = next((p for p in (here, Path(folder) / Path(path).name) if is_file_or_folder(p)), None)
    other = next((place for place in looked if os.path.lexists(place)), None)
    raise DataUnavailable(
        f"There are no data {path}.",
        why=f"Looked for: {', '.join(map(str, looked))}."
        + (f" {other} is neither a file nor a folder." if other else ""),
        remedy=next(filter(None, map(misspelt, looked)), "")
        + (f"Move {near} there" if near else "Put them there")
        + ", or measure on random data of the model's shape with --data synthetic.",
    )


def folders_in(folder: Path) -> list[Path]:
    """Folders in a folder, sorted, without hidden ones such as `.ipynb_checkpoints`."""
    return sorted(p for p in folder.iterdir() if p.is_dir() and not p.name.startswith("."))


def ending(path: str | Path) -> str:
    """The ending of a file's name by which it is read, such as `.csv` or `.csv.gz`."""
    name = str(path).casefold()
    known = [end for end in TABLES if name.endswith(end)]
    return known[0] if known else Path(name).suffix


def parts_of(folder: Path) -> tuple[dict[str, Path], list[str]]:
    """The folders that hold the classes of each part, and names of divisions that are not used.

    Data that are not divided have one part, which has no name.

    Raises:
        UnfitData: other folders lie beside the divisions.
    """
    named = {path.name.casefold(): path for path in folders_in(folder)}
    train = next((named[name] for name in TRAIN if name in named), None)
    divided = [named[name] for name in VALIDATE if name in named]
    if train is None or not divided:
        return {"": folder}, []
    if others := sorted(named.keys() - {*TRAIN, *VALIDATE}):
        raise UnfitData(
            f"{folder.name} is divided into {train.name} and {divided[0].name}, and holds "
            f"{others[0]} too.",
            remedy="Leave only the divisions there.",
        )
    return {"train": train, "test": divided[0]}, [path.name for path in divided[1:]]


def most_examples(place: Path, validation_split: float) -> int | None:
    """The training examples that data can have at most, without reading them; None if unknown.

    Args:
        place: the file or folder.
        validation_split: share that validates, where the data are not divided already.
    """
    try:
        if place.is_dir():
            parts, _ = parts_of(place)
            top, divided = next(iter(parts.values())), len(parts) > 1
            count = sum(
                path.suffix.lower() in IMAGES for f in folders_in(top) for path in f.iterdir()
            )
        elif place.suffix == ARRAYS:
            with open_regular(place, LIMIT, REMEDY) as (file, _), zipfile.ZipFile(file) as archive:
                divided = "y_train.npy" in archive.namelist()
                count = shape_in(archive, "y_train" if divided else "y")[0]
        elif ending(place) in {".csv", ".tsv"}:
            with open_regular(place, LIMIT, REMEDY) as (file, _):
                # A line of many MiB counts several times, which is still the most there can be.
                lines = iter(partial(file.readline, MEBIBYTE), b"")
                # The first line is the head.
                count, divided = max(0, sum(not line.isspace() for line in lines) - 1), False
        else:
            return None
    except (DataCorrupt, UnfitData, ValueError, LookupError, *DAMAGED):
        return None  # reading them will name the fault
    return count if divided else count - math.floor(count * validation_split + 1e-9)


def shape_in(archive: zipfile.ZipFile, name: str) -> tuple[int, ...]:
    """The shape of an array in an archive, from its head.

    Raises:
        ValueError: the head is none, or is that of an array of another size.
    """
    from numpy.lib import format as npy

    with archive.open(f"{name}.npy") as member:
        head = io.BytesIO(member.read(HEAD))
    version = npy.read_magic(head)
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, _, kind = read(head)
    stated = math.prod(shape) * kind.itemsize
    if not kind.hasobject and stated != archive.getinfo(f"{name}.npy").file_size - head.tell():
        raise ValueError(f"its head states {stated:,} bytes, which the file does not hold")
    if not math.prod(shape):
        raise ValueError(f"{name} holds no value")
    if shape and shape[0] > MOST_EXAMPLES:
        raise ValueError(f"{name} has {shape[0]:,} examples; at most {MOST_EXAMPLES:,} are read")
    return tuple(shape)
