"""`accelreport build`, `serve` and `publish`: the report made, shown and put on the web."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from accelreport.cli.options import RESULTS, SPECS, Results
from accelreport.report.site.publish import (
    PLACES,
    Platform,
    ignored,
    installable,
    workflow,
    write_workflow,
)

if TYPE_CHECKING:
    from accelreport.report.site.options import BuildResult
    from accelreport.results.store import Store

Theme = Literal["auto", "light", "dark"]
THEMES: tuple[Theme, ...] = ("auto", "light", "dark")

EXAMPLES = """\b
The specs:
  Titles, published figures and claims are taken from specs/ as it stands now, for the profiles
  that were run; without that folder, or with --as-measured, from what the runs left in results/,
  which a build only reads. What was measured of other versions of the specs is counted above the
  front page and on the terminal.

\b
The output folder:
  Only what an earlier build wrote is replaced or removed; files of your own stay.

\b
Speed:
  Builds remember what they made, in the platform's cache folder or in ACCELREPORT_CACHE, and make
  only what changed. --no-cache makes everything; the bytes are the same.

\b
Examples:
  accelreport build
  accelreport build --results results --out site --title "Accelerators in our lab"
  accelreport build --single-file --out report.html
  accelreport build --only mnist_batch_sweep --only matmul:quick
  accelreport build --base-url https://example.org/report/ --logo logo.svg
  accelreport build --explain

