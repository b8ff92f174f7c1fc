"""The operations of each framework have the same names and take the same."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from accelreport.spec.device import FRAMEWORK_NAMES
from accelreport.workloads.numerics import Operations
from tests.house.tree import ROOT

if TYPE_CHECKING:  # mypy compares their parameters
    from accelreport.workloads.numerics import jax, tensorflow, torch

    ALIKE: tuple[Operations, ...] = (tensorflow, jax, torch)

NAMES = {name for name in vars(Operations) if not name.startswith("_")}


@pytest.mark.parametrize("framework", FRAMEWORK_NAMES)
def test_every_framework_that_a_device_may_name_has_every_operation(framework: str) -> None:
    path = ROOT / "accelreport" / "workloads" / "numerics" / f"{framework}.py"
    body = ast.parse(path.read_text(encoding="utf-8")).body
    functions = {each.name for each in body if isinstance(each, ast.FunctionDef)}
    given = {
        each.target.id
        for each in body
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
    }
    assert functions | given == NAMES
