"""The tables of a spec, each checked by itself, its sweep, and what its profiles may change."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from pydantic import TypeAdapter, ValidationError

from accelreport.spec.base import (
    Baseline,
    GivenBaseline,
    Point,
    Scalar,
    dotted_fields,
    fields_of,
    is_open,
    is_table,
    same,
)
from accelreport.spec.claims import Claim
from accelreport.spec.diagnostics import Collector, Model
from accelreport.spec.families import Families, WorkloadKind
from accelreport.spec.models import (
    SCHEMA,
    Advice,
    Header,
    Measure,
    Published,
    Source,
    SpecDocument,
)
from accelreport.spec.problems import describe, did_you_mean, listed, quote
from accelreport.spec.source import FULL, SECTIONS, WHOLE, changes, is_changeable, leaves
from accelreport.spec.syntax import KeyPath

_BASELINE: TypeAdapter[Baseline] = TypeAdapter(GivenBaseline)

STARTER = "Say in a sentence or two what is compared, and why it matters."
"""What a new spec has in place of a description; it is never published."""


@dataclass(frozen=True)
class Sweep:
    """The axes of a spec.

    Attributes:
        free: dotted workload keys whose values are combined with all others.
        zipped: keys that advance together; all have as many values.
        paths: swept key → the path of its list.
        broken: keys that are not axes because they, or their values, had problems.
    """

    free: dict[str, list[Scalar]] = field(default_factory=dict)
    zipped: dict[str, list[Scalar]] = field(default_factory=dict)
    paths: dict[str, KeyPath] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)

    @property
    def axes(self) -> dict[str, list[Scalar]]:
        """Every swept key and its values, in the order of the spec."""
        return {**self.free, **self.zipped}

    def __len__(self) -> int:
        """How many points there are: 1 without any axis."""
        steps = min((len(values) for values in self.zipped.values()), default=1)
        return math.prod(map(len, self.free.values())) * steps

    def points(self) -> Iterator[Point]:
        """Every point; the last free key varies fastest, the zipped ones faster still."""
        columns = zip(*self.zipped.values(), strict=True)
        rows = [dict(zip(self.zipped, row, strict=True)) for row in columns]
        for values in product(*self.free.values()):
            point = dict(zip(self.free, values, strict=True))
            yield from ({**point, **row} for row in rows or [{}])

    def element(self, axis: str, value: Scalar) -> KeyPath:
        """The path of a value of an axis."""
        index = next(i for i, known in enumerate(self.axes[axis]) if same(known, value))
        return (*self.paths[axis], index)


def read_sweep(collector: Collector, family: WorkloadKind | None) -> Sweep:
    """The axes that can be swept, after the problems of the others were noted."""
    sweep = Sweep()
    raw = collector.view.data.get("sweep", {})
    if not isinstance(raw, dict):
        help_ = "write [sweep], and keys with their values under it"
        collector.wrong_type(("sweep",), "a table", raw, help_)
        return sweep
    if not raw and collector.view.has(("sweep",)):
        message = "this sweep has no key"
        collector.add(
            "empty-table", ("sweep",), message, help="give a key its values, or delete [sweep]"
        )
    for key, path, values in leaves(raw, ("sweep",)):
        if key == "zip":
            message = "`zip` is a table of the keys that advance together"
            help_ = "write [sweep.zip], and the keys with their values under it"
            collector.add("wrong-type", path, message, help=help_, at_key=True)
            continue
        axis = key.removeprefix("zip.")
        if values == "zip":
            # Other tools have a mode for this.
            help_ = "put the keys that advance together under [sweep.zip]"
            collector.add("unknown-axis", path, "a sweep has no mode", help=help_, at_key=True)
            continue
        known = not family or _is_sweepable(collector, axis, path, family)
        if axis in sweep.paths:
            also = [(sweep.paths[axis], "swept here")]
            message = f"`{axis}` is swept twice"
            collector.add("duplicate-key", path, message, at_key=True, also=also)
        elif known and _are_values(collector, axis, path, values):
            (sweep.free if axis == key else sweep.zipped)[axis] = values
            sweep.paths[axis] = path
        else:
            sweep.broken.add(axis)
    return _without_uneven_zips(collector, sweep)


def _without_uneven_zips(collector: Collector, sweep: Sweep) -> Sweep:
    """The sweep, without zipped keys that have more or fewer values than the first one."""
    for axis, values in list(sweep.zipped.items())[1:]:
        first, expected = next(iter(sweep.zipped.items()))
        if len(values) != len(expected):
            message = f"`{axis}` has {len(values)} values, and `{first}` has {len(expected)}"
            help_ = "keys under [sweep.zip] advance together: give each as many values"
            also = [(sweep.paths[first], f"the values of `{first}`")]
            collector.add("uneven-zip", sweep.paths[axis], message, help=help_, also=also)
            del sweep.zipped[axis], sweep.paths[axis]
            sweep.broken.add(axis)
    return sweep


def _is_sweepable(collector: Collector, axis: str, path: KeyPath, family: WorkloadKind) -> bool:
    fields = dict(dotted_fields(family.parameters))
    plain = axis.removeprefix("workload.")
    known = fields.get(axis)
    single = [name for name, item in fields.items() if not is_table(item)]
    if axis == "kind":
        message, help_ = "`kind` cannot be swept", "write one spec for each kind of workload"
    elif axis == "mode" and known is not None:
        message, help_ = "`mode` cannot be swept", "write one spec for training, one for inference"
    elif known is not None and not is_table(known):
        return True
    elif known is not None:
        inner = [f"`{name}`" for name in single if name.startswith(f"{axis}.")]
        message, help_ = f"`{axis}` is a table", f"sweep one of its keys: {listed(inner, 'or')}"
    elif plain != axis and plain in fields:
        message, help_ = "a swept key is named without `workload.`", f"write `{plain}`"
    elif any(is_open(item) and axis.startswith(f"{name}.") for name, item in fields.items()):
        return True
    else:
        message = f"`{axis}` is not a parameter of {family.kind}, so it cannot be swept"
        last = [name for name in single if name.rpartition(".")[2] == axis]
        keys = listed([name for name in single if name != "kind"])
        help_ = f"did you mean `{last[0]}`?" if last else did_you_mean(plain, single)
        help_ = help_ or f"its parameters are {keys}"
    collector.add("unknown-axis", path, message, help=help_, at_key=True)
    return False


def _are_values(collector: Collector, axis: str, path: KeyPath, values: Any) -> bool:
    """Whether these are values an axis can take; what is wrong with them is noted."""
    if not isinstance(values, list):
        help_ = "" if isinstance(values, dict) else f"write [{quote(values)}]"
        collector.wrong_type(path, "a list of values", values, help_, name=axis)
        return False
    if not values:
        collector.add("empty", path, f"`{axis}` has no value", help="give it a value")
    firsts: dict[tuple[bool, object], KeyPath] = {}
    good = [
        _is_value(collector, axis, (*path, index), value, firsts)
        for index, value in enumerate(values)
    ]
    return bool(good) and all(good)


def _is_value(
    collector: Collector,
    axis: str,
    path: KeyPath,
    value: object,
    firsts: dict[tuple[bool, object], KeyPath],
) -> bool:
    if not isinstance(value, bool | int | float | str):
        message = f"a value of `{axis}` must be a number, text or true/false, not "
        collector.add("wrong-type", path, message + describe(value))
        return False
    if isinstance(value, float) and not math.isfinite(value):
        message = f"a value of `{axis}` must be a finite number, not {value}"
        collector.add("wrong-value", path, message)
        return False
    first = firsts.setdefault((isinstance(value, bool), value), path)
    if first != path:
        also = [(first, "first use")]
        message = f"`{axis}` takes the value {quote(value)} twice"
        collector.add("duplicate-value", path, message, also=also)
    return first == path


NAME = r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}"
"""Names of specs, profiles and devices: they become names of files."""

NAME_RULE = "a name begins with a letter or digit and holds only letters, digits, - and _"
"""`NAME` in words."""


@dataclass
class ParsedSpec:
    """What could be read of a spec; what is None had problems, which were noted.

    Attributes:
        title: the title.
        description: the description.
        devices: names of devices.
        baseline: what speedups are relative to; None if the spec has none.
        only_named: whether a run of the folder leaves it out.
        order: place in a run of the folder.
        source: the source.
        family: the workload's family.
        sweep: the axes without problems.
        measure: how to measure.
        published: rows by their index.
        claims: claims by their index.
        advice: advice by its index.
        meant: devices that misspelt names probably mean; they are not reported as absent.
    """

    title: str = ""
    description: str = ""
    devices: list[str] | None = None
    baseline: Baseline | None = None
    only_named: bool = False
    order: int = 0
    source: Source | None = None
    family: WorkloadKind | None = None
    sweep: Sweep = field(default_factory=Sweep)
    measure: Measure | None = None
    published: dict[int, Published] = field(default_factory=dict)
    claims: dict[int, Claim] = field(default_factory=dict)
    advice: dict[int, Advice] = field(default_factory=dict)
    meant: set[str] = field(default_factory=set)


def read_tables(collector: Collector, families: Families) -> ParsedSpec:
    """Read every table of a view; each one's problems are noted, and the rest still read."""
    data = collector.view.data
    parts = ParsedSpec(family=_family(collector, families))
    # The table in which a key belongs, for keys that are in another one.
    family = parts.family
    tables: dict[str, Mapping[str, object]] = {
        "in [source]": fields_of(Source),
        "in [measure]": fields_of(Measure),
        "in [workload]": fields_of(family.parameters) if family else {},
        "at the top of the file, before the first [table]": fields_of(Header),
    }
    below = [
        name.rpartition(".")
        for name, _ in (dotted_fields(family.parameters) if family else ())
        if "." in name
    ]
    collector.homes = {key: f"in [workload.{table}]" for table, _, key in below}
    collector.homes |= {key: words for words, fields in tables.items() for key in fields}
    _header(collector, parts)
    parts.sweep = read_sweep(collector, parts.family)
    parts.source = _table(collector, "source", Source) if "source" in data else None
    parts.measure = _table(collector, "measure", Measure)
    parts.published = dict(_rows(collector, "published", Published))
    parts.claims = dict(_rows(collector, "claims", Claim))
    parts.advice = dict(_rows(collector, "advice", Advice))
    return parts


