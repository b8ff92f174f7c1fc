"""A recurrent model of characters, which writes text once it is trained (Shakespeare)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from accelreport.spec.base import Text
from accelreport.workloads.base import EVERY, TrainingParameters, training_family
from accelreport.workloads.recurrent import Kernel


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


FAMILY = training_family(
    "Text generation",
    TextGenerationParameters,
    "accelreport.workloads.character_models",
    frameworks=EVERY,
    recurrent=lambda workload: True,  # noqa: ARG005 - whatever it says
)
"""The family as the registry knows it."""
