"""A cell's process that does as its workload says, without TensorFlow and within milliseconds.

It speaks the job protocol of `accelreport.backend.protocol` but imports nothing of accelreport,
so that a test can afford hundreds of real processes. `workload["do"]` says what happens.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

NOW = "2026-01-01T00:00:00+00:00"


def main() -> None:
    perform(json.loads(Path(sys.argv[1]).read_text()))


def perform(job: dict[str, Any]) -> None:
    cell, record_path = job["cell"], Path(job["record_path"])
    work = cell["workload"]
    key = record_path.parent.name.partition("-")[0]
    events = os.fdopen(job["events_fd"], "w", buffering=1)
    say(events, event="phase", phase="train")
    os.write(1, b"TensorFlow would print something here\n")
    steps = work.get("steps", 2)
    for step in range(1, steps + 1):
        if step_s := work.get("step_s"):
            time.sleep(step_s)
        say(events, event="progress", epoch=1, epochs=1, step=step, steps=steps, eta_s=0.5)
    say(events, event="epoch", epoch=1, metrics={"loss": 0.5, "val_accuracy": 0.9})
    if trace := work.get("trace"):
        with Path(trace).open("a") as file:  # one line for each time a cell is really measured
            file.write(f"{key}\n")
    BEHAVIOURS[work.get("do", "ok")]({**work, "events_fd": events.fileno()}, cell, key, record_path)


def say(events: Any, **event: Any) -> None:
    events.write(json.dumps(event) + "\n")


def record(cell: dict[str, Any], key: str, **more: Any) -> dict[str, Any]:
    block = {"epoch": 1, "first_step": 0, "steps": 1, "wall_s": 1.0, "cpu_s": 1.0, "warmup": True}
    timed = {"wall_s": seconds(cell), "cpu_s": seconds(cell)}
    steady = {**block, **timed, "first_step": 1, "steps": 10, "warmup": False}
    return {
        "record_version": 1,
        "cell": cell,
        "key": key,
        "status": "ok",
        "started_at": NOW,
        "finished_at": NOW,
        "times": {"process_s": 0.1, "import_s": 0.2, "train_s": 1.25},
        "blocks": [block] if cell["workload"].get("warmup_alone") else [block, steady],
        "samples_per_step": 256,
        "final": {"loss": 0.5, "val_accuracy": 0.9},
        **more,
    }


def seconds(cell: dict[str, Any]) -> float:
    """What ten steady steps took: the workload's `seconds`, by device and point, and repeat."""
    place = " ".join((cell["device"], *map(str, cell["point"].values())))
    paces = cell["workload"].get("seconds", {}).get(place, [0.25])
    return float(paces[cell["repeat"] % len(paces)])


def write(path: Path, document: dict[str, Any]) -> None:
    temporary = path.with_suffix(".part")
    temporary.write_text(json.dumps(document))
    temporary.replace(path)


def ok(work: dict[str, Any], cell: dict[str, Any], key: str, path: Path) -> None:
    write(path, record(cell, key))


def partial(work: dict[str, Any], cell: dict[str, Any], key: str, path: Path) -> None:
    write(path, record(cell, key, status="partial", planned_steps=100))


def fail(work: dict[str, Any], cell: dict[str, Any], key: str, path: Path) -> None:
    failure = {"kind": work["kind_of_failure"], "message": "it went wrong"}
    write(path, record(cell, key, status="failed", failure=failure, blocks=[]))
    sys.exit(1)


def fail_once(work: dict[str, Any], cell: dict[str, Any], key: str, path: Path) -> None:
    mark = Path(work["mark"])
    if mark.exists():
        ok(work, cell, key, path)
    else:
        mark.touch()
        fail(work, cell, key, path)


def die(work: dict[str, Any], cell: dict[str, Any], key: str, path: Path) -> None:
    os.kill(os.getpid(), getattr(signal, work["signal"]))
    time.sleep(60)


def crash(work: dict[str, Any], cell: dict[str, Any], key: str, path: Path) -> None:
    raise RuntimeError("the very last line")


def bad_alloc(work: dict[str, Any], cell: dict[str, Any], key: str, path: Path) -> None:
    os.write(2, b"terminate called after throwing an instance of 'std::bad_alloc'\n")
    os.abort()


def half(work: dict[str, Any], cell: dict[str, Any], key: str, path: Path) -> None:
    path.write_text(json.dumps(record(cell, key))[:-30])


def other_cell(work: dict[str, Any], cell: dict[str, Any], key: str, path: Path) -> None:
    write(path, record(cell, "0" * 16))


def bad_exit(work: dict[str, Any], cell: dict[str, Any], key: str, path: Path) -> None:
    ok(work, cell, key, path)
    os.kill(os.getpid(), signal.SIGSEGV)


def hang(work: dict[str, Any], cell: dict[str, Any], key: str, path: Path) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(600)


def hang_with_children(work: dict[str, Any], cell: dict[str, Any], key: str, path: Path) -> None:
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    subprocess.Popen(["sleep", "600"])
    hang(work, cell, key, path)


def leave_children(work: dict[str, Any], cell: dict[str, Any], key: str, path: Path) -> None:
    subprocess.Popen(["sleep", "600"])  # holds the descriptors of log and events for ever
    child = subprocess.Popen(["sleep", "600"], start_new_session=True)
    if (between := os.fork()) == 0:
        os.setsid()
        if (forked := os.fork()) == 0:  # runs no program of its own
            time.sleep(600)
            os._exit(0)
        Path(work["mark"]).write_text(f"{child.pid} {forked}")
        os._exit(0)
    os.waitpid(between, 0)
    ok(work, cell, key, path)


def babble(work: dict[str, Any], cell: dict[str, Any], key: str, path: Path) -> None:
    events = os.fdopen(work["events_fd"], "wb", 0)
    events.write(b"no event\n" * 3000 + b'{"event": "unknown"}\n' + b"x" * 3_000_000 + b"\n")
    sys.stdout.buffer.write(b"\xff\x00\x1b[31mred\x1b[0m\rover\n" * 5000)
    ok(work, cell, key, path)


BEHAVIOURS = {
    function.__name__: function
    for function in (
        ok,
        partial,
        fail,
        fail_once,
        die,
        crash,
        bad_alloc,
        half,
        other_cell,
        bad_exit,
        hang,
        hang_with_children,
        leave_children,
        babble,
    )
}

if __name__ == "__main__":
    main()
