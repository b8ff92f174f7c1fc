"""`accelreport.run`: what the command of that name does, for programs and notebooks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from accelreport.analysis.sequential import UntilDecided
from accelreport.api.results import Results, results_of
from accelreport.runner.launchers import launching
from accelreport.runner.launchers.base import LauncherConfig
from accelreport.runner.overrides import shorthands
from accelreport.runner.plan import Policy
from accelreport.runner.prepare import Request, prepare
from accelreport.runner.run import carry_out
from accelreport.runner.workspace import Workspace, machine_lock
from accelreport.spec.base import Scalar
from accelreport.terminal.progress import progress_for
from accelreport.terminal.say import say


def run(
    specs: str | Path | Sequence[str | Path] = "specs/",
    *,
    results: str | Path = "results",
    profile: str | None = None,
    devices: Sequence[str] = (),
    filters: Mapping[str, Scalar] | None = None,
    data: Literal["real", "sample", "synthetic"] | None = None,
    budget: str | None = None,
    overrides: Mapping[str, Scalar] | None = None,
    devices_file: str | Path | None = None,
    retry_failed: bool = False,
    rerun: bool = False,
    until_decided: bool = False,
    most_repeats: int = 20,
    fork: bool = True,
    quiet: bool = False,
    on: str = "local",
    on_options: Mapping[str, Scalar] | None = None,
    ray_address: str = "",
) -> Results:
    """Measure every cell of the specs that is not yet measured.

    Each has a process of its own, which nothing in this one disturbs. Cells that fail are in the
    results (`Results.cells`), no exceptions. Must be called in the main thread, as notebooks do.

    Args:
        specs: spec files and folders of them.
        results: the results folder; what is in it already is not measured again.
        profile: read the specs with this profile.
        devices: run on these only.
        filters: run only this value of a swept key.
        data: real data, samples of them, or stand-ins of the same shapes.
        budget: measured time after which a cell stops, such as "2m".
        overrides: other values for keys of the specs, such as {"measure.repeats": 5}.
        devices_file: the devices, instead of the file beside each spec.
        retry_failed: run cells again that failed before.
        rerun: run every cell again.
        until_decided: add repeats until comparisons with the baseline, and claims, are decided.
        most_repeats: with `until_decided`, at most so many.
        fork: fork CPU cells from a process that has imported TensorFlow.
        quiet: print failures only.
        on: where: "local", "ray", "slurm" or a package's launcher; `until_decided` only "local".
        on_options: options of the launcher, such as {"partition": "gpu"}.
        ray_address: with `on="ray"`, the cluster's head node; a Ray of its own without it.

    Returns:
        Everything in the results folder, with the outcome of this run.

    Raises:
        AccelReportError: a spec, a name or the results folder is wrong; nothing was lost.
        KeyboardInterrupt: the run was stopped; finished cells are kept.
    """
    values = {**(overrides or {}), **shorthands(data, budget)}
    policy = Policy(retry_failed=retry_failed, rerun=rerun)
    rule = UntilDecided(most_repeats) if until_decided else None
    request = _request(specs, results, profile, devices, filters or {}, devices_file)
    request = replace(request, overrides=values, policy=policy, stopping_rule=rule)
    return _measured(request, on, on_options or {}, ray_address, fork=fork, quiet=quiet)


def _request(
    specs: str | Path | Sequence[str | Path],
    results: str | Path,
    profile: str | None,
    devices: Sequence[str],
    filters: Mapping[str, Scalar],
    devices_file: str | Path | None,
) -> Request:
    """Which cells of which specs, and where their results are; see `run`."""
    return Request(
        paths=[Path(path) for path in ([specs] if isinstance(specs, str | Path) else specs)],
        results=Path(results),
        profile=profile,
        devices=devices,
        filters=[f"{key}={value}" for key, value in filters.items()],
        devices_file=Path(devices_file) if devices_file else None,
    )


def _measured(
    request: Request,
    on: str,
    options: Mapping[str, Scalar],
    ray_address: str,
    *,
    fork: bool,
    quiet: bool,
) -> Results:
    asked = LauncherConfig(request.results, options, ray_address, fork, request.policy)
    with launching(on, asked) as launcher:
        prepared = prepare(replace(request, launcher=launcher), waiting=_waiting)
        with progress_for(prepared.plan, json=False, quiet=quiet) as observer:
            end = carry_out(prepared, observer, Workspace(lock=machine_lock()), fork=fork)
        if end.stopped_by:
            raise KeyboardInterrupt(end.stopped_by)
        return results_of(request.results, end)


def _waiting(reason: str) -> None:
    say(f"{reason} …", err=True)
