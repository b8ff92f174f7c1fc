"""What every surface says of edited examples, in which a careless sentence is false."""

from __future__ import annotations

import io
import json
import re
from dataclasses import dataclass
from functools import cache
from math import nan
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from accelreport.analysis.claims import ClaimState
from accelreport.analysis.findings import COMPARED, COMPARISONS, Kind
from accelreport.analysis.outcome import comparisons_of, outcome_of
from accelreport.report.claim_text import claims_frame, is_of
from accelreport.report.model import Entry, Figure, Links, Notes, Page, Table, Units
from accelreport.report.pages.benchmark import benchmark_page
from accelreport.report.pages.benchmarks import benchmarks_page
from accelreport.report.pages.ceilings import ceilings_page
from accelreport.report.pages.data import data_page
from accelreport.report.pages.index import index_page
from accelreport.report.site.assembly import gather
from accelreport.report.site.export import site_files
from accelreport.report.slides.benchmark import figure_slides, slides_page
from accelreport.report.slides.site import deck_page
from accelreport.report.view import BenchmarkView
from accelreport.results.store import Store
from accelreport.terminal.answer import answers
from tests.support.edited import EDITS, W, edited, write

FOLDERS = [*EDITS, W]


@dataclass(frozen=True)
class Surfaces:
    """What is said of a folder, and where.

    Attributes:
        benches: its benchmarks.
        front: the front page.
        pages: the pages of its benchmarks, by spec.
        decks: the slides of its benchmarks, by spec.
        deck: those of all.
        document: results.json.
        table: speedups.csv.
    """

    benches: list[BenchmarkView]
    front: Page
    pages: dict[str, Page]
    decks: dict[str, Page]
    deck: Page
    document: dict[str, Any]
    table: pd.DataFrame

    @property
    def titles(self) -> list[str]:
        """Headings, lines below them, slides and what is spoken with them."""
        pages = [self.front, *self.pages.values()]
        parts = [f"{page.headline or page.title}. {page.finding}" for page in pages]
        for deck in (self.deck, *self.decks.values()):
            for slide in deck.sections:
                spoken = slide.speech.spoken if slide.speech else ()
                parts += [slide.title, *spoken]
        parts += [f["title"] for each in self.document["benchmarks"] for f in each["findings"]]
        parts += [f"{link.number} {link.interval} {link.what}" for link in self.links]
        return [part.replace("\xa0", " ") for part in parts if part]

    @property
    def text(self) -> str:
        """All of them."""
        return "\n".join(self.titles)

    @property
    def links(self) -> list[Any]:
        """The list of benchmarks on the front page, with a number each."""
        blocks = (block for section in self.front.sections for block in section.blocks)
        return [item for block in blocks if isinstance(block, Links) for item in block.items]


@cache
def surfaces(name: str, *, quick: bool = False) -> Surfaces:
    """What is said of an edited folder."""
    benches = gather(edited(name, quick=quick))
    front = index_page(benches, "Site", ())
    pages = {bench.plan.spec: benchmark_page(bench) for bench in benches}
    decks = {bench.plan.spec: slides_page(bench, pages[bench.plan.spec]) for bench in benches}
    files = dict(site_files(benches))
    return Surfaces(
        benches, front, pages, decks, deck_page(benches, front),
        json.loads(files["results.json"]), pd.read_csv(io.StringIO(files["speedups.csv"])),
    )  # fmt: skip


FALSE = {
    "F1 another framework, in another precision": ("fwjax", r"bfloat16 (reaches|trains)|× "),
    "F2 equal precisions": ("fw_aa", r"bfloat16 (reaches|trains)"),
    "F4 the interval of another device": ("lat13", "over 1 process"),
    "a larger batch is answered faster": ("lat13", "predicts [0-9.]+× as fast as at"),
    "F8 nothing measured, because all failed": ("failed2", "none measured|[Rr]un .* first"),
    "F9 the roof of a refused record": ("nan", r"0\.0\d+ % of"),
    "F10 sweep points as workloads": ("gpusweep", "in 2 workloads"),
    "F11 the baseline alone has no time": ("nobase", "[Nn]o device has a time"),
    "M3 a published ratio of one run": (f"{W}+quick", "(?m)^The published .*fast(?!.* one run)"),
    "M9 mistakes of a part of a training": ("cut+quick", "^Fashion.*misclassified"),
    "M10 what was published as what was found": (f"{W}+quick", r"gains \d|exceed"),
    "M14 torch.compile": ("fw_aa", r"Torch\.compile|as fast as [^\n,]* in PyTorch(?!, within 3 %)"),
    "a refuted claim as a title": (W, r", refuted\."),
    "a capital within a sentence": (W, r"not decided \([A-Z][a-z]+ (thread|mode)"),
    "M15 a single run": ("one", r"images/s(?!.*in (one|single) (partial )?runs?)(?!.*one run)"),
}  # fmt: skip
"""Fault: the folder in which it would be seen, and its words."""


