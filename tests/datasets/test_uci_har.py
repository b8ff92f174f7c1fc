"""Inertial signals are read from either archive, or refused with the member's name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from accelreport.datasets.errors import DataCorrupt
from accelreport.datasets.load import load
from accelreport.datasets.uci_har import CLASSES, SIGNALS
from tests.datasets.layouts import har_members, write_har, zip_bytes

GYRO = "UCI HAR Dataset/train/Inertial Signals/body_gyro_y_train.txt"


def test_windows_come_with_their_signals_and_activities(some_data: Path) -> None:
    data = load("uci_har", mode="real")
    for part in (data.train, data.validation):
        assert part["x"].dtype == np.float32
        assert part["x"].shape == (len(part["y"]), 128, 9)
        assert part["y"].dtype == np.uint8
        assert set(part["y"].tolist()) == set(range(6))
    assert data.classes == CLASSES
    assert data.details["signals"] == list(SIGNALS)


def test_each_value_is_at_its_window_step_and_signal(data_folder: Path) -> None:
    members = har_members()
    write_har(data_folder, members)
    data = load("uci_har", mode="real")
    rows = np.loadtxt(members[GYRO].decode().splitlines(), np.float32)
    assert (data.train["x"][:, :, SIGNALS.index("body_gyro_y")] == rows).all()
    assert data.train["y"].tolist() == [row % 6 for row in range(14)]


def test_the_outer_archive_gives_the_same_as_the_inner_one(data_folder: Path) -> None:
    write_har(data_folder)
    inner = data_folder / "uci_har" / "UCI HAR Dataset.zip"
    alone = load("uci_har", mode="real")
    outer = data_folder / "uci_har" / "human+activity+recognition+using+smartphones.zip"
    outer.write_bytes(
        zip_bytes({"UCI HAR Dataset.zip": inner.read_bytes(), "UCI HAR Dataset.names": b""})
    )
    both = load("uci_har", mode="real")
    assert set(both.files) == {outer.name}
    assert both.fingerprint == alone.fingerprint


@pytest.mark.parametrize(
    ("member", "text", "why"),
    [
        (GYRO, b"1 2 3\n", "1 × 3 values, not 14 windows of 128"),
        (GYRO, b"1 2 3\n4 5\n", "has no rows of numbers"),
        (GYRO, b"one two\n", "has no rows of numbers"),
        (GYRO, b"", "is empty"),
        (GYRO, (b"nan " * 128 + b"\n") * 14, "values that are not numbers"),
        ("UCI HAR Dataset/train/y_train.txt", b"0\n" * 14, "other than 1 to 6"),
        ("UCI HAR Dataset/train/y_train.txt", b"1.5\n" * 14, "other than 1 to 6"),
        ("UCI HAR Dataset/activity_labels.txt", b"1 A\n3 B\n", "activities 1, 2, 3"),
        ("UCI HAR Dataset/activity_labels.txt", b"1 <b>\n", "activities 1, 2, 3"),
    ],
)
def test_a_member_of_another_form_is_named(
    data_folder: Path, member: str, text: bytes, why: str
) -> None:
    write_har(data_folder, har_members() | {member: text})
    with pytest.raises(DataCorrupt, match=why):
        load("uci_har", mode="real")


def test_a_missing_member_is_named(data_folder: Path) -> None:
    members = har_members()
    del members[GYRO]
    write_har(data_folder, members)
    with pytest.raises(DataCorrupt, match="body_gyro_y_train"):
        load("uci_har", mode="real")


def test_what_was_parsed_is_kept_and_made_anew_when_it_is_damaged(data_folder: Path) -> None:
    write_har(data_folder)
    first = load("uci_har", mode="real")
    (kept,) = (data_folder / "derived").iterdir()
    whole = kept.read_bytes()
    assert load("uci_har", mode="real").fingerprint == first.fingerprint
    for place in range(0, len(whole), len(whole) // 12):
        changed = bytearray(whole)
        changed[place] ^= 0xFF
        for damaged in (bytes(changed), whole[:place]):
            kept.write_bytes(damaged)
            assert load("uci_har", mode="real").fingerprint == first.fingerprint
    assert [path.name for path in kept.parent.iterdir()] == [kept.name]


def test_what_was_parsed_of_another_file_is_not_used(data_folder: Path) -> None:
    write_har(data_folder)
    first = load("uci_har", mode="real")
    write_har(data_folder, har_members(train=21))
    second = load("uci_har", mode="real")
    assert len(second.train["x"]) == 21
    assert second.fingerprint != first.fingerprint


def test_nothing_is_kept_in_a_folder_that_is_marked_read_only(data_folder: Path) -> None:
    write_har(data_folder)
    before = sorted(data_folder.rglob("*"))
    data_folder.chmod(0o555)
    try:
        load("uci_har", mode="real")
        assert sorted(data_folder.rglob("*")) == before
    finally:
        data_folder.chmod(0o755)
