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

# Actions are named by commit and images by digest: a tag can move to other code after it was read.
_GITHUB = """\
# .github/workflows/accelreport-pages.yml
# Once, in the repository's settings: Pages, Source, GitHub Actions.
name: Publish the report
on:
  push:
  workflow_dispatch:
permissions: {}
concurrency:
  group: pages
  cancel-in-progress: false
jobs:
  build:
    if: github.ref_name == github.event.repository.default_branch
    runs-on: ubuntu-24.04
    timeout-minutes: 15
    permissions:
      contents: read
      pages: read
    steps:
      - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683  # v4.2.2
        with:
          persist-credentials: false
      - uses: actions/setup-python@a26af69be951a213d495a4c3e4e4022e16d87065  # v5.6.0
        with:
          python-version: "3.12"
      - id: pages
        uses: actions/configure-pages@983d7736d9b0ae728b81ab479565c72886d7745b  # v5.0.0
      - uses: actions/cache@5a3ec84eff668545956fd18022155c47e93e2684  # v4.2.3
        with:
          path: .cache
          key: accelreport-${{ github.sha }}
          restore-keys: accelreport-
      - run: |
          %s
          %s
      - run: |
          %s
        env:
          ACCELREPORT_CACHE: .cache
          BASE_URL: ${{ steps.pages.outputs.base_url }}
      - uses: actions/upload-pages-artifact@7b1f4a764d45c48632c6b24a0339c27f5614fb0b  # v4.0.0
        with:
          path: site
  publish:
    needs: build
    runs-on: ubuntu-24.04
    timeout-minutes: 10
    permissions:
      pages: write
      id-token: write
    environment:
      name: github-pages
      url: ${{ steps.deployment.outputs.page_url }}
    steps:
      - id: deployment
        uses: actions/deploy-pages@d6db90164ac5ed86f2b6aed7e0febac5b3c0c03e  # v4.0.5
"""

_GITLAB = """\
# .gitlab-ci.yml
pages:
  image: python:3.12.14-slim-trixie@sha256:78387bc3881b8273120a12ebe6c1ab22b018ccc2c9adf565ae1ac9b536e184ea
  variables:
    ACCELREPORT_CACHE: .cache
  cache:
    key: accelreport
    paths: [.cache]
  script:
    - |
      %s
      %s
      %s
  artifacts:
    paths: [public]
  rules:
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
"""  # noqa: E501 -- a digest is what it is

_VARIANTS = {
    Platform.GITHUB: (_GITHUB, "site", "$BASE_URL"),
    Platform.GITLAB: (_GITLAB, "public", "$CI_PAGES_URL"),
}
"""The workflow, the folder it publishes, and the variable with the site's address."""


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
    text, out, address = _VARIANTS[platform]
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
