"""Forgeries of a contribution: what somebody would change who wants another number."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from accelreport.chips.contribution import Contribution
from accelreport.results.plan_document import PlanDocument
from accelreport.results.record import Record

Raw = dict[str, Any]


def raw_of(contribution: Contribution) -> Raw:
    """Plans and records as JSON values, with what a block leaves out."""
    raw = {
        "plans": [json.loads(plan.model_dump_json()) for plan in contribution.plans],
        "records": [json.loads(record.model_dump_json()) for record in contribution.records],
    }
    for record in raw["records"]:
        record["blocks"] = [{"warmup": False, "step_s": []} | block for block in record["blocks"]]
    return raw


def contribution_from(raw: Raw) -> Contribution:
    """The contribution that an archive of these plans and records is read as."""
    records = sorted(
        map(Record.model_validate, raw["records"]),
        key=lambda record: (record.started_at, record.key),
    )
    return Contribution(list(map(PlanDocument.model_validate, raw["plans"])), records)


@dataclass(frozen=True)
class Forgery:
    """A forged contribution.

    Attributes:
        kind: what was changed.
        contribution: what the archive is read as.
    """

    kind: str
    contribution: Contribution


def forgeries(
    honest: Contribution, number: int, seed: int = 0, kinds: Iterable[str] = ()
) -> Iterator[Forgery]:
    """So many forgeries of each kind (default: of all)."""
    text = json.dumps(raw_of(honest))
    rng = random.Random(seed)  # noqa: S311 -- not for secrets
    for kind in kinds or KINDS:
        for _ in range(number):
            raw = json.loads(text)
            KINDS[kind](raw, rng)
            yield Forgery(kind, contribution_from(raw))


def _pick(raw: Raw, rng: random.Random) -> Raw:
    """A record of a training with many blocks."""
    rows: list[Raw] = [r for r in raw["records"] if r["epochs"] and len(r["blocks"]) > 12]
    return rng.choice(rows)


def scaled(record: Raw, factor: float, *, stamps: bool, rounded: bool) -> None:
    """Every time of the training by a factor, and the sums that follow from them."""

    def short(value: float, places: int) -> float:
        return round(value * factor, places) if rounded else value * factor

    for block in record["blocks"]:
        block["wall_s"] = short(block["wall_s"], 9)
        if stamps:
            block["step_s"] = [short(stamp, 7) for stamp in block["step_s"]]
    by_epoch: dict[int, float] = {}
    for block in record["blocks"]:
        by_epoch[block["epoch"]] = by_epoch.get(block["epoch"], 0.0) + block["wall_s"]
    elapsed = 0.0
    for epoch in record["epochs"]:
        epoch["train_s"] = by_epoch.get(epoch["epoch"], 0.0)
        elapsed += epoch["train_s"]
        epoch["elapsed_s"] = elapsed
    record["times"]["train_s"] = sum(block["wall_s"] for block in record["blocks"])
    record["times"]["first_step_s"] = record["blocks"][0]["wall_s"]


def divided(record: Raw) -> None:
    """All steps in the windows that the timer would have chosen by their times, and what follows.

    Steps after the budget of a training are left out.
    """
    measure, trained = record["cell"]["measure"], bool(record["epochs"])
    warmup = measure["warmup_steps" if trained else "warmup_calls"]
    of_epoch = record["planned_steps"] // (record["cell"]["workload"]["epochs"] if trained else 1)
    steps: list[tuple[Raw, float]] = []
    for block in record["blocks"]:
        stamps = block["step_s"] or [block["wall_s"] / block["steps"]] * (block["steps"] - 1)
        steps += [(block, s) for s in (block["wall_s"] - sum(stamps), *stamps)]
    blocks: list[Raw] = []
    done = 0
    budget = measure["budget"] if record["status"] == "partial" else float("inf")
    evaluated = {e["epoch"] + 1: e["evaluate_s"] for e in record["epochs"]}
    while done < len(steps) and budget > 0:
        first = steps[done][0]
        if not blocks or first["epoch"] != blocks[-1]["epoch"]:
            budget -= evaluated.get(first["epoch"], 0.0)
        most = of_epoch - sum(b["steps"] for b in blocks if b["epoch"] == first["epoch"])
        most = min(most, warmup - done) if done < warmup else most
        before = blocks[-1] if len(blocks) > 1 else {"steps": 1 + len(blocks), "wall_s": 0.5}
        count = max(1, min(round(0.5 * before["steps"] / before["wall_s"]), most))
        part = steps[done : done + count]
        shares = [(block, s / block["wall_s"]) for block, s in part]
        blocks.append(first | {
            "first_step": done,
            "steps": len(part),
            "warmup": done < warmup,
            "wall_s": round(sum(s for _, s in part), 9),
            "cpu_s": round(sum(block["cpu_s"] * share for block, share in shares), 6),
            "other_cpu_s": round(sum((b["other_cpu_s"] or 0) * share for b, share in shares), 3),
            "step_s": [round(s, 7) for _, s in part[1:]] if first["step_s"] else [],
        })  # fmt: skip
        done += len(part)
        budget -= blocks[-1]["wall_s"]
    record["blocks"] = blocks
    for check in (c for c in record["checks"] if c["name"] == "step-count"):
        check["seen"] = f"the windows claim {done:,} steps"
    trainings = [e for e in record["epochs"] if e["epoch"] <= blocks[-1]["epoch"]]
    for epoch in trainings:
        epoch["steps"] = sum(b["steps"] for b in blocks if b["epoch"] == epoch["epoch"])
        seen = epoch["steps"] * record["samples_per_step"]
        if seen <= record["data"]["train_examples"]:
            share = round(epoch["metrics"]["accuracy"] * seen) / seen
            epoch["metrics"] = epoch["metrics"] | {"accuracy": share}
            record["final"]["accuracy"] = share
    if len(trainings) < len(record["epochs"]):
        record |= {"samples": [], "final": record["final"] | trainings[-1]["metrics"]}
    record["epochs"] = trainings
    scaled(record, 1.0, stamps=False, rounded=True)


def _faster(raw: Raw, rng: random.Random, *, stamps: bool, rounded: bool) -> None:
    """All times of one cell divided, sums moved."""
    scaled(_pick(raw, rng), rng.uniform(0.3, 0.8), stamps=stamps, rounded=rounded)


def _faster_everywhere(raw: Raw, rng: random.Random) -> None:
    """All trainings of a device faster, with CPU times, wall-clock time and instants moved."""
    device = _pick(raw, rng)["cell"]["device"]
    _agreeing(raw, rng, lambda row: row["cell"]["device"] == device and bool(row["epochs"]))


def _slower_evaluations(raw: Raw, rng: random.Random) -> None:
    """All trainings of a device faster, and their evaluations slower by as much: the sums stay."""
    device, factor = _pick(raw, rng)["cell"]["device"], rng.uniform(0.3, 0.8)
    for record in raw["records"]:
        if record["cell"]["device"] == device and record["epochs"]:
            before = [epoch["train_s"] for epoch in record["epochs"]]
            scaled(record, factor, stamps=True, rounded=True)
            for block in record["blocks"]:
                block["cpu_s"] = round(block["cpu_s"] * factor, 6)
            for epoch, train_s in zip(record["epochs"], before, strict=True):
                epoch["evaluate_s"] += train_s - epoch["train_s"]
            record["times"]["evaluate_s"] = sum(each["evaluate_s"] for each in record["epochs"])


def _complete(raw: Raw, rng: random.Random) -> None:
    """All times of the complete trainings of a device, which no budget stopped."""
    device = _pick(raw, rng)["cell"]["device"]
    _agreeing(
        raw,
        rng,
        lambda row: (
            row["cell"]["device"] == device and bool(row["epochs"]) and row["status"] == "ok"
        ),
    )


def _latencies(raw: Raw, rng: random.Random) -> None:
    """The same for calls of inference, which no budget stopped."""
    rows = [r for r in raw["records"] if r["status"] == "ok" and not r["epochs"]]
    device = rng.choice(rows)["cell"]["device"]
    _agreeing(raw, rng, lambda row: row in rows and row["cell"]["device"] == device)


def _agreeing(raw: Raw, rng: random.Random, chosen: Callable[[Raw], bool]) -> None:
    """All times of chosen records by one factor, and all that follows from them, also windows."""
    factor = rng.uniform(0.3, 0.8)
    for record in filter(chosen, raw["records"]):
        before = record["times"]["train_s"]
        scaled(record, factor, stamps=True, rounded=True)
        for block in record["blocks"]:
            block["cpu_s"] = round(block["cpu_s"] * factor, 6)
            block["other_cpu_s"] = round((block["other_cpu_s"] or 0.0) * factor, 3)
        divided(record)
        saved = before - record["times"]["train_s"]
        record["times"]["wall_s"] -= saved
        ended = datetime.fromisoformat(record["finished_at"]) - timedelta(seconds=saved)
        record["finished_at"] = ended.isoformat(timespec="milliseconds")


def _faster_and_complete(raw: Raw, rng: random.Random) -> None:
    """The same, each training called complete with the steps and examples that it did."""
    _faster_everywhere(raw, rng)
    for record in raw["records"]:
        if record["epochs"] and record["status"] == "partial":
            done = sum(block["steps"] for block in record["blocks"])
            epochs = record["cell"]["workload"]["epochs"]
            size = record["cell"]["workload"]["batch_size"]
            record["status"] = "ok"
            record["planned_steps"] = done
            record["data"]["train_examples"] = done // epochs * size


def _copied(raw: Raw, rng: random.Random) -> Raw:
    """The blocks of one repeat in the place of another's; that one."""
    one = _pick(raw, rng)
    others: list[Raw] = [
        r
        for r in raw["records"]
        if r["cell"]["spec"] == one["cell"]["spec"]
        and r["cell"]["point"] == one["cell"]["point"]
        and r["key"] != one["key"]
    ]
    other = rng.choice(others)
    for name in ("blocks", "epochs", "times"):
        other[name] = copy.deepcopy(one[name])
    return other


