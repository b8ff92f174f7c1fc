"""The IDX reader gives back what was written and believes nothing it cannot check."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from accelreport.datasets.idx import IdxError, read_idx, write_idx

UINT8 = arrays.arrays(np.uint8, arrays.array_shapes(min_dims=1, max_dims=4, max_side=9))


@given(UINT8)
def test_what_was_written_is_read_back(array: np.ndarray) -> None:
    back = read_idx(write_idx(array))
    assert back.dtype == np.uint8
    assert back.shape == array.shape
    assert (back == array).all()


@given(UINT8, st.data())
def test_a_file_cut_anywhere_is_refused(array: np.ndarray, data: st.DataObject) -> None:
    whole = write_idx(array)
    cut = data.draw(st.integers(0, len(whole) - 1))
    with pytest.raises(IdxError):
        read_idx(whole[:cut])


@given(UINT8, st.data())
def test_a_file_with_a_changed_byte_is_refused_or_reads_as_an_array_of_its_size(
    array: np.ndarray, data: st.DataObject
) -> None:
    whole = bytearray(write_idx(array))
    place = data.draw(st.integers(0, len(whole) - 1))
    whole[place] ^= data.draw(st.integers(1, 255))
    try:
        back = read_idx(bytes(whole))
    except IdxError:
        return
    assert back.size == array.size


@given(st.binary(max_size=200))
def test_arbitrary_bytes_are_refused_by_name(data: bytes) -> None:
    with pytest.raises(IdxError):
        read_idx(data)


def header(*lengths: int, kind: int = 8) -> bytes:
    return bytes([0, 0, kind, len(lengths)]) + b"".join(n.to_bytes(4, "big") for n in lengths)


def test_a_header_that_announces_terabytes_is_refused_before_anything_is_unpacked() -> None:
    with pytest.raises(IdxError, match="announces 18,446,744,065,119,617,025 values"):
        read_idx(gzip.compress(header(2**32 - 1, 2**32 - 1)))


def test_no_more_is_unpacked_than_the_header_announces() -> None:
    bomb = gzip.compress(header(4) + bytes(50_000_000))
    with pytest.raises(IdxError, match="More bytes follow the 4 values"):
        read_idx(bomb)


def test_values_of_another_type_are_refused() -> None:
    with pytest.raises(IdxError, match="type 0x0d"):
        read_idx(gzip.compress(header(1, kind=0x0D) + bytes(4)))


def test_a_gzip_file_of_something_else_is_refused() -> None:
    with pytest.raises(IdxError, match="does not begin like an IDX file"):
        read_idx(gzip.compress(b"<html>Not Found</html>"))
