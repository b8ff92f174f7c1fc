"""The first text of a spec: what a family understands, explained where it is written."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, get_args, get_origin

from pydantic.fields import FieldInfo

from accelreport.spec.base import Scalar
from accelreport.spec.parameters import TRAINING_ONLY
from accelreport.spec.sections import STARTER
from accelreport.workloads.base import Family, TrainingParameters, WorkloadParameters

WIDTH = 92

FIRST = ("kind", "dataset", "model", "architecture", "epochs", "batch_size", "size", "count")
"""Keys that a spec says even where their default is meant: they are the benchmark."""

QUICK: dict[str, dict[str, Scalar]] = {
    "training": {
        "workload.data": "synthetic",
        "workload.epochs": 2,
        "workload.steps_per_epoch": 8,
        "measure.warmup_steps": 2,
        "measure.repeats": 1,
    },
    "kernel": {"measure.calls": 3, "measure.repeats": 1},
    "step": {"measure.calls": 20, "measure.repeats": 1},
    "inference": {"workload.data": "synthetic", "measure.calls": 50, "measure.repeats": 1},
}
"""A first look in seconds, by the shape of the work, or of a training's network in inference."""

HEAD = """\
#:schema ./schema/spec.schema.json
schema = 1
title = {title}
description = \"\"\"
{starter}\"\"\"
devices = {devices} # rows of devices.toml; one that is not here is skipped and said so
baseline = {baseline}{blank} # what speedups are relative to
"""

MEASURE = {
    "repeats": (3, "independent processes of each device; three give an interval"),
    "budget": ("10m", "then a cell stops, and its total is extrapolated and marked"),
}
"""What a spec says of how it is measured, and what it means."""

CALLS: Mapping[str, Value] = {"calls": 1000, "budget": "1m"}
"""Of steps and of answers: enough for a steady window of those that take 0.3 ms, and an end to
those that take over 60 ms."""

SWEPT = "# Every combination of these values is measured on every device:"

SWEEP = f"""\
{SWEPT}
# [sweep]
# {{key}} = [{{value}}, {{double}}]
"""

TARGET = """\
# The clock of "time to accuracy" stops here:
# [measure.target]
# metric = "val_accuracy"
# at_least = 0.9
"""

CLAIM = """\
# A sentence that the numbers confirm, refute or leave undecided:
# [[claims]]
# text = {text}
# check = {{ faster = {other}, than = {baseline}, by_at_least = 1.3 }}
"""


FILLED_IN = {"document", "modules", "data_document", "data_modules"}
"""Keys that nobody writes: what is in the files that a spec names."""

Value = Scalar | list[Any] | Mapping[str, Any]
"""What a key of a spec may hold."""


def draft(
    family: Family,
    *,
    title: str,
    devices: Iterable[str],
    given: Mapping[str, Value],
    measure: Mapping[str, Value] = MappingProxyType({}),
    sweep: Mapping[str, Sequence[Scalar]] = MappingProxyType({}),
) -> str:
    """A spec for a family, as text with a comment on each key.

    Args:
        family: the kind of workload.
        title: the benchmark's title.
        devices: names of rows in the devices file; the first is the baseline.
        given: values of the workload's keys instead of their defaults; what the family does not
            have is written too, so that reading the spec tells of it.
        measure: values of the keys of `[measure]`, likewise.
        sweep: dotted keys and their values; an example as a comment when empty.
    """
    names = list(devices)
    swept = {_key(key): values for key, values in sweep.items()}
    baseline = json.dumps(names[0])
    if swept and len(names) == 1:  # then it is the values that are compared
        first = next(iter(swept))
        baseline = _value({"device": names[0], first: swept[first][0]})
    head = HEAD.format(
        title=json.dumps(title, ensure_ascii=False),
        starter=STARTER,
        devices=json.dumps(names),
        baseline=baseline,
        blank=" " * max(0, len(json.dumps(names)) - len(baseline) - 1),
    )
    parts = [head, "\n".join(_workload(family, given)) + "\n", *_sweep(family, swept)]
    shape = _shape(family, given)
    own: Mapping[str, Value] = CALLS if shape in {"step", "inference"} else {}
    parts.append("\n".join(_measure({**own, **measure})) + "\n")
    parts += [TARGET] if shape == "training" else []
    parts.append("\n".join(_quick(family, given)) + "\n")
    if len(names) > 1:
        text = f"{names[1]} is at least 1.3 times as fast as {names[0]}"
        text, base, other = map(json.dumps, (text, *names[:2]))
        parts.append(CLAIM.format(text=text, baseline=base, other=other))
    return "\n".join(parts)


