"""What a contribution holds, and what it never holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from accelreport.chips.agreement import trace_of
from accelreport.chips.contribution import (
    LARGEST,
    Contribution,
    contribution_of,
    read,
    shared,
    write,
)
from accelreport.chips.ranking import entries
from accelreport.chips.verify import doubts
from accelreport.report.rank_labels import entry_label
from accelreport.results.merge import merge, unpacked
from accelreport.results.reading import ResultsError, to_bytes
from accelreport.results.record import Failure, Record, Warned
from accelreport.results.store import Store
from accelreport.spec.cells import Cell
from accelreport.spec.device import FRAMEWORK_NAMES
from tests.chips.forgeries import contribution_from, raw_of
from tests.chips.test_verify import HONEST, SHIPPED_FILE
from tests.results.test_secrets import SECRETS

NOTHING = Contribution([], [])
TELLING = ("bilbo", "rivendell", "firefox", "mithril-mining")


@pytest.fixture
def honest() -> Contribution:
    return read(HONEST)


def stored(root: Path, contribution: Contribution, records: Sequence[Record]) -> Store:
    """A results folder with records as an old version may have written them, names and all."""
    store = Store(root)
    store.prepare()
    for plan in contribution.plans:
        store.write_plan(plan)
    for record in records:
        store.record_path(record.key, record.machine).write_bytes(to_bytes(record))
    return store


def test_a_file_has_no_user_host_home_other_program_or_secret(
    tmp_path: Path, honest: Contribution
) -> None:
    loaded = Warned(kind="loaded-machine", message="others kept 0.5 cores busy (firefox 0.50)")
    programs = "other processes kept 0.5 cores busy (mithril-mining 0.30, firefox 0.20)"
    records = [
        record.model_copy(
            update={
                "log_tail": "File /home/bilbo/mithril-mining/net.py, for host: rivendell",
                "warnings": [loaded, Warned(kind="bad-event", message="\n".join(SECRETS))],
                "checks": [c.model_copy(update={"seen": programs}) for c in record.checks],
                "failure": Failure(
                    kind="nan-loss", message="In /home/bilbo/net.py\n" + "\n".join(SECRETS)
                ),
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
    path = tmp_path / "mine.zip"
    write(contribution_of(stored(tmp_path / "results", honest, records)), path)
    with ZipFile(path) as archive:
        text = "".join(archive.read(name).decode() for name in archive.namelist())
    assert not [name for name in TELLING if name in text.lower()]
    assert not [secret for secret in SECRETS.values() if secret in text]


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
    """It is an archive of results as any other."""
    for path in (HONEST, SHIPPED_FILE):
        write(read(path), tmp_path / path.name)
        assert (tmp_path / path.name).read_bytes() == path.read_bytes()
    with unpacked([HONEST, SHIPPED_FILE]) as folders:
        assert not merge(folders, tmp_path / "results").problems
    assert len(list(Store(tmp_path / "results").records())) == len(read(SHIPPED_FILE).records)


def test_a_small_file_stands_for_no_large_one(tmp_path: Path) -> None:
    with ZipFile(tmp_path / "bomb.zip", "w", ZIP_DEFLATED) as archive:
        for number in range(3):
            archive.writestr(f"cells/{number:016x}.00000000.json", b" " * (LARGEST // 2))
    with pytest.raises(ResultsError, match=r"bomb\.zip") as error:
        read(tmp_path / "bomb.zip")
    assert "unpacks to more than" in error.value.why


def test_two_machines_make_no_contribution(tmp_path: Path, honest: Contribution) -> None:
    first, *rest = honest.records
    assert first.environment is not None
    other = first.environment.model_copy(update={"machine": "0" * 8})
    moved = first.model_copy(update={"environment": other})
    with pytest.raises(ResultsError, match="2 machines"):
        contribution_of(stored(tmp_path, honest, [moved, *rest]))


@pytest.mark.parametrize(
    ("framework", "software"), [("jax", "jax-0.10.2"), ("torch", "torch-2.13.0-cpu")]
)
def test_a_contribution_names_the_framework_that_computed(
    honest: Contribution, framework: str, software: str, tmp_path: Path
) -> None:
    """A machine without TensorFlow contributes the same specs."""
    assert honest.name == "amd-epyc-2-threads-tensorflow-2.21.0-f9c59622"
    other = in_framework(honest, framework)
    assert other.name == f"amd-epyc-2-threads-{software}-f9c59622"
    devices = {record.cell.device for record in other.records}
    assert devices == {f"cpu-{framework}", f"cpu-{framework}-bf16"}
    assert not [doubt for doubt in doubts(other) if doubt.refuses]
    assert contribution_of(stored(tmp_path, other, other.records)) == other
    assert trace_of(other).hardware == trace_of(honest).hardware
    raw = raw_of(honest)
    for record in raw["records"]:
        record["environment"]["cpu"] = "x" * 100_000
    assert len(contribution_from(raw).name) < 150
    row = next(row for row in entries(honest)["images"] if row.precision == "float32")
    assert entry_label(row).endswith(", float32")
    name = entry_label(replace(row, framework=framework))
    assert name.endswith(f", float32, {FRAMEWORK_NAMES[framework]}")


def in_framework(contribution: Contribution, framework: str) -> Contribution:
    """As a machine whose only framework is this one would have contributed."""
    plans, cells = shared(framework)
    places = {place(cell): cell for cell in cells.values()}
    raw = raw_of(contribution)
    raw["plans"] = [plans[plan.spec].model_dump(mode="json") for plan in contribution.plans]
    for record, own in zip(raw["records"], contribution.records, strict=True):
        cell = places[place(own.cell)]
        record |= {"cell": cell.model_dump(mode="json"), "key": cell.key}
        record["environment"]["packages"]["torch"] = "2.13.0+cpu"
    return contribution_from(raw)


def place(cell: Cell) -> tuple[object, ...]:
    """What a cell measures on whichever framework."""
    device = cell.device_spec
    return cell.spec, repr(cell.point), cell.repeat, device.kind, device.precision


def test_of_two_frameworks_the_one_that_measured_last_is_contributed(
    honest: Contribution, tmp_path: Path
) -> None:
    """The other one stays in the folder."""
    later = in_framework(honest, "jax")
    raw = raw_of(later)
    for record in raw["records"]:
        for instant in ("started_at", "finished_at"):
            record[instant] = record[instant].replace("202", "203", 1)
    later = contribution_from(raw)
    store = stored(tmp_path, honest, honest.records)
    assert contribution_of(store) == honest
    store = stored(tmp_path, later, later.records)
    assert {*store.plans()[0].devices} >= {"cpu", "cpu-jax"}
    assert contribution_of(store) == later


def test_a_folder_without_the_shared_specs_says_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match="No shared spec"):
        contribution_of(stored(tmp_path, NOTHING, []))


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("README", b"", "neither cells/ nor plans/"),
        (f"cells/{'0' * 16}.{'0' * 8}.json", b"{", "truncated"),
        ("plans/chip_training.full.json", b"[]", "not a JSON object"),
        (None, b"{}", "not a zip file"),
    ],
)
def test_a_file_that_is_none_is_named(
    tmp_path: Path, name: str | None, content: bytes, why: str
) -> None:
    odd = tmp_path / "odd.zip"
    odd.write_bytes(content)
    if name is not None:
        with ZipFile(odd, "w") as archive:
            archive.writestr(name, content)
    with pytest.raises(ResultsError, match=r"odd\.zip") as error:
        read(odd)
    assert why in error.value.why
