"""Charts are drawn by other processes while pages are still being put together here.

Vega takes longer over a chart than everything else together, and serves one thread only.
A drawing is asked for as soon as a page's model exists, and waited for when the page is
written.

Vega's output is right but heavy, and its ids come from a counter of the process. Here
it becomes small, the same in every build, unable to run or fetch anything (elements and
attributes are taken from a closed list), and has a title and a description for screen
readers. Colours stay `var(--…)`, which is what makes them follow the page's theme.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any, Self
from xml.etree import ElementTree as ET

from markupsafe import Markup, escape

from accelreport.errors import AccelReportError, ExitCode, Unshown
from accelreport.report.model import Drawing, Page
from accelreport.report.site.cache import FigureCache
from accelreport.report.text import label, lines_within
from accelreport.report.theme import FONT

_NAMESPACE = "{http://www.w3.org/2000/svg}"
_ELEMENTS = {"svg", "g", "path", "line", "rect", "text", "tspan", "circle", "defs", "clipPath"}
_ATTRIBUTES = {
    *("d", "x", "y", "x1", "y1", "x2", "y2", "dx", "dy", "r", "cx", "cy", "width", "height"),
    *("transform", "viewBox", "id", "clip-path", "text-anchor"),
    *("fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray"),
    *("stroke-linecap", "stroke-linejoin", "stroke-miterlimit", "paint-order", "opacity"),
    *("font-size", "font-weight", "font-style"),
}
_DEFAULTS = {("opacity", "1"), ("stroke-miterlimit", "10"), ("font-weight", "normal")}
_SHARED = {
    "text": ("text-anchor", "font-size", "font-weight", "fill"),
    "line": ("stroke", "stroke-width", "stroke-dasharray"),
}
"""Attributes that a group hands down to its texts or lines."""
_LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}(?:e-?\d+)?")
_LOCAL_URL = re.compile(r"url\(#([\w-]+)\)")


class UnexpectedSvgError(ValueError):
    """Vega drew something that this page does not know how to trust."""


def _shorter(match: re.Match[str]) -> str:
    value = float(match[0])
    # A tenth of a pixel cannot be seen; only small numbers may be factors.
    text = f"{value:.{1 if abs(value) >= 10 else 2}f}".rstrip("0").rstrip(".")
    return "0" if text in {"-0", ""} else text


def _invisible(element: ET.Element) -> bool:
    if element.get("display") == "none":
        return True
    classes = element.get("class", "").split()
    if "background" in classes and not element.get("stroke") and not element.get("fill"):
        return True
    return element.get("fill") == "transparent" and not element.get("stroke")


def _share(element: ET.Element) -> None:
    """Moves each attribute that all texts or all lines of a group share to the group."""
    for child in element:
        _share(child)
    tags = {child.tag for child in element}
    shared = _SHARED.get(tags.pop().removeprefix(_NAMESPACE), ()) if len(tags) == 1 else ()
    if len(element) < 2 or element.tag != f"{_NAMESPACE}g":
        return
    for name in shared:
        values = {child.get(name) for child in element}
        value = values.pop()
        if not values and value is not None and "url(" not in value:
            element.set(name, value)
            for child in element:
                del child.attrib[name]


@lru_cache(maxsize=8192)  # hundreds of ticks and texts differ in their places alone
def _attribute(name: str, value: str) -> str:
    """An attribute as it is written; empty where it has its default."""
    if (name, value) in _DEFAULTS:
        return ""
    value = _LONG_NUMBER.sub(_shorter, value) if "." in value else value
    return f' {name}="{escape(value)}"'


class _Writer:
    """Writes one chart with its own ids."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.ids: dict[str, str] = {}

    def own(self, name: str) -> str:
        """This chart's name for an id of Vega's."""
        return self.ids.setdefault(name, f"{self.prefix}-{len(self.ids)}")

    def attributes(self, element: ET.Element) -> str:
        """The attributes that are kept, in the order they were written."""
        kept = []
        for name, value in element.attrib.items():
            if name not in _ATTRIBUTES:
                continue
            if name == "id":
                value = self.own(value)
            elif "url(" in value:
                target = _LOCAL_URL.fullmatch(value)
                if target is None:
                    raise UnexpectedSvgError(f"attribute {name}={value!r} points outside the chart")
                value = f"url(#{self.own(target[1])})"
            # A line is a text of its own, and long.
            make = _attribute.__wrapped__ if name == "d" else _attribute
            kept.append(make(name, value))
        return "".join(kept)

    def write(self, element: ET.Element) -> str:
        """An element and all inside it, without groups that change nothing."""
        name = element.tag.removeprefix(_NAMESPACE)
        if name not in _ELEMENTS:
            raise UnexpectedSvgError(f"element <{name}> is not one a chart needs")
        if _invisible(element):
            return ""
        inside = str(escape(element.text)) if name in {"text", "tspan"} and element.text else ""
        # Lines of a text: who copies them, or has them read, gets words apart.
        inside += (" " if name == "text" else "").join(self.write(child) for child in element)
        attributes = self.attributes(element)
        device, _, text = element.get("aria-label", "").partition("|")
        attributes += f' data-series="{escape(device)}"' if device else ""
        inside += f"<title>{escape(text)}</title>" if text else ""
        if name == "text" and element.get("stroke", "none") != "none":
            attributes += ' paint-order="stroke"'
        if name == "g" and (not inside or not attributes):
            return inside
        if name in {"text", "path"} and not inside and not element.get("d"):
            return ""
        return f"<{name}{attributes}>{inside}</{name}>" if inside else f"<{name}{attributes}/>"


