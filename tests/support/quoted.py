"""Texts of sources as fingerprints, which tell whether words stand in a text without holding it.

`python -m tests.support.quoted FOLDER` takes them anew, of the texts S0.txt … S4.txt in a folder.
Without a folder it prints the table of docs/sources.md.
"""

from __future__ import annotations

import hashlib
import re
import sys
import textwrap
import tomllib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from accelreport.analysis.hardware import RUNTIMES
from accelreport.loader.load import load
from accelreport.spec.models import FIGURES, Published
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


SPECS = ROOT / "specs"
NAMES = {
    source: f"S{number}"
    for number, source in enumerate(
        row["source"] for row in tomllib.loads(FILE.read_text(encoding="utf-8"))["text"]
    )
}
"""Title of each of the five sources → S0 … S4."""


def quotations() -> list[dict[str, Any]]:
    """The quotations of specs/sources, as they are written."""
    path = SPECS / "sources" / "quotations.toml"
    rows: list[dict[str, Any]] = tomllib.loads(path.read_text(encoding="utf-8"))["quotation"]
    return rows


def figures_of(quotation: dict[str, Any]) -> dict[str, set[float]]:
    """The figures of a quotation, in SI units and fractions."""
    found: dict[str, set[float]] = {}
    for figure in FIGURES:
        for text in quotation.get(figure, ()):
            row = {"device": quotation["device"], "label": "quoted", figure: text}
            number = Published.model_validate(row).figures()[figure]
            found.setdefault(figure, set()).add(number)
    return found


def _lines(spec: str, begin: str, key: str) -> list[int]:
    """The lines on which the tables of a kind have a key, in their order."""
    lines = (SPECS / f"{spec}.toml").read_text(encoding="utf-8").splitlines()
    tables = [number for number, line in enumerate(lines, 1) if line == begin]
    return [
        next(number for number, line in enumerate(lines, 1) if number > table and key in line)
        for table in tables
    ]


def _kind(spec: str, row: Published, source: str) -> str:
    """Whether words behind a published row are quoted, its figures alone, or neither."""
    if row.mark == "D":
        return "derived"
    kept = [
        quotation
        for quotation in quotations()
        if (quotation.get("spec"), quotation["source"], quotation.get("device"))
        == (spec, source, row.device)
        and ("original" in quotation) == (row.mark == "O")
    ]
    verbatim = [figures_of(quotation) for quotation in kept if quotation["verbatim"]]
    words = all(
        any(value in figures.get(name, ()) for figures in verbatim)
        for name, value in row.figures().items()
    )
    return "verbatim" if words else "figures only"


def _rows() -> Iterator[tuple[str, str, str, str, str]]:
    """Source, item, place, page and kind of everything that a spec takes from a source."""
    for spec in load([SPECS]).specs:
        own = spec.source.title if spec.source else ""
        lines = _lines(spec.name, "[[published]]", "label = ")
        for row, line in zip(spec.published, lines, strict=True):
            title = row.source.title if row.source else own
            at = ", ".join(f"{key} {value}" for key, value in row.where.items())
            figures = ", ".join(
                f"{name.replace('_', ' ')} {value:g}" for name, value in row.figures().items()
            )
            item = f"{row.label}{f' ({at})' if at else ''}: {figures}"
            kind = _kind(spec.name, row, title)
            yield title, item, f"specs/{spec.name}.toml:{line}", spec.name, kind
        lines = _lines(spec.name, "[[claims]]", "text = ")
        for claim, line in zip(spec.claims, lines, strict=True):
            if claim.by == "source":
                derived = "derived from" in claim.note
                kind = "derived from quoted words" if derived else "tested, its words quoted"
                place = f"specs/{spec.name}.toml:{line}"
                yield claim.source or own, f"“{claim.text}”", place, spec.name, kind
    path = SPECS / "sources" / "quotations.toml"
    written = path.read_text(encoding="utf-8").splitlines()
    advice = [number for number, line in enumerate(written, 1) if line.startswith("advice = ")]
    given = [quotation for quotation in quotations() if "advice" in quotation]
    for quotation, line in zip(given, advice, strict=True):
        item = f"When to use a {quotation['advice']}: “{quotation['words']}”"
        pages = ", ".join(quotation["bears_on"]) or "no number here bears on it"
        yield quotation["source"], item, f"specs/sources/{path.name}:{line}", pages, "verbatim"
    hardware = Path("accelreport/analysis/hardware.toml")
    text = (ROOT / hardware).read_text(encoding="utf-8").splitlines()
    of_words = [number for number, line in enumerate(text, 1) if line.startswith("words = ")]
    for machine, line in zip(RUNTIMES, of_words, strict=True):
        item = f"{machine.name}: {machine.hardware}"
        yield machine.source, item, f"{hardware}:{line}", "devices", "verbatim"


def sources_markdown() -> str:
    """The table of docs/sources.md: times in seconds, sizes in bytes, shares from 0 to 1."""
    rows = sorted(_rows(), key=lambda row: NAMES.get(row[0], "S9"))
    head = ("| source | item | place | page | what it is |", "| :-- | :-- | :-- | :-- | :-- |")
    body = (
        f"| {NAMES.get(source, 'ParaDnn')} | {item} | `{place}` | {page} | {kind} |"
        for source, item, place, page, kind in rows
    )
    return "\n".join([*head, *body])


if __name__ == "__main__":
    if len(sys.argv) > 1:
        FILE.write_text(taken_of(Path(sys.argv[1])), encoding="utf-8")
    else:
        print(sources_markdown())  # noqa: T201 - what it is for
