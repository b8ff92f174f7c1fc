"""What is here and whose it is, and a catalogue that says all there is to say."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

from accelreport.datasets.cache import checksum, status, where, write_pin
from accelreport.datasets.catalogue import CATALOGUE, find
from accelreport.datasets.errors import DataCorrupt, DataUnreadable
from tests.datasets.layouts import write_beijing, write_images
from tests.datasets.test_mnist import make_official


def test_a_data_set_that_is_not_here_tells_what_a_fetch_would_bring(data_folder: Path) -> None:
    told = status(find("mnist"))
    assert told.state == "missing"
    assert told.present == ()
    assert len(told.missing) == 4
    assert told.download_bytes == 11_594_722
    assert status(find("weather_denmark")).download_bytes is None


def test_files_are_official_user_supplied_or_incomplete(
    data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_images(data_folder)
    told = status(find("mnist"))
    assert told.state == "user-supplied"
    assert told.bytes == sum(path.stat().st_size for path in told.present)
    assert told.download_bytes == 0
    make_official("mnist", data_folder, monkeypatch)
    assert status(find("mnist")).state == "official"
    told.present[0].unlink()
    assert status(find("mnist")).state == "incomplete"


def test_a_file_that_was_pinned_is_told_apart(data_folder: Path) -> None:
    write_beijing(data_folder)
    path = data_folder / "weather" / "PRSA_data_2010.1.1-2014.12.31.csv"
    assert status(find("beijing_pm25")).state == "user-supplied"
    name = path.relative_to(data_folder).as_posix()
    write_pin(data_folder, name, checksum(path), path.stat().st_size, "https://example.org")
    assert status(find("beijing_pm25")).state == "pinned"


def test_damaged_pins_are_told(data_folder: Path) -> None:
    (data_folder / "pins.json").write_text("[]")
    with pytest.raises(DataCorrupt, match=r"pins\.json"):
        status(find("mnist"))


def test_the_folder_is_told_even_before_it_is_there(
    data_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = where()
    assert (place.root, place.chosen_by, place.exists) == (data_folder, "ACCELREPORT_DATA", True)
    assert place.free_bytes > 0
    data_folder.chmod(0o555)
    assert where().writable is False
    data_folder.chmod(0o755)
    monkeypatch.setenv("ACCELREPORT_DATA", str(tmp_path / "not" / "yet"))
    assert where().exists is False
    assert where().writable is True
    monkeypatch.delenv("ACCELREPORT_DATA")
    assert where().chosen_by == "default"


@pytest.mark.parametrize("name", CATALOGUE)
def test_an_entry_of_the_catalogue_is_whole(name: str) -> None:
    entry = CATALOGUE[name]
    source = importlib.import_module(entry.module)
    assert all(hasattr(source, part) for part in ("Options", "read", "synthetic"))
    assert entry.name == name
    assert entry.title
    assert entry.licence
    assert entry.shape
    if entry.files:
        assert entry.citation
        assert entry.homepage.startswith("https://")
    for file in entry.files:
        assert file.url.startswith("https://")
        assert (file.size is None) == (file.sha256 is None)
        assert file.size is None or file.size <= file.limit
        for form in (file, *file.instead):
            assert form.sha256 is None or re.fullmatch(r"[0-9a-f]{64}", form.sha256)
            assert not form.path.startswith("/")
            assert ".." not in form.path


def test_a_file_that_nobody_may_read_is_told_with_its_name(data_folder: Path) -> None:
    write_images(data_folder)
    path = status(find("mnist")).present[0]
    path.unlink()
    path.symlink_to("/proc/self/mem")  # a file, for root, too, that cannot be read
    with pytest.raises(DataUnreadable, match=re.escape(path.name)):
        status(find("mnist"))
