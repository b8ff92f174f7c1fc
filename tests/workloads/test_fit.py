"""Losses and metrics of somebody's own model are those that `model.fit` gives, or it is refused."""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from accelreport.datasets.own import inputs_in
from tests.support.children import python
from tests.workloads.conftest import dataset

pytestmark = pytest.mark.e2e

TABLE = Path(__file__).with_name("corpus_of_models.py")


@pytest.mark.parametrize("framework", ["tensorflow", "jax", "torch"])
def test_ten_steps_and_two_epochs_are_those_of_fit(framework: str) -> None:
    done = python("-m", "tests.workloads.test_fit", framework, paths=[Path(__file__).parents[2]])
    assert done.returncode == 0, done.stderr[-3000:]
    answers = json.loads(done.stdout.splitlines()[-1])
    assert len(answers) >= 48
    wrong = {name: answer for name, answer in answers.items() if answer}
    assert not wrong


def data(kind: str) -> Any:
    """80 examples and 20 to evaluate with; the last batch of these is shorter."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(100, 6)).astype(np.float32)
    classes = (x[:, :3].argmax(axis=1)).astype(np.int32)
    hot = np.eye(3, dtype=np.float32)[classes]
    y: Any = {
        "one_hot": hot,
        "soft": 0.7 * hot + 0.1,
        "several": (x[:, :3] > 0).astype(np.int32),
        "two": (x[:, 0] > 0).astype(np.int32),
        "numbers": x[:, :1] + 2,
        "pairs": x[:, :2],
    }.get(kind, classes)
    if kind == "images":
        x = rng.normal(size=(100, 8, 8, 1)).astype(np.float32)
    if kind == "tags":
        x = rng.integers(1, 12, (100, 7), np.int32)
        x[np.arange(7) >= rng.integers(2, 8, 100)[:, None]] = 0
        y = x % 3
    arrays: dict[str, Any] = {"x": x, "y": y}
    if kind == "joined":
        arrays = {"x/left": x[:, :2], "x/items": (x[:, 2] > 0).astype(np.int32), "y": y}
    train, validation = (
        {name: array[part] for name, array in arrays.items()}
        for part in (slice(80), slice(80, None))
    )
    part = dataset(train, validation)
    return replace(part, folder=str(TABLE.parent))


def problem_of(name: str, kind: str, keys: dict[str, Any], folder: str = "") -> Any:
    from accelreport.workloads.keras_model import problem
    from accelreport.workloads.keras_parameters import KerasParameters
    from tests.workloads import corpus_of_models as table

    if "weights" in keys:
        table.build(name).save(f"{folder}/net.keras")
        saved = {"model": "net.keras", "data": "x.npz", "task": "classification", "batch_size": 8}
        context = {"folder": Path(folder)}
        parameters = KerasParameters.model_validate({**saved, **keys}, context=context)
        return problem(parameters, replace(data(kind), folder=folder))
    said = {
        "model": f"{TABLE.name}:build",
        "document": TABLE.read_text(),
        "options": {"name": name},
        "data": "x.npz",
        "task": "classification",
        "batch_size": 8,
    }
    return problem(KerasParameters.model_validate({**said, **keys}), data(kind))


def differences(name: str, runtime: Any, folder: str) -> str:
    """What `fit` gives and a cell does not; empty where both agree."""
    import keras

    from accelreport.backend.engine import Evaluation, engine_for
    from tests.workloads import corpus_of_models as table

    kind, keys, build, loss, metrics = table.MODELS[name]
    keras.utils.set_random_seed(1)
    problem = problem_of(name, kind, keys, folder)
    engine, model = engine_for(problem, runtime), build()
    train, validation = problem.resident, problem.validation
    learnt, judged = (inputs_in(part) for part in (train, validation))
    learnt, judged = (held.get("", held) for held in (learnt, judged))
    if not model.built:
        model(keras.tree.map_structure(lambda array: array[:2], learnt))
    if loss is not None:
        model.compile(optimizer=problem.optimizer(), loss=loss, metrics=metrics)
    model.run_eagerly = runtime.framework == "tensorflow"
    for mine, theirs in zip(engine.model.variables, model.variables, strict=True):
        begun = np.array(keras.ops.convert_to_numpy(mine))
        if "weights" in keys and not np.array_equal(begun, keras.ops.convert_to_numpy(theirs)):
            return f"{mine.path}: new weights"
        theirs.assign(begun)
    seen: list[dict[str, float]] = []
    watch = keras.callbacks.LambdaCallback(on_train_batch_end=lambda batch, logs: seen.append(logs))
    weights = {int(label): weight for label, weight in keys.get("class_weight", {}).items()}
    fitted = model.fit(
        learnt,
        train["y"],
        batch_size=8,
        epochs=2,
        shuffle=False,
        verbose=0,
        class_weight=weights or None,
        callbacks=[watch],
        validation_data=(judged, validation["y"]),
        validation_batch_size=16,
    ).history
    trainer, evaluation = engine.resident_trainer(), Evaluation(engine, 16)
    resident = engine.on_devices(train)
    order = engine.constant(np.arange(80, dtype=np.int32).reshape(10, 8))
    constant = engine.constant
    steps = [
        engine.read(trainer(resident, order, constant(step), constant(1))[0]) for step in range(10)
    ]
    found: dict[str, Any] = {"steps": [], "first": {}, "second": {}}
    for count in range(1, 11):
        found["steps"].append(engine.named(np.sum(steps[:count], axis=0), 8 * count)["loss"])
    found["first"] = engine.named(np.sum(steps, axis=0), 80) | (evaluation.run(np.inf) or {})
    second = engine.read(trainer(resident, order, constant(0), constant(10))[0])
    found["second"] = engine.named(second, 80) | (evaluation.run(np.inf) or {})
    right: dict[str, Any] = {"steps": [log["loss"] for log in seen[:10]]}
    right |= {
        word: {key: values[number] for key, values in fitted.items()}
        for number, word in enumerate(("first", "second"))
    }
    for key, value in right.items():
        mine = found[key]
        if isinstance(value, dict) and set(value) != set(mine):
            return f"{key}: {sorted(mine)} and not {sorted(value)}"
        ours, its = (
            ([mine[k] for k in value], list(value.values()))
            if isinstance(value, dict)
            else (mine, value)
        )
        if not np.allclose(ours, its, rtol=1e-5, atol=1e-6):
            return f"{key}: {mine} and not {value}"
    return ""


def refusal(name: str) -> str:
    """Empty where a model is refused as it should be."""
    from accelreport.workloads.own_model import ModelError
    from tests.workloads import corpus_of_models as table

    kind, keys, _, message = table.REFUSED[name]
    try:
        problem_of(name, kind, keys)
    except ModelError as error:
        return "" if message in str(error) else str(error)
    return "not refused"


def main(framework: str, *names: str) -> None:
    """Compare every model of the table in one framework."""
    from accelreport.backend.frameworks import choose, configure
    from accelreport.spec.device import Device

    choose(framework, "CPU")
    runtime = configure(Device.model_validate({"kind": "CPU", "framework": framework}))
    from tests.workloads import corpus_of_models as table

    answers = {name: refusal(name) for name in names or table.REFUSED if name in table.REFUSED}
    with tempfile.TemporaryDirectory() as folder:
        for name in names or table.MODELS:
            if name in table.MODELS:
                answers[name] = differences(name, runtime, folder)
    sys.stdout.write(f"{json.dumps(answers)}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
