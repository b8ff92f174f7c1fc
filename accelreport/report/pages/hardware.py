"""What each device is and can do at most: as specs ask for it, and as records found it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from accelreport.analysis.compute import Bandwidth, Peak, cited_bandwidth, cited_peak, hardware_name
from accelreport.analysis.results import Result
from accelreport.report import quantity
from accelreport.report.text import label, slug
from accelreport.report.view import BenchmarkView, Point, Series, median, present
from accelreport.results.record import Environment, Record
from accelreport.spec.device import Device


def tflops_of(
    bench: BenchmarkView, series: Series, point: Point
) -> tuple[float, float, float] | None:
    """TFLOPS and their interval, from the geometric mean of the steady time."""
    found = bench.speedup(series, point)
    work = median([cell.timings.flops_per_step for cell in bench.measured(series, point)])
    if found is None or not present(work):
        return None
    seconds = found.seconds
    ends = (seconds.high, seconds.low)
    low, high = (work / end / 1e12 if present(end) else float("nan") for end in ends)
    return work / seconds.value / 1e12, low, high


def bytes_of(bench: BenchmarkView, series: Series, point: Point) -> float:
    """Bytes of a step as the records count them; NaN where none does."""
    return median([row.timings.bytes_per_step for row in bench.measured(series, point)])


def environment_of(bench: BenchmarkView, series: Series, point: Point) -> Environment | None:
    """Where the cells ran."""
    for row in bench.measured(series, point):
        record = bench.record(row)
        if record and record.environment:
            return record.environment
    return None


def hardware_of(bench: BenchmarkView, series: Series, point: Point) -> str:
    """The name by which a driver knows what the cells ran on; empty for a TPU."""
    kind = bench.plan.devices[series.device].kind
    return hardware_name(environment_of(bench, series, point), kind)


def peak_of(bench: BenchmarkView, series: Series, point: Point) -> Peak | None:
    """The peak that is cited for what the cells computed."""
    values = bench.values(point)
    environment = environment_of(bench, series, point)
    hardware = hardware_of(bench, series, point)
    return cited_peak(bench.plan, series.device, values, hardware, environment)


def bandwidth_of(bench: BenchmarkView, series: Series, point: Point) -> Bandwidth | None:
    """The memory bandwidth that is cited for it."""
    return cited_bandwidth(bench.plan, series.device, hardware_of(bench, series, point))


def unknown_peak(bench: BenchmarkView, series: Series, point: Point) -> str:
    """What is said where no peak is cited."""
    hardware = hardware_of(bench, series, point)
    return f"no cited peak for {label(hardware, 60) if hardware else 'this device'}"


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
    benches: tuple[BenchmarkView, ...]
    variant: int = 0

    @property
    def id(self) -> str:
        """Its id on the page of devices."""
        return device_id(self.name) + (f"-{self.variant + 1}" if self.variant else "")

    @cached_property
    def titles(self) -> list[str]:
        """What pages of benchmarks that measured it call it, the most usual name first."""
        measured = [b for b in self.benches if any(row.measured for row in self.rows_of(b))]
        names = Counter(bench.title_of(self.name) for bench in measured or self.benches)
        return [name for name, _ in names.most_common()]

    @property
    def title(self) -> str:
        """Its most usual name."""
        return self.titles[0]

    @property
    def number(self) -> int:
        """From which its colour and its mark follow."""
        return self.benches[0].colours[self.name]

    def rows_of(self, bench: BenchmarkView) -> list[Result]:
        """Its cells in one benchmark."""
        return [row for row in bench.results if row.device == self.name]

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


def listings(benches: Sequence[BenchmarkView]) -> list[Listing]:
    """Every device of every plan: CPUs, GPUs, TPUs, each by name."""
    by_text: dict[tuple[str, str], tuple[Device, list[BenchmarkView]]] = {}
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


def software_lines(listing: Listing, machine: str) -> list[str]:
    """Versions of what drives it on a machine: framework, Keras, a GPU's driver and libraries."""
    environments = listing.machines[machine]
    device = listing.device
    lines = [*_each(_frameworks(each, device.framework) for each in environments)]
    if listing.device.kind == "GPU":
        lines += _each(f"driver {gpu.driver}" for e in environments for gpu in e.gpus if gpu.driver)
        lines += _each(map(libraries, environments))
    return [label(line, 120) for line in lines if line]


