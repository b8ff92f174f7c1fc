"""A repository of contributions: its workflows verify a stranger's file, and run nothing of it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from playwright.sync_api import Browser

from accelreport.chips.contribution import read, write
from accelreport.errors import ExitCode
from tests.automation.workflow import Finished, Runner
from tests.chips.test_verify import HONEST, SHIPPED_FILE
from tests.house.documents import fenced
from tests.house.tree import ROOT
from tests.support.browser import tab
from tests.support.program import executable

pytestmark = pytest.mark.e2e

VERIFYING, PUBLISHING = (
    Path(".github", "workflows", f"accelreport-{name}.yml") for name in ("chips", "pages")
)

AUTHOR = ["-c", "user.name=Frodo", "-c", "user.email=frodo@example.org"]

RANKING = "accelreport rank chips/ --out site"
assert f"{RANKING}\n" in fenced("docs/chips.md", "sh")

GH = """\
#!/bin/sh
# Stands for GitHub's command: keeps what it was asked for.
echo "$*" > "$ASKED"
"""


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", *AUTHOR, *words], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


class Repository:
    """A bare repository on this disk with the workflows of `ci/`, as docs/chips.md says.

    Attributes:
        bare: the repository.
        work: a maintainer's checkout.
    """

    def __init__(self, folder: Path) -> None:
        self.bare, self.work, self._folder = folder / "bare.git", folder / "work", folder
        git(folder, "init", "--quiet", "--bare", "--initial-branch=main", str(self.bare))
        git(folder, "clone", "--quiet", str(self.bare), str(self.work))
        git(self.work, "checkout", "--quiet", "-b", "main")

    def publish(self, message: str) -> None:
        """Commits everything in the checkout, and pushes it to the default branch."""
        git(self.work, "add", "--all")
        git(self.work, "commit", "--quiet", "--message", message)
        git(self.work, "push", "--quiet", "origin", "HEAD:main")

    def pull_request(self, number: int, files: dict[str, bytes | Path]) -> None:
        """A stranger's branch, as GitHub keeps it: contents by path; a path becomes a link."""
        fork = self._folder / f"fork-{number}"
        git(self._folder, "clone", "--quiet", str(self.bare), str(fork))
        for name, content in files.items():
            place = fork / name
            place.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, Path):
                place.symlink_to(content)
            else:
                place.write_bytes(content)
        git(fork, "add", "--all")
        git(fork, "commit", "--quiet", "--message", "Add my machine")
        git(fork, "push", "--quiet", "origin", f"HEAD:refs/pull/{number}/head")

    def runner(self, place: Path, number: int = 0) -> Runner:
        """A runner with a fresh checkout of the default branch, and accelreport installed."""
        folder = self._folder / f"runner-{number}-{place.stem}"
        git(self._folder, "clone", "--quiet", str(self.bare), str(folder / "checkout"))
        program = executable(folder / "bin" / "accelreport", forked=True)
        gh = program.with_name("gh")
        gh.write_text(GH, encoding="utf-8")
        gh.chmod(0o755)
        text = (folder / "checkout" / place).read_text(encoding="utf-8")
        return Runner(
            yaml.safe_load(text),
            folder / "checkout",
            folder,
            path=f"{program.parent}:{os.environ['PATH']}",
            context={"github.event.number": str(number)},
        )


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    repository = Repository(tmp_path)
    monkeypatch.chdir(repository.work)
    for place in (VERIFYING, PUBLISHING):
        place.parent.mkdir(parents=True, exist_ok=True)
        text = (ROOT / "ci" / place.name).read_text(encoding="utf-8")
        place.write_text(re.sub("accelreport build.*", RANKING, text), encoding="utf-8")
    Path("chips").mkdir()
    shutil.copy(HONEST, "chips")
    repository.publish("Begin")
    return repository


def verified(runner: Runner) -> tuple[Finished, str]:
    """The verifying step, and the comment that it writes."""
    (step,) = [s for s in runner.action["jobs"]["verify"]["steps"] if s.get("id") == "verify"]
    done = runner.step(step)
    return done, (runner.folder / "comment.md").read_text(encoding="utf-8")


def test_an_honest_machine_is_accepted_and_has_its_page_after_the_merge(
    repository: Repository, browser: Browser
) -> None:
    repository.pull_request(7, {"chips/mine.zip": SHIPPED_FILE.read_bytes()})
    runner = repository.runner(VERIFYING, 7)
    done, comment = verified(runner)
    assert done.returncode == 0, done.stderr
    assert runner.outputs["verify"] == {"code": "0"}
    assert "refused" not in comment
    assert "rank 1" in comment
    assert (runner.folder / "site" / "index.html").is_file()

    git(repository.work, "fetch", "--quiet", "origin", "refs/pull/7/head")
    git(repository.work, "merge", "--quiet", "--ff-only", "FETCH_HEAD")
    git(repository.work, "push", "--quiet", "origin", "HEAD:main")
    publishing = repository.runner(PUBLISHING)
    publishing.outputs["pages"] = {"base_url": "https://example.org/"}
    steps = publishing.action["jobs"]["build"]["steps"]
    (build,) = [step for step in steps if "accelreport rank" in step.get("run", "")]
    done = publishing.step(build)
    assert done.returncode == 0, done.stderr
    with tab(browser, width=1280) as page:
        page.goto((publishing.folder / "site" / "index.html").as_uri())
        assert page.locator("h1").count() == 1
        page.goto((publishing.folder / "site" / f"{read(SHIPPED_FILE).machine}.html").as_uri())
        assert page.locator("h1").inner_text()


