"""The environment a cell ran in, for its record."""

from __future__ import annotations

import functools
import hashlib
import os
import platform
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import psutil

from accelreport._version import __version__
from accelreport.machine.inventory import inventory, nvidia_gpus
from accelreport.results.record import Environment, ImportedFile, Roofs
from accelreport.workloads.own_code import RecordedModules

PACKAGES = (
    "tensorflow",
    "tensorflow-cpu",
    "tensorflow-tpu",
    "libtpu",
    "keras",
    "numpy",
    "jax",
    "jaxlib",
    "torch",
    "triton",
    *("jax-cuda12-plugin", "jax-cuda12-pjrt", "jax-cuda13-plugin", "jax-cuda13-pjrt"),
    # Wheels for CUDA 12, then those for CUDA 13, of which only some have a suffix.
    *("nvidia-cuda-runtime-cu12", "nvidia-cublas-cu12", "nvidia-cudnn-cu12"),
    *("nvidia-cuda-runtime", "nvidia-cublas", "nvidia-cudnn-cu13"),
)
"""Packages whose version can change a measurement."""

VARIABLES = (
    *("TF_", "XLA_", "JAX_", "OMP_", "KMP_", "MKL_", "DNNL_", "ONEDNN_", "CUDA_", "NVIDIA_"),
    *("TPU_", "PYTORCH_", "TORCH_", "TORCHINDUCTOR_"),
)
"""Beginnings of environment variables that can change a measurement."""

FOREIGN = (
    *("TF_CLI_", "TF_VAR_", "TF_PLUGIN_", "TF_DATA_DIR", "TF_LOG", "TF_WORKSPACE"),
    *("TORCH_HOME", "TORCHINDUCTOR_CACHE_DIR", "NVIDIA_REQUIRE_"),
)
"""Terraform's, which shares the first of them, and whose values are secrets often enough; folders
of PyTorch's, which say who works here and change no measurement; and the drivers that a container's
image asks for, in two thousand letters."""

CPUINFO = Path("/proc/cpuinfo")

VECTOR = ("avx", "avx2", "fma", "avx512f", "avx512_bf16", "amx_bf16")
"""Extensions from which a CPU's bound on arithmetic is derived."""


@functools.cache
def checkout() -> tuple[str, bool | None]:
    """Commit of the checkout accelreport runs from, and whether it has uncommitted changes.

    An installed wheel has neither: ("", None).
    """
    root = Path(__file__).resolve().parents[2]
    if not (root / ".git").exists():
        return "", None

    def git(*arguments: str) -> str | None:
        try:
            done = subprocess.run(
                ["git", "-C", str(root), *arguments], capture_output=True, text=True, check=False
            )
        except FileNotFoundError:
            return None
        return done.stdout.strip() if done.returncode == 0 else None

    commit = git("rev-parse", "HEAD")
    status = git("status", "--porcelain", "--untracked-files=no")
    return commit or "", None if status is None else bool(status)


@functools.cache
def versions() -> dict[str, str]:
    """Installed versions of the packages that matter."""
    # Once in a process: a launcher's worker asks for each of its cells, and every question to
    # a package that is absent looks through all folders.
    versions = {}
    for name in PACKAGES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return versions


