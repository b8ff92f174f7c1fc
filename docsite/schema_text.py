"""JSON Schema in words: what a key takes, what it is when absent, and what it means.

The schemas are those that pydantic makes of the models, so that nothing is said twice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

Schema = Mapping[str, Any]

SCALARS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "`true` or `false`",
}

LISTS = {"Axes": "table of lists", "Values": "list"}
"""Definitions of the schema that only list keys which stand elsewhere, and what they are."""

BOUNDS = {
    "minimum": "at least",
    "exclusiveMinimum": "above",
    "maximum": "at most",
    "exclusiveMaximum": "below",
}


_SPECIAL = re.compile(r"([\\*_<>\[\]|{}$])")


def escaped(text: str) -> str:
    """Program text on one line, in which Markdown sees nothing but code in backticks."""
    pieces = re.split(r"(`[^`]*`)", " ".join(text.replace("``", "`").split()))
    return "".join(
        piece.replace("|", "\\|") if piece.startswith("`") else _SPECIAL.sub(r"\\\1", piece)
        for piece in pieces
    )


def definitions(schema: Schema) -> Mapping[str, Schema]:
    """The models that a schema speaks of, by name."""
    found: Mapping[str, Schema] = schema.get("definitions") or schema.get("$defs") or {}
    return found


def type_text(node: Schema, page: str = "") -> str:
    """What a value may be, as Markdown; a model is a link to its own table."""
    if "$ref" in node:
        name = str(node["$ref"]).rsplit("/", 1)[-1]
        return LISTS.get(name) or f"[{spaced(name)}](#{label(page, name)})"
    if len(node.get("allOf", ())) == 1:
        return type_text(node["allOf"][0], page)
    if "const" in node:
        return _code(node["const"])
    if "enum" in node:
        return " or ".join(_code(each) for each in node["enum"])
    several = node.get("anyOf") or node.get("oneOf")
    if several:
        return _either(type_text(each, page) for each in several if each != {"type": "null"})
    return _plain(node, page)


def value_text(node: Schema, page: str = "") -> str:
    """What a value may be, with examples where the model gives some."""
    examples = node.get("examples") or next(
        (each["examples"] for each in node.get("anyOf", ()) if "examples" in each), ()
    )
    told = f", such as {', '.join(_code(each) for each in examples)}" if examples else ""
    return type_text(node, page) + told


def _plain(node: Schema, page: str) -> str:
    kind = node.get("type")
    if isinstance(kind, list):
        return _either(SCALARS[each] for each in kind if each in SCALARS)
    if kind == "array":
        inside = node.get("items")
        return f"list of {type_text(inside, page)}" if inside else "list"
    if kind == "object":
        inside = node.get("additionalProperties")
        return f"table of {type_text(inside, page)}" if isinstance(inside, Mapping) else "table"
    bounds = [f"{word} {_number(node[key])}" for key, word in BOUNDS.items() if key in node]
    return ", ".join([SCALARS.get(str(kind), "any value"), *bounds])


def _either(texts: Iterator[str]) -> str:
    return " or ".join(dict.fromkeys(texts))


def default_text(key: str, owner: Schema) -> str:
    """What a key is when it is absent, as Markdown."""
    if key in owner.get("required", ()):
        return "required"
    node = owner["properties"][key]
    value = node.get("default")
    if value is None:
        return "absent"
    if value in ("", [], {}):
        return "empty"
    return "that table's own" if isinstance(value, dict) else _code(value)


def meaning(node: Schema, models: Mapping[str, Schema]) -> str:
    """What a key means, as Markdown that fits into a cell of a table.

    Args:
        node: the key's schema.
        models: the definitions; pydantic leaves out what a key's model says in the same words.
    """
    if "description" in node:
        return escaped(str(node["description"]))
    inside = node["allOf"][0] if len(node.get("allOf", ())) == 1 else node
    model = models.get(str(inside.get("$ref", "")).rsplit("/", 1)[-1], {})
    return escaped(str(model.get("description", "")))


def spaced(name: str) -> str:
    """`TrainingParameters` → `Training parameters`."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).split()
    return " ".join([words[0], *(word.lower() for word in words[1:])])


def label(page: str, name: str) -> str:
    """The label of a model's table; pages may speak of models of the same name."""
    return f"{page}-{name}".lower()


def table(name: str, model: Schema, models: Mapping[str, Schema], page: str = "") -> Iterator[str]:
    """The table of a model's keys, each with the id `Model.key`.

    Args:
        name: the model's name.
        model: its schema.
        models: the definitions that it may speak of.
        page: the page on which their tables stand.
    """
    yield "| key | value | when absent | meaning |"
    yield "|---|---|---|---|"
    for key, node in model.get("properties", {}).items():
        yield (
            f'| <span id="{name}.{key}">`{key}`</span> | {value_text(node, page)} | '
            f"{default_text(key, model)} | {meaning(node, models)} |"
        )
    yield ""


def _number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else f"{value:g}"


def _code(value: Any) -> str:
    if isinstance(value, float):
        return f"`{_number(value)}`"
    text = json.dumps(value, ensure_ascii=False)
    return f"`{text}`".replace("|", "\\|")
