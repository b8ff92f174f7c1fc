"""What Slurm is asked for, as submitit writes it for sbatch."""

from __future__ import annotations

import pytest
from submitit.slurm.slurm import SlurmExecutor, _make_sbatch_string

from accelreport.runner.launchers.base import BadLauncher
from accelreport.runner.launchers.slurm.launcher import (
    DeviceClass,
    minutes,
    parameters,
    slurm_options,
)
from accelreport.spec.base import Scalar
from accelreport.spec.device import Device
from tests.runner.scripted import cell


def sbatch(device: Device, **options: Scalar) -> list[str]:
    """The lines that submitit hands to sbatch."""
    asked = slurm_options(options)
    device_class = DeviceClass.of(device)
    known = SlurmExecutor._valid_parameters()
    chosen = parameters(device_class, [cell()], asked.of(device_class.kind), known)
    generic = {"name": "job_name", "timeout_min": "time", "tasks_per_node": "ntasks_per_node"}
    named = {
        generic.get(name, name.removeprefix("slurm_")): value for name, value in chosen.items()
    }
    if "slurm_time" in chosen:
        named["time"] = chosen["slurm_time"]
    text = _make_sbatch_string(command="python", folder="/shared", **named)
    return [line.removeprefix("#SBATCH ") for line in text.splitlines()]


def test_a_job_has_its_node_to_itself_for_the_time_of_its_cells_and_no_srun_binds_it() -> None:
    lines = sbatch(Device(kind="CPU"))
    assert "--exclusive" in lines
    assert "--time=45" in lines, "ten minutes of budget, half an hour of timeout, five minutes"
    assert "--nodes=1" in lines
    assert "python" in lines
    assert not [line for line in lines if "gpus" in line or line.startswith("srun")]


def test_a_job_of_gpus_asks_for_as_many_as_its_device_has_on_a_node() -> None:
    two = Device(kind="GPU", strategy="mirrored", replicas=2)
    assert "--gpus-per-node=2" in sbatch(two)
    lines = sbatch(two, **{"gpu.gres": "gpu:a100:2"})
    assert "--gres=gpu:a100:2" in lines
    assert not [line for line in lines if "gpus-per-node" in line]


def test_a_cell_of_several_nodes_gets_a_process_on_each_that_srun_does_not_bind() -> None:
    device = Device(kind="GPU", strategy="multi_worker_mirrored", workers=4, replicas=8)
    lines = sbatch(device.model_copy(update={"spread": True}), srun_args="--mpi=none")
    for line in ("--nodes=4", "--ntasks-per-node=1", "--gpus-per-node=8", "--exclusive"):
        assert line in lines
    (started,) = [line for line in lines if line.startswith("srun")]
    assert "--cpu-bind=none --mpi=none python" in started
    assert "--gpus-per-node=32" in sbatch(device), "on one node it needs all of them there"


def test_any_option_of_sbatch_may_be_asked_for_by_all_jobs_or_by_those_of_one_kind() -> None:
    options: dict[str, Scalar] = {
        "partition": "all",
        "gpu.partition": "a100",
        "time": "02:00:00",
        "mem": "32G",
        "core-spec": 1,
        "setup": "module load cuda",
        "exclusive": False,
    }
    cpu, gpu = sbatch(Device(kind="CPU"), **options), sbatch(Device(kind="GPU"), **options)
    assert "--partition=all" in cpu
    assert "--partition=a100" in gpu
    assert "--time=120" in cpu
    assert "--mem=32G" in cpu
    assert "--core-spec=1" in cpu
    assert "module load cuda" in cpu
    assert not [line for line in cpu if "exclusive" in line]
    assert "--time=90" in sbatch(Device(kind="CPU"), time=90)


@pytest.mark.parametrize(
    ("said", "minutes_of_it"),
    [(90, 90), ("90:30", 91), ("1:30:00", 90), ("1-12", 2160), ("1-0:5", 1445), ("0-0:0:1", 1)],
)
def test_a_time_may_be_said_in_any_of_slurms_forms(said: Scalar, minutes_of_it: int) -> None:
    assert minutes(said) == minutes_of_it
    with pytest.raises(BadLauncher, match="time"):
        minutes(f"{said}h")


def test_devices_that_need_the_same_nodes_share_an_array() -> None:
    devices = [
        Device(kind="CPU"),
        Device(kind="CPU", threads=1),
        Device(kind="GPU"),
        Device(kind="GPU", xla=True),
        Device(kind="GPU", strategy="mirrored", replicas=4),
        Device(kind="TPU", strategy="tpu"),
        Device(kind="CPU", strategy="multi_worker_mirrored", workers=3, spread=True),
    ]
    names = {DeviceClass.of(one).name for one in devices}
    assert names == {"cpu", "gpu-1", "gpu-4", "tpu-1", "cpu-on-3"}


@pytest.mark.parametrize(
    "options",
    [{"executor": "cloud"}, {"cells_per_job": 0}, {"cells_per_job": True}, {"npu.x": 1}],
)
def test_an_option_that_cannot_be_used_is_refused(options: dict[str, Scalar]) -> None:
    with pytest.raises(BadLauncher, match=r"--on-option .* cannot be used"):
        slurm_options(options)
