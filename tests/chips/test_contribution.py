"""What a contribution holds, and what it never holds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelreport.chips.compact import packed, unpacked
from accelreport.chips.contribution import (
    LARGEST,
    Contribution,
    NoContribution,
    canonical_name,
    contribution_of,
    read,
    write,
)
from accelreport.chips.ranking import entries
from accelreport.chips.verify import trace_of
from accelreport.report.rank_text import entry_name
from accelreport.results.reading import to_bytes
from accelreport.results.record import Failure, Record, Warned
from accelreport.results.store import Store
from accelreport.spec.device import FRAMEWORK_NAMES
from tests.chips.test_verify import HONEST, SHIPPED_FILE

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


def test_a_file_has_every_step_in_a_few_hundred_kilobytes() -> None:
    """The shipped one was measured with whole MNIST: every spec, both precisions."""
    shipped = read(SHIPPED_FILE)
    assert sum(len(block.step_s) for r in shipped.records for block in r.blocks) > 15_000
    assert SHIPPED_FILE.stat().st_size < 400_000
    assert SHIPPED_FILE.stat().st_size < 7_500 * len(shipped.records)


def test_a_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    for path in (HONEST, SHIPPED_FILE):
        write(read(path), tmp_path / path.name)
        assert (tmp_path / path.name).read_bytes() == path.read_bytes()
        assert read(path).digest == read(path).content


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda parts: (
        st.lists(parts)
        | st.dictionaries(st.text("abc"), parts)
        | st.lists(st.fixed_dictionaries({"a": parts, "b": parts}))
    ),
)


@given(JSON)
def test_nothing_is_lost_where_nothing_is_written_twice(value: object) -> None:
    shared, short = packed([value, value])
    assert unpacked(shared, short, LARGEST) == [value, value]


@pytest.mark.parametrize(
    ("shared", "value"),
    [
        (["x" * 1000], [{"$same": 0}] * 10_000),
        ([], {"$columns": {"x" * 1000: [1] * 10_000}}),
        ([{"$same": 0}], [{"$same": 0}]),
        ([], {"$same": 0}),
        ([], {"$same": "0"}),
        ([], {"$columns": {"a": [1], "b": [1, 2]}}),
        ([], {"$columns": {"a": 1}}),
        ([], {"$columns": [1]}),
        ([], {"$e-7": ["1"]}),
        ([], {"$e-7": [10**400]}),
        (3, {"$same": 0}),
    ],
    ids=str,
)
def test_references_that_cannot_be_followed_are_refused(shared: object, value: object) -> None:
    """A small file stands for no large one, and no error is a traceback."""
    with pytest.raises(ValueError, match=r"too large|written|argument"):
        unpacked(shared, value, 2**20)


def test_two_machines_make_no_contribution(tmp_path: Path, honest: Contribution) -> None:
    first, *rest = honest.records
    assert first.environment is not None
    other = first.environment.model_copy(update={"machine": "0" * 8})
    moved = first.model_copy(update={"environment": other})
    with pytest.raises(NoContribution, match="2 machines"):
        contribution_of(stored(tmp_path, honest, [moved, *rest]))


@pytest.mark.parametrize(
    ("framework", "software"), [("jax", "jax-0.10.2"), ("torch", "torch-2.13.0-cpu")]
)
def test_a_contribution_names_the_framework_that_computed(
    honest: Contribution, framework: str, software: str
) -> None:
    assert honest.name == "amd-epyc-2-threads-tensorflow-2.21.0-f9c59622"
    other = in_framework(honest, framework)
    assert other.name == f"amd-epyc-2-threads-{software}-f9c59622"
    assert trace_of(other).hardware == trace_of(honest).hardware == "amd-epyc-2-threads"
    row = next(row for row in entries(honest)["images"] if row.precision == "float32")
    assert entry_name(row).endswith(", float32")
    name = entry_name(replace(row, framework=framework))
    assert name.endswith(f", float32, {FRAMEWORK_NAMES[framework]}")


def in_framework(contribution: Contribution, framework: str) -> Contribution:
    """The same, as though each of its records were of this framework."""
    values = contribution.model_dump(mode="json")
    for record in values["records"]:
        record["cell"]["device_spec"]["framework"] = framework
    changed = Contribution.model_validate(values)
    return changed.model_copy(update={"name": canonical_name(changed.records)})


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
