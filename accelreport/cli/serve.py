"""`accelreport serve`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from accelreport.cli.options import RESULTS, SPECS, Results

EXAMPLES = """\b
What is watched:
  The results, the specs and the templates. A change builds the site anew, and open pages show it.
  An error is printed, and the site stays as it was.

\b
Who can see it:
  This machine only. With --host 0.0.0.0 everybody in its network.

\b
Examples:
  accelreport serve
  accelreport serve --templates my_templates --port 0

\b
Exit codes: 0 stopped by Ctrl-C, 2 the address is taken or a template cannot be used, 5 there was
nothing to build from, 7 a folder cannot be read or written.
"""


def serve(
    *,
    results: Results = RESULTS,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="Where the pages go.")
    ] = Path("site"),
    specs: Annotated[
        Path, typer.Option("--specs", metavar="DIR", help="Folder of the specs, if it is here.")
    ] = SPECS[0],
    title: Annotated[
        str, typer.Option("--title", metavar="TEXT", help="The site's name.")
    ] = "Accelerator benchmarks",
    templates: Annotated[
        Path | None,
        typer.Option("--templates", metavar="DIR", help="Templates that replace ours."),
    ] = None,
    host: Annotated[
        str, typer.Option("--host", metavar="ADDRESS", help="Address to listen at.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Port; 0 for any that is free.")
    ] = 8000,
) -> None:
    """Show the report in a browser, and build it anew while you edit."""
    from accelreport.report.site import builder
    from accelreport.report.site.drawing import Engines
    from accelreport.report.site.options import CHECKOUT, report_cache
    from accelreport.report.site.serve import LOOPBACK, LiveServer, keep_serving
    from accelreport.results.store import Store
    from accelreport.runner.plan_documents import choose, refresh
    from accelreport.spec.report_file import talk_of
    from accelreport.terminal.say import say, tell_unshown

    def rebuild() -> None:
        store = Store(results)
        for complaint in refresh(store, specs) if specs.is_dir() else ():
            say(f"warning: {complaint}", err=True)
        say(*choose(store), err=True)
        try:
            talk, cache = talk_of(specs), report_cache()
            options = builder.BuildOptions(title, templates, cache=cache, talk=talk)
            built = builder.build(store, out, options=options, engines=engines)
        finally:
            for problem in store.problems:
                say(f"warning: left out: {problem}", err=True)
        say(f"{built.written} files changed in {built.seconds:.1f} s")
        tell_unshown(built.unshown)

    with Engines() as engines:
        rebuild()
        server = LiveServer(out, host, port)
        say(f"Open {server.address} (Ctrl-C ends)")
        if host not in LOOPBACK:
            say("warning: everybody in this machine's network can read it", err=True)
        watched = [results, specs, CHECKOUT, *([templates] if templates else [])]
        keep_serving(server, watched, rebuild, _complain)


def _complain(error: Exception) -> None:
    from accelreport.errors import AccelReportError
    from accelreport.runner.workspace import Workspace
    from accelreport.terminal.say import show, show_unexpected

    if isinstance(error, AccelReportError):
        show(error)
    else:
        show_unexpected(error, Workspace().errors)
