"""Pages with one figure each, for a frame on somebody else's page.

A page that moves into another one gets a prefix for its ids, and its links lead to new places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar, cast

from accelreport.report.model import Download, Page, Section

Value = TypeVar("Value")

_NAMES = {"id", "prefix"}
"""Fields of `report.model` that name an element of the page."""
_LINKS = {"href"}
"""Fields that lead somewhere."""


def relinked(value: Value, *, name: Callable[[str], str], link: Callable[[str], str]) -> Value:
    """A block, or anything of `report.model`, with other ids and other links.

    Args:
        value: a dataclass of the report model, a tuple of them, or a plain value.
        name: old id → new id; never asked for an empty one.
        link: old address → new address; never asked for an empty one.
    """
    return cast("Value", _moved(value, name, link))


def _moved(value: Any, name: Callable[[str], str], link: Callable[[str], str]) -> Any:
    if isinstance(value, tuple):
        return tuple(_moved(each, name, link) for each in value)
    if not is_dataclass(value) or isinstance(value, type):
        return value
    changed: dict[str, Any] = {}
    for each in fields(value):
        old = getattr(value, each.name)
        if each.name in _NAMES or each.name in _LINKS:
            new = (name if each.name in _NAMES else link)(old) if old else old
        else:
            new = _moved(old, name, link)
        if new is not old:
            changed[each.name] = new
    return replace(value, **changed) if changed else value


def embed_pages(page: Page) -> Iterator[Page]:
    """A page for each figure of a page that names one; it leads back to the whole."""

    def link(old: str) -> str:
        return f"../{page.path}{old}" if old.startswith("#") else f"../{old}"

    for figure in page.figures:
        if figure.embed:
            alone = relinked(replace(figure, downloads=(), embed=""), name=str, link=link)
            yield replace(
                page,
                path=figure.embed,
                title=f"{figure.title}: {page.title}",
                headline="",
                opening=None,
                sections=(Section("figure", figure.title, (alone,)),),
                template="embed.html",
                byline=(),
                related=(),
                crumbs=(Download(f"{page.path}#{figure.id}", page.title),),
            )
