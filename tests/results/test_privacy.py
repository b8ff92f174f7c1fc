"""Records and pages name no person and no machine, and are not wrecked by names that are words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelreport.analysis.results import results_of
from accelreport.results import privacy
from accelreport.results.plan_document import PlanDocument
from accelreport.results.privacy import (
    FREE_TEXT,
    ORDINARY,
    Identity,
    as_published,
    as_written,
    without_names,
)
from accelreport.results.reading import to_bytes
from accelreport.results.record import Host, Record, SelfCheck, Warned
from accelreport.results.store import Store
from tests.support.private import BUSY, HOME, HOST, NODE, PROGRAM, TELLING, USER, old_studies
from tests.support.records import study

(RECORD, OTHER, *_) = study(devices=("cpu",), axes={}, repeats=2).records


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Lets this process be somebody's, on a machine of a name."""

    def be(user: str, home: str, host: str) -> None:
        own = Identity(frozenset({user}), frozenset({home}), frozenset({host}))
        monkeypatch.setattr(privacy, "identity_here", lambda: own)

    return be


def with_log(text: str, record: Record = RECORD, **environment: Any) -> Record:
    assert record.environment is not None
    there = record.environment.model_copy(update=environment)
    return record.model_copy(update={"log_tail": text, "environment": there})


def published(*records: Record, plans: tuple[PlanDocument, ...] = ()) -> list[Record]:
    return as_published(plans, records)[1]


def shown(text: str, **environment: Any) -> str:
    return published(with_log(text, **environment))[0].log_tail


def names_in(*documents: Record | PlanDocument) -> list[str]:
    whole = b"".join(map(to_bytes, documents)).decode().lower()
    return [name for name in TELLING if name.lower() in whole]


SHOWN_BY = {
    "/home/ford/x.py, /Users/ford/x, /mnt/home/ford": "~/x.py, ~/x, ~",
    "file:///home/ford/a -I/home/ford/b :/home/ford/c": "file://~/a -I~/b :~/c",
    "C:\\Users\\Ford\\x and C:\\\\Users\\\\Ford": "~\\x and ~",
    "C:\\Users\\Ford Prefect\\AppData, C:\\Users\\Ford and so": "~\\AppData, ~ and so",
    "/mnt/c/Users/ford/x /mnt/nfs/home/ford": "~/x ~",
    "/System/Volumes/Data/Users/ford /data/home/users/ford/x": "~ ~/x",
    "/home/trillian: run-trillian_3 by trillian": "~: run-user_3 by user",
    "/home/ab /scratch/ab/x, not ab": "~ /scratch/user/x, not ab",
    "ssh://ford@eroticon:22/x": "ssh://user@host-1:22/x",
    "https://me:pass@example.org/a": "https://user@example.org/a",
    "hostname: eroticon\neroticon:2222 eroticon": "hostname: host-1\nhost-1:2222 host-1",
    "grpc://10.0.0.3:8470 ipv4:10.0.0.3:8470": "grpc://host-1:8470 ipv4:host-1:8470",
    "ip=10.0.0.4, ip: 10.0.0.3": "ip=host-1, ip: host-2",
    "worker:1 (eroticon:1234) was lost": "worker:1 (host-1:1234) was lost",
    "ps:0 on gamma-9: no": "ps:0 on host-1: no",
    "JOB 7 ON eroticon CANCELLED": "JOB 7 ON host-1 CANCELLED",
    "srun: error: gamma-9: task 0": "srun: error: host-1: task 0",
    "a cluster; the chief on eroticon:1 has": "a cluster; the chief on host-1:1 has",
    "listening on eroticon:2222 now, loss:2222": "listening on host-1:2222 now, loss:2222",
    "ssh zaphod@b7.corp.example, z@mail.org": "ssh user@host-1, z@mail.org",
    "[2001:db8:85a3::8a2e:370:7334]:88 fe80::1ff:fe23:4567:890a": "[host-1]:88 host-2",
    "2001:db8:85a3:0:0:8a2e:370:7334 02:42:ac:11:00:02": "host-1 host-2",
    "/scratch/trillian/a /lustre/ford/b": "/scratch/user/a /lustre/user/b",
    "NCCL_SOCKET=gamma-9 MASTER_ADDR=ero.corp.example": "NCCL_SOCKET=host-1 MASTER_ADDR=host-2",
    "[0]eth0:10.1.2.3<0> from 192.168.7.9": "[0]eth0:host-1<0> from host-2",
    "host-1.corp.example, gpu7.corp.example:": "host-1, host-2:",
    "/net/homes/ford/x ~trillian/x uid=7(zaphod)": "~/x ~user/x uid=7(user)",
    "/media/ford/usb, /run/media/zaphod/x": "/media/user/usb, /run/media/user/x",
    "rsync ford@10.1.2.3:/x": "rsync user@host-1:/x",
    "SLURM_JOB_USER=ford, logname: zaphod": "SLURM_JOB_USER=user, logname: user",
    "connect to host eroticon port 22": "connect to host host-1 port 22",
    "Connection to eroticon port 22": "Connection to host-1 port 22",
    "\\\\gamma-9\\data\\x, a\\\\b": "\\\\host-1\\data\\x, a\\\\b",
}


