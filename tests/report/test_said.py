"""What is said of invented records whose truth is known, on whatever surface it is said."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from accelreport.analysis.findings import COMPARED, FACTS, LEARNED, Finding, Kind, Unit
from accelreport.analysis.overview import published_rates
from accelreport.analysis.stats import Verdict
from accelreport.report import quantity
from accelreport.report.forms import CAVEATS, EVIDENCE, FORMS
from accelreport.report.frames import rows_of, speedups_frame
from accelreport.report.front import front_findings
from accelreport.report.model import Block, Entry, Section, Table
from accelreport.report.notices import notices_of
from accelreport.report.openings.opening import Plot
from accelreport.report.openings.registry import opening_of
from accelreport.report.pages.benchmark import benchmark_page
from accelreport.report.pages.benchmarks import benchmarks_page
from accelreport.report.pages.index import front_parts, index_page
from accelreport.report.pages.overview import Overview
from accelreport.report.pages.sections.cold_start import cold_start_section
from accelreport.report.pages.sections.cost import cost_section
from accelreport.report.say import Speaker
from accelreport.report.site.assembly import gather
from accelreport.report.site.export import site_files
from accelreport.report.slides.benchmark import figure_slides, slides_page
from accelreport.report.slides.site import deck_page
from accelreport.report.text import label
from accelreport.report.view import BenchmarkView
from accelreport.results.record import Record, SelfCheck, Warned
from accelreport.spec.cells import Cell
from accelreport.spec.models import Published
from accelreport.terminal.answer import answers
from tests.report.scenarios import THERE, Results, ordinary
from tests.support import edited as folders
from tests.support.records import Study, store_of, study
from tests.support.worlds import Fact, records_of

AXES: dict[str, dict[str, tuple[int, ...]]] = {
    "point": {},
    "sweep": {"batch_size": (64, 256)},
    "grid": {"layers": (1, 2), "batch_size": (64, 256)},
}
"""Shapes of a study."""


HOW = "options.how"
"""A key whose values a baseline compares."""


def invented(
    shape: str, repeats: int, noise: float, seed: int, paces: dict[str, float], swept: str = ""
) -> Study:
    """Devices, or values of a swept key, that take so many milliseconds for an example.

    Processes vary, but every device at every point has the same variations in another order, so
    that their geometric means are those of the paces, whatever was drawn.
    """
    rng = np.random.default_rng(seed)
    varied = np.exp(noise * rng.normal(size=repeats))
    first = next(iter(paces))
    asked = study(
        axes={swept: tuple(paces), **AXES[shape]} if swept else AXES[shape],
        devices=("cpu",) if swept else tuple(paces),
        baseline={"device": "cpu", swept: first} if swept else first,
        repeats=repeats,
        fate=lambda cell: "missing",
    )
    orders: dict[object, Any] = {}

    def fact(cell: Cell) -> Fact:
        place = cell.device, *cell.point.values()
        order = orders.setdefault(place, rng.permutation(repeats))
        pace = paces[str(cell.point[swept]) if swept else cell.device]
        step = 1e-3 * pace * int(cell.workload["batch_size"])
        # `records_of` makes repeats differ by thousandths.
        step *= varied[order[cell.repeat]] / (1 + 0.001 * cell.repeat)
        return Fact(step, first=2.0, final={"accuracy": 0.9, "val_accuracy": 0.9})

    return replace(asked, records=records_of(asked.cells, fact))


def edited(made: Study, device: str, **update: Any) -> Study:
    """The study with other fields in the records of a device."""
    records = (r.model_copy(update=update) if r.cell.device == device else r for r in made.records)
    return replace(made, records=tuple(records))


def same(shape: str, repeats: int, noise: float, seed: int) -> Study:
    return invented(shape, repeats, noise, seed, {"cpu": 1.0, "cpu-1": 1.0})


def twice(shape: str, repeats: int, noise: float, seed: int) -> Study:
    return invented(shape, repeats, noise, seed, {"cpu": 1.0, "gpu": 0.5})


def same_ways(shape: str, repeats: int, noise: float, seed: int) -> Study:
    return invented(shape, repeats, noise, seed, {"numpy": 1.0, "tf": 1.0}, HOW)


def twice_as_fast_a_way(shape: str, repeats: int, noise: float, seed: int) -> Study:
    return invented(shape, repeats, noise, seed, {"numpy": 1.0, "tf": 0.5}, HOW)


def drift(shape: str, repeats: int, noise: float, seed: int) -> Study:
    """Everything becomes slower by a tenth from repeat to repeat."""
    made = twice(shape, repeats, noise, seed)
    return replace(made, records=tuple(_slower(r, 1 + 0.1 * r.cell.repeat) for r in made.records))


def modes(shape: str, repeats: int, noise: float, seed: int) -> Study:
    """One process in two of the second device takes 1.6 times as long."""
    made = twice(shape, repeats, noise, seed)
    records = (
        _slower(r, 1.6) if r.cell.device == "gpu" and r.cell.repeat % 2 else r for r in made.records
    )
    return replace(made, records=tuple(records))


def _slower(record: Record, factor: float) -> Record:
    blocks = [b.model_copy(update={"wall_s": factor * b.wall_s}) for b in record.blocks]
    return record.model_copy(update={"blocks": blocks})


def survivors(shape: str, repeats: int, noise: float, seed: int) -> Study:
    """The largest configurations have no steady time."""
    made = invented(shape, repeats, noise, seed, {"cpu": 1.0})
    records = (
        r.model_copy(update={"status": "partial", "blocks": r.blocks[:1]})
        if r.cell.point.get("batch_size") == 256
        else r
        for r in made.records
    )
    return replace(made, records=tuple(records))


def other_data(shape: str, repeats: int, noise: float, seed: int) -> Study:
    made = twice(shape, repeats, noise, seed)
    data = next(r.data for r in made.records if r.data)
    return edited(made, "gpu", data=data.model_copy(update={"fingerprint": "another"}))


def precision(shape: str, repeats: int, noise: float, seed: int) -> Study:
    made = twice(shape, repeats, noise, seed)
    gpu = made.plan.devices["gpu"].model_copy(update={"precision": "mixed_bfloat16"})
    devices = {**made.plan.devices, "gpu": gpu}
    return replace(made, plan=made.plan.model_copy(update={"devices": devices}))


def quality(shape: str, repeats: int, noise: float, seed: int) -> Study:
    """Twice as fast and 44 points less accurate."""
    made = twice(shape, repeats, noise, seed)
    return edited(made, "gpu", final={"accuracy": 0.46, "val_accuracy": 0.46})


def refused(shape: str, repeats: int, noise: float, seed: int) -> Study:
    """A check of the timer contradicts every number of the baseline."""
    check = SelfCheck(name="no-sync", outcome="failed", expected="idle", seen="at work")
    warned = Warned(kind="no-sync", message="at work; expected: idle")
    return edited(twice(shape, repeats, noise, seed), "cpu", checks=[check], warnings=[warned])


def one_process(shape: str, repeats: int, noise: float, seed: int) -> Study:
    del repeats
    return twice(shape, 1, noise, seed)


def machines(shape: str, repeats: int, noise: float, seed: int) -> Study:
    """The second machine takes three times as long."""
    here = twice(shape, repeats, noise, seed)
    there = invented(shape, repeats, noise, seed + 1, {"cpu": 3.0, "gpu": 1.5})
    moved = (
        r.model_copy(update={"environment": r.environment.model_copy(update={"machine": THERE})})
        for r in there.records
        if r.environment
    )
    return replace(here, records=(*here.records, *moved))


WITHHELD = (other_data, precision, quality)
WORLDS = (
    same, twice, same_ways, twice_as_fast_a_way, drift, modes, survivors, *WITHHELD, refused,
    one_process, machines,
)  # fmt: skip

drawn = {
    "shape": st.sampled_from(sorted(AXES)),
    "repeats": st.integers(3, 5),
    "noise": st.floats(0.005, 0.02),
    "seed": st.integers(0, 10**6),
}
few = settings(max_examples=5, deadline=None, phases=(Phase.explicit, Phase.generate))


def view(made: Study) -> BenchmarkView:
    (bench,) = gather(Results((made,)))
    return bench


def words(bench: BenchmarkView) -> list[str]:
    """Titles and answers of the front page, of the page of a benchmark, and of its slides."""
    speaker, overview, opening = Speaker(bench), Overview([bench]), opening_of(bench)
    parts = [
        " ".join(front.sentence for front in front_findings(overview)),
        f"{opening.title}. {opening.answer}",
        *(speaker.title(s.finding) for s in opening.scenes if s.finding.titles),
    ]
    return [part.replace("\xa0", " ") for part in parts]


# 1. What is withheld is a finding of its own -----------------------------------------------------


@pytest.mark.parametrize("world", [*WITHHELD, refused])
@few
@given(**drawn)
def test_a_withheld_number_is_in_no_other_finding(
    world: Callable[..., Study], shape: str, repeats: int, noise: float, seed: int
) -> None:
    bench = view(world(shape, repeats, noise, seed))
    for finding in bench.findings:
        if finding.kind is not Kind.WITHHELD:
            over = {
                v.over.device for v in finding.values if v.over and v.of.device != v.over.device
            }
            assert not over, finding.kind
    assert bool([f for f in bench.findings if f.kind is Kind.WITHHELD]) == (
        world in {precision, quality}
    ), "of other data there is not even a ratio"
    rows = rows_of(speedups_frame(bench.plan, bench.compared))
    assert {r["verdict"] for r in rows if r["device"] != "cpu"} == {
        Verdict.WITHHELD if world in {precision, quality} else Verdict.NOT_MEASURED
    }
    assert front_findings(Overview([bench]))[0].finding.kind not in {Kind.FASTER, Kind.SLOWER}


def _tables(sections: list[Section | None]) -> Iterator[Table]:
    blocks: Iterator[Block] = (b for s in sections if s for b in s.blocks)
    yield from (block for block in blocks if isinstance(block, Table))


@pytest.mark.parametrize("world", WITHHELD)
@few
@given(**drawn)
def test_no_table_crowns_what_is_withheld(
    world: Callable[..., Study], shape: str, repeats: int, noise: float, seed: int
) -> None:
    """Not as the fastest nor the cheapest for N steps, and not as what pays off at once."""
    bench = view(world(shape, repeats, noise, seed))
    tables = {
        table.id: table for table in _tables([cold_start_section(bench), cost_section(bench)])
    }
    cold = [row for group in tables["cold-table"].groups for row in group.rows]
    column = [c.title for c in tables["cold-table"].columns].index("overtakes baseline after")
    said = {_text(row.header): _text(row.entries[column]) for row in cold}
    assert said[bench.title_of("gpu")] == quantity.MISSING
    cost = cost_section(bench)
    assert cost is None or bench.title_of("gpu") not in cost.finding


def _text(entry: Entry) -> str:
    return " ".join(line.text for line in entry.lines)


# 2. The numbers of a title are in the figure below it --------------------------------------------


def _scenes(bench: BenchmarkView) -> Iterator[tuple[str, Finding, Plot]]:
    for scene in opening_of(bench).scenes:
        if isinstance(scene.shown, Plot):
            yield bench.slug, scene.finding, scene.shown


@pytest.mark.parametrize("world", WORLDS)
@few
@given(**drawn)
def test_every_number_of_a_title_is_marked_in_the_figure_below_it(
    world: Callable[..., Study], shape: str, repeats: int, noise: float, seed: int
) -> None:
    assert _marked([view(world(shape, repeats, noise, seed))])


def _marked(benches: list[BenchmarkView]) -> int:
    """How many findings were held against their figures."""
    held = 0
    for bench in benches:
        opening = opening_of(bench)
        for slug, finding, plot in _scenes(bench):
            held += 1
            for value in finding.title_values:
                assert value in plot.values, (slug, finding.kind)
        for finding in (f for f in opening.answered[1:] if f.kind is not Kind.UNDECIDED):
            own = [scene for scene in opening.scenes if scene.finding is finding]
            assert own or any(scene.marks(finding.values) for scene in opening.scenes)
    overview = Overview(benches)
    plots = [plot for _, plot in front_parts(overview)[2]]
    drawn = [v for plot in (*plots, overview.picture) if plot for v in plot.values]
    for found in front_findings(overview):
        if found.kind is not Kind.TOTAL:
            assert all(value in drawn for value in found.finding.title_values), found.kind
            held += 1
    return held


def test_every_number_of_a_title_is_marked_on_ordinary_sites_and_in_the_example() -> None:
    assert _marked(gather(ordinary())) > len(ordinary().studies)
    example = gather(folders.edited(folders.W))
    assert _marked(example) > len(example)


# 3. The same finding has the same words ----------------------------------------------------------


def test_a_finding_has_the_same_words_wherever_it_is_said(tmp_path: Path) -> None:
    benches = gather(ordinary())
    table = benchmarks_page(benches).sections[0].blocks[0]
    assert isinstance(table, Table)
    rows = [_text(row.entries[0]) for group in table.groups for row in group.rows]
    document = json.loads(dict(site_files(benches))["results.json"])
    store = store_of(tmp_path, *ordinary().studies)
    terminal = "\n".join(answers(store, store.plans()))
    for bench, row, known in zip(benches, rows, document["benchmarks"], strict=True):
        speaker = Speaker(bench)
        title = speaker.headline()
        page = benchmark_page(bench)
        assert (page.headline, bool(page.verdict)) == (title, bool(speaker.claim))
        assert {row["title"] for row in known["findings"]} == {
            speaker.title(f) if f.is_sentence else "" for f in bench.findings
        }
        assert row == opening_of(bench).summary
        assert f"  {page.decided}." in terminal
        slides = {kind: slide.title for kind, slide in figure_slides(bench)}
        for finding in bench.findings:
            if slides.get(finding.kind):
                same = [f for f in bench.findings if f.kind is finding.kind and f.titles]
                assert not same or slides[finding.kind] in {speaker.title(f) for f in same}
        assert [each["kind"] for each in known["findings"]] == [f.kind for f in bench.findings]


# 4. What is said is true -------------------------------------------------------------------------

DIRECTION = re.compile(r"× as fast|× the throughput|\bgains\b|falls to|as long as|\bwithin 3 %")
"""Words that decide between two things."""


@pytest.mark.parametrize("world", [same, same_ways, survivors])
@few
@given(**drawn)
def test_of_equal_things_nobody_says_that_one_is_ahead(
    world: Callable[..., Study], shape: str, repeats: int, noise: float, seed: int
) -> None:
    bench = view(world(shape, repeats, noise, seed))
    decided = [
        value.verdict
        for finding in bench.findings
        for value in finding.values
        if value.verdict and value.verdict not in {Verdict.UNDECIDED, Verdict.SAME}
    ]
    assert not decided
    said = " ".join(words(bench))
    if not any(v.verdict is Verdict.SAME for f in bench.findings for v in f.values):
        assert not DIRECTION.search(said), said
    assert not re.search(r"[\d.]+× as fast|× the throughput|\bgains\b|falls to", said)


@pytest.mark.parametrize("world", [twice, twice_as_fast_a_way, drift])
@few
@given(**drawn)
def test_of_what_is_twice_as_fast_every_page_says_so(
    world: Callable[..., Study], shape: str, repeats: int, noise: float, seed: int
) -> None:
    bench = view(world(shape, repeats, noise, seed))
    found = [f for f in bench.findings if f.kind is Kind.FASTER]
    # With many comparisons of few processes each the intervals that hold together are wide.
    if shape == "point":
        assert found
    for finding in found:
        assert all(value.number == pytest.approx(2.0, rel=0.03) for value in finding.values)
        for said in words(bench):
            assert re.search(r"(1\.9\d*|2\.0\d*)× as fast", said), said


@few
@given(**drawn)
def test_of_two_modes_no_page_says_more_than_the_faster_or_less_than_the_slower_one(
    shape: str, repeats: int, noise: float, seed: int
) -> None:
    bench = view(modes(shape, repeats, noise, seed))
    decided = [
        value for finding in bench.findings for value in finding.values if value.verdict is not None
    ]
    assert not [value for value in decided if value.verdict is Verdict.SLOWER]
    for value in decided:
        if value.verdict is Verdict.FASTER:
            assert 1.25 * 0.95 < value.number < 2 * 1.05
    for factor in re.findall(r"(?<![\d.])(?<!least )([\d.]+)× as fast", " ".join(words(bench))):
        assert 1.2 <= float(factor) <= 2.1


@few
@given(**drawn)
def test_of_a_range_it_is_said_how_many_have_no_time(
    shape: str, repeats: int, noise: float, seed: int
) -> None:
    del shape
    bench = view(survivors("grid", repeats, noise, seed))
    (found,) = [f for f in bench.findings if f.kind is Kind.RANGE]
    assert (len(found.values), found.of) == (2, 4)
    assert not found.is_sentence
    notice = " ".join(each.text for each in notices_of([bench]))
    stopped = f"The time budget per cell stopped {2 * repeats} cells before a steady step"
    assert stopped in notice.replace("\xa0", " ")


@few
@given(**drawn)
def test_of_single_runs_nothing_is_decided(
    shape: str, repeats: int, noise: float, seed: int
) -> None:
    bench = view(one_process(shape, repeats, noise, seed))
    kinds = {finding.kind for finding in bench.findings}
    assert not kinds & {Kind.FASTER, Kind.SLOWER, Kind.SAME, Kind.COMPILED}
    assert "× as fast" not in " ".join(words(bench))


@few
@given(**drawn)
def test_two_machines_are_two_bases(shape: str, repeats: int, noise: float, seed: int) -> None:
    bench = view(machines(shape, repeats, noise, seed))
    for finding in bench.findings:
        if finding.kind in {Kind.FASTER, Kind.SLOWER, Kind.UNDECIDED}:
            assert len({value.over.machine for value in finding.values if value.over}) == 1
            # The ratio of the machines is in no comparison of devices.
            assert all(value.number == pytest.approx(2.0, rel=0.03) for value in finding.values)


@few
@given(seed=st.integers(0, 10**6), repeats=st.integers(3, 5))
def test_a_range_of_equal_configurations_is_not_decided(seed: int, repeats: int) -> None:
    """The slowest of many equal ones is slower than the fastest, whatever was drawn."""
    bench = view(invented("grid", repeats, 0.03, seed, {"cpu": 1.0}))
    (found,) = [f for f in bench.findings if f.kind is Kind.RANGE]
    assert found.comparisons == 6
    assert found.values[0].verdict in {Verdict.UNDECIDED, Verdict.SAME}
    assert not found.is_sentence


# 5. Every sentence is a form whose condition holds ------------------------------------------------

NUMBER = r"(?:about )?(?:at (?:least|most) )?[−\d][\d.,]*\S*(?: \S+)?(?: to [\d.,]+ ?\S+)?"
FIELDS = {
    **dict.fromkeys(("number", "other", "second", "ratio"), NUMBER),
    "do": "train|trains|predict|predicts|multiply|multiplies|reaches", "reach": "reach|reaches",
    "be": "is|are|predicts|reaches", "fast": r"as fast as|as many \S+ as",
    "open": r"\d+ comparisons? (?:is|are)",
    "failed": r"(?:[\d,]+ of [\d,]+ \w+|.+ that ran) (?:failed|w[a-z]+ refused)",
    "data": r"(?:on a sample: |on synthetic data: )?",
    "at": r"(?: at .+| in \d+ workloads| in “.+)?", "place": ".*", "without": ".*", "after": ".*",
    "which": r"(?: \(.+\))?", "faster": ".*", "best": ".*", "where": ".*",
}  # fmt: skip
"""What a field of a form may be, where it is not any text."""

OTHERS = (r".+: [−\d].*", r".+, confirmed", r".+× \(.+, n = \d\)", "(geometric )?mean over .+",
    r"(none|\d+) of \d+ claims? (is|are) .+", "summary",
)  # fmt: skip
"""Labelled numbers, a claim's own text with its state, and headings that count."""


