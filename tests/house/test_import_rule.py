"""What contracts over imports cannot say: circles of modules, and what a program loads."""

from __future__ import annotations

import subprocess
import sys
from graphlib import TopologicalSorter

import grimp
import pytest


def test_no_module_needs_itself_not_even_for_its_types() -> None:
    graph = grimp.build_graph("accelreport", cache_dir=None)
    # A `CycleError` names the modules of a circle.
    order = TopologicalSorter(
        {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    ).static_order()
    assert set(order) == graph.modules


@pytest.mark.parametrize(
    ("modules", "unused"),
    [
        ("accelreport.runner.run, accelreport.terminal.progress", {"altair", "pandas", "rich"}),
        ("accelreport.backend.main", {"tree_sitter", "pandas"}),
    ],
    ids=["a run", "a process of a cell"],
)
def test_what_measures_loads_nothing_that_only_reports_or_reads_specs(
    modules: str, unused: set[str]
) -> None:
    loaded = subprocess.run(
        [sys.executable, "-c", f"import sys, {modules}; print(*sys.modules)"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert not unused & set(loaded.stdout.split())
