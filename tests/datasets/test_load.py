"""Loading: names, options, folders, and never a download."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from accelreport.datasets.catalogue import CATALOGUE
from accelreport.datasets.errors import DataCorrupt, DataOptionsError, DataUnavailable
from accelreport.datasets.load import load
from accelreport.errors import ExitCode
from tests.datasets.layouts import WRITERS, write_images, write_imdb
from tests.datasets.server import Server


def test_loading_never_asks_the_network(
    server: Server, monkeypatch: pytest.MonkeyPatch, data_folder: Path
) -> None:
    monkeypatch.setenv("ACCELREPORT_MIRROR", server.url)
    for name, entry in CATALOGUE.items():
        if entry.files:
            with pytest.raises(DataUnavailable, match=f"data fetch {name}"):
                load(name, mode="real")
    assert server.requests == []
    assert list(data_folder.iterdir()) == []


def test_an_unknown_name_is_answered_with_the_closest() -> None:
    with pytest.raises(DataUnavailable, match="Did you mean 'mnist'") as caught:
        load("minst", mode="real")
    assert caught.value.exit_code is ExitCode.DATA_UNAVAILABLE


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("mnist", {"num_words": 10}, "num_words"),
        ("imdb", {"num_words": "many"}, "num_words"),
        ("imdb", {"length": 0}, "length"),
        ("imdb", {"padding": "middle"}, "padding"),
        ("shakespeare", {"validation_share": 1.0}, "validation_share"),
        ("csv", {}, "path"),
        ("weather_denmark", {"targets": ["Paris Temp"]}, "Paris Temp"),
        ("weather_denmark", {"horizon": -1}, "horizon"),
    ],
)
def test_options_that_make_no_sense_are_refused_by_name(
    name: str, options: dict[str, object], said: str
) -> None:
    for mode in ("real", "synthetic"):
        with pytest.raises(DataOptionsError, match=said) as caught:
            load(name, mode=mode, options=options)
        assert caught.value.exit_code is ExitCode.BAD_SPEC


@pytest.mark.parametrize("name", WRITERS)
def test_every_data_set_is_read_from_a_folder_that_cannot_be_written(
    name: str, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    WRITERS[name](data_folder)
    before = sorted(data_folder.rglob("*"))
    whole = load(name, mode="real")
    assert len(whole.fingerprint) == 64
    for path in sorted(data_folder.rglob("derived/*")):
        path.unlink()

    def refuse(*_arguments: object, **_more: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", refuse)
    again = load(name, mode="real")
    assert again.fingerprint == whole.fingerprint
    left = {path for path in data_folder.rglob("*") if "derived" not in path.parts}
    assert left == set(before)


def test_a_file_that_may_not_be_read_is_unavailable_not_corrupt(
    data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_images(data_folder)

    opened = os.open

    def refuse(path: Path, *arguments: int) -> int:
        if str(path).endswith(".gz"):
            raise PermissionError(13, "Permission denied")
        return opened(path, *arguments)

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(DataUnavailable, match="Permission denied"):
        load("mnist", mode="real")


def test_a_file_far_larger_than_the_published_one_is_not_read(data_folder: Path) -> None:
    write_imdb(data_folder)
    with (data_folder / "imdb" / "imdb.npz").open("r+b") as file:
        file.truncate(10**12)  # sparse: takes no room on disk
    with pytest.raises(DataCorrupt, match="1,000,000,000,000 bytes; at most"):
        load("imdb", mode="real")


@pytest.mark.parametrize("name", WRITERS)
def test_damaged_files_are_refused_as_data_and_never_crash(name: str, data_folder: Path) -> None:
    WRITERS[name](data_folder)
    for path in [path for path in data_folder.rglob("*") if path.is_file()]:
        whole = path.read_bytes()
        damaged = [b"", b"\xff" * 5000, b"<html>404</html>"]
        if path.suffix not in {".txt", ".csv"}:  # part of a text is a text
            damaged += [whole[: len(whole) // 2], whole[20:], whole[:-30], bytes(5000)]
        for data in damaged:
            path.write_bytes(data)
            with pytest.raises(DataCorrupt) as caught:
                load(name, mode="real")
            assert caught.value.path == str(path)
            assert "accelreport data fetch" in caught.value.remedy
        path.write_bytes(whole)


def test_the_catalogue_is_read_without_numpy_pandas_or_the_network() -> None:
    check = (
        "import sys, accelreport.datasets.catalogue, accelreport.datasets.cache\n"
        "print([m for m in ('numpy', 'pandas', 'scipy', 'urllib3', 'tensorflow') "
        "if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
