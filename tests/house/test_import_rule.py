"""TensorFlow stays where it belongs, and the rooms know only what lies before them."""

from __future__ import annotations

import subprocess
import sys
from graphlib import TopologicalSorter

import pytest

from tests.house.imports import imports, loads_framework

MAY_USE_TENSORFLOW = ("accelreport.backend", "accelreport.workloads")

MUST_NOT_KNOW = {
    "accelreport.errors": ("accelreport.",),
    "accelreport.spec": (
        "accelreport.workloads",
        "accelreport.loader",
        "accelreport.machine",
        "accelreport.backend",
        "accelreport.runner",
        "accelreport.results",
        "accelreport.analysis",
        "accelreport.report",
    ),
    "accelreport.loader": (
        "accelreport.machine",
        "accelreport.backend",
        "accelreport.runner",
        "accelreport.results",
        "accelreport.analysis",
        "accelreport.report",
    ),
    "accelreport.workloads": (
        "accelreport.loader",
        "accelreport.machine",
        "accelreport.backend",
        "accelreport.runner",
        "accelreport.results.store",
        "accelreport.analysis",
        "accelreport.report",
    ),
    "accelreport.datasets": (
        "accelreport.machine",
        "accelreport.backend",
        "accelreport.runner",
        "accelreport.results",
        "accelreport.analysis",
        "accelreport.report",
    ),
    "accelreport.machine": (
        "accelreport.workloads",
        "accelreport.datasets",
        "accelreport.loader",
        "accelreport.backend",
        "accelreport.runner",
        "accelreport.results.store",
        "accelreport.analysis",
        "accelreport.report",
    ),
    "accelreport.backend": (
        "accelreport.loader.load",
        "accelreport.runner",
        "accelreport.analysis",
        "accelreport.report",
    ),
    "accelreport.runner": ("accelreport.analysis", "accelreport.report"),
    "accelreport.results": (
        "accelreport.machine",
        "accelreport.backend",
        "accelreport.runner",
        "accelreport.analysis",
        "accelreport.report",
    ),
    "accelreport.importing": (
        "accelreport.machine",
        "accelreport.backend",
        "accelreport.runner",
        "accelreport.analysis",
        "accelreport.report",
    ),
    "accelreport.analysis": (
        "accelreport.machine",
        "accelreport.backend",
        "accelreport.runner",
        "accelreport.report",
    ),
    "accelreport.report": (
        "accelreport.machine",
        "accelreport.backend",
        "accelreport.runner",
        "accelreport.loader.load",
    ),
}
"""Room → what must not be imported there, at any depth: nothing flows back."""


NEED_A_TYPE = {"accelreport", "accelreport.report.say_learning"}
"""The package's names are loaded when they are asked for; the forms are handed the `Speaker`."""


def _within(module: str, rooms: tuple[str, ...]) -> bool:
    return any(f"{module}.".startswith(f"{room.rstrip('.')}.") for room in rooms)


def test_no_module_outside_the_backend_loads_tensorflow_by_importing_another() -> None:
    strays = [
        f"{module}:{found.line} imports {found.target}, which loads TensorFlow"
        for module, founds in imports().items()
        for found in founds
        if not _within(module, MAY_USE_TENSORFLOW) and loads_framework(found.target)
    ]
    assert not strays


def test_the_registry_of_families_loads_no_tensorflow() -> None:
    assert not loads_framework("accelreport.workloads.registry")


@pytest.mark.parametrize("room", sorted(MUST_NOT_KNOW))
def test_a_room_imports_nothing_that_comes_after_it(room: str) -> None:
    strays = [
        f"{module}:{found.line} imports {found.target}"
        for module, founds in imports().items()
        for found in founds
        if _within(module, (room,)) and _within(found.target, MUST_NOT_KNOW[room])
    ]
    assert not strays


def test_no_module_needs_itself_not_even_for_its_types() -> None:
    graph = {
        module: {found.target for found in founds}
        for module, founds in imports(types=True).items()
        if module not in NEED_A_TYPE
    }
    # A `CycleError` names the modules of a circle.
    assert graph.keys() <= set(TopologicalSorter(graph).static_order())


def test_nothing_but_the_package_itself_imports_what_it_offers_to_programs() -> None:
    strays = [
        f"{module}:{found.line}"
        for module, founds in imports().items()
        for found in founds
        if _within(found.target, ("accelreport.api",))
        and module != "accelreport"
        and not _within(module, ("accelreport.api",))
    ]
    assert not strays


def test_nothing_but_the_start_of_the_program_imports_the_command_line() -> None:
    strays = [
        f"{module}:{found.line}"
        for module, founds in imports().items()
        for found in founds
        if _within(found.target, ("accelreport.cli",))
        and not _within(module, ("accelreport.cli", "accelreport.__main__"))
    ]
    assert not strays


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
