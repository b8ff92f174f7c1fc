"""A page of the reference: what the sources published, and the place of each item."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from accelreport.analysis.hardware import RUNTIMES
from accelreport.loader.load import load
from accelreport.spec.models import FIGURES, Published

ABOUT = """\
# What the sources say, and where

Every figure, claim and machine that the shipped specs take from a published source. A place is a
file and its line; the page of a report has the spec's name. Times are in seconds, sizes in bytes,
shares from 0 to 1.

- *verbatim*: the words are quoted in `specs/sources/quotations.toml` (those about a machine: in
  its row), and a test compares those of the five sources with fingerprints of their texts.
- *figures only*: the figures were copied, but not the sentence around them.
- *derived*: calculated; the note of the row says from what.
- *tested*: a claim, with the quoted words that it rests on and a rule that decides it.
"""

ROOT = Path(__file__).parent.parent
SPECS = ROOT / "specs"


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


def sources_page() -> str:
    """The page of the reference: times in seconds, sizes in bytes, shares from 0 to 1."""
    head = ("| source | item | place | page | what it is |", "| :-- | :-- | :-- | :-- | :-- |")
    rows = (
        f"| {source} | {item} | `{place}` | {page} | {kind} |"
        for source, item, place, page, kind in sorted(_rows(), key=lambda row: row[0])
    )
    return "\n".join([ABOUT, *head, *rows, ""])
