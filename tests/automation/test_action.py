"""The action for GitHub: well formed, and each of its steps does what its page says."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from accelreport.errors import ExitCode
from accelreport.results.record import Failure
from accelreport.results.store import Store
from tests.automation.workflow import Runner, stand_in_python
from tests.house.documents import blocks, calls, resolve, shell_lines
from tests.house.tree import ROOT
from tests.support.program import executable

pytestmark = pytest.mark.e2e

ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
OURS = ("Measure", "Build the report", "Hold the results against the baseline")

PAGE = "docs/automation.md"


@pytest.fixture
def runner(project: Path, tmp_path: Path) -> Runner:
    """A runner in which accelreport is installed already."""
    temporary = tmp_path / "runner temp"
    executable(temporary / "accelreport" / "bin" / "accelreport", forked=True)
    return Runner(ACTION, project, temporary)


def test_it_has_the_parts_that_a_composite_action_has() -> None:
    assert set(ACTION) == {"name", "description", "inputs", "outputs", "runs"}
    assert set(ACTION["runs"]) == {"using", "steps"}
    assert ACTION["runs"]["using"] == "composite"
    for described in ACTION["inputs"].values():
        assert set(described) == {"description", "default"}
        assert isinstance(described["default"], str)
    for described in ACTION["outputs"].values():
        assert set(described) == {"description", "value"}
    for step in STEPS:
        assert set(step) <= {"name", "id", "if", "env", "shell", "run", "uses", "with"}
        assert ("run" in step) == (step.get("shell") == "bash") != ("uses" in step)


def test_actions_of_others_are_named_by_commit() -> None:
    used = [step["uses"] for step in STEPS if "uses" in step]
    assert len(used) == 2
    assert all(re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40}", name) for name in used)


def test_every_input_is_used_and_every_expression_means_something(runner: Runner) -> None:
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    said = set(re.findall(r"inputs\.([\w-]+)", text))
    assert said == set(ACTION["inputs"])
    runner.outputs = {"measure": {"status": "0"}, "compare": {"code": "0"}}
    assert "${{" not in runner.value(text)


def test_no_input_becomes_part_of_a_script_or_of_a_command_of_the_runner() -> None:
    scripts = [step["run"] for step in STEPS if "run" in step]
    assert not [script for script in scripts if "${{" in script]
    commands = [line for script in scripts for line in script.splitlines() if "::" in line]
    assert [line for line in commands if "$" in line] == []


def test_a_spec_that_is_named_like_an_option_is_a_spec(runner: Runner) -> None:
    runner.inputs = {"specs": "--help", "baseline": "--help", "results": "results"}
    done = runner.run("Measure")
    assert done.returncode == ExitCode.BAD_SPEC
    assert "--help" in done.stderr
    runner.outputs = {"measure": {"status": "0"}}
    done = runner.run("Hold the results against the baseline")
    assert done.returncode == ExitCode.BAD_RESULTS
    assert "--help" in done.stderr


@pytest.mark.parametrize("step", [step for step in STEPS if "run" in step], ids=lambda s: s["name"])
def test_its_shell_is_well_formed_and_its_commands_are_ours(step: dict[str, Any]) -> None:
    checked = subprocess.run(["bash", "-n"], input=step["run"], text=True, check=False)
    assert checked.returncode == 0
    joined = step["run"].replace("\\\n", " ")
    # A conditional word is there in one of two cases; here it is.
    whole = re.sub(r'\$\{\w+:\+(--[\w-]+(?: "\$\w+")?)\}', r"\1", joined)
    for words in (words for line in whole.splitlines() for words in calls(line)):
        command, rest = resolve(words)
        assert command.make_context("it", rest).args == []


@pytest.mark.parametrize(
    ("extra", "asked"),
    [
        (
            "cpu",
            [
                f"--only-binary :all: --require-hashes --requirement {ROOT}/requirements.lock",
                f"--no-deps --no-build-isolation {ROOT}",
            ],
        ),
        ("gpu", [f"{ROOT}[gpu]"]),
        ("tpu", [f"{ROOT}[tpu]"]),
    ],
)
def test_it_installs_what_the_extra_says_into_an_environment_of_its_own(
    extra: str, asked: list[str], runner: Runner, tmp_path: Path
) -> None:
    runner.path = stand_in_python(tmp_path)
    runner.inputs = {"extra": extra}
    done = runner.run("Install accelreport")
    assert done.returncode == 0, done.stderr
    first, *rest = (runner.temporary / "asked").read_text(encoding="utf-8").splitlines()
    assert first == f"-m venv {runner.temporary}/accelreport"
    assert rest == [f"-m pip install --quiet {words}" for words in asked]


@pytest.mark.parametrize(
    ("inputs", "says"),
    [
        ({"extra": "cuda"}, "must be cpu, gpu or tpu"),
        ({"fail-if-slower": "5%"}, "needs a baseline"),
    ],
)
def test_what_cannot_be_meant_is_told_before_anything_is_measured(
    inputs: dict[str, str], says: str, runner: Runner, tmp_path: Path
) -> None:
    runner.path = stand_in_python(tmp_path)
    runner.inputs = inputs
    done = runner.run("Install accelreport")
    assert done.returncode == ExitCode.USAGE
    assert says in done.stdout


@pytest.mark.parametrize(
    ("inputs", "code", "says"),
    [
        ({"baseline": "slow", "fail-if-slower": "5%"}, ExitCode.OK, "The gate is passed"),
        ({"baseline": "fast", "fail-if-slower": "5%"}, ExitCode.SLOWER, "The gate is closed"),
        ({"baseline": "one", "fail-if-slower": "5%"}, ExitCode.OK, "is undecided"),
        (
            {"baseline": "one", "fail-if-slower": "5%", "fail-if-undecided": "true"},
            ExitCode.GATE_CLOSED, "1 of 1 comparison is undecided",
        ),
        ({"baseline": "absent"}, ExitCode.BAD_RESULTS, ""),
    ],
)  # fmt: skip
def test_a_job_ends_as_the_comparison_does_and_keeps_its_report_and_its_summary(
    inputs: dict[str, str], code: ExitCode, says: str, runner: Runner
) -> None:
    runner.inputs = inputs
    done = runner.run(*OURS)
    assert done.returncode == code, done.stdout + done.stderr
    assert says in runner.summary
    assert bool(runner.summary) == bool(says)
    assert (runner.folder / "site" / "index.html").is_file()
    assert runner.outputs["measure"] == {"status": "0"}
    assert runner.outputs["compare"] == {"code": str(int(code))}


def test_several_specs_are_given_as_words_and_a_wrong_one_ends_the_job(runner: Runner) -> None:
    runner.inputs = {"specs": "specs/products.toml\nspecs/absent.toml", "results": "my results"}
    done = runner.run(*OURS)
    assert done.returncode == ExitCode.BAD_SPEC
    assert "specs/absent.toml" in done.stderr
    assert not (runner.folder / "site").exists()


def test_a_job_whose_cells_failed_has_a_report_and_ends_with_their_code(runner: Runner) -> None:
    store = Store(runner.folder / "results")
    record = next(iter(store.records()))
    failure = Failure(kind="oom-host", message="the machine's memory ran out")
    (store.cells / f"{record.key}.{record.machine}.json").unlink()
    store.write(record.model_copy(update={"status": "failed", "failure": failure, "blocks": []}))
    done = runner.run(*OURS)
    assert done.returncode == ExitCode.SOME_FAILED, done.stdout + done.stderr
    assert runner.outputs["measure"] == {"status": "4"}
    assert (runner.folder / "site" / "index.html").is_file()


def test_the_page_uses_the_action_with_inputs_that_it_has() -> None:
    workflows = [yaml.safe_load(each.text) for each in blocks(PAGE) if each.language == "yaml"]
    steps = [
        step
        for workflow in workflows
        for job in workflow.get("jobs", {}).values()
        for step in job["steps"]
    ]
    given = [step["with"] for step in steps if "/accelreport@" in step.get("uses", "")]
    assert given
    assert all(set(each) <= set(ACTION["inputs"]) for each in given)
    assert not [line for each in blocks(PAGE) for line in shell_lines(each) if "${{" in line]


def test_every_input_and_output_is_on_the_page() -> None:
    text = (ROOT / PAGE).read_text(encoding="utf-8")
    rows = set(re.findall(r"^\| `([\w-]+)` \|", text, re.MULTILINE))
    assert set(ACTION["inputs"]) | set(ACTION["outputs"]) <= rows
