"""A trained model exported, served by a process of its own, and asked over HTTP.

Are its answers the predictions made here, how long do they take, how many a second?

The process is a SavedModel with one input and one output behind a request of TensorFlow Serving's
REST interface (RESTful API, predict), on loopback:

    python -m accelreport.backend.serving FOLDER

It writes one line of JSON with its port once it answers, and ends when its standard input
is closed, so that it never outlives whoever launched it.

    POST /v1/models/model:predict     {"instances": […]} → {"predictions": […]}
"""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from accelreport.backend.protocol import Artefacts, archive
from accelreport.results.record import Served

PATH = "/v1/models/model:predict"

START_S = 120.0
"""Seconds in which a server must answer: it imports TensorFlow first."""

END_S = 10.0
"""Seconds in which it must end."""


class ServingError(RuntimeError):
    """The server does not run."""


@contextmanager
def served(folder: Path) -> Iterator[tuple[int, float]]:
    """A server of the SavedModel in `folder`, ended with the block.

    It runs on the CPU, so that it never competes for the accelerator of the training.

    Yields:
        Its port of the loopback interface, and seconds from the launch until it answered.

    Raises:
        ServingError: it did not start.
    """
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "accelreport.backend.serving", str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "CUDA_VISIBLE_DEVICES": ""},
    )
    complaints: deque[str] = deque(maxlen=20)
    # TensorFlow writes to standard error; a full pipe would stop the server.
    reader = threading.Thread(target=complaints.extend, args=(process.stderr,), daemon=True)
    reader.start()
    try:
        port = _port(process, complaints)
        yield port, time.perf_counter() - began
    finally:
        _end(process)
        reader.join(END_S)


def _port(process: subprocess.Popen[str], complaints: Sequence[str]) -> int:
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
        last = complaints[-1].rstrip() if complaints else "no output"
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


TIMEOUT_S = 60.0
"""Seconds to wait for one answer."""


class Client:
    """One connection, kept open.

    Args:
        port: where the model is served.
    """

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_S)

    def close(self) -> None:
        """End the connection."""
        self._connection.close()

    def ask(self, body: bytes) -> bytes:
        """The answer to a request, as it came."""
        headers = {"Content-Type": "application/json"}
        try:
            self._connection.request("POST", PATH, body, headers)
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


def predictions(port: int, examples: NDArray[Any], batch: int = 100) -> NDArray[np.float32]:
    """Outputs for examples [n, …], asked for `batch` at a time."""
    with closing(Client(port)) as client:
        bodies = (request(examples[i : i + batch]) for i in range(0, len(examples), batch))
        parts = [json.loads(client.ask(body))["predictions"] for body in bodies]
    return np.concatenate([np.asarray(part, dtype=np.float32) for part in parts])


def latencies(port: int, examples: NDArray[Any], *, requests: int, seconds: float) -> list[float]:
    """Seconds of requests for one example each, one after the other.

    Bodies are written before the clock starts: what is timed is the way there, the model and
    the way back. The first few requests are not counted.

    Args:
        port: where the model is served.
        examples: [n, …], asked for in turn.
        requests: how many.
        seconds: after which it stops earlier.
    """
    bodies = [request(examples[i : i + 1]) for i in range(min(len(examples), requests))]
    times: list[float] = []
    with closing(Client(port)) as client:
        for body in bodies[:5]:
            client.ask(body)
        deadline = time.perf_counter() + seconds
        for number in range(requests):
            began = time.perf_counter()
            if times and began >= deadline:
                break
            client.ask(bodies[number % len(bodies)])
            times.append(round(time.perf_counter() - began, 7))
    return times


def throughput(
    port: int, examples: NDArray[Any], *, batch: int, clients: int, seconds: float
) -> float:
    """Examples answered in a second when several clients ask at the same time.

    Args:
        port: where the model is served.
        examples: [n, …] with n ≥ batch; every request holds the first `batch`.
        batch: examples in a request.
        clients: connections, each with one request under way.
        seconds: length of the measurement.

    Raises:
        ServingError: a client was not answered.
    """
    body = request(examples[:batch])
    deadline = time.perf_counter() + seconds

    def answered(_: int) -> int:
        count = 0
        with closing(Client(port)) as client:
            while time.perf_counter() < deadline:
                client.ask(body)
                count += batch
        return count

    began = time.perf_counter()
    with ThreadPoolExecutor(clients) as pool:
        total = sum(pool.map(answered, range(clients)))
    return total / (time.perf_counter() - began)


REQUESTS = 500
"""Requests of the latency measurement, unless its time ends first."""
SECONDS = 2.0
"""Seconds of the latency measurement, and of the throughput measurement."""
BATCH = 32
CLIENTS = 2


Right = Callable[[NDArray[np.float32]], NDArray[np.bool_]]
"""Outputs for the first examples → which of them are classified rightly."""


