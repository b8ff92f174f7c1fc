"""Archives cannot lead out of their folder, unpack to more than is allowed, or lie."""

from __future__ import annotations

import contextlib
import gzip
import io
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accelreport.datasets.archives import ZipArchive, check_name, read_tar_member
from accelreport.datasets.errors import FormatError
from tests.datasets.layouts import tar_bytes, zip_bytes

HOSTILE = [
    "../x", "a/../../x", "/etc/passwd", "..\\x", "C:\\x", "C:x", "\\\\host\\share\\x", "a/..",
    "./../x", "//x",
]  # fmt: skip

PARTS = st.sampled_from(["..", ".", "a", "b.txt", "C:", "", "~", "con", "x" * 80])
NAMES = st.builds(
    lambda parts, mark, first: first + mark.join(parts),
    st.lists(PARTS, min_size=1, max_size=5),
    st.sampled_from(["/", "\\"]),
    st.sampled_from(["", "/", "\\", "C:\\"]),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=NAMES)
def test_a_name_that_is_accepted_stays_below_the_folder(name: str, tmp_path: Path) -> None:
    try:
        check_name(name)
    except FormatError:
        return
    folder = tmp_path.resolve()
    for form in (name, name.replace("\\", "/")):
        assert (folder / form).resolve().is_relative_to(folder)


@pytest.mark.parametrize("name", HOSTILE)
def test_an_archive_with_a_name_that_leads_elsewhere_is_refused_and_nothing_written(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(FormatError, match="leads out"):
        ZipArchive(zip_bytes({name: b"x", "wanted": b"y"}))
    with pytest.raises(FormatError, match="leads out"):
        read_tar_member(tar_bytes({name: b"x", "wanted": b"y"}), "wanted", 10)
    assert sorted(tmp_path.rglob("*")) == before


@given(st.dictionaries(st.sampled_from("abcdef"), st.binary(max_size=50), min_size=1))
def test_members_come_out_as_they_went_in(members: dict[str, bytes]) -> None:
    archive = ZipArchive(zip_bytes(members))
    packed = tar_bytes(members)
    for name, data in members.items():
        assert archive.read(name, 50) == data
        assert read_tar_member(packed, name, 50) == data


def test_a_member_is_unpacked_only_up_to_its_limit() -> None:
    bomb = {"x": bytes(30_000_000)}
    with pytest.raises(FormatError, match="more than 1,000 bytes"):
        ZipArchive(zip_bytes(bomb)).read("x", 1000)
    with pytest.raises(FormatError, match="more than 1,000 bytes"):
        read_tar_member(tar_bytes(bomb), "x", 1000)


def test_a_zip_that_lies_about_a_size_is_refused() -> None:
    data = bytearray(zip_bytes({"x": bytes(5000)}))
    for place in (22, data.rindex(b"PK\x01\x02") + 24):
        data[place : place + 4] = (10).to_bytes(4, "little")
    with pytest.raises(FormatError, match="damaged"):
        ZipArchive(bytes(data)).read("x", 1000)


def test_a_tar_bomb_before_the_member_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accelreport.datasets.archives._TAR_LIMIT", 100_000)
    with pytest.raises(FormatError, match="unpacks to more than 100,000"):
        read_tar_member(tar_bytes({"a": bytes(200_000), "x": b"y"}), "x", 10)


def test_links_and_devices_in_a_tar_are_never_followed() -> None:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE):
            member = tarfile.TarInfo("x")
            member.type = kind
            member.linkname = "/etc/passwd"
            archive.addfile(member)
    with pytest.raises(FormatError, match="no member 'x'"):
        read_tar_member(stream.getvalue(), "x", 10_000)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_zip_with_two_members_of_one_name_is_refused() -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("x", "one")
        archive.writestr("x", "two")
    with pytest.raises(FormatError, match="two members with the same name"):
        ZipArchive(stream.getvalue())


def test_an_archive_of_very_many_members_is_refused() -> None:
    many = {str(number): b"" for number in range(10_001)}
    with pytest.raises(FormatError, match="10,001 members"):
        ZipArchive(zip_bytes(many))
    with pytest.raises(FormatError, match="more than 10,000 members"):
        read_tar_member(tar_bytes(many), "x", 10)


@given(st.data())
def test_a_cut_or_changed_archive_is_refused_or_gives_the_same(data: st.DataObject) -> None:
    members = {"a": b"first" * 20, "x": b"second" * 20}
    zipped, tarred = zip_bytes(members), tar_bytes(members)
    cut = data.draw(st.integers(0, len(tarred) - 1))
    changed = bytearray(zipped)
    changed[data.draw(st.integers(0, len(zipped) - 1))] ^= data.draw(st.integers(1, 255))
    reads: list[Callable[[], bytes]] = [
        lambda: read_tar_member(tarred[:cut], "x", 1000),
        lambda: ZipArchive(bytes(changed)).read("x", 1000),
        lambda: ZipArchive(zipped[: min(cut, len(zipped) - 1)]).read("x", 1000),
    ]
    for read in reads:
        with contextlib.suppress(FormatError):
            assert read() == members["x"]


@given(st.binary(max_size=300))
def test_arbitrary_bytes_are_no_archive(data: bytes) -> None:
    with pytest.raises(FormatError):
        ZipArchive(data)
    with pytest.raises(FormatError):
        read_tar_member(data, "x", 10)
    with pytest.raises(FormatError):
        read_tar_member(gzip.compress(data), "x", 10)
