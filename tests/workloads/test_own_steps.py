"""A training step of somebody's own: the worked example of the documentation, and its mistakes."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import cast

import pytest

from accelreport.loader.load import load
from accelreport.results.privacy import as_published
from accelreport.runner.plan import decide
from accelreport.spec.cells import Cell, Spec
from accelreport.spec.device import FRAMEWORK_NAMES, Device
from accelreport.spec.problems import SpecErrors
from accelreport.workloads.own_code import OwnCode, OwnCodeError
from accelreport.workloads.python_step import PythonParameters, problem
from tests.house.documents import blocks
from tests.support.children import Measures

BLOCKS = [
    block
    for block in blocks("docs/specs.md")
    if 'kind = "python"' in block.text or "def build(" in block.text
]
EXAMPLE = {block.language: block.text for block in reversed(BLOCKS)}
"""The spec and the first file of the documentation, by language."""

FILES = [b.text for b in BLOCKS if b.language == "python" and "batch_size" in b.text]
"""Every file of the documentation that has a step."""

HEAD = 'schema = 1\ntitle = "Own"\ndevices = ["cpu"]\n'

REPEATED = EXAMPLE["toml"].replace("calls = 200", "repeats = 3\ncalls = 60")
"""The documented spec with three repeats, each as short as a test likes it."""

PLAINLY = "\n".join(line for line in REPEATED.splitlines() if "options" not in line)
"""The same for a function without further arguments."""

BEFORE = (open, time.perf_counter)

Cells = Callable[..., tuple[Cell, ...]]
Reads = Callable[..., Spec]


@pytest.fixture
def own_spec(tmp_path: Path) -> Reads:
    """The documented spec, with files beside it."""

    def read(
        source: str = EXAMPLE["python"],
        spec: str = EXAMPLE["toml"],
        keys: str = "",
        kind: str = "CPU",
        beside: Mapping[str, str] = {},
    ) -> Spec:
        devices = f'schema = 1\n[cpu]\nkind = "{kind}"\n{keys}\n'
        (tmp_path / "devices.toml").write_text(devices)
        (tmp_path / "step.py").write_text(source)
        for name, text in beside.items():
            path = tmp_path / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        (tmp_path / "own.toml").write_text(HEAD + spec)
        return load([tmp_path / "own.toml"]).specs[0]

    return read


@pytest.fixture
def cells(own_spec: Reads) -> Cells:
    """The cells of that spec."""
    return lambda *arguments, **more: own_spec(*arguments, **more).cells


@pytest.mark.e2e
def test_the_documented_step_is_timed_like_any_other(cells: Cells, measure: Measures) -> None:
    record = measure(cells()[0])
    assert record.status == "ok", record.failure
    assert (record.planned_steps, record.samples_per_step, record.flops) == (200, 32, None)
    assert sum(block.steps for block in record.blocks) == 200
    assert sum(block.steps for block in record.blocks if block.warmup) == 10
    assert record.blocks[0].steps == 1, "tracing stands apart"
    assert record.data is not None
    assert record.data.origin == "generated"
    outcomes = {check.name: check.outcome for check in record.checks}
    assert {outcomes[name] for name in ("constant-input", "compile-inside")} == {"passed"}
    assert "canary" in outcomes


def test_an_edited_file_is_another_cell_and_the_record_holds_what_was_run(cells: Cells) -> None:
    one, same = cells()[0], cells()[0]
    edited, *_ = cells(EXAMPLE["python"].replace("range(16)", "range(17)"))
    assert one.key == same.key != edited.key
    assert one.workload["document"] == EXAMPLE["python"]


@pytest.mark.parametrize(
    ("source", "line", "said", "remedy"),
    [
        ("def train(batch_size, seed): ...\n", 6, "defines no function `build`", "defines train"),
        ("x = (1\n", 5, "step.py, line 1: '(' was never closed", ""),
        (
            "\ndef build(batch_size): ...\n",
            5,
            "step.py, line 2: `build` does not take `seed`",
            "seed",
        ),
        ("def build(batch_size, seed): ...\n", 8, "does not take `width`", "add the parameter"),
        (
            "def build(batch_size, seed, width, depth): ...\n",
            5,
            "step.py, line 1: `build` needs `depth`",
            "options = { depth = … }",
        ),
    ],
)
def test_a_file_that_cannot_be_a_step_is_told_with_its_line_before_anything_runs(
    cells: Cells, source: str, line: int, said: str, remedy: str
) -> None:
    with pytest.raises(SpecErrors) as caught:
        cells(f"{source}raise SystemExit('it was run')\n")
    (found,) = caught.value.problems
    assert said in found.message
    assert remedy in found.help
    assert found.place.line == line + HEAD.count("\n") - 2


def test_an_override_reaches_an_option_that_the_spec_has_and_no_other(
    own_spec: Reads, tmp_path: Path
) -> None:
    own_spec()
    (spec,) = load([tmp_path / "own.toml"], overrides={"workload.options.width": 5}).specs
    assert spec.workload["options"] == {"width": 5}
    with pytest.raises(SpecErrors, match=r"no spec has a key `workload\.options\.depth`"):
        load([tmp_path / "own.toml"], overrides={"workload.options.depth": 5})


def test_what_runs_is_what_the_named_file_holds_and_nothing_that_the_spec_says_of_it(
    cells: Cells,
) -> None:
    said = EXAMPLE["toml"].replace("batch_size = 32", 'batch_size = 32\ndocument = "exit(1)"')
    with pytest.raises(SpecErrors, match="`document` is what the file holds"):
        cells(spec=said)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def build(batch_size, seed): return 3", "`build` returned int"),
        ("def build(batch_size, seed): return abs, []", "returned no batch"),
        ("def build(batch_size, seed):\n    return len(seed), [1]", "step.py, line 2: TypeError"),
        ("def build(**_): raise KeyboardInterrupt", "step.py, line 1: KeyboardInterrupt"),
        ("def build(**_): raise GeneratorExit('no')", "step.py, line 1: GeneratorExit: no"),
        ("import time\ndef build(**_): time.perf_counter = int", "replaced time.perf_counter"),
        (
            "import builtins\nbuiltins.open = int\ndef build(**_): return open().x",
            "replaced builtins.open",
        ),
    ],
)
def test_what_the_file_does_wrong_is_blamed_on_it_and_its_line(source: str, said: str) -> None:
    parameters = PythonParameters(file="step.py", document=source)
    steps = problem(parameters)
    with pytest.raises(OwnCodeError, match=said) as caught:
        steps.build(steps.code, 0, Device(kind="CPU"))
    assert caught.value.remedy
    assert (open, time.perf_counter) == BEFORE


LOOKS_AROUND = """
import json, os, sys
from pathlib import Path

