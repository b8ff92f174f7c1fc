"""The site on this machine, shown anew in the browser whenever it was built anew.

The built site stays as it is. What a page needs to notice a new build, one script and the
permission to ask this server, is added to it on its way to the browser.

Whether files have changed is seen by looking at them again and again, which costs little for some
thousand of them, and works on every platform and on network folders, which report no changes.
"""

from __future__ import annotations

import contextlib
import hashlib
import html
import io
import os
import re
import secrets
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import unquote, urlsplit

from accelreport.errors import AccelReportError, ExitCode
from accelreport.report.site.render import source


def files_fingerprint(roots: Sequence[Path]) -> str:
    """Hash of the names, sizes and times of all files below folders; hidden ones aside.

    A folder that is not there is one without files: it may be made later.
    """
    sha256 = hashlib.sha256()
    for root in roots:
        for name, size, time in sorted(_files(root)):
            sha256.update(f"{name}\0{size}\0{time}\n".encode("utf-8", "surrogateescape"))
    return sha256.hexdigest()


def _files(root: Path) -> Iterator[tuple[str, int, int]]:
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            if not name.startswith("."):
                path = Path(folder, name)
                with contextlib.suppress(OSError):  # removed between the listing and now
                    status = path.stat()
                    yield str(path), status.st_size, status.st_mtime_ns


CHANGES = "/.accelreport/changes"
"""Where a page waits for a new build."""
SCRIPT = (
    f'new EventSource("{CHANGES}").onmessage = (news) => '
    "{ if (window.build && window.build !== news.data) location.reload(); "
    "window.build = news.data; };"
)
_POLICY = re.compile(r'(http-equiv="Content-Security-Policy" content=")([^"]*)"')
_SCRIPTS = re.compile(r"script-src ([^;]*)")
BEAT_S = 15.0
"""Seconds after which a silent connection gets a sign of life, which finds closed ones."""
IDLE_S = 30.0
"""Seconds after which a connection is closed that asks for nothing, or takes nothing."""
LOOPBACK = ("127.0.0.1", "::1", "localhost")


class ServeError(AccelReportError):
    """The site cannot be shown."""

    exit_code = ExitCode.USAGE


class LiveServer(ThreadingHTTPServer):
    """Serves one folder.

    Args:
        folder: the site.
        host: address to listen at.
        port: port to listen at; 0 for any that is free.

    Raises:
        ServeError: the address cannot be used.
    """

    daemon_threads = True

    def __init__(self, folder: Path, host: str, port: int) -> None:
        self.folder = folder
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.build = 0
        self.start = secrets.token_hex(4)
        self.changed = threading.Condition()
        try:
            super().__init__((host, port), _Handler)
        except (OSError, OverflowError) as error:
            raise ServeError(
                f"Nothing can be served at {host}, port {port}.",
                why=f"{getattr(error, 'strerror', None) or error}.",
                remedy="Choose another with --port, or 0 for any that is free.",
            ) from error
        self.names: Sequence[str] = (*LOOPBACK, host) if host in LOOPBACK else ()

    @property
    def address(self) -> str:
        """What to open in a browser."""
        host, port = str(self.server_address[0]), int(self.server_address[1])
        return f"http://{f'[{host}]' if ':' in host else host}:{port}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A page that was closed before it had everything is no error to report."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            with contextlib.suppress(OSError):  # one that cannot be printed ends no server
                super().handle_error(request, client_address)

    def announce(self) -> None:
        """Makes every open page load the new build."""
        with self.changed:
            self.build += 1
            self.changed.notify_all()


