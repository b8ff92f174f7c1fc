"""How many steps go into a window."""

from hypothesis import given
from hypothesis import strategies as st

from accelreport.backend.training import Pace


@given(
    warmup=st.integers(1, 50),
    epoch=st.integers(1, 300),
    step_s=st.floats(1e-6, 10),
)
def test_windows_fill_an_epoch_and_never_cross_the_end_of_the_warm_up(
    warmup: int, epoch: int, step_s: float
) -> None:
    pace = Pace(budget_s=1e9, total=epoch, warmup=warmup)
    done = 0
    edges = {0}
    while done < epoch:
        count = pace.steps(done, epoch - done)
        assert 1 <= count <= epoch - done
        pace.saw(count, step_s * count, first=done == 0)
        done += count
        edges.add(done)
    assert done == epoch
    assert 1 in edges, "the first step, which compiles, is timed alone"
    assert warmup >= epoch or warmup in edges


def test_a_budget_begins_after_the_first_step_and_ends_the_cell_when_it_is_spent() -> None:
    pace = Pace(budget_s=1e-9, total=10, warmup=1)
    assert not pace.exhausted(), "the first step may compile for as long as it takes"
    pace.saw(1, 34.0, first=True)
    assert pace.exhausted()
    pace.extend(1e9)
    assert not pace.exhausted()


def test_the_time_left_follows_the_pace_until_the_budget_is_nearer() -> None:
    pace = Pace(budget_s=100, total=1000, warmup=1)
    pace.saw(1, 34.0, first=True)
    pace.saw(10, 0.1, first=False)
    assert abs(pace.eta_s(900) - 1.0) < 1e-9
    pace.saw(10, 100, first=False)
    assert 99 < pace.eta_s(900) <= 100