@pytest.mark.parametrize(("recorded", "instead"), SHOWN_BY.items())
def test_a_name_is_replaced_where_what_is_around_it_says_that_it_is_one(
    recorded: str, instead: str
) -> None:
    assert shown(recorded) == instead


@pytest.mark.parametrize(
    "text",
    [
        "/usr/lib/python3/site-packages/users/models.py src/home/x https://example.org/home/x",
        "/job:worker/replica:0/task:0/device:CPU:0 worker:0 (exit code 1)",
        "uses: actions/checkout@v4 cuDNN 9.10.2.21 127.0.0.1:8888 localhost:1 @tf.function",
        "hostname: str = None; worker:0 on CPU",
        "step.py:2222 file.cc:1234] loss:2222 epoch:1000 time 12:30:45 std::vector<int>::size a::b",
        "MASTER_PORT=29500 SERVER=true curand==10.3.2.106 conv2d.kernel.read libtpu2.0.so /data/x",
        "cannot open shared object file: No such file; data, root, cpu: the process will work",
        "/sys/class/powercap and /etc/hosts and /opt/home/x",
    ],
)
def test_what_names_nobody_stays_as_it_is(text: str) -> None:
    assert shown(text) == text


@pytest.mark.parametrize("user", ["data", "cpu", "root", "will", "shared", "adam"])
def test_a_user_whose_name_is_a_word_wrecks_no_text(user: str, here: Callable[..., None]) -> None:
    """`adam` is the optimizer of the record."""
    here(user, f"/home/{user}", user)
    text = f"{user} root cpu data will shared adam: /usr/{user}.py of {user}-7"
    record = with_log(f"{text} /home/{user}/x {user}@box", host=user)
    written = as_written(record)
    told = "user" if user == "adam" else user
    assert written.log_tail == f"{text} ~/x {told}@host-2"
    assert written.environment is not None
    assert written.environment.host == "host-1"
    assert published(record)[0].log_tail == f"{text} ~/x {told}@host-2"


def test_a_record_is_stored_without_the_names_of_who_measures_and_where(
    tmp_path: Path, here: Callable[..., None]
) -> None:
    here("trillian", "/data/people/trillian", "eroticon.example.org")
    store = Store(tmp_path)
    store.write(
        with_log(
            "/data/people/trillian/x /scratch/trillian eroticon eroticon.example.org "
            "/home/somebody trillian"
        )
    )
    (record,) = store.records()
    assert record.log_tail == "~/x /scratch/user host-1 host-1 ~ user"


