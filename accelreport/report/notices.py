"""What is said before any number: synthetic data, runs cut short, repeats added, other versions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from accelreport.analysis.compare import ONE_HOST
from accelreport.analysis.stats import grouped
from accelreport.datasets.catalogue import CATALOGUE
from accelreport.report import quantity
from accelreport.report.forms import EVIDENCE
from accelreport.report.metrics import axis_title
from accelreport.report.model import Notice
from accelreport.report.pages.badges import titles_of
from accelreport.report.text import label
from accelreport.report.view import BenchmarkView, measured_records, replaced_data
from accelreport.results.versions import OtherVersions
from accelreport.spec.source import FULL

MOST_KEYS = 4
"""Keys and specs that a notice names."""


def notices_of(benches: Sequence[BenchmarkView]) -> tuple[Notice, ...]:
    """Notices of one benchmark's page, or of the front page for all of them."""
    makers = (_data_notice, _own_files, _paces, partial_notice, _added)
    return tuple(notice for notice in (make(benches) for make in makers) if notice)


def _among(benches: Sequence[BenchmarkView], affected: Sequence[BenchmarkView]) -> str:
    """Which benchmarks, where a page speaks of several and not all."""
    if len(affected) == len(benches):
        return ""
    if len(affected) > 3:
        return f" in {len(affected)} of {quantity.plural(len(benches), 'benchmark')}"
    names = titles_of(benches)
    titles = [f"“{names[bench.slug]}”" for bench in affected]
    return f" in {quantity.listed(titles)}"


def _data_notice(benches: Sequence[BenchmarkView]) -> Notice | None:
    """What is said of samples of the data and of stand-ins for them; None where none was read."""
    read = {origin: _reading(benches, origin) for origin in ("sample", "synthetic")}
    kinds = [words for origin, words in _DATA.items() if read[origin]]
    if not kinds:
        return None
    affected = [bench for bench in benches if any(bench in own for own in read.values())]
    affected = [bench for bench in affected if bench.quality]
    if not affected:
        return None
    return Notice(
        f"{' and '.join(kinds).capitalize()}.",
        f"Accuracies and losses{_among(benches, affected)} are not comparable with those of the "
        "whole real data.",
    )


def scope_text(benches: Sequence[BenchmarkView]) -> str:
    """What was measured of the specs: "quick profile on samples of the data"."""
    profiles = Counter(b.plan.profile for b in benches if any(row.measured for row in b.results))
    origins = {row.origin for b in benches for row in b.results if row.measured}
    origins -= {"", "generated"}
    names = [] if [*profiles] == [FULL] else sorted(label(name, 30) for name in profiles)
    named = f"{quantity.listed(names)} profile{'s' * (len(names) > 1)}" * bool(names)
    if profiles[FULL] and names:
        others = "settings" if {name.partition("+")[0] for name in names} == {FULL} else "profiles"
        count = f"{profiles.total() - profiles[FULL]} of {profiles.total()}"
        named = f"full profile, with other {others} in {count} benchmarks"
    data = [words for origin, words in _DATA.items() if origin in origins and origins <= {*_DATA}]
    on = f"on {' and '.join(data)}" * bool(data)
    return " ".join(filter(None, (named, on)))


def _own_files(benches: Sequence[BenchmarkView]) -> Notice | None:
    """Which data sets were read from other files than the published ones."""
    own = replaced_data(measured_records(benches))
    if not own:
        return None
    names = quantity.listed([CATALOGUE[name].title for name in own])
    return Notice("Own files.", f"The files of {names} are not the official ones.")


def _paces(benches: Sequence[BenchmarkView]) -> Notice | None:
    """Whether several benchmarks ran on one machine while its cores computed at unlike rates."""
    known = [r.environment for r in measured_records(benches) if r.environment]
    for own in grouped(known, lambda environment: environment.machine).values():
        rates = [environment.roofs.core_tflops for environment in own if environment.roofs]
        if len(benches) > 1 and rates and max(rates) > ONE_HOST * min(rates):
            low, high = (f"{1000 * rate:.0f}" for rate in (min(rates), max(rates)))
            return Notice(
                "Unlike speeds.",
                f"A core computed {low} to {high} GFLOPS in products of matrices, so rates of "
                "different benchmarks are not comparable.",
            )
    return None


_DATA = {"sample": "samples of the data", "synthetic": "synthetic data"}
"""Where data are from that are not the whole real set → their words."""


def _reading(benches: Sequence[BenchmarkView], origin: str) -> list[BenchmarkView]:
    return [bench for bench in benches if any(row.origin == origin for row in bench.results)]


def partial_notice(benches: Sequence[BenchmarkView]) -> Notice | None:
    """How many cells the budget stopped; None where all are whole."""
    affected = [b for b in benches if any(row.status == "partial" for row in b.results)]
    if not affected:
        return None
    cut = [row for b in affected for row in b.results if row.status == "partial"]
    timed = sum(row.timed for row in cut)
    measured = sum(row.timed for bench in benches for row in bench.results)
    of = f"{quantity.count(timed)} of {quantity.plural(measured, 'measured cell')}"
    stopped, after = [of] * bool(timed), ""
    if early := [row for row in cut if not row.timed]:
        lost = [bench for bench in affected if any(row in bench.results for row in early)]
        cells = f"{len(early)} more" if timed else quantity.plural(len(early), "cell")
        stopped.append(f"{cells}{_among(benches, lost)}")
        after = " before a steady step"
    text = EVIDENCE["budget"].format(what=", and ".join(stopped), after=after)
    return Notice("Partial runs.", text)


def _added(benches: Sequence[BenchmarkView]) -> Notice | None:
    affected = [b for b in benches if b.plan.until_decided]
    looks = sorted({tuple(own.at) for b in affected if (own := b.plan.until_decided)})
    if not looks:
        return None
    after = "; ".join(quantity.listed([str(n) for n in at]) for at in looks)
    return Notice(
        "Repeated until decided.",
        f"Looks after {after} repeats{_among(benches, affected)}; intervals hold over all of them.",
    )


def versions_notice(others: OtherVersions) -> Notice:
    """How many measurements are not shown, what differs, since when, and what shows them."""
    keys = list(dict.fromkeys(map(axis_title, others.differs)))
    named = keys if len(keys) <= MOST_KEYS else [*keys[: MOST_KEYS - 1], "others"]
    period = quantity.days((others.first, others.last))
    inner = "; ".join(filter(None, (quantity.listed(named), period)))
    specs = quantity.listed([label(spec, 60) for spec in others.specs[:MOST_KEYS]])
    number = quantity.plural(others.measurements, "measurement")
    sentences = [f"{number} of other versions of {specs}{f' ({inner})' * bool(inner)}."]
    if others.measurements > others.unplanned:
        sentences.append("“accelreport build --as-measured” shows them.")
    if others.unplanned:
        sentences.append(
            f"No plan names {quantity.count(others.unplanned)} of them: “accelreport build --specs "
            "DIR” shows them with their specs, “accelreport results rm --unplanned” removes them."
        )
    return Notice("Measurements not shown.", " ".join(sentences))
