"""What people and programs see of a run: real runs of scripted processes, shown."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from accelreport.backend.protocol import PhaseEvent, ProgressEvent
from accelreport.results.record import Record, Times
from accelreport.runner.events import (
    CellEndLine,
    CellEventLine,
    CellStartLine,
    EndLine,
    Observer,
    WaitingLine,
    named,
    plan_line,
)
from accelreport.spec.cells import Cell
from accelreport.terminal.live import LiveProgress
from accelreport.terminal.progress import JsonLines, PlainLines, Quiet, progress_for
from accelreport.terminal.run_text import (
    closing,
    duration,
    end_text,
    number,
    plan_text,
)
from accelreport.terminal.run_view import RunView
from tests.runner.scripted import Bench, a_record, cell, cells

CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def mixed(folder: Path) -> list[Cell]:
    return [
        *cells(2, step_s=0.01),
        cell("partial", point={"batch_size": 512}),
        cell("die", signal="SIGSEGV", point={"batch_size": 1024}),
        cell(device="gpu"),
    ]


def shown(bench: Bench, observer: Observer, chosen: list[Cell]) -> None:
    plan = bench.plan(chosen, absent=["gpu"])
    observer.on(plan_line(plan, bench.store.root))
    bench.observer.react = observer.on
    bench.carry_out(plan)


def ended(record: Record) -> CellEndLine:
    """A cell that is through, as a run tells it."""
    return CellEndLine(
        **named(record.cell),
        status=record.status,
        failure=None,
        message="",
        remedy="",
        warnings=[],
        wall_s=record.times.wall_s,
        figures={},
        record_path="record.json",
        record=record,
    )


@pytest.mark.parametrize(
    ("workload", "first", "steps", "took"),
    [
        ({"kind": "image_classification"}, "first step", "epoch 1/1 · step 2/9", "25 ms/step"),
        (
            {"kind": "image_classification", "mode": "inference"},
            "first call", "  call 2/9", "25 ms/call",
        ),
        ({"kind": "python"}, "first step", "  step 2/9", "25 ms/step"),
        ({"kind": "matmul"}, "first call", "call 1/1 · product 2/9", "25 ms/product"),
    ],
)  # fmt: skip
def test_the_progress_and_the_line_of_a_cell_say_what_is_counted_and_timed(
    workload: dict[str, Any], first: str, steps: str, took: str, tmp_path: Path
) -> None:
    one, out = cell(**workload), io.StringIO()
    console = Console(file=out, force_terminal=True, width=110, color_system=None)
    with LiveProgress(console, Bench(tmp_path).plan([one])) as live:
        live.on(CellStartLine(**named(one), number=1, of=1))
        for says in (
            PhaseEvent(phase="compile"),
            ProgressEvent(epoch=1, epochs=1, step=2, steps=9, eta_s=3.0),
        ):
            live.on(CellEventLine(key=one.key, says=says))
            live.on(WaitingLine(reason=""))  # draws at once what a tick draws twice a second
    text = CODES.sub("", out.getvalue())
    assert f"{first}: tracing and compiling" in text
    assert steps in text
    line = ended(a_record(one, "ok")).model_copy(update={"figures": {"step_s": 0.025}})
    assert end_text(line) == f"{took} (mean)"


@pytest.mark.parametrize(
    ("environment", "drawn_over"),
    [({"TERM": "xterm"}, True), ({"TERM": "dumb"}, False), ({"JPY_PARENT_PID": "1"}, False)],
)
def test_the_live_display_is_for_terminals_that_can_be_drawn_over(
    environment: dict[str, str],
    drawn_over: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("JPY_PARENT_PID", raising=False)
    for name, value in {"TERM": "xterm", **environment}.items():
        monkeypatch.setenv(name, value)
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr("sys.stdout", terminal)
    with progress_for(Bench(tmp_path).plan(cells(1)), json=False, quiet=False) as observer:
        assert isinstance(observer, LiveProgress) is drawn_over


@pytest.mark.e2e
def test_plain_lines_tell_each_finished_cell_with_its_headline_figures(tmp_path: Path) -> None:
    out = io.StringIO()
    shown(Bench(tmp_path), PlainLines(out), mixed(tmp_path))
    text = out.getvalue()

    assert text.startswith("5 cells: 4 to run (the first cell will show how long this takes)")
    assert "  gpu: 1 cell skipped: not on this machine" in text
    assert "✓ cpu #0  25 ms/step (mean)  10,200 examples/s  val_accuracy 0.9000" in text
    assert "◐ cpu batch_size=512 #0  25 ms/step (mean)" in text
    assert "stopped by its budget" in text
    assert "✗ cpu batch_size=1024 #0  signal: Its process was ended by SIGSEGV." in text
    assert "3 measured, 1 of them stopped by the budget, 1 failed, 1 skipped in" in text
    assert "--retry-failed runs them again" in text
    assert "\x1b" not in text
    assert len([line for line in text.splitlines() if line.startswith("[")]) == 4


SWEEP_S = [
    6.6, 7.1, 7.3, 6.3, 4.1, 4.7, 4.6, 4.5, 7.8, 6.9, 6.0, 4.8,
    7.6, 7.8, 8.1, 6.7, 4.6, 4.2, 4.9, 4.4, 6.3, 6.7, 6.5, 6.3,
]  # fmt: skip
"""What the cells of a sweep of six batch sizes on two devices took, twice, in their order."""


@pytest.mark.parametrize("seconds", [SWEEP_S, SWEEP_S[::-1]])
def test_from_the_third_cell_of_a_sweep_on_the_time_left_is_right_within_a_factor_of_1_5(
    seconds: list[float],
) -> None:
    half = len(seconds) // 2
    # The second repeat runs the first one backwards.
    places = [*range(half), *reversed(range(half))]
    cells = [cell(point={"n": place}, repeat=number // half) for number, place in enumerate(places)]
    view = RunView(cells)
    for count, (one, wall_s) in enumerate(zip(cells, seconds, strict=True), start=1):
        took = a_record(one, "ok").model_copy(update={"times": Times(wall_s=wall_s)})
        for line in (CellStartLine(**named(one), number=count, of=len(cells)), ended(took)):
            assert len(list(view.hear(line))) <= 1
        told, left = view.left_s, sum(seconds[count:])
        assert told is not None
        if 3 <= count < len(cells):
            assert left / 1.5 <= told <= 1.5 * left


@pytest.mark.e2e
def test_json_is_one_object_a_line_of_the_documented_kinds(tmp_path: Path) -> None:
    out = io.StringIO()
    shown(Bench(tmp_path), JsonLines(out), mixed(tmp_path))
    events = [json.loads(line) for line in out.getvalue().splitlines()]

    kinds = [event["event"] for event in events]
    assert (kinds[0], kinds[-1]) == ("plan", "end")
    assert set(kinds) == {"plan", "cell-start", "cell-event", "cell-end", "end"}
    ends = [event for event in events if event["event"] == "cell-end"]
    assert {end["status"] for end in ends} == {"ok", "partial", "failed", "skipped"}
    assert all("record" not in end for end in ends)
    good = next(end for end in ends if end["status"] == "ok")
    assert good["figures"] == {
        "step_s": 0.025,
        "samples_per_s": 10240.0,
        "loss": 0.5,
        "val_accuracy": 0.9,
    }
    assert Path(good["record_path"]).exists()


def one_left(*, ok: int = 0, stopped_by: str = "") -> EndLine:
    """The end of a run that came to all of its cells but one."""
    none = dict.fromkeys(
        ("partial", "untimed", "failed", "skipped", "done_before", "failed_before"), 0
    )
    return EndLine(ok=ok, left=1, stopped_by=stopped_by, wall_s=1.0, results="results", **none)


@pytest.mark.e2e
def test_quiet_tells_failures_only(tmp_path: Path) -> None:
    out = io.StringIO()
    shown(Bench(tmp_path), Quiet(out), mixed(tmp_path))
    line, remedy = out.getvalue().splitlines()
    assert "signal: Its process was ended by SIGSEGV" in line
    assert remedy.startswith("    → ")


@pytest.mark.e2e
def test_a_remedy_is_told_once_however_many_cells_need_it(tmp_path: Path) -> None:
    out = io.StringIO()
    shown(Bench(tmp_path), PlainLines(out), cells(3, do="die", signal="SIGKILL"))
    assert out.getvalue().count("ended by SIGKILL") == 3
    assert out.getvalue().count("→") == 1


@pytest.mark.e2e
def test_the_live_display_shows_cells_steps_and_times_left(tmp_path: Path) -> None:
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=110, color_system=None)
    bench = Bench(tmp_path)
    chosen = [*mixed(tmp_path), cell(steps=3, step_s=0.6, point={"batch_size": 64})]
    plan = bench.plan(chosen, absent=["gpu"])
    with LiveProgress(console, plan) as live:
        shown(bench, live, chosen)
    text = CODES.sub("", out.getvalue())

    for part in ("/5 cells", "epoch 1/1 · step 2/3", "0.5 s left", "about"):
        assert part in text
    for part in ("✓ cpu #0", "✗ cpu batch_size=1024 #0", "4 measured"):
        assert part in text
    assert "\x1b[?25h" in out.getvalue(), "the cursor was not given back"


def test_the_live_display_shows_cells_that_several_machines_measure_at_once(
    tmp_path: Path,
) -> None:
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=110, color_system=None)
    chosen = cells(12)
    with LiveProgress(console, Bench(tmp_path).plan(chosen)) as live:
        for number, one in enumerate(chosen, start=1):
            live.on(CellStartLine(**named(one), number=number, of=12, host=f"n{number}"))
    text = CODES.sub("", out.getvalue())

    assert "cpu #0 on n1" in text
    assert "cpu-1 #0 on n2" in text
    assert "and 4 more" in text


@pytest.mark.e2e
def test_an_interrupted_run_says_what_is_kept_and_how_to_go_on(tmp_path: Path) -> None:
    out = io.StringIO()
    bench = Bench(tmp_path)
    bench.run(cells(2))
    bench = Bench(tmp_path)
    bench.stop.request("SIGINT")
    shown(bench, PlainLines(out), cells(6))
    assert "Stopped (SIGINT)" in out.getvalue()
    assert "2 finished cells kept" in out.getvalue()
    assert "4 to do. Run the same command again to continue." in out.getvalue()


def test_a_run_in_which_somebody_cancelled_a_job_says_what_is_left() -> None:
    assert list(closing(one_left())) == [
        "0 measured, 1 interrupted in 1.0 s. Results: results",
        "Run the same command again to measure the interrupted cells.",
    ]


def test_a_plan_is_told_cell_by_cell_in_the_order_of_measuring(tmp_path: Path) -> None:
    plan = plan_line(Bench(tmp_path).plan(cells(4), absent=["cpu-1"]), tmp_path)
    text = "\n".join(plan_text(plan))
    assert "sweep (full): 2 run, 2 skip" in text
    assert re.search(r"^ +1  run +cpu #0$", text, re.MULTILINE)
    assert re.search(r"^ +2  run +cpu #1$", text, re.MULTILINE)
    assert re.search(r"^ +skip +cpu-1 #0$", text, re.MULTILINE)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.04, "0.0 s"),
        (9.94, "9.9 s"),
        (9.96, "10 s"),
        (59.4, "59 s"),
        (59.6, "1 min"),
        (61, "1 min 01 s"),
        (3599.6, "1 h 00 min"),
        (3660, "1 h 01 min"),
        (86400, "24 h 00 min"),
    ],
)
def test_durations_read_well(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.02411, "0.0241"), (24.149, "24.1"), (999.9, "1,000"), (10649, "10,600"), (0, "0")],
)
def test_numbers_have_three_digits(value: float, text: str) -> None:
    assert number(value) == text
