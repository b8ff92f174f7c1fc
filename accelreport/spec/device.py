"""A device: what to run on, and how."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from accelreport.errors import AccelReportError, ExitCode
from accelreport.spec.base import NotNegative, Positive, SpecModel
from accelreport.spec.validators import FieldsError, require_day

FRAMEWORK_NAMES = {"tensorflow": "TensorFlow", "jax": "JAX", "torch": "PyTorch"}
"""What people call each framework a device may name."""

ONE_DEVICE = ("default", "one_device")
"""Strategies that place everything on one device, which any framework can do."""

XLA_INSTEAD = {"jax": "leave `xla` out", "torch": "leave `xla` out, or write torch_compile = true"}
"""What to write in place of `xla` where a framework has no such choice."""


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
    """What the report calls it; its hardware and what differs when empty."""
    framework: Literal["tensorflow", "jax", "torch"] = "tensorflow"
    """What Keras 3 runs on, with that framework's own training step."""
    strategy: Literal[
        "default", "one_device", "mirrored", "multi_worker_mirrored", "parameter_server", "tpu"
    ] = "default"
    """The `tf.distribute` strategy that places the model."""
    replicas: Annotated[int, Field(ge=1, le=4096)] = 1
    """Replicas in one process: GPUs, or logical CPUs for `mirrored` on a CPU."""
    workers: Annotated[int, Field(ge=1, le=4096)] = 1
    """Worker processes, for `multi_worker_mirrored` and `parameter_server`."""
    parameter_servers: Annotated[int, Field(ge=1, le=4096)] = 1
    """Parameter-server processes, for `parameter_server`."""
    spread: bool = False
    """For several workers: whether each process has a machine of a cluster to itself, which
    `run --on ray` or `--on slurm` sees to. Otherwise all are on the machine of the cell."""
    threads: Annotated[int, Field(ge=1, le=4096)] | None = None
    """Threads for one operation; every core when absent."""
    precision: Literal["float32", "mixed_float16", "mixed_bfloat16"] = "float32"
    """The Keras dtype policy."""
    tf32: bool = False
    """On NVIDIA GPUs, whether float32 products may use TensorFloat-32."""
    xla: bool = False
    """Whether steps are compiled by XLA (`jit_compile`)."""
    eager: bool = False
    """Whether TensorFlow runs steps operation by operation, and builds no graph of them."""
    torch_compile: bool = False
    """With `framework = "torch"`: whether steps are compiled by `torch.compile`; else PyTorch
    runs them operation by operation."""
    placement: str = ""
    """A package's placement that takes the strategy's place, by the name of its entry point."""
    address: str = ""
    """For `tpu`: the resolver's address; empty means a TPU of this machine (`local`)."""
    price_per_hour: NotNegative | None = None
    """What an hour costs, in `currency`."""
    currency: str = "USD"
    """The currency of `price_per_hour`."""
    price_date: str = ""
    """The day on which the price was asked, as "2026-05-31"."""
    price_source: str = ""
    """Who asks that price."""
    peak_tflops: dict[str, Positive] = {}
    """Cited peak, in 10¹² floating-point operations per second, for each dtype."""
    peak_source: str = ""
    """Where `peak_tflops` is written."""
    memory_gbps: Positive | None = None
    """Cited bandwidth of the memory, in 10⁹ bytes per second."""
    memory_source: str = ""
    """Where `memory_gbps` is written."""

    @property
    def all_replicas(self) -> int:
        """Replicas or workers, all hosts together."""
        return self.replicas * self.workers

    @property
    def framework_name(self) -> str:
        """What people call its framework."""
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
            self._eager_agrees()
            return self
        name, torch = self.framework_name, self.framework == "torch"
        xla = "has no XLA here" if torch else "compiles every step by XLA, whatever is said"
        refused = {
            "kind": (torch and self.kind == "TPU", f"{name} drives CPUs and GPUs here, no TPU"),
            "strategy": (self.strategy not in ONE_DEVICE, f"{name} drives one device here"),
            "placement": (bool(self.placement), "a package's placement drives TensorFlow"),
            "address": (bool(self.address), f"{name} reaches only devices of this machine"),
            "xla": (self.xla, f"{name} {xla}"),
            "eager": (self.eager, "it says how TensorFlow runs"),
            "precision": (
                torch and self.kind == "CPU" and self.precision == "mixed_float16",
                f"on a CPU Keras on {name} computes the products of float16 in float32",
            ),
            "threads": (
                self.threads is not None and self.kind != "CPU",
                f"under {name} only a CPU has threads to choose",
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

    def _eager_agrees(self) -> None:
        if self.eager and self.xla:
            raise FieldsError(
                "XLA compiles no steps that run operation by operation", "eager", "xla"
            )
        if self.eager and (self.strategy not in ONE_DEVICE or self.placement):
            raise FieldsError(
                f"the strategy `{self.strategy}` needs a graph of the steps",
                "eager",
                "strategy",
                help="leave `eager` out",
            )

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        driven_by_tensorflow = self.kind == "TPU" and self.framework == "tensorflow"
        if driven_by_tensorflow != (self.strategy == "tpu"):
            raise FieldsError(
                f"a {self.kind} cannot be driven by the strategy `{self.strategy}`",
                "strategy",
                "kind",
                help='a TPU needs strategy = "tpu", and nothing else may have it',
            )
        multi = {"multi_worker_mirrored", "parameter_server"}
        for field, strategies in {
            "replicas": {"mirrored", "tpu", *multi},
            "workers": multi,
            "parameter_servers": {"parameter_server"},
        }.items():
            if getattr(self, field) != 1 and self.strategy not in strategies:
                raise FieldsError(
                    f"the strategy `{self.strategy}` has no {field.replace('_', ' ')}",
                    field,
                    "strategy",
                    help=f"`{field}` belongs to {', '.join(sorted(strategies))}",
                )
        if self.spread and self.strategy not in multi:
            raise FieldsError(
                f"the strategy `{self.strategy}` has no processes to spread",
                "spread",
                "strategy",
                help=f"`spread` belongs to {', '.join(sorted(multi))}",
            )
        if self.tf32 and self.kind != "GPU":
            raise FieldsError("only a GPU has TensorFloat-32", "tf32", "kind")
        if self.address and self.kind != "TPU":
            raise FieldsError("only a TPU is reached by an address", "address", "kind")
        if self.peak_tflops and not self.peak_source.strip():
            raise FieldsError(
                "`peak_tflops` has no source",
                "peak_tflops",
                help="say in `peak_source` where the figure is written",
            )
        if self.price_date:
            require_day(self.price_date, "price_date")
        if self.memory_gbps is not None and not self.memory_source.strip():
            raise FieldsError(
                "`memory_gbps` has no source",
                "memory_gbps",
                help="say in `memory_source` where the figure is written",
            )
        return self