def pattern(text: str) -> str:
    """What a filled form looks like."""
    parts = re.split(r"\{(\w+)\}", text.removesuffix("."))
    fields = (f"(?:{FIELDS.get(name, '.+')})" for name in parts[1::2])
    plain = map(re.escape, parts[::2])
    return "".join(chain.from_iterable(zip_longest(plain, fields, fillvalue="")))


RUNS = r"(?:,? in (?:one (?:partial )?run|(?:partial|single) runs[, a-z]*))?(?: \([^()]*\))?"
FILLED = re.compile(
    "|".join(
        [
            *(f"(?:{pattern(form.text)}){RUNS}" for form in FORMS),
            *map(pattern, (*EVIDENCE.values(), *CAVEATS.values())),
            *OTHERS,
        ]
    ).replace("\xa0", " "),
    re.IGNORECASE,
)


def sentences(text: str) -> list[str]:
    """Each sentence, without its full stop."""
    return [each for each in re.split(r"\.(?: |$)", text.replace("\xa0", " ")) if each]


def two_differences(shape: str, repeats: int, noise: float, seed: int) -> Study:
    """Another device, in another precision and another framework, is four times as fast."""
    made = precision(shape, repeats, noise, seed)
    gpu = made.plan.devices["gpu"].model_copy(update={"framework": "jax"})
    devices = {**made.plan.devices, "gpu": gpu}
    return replace(made, plan=made.plan.model_copy(update={"devices": devices}))


