"""TOML as coloured tokens: enough to read a spec by, and never a parser."""

from __future__ import annotations

import re
from typing import Literal

from accelreport.report.model import Token
from accelreport.report.text import clean

_PIECES = re.compile(
    r"""(?P<note>\#[^\n]*)
      | (?P<text>\"\"\".*?\"\"\"|'''.*?'''|"(?:\\.|[^"\\\n])*"|'[^'\n]*')
      | (?P<head>^[ \t]*\[\[?[^\]\n]+\]\]?)
      | (?P<key>^[ \t]*[\w.-]+(?=[ \t]*=))""",
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
_ROLES: dict[str, Literal["note", "text", "head", "key"]] = {
    "note": "note",
    "text": "text",
    "head": "head",
    "key": "key",
}


def toml_tokens(text: str) -> tuple[Token, ...]:
    """The text cut into tokens; joined again they are the text, to the letter."""
    text = clean(text)
    tokens: list[Token] = []
    end = 0
    for found in _PIECES.finditer(text):
        if found.start() > end:
            tokens.append(Token(text[end : found.start()]))
        tokens.append(Token(found[0], _ROLES[found.lastgroup or "note"]))
        end = found.end()
    if end < len(text):
        tokens.append(Token(text[end:]))
    return tuple(tokens)
