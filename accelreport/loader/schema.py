"""JSON Schema of the spec file and the devices file, for editors.

Taplo and the editors that build on it complete keys, show their docstrings and underline
mistakes when a file begins with `#:schema ./schema/spec.schema.json`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from accelreport.spec.base import dotted_fields, is_table
from accelreport.spec.device import Device
from accelreport.spec.models import SCHEMA, Measure, SpecDocument
from accelreport.spec.sections import NAME
from accelreport.spec.source import WHOLE
from accelreport.workloads.registry import FAMILIES

_DIALECT = "http://json-schema.org/draft-07/schema#"
_REF = "#/definitions/{model}"
_SCALAR: dict[str, Any] = {"type": ["boolean", "integer", "number", "string"]}


def json_schema() -> dict[str, Any]:
    """The schema of a spec file, with every family's parameters."""
    families = sorted(FAMILIES.values(), key=lambda family: family.kind)
    parameters = [family.parameters for family in families]
    schema = _schemas([SpecDocument, Measure, *parameters])
    definitions = schema["definitions"]
    document = definitions.pop("SpecDocument")
    properties = document["properties"]
    for family in families:
        definition = definitions[family.parameters.__name__]
        definition["title"] = family.title
        definition["required"] = sorted({"kind", *definition.get("required", [])})
    properties["workload"] = {
        "description": properties["workload"]["description"],
        "oneOf": [{"$ref": _REF.format(model=model.__name__)} for model in parameters],
    }
    keys = _keys("", parameters, definitions)
    definitions["Axes"] = {"type": "object", "properties": _swept(keys)}
    properties["sweep"] = {
        "description": properties["sweep"]["description"],
        "allOf": [{"$ref": _REF.format(model="Axes")}],
        "properties": {
            "zip": {
                "description": "Keys that advance together: each has as many values.",
                "allOf": [{"$ref": _REF.format(model="Axes")}],
            }
        },
    }
    properties["profiles"] = {
        "description": properties["profiles"]["description"],
        "type": "object",
        "patternProperties": {f"^(?!full$){NAME}$": _profile(properties, parameters, definitions)},
        "additionalProperties": False,
    }
    return {"$schema": _DIALECT, "title": "An accelreport spec", **document, **schema}


def devices_json_schema() -> dict[str, Any]:
    """The schema of a devices file."""
    schema = _schemas([Device])
    device = schema["definitions"].pop("Device")
    return {
        "$schema": _DIALECT,
        "title": "Devices of accelreport",
        "type": "object",
        "required": ["schema"],
        "properties": {"schema": {"const": SCHEMA, "description": "Version of the format: 1."}},
        "patternProperties": {f"^(?!schema$){NAME}$": device},
        "additionalProperties": False,
        **({"definitions": rest} if (rest := schema["definitions"]) else {}),
    }


FILES = {"spec.schema.json": json_schema, "devices.schema.json": devices_json_schema}
"""Name of a schema file → the function that makes its content."""


def as_text(schema: Mapping[str, Any]) -> str:
    """A schema as the text of its file."""
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _profile(
    properties: Mapping[str, Any],
    parameters: Iterable[type[BaseModel]],
    definitions: Mapping[str, Any],
) -> dict[str, Any]:
    """The schema of a profile, whose keys are dotted."""
    swept = _swept(_keys("sweep.", parameters, definitions))
    single = _keys("workload.", parameters, definitions) | _keys("measure.", [Measure], definitions)
    changed = {name: properties[name] for name in WHOLE}
    return {"type": "object", "minProperties": 1, "properties": {**changed, **single, **swept}}


def _keys(
    prefix: str, models: Iterable[type[BaseModel]], definitions: Mapping[str, Any]
) -> dict[str, Any]:
    """Dotted keys that hold no table → the schema of what they hold in any of the models."""
    by_name: dict[str, list[dict[str, Any]]] = {}
    for model in models:
        for name, field in dotted_fields(model):
            if not is_table(field) and name != "kind":
                held = _key_schema(definitions, model.__name__, name.split("."))
                same = by_name.setdefault(prefix + name, [])
                same += [held] if held not in same else []
    return {key: _any_of(by_name[key]) for key in sorted(by_name)}


def _key_schema(definitions: Mapping[str, Any], model: str, path: Sequence[str]) -> dict[str, Any]:
    """The schema of a dotted key of a model, without its default: the key may be absent.

    Args:
        definitions: schemas of all models, by name.
        model: name of the model.
        path: the parts of the key; all but the last name tables.
    """
    first, *rest = path
    held = definitions[model]["properties"][first]
    if rest:
        tables = [held, *held.get("allOf", ()), *held.get("anyOf", ())]
        inner = next(table["$ref"] for table in tables if "$ref" in table)
        return _key_schema(definitions, inner.rpartition("/")[2], rest)
    return {key: value for key, value in held.items() if key != "default"}


def _any_of(held: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """One schema for a key that several models have; its description is that of the first."""
    if len(held) == 1:
        return held[0]
    plain = [_undescribed(definition) for definition in held]
    unique = [
        definition for number, definition in enumerate(plain) if definition not in plain[:number]
    ]
    merged = {"description": held[0]["description"]}
    return merged | (unique[0] if len(unique) == 1 else {"anyOf": unique})


def _swept(keys: Mapping[str, Any]) -> dict[str, Any]:
    """The schemas of keys of a sweep, which hold a list of what the key itself holds."""
    return {
        key: {
            "description": held["description"],
            "type": "array",
            "minItems": 1,
            "uniqueItems": True,
            "items": _SCALAR if held.get("type") in {"array", "object"} else _undescribed(held),
        }
        for key, held in keys.items()
    }


def _undescribed(held: Mapping[str, Any]) -> dict[str, Any]:
    """A schema without its description."""
    return {key: value for key, value in held.items() if key != "description"}


def _schemas(models: Iterable[type[BaseModel]]) -> dict[str, Any]:
    """The definitions of models in the form that Taplo reads."""
    wanted: list[tuple[type[BaseModel], Any]] = [(model, "validation") for model in models]
    _, schema = models_json_schema(wanted, ref_template=_REF)
    return {"definitions": _plain(schema["$defs"])}


def _plain(node: Any) -> Any:
    """A schema without pydantic's titles, which repeat the key, and without null.

    TOML has no null.
    """
    if isinstance(node, list):
        return [_plain(item) for item in node if item != {"type": "null"}]
    if not isinstance(node, dict):
        return node
    plain = {key: _plain(value) for key, value in node.items()}
    if isinstance(plain.get("title"), str):
        del plain["title"]
    if isinstance(plain.get("description"), str):
        plain["description"] = " ".join(plain["description"].split())
    if "default" in plain and plain["default"] is None:
        del plain["default"]
    if len(plain.get("anyOf", [])) == 1:
        only = plain.pop("anyOf")[0]
        # The description of a field replaces that of its type.
        plain = ({"allOf": [only]} if "$ref" in only else only) | plain
    return plain
