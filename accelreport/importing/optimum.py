"""Reports of optimum-benchmark: `benchmark_report.json`, or `benchmark.json` with the setting.

Source: `optimum_benchmark/benchmark/report.py` and `trackers/latency.py` of
https://github.com/huggingface/optimum-benchmark. A report has a target for each part of the work
(`train`, `forward`, `generate`, …); each may have a `latency` in seconds (`mean`, percentiles) and
a `throughput` (`value`, `unit`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from accelreport.importing.reader import (
    Asked,
    FigureRow,
    Given,
    Readout,
    Unreadable,
    Value,
    number,
    rounded,
)
from accelreport.spec.problems import quote

PARTS = ("latency", "throughput")

SAMPLES = ("samples/s", "images/s")
"""Units of throughput whose inverse is the time of a sample."""


class OptimumBenchmark:
    """A report: a figure for each target, as the time of a step or of a sample."""

    title = "a report of optimum-benchmark"

    def recognises(self, given: Given) -> bool:
        """Whether a target with a latency or a throughput is there."""
        return bool(_targets(given.data))

    def read(self, given: Given, asked: Asked) -> Readout:  # noqa: ARG002 -- none of it applies
        """A row for each target that has such a time; the others are named."""
        targets = _targets(given.data)
        if not targets:
            raise Unreadable(
                f"{given.name}: this is not a report of optimum-benchmark.",
                why="A report has targets, such as `train`, with `latency` and `throughput`.",
            )
        setting = _setting(given.data)
        rows, left_out = [], []
        for target, parts in targets.items():
            keys = dict(_keys(target, parts))
            if any(key.endswith("_time") for key in keys):
                training = target == "train"
                work = "steps of training" if training else f"{target}, which does not train"
                note = f"optimum-benchmark, {_words(setting)}: {work}. {keys['note']}"
                keys |= {"comparable": False, "note": note.strip()}
                name = f"{_words(setting)}: {target}" if setting else target
                rows.append(
                    FigureRow(
                        f"{given.name}, {quote(target)}",
                        keys,
                        name,
                        facts=setting | {"target": target},
                    )
                )
            else:
                left_out.append(target)
        reason = f"{', '.join(map(quote, left_out))}: neither a step time nor a time per sample"
        return Readout(rows, [reason] if left_out else [])


def _targets(data: Any) -> dict[str, Mapping[str, Any]]:
    """Target → its parts, of which at least one is a latency or a throughput."""
    if isinstance(data, dict) and isinstance(data.get("report"), dict):
        data = data["report"]
    if not isinstance(data, dict):
        return {}
    return {
        target: parts
        for target, parts in data.items()
        if isinstance(parts, dict) and any(isinstance(parts.get(part), dict) for part in PARTS)
    }


def _keys(target: str, parts: Mapping[str, Any]) -> Iterator[tuple[str, Value]]:
    """The figures of a target, its mark, and how they were computed."""
    latency, throughput = (_table(parts, part) for part in PARTS)
    mean = number(latency.get("mean")) if latency.get("unit") == "s" else None
    if target == "train" and mean is not None and mean > 0:
        yield "step_time", mean
    rate = number(throughput.get("value"))
    # A first call takes longer, and these two targets have warm-up in them.
    steady = not target.startswith("first_") and target not in {"warmup", "overall"}
    if rate is not None and rate > 0 and throughput.get("unit") in SAMPLES and steady:
        yield "sample_time", rounded(1 / rate)
        yield "mark", "D"
        yield "note", f"sample_time is 1 ÷ {rounded(rate, 6)} {throughput['unit']}."
    else:
        yield "note", ""


def _setting(data: Any) -> dict[str, str]:
    """Model, backend, hardware, batch size and version, as far as the configuration has them."""
    config = data.get("config") if isinstance(data, dict) else None
    if not isinstance(config, dict):
        return {}
    backend, environment = (_table(config, key) for key in ("backend", "environment"))
    scenario = _table(config, "scenario")
    gpus = environment.get("gpu")
    device = str(backend.get("device") or "")
    hardware = str(gpus[0]) if isinstance(gpus, list) and gpus and device != "cpu" else ""
    hardware = hardware or str(environment.get("cpu") or "").strip()
    shapes = _table(scenario, "input_shapes")
    training = _table(scenario, "training_arguments")
    batch = shapes.get("batch_size") or training.get("per_device_train_batch_size")
    figures = {
        "model": str(backend.get("model") or ""),
        "backend": str(backend.get("name") or ""),
        "hardware": hardware,
        "batch_size": str(batch or ""),
        "version": str(environment.get("optimum_benchmark_version") or ""),
    }
    return {key: text for key, text in figures.items() if text}


def _table(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """The table of a key; empty where the key holds anything else."""
    part = data.get(key)
    return part if isinstance(part, dict) else {}


def _words(setting: Mapping[str, str]) -> str:
    """The setting in words, such as "gpt2, NVIDIA T4, pytorch, batch 8"."""
    batch = setting.get("batch_size")
    parts = [setting.get(key, "") for key in ("model", "hardware", "backend")]
    parts += [f"batch {batch}"] if batch else []
    return ", ".join(part for part in parts if part) or "without its configuration"
