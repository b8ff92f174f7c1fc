"""Which slides a talk has: apart from the file that says so, for those who never see a file."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import field_validator, model_validator

from accelreport.spec.base import SpecModel, Text
from accelreport.spec.validators import FieldsError

MOST_SLIDES = 12
"""Slides of a deck, the first one among them: a talk of ten minutes has room for no more."""


class TalkSlide(SpecModel):
    """A slide after the first."""

    slide: Literal["rates", "figure-1", "figure-2", "figure-3", "claims"] | None = None
    """Its name, as the address of the deck ends: of all benchmarks `rates` or `claims`, and where
    there is none, the first one of its benchmark."""
    benchmark: Text | None = None
    """The spec whose figure it shows; absent for a slide of all benchmarks."""
    title: Text | None = None
    """What stands above the figure instead of the finding."""

    @model_validator(mode="after")
    def _of_one_or_of_all(self) -> Self:
        if self.benchmark is None and self.slide not in {"rates", "claims"}:
            help_ = "add `benchmark`, or show `rates` or `claims`, which are of all benchmarks"
            if self.slide is None:
                raise FieldsError("nothing is named that this slide shows", help=help_)
            message = f"`{self.slide}` is the figure of one benchmark, and none is named"
            raise FieldsError(message, "slide", help=help_)
        if self.benchmark is not None and self.slide == "claims":
            raise FieldsError(
                "`claims` is of all benchmarks", "benchmark", help="leave `benchmark` out"
            )
        return self


class Talk(SpecModel):
    """The deck of all benchmarks: what it asks, and what it shows in which order."""

    title: Text | None = None
    """The question on the first slide."""
    slides: list[TalkSlide] = []
    """What follows; chosen by what was found where none is named."""

    @field_validator("slides")
    @classmethod
    def _not_too_long(cls, slides: list[TalkSlide]) -> list[TalkSlide]:
        if len(slides) >= MOST_SLIDES:
            raise ValueError(
                f"has {len(slides)} slides; at most {MOST_SLIDES - 1} follow the first"
            )
        return slides


NO_TALK = Talk()
"""Nothing chosen."""