\b
Exit codes: 0 built, 2 an option, a logo or a template cannot be used, 5 there was nothing to
build from, 7 a folder cannot be read or written, 10 a figure could not be drawn, 11 the page of a
benchmark could not be made; the place of either says so, and the rest is built.
"""


Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        metavar="PATH",
        envvar="ACCELREPORT_OUT",
        help="Where the pages go: the folder site, or the file report.html.",
        show_default=False,
    ),
]
SingleFile = Annotated[
    bool, typer.Option("--single-file", help="Everything in one HTML file, for mail or a hall.")
]
Specs = Annotated[
    Path, typer.Option("--specs", metavar="DIR", help="Folder of the specs, if it is here.")
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
        help="Templates that replace ours, file by file.",
    ),
]
Logo = Annotated[
    Path | None,
    typer.Option(
        "--logo",
        metavar="FILE",
        envvar="ACCELREPORT_LOGO",
        help="A PNG or SVG file, put into every page.",
    ),
]
BaseUrl = Annotated[
    str,
    typer.Option(
        "--base-url",
        metavar="URL",
        envvar="ACCELREPORT_BASE_URL",
        help="Where the site will be published.",
    ),
]
ThemeName = Annotated[
    str,
    typer.Option(
        "--theme",
        metavar="NAME",
        envvar="ACCELREPORT_THEME",
        help="auto, light or dark, until a reader chooses.",
    ),
]
Png = Annotated[bool, typer.Option("--png", help="Every figure as PNG too, in both themes; slow.")]
Interactive = Annotated[
    bool,
    typer.Option("--interactive", help="A button lets a reader explore a figure; larger pages."),
]
Only = Annotated[
    list[str],
    typer.Option(
        "--only",
        metavar="SPEC",
        help="Show this benchmark only, or SPEC:PROFILE. May be given several times.",
        show_default=False,
    ),
]
Trials = Annotated[
    bool,
    typer.Option(
        "--trials", help="Show runs with --set or --data, too, of what was also run as it stands."
    ),
]
AsMeasured = Annotated[
    bool,
    typer.Option(
        "--as-measured", help="Show each spec as it was measured, not as it stands in --specs now."
    ),
]
Explain = Annotated[
    bool,
    typer.Option(
        "--explain", help="Build nothing: print each title and number beside its finding."
    ),
]
Cache = Annotated[
    bool, typer.Option("--cache/--no-cache", help="Leave what has not changed as it is.")
]

TITLE = "Accelerator benchmarks"


def build(
    *,
    results: Results = RESULTS,
    out: Out = None,
    single_file: SingleFile = False,
    specs: Specs = SPECS[0],
    title: Title = TITLE,
    logo: Logo = None,
    base_url: BaseUrl = "",
    theme: ThemeName = "auto",
    templates: Templates = None,
    png: Png = False,
    interactive: Interactive = False,
    cache: Cache = True,
    only: Only = [],  # noqa: B006 -- Typer copies it
    trials: Trials = False,
    as_measured: AsMeasured = False,
    explain: Explain = False,
) -> None:
    """Build the report: static pages of everything under results/.

    Needs neither TensorFlow nor a network. The same results give the same bytes.
    """
    from accelreport.report.site import builder
    from accelreport.report.site.options import report_cache
    from accelreport.runner.plan_documents import choose
    from accelreport.spec.files_beside import FILE_NAME, read_options
    from accelreport.terminal.say import say, tell_unshown

    store = _refreshed(results, None if as_measured else specs)
    said = read_options(specs / FILE_NAME)
    known = {plan.spec for plan in store.plans()}
    for absent in said.unknown_benchmarks(known, "nothing was run of it: run its spec first"):
        say(f"warning: {absent.render()}", err=True)
    say(*choose(store, only=only, trials=trials), err=True)
    if explain:
        from accelreport.report.site.assembly import gather
        from accelreport.terminal.explain import explained

        say(*explained(gather(store), title, said.talk))
        return
    options = builder.BuildOptions(
        title=title,
        talk=said.talk,
        templates=templates,
        logo=logo,
        base_url=base_url,
        theme=_theme(theme),
        pictures=png,
        interactive=interactive,
        cache=report_cache() if cache else None,
        single_file=single_file,
    )
    place = out or Path("report.html" if single_file else "site")
    try:
        built = builder.build(store, place, options=options)
    finally:
        for problem in store.problems:
            say(f"warning: left out: {problem}", err=True)
    noun = "page" if built.pages == 1 else "pages"
    say(f"{built.pages} {noun} in {built.seconds:.1f} s: {built.index}")
    _tell_others(built)
    tell_unshown(built.unshown)
    if built.unshown:
        raise typer.Exit(max(each.exit_code for each in built.unshown))


def _refreshed(results: Path, specs: Path | None) -> Store:
    """The results, their plans as the specs stand now, if any; complaints are printed."""
    from accelreport.results.store import Store
    from accelreport.runner.plan_documents import refresh
    from accelreport.terminal.say import say

    store = Store(results)
    for complaint in refresh(store, specs) if specs and specs.is_dir() else ():
        say(f"warning: {complaint}", err=True)
    return store


def _tell_others(built: BuildResult) -> None:
    """Print what was measured of other versions of the specs and is not shown."""
    from accelreport.report.version_text import versions_notice
    from accelreport.terminal.say import say

    if built.others:
        notice = versions_notice(built.others)
        say(f"warning: {notice.title} {notice.text}", err=True)


def _theme(name: str) -> Theme:
    for theme in THEMES:
        if theme == name:
            return theme
    raise typer.BadParameter(f"{name} is none of {', '.join(THEMES)}.", param_hint="--theme")


PUBLISH_EXAMPLES = """\b
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


SERVE_EXAMPLES = """\b
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
    specs: Specs = SPECS[0],
    title: Annotated[str, typer.Option("--title", metavar="TEXT", help="The site's name.")] = TITLE,
    templates: Templates = None,
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
    from accelreport.runner.plan_documents import choose
    from accelreport.spec.files_beside import talk_of
    from accelreport.terminal.say import say, tell_unshown

    def rebuild() -> None:
        store = _refreshed(results, specs)
        say(*choose(store), err=True)
        try:
            talk, cache = talk_of(specs), report_cache()
            options = builder.BuildOptions(title, templates, cache=cache, talk=talk)
            built = builder.build(store, out, options=options, engines=engines)
        finally:
            for problem in store.problems:
                say(f"warning: left out: {problem}", err=True)
        say(f"{built.written} files changed in {built.seconds:.1f} s")
        _tell_others(built)
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
