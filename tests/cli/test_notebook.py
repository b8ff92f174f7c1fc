"""A spec as a notebook: valid, the same every time, and holding the spec as it is."""

from __future__ import annotations

import ast
import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelreport import origin
from accelreport.errors import ExitCode
from accelreport.loader.notebook import NothingToInstall, _text, notebook
from accelreport.spec.problems import SpecErrors
from tests.house.tree import ROOT
from tests.support.program import call

SPECS = sorted(path for path in (ROOT / "specs").glob("*.toml") if path.name != "devices.toml")


def sources(text: str) -> list[str]:
    """The code of each code cell."""
    cells = json.loads(text)["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


VALIDATE = """
import json, sys
import nbformat
for name, text in json.load(sys.stdin).items():
    try:
        nbformat.validate(nbformat.reads(text, as_version=4))
    except nbformat.ValidationError as error:
        print(name, error)
"""


def test_every_shipped_spec_becomes_a_valid_notebook() -> None:
    # In a process of its own, since nbformat warns; in one, since it takes long to import.
    made = {spec.stem: notebook(spec, install=".") for spec in SPECS}
    told = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", VALIDATE],
        input=json.dumps(made), capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert told.stdout == ""
    assert len(made) > 10


@pytest.mark.parametrize("spec", SPECS, ids=lambda path: path.stem)
def test_a_notebook_of_a_shipped_spec_is_the_same_every_time_and_holds_it_as_it_is(
    spec: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = notebook(spec, install=".")
    assert text == notebook(spec, install=".")
    monkeypatch.chdir(tmp_path)
    exec(sources(text)[1], {"Path": Path})  # noqa: S102 -- our own text
    for written in (spec, spec.with_name("devices.toml")):
        assert (tmp_path / "specs" / written.name).read_bytes() == written.read_bytes()


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r")))
def test_any_text_comes_back_from_its_literal(content: str) -> None:
    assert ast.literal_eval(_text(content).removesuffix("[1:]")) in (content, f"\n{content}")


@given(st.text(st.sampled_from("\"'\\\n #a")))
def test_quotes_and_backslashes_come_back_too(content: str) -> None:
    assert eval(_text(content)) == content  # noqa: S307 -- our own text


@pytest.mark.parametrize(
    ("install", "there", "expected"),
    [
        ("accelreport==1.0", {"tensorflow"}, "accelreport==1.0"),
        ("accelreport==1.0", set(), "accelreport[cpu]==1.0"),
        ("a-1.0-py3-none-any.whl", set(), "a-1.0-py3-none-any.whl[cpu]"),
        (".", set(), ".[cpu]"),
        (
            "git+https://example.org/a.git",
            {"tensorflow"},
            "accelreport @ git+https://example.org/a.git",
        ),
        (
            "git+https://example.org/a.git",
            set(),
            "accelreport[cpu] @ git+https://example.org/a.git",
        ),
        (".", {"accelreport", "tensorflow"}, None),
    ],
)
def test_a_runtime_keeps_the_tensorflow_it_has_and_gets_one_where_it_has_none(
    install: str, there: set[str], expected: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name in there or None)
    monkeypatch.setattr(subprocess, "run", lambda command, **_: asked.append(command[-1]))
    monkeypatch.setattr("shutil.which", lambda _: None)
    exec(sources(notebook(SPECS[0], install=install))[0], {})  # noqa: S102 -- our own text
    assert asked == ([] if expected is None else [expected])


def test_a_notebook_installs_what_a_runtime_elsewhere_can_have_or_is_not_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def recorded(direct_url: dict[str, Any] | None) -> None:
        text = None if direct_url is None else json.dumps(direct_url)
        there = SimpleNamespace(read_text=lambda _: text)
        monkeypatch.setattr(origin, "distribution", lambda _: there)

    commit = {"vcs": "git", "commit_id": "1234abc"}
    recorded({"url": "https://example.org/a.git", "vcs_info": commit})
    assert "source = 'git+https://example.org/a.git@1234abc'" in notebook(SPECS[0])
    extra = "pip install 'accelreport[jax] @ git+https://example.org/a.git@1234abc'"
    assert origin.install_command("jax") == extra
    recorded({"url": "file:///home/me/a-1.0-py3-none-any.whl", "archive_info": {}})
    with pytest.raises(NothingToInstall, match="needs to know what to install"):
        notebook(SPECS[0])
    # Advice stands in records, too, which are published: it names no folder of the machine.
    wheel = "pip install 'a-1.0-py3-none-any.whl[jax]' in the folder of that file"
    assert origin.install_command("jax") == wheel
    for checkout in ({"url": "file:///home/me/a", "dir_info": {}}, None):
        recorded(checkout)
        assert origin.install_command("jax").startswith("pip install '.[jax]' in the folder")
        with pytest.raises(NothingToInstall):
            notebook(SPECS[0])


def test_a_profile_is_measured_as_asked() -> None:
    assert "profile='quick'" in sources(notebook(SPECS[0], profile="quick", install="."))[2]
    assert "profile" not in sources(notebook(SPECS[0], install="."))[2]


SMALL = """
schema = 1
title = "Small products"
devices = ["cpu", "gpu"]
baseline = "cpu"

[workload]
kind = "matmul"
size = 32
count = 2

[measure]
repeats = 1
"""


# Through files: ports that are free when a kernel chooses them are taken when it listens.
EXECUTE = """
import sys
import nbformat
from nbclient import NotebookClient
from traitlets.config import Config
read = nbformat.read(sys.argv[1], as_version=4)
through_files = Config(KernelManager={"transport": "ipc"})
NotebookClient(read, config=through_files, startup_timeout=1200).execute()
nbformat.write(read, sys.argv[1])
"""


@pytest.mark.e2e
def test_a_notebook_runs_to_its_end_and_its_archive_becomes_a_page(tmp_path: Path) -> None:
    specs, runtime = tmp_path / "written", tmp_path / "runtime"
    specs.mkdir()
    runtime.mkdir()
    (specs / "small.toml").write_text(SMALL)
    (specs / "devices.toml").write_text('schema = 1\n[cpu]\nkind = "CPU"\n[gpu]\nkind = "GPU"\n')
    made = runtime / "small.ipynb"
    asked = ("notebook", str(specs / "small.toml"), "-o", made.name, "--install", ".")
    assert call(runtime, *asked).returncode == ExitCode.OK
    subprocess.run(
        [sys.executable, "-W", "ignore", "-c", EXECUTE, made.name],
        cwd=runtime,
        check=True,
        timeout=1200,
    )
    shown = json.dumps(json.loads(made.read_text(encoding="utf-8"))["cells"][-2]["outputs"])
    assert "<table>" in shown
    assert "gpu: skipped (no-device): no GPU on this machine" in shown
    (archive,) = runtime.glob("results-*.zip")
    for arguments in (["merge", archive.name, "-o", "all"], ["build", "--results", "all"]):
        assert call(runtime, *arguments).returncode == ExitCode.OK
    assert "Small products" in (runtime / "site" / "index.html").read_text(encoding="utf-8")


def test_a_notebook_that_is_there_is_not_replaced_unless_asked(tmp_path: Path) -> None:
    target = tmp_path / "x.ipynb"
    target.write_text("mine")
    asked = ("notebook", str(SPECS[0]), "-o", str(target), "--install", ".")
    told = call(tmp_path, *asked)
    assert told.returncode == ExitCode.USAGE
    assert "is there already" in told.stderr
    assert target.read_text() == "mine"
    assert call(tmp_path, *asked, "--force").returncode == ExitCode.OK
    assert json.loads(target.read_text(encoding="utf-8"))["nbformat"] == 4


def test_a_wrong_spec_is_told_before_anything_is_written(tmp_path: Path) -> None:
    spec = tmp_path / "wrong.toml"
    spec.write_text("schema = 1\n")
    with pytest.raises(SpecErrors):
        notebook(spec, install=".")
