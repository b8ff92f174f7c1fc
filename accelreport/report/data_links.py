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

_TYPES = {
    "csv": "text/csv",
    "json": "application/json",
    "toml": "application/toml",
    "svg": "image/svg+xml",
    "md": "text/markdown",
    "tex": "application/x-tex",
}
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


def figure_link(link: Download, content: str) -> Download:
    """A file of a figure as a link that holds it, hardly longer than the file.

    Compressed it would be shorter, but mail and servers compress the page as a whole.
    """
    suffix = link.href.rpartition(".")[2]
    text = content.replace('"', "'").strip() if suffix == "svg" else content
    safe = f"{_PLAIN}<>" if suffix == "svg" else _PLAIN
    address = f"data:{_TYPES.get(suffix, 'text/plain')};charset=utf-8,{quote(text, safe=safe)}"
    return Download(address, link.text, name=link.href.replace("/", "."))


def _escaped(content: str) -> str:
    return quote(content, safe=_PLAIN)
