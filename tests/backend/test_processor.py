"""What a record says of the processor, from which a bound on its arithmetic can be derived."""

from __future__ import annotations

from pathlib import Path

from accelreport.backend.environment import clock_mhz, environment, vector_extensions


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
