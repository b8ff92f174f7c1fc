"""Every claim that comes along is confirmed where its sentence is true, and refuted elsewhere.

These are the claims of the specs, of the documents, and what `accelreport new` writes.
"""

from __future__ import annotations

import re
import tempfile
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from accelreport.analysis.claim_rules import claim_results
from accelreport.analysis.results import results_of
from accelreport.loader.load import examine, load
from accelreport.results.plan_document import plan_document
from accelreport.results.record import Memory
from accelreport.spec.cells import Cell, Spec
from accelreport.workloads.registry import BUILT_IN
from accelreport.workloads.spec_template import draft
from tests.analysis.test_quantised import quantised
from tests.house.test_documented_toml import BLOCKS, devices_of, kind_of, whole
from tests.house.tree import ROOT
from tests.support.worlds import Fact, World, records_of

OFFERED = re.compile(r"^# (\[\[claims\]\]|text = .*|check = .*)$", re.MULTILINE)


def pace(**seconds: float) -> World:
    """Devices take so long for a step, the others a second."""
    return lambda cell: Fact(step_s=seconds.get(cell.device.replace("-", "_"), 1.0))


def first(factor: float) -> World:
    """First epochs, and first calls, take so many times as long as later ones."""
    return lambda cell: Fact(first=factor)


def quality(name: str = "val_accuracy", **values: float) -> World:
    """Devices end with such a quality, the others with .9."""
    return lambda cell: Fact(final={name: values.get(cell.device.replace("-", "_"), 0.9)})


def along(axis: str, device: str, seconds: dict[float, float]) -> World:
    """A device takes so long for a step by the value of an axis, the others a second."""

    def world(cell: Cell) -> Fact:
        value = float(str(cell.point[axis]))
        return Fact(step_s=seconds[value] if cell.device == device else 1.0)

    return world


def at(where: dict[str, Any], true: World, elsewhere: World) -> World:
    """One world at some points of the sweep, another at the rest."""
    return lambda cell: (
        true if all(cell.point[key] == value for key, value in where.items()) else elsewhere
    )(cell)


def either_at(where: dict[str, Any], here: World, elsewhere: World) -> tuple[World, World]:
    """One world at some points of the sweep and another at the rest; then the other way round."""
    return at(where, here, elsewhere), at(where, elsewhere, here)


def turned(slower: str, faster: str, times: float, *absent: str) -> tuple[World, ...]:
    """One device takes so many times as long; then another does; then some were not run."""
    return pace(**{slower: times}), pace(**{faster: times}), *map(without, absent)


def turned_along(axis: str, device: str, seconds: dict[float, float]) -> tuple[World, World]:
    """A device takes so long by the value of an axis; then what was longest is shortest."""
    other = {value: 1 / took for value, took in seconds.items()}
    return along(axis, device, seconds), along(axis, device, other)


def final(**values: float) -> World:
    return lambda cell: Fact(final=values)


def without(*devices: str, **point: Any) -> World:
    """A world in which such cells were not run."""
    return lambda cell: Fact(
        absent=(not devices or cell.device in devices)
        and all(cell.point[key] == value for key, value in point.items()),
        final={"val_accuracy": 0.9},
    )


def best(device: str, **point: Any) -> World:
    """A device is best at one point of the sweep; the other devices are better anywhere."""
    return lambda cell: Fact(
        final={"val_accuracy": 0.99 if cell.device != device else 0.9}
        if cell.device != device or any(cell.point[key] != value for key, value in point.items())
        else {"val_accuracy": 0.95}
    )


def eight_bit(lost: int, gained: int, speedup: float = 1.0) -> World:
    """Models that lose and gain so many examples in int8, and run so many times as fast."""

    def world(cell: Cell) -> Fact:
        model = quantised(lost, gained)
        seconds = model.float32.latency_s[0] / (speedup * (1 + 0.001 * cell.repeat))
        int8 = model.int8.model_copy(update={"latency_s": [seconds] * 3})
        return Fact(rest={"quantised": model.model_copy(update={"int8": int8})})

    return world


BATCHES = {64.0: 1.0, 128.0: 0.5, 256.0: 1.0, 512.0: 0.8, 1024.0: 0.5, 8192.0: 0.3}
DOUBLED = {32.0: 1.0, 64.0: 2.0, 128.0: 4.0, 256.0: 8.0}
SAME = pace()
FIRST = first(2), first(0.5)
SIGMOID = {"kernel": "hard_sigmoid"}


def took(host_bytes: float) -> World:
    """Every process completes, and takes so much memory."""
    return lambda cell: Fact(rest={"memory": Memory(host_peak_bytes=int(host_bytes))})


