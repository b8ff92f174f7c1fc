"""A model of one's own, as Python, as an application or as what Keras wrote, on one's own data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from accelreport.backend.network import layers_of
from accelreport.backend.shapes import ShapeQuestion, misfit
from accelreport.loader.load import load
from accelreport.spec.cells import Cell
from accelreport.spec.problems import SpecErrors
from accelreport.workloads.compiled import judged
from accelreport.workloads.keras_model import FAMILY, maker, problem
from accelreport.workloads.keras_parameters import KerasParameters
from accelreport.workloads.own_model import (
    APPLICATIONS,
    ModelError,
    last_activation,
    with_inputs,
)
from tests.support.children import Measures

pytestmark = pytest.mark.e2e

BUILD = """
import keras
from keras import layers
from widths import WIDTH

def build(input_shape, outputs, width=WIDTH):
    layer = [keras.Input(input_shape), layers.Dense(width), layers.Dense(outputs)]
    return keras.Sequential(layer)
"""

LOAD = """
import numpy as np

def load():
    x = np.load("numbers.npy")  # relative paths begin at the spec's folder
    return (x, x.sum(axis=1) > 0), (x[:8], x[:8].sum(axis=1) > 0)

def by_name():
    x = np.load("numbers.npy")
    return {"ids": np.arange(40) % 7, "rest": x[:, :2]}, np.arange(40) % 3
"""

TWO = """
import keras
from keras import layers

def build():
    ids, rest = keras.Input((1,), name="ids"), keras.Input((2,), name="rest")
    known = layers.Flatten()(layers.Embedding(7, 3)(ids))
    joined = layers.Concatenate()([known, rest])
    return keras.Model([ids, rest], layers.Dense(3, "softmax")(joined))
"""

TABLE = "a,b,kind\n" + "".join(f"{i},{i % 7},{'xyz'[i % 3]}\n" for i in range(60))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "devices.toml").write_text('schema = 1\n[cpu]\nkind = "CPU"\n')
    (tmp_path / "model.py").write_text(BUILD)
    (tmp_path / "widths.py").write_text("WIDTH = 5\n")
    (tmp_path / "data.py").write_text(LOAD)
    (tmp_path / "two.py").write_text(TWO)
    (tmp_path / "train.csv").write_text(TABLE)
    np.save(tmp_path / "numbers.npy", np.random.default_rng(0).normal(size=(40, 3)))
    return tmp_path


def spec(folder: Path, *lines: str, measure: str = "") -> Path:
    path = folder / "mine.toml"
    path.write_text(
        'schema = 1\ntitle = "Mine"\ndevices = ["cpu"]\n[workload]\nkind = "keras"\n'
        + "\n".join(lines)
        + f"\n[measure]\nrepeats = 1\nwarmup_steps = 2\n{measure}\n"
    )
    return path


def cell(folder: Path, *lines: str, measure: str = "") -> Cell:
    return load([spec(folder, *lines, measure=measure)]).specs[0].cells[0]


CODE = 'model = "model.py:build"'
CSV = ('data = "train.csv"', 'target = "kind"', 'task = "classification"')


def test_a_cell_is_known_by_the_text_of_the_model_its_modules_and_its_loader(folder: Path) -> None:
    first = cell(folder, CODE, *CSV)
    assert first.workload["document"] == BUILD
    assert first.workload["modules"] == {"widths.py": "WIDTH = 5\n"}
    (folder / "widths.py").write_text("WIDTH = 6\n")
    second = cell(folder, CODE, *CSV)
    loaded = cell(folder, CODE, 'data = "data.py:load"', 'task = "classification"')
    (folder / "data.py").write_text(f"{LOAD}\n")
    again = cell(folder, CODE, 'data = "data.py:load"', 'task = "classification"')
    assert len({first.key, second.key, loaded.key, again.key}) == 4


SLOWLY = """
import time
import keras
from keras import layers

class Slow(layers.Layer):
    def call(self, x, training=False):
        if training:
            time.sleep(3)  # once, while the step is traced
        return x

def build(input_shape, outputs):
    return keras.Sequential([keras.Input(input_shape), Slow(), layers.Dense(outputs)])
