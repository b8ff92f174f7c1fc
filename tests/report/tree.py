"""HTML as a list of elements, for tests that ask what stands on a page."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "link", "img", "br", "input", "hr", "path", "line", "rect", "circle"}


@dataclass
class Element:
    """An element with its text and what stands in it."""

    tag: str
    attributes: dict[str, str]
    children: list[Element] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All text in it, spaces collapsed, in order of the elements."""
        return " ".join(" ".join(self.pieces).split())

    def all(self, *tags: str) -> list[Element]:
        """Every element below it of these kinds (of any kind without one)."""
        found = []
        for child in self.children:
            if not tags or child.tag in tags:
                found.append(child)
            found += child.all(*tags)
        return found


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = Element("root", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].children.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if tag in {element.tag for element in self.open[1:]}:
            while self.open.pop().tag != tag:
                pass

    def handle_data(self, data: str) -> None:
        for element in self.open:
            element.pieces.append(data)


def parse(text: str) -> Element:
    """The page as elements."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    return reader.root
