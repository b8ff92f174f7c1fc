"""Packages that add a family or a data set, installed beside accelreport, whole and broken."""

import json
import subprocess
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from accelreport.spec.models import Measure
from tests.support.children import bare_cell, measured, python
from tests.support.packages import EXAMPLE, install

SPEC = """
schema = 1
title = "Points"
devices = ["cpu"]
baseline = "cpu"

[workload]
kind = "points"
epochs = 3
units = 8

[sweep]
batch_size = [32, 64]
"""


def with_example(site: Path) -> Path:
    """A folder in which the example package is installed."""
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    install(site, project["name"], project["entry-points"])
    return site


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder of the test's own in which the example package is installed."""
    return with_example(tmp_path / "site")


def run(*arguments: str, site: Path) -> subprocess.CompletedProcess[str]:
    return python(*arguments, paths=[site, EXAMPLE])


def specs(folder: Path, text: str = SPEC) -> Path:
    spec = folder / "points.toml"
    spec.write_text(text)
    (folder / "devices.toml").write_text('schema = 1\n[cpu]\nkind = "CPU"\n')
    return spec


def test_a_spec_may_name_a_family_that_a_package_adds(installed: Path, tmp_path: Path) -> None:
    program = (
        "import sys, json; from pathlib import Path; from accelreport.loader.load import load;"
        "print(json.dumps([cell.workload for cell in load([Path(sys.argv[1])]).specs[0].cells]))"
    )
    done = run("-c", program, str(specs(tmp_path)), site=installed)
    assert done.returncode == 0, done.stderr
    workloads = json.loads(done.stdout)
    assert {workload["batch_size"] for workload in workloads} == {32, 64}
    assert all(workload["units"] == 8 for workload in workloads)
    wrong = specs(tmp_path, SPEC.replace("units", "unitz"))
    done = run("-c", program, str(wrong), site=installed)
    assert "unitz" in done.stderr
    assert "units" in done.stderr, "did you mean"


@pytest.mark.e2e
def test_a_package_s_family_trains_on_a_package_s_data(installed: Path, tmp_path: Path) -> None:
    workload = {"kind": "points", "epochs": 20, "optimizer": {"learning_rate": 0.01}}
    what = bare_cell(workload, measure=Measure(warmup_steps=2))
    record = measured(what, tmp_path, paths=[installed, EXAMPLE])
    assert record.failure is None
    assert record.status == "ok"
    assert record.data is not None
    assert record.data.dataset == "two_rings"
    assert record.final["val_accuracy"] > 0.95


BROKEN = {
    "accelreport_example.missing:FAMILY": "No module named",
    "accelreport_example.points:NOTHING": "has no attribute",
    "accelreport_example.rings:ENTRY": "It is a CatalogueEntry and not a Family",
    "accelreport_example.points:FAMILY": "Its kind is 'points' and not 'broken-3'",
}
"""What packages name as the families `broken-0`, `broken-1` …, and why it is none."""

LOAD_EACH = """
import json, sys, traceback
from pathlib import Path
from accelreport.loader.load import load
print(len(load([Path(sys.argv[1])]).specs[0].cells))
for spec in sys.argv[2:]:
    try:
        load([Path(spec)])
    except Exception:
        print(json.dumps(traceback.format_exc()))
"""


@pytest.fixture(scope="module")
def said_of_broken(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """What is said of a spec that needs a package of `BROKEN`, where all of them are installed."""
    root = tmp_path_factory.mktemp("broken")
    site, paths = with_example(root / "site"), [specs(root)]
    for number, value in enumerate(BROKEN):
        kind = f"broken-{number}"
        install(site, f"{kind}-example", {"accelreport.workloads": {kind: value}})
        (root / kind).mkdir()
        paths.append(specs(root / kind, SPEC.replace('"points"', f'"{kind}"')))
    done = run("-c", LOAD_EACH, *map(str, paths), site=site)
    assert done.returncode == 0, "the package that works is not harmed: " + done.stderr
    count, *said = map(json.loads, done.stdout.splitlines())
    assert count == 2 * 3, "two points, three repeats"
    return dict(zip(BROKEN, said, strict=True))


@pytest.mark.parametrize("value", BROKEN)
def test_a_broken_package_is_named_where_a_spec_needs_it_and_harms_no_other(
    value: str, said_of_broken: Mapping[str, str]
) -> None:
    assert BROKEN[value] in said_of_broken[value]
    assert "does not work" in said_of_broken[value]


def test_a_cell_whose_package_is_broken_or_gone_fails_as_a_bad_plugin(
    installed: Path, tmp_path: Path
) -> None:
    points = {"accelreport.workloads": {"broken": "accelreport_example.missing:FAMILY"}}
    install(installed, "broken-example", points)
    for kind, told in (("broken", "broken-example 1.0"), ("gone", "no workload of the kind")):
        record = measured(bare_cell({"kind": kind}), tmp_path, paths=[installed, EXAMPLE])
        assert record.failure is not None
        assert record.failure.kind == "bad-plugin"
        assert told in record.failure.message
        assert record.failure.remedy


def test_no_package_may_take_a_built_in_name_or_share_one(installed: Path) -> None:
    points = {
        "accelreport.workloads": {"matmul": "accelreport_example.points:FAMILY"},
        "accelreport.datasets": {"two_rings": "accelreport_example.rings:ENTRY"},
    }
    install(installed, "second-example", points)
    program = (
        "from accelreport.workloads.registry import BROKEN, FAMILIES;"
        "from accelreport.datasets.catalogue import find;"
        "print(FAMILIES['matmul'].title, list(BROKEN)); find('two_rings')"
    )
    done = run("-c", program, site=installed)
    assert "Matrix product" in done.stdout
    assert "accelreport_example.points:FAMILY" in done.stdout
    assert "given by accelreport-example 1.0 and second-example 1.0" in done.stderr