@pytest.mark.parametrize("fault", FALSE)
def test_no_surface_says_what_the_records_deny(fault: str) -> None:
    name, pattern = FALSE[fault]
    spec, _, quick = name.partition("+")
    for said in surfaces(spec, quick=bool(quick)).titles:
        assert not re.search(pattern, said), said


TRUE = {
    "F8 failures come first": ("failed2", "har_sweep", "All 36 cells that ran failed: out of"),
    "what is tried again": ("failed2", "", "har_sweep.toml --budget 1200s --retry-failed” tries"),
    "F11 why there is no ratio": ("nobase", "", "AMD EPYC, 2 threads is the baseline (not run)."),
    "F2 what is equal is undecided or the same": ("aa", "strategies", ", within 3 %"),
    "M14 within what it is the same": ("fw_aa", "frameworks", "in TensorFlow, within 3 %"),
    "M16 two processors of one name": (
        "processors", "strategies", "processor differs between pairs of runs: AVX-512 and"
    ),
    "processors of a machine": (W, "", "2 cores (AVX-512; AVX2)"),
    "which of several networks is drawn": (W, "har_sweep", "the largest of 12, 3,697,670 param"),
    "hosts of unlike speed": (W, "", "A core computed 87 to 264 GFLOPS"),
    "the processor of a heading": (W, "", "as fast as graph mode with XLA in TensorFlow on AVX2"),
    "which of two hosts is faster": ("twohosts", "", "0002 trains 2.0"),
    "each of two hosts is its own baseline": ("twohosts", "mnist_gorner", "'own baseline'"),
    "the largest comparison heads the front": ("gpusweep", "", "40GB trains 20× as fast as AMD "),
    "complete runs head the front": ("cut", "", "headline='float32 trains 3.2× as fast as bf"),
    "what the budget stopped in the first figure": ("cut", "", "faster, stopped by the budget"),
    "that runs were cut short": ("cut", "strategies", "n = 3, partial runs"),
    "which epochs the budget cut": ("cut", "strategies", "'not finished'"),
    "of how many steps": ("cut", "fashion_mnist", "term='Shortest run', value='1,125 of 1,500 st"),
    "one run of one seed": ("cut", "har_sample", "misclassified, seed 0, one partial run"),
    "the budget of a command": (W, "mnist_latency", "mnist_latency.toml --budget 600s --until"),
    "what a larger batch has more of": ("lat13", "mnist_latency", "predicts 21× as many images/s "),
    "what a ratio of rates is": (W, "mnist_latency", "throughput of batch size 1 (8–24×, n = 3)"),
    "of which sweep point a published share is": (W, "", "Colab GPU · kernel hard_sigmoid: 0.15 "),
}  # fmt: skip


@pytest.mark.parametrize("truth", TRUE)
def test_a_page_says_what_the_records_hold(truth: str) -> None:
    name, spec, words = TRUE[truth]
    name, _, quick = name.partition("+")
    found = surfaces(name, quick=bool(quick))
    every = [found.front, ceilings_page(found.benches)]
    shown = [found.pages[spec], found.decks[spec]] if spec else every
    said = "".join(map(repr, shown)).replace("\\xa0", " ")
    assert words in said


def test_each_slide_of_a_quick_profile_says_so() -> None:
    found = surfaces(W, quick=True)
    for deck in (found.deck, *found.decks.values()):
        shown = [*deck.sections, *filter(None, [deck.opening])]
        assert all("quick profile" in slide.finding for slide in shown)


