"""A device: what to run on, and how."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Annotated, Any, Literal, Self

from pydantic import (
    Field,
    SerializerFunctionWrapHandler,
    ValidationError,
    model_serializer,
    model_validator,
)

from accelreport.errors import AccelReportError, ExitCode
from accelreport.spec.base import NotNegative, Positive, SpecModel
from accelreport.spec.validators import FieldsError, require_day

FRAMEWORK_NAMES = {"tensorflow": "TensorFlow", "jax": "JAX", "torch": "PyTorch"}
"""Display names of the frameworks."""

Strategy = Literal["default", "one_device", "mirrored", "multi_worker_mirrored", "tpu"]

ONE_DEVICE = ("default", "one_device")
"""Strategies that place everything on one device, which any framework can do."""

ONE_PROCESS = (*ONE_DEVICE, "mirrored", "tpu")
"""Strategies whose replicas are in one process."""

XLA_INSTEAD = {"jax": "leave `xla` out", "torch": "leave `xla` out, or write torch_compile = true"}
"""The replacement of `xla` for a framework that has no such choice."""


class BatchError(AccelReportError):
    """A batch that the replicas of a device cannot share evenly.

    Args:
        batch_size: examples in a step, over all replicas.
        replicas: replicas or workers, all hosts together.
        device: which one, as a person reads it; empty where there is only one.
    """

    exit_code = ExitCode.BAD_SPEC

    def __init__(self, batch_size: int, replicas: int, device: str = "") -> None:
        below = batch_size // replicas * replicas
        near = [str(size) for size in (below, below + replicas) if size]
        subject = f"the {replicas} replicas of {device}" if device else f"{replicas} replicas"
        super().__init__(
            f"{subject} cannot share {batch_size} examples",
            why="batch_size counts the examples of a step over all replicas",
            remedy=f"write batch_size = {' or '.join(near)}",
        )


def require_shares(batch_size: int, replicas: int, device: str = "") -> int:
    """Examples of a step for each replica; see `BatchError`.

    Raises:
        BatchError: the replicas do not divide the batch.
    """
    share, rest = divmod(batch_size, replicas)
    if rest:
        raise BatchError(batch_size, replicas, device)
    return share


class Device(SpecModel):
    """One row of `devices.toml`: what to run on, and how."""

    kind: Literal["CPU", "GPU", "TPU"]
    """The hardware that does the arithmetic."""
    label: str = ""
    """Display name; default: its hardware and what differs."""
    framework: Literal["tensorflow", "jax", "torch"] = "tensorflow"
    """The framework of Keras 3, with that framework's own training step. A row of the devices file
    without it runs on the one that is installed: TensorFlow, else JAX, else PyTorch.
    """
    strategy: Strategy = "default"
    """The `tf.distribute` strategy that places the model."""
    replicas: Annotated[int, Field(ge=1, le=4096)] = 1
    """Replicas in one process: GPUs, or logical CPUs for `mirrored` on a CPU."""
    workers: Annotated[int, Field(ge=1, le=4096)] = 1
    """Worker processes, for `multi_worker_mirrored`."""
    spread: bool = False
    """Whether each of several processes has its own machine of a cluster, which `run --on slurm`
    provides. Otherwise all run on the machine of the cell.
    """
    threads: Annotated[int, Field(ge=1, le=4096)] | None = None
    """Threads for one operation; default: every core."""
    precision: Literal["float32", "mixed_float16", "mixed_bfloat16"] = "float32"
    """The Keras dtype policy."""
    tf32: bool = False
    """Whether float32 products may use TensorFloat-32 on NVIDIA GPUs."""
    xla: bool = False
    """Whether XLA compiles the steps (`jit_compile`)."""
    eager: bool = False
    """Whether TensorFlow runs steps in eager mode."""
    torch_compile: bool = False
    """With `framework = "torch"`: whether `torch.compile` compiles the steps; otherwise PyTorch
    runs them in eager mode.
    """
    placement: str = ""
    """Name of the entry point of a package's placement that replaces the strategy's."""
    address: str = ""
    """For `tpu`: the resolver's address; empty means a TPU of this machine (`local`)."""
    price_per_hour: NotNegative | None = None
    """Price per hour, in `currency`."""
    currency: str = "USD"
    """The currency of `price_per_hour`."""
    price_date: str = ""
    """The day of the price, such as "2026-05-31"."""
    price_source: str = ""
    """The provider with that price."""
    peak_tflops: dict[str, Positive] = {}
    """Cited peak for each dtype, in 10¹² floating-point operations per second."""
    peak_source: str = ""
    """Source of `peak_tflops`."""
    memory_gbps: Positive | None = None
    """Cited memory bandwidth, in 10⁹ bytes per second."""
    memory_source: str = ""
    """Source of `memory_gbps`."""

    @property
    def all_replicas(self) -> int:
        """Replicas or workers, all hosts together."""
        return self.replicas * self.workers

    @property
    def hardware(self) -> str:
        """What it needs: "a GPU", "several GPUs"; the replicas of a TPU are one."""
        several = self.kind == "GPU" and self.all_replicas > 1
        return f"several {self.kind}s" if several else f"a {self.kind}"

    @property
    def framework_name(self) -> str:
        """Display name of its framework."""
        return FRAMEWORK_NAMES[self.framework]

    @model_validator(mode="after")
    def _framework_agrees(self) -> Self:
        if self.torch_compile and self.framework != "torch":
            raise FieldsError(
                f"{self.framework_name} is not compiled by `torch.compile`",
                "torch_compile",
                "framework",
                help='leave `torch_compile` out, or write framework = "torch"',
            )
        if self.framework == "tensorflow":
            if self.eager and self.xla:
                raise FieldsError("XLA cannot compile steps in eager mode", "eager", "xla")
            if self.eager and (self.strategy not in ONE_DEVICE or self.placement):
                raise FieldsError(
                    f"the strategy `{self.strategy}` needs graph mode",
                    "eager",
                    "strategy",
                    help="leave `eager` out",
                )
            return self
        name, torch = self.framework_name, self.framework == "torch"
        xla = "has no XLA here" if torch else "compiles every step by XLA anyway"
        refused = {
            "kind": (torch and self.kind == "TPU", f"{name} drives CPUs and GPUs here, but no TPU"),
            "strategy": (self.strategy not in ONE_DEVICE, f"{name} drives one device here"),
            "placement": (bool(self.placement), "a package's placement needs TensorFlow"),
            "address": (bool(self.address), f"{name} uses only devices of this machine"),
            "xla": (self.xla, f"{name} {xla}"),
            "eager": (self.eager, "it selects how TensorFlow runs"),
            "precision": (
                torch and self.kind == "CPU" and self.precision == "mixed_float16",
                f"Keras on {name} computes float16 products in float32 on a CPU",
            ),
            "threads": (
                self.threads is not None and self.kind != "CPU",
                f"under {name}, `threads` applies only to a CPU",
            ),
        }
        instead = {
            "kind": 'write framework = "jax"',
            "xla": XLA_INSTEAD[self.framework],
            "precision": 'write precision = "mixed_bfloat16", or leave it out',
        }
        for field, (wrong, why) in refused.items():
            if wrong:
                help_ = instead.get(field) or f"leave `{field}` out"
                raise FieldsError(why, field, "framework", help=help_)
        return self

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        driven_by_tensorflow = self.kind == "TPU" and self.framework == "tensorflow"
        if driven_by_tensorflow != (self.strategy == "tpu"):
            raise FieldsError(
                f"the strategy `{self.strategy}` cannot drive a {self.kind}",
                "strategy",
                "kind",
                help='a TPU needs strategy = "tpu", and no other device can use it',
            )
        several = "multi_worker_mirrored"
        for field, usual, lacking, words, strategies in (
            ("replicas", 1, ONE_DEVICE, "replicas", f"mirrored, {several}, tpu"),
            ("workers", 1, ONE_PROCESS, "workers", several),
            ("spread", False, ONE_PROCESS, "processes to spread", several),
        ):
            if getattr(self, field) != usual and self.strategy in lacking:
                raise FieldsError(
                    f"the strategy `{self.strategy}` has no {words}",
                    field,
                    "strategy",
                    help=f"`{field}` belongs to {strategies}",
                )
        if self.tf32 and self.kind != "GPU":
            raise FieldsError("only a GPU has TensorFloat-32", "tf32", "kind")
        if self.address and self.kind != "TPU":
            raise FieldsError("only a TPU has an address", "address", "kind")
        if self.peak_tflops and not self.peak_source.strip():
            raise FieldsError(
                "`peak_tflops` has no source",
                "peak_tflops",
                help="name the document of this figure in `peak_source`",
            )
        if self.price_date:
            require_day(self.price_date, "price_date")
        if self.memory_gbps is not None and not self.memory_source.strip():
            raise FieldsError(
                "`memory_gbps` has no source",
                "memory_gbps",
                help="name the document of this figure in `memory_source`",
            )
        return self


