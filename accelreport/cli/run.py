"""`accelreport run` measures specs."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from accelreport.cli.options import (
    RESULTS,
    SPECS,
    Devices,
    DevicesFile,
    Json,
    Profile,
    Results,
    Specs,
    option,
)
from accelreport.errors import ExitCode

if TYPE_CHECKING:
    from accelreport.runner.adaptive import StoppingRule
    from accelreport.runner.prepare import Prepared, Request


LOCAL = "local"
"""The value of `--on` for this machine; other launchers are imported only when needed."""

EXAMPLES = """What is run:
A spec defines cells: sweep points × devices × repeats. Each runs in its own process, in a
balanced order that spreads drift evenly over the devices. A cell is done when its record is
complete, or when a budget no shorter than the current one stopped it. Done cells are not run
again. Failed cells wait for --retry-failed, because most failures cost their whole time again;
missing data and interrupted cells are tried again anyway. Cells whose device is not here are
skipped, and every run looks for the device again. A failure never replaces a measurement.
Editing a spec runs only what the edit changes.

Ctrl-C:
Once: the current cell is abandoned, finished cells are kept, and the exit code is 130. Run the
same command again to continue. Twice: stop immediately.

Run within a time:
--within chooses whole benchmarks. The first repeat of each shows what it costs on this machine,
and those are kept, in their order, of which all repeats fit in the time. The end of the run
names the others; the next call measures them.

Run until decided:
--until-decided adds repeats, on the device and on its baseline, where a comparison with the
baseline is neither FASTER, SLOWER nor SAME. It looks after 3, 5, 10 and 20 repeats (or the
planned number), each time at a level of 98.75 %, so that all looks together err in at most
5 %. Added repeats become part of the plan. --dry-run shows the largest number it can add.

Two runs at the same time:
The second run waits for the first, so that neither disturbs the other's measurements.

On many machines:
--on ray gives each node of a Ray cluster one cell at a time, and --on slurm submits job arrays.
A cell is then done when any machine has measured it. See docs/clusters.md.

\b
Examples:
  accelreport run specs/
  accelreport run specs/ --profile quick --within 4m
  accelreport run specs/mnist_batch_sweep.toml -d cpu --filter batch_size=512
  accelreport run specs/ --dry-run
  accelreport run specs/ --data synthetic --budget 2m
  accelreport run specs/matmul.toml --set workload.count=10
  accelreport run specs/ --until-decided --most-repeats 10
  accelreport run specs/ --on slurm --on-option partition=gpu
  accelreport run specs/ --json | jq 'select(.event == "cell-end").status'

JSON events, one per line: plan, waiting, cell-start, cell-event, cell-end, look, end.

