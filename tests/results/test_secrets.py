"""No secret that a program printed is in a record or in anything that is published."""

from __future__ import annotations

import re
from base64 import b64decode
from pathlib import Path

import pytest

from accelreport.report.site.options import BuildOptions
from accelreport.results.privacy import LONGEST, as_published, as_written, written_secrets
from accelreport.results.reading import to_bytes
from accelreport.results.record import Failure, Record, Warned
from accelreport.results.secrets import WITHHELD, secret_values, without_secrets
from accelreport.results.store import Store
from tests.support.records import study
from tests.support.sites import build

(RECORD, *_) = study(devices=("cpu",), axes={}, repeats=2).records

LINES = (Path(__file__).parent / "planted_secrets.txt").read_text(encoding="utf-8")
SECRETS = {
    re.sub("[«»]", "", line): re.findall("«(.*)»", line, re.DOTALL)[0]
    for line in (row.replace("·", "").replace("\\n", "\n") for row in LINES.splitlines())
}
"""What a program may print -> the part of it that is secret. None of these opens anything.

The file has a dot inside each form that scanners of repositories know.
"""

PLAIN = (Path(__file__).parent / "no_secrets.txt").read_text(encoding="utf-8").splitlines()
"""Lines of a log that hold no secret, whatever they look like."""


@pytest.mark.parametrize("line", SECRETS)
def test_a_secret_is_replaced_and_the_rest_of_its_line_is_kept(line: str) -> None:
    clean = without_secrets(f"first line\n{line}\nlast line")
    assert SECRETS[line] not in clean
    assert clean.startswith("first line\n")
    assert clean.endswith("\nlast line")
    assert without_secrets(clean) == clean


@pytest.mark.parametrize("line", PLAIN)
def test_what_is_no_secret_is_kept(line: str) -> None:
    assert without_secrets(line) == line


def with_lines(text: str) -> Record:
    """A record that holds the text wherever programs write."""
    assert RECORD.environment is not None
    variables = {"XLA_FLAGS": text, "TF_API_KEY": "q8w7e6r5"}
    return RECORD.model_copy(
        update={
            "log_tail": text,
            "failure": Failure(kind="bad-spec", message=text, remedy=text, traceback=text),
            "warnings": [Warned(kind="bad-exit", message=text)],
            "details": {"note": text},
            "environment": RECORD.environment.model_copy(update={"variables": variables}),
        }
    )


def test_no_secret_is_written_or_published_wherever_a_program_wrote_it() -> None:
    planted = with_lines("\n".join(SECRETS))
    for record in (as_written(planted), as_published((), (planted,))[1][0]):
        text = to_bytes(record).decode()
        assert not [secret for secret in SECRETS.values() if secret in text]
        assert "q8w7e6r5" not in text
        assert record.key == RECORD.key


@pytest.mark.e2e
def test_no_planted_secret_is_in_any_file_that_is_published(tmp_path: Path) -> None:
    """In a log, a traceback, a path, a message, details and a variable."""
    made = study(devices=("cpu",), axes={}, repeats=2)
    text = "\n".join([*SECRETS, *(f"/data/{line}/x.csv is absent" for line in SECRETS)])
    store = Store(tmp_path / "results")
    store.write_plan(made.plan)
    for record in made.records:
        planted = with_lines(text).model_copy(update={"cell": record.cell, "key": record.key})
        path = store.write(record.model_copy(update={"status": "ok"}))
        path.write_bytes(to_bytes(planted))  # as an earlier version wrote it
    options = BuildOptions(cache=tmp_path / "cache")
    secrets, records = build(store, tmp_path / "site", options=options).withheld
    assert records == 2
    assert secrets >= 2 * len(SECRETS)
    again = build(Store(store.root), tmp_path / "site", options=options)
    assert (again.written, again.withheld) == (0, (secrets, records))
    single = BuildOptions(single_file=True)
    assert build(store, tmp_path / "report.html", options=single).withheld == (secrets, records)
    files = [path for path in (tmp_path / "site").rglob("*") if path.is_file()]
    assert len(files) > 10
    for path in (*files, tmp_path / "report.html"):
        content = path.read_bytes()
        content += b"".join(map(b64decode, re.findall(rb"base64,([\w+/=]+)", content)))
        assert not [secret for secret in SECRETS.values() if secret.encode() in content], path


@pytest.mark.parametrize("line", SECRETS)
def test_a_secret_that_a_person_wrote_is_named_with_file_and_line(line: str) -> None:
    plan = study(devices=("cpu",), axes={}, repeats=2).plan
    assert written_secrets(plan) == []
    comment = line.replace("\n", "\n# ")
    named = written_secrets(plan.model_copy(update={"text": f"schema = 1\n# {comment}\n"}))
    assert f"{plan.spec}.toml, line 2" in named


def test_what_was_replaced_is_named_by_its_field() -> None:
    changes = as_published((), (with_lines("token=9f8e7d6c5b4a"),))[2]
    fields = {change.recorded for change in changes if change.kind == "secret"}
    texts = {"log_tail", "message", "remedy", "traceback", "note"}
    assert fields == texts | {"XLA_FLAGS", "TF_API_KEY"}
    written = as_written(with_lines("token=9f8e7d6c5b4a"))
    assert written.withheld.keys() == fields
    assert as_written(written).withheld == written.withheld
    assert as_published((), (written,))[1][0].withheld == written.withheld


def test_the_value_of_a_secret_variable_is_replaced_wherever_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ACME_SIGNING_KEY", "open sesame")
    monkeypatch.setenv("MYSQL_PWD", "open barley")
    monkeypatch.setenv("TOKENIZERS_PARALLELISM", "false")
    monkeypatch.setenv("PWD", "/data/project")
    assert secret_values() >= {"open sesame", "open barley"}
    assert not secret_values() & {"false", "/data/project"}
    written = as_written(with_lines("the door said: open sesame! false"))
    assert written.log_tail == f"the door said: {WITHHELD}! false"


def test_a_text_of_many_megabytes_is_shortened_once_and_keeps_its_end() -> None:
    written = as_written(with_lines("x" * 5_000_000 + " the cause"))
    assert len(written.log_tail) == LONGEST
    assert written.log_tail.endswith(" the cause")
    assert as_written(written) == written
