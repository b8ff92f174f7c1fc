"""A recurrent model of characters, which writes text once it is trained (Shakespeare): S2-D."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from accelreport.datasets.errors import DataOptionsError
from accelreport.spec.base import Text
from accelreport.workloads.base import (
    Observation,
    TrainingParameters,
    TrainingProblem,
    training_family,
)
from accelreport.workloads.numerics import numerics
from accelreport.workloads.objectives import step_accuracy, step_loss
from accelreport.workloads.training import Kernel, limited, recurrent_options, training_problem

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from accelreport.datasets.base import Dataset
    from accelreport.results.record import GeneratedText


class TextGenerationParameters(TrainingParameters):
    """Embedding → LSTMs → the next character, at every step of a sequence."""

    kind: Literal["text_generation"] = "text_generation"
    """Name of the family."""
    dataset: Literal["shakespeare", "shakespeare_gutenberg"] = "shakespeare"
    """The text: Tiny Shakespeare, or Project Gutenberg's complete works."""
    length: Annotated[int, Field(ge=1, le=10000)] = 100
    """Characters of a sequence. An example is a place in the text where one begins."""
    embedding: Annotated[int, Field(ge=1)] = 512
    """Dimensions of a character's vector."""
    units: Annotated[int, Field(ge=1)] = 512
    """Units of each LSTM."""
    layers: Annotated[int, Field(ge=1, le=32)] = 2
    """LSTMs, one on top of the other."""
    kernel: Kernel = "default"
    """How the LSTMs are computed."""
    texts: Annotated[int, Field(ge=0, le=100)] = 0
    """Texts the trained model writes for the page."""
    characters: Annotated[int, Field(ge=1, le=10000)] = 250
    """Characters of each text."""
    prompt: Text = "Looks it not like the king?  Verily, we must go! "
    """What the model reads before it writes."""


CHARACTERS = 256
"""Code points that are told apart."""


class ShortTextError(DataOptionsError):
    """The text is shorter than a sequence."""

    key = "length"


def problem(parameters: TextGenerationParameters, data: Dataset) -> TrainingProblem:
    """The training problem: code points `text` [T], of which an example is a window.

    With S2-D's sizes the model has 4,460,800 parameters. It is trained on windows from any
    place and evaluated on windows side by side.

    Raises:
        ShortTextError: when one of both parts of the text is shorter than a window.
    """
    n = numerics()
    length = parameters.length
    text = data.train["text"]
    if min(len(text), len(data.validation["text"])) <= length:
        raise ShortTextError(
            f"The text of {len(text):,} training and {len(data.validation['text']):,} validation "
            "characters is too short.",
            why=f"A sequence has {length:,} characters, and one more follows it.",
            remedy="Choose a smaller length, or a longer text.",
        )
    windows = limited(
        {"windows": side_by_side(data.validation["text"], length + 1)},
        parameters.validation_examples,
    )
    places = len(text) - length
    examples = min(places, parameters.train_examples or places)

    def take(resident: Mapping[str, Any], indices: Any) -> tuple[Any, Any]:
        if "windows" in resident:
            window = n.gather(resident["windows"], indices)
        else:
            # The windows overlap: kept as such they would take `length` times the memory.
            window = n.gather(resident["text"], indices[:, None] + n.arange(length + 1))
        window = n.cast(window, "int32")
        return window[:, :-1], window[:, 1:]

    def observe(observation: Observation) -> dict[str, Any]:
        return {"texts": write(parameters, observation.model, observation.seed, parameters.texts)}

    def after_epoch(model: Any, seed: int) -> dict[str, Any]:
        return {"text": write(parameters, model, seed, 1)[0]}

    return training_problem(
        parameters,
        examples,
        model=lambda: character_model(parameters),
        resident={"text": text},
        take=take,
        loss=step_loss,
        loss_name="sparse categorical cross-entropy, mean over the steps",
        metrics={"accuracy": step_accuracy},
        validation=windows,
        validation_examples=len(windows["windows"]),
        observe=observe if parameters.texts else None,
        after_epoch=after_epoch if parameters.texts else None,
    )


def character_model(parameters: TextGenerationParameters) -> Any:
    """Code points [batch, steps] → logits of the next one [batch, steps, 256]."""
    import keras
    from keras import layers

    options = recurrent_options(parameters.kernel)
    return keras.Sequential(
        [
            keras.Input((None,), dtype="int32"),
            layers.Embedding(CHARACTERS, parameters.embedding),
            *(
                layers.LSTM(parameters.units, return_sequences=True, **options)
                for _ in range(parameters.layers)
            ),
            layers.Dense(CHARACTERS),
        ],
        name="characters",
    )


def side_by_side(text: NDArray[np.uint8], length: int) -> NDArray[np.uint8]:
    """Windows [n, length] that follow one another; each begins with the last one's end.

    The last character of a window is only predicted and the first only read, so windows
    share one character and every character but the first is predicted once.
    """
    import numpy as np

    count = (len(text) - 1) // (length - 1)
    starts = np.arange(count)[:, None] * (length - 1)
    windows: NDArray[np.uint8] = text[starts + np.arange(length)]
    return windows


def write(
    parameters: TextGenerationParameters, model: Any, seed: int, texts: int
) -> list[GeneratedText]:
    """Let a model read the prompt, then write, one character after another.

    Each character is drawn from the model's probabilities and read again. All texts are
    written side by side in one graph.

    Args:
        parameters: the prompt, and how many characters.
        model: of characters, trained or not.
        seed: of the drawing; with the same seed texts differ only by what the model learned.
        texts: how many.
    """
    import numpy as np

    from accelreport.results.record import GeneratedText

    prompt = np.frombuffer(parameters.prompt.encode("latin-1", errors="replace"), np.uint8)
    read = np.tile(prompt.astype(np.int32), (texts, 1))
    step, states = _stepper(model, texts)
    written = numerics().write(step, states, read, parameters.characters, seed)
    return [
        GeneratedText(prompt=parameters.prompt, text=row.tobytes().decode("latin-1"))
        for row in written.astype(np.uint8)
    ]


def _stepper(model: Any, batch: int) -> tuple[Any, Any]:
    """One step of a stack of LSTMs: (characters [batch], states) → (logits, states)."""
    n = numerics()
    embedding, *recurrent, output = model.layers

    def step(characters: Any, states: Any) -> tuple[Any, Any]:
        values = embedding(characters)
        after = []
        for layer, state in zip(recurrent, states, strict=True):
            values, state_after = layer.cell(values, state)
            after.append(state_after)
        return n.cast(output(values), "float32"), after

    return step, [layer.cell.get_initial_state(batch_size=batch) for layer in recurrent]


FAMILY = training_family(
    "Text generation",
    TextGenerationParameters,
    problem,
    recurrent=lambda parameters: True,  # noqa: ARG005 - whatever it says
)
