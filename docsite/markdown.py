"""Markdown to HTML: headings that can be linked to, tables that scroll, links between pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from accelreport.report.pages.toml import toml_tokens

OWN_ID = re.compile(r" \{#(?P<id>[\w.-]+)\}$")
"""An id that a generated page gives a heading, at its end: ` {#Measure}`."""

_NO_SLUG = re.compile(r"[^\w\- ]")
_SPECIAL = re.compile(r"([\\*_<>\[\]|])")


class DocsError(Exception):
    """A page cannot be made; the message names it."""


@dataclass(frozen=True)
class Heading:
    """A heading of a page.

    Attributes:
        level: 1 to 6.
        id: what a link to it names.
        text: its words, without markup.
    """

    level: int
    id: str
    text: str


@dataclass(frozen=True)
class Converted:
    """A page as HTML.

    Attributes:
        title: its first heading.
        summary: the first sentence of its first paragraph.
        html: everything, the first heading included.
        headings: all of them, in their order.
    """

    title: str
    summary: str
    html: str
    headings: tuple[Heading, ...]


def convert(
    text: str, link: Callable[[str], str], command: Callable[[str], str | None]
) -> Converted:
    """A page of Markdown as HTML.

    Args:
        text: the page; it begins with its title.
        link: the address of a link as it is written → as it is on the site.
        command: a piece of code in running text → where it is explained, if anywhere.

    Raises:
        DocsError: it has no title, or a picture.
    """
    parser = _parser()
    tokens = parser.parse(text)
    headings = tuple(_headed(tokens))
    if not headings or headings[0].level != 1:
        raise DocsError("the page does not begin with a title")
    for token, before in zip(tokens, [None, *tokens], strict=False):
        if token.type == "inline":
            heading = before is not None and before.type == "heading_open"
            token.children = list(_linked(token.children or [], link, command, plain=heading))
    html = parser.renderer.render(tokens, parser.options, {})
    return Converted(headings[0].text, _summary(tokens), html, headings)


def slug(text: str) -> str:
    """The id of a heading, as code hosts make it."""
    return _NO_SLUG.sub("", text.strip().lower()).replace(" ", "-")


def escaped(text: str) -> str:
    """Program text on one line, in which Markdown sees nothing but code in backticks."""
    pieces = re.split(r"(`[^`]*`)", " ".join(text.replace("``", "`").split()))
    return "".join(
        piece.replace("|", "\\|") if piece.startswith("`") else _SPECIAL.sub(r"\\\1", piece)
        for piece in pieces
    )


def words_of(children: Sequence[Token]) -> str:
    """The words of a piece of running text, without its markup."""
    return "".join(
        " " if child.type in {"softbreak", "hardbreak"} else child.content
        for child in children
        if child.type != "html_inline"
    )


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True}).enable("table")
    parser.add_render_rule("fence", _fence)
    parser.add_render_rule("table_open", _table_open)
    parser.add_render_rule("table_close", lambda *_: "</table></div>\n")
    parser.add_render_rule("th_open", _cell_open)
    parser.add_render_rule("td_open", _cell_open)
    return parser


def _headed(tokens: Sequence[Token]) -> Iterator[Heading]:
    """Gives every heading an id of its own, and names them."""
    taken: dict[str, int] = {}
    for token, inline in pairwise(tokens):
        if token.type != "heading_open" or not inline.children:
            continue
        last = inline.children[-1]
        own = OWN_ID.search(last.content)
        if own:
            last.content = last.content[: own.start()]
        text = words_of(inline.children)
        name = own["id"] if own else slug(text)
        count = taken.get(name, 0)
        taken[name] = count + 1
        identity = f"{name}-{count}" if count else name
        token.attrSet("id", identity)
        yield Heading(int(token.tag[1]), identity, text)


def _linked(
    children: Sequence[Token],
    link: Callable[[str], str],
    command: Callable[[str], str | None],
    *,
    plain: bool,
) -> Iterator[Token]:
    """Running text with its links as they are on the site; commands become links."""
    inside = 0
    for child in children:
        if child.type == "image":
            raise DocsError(f"the picture {child.attrGet('src')} would not come along")
        if child.type == "link_open":
            child.attrSet("href", link(str(child.attrGet("href"))))
        inside += child.nesting if child.type.startswith("link_") else 0
        target = command(child.content) if child.type == "code_inline" else None
        if target is None or inside or plain:
            yield child
        else:
            yield Token("link_open", "a", 1, {"href": target})
            yield child
            yield Token("link_close", "a", -1)


def _summary(tokens: Sequence[Token]) -> str:
    for token, inline in pairwise(tokens):
        if token.type == "paragraph_open" and token.level == 0:
            return re.split(r"(?<=[.?!:])\s", words_of(inline.children or []))[0].rstrip(":")
    return ""


def _fence(_self: Any, tokens: Sequence[Token], place: int, *_: Any) -> str:
    token = tokens[place]
    language = token.info.strip()
    if language == "toml":
        pieces = "".join(
            f'<span class="t-{piece.role}">{escape(piece.text)}</span>'
            if piece.role
            else escape(piece.text)
            for piece in toml_tokens(token.content)
        )
    else:
        pieces = escape(token.content, quote=False)
    wrapped = ' class="wrapped"' if language == "text" else ""
    return f'<pre tabindex="0"{wrapped}><code>{pieces}</code></pre>\n'


def _table_open(*_: Any) -> str:
    return '<div class="table" role="group" aria-label="Table" tabindex="0"><table>\n'


def _cell_open(_self: Any, tokens: Sequence[Token], place: int, *_: Any) -> str:
    """A cell; a class aligns it, because the page's policy allows no style of its own."""
    token = tokens[place]
    scope = ' scope="col"' if token.tag == "th" else ""
    right = ' class="n"' if token.attrGet("style") == "text-align:right" else ""
    return f"<{token.tag}{scope}{right}>"
