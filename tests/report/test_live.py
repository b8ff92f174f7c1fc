"""The site on this machine, shown anew when it changes, and to nobody else."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage

from accelreport.errors import AccelReportError
from accelreport.report.site.options import BuildOptions
from accelreport.report.site.serve import (
    LiveServer,
    ServeError,
    files_fingerprint,
    keep_serving,
    live,
)
from tests.report.scenarios import Results
from tests.support.browser import tab
from tests.support.processes import PATIENCE_S, soon
from tests.support.records import study
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


def test_no_page_is_kept_guessed_or_framed(shown: Shown) -> None:
    for path in ("/", "/absent.html", "/speedups.csv"):
        headers = shown.fetch(path).headers
        assert headers["Cache-Control"] == "no-store"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["X-Frame-Options"] == "DENY"
        assert headers["Content-Security-Policy"] == "frame-ancestors 'none'"


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
