"""What became of a cell: the record its process wrote, or one that says why there is none."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from accelreport.backend import failures
from accelreport.backend.failures import LIMIT_REMEDY
from accelreport.machine.memory import LARGE_SHARE
from accelreport.results.errors import UnreadableFile
from accelreport.results.reading import read_record
from accelreport.results.record import Environment, Failure, Record, Times, Warned
from accelreport.runner.process import Ending
from accelreport.spec.cells import Cell

ROOT = Path("/")

OUT_OF_MEMORY = (
    *("std::bad_alloc", "MemoryError", "Cannot allocate memory"),
    "OpenBLAS error: Memory allocation",
)
"""What programs print that could not get memory and gave up by themselves."""

AT_A_LIMIT = (*OUT_OF_MEMORY, *failures.AT_A_LIMIT, "pthread_create")
"""What they print, too, where the memory of their process is limited."""


def oom_kills(root: Path = ROOT) -> int:
    """Processes the kernel has killed for want of memory, by every counter that can be read.

    The counters are those of this process' control groups (versions 1 and 2) and the whole
    machine's. Only the difference between two calls means anything.
    """
    return sum(_count(path) for path in _counters(root))


def _counters(root: Path) -> Iterator[Path]:
    yield root / "proc/vmstat"
    groups = root / "sys/fs/cgroup"
    membership = root / "proc/self/cgroup"
    lines = membership.read_text().splitlines() if membership.exists() else []
    for line in lines:
        _, controllers, path = line.split(":", 2)
        inside = path.strip("/")
        if not controllers:
            # In a container the path may be the host's; its own group is then at the top.
            yield from {groups / inside / "memory.events", groups / "memory.events"}
        elif "memory" in controllers.split(","):
            top = groups / "memory"
            yield from {top / inside / "memory.oom_control", top / "memory.oom_control"}


def _count(path: Path) -> int:
    try:
        lines = path.read_text().splitlines()
    except OSError:
        return 0  # this system does not have it
    return sum(int(line.split()[1]) for line in lines if line.startswith("oom_kill "))


TAIL_BYTES = 16 * 1024
TAIL_LINES = 100


@dataclass(frozen=True)
class Observed:
    """What the runner saw of a cell's process.

    Attributes:
        cell: what it was to measure.
        ending: how it ended.
        record_path: where it was to write its record.
        log: what it printed.
        started_at: when it was launched, UTC in ISO 8601.
        finished_at: when it ended.
        oom_kills: processes the kernel killed for want of memory meanwhile.
        environment: this machine, for a record the runner has to write itself.
        complaints: what was wrong with its events.
    """

    cell: Cell
    ending: Ending
    record_path: Path
    log: Path
    started_at: str
    finished_at: str
    oom_kills: int
    environment: Environment
    complaints: Sequence[str] = field(default=())


def conclude(seen: Observed) -> Record:
    """The cell's record: the process' own where it left one, else a failure with its kind."""
    tail = tail_of(seen.log)
    try:
        record = read_record(seen.record_path)
    except FileNotFoundError:
        record = failed(seen, explain(seen, tail))
    except UnreadableFile as error:
        problem = f"Its process left something that is no record: {error.problem.message}"
        record = failed(seen, Failure(kind="harness-error", message=problem))
    if record.key != seen.cell.key:
        problem = f"Its process measured another cell ({record.key})."
        record = failed(seen, Failure(kind="harness-error", message=problem))
    environment = record.environment or seen.environment
    # A process that limits its own processors must not look like another machine.
    place = {"machine": seen.environment.machine, "host": seen.environment.host}
    return record.model_copy(
        update={
            "cell": seen.cell,
            "started_at": seen.started_at,
            "finished_at": seen.finished_at,
            "times": record.times.model_copy(update={"wall_s": seen.ending.wall_s}),
            "environment": environment.model_copy(update=place),
            "log_tail": tail,
            "warnings": [*record.warnings, *_warnings(seen, record)],
        }
    )


def failed(seen: Observed, failure: Failure) -> Record:
    """A record that holds nothing but why there is no result."""
    return Record(
        cell=seen.cell,
        key=seen.cell.key,
        status="failed",
        failure=failure,
        started_at=seen.started_at,
        finished_at=seen.finished_at,
        times=Times(),
        environment=seen.environment,
    )


def explain(seen: Observed, tail: str) -> Failure:
    """Why a process wrote no record."""
    ending = seen.ending
    if ending.by == "timeout":
        limit = f"{seen.cell.measure.timeout:g} s"
        return Failure(
            kind="timeout",
            message=f"It had not ended after {limit} (measure.timeout) and was killed.",
            remedy="Raise measure.timeout, or lower measure.budget so that it ends by itself.",
        )
    if ending.by == "stop":
        return Failure(
            kind="interrupted",
            message="The run was stopped while it was being measured.",
            remedy="The next run measures it.",
        )
    if (limited := ending.limited) and _met_its_limit(seen, tail):
        return Failure(
            kind="oom-host",
            message=f"It met the limit of its memory: its process was ended by {_signal(ending)} "
            f"after it was seen to hold {limited.held / 2**20:.0f} MiB of "
            f"{limited.limit / 2**20:.0f} MiB of address space.",
            remedy=f"Use {LIMIT_REMEDY}.",
        )
    if _out_of_memory(seen, tail):
        return Failure(
            kind="oom-host",
            message=f"The machine's memory ran out: its process was ended by {_signal(ending)} "
            f"while it held {ending.peak_bytes / 2**20:.0f} MiB.",
            remedy="Use a smaller batch or fewer examples, or end other programs.",
        )
    if ending.code is None or ending.code < 0:
        return Failure(
            kind="signal",
            message=f"Its process was ended by {_signal(ending)}.",
            remedy="The end of its log is in the record; --retry-failed tries again.",
        )
    return Failure(
        kind="harness-error",
        message=f"Its process ended with exit code {ending.code} and left no record"
        + (f": {last}" if (last := _last_line(tail)) else "."),
        remedy="The end of its log is in the record.",
    )


def tail_of(log: Path) -> str:
    """The last lines of a log, as text that any program can show."""
    try:
        with log.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - TAIL_BYTES))
            content = file.read()
    except FileNotFoundError:
        return ""
    text = content.decode(errors="replace").replace("\r\n", "\n").replace("\r", "\n").rstrip()
    lines = text.split("\n")[1 if size > TAIL_BYTES else 0 :]
    shown = ("".join(c for c in line if c.isprintable() or c == "\t") for line in lines)
    return "\n".join(list(shown)[-TAIL_LINES:])


def _met_its_limit(seen: Observed, tail: str) -> bool:
    limited, code = seen.ending.limited, seen.ending.code
    if limited is None or code in (0, -signal.SIGKILL, None):
        return False
    return limited.share >= LARGE_SHARE or any(text in tail for text in AT_A_LIMIT)


def _out_of_memory(seen: Observed, tail: str) -> bool:
    code = seen.ending.code
    if code == -signal.SIGKILL:
        large = LARGE_SHARE * seen.environment.memory_bytes
        return seen.oom_kills > 0 or seen.ending.peak_bytes >= large
    gave_up = code == -signal.SIGABRT or (code is not None and code > 0)
    return gave_up and any(text in tail for text in OUT_OF_MEMORY)


def _warnings(seen: Observed, record: Record) -> list[Warned]:
    found = [Warned(kind="bad-event", message=complaint) for complaint in seen.complaints]
    code = seen.ending.code
    if record.status != "failed" and seen.ending.by == "itself" and code != 0:
        end = f"exit code {code}" if code is not None and code > 0 else _signal(seen.ending)
        message = f"Its process ended with {end} after it had written this record."
        found.append(Warned(kind="bad-exit", message=message))
    return found


def _signal(ending: Ending) -> str:
    if ending.code is None:
        return "SIGKILL, and has not left the kernel since"
    if ending.code >= 0:
        return f"exit code {ending.code}"
    try:
        return signal.Signals(-ending.code).name
    except ValueError:
        return f"signal {-ending.code}"


def _last_line(tail: str) -> str:
    return next((line.strip()[:300] for line in reversed(tail.split("\n")) if line.strip()), "")
