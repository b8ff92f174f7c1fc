"""The browser in which tests look at pages."""

from __future__ import annotations

import os
import shutil

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
