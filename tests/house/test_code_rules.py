"""Rules of the house that the linters do not know."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import PurePosixPath

from tests.house.tree import CODE, ROOT, sources, texts

MODULE_LINES = 700
FUNCTION_LINES = 100

Function = ast.FunctionDef | ast.AsyncFunctionDef

VAGUE_NAMES = {"utils", "util", "helpers", "misc", "common", "tools"}

UNSEARCHABLE_NAMES = {"found", "each", "told", "seen", "made", "said", "once", "together"}
"""Words that most functions could use for most values."""

OF_THE_FORMAT = {("accelreport/results/record.py", "seen")}
"""A field of the record."""

UNFINISHED = re.compile(r"\b(?:TOD[O]|FIXM[E]|XX[X]|HAC[K])\b")
"""Marks of unfinished work; the brackets keep this line from being one."""


def _functions(*folders: str) -> Iterator[tuple[str, Function]]:
    for name, tree in sources(*folders):
        for node in ast.walk(tree):
            if isinstance(node, Function):
                yield f"{name}:{node.lineno} {node.name}", node


def _lines_of_code(function: Function) -> int:
    """Lines from `def` to the end, without the docstring and the decorators."""
    first, last = function.lineno, function.end_lineno or function.lineno
    documented = function.body[0] if ast.get_docstring(function) is not None else None
    docstring = (documented.end_lineno or 0) - documented.lineno + 1 if documented else 0
    return last - first + 1 - docstring


def test_no_module_is_longer_than_a_reader_can_hold() -> None:
    lengths = {
        name: (ROOT / name).read_text(encoding="utf-8").count("\n") for name, _ in sources(*CODE)
    }
    assert not {name: lines for name, lines in lengths.items() if lines > MODULE_LINES}


def test_no_function_is_longer_than_a_screen() -> None:
    lengths = {where: _lines_of_code(function) for where, function in _functions(*CODE)}
    assert not {where: lines for where, lines in lengths.items() if lines > FUNCTION_LINES}


def test_no_module_has_a_name_that_says_nothing() -> None:
    paths = [PurePosixPath(name) for name, _ in sources(*CODE)]
    assert not [str(path) for path in paths if {path.stem, path.parent.name} & VAGUE_NAMES]


def _bound(tree: ast.Module) -> Iterator[str]:
    """Names that a module gives to variables, parameters, attributes, functions and classes."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                yield name
            case ast.Attribute(attr=name, ctx=ast.Store()) | ast.MatchAs(name=str(name)):
                yield name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name


def test_names_are_those_of_what_they_hold() -> None:
    unsearchable = {
        (path, name)
        for path, tree in sources("accelreport")
        for name in _bound(tree)
        if name.strip("_").lower() in UNSEARCHABLE_NAMES
    }
    assert unsearchable == OF_THE_FORMAT


def _says_nothing(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Pass) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )


def _swallows(node: ast.AST) -> bool:
    """An `except` that does nothing, or one that catches everything without a name."""
    if isinstance(node, ast.ExceptHandler):
        return node.type is None or all(_says_nothing(statement) for statement in node.body)
    if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("suppress"):
        return bool({ast.unparse(each) for each in node.args} & {"Exception", "BaseException"})
    return False


def test_no_exception_is_swallowed() -> None:
    swallowed = [
        f"{name}:{node.lineno}"
        for name, tree in sources(*CODE)
        for node in ast.walk(tree)
        if isinstance(node, ast.ExceptHandler | ast.Call) and _swallows(node)
    ]
    assert not swallowed


def _comments(name: str, text: str) -> Iterator[tuple[int, str]]:
    if not name.endswith(".py"):
        yield from enumerate(text.splitlines(), start=1)
        return
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in {tokenize.COMMENT, tokenize.STRING}:
            yield token.start[0], token.string


def test_nothing_is_left_for_later() -> None:
    later = [
        f"{name}:{line}: {comment.strip()}"
        for name, text in texts()
        if not name.endswith((".lock", ".svg", "LICENSE"))
        for line, comment in _comments(name, text)
        if UNFINISHED.search(comment)
    ]
    assert not later


def test_no_test_is_skipped_or_expected_to_fail() -> None:
    forbidden = {"skip", "skipif", "xfail", "importorskip"}
    found = [
        f"{name}:{node.lineno} {ast.unparse(node)}"
        for name, tree in sources("tests")
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr in forbidden
        and ast.unparse(node.value) in {"pytest", "pytest.mark", "unittest"}
    ]
    assert not found
