"""Which form of hero a benchmark has: that of its family, else that of what it sweeps."""

from __future__ import annotations

from collections.abc import Callable

from accelreport.report.heroes.deployment import deployment_hero
from accelreport.report.heroes.forecast import forecast_hero
from accelreport.report.heroes.general import general_hero
from accelreport.report.heroes.grid import grid_hero
from accelreport.report.heroes.hero import Hero
from accelreport.report.heroes.kernel import kernel_hero
from accelreport.report.heroes.learning import classes_hero, images_hero
from accelreport.report.heroes.sweep import sweep_hero
from accelreport.report.heroes.then_and_now import then_and_now_hero
from accelreport.report.heroes.writing import writing_hero
from accelreport.report.view import BenchmarkView

Maker = Callable[[BenchmarkView], Hero | None]
"""A benchmark → its hero; None where this form has nothing to show of it."""

OF_FAMILIES: dict[str, tuple[Maker, ...]] = {
    "image_classification": (deployment_hero, then_and_now_hero, images_hero),
    "sequence_classification": (classes_hero,),
    "text_classification": (classes_hero,),
    "text_generation": (writing_hero,),
    "series_forecast": (forecast_hero,),
}
"""Kind of a workload → forms of its own, the first that has something to show."""

OF_SWEEPS: tuple[Maker, ...] = (grid_hero, sweep_hero, kernel_hero, then_and_now_hero)
"""Forms by what is swept, asked in this order after those of the family."""


def hero_of(bench: BenchmarkView) -> Hero:
    """The hero of a benchmark; every benchmark has one."""
    kind = str(bench.plan.workload.get("kind", ""))
    for make in (*OF_FAMILIES.get(kind, ()), *OF_SWEEPS):
        found = make(bench)
        if found is not None:
            return found
    return general_hero(bench)
