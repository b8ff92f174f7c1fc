"""The files for containers: they copy what a build needs, and their shell does what it says."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from fnmatch import fnmatch
from pathlib import Path

import pytest

from tests.house.documents import calls, resolve
from tests.house.tree import ROOT, files

pytestmark = pytest.mark.e2e

TEXT = (ROOT / "Dockerfile").read_text(encoding="utf-8")

KEPT = {path.relative_to(ROOT).as_posix() for path in files()}


def instructions() -> list[tuple[str, str]]:
    """Every instruction of the Dockerfile and its words, continued lines joined."""
    joined = re.sub(r"\\\n\s*", "", TEXT)
    lines = (line for line in joined.splitlines() if line.strip() and not line.startswith("#"))
    return [(line.split(" ", 1)[0], line.split(" ", 1)[1]) for line in lines]


def of(name: str) -> list[str]:
    """The words of every instruction of a kind."""
    return [words for each, words in instructions() if each == name]


def ignored(name: str) -> bool:
    """Whether `.dockerignore` keeps a file out: its last line that fits decides."""
    out = False
    for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        pattern = line.removeprefix("!")
        parts = [name, *(parent.as_posix() for parent in Path(name).parents)][:-1]
        if pattern.startswith("**/"):
            pattern, parts = pattern.removeprefix("**/"), name.split("/")
        if any(fnmatch(part, pattern) for part in parts):
            out = not line.startswith("!")
    return out


@pytest.fixture
def context(tmp_path: Path) -> Path:
    """A folder with what the Dockerfile copies, out of what a builder is sent."""
    sent = {name for name in KEPT if not ignored(name)}
    for words in of("COPY"):
        *sources, target = words.split()
        for source in sources:
            assert target in {"./", source}
            found = {name for name in sent if name == source or name.startswith(f"{source}/")}
            assert found, f"{source} is not sent to the builder"
            for name in found:
                (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_it_runs_as_a_person_without_rights_and_is_the_command() -> None:
    users = of("USER")
    assert users == ["measurer"]
    (added,) = [words for words in of("RUN") if f"--uid 1000 {users[-1]}" in words]
    assert "useradd" in added
    order = [name for name, _ in instructions()]
    assert order.index("USER") > max(place for place, name in enumerate(order) if name == "RUN")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (entry,) = json.loads(of("ENTRYPOINT")[0])
    assert entry in project["scripts"]
    assert json.loads(of("CMD")[0]) == ["--help"]


def test_every_image_is_the_same_one_by_its_digest_and_its_python_is_supported() -> None:
    (base,) = [words.removeprefix("BASE=") for words in of("ARG") if words.startswith("BASE=")]
    assert re.fullmatch(r"python:3\.1[123]\.\d+-slim-\w+@sha256:[0-9a-f]{64}", base)
    for job in (ROOT / "ci").glob("*.gitlab-ci.yml"):
        assert re.findall(r"image: (\S+)", job.read_text(encoding="utf-8")) == [base]


def test_what_is_copied_is_enough_to_build_the_whole_package(context: Path, tmp_path: Path) -> None:
    out = tmp_path / "wheel"
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(out)],
        cwd=context,
        check=True,
        capture_output=True,
    )
    (wheel,) = out.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert {name for name in KEPT if name.startswith("accelreport/")} <= names
    templates = {name for name in KEPT if name.startswith("templates/")}
    assert {name.replace("templates/", "accelreport/_templates/", 1) for name in templates} <= names


@pytest.mark.parametrize(
    ("extra", "asked"),
    [
        (
            "cpu",
            [
                "install --only-binary :all: --require-hashes --requirement requirements.lock",
                "install --no-deps --no-build-isolation .",
            ],
        ),
        ("gpu", ["install .[gpu]"]),
        ("tpu", ["install .[tpu]"]),
    ],
)
def test_it_installs_what_the_extra_says(extra: str, asked: list[str], context: Path) -> None:
    pip = context / "bin" / "pip"
    pip.parent.mkdir()
    pip.write_text('#!/bin/sh\necho "$*" >> asked\n', encoding="utf-8")
    pip.chmod(0o755)
    variables = {"EXTRA": extra, "PATH": f"{pip.parent}:{os.environ['PATH']}"}
    for words in of("RUN")[:2]:
        subprocess.run(["sh", "-c", words], cwd=context, env=variables, check=True)
    assert (context / "asked").read_text(encoding="utf-8").splitlines() == asked
    extras = tomllib.loads((context / "pyproject.toml").read_text(encoding="utf-8"))
    assert extra in extras["project"]["optional-dependencies"]


def test_an_extra_that_does_not_exist_ends_the_build() -> None:
    done = subprocess.run(
        ["sh", "-c", of("RUN")[0]],
        env={"EXTRA": "cuda", "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "must be cpu, gpu or tpu" in done.stderr


def test_the_commands_at_its_head_are_ours() -> None:
    said = [line.removeprefix("#").strip() for line in TEXT.splitlines() if line.startswith("#")]
    found = [words for line in said if line.startswith("docker ") for words in calls(line)]
    assert found
    for words in found:
        command, rest = resolve(words)
        assert command.make_context("it", rest).args == []
