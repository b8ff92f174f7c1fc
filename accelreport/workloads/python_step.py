"""A training step of somebody's own: a Python file beside the spec, trusted by naming it.

The file's text becomes part of the parameters while the spec is checked, so that a cell is known
by what it runs: an edited file is another cell. It is read there, and run only by the process
that measures.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from importlib.machinery import PathFinder
from typing import Annotated, Any, Literal, Self

from pydantic import (
    Field,
    FiniteFloat,
    SerializerFunctionWrapHandler,
    ValidationInfo,
    field_validator,
    model_serializer,
    model_validator,
)

from accelreport.spec.device import Device
from accelreport.spec.families import TENSORFLOW, Ignored
from accelreport.spec.validators import FieldsError, SpecPath, folder_of, refuse_written
from accelreport.workloads.base import EVERY, Family, StepProblem, WorkloadParameters
from accelreport.workloads.own_code import (
    OwnCode,
    OwnCodeError,
    functions_of,
    host_only,
    local_modules,
    text_of,
)
from accelreport.workloads.own_model import check_function

GIVEN = ("batch_size", "seed")
"""What every function is called with, by name."""

ASKED = "device"
"""What a function is called with, too, where it has a parameter of this name."""

SPOKEN_OF = ("xla", "eager", "torch_compile")
"""Keys of a device that say how steps are built, which only the function can do."""

THROUGH_FRAMEWORK = ("kind", "framework", "precision", "tf32", "threads")
"""Keys of a device that change nothing where no framework computes."""


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
    modules: dict[str, str] = Field(default={}, validate_default=True)
    """What is in the modules beside it that it imports; filled in like `document`."""

    @field_validator("document")
    @classmethod
    def _read(cls, document: str, info: ValidationInfo) -> str:
        folder, name = folder_of(info), info.data.get("file")
        if folder is not None and name is not None:
            refuse_written(document)
            document = text_of(folder / name, name)
        return document

    @field_validator("modules")
    @classmethod
    def _read_modules(cls, modules: dict[str, str], info: ValidationInfo) -> dict[str, str]:
        folder, name = folder_of(info), info.data.get("file")
        if folder is not None and name is not None and "document" in info.data:
            refuse_written(modules, "modules")
            modules = local_modules(folder, name, info.data["document"])
        return modules

    @model_serializer(mode="wrap")
    def _identity(self, parameters: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Without `modules` where there are none: what stood there before they were read."""
        return {
            name: value for name, value in parameters(self).items() if value or name != "modules"
        }

    @model_validator(mode="after")
    def _has_the_function(self) -> Self:
        if not self.document:
            return self
        functions = functions_of(self.file, self.document)
        own = functions.get(self.function)
        if own is None:
            names = ", ".join(functions) or "no function"
            raise FieldsError(
                f"{self.file} defines no function `{self.function}`",
                "function" if "function" in self.model_fields_set else "file",
                help=f"it defines {names}; write `def {self.function}(batch_size, seed):` there, "
                "which returns (step, batches)",
            )
        lacking = [name for name in (*GIVEN, *self.options) if name not in _parameters(own)]
        if lacking and own.args.kwarg is None:
            raise FieldsError(
                f"{self.file}, line {own.lineno}: `{self.function}` does not take `{lacking[0]}`",
                f"options.{lacking[0]}" if lacking[0] in self.options else "file",
                help=f"add the parameter `{lacking[0]}`, or `**options`",
            )
        named = f"{self.file}:{self.function}"
        check_function("file", named, self.document, (*GIVEN, ASKED), self.options)
        return self


def _parameters(function: ast.FunctionDef) -> set[str]:
    return {argument.arg for argument in (*function.args.args, *function.args.kwonlyargs)}


def unheeded(parameters: PythonParameters, device: Device) -> list[str]:
    """Keys that a device sets and that change nothing unless the function acts upon them."""
    keys = [key for key in SPOKEN_OF if getattr(device, key)]
    if host_only(parameters.file, parameters.document, parameters.modules):
        # A device that names no framework runs on another one where TensorFlow is not installed.
        usual = Device(kind="CPU")
        if PathFinder.find_spec(TENSORFLOW) is None:
            usual = Device(kind="CPU", framework=device.framework)
        keys += [k for k in THROUGH_FRAMEWORK if getattr(device, k) != getattr(usual, k)]
    return keys


def takes_device(parameters: PythonParameters) -> bool:
    """Whether the function has a parameter for the device, which no option fills."""
    own = functions_of(parameters.file, parameters.document)[parameters.function]
    return ASKED in _parameters(own) and ASKED not in parameters.options


def ignores(parameters: PythonParameters, device: Device) -> Ignored | None:
    """See `Family.ignores`: a function acts upon what it is not given in no way."""
    keys = unheeded(parameters, device) if parameters.document else []
    if not keys or takes_device(parameters):
        return None
    called, key = f"`{parameters.function}` of {parameters.file}", keys[0]
    why = f"{called} does not take the device"
    if key in THROUGH_FRAMEWORK:
        why = f"{called} computes outside {device.framework_name}, and does not take the device"
    return Ignored(key, why, f"add the parameter `{ASKED}` and act upon `{ASKED}.{key}`")


class AskedDevice:
    """The device as a function is given it; knows which keys were read.

    Args:
        device: the device of the cell.

    Attributes:
        asked: the keys that were read so far.
    """

    def __init__(self, device: Device) -> None:
        self._device = device
        self.asked: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        """A key of the device."""
        self.asked.add(name)
        return getattr(self._device, name)


def problem(parameters: PythonParameters) -> StepProblem:
    """The step and its batches, made by the file."""
    here, name = parameters.file, parameters.function

    def build(
        code: OwnCode, seed: int, device: Device
    ) -> tuple[Callable[[Any], Any], Sequence[Any]]:
        given: dict[str, Any] = {"batch_size": parameters.batch_size, "seed": seed}
        asked = AskedDevice(device)
        if takes_device(parameters):
            given[ASKED] = asked
        with code.blamed():
            module = code.run("accelreport_own_step")
            result = getattr(module, name)(**given, **parameters.options)
        for key in unheeded(parameters, device):
            if key not in asked.asked:
                raise OwnCodeError(
                    f"{here}: `{name}` does not read `{ASKED}.{key}`, which the device sets",
                    why="nothing would be measured of it",
                    remedy=f"Act upon `{ASKED}.{key}` in `{name}`, or take the device out.",
                )
        if not (isinstance(result, tuple) and len(result) == 2 and callable(result[0])):
            raise OwnCodeError(
                f"{here}: `{name}` returned {type(result).__name__}",
                why="a step and its batches are needed",
                remedy="End it with `return step, batches`.",
            )
        with code.blamed():
            step, batches = result[0], list(result[1])
        if not batches:
            raise OwnCodeError(
                f"{here}: `{name}` returned no batch",
                remedy="Give a list of one batch or more.",
            )
        return step, batches

    return StepProblem(
        build=build,
        code=OwnCode(here, parameters.document, parameters.modules),
        batch_size=parameters.batch_size,
    )


FAMILY = Family(
    kind="python",
    title="Own step",
    parameters=PythonParameters,
    shape="step",
    data=lambda parameters: None,  # noqa: ARG005 - it makes its own batches
    problem=lambda parameters, data, seed: problem(parameters),  # noqa: ARG005
    frameworks=EVERY,
    ignores=ignores,
)
