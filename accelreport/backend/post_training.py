"""What is done once training has ended: predictions, and what a spec asks of the trained model.

It is saved, served or quantised on the host, with a copy of the model, after everything that is
timed.
"""

from __future__ import annotations

import hashlib
import tempfile
import time
import warnings
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from accelreport.backend.engine import Engine, Evaluation
from accelreport.backend.measurement import MeasurementResult
from accelreport.backend.protocol import Artefacts
from accelreport.backend.serving import ServingError, serve
from accelreport.results.record import (
    Confusion,
    Precision,
    Quantised,
    Sample,
    SavedWeights,
    Warned,
)
from accelreport.spec.parameters import Afterwards
from accelreport.workloads.base import Observation, TrainingParameters


def save_weights(
    model: Any,
    build: Callable[[], Any],
    examples: NDArray[Any],
    predicted: NDArray[np.float32],
    artefacts: Artefacts,
) -> SavedWeights:
    """Save a model's weights, load them into another model, and compare what both predict.

    Args:
        model: a Keras model on the host.
        build: makes the same model with other weights.
        examples: inputs [n, …].
        predicted: what the training process predicted of them [n, …].
        artefacts: takes the file.
    """
    with tempfile.TemporaryDirectory(prefix="accelreport-weights-") as folder:
        path = Path(folder) / "model.weights.h5"
        model.save_weights(path)
        content = path.read_bytes()
        again = build()
        again.load_weights(path)
    artefacts.keep("weights.h5", "trained weights, for Keras' load_weights", content)
    outputs = again(examples, training=False).numpy().astype(np.float32)
    return SavedWeights(
        format="HDF5 (.weights.h5)",
        bytes=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        examples=len(examples),
        max_difference=float(np.max(np.abs(outputs - predicted))),
    )


LITE_THREADS = 1
"""Threads of the interpreter: so small a model gains nothing from more."""
LITE_BATCH = 100
INFERENCES = 500
LATENCY_S = 1.0
"""Seconds of each latency measurement at most."""


FULL_INTEGER = "post-training full-integer quantisation (int8) by the LiteRT converter"
DYNAMIC_RANGE = (
    "post-training quantisation of the weights (int8, dynamic range) by the LiteRT converter, "
    "which refuses full integers for a loop over steps"
)


class QuantisationError(RuntimeError):
    """The model cannot be quantised here."""


def quantise(
    model: Any,
    calibration: NDArray[Any],
    examples: NDArray[Any],
    right: Callable[[NDArray[np.float32]], NDArray[np.bool_]],
    artefacts: Artefacts,
) -> Quantised:
    """Convert a model to LiteRT, with and without quantisation, and run both.

    Full-integer quantisation after training: weights and activations are int8, with ranges
    taken from `calibration`; inputs and outputs stay float32. B. Jacob et al., "Quantization
    and training of neural networks for efficient integer-arithmetic-only inference", 2018.

    The converter refuses the loop of a recurrent layer whose batch is open (its lists of tensors
    have no static shape). Such a model is converted with its weights frozen and a batch of one,
    and its weights alone are int8, products being computed in 8 bits with the range of each
    input ("dynamic range"): full-integer calibration ends the process there. The method says so.

    Args:
        model: a Keras model on the host with one input of known shape.
        calibration: training examples [m, …].
        examples: validation examples [n, …].
        right: outputs [n, …] → which examples are classified rightly, bool [n].
        artefacts: takes both converted models.

    Raises:
        QuantisationError: TensorFlow has no converter, or it refuses the model.
    """
    import keras

    loops = any(isinstance(layer, keras.layers.RNN) for layer in model._flatten_layers())
    if loops:
        plain, small = _convert_loop(model, eight_bits=False), _convert_loop(model, eight_bits=True)
    else:
        plain, small = _convert(model, calibration)
    batch = 1 if loops else LITE_BATCH
    artefacts.keep("float32.tflite", "model in float32, for the LiteRT interpreter", plain)
    artefacts.keep("int8.tflite", "model in 8-bit integers, for the LiteRT interpreter", small)
    plain_right, plain_run = _run(plain, examples, right, batch)
    small_right, small_run = _run(small, examples, right, batch)
    return Quantised(
        method=DYNAMIC_RANGE if loops else FULL_INTEGER,
        calibration_examples=0 if loops else len(calibration),
        threads=LITE_THREADS,
        float32=plain_run,
        int8=small_run,
        examples=len(examples),
        both_right=int(np.sum(plain_right & small_right)),
        float32_only=int(np.sum(plain_right & ~small_right)),
        int8_only=int(np.sum(~plain_right & small_right)),
        neither=int(np.sum(~plain_right & ~small_right)),
    )


def _lite() -> Any:
    import tensorflow as tf

    lite = getattr(tf, "lite", None)
    if lite is None:
        raise QuantisationError(f"TensorFlow {tf.__version__} has no LiteRT converter")
    return lite