def _copied_and_scaled(raw: Raw, rng: random.Random) -> None:
    """The same by a factor, in rounded times."""
    scaled(_copied(raw, rng), rng.uniform(0.7, 0.97), stamps=True, rounded=True)


def _device(raw: Raw, rng: random.Random) -> None:
    """A cell of one device in the name of another."""
    one = _pick(raw, rng)
    devices = {r["cell"]["device"] for r in raw["records"]} - {one["cell"]["device"]}
    other = rng.choice(sorted(devices))
    source = next(r for r in raw["records"] if r["cell"]["device"] == other)
    one["cell"]["device"] = other
    one["cell"]["device_spec"] = copy.deepcopy(source["cell"]["device_spec"])


def _kind(raw: Raw, _rng: random.Random) -> None:
    """A processor's records in the name of a GPU's."""
    for record in raw["records"]:
        if record["cell"]["device"] == "cpu":
            record["cell"]["device"] = "gpu"
            record["cell"]["device_spec"] |= {"kind": "GPU", "label": "gpu"}


def _accuracy(raw: Raw, rng: random.Random) -> None:
    """A better accuracy, in the last epoch and as the final one."""
    record = rng.choice([r for r in raw["records"] if r["cell"]["spec"] == "chip_accuracy"])
    better = min(record["final"]["val_accuracy"] + rng.uniform(0.005, 0.03), 1.0)
    record["final"]["val_accuracy"] = better
    record["epochs"][-1]["metrics"]["val_accuracy"] = better