Exit codes: 0 done, 2 wrong command line, 3 error in a spec, 4 some cells failed, 5 no cell can
run here, 7 results cannot be written, 130 interrupted.
"""

Filters = Annotated[
    list[str],
    typer.Option(
        "--filter",
        "-f",
        metavar="KEY=VALUE",
        help="Run only this value of a swept key. May be given several times.",
        show_default=False,
    ),
]
Data = Annotated[
    Literal["real", "sample", "synthetic"] | None,
    typer.Option(
        "--data",
        help="Real data, the samples in the package, or synthetic data of the same shapes.",
    ),
]
Budget = Annotated[
    str | None,
    typer.Option(
        "--budget",
        metavar="TIME",
        help='Measured time after which a cell stops, such as "90s" or "2m"; its total is '
        "extrapolated.",
    ),
]
Within = Annotated[
    str | None,
    typer.Option(
        "--within",
        metavar="TIME",
        help='Time that the run should take, such as "4m": a slower machine measures fewer '
        "benchmarks.",
    ),
]
Set = Annotated[
    list[str],
    option(
        "--set",
        metavar="KEY=VALUE",
        help="Override a key of the specs, such as measure.repeats=5 or workload.epochs=2. May be "
        "given several times.",
    ),
]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run", "-n", help="Show what would run and what would be skipped, with reasons."
    ),
]
RetryFailed = Annotated[bool, typer.Option("--retry-failed", help="Run failed cells again.")]
Rerun = Annotated[bool, typer.Option("--rerun", help="Run every cell again.")]
UntilDecided = Annotated[
    bool,
    typer.Option("--until-decided", help="Add repeats until comparisons and claims are decided."),
]
MostRepeats = Annotated[
    int | None,
    typer.Option(
        "--most-repeats",
        min=3,
        max=20,
        metavar="N",
        help="With --until-decided: the largest number of repeats; default: 20.",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print failures only.")]
Fork = Annotated[
    bool,
    typer.Option(
        "--fork/--no-fork",
        help="Fork CPU cells from a process that has imported TensorFlow, or start each one.",
    ),
]
On = Annotated[
    str,
    typer.Option(
        "--on", metavar="LAUNCHER", help="The launcher: local, ray, slurm, or a package's."
    ),
]
OnOptions = Annotated[
    list[str],
    option(
        "--on-option",
        metavar="KEY=VALUE",
        help="With --on: an option of the launcher, such as partition=gpu. May be given several "
        "times.",
    ),
]


def run(
    *,
    specs: Specs = SPECS,
    profile: Profile = None,
    device: Devices = [],  # noqa: B006 -- Typer copies it
    filter_: Filters = [],  # noqa: B006
    data: Data = None,
    budget: Budget = None,
    within: Within = None,
    set_: Set = [],  # noqa: B006
    results: Results = RESULTS,
    devices_file: DevicesFile = None,
    dry_run: DryRun = False,
    retry_failed: RetryFailed = False,
    rerun: Rerun = False,
    until_decided: UntilDecided = False,
    most_repeats: MostRepeats = None,
    json: Json = False,
    quiet: Quiet = False,
    fork: Fork = True,
    on: On = "local",
    on_option: OnOptions = [],  # noqa: B006
) -> None:
    """Measure every cell of the specs that is not done.

    Each cell's result goes to results/ as soon as the cell ends.
    """
    from accelreport.runner.launchers import launching
    from accelreport.runner.launchers.base import LauncherConfig
    from accelreport.runner.plan import Policy
    from accelreport.runner.prepare import (
        Request,
        parse_launcher_options,
        parse_overrides,
        shorthands,
    )

    if most_repeats is not None and not until_decided:
        raise typer.BadParameter("--most-repeats needs --until-decided.")
    if within is not None and (until_decided or on != LOCAL):
        raise typer.BadParameter("--within works without --until-decided, on one machine only.")
    within_s: float | None = None
    if within is not None:
        from accelreport.spec.base import parse_duration

        try:
            within_s = parse_duration(within)
        except ValueError as error:
            raise typer.BadParameter(f"--within: {error}") from error
        if within_s <= 0:
            raise typer.BadParameter("--within: must be greater than 0")
    rule: StoppingRule | None = None
    if until_decided:
        from accelreport.analysis.sequential import UntilDecided as Rule

        rule = Rule(most_repeats or 20)
    policy = Policy(retry_failed=retry_failed, rerun=rerun)
    request = Request(
        paths=specs,
        results=results,
        profile=profile,
        devices=device,
        filters=filter_,
        overrides=parse_overrides(set_) | shorthands(data, budget),
        devices_file=devices_file,
        policy=policy,
        stopping_rule=rule,
        within_s=within_s,
    )
    options = parse_launcher_options(on_option)
    with launching(on, LauncherConfig(results, options, fork, policy)) as launcher:
        code = carried_out(
            replace(request, launcher=launcher),
            dry_run=dry_run,
            json=json,
            quiet=quiet,
            fork=fork,
        )
    raise typer.Exit(code)


def carried_out(
    request: Request,
    *,
    dry_run: bool,
    json: bool = False,
    quiet: bool = False,
    fork: bool = True,
    answer: bool = True,
) -> int:
    """Measure, or show the plan, and print what happens.

    Args:
        request: what to measure.
        dry_run: only show the plan.
        json: print events as JSON lines, and nothing else.
        quiet: print failures only.
        fork: fork CPU cells from a process that has imported the framework.
        answer: end with the findings and the next command.

    Returns:
        The exit code.
    """
    from accelreport.runner.events import plan_line
    from accelreport.runner.run import carry_out, exit_code
    from accelreport.runner.workspace import Workspace, machine_lock
    from accelreport.terminal.progress import progress_for
    from accelreport.terminal.run_text import plan_text
    from accelreport.terminal.say import say

    prepared = _prepared(request, dry_run=dry_run)
    root = prepared.store.root
    if dry_run:
        line = plan_line(prepared.plan, root)
        if json:
            typer.echo(line.model_dump_json())
        else:
            say(*plan_text(line))
        return ExitCode.OK
    with progress_for(prepared.plan, json=json, quiet=quiet) as observer:
        workspace = Workspace(lock=machine_lock())
        end = carry_out(prepared, observer, workspace, fork=fork)
    if json or quiet or end.stopped_by:
        return exit_code(end)
    if answer and end.ok + end.partial + end.untimed + end.done_before:
        from accelreport.terminal.answer import answers

        elsewhere = [] if root == RESULTS else ["--results", str(root)]
        command = shlex.join(["accelreport", "run", *map(str, request.paths), *elsewhere])
        say(*answers(prepared.store, prepared.documents, command, shlex.join(elsewhere)))
        say("", f"Next: {shlex.join(['accelreport', 'build', *elsewhere])}")
    return exit_code(end)


def _prepared(request: Request, *, dry_run: bool) -> Prepared:
    """The plan of a request; prints warnings about it.

    Raises:
        DataUnavailable: no cell can run, because all data are absent.
    """
    from accelreport.cli.inspect import misplaced_files
    from accelreport.datasets.errors import DataUnavailable
    from accelreport.runner.outlook import AbsentData, unsound
    from accelreport.runner.prepare import prepare
    from accelreport.spec.problems import listed
    from accelreport.terminal.run_text import too_long
    from accelreport.terminal.say import say, tell_waiting

    prepared = prepare(request, waiting=tell_waiting)
    for problem in prepared.problems:
        say(f"warning: {problem}; the cell is measured again", err=True)
    cells = [planned.cell for planned in prepared.plan.of("run")]
    reads = AbsentData({document.spec: document.text for document in prepared.documents})
    skipped = prepared.plan.of("skip")
    without = [p.cell for p in skipped if p.missing and p.missing.kind == "data-unavailable"]
    wanted = [*cells, *without]
    absent = reads.warnings(wanted)
    if without and not (cells or dry_run):
        why = "\n".join(f"{name}: {text}" for name, text in absent.items())
        raise DataUnavailable("Nothing was run: no data are here.", why=why)
    for name, text in [*misplaced_files(wanted), *absent.items(), *unsound(wanted)]:
        say(f"warning: {name}: {text}", err=True)
    if longest := too_long(prepared.plan.estimate):
        say(f"warning: {longest}", err=True)
    if prepared.left_out:
        names = listed([path.stem for path in prepared.left_out])
        verb = "runs only when it is" if len(prepared.left_out) == 1 else "run only when they are"
        say(f"{names} {verb} named: accelreport run {prepared.left_out[0]}", err=True)
    return prepared
