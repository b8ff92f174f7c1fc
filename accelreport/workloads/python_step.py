"""A training step of somebody's own: a Python file beside the spec, trusted by naming it.

The file's text becomes part of the parameters while the spec is checked, so that a cell is known
by what it runs: an edited file is another cell. It is read there, and run only by the process
that measures.
"""

from __future__ import annotations

import ast
import hashlib
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, Literal, Self

from pydantic import Field, FiniteFloat, ValidationInfo, field_validator, model_validator

from accelreport.errors import AccelReportError, ExitCode
from accelreport.spec.validators import FieldsError, SpecPath, refuse_written
from accelreport.workloads.base import EVERY, Family, StepProblem, WorkloadParameters

LIMIT = 1024 * 1024
"""Bytes above which no file is read."""

GIVEN = ("batch_size", "seed")
"""What every function is called with, by name."""


class PythonParameters(WorkloadParameters):
    """A step of your own: `file` holds a function that returns the step and its batches."""

    kind: Literal["python"] = "python"
    """Name of the family."""
    file: SpecPath
    """A Python file beside the spec. Whoever runs the spec runs this file: name only one that you
    trust."""
    function: Annotated[str, Field(pattern=r"^[A-Za-z_]\w*$")] = "build"
    """A function of the file, called with `batch_size`, `seed` and `options` by name. It returns
    (step, batches): `step(batch)` does one step and returns a number that depends on all of it,
    such as the loss; `batches` is a list that is gone through again and again."""
    batch_size: Annotated[int, Field(ge=1)] = 64
    """Examples in a step."""
    options: dict[str, bool | int | FiniteFloat | str] = {}
    """Further arguments of the function."""
    document: str = Field(default="", validate_default=True)
    """What is in the file; filled in when the spec is read, not to be written."""

    @field_validator("document")
    @classmethod
    def _read(cls, document: str, info: ValidationInfo) -> str:
        folder, name = (info.context or {}).get("folder"), info.data.get("file")
        if isinstance(folder, Path) and name is not None:
            refuse_written(document)
            try:
                with (folder / name).open("rb") as file:
                    document = file.read(LIMIT + 1).decode()
            except (OSError, UnicodeDecodeError) as error:
                raise FieldsError(f"{name} cannot be read: {error}", "file") from error
            if len(document.encode()) > LIMIT:
                raise FieldsError(f"{name} has more than {LIMIT:,} bytes", "file")
        return document

    @model_validator(mode="after")
    def _has_the_function(self) -> Self:
        if not self.document:
            return self
        try:
            found = ast.parse(self.document, self.file).body
        except (RecursionError, MemoryError) as error:
            raise FieldsError(f"{self.file} is nested too deeply to be read", "file") from error
        except (SyntaxError, ValueError) as error:
            line = getattr(error, "lineno", None)
            place = f"{self.file}, line {line}" if line else self.file
            what = error.msg if isinstance(error, SyntaxError) else str(error)
            raise FieldsError(f"{place}: {what}", "file") from error
        functions = {each.name: each for each in found if isinstance(each, ast.FunctionDef)}
        own = functions.get(self.function)
        if own is None:
            names = ", ".join(functions) or "no function"
            raise FieldsError(
                f"{self.file} defines no function `{self.function}`",
                "function" if "function" in self.model_fields_set else "file",
                help=f"it defines {names}; write `def {self.function}(batch_size, seed):` there, "
                "which returns (step, batches)",
            )
        takes = {each.arg for each in (*own.args.args, *own.args.kwonlyargs)}
        lacking = [name for name in (*GIVEN, *self.options) if name not in takes]
        if lacking and own.args.kwarg is None:
            raise FieldsError(
                f"{self.file}, line {own.lineno}: `{self.function}` does not take `{lacking[0]}`",
                f"options.{lacking[0]}" if lacking[0] in self.options else "file",
                help=f"add the parameter `{lacking[0]}`, or `**options`",
            )
        return self


class StepError(AccelReportError):
    """The file of a step did not do what a step must."""

    exit_code = ExitCode.BAD_SPEC
    kind = "bad-spec"


def problem(parameters: PythonParameters) -> StepProblem:
    """The step and its batches, made by the file."""
    here = parameters.file

    def build(seed: int) -> tuple[Callable[[Any], Any], Sequence[Any]]:
        module = ModuleType("accelreport_own_step")
        module.__file__ = here
        sys.modules[module.__name__] = module  # its classes are looked up there
        # The last place that is looked in: what the file imports, and nothing else, may lie there.
        sys.path.append(str(Path.cwd()))
        with blamed(here):
            exec(compile(parameters.document, here, "exec"), module.__dict__)  # noqa: S102 - trusted by naming it
            made = getattr(module, parameters.function)(
                batch_size=parameters.batch_size, seed=seed, **parameters.options
            )
        if not (isinstance(made, tuple) and len(made) == 2 and callable(made[0])):
            raise StepError(
                f"{here}: `{parameters.function}` returned {type(made).__name__}",
                why="a step and its batches are needed",
                remedy="End it with `return step, batches`.",
            )
        step, batches = made[0], list(made[1])
        if not batches:
            raise StepError(
                f"{here}: `{parameters.function}` returned no batch",
                remedy="Give a list of one batch or more.",
            )
        return step, batches

    return StepProblem(
        build=build,
        file=here,
        batch_size=parameters.batch_size,
        fingerprint=hashlib.sha256(parameters.document.encode()).hexdigest(),
    )


@contextmanager
def blamed(file: str) -> Iterator[None]:
    """Have what goes wrong in a file say so, with the file's line.

    Raises:
        StepError: something was raised by the file or by what it called.
    """
    try:
        yield
    except (MemoryError, StepError):
        raise
    except Exception as error:
        places = traceback.extract_tb(error.__traceback__)
        line = next((each.lineno for each in reversed(places) if each.filename == file), None)
        if line is None or getattr(error, "kind", None):
            raise  # not from the file, or an error that says itself what it is
        raise StepError(
            f"{file}, line {line}: {type(error).__name__}: {error}",
            remedy="Correct the file; the traceback stands in the record.",
        ) from error


FAMILY = Family(
    kind="python",
    title="Own step",
    parameters=PythonParameters,
    shape="step",
    data=lambda parameters: None,  # noqa: ARG005 - it makes its own batches
    problem=lambda parameters, data, seed: problem(parameters),  # noqa: ARG005
    frameworks=EVERY,
)
"""The family as the registry knows it."""
