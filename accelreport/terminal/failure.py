"""An error as a person sees it: what happened, why, and what to do next."""

from __future__ import annotations

import os
import sys
import time
import traceback
from pathlib import Path
from typing import TextIO

from accelreport.errors import AccelReportError
from accelreport.spec.problems import printable


def show(error: AccelReportError, stream: TextIO | None = None) -> None:
    """Print an error that was foreseen."""
    out = stream or sys.stderr
    red, plain = ("\x1b[1;31m", "\x1b[0m") if _coloured(out) else ("", "")
    out.write(f"{red}error:{plain} {printable(error.what)}\n")
    for part in (error.why, error.remedy):
        if part:
            out.write(f"{printable(part)}\n")


def show_unexpected(error: BaseException, folder: Path, stream: TextIO | None = None) -> None:
    """Print an error that nobody foresaw, in two lines; its traceback goes to a file."""
    out = stream or sys.stderr
    name = f"accelreport-{time.strftime('%Y%m%dT%H%M%S')}-{os.getpid()}.log"
    text = "".join(traceback.format_exception(error))
    last = "".join(traceback.format_exception_only(error)).strip()
    out.write(f"error: Something went wrong inside accelreport: {printable(last)}\n")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    except OSError:
        out.write(printable(text))
        return
    out.write(f"The traceback is in {folder / name}; with --debug it is printed here.\n")


def _coloured(stream: TextIO) -> bool:
    return stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
