"""What `import accelreport` offers: run, look at results as data frames, compare, build.

Each function does what the command of its name does, for programs, notebooks and tests.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Literal

import pandas as pd

from accelreport.analysis.compare import Gate, read_margin
from accelreport.analysis.sequential import UntilDecided
from accelreport.errors import AccelReportError
from accelreport.loader import first_spec
from accelreport.loader.load import load
from accelreport.report.claim_text import claims_frame
from accelreport.report.comparison import (
    ComparisonRow,
    FolderComparison,
    OverallOutcome,
    alarms,
    compare_folders,
    conclusions,
)
from accelreport.report.frames import curve_frame, results_frame, speedups_frame, steps_frame
from accelreport.report.notices import versions_notice
from accelreport.report.site import builder
from accelreport.report.site.assembly import gather
from accelreport.report.site.options import report_cache
from accelreport.report.view import BenchmarkView
from accelreport.results.record import Record
from accelreport.results.store import Store, existing
from accelreport.runner.events import EndLine
from accelreport.runner.launchers import launching
from accelreport.runner.launchers.base import LauncherConfig
from accelreport.runner.plan import Policy
from accelreport.runner.plan_documents import choose, refresh
from accelreport.runner.prepare import Request, devices_here, prepare, shorthands
from accelreport.runner.run import carry_out
from accelreport.runner.workspace import Workspace, machine_lock
from accelreport.spec.base import Scalar
from accelreport.spec.files_beside import DEVICES_FILE
from accelreport.terminal.answer import (
    COLUMNS,
    absences,
    named,
    summary_text,
    table_rows,
    table_title,
)
from accelreport.terminal.comparison import comparison_text
from accelreport.terminal.progress import progress_for
from accelreport.terminal.say import tell_waiting
from accelreport.workloads.registry import FAMILIES
from accelreport.workloads.spec_template import draft


def summary_html(folder: Path, speedups: pd.DataFrame) -> str:
    """The same as an HTML table; every text in it is escaped."""

    def line(tag: str, texts: tuple[str, ...]) -> str:
        return "<tr>" + "".join(f"<{tag}>{escape(text)}</{tag}>" for text in texts) + "</tr>"

    body = "".join(line("td", row) for row in table_rows(speedups))
    notes = "".join(f"<p>{escape(text)}</p>" for text in absences(speedups))
    return (
        f"<table><caption>{escape(table_title(folder, speedups))}</caption>"
        f"<thead>{line('th', COLUMNS)}</thead><tbody>{body}</tbody></table>{notes}"
    )


@dataclass(frozen=True, repr=False)
class Results:
    """Everything in a results folder; in a notebook it shows its speedups.

    Every frame begins with the columns `spec` and `profile`. Seconds, bytes and fractions
    throughout; a swept key is a column by its name, empty in rows of other specs.

    Attributes:
        folder: the results folder.
        outcome: how many cells were measured, skipped and so on, when it comes from `run`.
        problems: a sentence for each file that could not be read.
    """

    folder: Path
    outcome: EndLine | None = None
    problems: tuple[str, ...] = ()
    _benches: tuple[BenchmarkView, ...] = ()

    @cached_property
    def cells(self) -> pd.DataFrame:
        """One row for each planned cell and machine: status, times, metrics, warnings."""
        return self._united(lambda bench: results_frame(bench.plan, bench.results))

    @cached_property
    def speedups(self) -> pd.DataFrame:
        """One row for each sweep point, device and machine, with its speedup over the baseline.

        The step time and the speedup have intervals, the speedup a verdict. `parity` says
        whether the device learns the same, `withheld` why the speedup must not stand alone.
        """
        return self._united(lambda bench: speedups_frame(bench.plan, bench.compared))

    @cached_property
    def claims(self) -> pd.DataFrame:
        """One row for each claim: its verdict, the numbers and the rule behind it."""
        return self._united(lambda bench: claims_frame(bench.plan, bench.tested))

    @cached_property
    def curves(self) -> pd.DataFrame:
        """One row for each metric of each epoch."""
        return self._united(lambda bench: curve_frame(bench.shown_records))

    @cached_property
    def steps(self) -> pd.DataFrame:
        """One row for each timed step, or window where steps were not timed one by one."""
        return self._united(lambda bench: steps_frame(bench.shown_records))

    @property
    def records(self) -> list[Record]:
        """Every record with all that its process observed."""
        return [record for bench in self._benches for record in bench.records.values()]

    def _united(self, frame_of: Callable[[BenchmarkView], pd.DataFrame]) -> pd.DataFrame:
        return united([named(bench, frame_of(bench)) for bench in self._benches])

    def __repr__(self) -> str:
        return summary_text(self.folder, self.speedups)

    def _repr_html_(self) -> str:
        return summary_html(self.folder, self.speedups)


def united(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Frames below each other, with every column that one of them has."""
    columns = list(dict.fromkeys(name for frame in frames for name in frame.columns))
    # Whole numbers stay whole beside rows that have none.
    filled = [
        frame.astype(dict.fromkeys(frame.select_dtypes("integer").columns, "Int64"))
        for frame in frames
        if len(frame)
    ]
    if not filled:
        return pd.DataFrame(columns=columns)
    return pd.concat(filled, ignore_index=True).reindex(columns=columns)


