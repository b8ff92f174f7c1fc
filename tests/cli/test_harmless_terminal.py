"""What files say is shown on a terminal, and never obeyed by it."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from accelreport.errors import AccelReportError
from accelreport.results.record import Failure
from accelreport.results.store import Store
from accelreport.runner.events import Observer, plan_line
from accelreport.terminal.live import LiveProgress
from accelreport.terminal.progress import JsonLines, PlainLines, Quiet
from accelreport.terminal.run_text import plan_text
from accelreport.terminal.say import on_one_line, say, show, show_unexpected
from tests.cli.test_terminal import one_left
from tests.runner.scripted import Bench, a_record, cell
from tests.support.program import call
from tests.support.records import study

TITLE = "\x1b]0;owned\x07"
CSI = "\x9b31m"
NEXT = "\nerror: all is well\r"
EVIL = f"{TITLE}{CSI}\u202e"
OBEYED = ("\x1b", "\x9b", "\x07", "\r", "\u202e")


def obeyed(text: str) -> list[str]:
    return [char for char in OBEYED if char in text]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two results folders whose names of files and whose records a terminal would obey."""
    made = study(repeats=2, devices=("cpu", "gpu"), epochs=1)
    for name in ("old", "new"):
        store = Store(tmp_path / name)
        store.prepare()
        text = json.dumps(made.plan.model_dump(mode="json"))
        spec = made.plan.spec
        for word in (f'"{spec}"', '"gpu"'):
            text = text.replace(word, json.dumps(word[1:-1] + EVIL))
        (store.planned / "plan.json").write_text(text)
        for record in made.records:
            store.write(record)
        (store.cells / f"{EVIL}{NEXT}.json").write_text("{")
        odd = made.records[0].model_copy(update={"key": EVIL})
        (store.cells / "odd.json").write_text(odd.model_dump_json())
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ("merge", "old", "new", "-o", "out"),
        ("build", "--results", "old", "--no-cache"),
        ("compare", "old", "new"),
        ("compare", "old", "new", "--format", "markdown"),
    ],
    ids=lambda arguments: " ".join(arguments),
)
def test_no_command_passes_on_what_a_terminal_obeys(
    folder: Path, arguments: tuple[str, ...]
) -> None:
    told = call(folder, *arguments)
    text = told.stdout + told.stderr
    assert "Traceback" not in text
    assert "owned" in text, "it is shown, and not left out"
    assert obeyed(text) == []
    assert "\nerror: all is well" not in text


def test_a_failure_of_an_earlier_run_is_told_in_a_plan_and_not_obeyed(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    one = cell(spec=EVIL)
    failure = Failure(kind="nan-loss", message=f"{EVIL}{NEXT}")
    bench.store.prepare()
    bench.store.write(a_record(one, "failed").model_copy(update={"failure": failure}))
    line = plan_line(bench.plan([one]), bench.store.root)
    lines = [on_one_line(text) for text in plan_text(line)]
    assert obeyed("".join(lines)) == []
    assert not any("\n" in text for text in lines)


@pytest.mark.e2e
@pytest.mark.parametrize("how", ["plain", "quiet", "live"])
def test_a_run_passes_on_nothing_that_a_terminal_obeys(tmp_path: Path, how: str) -> None:
    bench, out = Bench(tmp_path), io.StringIO()
    chosen = [cell("fail", spec=EVIL, point={EVIL: EVIL}, kind_of_failure="nan-loss")]
    live = LiveProgress(Console(file=out, width=200), bench.plan(chosen))
    observers: dict[str, Observer] = {"plain": PlainLines(out), "quiet": Quiet(out), "live": live}
    bench.observer.react = observers[how].on
    bench.run(chosen)
    assert "owned" in out.getvalue()
    assert obeyed(out.getvalue()) == []


def test_an_error_is_shown_and_not_obeyed(tmp_path: Path) -> None:
    out = io.StringIO()
    show(AccelReportError(EVIL, why=EVIL, remedy=EVIL), out)
    show_unexpected(ValueError(EVIL), tmp_path, out)
    assert obeyed(out.getvalue()) == []
    assert out.getvalue().count("owned") == 4


@given(st.text(), st.text())
def test_a_line_stays_one_line_and_what_is_harmless_stays_as_it_is(one: str, other: str) -> None:
    line = on_one_line(f"{one}\x1b{other}")
    assert "\x1b" not in line
    assert len(line.splitlines()) == 1
    assert on_one_line(line) == line
    assert on_one_line("Größe × 2 → “µs” 🙂") == "Größe × 2 → “µs” 🙂"


@pytest.mark.parametrize("shows", [PlainLines, JsonLines, Quiet])
def test_a_run_goes_on_when_nobody_reads_what_it_prints(
    shows: type[PlainLines | JsonLines | Quiet], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped = one_left(ok=1, stopped_by="SIGINT")
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as stream:
        monkeypatch.setattr("sys.stdout", stream)
        observer = shows(stream)
        for _ in range(3):
            observer.on(stopped)
        say("and what is said at the end")
        # What follows goes nowhere, and so the closing of the stream cannot fail either.
        assert os.path.samestat(os.fstat(stream.fileno()), Path(os.devnull).stat())
