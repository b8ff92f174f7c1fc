"""What was measured last, as an Atom feed (RFC 4287)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from xml.etree import ElementTree as ET

from accelreport.report import formatting
from accelreport.report.bench import Bench
from accelreport.report.facts import SiteFacts
from accelreport.report.pages.finding import headline
from accelreport.report.text import label

FEED = "feed.xml"
_ATOM = "http://www.w3.org/2005/Atom"
EPOCH = datetime.fromisoformat("1970-01-01T00:00:00+00:00")
"""When a site was changed whose records do not say it."""


def feed(benches: Sequence[Bench], facts: SiteFacts) -> str:
    """The feed: an entry for each machine's run of a benchmark, the newest first.

    Only records date an entry, so building again changes nothing.
    """
    runs = [(when, bench, machine) for bench in benches for machine, when in _ends(bench)]
    runs.sort(key=lambda run: (run[0], run[1].slug, run[2]), reverse=True)
    newest = runs[0][0] if runs else EPOCH
    root = ET.Element("feed", xmlns=_ATOM)
    _text(root, "title", facts.title)
    _text(root, "id", facts.address)
    _text(root, "updated", newest.isoformat())
    ET.SubElement(root, "link", href=facts.address)
    ET.SubElement(root, "link", rel="self", href=f"{facts.address}{FEED}")
    author = ET.SubElement(root, "author")
    _text(author, "name", facts.title)
    for when, bench, machine in runs:
        entry = ET.SubElement(root, "entry")
        page = f"{facts.address}{bench.slug}.html"
        title = f"{label(bench.plan.title)} ({label(bench.plan.profile, 40)})"
        _text(entry, "title", f"{title} on machine {label(machine, 12)}")
        _text(entry, "id", f"{page}#run-{label(machine, 12)}-{when:%Y%m%dT%H%M%SZ}")
        _text(entry, "updated", when.isoformat())
        ET.SubElement(entry, "link", href=page)
        _text(entry, "summary", headline(bench))
    ET.indent(root, "")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _text(parent: ET.Element, name: str, text: str) -> None:
    ET.SubElement(parent, name).text = text


def _ends(bench: Bench) -> list[tuple[str, datetime]]:
    """Machines, and when each ended its last cell."""
    ends: dict[str, datetime] = {}
    for (_, machine), record in bench.records.items():
        when = formatting.instant(record.finished_at)
        if when is not None:
            ends[machine] = max(when, ends.get(machine, when))
    return list(ends.items())
