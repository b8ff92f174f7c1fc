"""Published figures beside measured ones, in words and as a table of files."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import Any

import pandas as pd

from accelreport.analysis.published import Changed, Contradiction, PublishedResult
from accelreport.report.claim_text import duration_text
from accelreport.report.frames import why_withheld
from accelreport.spec.claims import AS_WRITTEN, Names
from accelreport.spec.models import Source

COLUMNS = (
    "device",
    "label",
    "where",
    "point",
    "machine",
    "figure",
    "published",
    "measured",
    "low",
    "high",
    "n",
    "ratio",
    "over",
    "comparable",
    "mark",
    "note",
    "caveat",
    "flags",
    "source",
    "source_url",
    "imported",
)
"""Columns of `published_frame`."""


def published_frame(found: Sequence[PublishedResult]) -> pd.DataFrame:
    """One row for each published figure, sweep point it speaks of, and machine: `COLUMNS`."""
    return pd.DataFrame([_row(each) for each in found], columns=list(COLUMNS))


def _row(found: PublishedResult) -> dict[str, Any]:
    return {
        "device": found.row.device,
        "label": found.row.label,
        "where": dict(found.row.where),
        "point": dict(found.point),
        "machine": found.machine,
        "figure": found.figure,
        "published": found.value,
        "measured": found.measured.value,
        "low": found.measured.low,
        "high": found.measured.high,
        "n": found.measured.n,
        "ratio": found.ratio,
        "over": found.over,
        "comparable": found.comparable,
        "mark": found.row.mark,
        "note": found.row.note,
        "caveat": caveat(found),
        "flags": tuple(map(flag_text, found.flags)),
        "source": citation(found.source),
        "source_url": found.source.url if found.source else "",
        "imported": found.row.imported,
    }


def caveat(found: PublishedResult, names: Names = AS_WRITTEN) -> str:
    """What makes the measured side unlike the published one, in words; empty where nothing does."""
    said = []
    if isnan(found.validation):
        said.append("the published time includes validation, the measured one does not")
    elif found.validation > 1:
        said.append("measured with the validation after each epoch, as published")
    if found.extrapolated:
        said.append("extrapolated from the steady steps")
    if found.stand_in:
        read = "a sample of" if found.stand_in == "sample" else "a synthetic stand-in for"
        said.append(f"measured on {read} the data")
    told = [each for each in found.changed if each.key != "data"]
    if told:
        said.append(f"measured with {', '.join(_told(each, names) for each in told)}")
    if found.per_step:
        said.append("compared by the time of a step")
    elif told and isnan(found.ratio) and found.measured.n:
        said.append("not divided, since that changes it")
    if found.withheld:
        said.append(f"withheld: {why_withheld(found.withheld, found.over)}")
    return "; ".join(said)


def _told(changed: Changed, names: Names) -> str:
    instead = "" if changed.theirs is None else f" instead of {names.value(changed.theirs)}"
    return f"{names.axis(changed.key)} {names.value(changed.ours)}{instead}"


def citation(source: Source | None) -> str:
    """A source in a line: "Title (authors, year); licence; read 2026-05-31"; empty without one."""
    if source is None:
        return ""
    by = ", ".join(part for part in (source.authors, str(source.year or "")) if part)
    read = f"read {source.accessed}" if source.accessed else ""
    parts = (f"{source.title} ({by})" if by else source.title, source.licence, read)
    return "; ".join(part for part in parts if part)


def flag_text(found: Contradiction) -> str:
    """What about a published figure cannot be right, as a sentence."""
    printed, other, count = found.printed, found.other, found.count
    match found.kind:
        case "above-peak":
            source = f" ({found.source})" if found.source else ""
            rate = f"{printed:g} TFLOPS is"
            if not isnan(count):
                rate = (
                    f"a step of {duration_text(count)} is at least {printed:.3g} TFLOPS, which is"
                )
            chip = f" of a chip that is inferred ({found.inferred})" if found.inferred else ""
            return (
                f"{rate} {printed / other:.2g} times the peak{chip} of {other:g} TFLOPS "
                f"in {found.of}{source}"
            )
        case "not-of-epochs" | "not-of-samples":
            parts = found.kind.removeprefix("not-of-")
            counted = f"{count:,.0f}" if parts == "samples" else f"{count}"
            return (
                f"a total of {duration_text(printed)} does not fit {counted} {parts}: they take "
                f"{duration_text(other)}"
            )
        case "step-is-a-sample":
            return (
                f"what the source calls a step ({duration_text(printed)}) is the time of a sample: "
                f"{count:,.0f} of them make its epoch of {duration_text(other)}"
            )
        case "steps-unlike-epoch":
            steps = f"{count:,.0f} steps of {duration_text(printed)}"
            return f"{steps} do not make an epoch of {duration_text(other)}"
        case "samples-unlike-epoch":
            sample, whole = duration_text(printed), duration_text(printed * count)
            return (
                f"{count:,.0f} samples of {sample} take {whole}, "
                f"not an epoch of {duration_text(other)}"
            )
        case "speedup-unlike-times":
            return (
                f"a speedup of {printed:g} does not follow from the source's own "
                f"{found.of.replace('_', ' ')}, which gives {other:.3g}"
            )
