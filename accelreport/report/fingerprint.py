"""Everything but the results that a page depends on, as one number.

What was made by other code, other templates or other packages is made again; that rule is
what lets a build trust what an earlier one remembered.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterable
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

from accelreport.plugins import DATASETS, WORKLOADS, installed
from accelreport.report.facts import SiteFacts
from accelreport.report.folders import CHECKOUT, PACKAGED
from accelreport.report.options import BuildOptions

PACKAGE = Path(__file__).parent.parent
"""The source of accelreport."""
ROOMS = ("analysis", "datasets", "report", "results", "spec", "workloads")
"""Rooms a page is made in; the rule of imports keeps all others out."""
DEPENDENCIES = ("altair", "jinja2", "markupsafe", "numpy", "pandas", "scipy", "vl-convert-python")
"""Packages that have a hand in the bytes of a page."""
PLUGINS = (WORKLOADS, DATASETS)
"""What other packages add that a page may speak of."""


def digest(*parts: str) -> str:
    """SHA-256 of texts, each with its length, so that no two lists of them meet."""
    found = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        found.update(b"%d:" % len(data))
        found.update(data)
    return found.hexdigest()


def fingerprint(options: BuildOptions, facts: SiteFacts) -> str:
    """Hash of the code, plug-ins' too, the templates, the packages, and what a person chose.

    Raises:
        OSError: a template or a plug-in's file cannot be read.
    """
    folders = [folder for folder in (options.templates, PACKAGED, CHECKOUT) if folder]
    return digest(
        sys.version,
        json.dumps({name: version(name) for name in DEPENDENCIES}),
        *(_code(PACKAGE / room, PACKAGE) for room in ROOMS),
        *(_files(folder.rglob("*"), folder) for folder in folders),
        *_plugins(),
        json.dumps(asdict(facts)),
    )


def _plugins() -> Iterable[str]:
    for group in PLUGINS:
        for name, paths in sorted(installed(group).items()):
            yield name
            for path in paths:
                yield _code(path, path.parent)


def _code(path: Path, root: Path) -> str:
    """Of a module, or of a package with the data in it."""
    inside = [path] if path.is_file() else path.rglob("*")
    return _files((each for each in inside if each.parent.name != "__pycache__"), root)


def _files(paths: Iterable[Path], root: Path) -> str:
    found = hashlib.sha256()
    for path in sorted(path for path in paths if path.is_file()):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        found.update(f"{path.relative_to(root).as_posix()}\0{content}\n".encode())
    return found.hexdigest()
