"""What a record says of the processor and of the installed libraries."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from accelreport.backend.environment import clock_mhz, environment, vector_extensions, versions
from accelreport.report.pages.machines import libraries


def test_extensions_that_multiply_are_kept_and_others_are_not(tmp_path: Path) -> None:
    listing = tmp_path / "cpuinfo"
    listing.write_text(
        "processor\t: 0\nmodel name\t: Some CPU\nflags\t\t: fpu sse2 avx avx2 fma avx512fx aes\n"
        "processor\t: 1\nflags\t\t: avx512f\n"
    )
    assert vector_extensions(listing) == ["avx", "avx2", "fma"]


def test_a_system_without_a_list_of_flags_has_none(tmp_path: Path) -> None:
    assert vector_extensions(tmp_path / "absent") == []
    other = tmp_path / "cpuinfo"
    other.write_text("Features\t: fp asimd\n")
    assert vector_extensions(other) == []


def test_the_environment_says_what_the_system_tells_and_no_more() -> None:
    known = environment()
    assert known.clock_max_mhz == clock_mhz("max")
    assert known.clock_max_mhz is None or known.clock_max_mhz > 100
    assert known.vector == vector_extensions()


@pytest.mark.parametrize(
    ("installed", "shown"),
    [
        (
            ("jax-cuda13-plugin", "nvidia-cuda-runtime", "nvidia-cublas", "nvidia-cudnn-cu13"),
            "CUDA package 1.2, cuDNN package 1.2, JAX CUDA 13 1.2",
        ),
        (
            (
                "jax-cuda12-pjrt",
                "jax-cuda12-plugin",
                "nvidia-cuda-runtime-cu12",
                "nvidia-cudnn-cu12",
            ),
            "CUDA package 1.2, cuDNN package 1.2, JAX CUDA 12 1.2",
        ),
    ],
)
def test_the_installed_wheels_of_cuda_and_cudnn_are_recorded_and_shown(
    installed: Sequence[str], shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in installed:
        folder = tmp_path / f"{name.replace('-', '_')}-1.2.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n")
    monkeypatch.syspath_prepend(tmp_path)
    versions.cache_clear()
    try:
        known = environment()
    finally:
        versions.cache_clear()
    assert {name for name, version in known.packages.items() if version == "1.2"} == set(installed)
    assert libraries(known) == shown
