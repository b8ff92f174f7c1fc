"""`accelreport import`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from accelreport.cli.options import DevicesFile, argument, option
from accelreport.importing import WhichEpoch

EXAMPLES = """\b
What is read (detected from the content):
  figures             CSV or JSON with columns such as label, epoch_time;
                      other columns are swept keys
  optimum-benchmark   benchmark_report.json or benchmark.json
  keras               history.history as JSON or CSV, or a file of CSVLogger
  Pickled and compressed files are refused.

What is written:
[[published]] tables with their source, appended to the spec. The rest of the spec stays
unchanged, and nothing is written if `accelreport check` would find an error. Without --into,
the tables are printed. The title and the year are required, and the address or DOI where the
source has one.

\b
Examples:
  accelreport import figures.csv --into specs/mnist.toml --device gpu
      --label "Colab GPU" --title "GPUvsTPU.ipynb" --year 2018
      --url https://github.com/zaidalyafeai/Notebooks
  accelreport import benchmark_report.json --device gpu --select target=train
      --title "A report" --url https://example.org/report --year 2024

Exit codes: 0 appended or printed, 2 a part of the citation is missing or an option is wrong,
3 the spec has an error or would get one, 8 the file cannot be read.
"""

File = Annotated[Path, argument("FILE", "The file with the figures.")]
Into = Annotated[
    Path | None, option("--into", metavar="SPEC", help="The spec to append the figures to.")
]
Device = Annotated[
    str, option("--device", "-d", metavar="NAME", help="The device to compare the figures with.")
]
Label = Annotated[
    str, option("--label", metavar="TEXT", help="Label of the hardware that was measured.")
]
Title = Annotated[str, option("--title", metavar="TEXT", help="Title of the source.")]
Url = Annotated[str, option("--url", metavar="URL", help="Address of the source.")]
Doi = Annotated[str, option("--doi", metavar="DOI", help="DOI of the source, instead of --url.")]
Year = Annotated[int | None, option("--year", metavar="YEAR", help="Year of publication.")]
Author = Annotated[str, option("--author", metavar="TEXT", help="Authors of the source.")]
Where = Annotated[
    list[str], option("--where", metavar="KEY=VALUE", help="Sweep point of every row.")
]
Select = Annotated[
    list[str], option("--select", metavar="COLUMN=VALUE", help="Take only these rows.")
]
LeaveOut = Annotated[
    list[str], option("--leave-out", metavar="COLUMN", help="Do not read this column.")
]
Take = Annotated[
    WhichEpoch,
    typer.Option("--take", help="Epoch of a Keras history."),
]
TimeColumn = Annotated[
    str, option("--time-column", metavar="COLUMN", help="Keras: seconds of each epoch.")
]
ElapsedColumn = Annotated[
    str, option("--elapsed-column", metavar="COLUMN", help="Keras: seconds since the start.")
]


def import_figures(
    file: File,
    *,
    into: Into = None,
    device: Device = "",
    label: Label = "",
    title: Title = "",
    url: Url = "",
    doi: Doi = "",
    year: Year = None,
    author: Author = "",
    where: Where = [],  # noqa: B006
    select: Select = [],  # noqa: B006
    leave_out: LeaveOut = [],  # noqa: B006
    take: Take = WhichEpoch.LAST,
    time_column: TimeColumn = "",
    elapsed_column: ElapsedColumn = "",
    devices_file: DevicesFile = None,
) -> None:
    """Append published figures to a spec, with their source."""
    from accelreport.importing.formats import reader_of
    from accelreport.importing.published import RowDefaults, append, axes_of, composed, selected
    from accelreport.importing.reader import Asked, Unreadable, pairs, read_given, sweep_point
    from accelreport.spec.problems import counted, printable

    axes = None if into is None else axes_of(into, devices_file)
    wanted = pairs("--select", select)
    stated = RowDefaults(
        file.name,
        device=device,
        label=label,
        where=sweep_point(where, axes),
        source={"title": title, "authors": author, "year": year, "url": url, "doi": doi},
    )
    given = read_given(file)
    asked = Asked(axes, frozenset(leave_out), take, time_column, elapsed_column)
    readout = reader_of(given).read(given, asked)
    for sentence in readout.left_out:
        typer.echo(printable(f"left out: {sentence}"), err=True)
    if not readout.rows:
        raise Unreadable(f"{given.name} holds no figure that a spec can show.")
    rows = composed(selected(readout.rows, wanted), stated)
    if into is None:
        typer.echo("\n".join(row.text for row in rows), nl=False)
        return
    append(into, rows, devices_file)
    typer.echo(f"{counted(len(rows), 'row')} of {file} appended to {into}.")