def _convert(model: Any, calibration: NDArray[Any]) -> tuple[bytes, bytes]:
    """A model in float32 and in 8-bit integers, both from one export, which takes the longest."""
    lite = _lite()
    with tempfile.TemporaryDirectory(prefix="accelreport-lite-") as folder:
        model.export(folder, format="tf_saved_model", verbose=False)
        plain, small = (lite.TFLiteConverter.from_saved_model(folder) for _ in range(2))
        small.optimizations = [lite.Optimize.DEFAULT]
        one_by_one = range(len(calibration))
        small.representative_dataset = lambda: ([calibration[i : i + 1]] for i in one_by_one)
        small.target_spec.supported_ops = [lite.OpsSet.TFLITE_BUILTINS_INT8]
        return _converted(plain), _converted(small)


def _convert_loop(model: Any, *, eight_bits: bool) -> bytes:
    """A model with a loop over steps, for one example at a time; weights are constants in it."""
    import tensorflow as tf
    from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

    (source,) = model.inputs
    signature = tf.TensorSpec((1, *source.shape[1:]), source.dtype)
    called = tf.function(lambda values: model(values, training=False), input_signature=[signature])
    frozen = convert_variables_to_constants_v2(
        called.get_concrete_function(), lower_control_flow=False
    )
    lite = _lite()
    converter = lite.TFLiteConverter.from_concrete_functions([frozen])
    if eight_bits:
        converter.optimizations = [lite.Optimize.DEFAULT]
    return _converted(converter)


def _converted(converter: Any) -> bytes:
    try:
        return bytes(converter.convert())
    except Exception as error:  # its own error class is not public
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        # Its compiler says where the model was built, in a file of this installation, and then why.
        reason = first.rpartition(": error: ")[2]
        raise QuantisationError(f"the converter refuses the model: {reason}") from error


def _run(
    content: bytes,
    examples: NDArray[Any],
    right: Callable[[NDArray[np.float32]], NDArray[np.bool_]],
    most: int,
) -> tuple[NDArray[np.bool_], Precision]:
    import tensorflow as tf

    with warnings.catch_warnings():
        # It says that it will move to another package; it is the one this TensorFlow has.
        warnings.filterwarnings("ignore", message=r"\s*Warning: tf.lite.Interpreter is deprecated")
        interpreter = tf.lite.Interpreter(model_content=content, num_threads=LITE_THREADS)
    infer = _inference(interpreter, (1, *examples.shape[1:]))
    for number in range(5):
        infer(examples[number % len(examples)][None])
    latency: list[float] = []
    deadline = time.perf_counter() + LATENCY_S
    for number in range(INFERENCES):
        one = examples[number % len(examples)][None]
        began = time.perf_counter()
        if latency and began >= deadline:
            break
        infer(one)
        latency.append(round(time.perf_counter() - began, 8))
    batch = min(most, len(examples))
    infer = _inference(interpreter, (batch, *examples.shape[1:]))
    padded = np.concatenate([examples, examples[: -len(examples) % batch]])
    began = time.perf_counter()
    outputs = [infer(padded[at : at + batch]) for at in range(0, len(padded), batch)]
    spent = time.perf_counter() - began
    correct = right(np.concatenate(outputs)[: len(examples)])
    run = Precision(
        bytes=len(content), latency_s=latency, batch=batch, throughput=len(padded) / spent
    )
    return correct, run


def _inference(
    interpreter: Any, shape: tuple[int, ...]
) -> Callable[[NDArray[Any]], NDArray[np.float32]]:
    source = interpreter.get_input_details()[0]["index"]
    target = interpreter.get_output_details()[0]["index"]
    interpreter.resize_tensor_input(source, shape)
    interpreter.allocate_tensors()

    def infer(values: NDArray[Any]) -> NDArray[np.float32]:
        interpreter.set_tensor(source, values)
        interpreter.invoke()
        return np.array(interpreter.get_tensor(target))

    return infer


COMPARED = 500
"""Examples whose answers are compared after saving and serving."""
CALIBRATION = 200
"""Training examples from which quantisation takes its ranges."""
CLASSIFIED = 10_000
"""Examples that the quantised model classifies at most."""


