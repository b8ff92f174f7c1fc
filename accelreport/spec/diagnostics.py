"""Problems gathered while a spec is examined under one profile.

Pydantic's errors are translated into the terms of a spec.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from accelreport.removed import KEYS
from accelreport.spec.base import fields_at
from accelreport.spec.claims import CHECKS
from accelreport.spec.problems import (
    TYPES,
    Place,
    Problem,
    ValueProblem,
    did_you_mean,
    listed,
    quote,
    subject,
    wrong_choice,
    wrong_type,
)
from accelreport.spec.source import FULL, View
from accelreport.spec.syntax import KeyPath, dotted, value_at
from accelreport.spec.validators import FieldsError

_BOUNDS = {
    "greater_than": ("gt", "greater than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than": ("lt", "less than"),
    "less_than_equal": ("le", "at most"),
}


def value_problems(
    error: ValidationError, model: type[BaseModel], data: Mapping[str, Any], noun: str
) -> list[ValueProblem]:
    """The problems of a validation, one for each thing to be changed.

    Args:
        error: what pydantic raised.
        model: the model that validated.
        data: what it was given.
        noun: what the keys are, such as "a key of [measure]".
    """
    groups: dict[KeyPath, list[ErrorDetails]] = defaultdict(list)
    for details in error.errors(include_url=False):
        groups[_path(details, data)].append(details)
    problems = []
    for path, group in groups.items():
        details = next((item for item in group if item["type"] not in TYPES), group[0])
        value = value_at(data, path)
        if len(group) > 1 and details["type"] in TYPES:
            problems.append(wrong_type(path, listed(_kinds(group), "or"), value))
        else:
            problems.append(_finding(_Raised(details, path, value, model, noun)))
    return problems


@dataclass(frozen=True)
class _Raised:
    """One of pydantic's errors, with its place, its value and its model."""

    details: ErrorDetails
    path: KeyPath
    value: object
    model: type[BaseModel]
    noun: str

    @property
    def context(self) -> Mapping[str, Any]:
        """Pydantic's details of an error of this kind, such as the bound."""
        return self.details.get("ctx", {})

    @property
    def siblings(self) -> Mapping[str, FieldInfo]:
        """The fields of the table that has the error."""
        return fields_at(self.model, self.details["loc"][:-1])


def _finding(raised: _Raised) -> ValueProblem:
    kind, path, value = raised.details["type"], raised.path, raised.value
    if kind in TYPES:
        problem = wrong_type(path, TYPES[kind], value)
        names = fields_at(raised.model, raised.details["loc"]).get("name")
        if isinstance(value, str) and names and TYPES[kind] == "a table":
            named = f"{{ name = {quote(value)}, … }}"
            return replace(problem, help=f"write {path[-1]} = {named}, or [workload.{path[-1]}]")
        return problem
    if kind in _BOUNDS:
        name, words = _BOUNDS[kind]
        message = f"{subject(path)} must be {words} {raised.context[name]:g}, not {quote(value)}"
        return ValueProblem("out-of-range", path, message)
    special = _SPECIAL.get(kind)
    if special is not None:
        return special(raised)
    text = raised.details["msg"]
    message = text[:1].lower() + text[1:]
    return ValueProblem("wrong-value", path, f"{subject(path)}: {message}")


def _missing(raised: _Raised) -> ValueProblem:
    field = raised.siblings.get(str(raised.path[-1]))
    text = " ".join((field.description or "").split()) if field else ""
    help_ = f"`{raised.path[-1]}`: {text[:1].lower()}{text[1:]}" if text else ""
    return ValueProblem("missing-key", raised.path, f"`{raised.path[-1]}` is missing", help_)


def _unknown(raised: _Raised) -> ValueProblem:
    known = list(raised.siblings)
    parents = [part for part in raised.path[:-1] if isinstance(part, str)]
    owner = f"a key of `{parents[-1]}`" if parents else raised.noun
    message = f"`{raised.path[-1]}` is not {owner}"
    help_ = did_you_mean(str(raised.path[-1]), known) or f"the keys are {listed(known)}"
    return ValueProblem("unknown-key", raised.path, message, help_, at_key=True)


def _literal(raised: _Raised) -> ValueProblem:
    expected = str(raised.context.get("expected", ""))
    choices = re.findall(r"'([^']*)'", expected)
    if choices:
        problem = wrong_choice(raised.path, raised.value, choices)
        removed = KEYS.get(f"{raised.path[-1]}.{raised.value}")
        return replace(problem, help=removed) if removed else problem
    message = f"{subject(raised.path)} must be {expected.lower()}, not {quote(raised.value)}"
    return ValueProblem("wrong-value", raised.path, message)


