"""Whether models fit their data, found out without training: for `accelreport check`.

Only models and data that are somebody's own are asked about: those that come with accelreport
take their shapes from each other. Importing a framework takes seconds, so all are asked about at
once, in a process of its own that sees no accelerator: this module, run as a program. Where
models or data are made by somebody's own Python, each such file has its own process.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import psutil
from pydantic import TypeAdapter

from accelreport.backend.frameworks import absent, choose
from accelreport.datasets.base import Dataset
from accelreport.datasets.catalogue import find
from accelreport.datasets.errors import DataError, DataUnavailable
from accelreport.datasets.load import load
from accelreport.errors import AccelReportError
from accelreport.results.plan_document import Document
from accelreport.workloads.base import DataRequest, TrainingProblem, loss_of_the_model
from accelreport.workloads.registry import family_of

ANSWERED_WITHIN_S = 300.0
"""All models together; the framework's import takes some seconds of it."""

WITHOUT_ACCELERATORS = {"CUDA_VISIBLE_DEVICES": "-1", "JAX_PLATFORMS": "cpu"}
"""What another process does with them is not disturbed."""


class ShapeQuestion(Document):
    """A model and its data."""

    workload: dict[str, Any]
    """The family's parameters in full, `kind` included."""
    folder: str
    """The spec's folder."""


class Misfit(Document):
    """Why a model cannot be trained on its data."""

    what: str
    """What does not fit, in a sentence."""
    why: str = ""
    """The cause, in a sentence."""
    remedy: str = ""
    """What to do."""
    key: str = "kind"
    """The parameter to be changed."""
    unread: bool = False
    """Whether the data could not be read here, so that nothing is known of the model."""


PROCESS: Sequence[str] = (sys.executable, "-P", "-m", "accelreport.backend.shapes")
"""The program that is asked, but for the framework."""

QUESTIONS = TypeAdapter(list[ShapeQuestion])
ANSWERS = TypeAdapter(list[Misfit | None])


class ShapesUnknown(AccelReportError):  # noqa: N818 -- reads as what it says
    """The process that was asked gave no answer."""


def misfits(questions: Sequence[ShapeQuestion], framework: str) -> list[Misfit | None]:
    """For each model why it does not fit its data; None where it does.

    Args:
        questions: the models.
        framework: as a device names it. Without it nothing is said of any model.

    Raises:
        ShapesUnknown: the process ended, or went on for too long.
    """
    if not questions or absent(framework):
        return [None] * len(questions)
    try:
        done = subprocess.run(
            [*PROCESS, framework],
            input=QUESTIONS.dump_json(list(questions)),
            capture_output=True,
            check=False,
            timeout=ANSWERED_WITHIN_S,
            env={**os.environ, **WITHOUT_ACCELERATORS},
        )
    except subprocess.TimeoutExpired as error:
        raise ShapesUnknown(f"The models were not built within {error.timeout:g} s.") from error
    if done.returncode:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        raise ShapesUnknown(
            f"The process that builds the models ended with {done.returncode}.", why="".join(last)
        )
    return ANSWERS.validate_json(done.stdout)


def misfit(question: ShapeQuestion) -> Misfit | None:
    """Why a model does not fit its data, in this process; None where it does."""
    family = family_of(question.workload["kind"])
    try:
        parameters = family.parameters.model_validate(question.workload, strict=False)
        request = family.data(parameters)
        data = _data(request, question.folder) if request else None
        problem = family.problem(parameters, data, 0)
        if isinstance(problem, TrainingProblem) and not problem.compiled:
            _pass_two_examples(problem)
    except AccelReportError as error:
        return Misfit(
            what=error.what,
            why=error.why,
            remedy=error.remedy,
            key=getattr(error, "key", "model" if question.workload.get("model") else "kind"),
            # Another machine may have the file or the package that this one lacks.
            unread=isinstance(error, DataError)
            or isinstance(error.__cause__, ImportError | OSError),
        )
    except Exception as error:  # each layer and framework has a class of its own
        line = next(iter(str(error).strip().splitlines()), "")
        return Misfit(
            what="Two examples do not fit the model and its loss.",
            why=f"{type(error).__name__}: {line}",
            unread=isinstance(error, MemoryError),
        )
    return None


def _data(request: DataRequest, folder: str) -> Dataset:
    """The data; their stand-in, which has the same shapes, where the published files are not here.

    Raises:
        DataError: a file of somebody's own is not here, or is not what it should be.
    """
    try:
        return request.load(folder)
    except DataUnavailable:
        if request.make or not find(request.name).files:
            raise
    return load(request.name, mode="synthetic", options=request.options, folder=folder)


def _pass_two_examples(problem: TrainingProblem) -> None:
    """Have two examples pass through the model, its loss and its metrics, as a step or call would.

    Raises:
        Exception: whatever a layer says of them.
    """
    import numpy as np
    from keras import ops

    count = min(2, problem.examples)
    resident = {name: ops.convert_to_tensor(array) for name, array in problem.resident.items()}
    indices = ops.convert_to_tensor(np.arange(count, dtype=np.int32))
    inputs, targets = problem.take(resident, indices)
    outputs = problem.model()(inputs)
    trained = {} if problem.loss is loss_of_the_model else {"loss": problem.loss}
    for name, function in {**trained, **problem.metrics}.items():
        had = tuple(function(targets, outputs).shape)
        if had != (count,):
            raise ValueError(f"{name} has the shape {had} for {count} examples, not one value each")


def keep_to_free_memory() -> None:
    """Have this process fail that builds a model larger than what is free, and no other one."""
    free = psutil.virtual_memory().available
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(
        resource.RLIMIT_DATA, (free if most == resource.RLIM_INFINITY else min(free, most), most)
    )


def main(arguments: list[str]) -> None:
    """Answer the questions of standard input on standard output."""
    from accelreport.backend.main import quiet_tensorflow

    quiet_tensorflow()
    keep_to_free_memory()
    with os.fdopen(os.dup(1), "wb") as answer:
        os.dup2(2, 1)  # whatever a framework prints must not mix with the answer
        questions = QUESTIONS.validate_json(sys.stdin.buffer.read())
        choose(arguments[0])
        answer.write(ANSWERS.dump_json([misfit(question) for question in questions]))


if __name__ == "__main__":
    main(sys.argv[1:])
