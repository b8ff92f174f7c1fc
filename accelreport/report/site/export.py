"""Every number as a file: CSV for a spreadsheet, JSON for a program."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from accelreport.report.claim_text import claims_frame
from accelreport.report.frames import (
    curve_frame,
    results_frame,
    rows_of,
    speedups_frame,
    targets_frame,
)
from accelreport.report.published_text import published_frame
from accelreport.report.site.figure_files import harmless
from accelreport.report.view import BenchmarkView
from accelreport.results.record import Record


def benchmark_files(
    bench: BenchmarkView, records: Mapping[tuple[str, str], str]
) -> Iterator[tuple[str, str]]:
    """Files beside a benchmark's page, by their paths.

    Args:
        bench: the benchmark.
        records: JSON text of every record, by key and machine.
    """
    folder = bench.slug
    frames = {
        "cells": results_frame(bench.plan, bench.results),
        "speedups": _speedups(bench),
        "curves": curve_frame(bench.shown_records),
        "targets": targets_frame(bench.plan, bench.target_times),
        "published": published_frame(bench.published_results),
        "claims": claims_frame(bench.plan, bench.tested),
    }
    for name, frame in frames.items():
        yield f"{folder}/{name}.csv", csv_text(frame)
    yield f"{folder}/steps.csv", steps_csv(bench.records)
    yield f"{folder}/plan.json", bench.plan.model_dump_json(indent=1) + "\n"
    own = [records[place] for place in bench.records]
    yield f"{folder}/records.json", "[\n" + ",\n".join(own) + "\n]\n"
    yield f"{folder}/spec.toml", bench.plan.text


def site_files(benches: Sequence[BenchmarkView]) -> Iterator[tuple[str, str]]:
    """Files beside the front page: the headline figures of every benchmark."""
    frames = []
    for bench in benches:
        frame = _speedups(bench)
        frame.insert(0, "spec", bench.plan.spec)
        frame.insert(1, "profile", bench.plan.profile)
        frame.insert(2, "baseline", bench.plan.baseline)
        frames.append(frame)
    yield "speedups.csv", csv_text(pd.concat(frames, ignore_index=True))
    results = [
        {
            "spec": bench.plan.spec,
            "profile": bench.plan.profile,
            "title": bench.plan.title,
            "baseline": bench.plan.baseline,
            "page": f"{bench.slug}.html",
            "speedups": [_json_row(row) for row in rows_of(_speedups(bench))],
            "claims": [_json_row(row) for row in rows_of(claims_frame(bench.plan, bench.tested))],
        }
        for bench in benches
    ]
    text = json.dumps({"benchmarks": results}, indent=1, ensure_ascii=False, default=str)
    yield "results.json", text + "\n"


def _speedups(bench: BenchmarkView) -> pd.DataFrame:
    return speedups_frame(bench.plan, bench.compared)


def record_json(record: Record) -> str:
    """A record as it stands in a file."""
    return record.model_dump_json(indent=1)


def csv_text(frame: pd.DataFrame) -> str:
    """A frame as CSV whose lines end with a line feed.

    A text that a spreadsheet would run as a formula gets an apostrophe before it. The rest is as
    pandas writes it, which takes several times as long for frames as small as these.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(harmless(str(name)) for name in frame.columns)
    columns = ([_cell(value) for value in frame[name].tolist()] for name in frame)
    writer.writerows(zip(*columns, strict=True))
    return text.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, tuple | list | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    if isinstance(value, str):
        return harmless(value)
    return "" if value is None or value is pd.NA or value != value else value  # NaN is not itself


def steps_csv(records: Mapping[tuple[str, str], Record]) -> str:
    """Every timed step; a block that was not stamped step by step is one row with its mean.

    Written by hand because it is by far the largest file, and pandas takes five times as
    long for it.
    """
    lines = ["key,machine,epoch,step,steps,seconds,warmup"]
    for (key, machine), record in records.items():
        for block in record.blocks:
            if not block.steps:
                continue
            begin = f"{key},{machine},{block.epoch},"
            warm = int(not block.steady)
            if block.stamped_s:
                first = block.first_step + block.steps - len(block.stamped_s)
                lines += [
                    f"{begin}{step},1,{seconds!r},{warm}"
                    for step, seconds in enumerate(block.stamped_s, start=first)
                ]
            else:
                mean = block.wall_s / block.steps
                lines.append(f"{begin}{block.first_step},{block.steps},{mean!r},{warm}")
    return "\n".join(lines) + "\n"


def _json_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row in which what is not a number is null, because JSON has no NaN."""
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in row.items()
    }
