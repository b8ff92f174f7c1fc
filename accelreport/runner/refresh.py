"""Plan documents shown as the specs they came from stand now, when a report is built."""

from __future__ import annotations

from pathlib import Path

from accelreport.loader.load import load
from accelreport.results.plan_document import PlanDocument, retold
from accelreport.results.store import Store
from accelreport.runner.documents import continued, plan_document, profile_of
from accelreport.spec.problems import SpecErrors


def refresh(store: Store, specs: Path) -> list[str]:
    """Show the plans that a results folder holds as the specs stand now.

    A title, a published figure or a claim that was edited after a run then shows without
    another run; which repeats there are, runs decide. Nothing is written. Plans of specs that
    are not in the folder stay as they are, unless one that is there asks for the same cells: then
    the spec was renamed. So do all plans of a profile under which the specs have an error.

    Args:
        store: the results folder.
        specs: the folder of the specs.

    Returns:
        What could not be brought up to date, in sentences.
    """
    complaints = []
    readings: dict[str, list[PlanDocument]] = {}
    for plan in store.plans():
        reading = f"{profile_of(plan)} {sorted(plan.overrides.items())}"
        readings.setdefault(reading, []).append(plan)
    for plans in readings.values():
        first = plans[0]
        profile = profile_of(first)
        try:
            read = load([specs], profile=profile, overrides=first.overrides)
        except SpecErrors as errors:
            where = ", ".join(sorted({problem.place.name for problem in errors.problems})[:3])
            complaints.append(
                f"The plans of profile {first.profile} are shown as they were run, because the "
                f"specs have errors now ({where}): accelreport check {specs}"
            )
            continue
        now = {spec.name: spec for spec in read.specs}
        shown = [plan for plan in plans if plan.spec in now]
        for plan in plans:
            if plan.spec not in now and any(_same_cells(plan, other) for other in shown):
                store.leave_out(plan)
            if plan.spec in now:
                spec = now[plan.spec]
                new, _ = continued(plan_document(spec, first.overrides), spec, plan)
                if new.profile == plan.profile:
                    store.show_instead(retold(new, plan))
    return complaints


def _same_cells(plan: PlanDocument, other: PlanDocument) -> bool:
    """Whether one plan asks for nothing that the other does not ask for."""
    return {cell.key for cell in plan.cells} <= {cell.key for cell in other.cells}
