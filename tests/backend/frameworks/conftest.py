import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.children import python

Said = dict[str, Any]


def _said(framework: str, folder: Path) -> Said:
    done = python("-m", "tests.backend.frameworks.program", framework, str(folder))
    assert done.returncode == 0, done.stderr[-3000:]
    found: Said = json.loads(done.stdout)
    return found


@pytest.fixture(scope="session")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where TensorFlow's process leaves the weights that JAX' process begins with."""
    return tmp_path_factory.mktemp("weights")


@pytest.fixture(scope="session")
def tensorflow(begun: Path) -> Said:
    """What `program` prints of every problem in TensorFlow."""
    return _said("tensorflow", begun)


@pytest.fixture(scope="session")
def jax(begun: Path, tensorflow: Said) -> Said:
    """The same in JAX, from the same weights."""
    return _said("jax", begun)