class StoredDevice(Device):
    """A device in a record or a plan, whose format keeps what no devices file can ask for now."""

    strategy: Literal[Strategy, "parameter_server"] = "default"  # type: ignore[assignment]
    parameter_servers: int = 1
    """Processes that kept the weights under `parameter_server`, a strategy of earlier versions."""

    @model_validator(mode="before")
    @classmethod
    def _of_a_spec(cls, value: object) -> object:
        return dict(value) if isinstance(value, Device) else value

    @model_serializer(mode="wrap")
    def _in_the_order_of_records(self, fields: SerializerFunctionWrapHandler) -> dict[str, Any]:
        values: dict[str, Any] = fields(self)
        names = list(Device.model_fields)
        names.insert(names.index("spread"), "parameter_servers")
        return {name: values[name] for name in names if name in values}


def labelled(device: Device, name: str) -> Device:
    """With its label and a framework other than TensorFlow; its name if it has no label."""
    label, framework = device.label, device.framework_name
    plain = device.framework == "tensorflow" or framework.casefold() in label.casefold()
    label = (label if plain else f"{label}, {framework}") if label else name
    return device.model_copy(update={"label": label})


def running_rows(
    rows: Mapping[str, Device],
    frameworks: Sequence[str],
    listed: Collection[str] = (),
    able: Callable[[Device], bool] = lambda _: True,
) -> dict[str, tuple[str, Device]]:
    """Row of a devices file → its name and device as it runs with these frameworks.

    A row that names no framework runs on the first one that can do it. In a spec that lists a row
    with a framework, it means TensorFlow: such a spec compares frameworks.

    Args:
        rows: the devices file.
        frameworks: as devices name them, the preferred one first; without any, TensorFlow.
        listed: rows that a spec lists.
        able: whether a device can run the spec's workload.
    """
    if any("framework" in row.model_fields_set for name, row in rows.items() if name in listed):
        frameworks = ()
    ways = {name: _on_other_frameworks(name, frameworks, rows) for name in rows}
    return {
        name: next((way for way in ways[name] if able(way[1])), (name, row))
        for name, row in rows.items()
    }


def _on_other_frameworks(
    name: str, frameworks: Sequence[str], rows: Mapping[str, Device]
) -> Iterator[tuple[str, Device]]:
    """A row that names no framework, on each that is preferred to TensorFlow and can do the same.

    Args:
        name: the row.
        frameworks: as devices name them, the preferred one first; TensorFlow is what the row means
            by itself, so that none after it counts.
        rows: the devices file.

    Yields:
        The name, which says the framework, and the device: `cpu` on JAX is `cpu-jax`. It is that
        of the row which says the same with the framework, where the file has one.
    """
    device = rows[name]
    if "framework" in device.model_fields_set:
        return
    label = "" if device.label == name else device.label
    values = device.model_dump(exclude_unset=True)
    if device.strategy == "tpu":  # how TensorFlow drives a TPU
        del values["strategy"]
    for framework in takewhile(lambda framework: framework != "tensorflow", frameworks):
        try:
            other = Device.model_validate(values | {"framework": framework, "label": label})
        except ValidationError:
            continue
        twins = (twin for twin, row in rows.items() if row == labelled(other, twin))
        named = f"{name}-{framework}"
        while named in rows:
            named += f"-{framework}"
        named = named if label else next(twins, named)
        yield named, rows.get(named) or labelled(other, named)
