"""Text from specs and records, made safe to show and to name files by, and how wide it is drawn.

Labels, logs and error messages come from other people's machines. Nothing is trusted:
Jinja escapes markup, and this module takes out what escaping leaves in, namely control
characters that break XML and bidirectional controls that reorder what a reader sees.

Charts must know widths before they are drawn: advance widths of Helvetica (Adobe's font metrics,
1990), which Liberation Sans, Arimo and Arial share by design.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff\ud800-\udfff]")
_BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_ANSI = re.compile("\x1b\\[[0-9;?]*[ -/]*[@-~]")
_UNIT = re.compile(r"(\d) (?=(?:%|[nµm]?s|min|h|[kMGTP]?FLOPS?|[KMGT]iB)(?![\w]))")
_APOSTROPHE = re.compile(r"(?<=\w)'(?=\w)")
_PART = re.compile(", | on ")
_UNSAFE_IN_A_NAME = re.compile("[^a-z0-9_-]+")
_HASHED = re.compile("-[0-9a-f]{8}$")
_RESERVED = {"con", "prn", "aux", "nul", *(f"com{i}" for i in range(10)), "index", "cells"}

LONGEST_LABEL = 120
"""Characters of a label or a heading; the rest becomes an ellipsis."""
LONGEST_KNOWN = 1000
"""Characters of a text whose label is remembered: the memory is for small ones."""
LONGEST_LOG = 20_000
"""Characters of a log or traceback on a page; the whole stands in the record's JSON."""


def clean(text: str) -> str:
    """The text without terminal colours, with every control character made visible.

    Line feeds and tabs stay. A bidirectional control becomes its code point in angle
    brackets, because silently dropping it would hide that somebody put it there.
    """
    if text.isascii() and text.isprintable():
        return text  # most texts: nothing that any rule below looks for
    text = _ANSI.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    text = _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)
    return _BIDI.sub(lambda match: f"⟨U+{ord(match[0]):04X}⟩", text)


STRAY = "·"
"""Shown for a byte of a generated text that is no character."""


def written(text: str) -> str:
    """What a model wrote: a byte that is no character is shown as `STRAY`."""
    return clean(text).replace("\N{REPLACEMENT CHARACTER}", STRAY)


def label(text: object, longest: int = LONGEST_LABEL) -> str:
    """A text on one line, at most `longest` characters, with apostrophes as all text has them."""
    text = str(text)
    return _line(text, longest) if len(text) <= LONGEST_KNOWN else _line.__wrapped__(text, longest)


@lru_cache(maxsize=16384)  # cells of a site name the same devices, versions and settings
def _line(text: str, longest: int) -> str:
    line = _APOSTROPHE.sub("’", " ".join(clean(text).split()))
    return line if len(line) <= longest else beginning(line, longest - 1).rstrip() + "…"


def beginning(text: str, longest: int) -> str:
    """At most so many code points from a text's beginning, which ends with a whole character.

    What belongs to the letter before it stays with it: accents, variants, skin tones, what
    a zero-width joiner joins, and the second half of a flag.
    """
    end = min(longest, len(text))
    while 0 < end < len(text) and _continues(text, end):
        end -= 1
    return text[:end]


def _continues(text: str, at: int) -> bool:
    """Whether the code point belongs to the one before it."""
    letter, before = text[at], text[at - 1]
    if _FLAG_FIRST <= letter <= _FLAG_LAST:
        flags = len(text[:at]) - len(text[:at].rstrip(_FLAGS))
        return flags % 2 == 1
    return (
        unicodedata.category(letter).startswith("M")
        or letter == _JOINER
        or before == _JOINER
        or "\U0001f3fb" <= letter <= "\U0001f3ff"
    )


_JOINER = "\N{ZERO WIDTH JOINER}"
_FLAG_FIRST, _FLAG_LAST = "\U0001f1e6", "\U0001f1ff"
_FLAGS = "".join(chr(code) for code in range(ord(_FLAG_FIRST), ord(_FLAG_LAST) + 1))