class _Handler(SimpleHTTPRequestHandler):
    server: LiveServer
    protocol_version = "HTTP/1.1"
    timeout = IDLE_S

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, directory=str(args[2].folder), **options)

    def do_GET(self) -> None:
        """A file of the site, or news of builds."""
        if self._foreign():
            self.send_error(HTTPStatus.MISDIRECTED_REQUEST)
        elif urlsplit(self.path).path == CHANGES:
            self._send_builds()
        else:
            super().do_GET()

    def do_HEAD(self) -> None:
        """The same without the content."""
        if self._foreign():
            self.send_error(HTTPStatus.MISDIRECTED_REQUEST)
        else:
            super().do_HEAD()

    def _foreign(self) -> bool:
        """Whether another site's name leads here, so that its scripts could read ours."""
        if not self.server.names:
            return False
        try:
            name = urlsplit(f"//{self.headers.get('Host', '')}").hostname
        except ValueError:
            return True
        return name not in self.server.names

    def send_head(self) -> io.BytesIO | BinaryIO | None:
        """Pages with the script; other files as they are; none hidden or elsewhere, no listings."""
        path = unquote(urlsplit(self.path).path)
        if any(part.startswith(".") for part in path.split("/") if part):
            self.send_error(HTTPStatus.NOT_FOUND)
            return None
        place = Path(self.translate_path(self.path))
        place = place / "index.html" if path.endswith("/") else place
        try:
            file = place.resolve(strict=True)
            if not (file.is_file() and file.is_relative_to(self.server.folder.resolve())):
                raise FileNotFoundError
            if place.suffix != ".html":
                return super().send_head()
            # What is no UTF-8 goes on as it is.
            page = file.read_bytes().decode(errors="surrogateescape")
        except (OSError, RuntimeError, ValueError):  # the latter two of links and names of any kind
            self.send_error(HTTPStatus.NOT_FOUND)
            return None
        content = live(page).encode(errors="surrogateescape")
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        return io.BytesIO(content)

    def end_headers(self) -> None:
        """Nothing is kept, guessed or framed."""
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("X-Frame-Options", "DENY")
        self.send_header("Content-Security-Policy", "frame-ancestors 'none'")
        super().end_headers()

    def _send_builds(self) -> None:
        """Sends the number of the build, now and after each new one."""
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        announced = -1
        try:
            while True:
                with self.server.changed:
                    build = self.server.build
                    if build == announced:
                        self.server.changed.wait(BEAT_S)
                        build = self.server.build
                text = f"data: {self.server.start}-{build}\n\n" if build != announced else ": \n\n"
                self.wfile.write(text.encode())
                self.wfile.flush()
                announced = build
        except OSError:
            return  # the page was closed

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 -- its name there
        """Requests are not worth a line each."""


def live(page: str) -> str:
    """A page that notices new builds; its policy allows one script more, and this server."""
    hashed = source(SCRIPT)

    def widened(match: re.Match[str]) -> str:
        rules = html.unescape(match[2])
        if _SCRIPTS.search(rules):
            rules = _SCRIPTS.sub(lambda own: f"script-src {own[1]} {hashed}", rules)
        else:
            rules = f"{rules}; script-src {hashed}"
        if "connect-src" not in rules:
            rules = f"{rules}; connect-src 'self'"
        return f'{match[1]}{html.escape(rules)}"'

    wider = _POLICY.sub(widened, page, count=1)
    head, end, rest = wider.rpartition("</body>")
    return f"{head}<script>{SCRIPT}</script>{end}{rest}" if end else wider


LOOK_S = 0.5
"""Seconds between two looks at the files."""


def keep_serving(
    server: LiveServer,
    watched: Sequence[Path],
    rebuild: Callable[[], None],
    complain: Callable[[Exception], None],
    stop: threading.Event | None = None,
) -> None:
    """Serves until Ctrl-C; builds anew after each change, once the files are quiet again.

    Args:
        server: what serves.
        watched: folders whose files are looked at.
        rebuild: builds the site; when it cannot, the old site is kept.
        complain: reports why it could not.
        stop: ends it, for callers without a keyboard.
    """
    ended = stop or threading.Event()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1})
    # Before the first page is served, because files may change from then on.
    built = files_fingerprint(watched)
    before = built
    thread.start()
    try:
        while not ended.wait(LOOK_S):
            now = files_fingerprint(watched)
            if now == before and now != built:
                mistake = None
                try:
                    rebuild()
                except Exception as error:  # whatever it is, the old site is shown on
                    mistake = error
                built = now = files_fingerprint(watched)
                if mistake is None:
                    server.announce()
                else:
                    complain(mistake)
            before = now
    except KeyboardInterrupt:
        return
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
