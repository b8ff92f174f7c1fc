"""Published figures beside measured ones, in words and as a table of files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from math import isnan

import pandas as pd

from accelreport.analysis.published import Changed, Contradiction, PublishedResult
from accelreport.report.frames import why_withheld
from accelreport.report.metrics import printed_text
from accelreport.report.quantity import duration
from accelreport.spec.claims import AS_WRITTEN, Names
from accelreport.spec.models import Source

COLUMNS: dict[str, Callable[[PublishedResult], object]] = {
    "device": lambda one: one.row.device,
    "label": lambda one: one.row.label,
    "where": lambda one: dict(one.row.where),
    "point": lambda one: dict(one.point),
    "machine": lambda one: one.machine,
    "figure": lambda one: one.figure,
    "published": lambda one: one.value,
    "measured": lambda one: one.measured.value,
    "low": lambda one: one.measured.low,
    "high": lambda one: one.measured.high,
    "n": lambda one: one.measured.n,
    "ratio": lambda one: one.ratio,
    "over": lambda one: one.over,
    "comparable": lambda one: one.comparable,
    "mark": lambda one: one.row.mark,
    "note": lambda one: one.row.note,
    "caveat": lambda one: caveat(one),
    "flags": lambda one: tuple(map(flag_text, one.flags)),
    "source": lambda one: citation(one.source),
    "source_url": lambda one: one.source.url if one.source else "",
    "imported": lambda one: one.row.imported,
}
"""Column of `published_frame` → its value for a figure."""


def published_frame(results: Iterable[PublishedResult]) -> pd.DataFrame:
    """One row for each published figure, sweep point it speaks of, and machine: `COLUMNS`."""
    rows = [{name: value(one) for name, value in COLUMNS.items()} for one in results]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def caveat(result: PublishedResult, names: Names = AS_WRITTEN) -> str:
    """What makes the measured side unlike the published one, in words; empty where nothing does."""
    parts = []
    if isnan(result.validation):
        parts.append("the published time includes validation, the measured one does not")
    elif result.validation > 1:
        parts.append("measured with the validation after each epoch, as published")
    if result.extrapolated:
        parts.append("extrapolated from the steady steps")
    if result.stand_in:
        read = "a sample of" if result.stand_in == "sample" else "a synthetic stand-in for"
        parts.append(f"measured on {read} the data")
    changes = [change for change in result.changed if change.key != "data"]
    if changes:
        parts.append(
            f"measured with {', '.join(_changed_text(change, names) for change in changes)}"
        )
    if result.per_step:
        parts.append("compared by the time of a step")
    elif changes and isnan(result.ratio) and result.measured.n:
        parts.append("not divided, since that changes it")
    if result.withheld:
        parts.append(f"withheld: {why_withheld(result.withheld, result.over)}")
    return "; ".join(parts)


def _changed_text(changed: Changed, names: Names) -> str:
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


seconds_text = partial(printed_text, "total_time")
"""Published seconds with their unit."""


def flag_text(flag: Contradiction) -> str:
    """What about a published figure cannot be right, as a sentence."""
    printed, other, count = flag.printed, flag.other, flag.count
    match flag.kind:
        case "above-peak":
            source = f" ({flag.source})" if flag.source else ""
            rate = f"{printed:g} TFLOPS is"
            if not isnan(count):
                rate = f"a step of {duration(count)} is at least {printed:.3g} TFLOPS, which is"
            chip = f" of a chip that is inferred ({flag.inferred})" if flag.inferred else ""
            return (
                f"{rate} {printed / other:.2g} times the peak{chip} of {other:g} TFLOPS "
                f"in {flag.of}{source}"
            )
        case "not-of-epochs" | "not-of-samples":
            parts = flag.kind.removeprefix("not-of-")
            counted = f"{count:,.0f}" if parts == "samples" else f"{count}"
            return (
                f"a total of {seconds_text(printed)} does not fit {counted} {parts}: they take "
                f"{duration(other)}"
            )
        case "step-is-a-sample":
            return (
                f"what the source calls a step ({seconds_text(printed)}) is the time of a sample: "
                f"{count:,.0f} of them make its epoch of {seconds_text(other)}"
            )
        case "steps-unlike-epoch":
            steps = f"{count:,.0f} steps of {seconds_text(printed)}"
            return f"{steps} do not make an epoch of {seconds_text(other)}"
        case "samples-unlike-epoch":
            sample, whole = seconds_text(printed), duration(printed * count)
            return (
                f"{count:,.0f} samples of {sample} take {whole}, "
                f"not an epoch of {seconds_text(other)}"
            )
        case "speedup-unlike-times":
            return (
                f"a speedup of {printed:g} does not follow from the source's own "
                f"{flag.of.replace('_', ' ')}, which gives {other:.3g}"
            )
