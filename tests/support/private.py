"""Records of machines and people that were invented, and whose names nothing else bears."""

from __future__ import annotations

import base64
import gzip
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from accelreport.results.record import Failure, Host, Record, SelfCheck, Warned
from tests.support.fates import assorted
from tests.support.records import Study, study

USER, HOST, NODE, PROGRAM = "zaphodbb", "magrathea-7", "vogsphere", "deep-thought"
HOME = f"/home/{USER}"
DOMAIN, ADDRESS, SECRET = "heartofgold.lan", "10.42.42.42", "sk-towel-42"
TELLING = (USER, HOST, NODE, PROGRAM, DOMAIN, ADDRESS, SECRET)
"""What no file that is published may hold."""

LOG = f"""\
external/xla/stream_executor/cuda/cuda_diagnostics.cc:160] hostname: {HOST}
Loading {HOME}/data/train.npz for {USER}@{HOST}.{DOMAIN}
ssh://{USER}@{NODE}:2222{HOME}/x, file://{HOME}/x, -I{HOME}/include, C:\\Users\\{USER}\\x
/scratch/{USER}/run and run-{USER}_7 of {USER}; {NODE} answers, {HOST}.{DOMAIN}:8888 does not
ipv4:{ADDRESS}:2222: connection refused; USER={USER} HOSTNAME={HOST}
slurmstepd: error: *** JOB 71 ON {NODE} CANCELLED AT 2026-01-01 ***"""

BUSY = f"other processes kept 0.42 cores busy ({PROGRAM} 0.31, {USER}-tool (x) 0.11)"


def told(record: Record) -> Record:
    """The record as an earlier version left it, with names wherever a name may be."""
    assert record.environment is not None
    cluster = f'{{"cluster": {{"worker": ["{HOST}:17254", "{NODE}:17254"]}}}}'
    variables = {
        "TF_CONFIG": cluster,
        "XLA_FLAGS": f"--xla_gpu_cuda_data_dir={HOME}/cuda",
        "TPU_WORKER_HOSTNAMES": f"{HOST},{NODE}.{DOMAIN}",
        "JAX_COORDINATOR_ADDRESS": f"{ADDRESS}:1234",
        "NVIDIA_API_KEY": SECRET,
    }
    failure = record.failure and Failure(
        kind=record.failure.kind,
        message=f"worker:1 ({NODE}:17254) was lost: [Errno 2] '{HOME}/lost'",
        remedy=f"Look at {HOME}/results/jobs on {NODE}.",
        traceback=f'File "{HOME}/steps.py", line 4, in {USER}\n{LOG}',
    )
    data = record.data and record.data.model_copy(
        update={"files": {f"{USER}.npz": "00"}, "note": f"from {HOME}/data"}
    )
    return record.model_copy(
        update={
            "environment": record.environment.model_copy(
                update={"host": f"{HOST}.{DOMAIN}", "variables": variables}
            ),
            "hosts": [
                Host(task="worker:0", host=HOST, address=f"{ADDRESS}:17254", chief=True),
                Host(task="worker:1", host=NODE, address=f"{NODE}:17254", machine="beefbeef"),
            ],
            "failure": failure,
            "data": data,
            "log_tail": LOG,
            "warnings": [
                *record.warnings,
                Warned(kind="loaded-machine", message=f"{BUSY}; expected: few"),
                Warned(kind="flops-unknown", message=f"operations of {HOME}/x were not counted"),
            ],
            "checks": [
                SelfCheck(name="loaded-machine", outcome="failed", seen=BUSY),
                SelfCheck(name="canary", outcome="not-applicable", seen=LOG),
            ],
            "details": {"folder": HOME, "by": [USER, {"at": HOST}]},
        }
    )


def old_studies() -> tuple[Study, ...]:
    """Studies as an earlier version left them, with paths and addresses in their plans."""
    made = (
        study("training", devices=("cpu", "gpu"), axes={}, repeats=2, fate=assorted, samples=2),
        study("matmul", devices=("cpu", "tpu"), axes={"size": (512,)}, repeats=2, seed=1),
    )
    return tuple(
        replace(
            one,
            plan=one.plan.model_copy(
                update={
                    "text": f'# {HOME}/specs\naddress = "grpc://{NODE}:8470"\n',
                    "workload": {**one.plan.workload, "path": f"{HOME}/model.json"},
                    "devices": {
                        name: device.model_copy(
                            update={"address": f"grpc://{NODE}:8470" if name == "tpu" else ""}
                        )
                        for name, device in one.plan.devices.items()
                    },
                }
            ),
            records=tuple(map(told, one.records)),
        )
        for one in made
    )


_PACKED = re.compile(r"data:[\w/+.-]+(?:;[\w=-]+)*;base64,([A-Za-z0-9+/=]+)")


def texts(path: Path) -> Iterator[bytes]:
    """What a file holds, and what the files hold that are packed into it."""
    content = path.read_bytes()
    yield content
    for packed in _PACKED.findall(content.decode("utf-8", "ignore")):
        part = base64.b64decode(packed)
        yield gzip.decompress(part) if part[:2] == b"\x1f\x8b" else part


def found_in(*paths: Path) -> list[str]:
    """Every file, at or below these paths, that holds a telling name."""
    files = [file for path in paths for file in ([path] if path.is_file() else path.rglob("*"))]
    return [
        f"{file.name}: {name}"
        for file in files
        if file.is_file()
        for name in TELLING
        if any(name.encode().lower() in content.lower() for content in texts(file))
    ]