def _pairs(values: Mapping[str, Any]) -> Iterator[str]:
    for key, value in values.items():
        yield f"{key} = {_value(value)}"


def _measure(given: Mapping[str, Value]) -> Iterator[str]:
    lines = {key: f"{key} = {_value(given.get(key, value))}" for key, (value, _) in MEASURE.items()}
    width = max(map(len, lines.values()))
    yield "[measure]"
    for key, (_, meaning) in MEASURE.items():
        yield f"{lines[key]:<{width}} # {meaning}"
    yield from _pairs({key: value for key, value in given.items() if key not in MEASURE})


def _shape(family: Family, given: Mapping[str, Value]) -> str:
    return "inference" if given.get("mode") == "inference" else family.shape


def _workload(family: Family, given: Mapping[str, Value]) -> Iterator[str]:
    yield "[workload]"
    written = {"kind": family.kind, **given}
    fields = _fields(family.parameters)
    if _shape(family, given) == "inference":
        fields = {name: field for name, field in fields.items() if name not in TRAINING_ONLY}
    yield from _pairs({name: value for name, value in given.items() if name not in fields})
    for name, field in fields.items():
        if name not in written and (name not in FIRST or not _has_value(field)):
            continue
        yield from _comment(_description(field))
        yield f"{name} = {_value(written.get(name, field.default))}"
    rest = [name for name in fields if name not in written and name not in FIRST]
    if rest:
        yield ""
        yield "# What else can be said, with what holds otherwise:"
    for name in rest:
        field = fields[name]
        yield from _comment(_description(field), indent="#   ")
        yield f"# {name} = {_value(field.default)}" if _has_value(field) else f"# {name}: absent"


def _fields(parameters: type[WorkloadParameters]) -> dict[str, FieldInfo]:
    """The family's own keys, then those that all trainings share."""
    fields = {
        name: field for name, field in parameters.model_fields.items() if name not in FILLED_IN
    }
    shared = TrainingParameters.model_fields
    own = {name: field for name, field in fields.items() if name not in shared or name == "kind"}
    return {"kind": fields["kind"], **own, **fields}


def _description(field: FieldInfo) -> str:
    """What a key means, and its values where only some are possible."""
    text = field.description or ""
    if get_origin(field.annotation) is not Literal or len(get_args(field.annotation)) < 2:
        return text
    return f"{text} One of {', '.join(map(json.dumps, get_args(field.annotation)))}."


def _has_value(field: FieldInfo) -> bool:
    return not field.is_required() and field.default is not None


def _comment(text: str, indent: str = "# ") -> list[str]:
    return textwrap.wrap(
        " ".join(text.split()), WIDTH, initial_indent=indent, subsequent_indent=indent
    )


def _value(value: Any) -> str:
    """A default as TOML."""
    if hasattr(value, "model_dump"):
        value = value.model_dump(exclude_none=True)
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{key} = {_value(item)}" for key, item in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    return json.dumps(value, ensure_ascii=False)


def _key(name: str) -> str:
    """A dotted key as TOML."""
    return json.dumps(name) if "." in name else name


def _sweep(family: Family, given: Mapping[str, Sequence[Scalar]]) -> list[str]:
    if given:
        return ["\n".join([SWEPT, "[sweep]", *_pairs(given), ""])]
    key = "size" if family.shape == "kernel" else "batch_size"
    field = family.parameters.model_fields.get(key)
    if field is None or not isinstance(field.default, int):
        return []
    return [SWEEP.format(key=key, value=field.default, double=2 * field.default)]


def _quick(family: Family, given: Mapping[str, Value]) -> Iterator[str]:
    yield "# A first look in seconds: accelreport run SPEC --profile quick"
    yield "[profiles.quick]"
    values = dict(QUICK[_shape(family, given)])
    if "task" in given:  # data of one's own are at hand
        del values["workload.data"]
    yield from _pairs({_key(name): value for name, value in values.items()})
    if "count" in family.parameters.model_fields:
        yield '"workload.count" = 2'