def test_what_a_key_is_a_hash_of_is_stored_as_it_is_and_published_without_names(
    here: Callable[..., None],
) -> None:
    here("trillian", "/home/trillian", "eroticon")
    path = "/home/trillian/model.json"
    workload = {**RECORD.cell.workload, "path": path}
    cell = RECORD.cell.model_validate({**RECORD.cell.model_dump(), "workload": workload})
    record = RECORD.model_copy(update={"cell": cell, "key": cell.key})
    assert as_written(record).cell == record.cell
    (told,) = published(record)
    assert told.cell.workload["path"] == "~/model.json"
    plan = study(devices=("cpu",), axes={}, repeats=1).plan
    cells = [plan.cells[0].model_copy(update={"key": record.key})]
    (plan,), (told,), _ = as_published([plan.model_copy(update={"cells": cells})], [record])
    (result,) = results_of(plan, [told])
    assert "changed-record" not in {warning.kind for warning in result.warnings}
    assert (told.key, told.machine) == (record.key, record.machine)


def test_what_a_model_read_or_wrote_is_never_changed(here: Callable[..., None]) -> None:
    here("shirt", "/home/shirt", "eroticon")
    observed = study(devices=("cpu",), axes={}, repeats=1, samples=5).records[0]
    for record in (as_written(observed), *published(observed)):
        assert record.samples == observed.samples
        assert record.confusion == observed.confusion


def test_records_that_were_scrubbed_are_left_as_they_are(here: Callable[..., None]) -> None:
    here(USER, HOME, HOST)
    for one in old_studies():
        for record in one.records:
            once = as_written(record)
            assert as_written(once) == once
        plans, records, _ = as_published([one.plan], one.records)
        assert as_published(plans, records)[:2] == (plans, records)


def _on(host: str, machine: str, log: str = "", others: tuple[Host, ...] = ()) -> Record:
    record = OTHER.model_copy(update={"hosts": list(others)})
    return with_log(log, record, host=host, machine=machine)


def test_hosts_stay_two_where_they_are_two_and_one_where_they_are_one() -> None:
    peers = (
        Host(task="worker:0", host="beta", address="beta:1"),
        Host(task="worker:1", host="alpha", address="10.0.0.1:1"),
    )
    records = published(
        _on("alpha.example.org", "00000001", "alpha beta"),
        _on("beta", "00000002", "beta, alpha at 10.0.0.1:1234", peers),
    )
    assert [each.log_tail for each in records] == ["host-1 host-2", "host-2, host-1 at host-1:1234"]
    assert [each.host for each in records[1].hosts] == ["host-2", "host-1"]
    assert [each.address for each in records[1].hosts] == ["host-2:1", "host-1:1"]


def test_hosts_of_records_that_were_scrubbed_alone_are_told_apart_by_their_machines() -> None:
    peers = (Host(task="a", host="host-1"), Host(task="b", host="host-2", machine="00000001"))
    records = published(
        _on("host-1", "00000001", "host-1"),
        _on("host-1", "00000002", "host-1 and host-2", peers),
        _on("", "00000003", "hostname: host-1"),
        _on("alpha", "00000002", "alpha"),
    )
    assert [each.log_tail for each in records] == [
        "host-1", "host-2 and host-1", "hostname: host-3", "host-2",
    ]  # fmt: skip
    assert [each.host for each in records[1].hosts] == ["host-2", "host-1"]


def test_nodes_that_a_launcher_met_are_replaced_in_what_it_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(privacy, "NODES", {"ray-node-7"})
    assert as_written(with_log("ray-node-7: it broke")).log_tail == "host-2: it broke"


def test_an_earlier_record_names_no_node_of_a_ray_cluster_that_lacks_a_device() -> None:
    warned = Warned(kind="x", message="no node of the Ray cluster can run it (ab-1: no; ab-2: no)")
    (told,) = published(RECORD.model_copy(update={"warnings": [warned]}))
    assert told.warnings[0].message.endswith("(host-1: no; host-2: no)")


def test_other_programs_are_kept_where_somebody_asked_and_never_published() -> None:
    check = SelfCheck(name="loaded-machine", outcome="failed", seen=BUSY)
    record = RECORD.model_copy(update={"checks": [check]})
    assert PROGRAM in as_written(record).checks[0].seen
    (told,) = published(record)
    assert told.checks[0].seen == "other processes kept 0.42 cores busy"


