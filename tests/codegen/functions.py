"""Elementary functions on the default device, apart from kernels: applied to arrays, and judged against exact values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
import pyopencl as cl

from eqsat.codegen.dialects import OPENCL_CPU, Dialect
from eqsat.codegen.dialects.dialect import suffix
from eqsat.codegen.rendering.helpers import Helpers
from eqsat.codegen.rendering.join import join
from eqsat.dtype import DType, float32, float64
from eqsat.runtime.opencl.program import OPTIONS, compile_source
from tests.codegen.device import queue

LANES = (1, 2, 3, 4, 8, 16)
GROUP = 16  # work-items in a group: PoCL compiles a kernel for each size of groups that it is launched with
NUMPY = {float32: np.float32, float64: np.float64}
WIDER = {float32: np.float64, float64: np.longdouble}
SPECIAL = (
    0.0,
    -0.0,
    np.inf,
    -np.inf,
    np.nan,
    1e-310,
    -1e-310,
    1e-40,
    -1e-40,
    1.0,
    -1.0,
    1e8,
    -1e9,
    1e38,
    1e308,
)


def source(
    name: str, dtype: DType, arguments: int = 1, kernel: str = "apply", dialect: Dialect = OPENCL_CPU
) -> str:
    """A kernel in which each work-item applies the function `name` once, to as many elements as `dtype` has lanes."""
    helpers = Helpers(dialect)
    loads = [f"{_load(dtype)}(item, in{number})" for number in range(arguments)]
    call = helpers.call(
        name, dtype, *(loads if dtype.lanes > 1 else [f"in{n}[item]" for n in range(arguments)])
    )
    store = f"vstore{suffix(dtype.lanes)}({call}, item, out)" if dtype.lanes > 1 else f"out[item] = {call}"
    scalar = OPENCL_CPU.value_type(dtype.scalar)
    parameters = [f"__global {scalar} *out", *(f"__global const {scalar} *in{n}" for n in range(arguments))]
    extension = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" if "double" in helpers.source else ""
    return (
        f"{extension}#pragma OPENCL FP_CONTRACT ON\n\n{helpers.source}"
        f"__kernel void {kernel}({', '.join(parameters)}) {{\n    const size_t item = get_global_id(0);\n    {store};\n}}\n"
    )


def apply(
    name: str,
    scalar: DType,
    *arrays: np.ndarray,
    lanes: int = 8,
    contract: bool = True,
    dialect: Dialect = OPENCL_CPU,
) -> np.ndarray:
    """The function `name` in `scalar` of each element (of each pair of elements), `lanes` at a time.

    Without `contract` no function lets the compiler fuse a multiplication and an addition; None forbids it outside of functions only.
    """
    return _launched(_kernel(name, scalar.vec(lanes), len(arrays), contract, dialect), scalar, lanes, arrays)


def apply_in_all_lanes(name: str, scalar: DType, *arrays: np.ndarray) -> dict[int, np.ndarray]:
    """The same for every number of lanes; one program has all kernels, which takes two thirds of the time to compile."""
    texts = [source(name, scalar.vec(lanes), len(arrays), f"apply{lanes}") for lanes in LANES]
    program = compile_source(queue().context, join(texts), OPTIONS)
    return {lanes: _launched(cl.Kernel(program, f"apply{lanes}"), scalar, lanes, arrays) for lanes in LANES}


def _launched(kernel: cl.Kernel, scalar: DType, lanes: int, arrays: Sequence[np.ndarray]) -> np.ndarray:
    inputs = np.broadcast_arrays(*(np.asarray(array, NUMPY[scalar]).reshape(-1) for array in arrays))
    size = inputs[0].size
    items = -(-size // (lanes * GROUP)) * GROUP
    flags = cl.mem_flags
    memory = [
        cl.Buffer(
            queue().context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=_filled(each, items * lanes)
        )
        for each in inputs
    ]
    result = np.empty(items * lanes, NUMPY[scalar])
    out = cl.Buffer(queue().context, flags.WRITE_ONLY, max(1, result.nbytes))
    kernel.set_args(out, *memory)
    cl.enqueue_nd_range_kernel(queue(), kernel, (items,), (GROUP,))
    cl.enqueue_copy(queue(), result, out)
    return result[:size]


def errors(result: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """How many units in the last place each result is off; `exact` has more digits than `result`.

    A NaN must be a NaN, an infinity is as far off as the power of two that would come next, and a zero of the wrong sign is infinitely wrong.
    """
    information, wide = np.finfo(result.dtype), exact.dtype.type
    with np.errstate(all="ignore"):
        rounded = exact.astype(result.dtype)
        above = wide(2) ** information.maxexp
        got = np.where(np.isinf(result), np.copysign(above, result), result.astype(wide))
        meant = np.where(np.isinf(rounded), np.copysign(above, exact), exact)
        exponent = np.maximum(np.frexp(np.abs(meant))[1] - 1, information.minexp)
        exponent = np.minimum(exponent, information.maxexp - 1)
        off = np.abs(got - meant) / np.ldexp(wide(1), exponent - information.nmant)
    wrong_sign = (result == 0) & (rounded == 0) & (np.signbit(result) != np.signbit(exact))
    off = np.where(wrong_sign | (np.isnan(result) != np.isnan(exact)), np.inf, off)
    return np.where(np.isnan(result) & np.isnan(exact), 0, off).astype(np.float64)


def worst(
    name: str,
    scalar: DType,
    reference: Callable[..., np.ndarray],
    *arrays: np.ndarray,
    dialect: Dialect = OPENCL_CPU,
) -> tuple[float, str]:
    """The largest error of the function `name`, in units in the last place, and where it is: with and without hardware that fuses a
    multiplication and an addition.
    """
    inputs = np.broadcast_arrays(*(np.asarray(array, NUMPY[scalar]).reshape(-1) for array in arrays))
    with np.errstate(all="ignore"):
        exact = np.asarray(reference(*(each.astype(WIDER[scalar]) for each in inputs)))
    fused = apply(name, scalar, *inputs, dialect=dialect)
    apart = apply(name, scalar, *inputs, contract=False, dialect=dialect)
    differs = fused.view(np.uint8).reshape(fused.size, -1) != apart.view(np.uint8).reshape(apart.size, -1)
    others = np.flatnonzero(differs.any(axis=1))
    return max(
        _largest(name, fused, exact, inputs),
        _largest(f"{name}, not contracted,", apart[others], exact[others], [each[others] for each in inputs]),
    )


def _largest(
    name: str, result: np.ndarray, exact: np.ndarray, inputs: Sequence[np.ndarray]
) -> tuple[float, str]:
    """The largest error of some results, and where it is."""
    if not result.size:
        return 0.0, ""
    off = errors(result, exact)
    at = int(np.argmax(off))
    given = ", ".join(f"{each[at]!r}" for each in inputs)
    return float(off[at]), f"{name}({given}) = {exact[at]!r}, not {result[at]!r}"


def singles(count: int, offset: int = 0) -> np.ndarray:
    """`count` float32 values whose bit patterns are spread evenly over all 2³²."""
    step = (1 << 32) // count
    return (np.arange(count, dtype=np.uint64) * step + offset).astype(np.uint32).view(np.float32)


def doubles(count: int, seed: int = 0) -> np.ndarray:
    """`count` float64 values of random bits: every sign and exponent is as likely."""
    return np.random.default_rng(seed).integers(0, 1 << 64, count, np.uint64).view(np.float64)


def near(points: np.ndarray | list[float], scalar: DType, reach: int = 64) -> np.ndarray:
    """The `2·reach + 1` neighbours of each point, by bit pattern, and their negatives."""
    integer = np.int32 if scalar == float32 else np.int64
    centre = np.asarray(points, NUMPY[scalar]).view(integer)
    around = (centre[:, None] + np.arange(-reach, reach + 1, dtype=integer)).reshape(-1).view(NUMPY[scalar])
    return np.concatenate([around, -around])


def _kernel(name: str, dtype: DType, arguments: int, contract: bool | None, dialect: Dialect) -> cl.Kernel:
    text = source(name, dtype, arguments, dialect=dialect)
    if not contract:
        text = text.replace("FP_CONTRACT ON", "FP_CONTRACT OFF", -1 if contract is False else 1)
    return _compiled(text)


@cache
def _compiled(text: str) -> cl.Kernel:
    return cl.Kernel(compile_source(queue().context, text, OPTIONS), "apply")


def _load(dtype: DType) -> str:
    return f"vload{suffix(dtype.lanes)}"


def _filled(array: np.ndarray, size: int) -> np.ndarray:
    """`array` and ones up to `size` elements."""
    filled = np.ones(max(size, 1), array.dtype)
    filled[: array.size] = array
    return filled
