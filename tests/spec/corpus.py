"""The corpus of broken specs: each file or folder, and beside it what is said about it.

After a deliberate change of a message, `python -m tests.spec.corpus` writes the expected
texts anew; read their difference before you commit it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

from accelreport.loader.load import load
from accelreport.spec.problems import SpecErrors
from accelreport.workloads.registry import FAMILIES
from tests.spec import families

BROKEN = Path(__file__).parent / "broken"
"""The corpus; its `devices.toml` is sound and serves the specs beside it."""


def cases() -> list[str]:
    """Names of the broken specs, and of the folders that are broken together."""
    found = [path for path in BROKEN.iterdir() if path.suffix != ".txt"]
    return sorted(path.name for path in found if path.name != "devices.toml")


def expected(case: str) -> Path:
    """The file with what is to be said about a case."""
    return BROKEN / f"{case.removesuffix('.toml')}.txt"


@contextlib.contextmanager
def own_families() -> Iterator[None]:
    """The workload families that the corpus was written for, whatever is installed."""
    with mock.patch.dict(FAMILIES, families.FAMILIES, clear=True):
        yield


def errors(case: str) -> SpecErrors:
    """What is wrong with a case, its files named from the corpus's folder.

    Raises:
        AssertionError: nothing is wrong with it.
    """
    with contextlib.chdir(BROKEN), own_families():
        try:
            load([Path(case)])
        except SpecErrors as error:
            return error
    raise AssertionError(f"nothing is wrong with {case}")


if __name__ == "__main__":
    for name in cases():
        expected(name).write_text(f"{errors(name)}\n", encoding="utf-8")
