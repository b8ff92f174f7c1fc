"""The plan document that a run leaves for the report, and that a build brings up to date."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from accelreport.errors import AccelReportError
from accelreport.results.plan_document import (
    Looks,
    PlanDocument,
    PlannedCell,
    place_of,
    plan_document,
    profile_of,
    refreshed,
    with_other_devices,
)
from accelreport.results.store import Store
from accelreport.spec.base import Scalar
from accelreport.spec.cells import MEASURED_BY, Cell, Spec, SpecSet
from accelreport.spec.problems import SpecErrors, did_you_mean, printable


def extended(document: PlanDocument, cells: Iterable[Cell], looks: Looks | None) -> PlanDocument:
    """The document with cells that were added until comparisons were decided."""
    every = [*document.cells, *map(PlannedCell.of, cells)]
    return document.model_copy(update={"cells": every, "until_decided": looks})


def continued(
    document: PlanDocument, spec: Spec, earlier: PlanDocument | None
) -> tuple[PlanDocument, list[Cell]]:
    """A spec's document with the repeats that earlier runs added, and these as cells.

    What was added stays a part of the plan in every later run, as long as the spec still asks
    for the same measurement: then each of these cells has the key it had.

    Args:
        document: what the spec says now.
        spec: the spec.
        earlier: the document that lies in the results folder.
    """
    if earlier is None or earlier.until_decided is None:
        return document, []
    like = {place_of(cell): cell for cell in spec.cells}
    added = [
        cell
        for old in earlier.cells
        if old.repeat >= spec.measure.repeats and place_of(old) in like
        if (cell := repeated(like[place_of(old)], old.repeat)).key == old.key
    ]
    still = {cell.key for cell in spec.cells} & {cell.key for cell in earlier.cells}
    if not (added or still):
        return document, []
    return extended(document, added, earlier.until_decided), added


def repeated(cell: Cell, repeat: int) -> Cell:
    """The same cell in another repeat, with the seed of that repeat."""
    same = {name: getattr(cell, name) for name in Cell.model_fields}
    other = Cell(**{**same, "repeat": repeat, "seed": cell.measure.first_seed + repeat})
    return other.typed(cell.parameters)


def changing(overrides: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """The overrides that change what is measured, rather than how long or how often."""
    shaping = {f"measure.{key}" for key in (*MEASURED_BY, "first_seed")}
    return {
        key: value
        for key, value in sorted(overrides.items())
        if not key.startswith("measure.") or key in shaping
    }


def refresh(store: Store, specs: Path, *, strict: bool = False) -> list[str]:
    """Show the plans that a results folder holds as the specs stand now.

    A title, a published figure or a claim that was edited after a run then shows without
    another run; which repeats there are, runs decide. Nothing is written. Plans of specs that
    are not in the folder stay as they are, unless one that is there asks for the same cells: then
    the spec was renamed. So do all plans of a profile under which the specs have an error.

    Args:
        store: the results folder.
        specs: the folder of the specs.
        strict: whether an error in a spec is raised.

    Returns:
        What could not be brought up to date, in sentences.

    Raises:
        SpecErrors: a spec has an error now.
    """
    complaints = []
    readings: dict[str, list[PlanDocument]] = {}
    for plan in store.plans():
        reading = f"{profile_of(plan)} {sorted(plan.overrides.items())} {plan.frameworks}"
        readings.setdefault(reading, []).append(plan)
    for plans in readings.values():
        first = plans[0]
        try:
            read = _read_again(specs, plans)
        except SpecErrors as errors:
            if strict:
                raise
            where = ", ".join(sorted({problem.place.name for problem in errors.problems})[:3])
            complaints.append(
                f"The specs have errors now ({where}), so the plans of profile {first.profile} "
                f"are shown as they were run: accelreport check {specs}"
            )
            continue
        now = {spec.name: spec for spec in read.specs}
        shown = [plan for plan in plans if plan.spec in now]
        for plan in plans:
            if spec := now.get(plan.spec):
                new, _ = continued(plan_document(spec, first.overrides), spec, plan)
                if new.profile == plan.profile:
                    new = with_other_devices(new, plan, bool)
                    store.instead[plan.spec, plan.profile] = refreshed(new, plan)
                continue
            keys = {cell.key for cell in plan.cells}
            if any(keys <= {cell.key for cell in other.cells} for other in shown):
                store.leave_out(plan)
    return complaints


def _read_again(specs: Path, plans: Sequence[PlanDocument]) -> SpecSet:
    """The specs of a folder as plans of one profile and the same overrides were made of them.

    Another value on the command line was given to the specs that were run with it, and may fit
    no other one of the folder.
    """
    # It imports every workload, which a build without specs does not need.
    from accelreport.loader.load import load

    profile, overrides, frameworks = profile_of(plans[0]), plans[0].overrides, plans[0].frameworks
    try:
        return load([specs], profile=profile, overrides=overrides, frameworks=frameworks)
    except SpecErrors:
        own = [specs / f"{name}.toml" for name in sorted({plan.spec for plan in plans})]
        if not overrides or not all(path.is_file() for path in own):
            raise
        return load(own, profile=profile, overrides=overrides, frameworks=frameworks)


def choose(store: Store, *, only: Sequence[str] = ()) -> list[str]:
    """Leave out the plans that a report is not to show. Nothing is written.

    A trial is a plan that the command line gave other values (`--set`, `--data`). It is left out
    where its spec was measured under the same profile as it stands, too.

    Args:
        store: the results folder.
        only: names of specs, or `SPEC:PROFILE`, which a trial has, too; all when empty.

    Returns:
        What was left out though nobody asked for that, in a sentence, if anything.

    Raises:
        AccelReportError: one of `only` names no plan.
    """
    plans = store.plans()
    names = {plan.spec for plan in plans} | {f"{plan.spec}:{plan.profile}" for plan in plans}
    for name in only:
        if name not in names:
            raise AccelReportError(
                f"{printable(name)} has no results.",
                why=did_you_mean(name, names),
                remedy="`accelreport results list` shows the benchmarks that have.",
            )
    measured = {
        (plan.spec, plan.profile)
        for plan in plans
        if not plan.overrides and store.machines({cell.key for cell in plan.cells})
    }
    quiet = []
    for plan in plans:
        named = f"{plan.spec}:{plan.profile}"
        tried = bool(plan.overrides) and (plan.spec, profile_of(plan)) in measured
        if only and not {plan.spec, named} & set(only):
            store.leave_out(plan)
        elif tried and named not in only:
            store.leave_out(plan)
            quiet.append(named)
    if not quiet:
        return []
    return [f"Trials of specs that were also run unchanged are left out: {', '.join(quiet)}"]