WORLDS: dict[str, tuple[World, ...]] = {
    # S0, "How to harness the Powers of the Cloud TPU?"
    "A GPU multiplies matrices 29 times as fast as the CPU": turned("cpu", "gpu", 29, "gpu"),
    "A TPU's first call is 75 times as fast as the CPU": (
        lambda cell: Fact(150.0) if cell.device == "cpu" else Fact(1.0, first=2.0),
        lambda cell: Fact(75.0) if cell.device == "cpu" else Fact(1.0, first=2.0),
        without("tpu"),
    ),
    "A warm TPU multiplies matrices 338 times as fast as the CPU": turned("cpu", "tpu", 338, "cpu"),
    "The GPU responds much better than the CPU": (pace(cpu=9), pace(cpu=1.1), without("cpu")),
    "A CPU needs more memory than the 13 GB of Colab to train this network": (
        lambda cell: Fact(oom=cell.device == "cpu"), took(7.5e9),
    ),
    # S1, "TPU survival guide": its LSTM has the hard sigmoid.
    "A TPU trains this LSTM 17 times as fast as a GPU": (
        *either_at(SIGMOID, pace(gpu=17), SAME), without("gpu"),
    ),
    "The LSTM overfits: training accuracy passes 99 %": (
        *either_at(SIGMOID, final(accuracy=0.995), final(accuracy=0.9)), without(**SIGMOID),
    ),
    "The LSTM overfits: validation accuracy stays about 83 %": (
        *either_at(SIGMOID, final(val_accuracy=0.83), final(val_accuracy=0.9)), without(**SIGMOID),
    ),
    "The LSTM overfits: training accuracy ends at least 10 points above that of validation": (
        *either_at(
            SIGMOID,
            final(accuracy=0.99, val_accuracy=0.83),
            final(accuracy=0.88, val_accuracy=0.83),
        ),
        without(**SIGMOID),
    ),
    "The GPU reaches a higher validation accuracy than the TPU": (
        quality(gpu=0.95), quality(), without("tpu"),
    ),
    "8-bit quantisation shrinks a model to about a quarter": (
        final(quantised_size_ratio=4.0), final(quantised_size_ratio=2.0), SAME,
    ),
    "8-bit weights reduce the execution time of this LSTM": (
        eight_bit(1, 1, speedup=2.0), eight_bit(1, 1, speedup=0.5),
    ),
    # S2, "Step-by-Step Use of Google Colab's Free TPU"
    "A TPU trains an epoch of 60 steps roughly 4 times as fast as a GPU": (
        lambda cell: Fact(4.0 if (cell.device, cell.point["batch_size"]) == ("gpu", 1024) else 1.0),
        lambda cell: Fact(4.0 if (cell.device, cell.point["batch_size"]) == ("gpu", 8192) else 1.0),
        without("gpu", batch_size=1024),
    ),
    "A TPU trains this network 2 times as fast as a GPU": turned("gpu", "tpu", 2, "gpu"),
    "A TPU trains this network 110 times as fast as a CPU": turned("cpu", "tpu", 110, "cpu"),
    "The network reaches 99 % on the test images": (
        final(val_accuracy=0.995), final(val_accuracy=0.98),
    ),
    "The later network, on a CPU, misclassifies 168 of 10,000 digits too": (
        final(val_accuracy=0.9832), final(val_accuracy=0.9937),
    ),
    # S3, "GPUvsTPU.ipynb"
    "The first epoch is slower than the later ones, on a TPU": (*FIRST, without("tpu")),
    # S4, Kimm, Paik and Kimm: at a batch of 128
    "The CPU's runtime increases from 64 to 128 units": (
        along("units", "cpu", DOUBLED),
        along("units", "cpu", {32.0: 1.0, 64.0: 4.0, 128.0: 2.0, 256.0: 4.0}),
        without("cpu", units=64),
    ),
    "The CPU's runtime increases from 128 to 256 units": (
        along("units", "cpu", {32.0: 2.0, 64.0: 1.0, 128.0: 2.0, 256.0: 4.0}),
        along("units", "cpu", DOUBLED | {256.0: 4.0}),
        without("cpu", units=256),
    ),
    "The CPU takes longer as the units are increased": (
        *turned_along("units", "cpu", DOUBLED), without("cpu"),
    ),
    "The CPU takes longer as the layers are increased": (
        along("layers", "cpu", {1.0: 1.0, 2.0: 2.0, 3.0: 3.0}),
        along("layers", "cpu", {1.0: 1.0, 2.0: 1.0, 3.0: 1.0}),
        without("cpu", batch_size=128),
    ),
    **{
        f"A CPU is {times} times slower than a {device.upper()} at {units} units": (
            *either_at({"units": units}, pace(cpu=times), SAME), without(device),
        )
        for times, units in ((25, 128), (55, 256))
        for device in ("gpu", "tpu")
    },
    "The TPU is faster than the GPU where the units are many": (
        along("units", "tpu", {32.0: 2.0, 64.0: 1.0, 128.0: 0.8, 256.0: 0.5}),
        along("units", "tpu", {32.0: 16.0, 64.0: 8.0, 128.0: 4.0, 256.0: 2.0}),
        without("tpu", units=256),
    ),
    "The GPU is faster than the TPU where the units are few": (
        along("units", "tpu", {32.0: 2.0, 64.0: 1.0, 128.0: 0.8, 256.0: 0.5}),
        along("units", "tpu", {32.0: 0.5, 64.0: 1.0, 128.0: 2.0, 256.0: 4.0}),
        without("gpu", units=32),
    ),
    "Large batches prefer the TPU": (
        along("batch_size", "tpu", {64.0: 2.0, 128.0: 0.5}),
        along("batch_size", "tpu", {64.0: 4.0, 128.0: 2.0}),
        without("tpu", batch_size=128),
    ),
    "Small batches prefer the GPU": (
        along("batch_size", "tpu", {64.0: 2.0, 128.0: 0.5}),
        along("batch_size", "tpu", {64.0: 0.5, 128.0: 0.25}),
        without("gpu", batch_size=64),
    ),
    **{
        f"The TPU's accuracy is higher at 128 units than at {units}, with any number of layers": (
            best("tpu", units=128),
            at({"layers": 2}, best("tpu", units=units), best("tpu", units=128)),
            without("tpu", units=units),
        )
        for units in (32, 64, 256)
    },
    **{
        f"The GPU's accuracy at 3 layers is higher with 32 units than with {units}": (
            best("gpu", units=32, layers=3),
            best("gpu", units=units, layers=3),
            without("gpu", units=units),
        )
        for units in (64, 128, 256)
    },
    **{
        f"The GPU's accuracy at 32 units is higher with 3 layers than with {layers}": (
            best("gpu", units=32, layers=3),
            best("gpu", units=32, layers=layers),
            without("gpu", layers=layers),
        )
        for layers in (1, 2)
    },
    # What accelreport asks
    "Accuracy does not depend on the device": (quality(), quality(gpu=0.7)),
    "Accuracy does not depend on the strategy": (quality(), quality(cpu_mirrored_2=0.7)),
    "The first epoch is slower than the later ones": FIRST,
    "The first epoch is slower than the later ones, on a GPU": FIRST,
    "The first epoch is slower than the later ones, on a CPU": FIRST,
    "On a CPU, too, the later calls are faster than the first": FIRST,
    "A warm TPU is about 4.5 times as fast as a cold one": (first(4.5), first(1)),
    "bfloat16, the arithmetic of a TPU, lowers the validation accuracy of this LSTM": (
        quality(cpu_bf16=0.8), quality(),
    ),
    "The TPU's advantage over the GPU grows with the batch": (
        turned_along("batch_size", "tpu", BATCHES)
    ),
    "GPU and TPU are equally fast at a batch of 256": (SAME, pace(tpu=2)),
    "The GPU's advantage over the CPU grows with the batch": (
        turned_along("batch_size", "gpu", BATCHES)
    ),
    "The accelerator's advantage grows with the batch": turned_along("batch_size", "gpu", BATCHES),
    "8-bit arithmetic costs this CNN accuracy": (eight_bit(40, 5), eight_bit(1, 1)),
    "8-bit weights cost this LSTM accuracy": (eight_bit(40, 5), eight_bit(1, 1)),
    "Two replicas on the cores of one CPU are no faster than one": (
        pace(cpu_mirrored_2=1.2), pace(cpu_mirrored_2=0.6),
    ),
    "Two GPUs are faster than one": turned("gpu", "gpu_mirrored", 2),
    "Two GPUs are faster than one at a batch of 512": turned("gpu", "gpu_mirrored", 2),
    "Two workers of one thread do at least 1.2 times the work of one": (
        either_at({"batch_size": 512}, pace(cpu_1=1.5), SAME)
    ),
    "A CPU answers more images a second in batches of 64 than one by one": (
        SAME, at({"batch_size": 1}, pace(cpu=0.01), SAME),
    ),
    "TensorFlow trains faster in graph mode than in eager mode": turned("cpu_eager", "cpu", 1.5),
    "XLA trains faster than TensorFlow's own kernels on a CPU": turned("cpu", "cpu_xla", 1.5),
    "PyTorch trains faster with torch.compile than in eager mode": (
        turned("cpu_torch", "cpu_torch_compiled", 1.5)
    ),
    "The frameworks and modes reach the same accuracy": (
        quality(), quality(cpu_jax=0.7),
    ),
    "Accuracy does not depend on the precision": (quality(), quality(cpu_bf16=0.7)),
    **{
        f"bfloat16 trains this {network} network faster than float32 on {name}": (
            turned(chip, f"{chip}_bf16", 1.5)
        )
        for network in ("image", "recurrent")
        for chip, name in (("cpu", "this CPU"), ("gpu", "a GPU"))
    },
    "TF32 trains this image network faster than float32 on a GPU": turned("gpu", "gpu_tf32", 1.5),
    "A TPU is as fast in float32 as in bfloat16": (SAME, pace(tpu=2)),
    "A TPU trains this network 8 times as fast as a GPU, epoch for epoch": turned("gpu", "tpu", 9),
    "Threads pay more for larger matrices": (
        along("size", "all", {256.0: 0.9, 512.0: 0.5}),
        along("size", "all", {256.0: 0.5, 512.0: 0.9}),
    ),
    "A GPU takes a fifth of the time of a CPU, or less": turned("cpu", "gpu", 6),
    "gpu is at least 1.3 times as fast as cpu": turned("cpu", "gpu", 6),
}  # fmt: skip
"""Sentence → a world in which it is true, and one in which it is false.

Of a source's sentence also one that is silent about it. These are made of what the author wrote.
"""


