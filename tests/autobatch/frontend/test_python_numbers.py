"""Python numbers are weak: they compute in 64 bits, and take the dtype of another value only where they meet it (NEP 50)."""

import numpy as np
import pytest

from eqsat.autobatch import batch
from eqsat.autobatch.ir.patterns import leaves
from eqsat.errors import DTypeError
from tests.autobatch import drawn_programs
from tests.autobatch.frontend.members import by_python


@batch
def state(n):
    s = 1
    for _ in range(n):
        s = (s * 1103515245 + 12345) % 2147483648
    return s


@batch
def parts_of_a_state(n, f):
    s = state(n)
    return (s % 1000) * f, f - s % 7 / 4, min(s, 70001) % 10 * f, s * 1000003 + 1, s / 3


@batch
def odd_counts(n, f):
    t, i = f, 0
    for i in range(n):
        t = t + (i * i % 7) * f
    return t, f * (i % 2)


@batch
def hundreds(n, f):
    s = 0
    while s < 300:
        s += 1
    return s // 100 + n, n * (s % 7), n < s, n == s - 256, s - 300 >= n, f * True


@batch
def signs(n, f):
    s = -5
    for _ in range(3):
        s += 1
    return n + abs(s), (s < 0) + n, n * (s < -1) + (s > -3), s < n, s != n, -(s < 0), ~s, f


@batch
def chosen(n, f):
    return (
        (10, 20, 300)[n % 3] // 7 * f,
        (10, 20)[not n] + n,
        int(f) // 2 * f,
        float(n) / 3 + f,
        round(f) % 3 * f,
    )


@batch
def bools(n, f):
    both = (not n) + (not f)
    few = (n in (1, 2)) + (n in (2, 3)) + any([n > 1, f > 1])
    return both, few, (n > 0) + (f > 0), (not n) & (not f), True if n > 1 else not f


FUNCTIONS = (parts_of_a_state, odd_counts, hundreds, signs, chosen, bools)


@pytest.mark.parametrize("function", FUNCTIONS, ids=[each.source.name for each in FUNCTIONS])
@pytest.mark.parametrize("dtypes", ["int8 float16", "uint8 float32", "int32 float32", "uint64 float64"])
def test_python_numbers_meet_narrow_values(function, dtypes):
    n, f = (
        np.array(values, dtype)
        for values, dtype in zip(([1, 9, 120], [0, 1, 2.5]), dtypes.split(), strict=True)
    )
    with np.errstate(over="ignore"):
        wanted = [np.array(column) for column in zip(*by_python(function, (n, f)), strict=True)]
    for machine in ("interpreter", "opencl"):
        for got, column in zip(leaves(function(n, f, machine=machine)), wanted, strict=True):
            assert got.dtype == column.dtype
            np.testing.assert_array_equal(got, column)


@pytest.mark.parametrize("seed", [9, 100, 101])
def test_drawn_programs_with_python_numbers(seed):
    """More by `python -m tests.autobatch.drawn_programs --numbers`. The first was wrong once: a quotient had the dtype of another result."""
    assert not drawn_programs.differences_of(seed, has_numbers=True)


@batch
def sums(n, m, depth):
    if depth == 0:
        return n + m
    return sums(n, m, depth - 1)


@batch
def bounded(n, m):
    return n < m, m // 1000 + n


def test_numbers_that_do_not_fit_are_refused():
    """As NumPy refuses them, where they meet a dtype; also in a function that is called."""
    n, depth = np.array([1, 2], np.uint8), np.array([0, 1])
    assert sums(n, 255, depth).tolist() == [0, 1]
    for number in (256, -1):
        with pytest.raises(DTypeError, match=rf"{number} .*test_python_numbers"):
            sums(n, number, depth)
    assert sums(n, np.array([256, 256]), depth).tolist() == [257, 258]
    less, total = bounded(n, 3000)
    assert (less.tolist(), total.tolist()) == ([True, True], [4, 5])
    with pytest.raises(DTypeError, match="2147483648"):
        sums(np.array([1], np.int32), 2**31, np.array([0]))


def test_numbers_as_arguments_are_python_numbers():
    @batch
    def parts(k, flag, f):
        return k * f, k / 3, flag + flag

    product, third, twice = parts(7, True, np.float32([1]))
    assert (product.dtype, third.tolist(), twice.tolist()) == (np.float32, [7 / 3], [2])
