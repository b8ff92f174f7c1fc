"""Ports on which the processes of a local cluster can listen."""

from __future__ import annotations

import random
import socket

FIRST, LAST = 15000, 32000
"""Below the ports that systems give to connections by themselves (from 32768 on Linux): one
of those could be taken between its choice and its use."""


def free_ports(count: int) -> list[int]:
    """Different ports on which nobody listens now.

    They are chosen at random, so that two clusters started at once do not meet.
    """
    found: list[int] = []
    for port in random.SystemRandom().sample(range(FIRST, LAST), k=LAST - FIRST):
        if len(found) == count:
            break
        if _free(port):
            found.append(port)
    return found


def _free(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as trial:
        try:
            trial.bind(("", port))
        except OSError:
            return False
    return True
