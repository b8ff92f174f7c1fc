"""The program `accelreport`: its commands and its error handling."""

from __future__ import annotations

import errno
import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from accelreport._version import __version__
from accelreport.cli import (
    build,
    chips,
    claims,
    compare,
    data,
    importing,
    inspect,
    new,
    noise,
    results,
    run,
)
from accelreport.cli.options import REPORT_FILE
from accelreport.errors import (
    PROCESSES_REMEDY,
    AccelReportError,
    ExitCode,
    UsageError,
    is_refused_process,
)
from accelreport.removed import COMMANDS

ABOUT = """Declarative accelerator benchmarks with a static report.

Describe what to measure in a TOML file, run it on the machines you have, and publish the
results as a static site.

\b
  accelreport check specs/     show every error in the specs
  accelreport run specs/       measure every cell that is not done
  accelreport build            build site/index.html from the results
"""

_LISTED = "\n".join(f"{code:5}  {code.meaning}" for code in ExitCode)

CODES = f"""\b
Exit codes:
{_LISTED}

\b
Environment, or the same keys in [report] of specs/accelreport.toml:
  ACCELREPORT_RESULTS, _OUT, _TITLE, _BASE_URL, _THEME
                      defaults of the options of these names

\b
Environment:
  ACCELREPORT_CACHE   cache folder: parts of built sites, generated data,
                      measured roofs, and what `accelreport noise` found
  ACCELREPORT_DATA    folder of the data sets
  ACCELREPORT_MIRROR  base URL of a mirror of the data sets
  ACCELREPORT_NAME_PROGRAMS
                      set to 1: records name programs that use the machine
  ACCELREPORT_LOCK    lock file, so that only one run measures at a time
  ACCELREPORT_TEMPLATES
                      default of --templates, which no file can set
  TMPDIR              folder of temporary files
  NO_COLOR            turns colours off
"""


class Program(TyperGroup):
    """The program's commands; a removed one, or a removed option, names what replaces it."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """As Typer's, after the removed names were refused."""
        command, *rest = args
        options = [word.partition("=")[0] for word in rest if word.startswith("--")]
        for name in (command, *(f"{command} {word}" for word in (*rest[:1], *options))):
            if name in COMMANDS:
                message = f"`accelreport {name}` was removed"
                raise UsageError(message, remedy=COMMANDS[name])
        return super().resolve_command(ctx, args)


app = typer.Typer(
    name="accelreport",
    cls=Program,
    help=ABOUT,
    epilog=CODES,
    no_args_is_help=True,
    # Plain text reads like a manual page, also in a pager or aloud, and takes half the time.
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
app.command(epilog=run.EXAMPLES)(run.run)
app.command(epilog=inspect.CHECK_EXAMPLES)(inspect.check)
app.command(epilog=build.EXAMPLES)(build.build)
app.command(epilog=build.SERVE_EXAMPLES)(build.serve)
app.command(epilog=results.MERGE_EXAMPLES)(results.merge)
app.command(epilog=chips.CHIP_EXAMPLES)(chips.chip)
app.command(epilog=chips.CONTRIBUTE_EXAMPLES)(chips.contribute)
app.command(epilog=chips.VERIFY_EXAMPLES)(chips.verify)
app.command(epilog=chips.RANK_EXAMPLES)(chips.rank)
app.command(epilog=new.EXAMPLES)(new.new)
app.command("import", epilog=importing.EXAMPLES)(importing.import_figures)
app.command(epilog=new.NOTEBOOK_EXAMPLES)(new.notebook)
app.command(epilog=compare.EXAMPLES)(compare.compare)
app.command(epilog=noise.EXAMPLES)(noise.noise)
app.command(epilog=claims.EXAMPLES)(claims.claims)
app.command(epilog=inspect.DEVICES_EXAMPLES)(inspect.devices)
app.command(epilog=inspect.SCHEMA_EXAMPLES)(inspect.schema)
app.add_typer(data.app, name="data")
app.add_typer(results.app, name="results")


def _version(asked: bool) -> None:  # noqa: FBT001 -- Typer calls it so
    if asked:
        typer.echo(f"accelreport {__version__}")
        raise typer.Exit


TAKE_DEFAULTS = ("run", "build", "serve")
"""Commands whose options the settings file of the specs can set."""


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
    """Options of all commands; `main` handles --debug itself."""
    del version, debug  # they have done their work
    if ctx.invoked_subcommand in TAKE_DEFAULTS and os.path.lexists(REPORT_FILE):
        from accelreport.spec.files_beside import read_options

        options = read_options(REPORT_FILE).model_dump(exclude_none=True)
        ctx.default_map = dict.fromkeys(TAKE_DEFAULTS, options)


def refused(error: Exception) -> AccelReportError | None:
    """What the system refused, where that is why an error was raised."""
    if is_refused_process(error):
        what = "No further process or thread can be started here."
        return AccelReportError(what, why=f"{error}.", remedy=PROCESSES_REMEDY)
    number = error.errno if isinstance(error, OSError) and not error.filename else None
    if number in {errno.ENOSPC, errno.EFBIG, errno.EIO}:
        what = "The output cannot be written."
        return AccelReportError(what, why=f"{error}.", remedy="Free space where it goes.")
    return None


def main() -> None:
    """Run the program and end with its exit code."""
    if sys.argv[1:2] in (["--show-completion"], ["--install-completion"]) and sys.argv[2:]:
        # Typer then takes the shell that is named instead of the one that it is called from.
        os.environ["_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION"] = "1"
    try:
        app(prog_name="accelreport")
    except Exception as raised:
        error = refused(raised) or raised
        if "--debug" in sys.argv and not isinstance(error, AccelReportError):
            raise
        from accelreport.terminal.say import complain

        complain(error)
        sys.exit(error.exit_code if isinstance(error, AccelReportError) else ExitCode.INTERNAL)
