"""Fetching over the network: resumed, verified, bounded, and honest when it cannot be done."""

from __future__ import annotations

import dataclasses
import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accelreport.datasets.cache import read_pins
from accelreport.datasets.download import RetryPolicy, fetch
from accelreport.datasets.entry import RemoteFile
from accelreport.datasets.errors import DataUnavailable
from accelreport.datasets.load import load
from tests.datasets.publishing import BODY, PATH, QUICK, left_over, publish, sha
from tests.datasets.server import SECURE, Server


def test_a_file_is_brought_verified_and_its_progress_told(demo: Server, data_folder: Path) -> None:
    steps: list[tuple[str, int, int | None]] = []
    paths = fetch("demo", progress=lambda *step: steps.append(step), policy=QUICK)
    assert paths == [data_folder / PATH]
    assert paths[0].read_bytes() == BODY
    assert left_over(data_folder) == ["file.bin"]
    assert steps[0] == (PATH, 0, len(BODY))
    assert steps[-1] == (PATH, len(BODY), len(BODY))
    assert [done for _, done, _ in steps] == sorted(done for _, done, _ in steps)


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(cut=st.integers(0, len(BODY)), ranges=st.booleans(), etag=st.sampled_from(['"one"', ""]))
def test_a_download_given_up_at_any_byte_ends_in_the_same_file_later(
    demo: Server, data_folder: Path, cut: int, ranges: bool, etag: str
) -> None:
    shutil.rmtree(data_folder)
    demo.ranges, demo.etag, demo.sent = ranges, etag, 0
    demo.cuts, demo.statuses = [cut], []
    if cut < len(BODY):
        with pytest.raises(DataUnavailable):
            fetch("demo", policy=dataclasses.replace(QUICK, tries=1))
        assert "file.bin" not in left_over(data_folder)
    demo.cuts = []
    fetch("demo", policy=QUICK)
    assert (data_folder / PATH).read_bytes() == BODY
    assert left_over(data_folder) == ["file.bin"]
    assert demo.sent == len(BODY) + (0 if ranges else cut * (cut < len(BODY)))


