"""What cannot work is refused before anything is started."""

from typing import Any

import pytest

from accelreport.backend.device_errors import CompileError
from accelreport.backend.failures import failure
from accelreport.backend.strategies import STRATEGIES, place
from accelreport.spec.models import Device


@pytest.mark.parametrize(
    "device",
    [
        {"strategy": "mirrored", "replicas": 2},
        {"strategy": "multi_worker_mirrored", "workers": 2},
        {"strategy": "parameter_server"},
    ],
)
def test_xla_is_refused_where_it_cannot_compile_a_step(device: dict[str, Any]) -> None:
    with pytest.raises(CompileError, match="XLA cannot compile a step under") as caught:
        place(Device(kind="CPU", xla=True, **device))
    assert failure(caught.value).kind == "compile-error"


def test_every_strategy_a_device_may_name_exists() -> None:
    named = Device.model_fields["strategy"].annotation
    assert set(STRATEGIES) == set(getattr(named, "__args__", ()))
