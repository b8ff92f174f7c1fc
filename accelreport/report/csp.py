"""The page's own rule of what it may load: its style sheet, by hash, and its pictures."""

from __future__ import annotations

import base64
import hashlib


def policy(style: str) -> str:
    """A Content-Security-Policy for a page without scripts.

    Args:
        style: the text between `<style>` and `</style>`, to the byte.
    """
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    rules = (
        "default-src 'none'",
        f"style-src 'sha256-{digest}'",
        "img-src 'self' data:",
        "base-uri 'none'",
        "form-action 'none'",
    )
    return "; ".join(rules)
