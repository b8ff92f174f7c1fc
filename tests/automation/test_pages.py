"""The workflows of `ci/` that publish, read as their platforms read them."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from accelreport.cli import app
from accelreport.errors import ExitCode
from accelreport.results.store import Store
from accelreport.spec.files_beside import FILE_NAME
from tests.house.tree import ROOT
from tests.support.program import write_specs
from tests.support.records import study

GITHUB, GITLAB = "accelreport-pages.yml", "accelreport-pages.gitlab-ci.yml"
DOCUMENT = ROOT / "docs" / "automation.md"
COMMIT = re.compile(r"^[\w.-]+/[\w.-]+@[0-9a-f]{40}$")
PIP = ["python", "-m", "pip", "install"]
BY_HASH = ["--only-binary", ":all:", "--require-hashes", "--requirement"]


def read(name: str) -> dict[str, Any]:
    document = yaml.safe_load((ROOT / "ci" / name).read_text(encoding="utf-8"))
    # YAML 1.1 takes the word "on" for true; the platform takes it for a key.
    return {("on" if key is True else key): value for key, value in document.items()}


def steps(name: str) -> list[dict[str, Any]]:
    return [step for job in read(name)["jobs"].values() for step in job["steps"]]


def commands(name: str) -> list[list[str]]:
    """Every shell command of a workflow, in words."""
    document = read(name)
    if "pages" in document:
        scripts = document["pages"]["script"]
    else:
        scripts = [step["run"] for step in steps(name) if "run" in step]
    return [shlex.split(line) for script in scripts for line in script.splitlines()]


@pytest.mark.parametrize("name", [GITHUB, GITLAB])
def test_the_documentation_shows_the_file(name: str) -> None:
    text = (ROOT / "ci" / name).read_text(encoding="utf-8")
    assert f"```yaml\n{text}```\n" in DOCUMENT.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [GITHUB, GITLAB])
def test_everything_but_what_is_named_is_installed_by_the_hash_of_its_lock(name: str) -> None:
    package, locked, _ = commands(name)
    assert package == [*PIP, "--no-deps", "$ACCELREPORT_INSTALL"]
    assert locked == [*PIP, *BY_HASH, "$(python -m accelreport.locks report)"]


@pytest.mark.parametrize("name", [GITHUB, GITLAB])
def test_what_is_built_is_what_is_published_whatever_the_settings_file_says(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside specs whose file names other folders, the command builds the published one."""
    if name == GITLAB:
        (published,) = read(name)["pages"]["artifacts"]["paths"]
    else:
        (published,) = [
            step["with"]["path"] for step in steps(name) if "upload-pages" in step.get("uses", "")
        ]
    monkeypatch.chdir(tmp_path)
    write_specs(tmp_path)
    Path("specs", FILE_NAME).write_text(
        'schema = 1\n[report]\nout = "docs/web"\nresults = "elsewhere"\n'
    )
    Store(Path("results")).write_plan(study("matmul", spec="matmul", axes={}, repeats=1).plan)
    *_, (program, *build, address) = commands(name)
    assert (program, address) in {("accelreport", "$BASE_URL"), ("accelreport", "$CI_PAGES_URL")}
    build += ["https://example.org/", "--no-cache"]
    done = CliRunner().invoke(app, build, catch_exceptions=False)
    assert done.exit_code == ExitCode.OK
    assert Path(published, "index.html").is_file()
    assert not Path("docs").exists()


def test_on_github_a_job_may_do_what_it_needs_and_actions_cannot_change() -> None:
    document = read(GITHUB)
    assert set(document["on"]) == {"push", "workflow_dispatch"}
    assert document["permissions"] == {}
    assert document["jobs"]["build"]["permissions"] == {"contents": "read", "pages": "read"}
    assert document["jobs"]["publish"]["permissions"] == {"pages": "write", "id-token": "write"}
    used = [step["uses"] for step in steps(GITHUB) if "uses" in step]
    assert len(used) == 6
    assert all(COMMIT.match(action) for action in used)
    (built,) = [step for step in steps(GITHUB) if "accelreport build" in step.get("run", "")]
    assert built["env"]["BASE_URL"] == "${{ steps.pages.outputs.base_url }}"
    (checkout,) = [step for step in steps(GITHUB) if "actions/checkout@" in step.get("uses", "")]
    assert checkout["with"] == {"persist-credentials": False}


def test_on_gitlab_only_the_default_branch_is_published() -> None:
    assert read(GITLAB)["pages"]["rules"] == [{"if": "$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH"}]
