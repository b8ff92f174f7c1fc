"""The hero of a trained network in use: eight bits beside float32, and every seed's difference."""

from __future__ import annotations

import numpy as np

from accelreport.report import formatting
from accelreport.report.heroes.hero import Hero
from accelreport.report.heroes.rates import claims_number, kicker, origins_of, stand_in
from accelreport.report.model import LargeNumber
from accelreport.report.pages.sections.deployment import EightBits, eight_bits
from accelreport.report.text import label, sentence
from accelreport.report.view import BenchmarkView, median


def deployment_hero(bench: BenchmarkView) -> Hero | None:
    """The hero; None where no trained network was made 8-bit."""
    found = eight_bits(bench)
    if found is None:
        return None
    figures = found.figures()
    # Only what it says last, of the accuracy, depends on the data.
    on = stand_in(origins_of(bench))
    title = f"{found.title} on a {on}" if on else found.title
    first = found.runs[0].record.quantised
    method = f"{sentence(label(first.method, 120))}, {first.threads} thread. " if first else ""
    return Hero(
        kicker=kicker(bench),
        title=title,
        answer=found.answer,
        figures=figures,
        note=f"{method}Bars: medians over seeds.",
        numbers=_numbers(bench, found),
        thumbnail=figures[0],
        sentence=f"{title}.",
        findings=(title, found.change),
    )


def _numbers(bench: BenchmarkView, found: EightBits) -> tuple[LargeNumber, ...]:
    numbers = []
    served = [run.record.served for run in found.runs if run.record.served]
    if served and served[0].latency_s:
        seconds = median([float(np.median(each.latency_s)) for each in served])
        text = "one answer over HTTP, from a process of its own"
        numbers.append(LargeNumber(formatting.duration(seconds), text))
        same = [each.same_class for each in served if each.same_class is not None]
        if same:
            text = f"of {formatting.count(served[0].examples)} served answers name the same class"
            numbers.append(LargeNumber(formatting.percent(min(same), 1), text))
    saved = [run.record.weights for run in found.runs if run.record.weights]
    if saved:
        largest = formatting.tiny(max(each.max_difference for each in saved))
        numbers.append(
            LargeNumber(largest, "largest difference of an answer after saving and loading weights")
        )
    claims = claims_number(bench)
    return (*numbers, *([claims] if claims else []))
