"""A server of an exported model, as a process that lives as long as it is needed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

START_S = 120.0
"""Seconds in which a server must answer: it imports TensorFlow first."""

END_S = 10.0
"""Seconds in which it must end."""


class ServingError(RuntimeError):
    """The server does not run."""


@dataclass(frozen=True)
class Address:
    """Where a model is served.

    Attributes:
        port: port of the loopback interface.
        name: the model's name.
        start_s: seconds from the launch until it answered.
    """

    port: int
    name: str
    start_s: float

    @property
    def path(self) -> str:
        """Path of predictions."""
        return f"/v1/models/{self.name}:predict"


@contextmanager
def served(folder: Path, name: str) -> Iterator[Address]:
    """A server of the SavedModel in `folder`, ended with the block.

    It runs on the CPU, so that it never competes for the accelerator of the training.

    Raises:
        ServingError: it did not start.
    """
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "accelreport.backend.serving.server", str(folder), name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "CUDA_VISIBLE_DEVICES": ""},
    )
    complaints: list[str] = []
    # TensorFlow writes to standard error; a full pipe would stop the server.
    reader = threading.Thread(target=_keep_last, args=(process, complaints), daemon=True)
    reader.start()
    try:
        port = _port(process, complaints)
        yield Address(port=port, name=name, start_s=time.perf_counter() - began)
    finally:
        _end(process)
        reader.join(END_S)


def _keep_last(process: subprocess.Popen[str], lines: list[str]) -> None:
    assert process.stderr is not None
    for line in process.stderr:
        lines.append(line.rstrip())
        del lines[:-20]


def _port(process: subprocess.Popen[str], complaints: list[str]) -> int:
    assert process.stdout is not None
    # A server that hangs would be waited for without end.
    alarm = threading.Timer(START_S, process.kill)
    alarm.start()
    try:
        line = process.stdout.readline()
    finally:
        alarm.cancel()
    try:
        return int(json.loads(line)["port"])
    except (ValueError, KeyError, TypeError) as error:
        last = complaints[-1] if complaints else "it said nothing"
        raise ServingError(f"the server did not start: {last}") from error


def _end(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.close()
    try:
        process.wait(END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()
