"""A Slurm step as TensorFlow's resolver sees it, handed on as `TF_CONFIG`."""

from __future__ import annotations

import json
import os

from accelreport.backend.cluster.tasks import Jobs, expected, slurm_first_port
from accelreport.spec.device import Device


def resolve(device: Device) -> Jobs:
    """Find the hosts of this Slurm step and set `TF_CONFIG` for what follows.

    With GPUs, each task of a host gets its own through `CUDA_VISIBLE_DEVICES`.

    Returns:
        The addresses of all tasks, by the name of their job.
    """
    import tensorflow as tf

    per_node = _most_tasks_on_a_node(os.environ["SLURM_STEP_TASKS_PER_NODE"])
    resolver = tf.distribute.cluster_resolver.SlurmClusterResolver(
        jobs=expected(device),
        port_base=slurm_first_port(),
        # The resolver divides GPUs even where there are none: one for each task then.
        gpus_per_task=device.replicas,
        gpus_per_node=device.replicas * per_node,
        auto_set_gpu=device.kind == "GPU",
    )
    jobs: Jobs = resolver.cluster_spec().as_dict()
    kind, index = resolver.get_task_info()
    os.environ["TF_CONFIG"] = json.dumps({"cluster": jobs, "task": {"type": kind, "index": index}})
    return jobs


def _most_tasks_on_a_node(listed: str) -> int:
    """Slurm writes `2(x3),1` for three hosts of two tasks and one of one."""
    return max(int(part.partition("(")[0]) for part in listed.split(","))