"""


def test_a_step_that_takes_longer_to_trace_than_the_budget_leaves_timed_steps_and_an_evaluation(
    folder: Path, measure: Measures
) -> None:
    (folder / "model.py").write_text(SLOWLY)
    record = measure(cell(folder, CODE, *CSV, "batch_size = 8", measure='budget = "2 s"'))
    assert record.failure is None
    assert record.times.first_step_s is not None
    assert record.times.first_step_s > record.cell.measure.budget
    assert [block for block in record.blocks if block.steady]
    assert "val_loss" in record.epochs[0].metrics


@pytest.mark.parametrize(
    ("lines", "message", "help_"),
    [
        ([CODE, 'dataset = "img.npz"'], "img.npz is none", 'write data = "img.npz"'),
        ([CODE, 'dataset = "csv"'], "csv is none", 'write data = "FILE.csv"'),
        ([CODE, 'dataset = "mnst"'], "'mnst'", 'data = "FILE"'),
        ([CODE], "nothing is named to learn from", 'data = "FILE"'),
        ([*CSV], "`model` or `application` or `architecture` is missing", ""),
        ([CODE, 'application = "VGG16"', *CSV], "only one of", ""),
        ([CODE, CSV[0], CSV[1]], "`task` is missing", 'task = "classification"'),
        ([CODE, CSV[0], CSV[2]], "`target` is missing", 'target = "NAME"'),
        ([CODE, *CSV, 'features = ["a", "kind"]'], "target 'kind' is among", "leave it out"),
        ([CODE, *CSV, 'features = ["a", "a"]'], "`features` names 'a' twice", ""),
        ([CODE, *CSV, 'features = { i = ["a"], j = ["kind"] }'], "target 'kind' is among", ""),
        ([CODE, CSV[0], 'target = ["a", "a"]', 'task = "regression"'], "`target` names 'a'", ""),
        ([CODE, 'dataset = "mnist"', CSV[1]], "`target` does not apply to mnist", "delete it"),
        ([CODE, 'dataset = "mnist"', CSV[0]], "`dataset` names mnist", "leave one"),
        ([CODE, 'data = "x.pkl"'], ".parquet", ""),
        ([CODE, 'data = "synthetik"'], 'did you mean "synthetic"?', "pets/"),
        (['model = "model.py"', *CSV], "names no function", 'model = "model.py:build"'),
        (['model = "model.py:made"', *CSV], "defines no function `made`", "it defines build"),
        (
            ['model = "modle.py:build"', *CSV],
            "names modle.py, which is not a file",
            "mean model.py?",
        ),
        (['model = "../../m.py:build"', *CSV], "outside the spec's folder", ""),
        (['model = "net.h5"', *CSV], "net.keras", ""),
        ([CODE, *CSV, "options = { depth = 2 }"], "line 6: `build` does not take `depth`", "add"),
        (['application = "MobilNetV2"', *CSV], "keras.applications", "MobileNetV2"),
        (['application = "VGG16"', *CSV, "options = { classes = 2 }"], "follows from", ""),
        ([CODE, *CSV, 'data_document = "x"'], "`data_document` is what", "leave it out"),
        (
            [CODE, *CSV[:2], 'task = "regression"', 'afterwards = ["quantise"]'],
            "`quantise` converts classifiers",
            "delete it",
        ),
        ([CODE, *CSV, 'modules = { "widths.py" = "" }'], "`modules` is what", "leave it out"),
    ],
)
def test_what_cannot_be_is_an_error_with_the_key_to_write(
    lines: list[str], message: str, help_: str, folder: Path
) -> None:
    with pytest.raises(SpecErrors) as info:
        load([spec(folder, *lines)])
    assert message in str(info.value)
    assert help_ in str(info.value)
    assert "mine.toml:" in str(info.value)


def test_a_builder_that_needs_more_than_it_is_given_is_an_error_with_its_line(folder: Path) -> None:
    (folder / "model.py").write_text("def build(depth, *, width):\n    return depth\n")
    with pytest.raises(SpecErrors, match=r"model\.py, line 1: `build` needs `depth`"):
        load([spec(folder, CODE, *CSV, "options = { width = 2 }")])
    (folder / "model.py").write_text("def build(:\n")
    with pytest.raises(SpecErrors, match=r"model\.py, line 1"):
        load([spec(folder, CODE, *CSV)])


def test_the_list_of_applications_is_that_of_keras() -> None:
    import keras

    named = {name for name in dir(keras.applications) if name[0].isupper()}
    assert set(APPLICATIONS) == named


def question(one: Cell) -> ShapeQuestion:
    return ShapeQuestion(workload=one.workload, folder=one.folder)


def test_the_check_tells_a_model_and_a_table_that_do_not_fit(folder: Path) -> None:
    import keras

    net = keras.Sequential([keras.Input((3,)), keras.layers.Dense(3, "softmax")])
    (folder / "net.json").write_text(net.to_json())
    wrong = misfit(question(cell(folder, 'model = "net.json"', *CSV)))
    assert wrong is not None
    assert (wrong.key, "inputs of shape (3,)" in wrong.what) == ("model", True)
    ids = [keras.Input((2,)), keras.layers.Embedding(60, 2), keras.layers.Flatten()]
    (folder / "ids.json").write_text(keras.Sequential([*ids, keras.layers.Dense(3)]).to_json())
    numbered = ('model = "ids.json"', *CSV, 'features = ["a", "b"]')
    wrong = misfit(question(cell(folder, *numbered)))
    assert wrong is not None
    assert (wrong.key, "takes whole numbers" in wrong.what) == ("standardise", True)
    assert misfit(question(cell(folder, *numbered, "standardise = false"))) is None
    typo = misfit(question(cell(folder, CODE, *CSV[:1], 'target = "sort"', CSV[2])))
    assert typo is not None
    assert (typo.key, "no column 'sort'" in typo.what) == ("target", True)


@pytest.mark.parametrize(
    ("end", "what", "unread"),
    [
        ("return model", "", False),
        ("return Own(model.inputs, model.outputs)", "`train_step` of its own", False),
        ("import no_such_package", "No module named 'no_such_package'", True),
        ("return open('absent.txt')", "line 11: FileNotFoundError", True),
        ("return 1 / 0", "model.py, line 11: ZeroDivisionError", False),
        ("raise SystemExit", "model.py, line 11: SystemExit", False),
    ],
)
def test_the_check_runs_the_python_that_makes_a_model(
    end: str, what: str, *, unread: bool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)  # where the code runs
    (folder / "model.py").write_text(
        "import keras\n\n\nclass Own(keras.Model):\n"
        "    def train_step(self, data):\n        return {}\n\n\n"
        "def build(input_shape, outputs):\n"
        "    model = keras.Sequential([keras.Input(input_shape), keras.layers.Dense(outputs)])\n"
        f"    {end}\n"
    )
    found = misfit(question(cell(folder, CODE, *CSV)))
    assert (found is not None) == bool(what)
    if found:
        assert what in found.what
        assert (found.key, found.unread) == ("model", unread)


def test_a_model_that_is_only_called_is_called_in_the_check(folder: Path) -> None:
    import keras

    (folder / "net.json").write_text(
        keras.Sequential([keras.Input((1,)), keras.layers.Dense(3)]).to_json()
    )
    called = cell(folder, 'model = "net.json"', 'mode = "inference"', *CSV, measure="calls = 20")
    assert misfit(question(called)) is None


@pytest.mark.parametrize(
    ("lines", "metric", "examples"),
    [
        ([CODE, *CSV, "options = { width = 4 }"], "val_accuracy", (48, 12)),
        ([CODE, CSV[0], 'target = "b"', 'features = ["a"]', 'task = "regression"'],
         "val_mean_absolute_error", (48, 12)),
        ([CODE, 'data = "data.py:load"', CSV[2]], "val_accuracy", (40, 8)),
        (['model = "two.py:build"', *CSV, 'features = { ids = ["b"], rest = ["a", "b"] }',
          'standardise = ["a"]', 'input = "pipeline"'], "val_accuracy", (48, 12)),
        (['model = "two.py:build"', 'data = "data.py:by_name"', CSV[2]], "val_accuracy", (32, 8)),
    ],
)  # fmt: skip
def test_a_model_in_python_learns_from_data_of_ones_own(
    lines: list[str],
    metric: str,
    examples: tuple[int, int],
    folder: Path,
    measure: Measures,
) -> None:
    record = measure(cell(folder, *lines, "epochs = 2", "batch_size = 8"))
    assert record.failure is None
    assert metric in record.final
    assert record.data is not None
    assert (record.data.train_examples, record.data.validation_examples) == examples
    assert record.data.origin == "user-supplied"
    assert all(len(sha256) == 64 for sha256 in record.data.files.values())


@pytest.mark.parametrize(
    ("end", "outputs", "loss", "logits"),
    [
        ("'softmax'", 3, "sparse_categorical_crossentropy", False),
        ("None", 3, "sparse_categorical_crossentropy", True),
        ("'sigmoid'", 1, "binary_crossentropy", False),
    ],
)
def test_the_outputs_of_ones_own_class_tell_the_loss(
    end: str,
    outputs: int,
    loss: str,
    logits: bool,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(folder)  # where the code runs
    (folder / "model.py").write_text(
        "import keras\n\nclass Net(keras.Model):\n    def __init__(self):\n"
        f"        super().__init__()\n        self.end = keras.layers.Dense({outputs}, {end})\n"
        "        self.start = keras.layers.Dense(4, 'relu')\n\n"
        "    def call(self, x):\n        return self.end(self.start(x))\n\n\n"
        "def build():\n    return Net()\n"
    )
    one = cell(folder, CODE, *CSV)
    parameters = KerasParameters.model_validate(one.workload, strict=False)
    model = maker(parameters, (2,), outputs, str(folder))()
    known = judged(parameters, model)
    assert (known.loss, known.from_logits) == (loss, logits)
    assert [layer.kind for layer in layers_of(model)] == ["Dense", "Dense"]


@pytest.mark.parametrize(
    ("first", "last"), [("zeros", "zeros"), ("ones", "zeros"), (-1.0, "ones"), ("ones", 0.01)]
)
@pytest.mark.parametrize("bias", [True, False])
def test_a_linear_end_is_known_whatever_its_weights_begin_with(
    first: str | float, last: str | float, *, bias: bool
) -> None:
    import keras
    from keras import layers

    def start(value: str | float) -> Any:
        return keras.initializers.Constant(value) if isinstance(value, float) else value

    class Net(keras.Model):  # type: ignore[misc, unused-ignore]
        def __init__(self) -> None:
            super().__init__()
            self.end = layers.Dense(3, use_bias=bias, kernel_initializer=start(last))
            self.start = layers.Dense(4, "relu", use_bias=bias, kernel_initializer=start(first))

        def call(self, x: Any) -> Any:
            return self.end(self.start(x))

    model = with_inputs(Net(), (2,), "`Net`")
    before = model.get_weights()
    assert last_activation(model) == "linear"
    assert all(map(np.array_equal, before, model.get_weights()))


def test_random_numbers_of_the_models_shape_need_no_data(folder: Path, measure: Measures) -> None:
    (folder / "model.py").write_text(
        "import keras\n\ndef build():\n    words = keras.layers.Embedding(50, 4)\n"
        "    end = [keras.layers.Flatten(), keras.layers.Dense(3, 'softmax')]\n"
        "    return keras.Sequential([keras.Input((6,)), words, *end])\n"
    )
    one = cell(folder, CODE, 'data = "synthetic"', "train_examples = 64", "batch_size = 8")
    record = measure(one)
    assert record.failure is None
    assert record.data is not None
    assert record.data.origin == "synthetic"
    assert "Random numbers of the model's shape" in record.data.note
    assert "data-synthetic" in {warning.kind for warning in record.warnings}


def test_an_application_takes_its_shape_and_its_classes_from_the_data(folder: Path) -> None:
    x = np.zeros((20, 32, 32, 3), np.uint8)
    np.savez(folder / "img.npz", x=x, y=np.arange(20) % 4)
    lines = [
        'application = "MobileNetV2"',
        'data = "img.npz"',
        CSV[2],
        "options = { alpha = 0.35 }",
    ]
    one = cell(folder, *lines)
    parameters = KerasParameters.model_validate(one.workload, strict=False)
    request = FAMILY.data(parameters)
    assert request is not None
    made = problem(parameters, request.load(str(folder)))
    assert made.model().output_shape == (None, 4)
    np.savez(folder / "img.npz", x=x[:, :20, :20], y=np.arange(20) % 4)
    with pytest.raises(ModelError, match="Keras makes no MobileNetV2 for examples of shape"):
        problem(parameters, request.load(str(folder)))


def test_what_the_code_raises_or_returns_is_told_with_its_line(
    folder: Path, measure: Measures
) -> None:
    (folder / "model.py").write_text("def build(outputs):\n    return outputs / 0\n")
    failed = measure(cell(folder, CODE, *CSV)).failure
    assert failed is not None
    assert "model.py, line 2: ZeroDivisionError" in failed.message
    (folder / "model.py").write_text("def build(outputs):\n    return outputs\n")
    failed = measure(cell(folder, CODE, *CSV)).failure
    assert failed is not None
    assert "`model.py:build` returned int" in failed.message
