"""What this machine is, and what a run will do on it: from wishes to a plan of every cell.

Values that it gives instead of the spec's (`--set`) are read here, too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import tomli

from accelreport.backend.availability import Probe, probe, to_ask, unavailable
from accelreport.backend.frameworks import installed
from accelreport.errors import UsageError
from accelreport.loader.load import load
from accelreport.machine.inventory import Inventory, inventory
from accelreport.results.plan_document import Document, PlanDocument, plan_document
from accelreport.results.reading import ResultProblem, ResultsError
from accelreport.results.record import Failure, FailureKind
from accelreport.results.store import Store
from accelreport.runner.adaptive import AdaptiveRepeats, StoppingRule
from accelreport.runner.launchers.base import BadLauncher, Launcher
from accelreport.runner.outlook import AbsentData
from accelreport.runner.plan import Policy, RecordIndex, RunPlan, make_plan, reason_text
from accelreport.runner.plan_documents import changing, continued
from accelreport.spec.base import Scalar, dotted_values
from accelreport.spec.cells import Cell, Spec, SpecSet
from accelreport.spec.device import FRAMEWORK_NAMES, ONE_DEVICE, Device, running_rows
from accelreport.spec.families import TENSORFLOW
from accelreport.spec.files_beside import FILE_NAME, read_devices
from accelreport.spec.problems import Place, Problem, SpecErrors, did_you_mean, listed, quote
from accelreport.spec.source import read_file
from accelreport.spec.syntax import TOO_LARGE, loads


class DeviceHere(Document):
    """A device of the devices file, and whether it can run on this machine."""

    name: str
    device: Device
    """What the file says of it, with the framework on which it runs here."""
    kind: FailureKind | None
    """Why it cannot run here: `no-framework` or `no-device`; none when it can."""
    reason: str | None
    """The same in a sentence."""


class Survey(Document):
    """A machine and its devices."""

    machine: Inventory
    """The machine, as the system describes it."""
    tensorflow: Probe | None
    """What TensorFlow sees; none when it was not asked."""
    others: dict[str, Probe] = {}
    """What JAX and PyTorch see, where one of them was asked."""
    devices: list[DeviceHere]
    """Each device of the devices file."""


def survey(devices_file: Path, *, ask: bool) -> Survey:
    """Look at this machine.

    Args:
        devices_file: the devices; without the file none are listed.
        ask: whether to start the frameworks, which takes seconds: TensorFlow, or the one that is
            installed, and each that is to drive an accelerator of this machine.

    Raises:
        SpecErrors: the devices file has an error.
    """
    rows: dict[str, Device] = {}
    if devices_file.exists():
        file = read_file(devices_file, str(devices_file))
        if isinstance(file, Problem):
            raise SpecErrors([file])
        read, problems = read_devices(file)
        if every := [*file.syntax_problems(), *problems]:
            raise SpecErrors(every)
        rows = {name: device for name, device in read.items() if device}
    devices = _running(rows)
    here = inventory()
    probes = _probed([*installed()[:1], *to_ask(devices.values(), here)] if ask else [])
    absences = {name: unavailable(device, here, probes) for name, device in devices.items()}
    return Survey(
        machine=here,
        tensorflow=probes.pop(TENSORFLOW, None) or (probe() if ask else None),
        others=probes,
        devices=[
            DeviceHere(
                name=name,
                device=device,
                kind=failure.kind if (failure := absences[name]) else None,
                reason=reason_text(failure) if failure else None,
            )
            for name, device in devices.items()
        ],
    )


def _probed(frameworks: Iterable[str]) -> dict[str, Probe]:
    """What each of these frameworks can use; all are asked at once."""
    asked = [name for name in FRAMEWORK_NAMES if name in {*frameworks}]
    with ThreadPoolExecutor() as pool:
        return dict(zip(asked, pool.map(probe, asked), strict=True))


def _running(rows: Mapping[str, Device]) -> dict[str, Device]:
    """The rows of a devices file as they run here, with what is installed."""
    return {row: device for row, (_, device) in running_rows(rows, installed()).items()}


def absences(
    devices: Mapping[str, Device], *, waiting: Callable[[str], None]
) -> dict[str, Failure | None]:
    """Device name → why it cannot run here, or None.

    Args:
        devices: the devices by name.
        waiting: told what takes seconds.
    """
    machine = inventory()
    asked = to_ask(devices.values(), machine)
    if asked:
        names = " and ".join(FRAMEWORK_NAMES[framework] for framework in asked)
        waiting(f"asking {names} for devices")
    probes = _probed(asked)
    return {name: unavailable(device, machine, probes) for name, device in devices.items()}


def devices_here(rows: Mapping[str, Device], *, waiting: Callable[[str], None]) -> list[str]:
    """Rows of a devices file that are worth comparing on this machine, the baseline first.

    Raises:
        UsageError: the file has none.
    """
    running = _running(rows)
    absent = absences(running, waiting=waiting)
    names = worth_comparing(running, absent, implied={n for n in rows if running[n] != rows[n]})
    if not names:
        reasons = {reason_text(failure) for failure in absent.values() if failure}
        raise UsageError(
            "No row of the devices file can be compared on this machine.",
            why="; ".join(sorted(reasons)),
            remedy="Name one with --device.",
        )
    return names


KINDS = ("CPU", "GPU", "TPU")


def worth_comparing(
    devices: Mapping[str, Device],
    absent: Mapping[str, Failure | None],
    implied: Collection[str] = (),
) -> list[str]:
    """Devices of this machine whose comparison says something, the baseline first.

    One thread of the CPU, the whole CPU, then each accelerator, all in one framework: TensorFlow,
    or else the first that drives an accelerator. Where there is none, the CPU under every other
    framework that is installed, so that a comparison exists.

    Args:
        devices: the rows of a devices file as they run here.
        absent: name → why it cannot run here, or None.
        implied: rows that name no framework and run on another one than TensorFlow.

    Returns:
        Names, one for each use of the hardware; that of a CPU where nothing can run.
    """
    plain = {name: device for name, device in devices.items() if _is_plain(device)}
    here = {name: device for name, device in plain.items() if absent[name] is None}
    if not here:
        return [name for name, device in plain.items() if device.kind == "CPU"][:1]
    order = list(FRAMEWORK_NAMES)
    accelerated = [device for device in here.values() if device.kind != "CPU"]
    leading = min((d.framework for d in accelerated or here.values()), key=order.index)
    ways: dict[tuple[int, int, bool], list[str]] = {}
    for name, device in here.items():
        # Another framework is compared on the whole CPU alone.
        if device.framework == leading or not (accelerated or device.threads == 1):
            way = (KINDS.index(device.kind), order.index(device.framework), device.threads != 1)
            ways.setdefault(way, []).append(name)
    several = len({framework for _, framework, _ in ways}) > 1
    # Beside a row that names a framework, one that names none means TensorFlow.
    return [
        next((name for name in ways[way] if not (several and name in implied)), ways[way][0])
        for way in sorted(ways)
    ]


def _is_plain(device: Device) -> bool:
    """Whether a device is one use of the hardware as it is: one process, no option of its own."""
    optional = (device.xla, device.eager, device.tf32, device.torch_compile, device.placement)
    return (
        device.strategy in {*ONE_DEVICE, "tpu"}
        and device.threads in {None, 1}
        and device.precision == "float32"
        and not any(optional)
    )


SET_REMEDY = "Write for example --set workload.epochs=2 or --set measure.budget=2m."
SWEEP_REMEDY = "Write for example --sweep batch_size=64,128."
ON_OPTION_REMEDY = "Write for example --on-option partition=gpu or --on-option time=120."


def parse_overrides(texts: Sequence[str]) -> dict[str, Scalar]:
    """`["workload.epochs=2", "measure.budget=2m"]` as dotted keys and their values.

    A value is read as TOML; what is no TOML value is a text: `2` is a number, `true` a truth
    value, `2m` and `"2"` are texts.

    Raises:
        UsageError: a text is not `key=value`, or gives a list or a table.
    """
    values: dict[str, Scalar] = {}
    for text in texts:
        key, written = _parts("--set", text, SET_REMEDY)
        value = _value(written)
        if not isinstance(value, bool | int | float | str):
            raise UsageError(
                f"--set {text}: the command line cannot set a {type(value).__name__}.",
                remedy="Use --device NAME to add a device."
                if key == "devices"
                else "Give a number, a text or true/false, or write a profile into the spec.",
            )
        values[key] = value
    return values


def parse_tables(texts: Sequence[str]) -> dict[str, Any]:
    """`["dataset=csv", "series.path=x.csv"]` as tables in tables; lists may be given, too.

    Raises:
        UsageError: a text is not `key=value`, or a key is a value and a table at once.
    """
    values: dict[str, Any] = {}
    for text in texts:
        key, written = _parts("--set", text, SET_REMEDY)
        *path, last = key.split(".")
        table = values
        for part in path:
            table = table.setdefault(part, {})
            if not isinstance(table, dict):
                raise UsageError(f"--set {text}: {part} already has a value.")
        if isinstance(table.get(last), dict):
            raise UsageError(f"--set {text}: {last} is already a table.")
        table[last] = _value(written)
    return values


def parse_lists(texts: Sequence[str]) -> dict[str, list[Scalar]]:
    """`["batch_size=1,8", "options.how=loop,whole"]` as dotted keys and lists of values.

    Raises:
        UsageError: a text is not `key=value,value`.
    """
    axes: dict[str, list[Scalar]] = {}
    for text in texts:
        key, written = _parts("--sweep", text, SWEEP_REMEDY)
        axes[key] = [_scalar(part.strip()) for part in written.split(",")]
    return axes


def parse_launcher_options(texts: Sequence[str]) -> dict[str, Scalar]:
    """`["partition=gpu", "time=120"]`, of `--on-option`, as names and values.

    What is no number and no truth value is a text, `02:00:00` and `[1-4]` among them.

    Raises:
        UsageError: a text is not `key=value`.
    """
    pairs = (_parts("--on-option", text, ON_OPTION_REMEDY) for text in texts)
    return {key: _scalar(written) for key, written in pairs}


def shorthands(data: str | None, budget: str | None) -> dict[str, Scalar]:
    """What `--data` and `--budget` stand for."""
    named = {"workload.data": data, "measure.budget": budget}
    return {key: value for key, value in named.items() if value}


def _parts(option: str, text: str, remedy: str) -> tuple[str, str]:
    key, equals, value = (part.strip() for part in text.partition("="))
    if not equals or not key or not value:
        raise UsageError(f"{option} {text}: this is not key=value.", remedy=remedy)
    return key, value


def _value(written: str) -> object:
    """What a text is as a value of TOML, or the text itself.

    Raises:
        UsageError: it holds a whole number that a spec cannot hold either.
    """
    try:
        return loads(f"value = {written}")["value"]
    except tomli.TOMLDecodeError:
        return written
    except ValueError as error:
        remedy = "Give a smaller number, or write it as text in quotes."
        raise UsageError(f"{quote(written)}: {TOO_LARGE}.", remedy=remedy) from error


def _scalar(written: str) -> Scalar:
    """A number, a truth value or a text, as TOML has it; what is none of them is the text."""
    value = _value(written)
    return value if isinstance(value, bool | int | float | str) else written


@dataclass(frozen=True)
class Request:
    """What the command line asks for.

    Attributes:
        paths: spec files and folders.
        results: the results folder.
        profile: the profile to read the specs with.
        devices: run on these only; empty means all.
        filters: `key=value`, to run a part of the sweep.
        overrides: values instead of the spec's.
        devices_file: the devices; beside each spec when absent.
        policy: what counts as done.
        stopping_rule: knows when a comparison is decided; repeats are added until
            then. None adds none.
        launcher: has the cells measured; None measures them on this machine. A stopping
            rule looks at the records of one machine, so there may be none beside a launcher.
        within_s: seconds that the run should take; None sets no time.
    """

    paths: Sequence[Path]
    results: Path
    profile: str | None = None
    devices: Sequence[str] = ()
    filters: Sequence[str] = ()
    overrides: Mapping[str, Scalar] = field(default_factory=dict)
    devices_file: Path | None = None
    policy: Policy = field(default_factory=Policy)
    stopping_rule: StoppingRule | None = None
    launcher: Launcher | None = None
    within_s: float | None = None


@dataclass(frozen=True)
class Prepared:
    """A run that could begin.

    Attributes:
        request: what was asked for.
        plan: what will be done with each cell.
        documents: what the report will need to know of the specs.
        store: the results folder.
        machine: this machine's fingerprint.
        problems: records of chosen cells that cannot be read; these cells are measured again.
        adaptive: adds repeats until comparisons are decided; None when none are to be added.
        anywhere: with a launcher, the records of all machines.
        left_out: specs of a folder that are measured only where they are named.
    """

    request: Request
    plan: RunPlan
    documents: tuple[PlanDocument, ...]
    store: Store
    machine: str
    problems: tuple[ResultProblem, ...]
    adaptive: AdaptiveRepeats | None = None
    anywhere: RecordIndex | None = None
    left_out: tuple[Path, ...] = ()


def prepare(request: Request, *, waiting: Callable[[str], None]) -> Prepared:
    """Read the specs, look at the machine and at what is done, and decide about every cell.

    Nothing is written.

    Args:
        request: what is asked for.
        waiting: told what takes seconds.

    Raises:
        SpecErrors: a spec is wrong.
        AccelReportError: an unknown device or filter.
        ResultsError: the results folder cannot be read, or a chosen cell's record was written by a
            newer accelreport.
        LauncherError: the launcher's machines cannot be reached.
        BadLauncher: repeats are to be added on other machines than this one.
    """
    if request.launcher and request.stopping_rule:
        raise BadLauncher(
            "--until-decided needs the records of one machine.",
            remedy="Leave out --until-decided, or --on.",
        )
    store = Store(request.results)
    store.check()
    specs, left_out, rows = _asked(request)
    documents, added = _continued(request, specs)
    cells = (*(cell for spec in specs for cell in spec.cells), *added)
    chosen = select(cells, devices=request.devices, filters=request.filters, rows=rows)
    missing = _missing(request.launcher, chosen, documents, waiting)
    machine = inventory().machine
    anywhere = RecordIndex(store) if request.launcher else None
    plan = make_plan(
        chosen,
        earlier=anywhere or (lambda key: store.get(key, machine)),
        unavailable=missing,
        policy=request.policy,
        documents=documents,
    )
    adaptive = None
    if request.stopping_rule:
        adaptive = AdaptiveRepeats(
            stopping_rule=request.stopping_rule,
            documents=documents,
            chosen=chosen,
            store=store,
            machine=machine,
            unavailable=missing,
            policy=request.policy,
        )
        plan = replace(plan, further=adaptive.possible())
    for problem in store.problems:
        if problem.kind == "newer":  # a run would put other records in its place
            raise ResultsError(
                f"{problem.path} cannot be used.",
                why=f"{problem.message[0].upper()}{problem.message[1:]}.",
                remedy="Or choose another folder with --results.",
            )
    return Prepared(
        request=request,
        plan=plan,
        documents=tuple(documents),
        store=store,
        machine=machine,
        problems=tuple(store.problems),
        adaptive=adaptive,
        anywhere=anywhere,
        left_out=left_out,
    )


def _asked(
    request: Request,
) -> tuple[tuple[Spec, ...], tuple[Path, ...], dict[str, set[str]]]:
    """The specs to be run, the files of those that are run only where they are named, and rows.

    A row of the devices file has the names of the devices that it is in these specs.

    Raises:
        SpecErrors: a spec is wrong, or nothing but a file beside the specs is named.
    """
    loaded = _loaded(request, request.overrides)
    if not loaded.specs:
        raise SpecErrors(map(_no_spec, request.paths))
    paths = {path.resolve() for path in request.paths}
    specs = [s for s in loaded.specs if not s.only_named or s.path.resolve() in paths]
    specs.sort(key=lambda spec: spec.order)
    rows = {row: {row} for row in loaded.devices}
    for spec in specs:
        for name, row in spec.rows.items():
            rows[row].add(name)
    return tuple(specs), tuple(s.path for s in loaded.specs if s not in specs), rows


def _loaded(request: Request, overrides: Mapping[str, Scalar]) -> SpecSet:
    return load(
        request.paths,
        profile=request.profile,
        overrides=overrides,
        devices_file=request.devices_file,
        frameworks=installed(),
        devices=request.devices,
    )


def _no_spec(path: Path) -> Problem:
    """What is wrong with naming a file beside the specs alone."""
    kind = "the settings file" if path.name == FILE_NAME else "a devices file"
    message = f"this is {kind}, which measures nothing"
    help_ = f"name a spec, or the whole folder: {path.parent}"
    return Problem("no-spec", Place(str(path)), message, help_)


def _missing(
    launcher: Launcher | None,
    cells: Iterable[Cell],
    documents: Iterable[PlanDocument],
    waiting: Callable[[str], None],
) -> Callable[[Cell], Failure | None]:
    """Knows what cells need that is not here: their device or, on this machine, their data."""
    devices = {cell.device: cell.device_spec for cell in cells}
    absent = launcher.unavailable(devices) if launcher else absences(devices, waiting=waiting)
    data = AbsentData({document.spec: document.text for document in documents})

    def missing(cell: Cell) -> Failure | None:
        return absent[cell.device] or (None if launcher else data.of(cell))

    return missing


def _continued(request: Request, specs: Sequence[Spec]) -> tuple[list[PlanDocument], list[Cell]]:
    """The specs' documents with the repeats that earlier runs added, and these as cells.

    Overrides count only where they change a spec's cells.
    """
    changes = changing(request.overrides)
    unchanged: dict[str, set[str]] = {}
    if changes:
        others = {key: value for key, value in request.overrides.items() if key not in changes}
        plain = _loaded(request, others).specs
        unchanged = {spec.name: {cell.key for cell in spec.cells} for spec in plain}
    # A folder of its own: plans that cannot be read are no problems of the cells.
    store = Store(request.results)
    documents, added = [], []
    for spec in specs:
        keys = {cell.key for cell in spec.cells}
        same = unchanged.get(spec.name, keys) == keys
        asked = plan_document(spec, {} if same else changes)
        document, more = continued(asked, spec, store.plan(asked.spec, asked.profile))
        if request.stopping_rule:
            looks = request.stopping_rule.looks(spec.measure.repeats)
            document = document.model_copy(update={"until_decided": looks})
        documents.append(document)
        added += more
    return documents, added


def select(
    cells: Iterable[Cell],
    *,
    devices: Sequence[str],
    filters: Sequence[str],
    rows: Mapping[str, Collection[str]] = MappingProxyType({}),
) -> list[Cell]:
    """The cells that run on one of the devices and meet every filter, in their order.

    Args:
        cells: the cells to choose from.
        devices: names of devices; every device when empty.
        filters: texts `key=value`. A key is a workload parameter by its dotted name, swept or
            not, or `spec`, `repeat` or `seed`. Filters of different keys must all be met, of
            filters with the same key one. Numbers are compared as numbers: `1e-3` is 0.001.
        rows: row of the devices file → the names of the devices that it is.

    Raises:
        UsageError: a device, key or value is not among the cells, or no cell meets all of
            them; the message says what there is.
    """
    pool = list(cells)
    if not pool or not (devices or filters):
        return pool
    known = list(dict.fromkeys(cell.device for cell in pool))
    names = {row: {row, *rows.get(row, ())} for row in devices}
    for row, meant in names.items():
        if not meant.intersection(known):
            message = f"no cell runs on a device {quote(row)}"
            raise _none(message, row, [*known, *rows], shown=known)
    asked = set().union(*names.values())
    wanted = _wanted(filters)
    traits: list[Mapping[str, Any]] = [
        {
            **dict(dotted_values(cell.workload)),
            **cell.point,
            "spec": cell.spec,
            "repeat": cell.repeat,
            "seed": cell.seed,
        }
        for cell in pool
    ]
    for key, texts in wanted.items():
        _check(key, texts, traits)
    chosen = [
        cell
        for cell, trait in zip(pool, traits, strict=True)
        if (not asked or cell.device in asked)
        and all(
            key in trait and any(_means(text, trait[key]) for text in texts)
            for key, texts in wanted.items()
        )
    ]
    if not chosen:
        options = [*(f"--device {name}" for name in devices), *(f"--filter {f}" for f in filters)]
        raise UsageError(
            "no cell meets all of these together",
            why=" ".join(options),
            remedy="Remove one of them.",
        )
    return chosen


def _wanted(filters: Sequence[str]) -> dict[str, list[str]]:
    wanted: dict[str, list[str]] = {}
    for text in filters:
        key, equals, value = text.partition("=")
        if not equals or not key.strip() or not value.strip():
            raise UsageError(
                f"{quote(text)} is not a filter",
                remedy='Write key=value, such as "batch_size=512".',
            )
        wanted.setdefault(key.strip().removeprefix("workload."), []).append(value.strip())
    return wanted


def _check(key: str, texts: Sequence[str], traits: Sequence[Mapping[str, Any]]) -> None:
    """Refuse a key that no cell has, and values that none of them takes."""
    keys = list(dict.fromkeys(name for trait in traits for name in trait))
    if key not in keys:
        swept = [name for name in keys if len({str(trait.get(name)) for trait in traits}) > 1]
        raise _none(f"no cell has a key {quote(key)}", key, keys, shown=swept)
    values = list(dict.fromkeys(_written(trait[key]) for trait in traits if key in trait))
    for text in texts:
        if not any(_means(text, trait[key]) for trait in traits if key in trait):
            raise _none(f"no cell has {key}={text}", text, values)


def _means(text: str, value: object) -> bool:
    """Whether a text means a value; of a number in whichever form."""
    if _written(value) == text:
        return True
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    try:
        return is_number and value == float(text)
    except ValueError:
        return False


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _none(
    what: str, wrong: str, known: Sequence[str], *, shown: Sequence[str] | None = None
) -> UsageError:
    near = did_you_mean(wrong, known)
    every = listed(list(shown or known)[:20])
    remedy = near[:1].upper() + near[1:] if near else f"There is {every}."
    return UsageError(what, remedy=remedy)