def frameworks(shape: str, repeats: int, noise: float, seed: int) -> Study:
    """Another framework alone, compiled by XLA, too, is twice as fast."""
    made = invented(shape, repeats, noise, seed, {"cpu": 1.0, "cpu-1": 0.5})
    own = made.plan.devices["cpu"].model_copy(update={"xla": True})
    other = own.model_copy(update={"framework": "jax", "label": "JAX"})
    devices = {**made.plan.devices, "cpu": own, "cpu-1": other}
    return replace(made, plan=made.plan.model_copy(update={"devices": devices}))


def partial(shape: str, repeats: int, noise: float, seed: int) -> Study:
    """The budget stopped every process of the second device after half of its steps."""
    made = twice(shape, repeats, noise, seed)
    return edited(made, "gpu", status="partial", planned_steps=2 * made.records[0].planned_steps)


def of_a_sample(shape: str, repeats: int, noise: float, seed: int) -> Study:
    made = same(shape, repeats, noise, seed)
    data = next(r.data for r in made.records if r.data).model_copy(update={"origin": "sample"})
    return edited(edited(made, "cpu", data=data), "cpu-1", data=data)


def failed(shape: str, repeats: int, noise: float, seed: int) -> Study:
    """The second device has no memory."""
    made = twice(shape, repeats, noise, seed)
    lost = (folders.out_of_memory(r) if r.cell.device == "gpu" else r for r in made.records)
    return replace(made, records=tuple(lost))


