"""The front page: all workloads in one picture, what each benchmark found, every claim.

Its heading is made of numbers that hold over all comparisons together, of base and device at rest.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace

from accelreport.report import formatting
from accelreport.report.heroes.hero import ON_A_CARD, HeroFigure
from accelreport.report.heroes.registry import hero_of
from accelreport.report.model import Block, Card, Cards, Note, Notes, Page, Prose, Section
from accelreport.report.pages.badges import kind_text
from accelreport.report.pages.overview import (
    ACCELERATORS,
    PHONE,
    WIDE,
    Factor,
    Overview,
    amount,
    two_digits,
)
from accelreport.report.pages.sections.claims import units_of
from accelreport.report.pages.sections.problems import data_notice
from accelreport.report.text import label, sentence
from accelreport.report.view import BenchmarkView

RATES = "overview"
"""Id of the section that holds the picture."""
MOST_ABSENT = 4
"""Names of absent devices that a line has room for, with its command."""


def index_page(benches: Sequence[BenchmarkView], title: str, problems: Sequence[str]) -> Page:
    """The front page.

    Args:
        benches: every plan.
        title: the site's name.
        problems: a sentence for each result file that could not be read.
    """
    view = Overview(benches)
    heading, said = finding(view)
    sections = (
        _cards(benches),
        _claims(benches),
        _problems(problems),
    )
    notice = data_notice(benches)
    return Page(
        path="index.html",
        title=label(title),
        headline=heading,
        kicker=" · ".join((f"Measured on {view.measured_on}", *_dates(benches))),
        finding=said,
        sections=tuple(section for section in sections if section),
        template="index.html",
        opening=_picture(view),
        notices=(notice,) if notice else (),
    )


def _picture(view: Overview) -> Section | None:
    """The picture of all workloads, and a line for the devices not in it."""
    picture, said = view.picture, absent_line(view.benches)
    blocks = (picture.figure(WIDE, PHONE),) if picture else ()
    return Section(RATES, "Every workload", blocks, finding=said) if blocks or said else None


def _cards(benches: Sequence[BenchmarkView]) -> Section:
    """A card for each benchmark: what it found, and its page's own figure.

    Those that nothing was measured of yet are named below.
    """
    titles = [label(bench.plan.title) for bench in benches]
    cards, waiting = [], []
    for number, (bench, title) in enumerate(zip(benches, titles, strict=True)):
        hero = hero_of(bench)
        if hero.unmeasured:
            waiting.append(title)
            continue
        small = hero.thumbnail
        if isinstance(small, HeroFigure):
            small = replace(small, id=f"card-{number}", caption="", table=None)
        shown = small.figure(ON_A_CARD) if isinstance(small, HeroFigure) else small
        detail = f"{label(bench.plan.profile, 40)} profile" if titles.count(title) > 1 else ""
        cards.append(Card(title, f"{bench.slug}.html", detail, hero.sentence, shown))
    blocks: list[Block] = [Cards(tuple(cards))] if cards else []
    if waiting:
        names = formatting.listed([f"“{title}”" for title in waiting])
        blocks.append(
            Prose(f"Without any measurement: {names}. “accelreport run specs/” runs them.")
        )
    return Section("benchmarks", "What each benchmark found", tuple(blocks))


def absent_line(benches: Sequence[BenchmarkView]) -> str:
    """Devices without any number on the whole site, why, and the command that adds them."""
    measured = {b.label_of(row.device) for b in benches for row in b.results if row.measured}
    reasons: dict[str, dict[str, None]] = {}
    for bench in benches:
        for row in bench.results:
            name = bench.label_of(row.device)
            if name not in measured and not any(name in known for known in reasons.values()):
                reasons.setdefault(kind_text(row), {})[name] = None
    told = [f"{_some(list(who))} ({why})" for why, who in sorted(reasons.items())]
    if not told:
        return ""
    return (
        f"Not measured: {formatting.listed(told)}. “accelreport run specs/” where they are, then "
        "“accelreport merge” of both results folders, adds them here."
    )


def _some(names: list[str]) -> str:
    """The first of some names, and how many more there are: the page of devices has all."""
    kept = names if len(names) <= MOST_ABSENT else names[: MOST_ABSENT - 1]
    rest = len(names) - len(kept)
    return formatting.listed([*kept, f"{rest} more"] if rest else kept)


def _claims(benches: Sequence[BenchmarkView]) -> Section | None:
    units = units_of(benches)
    if units is None:
        return None
    count = formatting.plural(len(units.items), "claim")
    return Section("claims", f"{sentence(count)} of the sources, checked", (units,))


def _dates(benches: Sequence[BenchmarkView]) -> tuple[str, ...]:
    text = formatting.days(r.started_at for bench in benches for r in bench.records.values())
    return (text,) if text else ()


def _problems(problems: Sequence[str]) -> Section | None:
    if not problems:
        return None
    notes = tuple(Note("Left out:", label(text, 400), tone="bad") for text in problems)
    return Section("unreadable", "Result files that could not be read", (Notes(notes),))


# The sentence -----------------------------------------------------------------------------------


def finding(view: Overview) -> tuple[str, str]:
    """What the site found, as a heading, and the numbers behind it."""
    if not view.rows:
        count = formatting.plural(len(view.benches), "benchmark")
        return f"{count}, none of them measured yet", "Run “accelreport run specs/” first."
    if not view.relative:
        return _absolute(view)
    if any(shown.kind(found.device) in ACCELERATORS for shown, found in view.comparisons):
        found = view.measured_factors(ACCELERATORS)
        return _measured(view, found) if found else _undecided(view)
    for kind in reversed(ACCELERATORS):
        printed = view.printed_factors((kind,))
        if printed:
            return _printed(view, printed, kind)
    compared = [each for each in view.rows if each.row.compared]
    busy = [each for each in compared if each.row.busy]
    # That a part of the processor is slower than all of it is no news beside a TPU's figure.
    if busy and (len(busy) == len(compared) or any(each.accelerated() for each in busy)):
        return (
            "The machine was too busy to compare: other programs held its processor",
            f"{_rates(view)} An idle machine is faster than that, so nothing is divided by it.",
        )
    own = view.measured_factors(("CPU",))
    return _measured(view, own) if own else _undecided(view)


def _range(found: Sequence[Factor]) -> str:
    """From the smallest to the largest: "2.4 to 21 times"."""
    values = sorted(each.value for each in found)
    ends = dict.fromkeys(two_digits(value).rstrip("×") for value in (values[0], values[-1]))
    return f"{' to '.join(ends)} times"


def _mixed(found: Sequence[Factor]) -> bool:
    """Whether some are faster than the base and some are not."""
    return min(each.value for each in found) < 1 < max(each.value for each in found)


def _sometimes(found: Sequence[Factor], base: str) -> str:
    """In how many workloads they are faster, by how much at most, and how the others do."""
    faster = [each for each in found if each.value > 1]
    least, most = (end(found, key=lambda each: each.value) for end in (min, max))
    noun = "workloads" if len({id(each.shown) for each in found}) == len(found) else "comparisons"
    most_text = two_digits(most.value).rstrip("×")
    by = f"{most_text} times" if len(faster) == 1 else f"up to {most_text} times"
    slower = len(found) - len(faster)
    rest = "the other" if slower == 1 else f"the other {slower}"
    worst = two_digits(1 / least.value).rstrip("×")
    down = f"{worst} times" if slower == 1 else f"up to {worst} times"
    return (
        f"faster than {base} in {len(faster)} of {len(found)} {noun} ({by}) "
        f"and slower in {rest} ({down})"
    )


def _inverse(found: Sequence[Factor]) -> list[Factor]:
    """How many times as fast the base is as each."""
    return [replace(each, value=1 / each.value) for each in found]


def _models(view: Overview, found: Sequence[Factor]) -> str:
    """What is done so much faster: all models, the only one, or one of them."""
    if all(each.shown.kernel for each in found):
        return "calculates"
    trains = all(each.shown.trains for each in found)
    verb = "trains" if trains else "computes"
    of_all = {each.bench.plan.spec for each in view.rows if each.trains == trains}
    if len({each.shown.bench.plan.spec for each in found}) > 1:
        return f"{verb} these models"
    return f"{verb} this model" if len(of_all) == 1 else f"{verb} one of these models"


def _by_name(found: Sequence[Factor]) -> list[list[Factor]]:
    """The factors of each device of a machine, that of the largest geometric mean first."""
    places = dict.fromkeys((each.name, each.machine) for each in found)
    own = [[each for each in found if (each.name, each.machine) == place] for place in places]
    return sorted(own, key=lambda each: -sum(math.log(one.value) for one in each) / len(each))


def _measured(view: Overview, found: Sequence[Factor]) -> tuple[str, str]:
    """What holds over all comparisons together; the base by its title where both are CPUs."""
    best, *others = _by_name(found)
    first, name = best[0].shown, _named(best[0])
    base = view.base_in_words
    if not first.accelerated():
        base = first.bench.label_of(first.row.base.device)
    heading = f"{name} {_models(view, best)} {_range(best)} as fast as {base}"
    if _mixed(best):
        heading = f"{name} is {_sometimes(best, base)}"
    largest = max(best, key=lambda each: each.value)
    most = f"{'The most' if ' to ' in _range(best) else 'That'} is {two_digits(largest.value)}"
    if largest.value < 1:
        heading = f"{sentence(base)} {_models(view, best)} {_range(_inverse(best))} as fast as "
        heading += best[0].name
        at_least = "at the least " if len(best) > 1 else ""
        most = f"{best[0].name} takes {at_least}{two_digits(1 / largest.value)} as long"
    said = [f"{most} {largest.said}, in {largest.shown.where}."]
    said += [
        f"{_named(own[0])} takes {_range(_inverse(own))} as long."
        if max(each.value for each in own) < 1
        else f"{_named(own[0])} is {_range(own)} as fast."
        for own in others[:2]
    ]
    return heading, " ".join([*said, *_not_yet(view, best[0])])


def _named(found: Factor) -> str:
    """A device as a sentence begins with it: "A Tesla T4", "CPU (one thread)"."""
    accelerator = found.shown.kind(found.device) in ACCELERATORS and found.name[0].isalpha()
    return f"{_article(found.name)} {found.name}" if accelerator else found.name


def _not_yet(view: Overview, best: Factor) -> list[str]:
    """How many comparisons are not decided, and what one process each of the best device said."""
    count = len(view.comparisons)
    rest = count - len(view.held)
    if not rest:
        return []
    of = f"{formatting.count(rest)} of {formatting.plural(count, 'comparison')}"
    once = [
        each
        for each in view.measured_once
        if (each.name, each.machine) == (best.name, best.machine)
    ]
    if once and not _mixed(once):
        where = formatting.plural(len({id(each.shown) for each in once}), "more workload")
        said = f"Measured once in {where}: {_range(once)}"
        return [f"{said}; {of} {'is' if rest == 1 else 'are'} not decided yet."]
    verb = "is" if rest == 1 else "are"
    return [f"{of} {verb} not decided when all are taken together: more processes may do so."]


def _printed(view: Overview, found: Sequence[Factor], kind: str) -> tuple[str, str]:
    names, years = {each.name for each in found}, sorted({each.said for each in found} - {""})
    known = years and all(each.said for each in found)
    between = " and " if len(years) == 2 else " to "
    of = f" of {between.join(dict.fromkeys((years[0], years[-1])))}" if known else ""
    who = f"{_article(*names)} {next(iter(names))}" if len(names) == 1 else f"The sources’ {kind}s"
    verb = _models(view, found).replace("trains", "trained").replace("calculates", "calculated")
    verb = verb.replace("computes", "computed")
    heading = f"{who}{of} {verb} {_range(found)} as fast as {view.base_in_words}"
    if max(each.value for each in found) < 1:
        theirs = f"the sources’ {kind}s" if len(names) > 1 else f"the {next(iter(names))}{of}"
        own = f"{sentence(view.base_in_words)} {_models(view, found)}"
        heading = f"{own} {_range(_inverse(found))} as fast as {theirs}"
    elif _mixed(found):
        were = "was" if len(names) == 1 else "were"
        heading = f"{who}{of} {were} {_sometimes(found, view.base_in_words)}"
    said = []
    if kind != "GPU" and (others := view.printed_factors(("GPU",))):
        middle = sorted(each.value for each in others)[len(others) // 2]
        median = f" (median {two_digits(middle)})" if len(others) > 2 else ""
        boards = {each.name for each in others}
        gpus = "The sources’ GPUs" if len(boards) > 1 else f"The {next(iter(boards))}"
        said.append(f"{gpus} ran at {_range(others)} its speed{median}")
    processors = view.printed_factors(("CPU",))
    if processors:
        said.append(_processor(view, processors))
    rates = _rates(view, "It" if processors else "it" if said else "")
    if said and not processors:
        return heading, f"{said[0]}; {rates}"
    return heading, ". ".join([*said, rates])


def _processor(view: Overview, found: Sequence[Factor]) -> str:
    """How this computer does beside the processor that sources compared with."""
    text = _range(_inverse(found))
    said = f"{sentence(view.base_in_words)} trains {text} as fast as the {found[0].name}"
    printed = [
        row.speedup
        for each in found
        for row in each.shown.bench.plan.published
        if row.speedup
        and (row.over or each.shown.bench.plan.baseline) == each.shown.row.base.device
    ]
    told = f", so their “{two_digits(max(printed))}” is not to be had here" if printed else ""
    return f"{said} the sources compared with{told}"


def _article(name: str) -> str:
    """The article of a name as it is said: "an A100", "a T4"."""
    return "An" if re.match(r"[AEFHILMNORSX][A-Z0-9]|[AEIO]", name) else "A"


def _undecided(view: Overview) -> tuple[str, str]:
    count = len(view.comparisons)
    if not count:
        done = formatting.plural(len({each.bench.slug for each in view.rows}), "benchmark")
        return f"{done} on {view.base_in_words}", _rates(view)
    accelerators = [
        each for each in view.measured_once if each.shown.kind(each.device) in ACCELERATORS
    ]
    if accelerators and not _mixed(best := _by_name(accelerators)[0]):
        return _so_far(view, best)
    none = "One comparison is not" if count == 1 else f"None of {formatting.count(count)} is"
    return (
        f"Nothing is shown to be faster or slower than {view.base_in_words} yet",
        (
            f"{none} decided when all are taken together: more processes narrow the intervals "
            f"(“accelreport run --until-decided”). {_rates(view)}"
        ),
    )


def _so_far(view: Overview, found: Sequence[Factor]) -> tuple[str, str]:
    """What single processes came to, of which the middle is told and nothing is claimed."""
    values = sorted(each.value for each in found)
    middle = values[len(values) // 2]
    many = two_digits(max(middle, 1 / middle)).rstrip("×")
    how = f"takes {many} times as long as" if middle < 1 else f"at {many} times the speed of"
    heading = f"Measured so far: {found[0].name} {how} "
    said = "That is one process of each device, which has no interval"
    if len(values) > 1:
        where = formatting.plural(len({id(each.shown) for each in found}), "workload")
        ends = _range(_inverse(found) if middle < 1 else found)
        said = f"That is the median of {where}, {ends}, from one process of each device"
    return (
        heading + view.base_in_words,
        (
            f"{said}. Nothing is decided by that: an interval takes two processes at least, and "
            f"“accelreport run --until-decided” adds what is needed. {_rates(view)}"
        ),
    )


def _rates(view: Overview, it: str = "") -> str:
    """What the base does in a second, in so many workloads; `it` stands for its name."""
    trained = [each for each in view.rows if each.trains]
    trained = trained or [each for each in view.rows if not each.kernel] or list(view.rows)
    ordered = sorted(trained, key=lambda each: each.row.rate.value)
    ends = dict.fromkeys(amount(each.row.rate.value) for each in (ordered[0], ordered[-1]))
    unit = "TFLOPS" if trained[0].kernel else "examples a second"
    verb = "calculates with" if trained[0].kernel else trained[0].bench.words.verb
    return f"{it or sentence(view.base_in_words)} {verb} {' to '.join(ends)} {unit}."


def _absolute(view: Overview) -> tuple[str, str]:
    """Several machines, and no base that stands in every workload."""
    first: dict[str, int] = {}
    for shown in view.shown:
        ranked = [mark for mark in view.marks(shown) if mark.kind in {"base", "measured"}]
        best = max(ranked, key=lambda each: each.value)
        first[best.name] = first.get(best.name, 0) + 1
    told = [
        f"{name} in {formatting.count(n)}" for name, n in sorted(first.items(), key=lambda e: -e[1])
    ]
    many = formatting.plural(len(view.machines), "machine")
    count = formatting.plural(len(view.shown), "workload")
    return (
        f"{count} on {many}: no device was measured in all of them",
        (
            f"The highest rate was that of {formatting.listed(told)}. Rates are absolute, since "
            "factors over baselines of different machines cannot be ranked."
        ),
    )
