"""A trained model in 8-bit integers: size, speed, and what it gets right, beside float32."""

from __future__ import annotations

import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from accelreport.backend.artefacts import Artefacts
from accelreport.results.record import Precision, Quantised

THREADS = 1
"""Threads of the interpreter: so small a model gains nothing from more."""
BATCH = 100
INFERENCES = 500
SECONDS = 1.0
"""Seconds of each latency measurement at most."""


class QuantisationError(RuntimeError):
    """The model cannot be quantised here."""


def quantise(
    model: Any,
    calibration: NDArray[np.float32],
    examples: NDArray[np.float32],
    right: Callable[[NDArray[np.float32]], NDArray[np.bool_]],
    artefacts: Artefacts,
) -> Quantised:
    """Convert a model to LiteRT, with and without quantisation, and run both.

    Full-integer quantisation after training: weights and activations are int8, with ranges
    taken from `calibration`; inputs and outputs stay float32. B. Jacob et al., "Quantization
    and training of neural networks for efficient integer-arithmetic-only inference", 2018.

    Args:
        model: a Keras model on the host with one input of known shape.
        calibration: training examples [m, …].
        examples: validation examples [n, …].
        right: outputs [n, …] → which examples are classified rightly, bool [n].
        artefacts: takes both converted models.

    Raises:
        QuantisationError: TensorFlow has no converter, or it refuses the model.
    """
    plain, small = _convert(model, None), _convert(model, calibration)
    artefacts.keep("float32.tflite", "model in float32, for the LiteRT interpreter", plain)
    artefacts.keep("int8.tflite", "model in 8-bit integers, for the LiteRT interpreter", small)
    plain_right, plain_run = _run(plain, examples, right)
    small_right, small_run = _run(small, examples, right)
    return Quantised(
        method="post-training full-integer quantisation (int8) by the LiteRT converter",
        calibration_examples=len(calibration),
        threads=THREADS,
        float32=plain_run,
        int8=small_run,
        examples=len(examples),
        both_right=int(np.sum(plain_right & small_right)),
        float32_only=int(np.sum(plain_right & ~small_right)),
        int8_only=int(np.sum(~plain_right & small_right)),
        neither=int(np.sum(~plain_right & ~small_right)),
    )


def _convert(model: Any, calibration: NDArray[np.float32] | None) -> bytes:
    import tensorflow as tf

    lite = getattr(tf, "lite", None)
    if lite is None:
        raise QuantisationError(f"TensorFlow {tf.__version__} has no LiteRT converter")
    with tempfile.TemporaryDirectory(prefix="accelreport-lite-") as folder:
        model.export(folder, format="tf_saved_model", verbose=False)
        converter = lite.TFLiteConverter.from_saved_model(folder)
        if calibration is not None:
            converter.optimizations = [lite.Optimize.DEFAULT]
            converter.representative_dataset = lambda: _one_by_one(calibration)
            converter.target_spec.supported_ops = [lite.OpsSet.TFLITE_BUILTINS_INT8]
        try:
            return bytes(converter.convert())
        except Exception as error:  # its own error class is not public
            first = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise QuantisationError(f"the converter refuses the model: {first}") from error


def _one_by_one(examples: NDArray[np.float32]) -> Iterator[list[NDArray[np.float32]]]:
    for number in range(len(examples)):
        yield [examples[number : number + 1]]


def _run(
    content: bytes,
    examples: NDArray[np.float32],
    right: Callable[[NDArray[np.float32]], NDArray[np.bool_]],
) -> tuple[NDArray[np.bool_], Precision]:
    interpreter = _interpreter(content)
    infer = _inference(interpreter, (1, *examples.shape[1:]))
    for number in range(5):
        infer(examples[number % len(examples)][None])
    latency: list[float] = []
    deadline = time.perf_counter() + SECONDS
    for number in range(INFERENCES):
        one = examples[number % len(examples)][None]
        began = time.perf_counter()
        if latency and began >= deadline:
            break
        infer(one)
        latency.append(round(time.perf_counter() - began, 8))
    batch = min(BATCH, len(examples))
    infer = _inference(interpreter, (batch, *examples.shape[1:]))
    padded = np.concatenate([examples, examples[: -len(examples) % batch]])
    began = time.perf_counter()
    outputs = [infer(padded[at : at + batch]) for at in range(0, len(padded), batch)]
    spent = time.perf_counter() - began
    found = right(np.concatenate(outputs)[: len(examples)])
    run = Precision(
        bytes=len(content), latency_s=latency, batch=batch, throughput=len(padded) / spent
    )
    return found, run


def _interpreter(content: bytes) -> Any:
    import tensorflow as tf

    with warnings.catch_warnings():
        # It says that it will move to another package; it is the one this TensorFlow has.
        warnings.filterwarnings("ignore", message=r"\s*Warning: tf.lite.Interpreter is deprecated")
        return tf.lite.Interpreter(model_content=content, num_threads=THREADS)


def _inference(
    interpreter: Any, shape: tuple[int, ...]
) -> Callable[[NDArray[np.float32]], NDArray[np.float32]]:
    source = interpreter.get_input_details()[0]["index"]
    target = interpreter.get_output_details()[0]["index"]
    interpreter.resize_tensor_input(source, shape)
    interpreter.allocate_tensors()

    def infer(values: NDArray[np.float32]) -> NDArray[np.float32]:
        interpreter.set_tensor(source, values)
        interpreter.invoke()
        return np.array(interpreter.get_tensor(target))

    return infer
