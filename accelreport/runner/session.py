"""Carrying out a run that was prepared, and what its end means to the caller."""

from __future__ import annotations

from contextlib import closing
from functools import partial

from accelreport.backend.environment import environment
from accelreport.errors import ExitCode
from accelreport.runner.events import EndLine, Observer, plan_line
from accelreport.runner.forks import Forks
from accelreport.runner.interrupt import stopped_by_signals
from accelreport.runner.launch import LocalLauncher
from accelreport.runner.preparing import Prepared
from accelreport.runner.sweep import Sweep
from accelreport.runner.timings import timings
from accelreport.runner.workspace import Workspace


def carry_out(
    prepared: Prepared,
    observer: Observer,
    workspace: Workspace,
    *,
    tell_timings: bool = False,
    fork: bool = True,
) -> EndLine:
    """Measure what the plan says; must be called in the main thread.

    Args:
        prepared: the run.
        observer: is told what happens.
        workspace: locks and files in passing.
        tell_timings: tell at the end where the time went.
        fork: fork processes where that may be done, instead of starting every one.

    Raises:
        ResultsError: the results folder cannot be written.
        AccelReportError: no further cell can be measured.
    """
    workspace.prepare()
    prepared.store.prepare()
    for document in prepared.documents:
        prepared.store.write_plan(document)
    observer.on(plan_line(prepared.plan, prepared.store.root))
    with stopped_by_signals() as stop, closing(Forks(workspace.scratch)) as forks:
        sweep = Sweep(
            store=prepared.store,
            launcher=prepared.launcher
            or LocalLauncher(workspace.scratch, environment, forks=forks if fork else None),
            machine=prepared.machine,
            environment=environment,
            workspace=workspace,
            observer=observer,
            stop=stop,
            policy=prepared.policy,
            anywhere=prepared.anywhere,
        )
        deciding = prepared.deciding
        further = partial(deciding.further, observer) if deciding else None
        end = sweep.run(prepared.plan, further)
    if tell_timings:
        observer.on(timings(sweep.ended, end.wall_s, forks.done))
    return end


def exit_code(end: EndLine) -> ExitCode:
    """What a run's end means to the caller of the program.

    Cells that failed earlier and were left alone count as failed: nothing is well as long
    as they are. So do those that somebody else has interrupted, such as by cancelling a job.
    Skipped cells do not, unless nothing else was there.
    """
    if end.stopped_by:
        return ExitCode.INTERRUPTED
    if end.failed or end.failed_before or end.left:
        return ExitCode.SOME_FAILED
    if end.ok or end.partial or end.done_before:
        return ExitCode.OK
    return ExitCode.NOTHING_RAN
