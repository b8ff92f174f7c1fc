"""What can go wrong with a cell, and an exception told as the kind of failure a report shows."""

from __future__ import annotations

import errno
import os
import signal
import sys
import traceback
from typing import cast, get_args

from accelreport.errors import (
    PROCESSES_REMEDY,
    AccelReportError,
    ExitCode,
    is_refused_process,
)
from accelreport.machine.memory import LARGE_SHARE, nearest_limit
from accelreport.results.record import Failure, FailureKind

REMEDIES = {
    "oom-host": "a smaller batch, or a machine with more memory",
    "oom-device": "a smaller batch, or a device with more memory",
    "nan-loss": "a smaller learning rate, or another precision",
    "compile-error": "xla or torch_compile = false in the devices file, or another framework",
    "no-device": "accelreport devices shows what is here",
    "no-framework": "accelreport devices shows what is here",
    "worker-lost": "the log has the process's output; --retry-failed tries again",
    "harness-error": "the record has the traceback; --retry-failed tries again",
    "bad-spec": "correct the spec; accelreport check shows what can be checked without measuring",
    "bad-plugin": "correct, update or uninstall the package",
}
"""What a person can do about each kind."""

OUT_OF_MEMORY_REMEDY = (
    "Use a smaller batch or fewer examples, end other programs, or raise the memory limit (ulimit "
    "-v)."
)
"""What helps a process that was ended for want of memory, by the kernel or a cluster's engine."""

LONGEST_SENTENCE, LONGEST_TRACEBACK = 1_000, 20_000
"""Characters that are kept of a message and, at its end, of a traceback."""

LIMIT_REMEDY = "a higher limit (ulimit -v, ulimit -d), a smaller batch, or fewer examples"
"""What helps where the memory of the process itself is limited."""

AT_A_LIMIT = ("failed to map segment", "can't start new thread", "could not create a primitive")
"""What is said for want of memory, where the memory of the process is limited, by the dynamic
loader, Python and oneDNN; without a limit each of them may have other causes."""

BUGS = ("harness-error", "bad-plugin")
"""Kinds of errors that nobody foresaw: their class says more than their message."""


def failure(error: BaseException, guest: str = "") -> Failure:
    """The failure an exception stands for.

    An error class that names its own `kind` is believed; TensorFlow's classes are told apart
    by their names, so that this works where TensorFlow could not be imported.

    Args:
        error: what was raised.
        guest: the package whose workload it was, when it is not one of accelreport's own; an
            error that nobody foresaw and that passed through its code is its own.
    """
    kind = _kind(error)
    if kind == "harness-error" and guest:
        frames = (frame for frame, _ in traceback.walk_tb(error.__traceback__))
        if any(f.f_globals.get("__name__", "").partition(".")[0] == guest for f in frames):
            kind = "bad-plugin"
    own = error if isinstance(error, AccelReportError) else AccelReportError(str(error))
    why = f" ({own.why})" if own.why else ""
    limited = kind == "oom-host" and nearest_limit(os.getpid())
    first = _sentence(own.what) or type(error).__name__
    unforeseen = kind == "harness-error" or not hasattr(error, "kind")
    named = f"{type(error).__name__}: {first}" if unforeseen and kind in BUGS else first
    message = named + why
    if len(message) > LONGEST_SENTENCE:
        message = f"{message[: LONGEST_SENTENCE - 2]} …"
    refused = is_refused_process(error)
    remedy = LIMIT_REMEDY if limited else PROCESSES_REMEDY if refused else REMEDIES.get(kind, "")
    return Failure(
        kind=kind,
        message=_storable(message),
        remedy=own.remedy or remedy,
        traceback=_storable("".join(traceback.format_exception(error))[-LONGEST_TRACEBACK:]),
    )


def _storable(text: str) -> str:
    """A text with the halves of characters, which no file can hold, as escapes."""
    return text.encode(errors="backslashreplace").decode()


def _sentence(message: str) -> str:
    """The line that says what happened.

    TensorFlow's errors inside a graph begin with a heading and the place in the program;
    what happened stands behind the last "  File …" line.
    """
    lines = [line.strip() for line in message.strip().splitlines()]
    if lines and lines[0] == "Graph execution error:":
        places = [number for number, line in enumerate(lines) if line.startswith("File ")]
        lines = lines[places[-1] + 1 :] if places else lines[1:]
        lines = [line for line in lines if line and not line.endswith("root error(s) found.")]
    return lines[0] if lines else ""


def _kind(error: BaseException) -> FailureKind:
    own = getattr(error, "kind", None)
    if own in get_args(FailureKind):
        return cast("FailureKind", own)
    if isinstance(error, AccelReportError) and error.exit_code is ExitCode.BAD_SPEC:
        return "bad-spec"
    if kind := out_of_memory(error):
        return kind
    if type(error).__module__.startswith(("torch._dynamo", "torch._inductor")):
        return "compile-error"
    if isinstance(error, ImportError) and "tensorflow" in str(error).lower():
        return "no-framework"
    if "XLA" in str(error) or "jit_compile" in str(error):
        return "compile-error"
    return "harness-error"


def out_of_memory(error: BaseException) -> FailureKind | None:
    """Whose memory is exhausted, by the words of each framework; None where none is."""
    name, text = type(error).__name__, str(error)
    if isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM:
        return "oom-host"
    if "std::bad_alloc" in text:
        return "oom-host"
    if (near := nearest_limit(os.getpid())) is not None:
        # NumPy's and Python's own C code may return nothing at all where memory is refused.
        blank = isinstance(error, SystemError) and near.share >= LARGE_SHARE
        if blank or any(words in text for words in AT_A_LIMIT):
            return "oom-host"
    if name == "ResourceExhaustedError":
        # TensorFlow's CPU allocator says which device it could not allocate on.
        return "oom-host" if "CPU" in text else "oom-device"
    jax = sys.modules.get("jax")
    if "RESOURCE_EXHAUSTED" in text and jax is not None:
        return "oom-host" if jax.default_backend() == "cpu" else "oom-device"
    if "DefaultCPUAllocator" in text:
        return "oom-host"
    return "oom-device" if name == "OutOfMemoryError" else None


def signal_name(number: int) -> str:
    """The name of a signal; `signal 64` where it has none."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


class NoDeviceError(RuntimeError):
    """The device is not there, found out only now."""

    kind = "no-device"


class CompileError(RuntimeError):
    """XLA cannot compile what the device asks for."""

    kind = "compile-error"


class WorkerLostError(RuntimeError):
    """A process of a distributed cell has ended, or never joined."""

    kind = "worker-lost"


class StrategyError(AccelReportError):
    """A strategy that cannot do what the workload asks for."""

    exit_code = ExitCode.BAD_SPEC