def page_svg(drawn: str, *, prefix: str, title: str, description: str) -> Markup:
    """The SVG for a page.

    Args:
        drawn: what `vl_convert.vegalite_to_svg` returned.
        prefix: unique within the page; every id starts with it.
        title: the chart's name for a screen reader.
        description: what the chart shows, in a sentence or two.

    Raises:
        UnexpectedSvgError: an element or an address outside the closed list.
    """
    root = ET.fromstring(drawn)  # noqa: S314 -- drawn by Vega in this process, no entities
    _share(root)
    writer = _Writer(prefix)
    inside = "".join(writer.write(child) for child in root)
    box = root.get("viewBox", "")
    width, height = box.split()[2:4]
    return Markup(  # noqa: S704 -- every text and attribute above went through escape()
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{escape(box)}" width="{escape(width)}"'
        f' height="{escape(height)}" role="img" aria-labelledby="{prefix}-t {prefix}-d"'
        f' font-family="{FONT}"><title id="{prefix}-t">{escape(title)}</title>'
        f'<desc id="{prefix}-d">{escape(description)}</desc>{inside}</svg>'
    )


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
    """Nothing can be drawn: the engine does not even draw an empty chart."""

    exit_code = ExitCode.NOT_DRAWN


class RefusedError(Exception):
    """One chart cannot be drawn, for a reason that is its own."""


def not_drawn(drawing: Drawing, why: str) -> Markup:
    """The drawing in the place of a chart that could not be drawn: that it failed, and why."""
    width = drawing.spec.get("width", 300)
    lines = ["This figure could not be drawn.", *lines_within(why, width, 12.5)]
    texts = "".join(
        f'<text x="0" y="{20 * number}" font-size="12.5" fill="var(--ink)">{escape(line)}</text>'
        for number, line in enumerate(lines, 1)
    )
    height = 20 * len(lines) + 10
    return Markup(  # noqa: S704 -- every text above went through escape()
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height}"'
        f' width="{width:g}" height="{height}" role="img" aria-labelledby="{drawing.prefix}-t"'
        f' font-family="{FONT}"><title id="{drawing.prefix}-t">{escape(drawing.title)}: '
        f"this figure could not be drawn</title>{texts}</svg>"
    )