def _frameworks(environment: Environment, framework: str) -> str:
    known = environment.packages
    names = [name for name in known if name.startswith((framework, "libtpu"))]
    parts = [f"{_NAMES.get(name, name)} {known[name]}" for name in sorted(names)]
    parts += [f"Keras {known['keras']}"] if "keras" in known else []
    return ", ".join(parts)


_NAMES = {
    "tensorflow": "TensorFlow",
    "tensorflow-cpu": "TensorFlow (CPU build)",
    "jax": "JAX",
    "torch": "PyTorch",
}


def libraries(environment: Environment) -> str:
    """CUDA and cuDNN that the framework was built for, and the installed cuDNN."""
    runtime, packages = environment.runtime, environment.packages
    parts = [f"CUDA {runtime['cuda']}"] if runtime.get("cuda") else []
    parts += [f"cuDNN {runtime['cudnn']}"] if runtime.get("cudnn") else []
    installed = packages.get("nvidia-cudnn-cu12")
    parts += [f"cuDNN package {installed}"] if installed else []
    return ", ".join(parts)


def cores(environment: Environment) -> str:
    """Physical cores and usable threads of a machine's CPU, and what of them was granted."""
    threads = quantity.plural(environment.threads, "usable thread")
    if environment.cpu_limit is not None:
        threads += f", CPU limit {environment.cpu_limit:g}"
    if environment.cores is None:
        return threads
    return f"{quantity.plural(environment.cores, 'physical core')}, {threads}"


def clocks(environments: Iterable[Environment]) -> str:
    """The CPU's clock at the start of cells, and its highest; empty where neither is known."""
    now, highest = [], set()
    for each in environments:
        now += [each.clock_mhz / 1000] if each.clock_mhz else []
        highest |= {each.clock_max_mhz / 1000} if each.clock_max_mhz else set()
    said = []
    if now:
        ends = dict.fromkeys(quantity.fixed(each, 2) for each in (min(now), max(now)))
        said.append(f"{' to '.join(ends)} GHz")
    if highest:
        most = f"at most {quantity.fixed(max(highest), 2)} GHz"
        said.append(most)
    return ", ".join(said)


def driven_text(device: Device) -> str:
    """The strategy with its replicas and workers, then the arithmetic: "float32, 1 thread"."""
    parts = []
    if device.strategy != "default":
        parts.append(f"{device.strategy.replace('_', ' ').replace('tpu', 'TPU')} strategy")
    if device.replicas > 1:
        parts.append(quantity.plural(device.replicas, "replica"))
    if device.workers > 1:
        parts.append(quantity.plural(device.workers, "worker"))
    if device.strategy == "parameter_server":
        parts.append(quantity.plural(device.parameter_servers, "parameter server"))
    if device.spread:
        parts.append("each on a machine of its own")
    parts.append(device.precision)
    parts += ["TF32 allowed"] if device.tf32 else []
    parts += ["XLA"] if device.xla or device.framework == "jax" else []
    if device.framework == "torch" or device.eager:
        parts.append("torch.compile" if device.torch_compile else "eager")
    if device.threads:
        parts.append(f"{quantity.plural(device.threads, 'thread')} for an operation")
    parts += [f"placement {label(device.placement, 60)}"] if device.placement else []
    return ", ".join(parts)


def _each(texts: Iterable[str]) -> list[str]:
    """Each text once, in a fixed order."""
    return sorted(dict.fromkeys(text for text in texts if text))