def of_calls(shape: str, repeats: int, noise: float, seed: int) -> Study:
    """Calls of a trained network, by threads that are equally fast."""
    del shape, noise, seed
    edit = folders.Edit(("mnist_latency",), folders.CPU, copies=(folders.Copy(("cpu-1",)),))
    return folders.made(edit, min(repeats, 3)).studies[0]


WIDER = (two_differences, frameworks, partial, of_a_sample, failed, of_calls)


@pytest.mark.parametrize("world", [*WORLDS, *WIDER])
@few
@given(**{**drawn, "repeats": st.integers(1, 4)})
def test_every_sentence_is_a_filled_form_whose_condition_holds(
    world: Callable[..., Study], shape: str, repeats: int, noise: float, seed: int
) -> None:
    """On the front page, the page of a benchmark, its slides, its link preview, the terminal."""
    bench = view(world(shape, repeats, noise, seed))
    page, front = benchmark_page(bench), index_page([bench], "Site", ())
    opened = [part.title for part in (front.opening, *front.sections, *page.sections) if part]
    names = [*opened, *(plot.title for *_, plot in _scenes(bench))]
    titles = {page.title, front.title, label(bench.plan.title), *names}
    speaker = Speaker(bench)
    texts = [page.decided, page.finding, front.headline, front.finding]
    texts += [speaker.below(speaker.answered())]
    texts += [speaker.answer(finding) for finding in bench.findings if finding.is_sentence]
    for slide in (*slides_page(bench, page).sections, *deck_page([bench], front).sections):
        texts += [slide.title, *(slide.speech.spoken if slide.speech else ())]
    for text in texts:
        for said in sentences(text):
            assert said in titles or FILLED.fullmatch(said), said
    for finding in bench.findings:
        if finding.is_sentence:
            _holds(bench, finding)


