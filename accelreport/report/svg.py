"""From the SVG that Vega draws to the SVG that stands in a page.

Vega's output is right but heavy, and its ids come from a counter of the process. Here
it becomes small, the same in every build, unable to run or fetch anything (elements and
attributes are taken from a closed list), and told to a screen reader by title and
description. Colours stay `var(--…)`, which is what makes them follow the page's theme.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from markupsafe import Markup, escape

from accelreport.report.polyline import simpler
from accelreport.report.theme import FONT

_NAMESPACE = "{http://www.w3.org/2000/svg}"
_ELEMENTS = {"svg", "g", "path", "line", "rect", "text", "tspan", "circle", "defs", "clipPath"}
_ATTRIBUTES = {
    *("d", "x", "y", "x1", "y1", "x2", "y2", "dx", "dy", "r", "cx", "cy", "width", "height"),
    *("transform", "viewBox", "id", "clip-path", "text-anchor"),
    *("fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray"),
    *("stroke-linecap", "stroke-linejoin", "stroke-miterlimit", "paint-order", "opacity"),
    *("font-size", "font-weight", "font-style"),
}
_DEFAULTS = {("opacity", "1"), ("stroke-miterlimit", "10"), ("font-weight", "normal")}
_SHARED = {
    "text": ("text-anchor", "font-size", "font-weight", "fill"),
    "line": ("stroke", "stroke-width", "stroke-dasharray"),
}
"""Attributes that a group hands down to its texts or lines."""
_LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}(?:e-?\d+)?")
_LOCAL_URL = re.compile(r"url\(#([\w-]+)\)")


class UnexpectedSvgError(ValueError):
    """Vega drew something that this page does not know how to trust."""


def _shorter(found: re.Match[str]) -> str:
    value = float(found[0])
    # A tenth of a pixel cannot be seen; only small numbers may be factors.
    text = f"{value:.{1 if abs(value) >= 10 else 2}f}".rstrip("0").rstrip(".")
    return "0" if text in {"-0", ""} else text


def _invisible(element: ET.Element) -> bool:
    if element.get("display") == "none":
        return True
    classes = element.get("class", "").split()
    if "background" in classes and not element.get("stroke") and not element.get("fill"):
        return True
    return element.get("fill") == "transparent" and not element.get("stroke")


def _share(element: ET.Element) -> None:
    """What all texts or all lines of a group say of themselves is said once, by the group."""
    for child in element:
        _share(child)
    tags = {child.tag for child in element}
    shared = _SHARED.get(tags.pop().removeprefix(_NAMESPACE), ()) if len(tags) == 1 else ()
    if len(element) < 2 or element.tag != f"{_NAMESPACE}g":
        return
    for name in shared:
        values = {child.get(name) for child in element}
        value = values.pop()
        if not values and value is not None and "url(" not in value:
            element.set(name, value)
            for child in element:
                del child.attrib[name]


class _Writer:
    """Writes one chart with its own ids."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.ids: dict[str, str] = {}

    def own(self, name: str) -> str:
        """This chart's name for an id of Vega's."""
        return self.ids.setdefault(name, f"{self.prefix}-{len(self.ids)}")

    def attributes(self, element: ET.Element) -> str:
        """The attributes that are kept, in the order they were written."""
        kept = []
        for name, value in element.attrib.items():
            if name not in _ATTRIBUTES or (name, value) in _DEFAULTS:
                continue
            if name == "id":
                value = self.own(value)
            elif "url(" in value:
                target = _LOCAL_URL.fullmatch(value)
                if target is None:
                    raise UnexpectedSvgError(f"attribute {name}={value!r} points outside the chart")
                value = f"url(#{self.own(target[1])})"
            else:
                value = simpler(value) if name == "d" else value
                value = _LONG_NUMBER.sub(_shorter, value) if "." in value else value
            kept.append(f' {name}="{escape(value)}"')
        return "".join(kept)

    def write(self, element: ET.Element) -> str:
        """An element and all inside it; groups that say nothing vanish."""
        name = element.tag.removeprefix(_NAMESPACE)
        if name not in _ELEMENTS:
            raise UnexpectedSvgError(f"element <{name}> is not one a chart needs")
        if _invisible(element):
            return ""
        inside = str(escape(element.text)) if name in {"text", "tspan"} and element.text else ""
        inside += "".join(self.write(child) for child in element)
        attributes = self.attributes(element)
        if name == "g" and (not inside or not attributes):
            return inside
        if name in {"text", "path"} and not inside and not element.get("d"):
            return ""
        return f"<{name}{attributes}>{inside}</{name}>" if inside else f"<{name}{attributes}/>"


def page_svg(drawn: str, *, prefix: str, title: str, description: str) -> Markup:
    """The SVG for a page.

    Args:
        drawn: what `vl_convert.vegalite_to_svg` returned.
        prefix: unique within the page; every id starts with it.
        title: the chart's name for a screen reader.
        description: what the chart shows, in a sentence or two.

    Raises:
        UnexpectedSvgError: an element or an address outside the closed list.
    """
    root = ET.fromstring(drawn)  # noqa: S314 -- drawn by Vega in this process, no entities
    _share(root)
    writer = _Writer(prefix)
    inside = "".join(writer.write(child) for child in root)
    box = root.get("viewBox", "")
    width, height = box.split()[2:4]
    return Markup(  # noqa: S704 -- every text and attribute above went through escape()
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{escape(box)}" width="{escape(width)}"'
        f' height="{escape(height)}" role="img" aria-labelledby="{prefix}-t {prefix}-d"'
        f' font-family="{FONT}"><title id="{prefix}-t">{escape(title)}</title>'
        f'<desc id="{prefix}-d">{escape(description)}</desc>{inside}</svg>'
    )
