"""The tree says nothing about the machines on which it was written, and leans on none."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from tests.house.tree import ROOT, texts

CHECKOUT = re.compile(r"(?<![\w.:/-])/(?:work|root|builds|workspace)/\w")
"""Where checkouts usually lie: a path below one belongs to a machine, not to a project."""

REGISTRIES = re.compile(r"pypi\.org|pythonhosted\.org|npmjs\.(?:org|com)|deb\.debian\.org")
"""Hosts of package registries: every machine has its own settings for these."""

OWN = tuple({str(ROOT), str(ROOT.parent), str(Path.home()), sys.prefix, sys.base_prefix} - {"/"})
"""Paths of the machine on which this test runs."""


def _mentions(pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{name}:{number}: {line.strip()[:120]}"
        for name, text in texts()
        for number, line in enumerate(text.splitlines(), start=1)
        if pattern.search(line)
    ]


def test_no_file_names_a_path_of_a_machine() -> None:
    assert not _mentions(CHECKOUT)


def test_no_file_names_a_path_of_this_machine() -> None:
    # `/usr` and the like are a prefix of paths that every machine has.
    own = [re.escape(path) for path in OWN if path.count("/") > 1]
    assert not own or not _mentions(re.compile(rf"(?:{'|'.join(own)})(?![\w-])"))


def test_no_file_names_a_package_registry() -> None:
    assert not _mentions(REGISTRIES)


def test_every_text_ends_with_one_line_break_and_has_no_carriage_return() -> None:
    wrong = [
        name
        for name, text in texts()
        if text and ("\r" in text or not text.endswith("\n") or text.endswith("\n\n"))
        # Broken files are what the corpora of broken specs and records are made of.
        if not name.startswith("tests/")
    ]
    assert not wrong
