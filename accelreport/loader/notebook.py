"""A spec as a Jupyter notebook that measures it wherever a notebook can run.

The document follows nbformat 4.5, https://nbformat.readthedocs.io/en/latest/format_description.html.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from string import Template
from typing import Any

from accelreport.errors import AccelReportError, ExitCode
from accelreport.loader.load import load
from accelreport.origin import address
from accelreport.spec.files_beside import DEVICES_FILE

SPACE = ord(" ")

INTRODUCTION = Template("""\
# $title

$description

This notebook measures the spec below on the hardware of this runtime, and gives you the results
as an archive. Run it once on each kind of runtime (in Colab: *Runtime → Change runtime type*: CPU,
GPU, TPU), then make one report of all archives:

```sh
accelreport merge results-*.zip -o results
accelreport build
```
""")

INSTALL = Template("""\
# accelreport, and TensorFlow for this runtime's hardware unless it is there already.
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

source = $install


def present(package):
    return importlib.util.find_spec(package) is not None


tpu = Path("/dev/accel0").exists() or Path("/dev/vfio/0").exists() or "TPU_NAME" in os.environ
kind = "tpu" if tpu else "gpu" if shutil.which("nvidia-smi") else "cpu"
extra = "" if present("tensorflow") else f"[{kind}]"
if not present("accelreport"):
    name, equals, version = source.partition("==")
    named = f"{name}{extra}{equals}{version}"
    wanted = f"accelreport{extra} @ {source}" if "://" in source else named
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", wanted], check=True)
print(f"a {kind.upper()} runtime")\
""")

WRITE = Template("""\
# The spec and its devices. Change what you like: what is measured has its own name.
Path("specs").mkdir(exist_ok=True)
Path("specs/$spec").write_text($spec_text, encoding="utf-8")
Path("specs/$devices").write_text($devices_text, encoding="utf-8")\
""")

MEASURE = Template("""\
# Devices that this runtime does not have are skipped, and said so.
import accelreport

results = accelreport.run("specs/$spec"$profile)
results\
""")

ARCHIVE = """\
# One archive for each machine; what an earlier run in this runtime measured is in it, too.
machine = results.cells["machine"].replace("", None).dropna().iloc[0]
archive = shutil.make_archive(f"results-{machine}", "zip", ".", "results")
try:
    from google.colab import files
except ImportError:
    print(archive)
else:
    files.download(archive)\
"""


class NothingToInstall(AccelReportError):  # noqa: N818 -- reads as what it says
    """A notebook whose first cell could not work."""

    exit_code = ExitCode.USAGE


def notebook(
    spec: Path, *, profile: str | None = None, devices_file: Path | None = None, install: str = ""
) -> str:
    """The notebook of a spec, as JSON; the same spec gives the same bytes.

    Args:
        spec: the spec's file.
        profile: the profile to measure.
        devices_file: the devices; `devices.toml` beside the spec when absent.
        install: what pip is to install: an address, or a wheel beside the notebook; where this
            accelreport came from when empty.

    Raises:
        SpecErrors: the spec or its devices have an error.
        NothingToInstall: this accelreport came from no address.
    """
    source = install or address()
    if not source:
        raise NothingToInstall(
            "The notebook needs to know what to install.",
            why="This accelreport was installed from this machine, which a runtime elsewhere "
            "cannot reach.",
            remedy="Give --install an address (git+https://…, or of a wheel), or the name of a "
            "wheel that you put beside the notebook.",
        )
    loaded = load([spec], profile=profile, devices_file=devices_file)
    document = loaded.specs[0]
    devices = devices_file or spec.parent / DEVICES_FILE
    name = spec.name
    cells = [
        _markdown(
            INTRODUCTION.substitute(title=document.title, description=document.description.strip())
        ),
        _code(INSTALL.substitute(install=repr(source))),
        _code(
            WRITE.substitute(
                spec=name,
                spec_text=_text(spec.read_text(encoding="utf-8")),
                devices=DEVICES_FILE,
                devices_text=_text(devices.read_text(encoding="utf-8")),
            )
        ),
        _code(MEASURE.substitute(spec=name, profile=f", profile={profile!r}" if profile else "")),
        _code(ARCHIVE),
    ]
    for number, cell in enumerate(cells):
        cell["id"] = hashlib.sha256(f"{number}{cell['source']}".encode()).hexdigest()[:12]
    content = {
        "cells": cells,
        "metadata": {
            "colab": {"name": f"{spec.stem}.ipynb"},
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _markdown(source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": source.splitlines(keepends=True)}


def _code(source: str) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
        "source": source.splitlines(keepends=True),
    }


def _text(content: str) -> str:
    """A file's text as a Python literal, line by line wherever its characters allow that."""
    if any(ord(character) < SPACE and character not in "\n\t" for character in content):
        return repr(content)  # Python reads no such characters in a source text
    if "\\" not in content and '"""' not in content and not content.endswith('"'):
        return f'"""\\\n{content}"""'
    if "'''" not in content and not content.endswith(("'", "\\")):
        return f"r'''\n{content}'''[1:]"
    return repr(content)
