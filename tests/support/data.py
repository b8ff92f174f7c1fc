"""Where tests find data files: real ones where the machine has them, else files of their form."""

import os
from pathlib import Path

from accelreport.datasets.load import load
from accelreport.datasets.mnist import write_idx

BESIDE_THE_CHECKOUT = Path(__file__).resolve().parents[3] / "shared" / "data"


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
