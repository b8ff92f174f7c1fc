"""Texts of sources as fingerprints, which tell whether words stand in a text without holding it.

`python -m tests.support.quoted FOLDER` takes them anew, of the texts S0.txt … S4.txt in a folder.
"""

from __future__ import annotations

import hashlib
import re
import sys
import textwrap
import tomllib
from itertools import pairwise
from pathlib import Path

from tests.house.tree import ROOT

FILE = ROOT / "tests" / "workloads" / "fingerprints.toml"
"""The fingerprints of the five sources."""

DIGITS = 6
"""Hexadecimal digits that are kept of each hash."""

LEFT_OUT = "…"
"""What a quotation has where it leaves words out."""

HEAD = """\
# The texts of the five sources, as tests/support/quoted.py reduces them: of each two words in a row
# the first six digits of their SHA-256. They show whether a quotation stands in a text.
"""


def words_of(text: str) -> list[str]:
    """The words and numbers of a text, without letters' case, punctuation and marks of emphasis."""
    return re.findall(r"\d+(?:[.,]\d+)*|[^\W\d_]+", re.sub(r"[’']", "", text.casefold()))


def fingerprint(text: str) -> list[str]:
    """A hash of each two words in a row, in their order."""
    return [
        hashlib.sha256(" ".join(pair).encode()).hexdigest()[:DIGITS]
        for pair in pairwise(words_of(text))
    ]


def stands_in(words: str, text: list[str]) -> bool:
    """Whether the parts of a quotation stand in a text, of which this is the fingerprint."""
    whole, begin = " ".join(text), 0
    for part in words.split(LEFT_OUT):
        pairs = fingerprint(part)
        found = whole.find(" ".join(pairs), begin)
        if not pairs or found < 0:
            return False
        begin = found + len(" ".join(pairs))
    return True


def fingerprints() -> dict[str, list[str]]:
    """Title of each of the five sources → the fingerprint of its text."""
    kept = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return {row["source"]: row["pairs"].split() for row in kept["text"]}


def taken_of(folder: Path) -> str:
    """The file of fingerprints, taken of the texts in a folder."""
    known = tomllib.loads(FILE.read_text(encoding="utf-8"))["text"]
    tables = []
    for row in known:
        text = (folder / row["file"]).read_text(encoding="utf-8")
        pairs = textwrap.fill(" ".join(fingerprint(text)), 100)
        tables.append(
            f'\n[[text]]\nfile = "{row["file"]}"\nsource = "{row["source"]}"\n'
            f'pairs = """\n{pairs}"""\n'
        )
    return HEAD + "".join(tables)


if __name__ == "__main__":
    FILE.write_text(taken_of(Path(sys.argv[1])), encoding="utf-8")
