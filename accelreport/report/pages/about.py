"""How to run it again, how to cite it, the spec itself, and every file there is."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from accelreport.report import formatting
from accelreport.report.bench import Bench
from accelreport.report.model import Code, Download, Downloads, Fact, Prose, Section, Token
from accelreport.report.pages.environment import PATH, devices_table, machine_facts
from accelreport.report.pages.toml import toml_tokens
from accelreport.report.text import clean, label
from accelreport.results.record import Record

SCREEN_ROWS, SCREEN_COLUMNS = 10, 60
"""Rows and letters of commands that a slide has room for."""


def environment_section(bench: Bench) -> Section:
    """Machines, devices, data and how the cells were measured."""
    return Section(
        "environment",
        "Environment",
        (devices_table([bench]), *machine_facts(bench.records.values(), page=PATH)),
    )


def reproduce_section(bench: Bench) -> Section:
    """The exact commands."""
    text = (
        "Cells that are already in the results folder are not run again; remove the folder, or "
        "choose another with --results, to measure everything anew."
    )
    return Section("reproduce", "How to reproduce it", (Code("", commands(bench)), Prose(text)))


def commands(
    bench: Bench, device: str = "", point: Sequence[object] = (), record: Record | None = None
) -> tuple[Token, ...]:
    """Shell commands that measure a benchmark again, or one device and point of it.

    Args:
        bench: the benchmark.
        device: a device of it; all when empty.
        point: a sweep point of it; all when empty.
        record: the one whose code and data are asked for; those of all when absent.
    """
    records = [record] if record else list(bench.records.values())
    run = ["accelreport", "run", f"specs/{clean(bench.plan.spec)}.toml"]
    if bench.plan.profile != "full":
        run += ["--profile", clean(bench.plan.profile)]
    if device:
        run += ["--device", clean(device)]
    for axis, value in zip(bench.axes, point, strict=False):
        run += ["--filter", f"{clean(axis)}={clean(_scalar(value))}"]
    tokens = list(_checkout(records))
    tokens += _data(records)
    tokens += [Token(shlex.join(run) + "\n"), Token("accelreport build")]
    return tuple(tokens)


def site_commands(benches: Sequence[Bench]) -> tuple[Token, ...]:
    """Shell commands that measure every benchmark of a site again, one run for each profile."""
    records = list({place: r for bench in benches for place, r in bench.records.items()}.values())
    tokens = [*_checkout(records), *_data(records)]
    for profile in dict.fromkeys(bench.plan.profile for bench in benches):
        run = ["accelreport", "run", "specs/"]
        run += ["--profile", clean(profile)] if profile != "full" else []
        tokens.append(Token(shlex.join(run) + "\n"))
    return (*tokens, Token("accelreport build"))


def on_a_screen(commands: Sequence[Token]) -> tuple[Token, ...]:
    """The first commands, as many as can be read from a slide; the last line says if more follow.

    Args:
        commands: a line each.
    """
    rows = 0
    for number, each in enumerate(commands):
        rows += -(-len(each.text.rstrip("\n")) // SCREEN_COLUMNS)
        if rows > SCREEN_ROWS:
            return (*commands[:number], Token("# … the page has the rest", "note"))
    return tuple(commands)


def _scalar(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _checkout(records: Sequence[Record]) -> list[Token]:
    commits = sorted(
        {r.environment.commit for r in records if r.environment and r.environment.commit}
    )
    if not commits:
        return []
    note = "# accelreport as it was\n"
    if any(record.environment and record.environment.dirty for record in records):
        note = "# accelreport as it was, but for uncommitted changes in that checkout\n"
    if len(commits) > 1:
        note = f"# accelreport as it was for some cells; {len(commits)} commits were used in all\n"
    return [Token(note, "note"), Token(f"git checkout {shlex.quote(clean(commits[-1]))}\n")]


def _data(records: Sequence[Record]) -> list[Token]:
    sets = {
        record.data.dataset
        for record in records
        if record.data and record.data.origin in {"official", "user-supplied"}
    }
    return [Token(f"accelreport data fetch {shlex.quote(clean(name))}\n") for name in sorted(sets)]


def spec_section(bench: Bench) -> Section:
    """The spec, verbatim."""
    text = bench.plan.text.rstrip("\n") + "\n"
    name = f"{label(bench.plan.spec, 80)}.toml"
    download = Download(f"{bench.slug}/spec.toml", name, "as it was read")
    return Section(
        "spec",
        "The spec",
        (Code(name, toml_tokens(text)), Downloads((download,))),
    )


def downloads_section(bench: Bench) -> Section:
    """Every file beside the page."""
    files = (
        ("cells.csv", "one row for each cell"),
        ("speedups.csv", "one row for each device and sweep point"),
        ("steps.csv", "every timed step"),
        ("curves.csv", "every point of every learning curve"),
        ("targets.csv", "time to the target, for each cell"),
        ("published.csv", "published figures beside measured ones"),
        ("claims.csv", "claims and verdicts"),
        ("plan.json", "what the spec said, as the report read it"),
        ("records.json", "every record in full"),
        ("spec.toml", "the spec"),
    )
    items = tuple(Download(f"{bench.slug}/{name}", name, detail) for name, detail in files)
    return Section("files", "Files", (Downloads(items),))


def source_facts(bench: Bench) -> list[Fact]:
    """The piece a benchmark reproduces, for the byline."""
    source = bench.plan.source
    if source is None:
        return []
    title = label(source.title, 90)
    by = ", ".join(part for part in (label(source.authors, 80), str(source.year or "")) if part)
    value = f"{title} ({by})" if by else title
    return [Fact("Reproduces", value, href=web_address(source.url))]


def web_address(address: str) -> str:
    """An address a page may link to: http or https; empty for any other."""
    address = address.strip()
    plain = clean(address) == address and not any(letter.isspace() for letter in address)
    return address if plain and address.lower().startswith(("https://", "http://")) else ""


def measured_facts(bench: Bench) -> list[Fact]:
    """How many processes, on how many cells, for the byline."""
    done = sum(row.measured for row in bench.rows)
    repeats = bench.plan.measure.repeats
    return [
        Fact("Cells measured", f"{done} of {formatting.count(len(bench.rows))}"),
        Fact("Processes for each number", formatting.count(repeats)),
    ]