def test_a_forged_machine_is_refused_and_the_job_fails_after_its_comment(
    repository: Repository, tmp_path: Path
) -> None:
    honest = read(SHIPPED_FILE)
    first = honest.records[0]
    half = [block.model_copy(update={"wall_s": block.wall_s / 2}) for block in first.blocks]
    records = [first.model_copy(update={"blocks": half}), *honest.records[1:]]
    write(replace(honest, records=records), tmp_path / "forged.zip")
    repository.pull_request(8, {"chips/fast.zip": (tmp_path / "forged.zip").read_bytes()})
    runner = repository.runner(VERIFYING, 8)
    done, comment = verified(runner)
    assert done.returncode == 0
    assert runner.outputs["verify"]["code"] == str(int(ExitCode.GATE_CLOSED))
    assert "incoming/fast.zip: refused" in comment
    assert not (runner.folder / "site").exists()
    last = runner.action["jobs"]["verify"]["steps"][-1]
    assert runner.step(last).returncode == ExitCode.GATE_CLOSED


@pytest.mark.parametrize(
    "files",
    [
        {"chips/mine.zip": b"{}", ".github/workflows/accelreport-chips.yml": b"name: mine"},
        {"chips/mine.zip": b"{}", "chips/other.zip": b"{}"},
        {"chips/README.md": b"# mine"},
        {"chips/a b.zip": b"{}"},
        {"chips/a\nA\tchips/b.zip": b"{}"},
        {"chips/../x.zip": b"{}"},
        {"chips/$(touch made).zip": b"{}"},
        {f"chips/{HONEST.name}": b"{}"},
    ],
    ids=str,
)
def test_a_pull_request_that_does_more_than_add_one_file_is_not_read(
    repository: Repository, files: dict[str, bytes | Path]
) -> None:
    repository.pull_request(9, files)
    runner = repository.runner(VERIFYING, 9)
    done, comment = verified(runner)
    assert done.returncode == 0, done.stderr
    assert runner.outputs["verify"] == {"code": "2"}
    assert "adds one file" in comment
    assert not (runner.folder / "incoming").exists()
    assert not (runner.folder / "made").exists()


def test_a_link_is_read_as_the_text_that_it_is(repository: Repository) -> None:
    repository.pull_request(10, {"chips/mine.zip": Path("/etc/passwd")})
    runner = repository.runner(VERIFYING, 10)
    _, comment = verified(runner)
    assert runner.outputs["verify"] == {"code": str(int(ExitCode.BAD_RESULTS))}
    assert "root:" not in comment


def test_no_text_of_a_file_is_markup_of_the_comment(repository: Repository, tmp_path: Path) -> None:
    honest = read(SHIPPED_FILE)
    cell = honest.records[0].cell.model_copy(
        update={"device": "```\n\n@all <img src=x>\r\u2028# big"}
    )
    records = [honest.records[0].model_copy(update={"cell": cell}), *honest.records[1:]]
    write(replace(honest, records=records), tmp_path / "odd.zip")
    repository.pull_request(11, {"chips/odd.zip": (tmp_path / "odd.zip").read_bytes()})
    _, comment = verified(repository.runner(VERIFYING, 11))
    assert "@all" in comment
    assert all(line.startswith("    ") for line in comment.splitlines())


def test_the_comment_is_written_by_a_job_that_has_read_nothing_of_the_stranger(
    repository: Repository,
) -> None:
    repository.pull_request(12, {"chips/mine.zip": SHIPPED_FILE.read_bytes()})
    runner = repository.runner(VERIFYING, 12)
    (runner.folder / "comment.md").write_text("    accepted\n", encoding="utf-8")
    runner.context |= {
        "github.token": "secret",
        "github.repository": "example-org/chips",
        "needs.verify.outputs.pages": "https://example.org/artifact",
    }
    done = runner.step(runner.action["jobs"]["comment"]["steps"][-1])
    assert done.returncode == 0, done.stderr
    asked = (runner.temporary / "asked").read_text(encoding="utf-8").strip()
    assert asked == "pr comment 12 --repo example-org/chips --body-file comment.md"
    body = (runner.folder / "comment.md").read_text(encoding="utf-8")
    assert body.endswith("The pages with this machine: https://example.org/artifact\n")


def test_only_the_job_that_comments_may_write_and_nothing_of_the_pull_request_is_checked_out(
    repository: Repository,
) -> None:
    text = (repository.work / VERIFYING).read_text(encoding="utf-8")
    document: dict[str, Any] = yaml.safe_load(text)
    assert document["permissions"] == {}
    jobs = document["jobs"]
    assert jobs["verify"]["permissions"] == {"contents": "read"}
    assert jobs["comment"]["permissions"] == {"pull-requests": "write"}
    steps = [step for job in jobs.values() for step in job["steps"]]
    (checkout,) = [step for step in steps if "actions/checkout@" in step.get("uses", "")]
    assert checkout["with"] == {"fetch-depth": 0, "persist-credentials": False}
    assert not any("cache" in step.get("uses", "") for step in steps)
    # No expression stands in a script: a stranger names branches, titles and files.
    assert not any("${{" in step.get("run", "") for step in steps)
