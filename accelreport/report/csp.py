"""The page's own rule of what it may load: style and scripts by hash, and its pictures."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence


def policy(style: str, scripts: Sequence[str] = (), *, published: bool = False) -> str:
    """A Content-Security-Policy that knows each style sheet and script by its hash.

    Args:
        style: the text between `<style>` and `</style>`, to the byte.
        scripts: the texts between `<script>` and `</script>`.
        published: whether the page has an address. Lighthouse asks for robots.txt in the
            page's name, and holds it against a page whose policy forbids that.
    """
    rules = (
        "default-src 'none'",
        f"style-src {source(style)}",
        *([f"script-src {' '.join(source(text) for text in scripts)}"] if scripts else []),
        "img-src 'self' data:",
        *(["connect-src 'self'"] if published else []),
        "base-uri 'none'",
        "form-action 'none'",
    )
    return "; ".join(rules)


def source(text: str) -> str:
    """A style sheet or script as a policy names it: by its hash."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
