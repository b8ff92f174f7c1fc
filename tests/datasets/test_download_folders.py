"""Fetching into folders that hold something, onto full disks, and by several at once."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import threading
from pathlib import Path

import pytest

from accelreport.datasets.catalogue import CATALOGUE
from accelreport.datasets.download import RetryPolicy, fetch
from accelreport.datasets.entry import RemoteFile
from accelreport.datasets.errors import DataUnavailable
from tests.datasets.publishing import BODY, PATH, QUICK, left_over, only, sha
from tests.datasets.server import Server
from tests.support.processes import soon


def test_a_persons_own_file_is_left_alone_unless_they_say_replace(
    demo: Server, data_folder: Path
) -> None:
    own = data_folder / PATH
    own.parent.mkdir()
    own.write_bytes(b"mine")
    with pytest.raises(DataUnavailable, match="was not changed") as caught:
        fetch("demo", policy=QUICK)
    assert "--replace" in caught.value.remedy
    assert own.read_bytes() == b"mine"
    assert demo.requests == []
    fetch("demo", replace=True, policy=QUICK)
    assert own.read_bytes() == BODY


def test_a_failed_replacement_keeps_the_old_file(demo: Server, data_folder: Path) -> None:
    own = data_folder / PATH
    own.parent.mkdir()
    own.write_bytes(b"mine")
    demo.statuses = [404]
    with pytest.raises(DataUnavailable):
        fetch("demo", replace=True, policy=QUICK)
    assert own.read_bytes() == b"mine"


@pytest.mark.parametrize("notes", ["", "[]", "not json", '{"url": "elsewhere"}'])
def test_a_part_of_unknown_origin_is_begun_anew(
    demo: Server, data_folder: Path, notes: str
) -> None:
    part = data_folder / "demo" / "file.bin.part"
    part.parent.mkdir()
    part.write_bytes(b"?" * 1000)
    part.with_name("file.bin.part.json").write_text(notes)
    fetch("demo", policy=QUICK)
    assert (data_folder / PATH).read_bytes() == BODY
    assert demo.requests == [(PATH, "", "")]


def test_a_full_disk_is_told_before_anything_is_sent(
    demo: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage("/")._replace(free=1000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: usage)
    with pytest.raises(DataUnavailable, match="no space") as caught:
        fetch("demo", policy=QUICK)
    assert "ACCELREPORT_DATA" in caught.value.remedy
    assert demo.requests == []


def test_a_disk_that_fills_up_while_a_file_arrives_is_told(
    demo: Server, tiny_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACCELREPORT_DATA", str(tiny_disk))
    usage = shutil.disk_usage("/")
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: usage)  # others fill it meanwhile
    with pytest.raises(DataUnavailable, match=r"no space|cannot be written"):
        fetch("demo", policy=QUICK)
    assert not (tiny_disk / PATH).exists()


@pytest.mark.parametrize("marked", [".", "demo"])
def test_a_folder_that_is_marked_read_only_stays_as_it_is_even_for_root(
    demo: Server, data_folder: Path, marked: str
) -> None:
    (data_folder / "demo").mkdir()
    folder = data_folder / marked
    folder.chmod(0o555)
    try:
        with pytest.raises(DataUnavailable, match="read-only"):
            fetch("demo", policy=QUICK)
        assert left_over(data_folder) == []
        assert demo.requests == []
    finally:
        folder.chmod(0o755)


def test_two_fetchers_at_once_download_once(demo: Server, data_folder: Path) -> None:
    demo.pause_s = 0.2
    failures: list[Exception] = []

    def work() -> None:
        try:
            fetch("demo", policy=QUICK)
        except DataUnavailable as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(demo.requests) == 1
    assert (data_folder / PATH).read_bytes() == BODY


@pytest.mark.e2e
def test_a_fetcher_that_is_killed_leaves_a_part_that_the_next_one_uses(
    demo: Server, data_folder: Path
) -> None:
    demo.cuts = [150_000]
    demo.statuses = []
    spawn = multiprocessing.get_context("spawn")
    address = f"{demo.url}/{PATH}"
    child = spawn.Process(target=_fetch_patiently, args=(address, len(BODY), sha(BODY)))
    child.start()
    part = data_folder / "demo" / "file.bin.part"
    assert soon(lambda: part.exists() and part.stat().st_size == 150_000)
    child.kill()
    child.join()
    fetch("demo", policy=QUICK)
    assert (data_folder / PATH).read_bytes() == BODY
    assert demo.requests[-1][1] == "bytes=150000-"


def _fetch_patiently(address: str, size: int, checksum: str) -> None:
    """In a process of its own: fetch, and wait a minute when the connection breaks."""
    file = RemoteFile(PATH, size, checksum, url=address)
    CATALOGUE["demo"] = only(file)
    fetch("demo", policy=RetryPolicy(pause_s=60))
    os._exit(1)
