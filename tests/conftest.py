"""What holds for every test."""

from __future__ import annotations

import gc
import importlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from accelreport.atomic import write_whole
from accelreport.machine.inventory import inventory
from accelreport.results.record import Roofs
from tests.support.browser import BROWSER_ARGUMENTS, browser_path
from tests.support.processes import PATIENCE_S
from tests.support.workers import common_folder

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Playwright

    from tests.support.children import Measures

TESTS = Path(__file__).parent

# How long an example takes says more about what else the machine does than about the code.
# The same examples in every run: a change is judged by itself, and not by whoever draws a rare one
# meanwhile. `--hypothesis-profile=search` looks for new ones.
settings.register_profile("search", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("shared", settings.get_profile("search"), derandomize=True)
settings.load_profile("shared")

# Python looks through all that is there for what is garbage, once for so many new objects; with
# TensorFlow and thousands of tests in a process, seven hundred come again and again.
gc.set_threshold(10_000)


def pytest_configure(config: pytest.Config) -> None:
    """Each worker rewrites the asserts of some files, which the others then find done.

    In a new checkout that is half of what collecting takes.
    """
    if config.args_source is config.ArgsSource.TESTPATHS:
        workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
        number = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
        paths = sorted(TESTS.rglob("test_*.py")) if workers > 1 else []
        for path in paths[number::workers]:
            name = path.relative_to(TESTS.parent).with_suffix("")
            importlib.import_module(".".join(name.parts))


def pytest_collection_finish() -> None:
    """What was imported and collected stays, and need not be looked through again."""
    gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files whose tests take long go first, so that no worker is left alone with one at the end.

    Rooms take turns: the tests of one wait for the same things, and while all workers wait, as for
    clusters, no processor has anything to do.
    """
    rooms: dict[str, list[Path]] = {}
    for path in dict.fromkeys(item.path for item in items if item.get_closest_marker("e2e")):
        rooms.setdefault(path.relative_to(TESTS).parts[0], []).append(path)
    turn = {path: number for files in rooms.values() for number, path in enumerate(files)}
    items.sort(key=lambda item: turn.get(item.path, len(turn)))


@pytest.fixture(scope="session", autouse=True)
def tests_leave_folders_and_runs_of_this_person_alone(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[None]:
    """Builds remember nothing in the person's own cache folder, but share what they remember.

    Runs wait for none that is not of the same worker.
    """
    common = common_folder(tmp_path_factory)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ACCELREPORT_CACHE", str(common / "cache"))
        keep_roofs(common / "cache" / "roofs")
        patch.setenv("ACCELREPORT_LOCK", str(tmp_path_factory.mktemp("machine") / "machine.lock"))
        yield


def keep_roofs(folder: Path) -> None:
    """Each cell would measure anew what this processor reaches, since tests keep it busy."""
    out_of_reach = Roofs(
        tflops=1e3, core_tflops=1e3, gbps=1e6, method="", other_cores=0.0, measured_at=""
    )
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / f"{inventory().machine}.json", out_of_reach.model_dump_json().encode())


@pytest.fixture(scope="session")
def measure(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Measures]:
    """Measures cells in forks, so that not each test waits for TensorFlow's import."""
    # Only few tests need it.
    from tests.support.children import forking

    with forking(tmp_path_factory.mktemp("forks")) as measures:
        yield measures


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    """Drives browsers: one for all tests, since a process can have no second one."""
    # Only few tests need it, and importing it takes a while.
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=1000 * PATIENCE_S)
    with sync_playwright() as driver:
        yield driver


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """Chromium, which is refused every connection by each test that uses it."""
    chromium = playwright.chromium.launch(
        executable_path=browser_path(), args=list(BROWSER_ARGUMENTS)
    )
    yield chromium
    chromium.close()
