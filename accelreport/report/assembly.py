"""Putting a site together: a few units ahead are being drawn while one is written."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from accelreport.report.drawer import Drawer
from accelreport.report.facts import SiteFacts
from accelreport.report.figure_files import figure_files
from accelreport.report.fingerprint import digest
from accelreport.report.gather import gather
from accelreport.report.memory import Memory, Remembered
from accelreport.report.model import Page
from accelreport.report.options import BuildOptions
from accelreport.report.output import MANIFEST, Output
from accelreport.report.preview import preview
from accelreport.report.rendering import Renderer
from accelreport.report.results import Results
from accelreport.report.units import Unit, units_of

AHEAD = 6
"""Units whose drawings are asked for before the first of them is written."""


@dataclass(frozen=True)
class Made:
    """What was made.

    Attributes:
        pages: HTML pages of the site.
        written: files that are new or changed.
        units: how each unit was left.
    """

    pages: int
    written: int
    units: dict[str, Remembered]


def assemble(
    results: Results,
    out: Path,
    options: BuildOptions,
    facts: SiteFacts,
    *,
    drawer: Drawer,
    memory: Memory | None,
    base: str,
) -> Made:
    """Makes every unit that is not there already, and puts all of them in place.

    Args:
        results: the results folder.
        out: the output folder.
        options: what a person chose.
        facts: what every page says of the site.
        drawer: what draws its charts.
        memory: what earlier builds left there.
        base: the fingerprint of everything but the results.

    Raises:
        AccelReportError: there is nothing to build from, or the folder refuses.
    """
    with Output(out) as output:
        benches = gather(results)
        problems = [str(problem) for problem in results.problems]
        site = _Site(
            drawer,
            output,
            Renderer(drawer.svg, options.templates, facts),
            facts,
            memory,
            base,
        )
        for unit in units_of(benches, facts, problems):
            site.take(unit)
        return site.finish()


class _Site:
    """Units on their way to the output folder."""

    def __init__(
        self,
        drawer: Drawer,
        output: Output,
        renderer: Renderer,
        facts: SiteFacts,
        memory: Memory | None,
        base: str,
    ) -> None:
        self.drawer, self.output = drawer, output
        self.memory, self.base = memory, base
        self.renderer, self.facts = renderer, facts
        self._window: deque[tuple[Unit, list[Page]]] = deque()
        self._left: dict[str, tuple[str, int, list[str]]] = {}

    def take(self, unit: Unit) -> None:
        """Leaves a unit where it is, or asks for its drawings and writes an earlier one."""
        if self.memory and self._kept(unit, self.memory):
            return
        pages = unit.pages()
        for page in pages:
            self.drawer.expect(page)
        self._window.append((unit, pages))
        if len(self._window) > AHEAD:
            self._write(*self._window.popleft())

    def _kept(self, unit: Unit, memory: Memory) -> bool:
        key = digest(self.base, unit.key)
        left = memory.kept(unit.name, key)
        if left is None or not all(self.output.owns(path) for path in left.files):
            return False
        for path in left.files:
            self.output.keep(path)
        self._left[unit.name] = (key, left.pages, list(left.files))
        return True

    def _write(self, unit: Unit, pages: list[Page]) -> None:
        paths = []
        for path, content in unit.files():
            self.output.add(path, content)
            paths.append(path)
        for page in pages:
            self.output.add(page.path, self.renderer.render(page, site=self.facts))
            paths.append(page.path)
            for path, picture in self._beside(page):
                if path not in paths:
                    self.output.add(path, picture)
                    paths.append(path)
        key = digest(self.base, unit.key) if self.memory else ""
        self._left[unit.name] = (key, len(pages), paths)

    def _beside(self, page: Page) -> Iterator[tuple[str, str | bytes]]:
        """Files of a page's figures, and its picture for link previews."""
        for figure in page.figures:
            if figure.downloads:
                drawn = [self.drawer.svg(drawing) for drawing in figure.drawings]
                yield from figure_files(figure, drawn, self.drawer.png)
        if page.image and page.template in {"article.html", "index.html"}:
            yield page.image, self.drawer.png(preview(page, self.facts), scale=1.0)

    def finish(self) -> Made:
        """Writes what still waits, and puts everything in place."""
        while self._window:
            self._write(*self._window.popleft())
        written = self.output.finish()
        pages = sum(pages for _, pages, _ in self._left.values())
        units = {}
        if self.memory:
            self._left["list of files"] = ("", 0, [MANIFEST])
            units = {name: self.memory.left(*left) for name, left in self._left.items()}
        return Made(pages, written, units)
