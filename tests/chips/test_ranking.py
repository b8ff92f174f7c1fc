"""A rank is what the intervals leave open."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from accelreport.analysis.stats import Interval
from accelreport.chips.contribution import read
from accelreport.chips.ranking import FIGURES, Entry, entries, ranked
from accelreport.terminal.chips import answer
from tests.chips.test_verify import HONEST

RATE = FIGURES[0]
LATENCY = next(figure for figure in FIGURES if not figure.more_is_better)


def entry(name: str, low: float, high: float) -> Entry:
    value = Interval((low * high) ** 0.5, low, high, 3)
    return Entry(name, "cpu", name, "CPU", "float32", value, (3, 3))


def ranks(*rows: Entry, figure=RATE) -> dict[str, tuple[int, int]]:  # type: ignore[no-untyped-def]
    return {row.entry.contribution: (row.best, row.worst) for row in ranked(rows, figure)}


def test_entries_whose_intervals_overlap_share_their_ranks() -> None:
    rows = entry("fast", 90, 110), entry("alike", 100, 120), entry("slow", 10, 12)
    assert ranks(*rows) == {"alike": (1, 2), "fast": (1, 2), "slow": (3, 3)}
    assert ranks(*rows, figure=LATENCY) == {"slow": (1, 1), "fast": (2, 3), "alike": (2, 3)}


SPANS = st.lists(
    st.tuples(st.floats(1, 1e6), st.floats(1.001, 3)).map(lambda s: (s[0], s[0] * s[1])),
    min_size=1,
    max_size=12,
)


@given(SPANS)
def test_a_rank_counts_those_that_are_certainly_better_and_worse(
    spans: list[tuple[float, float]],
) -> None:
    rows = [entry(str(number), *ends) for number, ends in enumerate(spans)]
    for row in ranked(rows, RATE):
        low, high = row.entry.value.ends
        assert row.best == 1 + sum(other.value.low > high for other in rows)
        assert row.worst == len(rows) - sum(other.value.high < low for other in rows)
        assert 1 <= row.best <= row.worst <= len(rows)


def test_a_chip_is_told_its_figures_with_their_intervals() -> None:
    honest = read(HONEST)
    (row,) = [e for e in entries(honest)[RATE.name] if e.device == "cpu"]
    assert row.value.n == 3
    assert row.value.known
    lines = list(answer(honest, []))
    assert RATE.title in lines
    assert any("images/s (" in line for line in lines)
    assert not any("rank" in line for line in lines)


def test_a_chip_beside_others_is_told_its_rank() -> None:
    honest = read(HONEST)
    other = honest.model_copy(update={"name": "another"})
    lines = list(answer(honest, [other]))
    assert any("rank 1–" in line for line in lines)
    assert any("undecided" in line for line in lines)
