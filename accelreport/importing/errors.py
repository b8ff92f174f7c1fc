"""Why figures are not imported."""

from __future__ import annotations

from accelreport.errors import AccelReportError, ExitCode


class Unreadable(AccelReportError):  # noqa: N818 -- reads as what it says
    """A file, or a row of it, that cannot be read as figures."""

    exit_code = ExitCode.DATA_UNAVAILABLE


class NotAsked(AccelReportError):  # noqa: N818 -- reads as what it says
    """What the command line does not say, or says wrongly."""

    exit_code = ExitCode.USAGE


class NotCited(NotAsked):
    """Figures without who published them, where and when."""


class NotFitting(AccelReportError):  # noqa: N818 -- reads as what it says
    """Figures with which a spec would have an error."""

    exit_code = ExitCode.BAD_SPEC
