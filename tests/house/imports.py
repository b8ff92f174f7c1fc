"""Who imports whom, read from the syntax trees without running anything."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from tests.house.tree import module_name, sources

FRAMEWORKS = ("tensorflow", "keras", "jax", "torch")
"""What only few modules may import."""


@dataclass(frozen=True)
class Import:
    """One imported module, in full, and whether it happens while the importer is imported."""

    target: str
    line: int
    at_import: bool


@cache
def imports(*, types: bool = False) -> dict[str, tuple[Import, ...]]:
    """Every module of the package and what it imports.

    Args:
        types: also what only type checkers read.
    """
    known = {module_name(name): tree for name, tree in sources("accelreport")}
    return {
        module: tuple(_found(tree, at_import=True, known=frozenset(known), types=types))
        for module, tree in known.items()
    }


def is_framework(target: str) -> bool:
    """Whether the import is TensorFlow's, Keras', JAX' or PyTorch's."""
    return target.split(".")[0] in FRAMEWORKS


def loads_framework(module: str) -> bool:
    """Whether importing the module imports a framework, itself or through others."""
    return any(
        is_framework(found.target)
        for name in closure(module)
        for found in imports()[name]
        if found.at_import
    )


def closure(module: str) -> set[str]:
    """The package's modules that are in memory once the module is imported."""
    seen: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name in seen or name not in imports():
            continue
        seen.add(name)
        waiting.append(name.rpartition(".")[0])
        waiting.extend(found.target for found in imports()[name] if found.at_import)
    return seen


def _found(
    node: ast.AST, *, at_import: bool, known: frozenset[str], types: bool
) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node) if types else _children(node):
        if isinstance(child, ast.Import):
            for alias in child.names:
                yield Import(alias.name, child.lineno, at_import)
        elif isinstance(child, ast.ImportFrom):
            base = child.module or ""
            for alias in child.names:
                whole = f"{base}.{alias.name}"
                yield Import(whole if whole in known else base, child.lineno, at_import)
        else:
            inside = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            yield from _found(child, at_import=at_import and not inside, known=known, types=types)


def _children(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        # Type checkers read the body; the running program only the other branch.
        yield from node.orelse
        return
    yield from ast.iter_child_nodes(node)