def load_results(folder: str | Path = "results") -> Results:
    """Read a results folder.

    Args:
        folder: where `run` left its results.

    Raises:
        AccelReportError: there is no such folder, or nothing in it.
    """
    return results_of(Path(folder))


def results_of(folder: Path, outcome: EndLine | None = None) -> Results:
    """The content of a results folder, with the outcome of the run that left it, if any.

    Raises:
        AccelReportError: there is no such folder, or nothing in it.
    """
    existing(folder)
    store = Store(folder)
    try:
        benches = tuple(gather(store))
    except AccelReportError as error:
        error.what = f"There are no results in {folder}."
        raise
    return Results(folder, outcome, tuple(str(problem) for problem in store.problems), benches)


def run(
    specs: str | Path | Sequence[str | Path] = "specs/",
    *,
    results: str | Path = "results",
    profile: str | None = None,
    devices: Sequence[str] = (),
    filters: Mapping[str, Scalar] | None = None,
    data: Literal["real", "sample", "synthetic"] | None = None,
    budget: str | None = None,
    overrides: Mapping[str, Scalar] | None = None,
    devices_file: str | Path | None = None,
    retry_failed: bool = False,
    rerun: bool = False,
    until_decided: bool = False,
    most_repeats: int = 20,
    fork: bool = True,
    quiet: bool = False,
    on: str = "local",
    on_options: Mapping[str, Scalar] | None = None,
) -> Results:
    """Measure every cell of the specs that is not done.

    Each cell runs in its own process, isolated from this one. Failed cells are rows of
    `Results.cells`, not exceptions. Call this in the main thread, as notebooks do.

    Args:
        specs: spec files and folders of them.
        results: the results folder; cells that are done in it are not measured again.
        profile: read the specs with this profile.
        devices: run on these only.
        filters: run only this value of a swept key.
        data: real data, samples of them, or synthetic data of the same shapes.
        budget: measured time after which a cell stops, such as "2m".
        overrides: other values for keys of the specs, such as {"measure.repeats": 5}.
        devices_file: the devices, instead of the file beside each spec.
        retry_failed: run failed cells again.
        rerun: run every cell again.
        until_decided: add repeats until comparisons with the baseline and claims are decided.
        most_repeats: with `until_decided`, the largest number of repeats.
        fork: fork CPU cells from a process that has imported TensorFlow.
        quiet: print failures only.
        on: the launcher: "local", "ray", "slurm" or a package's; `until_decided` needs "local".
        on_options: options of the launcher, such as {"partition": "gpu"}.

    Returns:
        The content of the results folder, with the outcome of this run.

    Raises:
        AccelReportError: a spec, a name or the results folder is wrong; nothing is lost.
        KeyboardInterrupt: the run was stopped; finished cells are kept.
    """
    policy = Policy(retry_failed=retry_failed, rerun=rerun)
    request = Request(
        paths=[Path(path) for path in ([specs] if isinstance(specs, str | Path) else specs)],
        results=Path(results),
        profile=profile,
        devices=devices,
        filters=[f"{key}={value}" for key, value in (filters or {}).items()],
        overrides={**(overrides or {}), **shorthands(data, budget)},
        devices_file=Path(devices_file) if devices_file else None,
        policy=policy,
        stopping_rule=UntilDecided(most_repeats) if until_decided else None,
    )
    config = LauncherConfig(request.results, on_options or {}, fork, policy)
    with launching(on, config) as launcher:
        prepared = prepare(replace(request, launcher=launcher), waiting=tell_waiting)
        with progress_for(prepared.plan, json=False, quiet=quiet) as observer:
            end = carry_out(prepared, observer, Workspace(lock=machine_lock()), fork=fork)
        if end.stopped_by:
            raise KeyboardInterrupt(end.stopped_by)
        return results_of(request.results, end)