def test_another_version_on_the_server_is_not_appended_to_the_old_part(
    server: Server, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = BODY[::-1]
    server.files[PATH] = BODY
    server.cuts = [70_000]
    publish(monkeypatch, RemoteFile(PATH, None, None, url=f"{server.url}/{PATH}"))
    with pytest.raises(DataUnavailable):
        fetch("demo", policy=dataclasses.replace(QUICK, tries=1))
    server.files[PATH], server.etag = new, '"two"'
    fetch("demo", policy=QUICK)
    assert (data_folder / PATH).read_bytes() == new


def test_what_is_not_the_published_file_never_gets_its_name(
    demo: Server, data_folder: Path
) -> None:
    demo.files[PATH] = BODY[:-1] + b"!"
    with pytest.raises(DataUnavailable, match="not the published file: its SHA-256 is"):
        fetch("demo", policy=QUICK)
    assert left_over(data_folder) == []


@pytest.mark.parametrize(
    ("contents", "length", "why"),
    [
        (BODY + b"more", "", "300,004 bytes, but the published file has 300,000"),
        (BODY[:-4], "", "299,996 bytes, but the published file has 300,000"),
        (BODY + b"more", "chunked", "continues after the limit of 300,000 bytes"),
        (BODY[:-4], "chunked", "broke off after 299,996 of 300,000"),
    ],
)
def test_a_file_of_another_size_is_refused(
    demo: Server, data_folder: Path, contents: bytes, length: str, why: str
) -> None:
    demo.files[PATH], demo.length = contents, length
    with pytest.raises(DataUnavailable, match=why):
        fetch("demo", policy=QUICK)
    assert "file.bin" not in left_over(data_folder)


@pytest.mark.parametrize("length", ["", "chunked"])
def test_a_file_of_unknown_size_is_bounded(
    server: Server, data_folder: Path, monkeypatch: pytest.MonkeyPatch, length: str
) -> None:
    server.files[PATH], server.length = BODY, length
    publish(monkeypatch, RemoteFile(PATH, None, None, url=f"{server.url}/{PATH}", limit=1000))
    with pytest.raises(DataUnavailable, match="1,000"):
        fetch("demo", policy=QUICK)
    assert left_over(data_folder) == []


def test_a_busy_server_is_asked_again(demo: Server, data_folder: Path) -> None:
    demo.statuses = [503, 429]
    fetch("demo", policy=QUICK)
    assert (data_folder / PATH).read_bytes() == BODY


@pytest.mark.parametrize(
    ("statuses", "why", "requests"),
    [([404], "404 Not Found", 1), ([403], "403 Forbidden", 1), ([500] * 9, "500", 3)],
)
def test_an_answer_that_will_not_change_is_told_with_the_address_and_the_remedy(
    demo: Server, statuses: list[int], why: str, requests: int
) -> None:
    demo.statuses = statuses
    with pytest.raises(DataUnavailable, match=why) as caught:
        fetch("demo", policy=QUICK)
    assert f"{demo.url}/{PATH}" in caught.value.what
    assert "accelreport data fetch demo" in caught.value.remedy
    assert "--data synthetic" in caught.value.remedy
    assert len(demo.requests) == requests


def test_a_server_that_stops_sending_is_given_up(demo: Server) -> None:
    demo.pause_s = 1.0
    with pytest.raises(DataUnavailable, match=r"127\.0\.0\.1 stopped sending"):
        fetch("demo", policy=RetryPolicy(connect_s=1, read_s=0.05, tries=2, pause_s=0.001))


def test_an_endless_redirect_ends(demo: Server) -> None:
    demo.moved[PATH] = f"{demo.url}/{PATH}"
    with pytest.raises(DataUnavailable, match="redirects endlessly"):
        fetch("demo", policy=QUICK)


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://127.0.0.1:9/x", r"cannot be reached \(\[Errno"),
        ("http://no-such-host.invalid/x", "cannot be resolved"),
    ],
)
def test_no_network_is_told_in_words(monkeypatch: pytest.MonkeyPatch, url: str, why: str) -> None:
    publish(monkeypatch, RemoteFile(PATH, 1, sha(b""), url=url))
    with pytest.raises(DataUnavailable, match=why):
        fetch("demo", policy=QUICK)


