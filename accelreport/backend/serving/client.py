"""Asking a served model: are the answers right, how long do they take, how many a second."""

from __future__ import annotations

import http.client
import json
import threading
import time
from http import HTTPStatus
from typing import Any

import numpy as np
from numpy.typing import NDArray

from accelreport.backend.serving.launch import Address, ServingError

TIMEOUT_S = 60.0
"""Seconds to wait for one answer."""


class Client:
    """One connection, kept open.

    Args:
        address: where the model is served.
    """

    def __init__(self, address: Address) -> None:
        self._path = address.path
        self._connection = http.client.HTTPConnection("127.0.0.1", address.port, timeout=TIMEOUT_S)

    def close(self) -> None:
        """End the connection."""
        self._connection.close()

    def predict(self, examples: NDArray[Any]) -> NDArray[np.float32]:
        """Inputs [n, …] → outputs [n, …]; raises `ServingError`."""
        return answer(self.ask(request(examples)))

    def ask(self, body: bytes) -> bytes:
        """The answer to a request, as it came."""
        headers = {"Content-Type": "application/json"}
        try:
            self._connection.request("POST", self._path, body, headers)
            response = self._connection.getresponse()
            content = response.read()
        except (OSError, http.client.HTTPException) as error:
            raise ServingError(f"the server does not answer: {error}") from error
        if response.status != HTTPStatus.OK:
            raise ServingError(f"the server answered {response.status}: {content[:200]!r}")
        return content


def request(examples: NDArray[Any]) -> bytes:
    """The body that asks for predictions of examples [n, …]."""
    return json.dumps({"instances": examples.tolist()}).encode()


def answer(body: bytes) -> NDArray[np.float32]:
    """Outputs [n, …] from the body of an answer."""
    return np.asarray(json.loads(body)["predictions"], dtype=np.float32)


def predictions(address: Address, examples: NDArray[Any], batch: int = 100) -> NDArray[np.float32]:
    """Outputs for examples [n, …], asked for `batch` at a time."""
    client = Client(address)
    try:
        parts = [client.predict(examples[i : i + batch]) for i in range(0, len(examples), batch)]
    finally:
        client.close()
    return np.concatenate(parts)


def latencies(
    address: Address, examples: NDArray[Any], *, requests: int, seconds: float
) -> list[float]:
    """Seconds of requests for one example each, one after the other.

    Bodies are written before the clock starts: what is timed is the way there, the model and
    the way back. The first few requests are not counted.

    Args:
        address: where the model is served.
        examples: [n, …], asked for in turn.
        requests: how many.
        seconds: after which it stops earlier.
    """
    bodies = [request(examples[i : i + 1]) for i in range(min(len(examples), requests))]
    client = Client(address)
    times: list[float] = []
    try:
        for body in bodies[:5]:
            client.ask(body)
        deadline = time.perf_counter() + seconds
        for number in range(requests):
            began = time.perf_counter()
            if times and began >= deadline:
                break
            client.ask(bodies[number % len(bodies)])
            times.append(round(time.perf_counter() - began, 7))
    finally:
        client.close()
    return times


def throughput(
    address: Address, examples: NDArray[Any], *, batch: int, clients: int, seconds: float
) -> float:
    """Examples answered in a second when several clients ask at the same time.

    Args:
        address: where the model is served.
        examples: [n, …] with n ≥ batch; every request holds the first `batch`.
        batch: examples in a request.
        clients: connections, each with one request under way.
        seconds: length of the measurement.

    Raises:
        ServingError: a client was not answered.
    """
    body = request(examples[:batch])
    answered = [0] * clients
    failed: list[ServingError] = []
    deadline = time.perf_counter() + seconds

    def ask(number: int) -> None:
        client = Client(address)
        try:
            while not failed and time.perf_counter() < deadline:
                client.ask(body)
                answered[number] += batch
        except ServingError as error:
            failed.append(error)
        finally:
            client.close()

    began = time.perf_counter()
    threads = [threading.Thread(target=ask, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    return sum(answered) / (time.perf_counter() - began)
