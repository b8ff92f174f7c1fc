"""The program `accelreport`: its commands, and what happens to errors."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from accelreport import __version__
from accelreport.cli import (
    build,
    ceilings,
    claims,
    compare,
    data,
    importing,
    inspect,
    new,
    noise,
    results,
    run,
    trial,
)
from accelreport.cli.options import REPORT_FILE
from accelreport.errors import AccelReportError

UNEXPECTED = 1
"""Exit code of an error that nobody foresaw."""

ABOUT = """Declarative accelerator benchmarks that end as a report people trust.

Write what to measure as a TOML file, run it on the machines you have, and publish the results
as a static page.

\b
  accelreport check specs/     is every spec right?
  accelreport run specs/       measure what is not yet measured
  accelreport build            make site/index.html of the results
"""

CODES = """\b
Exit codes:
    0  everything asked for was done
    1  something went wrong inside accelreport itself
    2  the command line is wrong
    3  a spec, or the devices file, has an error; nothing was run
    4  some cells failed; the others are kept
    5  no cell could be run, or there was nothing to build from
    6  a comparison found something slower than its gate allows, or less accurate
    7  a results folder cannot be read or written
    8  a data set, or a file to be imported, could not be fetched or read
    9  two results folders have nothing in common that could be compared, or no claim was tested
   10  a figure could not be drawn; its place says so, and the rest is built
   11  the page of a benchmark could not be made; it says so, and the rest is built
   12  a claim is refuted, or a claim or a comparison undecided, and an option has that fail
  130  stopped by Ctrl-C; finished cells are kept

\b
Environment, and the file specs/accelreport.toml whose [report] says the same:
  ACCELREPORT_RESULTS, _OUT, _TITLE, _LOGO, _BASE_URL, _THEME
                      stand for the options of these names

\b
Environment:
  ACCELREPORT_CACHE   folder in which builds remember what they made, runs what they drew, and
                      `accelreport noise` what it found
  ACCELREPORT_DATA    folder of the data sets
  ACCELREPORT_MIRROR  base URL to fetch data sets from instead of their publishers
  ACCELREPORT_NAME_PROGRAMS
                      set to 1, records name the programs that were busy beside a cell
  ACCELREPORT_LOCK    file that runs on this machine lock, so that only one of them measures
  ACCELREPORT_TEMPLATES
                      stands for --templates, which no file says: a template is a program
  TMPDIR              where files in passing lie
  NO_COLOR            no colours
"""

app = typer.Typer(
    name="accelreport",
    help=ABOUT,
    epilog=CODES,
    no_args_is_help=True,
    # Plain text: it reads like a manual page, in a pager and aloud too, and takes half the time.
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
app.command(epilog=run.EXAMPLES)(run.run)
app.command(epilog=run.BENCH_EXAMPLES)(run.bench)
app.command("try", epilog=trial.EXAMPLES)(trial.try_)
app.command(epilog=inspect.CHECK_EXAMPLES)(inspect.check)
app.command(epilog=build.EXAMPLES)(build.build)
app.command(epilog=build.SERVE_EXAMPLES)(build.serve)
app.command(epilog=build.PUBLISH_EXAMPLES)(build.publish)
app.command(epilog=results.MERGE_EXAMPLES)(results.merge)
app.command(epilog=new.EXAMPLES)(new.new)
app.command("import", epilog=importing.EXAMPLES)(importing.import_figures)
app.command(epilog=new.NOTEBOOK_EXAMPLES)(new.notebook)
app.command(epilog=compare.EXAMPLES)(compare.compare)
app.command(epilog=noise.EXAMPLES)(noise.noise)
app.command(epilog=claims.EXAMPLES)(claims.claims)
app.command(epilog=ceilings.EXAMPLES)(ceilings.ceilings)
app.command(epilog=ceilings.LAWS_EXAMPLES)(ceilings.laws)
app.command(epilog=inspect.DEVICES_EXAMPLES)(inspect.devices)
app.command(epilog=inspect.SCHEMA_EXAMPLES)(inspect.schema)
app.add_typer(data.app, name="data")
app.add_typer(results.app, name="results")


def _version(asked: bool) -> None:  # noqa: FBT001 -- Typer calls it so
    if asked:
        typer.echo(f"accelreport {__version__}")
        raise typer.Exit


TAKE_DEFAULTS = ("run", "bench", "build", "serve", "publish")
"""Commands whose options the file beside the specs may say."""


@app.callback()
def options(
    ctx: typer.Context,
    *,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Print the traceback of an unexpected error.")
    ] = False,
) -> None:
    """Options of all commands; `main` looks for --debug itself."""
    del version, debug  # they have done their work
    if ctx.invoked_subcommand in TAKE_DEFAULTS and os.path.lexists(REPORT_FILE):
        from accelreport.spec.files_beside import read_options

        said = read_options(REPORT_FILE).report.model_dump(exclude_none=True)
        ctx.default_map = dict.fromkeys(TAKE_DEFAULTS, said)


def main() -> None:
    """Run the program and end with its exit code."""
    try:
        app(prog_name="accelreport")
    except AccelReportError as error:
        from accelreport.terminal.say import show

        show(error)
        sys.exit(error.exit_code)
    except Exception as error:
        if "--debug" in sys.argv:
            raise
        from accelreport.runner.workspace import Workspace
        from accelreport.terminal.say import show_unexpected

        show_unexpected(error, Workspace().errors)
        sys.exit(UNEXPECTED)
