"""The formats that are read, by the names that `--format` knows."""

from __future__ import annotations

from accelreport.importing.figures import Figures
from accelreport.importing.keras_history import KerasHistory
from accelreport.importing.mlperf import MLPerfInference, MLPerfTraining
from accelreport.importing.optimum import OptimumBenchmark
from accelreport.importing.reader import FormatReader, Given, NotAsked, Unreadable

FORMATS: dict[str, FormatReader] = {
    "figures": Figures(),
    "mlperf-training": MLPerfTraining(),
    "mlperf-inference": MLPerfInference(),
    "optimum-benchmark": OptimumBenchmark(),
    "keras": KerasHistory(),
}
"""Readers by name."""


def reader_of(given: Given, name: str = "") -> FormatReader:
    """The reader of a file.

    Args:
        given: the file.
        name: the format, where the person names it; else it is known by its content.

    Raises:
        NotAsked: there is no such format, or several are possible.
        Unreadable: the content is of no format that is known.
    """
    if name and name not in FORMATS:
        message = f"There is no format {name!r}."
        raise NotAsked(message, remedy=f"Choose one of {', '.join(FORMATS)}.")
    if name:
        return FORMATS[name]
    known = {name: reader for name, reader in FORMATS.items() if reader.recognises(given)}
    if len(known) > 1:
        message = f"{given.name} may be of several formats: {', '.join(known)}."
        raise NotAsked(message, remedy="Say which: --format NAME")
    if not known:
        raise Unreadable(
            f"{given.name} is in no format that is known here.",
            why="Known are " + "; ".join(reader.title for reader in FORMATS.values()) + ".",
            remedy="Write the figures as CSV, with columns such as label, batch_size, epoch_time.",
        )
    return next(iter(known.values()))
