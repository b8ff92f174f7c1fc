"""In what two configurations differ."""

from __future__ import annotations

from typing import Any

import pytest

from accelreport.analysis.difference import Configuration, differences
from accelreport.spec.device import Device
from tests.support.records import study

CPU = {"kind": "CPU"}


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (CPU, CPU, ()),
        (CPU, {"kind": "GPU"}, ("hardware",)),
        (CPU | {"threads": 1}, {"kind": "GPU"}, ("hardware",)),
        (CPU, {"kind": "GPU", "precision": "mixed_bfloat16"}, ("hardware", "precision")),
        (CPU, CPU | {"precision": "mixed_bfloat16"}, ("precision",)),
        (CPU, CPU | {"framework": "jax"}, ("framework", "mode")),
        (CPU | {"eager": True}, CPU | {"framework": "torch"}, ("framework",)),
        (CPU | {"xla": True}, CPU | {"framework": "jax"}, ("framework",)),
        (
            CPU,
            CPU | {"framework": "torch", "torch_compile": True},
            ("framework", "mode"),
        ),
        (CPU | {"xla": True}, CPU | {"framework": "jax", "precision": "mixed_bfloat16"},
         ("framework", "precision")),
        (CPU, CPU | {"eager": True}, ("mode",)),
        (CPU, CPU | {"threads": 1}, ("threads",)),
        (CPU | {"threads": 1}, CPU | {"strategy": "mirrored", "replicas": 2}, ("replicas",)),
        (CPU, CPU | {"strategy": "one_device"}, ()),
        (CPU, CPU | {"label": "Ours", "price_per_hour": 1.0}, ()),
    ],
)  # fmt: skip
def test_two_devices_differ_in(
    one: dict[str, Any], other: dict[str, Any], expected: tuple[str, ...]
) -> None:
    plan = study(devices=("cpu", "gpu"), axes={}).plan
    devices = {"cpu": Device(**one), "gpu": Device(**other)}
    plan = plan.model_copy(update={"devices": devices})
    sides = Configuration("cpu", "a", {}), Configuration("gpu", "a", {})
    assert differences(plan, *sides) == differences(plan, *reversed(sides)) == expected


def test_a_machine_and_each_swept_key_is_a_difference() -> None:
    plan = study(devices=("cpu",), axes={"batch_size": (64, 128)}).plan
    here = Configuration("cpu", "a", {"batch_size": 64, "layers": 1})
    assert differences(plan, here, here._replace(machine="b")) == ("hardware",)
    there = here._replace(point={"batch_size": 128, "layers": 2})
    assert differences(plan, here, there) == ("batch_size", "layers")
