"""A run's live display: bars with the time left, and above them a line for each finished cell."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from accelreport.runner.events import CellEventLine, EndLine, RunLine
from accelreport.runner.plan import RunPlan
from accelreport.terminal.run_text import MARKS, duration
from accelreport.terminal.run_view import EndedCell, RunView
from accelreport.terminal.say import on_one_line

REFRESH_S = 0.5
"""Drawing costs CPU time of the measured machine, so it happens only twice a second."""

ECHOED = "^C^C"
"""A terminal may echo this after the last line. Rows leave room for it: on a new line, rich would
no longer remove all of its own lines.
"""

BAR, LEAST_NOTE = 24, 12
"""Width of a bar and of the text after it, for names of any length."""

MOST_ROWS = 8
"""Largest number of simultaneously measured cells that are drawn."""

STYLES = {"ok": "green", "partial": "yellow", "failed": "red", "skipped": "dim"}


class LiveProgress:
    """Draws the run with rich. A context manager, so that the cursor returns."""

    def __init__(self, console: Console, plan: RunPlan) -> None:
        self._console = console
        self._view = RunView.of(plan)
        self._drawn = 0.0
        self._live = Live(console=console, auto_refresh=False, transient=True)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._live.stop()

    def on(self, line: RunLine) -> None:
        """Draw an event."""
        if isinstance(line, EndLine):
            self._live.update("", refresh=True)
        for news in self._view.hear(line):
            self._print(news)
        if isinstance(line, CellEventLine):
            self.tick()
        elif not isinstance(line, EndLine):
            self._draw()

    def tick(self) -> None:
        """Count the remaining times down."""
        if time.monotonic() - self._drawn >= REFRESH_S:
            self._draw()

    def _print(self, news: str | EndedCell) -> None:
        if isinstance(news, str):
            self._console.print(on_one_line(news), markup=False, highlight=False)
            return
        if news.heading:
            self._console.print(Text(on_one_line(news.heading), style="bold"))
        text = Text(f"  {MARKS[news.status]} ", style=STYLES[news.status])
        text.append(on_one_line(news.name), style="default")
        failed = news.status == "failed"
        text.append(f"  {on_one_line(news.outcome)}", style="red" if failed else "default")
        text.append(f"  {news.took}" if news.took else "", style="dim")
        self._console.print(text)
        for remedy in news.remedies:
            self._print(remedy)

    def _draw(self) -> None:
        self._drawn = time.monotonic()
        self._live.update(self._picture(), refresh=True)

    def _picture(self) -> RenderableType:
        """The bar of the run, and a bar for each cell that is being measured."""
        view = self._view
        if view.waiting:
            return Group(Text(on_one_line(view.waiting), style="yellow"))
        table = Table.grid(padding=(0, 1), expand=True)
        table.width = room = max(60, self._console.width) - len(ECHOED)
        table.add_column(no_wrap=True, overflow="ellipsis", max_width=room - BAR - LEAST_NOTE)
        table.add_column(width=BAR)
        table.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
        left = view.left_s if view.finished < view.total else None
        table.add_row(
            f"{view.finished}/{view.total} cells",
            ProgressBar(total=max(view.total, 1), completed=view.finished, width=BAR),
            Text("" if left is None else f"about {duration(left)} of work left", style="dim"),
        )
        for cell in list(view.running.values())[:MOST_ROWS]:
            bar = ProgressBar(total=None, pulse=False, width=BAR)
            if cell.progress is not None:
                steps = max(cell.progress.steps, 1)
                bar = ProgressBar(total=steps, completed=cell.progress.step, width=BAR)
            table.add_row(Text(on_one_line(cell.name)), bar, Text(cell.text(), style="dim"))
        if len(view.running) > MOST_ROWS:
            table.add_row(f"and {len(view.running) - MOST_ROWS} more", "", "")
        return table