def test_slides_of_the_site_have_the_heading_and_the_lines_of_their_pages() -> None:
    """A claim on rates with the same strong line, published lines, and bold rows of the title."""
    found = surfaces(W)
    slides = {b.plan.spec: slide for b in found.benches for _, slide in [*figure_slides(b)][:1]}
    figures = {name: slide.blocks[0] for name, slide in slides.items()}
    specs = {n: f.panels[0].wide.spec for n, f in figures.items() if isinstance(f, Figure)}
    page = found.pages["mnist_latency"]
    assert slides["mnist_latency"].title == page.decided
    inks = [
        {row["label"]: row["colour"] for rows in spec["datasets"].values() for row in rows
         if "aside" in row}
        for spec in (specs["mnist_latency"], page.figures[0].panels[0].wide.spec)
    ]  # fmt: skip
    assert inks[0] == inks[1]
    assert "Colab TPU" in str(specs["mnist_batch_sweep"])
    assert "AMD EPYC (" not in str(specs["mnist_batch_sweep"])
    rows = specs["har_strategies"]
    bold = [layer for layer in rows["layer"] if layer["mark"].get("fontWeight") == "bold"]
    names = {row["label"] for part in bold for row in rows["datasets"][part["data"]["name"]]}
    assert {"1 thread", "2 threads"} <= names
    assert not names & {"2 replicas", "2 workers"}
    (units,) = next(slide for slide in found.deck.sections if slide.id == "claims").blocks
    assert isinstance(units, Units)
    assert [row.detail for row in units.rows] == ["refuted", "confirmed"]
    assert all(int(row.title) == len(row.items) and 4 <= row.shown <= 6 for row in units.rows)


def test_notes_of_a_site_with_two_processors_name_that_of_each_slide() -> None:
    speeches = [slide.speech for slide in surfaces(W).deck.sections]
    own = [speech for speech in speeches if speech and "Its own slides" in repr(speech.sources)]
    assert own
    assert all(speech.sentences[-1].startswith("Measured on AMD EPYC") for speech in own)


def test_a_deck_of_failures_tries_them_again_with_their_budget() -> None:
    speech = surfaces("failed2").deck.sections[-1].speech
    assert speech
    (again,) = speech.sentences
    assert again.startswith("Commands: accelreport data fetch uci_har; ")
    assert "accelreport run specs/har_sweep.toml --budget 1200s --retry-failed; " in again


@pytest.mark.parametrize("name", FOLDERS)
@pytest.mark.parametrize("quick", [False, True], ids=["", "quick"])
def test_one_comparison_has_one_state_on_every_surface(name: str, quick: bool) -> None:
    """F2, F7: page, front page, CSV and JSON agree, and nothing is decided of one or two runs."""
    found = surfaces(name, quick=quick)
    known: dict[tuple[object, ...], str] = {}
    for bench in found.benches:
        for row in bench.compared:
            place = bench.plan.spec, row.device, row.own.machine, tuple(row.point.values())
            known[place] = str(row.verdict)
    for bench, document in zip(found.benches, found.document["benchmarks"], strict=True):
        for finding, rows in zip(bench.findings, document["findings"], strict=True):
            for value, row in zip(finding.values, rows["values"], strict=True):
                place = bench.plan.spec, value.of.device, value.of.machine, value.of.point
                if value.verdict and finding.kind in COMPARISONS:
                    assert row["verdict"] == known.get(place, row["verdict"])
            if finding.kind in COMPARED and finding.is_sentence:
                assert finding.values[0].interval.n >= 3
    table = found.table
    assert not (table.low.notna() & table.verdict.eq("NOT MEASURED")).any()
    assert not (table.speedup.notna() & table.verdict.eq("NOT MEASURED")).any()
    # An interval is of three processes; the baseline's own ratio is 1 by definition.
    assert not (table.low.notna() & (table.n < 3) & table.verdict.ne("BASELINE")).any()


@pytest.mark.parametrize("name", FOLDERS)
def test_the_front_page_has_no_verdict_that_a_page_has_not(name: str) -> None:
    """F7, also where each page has one comparison and the front page several."""
    found = surfaces(name)
    said = [found.front.headline, *re.split(r"(?<=\.) (?=[A-Z])", found.front.finding)]
    undecided = re.compile(r"comparisons? (is|are) not decided")
    kinds = {finding.kind for bench in found.benches for finding in bench.findings}
    undecided_here = outcome_of(found.benches).undecided
    for text in said:
        if undecided.search(text):
            assert undecided_here, text
        elif re.search(r"^(?!(The p|P)ublished).*(× (as fast|the throughput)|within 3)", text):
            assert kinds & COMPARED, text


