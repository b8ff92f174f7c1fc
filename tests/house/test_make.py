"""The commands that people and continuous integration type."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from accelreport.errors import ExitCode
from tests.house.tree import ROOT

pytestmark = pytest.mark.e2e

FOR_TESTS = ("requirements-dev.lock", "requirements-torch.txt")

SCRIPTS = ("scripts/apt_install.sh", "scripts/create_venv.sh", "scripts/find_browser.sh")


def _run(*command: str, cwd: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        timeout=1200,
        env={**os.environ, "MAKEFLAGS": "", "MAKELEVEL": "", **environment},
    )


def _program(folder: Path, name: str, body: str) -> Path:
    """Writes an executable shell script."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """What a new clone holds, as far as `make` reads it."""
    folder = tmp_path / "a new clone"
    (folder / "scripts").mkdir(parents=True)
    for name in ("Makefile", "pyproject.toml", "requirements.lock", *FOR_TESTS):
        shutil.copy(ROOT / name, folder)
    for name in SCRIPTS:
        shutil.copy(ROOT / name, folder / "scripts")
    return folder


@pytest.fixture
def installed(clone: Path) -> Path:
    """A clone as it is after everything was installed (the stamps say so; pip is not there)."""
    venv.create(clone / ".venv", with_pip=False, symlinks=True)
    (clone / ".venv" / ".created").write_text(f"{clone}\n", encoding="utf-8")
    for stamp in (".installed", ".installed-dev"):
        (clone / ".venv" / stamp).touch()
    return clone


def test_make_alone_lists_every_command() -> None:
    told = _run("make")
    listed = re.findall(r"^  make ([a-z]+)", told.stdout, re.MULTILINE)
    phony = re.search(r"^\.PHONY: (.+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert phony
    assert listed == phony[1].split()


def test_a_report_is_installed_run_built_and_told_in_this_order(clone: Path) -> None:
    told = _run("make", "-n", "report", cwd=clone).stdout
    steps = [
        "create_venv.sh .venv",
        "--require-hashes --requirement requirements.lock",
        "--no-deps --no-build-isolation --editable .",
        "accelreport run specs/ --profile quick",
        "accelreport build",
        "site/index.html",
    ]
    places = [told.find(step) for step in steps]
    assert -1 not in places
    assert places == sorted(places)
    assert "requirements-dev.lock" not in told


def test_an_environment_is_created_once(clone: Path) -> None:
    told = _run("make", ".venv/.created", cwd=clone, PYTHON=sys.executable)
    assert told.returncode == 0, told.stderr
    assert "Creating .venv with Python 3." in told.stdout
    assert (clone / ".venv" / "bin" / "pip").is_file()
    assert "up to date" in _run("make", ".venv/.created", cwd=clone).stdout


def test_what_is_installed_is_not_installed_again(installed: Path) -> None:
    told = _run("make", "-n", "test", cwd=installed).stdout
    assert "pytest" in told
    assert "pip install" not in told
    os.utime(installed / "requirements-dev.lock", (2e9, 2e9))
    told = _run("make", "-n", "test", cwd=installed).stdout
    assert "requirements-dev.lock" in told
    assert "--requirement requirements.lock" not in told


@pytest.mark.parametrize(
    ("outcome", "built"),
    [
        (ExitCode.OK, True),
        (ExitCode.SOME_FAILED, True),
        (ExitCode.BAD_SPEC, False),
        (ExitCode.INTERRUPTED, False),
    ],
)
def test_a_run_with_failed_cells_gets_its_page_and_is_then_told_as_failed(
    outcome: ExitCode, built: bool, installed: Path
) -> None:
    _program(
        installed / ".venv" / "bin",
        "accelreport",
        f'echo "$1" >> calls; [ "$1" = build ] || exit {outcome:d}',
    )
    told = _run("make", "report", cwd=installed)
    assert (told.returncode == 0) == (outcome == ExitCode.OK)
    assert (f"{installed}/site/index.html" in told.stdout) == built
    calls = (installed / "calls").read_text(encoding="utf-8").split()
    assert calls == (["run", "build"] if built else ["run"])


def test_what_is_shipped_becomes_a_site_with_published_rows_and_ranks(tmp_path: Path) -> None:
    binaries = str(Path(sys.executable).parent)
    stamps = [f"--old-file=.venv/{name}" for name in (".created", ".installed")]
    told = _run("make", *stamps, "site", f"SITE={tmp_path}", f"BIN={binaries}")
    assert told.returncode == 0, told.stderr
    other = {"index.html": "chips/index.html", "chips/index.html": "../index.html"}
    for name, address in other.items():
        page = (tmp_path / name).read_text()
        assert "Colab" in page
        assert f'href="{address}"' in page
    tracked = _run("git", "ls-files", "site").stdout.split()
    assert tracked == ["site/README.md"]


WITH_THE_OTHER = """
echo "$0 says so"; touch $0.begun; looks=0
until [ -e {other}.begun ] || [ $looks = 200 ]; do sleep .05; looks=$((looks + 1)); done
[ -e {other}.begun ] && exit {code}
"""
"""A program that fails unless another one runs at the same time."""


@pytest.mark.parametrize("failing", ["", "ruff", "python", "mypy", "accelreport"])
def test_the_linters_work_beside_the_tests_and_each_of_them_can_fail_the_command(
    failing: str, installed: Path, tmp_path: Path
) -> None:
    folder = installed / ".venv" / "bin"
    (folder / "python").unlink()  # else the interpreter it points to were written to
    codes = {name: int(name == failing) for name in ("ruff", "python", "mypy", "accelreport")}
    _program(folder, "lint-imports", "")
    for name in ("mypy", "accelreport"):
        _program(folder, name, f"echo {name} says so; exit {codes[name]}")
    _program(folder, "ruff", WITH_THE_OTHER.format(other=".venv/bin/python", code=codes["ruff"]))
    tests = WITH_THE_OTHER.format(other=".venv/bin/ruff", code=codes["python"])
    _program(folder, "python", f'[ "$1" = -m ] || exec {sys.executable} "$@"\n{tests}')
    browser = _program(tmp_path, "browser", "echo Browser 1.0")
    told = _run("make", "test", cwd=installed, ACCELREPORT_BROWSER=str(browser))
    assert (told.returncode == 0) == (failing == ""), told.stdout + told.stderr
    said = re.findall(r"(\w+) says so", told.stdout)
    assert said[:2] == ["python", "ruff"], "the tests are told first, then the linters"
    assert said[-1] == {"ruff": "ruff", "mypy": "mypy"}.get(failing, "accelreport")


@pytest.mark.parametrize("version", ["2.7", "3.10", "3.14"])
def test_a_python_that_tensorflow_is_not_published_for_is_refused_with_a_remedy(
    version: str, tmp_path: Path
) -> None:
    believes = f"import sys; sys.version_info = ({version.replace('.', ', ')})"
    # A real interpreter that only believes to be another version.
    script = (
        f'[ "$1" = --version ] && echo Python {version} && exit\n'
        f"exec {sys.executable} -c '{believes}\n'\"$2\""
    )
    python = _program(tmp_path, "python", script)
    told = _run("scripts/create_venv.sh", str(tmp_path / "venv"), PYTHON=str(python))
    assert told.returncode == 1
    assert f"Python {version}" in told.stderr
    assert "needs Python 3.11, 3.12 or 3.13" in told.stderr
    assert "make report PYTHON=" in told.stderr
    assert not (tmp_path / "venv").exists()


def test_a_browser_named_by_the_person_is_taken(tmp_path: Path) -> None:
    browser = _program(tmp_path, "browser", "echo Browser 1.0")
    told = _run("scripts/find_browser.sh", ACCELREPORT_BROWSER=str(browser))
    assert told.stdout.strip() == str(browser)
    told = _run("scripts/find_browser.sh", ACCELREPORT_BROWSER=str(tmp_path / "absent"))
    assert told.returncode == 1
    assert "is not a program" in told.stderr


def test_nothing_is_installed_where_that_would_need_a_password(tmp_path: Path) -> None:
    _program(tmp_path, "apt-get", "echo must not be called; exit 0")
    _program(tmp_path, "id", "echo 1000")
    _program(tmp_path, "sudo", "exit 1")
    told = _run("scripts/apt_install.sh", "hello", PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert told.returncode == 1
    assert told.stderr.strip() == "Please type: sudo apt install hello"
    assert told.stdout == ""


@pytest.mark.parametrize("name", [*SCRIPTS, ".ci/run"])
def test_a_script_is_executable_and_well_formed(name: str) -> None:
    path = ROOT / name
    assert path.stat().st_mode & stat.S_IXUSR
    interpreter = "bash" if name == ".ci/run" else "sh"
    assert _run(interpreter, "-n", str(path)).returncode == 0
    assert "set -eu" in path.read_text(encoding="utf-8")
