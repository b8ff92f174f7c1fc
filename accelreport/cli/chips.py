"""`accelreport chip`, `contribute`, `verify` and `rank`: two networks on every chip."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import Annotated, Any

import typer

from accelreport.cli.options import RESULTS, Devices, Json, Results, Yes, argument, option
from accelreport.errors import ExitCode
from accelreport.loader.first_spec import DEVICES, SYSTEMS

CHIP_EXAMPLES = """What it does:
Measures the shared specs chip_accuracy, chip_latency, chip_lstm and chip_training on the CPU,
the GPU and the TPU of this machine, each in float32 and in bfloat16, with three repeats, in
about ten minutes. Their data are in the package. chip_mnist, time to 97 %, is measured too where
MNIST is in the cache (accelreport data fetch mnist), and takes some minutes more. Then it
ranks this machine among the contributions of the package, or of --against. An interrupted
run continues.

\b
Examples:
  accelreport chip
  accelreport chip --device cpu --against chips/
  accelreport contribute                          then writes the file to send

\b
Exit codes: those of run.
"""

CONTRIBUTE_EXAMPLES = """What is written:
An archive of what `accelreport chip` measured: every block and step, the environment, versions
and self-checks. Names of users, hosts, folders and other programs are replaced or left out; the
command lists what else is in it, and what will look odd to others, and asks before it writes.

\b
Examples:
  accelreport contribute
  accelreport contribute -o chips/my-machine.zip --yes

Exit codes: 0 written, 2 not confirmed, 7 nothing was measured or the folder cannot be read.
"""

VERIFY_EXAMPLES = """What is checked:
What the specs fix, such as steps, data, layers and repeats, is compared with them. Sums, counts
and accuracies are computed again. Refused: no measurement gives these numbers. Look at it: an
honest machine may show this, too, such as clocks that were set, other programs, or steps that
differ from those of the same hardware.

