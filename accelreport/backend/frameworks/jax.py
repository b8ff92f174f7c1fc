"""Keras 3 on JAX: its device, and the programs that JAX compiles of a training."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

import jax
import jax.numpy as jnp
import keras
import numpy as np
from numpy.typing import NDArray

from accelreport.backend.checks.model import JAX_DTYPES, recurrent_layers
from accelreport.backend.engine import Engine, outputs_of
from accelreport.backend.failures import NoDeviceError
from accelreport.backend.frameworks import Runtime
from accelreport.backend.measurement import NO_STAMPS
from accelreport.backend.placement import Placement
from accelreport.spec.device import Device
from accelreport.workloads.base import TrainingProblem
from accelreport.workloads.compiled import Batch

PLATFORMS = {"CPU": "cpu", "GPU": "cuda,cpu", "TPU": "tpu,cpu"}
"""JAX's platforms for each kind; the first must be there, the others bring data to it."""

POOL = "NPROC"
"""The variable from which XLA's client for CPUs takes the number of its threads."""


def configure(device: Device) -> Runtime:
    """Set threads, platform and precision, and find the device.

    Raises:
        NoDeviceError: JAX does not see the device.
    """
    if device.threads is not None:
        os.environ[POOL] = str(device.threads)
    # Memory is taken as it is needed: otherwise the peak would be the whole card.
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    jax.config.update("jax_platforms", PLATFORMS[device.kind])
    precision = ""
    if device.kind == "GPU":
        precision = "tensorfloat32" if device.tf32 else "highest"
        jax.config.update("jax_default_matmul_precision", precision)
    try:
        chosen = jax.devices(device.kind.lower())[0]
    except RuntimeError as error:
        reason = (str(error).splitlines() or [""])[0]
        raise NoDeviceError(f"JAX sees no {device.kind}: {reason}") from error
    jax.config.update("jax_default_device", chosen)
    keras.mixed_precision.set_global_policy(device.precision)
    # XLA's programs for CPUs compute a step slower inside a loop (benchmarks/framework_steps.py),
    # and on a GPU a loop of products took longer than calls (`UNROLLED` of the products).
    looped = device.kind == "TPU"
    facts = {
        "framework": f"JAX {jax.__version__}",
        "intra_op_threads": os.environ.get(POOL, "all") if device.kind == "CPU" else "",
        "steps": "a loop in one program" if looped else "a program, called for each step",
        "matmul_precision": precision,
        "xla": "on",
        "device": device.kind,
        "device_kind": str(chosen.device_kind),
        "precision": device.precision,
        "strategy": device.strategy,
    }
    return Runtime(
        placement=OnJax(
            strategy=None,
            replicas=1,
            devices=[f"{device.kind}:{chosen.id}"],
            synchronous=False,
            device=chosen,
        ),
        jit_compile=True,
        facts={name: value for name, value in facts.items() if value},
        framework="jax",
        loops_in_program=looped,
    )


@dataclass
class OnJax(Placement):
    """See `Placement`. JAX dispatches work and returns, so that no stamp inside would be true.

    Attributes:
        device: JAX' own object for the device.
        latest: what was dispatched last; all that was before it is done when it is.
    """

    device: Any = None
    latest: Any = None

    def resident(self, arrays: Mapping[str, NDArray[Any]]) -> Any:
        """See `Placement.resident`."""
        return {name: jax.device_put(array, self.device) for name, array in arrays.items()}

    def synchronise(self) -> None:
        """See `Placement.synchronise`."""
        jax.block_until_ready(self.latest)

    def device_peak_bytes(self) -> int | None:
        """See `Placement.device_peak_bytes`; a CPU's allocator does not count."""
        peak = (self.device.memory_stats() or {}).get("peak_bytes_in_use")
        return None if peak is None else int(peak)


COMPILED = "/jax/core/compile/backend_compile_duration"
"""The event that JAX records after XLA has compiled a program."""


@dataclass
class Compilations:
    """Counts from its making on.

    Attributes:
        count: programs so far.
    """

    count: int = 0

    def heard(self, event: str, _seconds: float, **_details: object) -> None:
        """JAX has recorded how long something took."""
        self.count += event == COMPILED


@functools.cache
def compilations() -> Compilations:
    """The one count of this process: JAX has no way to stop listening to one listener."""
    counter = Compilations()
    jax.monitoring.register_event_duration_secs_listener(counter.heard)
    return counter


def compiled() -> frozenset[Hashable]:
    """See `accelreport.backend.checks.windows.compiled`; counts from the first call on."""
    return frozenset(range(compilations().count))