def _not_finite(raised: _Raised) -> ValueProblem:
    message = f"{subject(raised.path)} must be a finite number, not {raised.value}"
    return ValueProblem("wrong-value", raised.path, message)


def _too_short(raised: _Raised) -> ValueProblem:
    least = raised.context.get("min_length", 1)
    rule = "not be empty" if least == 1 else f"hold at least {least} values"
    return ValueProblem("empty", raised.path, f"{subject(raised.path)} must {rule}")


def _sentence(raised: _Raised) -> ValueProblem:
    """An error that a validator of ours raised."""
    error, value = raised.context.get("error"), raised.value
    if not isinstance(error, FieldsError):
        return ValueProblem("wrong-value", raised.path, f"{subject(raised.path)} {error}")
    fields: list[KeyPath] = [tuple(name.split(".")) for name in error.fields]
    written = [(*raised.path, *field) for field in fields if value_at(value, field) is not None]
    first, *rest = written or [raised.path]
    code = "contradiction" if fields else "missing-key"
    if fields and raised.details["loc"][-1:] != raised.path[-1:]:
        code = "wrong-value"  # of a field that pydantic made from the keys that are named
    return ValueProblem(code, first, str(error), error.help, also=tuple(rest))


def _no_rule(raised: _Raised) -> ValueProblem:
    """A check without a key that selects a rule."""
    if not isinstance(raised.value, dict):
        return wrong_type(raised.path, "a table", raised.value)
    helps = [KEYS.get(f"claims.check.{key}") or did_you_mean(key, CHECKS) for key in raised.value]
    near = next(filter(None, helps), "")
    names = listed([f"`{name}`" for name in CHECKS], "or")
    return ValueProblem("unknown-check", raised.path, f"a check begins with {names}", near)


_SPECIAL: dict[str, Callable[[_Raised], ValueProblem]] = {
    "missing": _missing,
    "extra_forbidden": _unknown,
    "literal_error": _literal,
    "finite_number": _not_finite,
    "too_short": _too_short,
    "value_error": _sentence,
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
        known: problems of the spec without a profile; they are not reported again.
    """

    def __init__(self, view: View, known: Collection[Problem] = ()) -> None:
        self.view = view
        self.problems: list[Problem] = []
        self._known = {(problem.place, problem.message) for problem in known}
        self.homes: dict[str, str] = {}
        """Key → the table in which it belongs, for the help if it is in another one."""

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
            return  # It may be in a line that could not be read.
        related = tuple(
            item if isinstance(item, Place) else self.view.place(item[0], label=item[1])
            for item in also
        )
        if code == "unknown-key":
            below = path[2:] if path[:1] == ("profiles",) else path
            name = ".".join(part for part in below if isinstance(part, str))
            help = KEYS.get(name, help)  # noqa: A001
        place = self.view.place(path, at_key=at_key)
        if (place, message) in self._known:
            return
        self._known.add((place, message))
        if self.view.profile != FULL:
            message = f'{message} (in the profile "{self.view.profile}")'
        self.problems.append(Problem(code, place, message, help, dotted(path), related))

    def wrong_type(
        self,
        path: KeyPath,
        words: str,
        value: object,
        help: str = "",  # noqa: A002
        *,
        name: str = "",
    ) -> None:
        """Note a value of another type than the one in `words`; `name` is its key's full one."""
        problem = wrong_type((name,) if name else path, words, value)
        self.add(problem.code, path, problem.message, help=help)

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
            path: the table that has the data.
            data: the values.
            noun: what the keys are, such as "a key of [measure]".
            context: what the model's validators need to know.
            origin: path within the data → path in the file, if that is not in the table.
        """
        try:
            return model.model_validate(data, context=dict(context) if context else None)
        except ValidationError as error:
            for problem in value_problems(error, model, data, noun):
                help_ = problem.help
                if problem.code == "unknown-key" and len(problem.path) == 1:
                    help_ = self._home(str(problem.path[0]), path) or help_
                in_file = origin or (lambda below: (*path, *below))
                also = [(in_file(field), f"this is `{field[-1]}`") for field in problem.also]
                self.add(
                    problem.code,
                    in_file(problem.path),
                    problem.message,
                    help=help_,
                    at_key=problem.at_key,
                    also=also,
                )
        return None

    def _home(self, key: str, path: KeyPath) -> str:
        home = self.homes.get(key)
        here = f"in [{'.'.join(part for part in path if isinstance(part, str))}]"
        return f"`{key}` belongs {home}" if home and home != here else ""
