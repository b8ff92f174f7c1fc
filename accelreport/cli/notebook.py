"""`accelreport notebook`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from accelreport.cli.options import DevicesFile, Profile
from accelreport.errors import AccelReportError, ExitCode

EXAMPLES = """\b
What it does:
  The notebook installs accelreport, writes the spec and its devices, measures what the runtime it
  is opened in can measure, and gives you the results as an archive. Run it in a CPU, a GPU and a
  TPU runtime, and make one report of the three archives:
    accelreport merge results-*.zip -o results
    accelreport build

\b
Examples:
  accelreport notebook specs/matmul.toml --install git+https://example.org/accelreport.git
  accelreport notebook specs/matmul.toml --install accelreport-0.1.0-py3-none-any.whl \\
    --profile quick -o quick.ipynb

\b
Exit codes: 0 written, 2 the file is there already (--force replaces it), or there
  is nothing to install, 3 the spec has an error.
"""

Spec = Annotated[Path, typer.Argument(help="A spec file.", metavar="SPEC", show_default=False)]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        metavar="FILE",
        help="Where it is written; the spec's name with .ipynb when absent.",
        show_default=False,
    ),
]
Install = Annotated[
    str,
    typer.Option(
        "--install",
        metavar="WHAT",
        help="What pip installs: an address, or a wheel beside the notebook; where this "
        "accelreport came from when absent.",
        show_default=False,
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Replace a file that is there.")]


class FileInTheWay(AccelReportError):  # noqa: N818 -- reads as what it says
    """A file that would be overwritten."""

    exit_code = ExitCode.USAGE


def notebook(
    spec: Spec,
    *,
    out: Out = None,
    profile: Profile = None,
    devices_file: DevicesFile = None,
    install: Install = "",
    force: Force = False,
) -> None:
    """Write a notebook that measures a spec on Colab, Kaggle or any Jupyter server."""
    from accelreport.loader.notebook import notebook as written

    content = written(spec, profile=profile, devices_file=devices_file, install=install)
    target = out or Path(f"{spec.stem}.ipynb")
    try:
        with target.open("w" if force else "x", encoding="utf-8") as file:
            file.write(content)
    except FileExistsError as error:
        raise FileInTheWay(
            f"{target} is there already.",
            remedy="Choose another name with -o, or replace it with --force.",
        ) from error
    typer.echo(f"{target} written.")
