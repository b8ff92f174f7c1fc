"""What is inside the wheel is all that the program needs."""

from __future__ import annotations

import email
import re
import runpy
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import accelreport
from accelreport.datasets.cache import samples
from accelreport.locks import LOCKS, lock
from tests.house.tree import ROOT, files

pytestmark = pytest.mark.e2e


def _names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def _metadata(wheel: Path, name: str) -> str:
    with zipfile.ZipFile(wheel) as archive:
        (found,) = [each for each in archive.namelist() if each.endswith(f".dist-info/{name}")]
        return archive.read(found).decode()


def _kept(folder: str) -> set[str]:
    names = {path.relative_to(ROOT).as_posix() for path in files()}
    return {name for name in names if name.startswith(f"{folder}/")}


def test_the_wheel_holds_every_template(wheel: Path) -> None:
    expected = {
        name.replace("templates/", "accelreport/_templates/") for name in _kept("templates")
    }
    assert expected
    assert expected <= _names(wheel)


def test_the_wheel_holds_the_published_systems_and_their_devices(wheel: Path) -> None:
    expected = {name.replace("specs/", "accelreport/_specs/") for name in _kept("specs")}
    assert "accelreport/_specs/devices.toml" in expected
    assert expected <= _names(wheel)


@pytest.mark.parametrize("name", LOCKS)
def test_the_wheel_carries_the_locks_and_says_where_before_anything_else_is_installed(
    name: str, wheel: Path, tmp_path: Path
) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    # -S: no package of others is there to be imported.
    command = [sys.executable, "-S", "-m", "accelreport.locks", name]
    said = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    path = Path(said.removesuffix("\n"))
    assert path.is_relative_to(tmp_path)
    assert path.read_bytes() == lock(name).read_bytes()
    assert lock(name).parent == ROOT


def test_a_release_of_a_known_address_leads_there(tmp_path: Path) -> None:
    absolute = runpy.run_path(str(ROOT / "hatch_build.py"))["absolute"]
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = absolute(text, "https://forge.example/us/accelreport", "v9.9")
    found = re.findall(r"https://forge\.example/us/accelreport/(blob|raw)/v9\.9/([^)\"]+)", shown)
    assert {("blob", "docs/tutorial.md"), ("raw", "docs/images/report-dark.png")} <= set(found)
    assert all((ROOT / name.partition("#")[0]).is_file() for _, name in found)


def test_the_wheel_holds_every_module_and_the_mark_of_its_types(wheel: Path) -> None:
    assert _kept("accelreport") <= _names(wheel)
    assert "accelreport/py.typed" in _names(wheel)


def test_the_wheel_holds_nothing_but_the_package(wheel: Path) -> None:
    tops = {name.split("/")[0] for name in _names(wheel)}
    assert tops == {"accelreport", f"accelreport-{accelreport.__version__}.dist-info"}


def test_the_wheel_says_its_version_licence_and_python(wheel: Path) -> None:
    message = email.message_from_string(_metadata(wheel, "METADATA"))
    assert message["Version"] == accelreport.__version__
    assert message["License-Expression"].split(" AND ")[0] == "Apache-2.0"
    assert message["Requires-Python"] == ">=3.11"
    extras = {"cpu", "gpu", "tpu", "jax", "torch", "ray", "slurm"}
    assert set(message.get_all("Provides-Extra", [])) == extras
    assert "Apache License" in _metadata(wheel, "licenses/LICENSE")
    notice = _metadata(wheel, "licenses/accelreport/datasets/sample_files/NOTICE.md")
    for licence in {sample.licence for sample in samples().values()} - {"public domain"}:
        assert licence.replace(" ", "-") in message["License-Expression"]
        assert licence in notice


def test_the_wheel_installs_one_command(wheel: Path) -> None:
    scripts = _metadata(wheel, "entry_points.txt").split()
    assert scripts == ["[console_scripts]", "accelreport", "=", "accelreport.cli:main"]
