"""Cuts the samples that travel with the package from the published files, and says from which.

    python scripts/cut_samples.py                 # from the data folder, into the package
    python scripts/cut_samples.py --out FOLDER    # elsewhere, to compare

Every file keeps the form of the one that it was cut from, so that the same reader reads both. What
is kept is a rule and no choice: the first images, every seventh window, the whole text, one year.
Run again over the same files, with the same zlib and lzma, it writes the same bytes.

Data sets whose licence does not say that they may be passed on have no sample.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from accelreport.datasets import beijing, uci_har
from accelreport.datasets.archives import ZipArchive
from accelreport.datasets.cache import FOLDER, MANIFEST, PACKED, Contents, read_entry
from accelreport.datasets.catalogue import BUILT_IN
from accelreport.datasets.entry import CatalogueEntry
from accelreport.datasets.mnist import read_idx, write_idx

TRAIN_IMAGES = 4096
VALIDATION_IMAGES = 1024
EVERY_WINDOW = 7
DECIMALS = 3
YEAR = 2014
REBUILT = {
    "9fc8a81389fb22241890544ae4d538a3fec41c0c981540c25615b54f98b67b29": (
        "cut from windows made anew from the raw recordings of the same 30 volunteers, "
        "not from the published archive"
    )
}
"""What is known of files that stand in for the published ones, by their checksum."""

_EPOCH = (1980, 1, 1, 0, 0, 0)
_MIT = """\
Copyright © 2017 Zalando SE, https://tech.zalando.com

