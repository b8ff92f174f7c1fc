"""The reference of files: every key of a spec, a devices file, a record and an event."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from accelreport.loader.schema import devices_json_schema, json_schema
from accelreport.results.record import Record
from accelreport.runner.events import LINES
from accelreport.workloads.registry import FAMILIES
from docsite.schema_text import LISTS, Schema, definitions, escaped, label, spaced, table

PLACES = {
    "Source": "[source]",
    "Measure": "[measure]",
    "Target": "measure.target",
    "Published": "[[published]]",
    "Claim": "[[claims]]",
}
"""Model → how its table is written in a spec, where it has one place."""

CHECK = "claims.check"

ABOUT_SPEC = """\
# Keys of a spec

Everything that a spec may say, from the models that read it. `accelreport schema` prints the same
as JSON Schema, for editors.
"""

ABOUT_DEVICES = """\
# Keys of a device

A devices file holds `schema = 1` and one table for each device; its name is what specs call it.
`accelreport schema devices` prints the same as JSON Schema.
"""

ABOUT_RECORD = """\
# Fields of a record

A record is one file under `results/cells/`: all that was observed while one cell ran. Times are
in seconds, sizes in bytes, shares are fractions, instants are UTC. `accelreport schema record`
prints the same as JSON Schema.
"""

ABOUT_EVENTS = """\
# Events of a run

`accelreport run --json` prints one object a line, and its `event` says which it is.
`accelreport schema events` prints the same as JSON Schema.
"""


def spec_page() -> str:
    """The page of a spec's keys."""
    schema = json_schema()
    known = {name: each for name, each in definitions(schema).items() if name not in LISTS}
    kinds = {family.parameters.__name__: family.kind for family in FAMILIES.values()}
    parts = [
        ABOUT_SPEC,
        *_headed("spec", "spec", "At the top"),
        *table("spec", schema, known, "spec"),
    ]
    for name in PLACES:
        parts += _section(name, known, f"`{PLACES[name]}`")
    for name in known:
        if name.endswith("Check"):
            parts += _section(name, known, f"`{CHECK}`, {spaced(name).lower()}")
    for name, kind in sorted(kinds.items(), key=lambda each: each[1]):
        parts += _section(name, known, f'`[workload]` with `kind = "{kind}"`')
    named = {*PLACES, *kinds}
    for name in known:
        if name not in named and not name.endswith("Check"):
            parts += _section(name, known, spaced(name))
    return "\n".join(parts)


def devices_page() -> str:
    """The page of a devices file's keys."""
    schema = devices_json_schema()
    (device,) = schema["patternProperties"].values()
    return "\n".join([ABOUT_DEVICES, *table("Device", device, definitions(schema), "devices")])


def record_page() -> str:
    """The page of a record's fields."""
    schema = Record.model_json_schema()
    parts = [ABOUT_RECORD, *_headed("record", "Record", "Record")]
    parts += table("Record", schema, definitions(schema), "record")
    return "\n".join([*parts, *_sections(schema, "record")])


def events_page() -> str:
    """The page of the lines that `accelreport run --json` prints."""
    schema = LINES.json_schema()
    events: Mapping[str, str] = schema["discriminator"]["mapping"]
    told = [
        f"- [`{name}`](#{label('events', place.rsplit('/', 1)[-1])})"
        for name, place in events.items()
    ]
    return "\n".join([ABOUT_EVENTS, *told, "", *_sections(schema, "events")])


def _sections(schema: Schema, page: str) -> Iterator[str]:
    models = definitions(schema)
    for name in models:
        yield from _section(name, models, spaced(name), page)


def _headed(page: str, name: str, heading: str) -> Iterator[str]:
    yield f"\n({label(page, name)})=\n## {heading}\n"


def _section(
    name: str, models: Mapping[str, Schema], heading: str, page: str = "spec"
) -> Iterator[str]:
    model = models[name]
    yield from _headed(page, name, heading)
    if "description" in model:
        yield f"{escaped(str(model['description']))}\n"
    if "properties" in model:
        yield from table(name, model, models, page)
    elif "enum" in model:
        yield " or ".join(f"`{each}`" for each in model["enum"]) + "\n"
