"""The site on this machine, shown anew when it changes, and to nobody else."""

from __future__ import annotations

import http.client
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage

from accelreport.errors import AccelReportError
from accelreport.report.site.options import BuildOptions
from accelreport.report.site.serve import (
    IDLE_S,
    LiveServer,
    ServeError,
    _Handler,
    files_fingerprint,
    keep_serving,
    live,
)
from tests.report.scenarios import Results
from tests.support.browser import tab
from tests.support.processes import PATIENCE_S, soon
from tests.support.records import store_of, study
from tests.support.sites import build

RESULTS = Results((study("matmul", repeats=1, devices=("cpu",), axes={}),))


@dataclass(frozen=True)
class Answer:
    """What a server answered."""

    status: int
    headers: Mapping[str, str]
    content: bytes


def asked(port: int, path: str, host: str = "") -> Answer:
    """The answer of a server of this machine."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    connection.request("GET", path, headers={"Host": host or f"127.0.0.1:{port}"})
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return Answer(answer.status, dict(answer.getheaders()), content)


@dataclass
class Shown:
    """A site that is being served, and the template that a person edits."""

    server: LiveServer
    template: Path
    complaints: list[str] = field(default_factory=list)

    def ask(self, path: str, host: str = "") -> tuple[int, str]:
        answer = self.fetch(path, host)
        return answer.status, answer.content.decode()

    def fetch(self, path: str, host: str = "") -> Answer:
        return asked(int(self.server.server_address[1]), path, host)


@pytest.fixture
def shown(tmp_path: Path) -> Iterator[Shown]:
    out, mine = tmp_path / "site", tmp_path / "mine"
    mine.mkdir()
    options = BuildOptions(templates=mine, cache=tmp_path / "cache")
    build(RESULTS, out, options=options)
    found = Shown(LiveServer(out, "127.0.0.1", 0), mine / "parts.html")
    stop = threading.Event()
    thread = threading.Thread(
        target=keep_serving,
        args=(
            found.server,
            [mine],
            lambda: build(RESULTS, out, options=options),
            lambda error: found.complaints.append(error.what),
            stop,
        ),
    )
    thread.start()
    yield found
    stop.set()
    thread.join()


@contextmanager
def serving(site: Path) -> Iterator[Shown]:
    """A folder that is served and never built anew."""
    shown, stop = Shown(LiveServer(site, "127.0.0.1", 0), site), threading.Event()
    thread = threading.Thread(
        target=keep_serving,
        args=(shown.server, [], lambda: None, lambda _: None, stop),
    )
    thread.start()
    yield shown
    stop.set()
    thread.join()


OURS = '{% extends "accelreport/page.html" %}{% block foot %}FOOT{% endblock %}'


@pytest.mark.e2e
def test_an_open_page_shows_what_was_edited_and_outlives_a_mistake(
    shown: Shown, browser: Browser
) -> None:
    said: list[str] = []

    def note(message: ConsoleMessage) -> None:
        said.append(message.text)

    with tab(browser, width=1280) as page:
        page.on("console", note)
        page.goto(shown.server.address)
        template = shown.template.with_name("page.html")
        template.write_text(OURS.replace("FOOT", "<footer>first</footer>"))
        page.get_by_text("first", exact=True).wait_for()
        template.write_text("{% if %}")
        assert soon(lambda: shown.complaints)
        template.write_text(OURS.replace("FOOT", "<footer>second</footer>"))
        page.get_by_text("second", exact=True).wait_for()
        page.remove_listener("console", note)
    assert "page.html, line 1" in shown.complaints[0]
    assert said == []


def test_only_files_of_the_site_are_served_and_only_by_its_own_names(shown: Shown) -> None:
    status, page = shown.ask("/")
    assert status == 200
    assert "connect-src &#x27;self&#x27;" in page
    assert shown.ask("/methods.html")[0] == 200
    for path in (
        "/.accelreport-site.json", "/cells/", "/../mine/", "/%2e%2e/mine/", "/absent.html",
        "/matmul", "//evil.example/", "/..%2fmine",
    ):  # fmt: skip
        assert shown.ask(path)[0] == 404, path
    assert shown.ask("/", host="evil.example")[0] == 421
    assert shown.ask("/", host="localhost")[0] == 200


def test_no_link_leads_out_of_the_site(shown: Shown, tmp_path: Path) -> None:
    site = shown.server.folder
    (tmp_path / "private.html").write_text("private")
    (site / "link.html").symlink_to(tmp_path / "private.html")
    (site / "link.txt").symlink_to(tmp_path / "private.html")
    (site / "folder").symlink_to(tmp_path)
    (site / "round.html").symlink_to("round.html")
    (site / "home.html").symlink_to("index.html")
    for path in ("/link.html", "/link.txt", "/folder/private.html", "/round.html", "/folder/"):
        assert shown.ask(path)[0] == 404, path
    assert shown.ask("/home.html") == shown.ask("/index.html")


def test_a_site_that_is_reached_through_a_link_is_served(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "index.html").write_text("<body>here</body>")
    (tmp_path / "site").symlink_to("real")
    with serving(tmp_path / "site") as shown:
        assert "here" in shown.ask("/")[1]


def test_a_page_that_is_no_utf8_is_served_as_it_is_and_odd_names_are_absent(
    shown: Shown, capfd: pytest.CaptureFixture[str]
) -> None:
    (shown.server.folder / "odd.html").write_bytes(b"<p>caf\xe9</p></body>")
    (shown.server.folder / "folder.html").mkdir()
    assert shown.fetch("/odd.html").content.startswith(b"<p>caf\xe9</p><script>")
    for path in ("/folder.html", f"/{'a' * 300}.html", "/%00.html", "/%ed%a0%80.html", "/%ff"):
        assert shown.ask(path)[0] == 404, path
    assert "Traceback" not in capfd.readouterr().err


def test_no_page_is_kept_guessed_or_framed(shown: Shown) -> None:
    for path in ("/", "/absent.html", "/speedups.csv"):
        headers = shown.fetch(path).headers
        assert headers["Cache-Control"] == "no-store"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["X-Frame-Options"] == "DENY"
        assert headers["Content-Security-Policy"] == "frame-ancestors 'none'"


def test_a_connection_that_asks_for_nothing_is_closed(
    shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _Handler.timeout == IDLE_S
    monkeypatch.setattr(_Handler, "timeout", 0.1)
    port = int(shown.server.server_address[1])
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as idle:
        idle.sendall(b"GET / HTTP/1.1\r\nHost: ")
        assert idle.recv(1) == b""


def answers(connections: Sequence[socket.socket]) -> set[bytes]:
    """How the answers begin that have come so far."""
    ready, _, _ = select.select(connections, [], [], 0)
    return {each.recv(12, socket.MSG_PEEK) for each in ready}


@pytest.mark.e2e
def test_more_idle_connections_than_files_may_be_open_do_not_end_the_program(
    tmp_path: Path,
) -> None:
    store_of(tmp_path / "results", RESULTS.studies[0])
    limited = ["sh", "-c", 'ulimit -n 128 && exec "$@"', "sh", sys.executable, "-m", "accelreport"]
    process = subprocess.Popen(
        [*limited, "serve", "--port", "0"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    idle: list[socket.socket] = []
    try:
        assert process.stdout is not None
        at = next(filter(None, map(re.compile(r"127\.0\.0\.1:(\d+)/").search, process.stdout)))
        address = "127.0.0.1", int(at[1])
        idle += [socket.create_connection(address, timeout=PATIENCE_S) for _ in range(200)]
        assert soon(lambda: b"HTTP/1.1 503" in answers(idle))
        for each in idle:
            each.close()
        assert soon(lambda: asked(address[1], "/").status == 200)
    finally:
        for each in idle:
            each.close()
        process.kill()
        _, error = process.communicate()
    assert (process.returncode, error) == (-signal.SIGKILL, "")


def test_the_built_site_is_not_touched_by_serving(shown: Shown) -> None:
    built = (shown.server.folder / "index.html").read_text(encoding="utf-8")
    assert "EventSource" not in built
    assert "connect-src" not in built
    served = shown.ask("/index.html")[1]
    assert served == live(built)
    assert "unsafe" not in served.split("</head>")[0]


def test_an_address_that_is_taken_is_told(shown: Shown) -> None:
    with pytest.raises(ServeError, match="Nothing can be served") as caught:
        LiveServer(shown.server.folder, "127.0.0.1", int(shown.server.server_address[1]))
    assert "--port" in caught.value.remedy
    assert isinstance(caught.value, AccelReportError)


def test_a_change_of_any_file_is_seen(tmp_path: Path) -> None:
    states = [files_fingerprint([tmp_path, tmp_path / "absent"])]
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "a").write_text("1")
    states.append(files_fingerprint([tmp_path]))
    (tmp_path / "below" / "a").write_text("12")
    states.append(files_fingerprint([tmp_path]))
    (tmp_path / ".hidden").write_text("1")
    assert files_fingerprint([tmp_path]) == states[-1]
    (tmp_path / "below" / "a").unlink()
    states.append(files_fingerprint([tmp_path]))
    assert len(set(states)) == 3
    assert states[0] == states[-1]


@pytest.mark.e2e
def test_a_reader_who_goes_away_in_the_middle_is_no_error(
    shown: Shown, capfd: pytest.CaptureFixture[str]
) -> None:
    large = shown.server.folder / "large.bin"
    with large.open("wb") as file:
        file.truncate(2**28)
    assert shown.ask("/index.html")[0] == 200
    before = threading.active_count()
    host, port = "127.0.0.1", int(shown.server.server_address[1])
    for _ in range(3):
        with socket.create_connection((host, port)) as asked:
            asked.sendall(f"GET /large.bin HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
            asked.recv(1000)
            asked.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    assert shown.ask("/index.html")[0] == 200
    assert soon(lambda: threading.active_count() <= before)
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.e2e
def test_an_error_that_nobody_foresaw_is_told_and_the_old_site_is_served_on(tmp_path: Path) -> None:
    out, watched = tmp_path / "site", tmp_path / "mine"
    watched.mkdir()
    build(RESULTS, out, options=BuildOptions())
    told: list[Exception] = []
    heard, stop = threading.Event(), threading.Event()

    def fail() -> None:
        raise ValueError("nobody foresaw this")

    def complain(error: Exception) -> None:
        told.append(error)
        heard.set()

    shown = Shown(LiveServer(out, "127.0.0.1", 0), watched)
    thread = threading.Thread(
        target=keep_serving, args=(shown.server, [watched], fail, complain, stop)
    )
    thread.start()
    try:
        assert shown.ask("/index.html")[0] == 200
        (watched / "edited").touch()
        assert heard.wait(PATIENCE_S)
        assert shown.ask("/index.html")[0] == 200
    finally:
        stop.set()
        thread.join()
    assert [str(error) for error in told] == ["nobody foresaw this"]