def check_schema(collector: Collector, *, required: bool = False) -> bool:
    """Whether the file is of the version that is read here; another one is not read on.

    Args:
        collector: takes the problem.
        required: whether a file without a version is wrong; of a spec, `Header` says so.
    """
    version = collector.view.data.get("schema")
    if required and version is None:
        help_ = "begin the file with `schema = 1`"
        collector.add("missing-key", (), "`schema` is missing", help=help_)
    if isinstance(version, int) and not isinstance(version, bool) and version != SCHEMA:
        message = f"this file has `schema = {version}`, but this accelreport reads {SCHEMA}"
        newer = "use a newer accelreport" if version > SCHEMA else f"write {SCHEMA}"
        collector.add("schema-version", ("schema",), message, help=newer)
        return False
    return True


def _header(collector: Collector, parts: ParsedSpec) -> None:
    data = collector.view.data
    known = list(fields_of(SpecDocument))
    for key in data:
        if key not in known:
            help_ = did_you_mean(key, known)
            if home := collector.homes.get(key):
                help_ = help_ or f"`{key}` belongs {home}"
            help_ = help_ or f"the keys are {listed(known)}"
            collector.add(
                "unknown-key", (key,), f"`{key}` is not a key of a spec", help=help_, at_key=True
            )
    if "workload" not in data:
        help_ = "add [workload] with `kind` and its parameters"
        collector.add("missing-key", (), "[workload] is missing", help=help_)
    given = {key: data[key] for key in fields_of(Header) if key in data}
    collector.checked(Header, (), given, "a key of a spec")
    valid = _valid_keys(given)
    parts.title = valid.get("title", "")
    description = valid.get("description", "")
    parts.description = "" if description.strip() == STARTER else description
    parts.devices = valid.get("devices")
    if (written := valid.get("baseline")) is not None:
        parts.baseline = _BASELINE.validate_python(written)
    parts.only_named, parts.order = valid.get("only_named", False), valid.get("order", 0)