def _accuracy_counted(raw: Raw, rng: random.Random) -> None:
    """The same as a whole number of examples."""
    record = rng.choice([r for r in raw["records"] if r["cell"]["spec"] == "chip_accuracy"])
    examples = record["data"]["validation_examples"]
    right = round(record["final"]["val_accuracy"] * examples) + rng.randint(3, 20)
    record["final"]["val_accuracy"] = min(right, examples) / examples
    record["epochs"][-1]["metrics"]["val_accuracy"] = record["final"]["val_accuracy"]


def _commit(raw: Raw, rng: random.Random) -> None:
    """Another commit in some records."""
    commit = f"{rng.getrandbits(160):040x}"
    for record in rng.sample(raw["records"], max(2, len(raw["records"]) // 3)):
        record["environment"]["commit"] = commit


def _spec(raw: Raw, rng: random.Random) -> None:
    """Less work in the spec of a plan: a smaller batch under the name of the larger."""
    record = _pick(raw, rng)
    sizes = {"64": 16, "256": 64, "1024": 256}
    size = record["cell"]["workload"]["batch_size"]
    record["cell"]["workload"]["batch_size"] = sizes.get(str(size), max(size // 4, 1))


def _smooth(raw: Raw, rng: random.Random) -> None:
    """Made-up steps: every block of a training takes the same."""
    record = _pick(raw, rng)
    step_s = round(record["blocks"][-1]["wall_s"] / record["blocks"][-1]["steps"], 6)
    for block in record["blocks"][1:]:
        block["wall_s"] = round(step_s * block["steps"], 9)
        block["step_s"] = [step_s] * len(block["step_s"])
    scaled(record, 1.0, stamps=True, rounded=True)


def _dropped(raw: Raw, rng: random.Random) -> None:
    """Slow blocks left out."""
    record = _pick(raw, rng)
    steady = [block for block in record["blocks"] if not block["warmup"]]
    slow = sorted(steady, key=lambda block: block["wall_s"] / block["steps"])[len(steady) // 2 :]
    for block in slow:
        record["blocks"].remove(block)
    scaled(record, 1.0, stamps=True, rounded=True)


def _other_machine(raw: Raw, rng: random.Random) -> None:
    """Some records of a faster machine under the same fingerprint: another processor's name."""
    for record in rng.sample(raw["records"], max(2, len(raw["records"]) // 3)):
        record["environment"]["cpu"] = "AMD EPYC 9965 192-Core Processor"


def _moved(raw: Raw, rng: random.Random) -> None:
    """A cell that began while another ran."""
    records = sorted(raw["records"], key=lambda record: record["started_at"])
    number = rng.randrange(1, len(records))
    span = timedelta(seconds=records[number]["times"]["wall_s"])
    began = datetime.fromisoformat(records[number - 1]["started_at"])
    began += timedelta(seconds=records[number - 1]["times"]["wall_s"] / 2)
    records[number]["started_at"] = began.isoformat(timespec="milliseconds")
    records[number]["finished_at"] = (began + span).isoformat(timespec="milliseconds")


def _target(raw: Raw, rng: random.Random) -> None:
    """An easier target in the plan, which no key covers."""
    for plan in raw["plans"]:
        if plan["measure"]["target"]:
            plan["measure"]["target"]["at_least"] = rng.uniform(0.7, 0.93)


def _peak(raw: Raw, rng: random.Random) -> None:
    """A lower peak in the plan, of which the same rate is a larger share."""
    for plan in raw["plans"]:
        for device in plan["devices"].values():
            device["peak_tflops"] = {"float32": rng.uniform(0.05, 0.2)}
            device["peak_source"] = "https://example.org/data-sheet"


def _plan_twice(raw: Raw, rng: random.Random) -> None:
    """The same repeats counted twice, for a narrower interval."""
    raw["plans"].append(copy.deepcopy(rng.choice(raw["plans"])))


def _seed(raw: Raw, rng: random.Random) -> None:
    """The best repeat in the place of the others: another seed's weights."""
    record = _pick(raw, rng)
    record["began_with"]["weights"] = f"{rng.getrandbits(256):064x}"


def _more_samples(raw: Raw, rng: random.Random) -> None:
    """Twice as many examples in a step."""
    _pick(raw, rng)["samples_per_step"] *= 2


def _more_warmup(raw: Raw, rng: random.Random) -> None:
    """A slow block called warm-up."""
    steady = [block for block in _pick(raw, rng)["blocks"] if not block["warmup"]]
    max(steady, key=lambda block: block["wall_s"] / block["steps"])["warmup"] = True


def _left_out(raw: Raw, rng: random.Random) -> None:
    """A slow repeat left out."""
    raw["records"].remove(_pick(raw, rng))


def _frugal(raw: Raw, rng: random.Random) -> None:
    """Energy of a microjoule."""
    for record in raw["records"]:
        for energy in record["energy"]:
            energy |= {"joules": 1e-6, "window_s": rng.uniform(5, 30), "steps": 100, "absent": ""}


def _other_data(raw: Raw, rng: random.Random) -> None:
    """Easier data."""
    _pick(raw, rng)["data"]["fingerprint"] = f"{rng.getrandbits(256):064x}"


def _fewer_layers(raw: Raw, rng: random.Random) -> None:
    """A smaller network."""
    layers = _pick(raw, rng)["network"]["layers"]
    layers.remove(rng.choice(layers))


def _unchecked(raw: Raw, rng: random.Random) -> None:
    """The self-check that failed left out."""
    checks = _pick(raw, rng)["checks"]
    checks.remove(rng.choice(checks))


def _dated(raw: Raw, _rng: random.Random, days: int) -> None:
    """All records years later, as if by a new machine, or earlier, as the first of their chip."""
    for record in raw["records"]:
        for name in ("started_at", "finished_at"):
            instant = datetime.fromisoformat(record[name]) + timedelta(days=days)
            record[name] = instant.isoformat(timespec="milliseconds")


def _trainings(raw: Raw) -> list[Raw]:
    return [record for record in raw["records"] if record["epochs"]]


def _first_step(raw: Raw, rng: random.Random) -> None:
    """Time of all trainings moved into their first step, so that their sums stay."""
    factor = rng.uniform(0.6, 0.8)
    for record in _trainings(raw):
        before = record["times"]["train_s"]
        scaled(record, factor, stamps=True, rounded=True)
        for block in record["blocks"]:
            block["cpu_s"] = round(block["cpu_s"] * factor, 6)
        first, saved = record["blocks"][0], before - record["times"]["train_s"]
        first["wall_s"] = round(first["wall_s"] + saved, 9)
        scaled(record, 1.0, stamps=False, rounded=True)


def _into_stage(raw: Raw, rng: random.Random, stage: str) -> None:
    """Time of all trainings moved into another stage, windows divided again."""
    factor = rng.uniform(0.6, 0.9)
    for record in _trainings(raw):
        before = record["times"]["train_s"]
        for block in record["blocks"]:
            block["cpu_s"] *= factor
        scaled(record, factor, stamps=True, rounded=True)
        divided(record)
        record["times"][stage] += before - record["times"]["train_s"]


def _stopped(raw: Raw, rng: random.Random) -> None:
    """Slow blocks called stopped, which are left out of the steady time."""
    for record in _trainings(raw):
        steady = [block for block in record["blocks"] if not block["warmup"]]
        steady.sort(key=lambda block: block["wall_s"] / block["steps"])
        for block in steady[len(steady) // 2 :]:
            block["stopped_s"] = round(rng.uniform(0.2, 0.9), 3)


def _noisy_copies(raw: Raw, rng: random.Random) -> None:
    """The fastest repeat in the place of the others, with some noise."""
    for one in _trainings(raw):
        alike = [
            r for r in _trainings(raw)
            if all(r["cell"][k] == one["cell"][k] for k in ("spec", "device", "point"))
        ]  # fmt: skip
        best = min(
            alike, key=lambda r: r["times"]["train_s"] / sum(b["steps"] for b in r["blocks"])
        )
        for name in ("blocks", "epochs", "times", "samples", "confusion", "final", "status"):
            one[name] = copy.deepcopy(best[name])
        for block in one["blocks"]:
            block["step_s"] = [round(s * rng.gauss(1, 0.003), 7) for s in block["step_s"]]


def _learnt(raw: Raw, rng: random.Random) -> None:
    """Accuracies of all epochs but the last raised, in whole examples: the target is met early."""
    for record in _trainings(raw):
        examples = record["data"]["validation_examples"]
        right = rng.randint(int(0.951 * examples) + 1, int(0.97 * examples))
        for epoch in record["epochs"][:-1] if record["cell"]["spec"] == "chip_accuracy" else ():
            epoch["metrics"]["val_accuracy"] = right / examples


def _more_energy_steps(raw: Raw, rng: random.Random) -> None:
    """Joules of ten times as many steps."""
    for record in _trainings(raw):
        steady = [block for block in record["blocks"] if not block["warmup"]]
        seconds = sum(block["wall_s"] for block in steady)
        record["energy"] = [
            {"sensor": "RAPL", "scope": "CPU package", "window_s": seconds, "windows": len(steady),
             "joules": seconds * rng.uniform(20, 80),
             "steps": 10 * sum(block["steps"] for block in steady)}
        ]  # fmt: skip


def _steps_divided(raw: Raw, rng: random.Random) -> None:
    """Twice as many steps in trainings that the budget stopped."""
    for record in (record for record in _trainings(raw) if record["status"] == "partial"):
        done = 0
        for block in record["blocks"]:
            if not block["warmup"]:
                halves = [(s * (part := rng.gauss(0.5, 0.01)), s * (1 - part))
                          for s in block["step_s"]]  # fmt: skip
                block["steps"] *= 2
                flat = [round(s, 7) for pair in halves for s in pair]
                block["step_s"] = [*flat, flat[-1]] if flat else []
            block["first_step"], done = done, done + block["steps"]
        for epoch in record["epochs"]:
            own = (b["steps"] for b in record["blocks"] if b["epoch"] == epoch["epoch"])
            epoch["steps"] = sum(own)


def _longer_warmup(raw: Raw, _rng: random.Random) -> None:
    """The slower half of the windows within the last one of the warm-up."""
    for record in _trainings(raw):
        warm = [block for block in record["blocks"] if block["warmup"]]
        steady = sorted(
            record["blocks"][len(warm) :], key=lambda block: -block["wall_s"] / block["steps"]
        )
        for block in steady[: len(steady) // 2]:
            warm[-1] |= {
                name: warm[-1][name] + block[name] for name in ("steps", "wall_s", "cpu_s")
            }
            record["blocks"].remove(block)
        warm[-1]["step_s"] = []
        done = 0
        for block in record["blocks"]:
            block["first_step"], done = done, done + block["steps"]
        scaled(record, 1.0, stamps=False, rounded=True)


def _slow_warmup(raw: Raw, _rng: random.Random) -> None:
    """Calls a fifth faster, and the warm-up slower by as much: the sums stay."""
    for record in (record for record in raw["records"] if not record["epochs"]):
        saved = 0.0
        for block in record["blocks"]:
            if not block["warmup"]:
                saved += 0.2 * block["wall_s"]
                block |= {name: block[name] * 0.8 for name in ("wall_s", "cpu_s")}
                block["step_s"] = [0.8 * s for s in block["step_s"]]
        last = [block for block in record["blocks"] if block["warmup"]][-1]
        last |= {name: last[name] + saved for name in ("wall_s", "cpu_s")}
        last["step_s"] = [s + saved / len(last["step_s"]) for s in last["step_s"]]
        divided(record)


def _shuffled(raw: Raw, rng: random.Random) -> None:
    """The fastest repeat of calls in the place of the others, its steps in another order."""
    calls = [record for record in raw["records"] if not record["epochs"]]
    for one in calls:
        alike = [
            r for r in calls if all(r["cell"][k] == one["cell"][k] for k in ("device", "point"))
        ]
        one["blocks"] = copy.deepcopy(alike[0]["blocks"])
        for block in one["blocks"]:
            rng.shuffle(block["step_s"])
        scaled(one, 1.0, stamps=False, rounded=True)


def _precision(raw: Raw, _rng: random.Random) -> None:
    """What was measured in bfloat16 in the place of float32, and the other way round."""
    names = ("device", "spec", "point", "repeat")
    known = {tuple(str(r["cell"][name]) for name in names): r for r in raw["records"]}
    for place, one in known.items():
        if place[0] == "cpu":
            other = known["cpu-bf16", *place[1:]]
            for name in ("cell", "key"):
                one[name], other[name] = other[name], one[name]


def _one_epoch_early(raw: Raw, _rng: random.Random) -> None:
    """The accuracy of the epoch two before that of the target, just above the target."""
    for record in _trainings(raw):
        if target := record["cell"]["measure"]["target"]:
            shares = [epoch["metrics"]["val_accuracy"] for epoch in record["epochs"]]
            reached = next(i for i, share in enumerate(shares) if share >= target["at_least"])
            examples = record["data"]["validation_examples"]
            least = (int(target["at_least"] * examples) + 1) / examples
            record["epochs"][max(reached - 2, 0)]["metrics"]["val_accuracy"] = least


def _short_energy(raw: Raw, rng: random.Random) -> None:
    """Joules of a hundredth of the time, for all steps."""
    _more_energy_steps(raw, rng)
    for energy in (record["energy"][0] for record in _trainings(raw)):
        energy |= {"steps": energy["steps"] // 10}
        energy |= {name: energy[name] / 100 for name in ("window_s", "joules")}


KINDS: dict[str, Callable[[Raw, random.Random], object]] = {
    "times scaled": partial(_faster, stamps=True, rounded=False),
    "times scaled and rounded": partial(_faster, stamps=True, rounded=True),
    "times of blocks scaled": partial(_faster, stamps=False, rounded=True),
    "all times of a device scaled, clocks moved": _faster_everywhere,
    "all times of a device scaled, called complete": _faster_and_complete,
    "trainings of a device faster, evaluations slower": _slower_evaluations,
    "all complete trainings of a device scaled": _complete,
    "all complete calls of a device scaled": _latencies,
    "blocks copied": _copied,
    "blocks copied and scaled": _copied_and_scaled,
    "device swapped": _device,
    "CPU called a GPU": _kind,
    "accuracy edited": _accuracy,
    "accuracy edited as a count": _accuracy_counted,
    "another commit": _commit,
    "less work": _spec,
    "steps made up": _smooth,
    "slow blocks dropped": _dropped,
    "another processor's name": _other_machine,
    "a cell moved in time": _moved,
    "another seed": _seed,
    "an easier target": _target,
    "a lower peak": _peak,
    "a plan twice": _plan_twice,
    "examples of a step doubled": _more_samples,
    "a slow block called warm-up": _more_warmup,
    "a slow repeat left out": _left_out,
    "energy of a microjoule": _frugal,
    "other data": _other_data,
    "fewer layers": _fewer_layers,
    "a self-check left out": _unchecked,
    "measured in the future": partial(_dated, days=3653),
    "measured before accelreport existed": partial(_dated, days=-7300),
    "time moved into the first step": _first_step,
    "time moved into the making of the model": partial(_into_stage, stage="build_s"),
    "slow blocks called stopped": _stopped,
    "repeats copied with noise": _noisy_copies,
    "accuracies of earlier epochs raised": _learnt,
    "energy of more steps": _more_energy_steps,
    "steps of stopped trainings divided": _steps_divided,
    "slow windows within the warm-up": _longer_warmup,
    "time moved into warm-up calls": _slow_warmup,
    "calls copied in another order": _shuffled,
    "bfloat16 called float32": _precision,
    "the target met two epochs early": _one_epoch_early,
    "energy of a short time": _short_energy,
    "time moved into the loading of data": partial(_into_stage, stage="data_s"),
}
