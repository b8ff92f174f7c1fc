"""What is known of the machine without TensorFlow."""

import re
import subprocess
import sys

import pytest

from accelreport.backend.availability import Probe, ProbedDevice, probe, to_ask, unavailable
from accelreport.backend.environment import environment
from accelreport.machine.inventory import Inventory, inventory
from accelreport.origin import install_command
from accelreport.report.warning_text import KINDS
from accelreport.results.record import Gpu
from accelreport.spec.device import FRAMEWORK_NAMES, Device

CPU_ONLY = inventory().model_copy(update={"gpus": [], "threads": 2})
WITH_GPU = CPU_ONLY.model_copy(update={"gpus": [Gpu(name="NVIDIA T4", driver="550.54")]})
INSTALL = install_command("cpu")
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


def answers(device: Device, probe: Probe | None) -> dict[str, Probe]:
    """As though the framework of the device had been asked."""
    return {device.framework: probe} if probe else {}


@pytest.mark.parametrize("framework", FRAMEWORK_NAMES)
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
        (Device(kind="GPU"), WITH_GPU, Probe(), " sees no GPU"),
        (Device(kind="GPU"), CPU_ONLY, Probe(devices=[GPU]), None),  # one that is not NVIDIA's
        (Device(kind="GPU"), WITH_GPU, Probe(error="it hung"), "it hung"),
        (Device(kind="TPU", strategy="tpu"), CPU_ONLY, None, "no TPU on this machine"),
        (Device(kind="TPU", strategy="tpu", address="grpc://10.0.0.2:8470"), CPU_ONLY, None, None),
    ],
)
def test_a_device_that_cannot_run_says_why(
    device: Device,
    machine: Inventory,
    probe: Probe | None,
    reason: str | None,
    framework: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whichever framework is to drive it."""
    for name in ("TPU_NAME", "TPU_ACCELERATOR_TYPE"):
        monkeypatch.delenv(name, raising=False)
    if device.strategy == "default" and not device.torch_compile:
        device = device.model_copy(update={"framework": framework})
    failure = unavailable(device, machine, answers(device, probe))
    if reason is None:
        assert failure is None
    else:
        assert failure is not None
        assert reason in failure.message
        assert failure.kind == "no-device"


def test_a_framework_that_is_not_installed_and_a_device_that_is_not_present_are_two_reasons(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name != "jax" or None)
    cpu, gpu = (Device(kind=kind, framework="jax") for kind in ("CPU", "GPU"))
    not_installed = unavailable(cpu, CPU_ONLY)
    assert not_installed is not None
    assert not_installed.kind == "no-framework"
    assert not_installed.message == "JAX is not installed"
    assert not_installed.remedy.startswith(install_command("jax"))
    # Installing the framework would bring no GPU.
    not_present = unavailable(gpu, CPU_ONLY)
    assert not_present is not None
    assert not_present.kind == "no-device"
    assert not_present.message.startswith("no GPU on this machine (")
    assert {KINDS[failure.kind] for failure in (not_installed, not_present)} == {
        "framework not installed",
        "device not present",
    }


def test_frameworks_are_asked_only_where_there_is_something_to_ask_about(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cpu, gpu = Device(kind="CPU"), Device(kind="GPU")
    other = Device(kind="GPU", framework="jax")
    assert to_ask([cpu, gpu, other], CPU_ONLY) == []
    assert to_ask([cpu], WITH_GPU) == []
    assert to_ask([cpu, other, gpu], WITH_GPU) == ["tensorflow", "jax"]
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name != "tensorflow" or None)
    assert to_ask([cpu, other, gpu], WITH_GPU) == ["jax"]


def test_no_process_is_started_to_import_a_framework_that_is_not_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name != "tensorflow" or None)
    monkeypatch.setattr("subprocess.run", lambda *_, **__: pytest.fail("a process was started"))
    assert probe("tensorflow").error.startswith(f"TensorFlow is not installed: {INSTALL}")


@pytest.mark.e2e
@pytest.mark.parametrize("framework", FRAMEWORK_NAMES)
def test_a_gpu_that_only_the_driver_lists_cannot_run(
    framework: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NVML says nothing of what a framework was built for: a process of its own is asked."""
    answer = probe(framework)
    assert [device.kind for device in answer.devices] == ["CPU"]
    assert answer.versions[framework]
    gpu = Device(kind="GPU").model_copy(update={"framework": framework})
    assert unavailable(gpu, WITH_GPU) is None
    failure = unavailable(gpu, WITH_GPU, {framework: answer})
    assert failure is not None
    name = FRAMEWORK_NAMES[framework]
    assert failure.message.startswith(f"the driver lists NVIDIA T4, but {name} sees no GPU: pip")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "-1")
    failure = unavailable(gpu, WITH_GPU, {framework: answer})
    assert failure is not None
    assert failure.message == f"CUDA_VISIBLE_DEVICES=-1 hides NVIDIA T4 from {name}"


def test_variables_of_tensorflow_are_recorded_and_those_of_terraform_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TF_ENABLE_ONEDNN_OPTS", "0")
    for name in ("TF_VAR_password", "TF_CLI_CONFIG_FILE", "TF_LOG"):
        monkeypatch.setenv(name, "secret")
    found = environment().variables
    assert found["TF_ENABLE_ONEDNN_OPTS"] == "0"
    assert "secret" not in found.values()
