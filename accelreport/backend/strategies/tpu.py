"""The model on every core of a TPU, on this host or behind a gRPC address."""

from __future__ import annotations

import os
import socket
from urllib.parse import urlsplit

from accelreport.backend.availability import OLD_COLAB_VARIABLE
from accelreport.backend.device_errors import NoDeviceError
from accelreport.backend.strategies.placement import InGraph
from accelreport.spec.device import Device

LOCAL = "local"
"""TensorFlow's name for a TPU of this host (a TPU VM)."""

CONNECT_LIMIT_S = 5.0
"""Seconds for a gRPC address to accept a connection; TensorFlow would try for minutes."""


def address_of(device: Device) -> str:
    """What the resolver is asked for: the device's address, an old host's, or `local`."""
    if device.address:
        return device.address
    beside = os.environ.get(OLD_COLAB_VARIABLE, "")
    return f"grpc://{beside.removeprefix('grpc://')}" if beside else LOCAL


def tpu(device: Device) -> InGraph:
    """Find and initialise the TPU; one replica for each of its cores.

    Raises:
        NoDeviceError: there is none, nobody answers at its address, or it has another number
            of cores than the device's `replicas`.
    """
    # Asked for the machine's description, a host that is no cloud machine waits for an answer.
    os.environ.setdefault("TPU_SKIP_MDS_QUERY", "1")
    address = address_of(device)
    check_reachable(address)
    import tensorflow as tf

    try:
        resolver = tf.distribute.cluster_resolver.TPUClusterResolver(tpu=address)
        tf.config.experimental_connect_to_cluster(resolver)
        tf.tpu.experimental.initialize_tpu_system(resolver)
    except (tf.errors.OpError, ValueError, RuntimeError) as error:
        raise NoDeviceError(f"no TPU at {address!r}: {_reason(error)}") from error
    strategy = tf.distribute.TPUStrategy(resolver)
    cores = int(strategy.num_replicas_in_sync)
    if device.replicas not in {1, cores}:
        raise NoDeviceError(f"the TPU at {address!r} has {cores} cores, not {device.replicas}")
    return InGraph(
        strategy=strategy,
        replicas=cores,
        devices=list(strategy.extended.worker_devices),
        synchronous=False,
        graphs_in_step=cores,  # a step is traced once for all of them
    )


def _reason(error: Exception) -> str:
    text = str(error).strip()
    if "No OpKernel was registered" in text:
        return "this TensorFlow has no TPU support (it comes with accelreport[tpu])"
    return text.splitlines()[0][:200]


def check_reachable(address: str) -> None:
    """Whether somebody answers at a gRPC address, in seconds instead of minutes.

    Raises:
        NoDeviceError: nobody does.
    """
    parts = urlsplit(address)
    if parts.scheme != "grpc" or parts.hostname is None:
        return  # a TPU of this host, or a name that only the resolver understands
    try:
        where = (parts.hostname, parts.port or 8470)
        socket.create_connection(where, timeout=CONNECT_LIMIT_S).close()
    except OSError as error:
        raise NoDeviceError(f"nobody answers at {address}: {error}") from error
