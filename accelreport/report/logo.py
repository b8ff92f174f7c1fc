"""A person's logo as an address that stands in the page itself.

It is only ever shown as an image: in one, a browser runs no script, fetches nothing and follows no
link, so that nothing has to be taken out of it.
"""

from __future__ import annotations

import base64
import re
from pathlib import Path

from accelreport.errors import AccelReportError, ExitCode
from accelreport.results.errors import UnreadableFile
from accelreport.results.reading import read_bytes

LARGEST = 32 * 1024
"""Bytes of a logo: it stands on every page."""

_KINDS = {
    "image/png": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "image/svg+xml": re.compile(
        rb"[^<]*(?:<!--.*?-->[^<]*|<(?:\?|!(?!--))[^<]*)*<(?:\w+:)?svg[\s>/]", re.DOTALL
    ),
}
"""How the files begin that browsers take for images of a kind; comments may come before an SVG."""


class LogoError(AccelReportError):
    """A logo cannot be used."""

    exit_code = ExitCode.USAGE


def logo_address(path: Path) -> str:
    """The logo as a `data:` address, for an image and nothing else.

    Raises:
        LogoError: it cannot be read, is too large, or is neither PNG nor SVG.
    """
    try:
        content = read_bytes(path, LARGEST)
    except FileNotFoundError as error:
        raise _refused(path, "There is no such file.") from error
    except UnreadableFile as error:
        if error.problem.kind == "too-large":
            why = f"It has more than {LARGEST // 1024} KiB, and stands on every page."
            raise _refused(path, why) from error
        message = error.problem.message
        raise _refused(path, f"{message[0].upper()}{message[1:]}.") from error
    for kind, beginning in _KINDS.items():
        if beginning.match(content):
            return f"data:{kind};base64,{base64.b64encode(content).decode()}"
    raise _refused(path, "It is neither a PNG nor an SVG.")


def _refused(path: Path, why: str) -> LogoError:
    return LogoError(f"{path} cannot be the logo.", why=why, remedy="Give a PNG or an SVG file.")