def _holds(bench: BenchmarkView, finding: Finding) -> None:
    """What must be true of what a sentence is made of, by the plan and the records alone."""
    said, own = Speaker(bench).title(finding), finding.values[:1]
    rows = [row for value in finding.every_value for row in value.processes]
    if finding.kind in COMPARED:
        (value,) = own
        assert value.interval.n >= 3
        assert value.over
        assert not value.interval.low <= 1 <= value.interval.high or value.verdict is Verdict.SAME
        sides = (bench.plan.devices[of.device].model_dump() for of in (value.of, value.over))
        one, other = ({k: side[k] for k in MEASURED} for side in sides)
        unlike = [key for key in MEASURED if one[key] != other[key]]
        unlike += ["point"] if value.of.point != value.over.point else []
        assert len(unlike) == 1, (said, unlike)
    if finding.kind in LEARNED - {Kind.TARGET}:
        assert all(row.status == "ok" for row in rows)
    if finding.kind in FACTS - {Kind.TARGET} and own[0].interval.n == 1:
        runs = "in one (partial )?run|in single runs"
        assert finding.kind is Kind.MISCLASSIFIED or re.search(runs, said), said
    if any(row.origin == "sample" for row in rows) and finding.kind in LEARNED - {Kind.INT8}:
        assert said.lower().startswith("on a sample"), said


