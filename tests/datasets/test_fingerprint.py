"""A fingerprint tells data sets apart by contents, and by nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from accelreport.datasets.base import fingerprint

X = np.arange(12, dtype=np.int32).reshape(3, 4)
BASE = fingerprint({"x": X}, {})


def test_it_is_64_hexadecimal_digits_and_the_same_again() -> None:
    assert len(BASE) == 64
    assert int(BASE, 16) >= 0
    assert fingerprint({"x": X.copy()}, {}) == BASE


@pytest.mark.parametrize(
    ("train", "validation"),
    [
        ({"z": X}, {}),
        ({}, {"x": X}),
        ({"x": X.reshape(4, 3)}, {}),
        ({"x": X.astype(np.int64)}, {}),
        ({"x": X.astype(np.uint32)}, {}),
        ({"x": X + 1}, {}),
        ({"x": X, "y": X}, {}),
        ({"x": X[:, :0]}, {}),
    ],
    ids=["name", "part", "shape", "width", "sign", "value", "one more", "empty"],
)
def test_it_changes_with(train: dict[str, Any], validation: dict[str, Any]) -> None:
    assert fingerprint(train, validation) != BASE


def test_it_does_not_depend_on_the_order_of_names_the_memory_layout_or_the_byte_order() -> None:
    both = fingerprint({"a": X, "b": X * 2}, {})
    assert fingerprint({"b": X * 2, "a": X}, {}) == both
    assert fingerprint({"x": np.asfortranarray(X)}, {}) == BASE
    assert fingerprint({"x": X.astype(">i4")}, {}) == BASE
