"""The program as its users call it."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path

import pytest

from accelreport import __version__
from accelreport.cli.app import refused
from accelreport.errors import ExitCode
from accelreport.results.store import Store
from tests.support.program import MATMUL, MNIST, call, call_from_nothing, write_specs
from tests.support.records import study

pytestmark = pytest.mark.e2e

COMMANDS = (
    "run",
    "check",
    "build",
    "serve",
    "merge",
    "import",
    "compare",
    "new",
    "chip",
    "claims",
    "devices",
    "schema",
    "data list",
    "data fetch",
    "results list",
    "results rm",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_specs(tmp_path)
    return tmp_path


def test_the_version_is_told(tmp_path: Path) -> None:
    for way in (call, call_from_nothing):
        assert way(tmp_path, "--version").stdout == f"accelreport {__version__}\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_help_has_options_and_examples(tmp_path: Path, command: str) -> None:
    told = call(tmp_path, *command.split(), "--help")
    assert told.returncode == ExitCode.OK
    assert told.stdout.startswith(f"Usage: accelreport {command} ")
    for part in ("Options:", "Examples:", f"accelreport {command}"):
        assert part in told.stdout
    assert "\x1b" not in told.stdout
    assert max(map(len, told.stdout.splitlines())) <= 80


def test_the_help_of_the_program_lists_every_exit_code(tmp_path: Path) -> None:
    told = call(tmp_path, "--help").stdout
    assert all(f"  {int(code)}  " in told for code in ExitCode)
    assert all(f"  {command.split()[0]} " in told for command in COMMANDS)


@pytest.mark.parametrize(
    ("arguments", "unneeded"),
    [
        (["run", "--help"], {"rich", "psutil", "tree_sitter"}),
        (["check", str(Path(__file__).parents[2] / "specs")], {"scipy", "altair", "jinja2"}),
    ],
    ids=["help", "check"],
)
def test_what_a_person_waits_for_imports_nothing_that_takes_time(
    arguments: list[str], unneeded: set[str]
) -> None:
    code = (
        "import sys; from accelreport.cli import app\n"
        "try: app(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    command = [sys.executable, "-c", code, *arguments]
    told = subprocess.run(command, capture_output=True, text=True, check=True)
    imported = set(told.stdout.splitlines()[-1].split())
    assert "typer" in imported
    assert not imported & {"numpy", "pandas", "tensorflow", "keras", *unneeded}


def test_the_check_prints_back_what_each_claim_tests(folder: Path) -> None:
    with (folder / "specs" / "mnist.toml").open("a") as spec:
        spec.write('[[claims]]\ntext = "The TPU takes a fifth of the time"\n')
        spec.write('check = { ratio = "epoch_time", of = "cpu", over = "tpu", at_least = 5 }\n')
    reading = "cpu is at least 5 times as fast as tpu, by epoch_time, for all values of batch_size"
    assert call(folder, "check", "specs").stdout.splitlines() == [
        "specs/mnist.toml",
        "  “The TPU takes a fifth of the time”",
        f"    holds when {reading}",
        "2 specs, 9 cells: no errors",
    ]
    assert json.loads(call(folder, "check", "--json").stdout) == {
        "ok": True,
        "specs": 2,
        "cells": 9,
        "problems": [],
    }


def test_a_file_of_ones_own_is_opened_by_the_check(tmp_path: Path) -> None:
    asked = ["series.path=x.csv", "series.time=t", "series.targets=v", "series.where.s=JFK"]
    options = [word for text in ["dataset=csv", *asked] for word in ("--set", text)]
    days = (f"{date(2000, 1, 1) + timedelta(number)},{number % 7},JFK" for number in range(3000))
    (tmp_path / "x.csv").write_text("\n".join(["t,v,s", *days]))
    made = call(tmp_path, "new", "sea.toml", "--kind", "series_forecast", *options)
    assert made.returncode == 0, made.stderr
    checked = call(tmp_path, "check", "sea.toml")
    assert checked.returncode == 0
    assert checked.stderr.count("\n") == checked.stderr.count("`description` is the starter's") == 1
    (tmp_path / "x.csv").write_text("t;v;s\n")
    told = call(tmp_path, "check", "sea.toml")
    assert told.returncode == 0
    assert "has no column 'v'; its columns are t;v;s" in told.stderr
    (tmp_path / "x.csv").unlink()
    assert str(tmp_path / "x.csv") in call(tmp_path, "check", "sea.toml").stderr


def test_every_error_of_every_file_is_told_with_its_place(folder: Path) -> None:
    (folder / "specs" / "mnist.toml").write_text(MNIST.replace("repeats = 2", "repeets = 2"))
    (folder / "specs" / "matmul.toml").write_text(MATMUL.replace("64", "-1"))
    told = call(folder, "check")
    assert told.returncode == ExitCode.BAD_SPEC
    for part in ("specs/matmul.toml:8:8", "specs/mnist.toml:12:1", "did you mean", "2 errors"):
        assert part in told.stderr
    assert told.stderr.startswith("error: ")

    problems = json.loads(call(folder, "check", "--json").stdout)["problems"]
    assert [problem["place"]["line"] for problem in problems] == [8, 12]


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("run", "nowhere.toml"), ExitCode.BAD_SPEC, "no such file"),
        (("run", "--device", "gpx"), ExitCode.USAGE, "gpx"),
        (("run", "--filter", "batch_size=7"), ExitCode.USAGE, "7"),
        (("run", "--set", "novalue"), ExitCode.USAGE, "key=value"),
        (("run", "--no-such-option"), ExitCode.USAGE, "No such option"),
        (("run", "--data", "fake"), ExitCode.USAGE, "synthetic"),
        (("nonsense",), ExitCode.USAGE, "No such command"),
        (("data", "fetch"), ExitCode.USAGE, "name a data set"),
        (("data", "fetch", "mnits"), ExitCode.DATA_UNAVAILABLE, "mnist"),
        (("build",), ExitCode.NOTHING_RAN, "nothing to build"),
        (("build", "--results", "specs/mnist.toml"), ExitCode.BAD_RESULTS, "cannot be read"),
        (("run", "--device", "tpu"), ExitCode.NOTHING_RAN, "No cell can run"),
        (("devices", "--devices-file", "specs/mnist.toml"), ExitCode.BAD_SPEC, "mnist.toml"),
    ],
)
def test_what_goes_wrong_is_one_clear_message_and_its_exit_code(
    folder: Path, arguments: tuple[str, ...], code: ExitCode, says: str
) -> None:
    told = call(folder, *arguments)
    assert told.returncode == code
    assert says in told.stderr + told.stdout
    assert "Traceback" not in told.stderr + told.stdout


def test_a_dry_run_shows_the_plan_and_writes_nothing(folder: Path) -> None:
    told = call(folder, "run", "--dry-run", "--data", "synthetic")
    assert told.returncode == ExitCode.OK
    assert "matmul (full): 1 run" in told.stdout
    assert "mnist (full): 4 run, 4 skip" in told.stdout
    assert "tpu: 4 cells skipped: no TPU on this machine" in told.stdout
    assert "Nothing was run." in told.stdout
    assert not (folder / "results").exists()

    line = json.loads(call(folder, "run", "--dry-run", "--data", "synthetic", "--json").stdout)
    assert (line["event"], line["run"], line["skip"]) == ("plan", 5, 4)
    assert len(line["cells"]) == 9


def test_the_machine_is_described_without_tensorflow(folder: Path) -> None:
    told = call(folder, "devices", "--no-probe")
    assert told.returncode == ExitCode.OK
    for part in ("CPU  ", "GiB", "cpu  CPU  can run", "tpu  TPU  cannot run: no TPU"):
        assert part in told.stdout
    found = json.loads(call(folder, "devices", "--no-probe", "--json").stdout)
    assert [device["name"] for device in found["devices"]] == ["cpu", "tpu"]
    assert found["tensorflow"] is None
    assert found["machine"]["threads"] >= 1


def test_schemas_are_json_schemas(tmp_path: Path) -> None:
    for arguments in (("schema",), ("schema", "devices")):
        assert "$schema" in json.loads(call(tmp_path, *arguments).stdout)
    record = json.loads(call(tmp_path, "schema", "record").stdout)
    assert "times" in record["properties"]
    events = json.loads(call(tmp_path, "schema", "events").stdout)
    assert set(events["discriminator"]["mapping"]) == {
        "plan",
        "waiting",
        "cell-start",
        "cell-event",
        "cell-end",
        "look",
        "end",
    }
    assert call(tmp_path, "schema", "results").returncode == ExitCode.USAGE


def test_folders_are_merged_and_conflicts_named(folder: Path) -> None:
    for name, text in (("a", "one"), ("b", "other")):
        store = Store(folder / name)
        record = study(repeats=1).records[0]
        store.write(record.model_copy(update={"log_tail": text}))
    told = call(folder, "merge", "a", "b", "-o", "c")
    assert told.returncode == ExitCode.OK
    assert "c: 1 record of 1 machine" in told.stdout
    assert "conflict: cells/" in told.stderr

    (folder / "b" / "cells" / f"{'0' * 16}.0a1b2c3d.json").write_text("{")
    told = call(folder, "merge", "a", "b", "-o", "c")
    assert told.returncode == ExitCode.BAD_RESULTS
    assert "left out: b/cells/" in told.stderr
    assert call(folder, "merge", "specs", "-o", "d").returncode == ExitCode.BAD_RESULTS


def test_data_sets_are_listed_and_their_place_is_told(tmp_path: Path) -> None:
    where = {"ACCELREPORT_DATA": str(tmp_path / "data")}
    place, *listed = call(tmp_path, "data", "list", **where).stdout.splitlines()
    assert place.startswith(f"{tmp_path / 'data'} (ACCELREPORT_DATA; missing; writable; ")
    assert "mnist: missing, 11.1 MiB to download" in listed
    rows = json.loads(call(tmp_path, "data", "list", "--json", **where).stdout)
    assert rows[0]["entry"]["name"] == "mnist"


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "The output cannot be written."),
        (RuntimeError("can't start new thread"), "No further process or thread can be started"),
        (BlockingIOError(errno.EAGAIN, "again"), "No further process or thread can be started"),
        (OSError(errno.ENOSPC, "full", "page.html"), None),
        (ValueError("no"), None),
    ],
)
def test_what_the_system_refuses_is_no_internal_error(error: Exception, says: str | None) -> None:
    told = refused(error)
    assert (told and told.what.startswith(says or "?")) == (says and True)


def test_an_unforeseen_error_is_two_lines_and_its_traceback_is_kept(folder: Path) -> None:
    broken = (
        "import accelreport.loader.load as m; m.load = None; from accelreport.cli import main; "
    )
    run = [sys.executable, "-c", broken + "main()", "check", "specs"]
    variables = {**os.environ, "TMPDIR": str(folder)}

    told = subprocess.run(
        run, cwd=folder, env=variables, capture_output=True, text=True, check=False
    )

    assert told.returncode == 1
    first, second = told.stderr.splitlines()
    assert "TypeError: 'NoneType' object is not callable" in first
    log = Path(second.removeprefix("The traceback is in ").partition(";")[0])
    assert "Traceback" in log.read_text()

    run.insert(3, "--debug")
    told = subprocess.run(
        run, cwd=folder, env=variables, capture_output=True, text=True, check=False
    )
    assert told.returncode == 1
    assert "Traceback" in told.stderr


@pytest.mark.parametrize(
    ("words", "offered"), [("run --retry", {"--retry-failed"}), ("dev", {"devices"})]
)
def test_the_shell_completes_commands_and_options(
    folder: Path, words: str, offered: set[str]
) -> None:
    line = f"accelreport {words}"
    told = call(
        folder,
        _ACCELREPORT_COMPLETE="complete_bash",
        COMP_WORDS=line,
        COMP_CWORD=str(len(line.split(" ")) - 1),
    )
    assert set(told.stdout.split()) == offered
