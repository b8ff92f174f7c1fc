"""Ends a process group when the runner ends, and a process when its parent ends.

    python -I -S parent_death.py DESCRIPTOR COMMAND…

DESCRIPTOR is the reading end of a pipe whose writing end only the runner holds. However the
runner ends, `kill -9` included, the kernel closes that end, and a watcher ends the group: the
command, and every process that it started and that did not leave the group. The command replaces
this program, so that it has the process id that the runner knows.

The runner starts every process by this program, so it imports nothing that takes time.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import time

SHELL = "/bin/sh"

WATCHED = 9
"""The pipe's descriptor in the shell, whose redirections accept one digit only."""


def main() -> None:
    """Start a watcher and become the command."""
    descriptor, command = int(sys.argv[1]), sys.argv[2:]
    leave_watcher(descriptor)
    os.set_inheritable(descriptor, False)  # noqa: FBT003 -- takes no names
    try:
        os.execvp(command[0], command)  # noqa: S606 -- no shell is wanted
    except OSError as error:
        sys.exit(f"{command[0]} cannot be started: {error.strerror}")


def leave_watcher(descriptor: int) -> None:
    """Start a process in this process' group that ends the group when the runner ends.

    Args:
        descriptor: reading end of the pipe that only the runner holds.
    """
    between = os.fork()
    if between == 0:
        # A second fork, so that the watcher is no child of the command, which may wait for its own.
        if os.fork() == 0:
            _watch(descriptor)
        os._exit(0)
    os.waitpid(between, 0)


def spawn_watcher(descriptor: int) -> None:
    """The same as `leave_watcher` by a shell, which costs less than two forks of a large process.

    All other open descriptors of this process must be closed on exec.

    Args:
        descriptor: reading end of the pipe that only the runner holds.

    Raises:
        OSError: there is no watcher, and this process would outlive the runner.
    """
    nowhere = [(os.POSIX_SPAWN_OPEN, n, os.devnull, os.O_RDWR, 0) for n in (0, 1, 2)]
    held = (os.POSIX_SPAWN_DUP2, descriptor, WATCHED)
    program = f"(read nothing <&{WATCHED}; kill -9 0) &"
    shell = os.posix_spawn(SHELL, ["sh", "-c", program], {}, file_actions=[*nowhere, held])
    _, status = os.waitpid(shell, 0)
    if status != 0:
        raise OSError(errno.EAGAIN, "no process can be started that ends this one with its runner")


def _watch(descriptor: int) -> None:
    # The runner waits until its pipes are closed; an open descriptor here would keep it waiting.
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    os.closerange(3, descriptor)
    os.closerange(descriptor + 1, max(os.sysconf("SC_OPEN_MAX"), 4096))
    os.read(descriptor, 1)
    os.kill(0, signal.SIGKILL)


POLL_EVERY_S = 0.5
"""Seconds between two checks whether the parent still runs."""


def end_with_parent() -> None:
    """End this process soon after its parent has ended, however the parent ended.

    A killed parent cannot notify its child. The kernel then gives the child another parent, which a
    thread detects.
    """
    import threading

    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(POLL_EVERY_S)
        os._exit(1)

    threading.Thread(target=watch, name="end-with-parent", daemon=True).start()


PR_SET_PDEATHSIG = 1


def end_with(supervisor: int) -> None:
    """End this process when its supervisor ends, however that happens.

    A constructor that waits for a missing peer can hold Python's lock for many minutes, and then no
    thread of ours runs. On Linux the kernel ends the process; elsewhere a thread does.
    """
    if sys.platform == "linux":
        import ctypes

        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG)")
    end_with_parent()
    if os.getppid() != supervisor:
        os._exit(1)  # it ended before the kernel was asked


if __name__ == "__main__":
    main()