def imported_files(spec_folder: Path) -> list[ImportedFile]:
    """The code that this process imported, and that a version or the cell does not identify.

    It comes from an editable install, `PYTHONPATH` or a changed `sys.path`, or from a package that
    was installed from a folder or a repository (PEP 610). What a package lists as its files is
    installed in any folder; `pip install --target` chooses one.

    Args:
        spec_folder: where the spec lies, absolute.
    """
    known = tuple(f"{sysconfig.get_path(name)}{os.sep}" for name in ("stdlib", "platstdlib"))
    generated = f"{os.path.realpath(tempfile.gettempdir())}{os.sep}"
    installed = {f"{os.sep}{name}{os.sep}" for name in ("site-packages", "dist-packages")}
    apart = [
        place for place in sys.path if not any(part in f"{place}{os.sep}" for part in installed)
    ]
    listed = {
        os.path.realpath(str(distribution.locate_file(file)))
        for distribution in metadata.distributions(path=apart)
        # A checkout's egg-info lists its sources, too, which no installation has fixed.
        if distribution.read_text("RECORD")
        for file in distribution.files or ()
    }
    own, files = set(_installed_from_source()), {}
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 -- there may be none
    for name, module in sorted(sys.modules.items()):
        path, top = getattr(module, "__file__", None) or "", name.partition(".")[0]
        if not path or name.startswith(("__", "accelreport_own_")) or top == "accelreport":
            continue
        if any(part in path for part in installed) or os.path.realpath(path) in listed:
            if top not in own:
                continue
        elif path.startswith(known) or os.path.realpath(path).startswith(generated):
            continue
        if isinstance(getattr(module, "__loader__", None), RecordedModules):
            continue
        place = Path(path).absolute()
        if place.is_file():
            levels = name.count(".") + 1 + (place.stem == "__init__")
            folder = place.parents[min(levels, len(place.parents)) - 1]
            where = os.path.relpath(folder, spec_folder)
            if folder.is_relative_to(home) and not spec_folder.is_relative_to(home):
                where = f"~/{folder.relative_to(home)}"
            with place.open("rb") as content:
                digest = hashlib.file_digest(content, "sha256").hexdigest()
            file = place.relative_to(folder).as_posix()
            files[file] = ImportedFile(file=file, folder=where, sha256=digest)
    return list(files.values())


def _installed_from_source() -> Iterator[str]:
    """Names of modules whose package was installed from a folder or a repository."""
    for distribution in metadata.distributions():
        origin = distribution.read_text("direct_url.json") or ""
        if "dir_info" in origin or "vcs_info" in origin:
            yield from (Path(file.parts[0]).stem for file in distribution.files or ())


def variables() -> dict[str, str]:
    """Environment variables that can change a measurement."""
    return {
        name: value
        for name, value in sorted(os.environ.items())
        if name.startswith(VARIABLES) and not name.startswith(FOREIGN)
    }


def clock_mhz(part: str) -> float | None:
    """The CPU's clock, where the system tells it: the `current` one or the highest (`max`)."""
    try:
        frequency = psutil.cpu_freq()
    except (OSError, NotImplementedError, RuntimeError):
        return None
    # Zero stands for unknown.
    return float(getattr(frequency, part)) or None if frequency else None


def vector_extensions(listing: Path = CPUINFO) -> list[str]:
    """The CPU's vector extensions that multiply; none where the system lists no flags.

    Args:
        listing: what the kernel says of the processors.
    """
    if not listing.exists():
        return []
    for line in listing.read_text(errors="replace").splitlines():
        name, _, flags = line.partition(":")
        if name.strip() == "flags":
            return [flag for flag in VECTOR if flag in flags.split()]
    return []


def environment(
    *,
    load_before: float | None = None,
    accelerators: list[str] | None = None,
    runtime: dict[str, str] | None = None,
    roofs: Roofs | None = None,
) -> Environment:
    """This machine and its software.

    Args:
        load_before: load average before the cell began.
        accelerators: devices TensorFlow used.
        runtime: what TensorFlow resolved (threads, kernel libraries).
        roofs: what its processor reached at best.
    """
    machine = inventory()
    commit, dirty = checkout()
    return Environment(
        machine=machine.machine,
        accelreport=__version__,
        commit=commit,
        dirty=dirty,
        python=platform.python_version(),
        packages=versions(),
        os=machine.os,
        cpu=machine.cpu,
        cores=machine.cores,
        threads=machine.threads,
        cpu_limit=machine.cpu_limit,
        memory_bytes=machine.memory_bytes,
        gpus=nvidia_gpus().shown,
        accelerators=accelerators or [],
        runtime=runtime or {},
        variables=variables(),
        load_before=load_before,
        load_after=os.getloadavg()[0],
        clock_mhz=clock_mhz("current"),
        clock_max_mhz=clock_mhz("max"),
        vector=vector_extensions(),
        roofs=roofs,
    )