def serve(
    model: Any,
    examples: NDArray[Any],
    predicted: NDArray[np.float32],
    artefacts: Artefacts,
    right: Right | None,
) -> Served:
    """Export a model as a SavedModel and ask it over HTTP.

    Args:
        model: a Keras model on the host.
        examples: its inputs [n, …].
        predicted: what the training process predicted of them [n, …].
        artefacts: takes the export.
        right: says which outputs are right; None of a model that is no classifier.

    Raises:
        ServingError: the server did not start, or did not answer.
    """
    with tempfile.TemporaryDirectory(prefix="accelreport-export-") as folder:
        path = Path(folder) / "1"
        began = time.perf_counter()
        model.export(path, format="tf_saved_model", verbose=False)
        export_s = time.perf_counter() - began
        artefacts.keep("saved_model.tar", "exported model (SavedModel), archived", archive(path))
        size = sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
        with served(path) as (port, start_s):
            answers = predictions(port, examples)
            times = latencies(port, examples, requests=REQUESTS, seconds=SECONDS)
            batch = min(BATCH, len(examples))
            rate = throughput(port, examples, batch=batch, clients=CLIENTS, seconds=SECONDS)
        return Served(
            format="SavedModel",
            bytes=size,
            export_s=export_s,
            start_s=start_s,
            server="Python's http.server on the CPU, JSON over loopback, connections kept open",
            examples=len(examples),
            max_difference=float(np.max(np.abs(answers - predicted))),
            same_class=same_class(answers, predicted, right),
            latency_s=times,
            throughput_batch=batch,
            throughput_clients=CLIENTS,
            throughput=rate,
        )


def same_class(
    one: NDArray[np.float32], other: NDArray[np.float32], right: Right | None
) -> float | None:
    """Share of examples that two models' outputs [n, classes] put into the same class.

    None without classes. Of one output there are two classes: two answers are the same one if
    both are right or both are wrong.
    """
    if right is None or one.ndim != 2:
        return None
    if one.shape[1] == 1:
        return float(np.mean(right(one) == right(other)))
    return float(np.mean(one.argmax(axis=1) == other.argmax(axis=1)))


BODY_LIMIT = 64 * 1024 * 1024
"""Bytes above which no request is read."""


class Servable:
    """A SavedModel with one input and one output.

    Args:
        folder: the SavedModel.
    """

    def __init__(self, folder: str) -> None:
        import tensorflow as tf

        self._loaded = tf.saved_model.load(folder)
        self._signature = self._loaded.signatures["serving_default"]
        ((self._input, self._spec),) = self._signature.structured_input_signature[1].items()
        (self._output,) = self._signature.structured_outputs

    def predict(self, values: Any) -> Any:
        """Nested lists of a batch of examples → nested lists of their outputs.

        Raises:
            ValueError: the values have another shape or type.
            TypeError: they are no tensor.
        """
        import tensorflow as tf

        batch = tf.constant(values, dtype=self._spec.dtype)
        if not self._spec.shape.is_compatible_with(batch.shape):
            raise ValueError(f"shape {batch.shape.as_list()}, not {self._spec.shape.as_list()}")
        return self._signature(**{self._input: batch})[self._output].numpy().tolist()


class Server(ThreadingHTTPServer):
    """Serves one model on a free port of the loopback interface."""

    daemon_threads = True

    def __init__(self, servable: Servable) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.servable = servable


class Handler(BaseHTTPRequestHandler):
    """Answers one connection, which the client may keep."""

    protocol_version = "HTTP/1.1"
    server_version = "accelreport"
    # An answer is two writes; without this the second waits for the first's receipt.
    disable_nagle_algorithm = True
    timeout = 60

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Nothing: a line for every request would cost more than the request."""

    def do_POST(self) -> None:
        """A prediction, or why there is none."""
        try:
            status, document = HTTPStatus.OK, {"predictions": self._predictions()}
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            status = HTTPStatus.BAD_REQUEST
            document = {"error": f"{type(error).__name__}: {error}"}
            # What was not read of the request must not be taken for the next one.
            self.close_connection = True
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _predictions(self) -> Any:
        length = int(self.headers.get("Content-Length", ""))
        if self.path != PATH or not 0 <= length <= BODY_LIMIT:
            raise ValueError(f"only {PATH} is answered, and at most {BODY_LIMIT:,} bytes are read")
        examples = json.loads(self.rfile.read(length))["instances"]
        return cast("Server", self.server).servable.predict(examples)


def main(arguments: list[str]) -> int:
    """Serve until standard input is closed."""
    (folder,) = arguments
    server = Server(Servable(folder))
    sys.stdout.write(json.dumps({"port": server.server_port}) + "\n")
    sys.stdout.flush()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.buffer.read()
    server.shutdown()
    return 0


if __name__ == "__main__":
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")
    # Whatever was asked is answered; taking TensorFlow down in good order costs seconds.
    os._exit(main(sys.argv[1:]))
