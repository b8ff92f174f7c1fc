"""Who published figures, where and when: asked for, never guessed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from accelreport.importing.errors import NotCited
from accelreport.importing.reader import Value
from accelreport.spec.problems import listed, quote
from accelreport.spec.validators import is_day

DOI = re.compile(r"(?:doi:|https?://(?:dx\.)?doi\.org/)?(10\.[0-9]{4,9}/\S+)", re.IGNORECASE)
"""A digital object identifier, as ISO 26324 forms it and as people write it."""

YEARS = range(1900, 2101)
"""Years in which figures may have been published."""

OPTIONS = {
    "title": "--title",
    "url": "--url or --doi",
    "year": "--year",
}
"""What no figure is imported without, and the options that say it."""

MEANING = {
    "title": "the title of the piece",
    "url": "its address",
    "year": "the year it was published in",
}


def cited(
    place: str, asked: Mapping[str, Value | None], own: Mapping[str, Value]
) -> dict[str, Any]:
    """A row's `source`, complete.

    Args:
        place: where the row stands.
        asked: what the command line says, by key of `source`, and `doi`.
        own: what the row itself says; it comes first.

    Raises:
        NotCited: the title, the address or the year is missing, or is none.
    """
    if asked.get("url") and asked.get("doi"):
        message = "--url and --doi are both given."
        raise NotCited(message, remedy="Give the one where the figures stand.")
    found = {key: value for key, value in {**asked, **own}.items() if value not in {None, ""}}
    if "doi" in found:
        address = _doi_address(place, str(found.pop("doi")))
        if "doi" in own or "url" not in own:
            found["url"] = address
    missing = [key for key in OPTIONS if not str(found.get(key, "")).strip()]
    if missing:
        raise NotCited(
            f"{place}: {listed([f'{MEANING[key]} ({OPTIONS[key]})' for key in missing])} "
            f"{'is' if len(missing) == 1 else 'are'} missing.",
            why="Somebody else's figures are shown with who published them, where and when.",
            remedy="Name them; nothing is guessed, and nothing was written.",
        )
    _check(place, found)
    order = ("title", "authors", "year", "url", "licence", "accessed", "note")
    return {key: found[key] for key in order if key in found}


def _doi_address(place: str, text: str) -> str:
    match = DOI.fullmatch(text.strip())
    if match is None:
        raise NotCited(f"{place}: {quote(text)} is no DOI.", remedy="One looks like 10.1145/12345.")
    return f"https://doi.org/{match[1]}"


def _check(place: str, found: Mapping[str, Any]) -> None:
    url = str(found["url"])
    if not (re.fullmatch(r"https?://[^\s/]\S*", url, re.IGNORECASE) and url.isprintable()):
        message = f"{place}: {quote(url)} is not the address of a page."
        raise NotCited(message, remedy="Write it in full, with https://.")
    if isinstance(found["year"], bool) or found["year"] not in YEARS:
        raise NotCited(
            f"{place}: {quote(found['year'])} is not the year of a publication.",
            remedy=f"Write a year from {YEARS[0]} to {YEARS[-1]}.",
        )
    accessed = found.get("accessed")
    if accessed is not None and not is_day(str(accessed)):
        raise NotCited(
            f"{place}: {quote(accessed)} is not a day (--accessed).",
            remedy='Write year, month and day, such as "2026-05-31".',
        )
