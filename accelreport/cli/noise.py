"""`accelreport noise`."""

from __future__ import annotations

import json as json_module
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from accelreport.cli.options import Devices, DevicesFile, Json, Profile, argument
from accelreport.errors import AccelReportError, ExitCode
from accelreport.loader.first_spec import devices_at

if TYPE_CHECKING:
    from accelreport.analysis.noise import Noise
    from accelreport.runner.prepare import Request

EXAMPLES = """What is measured:
The same cell again and again, each time in a new process, in pairs: how much this machine
differs from itself. The result is the smallest slowdown that 3, 5, 10 and 20 repeats show, and
how many repeats a slowdown of --for needs, with a probability of 80 % and 95 % intervals.
Without a spec a small network is measured, for about two minutes; a spec of your own shows the
noise of its own cells. The result is kept for this machine, and `accelreport compare
--fail-if-slower` uses it to say what the gate can see at best. Nothing is added to results/.

\b
Examples:
  accelreport noise
  accelreport noise --for 5% --pairs 20
  accelreport noise specs/mine.toml --profile quick --device cpu

\b
Exit codes: those of run; 4 where too few processes have a time.
"""

SMALL = """\
schema = 1
title = "A small network, again and again"
devices = ["{device}"]

[workload]
kind = "image_classification"
dataset = "mnist"
data = "sample"
batch_size = 64
epochs = 2
train_examples = 2048
validation_examples = 64

[measure]
warmup_steps = 4
budget = "10s"
"""

Spec = Annotated[Path | None, argument("SPEC", "A spec of your own.")]
Pairs = Annotated[
    int, typer.Option("--pairs", min=3, metavar="N", help="Pairs of processes at each point.")
]
For = Annotated[
    str, typer.Option("--for", metavar="SLOWDOWN", help="The slowdown that is to be shown: 5%.")
]


def noise(
    spec: Spec = None,
    *,
    for_: For = "5%",
    pairs: Pairs = 10,
    device: Devices = [],  # noqa: B006 -- Typer copies it
    profile: Profile = None,
    devices_file: DevicesFile = None,
    json: Json = False,
) -> None:
    """Measure how much this machine differs from itself, and what a gate on it can see."""
    from accelreport.analysis.compare import read_margin
    from accelreport.runner.prepare import Request
    from accelreport.terminal.noise import noise_lines
    from accelreport.terminal.say import say

    try:
        slowdown = read_margin(for_)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--for") from error
    if not slowdown:
        raise typer.BadParameter("no number of repeats shows a slowdown of nothing")
    with tempfile.TemporaryDirectory() as folder:
        request = Request(
            paths=[spec] if spec else [Path(folder, "small.toml")],
            results=Path(folder, "results"),
            profile=profile,
            devices=device,
            overrides={"measure.repeats": 2 * pairs},
            devices_file=devices_file,
        )
        if spec is None:
            chosen = device[0] if device else "cpu"
            request.paths[0].write_text(SMALL.format(device=chosen), encoding="utf-8")
            request = replace(request, devices_file=devices_at(devices_file), devices=())
        measured = _measured(request, small=spec is None, quiet=json)
    if json:
        rows = [
            noise.model_dump(mode="json") | {"repeats": noise.repeats_for(slowdown)}
            for noise in measured
        ]
        typer.echo(json_module.dumps(rows, indent=2))
    else:
        say(*noise_lines(measured, slowdown))


def _measured(request: Request, *, small: bool, quiet: bool) -> list[Noise]:
    """Measure the pairs, and keep the noise for later comparisons on this machine.

    Raises:
        AccelReportError: too few processes have a time.
        Exit: the run was stopped, or nothing could be run.
    """
    from accelreport.cli.run import carried_out
    from accelreport.results.store import existing
    from accelreport.terminal.noise import keep, noises

    code = carried_out(request, dry_run=False, quiet=quiet, answer=False)
    if code not in {ExitCode.OK, ExitCode.SOME_FAILED}:
        raise typer.Exit(code)
    measured = noises(existing(request.results), small=small)
    if not measured:
        raise TooFewTimes("Too few processes have a time.", remedy="accelreport run shows why.")
    keep(measured)
    return measured


class TooFewTimes(AccelReportError):  # noqa: N818 -- reads as what it says
    """No cell has enough pairs of processes with a time."""

    exit_code = ExitCode.SOME_FAILED
