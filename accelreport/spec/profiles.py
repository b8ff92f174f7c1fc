"""What a spec's profiles may say, before any of them is applied."""

from __future__ import annotations

import re
from collections.abc import Iterable

from accelreport.spec.collect import Collector
from accelreport.spec.fields import dotted_fields
from accelreport.spec.models import Measure
from accelreport.spec.positions import KeyPath
from accelreport.spec.problems import did_you_mean, listed
from accelreport.spec.sections import NAME, NAME_RULE, Parts
from accelreport.spec.view import FULL, SECTIONS, WHOLE, changes, is_changeable
from accelreport.spec.wording import wrong_type


def check_profiles(collector: Collector, parts: Parts) -> list[str]:
    """Note what is wrong with the profiles' names and keys.

    Returns:
        The profiles that can be applied, in the order of the spec.
    """
    raw = collector.view.data.get("profiles", {})
    if not isinstance(raw, dict):
        found = wrong_type(("profiles",), "a table", raw)
        collector.add(found.code, found.path, found.message, help="write [profiles.quick]")
        return []
    names = []
    for name, table in raw.items():
        path = ("profiles", name)
        if not isinstance(table, dict):
            found = wrong_type(path, "a table", table)
            help_ = f"write [profiles.{name}], and dotted keys under it"
            collector.add(found.code, path, found.message, help=help_)
            continue
        _check_name(collector, name, path)
        if not table:
            collector.add("empty-table", path, f"the profile `{name}` changes nothing")
        _check_keys(collector, parts, name)
        names.append(name)
    return names


def _check_name(collector: Collector, name: str, path: KeyPath) -> None:
    if name == FULL:
        message = f"no profile can be called `{FULL}`: that is the spec as it stands"
        collector.add("bad-name", path, message, help="give it another name", at_key=True)
    elif not re.fullmatch(NAME, name):
        message = f"`{name}` cannot be the name of a profile"
        collector.add("bad-name", path, message, help=NAME_RULE, at_key=True)


def _check_keys(collector: Collector, parts: Parts, name: str) -> None:
    seen: dict[str, KeyPath] = {}
    for key, path, _ in changes(collector.view.file, name):
        first = seen.setdefault(key, path)
        if first != path:
            also = [(first, "it is changed here")]
            message = f"the profile `{name}` changes `{key}` twice"
            collector.add("duplicate-key", path, message, at_key=True, also=also)
        elif not is_changeable(key):
            message = f"`{key}` is not a key that a profile can change"
            help_ = _near(key, parts)
            collector.add("unknown-key", path, message, help=help_, at_key=True)
        elif (axis := key.removeprefix("workload.")) != key and axis in parts.sweep.axes:
            message = f"`{axis}` is swept, so this value would never be used"
            also = [(parts.sweep.paths[axis], f"the values of `{axis}`")]
            help_ = f'change "sweep.{axis}" instead'
            collector.add("contradiction", path, message, help=help_, at_key=True, also=also)


def changeable_keys(parts: Parts) -> Iterable[str]:
    """Every key that a profile can change in a spec, as far as they are known."""
    yield from WHOLE
    yield from (f"measure.{name}" for name, _ in dotted_fields(Measure))
    if parts.family:
        yield from (f"workload.{name}" for name, _ in dotted_fields(parts.family.parameters))
    yield from (f"sweep.{axis}" for axis in parts.sweep.free)
    yield from (f"sweep.zip.{axis}" for axis in parts.sweep.zipped)


def _near(key: str, parts: Parts) -> str:
    known = list(changeable_keys(parts))
    same_end = [name for name in known if name.partition(".")[2] == key]
    if same_end:
        return f'write "{same_end[0]}"'
    tables = [f"`{table}.…`" for table in SECTIONS]
    every = listed([*tables, *(f"`{name}`" for name in WHOLE)])
    return did_you_mean(key, known) or f"a profile changes {every}"
