"""What the tests of specs share: a devices file, and specs written in a line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from accelreport.loader.load import load
from accelreport.spec.cells import Spec
from accelreport.spec.problems import SpecErrors
from tests.spec.corpus import BROKEN, own_families

HEAD = 'schema = 1\ntitle = "Batches"\ndevices = ["cpu", "gpu"]\n'
"""The keys at the top of a small spec."""

TRAINING = HEAD + '[workload]\nkind = "image_classification"\n'
"""A small spec that trains."""

KERNEL = HEAD + '[workload]\nkind = "matmul"\n'
"""A small spec that calls a kernel."""


@pytest.fixture(autouse=True)
def _families() -> Iterator[None]:
    with own_families():
        yield


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a devices file: cpu, cpu-1, gpu and tpu."""
    (tmp_path / "devices.toml").write_bytes((BROKEN / "devices.toml").read_bytes())
    return tmp_path


Write = Callable[..., Path]


@pytest.fixture
def write(folder: Path) -> Write:
    """Write a spec, by default `batches.toml`, and return its path."""

    def write(text: str | bytes, name: str = "batches") -> Path:
        path = folder / f"{name}.toml"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write


def the_spec(path: Path, profile: str | None = None) -> Spec:
    """The one spec of a file."""
    (spec,) = load([path], profile=profile).specs
    return spec


def told(*paths: Path, profile: str | None = None) -> SpecErrors:
    """What is said about broken specs."""
    with pytest.raises(SpecErrors) as caught:
        load(list(paths), profile=profile)
    return caught.value
