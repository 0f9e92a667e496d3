"""Simple kernels on arrays of every dtype and size at every offset, in a process that may crash: `python -m tests.runtime.sweep`.

One line is printed before each step, so that whoever reads knows what a process died of; another for each wrong result.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

import eqsat as eq
from eqsat.dtype import DType, to_numpy
from eqsat.pipeline.compilation import compile_as_it_is
from eqsat.pipeline.planning.plan import Plan
from eqsat.runtime.opencl import pocl
from eqsat.uop import UOp

DTYPES: dict[str, DType] = {
    dtype.name: dtype
    for dtype in (
        eq.bool_, eq.int8, eq.int16, eq.int32, eq.int64, eq.uint8, eq.uint16, eq.uint32, eq.uint64,
        eq.float16, eq.bfloat16, eq.float32, eq.float64,
    )
}  # fmt: skip
SIZES = (*range(1, 131), 169, 257, 511, 930, 1001, 4099, 65537)
OFFSETS = 16  # elements, and bytes
FLOAT16_OF = {eq.float32, eq.float64, eq.bfloat16}  # cast to float16, the others to float32
Kernel = Callable[..., Any]


def kernels(dtype: DType) -> dict[str, tuple[int, Kernel, Kernel]]:
    """By name: how many arrays it takes, a function of eqsat's, and what NumPy does instead."""
    other = eq.float16 if dtype in FLOAT16_OF else eq.float32
    if dtype is eq.bool_:
        either, most = operator.or_, (eq.any, np.any)
    else:
        either, most = operator.add, (eq.max, np.max)
    return {
        "fill": (0, lambda size: eq.ones(size, dtype=dtype), lambda size: np.ones(size, to_numpy(dtype))),
        "copy": (1, lambda size, x: eq.flip(x), lambda size, x: x[::-1]),
        "add": (2, lambda size, x, y: either(x, y), lambda size, x, y: either(x, y)),
        "cast": (1, lambda size, x: eq.astype(x, other), lambda size, x: x.astype(to_numpy(other))),
        "reduce": (1, lambda size, x: most[0](x), lambda size, x: most[1](x)),
    }


def views(values: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """Equal arrays that lie differently in memory."""
    size, item = values.size, values.itemsize
    room = np.zeros((size + OFFSETS + 2) * item, np.uint8)
    start = -room.ctypes.data % item
    for offset in range(OFFSETS):
        view = room[start + offset * item :][: size * item].view(values.dtype)
        view[:] = values
        yield f"{offset} elements on", view
    for offset in range(1, OFFSETS):
        view = room[start + offset :][: size * item].view(values.dtype)
        view[:] = values
        yield f"{offset} bytes on", view
    reverse = values[::-1].copy()
    yield "reversed", reverse[::-1]
    yield "every second element", np.repeat(values, 2)[::2]


def sweep(dtype: DType, sizes: Sequence[int]) -> None:
    """Run every kernel on every view of arrays of every size; print each step and each wrong result."""
    random = np.random.default_rng(sizes[0])
    low, high = (0, 2) if dtype is eq.bool_ or dtype.kind == "u" else (-2, 3)
    for name, (count, ours, theirs) in kernels(dtype).items():
        _say(f"step {dtype.name} {sizes[0]} to {sizes[-1]} {name}")
        arrays = [
            random.integers(low, high, size).astype(to_numpy(dtype)) for size in sizes for _ in range(count)
        ]
        program = compile_as_it_is(_traced(ours, count, sizes, dtype), Plan())
        per_size = [arrays[number * count : number * count + count] for number in range(len(sizes))]
        expected = [theirs(size, *own) for size, own in zip(sizes, per_size, strict=True)]
        for laid_out in zip(*map(views, arrays), strict=True) if arrays else [()]:
            results = program.run([view for _, view in laid_out])
            for size, result, right in zip(sizes, results, expected, strict=True):
                if not np.array_equal(result, right):
                    place = laid_out[0][0] if laid_out else ""
                    _say(f"wrong {dtype.name} {size} {name} {place}")


def _traced(kernel: Kernel, count: int, sizes: Sequence[int], dtype: DType) -> UOp:
    """One graph with an output for each size; its kernels share a program, which compiles four times as fast."""

    def outputs(*arrays: Any) -> tuple[Any, ...]:
        return tuple(
            kernel(size, *arrays[number * count : number * count + count])
            for number, size in enumerate(sizes)
        )

    return eq.trace(outputs, *(eq.spec((size,), dtype) for size in sizes for _ in range(count)))


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(dtypes: str, naming: str, *sizes: str) -> None:
    """Sweep over `dtypes`, with commas between, and `sizes`; `naming` is "named" to have PoCL's processor named after its functions."""
    if naming == "named":
        pocl.is_misnamed = lambda device: pocl.name_of(device) is not None
    for dtype in dtypes.split(","):
        sweep(DTYPES[dtype], [int(size) for size in sizes])
    _say("done")


if __name__ == "__main__":
    main(*sys.argv[1:])
