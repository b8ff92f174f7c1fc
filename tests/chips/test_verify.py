"""What `accelreport verify` refuses and doubts, and that it refuses no honest measurement."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from accelreport.chips.agreement import between, trace_of
from accelreport.chips.board import board_of
from accelreport.chips.contribution import SHIPPED, Contribution, read, write
from accelreport.chips.verify import Doubt, doubts, record_doubts
from accelreport.results.store import Store
from tests.chips.forgeries import (
    KINDS,
    Raw,
    contribution_from,
    divided,
    forgeries,
    raw_of,
    scaled,
)
from tests.house.tree import ROOT
from tests.support.edited import EXAMPLE

HONEST = Path(__file__).with_name("honest.zip")
"""What `accelreport contribute` wrote on a processor with other programs beside it."""

(SHIPPED_FILE,) = SHIPPED.glob("*.zip")
"""What the same machine contributed later, with more cells."""

EACH = 3
"""Forgeries of each kind."""


@pytest.fixture(scope="module")
def honest() -> Contribution:
    return read(HONEST)


@pytest.fixture(scope="module")
def shipped() -> Contribution:
    return read(SHIPPED_FILE)


def refusals(contribution: Contribution) -> list[Doubt]:
    return [doubt for doubt in doubts(contribution) if doubt.refuses]


def test_honest_contributions_are_accepted(honest: Contribution, shipped: Contribution) -> None:
    """Both were measured beside many other programs."""
    assert refusals(honest) == refusals(shipped) == []
    assert between([trace_of(shipped), trace_of(honest)]) == [[], []]


def test_no_measured_record_of_the_example_is_refused_but_forecasts() -> None:
    """Their one validation example is a whole series. No spec that chips share forecasts."""
    records = [record for record in Store(EXAMPLE).records() if record.measured]
    assert len(records) >= 195
    doubted = ((record.cell.spec, d) for record in records for d in record_doubts(record))
    assert {(spec, d.kind) for spec, d in doubted if d.refuses} == {("beijing_gru", "evaluation")}


def _of_half(raw: Raw) -> list[Raw]:
    records = sorted(raw["records"], key=lambda record: record["started_at"])
    return records[len(records) // 2 :]


def _moved(record: Raw, seconds: float) -> None:
    for name in ("started_at", "finished_at"):
        instant = datetime.fromisoformat(record[name]) + timedelta(seconds=seconds)
        record[name] = instant.isoformat(timespec="milliseconds")


def _restarted(raw: Raw) -> None:
    for record in _of_half(raw):
        record["environment"] |= {"os": "Linux 6.19.1 (x86_64)", "memory_bytes": 25276502000}
        record["environment"]["packages"] |= {"numpy": "2.4.7"}


def _set_back(raw: Raw) -> None:
    for record in _of_half(raw):
        _moved(record, -0.5)


def _throttled(raw: Raw) -> None:
    """The later half takes 2.2 times as long, from the first step to the last."""
    behind = 0.0
    for record in _of_half(raw):
        before = record["times"]["train_s"] or sum(b["wall_s"] for b in record["blocks"])
        budget = record["cell"]["measure"]["budget"]
        scaled(record, 2.2, stamps=True, rounded=True)
        longer = sum(block["wall_s"] for block in record["blocks"]) - before
        if record["status"] == "ok" and before + longer < budget:
            divided(record)
            record["times"]["wall_s"] += longer
        else:
            scaled(record, 1 / 2.2, stamps=True, rounded=True)
            longer = 0.0
        _moved(record, behind)
        behind += longer
        ended = datetime.fromisoformat(record["finished_at"]) + timedelta(seconds=longer)
        record["finished_at"] = ended.isoformat(timespec="milliseconds")
        if not record["epochs"]:
            record["times"]["train_s"] = None


def _coarse(raw: Raw) -> None:
    """A clock of a microsecond."""
    for record in raw["records"]:
        for block in record["blocks"]:
            block["wall_s"] = round(block["wall_s"], 6)
        trained = record["times"]["train_s"] is not None
        scaled(record, 1.0, stamps=False, rounded=True)
        if not trained:
            record["times"]["train_s"] = None


def _failed(raw: Raw) -> None:
    """A repeat that ran out of memory."""
    record = next(r for r in raw["records"] if r["epochs"] and r["cell"]["repeat"] == 2)
    record |= {"status": "failed", "failure": {"kind": "oom-host", "message": "killed"}}
    record |= {"blocks": [], "epochs": []}


def _stopped(raw: Raw) -> None:
    """A process that was stopped for three seconds."""
    record = next(r for r in raw["records"] if r["epochs"] and r["status"] == "ok")
    block = record["blocks"][5]
    block |= {"wall_s": round(block["wall_s"] + 3, 9), "stopped_s": 3.0}
    block["step_s"][0] = round(block["step_s"][0] + 3, 7)
    scaled(record, 1.0, stamps=False, rounded=True)
    next(c for c in record["checks"] if c["name"] == "stopped")["outcome"] = "failed"
    _longer(raw, [record], 3)


def _cold(raw: Raw) -> None:
    """Libraries that a slow disk reads."""
    for record in raw["records"]:
        record["times"]["import_s"] += 25
    _longer(raw, raw["records"], 25)


def _longer(raw: Raw, records: list[Raw], seconds: float) -> None:
    late = 0.0
    for record in sorted(raw["records"], key=lambda record: record["started_at"]):
        _moved(record, late)
        if record in records:
            record["times"]["wall_s"] += seconds
            ended = datetime.fromisoformat(record["finished_at"]) + timedelta(seconds=seconds)
            record["finished_at"] = ended.isoformat(timespec="milliseconds")
            late += seconds


def _busy(raw: Raw) -> None:
    for record in raw["records"]:
        for block in record["blocks"]:
            block["other_cpu_s"] = round(0.8 * block["wall_s"], 3)
        for check in record["checks"]:
            check["outcome"] = "failed" if check["name"] == "loaded-machine" else check["outcome"]


def _unstamped(raw: Raw) -> None:
    for record in raw["records"]:
        for block in record["blocks"]:
            block |= {"step_s": [], "other_cpu_s": None}


def _elsewhere(raw: Raw) -> None:
    for record in raw["records"]:
        for name in ("started_at", "finished_at"):
            instant = datetime.fromisoformat(record[name]).astimezone(timezone(timedelta(hours=2)))
            record[name] = instant.isoformat(timespec="milliseconds")


def _older(raw: Raw) -> None:
    for record in raw["records"]:
        record["environment"]["packages"]["tensorflow-cpu"] = "2.20.0"


HONEST_VARIATIONS: dict[str, tuple[Callable[[Raw], None], str]] = {
    "restarted and updated between two cells": (_restarted, "machine"),
    "a clock set back half a second": (_set_back, "overlap"),
    "a laptop that throttles": (_throttled, "pace"),
    "a clock of a microsecond": (_coarse, "digits"),
    "a repeat without memory": (_failed, "repeats"),
    "a process that was stopped": (_stopped, "stopped"),
    "a slow disk": (_cold, ""),
    "other programs": (_busy, "loaded-machine"),
    "no stamps and no load": (_unstamped, ""),
    "another time zone": (_elsewhere, ""),
    "an older release": (_older, ""),
}
"""What happens to an honest machine, and the doubt that it leaves, if any."""


@pytest.mark.parametrize(
    ("change", "kind"), HONEST_VARIATIONS.values(), ids=list(HONEST_VARIATIONS)
)
def test_what_happens_to_an_honest_machine_is_a_doubt_and_no_refusal(
    shipped: Contribution, change: Callable[[Raw], None], kind: str
) -> None:
    raw = raw_of(shipped)
    change(raw)
    reasons = doubts(contribution_from(raw))
    assert [doubt for doubt in reasons if doubt.refuses] == []
    assert {doubt.kind for doubt in reasons} >= {kind} - {""}


def table(shipped: Contribution) -> Iterator[str]:
    """The table of forgeries.md: what is forged, how many of it are noticed, and by what."""
    yield "| forged | refused | a person should look | by |"
    yield "|---|--:|--:|---|"
    refused, doubted = Counter[str](), Counter[str]()
    for kind in KINDS:
        by: set[str] = set()
        for forgery in forgeries(shipped, EACH, kinds=[kind]):
            reasons = doubts(forgery.contribution)
            by |= {doubt.kind for doubt in reasons}
            refuses = any(doubt.refuses for doubt in reasons)
            refused[kind] += refuses
            doubted[kind] += bool(reasons) and not refuses
        names = ", ".join(f"`{name}`" for name in sorted(by)) or "–"
        yield f"| {kind} | {refused[kind]} of {EACH} | {doubted[kind]} of {EACH} | {names} |"
    whole = EACH * len(KINDS)
    yield f"| **all {whole}** | **{refused.total()}** | **{doubted.total()}** | |"


def test_the_documentation_has_the_share_of_forgeries_that_is_noticed(
    shipped: Contribution,
) -> None:
    """Where these numbers change, so does the page."""
    rows = list(table(shipped))
    page = (ROOT / "tests" / "chips" / "forgeries.md").read_text(encoding="utf-8")
    assert "\n".join(rows) in page
    every, refused, doubted = re.findall(r"\*\*(?:all )?(\d+)\*\*", rows[-1])
    summary = " ".join((ROOT / "docs" / "chips.md").read_text(encoding="utf-8").split())
    assert f"Of {every} forgeries, {refused} are refused, and {doubted} are named" in summary
    assert int(refused) + int(doubted) == int(every)


def of_another_machine(contribution: Contribution) -> Contribution:
    """The same under another fingerprint and another date."""
    raw = raw_of(contribution)
    for record in raw["records"]:
        _moved(record, 98_765.4)
        record["environment"]["machine"] = "0" * 8
    return contribution_from(raw)


def test_a_forgery_that_agrees_with_itself_is_unlike_chips_of_its_kind(
    shipped: Contribution,
) -> None:
    """What one file cannot show, another machine of the same hardware does."""
    unlike = [
        "unlike" in {reason.kind for reason in between([trace_of(shipped), trace_of(other)])[1]}
        for forgery in forgeries(shipped, 6, kinds=["all complete calls of a device scaled"])
        for other in (of_another_machine(forgery.contribution),)
    ]
    assert sum(unlike) > 2


def test_the_same_measurement_is_contributed_once(honest: Contribution) -> None:
    first, second = between([trace_of(honest), trace_of(of_another_machine(honest))])
    assert first == []
    assert [doubt.kind for doubt in second if doubt.refuses] == ["duplicate"]


MALFORMED: dict[str, Callable[[dict[str, Any]], object]] = {
    "an accuracy that is none": lambda raw: raw["final"].update(val_accuracy="NaN"),
    "no batch size": lambda raw: raw["cell"]["workload"].pop("batch_size"),
    "a batch of nothing": lambda raw: raw["cell"]["workload"].update(batch_size=0),
    "a batch in words": lambda raw: raw["cell"]["workload"].update(batch_size="many"),
    "no layers": lambda raw: raw.update(network=None),
    "a confusion of no classes": lambda raw: raw.update(confusion={"classes": [], "counts": []}),
    "steps that take no time": lambda raw: [
        block.update(step_s=[0.0] * len(block["step_s"])) for block in raw["blocks"]
    ],
}


@pytest.mark.parametrize("change", MALFORMED.values(), ids=list(MALFORMED))
def test_a_malformed_file_is_refused_by_name_and_the_others_are_ranked(
    change: Callable[[dict[str, Any]], object], honest: Contribution, tmp_path: Path
) -> None:
    raw = raw_of(honest)
    change(next(record for record in raw["records"] if record["epochs"] and record["final"]))
    forged = contribution_from(raw)
    assert {"invalid", "spec"} & {reason.kind for reason in refusals(forged)}
    write(forged, tmp_path / "malformed.zip")
    shutil.copy(SHIPPED_FILE, tmp_path / "sound.zip")
    board = board_of(tmp_path)
    (refusal,) = board.refused
    assert refusal.file == "malformed.zip"
    assert any(
        "is none that a measurement has" in reason or "no such cell" in reason
        for reason in refusal.reasons
    )
    assert [machine.file for machine in board.machines] == ["sound.zip"]