def test_a_mirror_is_asked_by_the_files_place_in_the_cache(
    server: Server, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = "demo/a file+more.bin"
    server.files[f"base/{path}"] = BODY
    publish(monkeypatch, RemoteFile(path, len(BODY), sha(BODY), url="http://unused.invalid/"))
    monkeypatch.setenv("ACCELREPORT_MIRROR", f"{server.url}/base/")
    fetch("demo", policy=QUICK)
    assert (data_folder / path).read_bytes() == BODY


@pytest.mark.parametrize("mirror", ["file:///etc", "ftp://host/", "nonsense"])
def test_a_mirror_must_be_an_address_of_the_web(
    demo: Server, monkeypatch: pytest.MonkeyPatch, mirror: str
) -> None:
    monkeypatch.setenv("ACCELREPORT_MIRROR", mirror)
    with pytest.raises(DataUnavailable, match="not an http or https address"):
        fetch("demo", policy=QUICK)
    assert demo.requests == []


def test_a_proxy_that_asks_for_a_password_gets_that_of_its_address_and_no_page_does(
    demo: Server, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"http://published.invalid/{PATH}"
    publish(monkeypatch, RemoteFile(PATH, len(BODY), sha(BODY), url=address))
    demo.files[address], demo.password = BODY, "anna@lab:p:ss/wörd"
    monkeypatch.setenv("http_proxy", demo.url)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    with pytest.raises(DataUnavailable, match="407") as refused:
        fetch("demo", policy=QUICK)
    assert "http://user:password@" in f"{refused.value.what}{refused.value.why}"
    demo.cuts = [100_000]  # what has arrived is not fetched again behind a proxy, either
    given = demo.url.replace("http://", "http://anna%40lab:p%3Ass%2Fw%C3%B6rd@")
    monkeypatch.setenv("http_proxy", given)
    fetch("demo", policy=QUICK)
    assert (data_folder / PATH).read_bytes() == BODY
    assert demo.requests[-1][1] == "bytes=100000-"


def test_the_password_opens_a_proxys_tunnel_to_https_too(
    demo: Server, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"https://published.invalid/{PATH}"
    publish(monkeypatch, RemoteFile(PATH, len(BODY), sha(BODY), url=address))
    demo.files, demo.password = {}, "anna:secret"
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.setenv("https_proxy", demo.url)
    with pytest.raises(DataUnavailable, match="407") as refused:
        fetch("demo", policy=QUICK)
    assert "http://user:password@" in f"{refused.value.what}{refused.value.why}"
    assert {path for path, *_ in demo.requests} == {"CONNECT published.invalid:443"}
    monkeypatch.setenv("https_proxy", demo.url.replace("http://", "http://anna:secret@"))
    with pytest.raises(DataUnavailable) as beyond:
        fetch("demo", policy=QUICK)
    assert "407" not in str(beyond.value)
    assert "secret" not in str(beyond.value)


@pytest.mark.parametrize("garbles", [False, True])
def test_a_download_goes_on_where_it_stopped_through_a_proxys_tunnel(
    tunnelled: Server, server: Server, data_folder: Path, garbles: bool
) -> None:
    tunnelled.cuts, tunnelled.garbles = [100_000, 50_000], garbles
    fetch("demo", policy=QUICK)
    assert (data_folder / PATH).read_bytes() == BODY
    assert left_over(data_folder) == ["file.bin"]
    first, *more = [int(asked[6:-1] or 0) for _, asked, _ in tunnelled.requests]
    assert first == 0 < more[0] < more[1] <= 150_000, "what arrived was asked for again"
    assert {path for path, *_ in server.requests} == {f"CONNECT {SECURE}:443"}


def test_a_tunnel_leads_to_no_address_without_encryption(
    tunnelled: Server, server: Server, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = f"http://{SECURE}/{PATH}"
    tunnelled.moved[PATH], server.files[plain] = plain, BODY
    monkeypatch.setenv("http_proxy", os.environ["https_proxy"])
    with pytest.raises(DataUnavailable, match="redirects to an unencrypted address"):
        fetch("demo", policy=QUICK)
    # Nor does one that leads back to encryption.
    server.moved[plain] = f"https://{SECURE}/elsewhere"
    tunnelled.files["elsewhere"] = BODY
    with pytest.raises(DataUnavailable, match="redirects to an unencrypted address"):
        fetch("demo", policy=QUICK)
    assert left_over(data_folder) == []


def test_a_server_behind_a_tunnel_must_have_a_certificate_for_its_name(
    tunnelled: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"https://other.invalid/{PATH}"
    publish(monkeypatch, RemoteFile(PATH, len(BODY), sha(BODY), url=address))
    with pytest.raises(DataUnavailable, match=r"other\.invalid cannot be verified"):
        fetch("demo", policy=QUICK)
    assert tunnelled.requests == []


def test_a_file_without_a_published_checksum_is_pinned_and_held_to_its_pin(
    server: Server, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = b"First Citizen:\nSpeak, speak.\n" * 100
    server.files["shakespeare/100-0.txt"] = text
    monkeypatch.setenv("ACCELREPORT_MIRROR", server.url)
    (path,) = fetch("shakespeare_gutenberg", policy=QUICK)
    pin = read_pins(data_folder)["shakespeare/100-0.txt"]
    assert (pin.sha256, pin.size) == (sha(text), len(text))
    data = load("shakespeare_gutenberg", mode="real")
    assert data.origin == "official"
    assert f"recorded at the first download ({pin.date})" in data.note

    path.unlink()
    server.files["shakespeare/100-0.txt"] = text + b"and more"
    with pytest.raises(DataUnavailable, match="not the published file"):
        fetch("shakespeare_gutenberg", policy=QUICK)

    path.write_bytes(text + b"by hand")
    assert load("shakespeare_gutenberg", mode="real").origin == "user-supplied"


def test_a_data_set_of_ones_own_has_nothing_to_fetch() -> None:
    with pytest.raises(DataUnavailable, match="nothing to download"):
        fetch("csv")
