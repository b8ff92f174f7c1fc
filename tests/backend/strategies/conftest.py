import json
import subprocess
import sys
from typing import Any

import pytest


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
