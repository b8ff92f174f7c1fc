"""The file beside the specs that says how a report is made, so that no option is repeated."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from accelreport.spec.base import SpecModel, Text
from accelreport.spec.diagnostics import Collector
from accelreport.spec.models import NO_TALK, Talk
from accelreport.spec.problems import Place, Problem, SpecErrors, did_you_mean, quote
from accelreport.spec.sections import check_schema
from accelreport.spec.source import read_file, whole

FILE_NAME = "accelreport.toml"
"""Its name; no spec may bear it."""


class ReportOptions(SpecModel):
    """What the options of these names would say. Paths are relative to the working folder."""

    results: Text | None = None
    """Folder of the results, of every command."""
    out: Text | None = None
    """Where the pages go."""
    title: Text | None = None
    """The site's name."""
    logo: Text | None = None
    """A PNG or SVG file, put into every page."""
    base_url: Text | None = None
    """Where the site will be published."""
    theme: Literal["auto", "light", "dark"] | None = None
    """Until a reader chooses."""
    templates: Text | None = None
    """Folder of templates that replace ours, file by file."""


@dataclass(frozen=True)
class ReportFile:
    """What the file says.

    Attributes:
        report: its `[report]`.
        talk: its `[talk]`.
        places: where the benchmark of each slide of the talk stands.
    """

    report: ReportOptions
    talk: Talk
    places: tuple[Place, ...]

    def unknown_benchmarks(self, known: Collection[str], help_: str) -> list[Problem]:
        """Benchmarks of the talk that are none of those known, with what to do about it."""
        return [
            Problem(
                "unknown-benchmark",
                place,
                f"there is no benchmark {quote(each.benchmark)} for this slide of the talk",
                did_you_mean(each.benchmark, known, quoted=True) or help_,
            )
            for place, each in zip(self.places, self.talk.slides, strict=True)
            if each.benchmark is not None and each.benchmark not in known
        ]

    def check(self, names: Collection[str]) -> None:
        """Hold the talk against the names of the specs.

        Raises:
            SpecErrors: a slide is of a benchmark that has no spec.
        """
        if unknown := self.unknown_benchmarks(names, "name a spec of this folder"):
            raise SpecErrors(unknown)


def read_options(path: Path) -> ReportFile:
    """What the file says; nothing where there is no file.

    Raises:
        SpecErrors: the file has an error.
    """
    if not path.exists():
        return ReportFile(ReportOptions(), NO_TALK, ())
    file = read_file(path, str(path))
    if isinstance(file, Problem):
        raise SpecErrors([file])
    collector = Collector(whole(file))
    found = _checked(collector) if check_schema(collector) else None
    problems = [*file.syntax_problems(), *collector.problems]
    if problems or found is None:
        raise SpecErrors(problems)
    return found


def talk_of(folder: Path) -> Talk:
    """What the file in a folder of specs says of the talk.

    Raises:
        SpecErrors: the file has an error.
    """
    return read_options(folder / FILE_NAME).talk


def _checked(collector: Collector) -> ReportFile | None:
    data: dict[str, Any] = dict(collector.view.data)
    if "schema" not in data:
        help_ = "begin the file with `schema = 1`"
        collector.add("missing-key", (), "`schema` is missing", help=help_)
    for key in data.keys() - {"schema", "report", "talk"}:
        message = f"`{key}` is no table of this file"
        collector.add(
            "unknown-key", (key,), message, help="it holds [report] and [talk]", at_key=True
        )
    tables = {name: data.get(name, {}) for name in ("report", "talk")}
    for name, table in tables.items():
        if not isinstance(table, dict):
            collector.wrong_type((name,), "a table", table)
            return None
    report = collector.checked(ReportOptions, ("report",), tables["report"], "a key of [report]")
    talk = collector.checked(Talk, ("talk",), tables["talk"], "a key of [talk]")
    if report is None or talk is None:
        return None
    shown = [(each.benchmark, each.slide) for each in talk.slides]
    for number, each in enumerate(shown):
        if shown.index(each) < number:
            also = [(("talk", "slides", shown.index(each)), "it is shown here already")]
            path = ("talk", "slides", number)
            collector.add("duplicate-value", path, "this slide is shown twice", also=also)
    numbers = range(len(talk.slides))
    places = [collector.view.place(("talk", "slides", n, "benchmark")) for n in numbers]
    return ReportFile(report, talk, tuple(places))
