"""Real servers on this machine that can be told to misbehave: HTTP, HTTPS, and as proxies."""

from __future__ import annotations

import base64
import contextlib
import os
import re
import select
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest


@dataclass
class Server:
    """What it serves, how it misbehaves, and what was asked of it.

    Attributes:
        files: contents by path.
        ranges: whether it knows `Range`.
        etag: its name for the version of every file; none when empty.
        cuts: for each request in turn, after how many bytes of the body it hangs up.
        statuses: for each request in turn, a status it answers instead.
        pause_s: seconds it waits before each body.
        length: what it says of a body's length instead; "chunked" says nothing.
        moved: where it sends requests, by path.
        password: what it asks for as a proxy, as `user:password`; nothing when empty.
        behind: address of the server to which its tunnels lead, whatever their name; nobody is
            behind them when empty.
        garbles: sends bytes that are no TLS after a body that it cuts.
        requests: (path, Range, If-Range) of each request.
        sent: bytes of bodies sent in all.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    ranges: bool = True
    etag: str = '"one"'
    cuts: list[int] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    pause_s: float = 0.0
    length: str = ""
    moved: dict[str, str] = field(default_factory=dict)
    password: str = ""
    behind: str = ""
    garbles: bool = False
    requests: list[tuple[str, str, str]] = field(default_factory=list)
    sent: int = 0
    url: str = ""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    told: Server

    def do_GET(self) -> None:
        told = self.told
        path = unquote(self.path).lstrip("/")
        asked = self.headers.get("Range", "")
        condition = self.headers.get("If-Range", "")
        told.requests.append((path, asked, condition))
        self.close_connection = True
        if not self._is_known():
            self._empty(407)
        elif told.statuses:
            self._empty(told.statuses.pop(0))
        elif path in told.moved:
            self._empty(302, told.moved[path])
        elif path not in told.files:
            self._empty(404)
        else:
            self._send(told.files[path], asked, condition)

    def do_CONNECT(self) -> None:
        """Lets whoever knows the password through, and hangs up where nobody is behind it."""
        self.told.requests.append((f"CONNECT {self.path}", "", ""))
        self.close_connection = True
        known = self._is_known()
        self.send_response_only(200 if known else 407)
        self.end_headers()
        if known and self.told.behind:
            with contextlib.suppress(OSError):  # either end may hang up at any byte
                self._pass_on(urlsplit(self.told.behind).port)

    def _pass_on(self, port: int | None) -> None:
        with socket.create_connection(("127.0.0.1", port)) as behind:
            other = {self.connection: behind, behind: self.connection}
            while True:
                for end in select.select(list(other), [], [])[0]:
                    if not (content := end.recv(1 << 16)):
                        return
                    other[end].sendall(content)

    def _is_known(self) -> bool:
        expected = f"Basic {base64.b64encode(self.told.password.encode()).decode()}"
        return not self.told.password or self.headers.get("Proxy-Authorization") == expected

    def _empty(self, status: int, location: str = "") -> None:
        self.send_response(status)
        if location:
            self.send_header("Location", location)
        self.send_header("Content-Length", "0")
        self.send_header("Connection", "close")
        self.end_headers()

    def _send(self, whole: bytes, asked: str, condition: str) -> None:
        told = self.told
        span = re.fullmatch(r"bytes=(\d+)-", asked)
        start = 0
        if span and told.ranges and condition in {"", told.etag}:
            start = int(span[1])
            if start >= len(whole):
                self._empty(416)
                return
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{len(whole) - 1}/{len(whole)}")
        else:
            self.send_response(200)
        body = whole[start:]
        if told.etag:
            self.send_header("ETag", told.etag)
        if told.length != "chunked":
            self.send_header("Content-Length", told.length or str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        if told.cuts:
            body = body[: told.cuts.pop(0)]
        time.sleep(told.pause_s)
        told.sent += len(body)
        try:
            self.wfile.write(body)
            if told.garbles and len(body) < len(whole) - start:
                with socket.socket(fileno=os.dup(self.connection.fileno())) as below:
                    below.sendall(b"this is no record of TLS" * 100)
        except (BrokenPipeError, ConnectionResetError):
            self.log_message("the client hung up")

    def log_message(self, *_arguments: object) -> None:
        """Say nothing."""


@contextmanager
def _serving(tls: ssl.SSLContext | None = None) -> Iterator[Server]:
    told = Server()
    handler = type("Handler", (_Handler,), {"told": told})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as http:
        if tls:
            http.socket = tls.wrap_socket(http.socket, server_side=True)
        scheme = "https" if tls else "http"
        told.url = f"{scheme}://127.0.0.1:{http.server_address[1]}"
        thread = threading.Thread(target=http.serve_forever, args=(0.01,))
        thread.start()
        yield told
        http.shutdown()
        thread.join()


@pytest.fixture
def server() -> Iterator[Server]:
    """A server that serves nothing yet."""
    with _serving() as told:
        yield told


SECURE = "published.invalid"
"""The name for which `certificate` is."""


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate and its key in one file, made now."""
    path = tmp_path_factory.mktemp("tls") / "certificate.pem"
    key = path.with_name("key.pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
         "-subj", f"/CN={SECURE}", "-addext", f"subjectAltName=DNS:{SECURE}",
         "-keyout", key, "-out", path],
        check=True, capture_output=True,
    )  # fmt: skip
    path.write_bytes(path.read_bytes() + key.read_bytes())
    return path


@pytest.fixture
def secure_server(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server behind TLS, whose certificate is trusted by its name `published.invalid` only."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate)
    with _serving(tls) as told:
        yield told
