"""Drawn programs of arrays with one or two dynamic axes: compiled once, and right for drawn extents.

`python -m tests.dynamic --draws 200 --seed 7` compares many; the suite draws a few.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import eqsat as eq
from eqsat.codegen import RenderedKernel
from eqsat.integers.values import value_of
from eqsat.pipeline.programs.ranged import RangedProgram
from eqsat.runtime.record import VARIABLE as RECORD
from eqsat.runtime.record import record
from tests import oclgrind

GREATEST = 50
STATIC = (1, 3, 4, 8, 17)
DTYPES = (eq.float32, eq.float32, eq.float64)
VALUES = (1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 47, 48, 49, 50)

Step = Callable[[Any], Any]


def evaluated(function: Callable[..., Any], arrays: Sequence[NDArray[Any]]) -> tuple[NDArray[Any], ...]:
    """The meaning of a function of arrays of known shapes."""
    specs = [eq.spec(array.shape, array.dtype) for array in arrays]
    return eq.evaluate(eq.trace(function, *specs), dict(enumerate(arrays)))


def at(shape: Sequence[int], values: dict[str, int]) -> tuple[int, ...]:
    """A shape for values of its dims."""
    return tuple(extent.at(values) if isinstance(extent, eq.Extent) else extent for extent in shape)


def require_right(
    function: Callable[..., Any],
    shapes: Sequence[tuple[int, ...]],
    values: Sequence[dict[str, int]],
    dtype: Any = eq.float32,
) -> eq.Program:
    """Compiles a function once, and compares what it returns for all values of dims with the meaning of programs of fixed shapes."""
    program = eq.compile(eq.trace(function, *(eq.spec(shape, dtype) for shape in shapes)))
    draw = np.random.default_rng(len(shapes))
    for each in values:
        arrays = [draw.normal(size=at(shape, each)).astype(dtype.name) for shape in shapes]
        found = program.run(arrays)
        for one, other in zip(found, evaluated(function, arrays), strict=True):
            assert one.shape == other.shape, (each, one.shape, other.shape)
            assert one.dtype == other.dtype
            np.testing.assert_allclose(one, other, rtol=2e-4, atol=1e-4, err_msg=str(each))
    return program


def part_at(program: eq.Program, values: dict[str, int]) -> eq.Program:
    """The program that a call runs."""
    return program.part(values) if isinstance(program, RangedProgram) else program


def kernels_at(program: eq.Program, values: dict[str, int]) -> list[RenderedKernel]:
    """The kernels as one call launches them: on buffers as large as that needs, with the values of variables."""
    program = part_at(program, values)
    specs = program.schedule.buffers

    def elements(number: int) -> int:
        spec = specs[number]
        if spec.capacity is not None:
            return value_of(spec.capacity, values)
        return spec.size.at(values) if isinstance(spec.size, eq.Extent) else spec.size

    found: list[RenderedKernel] = []
    for planned, kernel in zip(program.schedule.kernels, program.kernels, strict=True):
        launch = tuple(value_of(size, values) for size in kernel.sizes) or kernel.global_size
        arguments = tuple(
            replace(each, size=elements(planned.buffers[each.slot])) for each in kernel.arguments
        )
        variables = tuple(replace(each, greatest=values[each.name]) for each in kernel.variables)
        if 0 not in launch:
            found.append(replace(kernel, global_size=launch, arguments=arguments, variables=variables))
    return found


def require_clean(program: eq.Program, calls: Sequence[dict[str, int]]) -> None:
    """Asserts that Oclgrind reports nothing about the kernels of some calls. Where a run records its kernels, the referee asks it at the end."""
    kernels = [kernel for values in calls for kernel in kernels_at(program, values)]
    if RECORD in os.environ:
        record(kernels)
        return
    for kernel, reports in zip(kernels, oclgrind.check_kernels(kernels), strict=True):
        assert not reports, (kernel.source, reports)


def drawn(chance: np.random.Generator) -> tuple[Callable[[Any], Any], tuple[int, ...]]:
    """A function of one array, and the shape of that: of two or three axes, of which one or two are dynamic."""
    n, m = eq.dim("n", 1, GREATEST), eq.dim("m", 1, GREATEST)
    rank = int(chance.integers(2, 4))
    shape: list[int] = [int(chance.choice(STATIC)) for _ in range(rank)]
    places = chance.permutation(rank)[: int(chance.integers(1, 3))]
    for place, extent in zip(places.tolist(), (n, m), strict=False):
        shape[place] = extent
    steps = [_step(chance) for _ in range(int(chance.integers(2, 6)))]

    def function(x: Any) -> Any:
        for step in steps:
            x = step(x) if x.ndim else x * 0.5
        return x

    return function, tuple(shape)


def _step(chance: np.random.Generator) -> Step:
    """One operation on an array of any number of axes from 1 on."""
    pick = float(chance.uniform())

    def axis(x: Any) -> int:
        return int(pick * x.ndim)

    steps: list[Step] = [
        lambda x: x * 0.5 + 1.0,
        lambda x: eq.exp(-eq.abs(x)),
        lambda x: eq.sum(x, axis=axis(x)),
        lambda x: eq.max(x, axis=axis(x), keepdims=True) - x,
        lambda x: x - eq.mean(x, axis=axis(x), keepdims=True),
        lambda x: eq.softmax(x, axis=axis(x)),
        lambda x: eq.permute_dims(x, tuple(range(x.ndim))[::-1]),
        lambda x: (
            x
            + eq.astype(eq.arange(x.shape[axis(x)]), x.dtype).reshape(
                tuple(x.shape[each] if each == axis(x) else 1 for each in range(x.ndim))
            )
            * 0.01
        ),
        lambda x: x[None],
        lambda x: eq.cumulative_sum(x, axis=axis(x)) * 0.1,
        lambda x: x @ eq.matrix_transpose(x) * 0.1 if x.ndim > 1 else x,
        lambda x: eq.stack([x, x * 2.0], axis=axis(x)),
        lambda x: eq.var(x, axis=axis(x)),
        lambda x: eq.min(x, axis=axis(x)),
        lambda x: eq.where(x > 0.1, x, -x),
        lambda x: eq.concat([eq.ones((2, *x.shape[1:]), dtype=x.dtype), x], axis=0),
        lambda x: eq.pad(x, ((1, 0), *((0, 0),) * (x.ndim - 1))),
        lambda x: _differences(eq.concat([x[-1][None], x], axis=0)),
        lambda x: x[-1][None],
        lambda x: eq.max(_at_index(eq.argmax, x, axis(x)), axis=axis(x)),
        lambda x: _at_index(eq.argmin, x, axis(x)) + x,
        lambda x: eq.take(x, eq.arange(x.shape[axis(x)]) // 2, axis=axis(x)),
        lambda x: eq.sum(x[..., None] * x[..., None, :], axis=-1),
        lambda x: eq.astype(eq.sum(x > 0.0, axis=axis(x)), x.dtype),
        lambda x: eq.prod(x * 0.5 + 1.0, axis=axis(x)),
        lambda x: eq.mean(x) + x,
        lambda x: eq.all(x > -9.0, axis=axis(x)).astype(x.dtype) if x.ndim > 1 else x,
        lambda x: _of_neighbours(x, axis(x)),
        lambda x: eq.flip(x, axis=axis(x)),
        lambda x: eq.max_pool1d(x, 3, stride=2, padding=1) if x.ndim > 1 else x,
        lambda x: eq.avg_pool1d(x, 3, stride=2, padding=1, count_include_pad=False) if x.ndim > 1 else x,
        lambda x: (
            eq.conv1d(x[None, None], eq.ones((2, 1, 3), dtype=x.dtype), padding=1)[0] if x.ndim == 1 else x
        ),
    ]
    return steps[int(chance.integers(len(steps)))]


def _at_index(find: Callable[..., Any], x: Any, axis: int) -> Any:
    """The values at the indices that are found; of sums that are all 1 but for rounding, any index may be that of the greatest."""
    return eq.take_along_axis(x, find(x, axis=axis, keepdims=True), axis=axis)


def _of_neighbours(x: Any, axis: int) -> Any:
    """Each element less those before and after it along an axis, of which there are none at the ends."""
    framed = eq.pad(x, [(1, 1) if each == axis else (0, 0) for each in range(x.ndim)])
    before, after = (framed[(slice(None),) * axis + (part,)] for part in (slice(None, -2), slice(2, None)))
    return x - 0.5 * before - 0.25 * after


def _differences(x: Any) -> Any:
    return x[1:] - x[:-1]


def require_drawn_right(seed: int) -> None:
    """Compares one drawn program for some drawn extents."""
    chance = np.random.default_rng(seed)
    function, shape = drawn(chance)
    values = [
        {"n": int(n), "m": int(m)}
        for n, m in zip(chance.choice(VALUES, 4), chance.choice(VALUES, 4), strict=True)
    ]
    require_right(function, [shape], values, DTYPES[int(chance.integers(len(DTYPES)))])


def main() -> None:
    """Compares as many as are asked for."""
    command = argparse.ArgumentParser(description=__doc__)
    command.add_argument("--draws", type=int, default=100)
    command.add_argument("--seed", type=int, default=0)
    parsed = command.parse_args()
    for seed in range(parsed.seed, parsed.seed + parsed.draws):
        try:
            require_drawn_right(seed)
        except Exception as error:
            error.add_note(f"seed {seed}")
            raise
    sys.stdout.write(f"{parsed.draws} programs agree\n")


if __name__ == "__main__":
    main()
