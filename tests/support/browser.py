"""The browser in which tests look at pages."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
"""Where a browser may be, as in `scripts/find_browser.sh`, which `make test` asks."""

BROWSER_ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
"""What keeps a browser from asking the network or the person for anything."""


def browser_path() -> str:
    """Path of Chromium or Chrome, for Playwright's `executable_path`.

    Raises:
        FileNotFoundError: there is none; `make test` installs or explains.
    """
    chosen = os.environ.get("ACCELREPORT_BROWSER")
    for name in (chosen,) if chosen else BROWSERS:
        found = shutil.which(name)
        if found:
            return found
    raise FileNotFoundError("no Chromium or Chrome found: `make test` installs or explains")


_FREE: dict[tuple[Browser, bool], Page] = {}
"""Tabs that no test looks at, with scripts and without."""


@contextmanager
def tab(
    browser: Browser,
    *,
    width: int,
    height: int = 900,
    scheme: Literal["light", "dark"] = "light",
    script: bool = True,
) -> Iterator[Page]:
    """An empty tab, which an earlier test may have looked at; a new one takes half a second.

    Nothing of that test is left in it: not what it chose, nor what it listened to. After a test
    that fails, nobody looks at its tab again.

    Args:
        browser: where it is opened.
        width: of the window, in CSS px.
        height: of the window, in CSS px.
        scheme: the colours that the system asks for.
        script: whether scripts run.
    """
    page = _FREE.pop((browser, script), None)
    if page is None:
        page = browser.new_context(java_script_enabled=script).new_page()
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(media="screen", color_scheme=scheme, reduced_motion="no-preference")
    yield page
    if script:
        page.evaluate("localStorage.clear(); sessionStorage.clear()")
    page.goto("about:blank")
    _FREE[browser, script] = page
