"""Notebooks executed from top to bottom, as *Run all* does."""

from __future__ import annotations

import base64
import io
import json
import re
import subprocess
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

# In a process of its own, since nbformat warns. Through files: ports that are free when a kernel
# chooses them may be taken when it listens.
EXECUTE = """
import sys
import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from traitlets.config import Config
read = nbformat.read(sys.argv[1], as_version=4)
through_files = Config(KernelManager={"transport": "ipc"})
try:
    NotebookClient(read, config=through_files, startup_timeout=1200).execute()
except CellExecutionError as error:
    print(error.ename)
nbformat.write(read, sys.argv[1])
"""


def run_all(python: str | Path, file: Path, variables: Mapping[str, str]) -> str:
    """Execute a notebook in its folder.

    Args:
        python: whose packages the kernel has.
        file: the notebook, which gets its outputs.
        variables: the environment.

    Returns:
        The name of the exception that ended it; empty where it came to its end.
    """
    done = subprocess.run(
        [python, "-W", "ignore", "-c", EXECUTE, file.name],
        cwd=file.parent, env=dict(variables), capture_output=True, text=True, check=False,
        timeout=1200,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def shown(file: Path) -> list[str]:
    """The outputs of each code cell, as JSON."""
    cells: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))["cells"]
    return [
        json.dumps(cell["outputs"], ensure_ascii=False)
        for cell in cells
        if cell["cell_type"] == "code"
    ]


def sources(text: str) -> list[str]:
    """The code of each code cell."""
    cells = json.loads(text)["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def carried(text: str) -> zipfile.ZipFile:
    """What a notebook carries in its hidden cell."""
    (packed,) = re.findall(r"b'''(.*?)'''", sources(text)[1], re.DOTALL)
    return zipfile.ZipFile(io.BytesIO(base64.b64decode(packed)))
