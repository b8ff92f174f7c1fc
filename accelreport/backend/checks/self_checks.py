"""The checks of a cell in their order: before its windows, beside them, and after them."""

from __future__ import annotations

import functools
import statistics
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from accelreport.backend.checks import CheckLog, RefusedCellError, model
from accelreport.backend.checks.canary import Canary, CanaryStep, judge_windows
from accelreport.backend.checks.model import judge_inputs
from accelreport.backend.checks.windows import (
    OtherProcesses,
    WindowWatch,
    can_wait,
    everything_done,
    judge_clock,
    judge_gaps,
)
from accelreport.machine.clocks import Clock, Heartbeat
from accelreport.results.block import Block, Steady
from accelreport.workloads.numerics import numbers

if TYPE_CHECKING:
    from accelreport.backend.engine import Engine
    from accelreport.backend.frameworks import Runtime

CORNER = 256
"""Rows and columns of a kernel's input that are looked at."""


T = TypeVar("T")
P = ParamSpec("P")


def _counted(
    check: Callable[Concatenate[SelfChecks, P], T],
) -> Callable[Concatenate[SelfChecks, P], T]:
    """Adds what a check takes to what all of them took."""

    @functools.wraps(check)
    def counted(self: SelfChecks, /, *arguments: P.args, **named: P.kwargs) -> T:
        began = time.perf_counter()
        try:
            return check(self, *arguments, **named)
        finally:
            self.spent_s += time.perf_counter() - began

    return counted


