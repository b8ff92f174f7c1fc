"""The workflows of this project name what exists, and run nothing that could change unseen."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

import accelreport
from tests.house.tree import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def steps(workflow: dict[str, Any]) -> list[dict[str, Any]]:
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_an_action_is_named_by_its_commit_and_a_job_has_an_end(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    used = [step["uses"] for step in steps(workflow) if "uses" in step]
    assert used
    assert [name for name in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", name)] == []
    assert all("timeout-minutes" in job for job in workflow["jobs"].values())
    assert workflow["permissions"] == {"contents": "read"}


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_checkout_keeps_no_credentials_and_pip_installs_by_hash(path: Path) -> None:
    every = steps(yaml.safe_load(path.read_text(encoding="utf-8")))
    checkouts = [step for step in every if step.get("uses", "").startswith("actions/checkout@")]
    assert checkouts
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)
    for words in [step["run"].split() for step in every if "pip install" in step.get("run", "")]:
        assert "--require-hashes" in words
        assert (ROOT / words[words.index("--requirement") + 1]).is_file()


def test_a_workflow_runs_targets_and_scripts_that_are_here() -> None:
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    ran = [
        step["run"].split()
        for path in WORKFLOWS
        for step in steps(yaml.safe_load(path.read_text(encoding="utf-8")))
        if "run" in step
    ]
    made = {words[1] for words in ran if words[0] == "make"}
    scripts = {words[0] for words in ran if words[0].startswith("scripts/")}
    assert {"test", "lowest", "lock"} <= made <= targets
    assert scripts
    assert all((ROOT / script).is_file() for script in scripts)


def test_the_tests_run_on_every_python_that_the_package_names() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    named = re.findall(r"Python :: (3\.\d+)", text)
    workflow = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text("utf-8"))
    assert workflow["jobs"]["locked"]["strategy"]["matrix"]["python"] == named


@pytest.mark.parametrize(
    "path", sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml")), ids=lambda path: path.name
)
def test_a_form_asks_something(path: Path) -> None:
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    if path.name == "config.yml":
        assert "blank_issues_enabled" in form
        return
    assert form["name"]
    assert [part["id"] for part in form["body"] if part.get("validations", {}).get("required")]


def test_the_citation_is_of_this_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == accelreport.__version__
    assert citation["cff-version"] == "1.2.0"
