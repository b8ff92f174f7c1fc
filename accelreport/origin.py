"""Where this accelreport was installed from, and so what installs more of it.

The name alone is no answer: as long as it is not published, an index knows no such package, or
knows somebody else's.
"""

from __future__ import annotations

import json
import shlex
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname


def install_command(extra: str) -> str:
    """The command that installs an extra beside what is installed, and where it is given.

    It names no folder of this machine: it also stands in records, which are published.
    """
    source = _recorded()
    path = _path(source)
    if path.endswith((".whl", ".tar.gz")):
        return f"pip install '{Path(path).name}[{extra}]' in the folder of that file"
    if path or (not source and (Path(__file__).parents[1] / "pyproject.toml").is_file()):
        return f"pip install '.[{extra}]' in the folder of accelreport's checkout"
    named = f"accelreport[{extra}]"
    return f"pip install {shlex.quote(f'{named} @ {source}' if source else named)}"


def _recorded() -> str:
    """The URL that pip took it from, as PEP 610 records it; empty if from an index."""
    try:
        text = distribution("accelreport").read_text("direct_url.json")
    except PackageNotFoundError:
        return ""
    document = json.loads(text) if text else {}
    url, control = document.get("url", ""), document.get("vcs_info")
    return f"{control['vcs']}+{url}@{control['commit_id']}" if control else url


def _path(source: str) -> str:
    parts = urlsplit(source)
    return url2pathname(parts.path) if parts.scheme == "file" else ""
