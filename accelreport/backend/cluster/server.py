"""A parameter server, or a worker that computes what the coordinator sends it."""

from __future__ import annotations

import json
import os
import socket
import time
from pathlib import Path

from accelreport.spec.device import Device

LOOK_EVERY_S = 0.5
"""How often a server on another host looks whether its coordinator is still there."""

MISSED_LOOKS = 3
"""A coordinator that cannot be reached this often in a row has ended."""


def serve(device: Device, ready: Path, *, until_chief_ends: bool) -> None:
    """Start this task's server and stay.

    Args:
        device: gives threads and kind.
        ready: file to make once it listens.
        until_chief_ends: return when the coordinator, seen once, is gone. A local server
            is ended by its supervisor instead, and never returns.
    """
    import tensorflow as tf

    resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    configuration = tf.compat.v1.ConfigProto()
    if device.threads is not None:
        configuration.intra_op_parallelism_threads = device.threads
    # Fewer threads than this and the server can wait for itself (TensorFlow's own advice).
    configuration.inter_op_parallelism_threads = max(device.workers + 1, os.cpu_count() or 1)
    if device.kind == "GPU" and resolver.task_type == "worker":
        configuration.gpu_options.allow_growth = True
        tf.config.experimental.enable_tensor_float_32_execution(device.tf32)
    else:
        tf.config.set_visible_devices([], "GPU")
        configuration.device_count["GPU"] = 0
    server = tf.distribute.Server(
        resolver.cluster_spec(),
        job_name=resolver.task_type,
        task_index=resolver.task_id,
        protocol="grpc",
        config=configuration,
        start=True,
    )
    ready.touch()
    if not until_chief_ends:
        server.join()
    _wait_for_end(json.loads(os.environ["TF_CONFIG"])["cluster"]["chief"][0])


def _wait_for_end(chief: str) -> None:
    host, _, port = chief.rpartition(":")
    seen, missed = False, 0
    while missed < MISSED_LOOKS:
        time.sleep(LOOK_EVERY_S)
        try:
            socket.create_connection((host, int(port)), timeout=2).close()
        except OSError:
            missed += seen
        else:
            seen, missed = True, 0
