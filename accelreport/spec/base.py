"""What models of a spec have in common: strictness, types of values, access to their fields.

Times, shares and rates are read as people write them: "94 µs", "1 h 40 min", "58 %",
"91 MB", "350 TFLOPS".
"""

from __future__ import annotations

import re
import sys
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    FiniteFloat,
    SerializerFunctionWrapHandler,
    model_serializer,
)
from pydantic.fields import FieldInfo

from accelreport.spec.validators import FieldsError

SECONDS = {
    "ns": Decimal("1e-9"),
    "us": Decimal("1e-6"),
    "µs": Decimal("1e-6"),
    "μs": Decimal("1e-6"),
    "ms": Decimal("1e-3"),
    "s": Decimal(1),
    "sec": Decimal(1),
    "m": Decimal(60),
    "min": Decimal(60),
    "h": Decimal(3600),
    "d": Decimal(86400),
}
"""Seconds in each unit. The micro sign exists twice in Unicode, U+00B5 and U+03BC. Decimals,
so that "24.1 ms" becomes the float nearest to 0.0241 and not its neighbour."""

TFLOPS = {
    "": Decimal("1e-12"),
    "M": Decimal("1e-6"),
    "G": Decimal("1e-3"),
    "T": Decimal(1),
    "P": Decimal("1e3"),
    "E": Decimal("1e6"),
}
"""TFLOPS in each unit of a rate, by its prefix."""

_NUMBER = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?"
_PART = re.compile(rf"\s*({_NUMBER})\s*([A-Za-zµμ]+)")
_DURATION = rf"^(?:\s*{_NUMBER}\s*(?:{'|'.join(SECONDS)}))+\s*$"
_FLOAT_MAX = sys.float_info.max
_LEAST, _LARGEST = 1e-30, 1e30
"""The least and the largest magnitude that is taken: the square of either is still a float."""
_DURATION_FORMS = 'write a number of seconds, or text such as "94 µs", "6 s", "10m" or "2.5 h"'


def parse_duration(value: object) -> float:
    """Seconds from a number, or from text with units.

    Args:
        value: a number of seconds, or text of one or more parts from the larger unit to
            the smaller, such as `"94 µs"`, `"2.5 h"` or `"7 m 12 s"`. `m` is a minute.

    Returns:
        The time in seconds.

    Raises:
        ValueError: the value is not a time; the message says what to write.
    """
    if not isinstance(value, str):
        return _number(value, "time", _DURATION_FORMS)
    text = value.strip()
    if not text:
        raise ValueError(f"is empty; {_DURATION_FORMS}")
    if text.startswith("-"):
        raise ValueError("is negative; a time must be greater than 0")
    return _number(float(_sum_of_parts(text)), "time", _DURATION_FORMS)


def _sum_of_parts(text: str) -> Decimal:
    """Add `1 h`, `40 min`, … up; each unit must be smaller than the one before it."""
    total, position, smallest = Decimal(0), 0, Decimal("inf")
    while position < len(text):
        part = _PART.match(text, position)
        if part is None:
            raise ValueError(_why_not_a_part(text[position:].strip()))
        number, unit = part.groups()
        scale = SECONDS.get(unit)
        if scale is None:
            raise ValueError(
                f'has the unknown unit "{unit}"; the units are ns, µs, ms, s, min (or m), h, d'
            )
        if scale >= smallest:
            raise ValueError("has its units out of order; write the larger unit first, each once")
        total, position, smallest = total + Decimal(number) * scale, part.end(), scale
    return total


def _why_not_a_part(rest: str) -> str:
    if re.fullmatch(_NUMBER, rest):
        return f'has no unit after {rest}; write for example "{rest} s"'
    if re.match(r"[0-9]+,[0-9]", rest):
        return "has a comma in its number; write a decimal point and no thousands separator"
    return f"is not a time; {_DURATION_FORMS}"


def _reader(
    noun: str, forms: str, pattern: re.Pattern[str], amount: Callable[..., Decimal]
) -> Callable[[object], float]:
    """A function that reads a quantity: a number as it is, a text by its pattern and unit."""

    def read(value: object) -> float:
        if isinstance(value, str):
            match = pattern.fullmatch(value)
            if match is None:
                raise ValueError(f"is not a {noun}; {forms}")
            value = float(amount(*match.groups()))
        return _number(value, noun, forms)

    return read


def _number(value: object, noun: str, forms: str) -> float:
    """A float within bounds; a bool, a list or what is no number is refused."""
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _FLOAT_MAX:
        return bounded(float(value))
    raise ValueError(f"is not a finite {noun}; {forms}")


