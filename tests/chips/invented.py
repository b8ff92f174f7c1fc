"""Contributions of machines that do not exist, made of one that does.

Names of their processors begin with "Invented", by which pages mark them. Times are those of the
real machine by a factor, in digits that clocks have, so that `verify` refuses none of them.
"""

from __future__ import annotations

import json
import math
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from accelreport.chips.board import INVENTED
from accelreport.chips.contribution import Contribution, read, shared, write
from tests.chips.forgeries import contribution_from, divided, raw_of
from tests.chips.test_verify import HONEST

Raw = dict[str, Any]

CPUS = ("Finch", "Wren", "Swift", "Tern", "Plover", "Dunlin", "Avocet")
GPUS = ("Kestrel T4", "Heron L4", "Merlin V100", "Osprey A100", "Kite", "Harrier", "Falcon")
"""Four are named like hardware with a price in the devices file."""
PACES = {"CPU": (0.2, 12.0), "GPU": (6.0, 90.0), "TPU": (20.0, 200.0)}
"""Kind → how many times as fast as the real machine."""
NOISE = 0.02
"""Standard deviation of a process' logarithm."""


def invented(number: int, seed: int = 0) -> Iterator[Contribution]:
    """So many contributions, the same for the same seed."""
    rng = random.Random(seed)  # noqa: S311 -- not for secrets
    text, plans = json.dumps(raw_of(read(HONEST))), shared("tensorflow")[0]
    for turn in range(number):
        kind = rng.choices(("CPU", "GPU", "TPU"), (5, 4, 1))[0]
        low, high = map(math.log, PACES[kind])
        pace = math.exp(rng.uniform(low, high))
        yield machine(json.loads(text), plans, turn, kind, pace, rng)


def history(paces: Sequence[float], releases: Sequence[str]) -> Iterator[Contribution]:
    """The same machine with one release of TensorFlow after another, at other paces."""
    rng = random.Random(1)  # noqa: S311 -- not for secrets
    text, plans = json.dumps(raw_of(read(HONEST))), shared("tensorflow")[0]
    same = _environment(0, "CPU", rng)
    turns = range(len(paces), 0, -1)
    for turn, pace, release in zip(turns, paces, releases, strict=True):
        changed = same | {"packages": {"tensorflow-cpu": release}}
        yield machine(json.loads(text), plans, turn, "CPU", pace, rng, changed)


def machine(
    raw: Raw,
    plans: Any,
    turn: int,
    kind: str,
    pace: float,
    rng: random.Random,
    environment: Raw | None = None,
) -> Contribution:
    """One machine of a kind that is so many times as fast as the real one."""
    started = timedelta(days=-1 - 17 * (turn % 40), seconds=60 * turn)
    steps: dict[str, list[float]] = defaultdict(list)
    for record in raw["records"]:
        steps[_place(record)].append(_step_s(record))
    environment = environment or _environment(turn, kind, rng)
    for record in raw["records"]:
        cell = record["cell"]
        cell["device"] = cell["device"].replace("cpu", kind.lower())
        plan = plans[cell["spec"]]
        cell["device_spec"] = plan.devices[cell["device"]].model_dump(mode="json")
        at = (cell["device"], cell["point"], cell["repeat"])
        record["key"] = next(c.key for c in plan.cells if (c.device, c.point, c.repeat) == at)
        own = steps[_place(record)]
        middle = math.exp(sum(map(math.log, own)) / len(own))
        factor = middle / pace / _step_s(record) * math.exp(rng.gauss(0, NOISE))
        longer = _take(record, factor, rng)
        for name in ("started_at", "finished_at"):
            instant = datetime.fromisoformat(record[name]) + started
            record[name] = instant.isoformat(timespec="milliseconds")
        # What a longer cell takes, the ones after it begin later.
        started += timedelta(seconds=max(longer, 0.0))
        record["environment"] |= environment
        strategy = cell["device_spec"]["strategy"]
        record["environment"]["runtime"] |= {"device": kind, "strategy": strategy}
        for check in record["checks"]:
            check["outcome"] = check["outcome"].replace("failed", "passed")
        if kind == "GPU" and cell["spec"] == "chip_training":
            record["energy"] = [_energy(record, rng.uniform(60, 300))]
    return contribution_from(raw)


def _place(record: Raw) -> str:
    cell = record["cell"]
    precision = cell["device_spec"]["precision"]
    return json.dumps([cell["spec"], precision, cell["point"]])


def _step_s(record: Raw) -> float:
    blocks = [b for b in record["blocks"] if not b["warmup"] and b["steps"]]
    return float(sum(b["wall_s"] for b in blocks) / max(sum(b["steps"] for b in blocks), 1)) or 1.0


