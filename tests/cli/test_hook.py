"""The hook that shows errors of specs before they are committed."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import yaml

from tests.house.tree import ROOT
from tests.support.program import Finished, program

(HOOK,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))


def chosen(root: Path) -> list[str]:
    """The files that pre-commit would hand to the hook."""
    names = (path.relative_to(root).as_posix() for path in sorted(root.rglob("*.toml")))
    return [name for name in names if re.search(HOOK["files"], name)]


def told(root: Path, *changed: str) -> Finished:
    name, *arguments = shlex.split(HOOK["entry"])
    assert name == "accelreport"
    return program(root, [*arguments, *(changed or chosen(root))])


def test_the_hook_finds_every_shipped_spec_and_nothing_wrong_with_it() -> None:
    files = [name for name in chosen(ROOT) if name.startswith("specs/")]
    assert len(files) == len(list((ROOT / "specs").glob("*.toml")))
    assert told(ROOT / "specs" / "..").returncode == 0


def test_the_hook_fails_on_a_wrong_spec_and_shows_its_line(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "devices.toml").write_text('schema = 1\n[cpu]\nkind = "CPU"\n')
    (tmp_path / "specs" / "wrong.toml").write_text('schema = 1\ntitel = "x"\n')
    done = told(tmp_path)
    assert done.returncode == 3
    assert "specs/wrong.toml:2:1" in done.stderr + done.stdout


def test_the_hook_fails_where_a_changed_devices_file_breaks_a_spec_that_did_not_change(
    tmp_path: Path,
) -> None:
    (tmp_path / "specs").mkdir()
    devices, spec = tmp_path / "specs" / "devices.toml", tmp_path / "specs" / "products.toml"
    devices.write_text('schema = 1\n[gpu]\nkind = "GPU"\n')
    assert told(tmp_path, "specs/devices.toml").returncode == 0
    spec.write_text('schema = 1\ntitle = "x"\ndevices = ["cpu"]\n[workload]\nkind = "matmul"\n')
    done = told(tmp_path, "specs/devices.toml")
    assert done.returncode == 3
    assert 'specs/products.toml:3:12: there is no device "cpu"' in done.stderr
