"""Which pages there are, in which order, and what each is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from docsite.reference_commands import commands_page, exit_codes_page
from docsite.reference_models import devices_page, events_page, record_page, spec_page
from docsite.reference_python import python_page

DOCS = Path(__file__).parent.parent / "docs"
"""Where people write."""

WRITTEN = {
    "Tutorial": ("tutorial",),
    "How to": (
        "specs",
        "importing",
        "running",
        "report",
        "comparing",
        "automation",
        "python",
        "strategies",
    ),
    "Reference": ("systems",),
    "Explanation": ("statistics", "self-checks", "arithmetic", "scale"),
}
"""Group → its pages in docs/. A page that none names stands at the end of `How to`."""

GENERATED: dict[str, Callable[[], str]] = {
    "reference-commands": commands_page,
    "reference-exit-codes": exit_codes_page,
    "reference-spec": spec_page,
    "reference-devices": devices_page,
    "reference-record": record_page,
    "reference-events": events_page,
    "reference-python": python_page,
}
"""Pages of the reference that are made from the code, in their order."""


@dataclass(frozen=True)
class Entry:
    """A page before it is converted.

    Attributes:
        name: its file's name without the ending.
        group: the group it stands in.
        text: Markdown.
        source: what a message calls it.
    """

    name: str
    group: str
    text: str
    source: str


def entries(docs: Path = DOCS) -> list[Entry]:
    """Every page but the first one, group by group.

    Args:
        docs: the folder of the pages that people write.
    """
    written = {path.stem: path for path in sorted(docs.glob("*.md"))}
    named = {name for names in WRITTEN.values() for name in names}
    found: list[Entry] = []
    for group, names in WRITTEN.items():
        if group == "Reference":
            found += [Entry(name, group, make(), name) for name, make in GENERATED.items()]
        others = [name for name in written if name not in named] if group == "How to" else []
        for name in (*names, *others):
            path = written[name]
            found.append(Entry(name, group, path.read_text(encoding="utf-8"), f"docs/{path.name}"))
    return found
