"""What each device is: as specs ask for it, and as the records that measured it found it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from accelreport.analysis.compute import Bandwidth, Peak
from accelreport.analysis.results import Result
from accelreport.report.bench import Bench
from accelreport.report.pages.rates import bandwidth_of, peak_of
from accelreport.report.text import slug
from accelreport.results.record import Environment, Record
from accelreport.spec.device import Device

KINDS = ("CPU", "GPU", "TPU")
"""Kinds of devices, in the order of tables."""


@dataclass(frozen=True)
class Listing:
    """A device as one or more plans define it.

    Attributes:
        name: its name in the devices file.
        device: what that file says of it.
        benches: the benchmarks that define it so, whether or not they measured it.
        variant: 0; where plans define one name differently, the later ones have 1, 2, …
    """

    name: str
    device: Device
    benches: tuple[Bench, ...]
    variant: int = 0

    @property
    def id(self) -> str:
        """Its id on the page of devices."""
        return device_id(self.name) + (f"-{self.variant + 1}" if self.variant else "")

    @property
    def title(self) -> str:
        """What pages call it."""
        return self.benches[0].title_of(self.name)

    @property
    def number(self) -> int:
        """From which its colour and its mark follow."""
        return self.benches[0].colours[self.name]

    def rows_of(self, bench: Bench) -> list[Result]:
        """Its cells in one benchmark."""
        return [row for row in bench.rows if row.device == self.name]

    @cached_property
    def rows(self) -> list[Result]:
        """Its cells in all of them."""
        return [row for bench in self.benches for row in self.rows_of(bench)]

    @cached_property
    def records(self) -> list[Record]:
        """Records of cells that ran on it, also those that failed: they found its hardware."""
        return [
            record
            for bench in self.benches
            for row in self.rows_of(bench)
            if row.status != "skipped" and (record := bench.record(row)) is not None
        ]

    @cached_property
    def machines(self) -> dict[str, list[Environment]]:
        """Environments of those records, by machine."""
        found: dict[str, list[Environment]] = {}
        for record in self.records:
            if record.environment is not None:
                found.setdefault(record.environment.machine, []).append(record.environment)
        return dict(sorted(found.items()))

    @cached_property
    def absences(self) -> list[Record]:
        """Records that say why it was not measured, each reason once."""
        found: dict[tuple[str, str], Record] = {}
        for bench in self.benches:
            for row in self.rows_of(bench):
                record = bench.record(row)
                if record is not None and record.failure is not None:
                    found.setdefault((record.failure.kind, record.failure.message), record)
        return list(found.values())

    @cached_property
    def peaks(self) -> list[Peak]:
        """Cited peaks of what was computed; where nothing was, all that the devices file has."""
        found = {}
        for bench in self.benches:
            for series in bench.series:
                for point in bench.points if series.device == self.name else ():
                    peak = peak_of(bench, series, point)
                    if peak is not None:
                        found[peak.dtype, peak.tflops, peak.source] = peak
        if not found:
            given = self.device.peak_tflops.items()
            return [Peak(rate, dtype, self.device.peak_source) for dtype, rate in sorted(given)]
        return [found[key] for key in sorted(found)]

    @cached_property
    def bandwidths(self) -> list[Bandwidth]:
        """Cited bandwidths of its memory."""
        found = {}
        for bench in self.benches:
            for series in bench.series:
                for point in bench.points if series.device == self.name else ():
                    width = bandwidth_of(bench, series, point)
                    if width is not None:
                        found[width.gbps, width.source] = width
        return [found[key] for key in sorted(found)]


def listings(benches: Sequence[Bench]) -> list[Listing]:
    """Every device of every plan: CPUs, GPUs, TPUs, each by name."""
    by_text: dict[tuple[str, str], tuple[Device, list[Bench]]] = {}
    for bench in benches:
        for name, device in bench.plan.devices.items():
            by_text.setdefault((name, device.model_dump_json()), (device, []))[1].append(bench)
    found: list[Listing] = []
    for (name, _), (device, owners) in by_text.items():
        variant = sum(each.name == name for each in found)
        found.append(Listing(name, device, tuple(owners), variant))
    found.sort(key=lambda each: (KINDS.index(each.device.kind), each.name, each.variant))
    return found


def device_id(name: str) -> str:
    """The id of a device on the page of devices."""
    return f"device-{slug(name)}"
