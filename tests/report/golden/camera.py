"""A browser that draws the same letters on every machine, and photographs pages."""

from __future__ import annotations

import io
import os
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, Playwright

from tests.report.golden.kinds import Form
from tests.support.browser import BROWSER_ARGUMENTS, browser_path, tab

FONT_FOLDERS = (
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "/Library/Fonts",
    "~/.local/share/fonts",
    "~/.fonts",
    "~/Library/Fonts",
)
"""Where fonts may be installed."""

STEADY = (
    "--font-render-hinting=none",
    "--disable-lcd-text",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
)
"""What takes the machine's screen out of a picture."""

FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
<dir>{fonts}</dir>
<cachedir>{cache}</cachedir>
<match target="font">
<edit name="antialias" mode="assign"><bool>true</bool></edit>
<edit name="hinting" mode="assign"><bool>false</bool></edit>
<edit name="rgba" mode="assign"><const>none</const></edit>
</match>
</fontconfig>
"""
"""Only Liberation's fonts, with their outlines as they are."""

# Where the system has Helvetica or Charter, fontconfig is not asked; this asks for ours by name.
FAMILIES = """document.documentElement.style.cssText +=
  ";--serif:'Liberation Serif';--sans:'Liberation Sans';--mono:'Liberation Mono'" """

PLACES = """() => [...document.querySelectorAll('main > *[id], section[id], figure[id], .slide')]
  .filter(e => e.getClientRects().length)
  .map(e => [e.id || 'a slide', e.getBoundingClientRect().top + scrollY])"""


@dataclass(frozen=True)
class Photograph:
    """A page as it looks.

    Attributes:
        picture: its first pixels, RGB, one for each CSS px.
        page_height: of the whole page, in CSS px.
        places: names of sections and figures, and where in the picture they begin, in CSS px.
    """

    picture: Image.Image
    page_height: int
    places: tuple[tuple[str, float], ...]


def liberation_folder() -> Path:
    """The folder of the fonts that goldens are drawn with.

    Raises:
        FileNotFoundError: they are not installed.
    """
    for folder in FONT_FOLDERS:
        for font in sorted(Path(folder).expanduser().rglob("LiberationSans-Regular.ttf")):
            return font.parent
    raise FileNotFoundError(
        "golden screenshots are drawn with the fonts Liberation Sans, Serif and Mono, and they "
        "are in none of " + ", ".join(FONT_FOLDERS) + ": install fonts-liberation (Debian, Ubuntu) "
        "or font-liberation (Homebrew)"
    )


def revision(font: Path) -> float:
    """A font's own version: `fontRevision` in its table `head` (OpenType specification)."""
    content = font.read_bytes()
    (tables,) = struct.unpack_from(">H", content, 4)
    for place in range(12, 12 + 16 * tables, 16):
        tag, _, start, _ = struct.unpack_from(">4sLLL", content, place)
        if tag == b"head":
            (fixed,) = struct.unpack_from(">l", content, start + 4)
            return float(fixed) / 2**16
    raise ValueError(f"{font} has no table `head`")


@contextmanager
def camera(playwright: Playwright, folder: Path) -> Iterator[Browser]:
    """A browser that has no other fonts than Liberation's.

    Args:
        playwright: drives browsers; a process can have one of it.
        folder: an empty folder for its settings.

    Raises:
        FileNotFoundError: the browser or the fonts are not installed.
    """
    settings = folder / "fonts.conf"
    settings.write_text(FONTS.format(fonts=liberation_folder(), cache=folder / "fonts"))
    chromium = playwright.chromium.launch(
        executable_path=browser_path(),
        args=[*BROWSER_ARGUMENTS, *STEADY],
        env={**os.environ, "FONTCONFIG_FILE": str(settings)},
    )
    yield chromium
    chromium.close()


def _untouched(page: Page) -> None:
    """What is done to a page whose picture is to be a golden one: nothing."""


def photographs(
    browser: Browser,
    page_file: Path,
    forms: Sequence[Form],
    *,
    start: str = "",
    height: int = 900,
    change: Callable[[Page], object] = _untouched,
) -> list[Photograph]:
    """Opens a page once and takes its picture in each form.

    Args:
        browser: of `camera`.
        page_file: the page.
        forms: how to look at it, in this order.
        start: identity of the element that the picture begins at, with sections unfolded; the
            page's top if empty.
        height: of the window, in CSS px.
        change: what is done to the page first, by tests that damage it.
    """
    first = forms[0]
    with tab(browser, width=first.width, height=height, scheme=first.scheme) as page:
        _seen_as(page, first, height)
        page.goto(page_file.resolve().as_uri())
        page.evaluate(FAMILIES)
        if start:
            page.evaluate("for (const e of document.querySelectorAll('.folded')) e.open = true")
        change(page)
        return [_taken(page, form, start, height) for form in forms]


def _seen_as(page: Page, form: Form, height: int) -> None:
    page.set_viewport_size({"width": form.width, "height": height})
    page.emulate_media(media=form.media, color_scheme=form.scheme, reduced_motion="reduce")


def _taken(page: Page, form: Form, start: str, height: int) -> Photograph:
    _seen_as(page, form, height)
    long = int(page.evaluate("document.documentElement.scrollHeight"))
    places = page.evaluate(PLACES)
    top = round(next(where for name, where in places if name == start)) if start else 0
    shot = page.screenshot(
        full_page=True,
        clip={"x": 0, "y": top, "width": form.width, "height": min(form.most, long - top)},
        animations="disabled",
        caret="hide",
    )
    return Photograph(
        Image.open(io.BytesIO(shot)).convert("RGB"),
        long,
        tuple((name, where - top) for name, where in places if where >= top),
    )
