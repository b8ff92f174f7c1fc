"""What README, CONTRIBUTING and CHANGELOG say is so."""

from __future__ import annotations

import itertools
import re
import shlex
import tomllib
from collections.abc import Iterator

import pytest

import accelreport
from accelreport.results.record import Environment, Record
from tests.house.documents import DOCUMENTS, fenced, leaves, program, prose, resolve, text_of
from tests.house.tree import ROOT

COMMANDS = "docs/commands.md"
"""Where the tables of commands and exit codes are."""


def _said() -> Iterator[str]:
    """Every command that running text names; those in blocks: `test_documented_commands.py`.

    The changelog also names commands that were removed.
    """
    for name in DOCUMENTS:
        if name == "CHANGELOG.md":
            continue
        yield from re.findall(r"`(accelreport [^`]+)`", prose(name))


@pytest.mark.parametrize("said", sorted(set(_said())))
def test_a_command_in_the_documents_exists(said: str) -> None:
    command, rest = resolve(shlex.split(said, comments=True)[1:])
    known = {option for parameter in command.params for option in parameter.opts} | {"--help"}
    assert {word.split("=")[0] for word in rest if word.startswith("--")} <= known


def test_every_command_is_in_their_table() -> None:
    rows = re.findall(r"^\| `accelreport ([a-z]+(?: [a-z]+)?)", text_of(COMMANDS), re.MULTILINE)
    told = {tuple(row.split()) for row in rows}
    commands = set(leaves(program()))
    assert {next(c for c in commands if c == row[: len(c)]) for row in told} == commands


@pytest.mark.parametrize("name", ["README.md", COMMANDS])
def test_the_options_a_table_names_for_a_command_exist(name: str) -> None:
    for row in text_of(name).splitlines():
        if row.startswith("| `accelreport "):
            command, _ = resolve(row.split("`")[1].split()[1:])
            known = {option for parameter in command.params for option in parameter.opts}
            assert set(re.findall(r"`(--[a-z-]+)`", row)) <= known


def test_continuous_integration_runs_the_test_command_of_the_readme() -> None:
    (two_commands, *_) = fenced("README.md", "sh")
    commands = [line.split("#")[0].strip() for line in two_commands.splitlines()]
    assert commands == ["make report", "make test"]
    assert text_of(".ci/run").splitlines()[-1] == commands[1]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_file_that_a_document_links_to_exists(name: str) -> None:
    text = prose(name)
    linked = re.findall(r"\]\(([^)#\s]+)", text) + re.findall(r'src(?:set)?="([^"]+)"', text)
    files = [link for link in linked if "://" not in link]
    folder = (ROOT / name).parent
    assert not [link for link in files if not (folder / link).is_file()]


def test_the_changelog_speaks_of_this_version_or_the_next() -> None:
    headings = re.findall(
        r"^## \[([^\]]+)\](?: - (\d{4}-\d\d-\d\d))?$", text_of("CHANGELOG.md"), re.MULTILINE
    )
    assert headings[0] in {("Unreleased", ""), (accelreport.__version__, headings[0][1])}
    assert all(date for version, date in headings if version != "Unreleased")
    kinds = set(re.findall(r"^### (.+)$", text_of("CHANGELOG.md"), re.MULTILINE))
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_the_first_page_has_150_words_a_picture_and_three_commands() -> None:
    page = text_of("docs/index.md").partition("```{toctree}")[0]
    picture = re.compile(r"!\[[^\]]*\]\([^)]*\)")
    assert len(picture.findall(page)) == 1
    (commands,) = fenced("docs/index.md", "sh")
    assert len(commands.strip().splitlines()) == 3
    text = re.sub(r"```.*?```", "", picture.sub("", page), flags=re.DOTALL)
    words = re.sub(r"\]\([^)]*\)", "", text).split()
    assert 100 <= sum(any(map(str.isalnum, word)) for word in words) <= 150


def test_the_version_is_written_in_one_place() -> None:
    project = tomllib.loads(text_of("pyproject.toml"))
    assert "version" in project["project"]["dynamic"]
    assert project["tool"]["hatch"]["version"]["path"] == "accelreport/_version.py"
    assert f'__version__ = "{accelreport.__version__}"' in text_of("accelreport/_version.py")


def test_every_dependency_is_explained() -> None:
    project = tomllib.loads(text_of("pyproject.toml"))["project"]
    extras = project["optional-dependencies"].values()
    asked = [*project["dependencies"], *itertools.chain(*extras)]
    rows = re.findall(r"^\| ([a-z][a-z0-9, -]+) \| ", text_of("CONTRIBUTING.md"), re.MULTILINE)
    explained = {name.strip() for row in rows for name in row.split(",")}
    names = {re.split(r"[^A-Za-z0-9-]", each)[0] for each in asked}
    # Three distributions of one package, which is explained once.
    assert names - {"tensorflow-cpu", "tensorflow-tpu"} <= explained


def test_the_page_of_privacy_names_every_field_of_a_record_once() -> None:
    table = text_of("docs/privacy.md").partition("## What a record holds")[2].partition("\n\n[")[0]
    named = [
        name
        for row in table.splitlines()[4:]
        for name in re.findall(r"`([^`]+)`", row.split("|")[1])
    ]
    fields = {name for name in Record.model_fields if name != "environment"}
    assert sorted(named) == sorted(
        fields | {f"environment.{name}" for name in Environment.model_fields}
    )
