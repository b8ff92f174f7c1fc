"""A user's images: which files of a folder are read, and how their pixels become alike."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from accelreport.datasets.cache import read_bounded
from accelreport.datasets.errors import DataCorrupt, DataUnavailable
from accelreport.datasets.own import IMAGES, LIMIT, REMEDY, OwnData, UnfitData, folders_in, parts_of

MODES = {"rgb": "RGB", "grayscale": "L"}
"""Pillow's name of each colour mode."""

FRAMES = "frames"
"""Beside Pillow's modes: images of several frames."""


def images_by_class(place: Path, own: OwnData) -> tuple[dict[str, list[Path]], list[str]]:
    """The images of each part, sorted by class, and notes on what is left out.

    Raises:
        UnfitData: there are no two classes, or images lie where no class is.
    """
    tops, unused = parts_of(place)
    notes = [f"{name}/ is left out: {tops['test'].name}/ validates." for name in unused]
    images: dict[str, list[Path]] = {}
    others: list[Path] = []
    for part, top in tops.items():
        images[part] = []
        for path in sorted(top.rglob("*")):
            inside = path.relative_to(top).parts
            if path.is_dir() or any(name.startswith(".") for name in inside):
                continue
            is_image = path.suffix.lower() in IMAGES
            if is_image and len(inside) > 2:
                raise UnfitData(
                    f"{path.relative_to(place).as_posix()} lies in a folder below that of a class.",
                    remedy="Put the images of each class into one folder, and the folders of the "
                    "classes into one folder, or below train and val.",
                )
            (images[part] if is_image and len(inside) == 2 else others).append(path)
    if others:
        shown = ", ".join(path.relative_to(place).as_posix() for path in others[:3])
        notes.append(
            f"Left out, because they are no images that are read or lie in no class: {len(others)} "
            f"files, such as {shown}."
        )
    classes = {path.parent.name for paths in images.values() for path in paths}
    if len(classes) < 2 or not all(images.values()):
        raise UnfitData(
            f"{own.path} holds {len(classes)} folders with images.",
            why=" ".join([f"An image ends in {', '.join(IMAGES)}.", *notes]),
            remedy="Put the images of each class into a folder of its own, or these below train "
            "and val.",
        )
    return images, notes


def pixels(
    files: Sequence[Path], own: OwnData, place: Path, digest: Callable[[bytes], None]
) -> tuple[NDArray[np.uint8], Counter[str]]:
    """uint8 [n, height, width, channels], upright, and how many images had each of Pillow's modes.

    The names and bytes of the files go into the digest.

    Raises:
        DataUnavailable: nothing here decodes images.
        DataCorrupt: a file is not an image.
        UnfitData: no size is given, and the images differ in theirs; or they are too many.
    """
    try:
        from PIL import Image, ImageOps, UnidentifiedImageError
    except ImportError as error:
        raise DataUnavailable(
            f"The images of {own.path} cannot be read here.",
            why="Pillow, which decodes them, is not installed.",
            remedy="Install it: pip install pillow.",
        ) from error
    size = own.image_size
    channels = len(MODES[own.color_mode])
    array: NDArray[np.uint8] | None = None
    modes: Counter[str] = Counter()
    for number, path in enumerate(files):
        data = read_bounded(path, LIMIT, REMEDY)
        digest(f"{path.relative_to(place).as_posix()} {len(data)}\n".encode())
        digest(data)
        try:
            with Image.open(io.BytesIO(data)) as opened:
                image = ImageOps.exif_transpose(opened)
            modes["RGBA" if image.has_transparency_data else image.mode] += 1
            modes[FRAMES] += getattr(opened, "n_frames", 1) > 1
            if image.mode in {"I", "F"}:
                raise UnfitData(
                    f"{path.relative_to(place).as_posix()} has pixels of 32 bits, whose white is "
                    "unknown.",
                    remedy="Save the images with 8 or 16 bits.",
                )
            if image.mode.startswith("I;16"):
                image = Image.fromarray((np.asarray(image) // 257).astype(np.uint8))
            size = height, width = size or (image.height, image.width)
            if array is None:
                if (in_all := len(files) * height * width * channels) > LIMIT:
                    raise UnfitData(
                        f"The images of {own.path} have {in_all:,} bytes in all; at most "
                        f"{LIMIT:,} are read.",
                        remedy="Write a smaller image_size.",
                        key="image_size",
                    )
                array = np.empty((len(files), height, width, channels), np.uint8)
            if own.image_size is None and (image.height, image.width) != size:
                raise UnfitData(
                    f"{path.relative_to(place).as_posix()} has {image.height} × {image.width} "
                    f"pixels, and others of {own.path} have {height} × {width}.",
                    remedy=f"Write image_size = [{height}, {width}], the height and "
                    "width to which all are resized.",
                    key="image_size",
                )
            brought = image.convert(MODES[own.color_mode]).resize((width, height))
            array[number] = np.asarray(brought).reshape(height, width, channels)
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
            # Of a file that it does not know Pillow names an address in memory.
            named = "" if isinstance(error, UnidentifiedImageError) else f" ({error})"
            why = f"It is not an image that Pillow reads{named}."
            raise DataCorrupt(path, why, remedy="Replace it.") from error
    assert array is not None
    return array, modes


def converted(modes: Counter[str], own: OwnData) -> str:
    """A note on the images that were not as they are read."""
    wanted = MODES[own.color_mode]
    odd = [f"{n:,} of {mode}" for mode, n in sorted(modes.items()) if mode not in {wanted, FRAMES}]
    dropped = ", transparency dropped" if "RGBA" in modes else ""
    notes = [f"Images converted to {wanted}{dropped}: {', '.join(odd)}."] if odd else []
    frames = modes[FRAMES]
    notes += (
        [f"Images of several frames, of which the first is read: {frames:,}."] if frames else []
    )
    return " ".join(notes)


def first_image(place: Path) -> Path | None:
    """The first image of a folder by class."""
    top = next(iter(parts_of(place)[0].values()))
    images = (
        path
        for folder in folders_in(top)
        for path in sorted(folder.iterdir())
        if path.suffix.lower() in IMAGES
    )
    return next(images, None)
