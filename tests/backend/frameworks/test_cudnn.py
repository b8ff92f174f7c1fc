"""A record says of cuDNN's recurrent kernels what each framework does, by layer, type and mask."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from tests.support.children import python

pytestmark = pytest.mark.e2e

LAYERS = ("lstm", "bidirectional", "gru")
TYPES = ("float32", "mixed_bfloat16", "mixed_float16")


@cache
def said(framework: str) -> dict[str, dict[str, Any]]:
    """What `cudnn_program` prints."""
    done = python("-m", "tests.backend.frameworks.cudnn_program", framework)
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, dict[str, Any]] = json.loads(done.stdout)
    return found


def test_jax_traces_the_kernel_where_the_record_says_that_it_is_possible_and_nowhere_else() -> None:
    traced = {name: one["traced"] == "cuDNN" for name, one in said("jax").items()}
    assert traced == {name: one["cuDNN 91300"] == "yes" for name, one in said("jax").items()}
    assert [name for name, fused in traced.items() if fused] == [
        "lstm float32",
        "bidirectional float32",
    ]


def test_jax_says_why_it_loops() -> None:
    why = {name: one["cuDNN 91300"] for name, one in said("jax").items()}
    assert why["lstm mixed_bfloat16"] == "no: JAX has no cuDNN kernel for bfloat16"
    assert why["bidirectional mixed_float16"] == "no: JAX has no cuDNN kernel for float16"
    assert why["gru float32"] == "no: JAX has no cuDNN kernel for a GRU"
    assert why["lstm float32 masked"] == "no: a mask"


@pytest.mark.parametrize("layer", LAYERS)
def test_pytorch_needs_a_newer_cudnn_for_bfloat16_no_mask_and_no_compiler(layer: str) -> None:
    for precision in TYPES:
        told = said("torch")[f"{layer} {precision}"]
        old = "no: a cuDNN before 9.13 for bfloat16" if precision == "mixed_bfloat16" else "yes"
        assert (told["cuDNN 91200"], told["cuDNN 91300"]) == (old, "yes")
        assert told["compiled"] == "no: torch.compile"
        assert said("torch")[f"{layer} {precision} masked"]["cuDNN 91300"] == "no: a mask"


def test_tensorflow_has_the_kernel_in_every_type_and_with_a_mask() -> None:
    assert {one["cuDNN 91300"] for one in said("tensorflow").values()} == {"yes"}