@pytest.mark.parametrize("name", [W, "cut", "gpusweep", "twohosts"])
def test_every_surface_counts_the_same_comparisons(name: str, tmp_path: Path) -> None:
    found = surfaces(name)
    every = [f for bench in found.benches for f in comparisons_of(bench)]
    decided = sum(finding.kind is not Kind.UNDECIDED for finding in every)
    assert len(every) == len({id(finding) for finding in every})
    drawn = [figure.subtitle.replace("\xa0", " ") for figure in found.front.figures]
    counts = [pair for text in drawn for pair in re.findall(r"(\d+) ((?:un)?decided)\b", text)]
    numbers = {"decided": decided, "undecided": len(every) - decided}
    assert {state: int(count) for count, state in counts} == {k: v for k, v in numbers.items() if v}
    for bench in found.benches:
        states = {ClaimState.CONFIRMED, ClaimState.REFUTED}
        claims = [claim for claim in bench.tested if claim.state in states]
        every = [f for f in comparisons_of(bench) if f.kind is Kind.UNDECIDED]
        own = [f for f in every if not any(is_of(claim, f) for claim in claims)]
        page = found.pages[bench.plan.spec]
        note = f"{page.finding} {page.opening.finding if page.opening else ''}".replace("\xa0", " ")
        said = re.search(r"(\d+) comparisons? (?:is|are) not", note)
        assert int(said[1] if said else 0) == len(own)
    write(name, tmp_path)
    store = Store(tmp_path)
    lines = "\n".join(answers(store, store.plans())).replace("\xa0", " ")
    told = re.search(r"Decided: (?:(\d+) comparison)?", lines)
    assert len(found.benches) == 1 or (told and int(told[1] or 0) == decided)
    if name == W:
        groups = "Decided: ", " may be decided", "Your own ", " claims need "
        places = [lines.index(group) for group in groups]
        assert places == sorted(places)


@pytest.mark.parametrize("name", FOLDERS)
def test_the_front_page_says_each_number_once_in_whole_sentences(name: str) -> None:
    """The heading's number alone is bold in the figure; a pair has one baseline in all rows."""
    front = surfaces(name).front
    assert not re.search(r": [\d.,]+×", front.finding)
    ratio = re.match(r"(?!The published).* (\d[\d.]*)× as fast", front.headline)
    figure = next((f for f in front.figures if f.id == "decided-rows"), None)
    if figure and figure.table:
        rows = figure.table.groups[0].rows
        pairs = [tuple(words(row.header).lower().split(" over ")) for row in rows]
        assert not {pair for pair in pairs if pair[0] != pair[1]} & {pair[::-1] for pair in pairs}
        panel = figure.panels[0]
        assert panel.narrow
        data, brief = (own.spec["datasets"].values() for own in (panel.wide, panel.narrow))
        values = [{m["value"] for ms in own for m in ms if "hollow" in m} for own in (data, brief)]
        assert values[0] == values[1], "a telephone leaves out no row"
        every = [row for group in figure.table.groups for row in group.rows]
        same = sum(words(row.entries[4]).startswith("same") for row in every)
        assert (f"({same} equal)" in figure.subtitle) is bool(same)
        rings = {mark["point"] for marks in data for mark in marks if mark.get("hollow")}
        assert len(rings) == sum(
            "decided" in v or "stopped" in v for v in (words(r.entries[4]) for r in rows)
        )
        if ratio and "published" not in front.headline:
            numbers = [float(words(row.entries[2]).removesuffix("×")) for row in rows]
            assert any(n == pytest.approx(float(ratio[1]), rel=0.05) for n in numbers)
            assert numbers[0] >= 0.95 * max(numbers)


@pytest.mark.parametrize("name", FOLDERS)
def test_shares_lie_between_nothing_and_all(name: str) -> None:
    """Of claims, in the site's and the API's tables alike."""
    for bench in surfaces(name).benches:
        frame = claims_frame(bench.plan, bench.tested)
        for text in frame.astype(str).to_numpy().ravel():
            for share in re.findall(r"(?<![\d.+−±-])(\d+(?:\.\d+)?) %", text.replace("\xa0", " ")):
                assert float(share) <= 100, text


