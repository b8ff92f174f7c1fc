import functools
import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.children import QUICKLY, python

Said = dict[str, Any]


@pytest.fixture(scope="session")
def said(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Said]:
    """What `program` prints of every problem in a framework, from TensorFlow's weights."""
    weights = tmp_path_factory.mktemp("weights")

    @functools.cache
    def of(framework: str) -> Said:
        if framework != "tensorflow":
            of("tensorflow")
        program = ("-m", "tests.backend.frameworks.program", framework, str(weights))
        done = python(*program, environment=QUICKLY)
        assert done.returncode == 0, done.stderr[-3000:]
        found: Said = json.loads(done.stdout)
        return found

    return of


@pytest.fixture(scope="session")
def tensorflow(said: Callable[[str], Said]) -> Said:
    """What it prints in TensorFlow, whose process leaves the weights of the others."""
    return said("tensorflow")


@pytest.fixture(scope="session")
def jax(said: Callable[[str], Said]) -> Said:
    """What it prints in JAX."""
    return said("jax")


@pytest.fixture(scope="session")
def torch(said: Callable[[str], Said]) -> Said:
    """What it prints in PyTorch."""
    return said("torch")


@pytest.fixture(scope="session", params=["jax", "torch"])
def other(request: pytest.FixtureRequest, said: Callable[[str], Said]) -> Said:
    """What it prints in each framework that is not TensorFlow."""
    return said(request.param)
