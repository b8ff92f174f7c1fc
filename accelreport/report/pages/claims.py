"""Claims with their verdicts, the rule that tested them and the numbers it used."""

from __future__ import annotations

import re
from collections.abc import Sequence

from accelreport.analysis.claims import ClaimResult, ClaimVerdict, Lack
from accelreport.report import formatting
from accelreport.report.bench import Bench
from accelreport.report.claim_text import (
    beside_text,
    numbers_text,
    published_text,
    rule_text,
    source_of,
)
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
from accelreport.report.pages.marks import SYNTHETIC, kind_text
from accelreport.report.text import label, tied

_TONES: dict[ClaimVerdict, Tone] = {
    ClaimVerdict.CONFIRMED: "good",
    ClaimVerdict.REFUTED: "bad",
    ClaimVerdict.UNDECIDED: "loud",
    ClaimVerdict.WITHHELD: "loud",
}
_MEANINGS = {
    ClaimVerdict.CONFIRMED: "The whole interval fulfils the rule.",
    ClaimVerdict.REFUTED: "The whole interval contradicts the rule.",
    ClaimVerdict.UNDECIDED: "The interval holds both, or there is none.",
    ClaimVerdict.WITHHELD: "What the rule compares must not be compared.",
    ClaimVerdict.NOT_TESTED: "A device that the rule needs was not measured.",
}


def claims_section(benches: Sequence[Bench]) -> Section | None:
    """The section of one benchmark, or of all; None where no spec makes a claim."""
    every = [found for bench in benches for found in bench.tested]
    if not every:
        return None
    counts = {verdict: sum(each.verdict is verdict for each in every) for verdict in ClaimVerdict}
    said = [f"{count} {verdict.lower()}" for verdict, count in counts.items() if count]
    finding = f"Of {formatting.plural(len(every), 'claim')}: {formatting.listed(said)}."
    if made_up := sum(each.synthetic for each in every):
        finding += f" {_made_up(made_up, sum(each.tested for each in every))}"
    title = "Claims" if len(benches) == 1 else "Claims and verdicts"
    return Section("claims", title, (claims_table(benches, "claims-table"),), finding=finding)


def _made_up(synthetic: int, tested: int) -> str:
    """How many verdicts come from synthetic data."""
    if synthetic == tested:
        return "Every verdict comes from synthetic data."
    return f"{formatting.plural(synthetic, 'verdict comes', 'verdicts come')} from synthetic data."


def claims_table(benches: Sequence[Bench], identity: str) -> Table:
    """Claims of one benchmark in the order of its spec; those of all with the tested ones first."""
    several = len(benches) > 1
    made = {bench.slug: list(bench.tested) for bench in benches if bench.tested}
    if several:
        made = {slug: sorted(found, key=_rank) for slug, found in made.items()}
        benches = sorted(
            benches, key=lambda bench: min(map(_rank, made.get(bench.slug, [])), default=0)
        )
    groups = tuple(
        RowGroup(
            tuple(_row(bench, found) for found in made[bench.slug]),
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


def _rank(found: ClaimResult) -> int:
    """What is decided first, what was not tested here last."""
    if found.verdict is ClaimVerdict.NOT_TESTED:
        return 2
    return int(found.verdict in {ClaimVerdict.UNDECIDED, ClaimVerdict.WITHHELD})


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


def _untested(bench: Bench, found: ClaimResult) -> str:
    """Which devices a claim would need, and why they have no number."""
    reasons: dict[str, list[str]] = {}
    for name in (each.device for each in found.missing if each.lack is Lack.DEVICE):
        rows = [row for row in bench.rows if row.device == name]
        if name in bench.plan.devices and rows:
            why = formatting.listed(sorted({kind_text(row) for row in rows}))
            reasons.setdefault(why, []).append(bench.title_of(name))
    if not reasons:
        return _worded(bench, label(numbers_text(found), 600))
    return "; ".join(
        f"{formatting.listed(sorted(who))} not measured: {why}" for why, who in reasons.items()
    )


def _measured(bench: Bench, found: ClaimResult) -> list[Line]:
    """The numbers one under another; the sentence of the analysis where there are none."""
    lines = number_lines(found.numbers, lambda text: _worded(bench, text))
    return [Line(line) for line in lines] or [Line(_untested(bench, found))]


def _row(bench: Bench, found: ClaimResult) -> Row:
    verdict, claim = found.verdict, found.claim
    badge = Badge(verdict.lower(), _MEANINGS[verdict], _TONES.get(verdict, "quiet"))
    measured = _measured(bench, found)
    if found.numbers and found.withheld:
        measured += [Line(_worded(bench, each), "reason") for each in beside_text(found)]
    if published_text(bench.plan, claim.check):
        measured.append(Line("Published figures bear on it, too.", "reason"))
    machines = {series.machine for series in bench.series if series.machine}
    if found.machine and len(machines) > 1:
        measured.append(Line(f"on machine {label(found.machine, 20)}", "reason"))
    rule = label(rule_text(bench.plan, claim.check), 400)
    return Row(
        Entry((Line(label(claim.text, 400)),)),
        (
            Entry((), badges=(badge, *([SYNTHETIC] if found.synthetic else []))),
            Entry(tuple(measured)),
            Entry((Line(_worded(bench, rule)),)),
            Entry((Line(label(source_of(bench.plan, claim), 200)),)),
        ),
    )
