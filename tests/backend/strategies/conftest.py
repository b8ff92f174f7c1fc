import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.backend.strategies import forks
from tests.backend.strategies.cells import Start, start_child
from tests.support.workers import made_once


@pytest.fixture(scope="session")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What `replicas_program` prints: one device and two mirrored replicas, side by side."""

    def say(out: Path) -> None:
        program = "tests.backend.strategies.replicas_program"
        done = subprocess.run(
            [sys.executable, "-m", program], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr[-3000:]
        out.write_text(done.stdout)

    found: dict[str, Any] = json.loads(made_once(tmp_path_factory, "replicas", say).read_text())
    return found


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts cells' processes; whatever a test leaves of them is killed."""
    started: list[subprocess.Popen[bytes]] = []

    def one(*arguments: Any) -> subprocess.Popen[bytes]:
        started.append(start_child(*arguments))
        return started[-1]

    yield one
    for child in started:
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()


@pytest.fixture(scope="session")
def launched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[forks.Launched]:
    """Measures cells of clusters in forks, so that not each process imports TensorFlow."""
    with forks.launched(tmp_path_factory.mktemp("clusters")) as launcher:
        yield launcher
