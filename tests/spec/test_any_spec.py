"""Whatever is done to a spec, it is read, or refused with places that lie within it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accelreport.loader.load import load
from accelreport.spec.problems import Problem, SpecErrors
from tests.spec.corpus import BROKEN

SOUND = """\
schema = 1
title = "Batches"
description = "One model"
devices = ["cpu", "gpu"]
baseline = "cpu"

[source]
title = "A talk"
year = 2018

[workload]
kind = "image_classification"
dataset = "mnist"
epochs = 3
optimizer = { name = "adam", learning_rate = 1e-3 }

[sweep]
batch_size = [256, 512]
optimizer.name = ["adam", "sgd"]

[sweep.zip]
train_examples = [1000, 2000]
steps_per_epoch = [4, 8]

[measure]
repeats = 2
budget = "10m"
target = { metric = "val_accuracy", at_least = 0.98 }

[profiles.quick]
devices = ["cpu"]
"workload.epochs" = 2
"sweep.batch_size" = [64]

[[published]]
device = "gpu"
label = "Colab"
where = { batch_size = 256 }
epoch_time = "6 s"

[[claims]]
text = "Batches pay off"
check = { rises = "speedup", of = "gpu", along = "batch_size" }
"""

LINES = SOUND.split("\n")

WRITTEN = (
    '0 | -1 | 1.5 | nan | inf | true | "" | "gpu" | "x" | [] | [1] | [[]] | {} | { x = 1 } | '
    "[256, 512] | 1979-05-27 | 07:32:00 | [ | { | = | 1_000 | 0x1F | [true, 1] | [1, 1.0] | "
    '"6 s" | 6 s | "\\u0000" | ["cpu"] | "é\\t" | 1e400 | { batch_size = 256 } | [{}] | '
    "99999999999999999999 | ''' | '"
)
VALUES = st.sampled_from([*WRITTEN.split(" | "), '"""', '["a", "b"]'])
"""Values of every type, and some that are none."""

CHANGE = st.one_of(
    st.tuples(st.just("drop"), st.integers(0, len(LINES) - 1), st.just("")),
    st.tuples(st.just("repeat"), st.integers(0, len(LINES) - 1), st.just("")),
    st.tuples(st.just("value"), st.integers(0, len(LINES) - 1), VALUES),
    st.tuples(st.just("key"), st.integers(0, len(LINES) - 1), VALUES),
    st.tuples(st.just("cut"), st.integers(0, len(LINES) - 1), st.just("")),
)


def _changed(changes: list[tuple[str, int, str]]) -> str:
    lines = list(LINES)
    for kind, number, value in changes:
        line = lines[number]
        key, equals, old = line.partition("=")
        lines[number] = {
            "drop": "",
            "repeat": f"{line}\n{line}",
            "value": f"{key}= {value}" if equals else line,
            "key": f"{value} ={old}" if equals else f"[{value}]",
            "cut": line[: len(line) // 2],
        }[kind]
    return "\n".join(lines)


def _problems(path: Path) -> tuple[Problem, ...]:
    try:
        load([path], profile="quick" if "quick" in path.read_text(encoding="utf-8") else None)
    except SpecErrors as error:
        return error.problems
    return ()


def test_the_spec_that_is_changed_here_is_sound(tmp_path: Path) -> None:
    (tmp_path / "devices.toml").write_bytes((BROKEN / "devices.toml").read_bytes())
    path = tmp_path / "batches.toml"
    path.write_text(SOUND)
    assert not _problems(path)
    assert len(load([path]).cells) == 2 * 2 * 2 * 2 * 2


@settings(max_examples=150, deadline=None)
@given(changes=st.lists(CHANGE, min_size=1, max_size=4))
def test_a_changed_spec_is_read_or_refused_at_places_within_it(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[str, int, str]]
) -> None:
    folder = tmp_path_factory.mktemp("specs")
    (folder / "devices.toml").write_bytes((BROKEN / "devices.toml").read_bytes())
    path = folder / "batches.toml"
    path.write_text(_changed(changes), encoding="utf-8")
    lines = path.read_text(encoding="utf-8").split("\n")
    for problem in _problems(path):
        assert problem.message
        for place in (problem.place, *problem.related):
            if place.line:
                line = lines[place.line - 1]
                assert place.source == line
                assert 1 <= place.column <= place.end_column <= len(line) + 1
