"""`python -m tests.report.golden --update`: photographs every page and keeps what changed."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.report.golden.camera import camera, photographs
from tests.report.golden.kinds import FORMS, IMAGES, KINDS, build_sites, golden_of, page_of
from tests.report.golden.likeness import difference, save_golden


def main() -> int:
    """Compares every page with its golden, and writes those that differ if it is asked to."""
    parser = argparse.ArgumentParser(description="Compare or rewrite the golden screenshots.")
    parser.add_argument("--update", action="store_true", help="rewrite the goldens that differ")
    parser.add_argument("kinds", nargs="*", help="only these kinds of page, such as `index`")
    chosen = parser.parse_args()
    update: bool = chosen.update
    wanted = {golden_of(kind, form) for kind in KINDS for form in FORMS}
    different = 0
    with (
        tempfile.TemporaryDirectory() as made,
        sync_playwright() as playwright,
        camera(playwright, Path(made)) as browser,
    ):
        sites = build_sites(Path(made))
        for kind in (each for each in KINDS if each.name in (chosen.kinds or [each.name])):
            seen = photographs(
                browser,
                page_of(kind, sites),
                [kind.seen_as(form) for form in FORMS],
                start=kind.start,
                height=kind.height,
            )
            for form, taken in zip(FORMS, seen, strict=True):
                golden = golden_of(kind, form)
                said = "there was none" if not golden.exists() else ""
                if not said:
                    found = difference(taken, golden)
                    said = found.words if found else ""
                if said:
                    different += 1
                    print(f"{golden.stem}: {said}")  # noqa: T201
                if said and update:
                    save_golden(taken, golden)
    for path in set(IMAGES.glob("*.png")) - wanted:
        different += 1
        print(f"{path.stem}: no such page or form")  # noqa: T201
        if update:
            path.unlink()
    return 0 if update or not different else 1


if __name__ == "__main__":
    raise SystemExit(main())
