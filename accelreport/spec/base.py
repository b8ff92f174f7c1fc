"""What every model of a spec is made of: strictness, quantities, texts and single values."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, FiniteFloat

from accelreport.spec.quantities import parse_duration, parse_fraction, parse_tflops
from accelreport.spec.validators import FieldsError

Scalar = bool | int | FiniteFloat | str
"""One value of a sweep axis."""

Duration = Annotated[
    FiniteFloat,
    BeforeValidator(parse_duration, json_schema_input_type=str | float),
    # No description: it would stand in the place of what each field says of itself.
    Field(gt=0, examples=["6 s", "94 µs", "2.5 h"]),
]
"""A time in seconds; text such as "6 s", "94 µs" or "2.5 h" is converted."""

Fraction = Annotated[
    FiniteFloat,
    BeforeValidator(parse_fraction, json_schema_input_type=str | float),
    Field(ge=0, le=1, examples=["58 %"]),
]
"""A share between 0 and 1; text such as "58 %" is converted."""

Tflops = Annotated[
    FiniteFloat,
    BeforeValidator(parse_tflops, json_schema_input_type=str | float),
    Field(gt=0, examples=["350 TFLOPS"]),
]
"""A rate in 10¹² operations per second; text such as "350 TFLOPS" or "12 GFLOPS" is converted."""


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    return text


Text = Annotated[str, AfterValidator(_not_blank)]
"""A text that says something."""


class SpecModel(BaseModel):
    """Strict, frozen, and closed to keys it does not know."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, use_attribute_docstrings=True
    )


def given(model: SpecModel, *fields: str) -> list[str]:
    """The fields among these that are not None."""
    return [field for field in fields if getattr(model, field) is not None]


def exactly_one(model: SpecModel, *fields: str) -> None:
    """Refuse a model that gives none of the fields, or several of them."""
    found = given(model, *fields)
    names = " or ".join(f"`{field}`" for field in fields)
    if not found:
        raise FieldsError(f"{names} is missing")
    if len(found) > 1:
        raise FieldsError(f"only one of {names} may be given", *reversed(found))
