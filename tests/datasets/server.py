"""A real HTTP server on this machine that can be told to misbehave."""

from __future__ import annotations

import base64
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

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
        redirect: where it sends every request.
        password: what it asks for as a proxy, as `user:password`; nothing when empty.
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
    redirect: str = ""
    password: str = ""
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
        elif told.redirect:
            self._empty(302)
        elif path not in told.files:
            self._empty(404)
        else:
            self._send(told.files[path], asked, condition)

    def do_CONNECT(self) -> None:
        """Lets whoever knows the password through, and hangs up: nobody is behind it."""
        self.told.requests.append((f"CONNECT {self.path}", "", ""))
        self.close_connection = True
        self.send_response_only(200 if self._is_known() else 407)
        self.end_headers()

    def _is_known(self) -> bool:
        expected = f"Basic {base64.b64encode(self.told.password.encode()).decode()}"
        return not self.told.password or self.headers.get("Proxy-Authorization") == expected

    def _empty(self, status: int) -> None:
        self.send_response(status)
        if self.told.redirect:
            self.send_header("Location", self.told.redirect)
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
        except (BrokenPipeError, ConnectionResetError):
            self.log_message("the client hung up")

    def log_message(self, *_arguments: object) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[Server]:
    """A server that serves nothing yet."""
    told = Server()
    handler = type("Handler", (_Handler,), {"told": told})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as http:
        told.url = f"http://127.0.0.1:{http.server_address[1]}"
        thread = threading.Thread(target=http.serve_forever, args=(0.01,))
        thread.start()
        yield told
        http.shutdown()
        thread.join()
