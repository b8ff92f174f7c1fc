"""The browser in which tests look at pages."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tests.support.processes import PATIENCE_S

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page, Request, WebError

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


_FREE: dict[tuple[Browser, bool, bool], Page] = {}
"""Tabs that no test looks at, with scripts and without, on a touch screen or not."""


@contextmanager
def tab(
    browser: Browser,
    *,
    width: int,
    height: int = 900,
    scheme: Literal["light", "dark"] = "light",
    script: bool = True,
    touch: bool = False,
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
        touch: whether it is a touch screen.
    """
    page = _FREE.pop((browser, script, touch), None)
    if page is None:
        context = browser.new_context(java_script_enabled=script, has_touch=touch)
        context.set_default_timeout(1000 * PATIENCE_S)
        page = context.new_page()
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(media="screen", color_scheme=scheme, reduced_motion="no-preference")
    yield page
    if script:
        page.evaluate("localStorage.clear(); sessionStorage.clear()")
    for other in page.context.pages:
        if other is not page:
            other.close()
    page.goto("about:blank")
    _FREE[browser, script, touch] = page


@contextmanager
def opened(
    browser: Browser,
    path: Path,
    query: str = "",
    *,
    width: int = 1280,
    height: int = 900,
    scheme: Literal["light", "dark"] = "light",
    script: bool = True,
    touch: bool = False,
    files: bool = False,
    quiet: bool = True,
) -> Iterator[Page]:
    """A page from the disk, in a `tab`; the test fails where any page of it says or asks anything.

    Args:
        browser: where it is opened.
        path: the page.
        query: what follows the path in its address.
        width: as of `tab`.
        height: as of `tab`.
        scheme: as of `tab`.
        script: as of `tab`.
        touch: as of `tab`.
        files: whether it may ask for other files of the disk.
        quiet: whether it must say nothing.
    """
    address, asked, said = path.resolve().as_uri(), list[str](), list[str]()

    def note_request(request: Request) -> None:
        asked.append(request.url)

    def note_message(message: ConsoleMessage) -> None:
        said.append(message.text)

    def note_error(error: WebError) -> None:
        said.append(str(error.error))

    with tab(
        browser, width=width, height=height, scheme=scheme, script=script, touch=touch
    ) as page:
        context = page.context
        context.on("request", note_request)
        context.on("console", note_message)
        context.on("weberror", note_error)
        page.goto(address + query)
        yield page
        context.remove_listener("request", note_request)
        context.remove_listener("console", note_message)
        context.remove_listener("weberror", note_error)
    own = ("data:", "file:") if files else ("data:", address)
    others = [url for url in asked if not url.startswith(own)]
    assert not others, others
    assert not (quiet and said), said
