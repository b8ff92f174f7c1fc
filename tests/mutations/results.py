"""A results folder in which every field of a record and of a plan says something, and its readers.

Everything that reads results is asked: every page of the site, the comparison of two folders, the
lists of the terminal, and the plan of the next run.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from accelreport.report.comparison import compare_folders
from accelreport.report.model import Page
from accelreport.report.pages.compare import two_runs_page
from accelreport.report.site.assembly import gather, site_units
from accelreport.report.site.options import BuildOptions, facts_of
from accelreport.results.plan_document import Looks, PlanDocument, with_other_devices
from accelreport.results.reading import ResultProblem, UnreadableFile, to_bytes
from accelreport.results.record import (
    Beginning,
    Energy,
    Failure,
    Forecast,
    Host,
    Record,
    Roofs,
    Selection,
    SelfCheck,
    StepParts,
    Warned,
)
from accelreport.runner.plan import Earlier, RunPlan, decide
from accelreport.spec.base import Baseline
from accelreport.spec.claims import Claim
from accelreport.spec.models import Advice, ListPrice, Published, Source, Target
from accelreport.terminal.comparison import comparison_markdown, comparison_text
from accelreport.terminal.listings import record_text
from accelreport.workloads.registry import FAMILIES
from tests.report.scenarios import OBSERVED, digits
from tests.support.records import Study, study

SOURCE = Source(
    title="A piece", url="https://example.org/a", authors="A. Person", year=2018,
    licence="CC BY 4.0", accessed="2026-05-31", note="read in part",
)  # fmt: skip

CHECKS: tuple[dict[str, Any], ...] = (
    {"faster": "gpu", "than": "cpu", "by_at_least": 1.5, "by_at_most": 90.0,
     "where": {"batch_size": 256}, "than_where": {"batch_size": 512}, "mean_over": []},
    {"faster": "gpu", "than": "cpu", "by_about": 3.0, "tolerance": 1.5, "quantity": "total_time",
     "mean_over": ["batch_size"]},
    {"rises": "speedup", "of": "gpu", "over": "cpu", "along": "batch_size",
     "where": {}, "mean_over": []},
    {"falls": "steady_step_time", "of": "gpu", "along": "batch_size"},
    {"ratio": "throughput", "of": "gpu", "over": "cpu", "where": {"batch_size": 256},
     "over_where": {"batch_size": 512}, "at_least": 1.0, "at_most": 50.0, "mean_over": []},
    {"ratio": "first_epoch_time", "of": "gpu", "to": "epoch_time", "about": 2.0,
     "tolerance": 3.0},
    {"difference": "val_accuracy", "of": "gpu", "over": "cpu", "at_least": 0.01,
     "where": {"batch_size": 256}, "over_where": {"batch_size": 256}},
    {"difference": "loss", "of": "gpu", "to": "val_loss", "at_most": 0.0,
     "mean_over": ["batch_size"]},
    {"value": "val_accuracy", "of": "gpu", "where": {"batch_size": 256}, "at_least": 0.5,
     "at_most": 0.999},
    {"equivalent": "val_accuracy", "within": 0.02, "where": {"batch_size": 256}},
    {"quantised_costs": "accuracy", "of": "gpu", "negligible": 0.01,
     "where": {"batch_size": 256}},
    {"runs_out_of": "memory", "of": "gpu", "where": {"batch_size": 512}, "memory": 13e9},
)  # fmt: skip
"""A check of every rule, and every key of each."""

ROWS: tuple[dict[str, Any], ...] = (
    {"device": "gpu", "label": "Colab GPU, 2018", "hardware": "Tesla K80", "mark": "O",
     "where": {"batch_size": 256}, "note": "as printed", "comparable": False,
     "first_epoch_time": 9.0, "epoch_time": 6.0, "step_time": 0.03, "sample_time": 1e-4,
     "total_time": 60.0, "throughput": 9000.0, "accuracy": 0.99, "val_accuracy": 0.98,
     "val_precision": 0.97, "val_recall": 0.96, "val_f1": 0.95, "loss": 0.1, "val_loss": 0.2,
     "float32_bytes": 1e6, "int8_bytes": 3e5, "tflops_cold": 0.5, "tflops": 1.5,
     "speedup": 12.0, "over": "cpu", "over_where": {"batch_size": 256},
     "quantity": "epoch_time", "source": SOURCE, "imported": "figures.csv",
     "includes": "validation",
     "price": ListPrice(per_hour=0.45, of="Tesla K80", date="2018-10-08", source="A list")},
    {"device": "gpu", "label": "Colab GPU, 2018", "where": {"batch_size": 512}, "epoch_time": 5.0},
    {"device": "cpu", "label": "A laptop", "where": {}, "epoch_time": 50.0},
)  # fmt: skip

NAMES: dict[str, tuple[Any, ...]] = {"kind": tuple(FAMILIES)}
"""Key → names that its value may be, in the models and beyond them."""


def names_of(*models: type[BaseModel]) -> dict[str, tuple[Any, ...]]:
    """Key → every name that a value under it may be in some model."""
    found: dict[str, set[Any]] = {key: set(values) for key, values in NAMES.items()}

    def look(part: Any, key: str) -> None:
        if isinstance(part, dict):
            for name, inner in part.get("properties", {}).items():
                look(inner, name)
            found.setdefault(key, set()).update(part.get("enum", ()))
            for name, inner in part.items():
                if name != "properties":
                    look(inner, key)
        elif isinstance(part, list):
            for inner in part:
                look(inner, key)

    for model in models:
        look(model.model_json_schema(), "")
    return {key: tuple(sorted(values, key=str)) for key, values in found.items() if values}


@dataclass(frozen=True)
class Folder:
    """A results folder in memory."""

    documents: Sequence[PlanDocument]
    written: Sequence[Record]
    problems: Sequence[object] = ()
    root: Path = Path("results")

    def plans(self) -> Sequence[PlanDocument]:
        """Every plan."""
        return self.documents

    def records(self) -> Iterable[Record]:
        """Every record."""
        return self.written


@cache
def training() -> Study:
    """A sweep on two devices; what is observed of a model is observed in every record of it."""
    made = study(
        spec="everything", devices=("cpu", "gpu"), axes={"batch_size": (256, 512)}, repeats=2,
        epochs=3, steps_per_epoch=40, samples=3, origin="official",
        published=[Published(**row) for row in ROWS],
        claims=[
            Claim.model_validate({"text": f"Claim {n}", "check": check, "source": "A piece"})
            for n, check in enumerate(CHECKS)
        ],
        target=Target(metric="val_accuracy", at_least=0.9, required=True),
    )  # fmt: skip
    records = tuple(digits(record).model_copy(update=_observed(record)) for record in made.records)
    plan = made.plan.model_copy(
        update={
            "overrides": {"workload.data": "official"},
            "source": SOURCE,
            "baseline": Baseline.model_validate({"device": "cpu", "batch_size": 256}),
            "advice": [Advice(use="GPU", words=["large"], others=["other"], source=SOURCE)],
            "until_decided": Looks(at=[2, 4, 8], level=0.98),
            "rows": {"gpu": "card"},
            "added": ["gpu"],
        }
    )
    return replace(made, plan=plan, records=records)


@cache
def kernel() -> Study:
    """Products of matrices on two devices."""
    target = Target(metric="val_loss", at_most=0.5)
    return study("matmul", spec="kernel", devices=("cpu-1", "gpu"), repeats=2, target=target)


def _observed(record: Record) -> dict[str, Any]:
    environment, flops = record.environment, record.flops
    assert environment
    assert flops
    (generated,) = OBSERVED["texts"]
    roofs = Roofs(
        tflops=0.2, core_tflops=0.1, gbps=12.0, method="2,048 × 2,048", other_cores=0.01,
        measured_at="2025-03-01T12:00:00+00:00",
    )  # fmt: skip
    counted = {
        "convolutions_per_step": flops.per_step / 2, "depth": 400.0, "batch_bytes": 2e5,
        "state_bytes": 5e6,
    }  # fmt: skip
    machine = {
        "host": "node-1", "cpu_limit": 1.5, "clock_max_mhz": 3000.0, "vector": ["fma", "avx2"],
        "variables": {"TF_NUM_INTEROP_THREADS": "1"}, "roofs": roofs,
    }  # fmt: skip
    stopped = [*record.blocks]
    stopped[-1] = stopped[-1].model_copy(update={"stopped_s": 0.5})
    return {
        "times": record.times.model_copy(
            update={"prepared_s": 1.0, "observe_s": 0.5, "checks_s": 0.1}
        ),
        "blocks": stopped,
        "epochs": [each.model_copy(update={"text": generated}) for each in record.epochs],
        "failure": Failure(kind="timeout", message="it ended", remedy="wait", traceback="File …"),
        **OBSERVED,
        "forecasts": [
            Forecast(
                target="temperature", unit="°C", first_time="2014-05-14T03:00:00", step_s=3600.0,
                ignored_steps=1, horizon_steps=24, train_mean=3.0,
                true=[float(i % 24) for i in range(60)],
                predicted=[float(i % 24) + 0.5 for i in range(60)],
            )
        ],
        "selection": Selection(
            monitor="val_loss", best=0.1, best_epoch=1, restored=True, stopped_early=True
        ),
        "parts": StepParts(
            empty_s=[1e-4, 1.1e-4], input_s=[2e-4, 2.1e-4], gradient_s=[9e-4, 8e-4],
            optimizer_s=[2e-4, 2e-4], absent="",
        ),
        "energy": [
            Energy(
                sensor="RAPL", scope="CPU package", parts=["package-0"], joules=25.0, window_s=1.0,
                steps=100, windows=3, unit_j=6.1e-5, update_s=1e-3, absent="",
            ),
            Energy(sensor="NVML", scope="GPU board", absent="no GPU"),
        ],
        "hosts": [
            Host(
                task="worker:0", host="a", address="a:2222", chief=True, machine="0a1b2c3d",
                cpu="Example CPU", devices=["/device:CPU:0"], peak_bytes=10**9,
            ),
            Host(task="worker:1", host="b"),
        ],
        "warnings": [*record.warnings, Warned(kind="short-window", message="The window is short.")],
        "checks": [
            SelfCheck(name="no-sync", outcome="passed", expected="it waits", seen="it waited")
        ],
        "began_with": Beginning(weights=f"{record.key:0>64}", order=f"{record.key:1>64}"),
        "log_tail": "W0000 an ordinary line",
        "details": {"pairs": 1, "names": ["a"]},
        "flops": flops.model_copy(update=counted),
        "data": record.data.model_copy(update={"files": {"a.gz": "0" * 64}, "seed": 0, "note": "!"})
        if record.data
        else None,
        "environment": environment.model_copy(
            update={**machine, "gpus": environment.gpus}
        ),
    }  # fmt: skip


def as_document(model: BaseModel) -> Any:
    """A model as the JSON values that stand in its file."""
    return json.loads(to_bytes(model))


def read_all(folder: Folder, before: Folder) -> None:
    """Asks everything that reads results.

    Args:
        folder: the results.
        before: other results, with which they are compared.

    Raises:
        Exception: something could not be read, whatever it is.
    """
    benches = gather(folder)
    facts = facts_of(BuildOptions(base_url="https://example.org/"))
    for unit in site_units(benches, facts, (), None):
        for page in unit.pages():
            _charts(page)
        for _, content in unit.files():
            del content
    _compare(before, folder)
    for one, other in product(folder.plans(), before.plans()):
        _ = (
            one.frameworks,
            with_other_devices(one, other, bool),
            with_other_devices(other, one, bool),
        )
    plan = RunPlan(tuple(decide(each.cell, each, None) for each in folder.written))
    _ = plan.estimate, [Earlier.of(each) for each in folder.written]
    for each in folder.written:
        list(record_text(each, Path("results/cells/record.json")))


def _charts(page: Page) -> None:
    for _, drawing in page.drawings:
        json.dumps(drawing.spec, allow_nan=False)


def _compare(one: Folder, other: Folder) -> None:
    for compared in (compare_folders(one, other, 0.05), compare_folders(other, one)):
        compared.model_dump_json()
        _charts(two_runs_page(compared))
        list(comparison_text(compared))
        list(comparison_markdown(compared))


Reader = Callable[[Path], Any]


def read_file(path: Path, content: bytes, reader: Reader) -> Any | ResultProblem:
    """What a reader makes of a file with this content, or why it is left out."""
    path.write_bytes(content)
    try:
        return reader(path)
    except UnreadableFile as error:
        return error.problem
