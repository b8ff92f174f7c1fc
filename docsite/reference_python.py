"""The reference of the Python interface, made from signatures and docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import accelreport
from docsite.markdown import escaped

ABOUT = """\
# Python interface

Every name that `import accelreport` offers, with its signature and what its docstring says.
"""

SECTION = re.compile(r"^(Args|Attributes|Raises|Returns):\n", re.MULTILINE)
ENTRY = re.compile(r"^    (?P<name>[\w*]+): (?P<text>.*(?:\n     +.*)*)", re.MULTILINE)

TITLES = {
    "Args": "parameter",
    "Attributes": "attribute",
    "Raises": "error",
}
"""Section of a docstring → what its entries are."""


def python_page() -> str:
    """The page of the public names."""
    parts = [ABOUT]
    for name in accelreport.__all__:
        found = getattr(accelreport, name)
        parts += _class(name, found) if inspect.isclass(found) else _function(name, found)
    return "\n".join(parts)


def _function(name: str, found: Callable[..., Any]) -> Iterator[str]:
    yield f"## `accelreport.{name}` {{#{name}}}\n"
    yield f"```python\n{_signature(f'accelreport.{name}', found)}\n```\n"
    yield from _docstring(name, inspect.getdoc(found) or "")


def _class(name: str, found: type) -> Iterator[str]:
    yield f"## `accelreport.{name}` {{#{name}}}\n"
    yield from _docstring(name, inspect.getdoc(found) or "")
    for member, value in vars(found).items():
        if member.startswith("_") or not inspect.getdoc(value):
            continue
        if isinstance(value, property | cached_property):
            yield f"### `{name}.{member}` {{#{name}.{member}}}\n"
            yield from _docstring(f"{name}.{member}", inspect.getdoc(value) or "")
        elif inspect.isfunction(value):
            yield f"### `{name}.{member}` {{#{name}.{member}}}\n"
            yield f"```python\n{_signature(f'{name}.{member}', value)}\n```\n"
            yield from _docstring(f"{name}.{member}", inspect.getdoc(value) or "")


def _signature(name: str, found: Callable[..., Any]) -> str:
    """A call with every parameter on a line of its own."""
    signature = inspect.signature(found)
    lines: list[str] = []
    named = False
    for parameter in signature.parameters.values():
        if parameter.name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not named:
            lines.append("*")
            named = True
        default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
        lines.append(f"{parameter.name}: {parameter.annotation}{default}")
    inside = "".join(f"\n    {line}," for line in lines)
    return f"{name}({inside}\n) -> {signature.return_annotation}"


def _docstring(owner: str, text: str) -> Iterator[str]:
    """The paragraphs of a docstring, and a table for each of its sections."""
    opening, *sections = SECTION.split(text)
    for paragraph in opening.strip().split("\n\n"):
        yield f"{escaped(paragraph)}\n"
    for title, body in zip(sections[::2], sections[1::2], strict=True):
        if title not in TITLES:
            yield f"**{title}:** {escaped(body)}\n"
            continue
        yield f"| {TITLES[title]} | meaning |"
        yield "|---|---|"
        for entry in ENTRY.finditer(body):
            identity = f"{owner}.{title}.{entry['name']}"
            said = escaped(entry["text"])
            yield f'| <span id="{identity}">`{entry["name"]}`</span> | {said} |'
        yield ""
