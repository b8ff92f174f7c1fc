"""A rank is what the intervals leave open."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelreport.analysis.stats import Interval
from accelreport.chips.contribution import read
from accelreport.chips.ranking import FIGURES, Entry, entries, ranked
from accelreport.report.rank_labels import confirmed_label
from accelreport.terminal.chips import answer, own_ranks
from tests.chips.forgeries import contribution_from, raw_of
from tests.chips.test_verify import HONEST, of_another_machine

RATE = FIGURES[0]
LATENCY = next(figure for figure in FIGURES if not figure.more_is_better)


def entry(name: str, low: float, high: float) -> Entry:
    value = Interval((low * high) ** 0.5, low, high, 3)
    return Entry(name, "cpu", name, "CPU", 2, "float32", value, (3, 3))


def ranks(*rows: Entry, figure=RATE) -> dict[str, tuple[int, int]]:  # type: ignore[no-untyped-def]
    return {row.entry.contribution: (row.best, row.worst) for row in ranked(rows, figure)}


def test_entries_whose_intervals_overlap_share_their_ranks() -> None:
    rows = entry("fast", 90, 110), entry("alike", 100, 120), entry("slow", 10, 12)
    assert ranks(*rows) == {"alike": (1, 2), "fast": (1, 2), "slow": (3, 3)}
    assert ranks(*rows, figure=LATENCY) == {"slow": (1, 1), "fast": (2, 3), "alike": (2, 3)}


@pytest.mark.parametrize(
    "others", [(), (1.05,), (1.05, 0.95), (1.2,)], ids=["alone", "one", "two", "unlike"]
)
def test_a_row_is_self_reported_until_another_machine_of_the_hardware_agrees(
    others: tuple[float, ...],
) -> None:
    rows = [entry("own", 99, 101), entry("forged", 990, 1010)]
    for number, factor in enumerate(others):
        same = replace(entry(f"other {number}", 99 * factor, 101 * factor), hardware="own")
        rows.append(same)
    agreeing = sum(1 / 1.1 <= factor <= 1.1 for factor in others)
    places = ranked(rows, RATE)
    assert (places[0].entry.contribution == "forged") == (not agreeing)
    assert {row.entry.contribution: row.confirmed for row in places}["own"] == agreeing
    assert places[0].best == 1
    assert all(a.best <= b.best for a, b in pairwise(places))
    assert confirmed_label(places[-1]) == "self-reported"


SPANS = st.lists(
    st.tuples(st.floats(1, 1e6), st.floats(1.001, 3)).map(lambda s: (s[0], s[0] * s[1])),
    min_size=1,
    max_size=12,
)


@given(SPANS)
def test_a_rank_counts_those_that_are_certainly_better_and_worse(
    spans: list[tuple[float, float]],
) -> None:
    """A range of ranks holds the rank by value."""
    rows = [entry(str(number), *ends) for number, ends in enumerate(spans)]
    for figure in (RATE, LATENCY):
        for place, row in enumerate(ranked(rows, figure), start=1):
            low, high = row.entry.value.ends
            above = sum(other.value.low > high for other in rows)
            below = sum(other.value.high < low for other in rows)
            better, worse = (above, below) if figure is RATE else (below, above)
            assert row.best == 1 + better <= place <= row.worst == len(rows) - worse


def test_a_chip_has_its_figures_with_their_intervals_and_ranks() -> None:
    honest = read(HONEST)
    (row,) = [e for e in entries(honest)[RATE.name] if e.device == "cpu"]
    assert row.value.n == 3
    assert row.value.known
    first, *_, last, _, ratio, self_reported, stopped = answer(own_ranks(honest, []))
    assert first.startswith(f"{RATE.title}, bfloat16")
    assert "images/s (" in first
    assert "rank 1–2 of 2" in first
    assert "ms (" in last
    assert len(row.stopped) == 3
    assert all(done < planned for done, planned in row.stopped)
    assert ratio.startswith("×: speed relative to first;")
    assert self_reported.startswith("self-reported until")
    assert stopped.startswith("stopped: by the time budget")


def test_an_entry_is_compared_with_the_first_where_the_intervals_decide() -> None:
    rows = [
        entry("first", 500, 600),
        entry("alike", 450, 520),
        entry("own", 100, 110),
        entry("below", 10, 12),
    ]
    places = ranked(rows, RATE)
    lines = list(answer([(RATE, place, places) for place in places]))[:4]
    columns = [re.split(r" {2,}", line.strip()) for line in lines]
    assert [words[2] for words in columns] == [f"rank {n} of 4" for n in ("1–2", "1–2", "3", "4")]
    assert [words[3:] for words in columns] == [[], ["undecided"], ["0.191×"], ["0.0200×"]]


def test_an_earlier_contribution_of_the_same_machine_takes_no_rank() -> None:
    """Whatever its software was, which is part of its name."""
    honest = read(HONEST)
    raw = raw_of(honest)
    for record in raw["records"]:
        record["environment"]["packages"] = {"tensorflow-cpu": "2.20.0"}
    earlier = contribution_from(raw)
    assert earlier.name != honest.name
    assert {len(rows) for _, _, rows in own_ranks(honest, [earlier])} <= {1, 2}
    other = of_another_machine(honest)
    assert {len(rows) for _, _, rows in own_ranks(honest, [other])} <= {2, 4}


def test_a_figure_of_nothing_is_none() -> None:
    """A sensor that read 0 J would make a mean that is no number, and spoil every rank."""
    values = raw_of(read(HONEST))
    energy = {"sensor": "RAPL", "scope": "CPU package", "window_s": 1.0, "steps": 1, "windows": 1}
    for raw in values["records"]:
        joules = 0.0 if raw["cell"]["repeat"] == 0 else 2.0
        raw["energy"] = [energy | {"joules": joules}]
    rows = entries(contribution_from(values))["energy"]
    assert rows
    assert all(row.value.value > 0 and row.reached[0] == row.reached[1] - 1 for row in rows)
