"""The reference is complete: each key, field, option and code has a place of its own."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import pytest
import typer.main
from pydantic import BaseModel

import accelreport
from accelreport.analysis.hardware import HARDWARE
from accelreport.cli import app
from accelreport.errors import ExitCode
from accelreport.results.record import Record
from accelreport.runner.events import LINES
from accelreport.spec.base import fields_of
from accelreport.spec.claims import Claim
from accelreport.spec.device import Device
from accelreport.spec.models import Measure, Published, Source, SpecDocument, Target
from accelreport.workloads.registry import FAMILIES
from docsite.sources import quotations
from tests.house.documents import leaves
from tests.report.tree import Element


def rows(page: Element) -> dict[str, list[str]]:
    """The cells of every row of a table, by the id that its first cell holds."""
    found = {}
    for row in page.all("tr"):
        named = [each.attributes["id"] for each in row.all("span") if "id" in each.attributes]
        if named:
            found[named[0]] = [cell.text for cell in row.all("td")]
    return found


MODELS: list[type[BaseModel]] = [
    Source,
    Measure,
    Target,
    Published,
    Claim,
    *(family.parameters for family in FAMILIES.values()),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_every_key_of_a_spec_has_its_type_its_default_and_its_meaning(
    model: type[BaseModel], documents: dict[str, Element]
) -> None:
    found = rows(documents["reference/spec.html"])
    for key, field in fields_of(model).items():
        name, value, absent, meaning = found[f"{model.__name__}.{key}"]
        assert name == key
        assert value
        assert (absent == "required") == (field.is_required() or key == "kind")
        said = "".join((field.description or "").split()).replace("`", "")
        assert "".join(meaning.split()) == said


def test_every_table_of_a_spec_is_there(documents: dict[str, Element]) -> None:
    found = rows(documents["reference/spec.html"])
    assert {f"spec.{key}" for key in fields_of(SpecDocument)} <= set(found)
    text = documents["reference/spec.html"].text
    assert all(f'kind = "{kind}"' in text for kind in FAMILIES)
    _, value, absent, meaning = found["Measure.budget"]
    assert value == 'text or number, above 0, such as "6 s" , "94 µs" , "2.5 h"'
    assert (absent, meaning.split()[0]) == ("600", "Measured")
    assert found["spec.measure"][3] == "How each cell is measured."


def test_every_key_of_a_device_is_there(documents: dict[str, Element]) -> None:
    found = rows(documents["reference/devices.html"])
    assert set(found) == {f"Device.{key}" for key in fields_of(Device)}
    assert found["Device.kind"][2] == "required"
    assert '"CPU" or "GPU" or "TPU"' in found["Device.kind"][1]


def fields(schema: Mapping[str, Any], root: str) -> set[str]:
    """Every field of a schema and of its definitions: `Model.field`."""
    models = {root: schema, **schema.get("$defs", {})}
    return {
        f"{name}.{field}" for name, model in models.items() for field in model.get("properties", {})
    }


def test_every_field_of_a_record_is_there(documents: dict[str, Element]) -> None:
    found = rows(documents["reference/record.html"])
    assert set(found) == fields(Record.model_json_schema(), "Record")
    assert len(found) > 100


def test_every_field_of_every_event_is_there(documents: dict[str, Element]) -> None:
    page = documents["reference/events.html"]
    schema = LINES.json_schema()
    assert set(rows(page)) == fields(schema, "")
    assert all(f" {event} " in page.text for event in schema["discriminator"]["mapping"])


def test_every_command_is_there_with_every_argument_and_option(
    documents: dict[str, Element],
) -> None:
    page = documents["reference/commands.html"]
    found = rows(page)
    sections = [each for each in page.all("section") if "id" in each.attributes]
    headings = {each.attributes["id"]: each.all("h1", "h2")[0].text for each in sections}
    command: Any = typer.main.get_command(app)
    for path in leaves(command):
        anchor = "-".join(("accelreport", *path))
        assert headings[anchor].startswith(" ".join(("accelreport", *path)))
        inner = command
        for word in path:
            inner = inner.commands[word]
        own = (f"{anchor}-", f"{anchor}.")
        said = " ".join(cells[0] for name, cells in found.items() if name.startswith(own))
        for parameter in inner.params:
            if parameter.param_type_name == "option":
                assert all(name in said for name in parameter.opts if name != "--help")
            else:
                assert f"{anchor}.{parameter.name}" in found


def test_every_exit_code_is_there(documents: dict[str, Element]) -> None:
    found = rows(documents["reference/exit-codes.html"])
    assert set(found) == {f"code-{int(code)}" for code in ExitCode}
    assert found["code-6"] == [
        "6",
        "SLOWER",
        "A result is slower than the gate allows, or less accurate.",
    ]


def test_every_public_name_is_there_with_every_parameter(documents: dict[str, Element]) -> None:
    page = documents["reference/python.html"]
    entries = {each.attributes["id"]: each for each in page.all("dt") if "id" in each.attributes}
    told = {}
    for entry in page.all("dl"):
        named = [each for each in entry.children if each.attributes.get("id") in entries]
        if named:
            told[named[0].attributes["id"]] = {each.text for each in entry.all("strong")}
    for name in accelreport.__all__:
        assert f"accelreport.{name}" in entries
        public = getattr(accelreport, name)
        if not inspect.isclass(public):
            assert set(inspect.signature(public).parameters) <= told[f"accelreport.{name}"]
    assert "margin" in told["accelreport.Comparison.assert_not_slower"]
    assert "accelreport.Results.speedups" in entries


def test_every_known_hardware_and_every_quoted_claim_is_there(
    documents: dict[str, Element],
) -> None:
    hardware = documents["reference/hardware.html"].text
    assert not [row.name for row in HARDWARE if row.name not in hardware]
    sources = " ".join(documents["reference/sources.html"].text.split())
    claims = [text for quotation in quotations() for text in quotation.get("claims", ())]
    assert claims
    assert not [text for text in claims if text not in sources]