\b
Examples:
  accelreport verify my-machine.zip
  accelreport verify new.zip --against chips/
  accelreport verify chips/*.zip --json

Exit codes: 0 nothing is refused, 7 a file cannot be read, 12 a contribution is refused.
"""

RANK_EXAMPLES = """What is written:
index.html and a page for each other figure, all chips in order; a page for each machine; and
the contributions themselves. Each file is verified first: refused
ones are named and not ranked. If a machine contributed more than once, its latest contribution
is ranked, and its page shows its history.

\b
Examples:
  accelreport rank chips/
  accelreport rank chips/ --out site/chips --report ../index.html

Exit codes: 0 at least one contribution is ranked, 7 the folder has none or cannot be written, 12
every contribution is refused.
"""

Against = Annotated[
    Path | None,
    option(
        "--against",
        metavar="FOLDER",
        help="Folder of accepted contributions; default: those of the package.",
    ),
]
OutFile = Annotated[
    Path | None,
    option(
        "--out",
        "-o",
        metavar="FILE",
        help="File, or folder for a file of the canonical name. Default: here.",
    ),
]
Folder = Annotated[Path, argument("FOLDER", "Folder of contributions.")]
Site = Annotated[Path, typer.Option("--out", "-o", metavar="FOLDER", help="Where pages go.")]
ReportPages = Annotated[
    str,
    option(
        "--report",
        metavar="ADDRESS",
        help="Address of the pages of `accelreport build`, to which every page leads.",
    ),
]
BaseUrl = Annotated[
    str, option("--base-url", metavar="URL", help="Address of the published pages.")
]
Files = Annotated[list[Path], argument("FILE", "Contributions.")]


def chip(
    *,
    device: Devices = [],  # noqa: B006 -- Typer copies it
    against: Against = None,
    results: Results = RESULTS,
) -> None:
    """Measure this machine by the networks that every machine measures."""
    from accelreport.chips.contribution import (
        NEEDS_DATA,
        SHIPPED,
        SPECS,
        contribution_of,
        paths_in,
        read,
    )
    from accelreport.cli.run import carried_out
    from accelreport.datasets.cache import is_cached
    from accelreport.datasets.catalogue import find
    from accelreport.results.store import Store
    from accelreport.runner.prepare import Request
    from accelreport.terminal.chips import answer, own_ranks
    from accelreport.terminal.say import say

    others = list(map(read, paths_in(against or SHIPPED)))
    absent = {spec: data for spec, data in NEEDS_DATA.items() if not is_cached(find(data))}
    for spec, data in absent.items():
        say(f"{spec} is left out: accelreport data fetch {data} adds it")
    request = Request(
        paths=[SYSTEMS / f"{name}.toml" for name in SPECS if name not in absent],
        results=results,
        devices=device,
        devices_file=SYSTEMS / DEVICES,
    )
    code = carried_out(request, dry_run=False, answer=False)
    if code in {ExitCode.OK, ExitCode.SOME_FAILED}:
        say("", *answer(own_ranks(contribution_of(Store(results)), others)))
        say("", "Next: accelreport contribute")
    raise typer.Exit(code)


def contribute(*, out: OutFile = None, results: Results = RESULTS, yes: Yes = False) -> None:
    """Write what this machine measured as one file that others can verify."""
    from accelreport.chips.contribution import contribution_of, write
    from accelreport.chips.verify import doubts
    from accelreport.results.store import existing
    from accelreport.terminal.chips import contents, verdict
    from accelreport.terminal.say import say

    contribution = contribution_of(existing(results, "chip"))
    path = out or Path(f"{contribution.name}.zip")
    if path.is_dir():
        path /= f"{contribution.name}.zip"
    say(*contents(contribution))
    say(*verdict(path, contribution, doubts(contribution)))
    if not yes and not typer.confirm(f"Write {path}?"):
        raise typer.Exit(ExitCode.USAGE)
    write(contribution, path)
    say(f"{path}: {path.stat().st_size / 1000:,.0f} kB")


def verify(files: Files, *, against: Against = None, json: Json = False) -> None:
    """Check whether contributions can come from measurements."""
    from accelreport.chips.agreement import between, trace_of
    from accelreport.chips.contribution import SHIPPED, paths_in, read
    from accelreport.chips.verify import doubts
    from accelreport.terminal.chips import answer, own_ranks, verdict
    from accelreport.terminal.say import say

    own = {path.resolve() for path in files}
    accepted = [path for path in paths_in(against or SHIPPED) if path.resolve() not in own]
    known = [read(path) for path in (*accepted, *files)]
    compared = list(zip(known, between([trace_of(one) for one in known]), strict=True))
    rows: list[dict[str, Any]] = []
    for path, (contribution, of_others) in zip(files, compared[len(accepted) :], strict=True):
        reasons = [*doubts(contribution), *of_others]
        rows.append({"file": str(path), "doubts": [vars(reason) for reason in reasons]})
        if not json:
            say(*verdict(path, contribution, reasons))
            if not any(reason.refuses for reason in reasons):
                others = [other for other in known if other is not contribution]
                say("", *answer(own_ranks(contribution, others)), "")
    if json:
        typer.echo(json_module.dumps(rows, indent=2))
    if any(reason["refuses"] for row in rows for reason in row["doubts"]):
        raise typer.Exit(ExitCode.GATE_CLOSED)


def rank(
    folder: Folder,
    *,
    out: Site = Path("site"),
    report: ReportPages = "",
    base_url: BaseUrl = "",
) -> None:
    """Verify the contributions of a folder, and build the pages that rank them."""
    from accelreport.chips.board import board_of
    from accelreport.report import quantity
    from accelreport.report.site.chips import build_chips
    from accelreport.terminal.say import say

    board = board_of(folder)
    for refusal in board.refused:
        say(f"{refusal.file}: refused", *(f"  {reason}" for reason in refusal.reasons[:3]))
    if not board.histories:
        raise typer.Exit(ExitCode.GATE_CLOSED)
    pages = build_chips(board, folder, out, report, base_url)
    ranked = quantity.plural(len(board.histories), "machine")
    refused = quantity.plural(len(board.refused), "file")
    built = quantity.plural(pages, "page")
    say(f"{ranked} ranked, {refused} refused; {built}: {out / 'index.html'}")
