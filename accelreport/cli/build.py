"""`accelreport build` and `serve`: build and show the report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from accelreport.cli.options import RESULTS, SPECS, Results, option
from accelreport.errors import ExitCode

if TYPE_CHECKING:
    from accelreport.report.site.options import BuildResult
    from accelreport.results.store import Store


EXAMPLES = """The specs:
Titles, published figures and claims come from the current specs/, for the profiles that were
run. Without that folder, or with --as-measured, they come from the copies in results/. A build
only reads both. The front page and the terminal say how many measurements belong to other
versions of the specs.

The output folder:
A build replaces and removes only what an earlier build wrote; your own files stay.

Speed:
A build makes only what has changed. Its cache is in the platform's cache folder or in
ACCELREPORT_CACHE. --no-cache makes everything, with the same bytes.

\b
Examples:
  accelreport build
  accelreport build --out site --title "Accelerators in our lab"
  accelreport build --single-file --out report.html
  accelreport build --only mnist_batch_sweep --only matmul:quick
  accelreport build --base-url https://example.org/report/
  accelreport build --chips chips/index.html

Exit codes: 0 built, 1 an error of accelreport, after which the site is as it was, 2 an option
or a template cannot be used, 5 there is nothing to build from, 7 a folder cannot be read or
written, 10 a figure cannot be drawn: its place on the page says so, and the rest is built.
"""


Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        metavar="PATH",
        envvar="ACCELREPORT_OUT",
        help="Output: the folder site, or the file report.html.",
        show_default=False,
    ),
]
SingleFile = Annotated[
    bool, typer.Option("--single-file", help="Write everything into one HTML file.")
]
Specs = Annotated[
    Path, typer.Option("--specs", metavar="DIR", help="Folder of the specs, if there is one.")
]
Title = Annotated[
    str,
    typer.Option("--title", metavar="TEXT", envvar="ACCELREPORT_TITLE", help="The site's name."),
]
Templates = Annotated[
    Path | None,
    typer.Option(
        "--templates",
        metavar="DIR",
        envvar="ACCELREPORT_TEMPLATES",
        help="Folder of templates that replace the built-in ones.",
    ),
]
BaseUrl = Annotated[
    str,
    typer.Option(
        "--base-url",
        metavar="URL",
        envvar="ACCELREPORT_BASE_URL",
        help="Address of the published site.",
    ),
]
ThemeName = Annotated[
    Literal["auto", "light", "dark"],
    typer.Option(
        "--theme",
        metavar="NAME",
        envvar="ACCELREPORT_THEME",
        help="auto, light or dark, until the reader chooses.",
    ),
]
ChipPages = Annotated[
    str,
    option(
        "--chips",
        metavar="ADDRESS",
        help="Address of the pages that `accelreport rank` built; the front page links to them.",
    ),
]
Only = Annotated[
    list[str],
    option(
        "--only",
        metavar="SPEC",
        help="Show this benchmark only, or SPEC:PROFILE. May be given several times.",
    ),
]
AsMeasured = Annotated[
    bool,
    typer.Option(
        "--as-measured", help="Show each spec as it was measured, not the current file in --specs."
    ),
]
Cache = Annotated[bool, typer.Option("--cache/--no-cache", help="Make only what has changed.")]

TITLE = "Accelerator benchmarks"


def build(
    *,
    results: Results = RESULTS,
    out: Out = None,
    single_file: SingleFile = False,
    chips: ChipPages = "",
    specs: Specs = SPECS[0],
    title: Title = TITLE,
    base_url: BaseUrl = "",
    theme: ThemeName = "auto",
    templates: Templates = None,
    cache: Cache = True,
    only: Only = [],  # noqa: B006 -- Typer copies it
    as_measured: AsMeasured = False,
) -> None:
    """Build the report: static pages of everything in results/.

    A build needs neither TensorFlow nor a network. The same results give the same bytes.
    """
    from accelreport.report.site import builder
    from accelreport.report.site.options import report_cache
    from accelreport.results.store import Store
    from accelreport.runner.plan_documents import choose
    from accelreport.terminal.say import (
        say,
        tell_left_out,
        tell_secrets,
        tell_unshown,
        tell_withheld,
    )

    store = refreshed(Store(results), None if as_measured else specs)
    say(*choose(store, only=only), err=True)
    tell_secrets(store.plans())
    options = builder.BuildOptions(
        title=title,
        chips=chips,
        templates=templates,
        base_url=base_url,
        theme=theme,
        cache=report_cache() if cache else None,
        single_file=single_file,
    )
    place = out or Path("report.html" if single_file else "site")
    try:
        built = builder.build(store, place, options=options)
    finally:
        tell_left_out(store.problems)
    noun = "page" if built.pages == 1 else "pages"
    say(f"{built.pages} {noun} in {built.seconds:.1f} s: {built.index}")
    _tell_others(built)
    tell_withheld(*built.withheld)
    tell_unshown(built.unshown)
    if built.unshown:
        raise typer.Exit(ExitCode.NOT_DRAWN)


def refreshed(store: Store, specs: Path | None, *, strict: bool = False) -> Store:
    """The results with plans of the current specs, if any; prints what it cannot refresh.

    Args:
        store: the results.
        specs: the folder of the specs.
        strict: whether an error in a spec is raised.
    """
    from accelreport.terminal.say import say

    if specs and specs.is_dir():
        from accelreport.runner.plan_documents import refresh

        for complaint in refresh(store, specs, strict=strict):
            say(f"warning: {complaint}", err=True)
    return store


def _tell_others(built: BuildResult) -> None:
    """Print which measurements of other versions of the specs the report leaves out."""
    if built.others:
        # These import what analyses, which a build of unchanged results does not need.
        from accelreport.report.notices import versions_notice
        from accelreport.terminal.say import say

        notice = versions_notice(built.others)
        say(f"warning: {notice.title} {notice.text}", err=True)


SERVE_EXAMPLES = """What is watched:
The results, the specs and the templates. A change rebuilds the site and reloads open pages.
An error is printed, and the site stays unchanged.

