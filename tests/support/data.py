"""Where tests find data files: real ones where the machine has them, else files of their form."""

import gzip
import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from accelreport.datasets.load import load

BESIDE_THE_CHECKOUT = Path(__file__).resolve().parents[3] / "shared" / "data"


def write_idx(array: NDArray[np.uint8]) -> bytes:
    """The gzipped IDX file of an array of unsigned bytes, as `read_idx` reads it."""
    header = bytes([0, 0, 8, array.ndim])
    lengths = b"".join(length.to_bytes(4, "big") for length in array.shape)
    return gzip.compress(header + lengths + array.tobytes(), compresslevel=6, mtime=0)


def mnist_folder(folder: Path) -> tuple[Path, str]:
    """A data folder that holds MNIST, and the origin its record must name.

    Without real files the stand-in is written in the official layout, so that the same code
    reads it; it is then `user-supplied`, and no test can mistake it for MNIST.

    Args:
        folder: an empty folder for that.
    """
    for root in (os.environ.get("ACCELREPORT_DATA"), BESIDE_THE_CHECKOUT):
        if root and (Path(root) / "mnist" / "train-images-idx3-ubyte.gz").exists():
            return Path(root), "official"
    data = load("mnist", mode="synthetic")
    target = folder / "mnist"
    target.mkdir(parents=True)
    for part, arrays in (("train", data.train), ("t10k", data.validation)):
        (target / f"{part}-images-idx3-ubyte.gz").write_bytes(write_idx(arrays["x"]))
        (target / f"{part}-labels-idx1-ubyte.gz").write_bytes(write_idx(arrays["y"]))
    return folder, "user-supplied"
