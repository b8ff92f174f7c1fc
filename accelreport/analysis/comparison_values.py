"""What is said of two results folders, as plain values."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from accelreport.results.plan_document import Document
from accelreport.spec.base import Scalar


class Gate(StrEnum):
    """Whether NEW is slower than the gate allows."""

    FAILS = "FAILS"
    """The whole interval of NEW's time over OLD's lies above 1 + gate: it is slower."""
    PASSES = "PASSES"
    """The whole interval lies at or below 1 + gate: it is not."""
    OPEN = "OPEN"
    """The interval holds 1 + gate, or there is none: too few processes to tell."""


class Result(StrEnum):
    """What a comparison of two folders comes to, the gravest first."""

    SLOWER = "slower"
    """Something is slower than the gate allows."""
    UNREADABLE = "unreadable"
    """Files of a folder could not be read, so something may be missing here."""
    FAILED = "failed"
    """With a gate: something that OLD measured failed in NEW."""
    NOTHING = "nothing"
    """Nothing could be compared."""
    DONE = "done"
    """Everything else."""


class SideSummary(Document):
    """One of the two folders."""

    name: str
    """Its path, as it was given."""
    records: int
    """Records in it."""
    unplanned: int
    """Records that no plan in it asks for, such as those of an earlier wording of a spec."""
    unreadable: list[str]
    """Files that could not be read, and why."""


class Difference(Document):
    """A fact of machine or software that is not the same in both folders."""

    fact: str
    """What differs, such as `package tensorflow`."""
    old: list[str]
    """What OLD was measured with."""
    new: list[str]
    """What NEW was measured with."""
    grave: bool
    """Whether it can change a measurement by itself: machine, framework, driver, settings."""
    comparisons: int
    """How many of the comparisons it concerns."""


class Row(Document):
    """One spec and profile at one sweep point, on one device of one machine."""

    spec: str
    """Name of the spec."""
    profile: str
    """Name of the profile, as the plan bears it."""
    device: str
    """Name of the device."""
    point: dict[str, Scalar]
    """Sweep point."""
    outcome: Literal["compared", "withheld", "not-measured", "only-old", "only-new"]
    """compared; withheld: the conditions differ; not-measured: a side has no time;
    only-old, only-new: the other folder has nothing like it."""
    reasons: list[str]
    """Why it was not compared; of a comparison, what a reader must know."""
    old_machine: str = ""
    """Fingerprint of the machine in OLD."""
    new_machine: str = ""
    """Fingerprint of the machine in NEW."""
    old_processes: int = 0
    """Processes with a time in OLD."""
    new_processes: int = 0
    """Processes with a time in NEW."""
    pairs: int = 0
    """Seeds that were compared pair by pair; 0 when processes were not paired."""
    old_seconds: float | None = None
    """Seconds of a steady step in OLD, the geometric mean over processes."""
    new_seconds: float | None = None
    """The same in NEW."""
    ratio: float | None = None
    """NEW's time over OLD's, the geometric mean over pairs of seeds or over processes."""
    low: float | None = None
    """Lower end of its 95 % interval; absent where there is none."""
    high: float | None = None
    """Upper end."""
    verdict: str = ""
    """FASTER, SLOWER, SAME or UNDECIDED, of NEW against OLD; empty where nothing was compared."""
    needed: int | None = None
    """Processes that each side needs in addition to decide an UNDECIDED row, with probability
    0.8; absent where that is unknown or beyond a thousand."""
    gate: Gate | None = None
    """Whether NEW is slower than the gate allows."""
    gate_needed: int | None = None
    """The same for a gate that is OPEN."""
    nothing_new: bool = False
    """Whether both folders hold the very same measurements, as when results were copied and
    nothing was run since."""
    failed_in_new: bool = False
    """Whether OLD has times and in NEW every process failed."""


class Comparison(Document):
    """Two results folders against each other."""

    result: Result
    """What it comes to."""
    old: SideSummary
    """What was before."""
    new: SideSummary
    """What is now."""
    level: float
    """Confidence level of each interval."""
    margin: float
    """Ratios from 1/(1 + margin) to 1 + margin are the SAME."""
    gate: float | None
    """How much longer a step may take, as a fraction; absent when nothing is gated."""
    apart: str
    """Where all that was compared of one folder was measured before all of the other: when each
    was measured. No interval holds what changed about the machine in between."""
    differences: list[Difference]
    """What differs of machine and software, the grave ones first."""
    rows: list[Row]
    """Everything that either folder holds."""

    def of(self, *outcomes: str) -> list[Row]:
        """The rows with one of these outcomes."""
        return [row for row in self.rows if row.outcome in outcomes]

    def gated(self, gate: Gate) -> list[Row]:
        """The rows of which the gate says so."""
        return [row for row in self.rows if row.gate is gate]
