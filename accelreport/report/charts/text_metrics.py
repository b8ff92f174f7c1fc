"""How wide a text is drawn, for charts that must know before they are drawn.

Advance widths of Helvetica (Adobe's font metrics, 1990), which Liberation Sans, Arimo and
Arial share by design; in thousandths of the font's size.
"""

from __future__ import annotations

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
_BOLD = 1.07


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Pixels a text takes at a font size; letters outside the table count as wide ones."""
    thousandths = sum(_WIDTHS.get(letter, _UNKNOWN) for letter in text)
    return thousandths / 1000 * size * (_BOLD if bold else 1.0)


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
