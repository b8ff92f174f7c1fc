"""Charts are drawn by other processes while pages are still being put together here.

Vega takes longer over a chart than everything else together, and serves one thread only.
A drawing is asked for as soon as a page's model exists, and waited for when the page is
written.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from markupsafe import Markup

from accelreport.errors import AccelReportError, ExitCode
from accelreport.report.figure_cache import FigureCache
from accelreport.report.model import Drawing, Page
from accelreport.report.svg import page_svg

WORKER = Path(__file__).with_name("draw_worker.py")
OWN_FONTS = Path(__file__).with_name("own_fonts.conf")
"""Leaves Vega with the fonts it brings along. They are those of the page, they are the same on
every machine, and they lie in memory: Vega opens a system's font anew for each text it measures,
which took half of the time of drawing."""
ENGINE = "vl-convert-python"
"""The distribution that draws."""
MOST_WORKERS = 4
"""Processes that draw, at most."""


class DrawingError(AccelReportError):
    """A chart could not be drawn."""

    exit_code = ExitCode.NOT_DRAWN


class _Worker:
    """One process, used by one thread.

    Args:
        own_fonts: whether texts are measured and drawn in Vega's own fonts only. A picture
            needs the system's for letters that those do not have.
    """

    def __init__(self, *, own_fonts: bool) -> None:
        # -P keeps the worker's own folder, whose files have common names, off its path.
        self.process = subprocess.Popen(
            [sys.executable, "-P", str(WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | ({"FONTCONFIG_FILE": str(OWN_FONTS)} if own_fonts else {}),
            encoding="utf-8",
            start_new_session=True,  # Ctrl-C is for the process that was called
        )

    @property
    def pipes(self) -> tuple[IO[str], IO[str]]:
        """What it reads and what it writes."""
        if self.process.stdin is None or self.process.stdout is None:
            raise DrawingError("The process that draws has no pipes.")
        return self.process.stdin, self.process.stdout

    def draw(self, line: str) -> str:
        """The SVG of a specification given as one line of JSON."""
        requests, answers = self.pipes
        try:
            requests.write(line + "\n")
            requests.flush()
            answer: dict[str, Any] = json.loads(answers.readline() or "{}")
        except (BrokenPipeError, ValueError) as error:
            raise self._broken(f"{error}.") from error
        if "drawn" not in answer:
            raise self._broken(str(answer.get("error", "The process that draws ended.")))
        return str(answer["drawn"])

    def _broken(self, why: str) -> DrawingError:
        remedy = (
            f"`pip check` says whether vl-convert-python {version(ENGINE)} is one that accelreport "
            "allows; if it is, report this message."
        )
        return DrawingError("A chart could not be drawn.", why=why, remedy=remedy)

    def close(self) -> None:
        """Ends the process."""
        requests, answers = self.pipes
        requests.close()
        self.process.wait()
        answers.close()


@dataclass
class _Expected:
    """A drawing that was asked for, and how many pages still want it."""

    drawing: Drawing
    future: Future[str]
    uses: int = 0
    made: Markup | None = None


class Drawer:
    """Draws the charts of pages; a context manager that ends its processes.

    Args:
        cache: where figures of earlier builds are found, and those of this one kept.
    """

    def __init__(self, cache: FigureCache | None = None) -> None:
        count = min(MOST_WORKERS, _cores())
        self._cache = cache
        self._workers: list[_Worker] = []
        self._local = threading.local()
        self._pool = ThreadPoolExecutor(count, "draw", self._start)
        self._drawn: dict[int, _Expected] = {}
        if cache is None or cache.empty:
            # The engine starts while records are still being read.
            self._first = [self._pool.submit(self._draw, _NOTHING) for _ in range(count)]

    def _start(self) -> None:
        self._local.vega = self._worker(own_fonts=True)

    def _worker(self, *, own_fonts: bool) -> _Worker:
        self._workers.append(_Worker(own_fonts=own_fonts))
        return self._workers[-1]

    def _draw(self, spec: str) -> str:
        vega: _Worker = self._local.vega
        return vega.draw(spec)

    def _paint(self, asked: str) -> str:
        if not hasattr(self._local, "painter"):
            self._local.painter = self._worker(own_fonts=False)
        painter: _Worker = self._local.painter
        return painter.draw(asked)

    def expect(self, page: Page) -> None:
        """Begins to draw every chart of a page; one that stands on several is drawn once."""
        for figure in page.figures:
            files = bool(figure.downloads)
            for panel in figure.panels:
                self._expected(panel.wide).uses += 1 + files
                if panel.narrow is not None:
                    self._expected(panel.narrow).uses += 1

    def _expected(self, drawing: Drawing) -> _Expected:
        if id(drawing) not in self._drawn:
            asked = self._asked(json.dumps(drawing.spec), self._draw)
            self._drawn[id(drawing)] = _Expected(drawing, asked)
        return self._drawn[id(drawing)]

    def _asked(self, line: str, by: Callable[[str], str]) -> Future[str]:
        """What is drawn of a line of JSON: known already, or asked for now."""
        if self._cache is None:
            return self._pool.submit(by, line)
        known = self._cache.get(line)
        if known is None:
            return self._pool.submit(self._kept, self._cache, line, by)
        future: Future[str] = Future()
        future.set_result(known)
        return future

    def _kept(self, cache: FigureCache, line: str, by: Callable[[str], str]) -> str:
        drawn = by(line)
        cache.put(line, drawn)
        return drawn

    def svg(self, drawing: Drawing) -> Markup:
        """The chart as it stands in the page.

        Raises:
            DrawingError: Vega refused it, or its process died.
        """
        expected = self._expected(drawing)
        if expected.made is None:
            expected.made = page_svg(
                expected.future.result(),
                prefix=drawing.prefix,
                title=drawing.title,
                description=drawing.description,
            )
        expected.uses -= 1
        if expected.uses <= 0:
            del self._drawn[id(drawing)]
        return expected.made

    def png(self, svg: str, scale: float = 2.0) -> bytes:
        """An SVG file as a PNG file.

        Args:
            svg: the file.
            scale: pixels for each of its own.

        Raises:
            DrawingError: it could not be drawn.
        """
        asked = json.dumps({"png of": svg, "scale": scale})
        return base64.b64decode(self._asked(asked, self._paint).result())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)
        for worker in self._workers:
            worker.close()


def _cores() -> int:
    """Cores this process may use; a container or a batch job may have few of a machine's."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


_NOTHING = json.dumps({"data": {"values": []}, "mark": "point"})
