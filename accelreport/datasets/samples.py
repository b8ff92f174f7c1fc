"""Samples of real data sets, which travel with the package and need no network.

Each is cut from the published files by `scripts/cut_samples.py` and keeps their form, so that the
data set's own module reads it. `sample_files/samples.json` says how much was kept, under which
licence it is passed on, and the checksums of what was cut and of what it was cut from.
"""

from __future__ import annotations

import functools
import gzip
import hashlib
from pathlib import Path

from pydantic import BaseModel, ConfigDict, TypeAdapter

from accelreport.datasets.cache import Contents
from accelreport.datasets.entry import CatalogueEntry
from accelreport.datasets.errors import DataCorrupt, DataUnavailable

FOLDER = Path(__file__).parent / "sample_files"
"""Where they lie, at the places that they would have below the data folder."""

MANIFEST = "samples.json"
"""The file that describes them."""

PACKED = ".gz"
"""What a text's name ends in here and not where it is published."""

_REMEDY = "Install accelreport anew, or use `--data synthetic`."


class _Document(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class CutFrom(_Document):
    """The file that a sample was cut from."""

    name: str
    """Its name."""
    sha256: str
    """Its checksum."""
    official: bool
    """Whether that is the checksum of the published file."""


class SampleFile(_Document):
    """One file of a sample."""

    path: str
    """Place below the data folder of the file that it stands for, with forward slashes."""
    sha256: str
    """Checksum of the file as it lies here."""
    cut_from: CutFrom
    """What it was cut from."""


class DataSample(_Document):
    """A sample of one data set."""

    title: str
    """What the report calls the data set."""
    kept: str
    """How much of the data set it is, in words."""
    licence: str
    """The terms under which it is passed on."""
    citation: str
    """How to cite the data set."""
    homepage: str
    """Where the data set is described."""
    files: tuple[SampleFile, ...]
    """Its files, in the order of the catalogue's."""


_SAMPLES = TypeAdapter(dict[str, DataSample])


@functools.cache
def samples() -> dict[str, DataSample]:
    """The samples that travel with this package, by the name of the data set."""
    return _SAMPLES.validate_json((FOLDER / MANIFEST).read_bytes())


def sample_of(entry: CatalogueEntry, path: str = "") -> DataSample:
    """The sample of a data set.

    Args:
        entry: the data set.
        path: for one without published files, the person's own file: a sample stands for it when
            it was cut from the file of that place.

    Raises:
        DataUnavailable: when there is none.
    """
    own = [each for each in samples().values() if path in {file.path for file in each.files}]
    found = own[0] if own else samples().get(entry.name)
    if found is None:
        raise DataUnavailable(
            f"There is no sample of {path or entry.name}.",
            why=f"Samples travel with accelreport of {', '.join(samples())}; the licences of other "
            "data sets do not say that they may be passed on.",
            remedy="Use `--data synthetic` for a stand-in of the same shapes"
            + (f", or run `accelreport data fetch {entry.name}`." if entry.files else "."),
        )
    return found


def read_sample(sample: DataSample) -> list[Contents]:
    """Read a sample's files, in the order of the catalogue's.

    Raises:
        DataCorrupt: when a file is not the one that was shipped.
    """
    return [_read(file) for file in sample.files]


def _read(file: SampleFile) -> Contents:
    path = FOLDER / file.path
    place = path if path.is_file() else path.with_name(path.name + PACKED)
    try:
        data = place.read_bytes()
    except OSError as error:
        raise DataCorrupt(place, f"{error.strerror or error}.", remedy=_REMEDY) from error
    sha256 = hashlib.sha256(data).hexdigest()
    if sha256 != file.sha256:
        raise DataCorrupt(place, "It is not the sample that was shipped.", remedy=_REMEDY)
    whole = data if place == path else gzip.decompress(data)
    return Contents(path, whole, sha256, official=False, remedy=_REMEDY)
