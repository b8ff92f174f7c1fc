"""A spec as a Jupyter notebook that measures it wherever a notebook can run.

The document follows nbformat 4.5, https://nbformat.readthedocs.io/en/latest/format_description.html.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path, PurePosixPath
from string import Template
from typing import Any

import tomli

from accelreport.datasets.cache import FOLDER, MANIFEST, is_file_or_folder, places, samples
from accelreport.errors import UsageError
from accelreport.loader.load import load
from accelreport.spec.files_beside import DEVICES_FILE
from accelreport.workloads.own_code import local_modules
from accelreport.workloads.own_model import based, named_code

INTRODUCTION = Template("""\
# $title

$description

This notebook measures the spec below on the hardware of this runtime, and gives you the results
as an archive. Choose the runtime (in Colab: *Runtime → Change runtime type*: CPU, GPU, TPU) and
press *Run all*. If a run is interrupted, *Run all* continues it. On your own machine, make one
report of the archives of all runtimes:

```sh
accelreport merge results-*.zip -o results
accelreport build
```
""")

WRITE = Template("""\
# What is measured. You can change it: a changed configuration is measured again.
from pathlib import Path

texts = {}
$texts
for name, text in texts.items():
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text, encoding="utf-8")\
""")

INSTALL = Template("""\
#@title Install accelreport, which this cell contains
# TensorFlow for this runtime's hardware is installed, too, unless there is one.
import base64
import importlib.util
import io
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path


def present(package):
    return importlib.util.find_spec(package) is not None


packed = b'''
$packed
'''
zipfile.ZipFile(io.BytesIO(base64.b64decode(packed))).extractall()
tpu = Path("/dev/accel0").exists() or Path("/dev/vfio/0").exists() or "TPU_NAME" in os.environ
kind = "tpu" if tpu else "gpu" if shutil.which("nvidia-smi") else "cpu"
extra = "" if present("tensorflow") else f"[{kind}]"
if not present("accelreport"):
    wheel = os.path.abspath($wheel) + extra
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", wheel], check=True)
print(f"This is a {kind.upper()} runtime.")\
""")

MEASURE = Template("""\
# Devices that this runtime does not have are skipped.
import accelreport

results = accelreport.run("specs/$spec"$profile)
results\
""")

ARCHIVE = """\
# All results of this runtime as an archive, whether or not the measurement was interrupted.
import shutil

import accelreport

cells = accelreport.load_results("results").cells
machine = cells["machine"].replace("", None).dropna().iloc[0]
archive = Path(shutil.make_archive(f"results-{machine}", "zip", ".", "results")).name
try:
    from google.colab import files
except ImportError:
    from IPython.display import FileLink, display

    display(FileLink(archive))
else:
    files.download(archive)\
"""

LINE = 1000
"""Characters of a line of packed files; editors are slow with a line of megabytes."""

LIMIT = 20_000_000
"""Bytes of the user's own data that a notebook carries; upload forms accept no more."""


def notebook(spec: Path, *, profile: str | None = None, devices_file: Path | None = None) -> str:
    """The notebook of a spec, as JSON; the same spec gives the same bytes.

    It carries the program, the spec, its devices, and the models and data that the spec names, so
    that a runtime elsewhere needs no other file.

    Args:
        spec: the spec's file.
        profile: the profile to measure.
        devices_file: the devices; `devices.toml` beside the spec when absent.

    Raises:
        SpecErrors: the spec or its devices have an error.
        UsageError: a file cannot be carried, or this program is not installed.
    """
    loaded = load([spec], profile=profile, devices_file=devices_file)
    document = loaded.specs[0]
    written = tomli.loads(document.text)
    named = set(_texts_in([written.get(part) for part in ("workload", "sweep", "profiles")]))
    texts = {
        f"specs/{spec.name}": spec,
        f"specs/{DEVICES_FILE}": devices_file or spec.parent / DEVICES_FILE,
    }
    own = own_files(named, spec.parent)
    texts |= {name: path for name, path in own.items() if path.suffix == ".py"}
    wheel_name, wheel_bytes = wheel(
        name
        for name, sample in samples().items()
        if {name, *(file.path for file in sample.files)} & {*named, *_texts_in(document.workload)}
    )
    data = {name: path.read_bytes() for name, path in own.items() if name not in texts}
    size = sum(map(len, data.values()))
    if size > LIMIT:
        raise UsageError(
            f"The data of this spec are too large for a notebook: {size / 1e6:.0f} MB.",
            why=f"A notebook carries {LIMIT / 1e6:.0f} MB.",
            remedy='Load them in the runtime by a function of your own (data = "data.py:load"), '
            "or measure fewer of them.",
        )
    packed = base64.b64encode(zipped({wheel_name: wheel_bytes, **data})).decode()
    install = _code(
        INSTALL.substitute(
            wheel=repr(wheel_name),
            packed="\n".join(packed[at : at + LINE] for at in range(0, len(packed), LINE)),
        )
    )
    install["metadata"] = {"cellView": "form", "jupyter": {"source_hidden": True}}
    introduction = INTRODUCTION.substitute(
        title=document.title, description=document.description.strip()
    )
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": introduction.splitlines(keepends=True)},
        _code(
            WRITE.substitute(
                texts="\n".join(
                    f"texts[{name!r}] = {_literal(path.read_text(encoding='utf-8'))}"
                    for name, path in texts.items()
                )
            )
        ),
        install,
        _code(
            MEASURE.substitute(spec=spec.name, profile=f", profile={profile!r}" if profile else "")
        ),
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


