"""A peer that was lost is named, whatever TensorFlow calls it."""

import pytest

from accelreport.backend.distributed.worker import lost_peer
from accelreport.results.record import Failure, FailureKind, Host, Record
from accelreport.spec.device import Device
from tests.backend.strategies.cells import cell

HERE = Host(task="worker:0", host="a", address="10.0.0.1:2222", chief=True)
THERE = Host(task="worker:1", host="b", address="10.0.0.2:2222")
ELSEWHERE = Host(task="worker:2", host="c", address="10.0.0.3:2222")


def failed(
    message: str, traceback: str, hosts: list[Host], kind: FailureKind = "harness-error"
) -> Record:
    what = cell(Device(kind="CPU"))
    return Record(
        cell=what,
        key=what.key,
        status="failed",
        failure=Failure(kind=kind, message=message, traceback=traceback),
        started_at="2025-01-01T00:00:00.000+00:00",
        finished_at="2025-01-01T00:00:01.000+00:00",
        hosts=hosts,
    )


def test_the_peer_in_grpcs_message_is_named_with_its_machine() -> None:
    text = (
        "Collective ops is aborted by: recvmsg:Connection reset by peer\nAdditional GRPC error "
        "information from remote target /job:worker/replica:0/task:2 while calling RecvBuf"
    )
    record = lost_peer(failed("UnavailableError: x", text, [HERE, THERE, ELSEWHERE]), "worker:0")
    assert record.failure is not None
    assert record.failure.kind == "worker-lost"
    assert record.failure.message == (
        "worker:2 (10.0.0.3:2222 on c) was lost: "
        "Collective ops is aborted by: recvmsg:Connection reset by peer"
    )


def test_a_process_does_not_blame_itself() -> None:
    text = "aborted by: /job:worker/replica:0/task:0 cannot reach /job:worker/replica:0/task:1"
    record = lost_peer(failed("AbortedError: x", text, [HERE, THERE]), "worker:0")
    assert record.failure is not None
    assert record.failure.message.startswith("worker:1 (10.0.0.2:2222 on b) was lost")


def test_where_nobody_is_named_all_peers_are_suspected() -> None:
    three = [HERE, THERE, ELSEWHERE]
    record = lost_peer(failed("UnavailableError: x", "Socket closed", three), "worker:0")
    assert record.failure is not None
    assert record.failure.message == (
        "one of worker:1 (10.0.0.2:2222 on b), worker:2 (10.0.0.3:2222 on c) was lost: "
        "Socket closed"
    )


@pytest.mark.parametrize(
    ("message", "kind"),
    [("ValueError: a bug", "harness-error"), ("the loss was nan", "nan-loss")],
)
def test_an_error_of_the_process_itself_is_left_as_it_is(message: str, kind: FailureKind) -> None:
    record = failed(message, "task:1", [HERE, THERE], kind)
    assert lost_peer(record, "worker:0") == record


def test_a_process_without_peers_has_lost_none() -> None:
    record = failed("UnavailableError: no TPU", "Socket closed", [])
    assert lost_peer(record, "tpu:0") == record
