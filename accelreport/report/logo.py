"""A person's logo made harmless: only what draws is kept, and it goes into the page itself."""

from __future__ import annotations

import base64
import re
import struct
import zlib
from pathlib import Path
from xml.etree import ElementTree as ET

from accelreport.errors import AccelReportError, ExitCode

LARGEST = 32 * 1024
"""Bytes of a logo: it stands on every page."""
MOST_PIXELS = 4096
"""Width or height of a logo in pixels."""

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CHUNKS = {b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"}
"""What draws; text, times and profiles do not."""

_SVG = "{http://www.w3.org/2000/svg}"
_ELEMENTS = {
    *("svg", "g", "defs", "title", "desc", "path", "rect", "circle", "ellipse", "line"),
    *("polyline", "polygon", "clipPath", "mask", "linearGradient", "radialGradient", "stop"),
    *("text", "tspan"),
}
_ATTRIBUTES = {
    *("id", "d", "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "rx", "ry", "fx", "fy"),
    *("width", "height", "viewBox", "preserveAspectRatio", "transform", "points", "offset"),
    *("gradientUnits", "gradientTransform", "spreadMethod", "clipPathUnits", "maskUnits"),
    *("fill", "fill-rule", "fill-opacity", "stroke", "stroke-width", "stroke-linecap"),
    *("stroke-linejoin", "stroke-miterlimit", "stroke-dasharray", "stroke-opacity", "opacity"),
    *("clip-path", "clip-rule", "mask", "stop-color", "stop-opacity", "text-anchor"),
    *("font-family", "font-size", "font-weight", "font-style", "letter-spacing"),
}
_VALUE = re.compile(r"[\w\s.,#%()+/'-]*")
_ADDRESS = re.compile(r"url\(\s*(?!#)", re.IGNORECASE)


class LogoError(AccelReportError):
    """A logo cannot be used."""

    exit_code = ExitCode.USAGE


def logo_address(path: Path) -> str:
    """The logo as a `data:` address.

    Raises:
        LogoError: it cannot be read, is too large, or is neither PNG nor SVG.
    """
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise _refused(path, f"{error.strerror or error}.") from error
    if len(content) > LARGEST:
        raise _refused(path, f"It has more than {LARGEST // 1024} KiB, and stands on every page.")
    try:
        if content.startswith(_SIGNATURE):
            kind, made = "image/png", png(content)
        else:
            kind, made = "image/svg+xml", svg(content)
    except (ValueError, struct.error, ET.ParseError, LookupError) as error:
        raise _refused(path, f"{error}.") from error
    return f"data:{kind};base64,{base64.b64encode(made).decode()}"


def _refused(path: Path, why: str) -> LogoError:
    remedy = "Give a PNG or SVG file that draws with plain shapes and fetches nothing."
    return LogoError(f"{path} cannot be the logo.", why=why, remedy=remedy)


def png(content: bytes) -> bytes:
    """A PNG with the chunks that draw, and no others.

    Raises:
        ValueError: it is damaged, or too wide or high.
        struct.error: it ends early.
    """
    kept = [_SIGNATURE]
    place, kind = len(_SIGNATURE), b""
    while kind != b"IEND":
        length, kind = struct.unpack_from(">I4s", content, place)
        end = place + 12 + length
        data = content[place + 8 : end - 4]
        (crc,) = struct.unpack_from(">I", content, end - 4)
        if zlib.crc32(kind + data) != crc:
            raise ValueError("the PNG is damaged")
        if (kind == b"IHDR") != (len(kept) == 1):
            raise ValueError("the PNG does not begin with its header")
        if kind == b"IHDR" and max(struct.unpack_from(">II", data)) > MOST_PIXELS:
            raise ValueError(f"it is wider or higher than {MOST_PIXELS} pixels")
        if kind in _CHUNKS:
            kept.append(content[place:end])
        place = end
    return b"".join(kept)


def svg(content: bytes) -> bytes:
    """An SVG of elements and attributes from a closed list.

    Raises:
        ValueError: it declares entities, or is no SVG.
        xml.etree.ElementTree.ParseError: it is no XML.
    """
    text = content.decode("utf-8")
    if "<!DOCTYPE" in text.upper() or "<!ENTITY" in text.upper():
        raise ValueError("it has a document type, which may hide anything")
    root = ET.fromstring(text)  # noqa: S314 -- entities were refused above
    if root.tag != f"{_SVG}svg":
        raise ValueError("it is neither a PNG nor an SVG")
    ET.register_namespace("", _SVG[1:-1])
    return bytes(ET.tostring(_kept(root), encoding="utf-8"))


def _kept(element: ET.Element) -> ET.Element:
    made = ET.Element(element.tag, _attributes(element))
    made.text = element.text if _name(element) in {"text", "tspan", "title", "desc"} else None
    for child in element:
        if _name(child) in _ELEMENTS:
            made.append(_kept(child))
    return made


def _attributes(element: ET.Element) -> dict[str, str]:
    return {
        name: value
        for name, value in element.attrib.items()
        if name in _ATTRIBUTES and _VALUE.fullmatch(value) and not _ADDRESS.search(value)
    }


def _name(element: ET.Element) -> str:
    tag = element.tag
    return tag.removeprefix(_SVG) if isinstance(tag, str) and tag.startswith(_SVG) else ""
