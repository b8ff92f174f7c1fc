"""What a device is, in lines: its hardware and size, its software, and how it is driven."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from accelreport.analysis.compute import hardware_name
from accelreport.report import formatting
from accelreport.report.pages.inventory import Listing
from accelreport.report.text import label
from accelreport.results.record import Environment
from accelreport.spec.device import Device


def hardware_lines(listing: Listing) -> Iterator[tuple[str, str]]:
    """What did the arithmetic on each machine: its name and count, and the machine."""
    device = listing.device
    for machine, environments in listing.machines.items():
        names = dict.fromkeys(
            label(hardware_name(each, device.kind), 80) or _seen(each) for each in environments
        )
        text = "; or ".join(name for name in names if name) or device.kind
        count = device.replicas if device.kind == "GPU" else 1
        yield (f"{count} × {text}" if count > 1 else text), machine


def _seen(environment: Environment) -> str:
    """What the framework used, for a TPU, whose driver gives no name."""
    return label(environment.runtime.get("device_kind") or ", ".join(environment.accelerators), 120)


def size_lines(listing: Listing) -> list[str]:
    """Cores, clock and memory of what did the arithmetic, in all machines together."""
    environments = [each for own in listing.machines.values() for each in own]
    if listing.device.kind == "CPU":
        said = [*map(cores, environments)]
        clock = clocks(environments)
        memory = [formatting.size(each.memory_bytes) + " of memory" for each in environments]
        return [*_each(said), *([clock] if clock else []), *_each(memory)]
    if listing.device.kind == "GPU":
        sizes = [gpu.memory_bytes for each in environments for gpu in each.gpus]
        return _each(f"{formatting.size(size)} of memory" for size in sizes if size)
    return [formatting.plural(listing.device.replicas, "replica")]


def software_lines(listing: Listing) -> list[str]:
    """Versions of what drives it: the framework, Keras, and a GPU's driver and libraries."""
    environments = [each for own in listing.machines.values() for each in own]
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
    threads = formatting.plural(environment.threads, "usable thread")
    if environment.cpu_limit is not None:
        threads += f", CPU limit {environment.cpu_limit:g}"
    if environment.cores is None:
        return threads
    return f"{formatting.plural(environment.cores, 'physical core')}, {threads}"


def clocks(environments: Iterable[Environment]) -> str:
    """The CPU's clock at the start of cells, and its highest; empty where neither is known."""
    now, highest = [], set()
    for each in environments:
        now += [each.clock_mhz / 1000] if each.clock_mhz else []
        highest |= {each.clock_max_mhz / 1000} if each.clock_max_mhz else set()
    said = []
    if now:
        ends = dict.fromkeys(formatting.fixed(each, 2) for each in (min(now), max(now)))
        said.append(f"{' to '.join(ends)} GHz")
    if highest:
        most = f"at most {formatting.fixed(max(highest), 2)} GHz"
        said.append(most)
    return ", ".join(said)


def driven_lines(device: Device) -> list[str]:
    """The strategy with its replicas and workers, then the arithmetic."""
    strategy = device.strategy.replace("_", " ").replace("tpu", "TPU")
    several = []
    if device.replicas > 1:
        several.append(formatting.plural(device.replicas, "replica"))
    if device.workers > 1:
        several.append(formatting.plural(device.workers, "worker"))
    if device.strategy == "parameter_server":
        several.append(formatting.plural(device.parameter_servers, "parameter server"))
    if device.spread:
        several.append("each on a machine of its own")
    arithmetic: list[str] = [device.precision]
    arithmetic += ["TF32 allowed"] if device.tf32 else []
    arithmetic += ["XLA"] if device.xla or device.framework == "jax" else []
    if device.framework == "torch":
        arithmetic.append("torch.compile" if device.torch_compile else "eager")
    threads = (
        f"{formatting.plural(device.threads, 'thread')} for an operation" if device.threads else ""
    )
    placed = f"placement {label(device.placement, 60)}" if device.placement else ""
    driver = ", ".join([f"{strategy} strategy", *several])
    other = f"Keras on {device.framework_name}" if device.framework != "tensorflow" else ""
    lines = (other, driver, ", ".join(arithmetic), threads, placed)
    return [line for line in lines if line]


def _each(texts: Iterable[str]) -> list[str]:
    """Each text once, in a fixed order."""
    return sorted(dict.fromkeys(text for text in texts if text))
