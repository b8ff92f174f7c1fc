"""A Sphinx extension: pages of the reference, made from the models and the commands themselves.

`docs/reference/NAME.md` holds a title for who reads the folder; what stands on the page of the site
is made here when the site is built, so that the reference cannot say what the program does not do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from docutils import nodes
from pygments.lexers.special import TextLexer
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

from docsite.commands import anchor_of, commands_page, exit_codes_page
from docsite.hardware import hardware_page
from docsite.models import devices_page, events_page, record_page, spec_page
from docsite.sources import sources_page

PAGES: dict[str, Callable[[], str]] = {
    "reference/commands": commands_page,
    "reference/exit-codes": exit_codes_page,
    "reference/spec": spec_page,
    "reference/devices": devices_page,
    "reference/record": record_page,
    "reference/events": events_page,
    "reference/hardware": hardware_page,
    "reference/sources": sources_page,
}
"""Document → the function that makes its Markdown."""


class CommandLinks(SphinxTransform):
    """Lets a command in running text lead to its reference."""

    default_priority = 500

    def apply(self, **_: Any) -> None:
        """Wraps each piece of code that names a command in a link."""
        if self.env.docname == "reference/commands":
            return
        for code in list(self.document.findall(nodes.literal)):
            anchor = anchor_of(code.astext())
            if anchor is None or isinstance(code.parent, nodes.reference | pending_xref):
                continue
            link = pending_xref(
                "", refdomain="std", reftype="ref", reftarget=anchor, refexplicit=True,
                refwarn=True, refdoc=self.env.docname,
            )  # fmt: skip
            code.replace_self(link)
            link += code


def _source(_app: Sphinx, name: str, source: list[str]) -> None:
    if name in PAGES:
        source[0] = PAGES[name]()


def setup(app: Sphinx) -> dict[str, bool]:
    """What Sphinx calls to load the extension."""
    app.add_lexer("csv", TextLexer)  # rows have nothing to colour
    app.connect("source-read", _source)
    app.add_transform(CommandLinks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
