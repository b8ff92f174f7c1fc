"""How wide a text is drawn, for charts that must know before they are drawn.

Advance widths of Helvetica (Adobe's font metrics, 1990), which Liberation Sans, Arimo and
Arial share by design; in thousandths of the font's size. It stands apart from `scales`, since a
build that finds nothing changed loads no Altair.
"""

from __future__ import annotations

import unicodedata
from itertools import accumulate

from accelreport.report.text import beginning

_NARROW = {
    222: "ijl",
    260: "|",
    278: " !,./:;I[\\]ft·\N{NO-BREAK SPACE}",
    333: "()-`r",
    389: "*",
    500: "Jckvsxyz",
    556: "0123456789#$?Labdeghnopqu_–",
    584: "+<=>~×−",
    611: "FTZ",
    667: "ABEKPSVXY&",
    722: "CDHNRUw",
    778: "GOQ",
    833: "Mm",
    889: "%",
    944: "W",
    1000: "…—",
    1015: "@",
}
_WIDTHS = {letter: width for width, letters in _NARROW.items() for letter in letters}
_UNKNOWN = 600
_WIDE = 1300
"""Emoji, which are wider than letters of their size, and what is written in squares."""
_BOLD = 1.07


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Pixels a text takes at a font size; letters outside the table count as wide ones."""
    thousandths = sum(_WIDTHS.get(letter) or _other(letter) for letter in text)
    return thousandths / 1000 * size * (_BOLD if bold else 1.0)


def _other(letter: str) -> int:
    return _WIDE if unicodedata.east_asian_width(letter) in "WF" else _UNKNOWN


def divisible(text: str) -> bool:
    """Whether a letter of the text has several units of UTF-16, or marks of its own."""
    return not text.isascii() and any(
        letter > "\uffff" or unicodedata.category(letter).startswith("M") for letter in text
    )


def cut(text: str, width: float, size: float) -> str:
    """The text, or its beginning with "…", in at most so many pixels.

    Vega would cut it between any two units of UTF-16, and does not draw half a letter.
    """
    if text_width(text, size) <= width:
        return text
    room = width - text_width("…", size)
    widths = accumulate(text_width(letter, size) for letter in text)
    fits = sum(1 for reached in widths if reached <= room)
    return beginning(text, fits).rstrip() + "…"


def lines_within(text: str, width: float, size: float, *, bold: bool = False) -> list[str]:
    """The words of a text in lines of at most so many pixels; a longer word is a line alone."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, size, bold=bold) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines
