"""A baseline may be a device at values of the sweep: every comparison is over what it fixes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from pydantic import ValidationError

from accelreport.analysis.claim_rules import claim_results
from accelreport.analysis.claims import ClaimVerdict
from accelreport.analysis.findings import Kind
from accelreport.analysis.results import results_of
from accelreport.analysis.speedup import speedups_of
from accelreport.analysis.stats import Verdict
from accelreport.report.claim_text import numbers_text
from accelreport.report.openings.opening import Plot
from accelreport.report.openings.registry import opening_of
from accelreport.report.pages.benchmark import benchmark_page
from accelreport.report.pages.sections.speedup import speedup_section, speedup_table
from accelreport.report.say import Speaker
from accelreport.report.site.assembly import gather
from accelreport.report.site.export import site_files
from accelreport.report.view import BenchmarkView
from accelreport.results.plan_document import PlanDocument
from accelreport.spec.base import Baseline, Scalar
from accelreport.spec.cells import Cell
from accelreport.spec.claims import BoundCheck, Check, Claim, EquivalentCheck, TrendCheck
from tests.report.scenarios import Results
from tests.support.records import Noise, Study, slowed, study
from tests.support.worlds import Fact, records_of

HOW = "options.how"
NUMPY = {"device": "cpu", HOW: "numpy"}
SECONDS = {"numpy": 0.21, "tf": 0.1, "again": 0.21}


def ways(
    axes: Mapping[str, tuple[Scalar, ...]] | None = None,
    devices: tuple[str, ...] = ("cpu",),
    repeats: int = 3,
    **more: object,
) -> Study:
    """A computation in several ways, each as fast as `SECONDS` says, on a GPU ten times that."""
    swept = axes or {HOW: ("numpy", "tf", "again")}
    asked = study(
        axes=swept,
        devices=devices,
        baseline=NUMPY,
        repeats=repeats,
        **more,  # type: ignore[arg-type]
    )

    def fact(cell: Cell) -> Fact:
        way = str(cell.point[HOW])
        # Of two equal ways each is ahead in some repeats.
        wobble = 1 + 0.02 * (cell.repeat % 2) * (1 if way == "again" else -1)
        seconds = SECONDS[way] * wobble * int(cell.workload["batch_size"]) / 256
        return Fact(seconds / (10 if cell.device == "gpu" else 1), final={"val_accuracy": 0.9})

    return replace(asked, records=records_of(asked.cells, fact))


def view(made: Study) -> BenchmarkView:
    (bench,) = gather(Results((made,)))
    return bench


def test_every_value_of_the_sweep_is_compared_with_the_one_that_the_baseline_fixes() -> None:
    bench = view(ways(devices=("cpu", "gpu")))
    rows = {(row.device, row.point[HOW]): row for row in bench.compared}
    assert {place: row.is_baseline for place, row in rows.items() if row.is_baseline} == {
        ("cpu", "numpy"): True
    }
    assert rows["cpu", "tf"].interval.value == pytest.approx(2.1, rel=0.03)
    assert rows["gpu", "numpy"].interval.value == pytest.approx(10, rel=0.03)
    assert rows["gpu", "tf"].interval.value == pytest.approx(21, rel=0.03)
    assert rows["cpu", "tf"].verdict is Verdict.FASTER


def test_the_other_keys_match_value_by_value() -> None:
    bench = view(ways({HOW: ("numpy", "tf"), "batch_size": (64, 256)}))
    for row in bench.compared:
        assert row.base
        assert dict(row.base.point) == {HOW: "numpy", "batch_size": row.point["batch_size"]}
    (found,) = (f for f in bench.findings if f.kind is Kind.FASTER)
    assert Speaker(bench).title(found).startswith("tf trains 2.10× as fast as numpy")
    assert not {f.kind for f in bench.findings} & {Kind.RANGE, Kind.GAIN}


def test_the_ways_stand_beside_one_another_in_title_picture_and_table() -> None:
    bench = view(ways({HOW: ("numpy", "tf")}))
    page = benchmark_page(bench)
    assert page.headline == "tf trains 2.10× as fast as numpy"
    assert speedup_section(bench)
    table = speedup_table(bench)
    rows = {row.header.lines[0].text: row.entries for g in table.groups for row in g.rows}
    assert table.title == "Speedups over numpy"
    assert [way for way, (_, ratio) in rows.items() if ratio.mark == "baseline"] == ["numpy"]
    assert rows["tf"][1].lines[0].text.startswith("2.1")
    (scene,) = opening_of(bench).scenes
    assert isinstance(scene.shown, Plot)
    assert scene.shown.table
    names = [r.header.lines[0].text for g in scene.shown.table.groups for r in g.rows]
    assert sorted(names) == ["numpy", "tf"]
    assert scene.shown.points == 2


def test_files_name_the_point_of_the_baseline() -> None:
    files = dict(site_files([view(ways())]))
    assert (
        '"baseline": {\n    "device": "cpu",\n    "options.how": "numpy"' in files["results.json"]
    )
    assert "cpu at options.how = numpy" in files["speedups.csv"].splitlines()[1]


def test_claims_without_a_base_are_about_the_baseline() -> None:
    checks: list[tuple[Check, str]] = [
        (BoundCheck(ratio="speedup", of="cpu", where={HOW: "tf"}, at_least=1.5), "CONFIRMED"),
        (BoundCheck(ratio="steady_step_time", of="cpu", where={HOW: "tf"}, at_most=1), "REFUTED"),
        (EquivalentCheck(equivalent="val_accuracy", within=0.01), "CONFIRMED"),
    ]
    claims = [Claim(text=f"claim {n}", check=check) for n, (check, _) in enumerate(checks)]
    made = ways(claims=claims)
    results = view(made).results
    found = claim_results(made.plan, results, made.records)
    assert [each.verdict for each in found] == [ClaimVerdict(verdict) for _, verdict in checks]


def test_a_claim_that_another_baseline_makes_one_of_itself_is_not_tested() -> None:
    checks: list[Check] = [
        BoundCheck(ratio="speedup", of="cpu", at_least=1.5, where={HOW: "tf"}),
        TrendCheck(rises="speedup", of="cpu", along="batch_size", where={HOW: "tf"}),
    ]
    made = ways({HOW: ("numpy", "tf"), "batch_size": (64, 256)})
    claims = tuple(Claim(text=f"{number}", check=check) for number, check in enumerate(checks))
    plan = made.plan.model_copy(update={"claims": claims, "baseline": Baseline(device="cpu")})
    found = claim_results(plan, view(made).results, made.records)
    assert {each.verdict for each in found} == {ClaimVerdict.NOT_TESTED}
    texts = {numbers_text(each) for each in found}
    assert texts == {"its two sides are one and the same under the baseline of this run"}


def test_a_trend_may_run_through_the_baseline() -> None:
    rises = TrendCheck(rises="speedup", of="cpu", along="batch_size")
    asked = study(
        axes={"batch_size": (64, 256, 1024)},
        devices=("cpu",),
        baseline={"device": "cpu", "batch_size": 64},
        claims=[Claim(text="Larger is faster", check=rises)],
    )

    def fact(cell: Cell) -> Fact:
        batch = int(cell.workload["batch_size"])
        return Fact((0.2 + 1e-3 * batch) * (1 + 1e-4 * (batch % 7) * cell.repeat))

    made = replace(asked, records=records_of(asked.cells, fact))
    bench = view(made)
    (claim,) = bench.tested
    assert claim.verdict is ClaimVerdict.CONFIRMED
    assert benchmark_page(bench).headline


def test_a_plan_is_read_back_and_one_without_a_point_is_written_as_before() -> None:
    plan = ways().plan
    assert PlanDocument.model_validate_json(plan.model_dump_json()) == plan
    plain = study(axes={}).plan
    assert '"baseline":"cpu"' in plain.model_dump_json()
    assert PlanDocument.model_validate_json(plain.model_dump_json()) == plain


def test_a_plan_whose_baseline_is_not_in_its_sweep_is_refused() -> None:
    document = ways().plan.model_dump(mode="json")
    document["baseline"] = {"device": "cpu", HOW: "jax"}
    with pytest.raises(ValidationError, match="which is not swept"):
        PlanDocument.model_validate(document)


def test_a_whole_number_is_the_same_value_of_an_axis_with_and_without_a_point() -> None:
    rate = "optimizer.learning_rate"
    baseline: dict[str, Scalar] = {"device": "cpu", rate: 1}
    made = study(devices=("cpu",), axes={rate: (0.5, 1.0)}, baseline=baseline, repeats=2)
    other, own = speedups_of(made.plan, results_of(made.plan, made.records))
    assert own.is_baseline
    assert other.base is own.own


def test_a_claim_and_the_table_know_of_the_same_slow_processes_over_a_fixed_value() -> None:
    """What 1,024 over 256 shows of two modes holds for 512 over 256, too, and on both devices."""
    points = {"cpu": 512, "gpu": 256}
    claims = [
        Claim(
            text=f"{device} is faster",
            check=BoundCheck(ratio="speedup", of=device, at_least=1.0, where={"batch_size": size}),
        )
        for device, size in points.items()
    ]
    quiet = study(
        devices=tuple(points),
        axes={"batch_size": (256, 512, 1024)},
        baseline={"device": "cpu", "batch_size": 256},
        noise=Noise(process=0.01, step=0, outlier_share=0),
        repeats=5,
        claims=claims,
    )
    made = slowed(quiet, 1.6, device="cpu", repeat=0, batch_size=1024)
    made = slowed(made, 1.6, device="gpu", repeat=1, batch_size=1024)
    results = results_of(made.plan, made.records)
    table = {
        (pair.device, pair.point["batch_size"]): pair for pair in speedups_of(made.plan, results)
    }
    for device, claim in zip(points, claim_results(made.plan, results, made.records), strict=True):
        (number,) = claim.numbers
        shown = table[device, points[device]]
        assert shown.rules.spread > 0.1
        assert number.interval.ends == pytest.approx(shown.interval.ends)
