"""The program without its start: what it imports is imported once, and each call is a fork of that.

    python -m tests.support.program_server serve SOCKET
    python -I -S tests/support/program_server.py ask SOCKET MODULE ARGUMENTS...

A fork has imported more than the program has when it begins, and is otherwise what `python -m
accelreport` is: its folder, its environment, its files and its end are those that were asked for.
Where Python itself would have begun otherwise, by what stands in the environment, there is no fork,
and the program is started from nothing.

`check` asks a process of its own whether models fit their data. That process is a fork as well, of
a server that has imported TensorFlow and is started when it is first asked.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import select
import socket
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

HEAVY = (
    "accelreport.api",
    "accelreport.cli.app",
    "accelreport.loader.load",
    "accelreport.report.comparison",
    "accelreport.report.site.builder",
    "accelreport.runner.prepare",
    "accelreport.runner.run",
    "accelreport.terminal.comparison",
    "accelreport.terminal.progress",
    "scipy.stats",
)
"""What takes long to import of what commands import."""

AT_THE_START = ("PYTHON", "LC_", "LANG", "TZ", "OPENBLAS_", "OMP_")
"""Beginnings of variables that Python, or a library, reads when it starts."""

ALIKE = {"PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED"}
"""Those of them that change nothing of what a program says and does."""

LONGEST = 2**17
"""Bytes of a message."""

NO = "no"
"""The answer where a fork would not be right."""


def ask(
    where: str,
    arguments: Sequence[str],
    folder: str,
    environment: Mapping[str, str],
    files: Sequence[int],
) -> int | None:
    """Have a fork of a server be the program, and wait for its end.

    Args:
        where: path of the server's socket.
        arguments: the program's.
        folder: the one it works in.
        environment: its variables.
        files: descriptors of its standard input, output and error.

    Returns:
        The exit code; None where it must be started from nothing.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as asked:
        asked.connect(where)
        orders = json.dumps([list(arguments), folder, dict(environment)]).encode()
        if len(orders) > LONGEST:
            return None
        socket.send_fds(asked, [orders], list(files))
        answer = asked.recv(LONGEST).decode()
    assert answer, "the server has ended"
    return None if answer == NO else int(answer)


def _begins_alike(environment: Mapping[str, str]) -> bool:
    """Whether Python, started in an environment, would have begun as this process did."""
    # Python itself says the last of them where no language is chosen.
    same = {("PYTHONPATH", str(ROOT)), ("LANG", "C.UTF-8"), ("LC_CTYPE", "C.UTF-8")}

    def said(variables: Mapping[str, str]) -> dict[str, str]:
        return {
            name: value
            for name, value in variables.items()
            if name.startswith(AT_THE_START)
            and name not in ALIKE
            # Of the folders that are looked through, this checkout comes first as it is; and
            # where no language is chosen, Python reads and writes UTF-8, too.
            and (name, value) not in same
        }

    return said(environment) == said(os.environ)


Main = Callable[[list[str]], object]
"""What a fork is to be, given the arguments."""


def serve(where: str) -> Main:
    """Be forked until standard input ends; returns in a fork."""
    for name in HEAVY:
        importlib.import_module(name)
    from accelreport.backend import shapes
    from accelreport.cli import main as program
    from accelreport.runner import run
    from tests.support.forks import Forks

    # Else each repeat of a cell would wait for another import of TensorFlow, as would each
    # question about a model.
    run.ForkPool = Forks  # type: ignore[attr-defined]
    asking = f"{where}-shapes"
    shapes.PROCESS = (
        *(sys.executable, "-I", "-S", __file__, "ask", asking, "accelreport.backend.shapes"),
    )
    with _listening(where) as programs, _listening(asking) as questions:
        print("ready", flush=True)  # noqa: T201 - whoever started this waits for it
        waits_for = [programs, questions]
        while (asked := _next(waits_for)) is programs or os.fork():
            if asked is questions:
                questions.close()  # the fork listens to it from now on
                waits_for = [programs]
            elif _fork_for(programs):
                questions.close()
                return lambda _: program()
        programs.close()
        return _answering(questions)


def _answering(questions: socket.socket) -> Main:
    """Be forked by those who ask about models on TensorFlow."""
    from accelreport.backend import shapes
    from accelreport.backend.frameworks import choose
    from accelreport.backend.main import quiet_tensorflow

    _WAITING.clear()  # they are another process's
    os.environ.update(shapes.WITHOUT_ACCELERATORS)
    quiet_tensorflow()
    choose("tensorflow")
    while not _fork_for(questions, only=["tensorflow"]):
        _next([questions])
    return shapes.main


def _listening(where: str) -> socket.socket:
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listening.bind(where)
    listening.listen()
    return listening


def _next(listening: Sequence[socket.socket]) -> socket.socket:
    """The socket at which somebody asks; the process ends with its standard input."""
    # What started this holds the other end of its standard input, and never writes.
    watched: list[int | socket.socket] = [0, *listening]
    ready = select.select(watched, [], [])[0]
    if 0 in ready:
        os._exit(0)
    return next(one for one in listening if one in ready)


def _fork_for(listening: socket.socket, only: Sequence[str] | None = None) -> bool:
    """Fork for somebody who asks; whether this is the fork that is to be the program."""
    gc.freeze()  # what is here already is nothing that a fork has to look through
    _WAITING.difference_update({pid for pid in _WAITING if os.waitpid(pid, os.WNOHANG)[0]})
    asked, _ = listening.accept()
    if pid := os.fork():
        _WAITING.add(pid)
        asked.close()
        return False
    listening.close()
    _wait_for_fork(asked, only)
    return True


_WAITING: set[int] = set()
"""Forks that wait for the end of theirs."""


def _wait_for_fork(asked: socket.socket, only: Sequence[str] | None) -> None:
    """Fork once more, and tell how that ended; returns in the fork."""
    orders, files, _, _ = socket.recv_fds(asked, LONGEST, 3)
    arguments, folder, environment = json.loads(orders)
    if not _begins_alike(environment) or (only is not None and arguments != only):
        asked.send(NO.encode())
        os._exit(0)
    if program := os.fork():
        _, status = os.waitpid(program, 0)
        asked.send(str(os.waitstatus_to_exitcode(status)).encode())
        os._exit(0)
    asked.close()
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv[:] = [str(ROOT / "accelreport" / "__main__.py"), *arguments]
    del sys.path[0]


def be(main: Main) -> int:
    """Its exit code, as Python has it, which would take down everything that was imported."""
    try:
        main(sys.argv[1:])
        ended: object = 0
    except SystemExit as error:
        ended = error.code or 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
        ended = 1
    if not isinstance(ended, int):
        print(ended, file=sys.stderr)  # noqa: T201 - as Python does
        ended = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        return ended or 120
    return ended


def main() -> None:
    """Serve, and be the program in a fork; or ask a server for one."""
    if sys.argv[1] == "serve":
        os._exit(be(serve(sys.argv[2])))
    _, where, module, *arguments = sys.argv[1:]
    code = ask(where, arguments, str(Path.cwd()), os.environ, (0, 1, 2))
    if code is None:
        os.execv(sys.executable, [sys.executable, "-P", "-m", module, *arguments])  # noqa: S606
    os._exit(code if code >= 0 else 128 - code)


if __name__ == "__main__":
    main()