def test_a_secret_is_neither_stored_nor_published() -> None:
    names = ["NVIDIA_API_KEY", "TPU_AUTHTOKEN", "TF_API_TOKENS", "TF_MYSECRET", "JAX_PASSWORDS"]
    names += ["XLA_KEYS", "TF_SSH_KEYFILE", "TF_CREDENTIALS"]
    plain = {"TF_PASSES": "on", "TF_X": "y"}
    record = with_log("", variables=dict.fromkeys(names, "42") | plain)
    expected = dict.fromkeys(names, "…") | plain
    for told in (as_written(record), *published(record)):
        assert told.environment is not None
        assert told.environment.variables == expected


def test_every_document_of_an_invented_machine_is_published_without_its_names() -> None:
    studies = old_studies()
    records = [record for one in studies for record in one.records]
    assert set(names_in(*records)) == set(TELLING)
    plans, told, changes = as_published([one.plan for one in studies], records)
    assert not names_in(*plans, *told)
    kinds = {change.kind for change in changes}
    assert kinds == {"home", "user", "host", "secret", "programs"}
    assert {each.published for each in changes if each.kind == "host"} == {"host-1", "host-2"}


def test_the_words_of_a_spec_are_its_authors() -> None:
    plan = old_studies()[0].plan.model_copy(update={"title": f"By {USER} on {NODE}"})
    (told,), *_ = as_published([plan], old_studies()[0].records)
    assert told.title == plan.title
    assert HOME not in told.text


def test_the_order_of_plans_and_what_this_process_is_change_nothing(
    here: Callable[..., None],
) -> None:
    studies = old_studies()
    records = [record for one in studies for record in one.records]
    before = as_published([one.plan for one in studies], records)
    here("object", "/usr", "external")
    after = as_published([one.plan for one in studies], records)
    assert before[:2] == after[:2]


def test_a_path_in_an_error_is_told_without_the_home_folder(here: Callable[..., None]) -> None:
    here("trillian", "/data/trillian", "eroticon")
    assert without_names("/data/trillian/results/x.json: cut off") == "~/results/x.json: cut off"


NAMES = st.from_regex(r"[a-z]{3}[a-z0-9]{2,9}[0-9]", fullmatch=True)


@given(user=NAMES, host=NAMES, data=st.data())
def test_no_field_that_a_program_writes_keeps_a_name(
    user: str, host: str, data: st.DataObject
) -> None:
    """A record of which every such text holds the names, between any other characters."""
    around = st.text(st.sampled_from(" :/'\"-_.,()\n=@"), min_size=1, max_size=3)
    parts = [data.draw(around) for _ in range(4)]
    mixed = f"{parts[0]}{user}{parts[1]}{host}{parts[2]}{user}{parts[3]}"
    text = f"/home/{user}/x USER={user} hostname: {host}\n{mixed}"
    record = with_log(text, host=host)
    assert record.environment is not None
    environment = record.environment.model_copy(update={"variables": {"TF_X": text}})
    record = record.model_copy(
        update={
            "environment": environment,
            "warnings": [Warned(kind="k", message=text)],
            "checks": [SelfCheck(name="n", outcome="passed", seen=text)],
            "details": {"host": text, "deep": [{"er": text}]},
        }
    )
    for told in (as_written(record), *published(record)):
        whole = to_bytes(told).decode()
        assert user not in whole
        assert host not in whole


def test_the_fields_of_free_text_exist() -> None:
    """A field that is renamed would else be scrubbed no longer."""
    schema = Record.model_json_schema()
    models = (schema, *schema["$defs"].values())
    assert {name for model in models for name in model.get("properties", ())} >= FREE_TEXT
    assert all(name == name.lower() for name in ORDINARY)


def test_values_whose_keys_become_alike_are_all_kept() -> None:
    counts = {"/home/ford/a.csv": 1, "/home/trillian/a.csv": 2, "/home/zaphod/a.csv": 3}
    record = RECORD.model_copy(update={"details": {"rows": counts}})
    (told,) = published(record)
    assert told.details == {"rows": {"~/a.csv": 1, "~/a.csv (2)": 2, "~/a.csv (3)": 3}}
