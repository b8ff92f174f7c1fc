"""Writes a first spec and the files beside it, and proposes keys for a model and data of one's own.

The keys follow from the files alone: no code is run.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from accelreport.errors import AccelReportError, UsageError

PACKAGE = Path(__file__).parents[1]
SYSTEMS = next(
    folder for folder in (PACKAGE / "_specs", PACKAGE.parent / "specs") if folder.is_dir()
)
"""The published systems and their devices file: in the wheel, or in a checkout."""

DEVICES = "devices.toml"
"""The devices file beside specs; `spec.files_beside`, which says so, takes long to import."""

SPECS = Path("specs")

GITIGNORE = """\
# Pages are made anew from results/, which belongs in the repository: it holds what was measured.
/site/
/report.html
"""


@contextmanager
def files_beside(spec: Path) -> Iterator[list[Path]]:
    """Writes the files that belong beside a spec and are absent; removes them after an error.

    These are the devices file, the JSON Schemas for editors, and, in the root of a Git repository,
    a .gitignore.
    """
    from accelreport.atomic import refuse_links
    from accelreport.loader.schema import FILES, as_text

    folder, schemas = spec.parent, spec.parent / "schema"
    texts = {folder / DEVICES: (SYSTEMS / DEVICES).read_text(encoding="utf-8")}
    texts |= {schemas / name: as_text(make()) for name, make in FILES.items()}
    texts |= {Path(".gitignore"): GITIGNORE} if Path(".git").exists() else {}
    fresh = [path for path in texts if not path.exists()]
    folders = [path for path in (folder, schemas) if not path.exists()]
    begun: list[Path] = []
    try:
        try:
            for path in fresh:
                refuse_links(path, folder if path.is_relative_to(folder) else Path())
            schemas.mkdir(parents=True, exist_ok=True)
            for path in fresh:
                begun.append(path)
                path.write_text(texts[path], encoding="utf-8")
        except OSError as error:
            raise unwritable(folder, error) from error
        yield fresh
    except BaseException:
        # What cannot be removed, or is gone, must not hide the error that is reported.
        for path in begun:
            with suppress(OSError):
                path.unlink()
        for created in reversed(folders):
            with suppress(OSError):
                created.rmdir()
        raise


def unwritable(place: Path, error: OSError) -> UsageError:
    """The error that says why a file or folder cannot be written."""
    return UsageError(
        f"{place} cannot be written.",
        why=f"{error.strerror or error}.",
        remedy="Free space or allow writing there, or choose another folder.",
    )


def refuse_replacing(file: Path) -> None:
    """Require that a spec can be written to a file that does not exist.

    Raises:
        UsageError: its name does not end in .toml, or it exists.
    """
    if file.suffix != ".toml":
        raise UsageError(f"{file} is no name for a spec.", remedy="Let it end in .toml.")
    if os.path.lexists(file):
        raise UsageError(f"{file} is there already.", remedy="Choose another name.")


def devices_at(file: str | Path | None) -> Path:
    """The named devices file, or that of the folder `specs`, or that of the package."""
    beside = Path(file or SPECS / DEVICES)
    return beside if file or beside.exists() else SYSTEMS / DEVICES


def write_checked(file: Path, text: str) -> None:
    """Write a spec, unless it would have an error.

    Raises:
        SpecErrors: it would have one; nothing is written.
        UsageError: it cannot be written.
    """
    from accelreport.loader.load import load

    try:
        with file.open("x", encoding="utf-8") as opened:
            opened.write(text)
    except OSError as error:
        raise unwritable(file, error) from error
    try:
        load([file])
    except AccelReportError:
        file.unlink()
        raise


STEPS = 200
"""Fewest steps of a first training, so that enough of them are steady."""

MOST_EPOCHS = 100
"""Most epochs of a first training."""

UNKNOWN_EPOCHS = 20
"""Epochs over data that only code loads, whose number of examples is not known: with 300 examples
these are some 80 steps, which leaves steady ones after the warm-up."""


def own_workload(model: str, data: str, folder: Path) -> dict[str, Any]:
    """Keys of `[workload]` for a model and data of the user's own.

    Args:
        model: a function of a Python file, what Keras wrote, or a name of `keras.applications`.
        data: a file, a folder, a function, or a data set of the catalogue; empty for random numbers
            of the model's shape.
        folder: of the spec; paths are looked for there, then in the working folder.

    Raises:
        UsageError: there is no such file, or its kind is unknown.
        DataError: the data cannot be read.
    """
    from accelreport.datasets.catalogue import CATALOGUE
    from accelreport.workloads.own_model import APPLICATIONS, named_code

    keys: dict[str, Any] = {}
    if model in APPLICATIONS:
        keys["application"] = model
    else:
        keys["model"] = _model(model, folder)
    if not data:
        return keys | {"data": "synthetic"}
    if data in CATALOGUE:
        return keys | {"dataset": data}
    named = named_code(data)
    if named is not None:
        file, function = named
        shown = f"{_beside(file, folder)[1]}:{function or 'load'}"
        return keys | {"data": shown, "epochs": UNKNOWN_EPOCHS}
    from accelreport.datasets.own_reading import proposed

    place, shown = _beside(data, folder)
    shown += "/" if place.is_dir() and not shown.endswith("/") else ""
    proposal, examples = proposed(place, shown)
    text = "" if model in APPLICATIONS else _text_of(model, folder)
    if "divide_by" in proposal and RESCALES.search(text or model):
        proposal = {key: value for key, value in proposal.items() if key != "divide_by"}
    if "image_size" in proposal and (shape := IMAGE_INPUT.search(text)):
        grey = {"color_mode": "grayscale"} if shape[3] == "1" else {}
        proposal = {**proposal, "image_size": [int(shape[1]), int(shape[2])], **grey}
    steps = max(1, int(0.8 * examples) // 64)
    epochs = min(MOST_EPOCHS, max(5, -(-STEPS // steps)))
    return keys | {"data": shown} | dict(proposal) | {"epochs": epochs}


RESCALES = re.compile(
    r"Rescaling|(?<![A-Za-z])Normalization\b|preprocess_input|/=?\s*255|\b1\.?0?\s*/\s*255"
    r"|EfficientNet|MobileNetV3|ConvNeXt|RegNet|ResNetRS"
)
"""What is written in a model, or names one, that brings pixels to its own range."""


IMAGE_INPUT = re.compile(r'"batch_shape":\s*\[null,\s*(\d+),\s*(\d+),\s*([13])\]')
"""Height, width and channels of the first input in what Keras wrote."""


def _text_of(model: str, folder: Path) -> str:
    """What is written in the file of a model."""
    from accelreport.workloads.keras_document import document_of
    from accelreport.workloads.own_model import DOCUMENTS, named_code

    code = named_code(model)
    place = _beside(code[0] if code else model, folder)[0]
    is_document = model.endswith(DOCUMENTS)
    return document_of(place, "model") if is_document else place.read_text(errors="replace")


def _model(model: str, folder: Path) -> str:
    """The value of the key `model`, with its path relative to the spec's folder."""
    from accelreport.workloads.own_model import DOCUMENTS, named_code

    if model.endswith(DOCUMENTS):
        return _beside(model, folder)[1]
    named = named_code(model)
    if named is None:
        raise UsageError(
            f"{model} is no model.",
            remedy="Name a function of a Python file (model.py:build), what Keras wrote "
            "(net.keras, net.json), or an application of Keras' such as MobileNetV2.",
        )
    file, function = named
    place, shown = _beside(file, folder)
    return f"{shown}:{function or _only_function(place)}"


def _only_function(place: Path) -> str:
    """The function of a file that builds the model: the only one, or `build`."""
    try:
        body = ast.parse(place.read_bytes()).body
    except (SyntaxError, ValueError, OSError):
        return "build"  # reading the spec reports what is wrong with the file
    names = [node.name for node in body if isinstance(node, ast.FunctionDef)]
    return names[0] if len(names) == 1 else "build"


def _beside(path: str, folder: Path) -> tuple[Path, str]:
    """A file, looked for in the spec's folder and the working folder, and its path in the spec.

    Raises:
        UsageError: there is no such file.
    """
    from accelreport.datasets.cache import is_file_or_folder, misspelt

    known = [folder / path, Path(path)]
    place = next(filter(is_file_or_folder, known), None)
    if place is None:
        looked = " and ".join(dict.fromkeys(str(candidate) for candidate in known))
        remedy = next(filter(None, map(misspelt, known)), "").strip()
        raise UsageError(f"There is no {path}.", why=f"Looked for {looked}.", remedy=remedy)
    if Path(path).is_absolute():
        return place, path
    return place, Path(os.path.relpath(place.absolute(), folder.absolute())).as_posix()