class _Worker:
    """One process, used by one thread.

    A `ProcessPoolExecutor` would lose all charts in flight when one of them costs a process, and
    its processes would survive this one if it is killed: these end with their standard input.

    Args:
        own_fonts: whether texts are measured and drawn in Vega's own fonts only. A picture
            needs the system's for letters that those do not have.
    """

    def __init__(self, *, own_fonts: bool) -> None:
        self.own_fonts = own_fonts
        # -P keeps the worker's own folder, whose files have common names, off its path.
        self.process = subprocess.Popen(
            [sys.executable, "-P", str(WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | ({"FONTCONFIG_FILE": str(OWN_FONTS)} if own_fonts else {}),
            encoding="utf-8",
            # Ctrl-C is for the process that was called. A session of its own would keep it from
            # Ctrl-C as well, and Linux then gives it as much as all processes of the first one.
            process_group=0,
        )

    @property
    def pipes(self) -> tuple[IO[str], IO[str]]:
        """What it reads and what it writes."""
        if self.process.stdin is None or self.process.stdout is None:
            raise DrawingError("The process that draws has no pipes.")
        return self.process.stdin, self.process.stdout

    def draw(self, line: str) -> str:
        """The SVG of a specification given as one line of JSON.

        Raises:
            RefusedError: it was not drawn; the process may have ended over it.
        """
        requests, answers = self.pipes
        try:
            requests.write(line + "\n")
            requests.flush()
            answer: dict[str, Any] = json.loads(answers.readline() or "{}")
        except (BrokenPipeError, ValueError) as error:
            raise RefusedError(str(error)) from error
        if "drawn" not in answer:
            raise RefusedError(str(answer.get("error", "The process that draws ended.")))
        return str(answer["drawn"])

    def close(self) -> None:
        """Ends the process."""
        requests, answers = self.pipes
        with contextlib.suppress(BrokenPipeError):  # it ended by itself
            requests.close()
        self.process.wait()
        answers.close()


class Engines:
    """Processes that draw, which one build leaves to the next; a context manager that ends them.

    The engine takes longer to start than a dozen charts to draw.
    """

    def __init__(self) -> None:
        self._idle: list[_Worker] = []
        self._lock = threading.Lock()

    def take(self, *, own_fonts: bool) -> _Worker:
        """One that draws in these fonts, a new one where none is left."""
        with self._lock:
            for worker in [idle for idle in self._idle if idle.own_fonts == own_fonts]:
                self._idle.remove(worker)
                if worker.process.poll() is None:
                    return worker
                worker.close()
        return _Worker(own_fonts=own_fonts)

    def leave(self, worker: _Worker) -> None:
        """Keep one for the next build, where there are not enough yet."""
        with self._lock:
            if sum(idle.own_fonts == worker.own_fonts for idle in self._idle) < MOST_WORKERS:
                self._idle.append(worker)
                return
        worker.close()

    def close(self) -> None:
        """End them all."""
        while self._idle:
            self._idle.pop().close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass
class _Expected:
    """A drawing that was asked for, and how many pages still want it."""

    drawing: Drawing
    future: Future[str]
    page: str
    """The first page that wants it."""
    uses: int = 0
    markup: Markup | None = None


class Drawer:
    """Draws the charts of pages; a context manager that ends its processes.

    Args:
        cache: where figures of earlier builds are found, and those of this one kept.
        engines: where processes that draw come from, and are left for the next build; this one
            starts and ends its own where there is no next one.

    Attributes:
        unshown: charts that were asked for and could not be drawn, each with its page.
    """

    def __init__(self, cache: FigureCache | None = None, engines: Engines | None = None) -> None:
        self.unshown: list[Unshown] = []
        self._kept = engines is not None
        self._engines = engines or Engines()
        count = min(MOST_WORKERS, _cores())
        self._cache = cache
        self._workers: list[_Worker] = []
        self._local = threading.local()
        self._pool = ThreadPoolExecutor(count, "draw", self._start)
        self._drawn: dict[int, _Expected] = {}
        self._being_drawn: dict[str, Future[str]] = {}
        """Drawings under way by their line of JSON: a deck and a page may want the same one."""
        if cache is None or cache.empty:
            # The engine starts while records are still being read.
            self._first = [self._pool.submit(self._draw, _NOTHING) for _ in range(count)]

    def _start(self) -> None:
        self._local.vega = self._worker(own_fonts=True)

    def _worker(self, *, own_fonts: bool) -> _Worker:
        self._workers.append(self._engines.take(own_fonts=own_fonts))
        return self._workers[-1]

    def _draw(self, spec: str) -> str:
        try:
            drawn: str = self._local.vega.draw(spec)
        except RefusedError as refused:
            # A figure may have cost the process. A new one that draws nothing at all says
            # that the engine is to blame, and not the figure.
            self._start()
            try:
                self._local.vega.draw(_NOTHING)
            except RefusedError as error:
                raise _unusable(error) from refused
            raise
        return drawn

    def _paint(self, asked: str) -> str:
        if not hasattr(self._local, "painter"):
            self._local.painter = self._worker(own_fonts=False)
        try:
            drawn: str = self._local.painter.draw(asked)
        except RefusedError:
            del self._local.painter
            raise
        return drawn

    def expect(self, page: Page) -> None:
        """Begins to draw every chart of a page; a chart of several pages is drawn once."""
        for figure, drawing in page.drawings:
            files = bool(figure.downloads) and drawing in figure.drawings
            self._expected(drawing, page.path).uses += 1 + files

    def _expected(self, drawing: Drawing, page: str = "") -> _Expected:
        if id(drawing) not in self._drawn:
            asked = self._asked(json.dumps(drawing.spec), self._draw)
            self._drawn[id(drawing)] = _Expected(drawing, asked, page)
        return self._drawn[id(drawing)]

    def _asked(self, line: str, by: Callable[[str], str]) -> Future[str]:
        """The drawing of a line of JSON: from the cache, or asked for now."""
        if (asked := self._being_drawn.get(line)) is not None:
            return asked
        known = self._cache.get(line) if self._cache else None
        if known is not None:
            ready: Future[str] = Future()
            ready.set_result(known)
            return ready
        future = self._being_drawn[line] = self._pool.submit(self._remembered, line, by)
        future.add_done_callback(lambda _: self._being_drawn.pop(line, None))
        return future

    def _remembered(self, line: str, by: Callable[[str], str]) -> str:
        drawn = by(line)
        if self._cache:
            self._cache.put(line, drawn)
        return drawn

    def svg(self, drawing: Drawing) -> Markup:
        """The chart as its page has it, or a drawing that says why it is missing.

        Raises:
            DrawingError: nothing can be drawn.
        """
        expected = self._expected(drawing)
        if expected.markup is None:
            expected.markup = self._markup_of(expected)
        expected.uses -= 1
        if expected.uses <= 0:
            del self._drawn[id(drawing)]
        return expected.markup

    def _markup_of(self, expected: _Expected) -> Markup:
        drawing = expected.drawing
        try:
            return page_svg(
                expected.future.result(),
                prefix=drawing.prefix,
                title=drawing.title,
                description=drawing.description,
            )
        except (RefusedError, UnexpectedSvgError) as error:
            why = label(error, 300)
            what = f"{expected.page}: the figure “{label(drawing.title)}” could not be drawn"
            self.unshown.append(Unshown(what, why))
            return not_drawn(drawing, why)

    def png(self, svg: str, scale: float = 2.0, *, of: str) -> bytes:
        """An SVG file as a PNG file, or a picture that says that there is none.

        Args:
            svg: the file.
            scale: pixels for each of its own.
            of: the page, and what of it.

        Raises:
            DrawingError: nothing can be drawn.
        """
        try:
            return self._picture(svg, scale)
        except RefusedError as refused:
            what = f"{of} could not be drawn as a picture"
            self.unshown.append(Unshown(what, label(refused, 300)))
            try:
                return self._picture(_NO_PICTURE, scale)
            except RefusedError as error:
                raise _unusable(error) from refused

    def _picture(self, svg: str, scale: float) -> bytes:
        asked = json.dumps({"png of": svg, "scale": scale})
        return base64.b64decode(self._asked(asked, self._paint).result())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)
        for worker in self._workers:
            self._engines.leave(worker)
        if not self._kept:
            self._engines.close()


def _unusable(error: RefusedError) -> DrawingError:
    return DrawingError(
        "A chart could not be drawn.",
        why=str(error),
        remedy=(
            f"`pip check` says whether vl-convert-python {version(ENGINE)} is one that accelreport "
            "allows; if it is, report this message."
        ),
    )


def _cores() -> int:
    """Cores this process may use; a container or a batch job may have few of a machine's."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


_NOTHING = json.dumps({"data": {"values": []}, "mark": "point"})
_NO_PICTURE = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 40" width="300" height="40">'
    '<text x="10" y="25" font-size="14">This figure could not be drawn.</text></svg>'
)
