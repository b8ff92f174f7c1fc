"""Problems gathered while a spec is examined under one profile.

What pydantic found is told in the words of the person who wrote the spec.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from accelreport.spec.claims import CHECKS
from accelreport.spec.fields import fields_at
from accelreport.spec.positions import KeyPath, dotted, value_at
from accelreport.spec.problems import (
    TYPES,
    Finding,
    Place,
    Problem,
    did_you_mean,
    listed,
    quote,
    subject,
    wrong_choice,
    wrong_type,
)
from accelreport.spec.source import FULL, View
from accelreport.spec.validators import FieldsError

_BOUNDS = {
    "greater_than": ("gt", "greater than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than": ("lt", "less than"),
    "less_than_equal": ("le", "at most"),
}


def findings(
    error: ValidationError, model: type[BaseModel], data: Mapping[str, Any], noun: str
) -> list[Finding]:
    """Everything a validation found, one finding for each thing to be changed.

    Args:
        error: what pydantic raised.
        model: the model that validated.
        data: what it was given.
        noun: what an unknown key is said not to be: "a key of [measure]".
    """
    groups: dict[KeyPath, list[ErrorDetails]] = defaultdict(list)
    for details in error.errors(include_url=False):
        groups[_path(details, data)].append(details)
    found = []
    for path, group in groups.items():
        details = next((item for item in group if item["type"] not in TYPES), group[0])
        value = value_at(data, path)
        if len(group) > 1 and details["type"] in TYPES:
            found.append(wrong_type(path, listed(_kinds(group), "or"), value))
        else:
            found.append(_finding(details, path, value, model, noun))
    return found


def _finding(
    details: ErrorDetails, path: KeyPath, value: object, model: type[BaseModel], noun: str
) -> Finding:
    kind, context = details["type"], details.get("ctx", {})
    if kind in TYPES:
        return wrong_type(path, TYPES[kind], value)
    if kind in _BOUNDS:
        name, words = _BOUNDS[kind]
        message = f"{subject(path)} must be {words} {context[name]:g}, not {quote(value)}"
        return Finding("out-of-range", path, message)
    special = _SPECIAL.get(kind)
    if special is not None:
        return special(details, path, value, model, noun)
    message = details["msg"][:1].lower() + details["msg"][1:]
    return Finding("wrong-value", path, f"{subject(path)}: {message}")


def _missing(
    details: ErrorDetails, path: KeyPath, _: object, model: type[BaseModel], __: str
) -> Finding:
    field = fields_at(model, details["loc"][:-1]).get(str(path[-1]))
    text = " ".join((field.description or "").split()) if field else ""
    help_ = f"`{path[-1]}`: {text[:1].lower()}{text[1:]}" if text else ""
    return Finding("missing-key", path, f"`{path[-1]}` is missing", help_)


def _unknown(
    details: ErrorDetails, path: KeyPath, _: object, model: type[BaseModel], noun: str
) -> Finding:
    known = list(fields_at(model, details["loc"][:-1]))
    parents = [part for part in path[:-1] if isinstance(part, str)]
    owner = f"a key of `{parents[-1]}`" if parents else noun
    message = f"`{path[-1]}` is not {owner}"
    help_ = did_you_mean(str(path[-1]), known) or f"the keys are {listed(known)}"
    return Finding("unknown-key", path, message, help_, at_key=True)


def _literal(
    details: ErrorDetails, path: KeyPath, value: object, _: type[BaseModel], __: str
) -> Finding:
    expected = str(details.get("ctx", {}).get("expected", ""))
    choices = re.findall(r"'([^']*)'", expected)
    if choices:
        return wrong_choice(path, value, choices)
    message = f"{subject(path)} must be {expected.lower()}, not {quote(value)}"
    return Finding("wrong-value", path, message)


def _not_finite(
    _: ErrorDetails, path: KeyPath, value: object, __: type[BaseModel], ___: str
) -> Finding:
    return Finding("wrong-value", path, f"{subject(path)} must be a finite number, not {value}")


def _too_short(
    details: ErrorDetails, path: KeyPath, _: object, __: type[BaseModel], ___: str
) -> Finding:
    least = details.get("ctx", {}).get("min_length", 1)
    rule = "not be empty" if least == 1 else f"hold at least {least} values"
    return Finding("empty", path, f"{subject(path)} must {rule}")


def _said(
    details: ErrorDetails, path: KeyPath, value: object, _: type[BaseModel], __: str
) -> Finding:
    """An error that a validator of ours raised."""
    error = details.get("ctx", {}).get("error")
    if not isinstance(error, FieldsError):
        return Finding("wrong-value", path, f"{subject(path)} {error}")
    fields: list[KeyPath] = [tuple(name.split(".")) for name in error.fields]
    written = [(*path, *field) for field in fields if value_at(value, field) is not None]
    first, *rest = written or [path]
    code = "contradiction" if fields else "missing-key"
    if fields and details["loc"][-1:] != path[-1:]:
        code = "wrong-value"  # of a key that nobody writes, made from those that are named
    return Finding(code, first, str(error), error.help, also=tuple(rest))


def _no_rule(
    _: ErrorDetails, path: KeyPath, value: object, __: type[BaseModel], ___: str
) -> Finding:
    """A check none of whose keys says which rule it is."""
    if not isinstance(value, dict):
        return wrong_type(path, "a table", value)
    near = next((help_ for key in value if (help_ := did_you_mean(key, CHECKS))), "")
    names = listed([f"`{name}`" for name in CHECKS], "or")
    return Finding("unknown-check", path, f"a check begins with {names}", near)


_SPECIAL: dict[str, Callable[[ErrorDetails, KeyPath, object, type[BaseModel], str], Finding]] = {
    "missing": _missing,
    "extra_forbidden": _unknown,
    "literal_error": _literal,
    "finite_number": _not_finite,
    "too_short": _too_short,
    "value_error": _said,
    "union_tag_not_found": _no_rule,
    "union_tag_invalid": _no_rule,
}


def _kinds(group: list[ErrorDetails]) -> list[str]:
    """What a union accepts: "a number" covers "a whole number"."""
    words = [TYPES[item["type"]].replace(" or ", "/") for item in group if item["type"] in TYPES]
    if "a number" in words:
        words = [word for word in words if word != "a whole number"]
    return list(dict.fromkeys(sorted(words)))


def _path(details: ErrorDetails, data: object) -> KeyPath:
    """The error's place in the data: pydantic's, without the names of union members."""
    path: KeyPath = ()
    location = details["loc"]
    for number, part in enumerate(location, start=1):
        inner = value_at(data, (part,))
        if inner is not None:
            data = inner
        elif details["type"] != "missing" or number < len(location):
            continue
        path = (*path, part)
    return path


Model = TypeVar("Model", bound=BaseModel)


class Collector:
    """Gathers the problems of one view of a file.

    Args:
        view: the spec under one profile.
        known: problems of the spec without a profile; they are not told again.
    """

    def __init__(self, view: View, known: Collection[Problem] = ()) -> None:
        self.view = view
        self.problems: list[Problem] = []
        self._told = {(problem.place, problem.message) for problem in known}
        self.homes: dict[str, str] = {}
        """For a key, the table in which it belongs; told when it stands elsewhere."""

    def add(
        self,
        code: str,
        path: KeyPath,
        message: str,
        *,
        help: str = "",  # noqa: A002
        at_key: bool = False,
        also: Iterable[tuple[KeyPath, str] | Place] = (),
    ) -> None:
        """Note a problem.

        Args:
            code: its kind.
            path: the value it concerns.
            message: what is wrong.
            help: what to write instead.
            at_key: whether the key is meant and not its value.
            also: other places that play a part, or paths with their labels.
        """
        if code in {"missing-key", "empty-table"} and not self.view.file.document.is_whole:
            return  # It may stand in a line that could not be read.
        related = tuple(
            item if isinstance(item, Place) else self.view.place(item[0], label=item[1])
            for item in also
        )
        place = self.view.place(path, at_key=at_key)
        if (place, message) in self._told:
            return
        self._told.add((place, message))
        if self.view.profile != FULL:
            message = f'{message} (in the profile "{self.view.profile}")'
        self.problems.append(Problem(code, place, message, help, dotted(path), related))

    def checked(
        self,
        model: type[Model],
        path: KeyPath,
        data: Mapping[str, Any],
        noun: str,
        *,
        context: Mapping[str, Any] | None = None,
        origin: Callable[[KeyPath], KeyPath] | None = None,
    ) -> Model | None:
        """A model made from data, or None after its problems were noted.

        Args:
            model: what the data must be.
            path: the table the data stand in.
            data: the values.
            noun: what an unknown key is said not to be.
            context: what the model's validators need to know.
            origin: from a path within the data to where that value stands, when it is not
                in the table.
        """
        try:
            return model.model_validate(data, context=dict(context) if context else None)
        except ValidationError as error:
            for found in findings(error, model, data, noun):
                help_ = found.help
                if found.code == "unknown-key" and len(found.path) == 1:
                    help_ = self._home(str(found.path[0]), path) or help_
                stands = origin or (lambda below: (*path, *below))
                also = [(stands(field), f"this is `{field[-1]}`") for field in found.also]
                self.add(
                    found.code,
                    stands(found.path),
                    found.message,
                    help=help_,
                    at_key=found.at_key,
                    also=also,
                )
        return None

    def _home(self, key: str, path: KeyPath) -> str:
        home = self.homes.get(key)
        here = f"in [{'.'.join(part for part in path if isinstance(part, str))}]"
        return f"`{key}` belongs {home}" if home and home != here else ""