@dataclass(frozen=True, repr=False)
class Comparison:
    """A comparison of two results folders; a notebook shows its tables.

    Attributes:
        old: the earlier results folder.
        new: the later results folder.
    """

    old: Path
    new: Path
    _comparison: FolderComparison

    @cached_property
    def rows(self) -> pd.DataFrame:
        """One row for each sweep point and device of either folder.

        A swept key is a column with its name. `speedup` says how many times as fast NEW is, `low`
        and `high` are the ends of its 95 % interval, and `verdict` is FASTER, SLOWER, SAME,
        UNDECIDED or, if the accuracies differ, WITHHELD. `outcome` is `compared` or the reason why
        there is no speedup, and `reasons` has details.
        """
        rows = self._comparison.rows
        first = ("spec", "profile", "device")
        axes = [key for row in rows for key in row.point]
        others = [
            name for name in ComparisonRow.model_fields if name not in {*first, "point", "reasons"}
        ]
        return pd.DataFrame(
            [
                row.model_dump(mode="json", exclude={"point"})
                | row.point
                | {"reasons": "; ".join(row.reasons)}
                for row in rows
            ],
            columns=list(dict.fromkeys([*first, *axes, *others, "reasons"])),
        )

    def assert_not_slower(self, margin: float | str = 0.05, *, decided: bool = False) -> None:
        """Fail a test if NEW is slower than OLD by more than a margin, or less accurate.

        The rule is that of `accelreport compare --fail-if-slower`. A comparison that too few
        processes leave open is a Python warning, which pytest lists below its tests.

        Args:
            margin: how much longer a step may take: 0.05, or "5%".
            decided: also fail if a larger slowdown is not excluded.

        Raises:
            AssertionError: a row is slower, failed or unreadable, or there is nothing new to
                compare; the message names every such row.
            ValueError: the margin is not a share.
        """
        gated = _compared(self.old, self.new, read_margin(str(margin)))
        text = "\n  ".join([f"{self.new} against {self.old}:", *conclusions(gated), *alarms(gated)])
        still_open = bool(gated.gated(Gate.OPEN))
        if gated.result is not OverallOutcome.DONE or (decided and still_open):
            raise AssertionError(text)
        if still_open:
            warnings.warn(text, stacklevel=2)

    def __repr__(self) -> str:
        return "\n".join(comparison_text(self._comparison))

    def _repr_html_(self) -> str:
        return f"<pre>{escape(repr(self))}</pre>"


