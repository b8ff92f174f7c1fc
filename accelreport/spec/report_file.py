"""The file beside the specs that says how a report is made, so that no option is repeated."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from accelreport.spec.base import SpecModel, Text
from accelreport.spec.diagnostics import Collector
from accelreport.spec.problems import Problem, SpecErrors
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


def read_options(path: Path) -> ReportOptions:
    """What the file's `[report]` says; nothing where there is no file.

    Raises:
        SpecErrors: the file has an error.
    """
    if not path.exists():
        return ReportOptions()
    file = read_file(path, str(path))
    if isinstance(file, Problem):
        raise SpecErrors([file])
    collector = Collector(whole(file))
    found = _checked(collector) if check_schema(collector) else None
    problems = [*file.syntax_problems(), *collector.problems]
    if problems or found is None:
        raise SpecErrors(problems)
    return found


def _checked(collector: Collector) -> ReportOptions | None:
    data: dict[str, Any] = dict(collector.view.data)
    if "schema" not in data:
        help_ = "begin the file with `schema = 1`"
        collector.add("missing-key", (), "`schema` is missing", help=help_)
    for key in data.keys() - {"schema", "report"}:
        message = f"`{key}` is no table of this file"
        collector.add("unknown-key", (key,), message, help="it holds [report]", at_key=True)
    report = data.get("report", {})
    if not isinstance(report, dict):
        collector.wrong_type(("report",), "a table", report)
        return None
    return collector.checked(ReportOptions, ("report",), report, "a key of [report]")