def _take(record: Raw, factor: float, rng: random.Random) -> float:
    """Times of steps and evaluations by a factor; seconds that the cell takes longer.

    A training that its budget stopped does more steps instead, until it has spent it again.
    """
    times = record["times"]
    before, trained = _spent(record), times["train_s"] is not None
    for block in record["blocks"]:
        block["wall_s"] *= factor
        block["step_s"] = [stamp * factor for stamp in block.get("step_s", ())]
        block["cpu_s"] = round(block["cpu_s"] * factor, 6)
        block["other_cpu_s"] = 0.0
    for epoch in record["epochs"]:
        epoch["evaluate_s"] *= factor
    if record["epochs"] and record["status"] == "partial":
        _fill(record, rng)
    divided(record)
    if sum(block["steps"] for block in record["blocks"]) == record["planned_steps"]:
        record |= {"status": "ok", "failure": None}
    if record["epochs"]:
        times["evaluate_s"] = sum(epoch["evaluate_s"] for epoch in record["epochs"])
    if not trained:
        times["train_s"] = None
    longer = _spent(record) - before
    times["wall_s"] += longer
    ended = datetime.fromisoformat(record["finished_at"]) + timedelta(seconds=longer)
    record["finished_at"] = ended.isoformat(timespec="milliseconds")
    return longer


def _spent(record: Raw) -> float:
    """Seconds of training and evaluations."""
    evaluations = sum(epoch["evaluate_s"] for epoch in record["epochs"])
    return float(sum(block["wall_s"] for block in record["blocks"]) + evaluations)


def _fill(record: Raw, rng: random.Random) -> None:
    """Blocks like those of a training, for a second more than its budget or until all are done."""
    blocks, epochs = record["blocks"], record["epochs"]
    samples = [block for block in blocks if not block["warmup"]] or blocks[-1:]
    an_epoch = record["planned_steps"] // record["cell"]["workload"]["epochs"]
    done = sum(block["steps"] for block in blocks)
    enough = record["cell"]["measure"]["budget"] + 1
    while done < record["planned_steps"] and _spent(record) - epochs[-1]["evaluate_s"] < enough:
        if epochs[-1]["steps"] == an_epoch:
            epochs.append(epochs[-1] | {"epoch": epochs[-1]["epoch"] + 1, "steps": 0})
        sample = rng.choice(samples)
        steps = min(sample["steps"], an_epoch - epochs[-1]["steps"])
        warmup = record["cell"]["measure"]["warmup_steps"] - done
        steps = min(steps, warmup) if warmup > 0 else steps
        step_s = sample["wall_s"] / sample["steps"]
        stamps = [step_s * math.exp(rng.gauss(0, NOISE)) for _ in range(steps)]
        block = sample | {
            "epoch": epochs[-1]["epoch"],
            "first_step": done,
            "steps": steps,
            "warmup": warmup > 0,
            "wall_s": sum(stamps),
            "cpu_s": round(sample["cpu_s"] * steps / sample["steps"], 6),
            "step_s": stamps[1:] if sample["step_s"] else [],
        }
        blocks.append(block)
        epochs[-1]["steps"] += steps
        done += steps


def _environment(turn: int, kind: str, rng: random.Random) -> Raw:
    number = 100 * rng.randint(1, 9) + turn
    gpu = {"name": f"{rng.choice(GPUS)} {number}", "memory_bytes": 16 * 10**9,
           "driver": rng.choice(("550.54", "560.35"))}  # fmt: skip
    return {
        "machine": f"{rng.getrandbits(32):08x}",
        "cpu": f"{INVENTED}{rng.choice(CPUS)} {number}",
        "threads": rng.choice((2, 4, 8, 16, 64)),
        "gpus": [gpu] if kind == "GPU" else [],
        "accelerators": [f"/{kind}:0"],
        "roofs": None,
    }


def _energy(record: Raw, watts: float) -> Raw:
    steps = sum(b["steps"] for b in record["blocks"] if not b["warmup"])
    window = steps * _step_s(record)
    energy: Raw = record["energy"][0] | {
        "absent": "",
        "sensor": "NVML",
        "scope": "GPU board",
        "parts": ["0"],
        "joules": watts * window,
        "window_s": window,
        "steps": steps,
        "windows": 1,
    }
    return energy


def folder(path: Path, number: int, seed: int = 0) -> Path:
    """A folder with so many contributions."""
    path.mkdir(parents=True, exist_ok=True)
    for contribution in invented(number, seed):
        write(contribution, path / f"{contribution.name}.zip")
    return path