def deploy(
    engine: Engine,
    evaluation: Evaluation,
    deadline: float,
    artefacts: Artefacts | None,
    result: MeasurementResult,
    wanted: Collection[Afterwards],
) -> list[Warned]:
    """Do what a spec asks for with a trained model; what fails is a warning.

    Args:
        engine: the model and its problem.
        evaluation: predicts on the devices of the training.
        deadline: instant of `time.perf_counter()` by which those predictions end.
        artefacts: takes the files; None in a process that only takes part in predictions,
            because another one of its cell does the rest.
        result: takes what is observed.
        wanted: what is asked for.

    Returns:
        What a reader should know.
    """
    import tensorflow as tf

    problem = engine.problem

    def build() -> Any:
        with tf.device("/CPU:0"):
            return problem.model()

    def inputs(arrays: Any, count: int) -> NDArray[Any]:
        with tf.device("/CPU:0"):
            values, _ = problem.take(arrays, np.arange(count, dtype=np.int32))
        return np.asarray(values)

    def right(outputs: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Which of the first validation examples are classified rightly, bool [n]."""
        assert problem.validation is not None
        if "accuracy" not in problem.metrics:
            raise QuantisationError("the model has no accuracy that could be compared")
        with tf.device("/CPU:0"):
            _, targets = problem.take(problem.validation, np.arange(len(outputs), dtype=np.int32))
            rightly = problem.metrics["accuracy"](targets, tf.constant(outputs))
        return np.asarray(rightly) > 0.5

    predicted = np.zeros(0, np.float32)
    if "save_weights" in wanted or "serve" in wanted:
        predicted = evaluation.predict(min(COMPARED, problem.validation_examples), deadline)
    # On the host: a model that is spread over devices cannot be exported. Every process does
    # this, since weights that are spread over them are gathered.
    model = build()
    model.set_weights(engine.weights())
    if artefacts is None:
        return []
    warned: list[Warned] = []
    classifies = "accuracy" in problem.metrics
    examples = inputs(problem.validation, len(predicted))
    if "save_weights" in wanted:
        result.weights = save_weights(model, build, examples, predicted, artefacts)
    if "serve" in wanted:
        try:
            result.served = serve(
                model, examples, predicted, artefacts, right if classifies else None
            )
        except ServingError as error:
            warned.append(Warned(kind="not-served", message=str(error)))
    if "quantise" in wanted:
        calibration = inputs(problem.resident, min(CALIBRATION, problem.examples))
        classified = inputs(problem.validation, min(CLASSIFIED, problem.validation_examples))
        try:
            quantised = quantise(model, calibration, classified, right, artefacts)
        except QuantisationError as error:
            warned.append(Warned(kind="not-quantised", message=str(error)))
        else:
            result.quantised = quantised
            result.final |= summary(quantised)
    result.artefacts = artefacts.kept
    return warned


def summary(quantised: Quantised) -> dict[str, float]:
    """Figures a claim may speak of: how much smaller, and how much less accurate."""
    return {
        "quantised_size_ratio": quantised.float32.bytes / quantised.int8.bytes,
        "quantised_accuracy_loss": (quantised.float32_only - quantised.int8_only)
        / quantised.examples,
        "quantised_val_accuracy": (quantised.both_right + quantised.int8_only) / quantised.examples,
    }


def observe(
    result: MeasurementResult,
    parameters: TrainingParameters,
    evaluation: Evaluation,
    engine: Engine,
    seed: int,
    deadline: float,
    artefacts: Artefacts | None,
) -> list[Warned]:
    """Predict samples, read the confusion matrix, and let the family look at the model.

    Args:
        result: takes what is observed.
        parameters: the family's parameters.
        evaluation: the validation data under the model.
        engine: holds the model and its problem.
        seed: the cell's.
        deadline: instant of `time.perf_counter()` by which to be done.
        artefacts: takes the files; see `deploy`.

    Returns:
        What a reader should know.

    Raises:
        TypeError: the family observes something for which a record has no field.
    """
    warnings: list[Warned] = []
    problem = engine.problem
    if problem.describe is not None and parameters.samples:
        outputs = evaluation.predict(problem.validation_examples, deadline)
        result.samples = [Sample(**sample) for sample in problem.describe(outputs)]
        if len(outputs) < problem.validation_examples:
            text = (
                f"the samples were chosen from the first {len(outputs):,} of "
                f"{problem.validation_examples:,} predictions, which is what the budget allowed"
            )
            warnings.append(Warned(kind="samples-cut", message=text))
    tally, sums = problem.tally, evaluation.sums
    if tally is not None and tally.confusion is not None and sums is not None:
        counts = tally.confusion(sums[len(engine.columns) :])
        result.confusion = Confusion(classes=list(tally.classes), counts=counts)
    if problem.observe is not None:
        observation = Observation(
            model=engine.model,
            seed=seed,
            deadline=deadline,
            predict=lambda count: evaluation.predict(count, deadline),
        )
        sizes = dict(problem.observe(observation))
        result.final |= sizes.pop("final", {})
        warnings += sizes.pop("warnings", [])
        for name, value in sizes.items():
            if not hasattr(result, name):
                raise TypeError(f"the family observes {name!r}, which is no field of a record")
            setattr(result, name, value)
    if parameters.afterwards:
        warnings += deploy(engine, evaluation, deadline, artefacts, result, parameters.afterwards)
    return warnings
