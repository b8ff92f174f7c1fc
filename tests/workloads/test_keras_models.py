"""Any model that Keras wrote as JSON, and nothing else."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from accelreport.backend.failures import failure
from accelreport.datasets.base import Dataset
from accelreport.datasets.errors import DataOptionsError
from accelreport.loader.load import load
from accelreport.runner.outlook import new_weights
from accelreport.spec.problems import SpecErrors
from accelreport.workloads.keras_document import LIMIT, ArchitectureError, check_architecture
from accelreport.workloads.keras_model import problem
from accelreport.workloads.keras_parameters import KerasParameters
from accelreport.workloads.own_model import ModelError
from tests.datasets.layouts import zip_bytes
from tests.support.children import Measures, bare_cell
from tests.workloads.conftest import dataset

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def sequential() -> str:
    """A small convolutional network, as Keras writes it."""
    import keras
    from keras import layers

    model = keras.Sequential(
        [
            keras.Input((28, 28, 1)),
            layers.Conv2D(4, 3, activation="relu", kernel_regularizer="l2"),
            layers.GlobalAveragePooling2D(),
            layers.Dense(10, activation="softmax", bias_constraint="non_neg"),
        ]
    )
    return str(model.to_json())


@pytest.fixture(scope="module")
def functional() -> str:
    """A network with two branches, as Keras writes it."""
    import keras
    from keras import layers

    inputs = keras.Input((128, 9))
    both = layers.Bidirectional(layers.LSTM(4))(inputs)
    mean = layers.GlobalAveragePooling1D()(inputs)
    outputs = layers.Dense(6)(layers.concatenate([both, mean * 2.0]))
    return str(keras.Model(inputs, outputs).to_json())


def parameters(document: str, **changes: Any) -> KerasParameters:
    return KerasParameters.model_validate(
        {"architecture": "model.json", "document": document, "dataset": "mnist", **changes}
    )


def test_a_spec_names_a_file_beside_it_and_its_cells_hold_what_is_in_it(
    sequential: str, tmp_path: Path
) -> None:
    (tmp_path / "model.json").write_text(sequential)
    spec = spec_of(tmp_path, "model.json")
    (first, *_) = load([spec]).specs[0].cells
    assert first.workload["document"] == sequential
    (tmp_path / "model.json").write_text(sequential.replace('"units": 10', '"units": 11'))
    (other, *_) = load([spec]).specs[0].cells
    assert other.key != first.key, "another architecture is another measurement"
    (tmp_path / "model.json").write_text(json.dumps({"class_name": "Lambda"}))
    with pytest.raises(SpecErrors, match="is not the architecture"):
        load([spec])


def spec_of(folder: Path, architecture: str, *lines: str) -> Path:
    (folder / "devices.toml").write_text('schema = 1\n[cpu]\nkind = "CPU"\n')
    spec = folder / "mine.toml"
    spec.write_text(
        'schema = 1\ntitle = "Mine"\ndevices = ["cpu"]\nbaseline = "cpu"\n[workload]\n'
        f'kind = "keras"\narchitecture = "{architecture}"\ndataset = "mnist"\n' + "\n".join(lines)
    )
    return spec


@pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")  # Keras' saving
def test_a_model_that_was_saved_or_compiled_is_the_same_architecture(
    sequential: str, tmp_path: Path
) -> None:
    import keras

    model = keras.models.model_from_json(sequential)
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    (tmp_path / "mine.json").write_text(model.to_json())
    model.save(tmp_path / "mine.keras")
    for name in ("mine.json", "mine.keras"):
        (cell, *_) = load([spec_of(tmp_path, name)]).specs[0].cells
        document = cell.workload["document"]
        assert json.loads(document)["config"] == json.loads(sequential)["config"]
        assert "Adam" not in document
        assert keras.models.model_from_json(document).count_params() == model.count_params()


@pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")  # Keras' saving
def test_weights_of_a_saved_model_are_kept_where_asked_for_and_else_said_to_be_new(
    sequential: str, tmp_path: Path, images: Dataset
) -> None:
    import keras

    here = replace(images, folder=str(tmp_path))
    cells, models = [], []
    for _ in range(2):
        models.append(keras.models.model_from_json(sequential))
        models[-1].save(tmp_path / "mine.keras")
        cells.append(load([spec_of(tmp_path, "mine.keras", 'weights = "keep"')]).cells[0])
    kept, other = (KerasParameters.model_validate(c.workload, strict=False) for c in cells)
    with pytest.raises(ModelError, match="not the file that it was"):
        problem(kept, here)
    made = problem(other, here)
    assert not made.warnings
    weights = [model.get_weights() for model in (models[1], made.model(), made.model())]
    assert all(map(np.array_equal, weights[0] * 2, weights[1] + weights[2]))
    (plain, *_) = load([spec_of(tmp_path, "mine.keras")]).cells
    assert len({plain.key, *(one.key for one in cells)}) == 3
    assert not {"weights", "weights_sha256"} & set(plain.workload)
    new = problem(KerasParameters.model_validate(plain.workload, strict=False), here)
    assert not np.array_equal(new.model().get_weights()[0], weights[0][0])
    assert "not read" in new.warnings["new-weights"]
    assert 'weights = "keep"' in dict(new_weights([plain, *cells]))["mine"]


@pytest.mark.parametrize(
    ("name", "keys", "message"),
    [
        ("mine.json", ['weights = "keep"'], "`architecture` names no weights"),
        ("mine.json", ['weights_sha256 = "x"'], "`weights_sha256` is what the file holds"),
    ],
)
def test_weights_that_are_not_there_cannot_be_kept(
    name: str, keys: list[str], message: str, sequential: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(sequential)
    with pytest.raises(SpecErrors, match=message):
        load([spec_of(tmp_path, name, *keys)])


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"PK\x03\x04 and no more", "no archive of `model.save`"),
        (zip_bytes({"metadata.json": b"{}"}), "no archive of `model.save`"),
        (zip_bytes({"config.json": b" " * (LIMIT + 1)}), "at most"),
        (zip_bytes({"config.json": b'{"class_name": "Lambda"}'}), "not the architecture"),
    ],
)
def test_a_saved_model_is_held_to_what_a_document_is(
    content: bytes, why: str, tmp_path: Path
) -> None:
    (tmp_path / "mine.keras").write_bytes(content)
    with pytest.raises(SpecErrors, match=why):
        load([spec_of(tmp_path, "mine.keras")])


def test_a_sequential_model_is_built_and_fed_with_images_of_its_shape(
    sequential: str, images: Dataset
) -> None:
    made = problem(parameters(sequential, divide_by=255), images)
    x, y = made.take(made.resident, np.array([3, 4], np.int32))
    assert np.asarray(x).shape == (2, 28, 28, 1)
    assert np.asarray(x)[..., 0] == pytest.approx(images.train["x"][3:5] / 255, rel=1e-5)
    assert made.model()(x).shape == (2, 10)
    assert np.asarray(y).tolist() == [3, 4]


def test_a_functional_model_with_branches_is_built(functional: str, motion: Dataset) -> None:
    made = problem(parameters(functional), motion)
    x, y = made.take(made.resident, np.arange(6, dtype=np.int32))
    outputs = np.asarray(made.model()(x))
    right = outputs.argmax(axis=1) == np.asarray(y)
    got = np.asarray(made.metrics["accuracy"](y, outputs))
    assert got.tolist() == right.astype(float).tolist()


def test_a_model_that_does_not_fit_its_data_says_so(
    functional: str, sequential: str, images: Dataset
) -> None:
    with pytest.raises(ModelError, match="takes inputs of shape"):
        problem(parameters(functional), images)
    # What only reshaping would fit is refused, as Keras refuses it.
    for shape, had, remedy in (
        ((784,), (28, 28), "keras.layers.Reshape"),
        ((16, 16, 3), (3, 16, 16), "np.moveaxis"),
    ):
        part = {"x": np.zeros((4, *had)), "y": np.arange(4)}
        examples = dataset(part, part)
        with pytest.raises(ModelError, match=re.escape(f"{shape}, and an example has")) as info:
            problem(parameters(classifier(4, shape)), examples)
        assert remedy in str(info.value)
    series = dataset({"text": np.zeros(9, np.uint8)}, {"text": np.zeros(9, np.uint8)})
    with pytest.raises(DataOptionsError, match="no examples and labels"):
        problem(parameters(sequential), series)


def classifier(outputs: int, shape: tuple[int | None, ...] = (28, 28)) -> str:
    import keras
    from keras import layers

    inside = [layers.Flatten()] if None not in shape else [layers.LSTM(2)]
    return str(keras.Sequential([keras.Input(shape), *inside, layers.Dense(outputs)]).to_json())


def embedding(rows: int) -> str:
    import keras
    from keras import layers

    inside = [layers.Embedding(rows, 2), layers.GlobalAveragePooling2D(), layers.Dense(10)]
    return str(keras.Sequential([keras.Input((28, 28)), *inside]).to_json())


def two_outputs() -> str:
    import keras
    from keras import layers

    inputs = keras.Input((28, 28))
    flat = layers.Flatten()(inputs)
    return str(keras.Model(inputs, [layers.Dense(10)(flat), layers.Dense(10)(flat)]).to_json())


@pytest.mark.parametrize(
    ("document", "changes", "says"),
    [
        (lambda: classifier(5), {}, "5 outputs, and the labels go from 0 to 9"),
        (lambda: classifier(5), {"loss": "mean_squared_error"}, "labels of shape () do not fit"),
        (lambda: classifier(1), {"loss": "binary_crossentropy"}, "between 0 and 1"),
        (lambda: classifier(10, (None, 29)), {}, "does not take an example of the shape (28, 28)"),
        (lambda: embedding(100), {}, "rows for 0 to 99, and the examples hold numbers"),
        (two_outputs, {}, "has 2 outputs."),
        (lambda: classifier(10).replace('"Flatten"', '"Flaten"'), {}, "Keras cannot build"),
    ],
)
def test_what_a_person_writes_that_does_not_fit_is_a_failure_of_its_own_kind(
    document: Callable[[], str], changes: dict[str, Any], says: str, images: Dataset
) -> None:
    with pytest.raises(ModelError, match=re.escape(says)) as caught:
        problem(parameters(document(), **changes), images)
    told = failure(caught.value)
    assert told.kind == "bad-spec"
    assert told.remedy.endswith(".")


def test_lengths_that_a_model_leaves_open_may_be_anything_it_takes(images: Dataset) -> None:
    assert problem(parameters(classifier(10, (None, 28))), images).examples > 0
    assert problem(parameters(embedding(256)), images).examples > 0


def test_rows_of_an_embedding_are_compared_with_inputs_as_they_are_divided(images: Dataset) -> None:
    brighter = {**images.train, "x": np.maximum(images.train["x"], 100)}
    document = parameters(embedding(26), divide_by=10)
    assert problem(document, replace(images, train=brighter)).examples > 0


def hidden_in(sequential: str, layer: dict[str, Any]) -> str:
    document = json.loads(sequential)
    document["config"]["layers"].insert(1, layer)
    return json.dumps(document)


@pytest.mark.parametrize(
    ("layer", "message"),
    [
        ({"class_name": "Lambda", "module": "keras.layers", "config": {}}, "Python code"),
        ({"class_name": "TFSMLayer", "module": "keras.layers", "config": {}}, "reads a model"),
        ({"class_name": "TextVectorization", "module": "keras.layers"}, "read a file"),
        (
            {
                "class_name": "IndexLookup",
                "module": "keras.src.layers.preprocessing.index_lookup",
                "config": {"vocabulary": "/etc/passwd"},
            },
            "read a file",
        ),
        (
            {"class_name": "Later", "module": "keras.layers", "config": {"vocabulary": "/etc/x"}},
            "read a file",
        ),
        ({"class_name": "Popen", "module": "subprocess", "config": {}}, "no layer of Keras"),
        ({"class_name": "get_file", "module": "keras.utils", "config": {}}, "no layer of Keras"),
        ({"class_name": "Dense", "module": "keras.layers.evil", "config": {}}, "no layer of"),
        ({"class_name": "function", "module": "os", "config": "system"}, "not one of Keras"),
        ({"class_name": "__lambda__", "config": {"value": "x"}}, "Python code"),
        ({"class_name": "__typespec__", "config": []}, "no layer of Keras"),
        ({"class_name": ["Dense"], "config": {}}, "is no text"),
        (
            {"class_name": "Normalization", "module": "keras.layers", "config": {}},
            'weights = "keep"',
        ),
        (
            {
                "class_name": "Dense",
                "module": "keras.layers",
                "config": {},
                "registered_name": "evil>Dense",
            },
            "registered by other code",
        ),
    ],
)
def test_a_document_that_would_do_more_than_compute_is_refused(
    layer: dict[str, Any], message: str, sequential: str
) -> None:
    nested = {"class_name": "Bidirectional", "module": "keras.layers", "config": {"layer": layer}}
    for hostile in (layer, nested):
        with pytest.raises(ArchitectureError, match=message):
            check_architecture(hidden_in(sequential, hostile))
        with pytest.raises(ValidationError, match="cannot be used"):
            parameters(hidden_in(sequential, hostile))


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", "[" * 100_000, '{"class_name": "Dense", "config": {}}']
)
def test_a_document_that_is_no_architecture_is_refused(text: str) -> None:
    with pytest.raises(ArchitectureError):
        check_architecture(text)


def test_a_document_of_any_size_is_not_read_whole(tmp_path: Path) -> None:
    with pytest.raises(ArchitectureError, match="at most"):
        check_architecture(" " * (4 * 1024 * 1024 + 1))


def test_what_keras_cannot_build_is_told_in_a_sentence(sequential: str, images: Dataset) -> None:
    broken = sequential.replace('"units": 10', '"units": "ten"')
    with pytest.raises(ModelError, match="cannot build"):
        problem(parameters(broken), images)


def test_a_model_of_keras_trains_as_a_cell_and_is_quantised(
    sequential: str, measure: Measures
) -> None:
    cell = bare_cell(
        {
            "kind": "keras",
            "architecture": "model.json",
            "document": sequential,
            "dataset": "mnist",
            "data": "synthetic",
            "divide_by": 255.0,
            "epochs": 2,
            "train_examples": 640,
            "validation_examples": 101,
            "optimizer": {"learning_rate": 0.01},
            "afterwards": ["save_weights", "quantise"],
        }
    )
    record = measure(cell)
    assert record.failure is None
    assert record.status == "ok"
    assert record.epochs[1].metrics["loss"] < record.epochs[0].metrics["loss"]
    assert 0 <= record.final["val_accuracy"] <= 1
    assert record.weights is not None
    assert record.weights.max_difference < 1e-5
    assert record.quantised is not None
    assert record.quantised.examples == 101
