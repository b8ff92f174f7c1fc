"""What SECURITY.md says of what runs, held by files that leave a trace where anything runs them."""

from __future__ import annotations

import ast
import http.client
import json
import os
import pickle
import re
import signal
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

import pytest

from accelreport.errors import ExitCode
from accelreport.plugins import DATASETS, LAUNCHERS, PLACEMENTS, WORKLOADS
from accelreport.results.store import Store
from tests.datasets.layouts import pickled_npy, write_imdb
from tests.house.tree import ROOT, sources
from tests.support.packages import install
from tests.support.processes import PATIENCE_S
from tests.support.program import DEVICES, MATMUL, Finished, alone
from tests.support.records import study

TABLE = (
    (ROOT / "SECURITY.md").read_text(encoding="utf-8").partition("## What each command runs\n")[2]
)
_, *ROWS = re.findall(r"^\| (.+) \|$", TABLE.partition("\n## ")[0], re.MULTILINE)

PROMISED = {
    command.strip("`"): dict(
        zip(("plug-in", "template", "model", "step", "rest"), said, strict=True)
    )
    for command, *said in (row.split(" | ") for row in ROWS if "`" in row)
}
"""Command → what leaves a trace → whether SECURITY.md says that it runs."""

SHADOWS = (
    *("accelreport", "altair", "filelock", "jax", "jinja2", "keras", "markupsafe", "numpy"),
    *("pandas", "platformdirs", "psutil", "pydantic", "ray", "rich", "scipy", "sitecustomize"),
    *("submitit", "tensorflow", "tomli", "torch", "typer", "usercustomize", "vl_convert"),
)
"""Modules that a process would take from a folder in which Python looks for them."""

LAYERS: list[tuple[str, dict[str, object]]] = [
    ("InputLayer", {"batch_shape": [None, 28, 28], "name": "pixels"}),
    ("Flatten", {"name": "flat"}),
    ("Dense", {"name": "out", "units": 10, "activation": "softmax"}),
]
LAMBDA: tuple[str, dict[str, object]] = ("Lambda", {"name": "f", "function": "x"})

KERAS = """
schema = 1
title = "Net on {data}"
devices = ["cpu"]
baseline = "cpu"
[workload]
kind = "keras"
architecture = "{model}.json"
dataset = "{data}"
"""

MODEL = """
schema = 1
title = "Model and data"
devices = ["cpu"]
baseline = "cpu"
[workload]
kind = "keras"
model = "mine/model.py:build"
data = "mine/data.py:load"
task = "regression"
batch_size = 4
[measure]
repeats = 1
warmup_steps = 1
"""

BUILD = """
import keras

def build():
    return keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
"""

LOAD = """
import numpy as np

def load():
    return np.arange(80.0).reshape(40, 2), np.arange(40.0)
"""

STEP = """
schema = 1
title = "Own"
devices = ["cpu"]
baseline = "cpu"
[workload]
kind = "python"
file = "step.py"
batch_size = 4
[measure]
repeats = 1
calls = 20
warmup_calls = 2
"""


@dataclass(frozen=True)
class Repository:
    """A folder that a stranger wrote, and the traces of what has run."""

    root: Path
    traces: Path
    installed: Path

    def touch(self, name: str) -> str:
        """Python that leaves a trace."""
        return f"open({str(self.traces / name)!r}, 'w').close()\n"

    def call(self, *arguments: str) -> Finished:
        """The command, with this folder as the working folder, as its script starts it."""
        return subprocess.run(
            [sys.executable, "-P", "-m", "accelreport", *arguments],
            cwd=self.root, env=self.environment, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, check=False, timeout=PATIENCE_S,
        )  # fmt: skip

    @property
    def environment(self) -> Mapping[str, str]:
        paths = (self.installed, ROOT)
        return {
            **os.environ,
            **alone(self.traces.parent),
            "PYTHONPATH": os.pathsep.join(map(str, paths)),
            "ACCELREPORT_DATA": str(self.root / "data"),
            "ACCELREPORT_CACHE": str(self.root / ".cache"),
        }

    @property
    def ran(self) -> set[str]:
        return {path.name for path in self.traces.iterdir()}


