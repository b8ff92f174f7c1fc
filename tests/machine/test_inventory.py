"""What is known of the machine without TensorFlow."""

import re
import subprocess
import sys
import time

import pytest

from accelreport.backend.availability import Probe, ProbedDevice, needs_probe, unavailable
from accelreport.backend.environment import environment
from accelreport.machine.clocks import Stopwatch
from accelreport.machine.inventory import inventory
from accelreport.results.record import Gpu
from accelreport.spec.device import Device

CPU_ONLY = inventory().model_copy(update={"gpus": [], "threads": 2})
WITH_GPU = CPU_ONLY.model_copy(update={"gpus": [Gpu(name="NVIDIA T4", driver="550.54")]})
GPU = ProbedDevice(kind="GPU", name="/physical_device:GPU:0")


def test_the_inventory_names_a_cpu_and_counts_what_this_process_may_use() -> None:
    here = inventory()
    assert here.cpu
    assert here.threads >= 1
    assert here.memory_bytes > 2**28


def test_the_machine_keeps_its_fingerprint_in_another_process() -> None:
    program = "from accelreport.machine.inventory import inventory; print(inventory().machine)"
    other = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert other.stdout.strip() == inventory().machine
    assert re.fullmatch("[0-9a-f]{8}", inventory().machine)


def test_a_record_says_which_commit_and_which_packages_measured_it() -> None:
    here = environment(load_before=0.5, accelerators=["/CPU:0"])
    assert here.packages["keras"]
    assert here.packages["numpy"]
    assert here.load_before == 0.5
    assert here.load_after is not None
    assert re.fullmatch("([0-9a-f]{40})?", here.commit)


@pytest.mark.parametrize(
    ("device", "machine", "probe", "reason"),
    [
        (Device(kind="CPU"), CPU_ONLY, None, None),
        (Device(kind="CPU", threads=64), CPU_ONLY, None, "needs 64 threads"),
        (Device(kind="GPU"), CPU_ONLY, None, "no GPU on this machine"),
        (
            Device(kind="GPU", framework="torch", torch_compile=True),
            CPU_ONLY,
            None,
            "no GPU on this machine",  # before what a compiler for it would need
        ),
        (Device(kind="GPU"), WITH_GPU, Probe(devices=[GPU]), None),
        (
            Device(kind="GPU", strategy="mirrored", replicas=2),
            WITH_GPU,
            Probe(devices=[GPU]),
            "needs 2 GPUs",
        ),
        (Device(kind="GPU"), WITH_GPU, Probe(), "TensorFlow sees no GPU"),
        (Device(kind="GPU"), WITH_GPU, Probe(error="it hung"), "it hung"),
        (Device(kind="TPU", strategy="tpu"), CPU_ONLY, None, "no TPU on this machine"),
        (Device(kind="TPU", strategy="tpu", address="grpc://10.0.0.2:8470"), CPU_ONLY, None, None),
    ],
)
def test_a_device_that_cannot_run_says_why(
    device: Device,
    machine: object,
    probe: Probe | None,
    reason: str | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("TPU_NAME", "COLAB_TPU_ADDR", "TPU_ACCELERATOR_TYPE"):
        monkeypatch.delenv(name, raising=False)
    told = unavailable(device, machine, probe)  # type: ignore[arg-type]
    assert (told is None) if reason is None else (told is not None and reason in told)


def test_tensorflow_is_asked_only_where_there_is_something_to_ask_about() -> None:
    devices = [Device(kind="CPU"), Device(kind="GPU")]
    assert not needs_probe(devices, CPU_ONLY)
    assert needs_probe(devices, WITH_GPU)
    assert not needs_probe(devices[:1], WITH_GPU)


def test_waiting_takes_wall_time_and_computing_takes_cpu_time() -> None:
    watch = Stopwatch()
    time.sleep(0.2)
    waited = watch.lap()
    assert waited.wall_s >= 0.2
    assert waited.cpu_s < waited.wall_s
    watch = Stopwatch()
    until = time.process_time() + 0.05
    while time.process_time() < until:
        pass
    assert watch.lap().cpu_s >= 0.05


def test_variables_of_tensorflow_are_recorded_and_those_of_terraform_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TF_ENABLE_ONEDNN_OPTS", "0")
    for name in ("TF_VAR_password", "TF_CLI_CONFIG_FILE", "TF_LOG"):
        monkeypatch.setenv(name, "secret")
    found = environment().variables
    assert found["TF_ENABLE_ONEDNN_OPTS"] == "0"
    assert "secret" not in found.values()
