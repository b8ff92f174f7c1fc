"""Why figures are not imported. What a file holds is told without what a terminal would obey."""

from __future__ import annotations

from accelreport.errors import AccelReportError, ExitCode
from accelreport.spec.problems import printable


class Refusal(AccelReportError):  # noqa: N818 -- reads as what it says
    """An error that may quote somebody else's file.

    Args:
        what: what happened, with the place.
        why: the cause.
        remedy: what to do next.
    """

    def __init__(self, what: str, *, why: str = "", remedy: str = "") -> None:
        super().__init__(printable(what), why=printable(why), remedy=printable(remedy))


class Unreadable(Refusal):
    """A file, or a row of it, that cannot be read as figures."""

    exit_code = ExitCode.DATA_UNAVAILABLE


class NotAsked(Refusal):
    """What the command line does not say, or says wrongly."""

    exit_code = ExitCode.USAGE


class NotCited(NotAsked):
    """Figures without who published them, where and when."""


class NotFitting(Refusal):
    """Figures with which a spec would have an error."""

    exit_code = ExitCode.BAD_SPEC