MEASURED = ("kind", "framework", "precision", "threads", "replicas", "workers", "xla", "eager")
"""What two devices may differ in."""


# 6. What is published is the published number ----------------------------------------------------

FIGURES: dict[str, Callable[[float], float]] = {
    "step_time": lambda printed: 256 / printed,
    "sample_time": lambda printed: 1 / printed,
    "epoch_time": lambda printed: 60 * 256 / printed,
    "throughput": lambda printed: printed,
}
"""Published figure → examples in a second, by units alone: 60 steps of 256."""


@few
@given(figure=st.sampled_from(sorted(FIGURES)), printed=st.floats(0.011, 9.0))
def test_a_published_rate_is_the_published_number_in_other_units(
    figure: str, printed: float
) -> None:
    printed *= {"throughput": 1e3, "sample_time": 1e-3, "epoch_time": 10.0}.get(figure, 1.0)
    row = Published.model_validate({"device": "gpu", "label": "K80, 2018", figure: printed})
    made = study(axes={}, devices=("cpu", "gpu"), repeats=1, published=(row,), steps_per_epoch=60)
    bench = view(replace(made, records=tuple(r for r in made.records if r.cell.device == "cpu")))
    truth = FIGURES[figure](printed)
    (rate,) = published_rates(bench.plan)
    assert rate.rate == pytest.approx(truth)
    shown = [v for *_, plot in _scenes(bench) for v in plot.values if v.of.row]
    assert [v.number for v in shown if v.unit is Unit.RATE] == [rate.rate]
    base = next(f for f in bench.findings if f.kind is Kind.RATE).values[0].number
    for value in (v for v in shown if v.unit is Unit.RATIO):
        assert value.number == pytest.approx(truth / base)
    overview = Overview([bench])
    for own in overview.shown:
        assert [one.rate for one in own.row.printed] == [pytest.approx(truth)]


def test_the_front_page_says_what_its_findings_say() -> None:
    overview = Overview(gather(ordinary()))
    first = front_findings(overview)[0]
    assert index_page(overview.benches, "Site", ()).headline == first.title
