"""Shakespeare's works as characters, for models that predict the next one."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from accelreport.datasets import parts, stand_in
from accelreport.datasets.cache import Contents
from accelreport.datasets.entry import CatalogueEntry
from accelreport.datasets.parts import Parts

CHARACTERS = 256
"""Characters that are kept: those whose code point is below this."""

LENGTHS = {"shakespeare": 1_115_394, "shakespeare_gutenberg": 5_500_000}
"""Characters of the published text (about, for the one without a checksum)."""

_SHORTEST = 1000


class Options(parts.Options):
    """How the text is divided."""

    validation_share: Annotated[float, Field(gt=0, lt=1)] = 0.1
    """Share of the text, at its end, that validates."""


def read(entry: CatalogueEntry, files: list[Contents], options: Options) -> Parts:  # noqa: ARG001
    """Read the text; characters beyond the first 256 code points are left out.

    Returns:
        `text` uint8 [T], code points, of both parts.

    Raises:
        DataCorrupt: when it is not UTF-8, or is too short to learn from.
    """
    (file,) = files
    try:
        text = file.data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise file.corrupt(f"It is not UTF-8 text ({error.reason} at {error.start}).") from error
    kept = text.encode("latin-1", errors="ignore")
    if len(kept) < _SHORTEST:
        raise file.corrupt(f"It holds {len(kept):,} characters; {_SHORTEST:,} are needed.")
    left_out = len(text) - len(kept)
    note = f"{left_out:,} characters beyond code point 255 are left out." if left_out else ""
    return _divide(np.frombuffer(kept, np.uint8), options, note)


def synthetic(entry: CatalogueEntry, seed: int, options: Options) -> Parts:
    """Write a text of made-up words, as long as the published one.

    Returns:
        `text` uint8 [T], code points, of both parts.
    """
    note = f"A learnable stand-in of made-up words, not {entry.title}."
    return _divide(stand_in.text(LENGTHS[entry.name], seed), options, note)


def _divide(text: NDArray[np.uint8], options: Options, note: str) -> Parts:
    border = len(text) - max(1, round(len(text) * options.validation_share))
    return Parts(
        train={"text": text[:border]},
        validation={"text": text[border:]},
        note=note,
        details={"vocabulary": CHARACTERS},
    )
