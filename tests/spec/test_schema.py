"""The schema files for editors agree with what accelreport itself accepts."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from jsonschema import Draft7Validator  # type: ignore[import-untyped]

from accelreport.loader.schema import (
    FILES,
    as_text,
    devices_json_schema,
    json_schema,
)
from accelreport.workloads.registry import BUILT_IN, FAMILIES
from tests.spec.conftest import KERNEL, TRAINING

ROOT = Path(__file__).parents[2]
SPECS = sorted(path for path in (ROOT / "specs").glob("*.toml") if path.name != "devices.toml")


@pytest.fixture(autouse=True)
def _families() -> Iterator[None]:
    """Here all built-in families are meant, and not those of the corpus or of plug-ins."""
    with mock.patch.dict(FAMILIES, BUILT_IN, clear=True):
        yield


def _mistakes(schema: dict[str, Any], text: str) -> list[str]:
    errors = Draft7Validator(schema).iter_errors(tomllib.loads(text))
    return [error.message for error in errors]


@pytest.mark.parametrize("name", FILES)
def test_the_schema_files_beside_the_specs_are_up_to_date(name: str) -> None:
    # If not: accelreport schema > specs/schema/spec.schema.json
    written = (ROOT / "specs" / "schema" / name).read_text(encoding="utf-8")
    assert written == as_text(FILES[name]())


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_every_shipped_spec_names_the_schema_and_satisfies_it(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.startswith("#:schema ./schema/spec.schema.json\n")
    assert not _mistakes(json_schema(), text)


def test_the_shipped_devices_name_their_schema_and_satisfy_it() -> None:
    text = (ROOT / "specs" / "devices.toml").read_text(encoding="utf-8")
    assert text.startswith("#:schema ./schema/devices.schema.json\n")
    assert not _mistakes(devices_json_schema(), text)


def test_every_family_s_parameters_are_offered_with_their_docstrings() -> None:
    schema = json_schema()
    for kind, family in FAMILIES.items():
        definition = schema["definitions"][family.parameters.__name__]
        assert definition["properties"]["kind"]["const"] == kind
        assert "kind" in definition["required"]
        for name, field in definition["properties"].items():
            assert field.get("description"), f"{kind}: {name} has no docstring"
        axes = schema["definitions"]["Axes"]["properties"]
        assert {name for name in definition["properties"] if name != "kind"} & set(axes)


@pytest.mark.parametrize(
    "text",
    [
        KERNEL + "size = 0\n",
        KERNEL + 'dtype = "float64"\n',
        KERNEL + "rows = 4096\n",
        KERNEL.replace("matmul", "matmull"),
        KERNEL.replace("schema = 1", "schema = 2"),
        KERNEL.replace("title", "titel"),
        TRAINING + "[sweep]\nbatch_size = []\n",
        TRAINING + "[sweep]\nbatch_size = 256\n",
        TRAINING + "[measure]\nrepeats = 0\n",
        TRAINING + '[measure]\nbudget = "soon"\n',
        TRAINING + '[measure]\nbudget = "10 parsecs"\n',
        TRAINING + "[measure]\nbudget = 0\n",
        TRAINING + '[sweep]\nbatch_size = ["large"]\n',
        TRAINING + "[sweep]\n'optimizer.learning_rate' = [-1.0]\n",
        TRAINING + "[sweep.zip]\nepochs = [1.5]\n",
        TRAINING + '[profiles.quick]\n"workload.data" = "synthetik"\n',
        TRAINING + '[profiles.quick]\n"measure.budget" = "soon"\n',
        TRAINING + '[profiles.quick]\n"sweep.batch_size" = [0]\n',
        TRAINING + "[profiles.quick]\n",
        TRAINING + '[[published]]\nlabel = "Colab"\n',
        TRAINING + '[[claims]]\ntext = "x"\ncheck = { rises = "speed", of = "a", along = "b" }\n',
    ],
)
def test_an_editor_underlines_what_accelreport_refuses(text: str) -> None:
    assert _mistakes(json_schema(), text)


def test_times_and_shares_may_be_written_as_text_or_numbers() -> None:
    row = '[[published]]\ndevice = "cpu"\nlabel = "x"\n'
    text = TRAINING + row + 'epoch_time = "6 s"\nstep_time = 0.1\nval_accuracy = "98 %"\n'
    text += (
        '[measure]\nbudget = "1 h 30min"\ntimeout = 90\n[profiles.quick]\n"measure.budget" = "2m"\n'
    )
    assert not _mistakes(json_schema(), text)