def own_files(named: Iterable[str], folder: Path) -> dict[str, Path]:
    """The user's own files that a spec names, by their paths beside the notebook.

    Args:
        named: texts of a spec, some of which name a file, a folder or a function of a file.
        folder: the spec's folder, which is `specs/` beside the notebook.

    Raises:
        UsageError: one lies above the folder of the project.
    """
    files: dict[str, Path] = {}
    for text in sorted(named):
        file, _ = named_code(text) or (text, "")
        if not {".", "/"} & set(file):
            continue
        place = next(filter(is_file_or_folder, places(file, str(folder))), None)
        if place is None:
            continue
        target = PurePosixPath(os.path.normpath(PurePosixPath("specs", file)))
        if target.is_absolute() or target.parts[0] == "..":
            raise UsageError(
                f"A notebook cannot carry {file}.",
                why="It lies outside the folder of the project, which is the one above the spec's.",
                remedy="Put it beside the spec.",
            )
        inside = sorted(place.rglob("*")) if place.is_dir() else [place]
        inside_files = {(target / path.relative_to(place)).as_posix(): path for path in inside}
        files |= {name: path for name, path in inside_files.items() if path.is_file()}
        if place.suffix == ".py":
            below, top = based(file, folder)
            root = top or folder
            modules = local_modules(root, below, place.read_text(encoding="utf-8"))
            base = "specs" if root == folder else ""
            files |= {PurePosixPath(base, name).as_posix(): root / name for name in modules}
    return files


PACKAGE = Path(__file__).parents[1]


def wheel(kept_samples: Iterable[str]) -> tuple[str, bytes]:
    """This program as a wheel: its name and its bytes, which are the same every time.

    It is made from the installed files, of a wheel or of a checkout, without another program. It
    holds only the samples of data sets that are needed, which are most of an ordinary wheel.

    Args:
        kept_samples: names of data sets.

    Raises:
        UsageError: this program is not installed, so that its requirements are unknown.
    """
    try:
        installed = distribution("accelreport")
    except PackageNotFoundError as error:
        raise UsageError(
            "This accelreport is not installed, so a notebook cannot carry it.",
            remedy="Install it, such as with `pip install -e .` in the folder of its checkout.",
        ) from error
    folders = {PurePosixPath("accelreport"): PACKAGE}
    if not (PACKAGE / "_specs").is_dir():
        # A wheel has inside the package what a checkout has beside it, such as the templates.
        project = tomli.loads((PACKAGE.parent / "pyproject.toml").read_text(encoding="utf-8"))
        included = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
        folders |= {PurePosixPath(to): PACKAGE.parent / path for path, to in included.items()}
    files = {
        (target / path.relative_to(place)).as_posix(): path.read_bytes()
        for target, place in folders.items()
        for path in (place.rglob("*") if place.is_dir() else [place])
        if path.is_file() and "__pycache__" not in path.parts
    }
    top = f"accelreport/{FOLDER.relative_to(PACKAGE).as_posix()}"
    manifest = json.loads(files[f"{top}/{MANIFEST}"])
    kept = {name: manifest[name] for name in manifest if name in set(kept_samples)}
    left = tuple(
        f"{top}/{file['path']}"  # or packed, with a longer name
        for sample in manifest.keys() - kept.keys()
        for file in manifest[sample]["files"]
    )
    files = {path: content for path, content in files.items() if not path.startswith(left)}
    files[f"{top}/{MANIFEST}"] = json.dumps(kept, indent=2).encode()
    name = f"accelreport-{installed.version}"
    licences = installed.metadata.get_all("License-File") or []
    for about in ("METADATA", "WHEEL", "entry_points.txt", *(f"licenses/{n}" for n in licences)):
        files[f"{name}.dist-info/{about}"] = (installed.read_text(about) or "").encode()
    record = f"{name}.dist-info/RECORD"
    lines = [f"{path},{_digest(files[path])},{len(files[path])}" for path in sorted(files)]
    files[record] = "\n".join([*lines, f"{record},,", ""]).encode()
    return f"{name}-py3-none-any.whl", zipped(files)


def _digest(content: bytes) -> str:
    """The hash of a file in the form of a wheel's RECORD."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode()
    return f"sha256={digest.rstrip('=')}"


def zipped(files: Mapping[str, bytes]) -> bytes:
    """A ZIP archive whose bytes depend on the names and contents of its files alone."""
    with io.BytesIO() as opened:
        with zipfile.ZipFile(opened, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for name in sorted(files):
                member = zipfile.ZipInfo(name)  # its date is always that of 1980
                member.external_attr = 0o644 << 16
                archive.writestr(member, files[name], zipfile.ZIP_DEFLATED, 9)
        return opened.getvalue()


def _texts_in(value: Any) -> Iterator[str]:
    """Every text in nested tables and lists."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts_in(inner)


def _code(source: str) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
        "source": source.splitlines(keepends=True),
    }


def _literal(content: str) -> str:
    """A file's text as a Python literal, over several lines where its characters allow that."""
    if any(character < " " and character not in "\n\t" for character in content):
        return repr(content)  # Python reads no such characters in a source text
    if "\\" not in content and '"""' not in content and not content.endswith('"'):
        return f'"""\\\n{content}"""'
    if "'''" not in content and not content.endswith(("'", "\\")):
        return f"r'''\n{content}'''[1:]"
    return repr(content)