def _valid_keys(given: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of a header that are valid, with their values as they are written."""
    try:
        Header.model_validate(given)
    except ValidationError as error:
        wrong = {details["loc"][0] for details in error.errors()}
        return {key: value for key, value in given.items() if key not in wrong}
    return dict(given)


def _family(collector: Collector, families: Families) -> WorkloadKind | None:
    raw = collector.view.data.get("workload")
    if raw is None:
        return None
    if not isinstance(raw, dict):
        collector.wrong_type(("workload",), "a table", raw)
        return None
    kind, path = raw.get("kind"), ("workload", "kind")
    kinds = sorted(families.known)
    every = listed([quote(name) for name in kinds], "or")
    if kind is None:
        message, help_ = "`kind` is missing: the family of the workload", f"write {every}"
        collector.add("missing-key", path, message, help=help_)
    elif not isinstance(kind, str):
        collector.wrong_type(path, "text", kind, f"write {every}")
    elif kind in families.broken:
        broken = families.broken[kind]
        message = f"the package that adds {quote(kind)} does not work: {broken.why}"
        collector.add("bad-plugin", path, message, help=broken.remedy)
    elif kind not in families.known:
        near = did_you_mean(kind, kinds, quoted=True)
        message = f"there is no workload of the kind {quote(kind)}"
        collector.add("unknown-kind", path, message, help=near or f"write {every}")
    return families.known.get(kind) if isinstance(kind, str) else None


def _table(collector: Collector, name: str, model: type[Model]) -> Model | None:
    raw = collector.view.data.get(name, {})
    if isinstance(raw, dict):
        return collector.checked(model, (name,), raw, f"a key of [{name}]")
    collector.wrong_type((name,), "a table", raw, f"write [{name}], and keys under it")
    return None


def _rows(collector: Collector, name: str, model: type[Model]) -> Iterator[tuple[int, Model]]:
    raw = collector.view.data.get(name, [])
    if not isinstance(raw, list):
        help_ = f"write [[{name}]], with two brackets, above each row"
        collector.wrong_type((name,), "a list of tables", raw, help_)
        return
    for index, row in enumerate(raw):
        path = (name, index)
        if not isinstance(row, dict):
            collector.wrong_type(path, "a table", row)
        elif value := collector.checked(model, path, row, f"a key of [[{name}]]"):
            yield index, value


def check_profiles(collector: Collector, parts: ParsedSpec) -> list[str]:
    """Check the names and keys of the profiles.

    Returns:
        The profiles that can be applied, in the order of the spec.
    """
    raw = collector.view.data.get("profiles", {})
    if not isinstance(raw, dict):
        collector.wrong_type(("profiles",), "a table", raw, "write [profiles.quick]")
        return []
    names = []
    for name, table in raw.items():
        path = ("profiles", name)
        if not isinstance(table, dict):
            help_ = f"write [profiles.{name}], and dotted keys under it"
            collector.wrong_type(path, "a table", table, help_)
            continue
        if name == FULL:
            message = f"no profile can have the name `{FULL}`: that is the unchanged spec"
            collector.add("bad-name", path, message, help="give it another name", at_key=True)
        elif not re.fullmatch(NAME, name):
            message = f"`{name}` cannot be the name of a profile"
            collector.add("bad-name", path, message, help=NAME_RULE, at_key=True)
        if not table:
            collector.add("empty-table", path, f"the profile `{name}` changes nothing")
        _check_profile_keys(collector, parts, name)
        names.append(name)
    return names


def _check_profile_keys(collector: Collector, parts: ParsedSpec, name: str) -> None:
    firsts: dict[str, KeyPath] = {}
    changed = [*changes(collector.view.file, name)]
    swept = {axis: parts.sweep.paths[axis] for axis in parts.sweep.axes}
    swept |= {
        key.removeprefix("sweep.").removeprefix("zip."): path
        for key, path, _ in changed
        if key.startswith("sweep.")
    }
    for key, path, _ in changed:
        first = firsts.setdefault(key, path)
        if first != path:
            also = [(first, "changed here")]
            message = f"the profile `{name}` changes `{key}` twice"
            collector.add("duplicate-key", path, message, at_key=True, also=also)
        elif not is_changeable(key):
            message = f"`{key}` is not a key that a profile can change"
            help_ = _key_help(key, parts)
            collector.add("unknown-key", path, message, help=help_, at_key=True)
        elif (axis := key.removeprefix("workload.")) != key and axis in swept:
            message = f"`{axis}` is swept, so this value would never be used"
            also = [(swept[axis], f"the values of `{axis}`")]
            help_ = f'change "sweep.{axis}" instead'
            collector.add("contradiction", path, message, help=help_, at_key=True, also=also)


def changeable_keys(parts: ParsedSpec) -> Iterable[str]:
    """Every key that a profile can change in a spec, as far as they are known."""
    yield from WHOLE
    yield from (f"measure.{name}" for name, _ in dotted_fields(Measure))
    if parts.family:
        yield from (f"workload.{name}" for name, _ in dotted_fields(parts.family.parameters))
    yield from (f"sweep.{axis}" for axis in parts.sweep.free)
    yield from (f"sweep.zip.{axis}" for axis in parts.sweep.zipped)


def _key_help(key: str, parts: ParsedSpec) -> str:
    known = list(changeable_keys(parts))
    same_end = [name for name in known if name.partition(".")[2] == key]
    if same_end:
        return f'write "{same_end[0]}"'
    tables = [f"`{table}.…`" for table in SECTIONS]
    every = listed([*tables, *(f"`{name}`" for name in WHOLE)])
    return did_you_mean(key, known) or f"a profile changes {every}"