def bounded(value: float) -> float:
    """A number, unchanged, if it is 0 or its magnitude is from 1e-30 to 1e30.

    Raises:
        ValueError: it is not; its square could not be computed.
    """
    if value and not _LEAST <= abs(value) <= _LARGEST:
        raise ValueError(f"is out of bounds; write 0 or a number from {_LEAST:g} to {_LARGEST:g}")
    return value


parse_fraction = _reader(
    "share",
    'write a number from 0 to 1, or text such as "58 %"',
    re.compile(rf"\s*([+-]?{_NUMBER})\s*(%?)\s*"),
    lambda digits, percent: Decimal(digits) / (100 if percent else 1),
)
"""A share as a fraction, its range left to the caller: "58 %" is 0.58.

Raises `ValueError` where a value is none; the message says what to write.
"""

parse_tflops = _reader(
    "rate",
    'write a number of TFLOPS, or text such as "350 TFLOPS" or "12 GFLOPS"',
    re.compile(rf"\s*({_NUMBER})\s*([MGTPE]?)FLOP(?:S|s|/s)\s*"),
    lambda digits, prefix: Decimal(digits) * TFLOPS[prefix],
)
"""10¹² floating-point operations per second: "12 GFLOPS" is 0.012. Raises as `parse_fraction`."""

parse_size = _reader(
    "size",
    'write a number of bytes, or text such as "91 MB" or "1.5 GiB"',
    re.compile(rf"\s*({_NUMBER})\s*([kMG]?)(i?)B\s*"),
    lambda digits, prefix, binary: (
        Decimal(digits) * (1024 if binary else 1000) ** " kMG".index(prefix or " ")
    ),
)
"""Bytes: "91 MB" is 91 · 10⁶, "1.5 GiB" 1.5 · 2³⁰. Raises as `parse_fraction`."""

Number = Annotated[FiniteFloat, AfterValidator(bounded)]
"""A finite number whose magnitude is 0 or from 1e-30 to 1e30."""

Positive = Annotated[FiniteFloat, Field(gt=0), AfterValidator(bounded)]
"""A `Number` above 0."""

NotNegative = Annotated[FiniteFloat, Field(ge=0), AfterValidator(bounded)]
"""A `Number` that is at least 0."""


def _of_64_bits(value: int) -> int:
    if not -(2**63) <= value < 2**63:
        raise ValueError("has more than 64 bits")
    return value


Scalar = bool | Annotated[int, AfterValidator(_of_64_bits)] | Number | str
"""One value of a sweep axis."""

Point = dict[str, Scalar]
"""Values of the swept keys, by their dotted names."""


def same(one: object, other: object) -> bool:
    """Whether two values of an axis are the same; `true` is not 1."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def matches(point: Mapping[str, Any], where: Mapping[str, Any]) -> bool:
    """Whether a sweep point has every value that `where` asks for."""
    return all(key in point and same(point[key], value) for key, value in where.items())


_DurationInput = (
    Annotated[str, Field(pattern=_DURATION, examples=["6 s", "94 µs", "2.5 h"])]
    | Annotated[float, Field(gt=0)]
)
"""What an editor takes for a time; that its units shrink, and that it is not 0, it cannot see."""

Duration = Annotated[
    FiniteFloat,
    BeforeValidator(parse_duration, json_schema_input_type=_DurationInput),
    # No description: it would replace the docstring of each field.
    Field(gt=0),
]
"""A time in seconds; text such as "6 s", "94 µs" or "2.5 h" is converted."""

Fraction = Annotated[
    FiniteFloat,
    BeforeValidator(parse_fraction, json_schema_input_type=str | float),
    Field(ge=0, le=1, examples=["58 %"]),
]
"""A share between 0 and 1; text such as "58 %" is converted."""

Size = Annotated[
    FiniteFloat,
    BeforeValidator(parse_size, json_schema_input_type=str | float),
    Field(gt=0, examples=["91 MB"]),
]
"""A size in bytes; text such as "91 MB" or "1.5 GiB" is converted."""

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
"""A text that is not blank."""


class SpecModel(BaseModel):
    """Strict, frozen, and closed to keys it does not know."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, use_attribute_docstrings=True
    )


