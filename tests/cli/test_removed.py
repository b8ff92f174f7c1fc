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


@pytest.mark.parametrize("words", ["gone x", "data gone", "build --gone=3 specs"])
def test_a_removed_command_or_option_names_its_replacement(
    monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    name = words.partition("=")[0].removesuffix(" x")
    monkeypatch.setitem(COMMANDS, name, "use `accelreport build`")
    error = CliRunner().invoke(app, words.split()).exception
    assert isinstance(error, UsageError)
    assert str(error) == f"`accelreport {name}` was removed\nuse `accelreport build`"


@pytest.mark.parametrize(
    ("key", "line"),
    [
        ("measure.gone", "gone = 1"),
        ("measure.gone", '[profiles.quick]\n"measure.gone" = 1'),
        ("claims.check.gone", '[[claims]]\ntext = "x"\ncheck = { gone = 1 }'),
    ],
)
def test_a_removed_key_names_its_replacement_wherever_it_is_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, key: str, line: str
) -> None:
    monkeypatch.setitem(KEYS, key, "write `repeats`")
    write_specs(tmp_path, devices=DEVICES, products=f"{MATMUL}{line}\n")
    with pytest.raises(SpecErrors) as caught:
        load([tmp_path / "specs" / "products.toml"])
    assert [problem.help for problem in caught.value.problems] == ["write `repeats`"]
