"""What cannot work is refused before anything is started."""

from pathlib import Path
from typing import Any

import pytest

from accelreport.backend.failures import CompileError, failure
from accelreport.backend.frameworks.tensorflow.strategies import STRATEGIES, place
from accelreport.plugins import PluginError
from accelreport.spec.device import Device
from tests.support.children import bare_cell
from tests.support.packages import install


@pytest.mark.parametrize(
    "device",
    [
        {"strategy": "mirrored", "replicas": 2},
        {"strategy": "multi_worker_mirrored", "workers": 2},
    ],
)
def test_xla_is_refused_where_it_cannot_compile_a_step(device: dict[str, Any]) -> None:
    with pytest.raises(CompileError, match="XLA cannot compile a step under") as caught:
        place(Device(kind="CPU", xla=True, **device))
    assert failure(caught.value).kind == "compile-error"


def test_every_strategy_a_device_may_name_exists() -> None:
    named = Device.model_fields["strategy"].annotation
    assert set(STRATEGIES) == set(getattr(named, "__args__", ()))


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two packages that add a placement; one gives something else."""
    group = "accelreport.placements"
    install(tmp_path, "whole", {group: {"faulty": "tests.faults.placement:PLACEMENT"}})
    install(tmp_path, "broken", {group: {"other": "tests.faults.placement:VARIABLE"}})
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.mark.parametrize(
    ("name", "said"),
    [("gone", "The placements are: faulty."), ("other", "It is a str and not a PlacementPlugin.")],
)
def test_a_placement_that_no_package_gives_rightly_is_a_bad_plugin(
    name: str, said: str, packages: None
) -> None:
    with pytest.raises(PluginError) as caught:
        place(Device(kind="CPU", placement=name))
    told = failure(caught.value)
    assert told.kind == "bad-plugin"
    assert said in told.message
    assert told.remedy


def test_a_device_keeps_its_identity_until_it_names_a_placement() -> None:
    plain, named = (
        bare_cell({"kind": "matmul"}, device=Device(kind="CPU", placement=name))
        for name in ("", "faulty")
    )
    # The key of such a cell before devices could name a placement.
    assert plain.key == "6ac0ce9afde3faf6"
    assert plain.key != named.key