import mylib
from tools import weights
from tools.deep import made

def build(batch_size, seed):
    assert Path(__file__).is_absolute(), __file__
    assert Path.cwd() == Path(__file__).parent, os.getcwd()
    assert str(Path(__file__).parent) in sys.path
    assert mylib.value() + weights.ONE + made.TWO == 6
    return (lambda batch: 1.0 + sum(batch)), [[1.0, 2.0]]
"""

BESIDE = {
    "mylib.py": "from tools import weights\ndef value():\n    return 2 + weights.ONE\n",
    "tools/__init__.py": "",
    "tools/weights.py": "from . import deeper as other\nONE = other.ONE\n",
    "tools/deeper.py": "ONE = 1\n",
    "tools/deep.py": "",
    "unused.py": "raise SystemExit\n",
}


@pytest.mark.e2e
def test_a_file_works_in_its_folder_with_the_modules_beside_it(
    own_spec: Reads, measure: Measures, tmp_path: Path
) -> None:
    beside = BESIDE | {"tools/deep.py": "class made:\n    TWO = 2\n"}
    cell, *_ = own_spec(LOOKS_AROUND, PLAINLY, beside=beside).cells
    assert set(cell.workload["modules"]) == {
        *("mylib.py", "tools/__init__.py", "tools/weights.py", "tools/deeper.py", "tools/deep.py")
    }
    (tmp_path / "mylib.py").write_text("raise SystemExit('edited after it was read')\n")
    record = measure(cell)
    assert record.status == "ok", record.failure
    assert record.cell.workload["modules"]["mylib.py"] == BESIDE["mylib.py"]
    assert record.imported == []


def test_an_edited_module_is_another_cell_and_one_that_nobody_imports_is_not(
    cells: Cells,
) -> None:
    one, *_ = cells(LOOKS_AROUND, PLAINLY, beside=BESIDE)
    same, *_ = cells(LOOKS_AROUND, PLAINLY, beside=BESIDE | {"unused.py": ""})
    edited, *_ = cells(LOOKS_AROUND, PLAINLY, beside=BESIDE | {"tools/deeper.py": "ONE = 1.0\n"})
    assert one.key == same.key != edited.key
    alone, *_ = cells()
    assert "modules" not in alone.workload, "its key is what it was before modules were read"


ELSEWHERE = """
import importlib, sys
sys.path += ["../edited"]
import numpy, published, editable.deep, installed, delivered
lib = importlib.import_module("hid" + "den")