def in_quotes(text: str) -> str:
    """What someone says, such as a naive guess, in quotation marks."""
    return f"“{label(text, 40)}”"


def tied(text: str) -> str:
    """The text with no line break between a number and its unit."""
    return _UNIT.sub("\\1\N{NO-BREAK SPACE}", text)


def sentence(text: str) -> str:
    """The text with a capital first letter, also in quotation marks, the others as they are."""
    first = text.startswith("“") + 1
    return text[:first].upper() + text[first:]


def tail(text: str, longest: int = LONGEST_LOG) -> str:
    """The end of a log, cut at a line where it can be."""
    text = clean(text).strip("\n")
    if len(text) <= longest:
        return text
    kept = text[-longest:]
    _, line_feed, rest = kept.partition("\n")
    return "…\n" + (rest if line_feed and rest else kept)


@lru_cache(maxsize=4096)  # a page names the same few benchmarks and cells again and again
def slug(name: str) -> str:
    """A file name of the characters a-z, 0-9, "_" and "-", different for different names.

    A name that is already of these characters is kept, so that addresses stay readable
    (unless it looks like one that was changed); any other gets eight digits of its
    SHA-256, so that "a/b", "a b" and "A-B" never meet in one file, on file systems that
    ignore case either.
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    plain = _UNSAFE_IN_A_NAME.sub("-", plain).strip("-")[:80]
    if plain and plain == name and plain not in _RESERVED and not _HASHED.search(plain):
        return plain
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{plain or 'x'}-{digest}"


_TRADE = re.compile(r"\((?:R|TM|r|tm)\)|®|™|\b(?:CPU|Processor)\b|@.*$")


def short_hardware(name: str) -> str:
    """Hardware as people call it: "Intel Xeon", "Tesla T4"."""
    tidy = " ".join(_TRADE.sub(" ", label(name, 80)).split())
    return tidy.removeprefix("NVIDIA ") or label(name, 80)


_NARROW = {  # by thousandths of the font's size
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


def unshared(names: Sequence[str]) -> tuple[list[str], str]:
    """Names without the beginning that all share, and that; never an empty name.

    "Intel Xeon, 1 thread" and "Intel Xeon, 2 replicas" are "1 thread" and "2 replicas".
    """
    own = names[0]
    ends = [part.span() for part in _PART.finditer(own)]
    ends = [span for span in ends if all(name.startswith(own[: span[1]]) for name in names)]
    start, end = ends[-1] if ends else (0, 0)
    return [name[end:] for name in names], own[:start]


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
    for word in filter(None, text.split(" ")):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, size, bold=bold) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def parted(names: Sequence[str]) -> tuple[str, list[str]]:
    """The hardware that several names begin with, and what each has behind it.

    "AMD EPYC", ["2 threads", "2 workers"]; no hardware, and the names, where one has no more.
    """
    parts = [name.partition(", ") for name in names]
    if len(parts) < 2 or len({first for first, *_ in parts}) > 1 or not all(p[2] for p in parts):
        return "", list(names)
    return parts[0][0], [rest for *_, rest in parts]


_NUMBER_AT_END = re.compile(r" [^ ]*\d[^ ]*(?: [^ \d]{1,4})?$")
"""A number with its unit."""


def folded(text: str, room: float, size: float, most: int, *, bold: bool = False) -> list[str]:
    """A text in at most so many lines, which are cut, but never in or after a number at its end."""
    lines = lines_within(text, room, size, bold=bold)
    lines = [*lines[: most - 1], " ".join(lines[most - 1 :])] if len(lines) > most else lines
    for number, line in enumerate(lines):
        if text_width(line, size, bold=bold) > room:
            split = _NUMBER_AT_END.search(line)
            end = split[0] if split else ""
            left = room - text_width(end, size, bold=bold)
            lines[number] = cut(line.removesuffix(end), left / (_BOLD if bold else 1), size) + end
    return lines
