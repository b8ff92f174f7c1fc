"""`accelreport publish`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from accelreport.cli.options import RESULTS, Results
from accelreport.report.site.publish import (
    PLACES,
    Platform,
    ignored,
    installable,
    workflow,
    write_workflow,
)

EXAMPLES = """\b
What is printed:
  A workflow that builds the site from the results folder of the repository and publishes it,
  with the least permissions, actions named by commit, and the address the platform tells.
  Building needs no TensorFlow, and none is installed.

\b
Where it goes:
  github: .github/workflows/accelreport-pages.yml
  gitlab: .gitlab-ci.yml, as a job of its own beside those that are there

\b
Examples:
  accelreport publish github --install git+https://example.org/accelreport.git
  accelreport publish github --write --install wheels/accelreport-0.1.0-py3-none-any.whl
  accelreport publish gitlab --results measured/results

\b
Exit codes: 0 printed or written, 2 the platform is unknown, a file is in the way, or this is not
the root of a repository.
"""


def publish(
    platform: Annotated[Platform, typer.Argument(help="Who builds and publishes.")],
    *,
    write: Annotated[
        bool, typer.Option("--write", help="Write it to its place; no file is overwritten.")
    ] = False,
    results: Results = RESULTS,
    install: Annotated[
        str,
        typer.Option(
            "--install",
            metavar="WHAT",
            help="What pip installs: an address, a wheel in the repository, or . where the "
            "repository is accelreport's.",
            show_default=False,
        ),
    ] = "",
) -> None:
    """Print the workflow that publishes the report on GitHub Pages or GitLab Pages."""
    text = workflow(platform, results.as_posix(), install or installable(Path.cwd()))
    if not write:
        typer.echo(text, nl=False)
        return
    write_workflow(platform, text, Path.cwd())
    typer.echo(f"{PLACES[platform]} written; commit it together with {results.as_posix()}/.")
    if ignored(Path.cwd(), results):
        from accelreport.terminal.say import say

        say(
            f"warning: git ignores {results.as_posix()}/ here, so that nothing would be published: "
            f"take it out of .gitignore, or add it with `git add --force {results.as_posix()}`",
            err=True,
        )