@cache
def specs() -> tuple[tuple[str, Spec], ...]:
    """Everything that makes claims, and where it stands."""
    return (*_shipped(), *_documented(), *_drafted())


def _shipped() -> Iterator[tuple[str, Spec]]:
    for spec in load([ROOT / "specs"]).specs:
        yield f"specs/{spec.name}.toml", spec


def _documented() -> Iterator[tuple[str, Spec]]:
    for block in BLOCKS:
        given = tomllib.loads(block.text)
        if "claims" in given and kind_of(given) == "spec":
            with tempfile.TemporaryDirectory() as folder:
                yield str(block), _read(whole(block.text), devices_of(block.document, Path(folder)))


def _drafted() -> Iterator[tuple[str, Spec]]:
    for kind, family in sorted(BUILT_IN.items()):
        if kind not in {"keras", "python"}:  # they read a file
            text = draft(family, title="Mine", devices=["cpu", "gpu"], given={})
            yield f"accelreport new --kind {kind}", _read(OFFERED.sub(r"\1", text))


def _read(text: str, devices: Path = ROOT / "specs" / "devices.toml") -> Spec:
    file = examine(Path("read.toml"), text.encode(), devices)
    assert not file.problems, file.problems
    return file.spec(file.full, "full")


def verdicts(spec: Spec, text: str, world: World) -> set[str]:
    """What is said of a claim in a world."""
    records = records_of(spec.cells, world)
    plan = plan_document(spec, {})
    found = claim_results(plan, results_of(plan, records), records)
    return {each.verdict.value for each in found if each.claim.text == text}