class Baseline(SpecModel):
    """What speedups are relative to: a device, or a device at fixed values of swept keys.

    The keys beside `device` are the swept keys that it fixes. The other swept keys are compared
    value by value.
    """

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Scalar] = Field(init=False)

    device: Text
    """The device of the baseline."""

    @property
    def where(self) -> Point:
        """The swept keys that it fixes, with their values."""
        return self.__pydantic_extra__

    def beside(self, point: Mapping[str, Any]) -> dict[str, Any]:
        """The sweep point with which one is compared."""
        return {**point, **self.where}

    def is_at(self, device: str, point: Mapping[str, Any]) -> bool:
        """Whether a device at a sweep point is the baseline itself."""
        return device == self.device and matches(point, self.where)

    def place(self, over: str, point: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """The device and the point that a comparison divides by: `over`, or else the baseline."""
        return (over, dict(point)) if over else (self.device, self.beside(point))

    def __str__(self) -> str:
        held = " and ".join(f"{key} = {value}" for key, value in self.where.items())
        return f"{self.device} at {held}" if held else self.device

    @model_serializer(mode="wrap")
    def _short(self, fields: SerializerFunctionWrapHandler) -> Any:
        """The device's name alone if the baseline fixes no key, as in a spec."""
        return fields(self) if self.where else self.device


def _as_table(value: object) -> object:
    if isinstance(value, str):
        return {"device": value}
    if not isinstance(value, Mapping | Baseline):
        example = '{ device = "cpu", batch_size = 256 }'
        message = f"must be the name of a device, or a table such as {example}"
        raise ValueError(message)  # noqa: TRY004 -- pydantic collects no other
    return value


GivenBaseline = Annotated[
    Baseline, BeforeValidator(_as_table, json_schema_input_type=Text | Baseline)
]
"""A baseline; text is the name of its device."""


def given(model: SpecModel, *fields: str) -> list[str]:
    """The fields among these that are not None."""
    return [field for field in fields if getattr(model, field) is not None]


def exactly_one(model: SpecModel, *fields: str) -> None:
    """Refuse a model that gives none of the fields, or several of them."""
    names_given = given(model, *fields)
    names = " or ".join(f"`{field}`" for field in fields)
    if not names_given:
        raise FieldsError(f"{names} is missing")
    if len(names_given) > 1:
        raise FieldsError(f"only one of {names} may be given", *reversed(names_given))


def fields_of(model: type[BaseModel]) -> Mapping[str, FieldInfo]:
    """The fields of a model by the key that is written: its alias where it has one."""
    return {field.alias or name: field for name, field in model.model_fields.items()}


def fields_at(model: type[BaseModel], location: Sequence[str | int]) -> Mapping[str, FieldInfo]:
    """The fields of the model at a pydantic location, by key; empty where there is none."""
    current: Any = model
    for part in location:
        current = _step(current, part)
    models = _models(current)
    return fields_of(models[0]) if len(models) == 1 else {}


def dotted_fields(model: type[BaseModel]) -> Iterator[tuple[str, FieldInfo]]:
    """Every field of a model and of the models in it, by its dotted name, tables included."""
    for key, field in fields_of(model).items():
        yield key, field
        for inner in _models(field.annotation):
            yield from ((f"{key}.{below}", leaf) for below, leaf in dotted_fields(inner))


def dotted_values(table: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Every value below a table by its dotted key; a table that is empty is a value."""
    for key, value in table.items():
        if isinstance(value, Mapping) and value:
            yield from ((f"{key}.{below}", leaf) for below, leaf in dotted_values(value))
        else:
            yield key, value


def is_table(field: FieldInfo) -> bool:
    """Whether a field holds a model, so that only the fields in it have single values."""
    return bool(_models(field.annotation))


def is_open(field: FieldInfo) -> bool:
    """Whether a field holds a table whose keys are not known beforehand."""
    return any(get_origin(part) is dict or part is dict for part in _members(field.annotation))


def _step(annotation: Any, part: str | int) -> Any:
    for member in _members(annotation):
        if isinstance(member, type) and issubclass(member, BaseModel):
            if member.__name__ == part:
                return member
            if part in member.model_fields:
                return member.model_fields[str(part)].annotation
        elif get_origin(member) in {list, dict, tuple}:
            return get_args(member)[-1]
    return None


def _models(annotation: Any) -> list[type[BaseModel]]:
    return [
        member
        for member in _members(annotation)
        if isinstance(member, type) and issubclass(member, BaseModel)
    ]


def _members(annotation: Any) -> list[Any]:
    """The members of a union, or the type itself, without `Annotated` and None."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _members(get_args(annotation)[0])
    if origin in {Union, types.UnionType}:
        return [inner for member in get_args(annotation) for inner in _members(member)]
    return [] if annotation is types.NoneType else [annotation]