def everything_done() -> None:
    """Wait for every array of this process, whoever holds it."""
    jax.block_until_ready(jax.live_arrays())


def can_wait() -> bool:
    """Whether `everything_done` can wait: this process computes alone."""
    return True


Values = list[Any]
"""Arrays, one for each of some Keras variables."""

State = tuple[Values, Values, Values]
"""Of trainable variables, of the model's others (statistics, seeds), of the optimizer's."""

Step = Callable[[Any, Any, Any], Any]
"""(what a step changes, what it reads, number of the step) → what it has changed."""


class JaxEngine(Engine):
    """See `Engine`; a model on one device, trained by Keras' stateless functions.

    What a step changes is given to XLA (donated), so that weights are updated where they lie.
    Between windows the values are those of the model's own variables.

    Args:
        problem: what is trained.
        runtime: a configured JAX.
    """

    def __init__(self, problem: TrainingProblem, runtime: Runtime) -> None:
        super().__init__(problem, runtime)
        for layer in recurrent_layers(self.model):
            # Keras would trace cuDNN's kernel, which cannot be compiled in such a type.
            if layer.use_cudnn == "auto" and layer.compute_dtype not in JAX_DTYPES:
                layer.use_cudnn = False
        self._step: Step | None = None
        self._settle_down()

    # What `Engine` asks of any framework ----------------------------------------------------

    def set_weights(self, weights: list[NDArray[Any]]) -> None:
        """See `Engine.set_weights`."""
        super().set_weights(weights)
        self._settle_down()

    def set_learning_rate(self, rate: float) -> None:
        """See `Engine.set_learning_rate`."""
        super().set_learning_rate(rate)
        self._settle_down()

    def constant(self, value: NDArray[Any] | int) -> Any:
        """See `Engine.constant`."""
        if isinstance(value, int):
            return np.int32(value)
        return jax.device_put(value, self._placement.device)

    def read(self, value: Any) -> NDArray[Any]:
        """See `Engine.read`; a copy, for an array that is looked at cannot be donated."""
        return np.array(value)

    # Programs -----------------------------------------------------------------------------

    def resident_trainer(self) -> Any:
        """See `Engine.resident_trainer`."""

        def step(changing: Any, reading: Any, number: Any) -> Any:
            (state, totals), (resident, order) = changing, reading
            state, sums = self._learn(state, *self.problem.take(resident, order[number]))
            return state, totals + sums

        self._step = step
        many = self._many(step)

        def train(resident: Any, order: Any, first: Any, count: Any) -> tuple[Any, Any]:
            changing = (self._state(), self._zeros())
            state, totals = many(changing, (resident, order), first, count)
            self._keep(state)
            # JAX dispatches asynchronously: the host cannot tell when a step ended.
            return totals, NO_STAMPS

        return train

    def step_graph(self, *arguments: Any) -> Any:
        """See `Engine.step_graph`: one step as JAX' own intermediate form, a closed jaxpr."""
        assert self._step is not None
        *reading, first, _ = arguments
        changing = (self._state(), self._zeros())
        return jax.make_jaxpr(self._step)(changing, tuple(reading), first)

    def evaluator(self) -> Any:
        """See `Engine.evaluator`."""

        def step(totals: Any, reading: Any, number: Any) -> Any:
            model, resident, order, weights = reading
            inputs, targets = self.problem.take(resident, order[number])
            if self.compiled is None:
                outputs, _ = self.model.stateless_call(*model, inputs, training=False)
                return totals + self._evaluated(inputs, targets, outputs, weights[number])
            batch = self.batch(inputs, targets, training=False)
            _, (losses, outputs, _) = self._stateless(model[0], model[1], None, batch)
            return totals + self._judged(batch, outputs, losses)

        many = self._many(step)

        def evaluate(resident: Any, order: Any, weights: Any, first: Any, count: Any) -> Any:
            reading = (self._state()[:2], resident, order, weights)
            return many(self._zeros(), reading, first, count)

        return evaluate

    def predictor(self) -> Any:
        """See `Engine.predictor`."""
        program = jax.jit(self._forward)
        return lambda resident, indices: program(self._state()[:2], resident, indices)

    def prediction_graph(self, resident: Any, indices: Any) -> Any:
        """See `Engine.prediction_graph`: a call as a closed jaxpr."""
        return jax.make_jaxpr(self._forward)(self._state()[:2], resident, indices)

    def _many(self, step: Step) -> Callable[[Any, Any, Any, Any], Any]:
        """Many steps: a loop inside one program, or calls of a program one after the other."""
        if not self.runtime.loops_in_program:
            one = jax.jit(step, donate_argnums=0)

            def dispatched(changing: Any, reading: Any, first: Any, count: Any) -> Any:
                for number in range(int(first), int(first + count)):
                    changing = one(changing, reading, np.int32(number))
                self._placement.latest = changing
                return changing

            return dispatched

        def loop(changing: Any, reading: Any, first: Any, count: Any) -> Any:
            def body(number: Any, changing: Any) -> Any:
                return step(changing, reading, number)

            return jax.lax.fori_loop(first, first + count, body, changing)

        program = jax.jit(loop, donate_argnums=0)

        def run(changing: Any, reading: Any, first: Any, count: Any) -> Any:
            self._placement.latest = changed = program(changing, reading, first, count)
            return changed

        return run

    # One step -----------------------------------------------------------------------------

    def _forward(self, model: Any, resident: Any, indices: Any) -> Any:
        inputs, _ = self.problem.take(resident, indices)
        outputs, _ = self.model.stateless_call(*model, inputs, training=False)
        return outputs.astype(jnp.float32)

    def _learn(self, state: State, inputs: Any, targets: Any) -> tuple[State, Any]:
        trainable, others, optimizer = state
        batch = self.batch(inputs, targets)

        def objective(trainable: Values) -> tuple[Any, Any]:
            return self._stateless(trainable, others, optimizer, batch)

        gradients, (losses, outputs, others) = jax.grad(objective, has_aux=True)(trainable)
        trainable, optimizer = self.optimizer.stateless_apply(optimizer, gradients, trainable)
        changed = (list(trainable), list(others), list(optimizer))
        return changed, self._judged(batch, outputs, losses)

    def _stateless(
        self, trainable: Values, others: Values, optimizer: Values | None, batch: Batch
    ) -> tuple[Any, Any]:
        """The loss of a batch as the optimizer wants it; with what `_judged` makes sums of.

        Without an optimizer the model is evaluated.
        """
        inputs, targets, weights = batch
        if self.compiled is not None:
            training = optimizer is not None
            loss, (unscaled, outputs, others, held) = self.model.compute_loss_and_updates(
                trainable,
                others,
                self.compiled.zeros(),
                inputs,
                targets,
                weights,
                training=training,
                optimizer_variables=optimizer,
            )
            if training:
                self.traced_batch = outputs_of(outputs)[0].shape[0]
            return loss, ((unscaled, held), outputs, others)
        outputs, others, penalties = self.model.stateless_call(
            trainable, others, inputs, training=True, return_losses=True
        )
        losses = self.problem.loss(targets, outputs)
        self.traced_batch = losses.shape[0]
        objective = jnp.sum(losses) / self.problem.batch_size
        for penalty in penalties:
            objective += penalty.astype(losses.dtype)
        known = list(zip(self.optimizer.variables, optimizer or [], strict=True))
        with keras.StatelessScope(state_mapping=known):
            objective = self.optimizer.scale_loss(objective)
        return objective, (losses, outputs, others)

    # Variables ----------------------------------------------------------------------------

    @property
    def _placement(self) -> OnJax:
        return cast("OnJax", self.runtime.placement)

    def _variables(self) -> tuple[list[Any], list[Any], list[Any]]:
        model = self.model
        return (
            model.trainable_variables,
            model.non_trainable_variables,
            self.optimizer.variables,
        )

    def _state(self) -> State:
        first, second, third = (
            [variable.value for variable in variables] for variables in self._variables()
        )
        return first, second, third

    def _keep(self, state: State) -> None:
        """Give the model's variables the values that a window has left; waits for nothing."""
        for variables, values in zip(self._variables(), state, strict=True):
            for variable, value in zip(variables, values, strict=True):
                variable.assign(value)

    def _settle_down(self) -> None:
        """Bind all values to the device; what is not bound would be compiled for once more."""
        self._keep(jax.device_put(self._state(), self._placement.device))

    def _zeros(self) -> Any:
        return jax.device_put(np.zeros(self.width, np.float32), self._placement.device)


ENGINE = JaxEngine
"""What `engine_for` makes."""


def operation_kinds(program: Any) -> frozenset[str]:
    """Names of all operations of a closed jaxpr."""
    return frozenset(_kinds(program.jaxpr))


def _kinds(jaxpr: Any) -> Iterator[str]:
    for equation in jaxpr.eqns:
        yield equation.primitive.name
        for value in equation.params.values():
            for part in value if isinstance(value, tuple | list) else (value,):
                inner = getattr(part, "jaxpr", part)  # a closed one holds an open one
                if hasattr(inner, "eqns"):
                    yield from _kinds(inner)