CLAIMS = [(place, claim.text) for place, spec in specs() for claim in spec.claims]


@pytest.mark.parametrize(("place", "text"), CLAIMS)
def test_a_claim_is_confirmed_where_it_is_true_refuted_where_it_is_false_and_else_open(
    place: str, text: str
) -> None:
    spec = dict(specs())[place]
    true, false, *silent = WORLDS[text]
    assert verdicts(spec, text, true) == {"CONFIRMED"}
    assert verdicts(spec, text, false) == {"REFUTED"}
    by = {claim.by for claim in spec.claims if claim.text == text}
    assert bool(silent) == (by == {"source"})
    for world in silent:
        assert verdicts(spec, text, world).isdisjoint({"CONFIRMED", "REFUTED"})


@pytest.mark.parametrize(("slower", "verdict"), [(2.0, "REFUTED"), (1.0, "UNDECIDED")])
def test_an_advantage_that_grows_is_there_at_its_largest(slower: float, verdict: str) -> None:
    spec = dict(specs())["specs/mnist_batch_sweep.toml"]
    world = along("batch_size", "tpu", {256.0: 8 * slower, 512.0: 4 * slower, 1024.0: slower})
    assert verdicts(spec, "The TPU's advantage over the GPU grows with the batch", world) == {
        verdict
    }


def test_a_shipped_claim_says_who_makes_it_and_names_another_source_by_its_title() -> None:
    shipped = load([ROOT / "specs"]).specs
    of_specs = [spec.source.title for spec in shipped if spec.source]
    of_rows = [row.source.title for spec in shipped for row in spec.published if row.source]
    for spec in shipped:
        own = spec.source.title if spec.source else ""
        for claim in spec.claims:
            assert claim.by in {"source", "accelreport"}
            assert not claim.source or claim.source in {*of_specs, *of_rows} - {own}
            assert claim.source or own or claim.by != "source", claim.text


def test_no_world_is_left_over() -> None:
    assert {text for _, text in CLAIMS} == set(WORLDS)
    assert any(place.startswith("docs/") for place, _ in CLAIMS)
    assert any(place.startswith("accelreport new") for place, _ in CLAIMS)
