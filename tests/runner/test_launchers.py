"""Launchers by name, what they are asked for, and what is known of cells on many machines."""

from __future__ import annotations

import subprocess
import tomllib
from pathlib import Path

import pytest

from accelreport.errors import ExitCode, UsageError
from accelreport.origin import install_command
from accelreport.results.record import Failure, FailureKind, Status
from accelreport.results.store import Store
from accelreport.runner.launchers import open_launcher
from accelreport.runner.launchers.base import BadLauncher, LauncherConfig
from accelreport.runner.launchers.ray.engine import (
    RayNode,
    asked_resources,
    checked,
    lack,
)
from accelreport.runner.launchers.ray.worker import About
from accelreport.runner.plan import RecordIndex
from accelreport.runner.prepare import parse_launcher_options
from accelreport.spec.device import Device
from tests.runner.scripted import a_record, cell
from tests.support.children import python
from tests.support.packages import EXAMPLE, install
from tests.support.program import MATMUL, call, write_specs

DEVICES = 'schema = 1\n[cpu]\nkind = "CPU"\n'


# By name ----------------------------------------------------------------------------------


def test_without_a_name_cells_are_measured_on_this_machine_and_options_mean_nothing() -> None:
    here = LauncherConfig(results=Path("results"))
    assert open_launcher("local", here) is None
    with pytest.raises(BadLauncher, match="local runs have no such option"):
        open_launcher("local", LauncherConfig(results=Path("results"), options={"time": 5}))


def test_an_unknown_launcher_is_an_error_of_the_command_line_that_names_those_there_are(
    tmp_path: Path,
) -> None:
    write_specs(tmp_path, devices=DEVICES, matmul=MATMUL)
    done = call(tmp_path, "run", "--on", "cloud")
    assert done.returncode == ExitCode.USAGE
    assert "there is no such launcher" in done.stderr
    assert "local, ray, slurm" in done.stderr


@pytest.mark.parametrize(("name", "package"), [("ray", "ray"), ("slurm", "submitit")])
def test_a_launcher_whose_package_is_missing_says_which_extra_to_install(
    tmp_path: Path, name: str, package: str
) -> None:
    write_specs(tmp_path, devices=DEVICES, matmul=MATMUL)
    program = (
        f"import sys; sys.modules[{package!r}] = None; sys.argv = ['accelreport', 'run', "
        f"{str(tmp_path / 'specs')!r}, '--on', {name!r}]; from accelreport.cli import main; main()"
    )
    done = python("-c", program, paths=[])
    assert done.returncode == ExitCode.NOTHING_RAN
    assert install_command(name) in done.stderr
    assert "Traceback" not in done.stderr


def test_until_decided_is_refused_with_a_launcher(tmp_path: Path) -> None:
    write_specs(tmp_path, devices=DEVICES, matmul=MATMUL)
    done = call(tmp_path, "run", "--on", "ray", "--until-decided")
    assert done.returncode == ExitCode.USAGE
    assert "--until-decided" in done.stderr


@pytest.mark.e2e
def test_a_package_may_add_a_launcher_and_its_cells_count_as_done(tmp_path: Path) -> None:
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    install(tmp_path / "site", project["name"], project["entry-points"])
    specs = write_specs(tmp_path, devices=DEVICES, matmul=MATMUL)

    def run() -> subprocess.CompletedProcess[str]:
        options = ["--on", "in_turn", "--on-option", f"folder={tmp_path / 'elsewhere'}"]
        arguments = ["run", str(specs), "--results", str(tmp_path / "results"), *options]
        return python("-m", "accelreport", *arguments, paths=[tmp_path / "site", EXAMPLE])

    first, again = run(), run()

    assert first.returncode == ExitCode.OK, first.stderr
    assert "1 measured" in first.stdout
    assert "1 already done" in again.stdout
    (record,) = Store(tmp_path / "results").records()
    assert record.status == "ok"
    assert record.environment is not None
    assert record.environment.host == "host-1"


def test_a_launcher_of_a_package_that_does_not_work_is_named_with_the_reason(
    tmp_path: Path,
) -> None:
    install(tmp_path, "a-cluster", {"accelreport.launchers": {"mine": "no_such_module:LAUNCHER"}})
    specs = write_specs(tmp_path, devices=DEVICES, matmul=MATMUL)
    done = python("-m", "accelreport", "run", str(specs), "--on", "mine", paths=[tmp_path])
    assert done.returncode == ExitCode.BAD_SPEC
    assert "a-cluster 1.0" in done.stderr
    assert "no_such_module" in done.stderr


# Options ----------------------------------------------------------------------------------