Permission is hereby granted, free of charge, to any person obtaining a copy of this software
and associated documentation files (the "Software"), to deal in the Software without
restriction, including without limitation the rights to use, copy, modify, merge, publish,
distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the
Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or
substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING
BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM,
DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
"""


@dataclass(frozen=True)
class Cut:
    """What was cut from a data set.

    Attributes:
        kept: how much of it, in words.
        files: place below the data folder → bytes, in the order of the catalogue.
    """

    kept: str
    files: Mapping[str, bytes]


def cut_images(entry: CatalogueEntry, files: list[Contents]) -> Cut:
    """The first images of both parts; the published order is a random one."""
    arrays = [read_idx(file.data) for file in files]
    counts = (TRAIN_IMAGES, TRAIN_IMAGES, VALIDATION_IMAGES, VALIDATION_IMAGES)
    shorter = [array[:count] for array, count in zip(arrays, counts, strict=True)]
    kept = (
        f"the first {len(shorter[0]):,} of {len(arrays[0]):,} images for training, "
        f"{len(shorter[2]):,} of {len(arrays[2]):,} for validation"
    )
    return Cut(
        kept,
        {file.path: write_idx(array) for file, array in zip(entry.files, shorter, strict=True)},
    )


def cut_windows(entry: CatalogueEntry, files: list[Contents]) -> Cut:
    """Every seventh window of both parts, so that no two overlap and every person stays in."""
    whole = uci_har.read(entry, files, None)
    texts = {
        "activity_labels.txt": "".join(
            f"{number} {name}\n" for number, name in enumerate(whole.classes, start=1)
        )
    }
    said = []
    for part, arrays, purpose in (
        ("train", whole.train, "training"),
        ("test", whole.validation, "validation"),
    ):
        x, y = arrays["x"][::EVERY_WINDOW], arrays["y"][::EVERY_WINDOW]
        texts[f"{part}/y_{part}.txt"] = "".join(f"{label + 1}\n" for label in y.tolist())
        for number, signal in enumerate(uci_har.SIGNALS):
            rows = "\n".join(
                " ".join(f"{value:.{DECIMALS}f}" for value in row)
                for row in x[:, :, number].tolist()
            )
            texts[f"{part}/Inertial Signals/{signal}_{part}.txt"] = rows + "\n"
        said.append(f"{len(y):,} of {len(arrays['y']):,} for {purpose}")
    kept = f"every seventh window: {', '.join(said)}; signals rounded to {DECIMALS} decimals"
    if files[0].sha256 in REBUILT:
        kept += f"; {REBUILT[files[0].sha256]}"
    return Cut(kept, {entry.files[0].instead[0].path: _zip(texts)})


def _zip(texts: Mapping[str, str]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_LZMA) as archive:
        for name, text in texts.items():
            member = zipfile.ZipInfo(f"UCI HAR Dataset/{name}", _EPOCH)
            member.compress_type = zipfile.ZIP_LZMA
            member.create_system = 3
            archive.writestr(member, text)
    return stream.getvalue()


def cut_text(entry: CatalogueEntry, files: list[Contents]) -> Cut:
    """The whole text, which is small enough."""
    (file,) = files
    return Cut(
        f"the whole text of {len(file.data):,} characters",
        {entry.files[0].path: file.data},
    )


def cut_year(entry: CatalogueEntry, files: list[Contents]) -> Cut:
    """One year of hours; every line as it is published."""
    (file,) = files
    packed = file.path.suffix == ".zip"
    data = ZipArchive(file.data).read(beijing.MEMBER, beijing.LIMIT) if packed else file.data
    head, *lines = data.splitlines(keepends=True)
    years = pd.read_csv(io.BytesIO(data), usecols=["year"])["year"].to_numpy()
    year = years[np.flatnonzero(years == YEAR)[0]] if YEAR in years else years[-1]
    rows = [line for line, of in zip(lines, years, strict=True) if of == year]
    kept = f"{len(rows):,} of {len(lines):,} hours: the year {year}"
    return Cut(kept, {entry.files[0].instead[0].path: head + b"".join(rows)})


CUTS: dict[str, Callable[[CatalogueEntry, list[Contents]], Cut]] = {
    "mnist": cut_images,
    "fashion_mnist": cut_images,
    "uci_har": cut_windows,
    "shakespeare": cut_text,
    "beijing_pm25": cut_year,
}
"""The data sets that anybody may pass on, and how each is cut."""


def write_samples(out: Path) -> None:
    """Write every sample below a folder, with the manifest and the licences."""
    manifest = {}
    for name, cut in CUTS.items():
        entry = BUILT_IN[name]
        sources = read_entry(entry)
        found = cut(entry, sources)
        for path, data in found.files.items():
            place = out / path
            place.parent.mkdir(parents=True, exist_ok=True)
            if place.suffix in {".txt", ".csv"}:
                place = place.with_name(place.name + PACKED)
                data = gzip.compress(data, compresslevel=9, mtime=0)
            place.write_bytes(data)
        manifest[entry.name] = {
            "title": entry.title,
            "kept": found.kept,
            "licence": entry.licence,
            "citation": entry.citation,
            "homepage": entry.homepage,
            "files": [
                _said(out, path, file) for path, file in zip(found.files, sources, strict=True)
            ],
        }
    text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
    (out / MANIFEST).write_text(text, encoding="utf-8")
    (out / "NOTICE.md").write_text(_notice(manifest), encoding="utf-8")


def _said(out: Path, path: str, source: Contents) -> dict[str, object]:
    place = out / path if (out / path).is_file() else out / (path + PACKED)
    return {
        "path": path,
        "sha256": hashlib.sha256(place.read_bytes()).hexdigest(),
        "cut_from": {
            "name": source.path.name,
            "sha256": source.sha256,
            "official": source.official,
        },
    }


def _notice(manifest: Mapping[str, Mapping[str, object]]) -> str:
    lines = [
        "# Samples of real data sets",
        "",
        "Cut from published data sets by `scripts/cut_samples.py`, and passed on under each data",
        "set's own licence, not under that of accelreport. `samples.json` holds the checksum of",
        "each file, and of the one that it was cut from.",
    ]
    for name, sample in manifest.items():
        lines += ["", f"## {name}", ""]
        lines += [f"- Licence: {sample['licence']}", f"- Cite: {sample['citation']}"]
        lines += [f"- From: {sample['homepage']}", f"- Changed: kept is {sample['kept']}."]
    lines += ["", "## The licence of Fashion-MNIST", "", _MIT]
    return "\n".join(lines)


def main() -> None:
    """Cut all of them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=FOLDER, help="where they are written")
    write_samples(parser.parse_args().out)


if __name__ == "__main__":
    main()