class _Opened:
    """What a pickle of it does when it is read."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (str(self.trace),)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "theirs", tmp_path / "traces", tmp_path / "installed")
    for folder in (made.root, made.traces, made.installed):
        folder.mkdir()
    (made.installed / "plug_in.py").write_text(made.touch("plug-in"))
    groups = (WORKLOADS, DATASETS, PLACEMENTS, LAUNCHERS)
    install(made.installed, "plug-in", {group: {"mine": "plug_in:THING"} for group in groups})
    _write_specs(made)
    _write_results(made)
    _write_code(made)
    return made


def _write_specs(made: Repository) -> None:
    specs = made.root / "specs"
    (made.root / "refused").mkdir()
    specs.mkdir()
    for folder in (specs, made.root / "refused"):
        (folder / "devices.toml").write_text(DEVICES)
        for name, layers in (("net", LAYERS), ("code", [*LAYERS, LAMBDA])):
            config = {"name": name, "layers": [_serialised(*layer) for layer in layers]}
            (folder / f"{name}.json").write_text(json.dumps(_serialised("Sequential", config)))
    (made.root / "refused" / "code.toml").write_text(KERAS.format(model="code", data="mnist"))
    (specs / "digits.toml").write_text(KERAS.format(model="net", data="mnist"))
    (specs / "words.toml").write_text(KERAS.format(model="net", data="imdb"))
    (specs / "products.toml").write_text(MATMUL)
    (specs / "own.toml").write_text(STEP)
    # A module beside it that has the name of an installed one is refused, and these are there.
    below = specs / "mine"
    below.mkdir()
    (specs / "model.toml").write_text(MODEL)
    (below / "model.py").write_text(f"{made.touch('model')}{BUILD}")
    (below / "data.py").write_text(f"{made.touch('loader')}{LOAD}")
    step = "import beside\n\ndef build(batch_size, seed):\n    return float, beside.BATCHES\n"
    (specs / "beside.py").write_text("BATCHES = [1.0] * 8\n")
    (specs / "step.py").write_text(f"{made.touch('step')}{step}")
    opened = _Opened(made.traces / "pickle of a data set")
    write_imdb(made.root / "data", {"x_train.npy": pickled_npy(opened)})


def _serialised(name: str, config: Mapping[str, object]) -> dict[str, object]:
    module = "keras" if name == "Sequential" else "keras.layers"
    return {"module": module, "class_name": name, "config": config, "registered_name": None}


def _write_results(made: Repository) -> None:
    for number, name in enumerate(("results", "more")):
        stored = Store(made.root / name)
        some = study("matmul", repeats=1, devices=("cpu",), axes={}, seed=number)
        stored.write_plan(some.plan)
        for record in some.records:
            stored.write(record)
    opened = pickle.dumps(_Opened(made.traces / "pickle among results"))
    for place in ("results/jobs", "results/artefacts", "results/cells", "more/plans"):
        (made.root / place).mkdir(exist_ok=True)
        for name in ("0_result.pkl", f"{'0' * 64}.weights.npz", "x.json"):
            (made.root / place / name).write_bytes(opened)
    with zipfile.ZipFile(made.root / "more.zip", "w") as archive:
        for path in sorted((made.root / "more").rglob("*.json")):
            archive.write(path, path.relative_to(made.root))
        archive.writestr("more/cells/../../../sitecustomize.py", made.touch("unpacked"))


def _write_code(made: Repository) -> None:
    program = f"{{{{ cycler.__init__.__globals__.os.system(\"touch '{made.traces}/NAME'\") }}}}"
    for place, name in (("templates", "template that none named"), ("mine", "template")):
        (made.root / place).mkdir()
        for template in ("index.html", "page.html", "article.html", "parts.html", "base.css"):
            (made.root / place / template).write_text(program.replace("NAME", name))
    for place in (".", "specs", "results", "mine"):
        for name in SHADOWS:
            (made.root / place / f"{name}.py").write_text(made.touch(f"{place} {name}"))
    (made.root / "theirs.py").write_text(made.touch("plug-in that is not installed"))
    install(made.root, "theirs", {WORKLOADS: {"theirs": "theirs:FAMILY"}})
    (made.root / "conftest.py").write_text(made.touch("conftest"))


KILLED = -signal.SIGKILL

CALLS: dict[str, dict[str, int]] = {
    "check": {"check": ExitCode.OK, "check refused": ExitCode.BAD_SPEC},
    "build": {"build": ExitCode.OK, "build --templates mine": ExitCode.OK},
    "serve": {"serve --port 0": KILLED, "serve --port 0 --templates mine": KILLED},
    "merge": {"merge results more more.zip -o all": ExitCode.BAD_RESULTS},
    "compare": {"compare results more --format html -o new.html": ExitCode.BAD_RESULTS},
    "run": {"run specs/own.toml specs/model.toml specs/products.toml": ExitCode.OK},
}
"""Command → its calls, each with its end: what cannot be read is named by some of them."""


def test_the_table_has_a_row_for_each_command_that_is_tried() -> None:
    assert PROMISED.keys() == CALLS.keys()
    assert {cell for row in PROMISED.values() for cell in row.values()} == {"runs", "–"}
    assert {row["rest"] for row in PROMISED.values()} == {"–"}


@pytest.mark.e2e
@pytest.mark.parametrize("command", CALLS)
def test_what_runs_is_what_the_table_says(command: str, repository: Repository) -> None:
    promised = {name for name, said in PROMISED[command].items() if said == "runs"}
    promised |= {"loader"} if "model" in promised else set()
    for call, code in CALLS[command].items():
        done = _served(repository, call) if command == "serve" else repository.call(*call.split())
        assert done.returncode == code, done.stdout + done.stderr
        assert repository.ran == promised - ({"template"} if "mine" not in call else set())


def _served(repository: Repository, call: str) -> Finished:
    """What a server said that gave its first page and was killed."""
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "accelreport", *call.split()],
        cwd=repository.root, env=repository.environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        at = next(filter(None, map(re.compile(r"127\.0\.0\.1:(\d+)/").search, process.stdout)))
        asked = http.client.HTTPConnection("127.0.0.1", int(at[1]), timeout=PATIENCE_S)
        asked.request("GET", "/")
        assert asked.getresponse().status == HTTPStatus.OK
        asked.close()
    finally:
        process.kill()
        out, error = process.communicate()
    return Finished(call, process.returncode, out, error)


@pytest.mark.e2e
@pytest.mark.parametrize("command", ["check", "build"])
def test_a_file_beside_the_specs_cannot_name_templates(
    command: str, repository: Repository
) -> None:
    said = 'schema = 1\n[report]\ntemplates = "mine"\n'
    (repository.root / "specs" / "accelreport.toml").write_text(said)
    done = repository.call(command)
    assert done.returncode == 3
    assert "`templates` belongs on the command line" in done.stderr
    assert "template" not in repository.ran
    assert not (repository.root / "site").exists()


@pytest.mark.e2e
def test_the_module_of_the_program_looks_for_none_in_the_working_folder(
    repository: Repository,
) -> None:
    (repository.root / "accelreport.py").unlink()  # which Python itself would start
    done = subprocess.run(
        [sys.executable, "-m", "accelreport", "merge", "results", "more", "-o", "all"],
        cwd=repository.root, env=repository.environment, capture_output=True, check=False,
    )  # fmt: skip
    assert done.stdout.startswith(b"all: 1 record")
    assert not repository.ran


def _started(tree: ast.AST) -> Iterator[list[str]]:
    """The beginning of every command line of Python that a module holds."""
    for node in ast.walk(tree):
        if isinstance(node, ast.List | ast.Tuple):
            words = [ast.unparse(each) for each in node.elts]
            if words[:1] == ["sys.executable"]:
                yield words


def test_no_process_that_is_started_looks_for_modules_in_the_working_folder() -> None:
    commands = [words for _, tree in sources("accelreport") for words in _started(tree)]
    assert commands
    assert not [words for words in commands if words[1] not in {"'-P'", "'-I'"}]
