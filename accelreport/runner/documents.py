"""The plan document that a run leaves for the report."""

from __future__ import annotations

from collections.abc import Mapping

from accelreport.results.plan_document import PlanDocument, PlannedCell
from accelreport.spec.base import Scalar
from accelreport.spec.cells import MEASURED_BY
from accelreport.spec.spec import Spec


def plan_document(spec: Spec, changes: Mapping[str, Scalar]) -> PlanDocument:
    """What a spec says, with every cell it asks for.

    Args:
        spec: the spec as it was read, profile and overrides applied.
        changes: values the command line gave instead of the spec's that change what is
            measured. The document then stands under a name of its own (see `variant`), so
            that a trial with synthetic data does not take the page of the real ones.
    """
    return PlanDocument(
        spec=spec.name,
        profile=variant(spec.profile, changes),
        overrides=dict(changes),
        title=spec.title,
        description=spec.description,
        source=spec.source,
        text=spec.text,
        workload=spec.workload,
        baseline=spec.baseline,
        devices=dict(spec.devices),
        axes={key: list(values) for key, values in spec.axes.items()},
        measure=spec.measure,
        published=list(spec.published),
        claims=list(spec.claims),
        cells=[
            PlannedCell(
                key=cell.key,
                device=cell.device,
                point=cell.point,
                repeat=cell.repeat,
                seed=cell.seed,
            )
            for cell in spec.cells
        ],
    )


def changing(overrides: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """The overrides that change what is measured, rather than how long or how often."""
    shaping = {f"measure.{key}" for key in (*MEASURED_BY, "first_seed")}
    return {
        key: value
        for key, value in sorted(overrides.items())
        if not key.startswith("measure.") or key in shaping
    }


def variant(profile: str, changes: Mapping[str, Scalar]) -> str:
    """The name of a profile with changes: `full+workload.data=synthetic`."""
    return profile + suffix(changes)


def profile_of(plan: PlanDocument) -> str:
    """The profile a document was made from, without the changes in its name."""
    return plan.profile.removesuffix(suffix(plan.overrides))


def suffix(changes: Mapping[str, Scalar]) -> str:
    """What the name of a profile ends with when there are changes."""
    text = ",".join(f"{key}={value}" for key, value in sorted(changes.items()))
    return f"+{text}" if text else ""