\b
Who can see it:
  Only this machine. With --host 0.0.0.0, everybody in its network.

\b
Examples:
  accelreport serve
  accelreport serve --templates my_templates --port 0

Exit codes: 0 stopped by Ctrl-C, 2 the address is in use or a template cannot be used, 5 there is
nothing to build from, 7 a folder cannot be read or written.
"""


def serve(
    *,
    results: Results = RESULTS,
    out: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="DIR", envvar="ACCELREPORT_OUT", help="Output folder."),
    ] = Path("site"),
    specs: Specs = SPECS[0],
    title: Title = TITLE,
    templates: Templates = None,
    host: Annotated[
        str, typer.Option("--host", metavar="ADDRESS", help="Address to listen at.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Port; 0 for any free one.")
    ] = 8000,
) -> None:
    """Show the report in a browser and rebuild it while you edit."""
    from accelreport.report.site import builder
    from accelreport.report.site.drawing import Engines
    from accelreport.report.site.options import CHECKOUT, report_cache
    from accelreport.report.site.serve import LOOPBACK, LiveServer, keep_serving
    from accelreport.results.store import Store
    from accelreport.runner.plan_documents import choose
    from accelreport.terminal.say import complain, say, tell_left_out, tell_unshown

    def rebuild(*, strict: bool = True) -> None:
        # The site of the last spec without an error stays until the spec has none again.
        store = refreshed(Store(results), specs, strict=strict)
        say(*choose(store), err=True)
        try:
            options = builder.BuildOptions(title, templates, cache=report_cache())
            built = builder.build(store, out, options=options, engines=engines)
        finally:
            tell_left_out(store.problems)
        say(f"{built.written} files changed in {built.seconds:.1f} s")
        _tell_others(built)
        tell_unshown(built.unshown)

    with Engines() as engines:
        rebuild(strict=False)
        server = LiveServer(out, host, port)
        say(f"Open {server.address} (Ctrl-C ends)")
        if host not in LOOPBACK:
            say("warning: everybody in this machine's network can read the site", err=True)
        watched = [results, specs, CHECKOUT, *([templates] if templates else [])]
        keep_serving(server, watched, rebuild, complain)
