"""The stages of one process as an example: what is timed, and what each number is made of."""

from __future__ import annotations

import altair as alt

from accelreport.report.charts.drawing import ROOMY, Chart, Layer, rows
from accelreport.report.charts.scales import Scale

STAGES = (
    ("start-up", 0, 22, "p1"),
    ("first step", 22, 36, "p3"),
    ("warm-up", 36, 45, "p2"),
    ("window", 45, 57, "p0"),
    ("window", 58, 70, "p0"),
    ("evaluation", 71, 80, "wash"),
    ("window", 81, 89, "p0"),
    ("window", 90, 98, "p0"),
)
"""What a process does from its start (0) to its end (100), and the colour of each stage."""
SPANS = (
    ("cold start", 0, 36, 0),
    ("steady time", 45, 98, 0),
    ("process start, imports, model", 0, 22, 1),
    ("trace, compile, run", 22, 36, 1),
    ("time in the windows ÷ their steps", 45, 98, 1),
)
"""What numbers are made of, in two lines."""
MEANINGS = (
    ("start-up", "p1", "process start, imports, data and model", "the cold start"),
    ("first step", "p3", "trace, compile and run", "the cold start"),
    ("warm-up", "p2", "steps that are still faster or slower than later ones", "no number"),
    ("windows", "p0", "steady steps, between two synchronisations", "the steady time"),
    ("evaluation", "", "all validation examples, after each epoch", "no number"),
)
"""Each stage: its name, the colour of its key, what happens in it, and which number holds it."""
_BAR, _LINE, _TOP = 44.0, 30.0, 24.0
"""Heights of the bar, of a line of spans, and of what stands above the bar."""


def process_chart(width: int) -> Chart:
    """The chart; one that is narrow has no words but those of the two numbers."""
    roomy = width > ROOMY
    spans = [span for span in SPANS if roomy or not span[3]]
    bottom = _TOP + _BAR
    x = Scale(domain=[0, 100], range=[0, width])
    y = Scale(domain=[0, 1], range=[0, 1])

    def across(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=x, axis=None)

    def down(field: str) -> alt.Y:
        return alt.Y(f"{field}:Q", scale=y, axis=None)

    bars = rows(
        [
            {
                "from": start, "to": end, "top": _TOP, "bottom": bottom,
                "colour": f"var(--{colour})", "edge": "var(--soft)",
            }
            for _, start, end, colour in STAGES
        ]
    )  # fmt: skip
    plain = {"scale": None, "legend": None}
    lines = [
        {
            "from": start + 0.4, "to": end - 0.4, "middle": (start + end) / 2,
            "y": bottom + 14 + _LINE * line, "said": bottom + 27 + _LINE * line, "text": text,
        }
        for text, start, end, line in spans
    ]  # fmt: skip
    names = [
        {"middle": (start + end) / 2, "y": _TOP - 9, "text": text}
        for text, start, end, _ in STAGES
        if roomy
    ]
    layers = [
        Layer(bars).mark_rect(strokeWidth=0.75).encode(
            x=across("from"), x2=alt.X2("to"), y=down("top"), y2=alt.Y2("bottom"),
            fill=alt.Fill("colour:N", **plain), stroke=alt.Stroke("edge:N", **plain),
        ),
        Layer(rows(lines)).mark_rule(stroke="var(--ink)", strokeWidth=1.5).encode(
            x=across("from"), x2=alt.X2("to"), y=down("y")
        ),
        Layer(rows(lines)).mark_text(fontSize=12, limit=0).encode(
            x=across("middle"), y=down("said"), text=alt.Text("text:N")
        ),
        Layer(rows(names)).mark_text(fontSize=12, fontWeight="bold").encode(
            x=across("middle"), y=down("y"), text=alt.Text("text:N")
        ),
    ]  # fmt: skip
    lowest = bottom + 35 + _LINE * max(line for *_, line in spans)
    return Chart(layers, width - 12, lowest)
