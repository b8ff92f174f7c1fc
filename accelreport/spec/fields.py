"""Walks over the fields of pydantic models: which keys a table may have, and of what type."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo


def fields_of(model: type[BaseModel]) -> Mapping[str, FieldInfo]:
    """The fields of a model by the key that is written: its alias where it has one."""
    return {field.alias or name: field for name, field in model.model_fields.items()}


def fields_at(model: type[BaseModel], location: Sequence[str | int]) -> Mapping[str, FieldInfo]:
    """The fields of the model at a pydantic location, by key; empty where there is none."""
    current: Any = model
    for part in location:
        current = _step(current, part)
    found = _models(current)
    return fields_of(found[0]) if len(found) == 1 else {}


def dotted_fields(model: type[BaseModel]) -> Iterator[tuple[str, FieldInfo]]:
    """Every field of a model and of the models in it, by its dotted name, tables included."""
    for key, field in fields_of(model).items():
        yield key, field
        for inner in _models(field.annotation):
            yield from ((f"{key}.{below}", leaf) for below, leaf in dotted_fields(inner))


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
