"""Claims with their verdicts, the rule that tested them and the numbers it used."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from accelreport.report import formatting
from accelreport.report.bench import Bench
from accelreport.report.frames import plain_rows
from accelreport.report.metrics import FIGURES, metric_title
from accelreport.report.model import (
    Badge,
    Column,
    Download,
    Entry,
    Line,
    Row,
    RowGroup,
    Section,
    Table,
    Tone,
)
from accelreport.report.pages.claim_numbers import number_lines
from accelreport.report.pages.marks import kind_text
from accelreport.report.text import label, tied

_TONES: dict[str, Tone] = {"CONFIRMED": "good", "REFUTED": "bad", "UNDECIDED": "loud"}
_MEANINGS = {
    "CONFIRMED": "The whole interval fulfils the rule.",
    "REFUTED": "The whole interval contradicts the rule.",
    "UNDECIDED": "The interval holds both, or there is none.",
    "NOT TESTED HERE": "A device that the rule needs was not measured.",
}
_ORDER = ("CONFIRMED", "REFUTED", "UNDECIDED", "NOT TESTED HERE")


def claims_section(benches: Sequence[Bench]) -> Section | None:
    """The section of one benchmark, or of all; None where no spec makes a claim."""
    rows = [row for bench in benches for row in plain_rows(bench.claims)]
    if not rows:
        return None
    counts = {verdict: sum(row["verdict"] == verdict for row in rows) for verdict in _ORDER}
    said = [f"{count} {verdict.lower()}" for verdict, count in counts.items() if count]
    finding = f"Of {formatting.plural(len(rows), 'claim')}: {formatting.listed(said)}."
    title = "Claims" if len(benches) == 1 else "Claims and verdicts"
    return Section("claims", title, (claims_table(benches, "claims-table"),), finding=finding)


def claims_table(benches: Sequence[Bench], identity: str) -> Table:
    """Claims of one benchmark in the order of its spec; those of all with the tested ones first."""
    several = len(benches) > 1
    made = {bench.slug: plain_rows(bench.claims) for bench in benches if not bench.claims.empty}
    if several:
        made = {slug: sorted(rows, key=_rank) for slug, rows in made.items()}
        benches = sorted(
            benches, key=lambda bench: min(map(_rank, made.get(bench.slug, [])), default=0)
        )
    groups = tuple(
        RowGroup(
            tuple(_row(bench, row) for row in made[bench.slug]),
            title=label(bench.plan.title) if several else "",
            href=f"{bench.slug}.html#claims" if several else "",
            detail=f"{label(bench.plan.profile, 40)} profile" if several else "",
        )
        for bench in benches
        if bench.slug in made
    )
    return Table(
        id=identity,
        title="Each sentence, and what was measured",
        caption=(
            "Each sentence is tested by a rule written into the spec. A claim is confirmed or "
            "refuted only when the whole interval lies on one side."
        ),
        corner="claim",
        columns=(
            Column("verdict"),
            Column("measured", wide=True),
            Column("rule", wide=True),
            Column("said by"),
        ),
        groups=groups,
        style="prose",
        download=None if several else Download(f"{benches[0].slug}/claims.csv", "CSV"),
    )


def _rank(row: dict[str, Any]) -> int:
    """What is decided first, what was not tested here last."""
    return {"UNDECIDED": 1, "NOT TESTED HERE": 2}.get(row["verdict"], 0)


_QUANTITIES = {
    "first_epoch_time": "time of the first epoch",
    "epoch_time": "time of a later epoch",
    "step_time": "time of a step",
    "total_time": "time of the whole training",
    "tflops_cold": "TFLOPS of the first call",
    "tflops": "TFLOPS of later calls",
}
"""Quantities of rules that the table of published figures calls by a heading, in a sentence."""

_NAME = re.compile(r"[A-Za-z][\w.-]*\w")
_ABSENT = re.compile(r"(?:^|; )([\w.-]+) was not measured \(")


def _worded(bench: Bench, text: str) -> str:
    """A sentence of the analysis with devices and quantities as the page calls them."""

    def word(found: re.Match[str]) -> str:
        name = found[0]
        if name in bench.plan.devices:
            return bench.title_of(name)
        if name in FIGURES:
            return _QUANTITIES.get(name, FIGURES[name][0])
        if name.startswith("val_"):
            return metric_title(name)
        return name.replace("_", " ")

    return tied(_NAME.sub(word, text))


def _untested(bench: Bench, numbers: str) -> str:
    """Which devices a claim would need, and why they have no number."""
    reasons: dict[str, list[str]] = {}
    for name in _ABSENT.findall(numbers):
        rows = [row for row in bench.rows if row["device"] == name]
        if name in bench.plan.devices and rows:
            why = formatting.listed(sorted({kind_text(row) for row in rows}))
            reasons.setdefault(why, []).append(bench.title_of(name))
    if not reasons:
        return _worded(bench, label(numbers, 600))
    return "; ".join(
        f"{formatting.listed(sorted(who))} not measured: {why}" for why, who in reasons.items()
    )


def _measured(bench: Bench, row: dict[str, Any]) -> list[Line]:
    """The numbers one under another; the sentence of the analysis where there are none."""
    lines = number_lines(row["evidence"], lambda text: _worded(bench, text))
    return [Line(line) for line in lines] or [Line(_untested(bench, str(row["numbers"])))]


def _row(bench: Bench, row: dict[str, Any]) -> Row:
    verdict = row["verdict"]
    badge = Badge(verdict.lower(), _MEANINGS.get(verdict, ""), _TONES.get(verdict, "quiet"))
    measured = _measured(bench, row)
    if row["published"]:
        text = "Published figures bear on it, too."
        measured.append(Line(text, "reason"))
    machines = {series.machine for series in bench.series if series.machine}
    if row["machine"] and len(machines) > 1:
        measured.append(Line(f"on machine {label(row['machine'], 20)}", "reason"))
    return Row(
        Entry((Line(label(row["text"], 400)),)),
        (
            Entry((), badges=(badge,)),
            Entry(tuple(measured)),
            Entry((Line(_worded(bench, label(row["rule"], 400))),)),
            Entry((Line(label(row["source"], 200)),)),
        ),
    )
