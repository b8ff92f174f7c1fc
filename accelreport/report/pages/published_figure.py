"""Somebody else's figures and ours drawn on one scale."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from accelreport.report import formatting
from accelreport.report.bench import Bench
from accelreport.report.charts.drawing import Named, panel
from accelreport.report.charts.published import Pair, published_pairs
from accelreport.report.charts.scales import percent_text, plain, plain_duration
from accelreport.report.frames import Rows, plain_rows, present
from accelreport.report.metrics import FIGURES, figure_text, printed_text
from accelreport.report.model import Figure, Key, Panel
from accelreport.report.text import label, sentence
from accelreport.report.theme import COLOURS
from accelreport.report.words import axis_title


def rows_by_figure(bench: Bench) -> dict[str, Rows]:
    """Published rows of each kind of figure that there are any of, in the order of `FIGURES`."""
    found: dict[str, Rows] = {}
    for row in plain_rows(bench.published):
        found.setdefault(row["figure"], []).append(row)
    return {figure: found[figure] for figure in FIGURES if figure in found}


def published_figure(bench: Bench, most_rows: int = 0) -> Figure:
    """A drawing for each kind of figure, published and measured on one scale.

    Args:
        bench: the benchmark.
        most_rows: rows of a drawing at most; those of one kind are then shared out evenly.
    """
    panels = []
    by_figure = rows_by_figure(bench)
    devices = [_device(bench, row) for rows in by_figure.values() for row in rows]
    for figure, part, rows in _shares(by_figure, most_rows):
        name = FIGURES[figure][0]
        pairs = [_pair(bench, row) for row in rows]
        make = published_pairs(
            pairs,
            shown=devices,
            axis_title=name,
            text=_tick(figure),
            share=FIGURES[figure][1] == "share",
        )
        said = "; ".join(
            _sentence(pair.row, figure, row) for pair, row in zip(pairs, rows, strict=True)
        )
        number = list(FIGURES).index(figure)
        drawn = panel(
            make,
            prefix=f"pm{number}{part}",
            title=f"Published and measured {name}",
            description=said,
        )
        panels.append(Panel(drawn.wide, drawn.narrow, title=sentence(name)))
    return Figure(
        id="published-pairs",
        title="Published (◇) and measured here (●)",
        caption=(
            "A diamond is somebody else's figure as printed, a dot ours with its 95 % interval "
            "over processes, the rule between them their distance. Dashed: the published "
            "conditions differ from the spec's. Crossed out: it cannot be. A diamond alone: the "
            "device was not measured here."
        ),
        panels=tuple(panels),
        stacked=True,
        keys=_keys(bench, by_figure),
    )


def _shares(by_figure: dict[str, Rows], most_rows: int) -> Iterator[tuple[str, str, Rows]]:
    """Kind of figure, a letter where it has several drawings, and the rows of each."""
    for figure, rows in by_figure.items():
        count = -(-len(rows) // most_rows) if most_rows else 1
        size = -(-len(rows) // count)
        for number in range(count):
            part = chr(ord("a") + number) if count > 1 else ""
            yield figure, part, rows[number * size : (number + 1) * size]


def _keys(bench: Bench, by_figure: dict[str, Rows]) -> tuple[Key, ...]:
    devices = dict.fromkeys(_device(bench, row) for rows in by_figure.values() for row in rows)
    return tuple(Key(each.title, f"s{each.colour % COLOURS}") for each in devices)


def _device(bench: Bench, row: dict[str, Any]) -> Named:
    return Named(bench.title_of(row["device"]), bench.colours[row["device"]])


def _sentence(name: str, figure: str, row: dict[str, Any]) -> str:
    ours = figure_text(figure, row["measured"]) if present(row["measured"]) else "nothing"
    return f"{name}: published {printed_text(figure, row['published'])}, measured {ours}"


def row_name(bench: Bench, row: dict[str, Any]) -> str:
    """What a published row is called: its sweep point, its label, and the machine it is beside."""
    point = row["point"]
    where = ", ".join(f"{axis_title(k)} {label(v, 30)}" for k, v in point.items())
    if len(point) == 1 == len(bench.axes):
        where = label(next(iter(point.values())), 30)
    machines = {series.machine for series in bench.series if series.machine}
    name = f"{where} · {label(row['label'], 44)}" if where else label(row["label"], 44)
    return f"{name} @ {label(row['machine'], 12)}" if len(machines) > 1 and row["machine"] else name


def _pair(bench: Bench, row: dict[str, Any]) -> Pair:
    known = present(row["measured"])
    interval = known and present(row["low"]) and present(row["high"])
    return Pair(
        row=row_name(bench, row),
        device=_device(bench, row),
        published=float(row["published"]),
        measured=float(row["measured"]) if known else None,
        low=float(row["low"]) if interval else None,
        high=float(row["high"]) if interval else None,
        comparable=bool(row["comparable"]),
        flagged=bool(row["flags"]),
    )


def _tick(figure: str) -> Any:
    unit = FIGURES[figure][1]
    texts = {
        "time": plain_duration,
        "share": percent_text,
        "number": formatting.short,
        "ratio": lambda value: f"{plain(value)}×",
    }
    return texts[unit]
