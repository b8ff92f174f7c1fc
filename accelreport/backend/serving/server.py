"""A SavedModel behind TensorFlow Serving's REST interface, on loopback.

    python -m accelreport.backend.serving.server FOLDER NAME

It writes one line of JSON with its port once it answers, and ends when its standard input
is closed, so that it never outlives whoever launched it.

    GET  /v1/models/NAME             → {"model_version_status": […]}
    POST /v1/models/NAME:predict     {"instances": […]} → {"predictions": […]}
                                     {"inputs": …}      → {"outputs": …}

The shapes are those of TensorFlow Serving's documentation (RESTful API, predict), for models
with one input and one output; `/versions/1` may stand behind the name.
"""

from __future__ import annotations

import json
import os
import re
import sys
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

BODY_LIMIT = 64 * 1024 * 1024
"""Bytes above which no request is read."""

VERSION = "1"
"""The only version there is."""


class RequestError(Exception):
    """A request that cannot be answered."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status


class Servable:
    """A SavedModel with one input and one output.

    Args:
        folder: the SavedModel.
        name: what requests call it.
    """

    def __init__(self, folder: str, name: str) -> None:
        import tensorflow as tf

        self.name = name
        self._loaded = tf.saved_model.load(folder)
        self._signature = self._loaded.signatures["serving_default"]
        ((self._input, self._spec),) = self._signature.structured_input_signature[1].items()
        (self._output,) = self._signature.structured_outputs

    def predict(self, values: Any) -> Any:
        """Nested lists of a batch of examples → nested lists of their outputs.

        Raises:
            RequestError: the values have another shape or type.
        """
        import tensorflow as tf

        try:
            batch = tf.constant(values, dtype=self._spec.dtype)
        except (ValueError, TypeError) as error:
            raise RequestError(HTTPStatus.BAD_REQUEST, f"not a tensor: {error}") from error
        if not self._spec.shape.is_compatible_with(batch.shape):
            raise RequestError(
                HTTPStatus.BAD_REQUEST,
                f"shape {batch.shape.as_list()} does not fit {self._spec.shape.as_list()}",
            )
        return self._signature(**{self._input: batch})[self._output].numpy().tolist()


class Server(ThreadingHTTPServer):
    """Serves one model on a free port of the loopback interface."""

    daemon_threads = True

    def __init__(self, servable: Servable) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.servable = servable
        name = re.escape(servable.name)
        self.places = re.compile(rf"/v1/models/{name}(?:/versions/{VERSION})?(:predict)?")


class Handler(BaseHTTPRequestHandler):
    """Answers one connection, which the client may keep."""

    protocol_version = "HTTP/1.1"
    server_version = "accelreport"
    # An answer is two writes; without this the second waits for the first's receipt.
    disable_nagle_algorithm = True
    timeout = 60

    def do_GET(self) -> None:
        """The model's state."""
        self._answer(self._state)

    def do_POST(self) -> None:
        """A prediction."""
        self._answer(self._predict)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Nothing: a line for every request would cost more than the request."""

    def _answer(self, make: Any) -> None:
        try:
            status, document = HTTPStatus.OK, make()
        except RequestError as error:
            status, document = error.status, {"error": str(error)}
            # What was not read of the request must not be taken for the next one.
            self.close_connection = True
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _state(self) -> dict[str, Any]:
        self._match(predict=False)
        status = {"error_code": "OK", "error_message": ""}
        return {
            "model_version_status": [{"version": VERSION, "state": "AVAILABLE", "status": status}]
        }

    def _predict(self) -> dict[str, Any]:
        self._match(predict=True)
        try:
            document = json.loads(self._body())
        except (ValueError, RecursionError) as error:
            raise RequestError(HTTPStatus.BAD_REQUEST, f"not JSON: {error}") from error
        if not isinstance(document, dict) or len({"instances", "inputs"} & set(document)) != 1:
            raise RequestError(HTTPStatus.BAD_REQUEST, "give either `instances` or `inputs`")
        servable = cast("Server", self.server).servable
        if "instances" in document:
            return {"predictions": servable.predict(document["instances"])}
        return {"outputs": servable.predict(document["inputs"])}

    def _match(self, *, predict: bool) -> None:
        found = cast("Server", self.server).places.fullmatch(self.path)
        if found is None or bool(found[1]) != predict:
            raise RequestError(HTTPStatus.NOT_FOUND, f"nothing is served at {self.path}")

    def _body(self) -> bytes:
        try:
            length = int(self.headers.get("Content-Length", ""))
        except ValueError as error:
            raise RequestError(HTTPStatus.LENGTH_REQUIRED, "no Content-Length") from error
        if not 0 <= length <= BODY_LIMIT:
            raise RequestError(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"at most {BODY_LIMIT:,} bytes are read"
            )
        return self.rfile.read(length)


def main(arguments: list[str]) -> int:
    """Serve until standard input is closed."""
    folder, name = arguments
    server = Server(Servable(folder, name))
    sys.stdout.write(json.dumps({"port": server.server_port}) + "\n")
    sys.stdout.flush()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.buffer.read()
    server.shutdown()
    return 0


if __name__ == "__main__":
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")
    sys.exit(main(sys.argv[1:]))
