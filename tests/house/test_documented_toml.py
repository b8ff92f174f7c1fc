"""Every TOML block of the README and of docs/ is what accelreport reads.

A block is a whole spec, a whole devices file, a part of one of the two, the options of a report,
or what a package writes into its `pyproject.toml`. A part is read within the least that it needs
around it.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from accelreport.loader.load import load
from accelreport.spec.base import fields_of
from accelreport.spec.files_beside import FILE_NAME, read_options
from accelreport.spec.models import SpecDocument
from tests.house.documents import DOCUMENTS, FENCE, Block, blocks, text_of
from tests.house.tree import ROOT, sources

READ = [name for name in DOCUMENTS if name == "README.md" or name.startswith("docs/")]

BLOCKS = [block for name in READ for block in blocks(name) if block.language == "toml"]

SPEC_KEYS = set(fields_of(SpecDocument))

LAYERS = '[{"class_name": "InputLayer", "config": {"batch_shape": [null, 28, 28, 1]}}]'

HEAD = {
    "schema": "schema = 1\n",
    "title": 'title = "A part of a spec"\n',
    "devices": 'devices = ["cpu", "gpu", "tpu"]\n',
}
"""What a part of a spec needs before its first table."""

WORKLOAD = '[workload]\nkind = "image_classification"\n'
"""What it needs behind its last one."""


def whole(text: str) -> str:
    """A spec of which the text is a part, or all."""
    given = tomllib.loads(text)
    head = HEAD
    if given.get("workload", {}).get("kind") == "python":  # it runs on one device of a process
        head = HEAD | {"devices": 'devices = ["cpu", "gpu"]\n'}
    before = "".join(line for key, line in head.items() if key not in given)
    after = "" if "workload" in given else f"\n{WORKLOAD}"
    return before + text + after + ("" if "sweep" in given else swept(given))


def swept(given: dict[str, Any]) -> str:
    """The sweep that has the points which figures of a part belong to; none where none do."""
    points = [row["where"] for row in given.get("published", []) if "where" in row]
    values: dict[str, set[Any]] = {}
    for key, value in (pair for point in points for pair in point.items()):
        values.setdefault(key, set()).add(value)
    lines = [f"{key} = {sorted(each)}\n" for key, each in values.items()]
    return "".join(["[sweep]\n", *lines]) if lines else ""


def devices_of(document: str, folder: Path) -> Path:
    """The devices file that a document shows; the one that comes along where it shows none."""
    for block in BLOCKS:
        given = tomllib.loads(block.text)
        if block.document == document and kind_of(given) == "devices" and "schema" in given:
            (folder / "devices.toml").write_text(block.text, encoding="utf-8")
            return folder / "devices.toml"
    return ROOT / "specs" / "devices.toml"


def check_spec(text: str, folder: Path, devices: Path = ROOT / "specs" / "devices.toml") -> None:
    """Reads a spec as it stands and under each of its profiles."""
    (folder / "mine.json").write_text(
        f'{{"class_name": "Sequential", "config": {{"layers": {LAYERS}}}}}', encoding="utf-8"
    )
    step = next(block for block in blocks("docs/specs.md") if "def build(" in block.text)
    (folder / "step.py").write_text(step.text, encoding="utf-8")
    model = next(
        block for block in blocks("docs/specs.md") if "def build(input_shape" in block.text
    )
    (folder / "model.py").write_text(model.text, encoding="utf-8")
    path = folder / "documented.toml"
    path.write_text(text, encoding="utf-8")
    for profile in (None, *tomllib.loads(text).get("profiles", {})):
        found = load([path], profile=profile, devices_file=devices)
        assert found.cells


def check_devices(text: str, folder: Path) -> None:
    """Reads a devices file, or tables of one."""
    path = folder / "devices.toml"
    given = tomllib.loads(text)
    path.write_text(text if "schema" in given else f"schema = 1\n{text}", encoding="utf-8")
    assert set(load([path]).devices) == set(given) - {"schema"}


def check_package(given: dict[str, Any]) -> None:
    """Looks whether accelreport asks for each group of entry points."""
    asked = {
        found
        for name, _ in sources("accelreport")
        for found in re.findall(
            r'^[A-Z_]+ = "(accelreport\.\w+)"$', (ROOT / name).read_text("utf-8"), re.MULTILINE
        )
    }
    groups = given["project"]["entry-points"]
    assert set(groups) <= asked
    for group in groups.values():
        assert all(re.fullmatch(r"[\w.]+:\w+", target) for target in group.values())


def kind_of(given: dict[str, Any]) -> str:
    """What a block is: `package`, `report`, `spec` or `devices`."""
    if "project" in given:
        return "package"
    if "report" in given:
        return "report"
    return "spec" if set(given) & (SPEC_KEYS - {"schema"}) else "devices"


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_a_toml_block_is_what_the_program_reads(block: Block, tmp_path: Path) -> None:
    given = tomllib.loads(block.text)
    kind = kind_of(given)
    assert given
    if kind == "package":
        check_package(given)
    elif kind == "report":
        (tmp_path / FILE_NAME).write_text(block.text, encoding="utf-8")
        read_options(tmp_path / FILE_NAME)
    elif kind == "spec":
        check_spec(whole(block.text), tmp_path, devices_of(block.document, tmp_path))
    else:
        check_devices(block.text, tmp_path)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_no_fence_is_overlooked(name: str) -> None:
    text = text_of(name)
    fences = re.findall(r"^\s*(?:`{3,}|~{3,})", text, re.MULTILINE)
    assert len(fences) == 2 * len(FENCE.findall(text))
