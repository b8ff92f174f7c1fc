"""What a contribution holds, and what it never holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from accelreport.chips.contribution import (
    Contribution,
    NoContribution,
    contribution_of,
    read,
    write,
)
from accelreport.results.reading import to_bytes
from accelreport.results.record import Failure, Record, Warned
from accelreport.results.store import Store
from tests.chips.test_verify import HONEST

NOTHING = Contribution(name="", digest="", plans=[], records=[])
TELLING = ("bilbo", "rivendell", "firefox", "mithril-mining")


@pytest.fixture
def honest() -> Contribution:
    return read(HONEST)


def stored(root: Path, contribution: Contribution, records: list[Record]) -> Store:
    """A results folder with records as an old version may have written them, names and all."""
    store = Store(root)
    store.prepare()
    for plan in contribution.plans:
        store.write_plan(plan)
    for record in records:
        store.record_path(record.key, record.machine).write_bytes(to_bytes(record))
    return store


def test_a_file_has_no_user_host_home_or_other_program(
    tmp_path: Path, honest: Contribution
) -> None:
    loaded = Warned(kind="loaded-machine", message="others kept 0.5 cores busy (firefox 0.50)")
    programs = "other processes kept 0.5 cores busy (mithril-mining 0.30, firefox 0.20)"
    records = [
        record.model_copy(
            update={
                "log_tail": "File /home/bilbo/mithril-mining/net.py, for host: rivendell",
                "warnings": [loaded],
                "checks": [c.model_copy(update={"seen": programs}) for c in record.checks],
                "failure": Failure(kind="nan-loss", message="In /home/bilbo/net.py"),
                "environment": record.environment.model_copy(
                    update={
                        "host": "rivendell",
                        "variables": {"TF_DUMP": "/home/bilbo/dump", "HOSTNAME": "rivendell"},
                    }
                ),
            }
        )
        for record in honest.records
        if record.environment
    ]
    path = tmp_path / "mine.json"
    write(contribution_of(stored(tmp_path / "results", honest, records)), path)
    text = path.read_text().lower()
    assert not [name for name in TELLING if name in text]


def test_a_file_is_the_same_from_the_same_results(tmp_path: Path, honest: Contribution) -> None:
    store = stored(tmp_path, honest, honest.records)
    assert contribution_of(store) == contribution_of(store) == honest


def test_a_file_has_every_step_in_a_few_hundred_kilobytes(honest: Contribution) -> None:
    assert sum(len(block.step_s) for r in honest.records for block in r.blocks) > 1000
    assert HONEST.stat().st_size < 800_000


def test_two_machines_make_no_contribution(tmp_path: Path, honest: Contribution) -> None:
    first, *rest = honest.records
    assert first.environment is not None
    other = first.environment.model_copy(update={"machine": "0" * 8})
    moved = first.model_copy(update={"environment": other})
    with pytest.raises(NoContribution, match="2 machines"):
        contribution_of(stored(tmp_path, honest, [moved, *rest]))


def test_a_folder_without_the_shared_specs_says_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(NoContribution, match="accelreport chip"):
        contribution_of(stored(tmp_path, NOTHING, []))


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"{", "not a contribution"),
        (b"[]", "not a contribution"),
        (b'{"name": "a", "name": "b"}', "twice"),
        (b"\xff\xfe\x00", "not a contribution"),
    ],
)
def test_a_file_that_is_none_is_named(tmp_path: Path, content: bytes, why: str) -> None:
    path = tmp_path / "odd.json"
    path.write_bytes(content)
    with pytest.raises(NoContribution, match=r"odd\.json") as error:
        read(path)
    assert why in error.value.why
