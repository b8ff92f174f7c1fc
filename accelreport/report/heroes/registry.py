"""Which form of hero a benchmark has: that of its devices, its family, or what it sweeps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from accelreport.report.heroes.decision_map import decision_map_hero
from accelreport.report.heroes.frameworks import frameworks_hero
from accelreport.report.heroes.general import general_hero, kernel_hero, then_and_now_hero
from accelreport.report.heroes.grid import grid_hero
from accelreport.report.heroes.hero import Hero
from accelreport.report.heroes.learning import (
    classes_hero,
    deployment_hero,
    forecast_hero,
    images_hero,
    writing_hero,
)
from accelreport.report.heroes.rates import kicker
from accelreport.report.heroes.sweep import latency_hero, sweep_hero
from accelreport.report.view import BenchmarkView, once

Maker = Callable[[BenchmarkView], Hero | None]
"""A benchmark → its hero; None where this form has nothing to show of it."""

OF_SWEEPS: tuple[Maker, ...] = (grid_hero, sweep_hero)
"""Forms of what is swept, which is then the question of the page."""

OF_FAMILIES: dict[str, tuple[Maker, ...]] = {
    "image_classification": (deployment_hero, *OF_SWEEPS, then_and_now_hero, images_hero),
    "sequence_classification": (*OF_SWEEPS, classes_hero),
    "text_classification": (*OF_SWEEPS, classes_hero),
    "text_generation": (writing_hero,),
    "series_forecast": (forecast_hero,),
    "paradnn": (decision_map_hero,),
}
"""Kind of a workload → forms in the order in which they are asked; the first that has something
to show."""

OTHERS: tuple[Maker, ...] = (*OF_SWEEPS, kernel_hero, then_and_now_hero)
"""Forms for every other kind, and where none of its own has anything to show."""


@once
def hero_of(bench: BenchmarkView) -> Hero:
    """The hero of a benchmark; every benchmark has one."""
    kind = str(bench.plan.workload.get("kind", ""))
    own = (latency_hero,) if bench.words.calls else OF_FAMILIES.get(kind, ())
    for make in (frameworks_hero, *own, *OTHERS):
        found = make(bench)
        if found is not None:
            break
    return replace(found or general_hero(bench), kicker=kicker(bench))
