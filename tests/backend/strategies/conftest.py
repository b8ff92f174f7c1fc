import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.backend.strategies.cells import Start, start_child


@pytest.fixture(scope="session")
def said() -> dict[str, Any]:
    """What `replicas_program` prints: one device and two mirrored replicas, side by side."""
    program = "tests.backend.strategies.replicas_program"
    done = subprocess.run(
        [sys.executable, "-m", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = json.loads(done.stdout)
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
