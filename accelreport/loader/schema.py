"""JSON Schema of the spec file and the devices file, for editors.

Taplo and the editors that build on it complete keys, show their docstrings and underline
mistakes when a file begins with `#:schema ./schema/spec.schema.json`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from accelreport.spec.device import Device
from accelreport.spec.fields import dotted_fields, is_table
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
    keys = _keys("", parameters)
    definitions["Values"] = {"type": "array", "minItems": 1, "uniqueItems": True, "items": _SCALAR}
    definitions["Axes"] = {"type": "object", "properties": _with(keys, "Values")}
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
        "patternProperties": {f"^(?!full$){NAME}$": _profile(properties, parameters)},
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
"""Names of the schema files, and what makes them."""


def write_schemas(folder: Path) -> list[Path]:
    """Write the schema files into a folder, which is made when absent."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, make in FILES.items():
        path = folder / name
        path.write_text(as_text(make()), encoding="utf-8")
        paths.append(path)
    return paths


def as_text(schema: Mapping[str, Any]) -> str:
    """A schema as the text of its file."""
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _profile(
    properties: Mapping[str, Any], parameters: Iterable[type[BaseModel]]
) -> dict[str, Any]:
    """One profile: dotted keys; their values are checked by accelreport itself."""
    swept = _with(_keys("sweep.", parameters), "Values")
    single = _keys("workload.", parameters) | _keys("measure.", [Measure])
    changed = {name: properties[name] for name in WHOLE}
    return {"type": "object", "minProperties": 1, "properties": {**changed, **single, **swept}}


def _keys(prefix: str, models: Iterable[type[BaseModel]]) -> dict[str, Any]:
    """Dotted keys of single values, sorted, and their descriptions."""
    keys = {
        prefix + name: {"description": " ".join((field.description or "").split())}
        for model in models
        for name, field in dotted_fields(model)
        if not is_table(field) and name != "kind"
    }
    return dict(sorted(keys.items()))


def _with(keys: Mapping[str, Any], model: str) -> dict[str, Any]:
    """The keys, each of the type of a definition; draft 7 reads nothing beside a `$ref`."""
    reference = {"allOf": [{"$ref": _REF.format(model=model)}]}
    return {key: {**entry, **reference} for key, entry in keys.items()}


def _schemas(models: Iterable[type[BaseModel]]) -> dict[str, Any]:
    """Definitions of the models, as Taplo reads them, without pydantic's made-up titles."""
    wanted: list[tuple[type[BaseModel], Any]] = [(model, "validation") for model in models]
    _, schema = models_json_schema(wanted, ref_template=_REF)
    return {"definitions": _plain(schema["$defs"])}


def _plain(node: Any) -> Any:
    """Without titles that repeat the key, and without null, which TOML does not have."""
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
        plain |= {"allOf": [only]} if "$ref" in only else only
    return plain
