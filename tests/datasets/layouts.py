"""Small files in the form in which each data set is published."""

from __future__ import annotations

import io
import pickle
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from accelreport.datasets.mnist import write_idx
from accelreport.datasets.uci_har import CLASSES, SIGNALS
from accelreport.datasets.weather_denmark import CITIES, QUANTITIES


def write_images(root: Path, name: str = "mnist", train: int = 40, test: int = 20) -> None:
    """Four IDX files of random pixels."""
    rng = np.random.default_rng(1)
    folder = root / name
    folder.mkdir(parents=True, exist_ok=True)
    for part, count in (("train", train), ("t10k", test)):
        pixels = rng.integers(0, 256, (count, 28, 28), np.uint8)
        labels = rng.integers(0, 10, count, np.uint8)
        (folder / f"{part}-images-idx3-ubyte.gz").write_bytes(write_idx(pixels))
        (folder / f"{part}-labels-idx1-ubyte.gz").write_bytes(write_idx(labels))


def object_npy(rows: Any) -> bytes:
    """A .npy file of an array of objects, as NumPy pickles it."""
    array = np.empty(len(rows), object)
    array[:] = rows
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=True)
    return stream.getvalue()


def pickled_npy(payload: object, length: int = 1) -> bytes:
    """A .npy file whose pickle is that of anything."""
    header = f"{{'descr': '|O', 'fortran_order': False, 'shape': ({length},), }}"
    header = header.ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00v\x00" + header.encode() + pickle.dumps(payload, protocol=3)


def plain_npy(values: Any) -> bytes:
    """A .npy file of numbers."""
    stream = io.BytesIO()
    np.save(stream, np.asarray(values))
    return stream.getvalue()


def zip_bytes(members: Mapping[str, bytes]) -> bytes:
    """A zip archive."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return stream.getvalue()


def reviews(count: int, seed: int) -> list[list[int]]:
    """Lists of word ranks, some short and some long."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 400, count)
    return [rng.integers(1, 20_000, length).tolist() for length in lengths]


def write_imdb(root: Path, members: Mapping[str, bytes] | None = None) -> None:
    """`imdb.npz`, with some members replaced."""
    labels = np.tile([0, 1], 6)
    whole = {
        "x_train.npy": object_npy(reviews(12, 1)),
        "y_train.npy": plain_npy(labels),
        "x_test.npy": object_npy(reviews(8, 2)),
        "y_test.npy": plain_npy(labels[:8]),
    }
    (root / "imdb").mkdir(parents=True, exist_ok=True)
    (root / "imdb" / "imdb.npz").write_bytes(zip_bytes({**whole, **(members or {})}))


def har_members(train: int = 14, test: int = 7) -> dict[str, bytes]:
    """Members of the inner archive of UCI HAR."""
    rng = np.random.default_rng(3)
    labels = "".join(f"{number} {name}\n" for number, name in enumerate(CLASSES, 1))
    members = {"UCI HAR Dataset/activity_labels.txt": labels.encode()}
    for part, count in (("train", train), ("test", test)):
        numbers = "".join(f"{1 + row % 6}\n" for row in range(count))
        members[f"UCI HAR Dataset/{part}/y_{part}.txt"] = numbers.encode()
        for signal in SIGNALS:
            text = io.StringIO()
            np.savetxt(text, rng.normal(0, 1, (count, 128)), fmt=" %.7e")
            name = f"UCI HAR Dataset/{part}/Inertial Signals/{signal}_{part}.txt"
            members[name] = text.getvalue().encode()
    return members


def write_har(root: Path, members: Mapping[str, bytes] | None = None) -> None:
    """The inner archive, under the name it has in the outer one."""
    (root / "uci_har").mkdir(parents=True, exist_ok=True)
    data = zip_bytes(members or har_members())
    (root / "uci_har" / "UCI HAR Dataset.zip").write_bytes(data)


def write_shakespeare(root: Path, text: bytes = b"First Citizen:\nSpeak, speak.\n" * 50) -> None:
    """A text."""
    (root / "shakespeare").mkdir(parents=True, exist_ok=True)
    (root / "shakespeare" / "input.txt").write_bytes(text)


def beijing_csv(rows: int = 400) -> bytes:
    """A table of the Beijing file's columns, with gaps in fine dust."""
    rng = np.random.default_rng(4)
    times = pd.date_range("2010-01-01", periods=rows, freq="h")
    dust = [("NA" if row < 24 or row % 50 == 0 else str(20 + row % 90)) for row in range(rows)]
    table = pd.DataFrame(
        {
            "No": np.arange(1, rows + 1),
            "year": times.year,
            "month": times.month,
            "day": times.day,
            "hour": times.hour,
            "pm2.5": dust,
            "DEWP": rng.integers(-20, 20, rows),
            "TEMP": rng.integers(-10, 30, rows),
            "PRES": rng.integers(990, 1040, rows),
            "cbwd": rng.choice(["NW", "NE", "SE", "cv"], rows),
            "Iws": rng.uniform(0.5, 100, rows).round(2),
            "Is": 0,
            "Ir": rng.integers(0, 2, rows),
        }
    )
    return table.to_csv(index=False).encode()


def write_beijing(root: Path) -> None:
    """The CSV file as it lies in the published zip."""
    (root / "weather").mkdir(parents=True, exist_ok=True)
    (root / "weather" / "PRSA_data_2010.1.1-2014.12.31.csv").write_bytes(beijing_csv())


def danish_readings(hours: int = 400) -> pd.DataFrame:
    """Readings every hour or so, at odd minutes, with gaps: an index of city and time."""
    rng = np.random.default_rng(5)
    frames = []
    for city in CITIES:
        times = pd.date_range("1980-03-01 09:10", periods=hours, freq="h")
        times = times + pd.to_timedelta(rng.integers(0, 45, hours), unit="min")
        values = rng.normal(10, 4, (hours, len(QUANTITIES))).round(1)
        frame = pd.DataFrame(values, index=times, columns=list(QUANTITIES))
        frame = frame.mask(rng.random(frame.shape) < 0.1)
        frame.insert(0, "City", city)
        frames.append(frame.rename_axis("DateTime").reset_index())
    return pd.concat(frames).set_index(["City", "DateTime"])


def tar_bytes(members: Mapping[str, bytes]) -> bytes:
    """A gzipped tar archive."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for name, data in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return stream.getvalue()


def write_denmark(root: Path, members: Mapping[str, bytes] | None = None) -> None:
    """The archive: the text, and a pickle that nobody may open."""
    whole = {
        "weather-denmark.pkl": b"cos\nsystem\n(S'false'\ntR.",
        "weather-denmark.csv": danish_readings().to_csv().encode(),
    }
    (root / "weather").mkdir(parents=True, exist_ok=True)
    path = root / "weather" / "weather-denmark.tar.gz"
    path.write_bytes(tar_bytes(whole if members is None else members))


WRITERS: dict[str, Callable[[Path], None]] = {
    "mnist": write_images,
    "fashion_mnist": lambda root: write_images(root, "fashion_mnist"),
    "imdb": write_imdb,
    "uci_har": write_har,
    "shakespeare": write_shakespeare,
    "beijing_pm25": write_beijing,
    "weather_denmark": write_denmark,
}
"""Writes each data set's files into a data folder."""
