"""Blocks of Python and YAML in the README and in docs/ are what they seem to be."""

from __future__ import annotations

import ast

import pytest
import yaml

import accelreport
from tests.house.documents import DOCUMENTS, Block, blocks

EVERY = [block for name in DOCUMENTS for block in blocks(name)]

DIRECTIVES = {"{eval-rst}", "{toctree}"}
"""What Sphinx does in a document."""

KNOWN = {"", "console", "csv", "html", "json", "markdown", "python", "sh", "text", "toml", "yaml"}
"""Languages of blocks; those of Python, shell, TOML and YAML are held against what reads them."""


@pytest.mark.parametrize("block", [b for b in EVERY if b.language == "python"], ids=str)
def test_a_block_of_python_is_python_and_knows_only_public_names(block: Block) -> None:
    tree = ast.parse(block.text)
    used = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "accelreport"
    }
    assert used <= set(accelreport.__all__)


@pytest.mark.parametrize("block", [b for b in EVERY if b.language == "yaml"], ids=str)
def test_a_block_of_yaml_is_a_table(block: Block) -> None:
    assert isinstance(yaml.safe_load(block.text), dict)


def test_a_block_says_its_language() -> None:
    assert {block.language for block in EVERY} <= KNOWN | DIRECTIVES
    # A block without a language is what a program prints, never what somebody types.
    bare = [block for block in EVERY if not block.language]
    assert not [str(block) for block in bare if "$ " in block.text or "[workload]" in block.text]
