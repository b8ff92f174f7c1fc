"""`accelreport claims`, and the claims with which a run ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from accelreport.errors import ExitCode
from accelreport.results.record import Energy
from accelreport.results.store import Store
from accelreport.spec.claims import Claim
from accelreport.terminal.answer import answers
from tests.house.tree import ROOT
from tests.support.pace import DEVICES
from tests.support.program import call
from tests.support.records import study

pytestmark = pytest.mark.e2e


def faster(by: float, device: str = "gpu") -> Claim:
    return Claim.model_validate(
        {
            "text": f"{device} is at least {by:g} times as fast as the CPU",
            "check": {"faster": device, "than": "cpu", "by_at_least": by},
        }
    )


CONFIRMED, REFUTED = faster(1.05), faster(1000)
UNTRIED = faster(2, "tpu")


def kept(folder: Path, *claims: Claim, repeats: int = 3) -> Path:
    made = study(
        "training", devices=("cpu", "gpu"), axes={"batch_size": (256,)}, epochs=1, claims=claims,
        repeats=repeats,
    )  # fmt: skip
    store = Store(folder / "results")
    devices = made.plan.devices | {"tpu": DEVICES["tpu"]}
    store.write_plan(made.plan.model_copy(update={"devices": devices}))
    for record in made.records:
        store.write(record)
    return folder


@pytest.mark.parametrize(
    ("claims", "repeats", "refuted", "undecided"),
    [
        ([CONFIRMED], 3, ExitCode.OK, ExitCode.OK),
        ([CONFIRMED, REFUTED], 3, ExitCode.GATE_CLOSED, ExitCode.GATE_CLOSED),
        ([CONFIRMED, UNTRIED], 3, ExitCode.OK, ExitCode.OK),
        ([CONFIRMED], 1, ExitCode.OK, ExitCode.GATE_CLOSED),
        ([UNTRIED], 3, ExitCode.NOTHING_COMPARED, ExitCode.NOTHING_COMPARED),
        ([], 3, ExitCode.NOTHING_COMPARED, ExitCode.NOTHING_COMPARED),
    ],
    ids=["confirmed", "refuted", "one-needs-a-device", "one-process", "untested", "none"],
)
def test_a_gate_of_claims_ends_with_a_code_of_its_own(
    tmp_path: Path, claims: list[Claim], repeats: int, refuted: ExitCode, undecided: ExitCode
) -> None:
    kept(tmp_path, *claims, repeats=repeats)
    assert call(tmp_path, "claims").returncode == ExitCode.OK
    assert call(tmp_path, "claims", "--fail-if", "refuted").returncode == refuted
    assert call(tmp_path, "claims", "--fail-if", "undecided").returncode == undecided


def test_each_claim_has_its_verdict_and_the_numbers_behind_it(tmp_path: Path) -> None:
    kept(tmp_path, CONFIRMED, REFUTED)
    told = call(tmp_path, "claims").stdout
    assert "2 claims (2 from the author): 1 confirmed, 1 refuted" in told
    _, confirmed, number, refuted, *_ = [line.strip() for line in told.splitlines()[1:]]
    assert confirmed == f"confirmed  {CONFIRMED.text}"
    assert refuted == f"refuted    {REFUTED.text}"
    assert "×" in number
    assert "n\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}3" in number
    assert number in told
    rows = json.loads(call(tmp_path, "claims", "--json").stdout)
    assert [row["verdict"] for row in rows] == ["CONFIRMED", "REFUTED"]
    (evidence,) = rows[0]["evidence"]
    assert evidence["low"] < evidence["value"] < evidence["high"]


def test_the_words_are_those_of_the_current_specs(tmp_path: Path) -> None:
    shipped, own = Store(ROOT / "examples" / "whole_trainings"), Store(tmp_path / "results")
    (plan,) = (plan for plan in shipped.plans() if plan.spec == "matmul")
    earlier = plan.claims[0].model_copy(update={"text": "as it was said when it was run"})
    own.write_plan(plan.model_copy(update={"claims": [earlier]}))
    for record in shipped.records():
        if record.cell.spec == "matmul":
            own.write(record)
    told = call(ROOT, "claims", "--results", str(tmp_path / "results")).stdout
    assert earlier.text not in told
    assert all(claim.text in told for claim in plan.claims)


def test_json_has_no_number_that_is_none(tmp_path: Path) -> None:
    kept(tmp_path, CONFIRMED, repeats=1)

    def refuse(name: str) -> None:
        raise AssertionError(name)

    told = call(tmp_path, "claims", "--json").stdout
    (row,) = json.loads(told, parse_constant=refuse)
    assert row["evidence"][0]["low"] is None


def test_a_run_ends_with_the_verdict_and_the_number_of_each_claim(tmp_path: Path) -> None:
    store = Store(kept(tmp_path, CONFIRMED) / "results")
    lines = "\n".join(answers(store, store.plans()))
    assert f"confirmed  {CONFIRMED.text}\n" in lines
    assert (
        "n\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}3"
        in lines.partition(f"confirmed  {CONFIRMED.text}\n")[2].splitlines()[0]
    )


def test_a_spec_that_was_not_run_is_an_error(tmp_path: Path) -> None:
    kept(tmp_path, CONFIRMED)
    told = call(tmp_path, "claims", "nothing")
    assert told.returncode == ExitCode.NOTHING_RAN
    assert "nothing has no results" in told.stderr


def test_energy_for_an_example_is_a_quantity_of_claims(tmp_path: Path) -> None:
    check = {"ratio": "energy_per_example", "of": "gpu", "over": "cpu", "at_most": 0.5}
    claim = Claim.model_validate({"text": "A GPU takes half the energy", "check": check})
    value = {"value": "energy_per_example", "of": "gpu", "at_least": 100}
    other = Claim.model_validate({"text": "An example takes 100 J", "check": value})
    made = study(
        devices=("cpu", "gpu"), axes={"batch_size": (256,)}, epochs=1, claims=[claim, other]
    )
    store = Store(tmp_path / "results")
    store.write_plan(made.plan)
    for number, record in enumerate(made.records):
        board = record.cell.device == "gpu"
        sensor, scope = ("NVML", "GPU board") if board else ("RAPL", "CPU package")
        # The package of a GPU's host is counted, too, and is not what computes.
        energy = [
            Energy(
                sensor=sensor, scope=scope, joules=(3.0 if board else 9.0) + number / 10, steps=10
            ),
            *(
                [Energy(sensor="RAPL", scope="CPU package", joules=500.0, steps=10)]
                if board
                else []
            ),
        ]
        store.write(record.model_copy(update={"energy": energy}))
    told = call(tmp_path, "claims").stdout
    assert f"confirmed  {claim.text} (at most 0.5 times)\n" in told
    assert f"refuted    {other.text}\n" in told
    assert "\N{NO-BREAK SPACE}J (" in told
    assert call(tmp_path, "build").returncode == ExitCode.OK
