"""Numbers as files."""

from __future__ import annotations

import csv
import io
import json

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelreport.report.claim_text import claims_frame
from accelreport.report.site.assembly import gather
from accelreport.report.site.export import csv_text, site_files
from accelreport.spec.claims import BoundCheck, Claim
from tests.report.scenarios import Results
from tests.support.records import study

words = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")))
"""Texts; line feeds and the like are refused where records are read."""
plain = words.filter(
    lambda text: not any(part.startswith(("=", "+", "-", "@")) for part in text.split(";"))
)
rows = st.lists(
    st.tuples(plain, st.none() | plain, st.floats(), st.integers(-(2**62), 2**62), st.booleans()),
    min_size=1,
)


@given(rows)
def test_a_frame_is_written_as_pandas_writes_it(values: list[tuple[object, ...]]) -> None:
    frame = pd.DataFrame(values, columns=["a", "b, c", "x", "n", "yes"])
    assert csv_text(frame) == frame.to_csv(index=False, lineterminator="\n")


def test_a_frame_without_rows_is_a_line_of_names() -> None:
    assert csv_text(pd.DataFrame([], columns=["a", "b"])) == "a,b\n"


@given(words, st.sampled_from("=+-@"), words, st.sampled_from(",;\t"))
def test_no_spreadsheet_finds_a_formula_whatever_it_takes_for_a_separator(
    before: str, sign: str, after: str, separator: str
) -> None:
    hostile = f"{before};{sign}{after}"
    frame = pd.DataFrame([[hostile, f"{sign}{after}"]], columns=[hostile, "b"])
    read = csv.reader(io.StringIO(csv_text(frame)), delimiter=separator)
    cells = [cell for line in read for cell in line]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "@", "-"))]


def test_evidence_without_an_interval_has_no_number_that_json_has_not() -> None:
    def refuse(name: str) -> None:
        pytest.fail(f"{name} is no JSON")

    check = BoundCheck(ratio="speedup", of="gpu", at_least=1.0)
    claims = [Claim(text="Faster", check=check)]
    made = study(devices=("cpu", "gpu"), axes={}, repeats=1, claims=claims)
    (bench,) = gather(Results((made,)))
    files = dict(site_files([bench]))
    document = json.loads(files["results.json"], parse_constant=refuse)
    (claim,) = document["benchmarks"][0]["claims"]
    assert (claim["evidence"][0]["low"], claim["evidence"][0]["n"]) == (None, 1)
    (row,) = csv.DictReader(io.StringIO(csv_text(claims_frame(bench.plan, bench.tested))))
    (evidence,) = json.loads(row["evidence"], parse_constant=refuse)
    assert evidence["low"] is None
