"""`accelreport try` measures a model of one's own at once, on random data of its shape."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from accelreport.cli.options import RESULTS, Devices, DevicesFile, Results, argument, option
from accelreport.errors import ExitCode
from accelreport.loader.first_spec import (
    TRIAL_BUDGET,
    devices_at,
    spec_name,
    trial_folder,
    write_trial,
)

EXAMPLES = """\b
What it does:
  Measures training steps and inference calls of a model on random numbers of its input shape, and
  prints both with their intervals. Results are kept in results/, like those of a run, so the same
  command measures nothing twice; an edited model is measured again.

\b
Examples:
  accelreport try model.py:build --batch 1,8,64
  accelreport try MobileNetV2 --input-shape 96,96,3
  accelreport try net.keras --device cpu --device gpu --repeats 5

\b
Exit codes: those of run.
"""

Model = Annotated[
    str, argument("MODEL", "model.py:build, net.keras, net.json, or a name such as MobileNetV2.")
]
Batch = Annotated[
    str, typer.Option("--batch", metavar="N,N…", help="Batch sizes, each of which is measured.")
]
Shape = Annotated[
    str,
    option(
        "--input-shape",
        metavar="N,N…",
        help="Shape of an example, where the model does not say it.",
    ),
]
Repeats = Annotated[
    int, typer.Option("--repeats", min=1, metavar="N", help="Processes for each device.")
]
Budget = Annotated[
    str, typer.Option("--budget", metavar="TIME", help="Measured time after which a cell stops.")
]


def try_(
    model: Model,
    *,
    batch: Batch = "1,8,64",
    input_shape: Shape = "",
    repeats: Repeats = 3,
    budget: Budget = TRIAL_BUDGET,
    device: Devices = [],  # noqa: B006 -- Typer copies it
    results: Results = RESULTS,
    devices_file: DevicesFile = None,
) -> None:
    """Measure a model of your own at once: a training step and a call, on random data."""
    from accelreport.cli.run import SIZES, carried_out, whole_numbers
    from accelreport.loader.load import load
    from accelreport.runner.prepare import Request, whole_machine
    from accelreport.terminal.answer import trial_lines, trial_of
    from accelreport.terminal.say import say, tell_waiting

    rows = devices_at(devices_file)
    named = device or [whole_machine(load([rows]).devices, tell_waiting)]
    shape = whole_numbers(input_shape, "shape; write 28,28,1")
    with trial_folder(model) as folder:
        specs = write_trial(
            folder,
            model,
            batches=list(dict.fromkeys(whole_numbers(batch, SIZES))),
            devices=named,
            repeats=repeats,
            budget=budget,
            options={"input_shape": shape} if shape else {},
        )
        request = Request(paths=specs, results=results, devices_file=rows)
        code = carried_out(request, dry_run=False, answer=False)
    say("", *trial_lines(trial_of(results, specs)))
    name = spec_name(Path(model.partition(":")[0]).stem)
    if code == ExitCode.OK:
        say("", f"To keep it: accelreport new specs/{name}.toml --model {shlex.quote(model)}")
    raise typer.Exit(code)
