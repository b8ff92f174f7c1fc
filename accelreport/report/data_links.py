"""Files as `data:` addresses, for a page that has to hold everything itself."""

from __future__ import annotations

import base64
import gzip
from urllib.parse import quote

from accelreport.report import formatting
from accelreport.report.model import Download

LONGEST = 1_900_000
"""Characters of an address; browsers do not follow one of more than 2 MiB."""
PACKED = 20_000
"""Bytes above which a file is compressed."""

_TYPES = {"csv": "text/csv", "json": "application/json", "toml": "application/toml"}
_PLAIN = " /?:@!$'()*,;=~{}[]|^`\\"
"""Characters that stand for themselves inside an attribute of a page."""


def data_link(name: str, content: str, detail: str, *, before: str = "") -> Download:
    """A file as a link that holds it, compressed where it is large.

    A file too large for any link is named without one, with the reason.

    Args:
        name: what the page calls it.
        content: what is in it.
        detail: what the page says of it.
        before: what a saved file has before its name, to tell those of one page apart.
    """
    raw = content.encode()
    if len(raw) <= PACKED:
        kind = _TYPES.get(name.rpartition(".")[2], "text/plain")
        address = f"data:{kind};charset=utf-8,{_escaped(content)}"
        return Download(address, name, detail, name=before + name)
    packed = gzip.compress(raw, 9, mtime=0)
    size = formatting.size(len(packed))
    address = f"data:application/gzip;base64,{base64.b64encode(packed).decode()}"
    if len(address) > LONGEST:
        why = f"{detail}; {size}, more than a link can hold: build the site of several files"
        return Download("", name, why)
    said = ", ".join(part for part in (detail, f"{size} compressed") if part)
    return Download(address, f"{name}.gz", said, name=f"{before}{name}.gz")


def svg_link(name: str, drawn: str) -> Download:
    """A drawing as a link, hardly longer than itself: a page is read faster than unpacked."""
    text = drawn.replace('"', "'").strip()
    return Download(f"data:image/svg+xml,{quote(text, safe=f'{_PLAIN}<>')}", "SVG", name=name)


def _escaped(content: str) -> str:
    return quote(content, safe=_PLAIN)
