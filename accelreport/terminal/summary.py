"""The lines before the first and after the last cell of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from accelreport.analysis.words import counted
from accelreport.runner.events import EndLine, LookedAt, LookLine, PlanLine
from accelreport.terminal.wording import duration


def opening(plan: PlanLine) -> Iterator[str]:
    """What will be done, in a line, and each absent device with its reason."""
    parts = [f"{plan.run} to run" + _expected(plan)]
    parts += [f"{plan.done} done already"] if plan.done else []
    parts += [f"{plan.failed} failed before"] if plan.failed else []
    parts += [f"{plan.skip} skipped"] if plan.skip else []
    yield f"{counted(len(plan.cells), 'cell')}: {', '.join(parts)}"
    skipped = Counter((cell.device, cell.reason) for cell in plan.cells if cell.action == "skip")
    for (device, reason), count in skipped.items():
        yield f"  {device}: {counted(count, 'cell')} skipped: {reason}"
    if plan.further:
        yield (
            f"Then, while comparisons with the baseline are undecided: {plan.further} more at "
            f"most ({duration(plan.further_at_most_s)} at most)"
        )


def looked(line: LookLine) -> Iterator[str]:
    """What the look at the comparisons found, and what follows from it."""
    undecided = [each for each in line.comparisons if each.wanted or each.reason]
    decided = len(line.comparisons) - len(undecided)
    begin = f"{decided} of {counted(len(line.comparisons), 'comparison')} with the baseline decided"
    if line.cells:
        upto = max(each.wanted for each in undecided)
        yield f"{begin}: {counted(len(line.cells), 'cell')} added, up to {upto} repeats"
        return
    yield begin
    for each in undecided:
        point = "".join(f" {key}={value}" for key, value in each.point.items())
        yield f"  {each.spec} {each.device}{point}: {_undecided(each)}"


def _undecided(look: LookedAt) -> str:
    after = f"{look.verdict} after {counted(look.repeats, 'repeat')}; " if look.repeats else ""
    return f"{after}{look.reason}"


def closing(end: EndLine) -> Iterator[str]:
    """How it ended, and what to do about what is not well."""
    parts = [f"{end.ok + end.partial} measured"]
    parts += [f"{end.partial} of them stopped by their budget"] if end.partial else []
    parts += [f"{end.failed} failed"] if end.failed else []
    parts += [f"{end.skipped} skipped"] if end.skipped else []
    parts += [f"{end.done_before} done before"] if end.done_before else []
    parts += [f"{end.left} interrupted"] if end.left else []
    if end.stopped_by:
        finished = end.ok + end.partial + end.failed + end.done_before
        yield (
            f"Stopped ({end.stopped_by}) after {duration(end.wall_s)}: "
            f"{counted(finished, 'finished cell')} kept in {end.results}, {end.left} to do. "
            "Run the same command again to go on."
        )
        return
    yield f"{', '.join(parts)} in {duration(end.wall_s)}. Results: {end.results}"
    if end.left:
        yield "What was interrupted is measured by the same command, given again."
    if end.failed:
        yield "The failures are in the report; --retry-failed runs them again."
    if end.failed_before:
        yield (
            f"{counted(end.failed_before, 'cell')} failed in an earlier run and "
            f"{'was' if end.failed_before == 1 else 'were'} left alone: --retry-failed runs "
            f"{'it' if end.failed_before == 1 else 'them'} again."
        )
    if nothing_ran(end):
        yield "No cell could be run on this machine: `accelreport devices` shows what is here."


def nothing_ran(end: EndLine) -> bool:
    """Whether no cell has a result or a failure: every device is absent."""
    return not (
        end.ok or end.partial or end.failed or end.done_before or end.failed_before or end.left
    )


def _expected(plan: PlanLine) -> str:
    if not plan.run:
        return ""
    if plan.unknown == plan.run:
        return f" (at most {duration(plan.unknown_at_most_s)} of measuring, by their budgets)"
    known = f"about {duration(plan.estimate_s)}"
    if not plan.unknown:
        return f" ({known})"
    more = f"{plan.unknown} more of at most {duration(plan.unknown_at_most_s)}"
    return f" ({known}, and {more})"
