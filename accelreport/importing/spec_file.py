"""Rows appended to a spec: nothing in it is rewritten, and it is checked before it is replaced."""

from __future__ import annotations

import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from accelreport.importing.compose import Composed
from accelreport.importing.errors import NotAsked, NotFitting, Unreadable
from accelreport.results.atomic import write_whole
from accelreport.spec.base import Scalar
from accelreport.spec.load import examine, load
from accelreport.spec.problems import Problem


def axes_of(spec: Path, devices_file: Path | None) -> Mapping[str, Sequence[Scalar]]:
    """The swept keys of a spec and their values.

    Raises:
        SpecErrors: the spec has an error already.
        NotAsked: the path is that of several specs, or of none.
    """
    specs = load([spec], devices_file=devices_file).specs
    if len(specs) != 1:
        message = f"--into {spec}: that is not one spec."
        raise NotAsked(message, remedy="Name the file of a spec.")
    return specs[0].axes


def append(spec: Path, rows: Sequence[Composed], devices_file: Path | None = None) -> None:
    """Append rows to a spec, in one step and only if it still is without an error.

    What the file holds stays as it is, byte for byte; a link is followed, and its permissions
    are kept.

    Raises:
        SpecErrors: the spec has an error already.
        NotFitting: it would have one, or another program changed it in the meantime.
        Unreadable: it cannot be written.
    """
    axes_of(spec, devices_file)
    target = spec.resolve()
    try:
        before = target.read_bytes()
        after, first, ends = _appended(before, rows)
        problems = examine(spec, after, devices_file).problems
        if problems:
            places = dict(_places(rows, first, ends))
            raise _not_fitting(spec, places, problems)
        if target.read_bytes() != before:
            message = f"{spec} was changed while the figures were read."
            raise NotFitting(message, remedy="Nothing was written; run the command again.")
        mode = stat.S_IMODE(target.stat().st_mode)
        write_whole(target, after)
        target.chmod(mode)
    except OSError as error:
        message = f"{spec} cannot be written: {error.strerror}."
        raise Unreadable(message, remedy="It is as it was.") from error


def _appended(before: bytes, rows: Sequence[Composed]) -> tuple[bytes, int, list[int]]:
    """A spec with the rows behind it, in its own line endings.

    Returns:
        The content, its number of lines before the rows, and each row's last line.
    """
    line_end = b"\r\n" if b"\r\n" in before else b"\n"
    start = before if before.endswith(b"\n") else before + line_end
    first = line = start.count(b"\n")
    ends, parts = [], [start]
    for row in rows:
        part = f"\n{row.text}"
        line += part.count("\n")
        ends.append(line)
        parts.append(part.encode().replace(b"\n", line_end))
    return b"".join(parts), first, ends


def _places(rows: Sequence[Composed], first: int, ends: Sequence[int]) -> Iterator[tuple[int, str]]:
    """Lines of the spec, and the place in the imported file that they would come from."""
    for row, end in zip(rows, ends, strict=True):
        yield from ((line, row.place) for line in range(first + 1, end + 1))
        first = end


def _not_fitting(spec: Path, places: Mapping[int, str], problems: Sequence[Problem]) -> NotFitting:
    """What would be wrong, told at the rows of the imported file."""
    told = []
    for problem in problems:
        place = places.get(problem.place.line, problem.place.name)
        lines = [f"{place}: {problem.message}", *problem.place.excerpt()]
        lines += [f"  help: {problem.help}"] if problem.help else []
        lines += [f"  {other.name}: {other.label}" for other in problem.related]
        told.append("\n".join(lines))
    return NotFitting("\n\n".join(told), remedy=f"\nNothing was written; {spec} is as it was.")
