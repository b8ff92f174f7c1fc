"""Every leading text of a report, with the finding behind it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from accelreport.analysis.findings import Finding
from accelreport.report import quantity
from accelreport.report.front import FrontSpeaker, front_findings
from accelreport.report.openings.registry import opening_of
from accelreport.report.pages.index import MOST_FINDINGS, index_page
from accelreport.report.pages.overview import Overview
from accelreport.report.say import Speaker, provenance_text
from accelreport.report.slides.benchmark import slides_page
from accelreport.report.slides.site import deck_page
from accelreport.report.view import BenchmarkView
from accelreport.spec.models import Talk

INDENT = "    "
OTHERS = {
    "claims": "the verdicts of claims",
    "run": "the layers of the largest network",
    "takeaway": "how much the deck is of; its sentences are the titles above",
}
"""What the title of a slide comes from if it is not a finding, by the id of the slide."""


def explained(benches: Sequence[BenchmarkView], title: str, talk: Talk) -> Iterator[str]:
    """Lines for a terminal: each text, followed by its findings.

    Args:
        benches: every benchmark.
        title: the site's name.
        talk: titles of slides that the user chose.
    """
    view = Overview(benches)
    front = FrontSpeaker(view)
    source: dict[str, str] = {}
    yield "index.html"
    for place, finding in enumerate(front_findings(view)[:MOST_FINDINGS]):
        speakers = [Speaker(shown.bench) for shown in finding.shown]
        text = finding_text(finding.finding, speakers)
        source[front.title(finding)] = text
        yield from _line("subtitle" if place else "headline", front.title(finding), text)
        if not place and (answer := front.answer(finding)):
            yield from _line("subtitle", answer, text)
    for bench in benches:
        yield from _of_benchmark(bench, source, talk)
    yield "slides.html"
    for slide in deck_page(benches, index_page(benches, title, ()), talk).sections:
        yield from _line("slide", slide.title, source.get(slide.title, _other(slide.id)))


def _of_benchmark(bench: BenchmarkView, source: dict[str, str], talk: Talk) -> Iterator[str]:
    """The texts of a benchmark; `source` takes the finding of each title."""
    opening, speaker = opening_of(bench), Speaker(bench)

    def text(finding: Finding) -> str:
        return finding_text(finding, [speaker] * len(finding.values))

    every = (*bench.findings, *(scene.finding for scene in opening.scenes))
    source |= {speaker.title(finding): text(finding) for finding in reversed(every)}
    yield f"{bench.slug}.html"
    yield from _line("headline and card", opening.title, text(opening.finding))
    yield from _line("subtitle", opening.answer, *map(text, opening.answered))
    for finding, number in opening.large:
        yield from _line("large number", f"{number.value}: {number.text}", text(finding))
    if not opening.unmeasured:
        yield f"{bench.slug}.slides.html"
        for slide in slides_page(bench, index_page([bench], "", ()), talk).sections:
            yield from _line("slide", slide.title, source.get(slide.title, _other(slide.id)))


def _other(slide: str) -> str:
    return OTHERS.get(slide, "a title that was chosen for the talk")


def _line(what: str, text: str, *sources: str) -> Iterator[str]:
    if text:
        yield f"  {what}: {text}"
        yield from (f"{INDENT}{source}" for source in sources)


def finding_text(finding: Finding, speakers: Sequence[Speaker]) -> str:
    """Kind and base, and for each value its verdict, number of processes and caveats.

    Args:
        finding: the finding.
        speakers: of the benchmark of each of its values, in the same order.
    """
    pairs = [*zip(finding.values, speakers, strict=True)]
    over = [
        speaker.name(value.over)
        if speaker.name(value.over) != speaker.name(value.of)
        # A gain has the same device at the first value of the sweep as its base.
        else f"the same device{speaker.at(value.over)}"
        for value, speaker in pairs
        if value.over
    ]
    over += [pairs[0][1].name(finding.base.of)] if finding.base else []
    parts = [str(finding.kind)]
    if over:
        parts.append(f"base {quantity.listed(list(dict.fromkeys(over)))}")
    if finding.comparisons > 1:
        parts.append(f"{finding.comparisons} comparisons together")
    for value, speaker in pairs:
        number = speaker.with_interval(f"{speaker.name(value.of)}{speaker.at(value.of)}:", value)
        verdict = [str(value.verdict)] if value.verdict else []
        parts.append(", ".join([number, *verdict, provenance_text(value), *sorted(value.caveats)]))
    return f"[{'; '.join(parts)}]"