class SelfChecks:
    """Checks one cell; nothing of it lies inside a timed window.

    Args:
        runtime: a configured framework.
        kind: kind of the device's row, such as `GPU`.

    Attributes:
        log: what was found so far.
        spent_s: seconds it took so far.
    """

    def __init__(self, runtime: Runtime, kind: str) -> None:
        self.log = CheckLog()
        self.spent_s = 0.0
        self._runtime = runtime
        self._kind = kind
        self._others = OtherProcesses()
        self._heartbeat = Heartbeat()
        self._weights: list[Any] = []

    # A training ---------------------------------------------------------------------------

    @_counted
    def before_training(
        self, engine: Engine, watch: WindowWatch, source: Any, *, pipeline: bool
    ) -> None:
        """What the training begins with: data, weights, the optimizer's model.

        Raises:
            RefusedCellError: the inputs are constant.
        """
        self._begin(watch)
        self._weights = model.beginnings(engine)
        model.judge_beginning(self.log, engine)
        judge_inputs(self.log, engine, source, pipeline=pipeline)

    @_counted
    def after_training(
        self, engine: Engine, watch: WindowWatch, blocks: list[Block], resident: list[Any]
    ) -> str:
        """What the windows show, and where the training ended.

        Args:
            engine: its model was trained.
            watch: saw the windows.
            blocks: the measured windows.
            resident: arrays of the data that lie on the device.

        Returns:
            SHA-256 over the random weights that the training began with.
        """
        self._watched(watch, blocks, skips=engine.scales_losses)
        model.judge_batch(self.log, engine)
        tensors = [variable.value for variable in engine.model.trainable_variables]
        model.judge_device(self.log, [*tensors, *resident], self._runtime.devices, self._kind)
        model.judge_end(self.log, engine, self._weights)
        return model.random_weights(self._weights)

    @_counted
    def canary_of_training(
        self, engine: Engine, again: Callable[[int], Any], watch: WindowWatch, blocks: list[Block]
    ) -> None:
        """Short windows at the very end: the model is trained on, and nobody looks at it again.

        Args:
            engine: its model was trained.
            again: trains for so many steps more.
            watch: saw the measured windows.
            blocks: these windows.
        """
        own = self._canary(
            Canary(
                run=again,
                wait=engine.read,
                settled=engine.steps_done,
                step_s=_step_s(blocks),
                # What belongs to the end of an epoch belongs to no step.
                most=engine.problem.steps_per_epoch - 1,
                synchronous=self._runtime.synchronous,
                cpu_s=self._runtime.placement.cpu_s,
                agreed=self._runtime.placement.agreed,
            )
        )
        if self._runtime.replicas > len(self._runtime.devices):
            for name in ("work-inside", "idle-inside"):
                self.log.inapplicable(name, "a window begins with waiting for other workers")
        else:
            delays = [window.delayed_s for window in watch.windows]
            judge_gaps(self.log, blocks, delays, own)

    # Inference ----------------------------------------------------------------------------

    @_counted
    def before_inference(self, engine: Engine, watch: WindowWatch, source: Any) -> None:
        """What the model is called with.

        Raises:
            RefusedCellError: the inputs are constant.
        """
        self._begin(watch)
        judge_inputs(self.log, engine, source, pipeline=False)

    # A step of somebody's own -------------------------------------------------------------

    @_counted
    def before_step(self, watch: WindowWatch, batch: Any) -> None:
        """What the step is given first; labels of one batch may all be alike.

        Raises:
            RefusedCellError: all arrays of it are constant.
        """
        from keras import tree

        self._begin(watch)
        arrays = [numbers(leaf) for leaf in tree.flatten(batch) if hasattr(leaf, "shape")]
        several = [array for array in arrays if array.size > 1]
        constant = _constants(several)
        self._judge_constant(several, constant if len(constant) == len(several) else [])

    @_counted
    def after_calls(self, watch: WindowWatch, blocks: list[Block], tensors: list[Any]) -> None:
        """What the windows show, and where weights, inputs or results lie."""
        self._watched(watch, blocks, skips=False, settles=can_wait())
        model.judge_device(self.log, tensors, self._runtime.devices, self._kind)

    @_counted
    def canary_of_calls(
        self,
        start: Callable[[int], Any],
        wait: Callable[[Any], object],
        blocks: list[Block],
    ) -> None:
        """Short windows after the measured ones.

        Args:
            start: does so many calls, and waits for all but the last at most.
            wait: waits for what it gives.
            blocks: the measured windows.
        """
        self._canary(
            Canary(
                run=start,
                wait=wait,
                settled=everything_done,
                step_s=_step_s(blocks),
                most=10**9,  # more than a call of the cell, too: the work is the same
                synchronous=self._runtime.synchronous,
                agreed=self._runtime.placement.agreed,
            )
        )

    # A kernel -----------------------------------------------------------------------------

    @_counted
    def before_kernel(self, watch: WindowWatch, inputs: Sequence[Any]) -> None:
        """What the kernel reads.

        Raises:
            RefusedCellError: an input is constant.
        """
        self._begin(watch)
        if not inputs:
            self.log.inapplicable("constant-input", "the kernel does not say what it reads")
            return
        corners = [_corner(array) for array in inputs]
        self._judge_constant(corners, _constants([corner for corner in corners if corner.size > 1]))

    def _judge_constant(self, arrays: list[Any], constant: list[float]) -> None:
        if not arrays:
            self.log.inapplicable("constant-input", "no array of several numbers is seen")
            return
        self.log.judge(
            "constant-input",
            sound=not constant,
            expected="each input holds more than one value",
            observed="they vary" if not constant else f"an input holds nothing but {constant[0]:g}",
        )
        if constant:
            raise RefusedCellError(
                f"constant-input: an input holds nothing but {constant[0]:g}",
                why="arithmetic on constants takes less time and power than that on real data",
                remedy="Correct the input.",
            )

    # Both ---------------------------------------------------------------------------------

    def _begin(self, watch: WindowWatch) -> None:
        watch.clock = self._runtime.placement.clock
        watch.heartbeat = self._heartbeat
        self._heartbeat.start()

    def end(self) -> None:
        """Look at nothing any more."""
        self._heartbeat.end()

    def _watched(
        self, watch: WindowWatch, blocks: list[Block], *, skips: bool, settles: bool = True
    ) -> None:
        if not watch.windows:
            return
        watch.judge(self.log, settles=settles, skips=skips)
        judge_clock(self.log, watch.first_clock or Clock(), self._runtime.placement.clock())
        steady = Steady.of(blocks)
        known = [block.other_cpu_s for block in steady.blocks if block.other_cpu_s is not None]
        wall = steady.window_s
        if known and wall:
            self._others.judge(self.log, sum(known) / wall)
        else:
            why = "the load is unknown" if steady.blocks else "no steady window"
            self.log.inapplicable("loaded-machine", why)

    def _canary(self, canary: Canary) -> CanaryStep | None:
        if not canary.step_s > 0:
            for name in ("canary", "time-not-scaling"):
                self.log.inapplicable(name, "no steady step")
            return None
        try:
            return judge_windows(canary, self.log)
        except Exception as error:  # the cell is measured, whatever becomes of its canary
            self.log.inapplicable("canary", f"it ended with {type(error).__name__}: {error}")
            return None


def _step_s(blocks: list[Block]) -> float:
    # Not `Steady.step_s`: one slow block of a loaded machine must not size the canary.
    paces = [block.wall_s / block.steps for block in Steady.of(blocks).blocks if block.steps]
    return statistics.median(paces) if paces else 0.0


def _constants(arrays: list[Any]) -> list[float]:
    """The number that each constant array holds."""
    return [float(array.flat[0]) for array in arrays if (array == array.flat[0]).all()]


def _corner(tensor: Any) -> Any:
    part = tensor[tuple(slice(0, CORNER) for _ in tensor.shape)]
    return numbers(part).astype("float64")
