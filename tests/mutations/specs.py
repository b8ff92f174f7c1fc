"""A spec, a devices file and a settings file in which every key is written, and who reads them."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import tomli

from accelreport.loader.load import load
from accelreport.results.plan_document import PlanDocument, plan_document
from accelreport.results.reading import read_plan, to_bytes
from accelreport.spec.files_beside import read_options
from accelreport.spec.problems import SpecErrors
from accelreport.terminal.say import claims_text
from tests.mutations.results import CHECKS, Folder, read_all
from tests.mutations.values import Mutation, as_json, as_toml

SHIPPED = Path(__file__).parents[2] / "specs"
SOURCE = {
    "title": "A piece", "url": "https://example.org/a", "authors": "A. Person", "year": 2018,
    "licence": "CC BY 4.0", "accessed": "2026-05-31", "note": "read in part",
}  # fmt: skip

EVERYTHING: dict[str, Any] = {
    "schema": 1,
    "title": "Everything",
    "description": "A spec that writes every key.",
    "devices": ["cpu", "gpu"],
    "baseline": "cpu",
    "only_named": False,
    "order": 1,
    "source": SOURCE,
    "workload": {
        "kind": "image_classification", "dataset": "mnist", "model": "conv64_conv32",
        "scale_pixels": True, "epochs": 3, "batch_size": 256, "steps_per_epoch": 40,
        "optimizer": {"name": "adam", "learning_rate": 1e-3}, "data": "synthetic",
        "input": "resident", "train_examples": 10240, "validation_examples": 500,
        "evaluation_batch_size": 500, "samples": 3,
    },
    "sweep": {"batch_size": [256, 512], "zip": {"epochs": [2, 3], "samples": [1, 2]}},
    "measure": {
        "repeats": 2, "first_seed": 0, "warmup_steps": 20, "warmup_calls": 1, "calls": 6,
        "budget": "10m", "timeout": 3600.0,
        "target": {"metric": "val_accuracy", "at_least": 0.9, "required": False},
    },
    "profiles": {"quick": {"workload.scale_pixels": False, "measure.repeats": 1}},
    "published": [
        {"device": "gpu", "label": "Colab GPU, 2018", "hardware": "Tesla K80",
         "hardware_by": "A. Person", "includes": "validation",
         "val_accuracy_by_epoch": {"1": 0.9}, "mark": "O",
         "where": {"batch_size": 256}, "note": "as printed", "comparable": False,
         "first_epoch_time": "9 s", "epoch_time": "6 s", "step_time": 0.03, "sample_time": "94 µs",
         "total_time": "1 m", "throughput": 9000.0, "accuracy": "99 %", "val_accuracy": 0.98,
         "val_precision": 0.97, "val_recall": 0.96, "val_f1": 0.95, "loss": 0.1, "val_loss": 0.2,
         "float32_bytes": "1 MB", "int8_bytes": 3e5, "speedup": 12.0, "over": "cpu",
         "over_where": {"batch_size": 256}, "quantity": "epoch_time", "source": SOURCE,
         "imported": "figures.csv",
         "price": {"per_hour": 0.45, "of": "Tesla K80", "date": "2018-10-08", "source": "A list",
                   "currency": "EUR"}},
        {"device": "cpu", "label": "A laptop", "epoch_time": 50.0},
    ],
    "claims": [
        {"text": f"Claim {n}", "check": check, "source": "A piece",
         "by": "source", "note": "in 2018"}
        for n, check in enumerate(CHECKS)
    ],
    "advice": [{"use": "GPU", "words": ["large models"], "others": ["others"], "source": SOURCE}],
}  # fmt: skip

PRODUCTS: dict[str, Any] = {
    "schema": 1, "title": "Products", "devices": ["cpu"],
    "baseline": {"device": "cpu", "size": 64}, "sweep": {"size": [64, 128]},
    "workload": {"kind": "matmul", "size": 64, "count": 10, "dtype": "float32"},
    "published": [{"device": "cpu", "label": "A", "tflops": "12 GFLOPS", "tflops_cold": 0.1}],
}  # fmt: skip

OWN_MODEL: dict[str, Any] = {
    "schema": 1, "title": "Own model", "devices": ["cpu"], "baseline": {"device": "cpu"},
    "measure": {"target": {"metric": "val_loss", "at_most": 0.5}},
    "workload": {"kind": "keras", "architecture": "model.json", "dataset": "mnist",
                 "divide_by": 255.0, "loss": "sparse_categorical_crossentropy",
                 "from_logits": False, "metrics": ["accuracy"], "epochs": 1, "data": "synthetic"},
}  # fmt: skip

OWN_STEP: dict[str, Any] = {
    "schema": 1, "title": "Own step", "devices": ["one"], "measure": {"calls": 20},
    "workload": {"kind": "python", "file": "step.py", "function": "build", "batch_size": 64,
                 "options": {"width": 4}},
}  # fmt: skip

DEVICES: dict[str, Any] = {
    "schema": 1,
    "cpu": {"kind": "CPU", "label": "CPU, all threads", "framework": "tensorflow",
            "strategy": "mirrored", "replicas": 2, "threads": 2, "precision": "float32",
            "xla": False, "eager": False, "price_per_hour": 0.1, "currency": "EUR",
            "price_date": "2026-05-31", "price_source": "A list"},
    "gpu": {"kind": "GPU", "strategy": "multi_worker_mirrored", "workers": 2,
            "spread": False, "tf32": False, "peak_tflops": {"float32": 8.1}, "peak_source": "A",
            "memory_gbps": 320.0, "memory_source": "A", "placement": ""},
    "one": {"kind": "CPU"},
    "tpu": {"kind": "TPU", "strategy": "tpu", "address": "local"},
    "torch": {"kind": "GPU", "framework": "torch", "torch_compile": True},
}  # fmt: skip

SETTINGS: dict[str, Any] = {
    "schema": 1,
    "report": {"results": "results", "out": "site", "title": "Ours",
               "base_url": "https://example.org/", "theme": "dark"},
}  # fmt: skip

ARCHITECTURE: dict[str, Any] = {
    "module": "keras", "class_name": "Sequential",
    "config": {"name": "sequential", "trainable": True, "layers": [
        {"module": "keras.layers", "class_name": "InputLayer", "registered_name": None,
         "config": {"batch_shape": [None, 28, 28], "dtype": "float32", "name": "input"}},
        {"module": "keras.layers", "class_name": "Flatten", "registered_name": None,
         "config": {"name": "flatten"}},
        {"module": "keras.layers", "class_name": "Dense", "registered_name": None,
         "config": {"name": "dense", "units": 10, "activation": "softmax", "use_bias": True,
                    "kernel_initializer": {"module": "keras.initializers", "config": {"seed": None},
                                           "class_name": "GlorotUniform",
                                           "registered_name": None}}},
    ]},
    "registered_name": None, "build_config": {"input_shape": [None, 28, 28]},
    "compile_config": {"loss": "mse"},
}  # fmt: skip
"""As Keras' `model.to_json()` writes it."""