def compare(old: str | Path, new: str | Path) -> Comparison:
    """Compare two results folders.

    This measures nothing and does not need TensorFlow.

    Args:
        old: the earlier results folder.
        new: the later results folder.

    Raises:
        AccelReportError: one of them is not a results folder.
    """
    return Comparison(Path(old), Path(new), _compared(Path(old), Path(new), None))


def _compared(old: Path, new: Path, gate: float | None) -> FolderComparison:
    return compare_folders(existing(old), existing(new), gate)


def new(
    file: str | Path,
    *,
    model: str,
    data: str = "",
    title: str = "",
    devices: Sequence[str] = (),
    overrides: Mapping[str, Scalar | list[Scalar]] | None = None,
) -> Path:
    """Write a spec for a model and data of your own, with a comment on every key.

    Devices and the JSON Schema are written beside it, where there are none.

    Args:
        file: the spec's file.
        model: "model.py:build", "net.keras", "net.json", or a name such as "MobileNetV2".
        data: "train.csv", "img.npz", a folder of images by class, "data.py:load" or a data set;
            random numbers when empty.
        title: of the benchmark; by the file's name when empty.
        devices: rows of the devices file, the baseline first; those that are here when empty.
        overrides: keys of the workload instead of those that the data suggest.

    Returns:
        The file.

    Raises:
        AccelReportError: a file is in the way or is not there, or the spec would have an error.
    """
    place = Path(file)
    first_spec.refuse_replacing(place)
    with first_spec.files_beside(place):
        known = load([place.parent / DEVICES_FILE]).devices
        named = list(devices) or devices_here(known, waiting=tell_waiting)
        keys = first_spec.own_workload(model, data, place.parent) | dict(overrides or {})
        text = draft(
            FAMILIES["keras"],
            title=title or place.stem.replace("_", " ").capitalize(),
            devices=named,
            given=keys,
        )
        first_spec.write_checked(place, text)
    return place


def build(
    results: str | Path = "results",
    out: str | Path | None = None,
    *,
    specs: str | Path | None = "specs/",
    single_file: bool = False,
    title: str = builder.BuildOptions.title,
    base_url: str = "",
    theme: Literal["auto", "light", "dark"] = "auto",
    templates: str | Path | None = None,
    cache: bool = True,
    only: Sequence[str] = (),
    as_measured: bool = False,
) -> Path:
    """Build the report: static pages of everything in a results folder.

    A build needs neither TensorFlow nor a network. The same results give the same bytes. A
    `RuntimeWarning`, and the page itself, names what a page cannot show.

    Args:
        results: the results folder.
        out: the folder of the pages, or the file; default: `site` or `report.html`.
        specs: folder of the current titles, published figures and claims, if it exists; with None
            they come from the results folder.
        single_file: everything in one HTML file.
        title: the site's name.
        base_url: the address of the published site.
        theme: the theme until the reader chooses.
        templates: folder of templates that replace the built-in ones.
        cache: make only what has changed.
        only: show only these benchmarks, by spec name or as "SPEC:PROFILE".
        as_measured: show each spec as it was measured, not the current file in `specs`.

    Returns:
        The page to open first.

    Raises:
        AccelReportError: there is nothing to build from, or a folder or template cannot be used.
    """
    options = builder.BuildOptions(
        title=title,
        templates=Path(templates) if templates else None,
        base_url=base_url,
        theme=theme,
        cache=report_cache() if cache else None,
        single_file=single_file,
    )
    store = Store(Path(results))
    if specs is not None and not as_measured and Path(specs).is_dir():
        refresh(store, Path(specs))
    choose(store, only=only)
    place = Path(out or ("report.html" if single_file else "site"))
    built = builder.build(store, place, options=options)
    hidden = [f"not shown: {unshown}" for unshown in built.unshown]
    if built.others:
        notice = versions_notice(built.others)
        hidden.append(f"{notice.title} {notice.text}")
    for text in hidden:
        warnings.warn(text, RuntimeWarning, stacklevel=2)
    return built.index
