"""Problems gathered while a spec is examined under one profile."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from accelreport.spec.messages import findings
from accelreport.spec.positions import KeyPath, dotted
from accelreport.spec.problems import Place, Problem
from accelreport.spec.view import FULL, View

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