def test_options_of_a_launcher_are_numbers_truth_values_and_texts() -> None:
    texts = [
        "partition=gpu",
        "time=02:00:00",
        "gpu.gres=gpu:a100:1",
        "nodes=[1-4]",
        "n=2",
        "x=true",
    ]
    assert parse_launcher_options(texts) == {
        "partition": "gpu",
        "time": "02:00:00",
        "gpu.gres": "gpu:a100:1",
        "nodes": "[1-4]",
        "n": 2,
        "x": True,
    }
    with pytest.raises(UsageError, match="--on-option partition: this is not key=value"):
        parse_launcher_options(["partition"])


def test_ray_is_asked_for_named_resources_only() -> None:
    assert asked_resources({"resource.big": 1, "resource.node:x": 0.5}) == {
        "big": 1.0,
        "node:x": 0.5,
    }
    for options in ({"partition": "gpu"}, {"resource.CPU": 2}, {"resource.big": "much"}):
        with pytest.raises(BadLauncher):
            asked_resources(options)


# Nodes ------------------------------------------------------------------------------------


def node(**resources: float) -> RayNode:
    from accelreport import __version__

    about = About(accelreport=__version__, threads=8, lacking={})
    return checked(RayNode("a1", "n1", {"CPU": 8.0, **resources}), about)


@pytest.mark.parametrize(
    ("device", "asked", "why"),
    [
        (Device(kind="GPU"), {}, "1 GPU needed, but it has 0"),
        (Device(kind="TPU", strategy="tpu"), {}, "1 TPU needed"),
        (Device(kind="CPU", threads=9), {}, "9 threads"),
        (Device(kind="CPU"), {"big": 2.0}, "big"),
    ],
)
def test_what_a_node_lacks_for_a_device_is_told(
    device: Device, asked: dict[str, float], why: str
) -> None:
    assert why in lack(node(), device, asked)


def test_a_node_with_another_accelreport_or_without_processors_measures_nothing() -> None:
    bare = RayNode("a1", "n1", {"CPU": 8.0})
    old = About(accelreport="0.0.1", threads=8, lacking={})
    assert "0.0.1" in lack(checked(bare, old), Device(kind="CPU"), {})
    assert "silent" in lack(checked(bare, "it is silent"), Device(kind="CPU"), {})
    head = old.model_copy(update={"accelreport": _version()})
    assert "no CPU" in lack(checked(RayNode("a1", "n1", {}), head), Device(kind="CPU"), {})


def test_a_node_is_given_the_cells_of_the_frameworks_that_it_has() -> None:
    told = {"tensorflow": "TensorFlow is not installed"}
    about = About(accelreport=_version(), threads=8, lacking=told)
    found = checked(RayNode("a1", "n1", {"CPU": 8.0}), about)
    assert lack(found, Device(kind="CPU", framework="jax"), {}) == ""
    assert lack(found, Device(kind="CPU"), {}) == "TensorFlow is not installed there"


def _version() -> str:
    from accelreport import __version__

    return __version__


# Knowledge -------------------------------------------------------------------------------


STATUSES: list[Status] = ["skipped", "failed", "partial", "ok"]


@pytest.mark.parametrize("better", range(1, len(STATUSES)))
def test_the_best_record_of_any_machine_is_what_is_known_of_a_cell(
    tmp_path: Path, better: int
) -> None:
    store, one = Store(tmp_path), cell()
    store.write(a_record(one, STATUSES[better - 1], "aaaaaaaa", "2026-02-02T00:00:00+00:00"))
    store.write(a_record(one, STATUSES[better], "bbbbbbbb", "2026-01-01T00:00:00+00:00"))
    store.write(a_record(one, STATUSES[better], "cccccccc", "2026-01-02T00:00:00+00:00"))
    known = RecordIndex(store)(one.key)
    assert known is not None
    assert known.environment is not None
    assert (known.status, known.environment.machine) == (STATUSES[better], "cccccccc")


@pytest.mark.parametrize(
    ("kind", "status", "stays"),
    [
        ("interrupted", "ok", 0),
        ("no-device", "partial", 0),
        ("oom-host", "ok", 1),
        ("interrupted", "failed", 1),
    ],
)
def test_an_attempt_elsewhere_is_forgotten_once_the_cell_is_measured_and_a_real_failure_is_not(
    tmp_path: Path, kind: FailureKind, status: Status, stays: int
) -> None:
    store, one = Store(tmp_path), cell()
    failure = Failure(kind=kind, message="It ended.")
    attempt = a_record(one, "failed", "aaaaaaaa", "2026-01-01T00:00:00+00:00")
    store.write(attempt.model_copy(update={"failure": failure}))
    known = RecordIndex(store)
    measured = a_record(one, status, "bbbbbbbb", "2026-01-02T00:00:00+00:00")
    store.write(measured)
    known.clear_attempts(measured)
    assert len(store.machines()[one.key]) == 1 + stays
    assert store.get(one.key, "bbbbbbbb") == measured
