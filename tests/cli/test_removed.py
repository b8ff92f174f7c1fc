"""A name that an earlier version had is answered with what to use instead."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from accelreport.cli import app
from accelreport.errors import UsageError
from accelreport.loader.load import load
from accelreport.removed import COMMANDS, KEYS
from accelreport.spec.problems import SpecErrors
from tests.support.program import DEVICES, MATMUL, write_specs


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("laws specs", "laws"),
        ("data where", "data where"),
        ("build --trials=3", "build --trials"),
        ("run --timings", "run --timings"),
    ],
)
def test_a_removed_command_or_option_names_its_replacement(words: str, name: str) -> None:
    error = CliRunner().invoke(app, words.split()).exception
    assert isinstance(error, UsageError)
    assert str(error) == f"`accelreport {name}` was removed\n{COMMANDS[name]}"


@pytest.mark.parametrize(
    ("key", "line"),
    [
        ("measure.split", "split = true"),
        ("measure.split", '[profiles.quick]\n"measure.split" = true'),
        ("claims.check.gone", '[[claims]]\ntext = "x"\ncheck = { gone = 1 }'),
    ],
)
def test_a_removed_key_names_its_replacement_wherever_it_is_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, key: str, line: str
) -> None:
    monkeypatch.setitem(KEYS, "claims.check.gone", "write `of`")
    write_specs(tmp_path, devices=DEVICES, products=f"{MATMUL}{line}\n")
    with pytest.raises(SpecErrors) as caught:
        load([tmp_path / "specs" / "products.toml"])
    assert [problem.help for problem in caught.value.problems] == [KEYS[key]]
