"""The locks pin what the project asks for, for every machine, and name no machine."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from functools import cache

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.house.tree import ROOT

RUN = "requirements.lock"
REPORT = "requirements-report.lock"
DEV = "requirements-dev.lock"
UV = "requirements-uv.lock"
LOCKS = (RUN, REPORT, DEV, UV)

MACHINES = {
    "Linux on x86-64": {"sys_platform": "linux", "platform_machine": "x86_64"},
    "Linux on Arm": {"sys_platform": "linux", "platform_machine": "aarch64"},
    "macOS on Apple silicon": {"sys_platform": "darwin", "platform_machine": "arm64"},
}

PYTHONS = ("3.11", "3.12", "3.13")


@cache
def _blocks(lock: str) -> tuple[str, ...]:
    """One text for each pinned package: its requirement and its hashes."""
    text = (ROOT / lock).read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ")
    return tuple(line for line in joined.splitlines() if line.strip())


@cache
def _pins(lock: str) -> tuple[Requirement, ...]:
    return tuple(Requirement(block.split(" --hash")[0]) for block in _blocks(lock))


@cache
def _project() -> dict[str, list[str]]:
    """What `pyproject.toml` asks for, by extra; "" without one."""
    document = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = document["project"]["optional-dependencies"]
    return {
        "": document["project"]["dependencies"],
        **document["dependency-groups"],
        "requires": document["build-system"]["requires"],
        **extras,
    }


def _applying(
    requirements: Iterable[Requirement], machine: dict[str, str], python: str
) -> dict[str, Requirement]:
    environment = {str(key): str(value) for key, value in default_environment().items()}
    environment |= {**machine, "python_version": python, "python_full_version": f"{python}.1"}
    return {
        canonicalize_name(each.name): each
        for each in requirements
        if each.marker is None or each.marker.evaluate(environment)
    }


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("machine", sorted(MACHINES))
@pytest.mark.parametrize(
    ("lock", "parts"),
    [
        (RUN, ("", "cpu", "build", "requires")),
        (REPORT, ("", "build", "requires")),
        (DEV, ("", "cpu", "build", "requires", "dev")),
        (UV, ("lock",)),
    ],
)
def test_a_lock_pins_what_the_project_asks_for(
    lock: str, parts: tuple[str, ...], machine: str, python: str
) -> None:
    pins = _applying(_pins(lock), MACHINES[machine], python)
    asked = [Requirement(text) for part in parts for text in _project()[part]]
    for wanted in _applying(asked, MACHINES[machine], python).values():
        (pinned,) = pins[canonicalize_name(wanted.name)].specifier
        assert pinned.operator == "=="
        assert wanted.specifier.contains(pinned.version), f"{wanted}: make lock"


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("machine", sorted(MACHINES))
def test_exactly_one_tensorflow_is_pinned_for_a_machine(machine: str, python: str) -> None:
    pins = _applying(_pins(RUN), MACHINES[machine], python)
    expected = "tensorflow-cpu" if machine == "Linux on x86-64" else "tensorflow"
    assert [name for name in pins if name.startswith("tensorflow")] == [expected]


def test_the_pytorch_of_the_tests_is_one_that_the_extra_allows() -> None:
    lines = (ROOT / "requirements-torch.txt").read_text(encoding="utf-8").splitlines()
    pins = {pin.name: pin for pin in map(Requirement, [li for li in lines if li[:1] != "#"])}
    (wanted,) = (each for each in map(Requirement, _project()["torch"]) if each.name == "torch")
    (pinned,) = pins["torch"].specifier
    assert pinned.operator == "=="
    assert wanted.specifier.contains(pinned.version)


def test_tests_run_with_the_versions_that_reports_are_made_with() -> None:
    report, run, dev = ({str(pin) for pin in _pins(lock)} for lock in (REPORT, RUN, DEV))
    assert report < run < dev


def test_a_report_is_built_without_tensorflow() -> None:
    names = {canonicalize_name(pin.name) for pin in _pins(REPORT)}
    assert not {name for name in names if name.startswith(("tensorflow", "keras"))}


@pytest.mark.parametrize("lock", LOCKS)
def test_every_pin_has_hashes(lock: str) -> None:
    assert all("--hash=sha256:" in block for block in _blocks(lock))


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_no_address_and_no_folder(lock: str) -> None:
    text = (ROOT / lock).read_text(encoding="utf-8")
    assert not [
        line
        for line in text.splitlines()
        if "://" in line or "file:" in line or "--index" in line or "--find-links" in line
    ]
    assert text.splitlines()[1] == "#    make lock"