STEP = "def build(batch_size, seed, width=1):\n    return (lambda batch: 0.0), [1]\n"


@cache
def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="mutations-"))
    (folder / "step.py").write_text(STEP)
    (folder / "model.json").write_text(json.dumps(ARCHITECTURE))
    return folder


def specs() -> dict[str, Any]:
    """Every spec that is changed: those above, and the shipped ones of the other families."""
    own = {
        "everything": EVERYTHING, "products": PRODUCTS, "own_model": OWN_MODEL,
        "own_step": OWN_STEP,
    }  # fmt: skip
    others = "weather_gru", "shakespeare", "imdb_lstm", "har_sweep", "mnist_deploy"
    return own | {name: _only_workload(name) for name in others}


def _only_workload(name: str) -> dict[str, Any]:
    read: dict[str, Any] = tomli.loads((SHIPPED / f"{name}.toml").read_text(encoding="utf-8"))
    keys = ("schema", "title", "workload", "sweep", "measure")
    return {"devices": ["cpu"], **{key: read[key] for key in keys if key in read}}


def judge_spec(which: str, mutation: Mutation) -> bool:
    """Whether a spec is read under each of its profiles; what is read is shown, too."""
    return _loaded(which, mutation.of(specs()[which]), DEVICES)


def judge_devices(which: str, mutation: Mutation) -> bool:
    """The same of a devices file, by a spec that names its devices."""
    del which
    return _loaded("everything", EVERYTHING, mutation.of(DEVICES))


def judge_settings(which: str, mutation: Mutation) -> bool:
    """Whether a settings file is read."""
    del which
    path = _folder() / "accelreport.toml"
    path.write_bytes(as_toml(mutation.of(SETTINGS)))
    try:
        read_options(path)
    except SpecErrors as errors:
        return _told(errors)
    finally:
        path.unlink()
    return True


def judge_architecture(which: str, mutation: Mutation) -> bool:
    """Whether a spec is read that names the file of a model."""
    del which
    path = _folder() / "model.json"
    before = path.read_bytes()
    path.write_bytes(as_json(mutation.of(ARCHITECTURE)))
    try:
        return _loaded("own_model", OWN_MODEL, DEVICES, shown=False)
    finally:
        path.write_bytes(before)


def _loaded(
    name: str, spec: Mapping[str, Any], devices: Mapping[str, Any], *, shown: bool = True
) -> bool:
    path = _folder() / f"{name}.toml"
    path.write_bytes(as_toml(spec))
    (_folder() / "devices.toml").write_bytes(as_toml(devices))
    try:
        profiles = (None, "quick") if spec is EVERYTHING or name == "everything" else (None,)
        every = [load([path], profile=profile) for profile in profiles]
    except SpecErrors as errors:
        return _told(errors)
    finally:
        path.unlink()
    list(claims_text(every[0].specs))
    for read in every if shown else ():
        (one,) = read.specs
        _show(plan_document(one, {}))
    return True


def _show(plan: PlanDocument) -> None:
    """What a run writes of it is read again, and shown with nothing measured."""
    path = _folder() / "plan.json"
    path.write_bytes(to_bytes(plan))
    folder = Folder([read_plan(path)], [])
    read_all(folder, folder)


def _told(errors: SpecErrors) -> bool:
    """That errors are told: each of a file, in its place, and not without end."""
    assert len(str(errors)) < 200_000
    for problem in errors.problems:
        assert problem.message
        assert problem.as_json()["code"]
        for place in (problem.place, *problem.related):
            if place.line:
                assert 1 <= place.column <= place.end_column <= len(place.source) + 1
    return False
