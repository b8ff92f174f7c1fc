"""What holds for every test."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from tests.support.browser import BROWSER_ARGUMENTS, browser_path

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Playwright

# How long an example takes says more about what else the machine does than about the code.
settings.register_profile("shared", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files whose tests take long go first, so that no worker is left alone with one at the end."""
    long = {item.path for item in items if item.get_closest_marker("e2e")}
    items.sort(key=lambda item: item.path not in long)


@pytest.fixture(scope="session", autouse=True)
def builds_remember_nothing_of_this_person(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[None]:
    """Builds that tests start leave the person's own cache folder alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ACCELREPORT_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    """Drives browsers: one for all tests, since a process can have no second one."""
    # Only few tests need it, and importing it takes a while.
    from playwright.sync_api import sync_playwright

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
