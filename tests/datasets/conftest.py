"""A data folder of the test's own, and real data where the machine has them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from accelreport.datasets.entry import RemoteFile
from tests.datasets import layouts
from tests.datasets.publishing import BODY, PATH, publish, sha
from tests.datasets.server import SECURE, Server, certificate, secure_server, server
from tests.support.data import BESIDE_THE_CHECKOUT
from tests.support.disks import tiny_disk

__all__ = ["certificate", "secure_server", "server", "tiny_disk"]

REAL = os.environ.get("ACCELREPORT_DATA")
"""What the person who runs the tests set; read before any test changes it."""


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data folder, and no mirror and no proxy, for every test here."""
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setenv("ACCELREPORT_DATA", str(folder))
    for name in ("ACCELREPORT_MIRROR", "http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture
def some_data(data_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A read-only folder of real files when there is one, else small files of their form."""
    for root in (REAL, BESIDE_THE_CHECKOUT):
        if root and (Path(root) / "mnist").is_dir():
            monkeypatch.setenv("ACCELREPORT_DATA", str(root))
            return Path(root)
    for write in layouts.WRITERS.values():
        write(data_folder)
    return data_folder


@pytest.fixture
def tunnelled(server: Server, secure_server: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    """`demo` on a server behind TLS, which only a proxy reaches that asks for a password."""
    secure_server.files[PATH] = BODY
    server.password, server.behind = "anna:secret", secure_server.url
    monkeypatch.setenv("https_proxy", server.url.replace("http://", "http://anna:secret@"))
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    address = f"https://{SECURE}/{PATH}"
    publish(monkeypatch, RemoteFile(PATH, len(BODY), sha(BODY), url=address))
    return secure_server


@pytest.fixture
def demo(server: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    """A data set `demo` of one file of 300,000 bytes that the server has."""
    server.files[PATH] = BODY
    publish(monkeypatch, RemoteFile(PATH, len(BODY), sha(BODY), url=f"{server.url}/{PATH}"))
    return server
