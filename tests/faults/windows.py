"""Faults in how the steps of a window are run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Any

from tests.faults.honest import Honest, Wrapped

BURNER = "otherprogram"
"""Name of the program that computes beside a cell."""


@dataclass(frozen=True)
class Known:
    """Looks like a tensor, and has long been computed."""

    value: Any

    def numpy(self) -> Any:
        return self.value


class Hasty(Honest):
    """On a device that runs asynchronously, answers with what it knows before it is done."""

    early: Any = None

    def spoilt(self, function: Wrapped) -> Wrapped:
        import tensorflow as tf

        tf.config.experimental.set_synchronous_execution(False)
        self.synchronous = False

        def run(*arguments: Any) -> Any:
            sums, stamps = function(*arguments)
            # The first window is left alone: it tells how many numbers are expected.
            self.early = self.early or (Known(sums.numpy()), Known(stamps.numpy()))
            return self.early

        return run

    def synchronise(self) -> None:
        return


class Patient(Honest):
    """Runs asynchronously, and the loop waits as it should: a control."""

    def spoilt(self, function: Wrapped) -> Wrapped:
        import tensorflow as tf

        tf.config.experimental.set_synchronous_execution(False)
        self.synchronous = False
        return function


class Unsaid(Patient):
    """Runs asynchronously and says it does not, so that stamps inside the graph are believed."""

    def spoilt(self, function: Wrapped) -> Wrapped:
        super().spoilt(function)
        self.synchronous = True
        return function


class Retracing(Honest):
    """Compiles anew in every window."""

    def spoilt(self, function: Wrapped) -> Wrapped:
        import tensorflow as tf

        @tf.function  # type: ignore[untyped-decorator,unused-ignore]
        def anew(number: int, *arguments: Any) -> Any:
            return function(*arguments)

        windows = iter(range(10**6))
        return lambda *arguments: anew(next(windows), *arguments)


class Evaluating(Honest):
    """Evaluates at the end of an epoch, inside the timed window."""

    def spoilt(self, function: Wrapped) -> Wrapped:
        import tensorflow as tf

        seconds = self.uniform(0.12, 0.2)
        table = tf.random.stateless_uniform([600, 600], [1, 2])

        @tf.function  # type: ignore[untyped-decorator,unused-ignore]
        def forward(rows: Any) -> Any:
            return tf.reduce_sum(tf.nn.softmax(rows @ rows))

        forward(table)

        def run(*arguments: Any) -> Any:
            result = function(*arguments)
            _, order, first, count = arguments
            until = time.process_time() + seconds
            while int(first + count) == len(order) and time.process_time() < until:
                forward(table).numpy()
            return result

        return run


class Sleeping(Honest):
    """Sleeps inside the timed window."""

    def spoilt(self, function: Wrapped) -> Wrapped:
        seconds = self.uniform(0.12, 0.2)

        def run(*arguments: Any) -> Any:
            time.sleep(seconds)
            return function(*arguments)

        return run


class Skipping(Honest):
    """Runs a share of the steps it is asked for."""

    def spoilt(self, function: Wrapped) -> Wrapped:
        import tensorflow as tf

        share = self.uniform(0.3, 0.7)

        def run(source: Any, *others: Any) -> Any:
            *tables, first, count = others
            return function(source, *tables, first, tf.constant(max(1, int(share * int(count)))))

        return run


class Thinning(Honest):
    """Gives every step a part of its batch."""

    def spoilt(self, function: Wrapped) -> Wrapped:
        part = int(self.size.integers(4, 29))

        def run(source: Any, order: Any, *others: Any) -> Any:
            return function(source, order[:, :part], *others)

        return run


class Crowded(Honest):
    """Another program computes on the same machine."""

    def spoilt(self, function: Wrapped) -> Wrapped:
        nice = int(self.size.integers(0, 3))
        program = (
            f"import os; os.nice({nice}); open('/proc/self/comm', 'w').write('{BURNER}')\n"
            "while True: pass"
        )
        burner = subprocess.Popen([sys.executable, "-c", program], start_new_session=True)
        self.burner = burner
        return function

    def device_peak_bytes(self) -> int | None:
        """Asked for when the windows are over."""
        self.burner.kill()
        self.burner.wait()
        return super().device_peak_bytes()


class Dead(Honest):
    """Leaves out what nobody reads: the loop of a kernel."""

    def in_one_place(self, function: Wrapped) -> Wrapped:
        import tensorflow as tf

        kept = int(self.size.integers(1, 4))
        return lambda count: function(tf.minimum(count, kept))


class Frozen(Honest):
    """Loses every update: after a window the weights are what they were before it."""

    def spoilt(self, function: Wrapped) -> Wrapped:
        def run(*arguments: Any) -> Any:
            before = [(each, each.numpy()) for each in self.tensors()]
            result = function(*arguments)
            for variable, value in before:
                variable.assign(value)
            return result

        return run


SET_S = -1.9
"""Seconds by which the wall clock is set."""

STOP_S = 2.0
"""Seconds for which a cell's process is stopped."""

HIT = 3
"""The window, or the call of a kernel, that a fault befalls; the first one is no steady one."""


class ClockSet(Honest):
    """Somebody sets the wall clock back while steps are timed.

    The clock itself belongs to the machine: what the graph and the process read of it is
    moved, by an offset that lies between them and the clock.
    """

    def __post_init__(self) -> None:
        import tensorflow as tf

        super().__post_init__()
        self.offset = tf.Variable(0.0, dtype=tf.float64, trainable=False)
        self.set_s = 0.0
        in_graph, in_process = tf.timestamp, time.time
        tf.timestamp = lambda: in_graph() + self.offset
        time.time = lambda: in_process() + self.set_s

    def spoilt(self, function: Wrapped) -> Wrapped:
        import tensorflow as tf

        windows = iter(range(10**6))

        def run(source: Any, *others: Any) -> Any:
            *tables, first, count = others
            half = count // 2
            sums, stamps = function(source, *tables, first, half)
            if next(windows) == HIT:
                self.set_s = SET_S
                self.offset.assign(SET_S)
            more, later = function(source, *tables, first + half, count - half)
            return sums + more, tf.concat([stamps, later], 0)

        return run


class Stopped(Honest):
    """Somebody stops the process for a while (SIGSTOP) while steps are timed."""

    def spoilt(self, function: Wrapped) -> Wrapped:
        windows = iter(range(10**6))

        def run(*arguments: Any) -> Any:
            if next(windows) == HIT:
                # Again and again: on a loaded machine the first may come before the stop.
                go_on = f"while sleep {STOP_S}; kill -CONT {os.getpid()}; do :; done 2>/dev/null"
                subprocess.Popen(["sh", "-c", go_on], start_new_session=True)
                os.kill(os.getpid(), signal.SIGSTOP)
            return function(*arguments)

        return run

    def in_one_place(self, function: Wrapped) -> Wrapped:
        return self.spoilt(function)
