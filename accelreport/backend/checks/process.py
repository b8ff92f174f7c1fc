"""What the checks ask of the framework of this process, each by its own way.

`Placement.synchronise` is for the loop; the checks must not rely on what they check.
"""

from __future__ import annotations

from collections.abc import Hashable

from accelreport.backend.rooms import room
from accelreport.spec.families import TENSORFLOW


def compiled() -> frozenset[Hashable]:
    """What was traced or compiled so far; takes microseconds.

    Of TensorFlow the names of the functions that it has traced, of another framework one thing
    for each program that it has compiled.
    """
    if (framework := _framework()) != TENSORFLOW:
        others: frozenset[Hashable] = room(framework, "process").compiled()
        return others
    from tensorflow.python.eager import context

    return frozenset(context.context().list_function_names())


def everything_done() -> None:
    """Wait until every device of this process has done all it was given."""
    if (framework := _framework()) != TENSORFLOW:
        room(framework, "process").everything_done()
        return
    import tensorflow as tf

    tf.test.experimental.sync_devices()


def can_wait() -> bool:
    """Whether `everything_done` can wait: not where TensorFlow is one worker of several."""
    if _framework() != TENSORFLOW:
        return True
    import tensorflow as tf

    try:
        everything_done()
    except tf.errors.InternalError:
        return False
    return True


def _framework() -> str:
    import keras

    return str(keras.backend.backend())
