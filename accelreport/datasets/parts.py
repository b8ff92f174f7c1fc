"""What the module of a data set gives to `load`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from accelreport.datasets.cache import Contents
from accelreport.datasets.entry import CatalogueEntry


class Options(BaseModel):
    """Options of a data set; one without any uses this as it is."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, use_attribute_docstrings=True
    )


@dataclass(frozen=True)
class Parts:
    """Arrays of a data set and their description (see `Dataset`).

    `files` are those that the module itself read, in addition to the catalogue's.
    """

    train: Mapping[str, NDArray[Any]]
    validation: Mapping[str, NDArray[Any]]
    classes: tuple[str, ...] = ()
    note: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    files: tuple[Contents, ...] = ()


class DatasetModule(Protocol):
    """A data set's module."""

    Options: type[Options]
    """The options it takes."""

    def read(self, entry: CatalogueEntry, files: list[Contents], options: Any) -> Parts:
        """Parse the files, trusting nothing in them; raises `DataCorrupt`."""

    def synthetic(self, entry: CatalogueEntry, seed: int, options: Any) -> Parts:
        """Make a learnable stand-in of the same shapes, dtypes and class balance."""
