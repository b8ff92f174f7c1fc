"""Workflows that build the report from the results in a repository, and publish it."""

from __future__ import annotations

import shlex
import shutil
import subprocess
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
    for name in (results, install):
        usable = name.strip() and name.isprintable() and "${{" not in name
        if not usable or name.startswith("-"):
            raise PublishError(
                f"{name!r} cannot stand in the workflow's commands.",
                remedy="Give one name on one line, without ${{, that does not begin with a dash.",
            )
    locked = "python -m pip install --only-binary :all: --require-hashes --requirement"
    alone = "python -m pip install --no-deps"
    if install == ".":
        steps = [f"{locked} requirements-report.lock", f"{alone} --no-build-isolation ."]
    else:
        steps = [
            f"{alone} {shlex.quote(install)}",
            f'{locked} "$(python -m accelreport.locks report)"',
        ]
    text = (WORKFLOWS / f"{platform}.yml").read_text(encoding="utf-8")
    out, address = _VARIANTS[platform]
    # Both folders are named, because specs/accelreport.toml may name others.
    build = f"accelreport build --results {shlex.quote(results)} --out {out}"
    return text % (*steps, f'{build} --base-url "{address}"')


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


def write_workflow(platform: Platform, text: str, root: Path) -> Path:
    """Writes the workflow where the platform looks for it, and never over another file.

    Args:
        platform: who builds and publishes.
        text: the workflow.
        root: the repository's root.

    Returns:
        Where it was written.

    Raises:
        AccelReportError: this is no repository, the file exists, or the folder refuses.
    """
    place = root / PLACES[platform]
    if not (root / ".git").exists():
        raise PublishError(
            f"{PLACES[platform]} was not written: this folder is not the root of a repository.",
            why=f"{platform} looks for it in the root of a Git repository only.",
            remedy="Go to the repository's root, and run the command there.",
        )
    try:
        refuse_links(place.parent, root)
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        raise PublishError(
            f"{PLACES[platform]} exists already, and was left as it is.",
            remedy=f"Add to it by hand what `accelreport publish {platform}` prints.",
        ) from error
    except OSError as error:
        raise PublishError(
            f"{PLACES[platform]} cannot be written.",
            why=f"{error.strerror or error}.",
            remedy="Allow writing there, or save what the command prints without --write.",
        ) from error
    return place
