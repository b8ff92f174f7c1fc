"""Samples of real data that travel with the package: what they are, and whose."""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
import zipfile
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from accelreport.datasets import cache as shipped
from accelreport.datasets.cache import status
from accelreport.datasets.catalogue import CATALOGUE, find
from accelreport.datasets.errors import DataCorrupt, DataUnavailable
from accelreport.datasets.load import load

ROOT = Path(__file__).parents[2]
CSV = "weather/PRSA_data_2010.1.1-2014.12.31.csv"
COLUMNS = {"time": ["year", "month", "day", "hour"], "targets": ["TEMP"], "missing": "interpolate"}


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """`scripts/cut_samples.py`, which cuts them."""
    found = importlib.util.spec_from_file_location("cut_samples", ROOT / "scripts/cut_samples.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    monkeypatch.setitem(sys.modules, "cut_samples", module)
    found.loader.exec_module(module)
    return module


FORMS: dict[str, dict[str, tuple[str, tuple[int, ...], tuple[int, ...]]]] = {
    # array: (dtype, shape of the training part, shape of the validation part)
    "mnist": {"x": ("uint8", (4096, 28, 28), (1024, 28, 28)), "y": ("uint8", (4096,), (1024,))},
    "fashion_mnist": {
        "x": ("uint8", (4096, 28, 28), (1024, 28, 28)),
        "y": ("uint8", (4096,), (1024,)),
    },
    "uci_har": {"x": ("float32", (1060, 128, 9), (428, 128, 9)), "y": ("uint8", (1060,), (428,))},
    "shakespeare": {"text": ("uint8", (1_003_855,), (111_539,))},
    "beijing_pm25": {
        "inputs": ("float32", (7862, 13), (874, 13)),
        "targets": ("float32", (7862, 3), (874, 3)),
    },
}


@pytest.mark.parametrize("name", shipped.samples())
def test_a_sample_is_real_data_in_the_form_of_the_whole(name: str) -> None:
    sample = load(name, mode="sample")
    assert (sample.origin, sample.seed) == ("sample", None)
    assert sample.note.startswith(f"A sample of {CATALOGUE[name].title}: ")
    assert status(find(name)).sample in sample.note
    assert {
        key: (str(array.dtype), array.shape, sample.validation[key].shape)
        for key, array in sample.train.items()
    } == FORMS[name]
    for part in (sample.train, sample.validation):
        assert set(part.get("y", np.arange(len(sample.classes)))) == set(range(len(sample.classes)))


def test_all_samples_are_small_and_passed_on_under_a_licence_that_allows_it() -> None:
    files = [path for path in shipped.FOLDER.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) <= 6_000_000
    notice = (shipped.FOLDER / "NOTICE.md").read_text(encoding="utf-8")
    for name, sample in shipped.samples().items():
        entry = CATALOGUE[name]
        assert (sample.licence, sample.citation) == (entry.licence, entry.citation)
        assert sample.licence.startswith(("CC BY", "MIT", "public domain"))
        assert {sample.licence, sample.citation, sample.kept} <= {
            part for part in (sample.licence, sample.citation, sample.kept) if part in notice
        }
        known = {file.sha256 for file in entry.files}
        for file in sample.files:
            assert file.cut_from.official is (file.cut_from.sha256 in known)
    assert "Copyright © 2017 Zalando SE" in notice


def test_a_file_of_ones_own_has_a_sample_where_that_very_file_was_cut() -> None:
    options = COLUMNS | {"path": CSV}
    sample = load("csv", mode="sample", options=options)
    assert (sample.origin, len(sample.train["targets"])) == ("sample", int(0.9 * (8760 - 24)))
    assert "8,760 of 43,824 hours" in sample.note
    with pytest.raises(DataUnavailable, match=r"no sample of mine\.csv"):
        load("csv", mode="sample", options=COLUMNS | {"path": "mine.csv"})


@pytest.mark.parametrize("name", ["imdb", "weather_denmark", "shakespeare_gutenberg"])
def test_what_may_not_be_passed_on_has_no_sample_and_says_what_to_do(name: str) -> None:
    with pytest.raises(DataUnavailable, match=f"no sample of {name}") as caught:
        load(name, mode="sample")
    assert "--data synthetic" in caught.value.remedy
    assert status(find(name)).sample == ""


def test_a_sample_that_was_changed_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(shipped.FOLDER, tmp_path / "samples")
    monkeypatch.setattr(shipped, "FOLDER", tmp_path / "samples")
    for path in (tmp_path / "samples").rglob("*.*z*"):
        whole = path.read_bytes()
        path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    for name in shipped.samples():
        with pytest.raises(DataCorrupt, match="differs from the sample"):
            load(name, mode="sample")


@pytest.mark.e2e
def test_the_shipped_samples_come_again_from_the_files_they_were_cut_from(
    script: ModuleType, some_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Byte for byte where the machine has those files; other files give other samples."""
    pack = script._zip

    def pack_what_differs(texts: dict[str, str]) -> bytes:
        """Packing takes most of the time, and the same texts are the same archive (see above)."""
        (shipped_one,) = shipped.FOLDER.rglob("*.zip")
        with zipfile.ZipFile(shipped_one) as archive:
            there = {member.filename: archive.read(member) for member in archive.infolist()}
            packed = {(member.compress_type, member.date_time) for member in archive.infolist()}
        asked = {f"UCI HAR Dataset/{name}": text.encode() for name, text in texts.items()}
        same = list(there.items()) == list(asked.items())
        assert packed == {(zipfile.ZIP_LZMA, script._EPOCH)}
        return shipped_one.read_bytes() if same else bytes(pack(texts))

    monkeypatch.setattr(script, "_zip", pack_what_differs)
    script.write_samples(tmp_path)
    again = json.loads((tmp_path / shipped.MANIFEST).read_text(encoding="utf-8"))
    for name, sample in shipped.samples().items():
        for file, cut in zip(sample.files, again[name]["files"], strict=True):
            assert cut["path"] == file.path
            alike = cut["cut_from"]["sha256"] == file.cut_from.sha256
            assert (cut["sha256"] == file.sha256) is alike