@pytest.mark.parametrize("name", [W, "nan", "gpusweep"])
def test_a_roof_is_of_records_that_are_not_refused(name: str) -> None:
    """F9: the share of the machine's roof is that without the refused record."""
    page = ceilings_page(surfaces(name).benches)
    assert page
    assert not re.search(r"\b0\.0[^0-9]", f"{page.headline} {page.finding}")


@pytest.mark.parametrize("name", [W, "gpu2"])
def test_a_rate_and_its_factor_agree_in_every_row(name: str) -> None:
    """M1: where clocks are unlike, nothing is divided."""
    table = next(s for s in benchmarks_page(surfaces(name).benches).sections if s.id == "speedups")
    divided = 0
    for rows in (g.rows for b in table.blocks if isinstance(b, Table) for g in b.groups):
        base = nan
        for row in rows:
            rate, factor = (words(entry).replace(",", "").split()[0] for entry in row.entries[1:3])
            base = float(rate) if factor == "1×" else base
            if re.fullmatch(r"[\d.]+×", factor):
                assert float(factor[:-1]) == pytest.approx(float(rate) / base, rel=0.06), rate
                divided += 1
    assert divided


def words(entry: Entry) -> str:
    return " ".join(line.text for line in entry.lines).replace("\xa0", " ")


def test_figures_and_cells_are_counted_once_and_all() -> None:
    """F6, F12: figures of the source whatever the number of hosts, and cells beyond those named."""
    for name in (W, "gpu2"):
        published = {s.id: s.detail for s in surfaces(name).pages["fashion_mnist"].sections}
        assert published["published"].replace("\xa0", " ").startswith("10 figures")
    runs = next(s for s in surfaces(W).pages["har_sweep"].sections if s.id == "runs")
    (notes,) = (block for block in runs.blocks if isinstance(block, Notes))
    told = next(note.text for note in notes.items if note.text.startswith("36\xa0cells"))
    assert told.endswith("and 6 more.")


SHOWN = {
    "aa": "strategies: 4,189 images/s ",
    "nobase": "strategies: 2,536 images/s ",
    W: "mnist_deploy: 1,868 images/s",
}
"""What a row has: of the configuration that its finding names, else of the baseline or the best."""


@pytest.mark.parametrize("name", SHOWN)
def test_a_row_has_the_rate_of_what_its_finding_names(name: str) -> None:
    table = next(iter(benchmarks_page(surfaces(name).benches).sections[0].blocks))
    assert isinstance(table, Table)
    rows = [row for group in table.groups for row in group.rows]
    shown = [f"{words(r.entries[0])} {r.header.href}: {words(r.entries[1])}" for r in rows]
    assert SHOWN[name] in " ".join(shown).replace(".full.html", "")


def test_the_list_counts_as_decided_what_the_front_page_counts() -> None:
    """Neither a forecast beside a guess nor a ratio to a published figure is a speedup."""
    benches = surfaces(W).benches
    found = outcome_of(benches)
    own = {b.plan.spec for b, _ in found.comparisons} | {claim.spec for claim in found.claims}
    assert benchmarks_page(benches).headline.startswith(f"{len(own)} of {len(benches)}")


def test_windows_of_a_series_are_no_sequences() -> None:
    section, *_ = data_page(surfaces(W).benches).sections
    (table,) = (block for block in section.blocks if isinstance(block, Table))
    rows = [row.entries for group in table.groups for row in group.rows]
    assert ("39,063 windows", "1 sequence") in [tuple(map(words, row[:2])) for row in rows]


@pytest.mark.parametrize("name", ["failed2", "lat13", "fw_aa", "nan"])
def test_a_terminal_says_what_the_pages_say(name: str, tmp_path: Path) -> None:
    write(name, tmp_path)
    store, found = Store(tmp_path), surfaces(name)
    said = "\n".join(answers(store, store.plans()))
    for bench in found.benches:
        page = found.pages[bench.plan.spec]
        tried = any(row.machine and row.status != "skipped" for row in bench.results)
        verdict = f": {page.verdict}" if page.verdict else ""
        assert not tried or f"  {page.headline or page.title}{verdict}." in said
