"""The path to a TPU, as far as it goes without one."""

import socket
from pathlib import Path

import pytest

from accelreport.backend.distributed.supervisor import supervise
from accelreport.backend.failures import NoDeviceError
from accelreport.backend.frameworks.tensorflow import strategies
from accelreport.spec.device import Device
from tests.backend.strategies.cells import ENDLESS, cell
from tests.support.children import job

TPU = Device(kind="TPU", strategy="tpu")


@pytest.mark.e2e
def test_a_machine_without_a_tpu_says_so(tmp_path: Path) -> None:
    record = supervise(job(cell(TPU, ENDLESS), tmp_path))
    assert record.status == "failed"
    assert record.failure is not None
    assert record.failure.kind == "no-device"
    assert "TPU" in record.failure.message


@pytest.mark.e2e
def test_a_driver_that_hangs_is_ended_at_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACCELREPORT_TPU_LIMIT_S", "1")
    late = tmp_path / "late"
    hangs = f"trap '' TERM; sleep 600 & wait; touch '{late}'"
    record = supervise(job(cell(TPU, ENDLESS), tmp_path), ("/bin/sh", "-c", hangs))
    assert not late.exists()
    assert record.failure is not None
    assert record.failure.kind == "no-device"
    assert record.failure.message == "no TPU answered within 1 s"


@pytest.mark.e2e
def test_a_driver_that_aborts_is_told_as_a_device_that_is_not_there(tmp_path: Path) -> None:
    record = supervise(job(cell(TPU, ENDLESS), tmp_path), ("/bin/sh", "-c", "kill -ABRT $$"))
    assert record.failure is not None
    assert record.failure.kind == "no-device"
    assert "the TPU's driver failed" in record.failure.message
    assert "SIGABRT" in record.failure.message


def test_an_address_at_which_nobody_listens_is_given_up_at_once() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound but not listening: nobody else can answer
        address = f"grpc://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(NoDeviceError, match=f"no server answers at {address}"):
            strategies.tpu(Device(kind="TPU", strategy="tpu", address=address))


def test_an_address_with_a_listener_is_tried() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        strategies.check_reachable(f"grpc://127.0.0.1:{server.getsockname()[1]}")
