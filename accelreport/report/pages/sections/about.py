"""Where the numbers are from: every cell, how to run it again and cite it, spec and files."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal

from accelreport.analysis.outcome import first_runs
from accelreport.analysis.results import MISSING
from accelreport.datasets.catalogue import CATALOGUE
from accelreport.report import quantity
from accelreport.report.model import (
    Block,
    Code,
    Download,
    Downloads,
    Section,
    Token,
)
from accelreport.report.pages.machines import DEVICES, device_id, machine_facts
from accelreport.report.text import clean, label, slug
from accelreport.report.view import (
    SUPPLIED,
    BenchmarkView,
    measured_records,
    records_of,
    replaced_data,
)
from accelreport.results.plan_document import PlanDocument, profile_of
from accelreport.results.record import Record

_PIECES = re.compile(
    r"""(?P<note>\#[^\n]*)
      | (?P<text>\"\"\".*?\"\"\"|'''.*?'''|"(?:\\.|[^"\\\n])*"|'[^'\n]*')
      | (?P<head>^[ \t]*\[\[?[^\]\n]+\]\]?)
      | (?P<key>^[ \t]*[\w.-]+(?=[ \t]*=))""",
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
_ROLES: dict[str, Literal["note", "text", "head", "key"]] = {
    "note": "note",
    "text": "text",
    "head": "head",
    "key": "key",
}


def toml_tokens(text: str) -> tuple[Token, ...]:
    """The text cut into tokens; joined again they are the text, to the letter."""
    text = clean(text)
    tokens: list[Token] = []
    end = 0
    for piece in _PIECES.finditer(text):
        if piece.start() > end:
            tokens.append(Token(text[end : piece.start()]))
        tokens.append(Token(piece[0], _ROLES[piece.lastgroup or "note"]))
        end = piece.end()
    if end < len(text):
        tokens.append(Token(text[end:]))
    return tuple(tokens)


def reproduce_section(bench: BenchmarkView) -> Section | None:
    """How to run it again; None where nothing was measured, of which the page begins with it."""
    if not any(row.timed for row in bench.results):
        return None
    return Section("reproduce", "Run it yourself", (Code("", commands(bench)),))


def files_section(bench: BenchmarkView) -> Section:
    """On what it ran, the spec, how to cite it, and every file."""
    devices = (
        Download(f"{DEVICES}#{device_id(name)}", bench.title_of(name))
        for name in dict.fromkeys(series.device for series in bench.shown_series)
    )
    name = f"{label(bench.plan.spec, 80)}.toml"
    spec = bench.plan.text.rstrip("\n") + "\n"
    files = tuple(Download(f"{bench.slug}/{file}", file, detail) for file, detail in FILES)
    entries = _entries(bench)
    blocks: tuple[Block, ...] = (
        *machine_facts(bench.records.values(), page=DEVICES),
        Downloads(tuple(devices)),
        *([Code("BibTeX", (Token("\n\n".join(entries)),))] if entries else []),
        Code(name, toml_tokens(spec), folded=True),
        Downloads(files),
    )
    files_text = quantity.plural(len(FILES), "file")
    return Section("files", "Spec and files", blocks, folded=True, detail=files_text)


FILES = (
    ("cells.csv", "processes"),
    ("speedups.csv", "devices, sweep points"),
    ("steps.csv", "timed steps"),
    ("curves.csv", "learning curves"),
    ("targets.csv", "time to target"),
    ("published.csv", "published and measured"),
    ("claims.csv", "claims and verdicts"),
    ("plan.json", "the plan"),
    ("records.json", "all records"),
    ("spec.toml", "the spec"),
)
"""Every file beside the page, and what is in it."""


def commands(bench: BenchmarkView, record: Record | None = None) -> tuple[Token, ...]:
    """Shell commands that measure again what was measured of a benchmark.

    Args:
        bench: the benchmark.
        record: the one that is asked for; all when absent.
    """
    if not record and not any(row.timed for row in bench.results):
        # No code of which every cell failed is run again.
        run = Token(shlex.join(_first_run(bench)) + "\n")
        return (*_data([*bench.records.values()]), run, Token("accelreport build"))
    records = [record] if record else measured_records([bench])
    runs = _runs(bench, records, named=record is not None)
    measured = [Token(shlex.join(run) + "\n") for run in runs]
    budget = _budgets(records)
    return (*_checkout(records), *_data(records), *budget, *measured, Token("accelreport build"))


def _first_run(bench: BenchmarkView) -> list[str]:
    """The command for a benchmark without a time; it tries again what failed."""
    failed = any(row.status == "failed" for row in bench.results)
    ((_, options),) = first_runs([bench])
    again = ["--retry-failed"] * failed
    return [*_run(bench.plan)[:3], *shlex.split(clean(options)), *again]


def _runs(
    bench: BenchmarkView, records: Collection[Record], *, named: bool = False
) -> list[list[str]]:
    """The commands that measure a spec as the records were: the last, of most of its cells.

    Devices of another budget or other sweep points come before it, in a command for each. Where
    one device has several budgets, a comment says so. The last names its devices, too, where the
    machine has others that were not run, and where it is to be `named`.
    """
    mixed = _mixed(records)
    filters, alike = dict[str, list[str]](), dict[tuple[float, str], list[Record]]()
    for record in records:
        device, budget = record.cell.device, record.cell.measure.budget
        if device not in filters:
            filters[device] = _filters(bench, [r for r in records if r.cell.device == device])
        kind = 0.0 if mixed else budget, shlex.join(filters[device])
        alike.setdefault(kind, []).append(record)
    every = {text for _, text in alike}
    kinds = {record.cell.device_spec.kind for record in records}
    idle = {row.device for row in bench.results if row.status == MISSING} - filters.keys()
    left_out = any(bench.plan.devices[name].kind in kinds for name in idle)
    named = named or left_out or len(every) > 1
    runs: list[list[str]] = []
    for _, own in sorted(alike.items(), key=lambda kind: (len(kind[1]), kind[0])):
        last = len(runs) == len(alike) - 1
        names = sorted({r.cell.device for r in own}) if named or not last else []
        devices = (part for name in names for part in ("--device", clean(name)))
        runs.append([*_run(bench.plan, own), *filters[own[0].cell.device], *devices])
    return runs


def _filters(bench: BenchmarkView, records: Collection[Record]) -> list[str]:
    """Options that leave out the values of each swept key which no record has."""
    options = []
    for axis, values in bench.plan.axes.items():
        own = {str(record.cell.point.get(axis)) for record in records}
        kept = [value for value in values if str(value) in own]
        if len(kept) < len(values):
            options += [p for v in kept for p in ("--filter", f"{clean(axis)}={_written(v)}")]
    return options


def _mixed(records: Collection[Record]) -> bool:
    """Whether the cells of one device had several budgets."""
    pairs = {(record.cell.device, record.cell.measure.budget) for record in records}
    return len(pairs) > len({device for device, _ in pairs})


def _run(plan: PlanDocument, records: Collection[Record] = ()) -> list[str]:
    """The command that measures a spec, as the records were: with their repeats and budget."""
    run = ["accelreport", "run", f"specs/{clean(plan.spec)}.toml"]
    if profile_of(plan) != "full":
        run += ["--profile", clean(profile_of(plan))]
    settings = dict(plan.overrides)
    if records:
        settings["measure.repeats"] = 1 + max(record.cell.repeat for record in records)
    run += _set(settings)
    return [*run, "--budget", f"{budgets(records)[-1]:g}s"] if records else run


def _budgets(records: Collection[Record]) -> list[Token]:
    """That the command has one budget for cells of a device which were measured with several."""
    counts = Counter(record.cell.measure.budget for record in records)
    if not _mixed(records):
        return []
    own = [f"{count} with {budget:g}s" for budget, count in sorted(counts.items())]
    return [Token(f"# budget of the measured cells: {quantity.listed(own)}\n", "note")]


def _set(settings: Mapping[str, object]) -> list[str]:
    return [
        part
        for key, value in settings.items()
        for part in ("--set", f"{clean(key)}={_written(value)}")
    ]


def budgets(records: Iterable[Record]) -> list[float]:
    """The time budgets of some processes in seconds, which a plan may have changed since."""
    return sorted({record.cell.measure.budget for record in records})


def _written(value: object) -> str:
    return clean(str(value).lower() if isinstance(value, bool) else str(value))


def run_command(bench: BenchmarkView) -> str:
    """The shell command that measures what is not measured yet of a benchmark."""
    return shlex.join(_run(bench.plan))


def site_commands(benches: Sequence[BenchmarkView]) -> tuple[Token, ...]:
    """Shell commands that measure every benchmark of a site again, those alike in one run."""
    records = measured_records(benches)
    alike: dict[tuple[str, ...], list[str]] = {}
    for bench in benches:
        own = measured_records([bench])
        for run in _runs(bench, own) if records else [_first_run(bench)]:
            program, command, spec, *options = run
            alike.setdefault((program, command, *options), []).append(spec)
    runs = [
        Token(shlex.join([program, command, *specs, *options]) + "\n")
        for (program, command, *options), specs in alike.items()
    ]
    data = _data(records or records_of(benches))
    return (*_checkout(records), *data, *runs, Token("accelreport build"))


def checkout_of(records: Sequence[Record]) -> tuple[str, str]:
    """The commit of most records, and what its code is to them; empty texts where none is known."""
    records = [record for record in records if record.steady.steps] or records
    known = [r.environment for r in records if r.environment and r.environment.commit]
    counts = Counter(environment.commit or "" for environment in known)
    if not counts:
        return "", ""
    commit = min(counts, key=lambda one: (-counts[one], one))
    share = f"{counts[commit]} of " * (counts[commit] < len(records))
    text = f"commit of {share}{quantity.plural(len(records), 'run')}"
    if any(environment.dirty for environment in known if environment.commit == commit):
        text += ", except for uncommitted changes in that checkout"
    return commit, text


def _checkout(records: Sequence[Record]) -> list[Token]:
    commit, text = checkout_of(records)
    if not commit:
        return []
    return [Token(f"# {text}\n", "note"), Token(f"git checkout {shlex.quote(clean(commit))}\n")]


def _data(records: Sequence[Record]) -> list[Token]:
    origins = {(r.data.dataset, r.data.origin) for r in records if r.data}
    tokens, replaced = [], replaced_data(records)
    for name in sorted({name for name, origin in origins if origin in {"official", SUPPLIED}}):
        # A file of one's own is fetched from nowhere.
        if name not in CATALOGUE or CATALOGUE[name].files:
            if name in replaced:
                tokens.append(Token("# the official files, which these runs did not use\n", "note"))
            tokens.append(Token(f"accelreport data fetch {shlex.quote(clean(name))}\n"))
    return tokens


def web_address(address: str) -> str:
    """An address a page may link to: http or https; empty for any other."""
    address = address.strip()
    plain = clean(address) == address and not any(letter.isspace() for letter in address)
    return address if plain and address.lower().startswith(("https://", "http://")) else ""


def _entries(bench: BenchmarkView) -> list[str]:
    """BibTeX of the benchmark, if it has a number, and of its sources, each once."""
    records = measured_records([bench])
    dates = quantity.days(record.started_at for record in records)
    builds = {record.environment.accelreport for record in records if record.environment}
    versions = ", ".join(sorted(builds))
    key = slug(bench.plan.spec).replace("-", "_")
    note = f"Measured {dates} with accelreport {versions}"
    fields = {"title": bench.plan.title, "howpublished": "accelreport", "note": note}
    entries = [_bibtex(f"accelreport_{key}", fields)] * bool(records)
    quoted = [bench.plan.source, *(row.source for row in bench.plan.published)]
    sources = {(source.title, source.url): source for source in quoted if source}
    for number, source in enumerate(sources.values(), start=1):
        read = f"Accessed {source.accessed}" if source.accessed else ""
        own = {"title": source.title, "author": source.authors, "year": str(source.year or "")}
        own |= {
            "url": web_address(source.url),
            "note": ". ".join(filter(None, (read, source.licence))),
        }
        entries.append(_bibtex(f"source_{key}{f'_{number}' if number > 1 else ''}", own))
    return entries


def _bibtex(key: str, fields: dict[str, str]) -> str:
    """An entry of the fields that say something, braces and backslashes in them escaped."""
    escaped = str.maketrans(
        {"\\": r"\textbackslash{}", **{sign: f"\\{sign}" for sign in "{}%&$#_"}}
    )
    filled = [(name, label(text, 200).translate(escaped)) for name, text in fields.items() if text]
    lines = [f"@misc{{{key},", *(f"  {name} = {{{text}}}," for name, text in filled), "}"]
    return "\n".join(lines)
