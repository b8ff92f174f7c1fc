"""Takes the pictures of docs/chips.md: the ranked page, and the page of its first machine.

    accelreport rank examples/chips --out build/chips
    python scripts/chips_pictures.py build/chips

Look at both before they are committed.
"""

from __future__ import annotations

import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.support.browser import BROWSER_ARGUMENTS, browser_path, opened  # noqa: E402

WIDTH, HEIGHT = 1024, 760
"""Of each picture, in px."""


def main(site: Path) -> None:
    """Takes both pictures."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=browser_path(), args=list(BROWSER_ARGUMENTS)
        )
        pictures = ROOT / "docs" / "images"
        with opened(browser, site / "index.html", width=WIDTH, height=HEIGHT) as tab:
            tab.screenshot(path=pictures / "chips-ranked.png")
            address = tab.locator("tbody a").first.get_attribute("href") or ""
        machine = site / address.partition("#")[0]
        with opened(browser, machine, width=WIDTH, height=HEIGHT) as tab:
            tab.screenshot(path=pictures / "chips-machine.png")
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
