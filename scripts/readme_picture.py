"""Takes README's picture, light and dark, of the front page of a site that was built.

    accelreport build --results examples/whole_trainings --out build/example
    python scripts/readme_picture.py build/example

Look at both before they are committed: they are the first that a person sees of accelreport.
"""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

from playwright.sync_api import FloatRect, Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.support.browser import BROWSER_ARGUMENTS, browser_path, opened  # noqa: E402

WIDTH = 1024
"""Of the picture, in px."""
LAST = ".opening figure > :is(.panels, .caption)"
"""What the picture ends below: the front page's own picture, and the words on how to read it."""
AIR = 20
"""Pixels below that, in which the folded numbers are hidden."""
HIDE = "all => all.forEach(each => { each.style.visibility = 'hidden'; })"


def height_of(tab: Page) -> int:
    """Pixels from the top of a front page to below its picture, where no text is cut.

    Raises:
        IndexError: the page has no picture, since nothing was measured.
    """
    tab.locator(".opening figure > details").evaluate_all(HIDE)
    boxes = [box for each in tab.locator(LAST).all() if (box := each.bounding_box())]
    return math.ceil(boxes[-1]["y"] + boxes[-1]["height"]) + AIR


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
            with opened(browser, page, width=WIDTH, scheme=scheme) as tab:
                clip: FloatRect = {"x": 0, "y": 0, "width": WIDTH, "height": height_of(tab)}
                tab.screenshot(path=picture, clip=clip, full_page=True)
            print(picture)  # noqa: T201
        browser.close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
