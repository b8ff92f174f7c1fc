"""Pages into a folder: each in the frame of the site, linked with the others."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from accelreport.report.csp import policy
from accelreport.report.rendering import Renderer
from docsite.contents import Entry, entries
from docsite.markdown import Converted, DocsError, convert, escaped
from docsite.reference_commands import anchor_of

TEMPLATES = Path(__file__).parent / "templates"

TITLE = "accelreport"

WELCOME = """\
# accelreport

What does this accelerator do for this model? Write the experiment as a TOML file, run it on the
machines you have, and put the answer on a screen: a static page with speedups and their intervals,
learning curves, published figures beside yours, and every raw number behind them.
"""

GROUPS = {
    "Tutorial": "Begin here.",
    "How to": "One task at a time.",
    "Reference": "Every key, field, option and code, made from the program itself.",
    "Explanation": "How the numbers come about, and what they cannot say.",
}
"""Group → what it is for."""


@dataclass(frozen=True)
class Page:
    """A page as the template sees it.

    Attributes:
        name: its file's name without the ending.
        group: the group it stands in; empty for the first page.
        content: what stands on it.
    """

    name: str
    group: str
    content: Converted

    @property
    def html(self) -> Markup:
        """Its content, which is ours."""
        return Markup(self.content.html)  # noqa: S704 -- our own documents


def build(out: Path) -> Path:
    """Builds the site.

    Args:
        out: the folder; it is made when absent, and files of other names are left alone.

    Returns:
        The first page.

    Raises:
        DocsError: a page has no title, a picture, or a link that leads nowhere.
    """
    found = entries()
    names = {entry.name for entry in found}
    pages = [_page(entry, names) for entry in found]
    welcome = Page("index", "", convert(_welcome(pages), _same, lambda _: None))
    out.mkdir(parents=True, exist_ok=True)
    frame = _Frame(pages)
    for page in (welcome, *pages):
        (out / f"{page.name}.html").write_text(frame.render(page), encoding="utf-8")
    return out / "index.html"


def _page(entry: Entry, names: set[str]) -> Page:
    link = partial(_link, names)
    try:
        return Page(entry.name, entry.group, convert(entry.text, link, _command))
    except DocsError as error:
        raise DocsError(f"{entry.source}: {error}") from error


def _same(href: str) -> str:
    return href


def _link(names: set[str], href: str) -> str:
    """Where a link of a document leads on the site."""
    if re.match(r"[a-z]+:", href) or href.startswith("#"):
        return href
    path, sign, anchor = href.partition("#")
    name = path.removesuffix(".md")
    if name == path or name not in names:
        raise DocsError(f"the link to {href} leads to no page of the site")
    return f"{name}.html{sign}{anchor}"


def _command(code: str) -> str | None:
    """Where a command is explained that stands in running text."""
    anchor = anchor_of(code)
    return None if anchor is None else f"reference-commands.html#{anchor}"


def _welcome(pages: Sequence[Page]) -> str:
    """The first page: every group, and every page in it with its first sentence."""
    parts = [WELCOME]
    for group, inside in groupby(pages, lambda page: page.group):
        parts.append(f"## {group}\n\n{GROUPS[group]}\n")
        parts += [
            f"- [{page.content.title}]({page.name}.html): {escaped(page.content.summary)}"
            for page in inside
        ]
        parts.append("")
    return "\n".join(parts)


class _Frame:
    """What all pages have in common."""

    def __init__(self, pages: Sequence[Page]) -> None:
        self._groups = {
            group: list(inside) for group, inside in groupby(pages, lambda page: page.group)
        }
        self._environment = Environment(
            loader=FileSystemLoader(TEMPLATES),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        report = Renderer(lambda _: Markup(""))
        self._style = f"{report.style('cell')}\n{(TEMPLATES / 'docs.css').read_text('utf-8')}"
        self._scripts: Mapping[str, Markup] = report.scripts("page.html")

    def render(self, page: Page) -> str:
        """A page as HTML."""
        return self._environment.get_template("page.html").render(
            page=page,
            groups=self._groups,
            site=TITLE,
            style=Markup(self._style),  # noqa: S704 -- ours
            script=self._scripts["theme"],
            policy=policy(self._style, [self._scripts["theme"]]),
            contents=[heading for heading in page.content.headings if heading.level == 2],
        )
