"""The workflows that `accelreport publish` prints, read as their platforms read them."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
import typer.main
import yaml
from typer.testing import CliRunner

from accelreport.cli import app
from accelreport.errors import ExitCode
from accelreport.report.site.publish import PLACES, Platform, PublishError, workflow, write_files
from accelreport.results.store import Store
from accelreport.spec.files_beside import FILE_NAME
from tests.house.tree import ROOT
from tests.support.program import write_specs
from tests.support.records import study

DOCUMENT = ROOT / "docs" / "report.md"
COMMIT = re.compile(r"^[\w.-]+/[\w.-]+@[0-9a-f]{40}$")
PIP = ["python", "-m", "pip", "install"]
BY_HASH = ["--only-binary", ":all:", "--require-hashes", "--requirement"]


def read(text: str) -> dict[str, Any]:
    # YAML 1.1 takes the word "on" for true; the platform takes it for a key.
    document = yaml.safe_load(text)
    return {("on" if key is True else key): value for key, value in document.items()}


def commands(text: str) -> list[list[str]]:
    """Every shell command of a workflow, in words."""
    document = read(text)
    if "pages" in document:
        scripts = document["pages"]["script"]
    else:
        steps = [step for job in document["jobs"].values() for step in job["steps"]]
        scripts = [step["run"] for step in steps if "run" in step]
    return [shlex.split(line) for script in scripts for line in script.splitlines()]


@pytest.mark.parametrize("platform", Platform)
def test_the_documentation_shows_what_the_command_prints(platform: Platform) -> None:
    printed = CliRunner().invoke(app, ["publish", platform])
    assert printed.exit_code == ExitCode.OK
    assert f"```yaml\n{printed.output}```\n" in DOCUMENT.read_text(encoding="utf-8")


@pytest.mark.parametrize("platform", Platform)
@pytest.mark.parametrize(
    ("results", "install"),
    [
        ("results", "BUILD/%s.whl"),
        ("my results", "accelreport==1.0"),
        ("a'b: #c", "x @ https://e.org/$x#y"),
    ],
)
def test_its_commands_are_ours_whatever_the_folder_is_called(
    platform: Platform, results: str, install: str
) -> None:
    package, locked, built = commands(workflow(platform, results, install))
    assert package == [*PIP, "--no-deps", install]
    assert locked == [*PIP, *BY_HASH, "$(python -m accelreport.locks report)"]
    program, name, *rest = built
    assert (program, name) == ("accelreport", "build")
    command: Any = typer.main.get_command(app)
    parsed = command.commands[name].make_context(name, list(rest)).params
    # Some versions of Typer make paths of them here, and some when the command is called.
    assert Path(parsed["results"]) == Path(results)
    assert parsed["base_url"] in {"$BASE_URL", "$CI_PAGES_URL"}


@pytest.mark.parametrize("platform", Platform)
def test_our_own_repository_is_installed_with_the_versions_of_its_lock(platform: Platform) -> None:
    locked, package, _ = commands(workflow(platform))
    assert locked == [*PIP, *BY_HASH, "requirements-report.lock"]
    assert package == [*PIP, "--no-deps", "--no-build-isolation", "."]
    assert (ROOT / locked[-1]).is_file()


@pytest.mark.parametrize("platform", Platform)
def test_what_is_built_is_what_is_published_whatever_the_settings_file_says(
    platform: Platform, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside specs whose file names other folders, the printed command builds the published one."""
    text = workflow(platform)
    document = read(text)
    if platform is Platform.GITLAB:
        (published,) = document["pages"]["artifacts"]["paths"]
    else:
        steps = [step for job in document["jobs"].values() for step in job["steps"]]
        (published,) = [
            step["with"]["path"] for step in steps if "upload-pages" in step.get("uses", "")
        ]
    monkeypatch.chdir(tmp_path)
    write_specs(tmp_path)
    Path("specs", FILE_NAME).write_text(
        'schema = 1\n[report]\nout = "docs/web"\nresults = "elsewhere"\n'
    )
    Store(Path("results")).write_plan(study("matmul", spec="matmul", axes={}, repeats=1).plan)
    *_, (_, *build, _) = commands(text)
    build += ["https://example.org/", "--no-cache"]
    done = CliRunner().invoke(app, build, catch_exceptions=False)
    assert done.exit_code == ExitCode.OK
    assert Path(published, "index.html").is_file()
    assert not Path("docs").exists()


def test_on_github_a_job_may_do_what_it_needs_and_actions_cannot_change() -> None:
    document = read(workflow(Platform.GITHUB))
    assert set(document["on"]) == {"push", "workflow_dispatch"}
    assert document["permissions"] == {}
    assert document["jobs"]["build"]["permissions"] == {"contents": "read", "pages": "read"}
    assert document["jobs"]["publish"]["permissions"] == {"pages": "write", "id-token": "write"}
    steps = [step for job in document["jobs"].values() for step in job["steps"]]
    used = [step["uses"] for step in steps if "uses" in step]
    assert len(used) == 6
    assert all(COMMIT.match(action) for action in used)
    (built,) = [step for step in steps if "accelreport build" in step.get("run", "")]
    assert built["env"]["BASE_URL"] == "${{ steps.pages.outputs.base_url }}"
    (checkout,) = [step for step in steps if "actions/checkout@" in step.get("uses", "")]
    assert checkout["with"] == {"persist-credentials": False}


def test_on_gitlab_only_the_default_branch_is_published() -> None:
    job = read(workflow(Platform.GITLAB))["pages"]
    assert job["rules"] == [{"if": "$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH"}]


@pytest.mark.parametrize("platform", Platform)
def test_it_is_written_where_the_platform_looks_and_over_nothing(
    platform: Platform, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    # Of another repository nothing can be installed that nobody named.
    unnamed = CliRunner().invoke(app, ["publish", platform, "--write"])
    assert isinstance(unnamed.exception, PublishError)
    assert "--install" in unnamed.exception.remedy
    written = CliRunner().invoke(app, ["publish", platform, "--write", "--install", "."])
    assert written.exit_code == ExitCode.OK
    assert "ignores" not in written.output
    place = tmp_path / PLACES[platform]
    assert place.read_text(encoding="utf-8") == workflow(platform)
    place.write_text("mine", encoding="utf-8")
    with pytest.raises(PublishError, match="exists already") as refused:
        write_files({PLACES[platform]: workflow(platform)}, tmp_path)
    assert refused.value.exit_code == ExitCode.USAGE
    assert "without --write" in refused.value.remedy
    assert place.read_text(encoding="utf-8") == "mine"


def test_results_that_git_ignores_are_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    (tmp_path / ".gitignore").write_text("/results/\n")
    monkeypatch.chdir(tmp_path)
    written = CliRunner().invoke(app, ["publish", "github", "--write", "--install", "."])
    assert written.exit_code == ExitCode.OK
    assert "git ignores results/" in written.output


def test_outside_the_root_of_a_repository_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(PublishError, match="not the root of a repository"):
        write_files({PLACES[Platform.GITHUB]: "x"}, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["", " ", "a\nb", "--out", "${{ github.ref }}"])
def test_a_name_that_would_change_the_commands_is_refused(name: str) -> None:
    with pytest.raises(PublishError):
        workflow(Platform.GITHUB, install=name)
    with pytest.raises(PublishError):
        workflow(Platform.GITLAB, results=name)


def test_an_unknown_platform_ends_with_the_code_of_a_wrong_command_line() -> None:
    told = CliRunner().invoke(app, ["publish", "elsewhere"])
    assert told.exit_code == ExitCode.USAGE
    assert "github" in told.output
