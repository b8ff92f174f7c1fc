"""The job for GitLab CI: well formed, and its script does what its page says."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from accelreport.errors import ExitCode
from tests.automation.workflow import Finished, stand_in_python
from tests.house.documents import blocks, calls, resolve
from tests.house.tree import ROOT
from tests.support.program import alone, executable

pytestmark = pytest.mark.e2e

FILE = "ci/accelreport.gitlab-ci.yml"
JOB: dict[str, Any] = yaml.safe_load((ROOT / FILE).read_text(encoding="utf-8"))[".accelreport"]
PAGE = "docs/automation.md"


INSTALLED = {
    "cpu": [
        "-m venv .accelreport",
        "-m pip install --quiet --no-deps here",
        "-m accelreport.locks cpu",
        "-m pip install --quiet --only-binary :all: --require-hashes --requirement ",
    ],
    "": ["-m venv .accelreport", "-m pip install --quiet here"],
}
"""What Python is asked for, by the extra."""


def run(folder: Path, shell: str = "bash", **variables: str) -> Finished:
    """The job's script as a runner executes it: all of it on the standard input of one shell."""
    executable(folder / ".accelreport" / "bin" / "accelreport", forked=True)
    pipefail = ["-o", "pipefail"] if shell == "bash" else []
    return subprocess.run(
        [shell, "-e", *pipefail],
        input="\n".join(JOB["script"]),
        cwd=folder,
        env={
            "ACCELREPORT_CACHE": os.environ["ACCELREPORT_CACHE"],
            "ASKED": str(folder / "asked"),
            "HOME": str(folder),
            "PATH": stand_in_python(folder),
            **alone(folder),
            **JOB["variables"],
            "ACCELREPORT_INSTALL": "here",
            **variables,
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=1200,
    )


def test_it_has_the_parts_that_a_job_to_extend_has() -> None:
    assert set(JOB) == {"image", "variables", "script", "artifacts"}
    assert all(isinstance(value, str) for value in JOB["variables"].values())
    assert JOB["artifacts"]["when"] == "always"


@pytest.mark.parametrize("shell", ["bash", "sh"])
def test_its_shell_is_well_formed_in_every_shell_of_an_image(shell: str) -> None:
    script = "\n".join(JOB["script"])
    assert subprocess.run([shell, "-n"], input=script, text=True, check=False).returncode == 0


def test_its_commands_are_ours() -> None:
    joined = "\n".join(JOB["script"]).replace("\\\n", " ")
    whole = re.sub(r'\$\{\w+:\+(--[\w-]+(?: "\$\w+")?)\}', r"\1", joined)
    found = [words for line in whole.splitlines() for words in calls(line)]
    assert [words[0] for words in found] == ["run", "build", "compare"]
    for words in found:
        command, rest = resolve(words)
        assert command.make_context("it", rest).args == []


@pytest.mark.parametrize(
    ("baseline", "extra", "shell", "code", "says"),
    [
        ("fast", "cpu", "sh", ExitCode.SLOWER, "The gate is closed"),
        ("slow", "", "bash", ExitCode.OK, ""),
        ("one", "cpu", "sh", ExitCode.GATE_CLOSED, "1 of 1 comparison is undecided"),
        ("", "cpu", "bash", ExitCode.USAGE, "needs ACCELREPORT_BASELINE"),
    ],
)
def test_the_job_ends_as_the_comparison_does_and_leaves_its_artifacts(
    baseline: str, extra: str, shell: str, code: ExitCode, says: str, project: Path
) -> None:
    done = run(
        project,
        shell,
        ACCELREPORT_BASELINE=baseline,
        ACCELREPORT_EXTRA=extra,
        ACCELREPORT_FAIL_IF_SLOWER="5%",
        ACCELREPORT_FAIL_IF_UNDECIDED="true",
    )
    assert done.returncode == code, done.stdout + done.stderr
    assert says in done.stdout + done.stderr
    if code != ExitCode.USAGE:
        asked = (project / "asked").read_text(encoding="utf-8").splitlines()
        assert asked == INSTALLED[extra]
        for place in JOB["artifacts"]["paths"]:
            name = JOB["variables"].get(place.removeprefix("$"), place)
            assert (project / name).exists()


@pytest.mark.parametrize("name", ["specs/absent.toml", "--help"])
def test_a_wrong_spec_ends_the_job_at_once(name: str, project: Path) -> None:
    done = run(project, ACCELREPORT_SPECS=f"specs/products.toml {name}")
    assert done.returncode == ExitCode.BAD_SPEC
    assert name in done.stderr
    assert not (project / "site").exists()


def test_the_page_extends_the_job_with_variables_that_it_has() -> None:
    documents = [yaml.safe_load(each.text) for each in blocks(PAGE) if each.language == "yaml"]
    jobs = [
        job
        for document in documents
        for job in document.values()
        if isinstance(job, dict) and job.get("extends") == ".accelreport"
    ]
    included = [each["remote"] for document in documents for each in document.get("include", [])]
    assert jobs
    assert all(set(job["variables"]) <= set(JOB["variables"]) for job in jobs)
    assert all(address.endswith(FILE) for address in included)
    rows = set(re.findall(r"^\| `([A-Z_]+)` \|", (ROOT / PAGE).read_text("utf-8"), re.MULTILINE))
    assert set(JOB["variables"]) <= rows
