"""Batched functions of every kind of control flow, for every dtype that makes sense, with inputs on which they end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import eqsat as eq
from eqsat.autobatch import Batched, batch
from eqsat.autobatch.batch_program import BatchProgram
from eqsat.dtype import FLOATS, INTS, SIGNED, DType, bool_, float64, to_numpy
from tests.autobatch.frontend import programs

Arrays = list[NDArray[Any]]
LEAVES = 7
CELLS = 5


@batch
def tree_sum(values, node):
    """The sum of a binary tree whose node n has the children 2n + 1 and 2n + 2."""
    if node >= LEAVES:
        return values[0] * 0
    return values[node] + tree_sum(values, 2 * node + 1) + tree_sum(values, 2 * node + 2)


@batch
def swapped_gcd(a, b):
    """Subtracts instead of dividing, so that floats and small ints can take part."""
    if a < b:
        a, b = b, a
    if b <= 0:
        return a
    return swapped_gcd(a - b, b)


@batch
def heavy(n, x):
    """Recursion from within a loop, with products of matrices at its leaves."""
    if n == 0:
        return (x @ x)[1, 0]
    total = x[0, 0]
    for k in range(n):
        total = total * x[1, 1] - heavy(k, x * x[0, 1] + k)
    return total


@batch
def parity(flags, place, odd):
    """The parity of the flags from a place on."""
    if place == CELLS:
        return odd
    return parity(flags, place + 1, odd ^ flags[place])


@batch
def last_digits(n, base):
    """How many digits other than 0 a number has."""
    count = 0
    while n != 0:
        digit = n % base
        count += 1 if digit != 0 else 0
        n = n // base
    return count


@batch
def mutual(n, x):
    """Calls another function that calls it, not at the end, with an array on the stack."""
    if n <= 0:
        return x
    y = other(n - 1, x + 2)
    return y * x


@batch
def other(n, x):
    y = mutual(n - 2, x[::-1])
    return y - x


@dataclass(frozen=True)
class Workload:
    """A function and its inputs.

    Attributes:
        function: see above.
        dtypes: for which `types` and `draw` give arguments.
        types: of the arguments of one member.
        draw: arguments of so many members.
        dearness: how many times the work of the cheapest ones a member is, about.
    """

    function: Batched
    dtypes: Sequence[DType]
    types: Callable[[DType], Sequence[Any]]
    draw: Callable[[np.random.Generator, int, DType], Arrays]
    dearness: int = 1

    def program(self, dtype: DType, **options: Any) -> BatchProgram:
        """What runs the function, under a strict plan."""
        plan = eq.Plan(strict=True, **options)
        return BatchProgram(self.function.program(*self.types(dtype)), plan, self.function.source.name)


def uniform(
    generator: np.random.Generator, dtype: DType, low: float, high: float, *shape: int
) -> NDArray[Any]:
    """Numbers from `low` to `high`, both included for ints, that the dtype holds."""
    if dtype == bool_:
        return generator.integers(0, 2, shape).astype(bool)
    if dtype.is_float:
        values = generator.uniform(low, high, shape).astype(to_numpy(dtype))
        if dtype == eq.bfloat16:
            return (values.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)
        return values
    low = max(low, 0) if dtype not in SIGNED else low
    return generator.integers(int(low), int(high), shape, to_numpy(dtype), endpoint=True)


def counts(generator: np.random.Generator, dtype: DType, high: int, count: int) -> NDArray[Any]:
    """Integers from 0 to `high` in any dtype."""
    return generator.integers(0, high, count, endpoint=True).astype(to_numpy(dtype))


NUMBERS = (*INTS, *FLOATS)
I32 = eq.int32
_int = to_numpy(I32)


def _vectors(generator: np.random.Generator, count: int, dtype: DType) -> Arrays:
    x = uniform(generator, dtype, -50, 50, count, CELLS)
    return [x, np.zeros(count, _int), np.full(count, CELLS - 1, _int)]


def _points(generator: np.random.Generator, count: int, dtype: DType) -> Arrays:
    return [
        uniform(generator, dtype, -2, 1, count),
        uniform(generator, dtype, -1, 1, count),
        counts(generator, I32, 25, count),
    ]


def _boards(generator: np.random.Generator, count: int, dtype: DType) -> Arrays:
    del dtype
    return [counts(generator, I32, 5, count), *(np.zeros(count, _int) for _ in range(4))]


WORKLOADS = {
    "fibonacci": Workload(
        programs.fibonacci, NUMBERS, lambda d: [d], lambda g, n, d: [counts(g, d, 9, n)], 4
    ),
    "even": Workload(programs.even, NUMBERS, lambda d: [d], lambda g, n, d: [counts(g, d, 90, n)], 4),
    "ackermann": Workload(
        programs.ackermann,
        NUMBERS,
        lambda d: [d, d],
        lambda g, n, d: [counts(g, d, 2, n), counts(g, d, 4, n)],
        4,
    ),
    "tail_sum": Workload(
        programs.tail_sum,
        INTS,
        lambda d: [d, d],
        lambda g, n, d: [counts(g, d, 60, n), uniform(g, d, -9, 9, n)],
        2,
    ),
    "gcd": Workload(
        programs.gcd, INTS, lambda d: [d, d], lambda g, n, d: [uniform(g, d, -99, 120, n) for _ in range(2)]
    ),
    "swapped_gcd": Workload(
        swapped_gcd, NUMBERS, lambda d: [d, d], lambda g, n, d: [counts(g, d, 30, n) for _ in range(2)]
    ),
    "tree_sum": Workload(
        tree_sum,
        NUMBERS,
        lambda d: [eq.spec((LEAVES,), d), I32],
        lambda g, n, d: [uniform(g, d, -20, 20, n, LEAVES), counts(g, I32, 2, n)],
        2,
    ),
    "collatz": Workload(
        programs.collatz,
        tuple(dtype for dtype in INTS if dtype.bits > 16),
        lambda d: [d],
        lambda g, n, d: [counts(g, d, 300, n) + to_numpy(d).type(1)],
        4,
    ),
    "last_digits": Workload(
        last_digits,
        INTS,
        lambda d: [d, d],
        lambda g, n, d: [uniform(g, d, 0, 127, n), counts(g, d, 7, n) + to_numpy(d).type(2)],
    ),
    "mandelbrot": Workload(programs.mandelbrot, FLOATS, lambda d: [d, d, I32], _points, 2),
    "bisection": Workload(
        programs.bisection, FLOATS, lambda d: [d], lambda g, n, d: [uniform(g, d, 0, 9, n)], 4
    ),
    "quicksort": Workload(
        programs.quicksort, NUMBERS, lambda d: [eq.spec((CELLS,), d), I32, I32], _vectors, 4
    ),
    "heavy": Workload(
        heavy,
        (eq.int32, eq.int64, eq.uint16, eq.float32, float64),
        lambda d: [I32, eq.spec((3, 3), d)],
        lambda g, n, d: [counts(g, I32, 3, n), uniform(g, d, -2, 2, n, 3, 3)],
        2,
    ),
    "mutual": Workload(
        mutual,
        (eq.int8, eq.uint32, eq.int64, eq.float16, eq.bfloat16, eq.float32, float64),
        lambda d: [I32, eq.spec((3,), d)],
        lambda g, n, d: [counts(g, I32, 12, n), uniform(g, d, -2, 2, n, 3)],
    ),
    "parity": Workload(
        parity,
        (bool_,),
        lambda d: [eq.spec((CELLS,), d), I32, d],
        lambda g, n, d: [uniform(g, d, 0, 1, n, CELLS), counts(g, I32, CELLS, n), uniform(g, d, 0, 1, n)],
    ),
    "queens": Workload(programs.queens, (eq.int32,), lambda d: [d] * 5, _boards, 8),
}
