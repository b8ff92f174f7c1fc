"""What a container hides of its machine, and what it grants, read from trees of such files."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest

from accelreport.analysis.compare import facts
from accelreport.machine.inventory import BOOT, cpu_limit, identity, inventory
from accelreport.report.pages.machines import cores
from accelreport.runner.prepare import Survey
from accelreport.terminal.listings import machine_text
from tests.support.records import study


def tree(root: Path, files: dict[str, str]) -> Path:
    """A root with these files."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


IN_DOCKER = {".dockerenv": "", BOOT: "of-this-boot\n"}
IN_PODMAN = {"run/.containerenv": "", BOOT: "of-this-boot\n"}
NUMBER = "etc/machine-id"


@pytest.mark.parametrize(
    ("files", "known_by"),
    [
        ({**IN_DOCKER, NUMBER: "of-the-machine\n"}, "of-the-machine"),
        ({**IN_DOCKER, "var/lib/dbus/machine-id": "of-the-machine\n"}, "of-the-machine"),
        (IN_DOCKER, "of-this-boot"),
        (IN_PODMAN, "of-this-boot"),
        ({**IN_DOCKER, NUMBER: ""}, "of-this-boot"),
        ({**IN_DOCKER, NUMBER: "uninitialized\n"}, "of-this-boot"),
        (
            {**IN_DOCKER, f"{NUMBER}/that-docker-made-of-a-file-that-was-not-there": ""},
            "of-this-boot",
        ),
        ({BOOT: "of-this-boot\n"}, platform.node()),
    ],
)
def test_a_machine_is_known_again_from_the_next_container(
    files: dict[str, str], known_by: str, tmp_path: Path
) -> None:
    assert identity(tree(tmp_path, files)) == known_by


MEMBER = "proc/self/cgroup"
V2, V1 = "sys/fs/cgroup", "sys/fs/cgroup/cpu"


@pytest.mark.parametrize(
    ("files", "granted"),
    [
        ({}, None),
        ({MEMBER: "0::/\n"}, None),
        ({MEMBER: "0::/\n", f"{V2}/cpu.max": "max 100000\n"}, None),
        ({MEMBER: "0::/\n", f"{V2}/cpu.max": "150000 100000\n"}, 1.5),
        (
            {
                MEMBER: "0::/job/step\n",
                f"{V2}/job/cpu.max": "200000 100000\n",
                f"{V2}/job/step/cpu.max": "max 100000\n",
            },
            2.0,
        ),
        (
            {
                MEMBER: "3:cpuset:/\n2:cpu,cpuacct:/docker/12ab\n0::/\n",
                f"{V1}/cpu.cfs_quota_us": "50000\n",
                f"{V1}/cpu.cfs_period_us": "100000\n",
            },
            0.5,
        ),
        (
            {
                MEMBER: "2:cpu,cpuacct:/\n",
                f"{V1}/cpu.cfs_quota_us": "-1\n",
                f"{V1}/cpu.cfs_period_us": "100000\n",
            },
            None,
        ),
    ],
)
def test_the_share_of_the_processors_that_was_granted_is_known(
    files: dict[str, str], granted: float | None, tmp_path: Path
) -> None:
    assert cpu_limit(tree(tmp_path, files)) == granted


def test_a_limit_of_cpu_time_is_shown_wherever_the_machine_is() -> None:
    record = study(devices=("cpu",), epochs=1, repeats=1).records[0]
    assert record.environment is not None
    free = record.environment
    limited = free.model_copy(update={"cpu_limit": 1.5})
    assert "limit" not in cores(free)
    assert "limit 1.5" in cores(limited)
    told = facts(record.model_copy(update={"environment": limited}))
    assert told.items() - facts(record).items() == {("CPU limit", "1.5")}
    here = inventory().model_copy(update={"cpu_limit": 1.5})
    lines = list(machine_text(Survey(machine=here, tensorflow=None, devices=[])))
    assert any(line.split()[:2] == ["limit", "1.5"] for line in lines)
