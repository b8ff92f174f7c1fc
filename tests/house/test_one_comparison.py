"""Numbers of two devices meet in one place, so that every rule about them holds everywhere.

What is found there is a value: its sentence is made where it is read.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.house.tree import sources

CITATIONS = "accelreport/analysis/hardware.py"
"""What a figure of a data sheet was held against stands in words behind its source."""


def _sentences(tree: ast.Module) -> Iterator[str]:
    """Texts of five words or more that are no docstring and no message of an error."""
    aside = {ast.Expr, ast.Raise, ast.Assert}
    left = [node for node in ast.walk(tree) if type(node) in aside]
    skipped = {id(inner) for node in left for inner in ast.walk(node)}
    for node in ast.walk(tree):
        if id(node) in skipped or not isinstance(node, ast.Constant | ast.JoinedStr):
            continue
        parts = node.values if isinstance(node, ast.JoinedStr) else [node]
        said = " ".join(
            str(getattr(each, "value", "")) for each in parts if isinstance(each, ast.Constant)
        )
        if len([word for word in said.split() if word.isalpha()]) >= 5:
            yield said


def test_the_analysis_gives_values_of_which_others_make_sentences() -> None:
    said = {
        name: found
        for name, tree in sources("accelreport")
        if name.startswith("accelreport/analysis/") and name != CITATIONS
        if (found := [*_sentences(tree)])
    }
    assert said == {}
