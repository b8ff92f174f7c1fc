"""Results folders, in memory, that pages are built from in these tests."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from accelreport.report.comparison import FolderComparison, compare_folders
from accelreport.results.plan_document import PlanDocument
from accelreport.results.record import (
    Artefact,
    Confusion,
    Energy,
    Failure,
    Forecast,
    GeneratedText,
    Host,
    Precision,
    Quantised,
    Record,
    Sample,
    SavedWeights,
    Selection,
    Served,
    Warned,
)
from accelreport.spec.claims import Claim
from accelreport.spec.models import Published, Source, Target
from tests.support.records import Study, assorted, study, without_peaks

SPECS = Path(__file__).parents[2] / "specs"

THERE = "ffffffff"
"""The second machine, where a scenario has one."""

HOSTILE = (
    "</script><script>document.title='broken'</script>",
    "</style><script>document.title='broken'</script>",
    '"><img src=x onerror="document.title=\'broken\'">',
    "<svg onload=\"document.title='broken'\">",
    "</title></svg><script>document.title='broken'</script>",
    "javascript:document.title='broken'",
    "{{ 7 * 7 }}{% raw %}",
    "datum.value ? 'a' : \"b\" \\' + alert(1)",
    "../../../../etc/passwd",
    "a‮b⁦c\u0000d\u0007e",
    '=HYPERLINK("http://evil.example/")',
    "x" * 3000,
    "<iframe src=http://evil.example/></iframe><link rel=stylesheet href=http://evil.example/>",
    "]]><!--\x1b[31mred\x1b[0m",
)
"""Texts that would run, fetch, escape or hide if a page trusted them."""


@dataclass(frozen=True)
class Results:
    """Studies as a results folder."""

    studies: tuple[Study, ...]
    problems: Sequence[object] = ()
    root: Path = Path("results")

    def records(self) -> Iterable[Record]:
        """Every record."""
        return [record for each in self.studies for record in each.records]

    def plans(self) -> Sequence[PlanDocument]:
        """Every plan."""
        return [each.plan for each in self.studies]


PUBLISHED = (
    Published(device="gpu", label="Colab GPU", where={"batch_size": 256}, epoch_time=6.0),
    Published(
        device="gpu", label="Colab GPU", where={"batch_size": 512}, sample_time=82e-6,
        note="the source calls µs for each sample a step",
    ),
    Published(
        device="tpu", label="Colab TPU v2", where={"batch_size": 256}, epoch_time=6.0,
        comparable=False, note="batch is per core",
    ),
)  # fmt: skip

CLAIMS = tuple(
    Claim.model_validate(claim)
    for claim in (
        {
            "text": "The advantage grows with the batch",
            "check": {"rises": "speedup", "of": "gpu", "along": "batch_size"},
        },
        {
            "text": "The TPU is 17 times as fast as the GPU",
            "check": {"ratio": "speedup", "of": "tpu", "over": "gpu", "at_least": 17.0},
        },
    )
)


def digits(record: Record) -> Record:
    """The record with a picture to each of its samples."""
    rng = np.random.default_rng(0)
    return record.model_copy(
        update={
            "samples": [
                sample.model_copy(
                    update={
                        "pixels": base64.b64encode(rng.bytes(28 * 28)).decode(),
                        "shape": [28, 28],
                    }
                )
                for sample in record.samples
            ]
        }
    )


OBSERVED: dict[str, Any] = {
    "confusion": Confusion(classes=["cat", "dog"], counts=[[8, 2], [0, 10]]),
    "texts": [GeneratedText(prompt="To be", text=" or not <b>to</b> be")],
    "weights": SavedWeights(
        format="HDF5", bytes=1000, sha256="0" * 64, examples=500, max_difference=4.8e-6
    ),
    "artefacts": [
        Artefact(name="weights.h5", what="trained weights", bytes=1000, sha256="0" * 64)
    ],
    "served": Served(
        format="SavedModel", bytes=3_000_000, export_s=1.0, start_s=5.0, server="a server",
        examples=500, max_difference=0.0, same_class=1.0,
        latency_s=[0.001 * i for i in range(1, 101)],
        throughput_batch=32, throughput_clients=2, throughput=362.0,
    ),
    "quantised": Quantised(
        method="post-training int8", calibration_examples=200, threads=1, examples=1000,
        float32=Precision(bytes=1_580_000, latency_s=[40e-6], batch=64, throughput=8000.0),
        int8=Precision(bytes=410_000, latency_s=[13e-6], batch=64, throughput=36000.0),
        both_right=900, float32_only=60, int8_only=20, neither=20,
    ),
}  # fmt: skip
"""What a record may hold of any trained model."""


def observed() -> Results:
    """A training whose record holds everything that can be observed of a trained model."""
    made = study(repeats=1, epochs=2, steps_per_epoch=30, devices=("cpu",), axes={})
    seen = OBSERVED | {
        "forecasts": [
            Forecast(
                target="temperature", unit="°C", first_time="2014-05-14T03:00:00", step_s=3600.0,
                ignored_steps=10, true=[float(i % 24) for i in range(1200)],
                predicted=[float(i % 24) + 0.5 for i in range(1200)],
            )
        ],
        "selection": Selection(monitor="val_loss", best=0.1, best_epoch=1, restored=True),
        "hosts": [Host(task="worker:0", host="a", chief=True), Host(task="worker:1", host="b")],
    }  # fmt: skip
    records = tuple(record.model_copy(update=seen) for record in made.records)
    return Results((replace(made, records=records),))


@cache
def ordinary() -> Results:
    """A sweep with something of everything, its quick profile on synthetic data, a kernel."""
    sweep = study(
        spec="mnist_batch_sweep", devices=("cpu", "cpu-1", "gpu", "tpu"), fate=assorted,
        repeats=4, published=PUBLISHED, claims=CLAIMS, samples=20, origin="official",
        target=Target(metric="val_accuracy", at_least=0.97), steps_per_epoch=40,
    )  # fmt: skip
    sweep = replace(sweep, records=tuple(digits(record) for record in sweep.records))
    quick = study(
        spec="mnist_batch_sweep", profile="quick", devices=("cpu", "cpu-1"), repeats=1,
        epochs=2, steps_per_epoch=40, seed=3, first_seed=50,
        target=Target(metric="val_accuracy", at_least=0.999),
    )  # fmt: skip
    kernel = study("matmul", spec="matmul", devices=("cpu", "cpu-1", "gpu"), seed=5)
    return Results((sweep, quick, kernel))


def two_machines(factor: float = 2.0) -> Results:
    """The same plan on two machines, one of them so many times as slow on its CPU."""
    one = study("matmul", spec="k", repeats=4)
    other = study("matmul", spec="k", repeats=4, machine=THERE, seed=7, factors={"cpu": factor})
    return Results((replace(one, records=one.records + other.records),))


def two_runs(gate: float | None = None) -> FolderComparison:
    """A run, and another in which one device became slower, one faster, and one came in."""
    before = study("matmul", spec="k", repeats=4), study(spec="left", repeats=2, epochs=1)
    after = study(
        "matmul", spec="k", repeats=4, seed=7, factors={"cpu": 1.5, "gpu": 0.5},
        devices=("cpu", "cpu-1", "gpu"),
    )  # fmt: skip
    old = tuple(without_peaks(each) for each in before)
    return compare_folders(
        Results(old, root=Path("before")),
        Results((without_peaks(after),), root=Path("after")),
        gate,
    )


def attacked() -> Results:
    """Sweeps in which every text that a spec, a log or a machine may hold is a hostile one."""
    return Results(
        tuple(_attacked_study(text, number) for number, text in enumerate(HOSTILE)),
        problems=HOSTILE,
    )


def _attacked_study(text: str, number: int) -> Study:
    made = study(
        spec=text, profile=text, first_seed=100 * number, repeats=2, epochs=2,
        steps_per_epoch=30, published=PUBLISHED[:1], claims=CLAIMS[:1], samples=3,
        axes={"batch_size": (256, 512)}, devices=("cpu", "gpu"), fate=_first_gpu_fails,
    )  # fmt: skip
    device = {
        name: each.model_copy(
            update={
                "label": text,
                "currency": text,
                "price_date": text,
                "price_source": text,
                "peak_source": text,
                "memory_gbps": 100.0,
                "memory_source": text,
            }
        )
        for name, each in made.plan.devices.items()
    }
    plan = made.plan.model_copy(
        update={
            "title": text,
            "description": text,
            "source": Source(title=text, url=text, authors=text, note=text),
            "text": text,
            "devices": device,
            "published": [
                each.model_copy(
                    update={
                        "label": text,
                        "note": text,
                        "source": Source(title=text, url=text, authors=text, licence=text),
                        "imported": text,
                    }
                )
                for each in PUBLISHED[:1]
            ],
            "claims": [made.plan.claims[0].model_copy(update={"text": text, "source": text})],
        }
    )
    records = tuple(_attacked(record, text) for record in made.records)
    return Study(plan, records)


def _first_gpu_fails(cell: object) -> str:
    return "oom-device" if getattr(cell, "device", "") == "gpu" else "ok"


def _attacked(record: Record, text: str) -> Record:
    environment = record.environment
    assert environment is not None
    failure = record.failure
    if failure is not None:
        failure = Failure(kind=failure.kind, message=text, remedy=text, traceback=text)
    read = Energy(
        sensor=text, scope=text, parts=[text], joules=9.0, window_s=3.0, steps=30, windows=1,
        unit_j=1e-6, update_s=1e-3,
    )  # fmt: skip
    return record.model_copy(
        update={
            "energy": [read, Energy(sensor=text, scope=text, absent=text)],
            "failure": failure,
            "log_tail": text,
            "warnings": [Warned(kind=text, message=text)],
            "started_at": text,
            "samples": [
                Sample(index=0, true=text, predicted=text + "!", probability=0.5, pixels=text,
                       shape=[28, 28])
            ],
            "environment": environment.model_copy(
                update={
                    "cpu": text, "os": text, "commit": text, "packages": {text: text},
                    "variables": {text: text}, "accelerators": [text],
                }
            ),
        }
    )  # fmt: skip


def driven_study(**ways: dict[str, object]) -> Study:
    """A study of one processor, driven in such ways; each is slower than the one before."""
    names = ("cpu", "cpu-1", "gpu")[: len(ways)]
    made = study(devices=names, axes={}, factors={"gpu": 100.0})
    devices = {
        name: made.plan.devices["cpu"].model_copy(update={"label": label, **way})
        for name, (label, way) in zip(names, ways.items(), strict=True)
    }
    return replace(made, plan=made.plan.model_copy(update={"devices": devices}))


def started_late(made: Study, device: str) -> Study:
    """A study in which a device takes a minute more until its first step."""
    late = {"times": made.records[0].times.model_copy(update={"build_s": 60.0})}
    records = (r.model_copy(update=late if r.cell.device == device else {}) for r in made.records)
    return replace(made, records=tuple(records))
