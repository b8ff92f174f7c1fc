"""The reference of files: every key of a spec, a devices file, a record and an event."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from accelreport.results.record import Record
from accelreport.runner.events import LINES
from accelreport.spec.schema import devices_json_schema, json_schema
from accelreport.workloads.registry import FAMILIES
from docsite.markdown import escaped
from docsite.schema_text import LISTS, Schema, definitions, spaced, table

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
`accelreport schema --devices` prints the same as JSON Schema.
"""

ABOUT_RECORD = """\
# Fields of a record

A record is one file under `results/cells/`: all that was observed while one cell ran. Times are
in seconds, sizes in bytes, shares are fractions, instants are UTC. `accelreport schema --record`
prints the same as JSON Schema.
"""

ABOUT_EVENTS = """\
# Events of a run

`accelreport run --json` prints one object a line, and its `event` says which it is.
`accelreport schema --events` prints the same as JSON Schema.
"""


def spec_page() -> str:
    """The page of a spec's keys."""
    schema = json_schema()
    known = {name: each for name, each in definitions(schema).items() if name not in LISTS}
    kinds = {family.parameters.__name__: family.kind for family in FAMILIES.values()}
    parts = [ABOUT_SPEC, "## At the top {#spec}\n", *table("spec", schema, known)]
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
    return "\n".join([ABOUT_DEVICES, *table("Device", device, definitions(schema))])


def record_page() -> str:
    """The page of a record's fields."""
    schema = Record.model_json_schema()
    parts = [ABOUT_RECORD, "## Record {#Record}\n", *table("Record", schema, definitions(schema))]
    return "\n".join([*parts, *_sections(schema)])


def events_page() -> str:
    """The page of the lines that `accelreport run --json` prints."""
    schema = LINES.json_schema()
    events: Mapping[str, str] = schema["discriminator"]["mapping"]
    told = [f"- [`{name}`](#{place.rsplit('/', 1)[-1]})" for name, place in events.items()]
    return "\n".join([ABOUT_EVENTS, *told, "", *_sections(schema)])


def _sections(schema: Schema) -> Iterator[str]:
    models = definitions(schema)
    for name in models:
        yield from _section(name, models, spaced(name))


def _section(name: str, models: Mapping[str, Schema], heading: str) -> Iterator[str]:
    model = models[name]
    yield f"## {heading} {{#{name}}}\n"
    if "description" in model:
        yield f"{escaped(str(model['description']))}\n"
    if "properties" in model:
        yield from table(name, model, models)
    elif "enum" in model:
        yield " or ".join(f"`{each}`" for each in model["enum"]) + "\n"
