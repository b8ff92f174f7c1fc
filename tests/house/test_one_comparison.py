"""Numbers of two devices meet in one place, so that every rule about them holds everywhere.

What is found there is a value: its sentence is made where it is read.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.house.tree import sources

COMPARES = "accelreport/analysis/speedup.py"
"""Where two groups of processes are compared."""

ESTIMATES = "accelreport/analysis/stats.py"
"""Where the functions are that a comparison is made of."""

COMPARING = {"compare", "known_spread", "ratio", "logarithms", "welch"}
"""Functions of `stats` that put processes beside other processes."""

WITHIN_A_PROCESS = "accelreport/analysis/stability.py"
"""Where steps of one process are looked at, beside each other and nothing else."""

LOGARITHMS = {"log", "log2", "log10"}


def _taken_from_stats(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "accelreport.analysis.stats":
            yield from (name.name for name in node.names)


def _logarithms(tree: ast.Module) -> Iterator[str]:
    """Arguments of logarithms that are not margins, which no process has a part in."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            if name in LOGARITHMS and not _is_a_margin(node.args[0]):
                yield ast.unparse(node.args[0])


def _is_a_margin(argument: ast.expr) -> bool:
    names = {each.id for each in ast.walk(argument) if isinstance(each, ast.Name)}
    names |= {each.attr for each in ast.walk(argument) if isinstance(each, ast.Attribute)}
    return bool(names) and names <= {"MARGIN", "margin", "check", "tolerance"}


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


def test_two_groups_of_processes_are_compared_in_one_place() -> None:
    callers = {
        name for name, tree in sources("accelreport") if COMPARING & set(_taken_from_stats(tree))
    }
    assert callers == {COMPARES}


def test_nothing_else_in_the_analysis_takes_the_logarithm_of_a_time() -> None:
    found = {
        name: [*_logarithms(tree)]
        for name, tree in sources("accelreport")
        if name.startswith(("accelreport/analysis/", "accelreport/api.py"))
    }
    taken = {name for name, arguments in found.items() if arguments}
    assert taken == {COMPARES, ESTIMATES, WITHIN_A_PROCESS}