def build(batch_size, seed):
    return lib.step, [[1.0, 2.0]]
"""


@pytest.mark.e2e
def test_code_from_elsewhere_is_known_and_an_edit_of_it_is_measured(
    own_spec: Reads, measure: Measures, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "spec/hidden.py": "def step(batch):\n    return 1.0\n",
        "edited/editable/__init__.py": "",
        "edited/editable/deep.py": "import outside\n",
        "pythonpath/outside.py": "",
        "pythonpath/outside.egg-info/SOURCES.txt": "outside.py\n",
        "pythonpath/outside.egg-info/PKG-INFO": "Name: outside\nVersion: 1\n",
        "pythonpath/delivered.py": "",
        "pythonpath/delivered-1.dist-info/RECORD": "delivered.py,,\n",
        "pythonpath/delivered-1.dist-info/METADATA": "Name: delivered\nVersion: 1\n",
        "lib/site-packages/published.py": "",
        "lib/site-packages/installed.py": "",
        "lib/site-packages/installed-1.dist-info/direct_url.json": '{"dir_info": {}}',
        "lib/site-packages/installed-1.dist-info/RECORD": "installed.py,,\n",
        "lib/site-packages/installed-1.dist-info/METADATA": "Name: installed\nVersion: 1\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(text)
    paths = (str(tmp_path / name) for name in ("pythonpath", "lib/site-packages"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    own_spec(ELSEWHERE, PLAINLY)
    for name in ("devices.toml", "step.py", "own.toml"):
        (tmp_path / name).rename(tmp_path / "spec" / name)
    cell, *_ = load([tmp_path / "spec" / "own.toml"]).specs[0].cells
    record = measure(cell)
    assert record.status == "ok", record.failure
    places = {file.file: file.folder for file in record.imported}
    assert places == {
        "editable/__init__.py": "../edited",
        "editable/deep.py": "../edited",
        "hidden.py": ".",
        "installed.py": "../lib/site-packages",
        "outside.py": "../pythonpath",
    }
    assert decide(cell, record, None).action == "done"
    for file, folder in places.items():
        path = tmp_path / "spec" / folder / file
        before = path.read_text()
        path.write_text(f"{before}# edited\n")
        planned = decide(cell, record, None)
        assert (planned.action, planned.reason) == ("run", f"{file} changed since it was measured")
        path.write_text(before)
    (published,) = as_published((), (record,))[1]
    assert {file.folder for file in published.imported} == {""}


def test_a_mistake_in_a_module_beside_the_file_is_told_with_its_line(cells: Cells) -> None:
    with pytest.raises(SpecErrors, match=r"mylib\.py, line 1: '\(' was never closed"):
        cells(LOOKS_AROUND, PLAINLY, beside=BESIDE | {"mylib.py": "x = (1\n"})


def test_a_module_of_a_loaded_name_is_refused_and_not_silently_another_one() -> None:
    code = OwnCode("step.py", "", {"pytest.py": "x = 1\n"})
    with pytest.raises(OwnCodeError, match=r"pytest\.py has the name of a module"):
        code.run("own")


# Keys of a device ---------------------------------------------------------------------------

PLAIN = "import numpy\ndef build(batch_size, seed):\n    return sum, [[1.0, 2.0]]\n"
"""It computes in no framework."""

KERAS = PLAIN.replace("import numpy", "import keras")
ASKING = "batch_size, seed, device"

KEYS = {
    "xla": "xla = true",
    "eager": "eager = true",
    "torch_compile": "torch_compile = true",
    "precision": 'precision = "mixed_bfloat16"',
    "threads": "threads = 1",
    "framework": "",
    "tf32": "tf32 = true",
    "kind": "",
    "strategy": 'strategy = "mirrored"\nreplicas = 2',
}
"""Keys of a device that change what is measured, and one value of each."""

SPOKEN = {"xla", "eager", "torch_compile"}


@pytest.mark.parametrize("framework", FRAMEWORK_NAMES)
@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("source", [PLAIN, KERAS], ids=["numpy", "keras"])
def test_a_key_that_nobody_heeds_is_an_error_of_check(
    key: str, framework: str, source: str, own_spec: Reads
) -> None:
    gpu = key in {"tf32", "kind"}
    keys = f'framework = "{framework}"\n{KEYS[key]}'
    refusal = ""
    try:
        own_spec(source, PLAINLY, keys=keys, kind="GPU" if gpu else "CPU")
    except SpecErrors as errors:
        refusal = " ".join(problem.message for problem in errors.problems)
    if key == "strategy" or key in SPOKEN:
        assert refusal, "nothing acts upon it"
    elif source == KERAS:
        assert not refusal, "it acts on what Keras computes"
    else:
        moot = key == "framework" and framework == "tensorflow"
        assert bool(refusal) is not moot
        assert moot or "computes outside" in refusal


def test_a_step_outside_frameworks_runs_where_tensorflow_is_not_installed(
    own_spec: Reads, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own_spec(PLAIN, PLAINLY)
    monkeypatch.setattr(sys, "path", [])
    (cell, *_) = load([tmp_path / "own.toml"], frameworks=("jax",)).cells
    assert cell.device_spec.framework == "jax"
    parameters = cast("PythonParameters", cell.parameters)
    code = OwnCode("step.py", PLAIN.replace("import numpy\n", ""), {})
    step, batches = problem(parameters).build(code, 0, cell.device_spec)
    assert step(batches[0]) == 3


def test_a_function_that_takes_the_device_and_never_reads_a_key_is_refused(
    own_spec: Reads,
) -> None:
    source = PLAIN.replace("batch_size, seed", ASKING)
    cell, *_ = own_spec(source, PLAINLY, keys="xla = true").cells
    steps = problem(PythonParameters.model_validate(cell.workload))
    with pytest.raises(OwnCodeError, match=r"does not read `device\.xla`"):
        steps.build(steps.code, 0, cell.device_spec)
    reads = source.replace("    return", "    device.xla\n    return")
    cell, *_ = own_spec(reads, PLAINLY, keys="xla = true").cells
    steps = problem(PythonParameters.model_validate(cell.workload))
    assert steps.build(steps.code, 0, cell.device_spec)[1]


@pytest.mark.e2e
@pytest.mark.parametrize(
    ("key", "seen"), [("xla", "model.jit_compile and traced[-1]"), ("eager", "not traced[-1]")]
)
def test_the_documented_function_does_what_xla_and_eager_ask_for(
    key: str, seen: str, own_spec: Reads, measure: Measures
) -> None:
    looking = FILES[1].replace("import keras\n", "import keras\nimport tensorflow as tf\n")
    looking = looking.replace(
        "    def step(batch):\n",
        "    traced = []\n"
        "    class Seen(keras.layers.Layer):\n"
        "        def call(self, x):\n"
        "            traced.append(tf.inside_function())\n"
        "            return x\n\n"
        "    model.add(Seen())\n"
        "    def step(batch):\n"
        "        model.train_on_batch(*batch)\n"
        f"        assert {seen}\n",
    )
    record = measure(own_spec(looking, REPEATED, keys=f"{key} = true").cells[0])
    assert record.status == "ok", record.failure
