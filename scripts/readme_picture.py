"""Takes README's picture, light and dark, of the front page of a site that was built.

    accelreport run specs/ --profile quick && accelreport build
    python scripts/readme_picture.py site

Look at both before they are committed: they are the first that a person sees of accelreport.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.support.browser import BROWSER_ARGUMENTS, browser_path, opened  # noqa: E402

WIDTH, HEIGHT = 1024, 754
"""Of the picture, in px: the first screen with its sentence and most rows."""


def main() -> int:
    """Takes both pictures, and says where they are."""
    parser = argparse.ArgumentParser(description="Take README's picture of a site.")
    parser.add_argument("site", type=Path, help="the folder of a site that was built")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "images")
    chosen = parser.parse_args()
    page = chosen.site / "index.html"
    if not page.is_file():
        parser.error(f"{page} is not there: `accelreport build` makes it")
    chosen.out.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=browser_path(), args=list(BROWSER_ARGUMENTS)
        )
        for scheme in ("light", "dark"):
            picture = chosen.out / f"report-{scheme}.png"
            with opened(browser, page, width=WIDTH, height=HEIGHT, scheme=scheme) as tab:
                tab.screenshot(path=picture)
            print(picture)  # noqa: T201
        browser.close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
