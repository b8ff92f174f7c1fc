"""Every key and value of a TOML document is found where it stands."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from accelreport.spec.syntax import KeyPath, Positions, Span, value_at

DOCUMENT = """\
schema = 1
"quoted key" = "é" # after an é, columns are still characters
nested.'dotted'.key = [10, [20, 30], { x = 1, y.z = "ü" }]

[table]
long = [
  "first", # a comment is no element
  "second",
]

[[rows]]
a = 1

[[rows]]
a = 2
[rows.inner]
b = 3
"""


def _text(span: Span | None) -> str:
    assert span is not None
    lines = DOCUMENT.split("\n")[span.line - 1 : span.end_line]
    lines[-1] = lines[-1][: span.end_column - 1]
    lines[0] = lines[0][span.column - 1 :]
    return "\n".join(lines)


def test_keys_and_values_of_every_form_are_found() -> None:
    found = Positions(DOCUMENT)
    for path, key, value in [
        (("schema",), "schema", "1"),
        (("quoted key",), '"quoted key"', '"é"'),
        (("nested", "dotted", "key"), "key", '[10, [20, 30], { x = 1, y.z = "ü" }]'),
        (("nested", "dotted", "key", 1, 0), "20", "20"),
        (("nested", "dotted", "key", 2, "y", "z"), "z", '"ü"'),
        (("table",), "table", "[table]"),
        (("table", "long", 1), '"second"', '"second"'),
        (("rows", 1), "rows", "[[rows]]"),
        (("rows", 1, "a"), "a", "2"),
        (("rows", 1, "inner"), "inner", "[rows.inner]"),
        (("rows", 1, "inner", "b"), "b", "3"),
    ]:
        assert (_text(found.key(path)), _text(found.value(path))) == (key, value)


def test_what_is_not_in_the_document_has_no_position() -> None:
    found = Positions(DOCUMENT)
    assert found.key(("rows", 2)) is None
    assert found.value(("table", "short")) is None
    # A table that only dotted keys imply has a key, and no value of its own.
    assert found.key(("nested",)) is not None
    assert found.value(("nested",)) is None


KEYS = st.text("abcéß_-", min_size=1, max_size=4) | st.text(max_size=4)
SCALARS = (
    st.booleans()
    | st.integers(-(2**40), 2**40)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


def _written(value: Any) -> str:
    """A value as TOML, inline."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, dict):
        pairs = [f"{_written(key)} = {_written(item)}" for key, item in value.items()]
        return f"{{ {', '.join(pairs)} }}"
    return repr(value)


def _paths(value: Any, path: KeyPath = ()) -> Iterator[KeyPath]:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        yield (*path, key)
        if isinstance(inner, dict | list):
            yield from _paths(inner, (*path, key))


@given(st.dictionaries(KEYS, VALUES, max_size=4), st.dictionaries(KEYS, VALUES, max_size=3))
def test_the_text_at_a_value_s_span_is_that_value(
    top: dict[str, Any], table: dict[str, Any]
) -> None:
    lines = [f"{_written(key)} = {_written(value)}" for key, value in top.items()]
    if "table" not in top:
        lines += [
            "[table]",
            *(f"  {_written(key)} = {_written(value)}" for key, value in table.items()),
        ]
    text = "\n".join(lines)
    data = tomllib.loads(text)
    found = Positions(text)
    for path in _paths(data):
        if path == ("table",) and "table" not in top:
            continue
        span = found.value(path)
        assert span is not None
        written = text.split("\n")[span.line - 1][span.column - 1 : span.end_column - 1]
        assert tomllib.loads(f"value = {written}")["value"] == value_at(data, path)
    assert not found.redefinitions
