"""Peaks and bandwidths: dense, per unit, cited, and honest about what was read."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from accelreport.analysis.ceilings import known_limits, limits_named
from accelreport.analysis.compute import (
    cited_bandwidth,
    cited_peak,
    hardware_name,
    peak_of_hardware,
)
from accelreport.analysis.hardware import (
    HARDWARE,
    REMARKS,
    CoreBound,
    Hardware,
    derived_cpu_peak,
    named_in,
)
from accelreport.analysis.published import flags_of, hardware_of
from accelreport.report.warning_text import type_of_peak
from accelreport.results.record import Environment
from accelreport.spec.device import Device
from accelreport.spec.models import ListPrice, Published
from tests.support.records import study

SPARSE = {
    "NVIDIA H200": 1979.0,
    "NVIDIA H200 NVL": 1671.0,
    "NVIDIA H100 SXM": 1979.0,
    "NVIDIA H100 NVL": 1671.0,
    "NVIDIA H100 PCIe": 1513.0,
    "NVIDIA A100": 624.0,
    "NVIDIA A40": 299.4,
    "NVIDIA A30": 330.0,
    "NVIDIA A10": 250.0,
    "NVIDIA L40S": 733.0,
    "NVIDIA L4": 242.0,
    "GeForce RTX 4090": 330.4,
    "GeForce RTX 3090": 142.0,
}
"""Half-precision rates "with sparsity", as the sheets print them beside the dense ones."""

DTYPES = {"float32", "tensorfloat32", "float16", "bfloat16", "int8"}


def _row(name: str) -> Hardware:
    return next(each for each in HARDWARE if each.name == name)


def _environment(**known: object) -> Environment:
    given_first = {
        "machine": "0a1b2c3d",
        "accelreport": "0",
        "python": "3.11",
        "os": "Linux",
        "cpu": "AMD EPYC",
        "threads": 8,
        "memory_bytes": 2**34,
    }
    return Environment.model_validate(given_first | known)


# The table -------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", HARDWARE, ids=lambda row: row.name)
def test_a_row_is_positive_and_of_a_sane_size(row: Hardware) -> None:
    assert set(row.tflops) <= DTYPES
    assert all(0.1 < rate < 5000 for rate in row.tflops.values())
    if row.gbps is not None:
        assert 30 <= row.gbps <= 20_000
        # A roof that a dot product (0.25 operations a byte) would reach is no memory's.
        assert max(row.tflops.values()) * 1000 / row.gbps > 1


@pytest.mark.parametrize("row", HARDWARE, ids=lambda row: row.name)
def test_a_checked_row_says_where_it_was_read_and_what_stands_there(row: Hardware) -> None:
    assert row.source
    assert row.reading in REMARKS
    if row.reading == "unchecked":
        assert not row.wording
    else:
        assert row.address.startswith("https://")
        assert any(character.isdigit() for character in row.wording)


@pytest.mark.parametrize(("name", "sparse"), SPARSE.items())
def test_no_rate_with_sparsity_is_taken_for_a_dense_one(name: str, sparse: float) -> None:
    row = _row(name)
    assert row.tflops["float16"] == pytest.approx(sparse / 2, rel=0.02)
    assert max(row.tflops.values()) < 0.6 * sparse


@pytest.mark.parametrize("row", HARDWARE, ids=lambda row: row.name)
def test_narrower_types_are_never_slower(row: Hardware) -> None:
    order = [
        row.tflops[name] for name in ("float32", "tensorfloat32", "float16") if name in row.tflops
    ]
    assert order == sorted(order)
    if {"float16", "bfloat16"} <= set(row.tflops):
        assert row.tflops["float16"] == row.tflops["bfloat16"]


def test_every_name_is_found_and_means_one_row() -> None:
    assert len({each.name for each in HARDWARE}) == len(HARDWARE)
    gpus = [each for each in HARDWARE if not each.cores and "Xeon" not in each.name]
    for each in gpus:
        # Drivers write "V100-SXM2-16GB" where the row says "V100 SXM2".
        found = named_in(each.name.replace(" SXM2", "-SXM2"))
        assert found is each


PRICE = ListPrice(per_hour=4.5, of="Google Cloud TPU v2", date="2018-10-08", source="A list")


@pytest.mark.parametrize(
    ("label", "rest", "name", "by"),
    [
        ("Colab TPU v2, 2018", {}, "Cloud TPU v2 board", ""),
        ("Colab GPU, 2018", {}, "Tesla K80", "Kimm, Paik and Kimm 2021"),
        (
            "Colab TPU",
            {"price": PRICE},
            "Cloud TPU v2 board",
            "its cited price list",
        ),
        (
            "Cloud TPU, 8 shards",
            {"hardware": "TPU v2", "hardware_by": "us"},
            "Cloud TPU v2 board",
            "us",
        ),
    ],
)
def test_the_hardware_of_a_published_row_is_that_which_somebody_names(
    label: str, rest: dict[str, Any], name: str, by: str
) -> None:
    found = hardware_of(Published(device="tpu", label=label, epoch_time=6.0, **rest))
    assert found is not None
    assert (found.known.name, found.by) == (name, by)


@pytest.mark.parametrize("label", ["Cloud TPU, 8 shards, later calls", "Cloud", "Colab TPU", "TPU"])
def test_a_name_that_another_one_begins_with_is_not_that_one(label: str) -> None:
    assert hardware_of(Published(device="tpu", label=label, epoch_time=6.0)) is None


def test_who_names_hardware_needs_hardware_to_name() -> None:
    with pytest.raises(ValidationError, match="`hardware_by` belongs to `hardware`"):
        Published(device="tpu", label="A TPU", epoch_time=6.0, hardware_by="us")


def test_a_float32_peak_says_what_the_hardware_does_in_tf32() -> None:
    (a100,) = (each for each in known_limits("float32") if each.name == "NVIDIA A100")
    for found in (limits_named("NVIDIA A100", "float32"), a100):
        assert found is not None
        assert (found.peak.tflops, found.peak.tf32_tflops) == (19.5, 156)
        assert type_of_peak(found.peak) == "float32, 156 in TF32"
    for text, dtype, said in (
        ("NVIDIA A100", "tensorfloat32", "TF32"),
        ("NVIDIA A100", "bfloat16", "bfloat16"),
        ("Tesla T4", "float32", "float32"),
    ):
        other = limits_named(text, dtype)
        assert other is not None
        assert type_of_peak(other.peak) == said


@pytest.mark.parametrize(("gigabytes", "gbps"), [(40, 1555.0), (80, 2039.0)])
def test_a_card_has_the_bandwidth_of_its_own_memory(gigabytes: int, gbps: float) -> None:
    known = named_in(f"NVIDIA A100-SXM4-{gigabytes}GB")
    assert known is not None
    assert known.gbps == gbps


@pytest.mark.parametrize(("tflops", "flagged"), [(60.0, False), (200.0, True)])
def test_a_published_rate_is_held_against_tf32_since_its_source_may_have_used_it(
    tflops: float, flagged: bool
) -> None:
    row = Published(device="gpu", label="NVIDIA A100", tflops=tflops)
    plan = study("matmul", devices=("cpu", "gpu"), published=(row,)).plan
    assert bool(flags_of(plan, row, "tflops")) is flagged


# Units -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "tflops"),
    [
        ("Colab TPU v2-8", 180.0),
        ("TPU v2", 180.0),
        ("TPU v3-8", 4 * 123.0),
        ("TPU v3-32", 16 * 123.0),
        ("TPU v4-8", 4 * 275.0),
        ("TPU v4", 275.0),
        ("TPU v5e-8", 8 * 197.0),
        ("TPU v6e-1", 918.0),
    ],
)
def test_a_slice_counts_cores_up_to_v5p_and_chips_from_v5e_on(text: str, tflops: float) -> None:
    peak = peak_of_hardware(text, "bfloat16")
    assert peak is not None
    assert peak.tflops == pytest.approx(tflops)


def test_two_gpus_have_twice_the_peak_and_twice_the_bandwidth() -> None:
    plan = study(devices=("cpu", "gpu"), axes={}).plan
    two = Device(kind="GPU", strategy="mirrored", replicas=2)
    plan = plan.model_copy(update={"devices": {"gpu": two}})
    peak, width = cited_peak(plan, "gpu", {}, "Tesla T4"), cited_bandwidth(plan, "gpu", "Tesla T4")
    assert peak is not None
    assert width is not None
    assert peak.tflops == pytest.approx(16.2)
    assert width.gbps == pytest.approx(640.0)
    assert str(peak.source).startswith("2 × Tesla T4")


def test_a_peak_that_nobody_checked_says_so_where_it_is_cited() -> None:
    row = Hardware("New GPU", "New GPU", {"float32": 100.0}, source="a rumour")
    assert row.cited == "New GPU; a rumour, not yet checked against the sheet"
    peak = peak_of_hardware("GTX 1070", "float32")
    assert peak is not None
    assert peak.checked
    assert "not read in the maker's own text" in str(peak.source)


def test_a_tpu_is_never_taken_for_its_hosts_processor() -> None:
    environment = _environment(cpu="Intel(R) Xeon(R) CPU @ 2.00GHz", cores=2)
    assert hardware_name(environment, "TPU") == ""
    assert hardware_name(environment, "CPU") == environment.cpu


def test_the_devices_file_gives_the_bandwidth_with_its_source() -> None:
    plan = study(devices=("cpu",), axes={}).plan
    known = Device(kind="CPU", memory_gbps=76.8, memory_source="data sheet")
    plan = plan.model_copy(update={"devices": {"cpu": known}})
    width = cited_bandwidth(plan, "cpu", "AMD EPYC")
    assert width is not None
    assert (width.gbps, width.source) == (76.8, "data sheet")
    assert cited_bandwidth(study(axes={}).plan, "cpu", "AMD EPYC") is None


# CPUs ------------------------------------------------------------------------------------------


def test_a_cpus_bound_is_derived_where_its_clock_and_units_are_known() -> None:
    known = _environment(cores=4, clock_max_mhz=3500.0, vector=["avx", "fma", "avx512f"])
    found = derived_cpu_peak(known, "float32")
    assert found is not None
    assert found.tflops == pytest.approx(4 * 64 * 3.5 / 1000)
    assert found == CoreBound(4, 64, "avx512f", 3.5)
    half = derived_cpu_peak(known, "float32", threads=2)
    assert half is not None
    assert half.tflops == pytest.approx(found.tflops / 2)


def test_a_part_of_a_board_has_its_share_of_the_peak_and_says_so() -> None:
    whole, half = (peak_of_hardware(f"Cloud TPU v2-{cores}", "bfloat16") for cores in (8, 4))
    assert whole
    assert half
    assert half.tflops == whole.tflops / 2
    assert str(half.source) == f"0.5 × {whole.source}"
