"""A file that cannot be read is an error of that file, and the report is built without it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from accelreport.errors import ExitCode
from accelreport.loader.load import load
from accelreport.results.store import Store
from accelreport.spec.problems import MOST, SpecErrors
from tests.support.program import DEVICES, MATMUL, call, write_specs
from tests.support.records import store_of, study

OWN_STEP = """
schema = 1
title = "An own step"
devices = ["cpu"]
[workload]
kind = "python"
file = "step.py"
[measure]
calls = 20
"""

DIGITS, HEXADECIMAL = "9" * 4301, "0x" + "f" * 5000


def linked_to_itself(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.symlink_to(path.name)


def a_folder(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.mkdir()


def text(content: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.write_text(content)

    return write


def step(content: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.write_text(OWN_STEP)
        path.with_name("step.py").write_text(content)

    return write


ODD: dict[str, tuple[str, Callable[[Path], None], str]] = {
    "a number of 4,301 digits": ("odd", text(f"{MATMUL}x = {DIGITS}\n"), "64 bits"),
    "a long hexadecimal": ("odd", text(MATMUL.replace("64", HEXADECIMAL)), "64 bits"),
    "a number in a list": ("odd", text(f"{MATMUL}[sweep]\nsize = [1, {2**63}]\n"), "64 bits"),
    "nested, and wrong elsewhere": ("odd", text(f"a = 1 1\nb = {'[' * 9999}"), "nested too deeply"),
    "a link to itself": ("odd", linked_to_itself, "symbolic links"),
    "a folder": ("odd", a_folder, "is not a file"),
    "a step of minus signs": ("odd", step("-" * 400_000), "step.py is nested too deeply"),
    "a step of brackets": ("odd", step("(" * 400_000), "too many nested parentheses"),
    "a step with a zero": ("odd", step("x = 1\0"), "step.py: source code"),
    "a step with a long number": ("odd", step(f"x = {DIGITS}"), "step.py, line 1: Exceeds"),
    "devices linked to themselves": ("devices", linked_to_itself, "symbolic links"),
    "devices of a long number": ("devices", text(f"{DEVICES}threads = {HEXADECIMAL}"), "64 bits"),
    "a folder of devices": ("devices", a_folder, "is not a file"),
}


@pytest.mark.parametrize("odd", ODD)
def test_an_odd_file_is_an_error_of_that_file(odd: str, tmp_path: Path) -> None:
    name, write, said = ODD[odd]
    specs = write_specs(tmp_path, devices=DEVICES, matmul=MATMUL)
    write(specs / f"{name}.toml")
    with pytest.raises(SpecErrors, match=re.escape(said)) as caught:
        load([specs])
    assert {problem.place.file for problem in caught.value.problems} == {
        str(specs / f"{name}.toml")
    }


def test_a_site_is_built_of_the_results_whatever_lies_among_the_specs(tmp_path: Path) -> None:
    made = study("matmul", repeats=1)
    store_of(tmp_path / "results", made)
    for name in (
        "a number of 4,301 digits",
        "devices linked to themselves",
        "a step of minus signs",
    ):
        stem, write, said = ODD[name]
        specs = write_specs(tmp_path, devices=DEVICES, matmul=MATMUL)
        write(specs / f"{stem}.toml")
        checked = call(tmp_path, "check", "specs")
        assert checked.returncode == ExitCode.BAD_SPEC, checked.stderr
        assert said in checked.stderr
        built = call(tmp_path, "build")
        assert built.returncode == ExitCode.OK, built.stderr
        assert f"specs/{stem}.toml" in built.stderr
        assert made.plan.title in (tmp_path / "site" / "index.html").read_text()
        shutil.rmtree(specs)


@pytest.mark.parametrize(
    ("write", "said"),
    [
        (linked_to_itself, "symbolic links"),
        (a_folder, "is not a file"),
        (text(f"schema = 1\n[report]\ntitle = {DIGITS}\n"), "64 bits"),
    ],
)
def test_an_odd_settings_file_is_named_and_nothing_is_built_elsewhere(
    write: Callable[[Path], None], said: str, tmp_path: Path
) -> None:
    Store(tmp_path / "results").write_plan(study("matmul", repeats=1).plan)
    write(write_specs(tmp_path, devices=DEVICES, matmul=MATMUL) / "accelreport.toml")
    for command in (["check", "specs"], ["build"]):
        ended = call(tmp_path, *command)
        assert ended.returncode == ExitCode.BAD_SPEC, ended.stderr
        assert "specs/accelreport.toml" in ended.stderr
        assert said in ended.stderr


def test_errors_without_number_are_counted_after_fifty(tmp_path: Path) -> None:
    keys = "".join(f"k{number} = {number}\n" for number in range(16_000))
    specs = write_specs(tmp_path, devices=DEVICES, matmul=keys + MATMUL)
    with pytest.raises(SpecErrors) as caught:
        load([specs])
    assert len(caught.value.problems) == 16_000, "a program is told of each"
    told = str(caught.value)
    assert told.count("is not a key of a spec") == MOST
    assert f"{specs / 'matmul.toml'}: 15950 more errors" in told
    assert "16000 errors in 1 file" in told
    assert len(told) < 30_000


@pytest.mark.parametrize(
    ("name", "kind"), [("devices", "a devices"), ("accelreport", "the settings")]
)
def test_a_run_of_a_file_beside_the_specs_says_what_it_is(
    name: str, kind: str, tmp_path: Path
) -> None:
    specs = write_specs(tmp_path, devices=DEVICES, matmul=MATMUL)
    (specs / "accelreport.toml").write_text('schema = 1\n[report]\ntitle = "Ours"\n')
    ended = call(tmp_path, "run", f"specs/{name}.toml")
    assert ended.returncode == ExitCode.BAD_SPEC
    assert f"specs/{name}.toml: this is {kind} file, which measures nothing" in ended.stderr
    assert "name a spec, or the whole folder: specs" in ended.stderr
    assert not (tmp_path / "results").exists()
    whole = call(tmp_path, "run", "--dry-run", f"specs/{name}.toml", "specs/matmul.toml")
    assert whole.returncode == ExitCode.OK, whole.stderr
