"""float16 in memory is 16 bits that are converted in registers: exactly, in every width, at any address that holds an element.

PoCL 3.0 compiles `vload_halfN` and `vstore_halfN` as if their address were a multiple of the vector's size, where OpenCL only
asks for that of one element: a store to another address ends the process (in `vmovaps`, where the call is inlined).
"""

import numpy as np
import pytest

from eqsat.codegen import OPENCL_CPU, OPENCL_GPU, render
from eqsat.dtype import float16, float32, float64
from eqsat.ops import Op
from tests.codegen.device import on_device
from tests.codegen.kernels import elementwise

LANES = (1, 2, 4, 8, 16)
ALL = np.arange(1 << 16, dtype=np.uint16).view(np.float16)


@pytest.mark.parametrize("lanes", LANES)
def test_every_half_is_read_as_its_value(lanes: int) -> None:
    made = elementwise([lambda x: x.cast(float32)], (float16,), ALL.size, lanes)
    with np.errstate(invalid="ignore"):
        assert_same(on_device(render(made), {1: ALL})[0], ALL.astype(np.float32))


@pytest.mark.parametrize("lanes", LANES)
def test_every_half_is_written_as_it_was_read(lanes: int) -> None:
    made = elementwise([lambda x: x + 0.0, lambda x: -x], (float16,), ALL.size, lanes)
    done = on_device(render(made), {2: ALL})
    same, negated = done[0], done[1]
    with np.errstate(invalid="ignore"):  # signalling NaNs
        assert_same(same, ALL + np.float16(0))
    assert_same(negated, -ALL)


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("dtype", [float32, float64])
def test_numbers_between_halves_are_rounded_to_the_nearest_one(lanes: int, dtype) -> None:
    wide = np.float32 if dtype == float32 else np.float64
    finite = np.sort(ALL[np.isfinite(ALL)].astype(wide))
    middle = (finite[1:] + finite[:-1]) / 2  # exact in float32
    tiny = np.array([1e-8, 1e-30, np.finfo(wide).smallest_subnormal], wide)
    edges = np.array([65519.996, 65520, 65535, 65536, 1e30, np.inf, np.nan], wide)
    values = np.concatenate([
        finite, middle, np.nextafter(middle, wide(np.inf)), np.nextafter(middle, wide(-np.inf)), tiny, edges, -tiny, -edges
    ])  # fmt: skip
    values = np.resize(values, -(-values.size // 16) * 16)
    made = elementwise([lambda x: x.cast(float16)], (dtype,), values.size, lanes)
    with np.errstate(over="ignore"):
        assert_same(on_device(render(made), {1: values})[0], values.astype(np.float16))


@pytest.mark.parametrize("lanes", LANES)
def test_no_half_is_loaded_or_stored_by_the_driver_in_a_buffer(lanes: int) -> None:
    source = render(elementwise([lambda x: x * x], (float16,), 64, lanes)).source
    assert "half *out0" not in source
    assert "half *in0" not in source
    body = source[source.index("__kernel") :]
    assert "vload_half" not in body
    assert "vstore_half" not in body


@pytest.mark.parametrize("lanes", LANES)
def test_processors_are_asked_for_their_instruction(lanes: int) -> None:
    """The driver's functions are calls, of which those for one value compute with integers."""
    made = elementwise([lambda x: x * x], (float16,), 64, lanes)
    for dialect, asked in ((OPENCL_CPU, True), (OPENCL_GPU, False)):
        source = render(made, dialect).source
        assert ("vcvtph2ps" in source) == asked
        assert ("__builtin_ia32_vcvtps2ph" in source) == asked
        assert "vload_half" in source  # for the others


@pytest.mark.parametrize("lanes", LANES)
def test_no_conversion_is_one_that_llvm_sees_through(lanes: int) -> None:
    """It would compare the halves instead, one by one: maxima of rows took forty times as long."""
    source = render(elementwise([lambda x: x * x], (float16,), 64, lanes), OPENCL_CPU).source
    assert "vcvtph2ps256(" not in source
    assert "vcvtph2ps(" not in source
    assert "(ushort)0xffff, 4)" not in source


@pytest.mark.parametrize("lanes", LANES)
def test_comparisons_of_halves_are_those_of_their_values(lanes: int) -> None:
    made = elementwise(
        [lambda x, y: x.alu(Op.MAX, y), lambda x, y: (x < y).where(x, y)], (float16, float16), ALL.size, lanes
    )
    other = ALL[::-1].copy()
    done = on_device(render(made), {2: ALL, 3: other})
    with np.errstate(invalid="ignore"):
        greatest = np.maximum(ALL, other)
        zeros = (ALL == 0) & (other == 0)
        assert_same(np.where(zeros, 0, done[0]), np.where(zeros, 0, greatest))
        assert_same(done[1], np.where(other > ALL, ALL, other))


def assert_same(actual: np.ndarray, expected: np.ndarray) -> None:
    """The same dtype and bits, but for those of NaNs."""
    assert actual.dtype == expected.dtype
    unequal = (actual != expected) & ~(np.isnan(actual) & np.isnan(expected))
    signs = (np.signbit(actual) != np.signbit(expected)) & ~np.isnan(expected)
    assert not (unequal | signs).any(), list(
        zip(expected[unequal | signs], actual[unequal | signs], strict=True)
    )[:5]
