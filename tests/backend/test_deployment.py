"""A trained model saved, served and quantised: the same answers, whichever way it went."""

import http.client
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from accelreport.backend.post_training import QuantisationError, quantise, save_weights
from accelreport.backend.protocol import Artefacts
from accelreport.backend.serving import (
    ServingError,
    latencies,
    predictions,
    same_class,
    served,
    throughput,
)

pytestmark = pytest.mark.e2e


def build() -> Any:
    import keras
    from keras import layers

    return keras.Sequential(
        [
            keras.Input((8, 8, 1)),
            layers.Conv2D(4, 3, activation="relu"),
            layers.BatchNormalization(),
            layers.Flatten(),
            layers.Dropout(0.5),
            layers.Dense(3),
        ]
    )


@pytest.fixture(scope="module")
def model() -> Any:
    import keras

    keras.utils.set_random_seed(0)
    return build()


@pytest.fixture(scope="module")
def examples() -> NDArray[np.float32]:
    return np.random.default_rng(0).random((23, 8, 8, 1), dtype=np.float32)


@pytest.fixture(scope="module")
def predicted(model: Any, examples: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(model(examples, training=False))


@pytest.fixture(scope="module")
def port(model: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    folder = tmp_path_factory.mktemp("export") / "1"
    model.export(folder, format="tf_saved_model", verbose=False)
    with served(folder) as (port, _):
        yield port


def ask(port: int, path: str, body: bytes) -> tuple[int, dict[str, Any]]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=1200)
    try:
        connection.request("POST", path, body)
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    finally:
        connection.close()


def test_a_model_reloaded_by_a_clean_process_answers_as_the_one_that_was_trained(
    port: int, examples: NDArray[np.float32], predicted: NDArray[np.float32]
) -> None:
    assert predictions(port, examples, batch=10) == pytest.approx(predicted, abs=1e-6)


def test_requests_and_answers_have_tensorflow_serving_s_form(
    port: int, examples: NDArray[np.float32], predicted: NDArray[np.float32]
) -> None:
    body = json.dumps({"instances": examples[:2].tolist()}).encode()
    status, document = ask(port, "/v1/models/model:predict", body)
    assert status == 200
    assert document == {"predictions": pytest.approx(predicted[:2], abs=1e-6)}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/models/other:predict", b"{}"),
        ("/v1/models/model:predict", b"{"),
        ("/v1/models/model:predict", b"[]"),
        ("/v1/models/model:predict", b"{}"),
        ("/v1/models/model:predict", b'{"instances": [[1, 2], [3]]}'),
        ("/v1/models/model:predict", b'{"instances": [[1, 2]]}'),
        ("/v1/models/model:predict", b'{"instances": "text"}'),
    ],
)
def test_a_request_that_cannot_be_answered_is_told_why_and_ends_nothing(
    path: str, body: bytes, port: int, examples: NDArray[np.float32]
) -> None:
    status, document = ask(port, path, body)
    assert status == 400
    assert list(document) == ["error"]
    assert predictions(port, examples[:1]).shape == (1, 3)


def test_every_request_s_time_is_kept_and_several_clients_are_answered(
    port: int, examples: NDArray[np.float32]
) -> None:
    times = latencies(port, examples, requests=30, seconds=10)
    assert len(times) == 30
    assert all(0 < each < 10 for each in times)
    assert throughput(port, examples, batch=8, clients=3, seconds=0.3) > 0


def test_one_output_is_of_the_same_class_where_both_are_right_or_both_are_wrong() -> None:
    """A sigmoid's outputs are all above zero; what divides them is the metric's to know."""
    one, other = (np.array([values], np.float32).T for values in ([0.2, 0.9, 0.4], [0.1, 0.3, 0.3]))
    assert same_class(one, other, lambda outputs: outputs[:, 0] > 0.5) == pytest.approx(2 / 3)
    assert same_class(one, other, None) is None, "numbers have no class"
    assert same_class(np.eye(3, dtype=np.float32), np.eye(3, dtype=np.float32), np.all) == 1


def test_a_server_that_cannot_start_says_why(tmp_path: Path) -> None:
    with pytest.raises(ServingError, match="did not start"), served(tmp_path):
        pass


# Keras 3.15 turns its variables into arrays in a way that NumPy 2 no longer likes.
@pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
def test_weights_come_back_from_their_file_into_a_model_built_anew(
    model: Any, examples: NDArray[np.float32], predicted: NDArray[np.float32], tmp_path: Path
) -> None:
    artefacts = Artefacts(tmp_path)
    saved = save_weights(model, build, examples, predicted, artefacts)
    assert saved.max_difference < 1e-6
    assert saved.examples == 23
    assert saved.bytes > 4 * model.count_params()
    (kept,) = artefacts.kept
    assert (kept.sha256, kept.bytes) == (saved.sha256, saved.bytes)
    again = build()
    again.load_weights(tmp_path / kept.file)
    assert all(map(np.array_equal, again.get_weights(), model.get_weights()))
    assert np.asarray(again(examples)) == pytest.approx(predicted, abs=1e-6)


def test_a_quantised_model_is_smaller_and_counted_example_by_example(
    examples: NDArray[np.float32],
    tmp_path: Path,
) -> None:
    import keras
    from keras import layers

    keras.utils.set_random_seed(1)
    wide = keras.Sequential(
        [keras.Input((8, 8, 1)), layers.Flatten(), layers.Dense(512, "relu"), layers.Dense(3)]
    )
    classes = np.asarray(wide(examples)).argmax(axis=1)
    classes[:3] = (classes[:3] + 1) % 3  # three examples that even float32 gets wrong
    artefacts = Artefacts(tmp_path)
    found = quantise(
        wide, examples, examples, lambda outputs: outputs.argmax(axis=1) == classes, artefacts
    )
    sizes = {kept.name: kept.bytes for kept in artefacts.kept}
    assert sizes == {"float32.tflite": found.float32.bytes, "int8.tflite": found.int8.bytes}
    assert found.int8.bytes < 0.4 * found.float32.bytes
    assert found.both_right + found.float32_only + found.int8_only + found.neither == 23
    assert found.both_right + found.float32_only == 20
    assert found.both_right >= 15, "eight bits are nearly enough"
    assert len(found.int8.latency_s) > 10
    assert found.int8.throughput > 0


def test_a_model_that_the_converter_does_not_know_is_refused_in_a_sentence(
    examples: NDArray[np.float32],
    tmp_path: Path,
) -> None:
    import keras

    strings = keras.Sequential([keras.Input((8, 8, 1)), keras.layers.Lambda(_unknown)])
    with pytest.raises(QuantisationError, match="refuses"):
        quantise(
            strings, examples, examples, lambda outputs: outputs[:, 0] > 0, Artefacts(tmp_path)
        )


def _unknown(x: Any) -> Any:
    import tensorflow as tf

    return tf.linalg.svd(x[..., 0], compute_uv=False)
