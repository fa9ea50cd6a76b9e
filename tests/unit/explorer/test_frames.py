"""Frames survive the way to the page and back, and what is quantized comes back within half a level."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tokenfield.errors import InvalidInput
from tokenfield.explorer.frames import LEVELS, pack, quantized, restored, unpack

ARRAYS = st.dictionaries(
    st.sampled_from(["points", "labels", "gram"]),
    st.sampled_from(["<f4", "<u2", "u1"]).flatmap(lambda d: hnp.arrays(d, hnp.array_shapes(min_dims=1, min_side=0))),
)


@settings(max_examples=100, deadline=None)
@given(ARRAYS, st.text(max_size=20))
def test_frames_come_back(arrays, text):
    data = pack({"t": 1.5, "text": text}, arrays)
    assert len(data) % 4 == 0
    header, found = unpack(data)
    assert header["t"] == 1.5 and header["text"] == text and list(found) == list(arrays)
    for name, values in arrays.items():
        assert found[name].dtype == values.dtype and found[name].shape == values.shape
        np.testing.assert_array_equal(found[name], values)


def test_the_layout_is_that_of_the_documentation():
    data = pack({"index": 7}, {"a": np.array([1, 2, 3], np.uint8), "b": np.array([0.5], np.float32)})
    (length,) = struct.unpack_from("<I", data)
    place = 4 + length + -length % 4
    assert data[place : place + 4] == b"\x01\x02\x03\x00"
    assert struct.unpack_from("<f", data, place + 4) == (0.5,)
    assert len(data) == place + 8


def test_other_numbers_become_float32_and_infinities_null():
    header, arrays = unpack(pack({"energy": float("inf")}, {"x": np.array([[1.0, 2.0]]), "k": np.array(3)}))
    assert header["energy"] is None and arrays["x"].dtype == np.float32 and arrays["k"].shape == ()


@pytest.mark.parametrize("data", [b"", b"\xff\xff\xff\xff", pack({}, {"x": np.eye(3)})[:-8], b"\x02\0\0\0{}\0\0"])
def test_what_is_no_frame_is_refused(data):
    with pytest.raises(InvalidInput, match="no frame"):
        unpack(data)


@settings(max_examples=100, deadline=None)
@given(hnp.arrays(np.float64, hnp.array_shapes(min_dims=2, max_dims=3), elements=st.floats(-5, 5, width=32)))
def test_quantized_numbers_come_back_within_half_a_level(values):
    codes, lo, hi = quantized(values)
    assert codes.dtype == np.uint16 and codes.shape == values.shape
    # half a level, and the rounding of lo + (hi - lo) k / 65535
    np.testing.assert_allclose(restored(codes, lo, hi), values, atol=(hi - lo) / LEVELS / 2 + 1e-14)
