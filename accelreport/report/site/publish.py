"""Workflows that build the report from the results in a repository, and publish it."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

import tomli

from accelreport.atomic import refuse_links
from accelreport.errors import AccelReportError, ExitCode


class Platform(StrEnum):
    """Who builds and publishes."""

    GITHUB = "github"
    GITLAB = "gitlab"


PLACES = {
    Platform.GITHUB: Path(".github/workflows/accelreport-pages.yml"),
    Platform.GITLAB: Path(".gitlab-ci.yml"),
}
"""Where the platform looks for it, from the repository's root."""

CHIPS = Path("chips")
"""The folder of contributions in a repository that ranks machines."""

VERIFYING = Path(".github/workflows/accelreport-chips.yml")
"""The workflow that verifies a pull request's contribution."""

WORKFLOWS = Path(__file__).with_name("workflows")
"""The workflows, each with three places for commands.

Actions are named by commit and images by digest: a tag can move to other code after it was read.
"""
_VARIANTS = {
    Platform.GITHUB: ("site", "$BASE_URL"),
    Platform.GITLAB: ("public", "$CI_PAGES_URL"),
}
"""The folder that is published, and the variable with the site's address."""


class PublishError(AccelReportError):
    """The workflow cannot be written here."""

    exit_code = ExitCode.USAGE


def workflow(platform: Platform, results: str = "results", install: str = ".") -> str:
    """The platform's workflow as YAML.

    Args:
        platform: who builds and publishes.
        results: the results folder, from the repository's root.
        install: what pip installs to have the command `accelreport`. Its dependencies come by hash,
            from the lock in the repository where it is `.`, else from the one that it carries.

    Raises:
        AccelReportError: a name cannot stand in a command.
    """
    out, address = _VARIANTS[platform]
    # Both folders are named, because specs/accelreport.toml may name others.
    build = f"accelreport build --results {_word(results)} --out {out}"
    return _text(f"{platform}.yml") % (*_installing(install), f'{build} --base-url "{address}"')


def contributions(install: str = ".") -> dict[Path, str]:
    """The files of a GitHub repository that ranks machines: place → text.

    One workflow verifies the contribution of a pull request, the other publishes the ranks.

    Raises:
        AccelReportError: a name cannot stand in a command.
    """
    out, _ = _VARIANTS[Platform.GITHUB]
    steps = _installing(install)
    return {
        VERIFYING: _text("chips.yml") % steps,
        PLACES[Platform.GITHUB]: _text("github.yml")
        % (*steps, f"accelreport rank {CHIPS} --out {out}"),
        CHIPS / "README.md": _text("chips.md"),
    }


def _text(name: str) -> str:
    return (WORKFLOWS / name).read_text(encoding="utf-8")


def _word(name: str) -> str:
    """A name as a word of a command."""
    usable = name.strip() and name.isprintable() and "${{" not in name
    if not usable or name.startswith("-"):
        raise PublishError(
            f"{name!r} cannot stand in the workflow's commands.",
            remedy="Give one name on one line, without ${{, that does not begin with a dash.",
        )
    return shlex.quote(name)


def _installing(install: str) -> tuple[str, str]:
    """The commands that install the package, and its dependencies by hash."""
    locked = "python -m pip install --only-binary :all: --require-hashes --requirement"
    alone = "python -m pip install --no-deps"
    if install == ".":
        return f"{locked} requirements-report.lock", f"{alone} --no-build-isolation ."
    return f"{alone} {_word(install)}", f'{locked} "$(python -m accelreport.locks report)"'


def installable(root: Path) -> str:
    """What pip may install in a repository that is accelreport's own: the repository.

    Raises:
        PublishError: it is another one, and the name alone may be somebody else's package.
    """
    try:
        project = tomli.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomli.TOMLDecodeError):
        project = {}
    if project.get("project", {}).get("name") == "accelreport":
        return "."
    raise PublishError(
        "This repository is not accelreport's: the workflow must be told what to install.",
        remedy="Give --install an address (git+https://…) or a wheel that lies in the repository.",
    )


def ignored(root: Path, results: Path) -> bool:
    """Whether git ignores the results folder of a repository."""
    # What git would start to watch files is named by the repository, and may be anything.
    asked = ["git", "-C", str(root), "-c", "core.fsmonitor=false", "check-ignore", "--quiet", "--"]
    command = [*asked, f"{results.as_posix()}/x"]
    return shutil.which("git") is not None and subprocess.run(command, check=False).returncode == 0


def write_files(files: Mapping[Path, str | bytes], root: Path) -> None:
    """Write files where the platform looks for them, and never over another file.

    Args:
        files: place from the repository's root → content.
        root: the repository's root.

    Raises:
        AccelReportError: this is no repository, a file exists, or the folder refuses.
    """
    if not (root / ".git").exists():
        raise PublishError(
            f"{next(iter(files))} was not written: this folder is not the root of a repository.",
            why="The platform looks for it in the root of a Git repository only.",
            remedy="Go to the repository's root, and run the command there.",
        )
    for place in (place for place in files if (root / place).exists()):
        raise PublishError(
            f"{place} exists already, and nothing was written.",
            remedy="Run the command without --write, and add to the file by hand what it prints.",
        )
    for place, content in files.items():
        try:
            refuse_links((root / place).parent, root)
            (root / place).parent.mkdir(parents=True, exist_ok=True)
            with (root / place).open("xb") as file:
                file.write(content if isinstance(content, bytes) else content.encode())
        except OSError as error:
            raise PublishError(
                f"{place} cannot be written.",
                why=f"{error.strerror or error}.",
                remedy="Allow writing there, or save what the command prints without --write.",
            ) from error
