"""Predictions of one run, wrong ones first, as small pictures."""

from __future__ import annotations

import base64
import struct
import zlib

from accelreport.report import formatting
from accelreport.report.bench import Bench
from accelreport.report.model import Badge, Gallery, Picture, Section
from accelreport.report.pages.marks import origin_badges
from accelreport.report.pages.runs import Run, first_run
from accelreport.report.text import label
from accelreport.results.record import Sample

LARGEST = 512
"""Rows or columns of a picture; larger ones are left out."""
MOST = 168
"""Pictures on a page."""


def samples_section(bench: Bench) -> Section | None:
    """The section; None where no run kept predictions."""
    run = first_run(bench, lambda record: bool(record.samples))
    if run is None:
        return None
    record = run.record
    ordered = sorted(record.samples, key=lambda each: (each.true == each.predicted, each.index))
    shown = ordered[:MOST]
    wrong = sum(each.true != each.predicted for each in record.samples)
    rule = (
        f"From {run.name}: {len(shown)} of {formatting.plural(len(record.samples), 'prediction')} "
        f"kept by the run, wrong ones first, then in the order of the evaluation data; {wrong} "
        "are wrong. They are chosen to show errors, so their share says nothing about accuracy. "
        "Under each picture the true label (✗: true → predicted) and the probability given to "
        "the prediction."
    )
    gallery = Gallery(tuple(_picture(each) for each in shown), rule, _badges(run), run.href)
    return Section("samples", "Predictions, wrong ones first", (gallery,))


def _badges(run: Run) -> tuple[Badge, ...]:
    origin = run.record.data.origin if run.record.data else ""
    return tuple(origin_badges([origin]))


def _picture(sample: Sample) -> Picture:
    source, width, height = "", 0, 0
    pixels = _pixels(sample)
    if pixels is not None:
        height, width = sample.shape[0], sample.shape[1]
        source = "data:image/png;base64," + base64.b64encode(grey_png(pixels, width)).decode()
    return Picture(
        source=source,
        width=width,
        height=height,
        true=label(sample.true, 30),
        predicted=label(sample.predicted, 30),
        probability=formatting.percent(sample.probability, 1),
        wrong=sample.true != sample.predicted,
    )


def _pixels(sample: Sample) -> bytes | None:
    """The bytes of a picture; None where there is none or it is not what it says."""
    if len(sample.shape) != 2 or not all(0 < side <= LARGEST for side in sample.shape):
        return None
    try:
        pixels = base64.b64decode(sample.pixels, validate=True)
    except ValueError:
        return None
    return pixels if len(pixels) == sample.shape[0] * sample.shape[1] else None


def grey_png(pixels: bytes, width: int) -> bytes:
    """A grey 8-bit PNG of pixels given row by row (the format of RFC 2083)."""
    height = len(pixels) // width
    lines = b"".join(b"\0" + pixels[row * width : (row + 1) * width] for row in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in chunks)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
