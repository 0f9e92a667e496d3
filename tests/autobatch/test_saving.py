"""What recursive functions save across calls is extracted with the price of pushes."""

import numpy as np
import pytest

import eqsat as eq
from eqsat.autobatch import batch
from eqsat.autobatch.batch_program import BatchProgram
from eqsat.autobatch.ir import VariableAllocation
from eqsat.autobatch.saving import extraction
from tests.autobatch.agreement import differences
from tests.autobatch.drawn_programs import differences_of


@batch
def polynomial(n, a, b, c):
    """What follows the call reads four variables, and can be computed before it."""
    if n <= 0:
        return a
    return polynomial(n - 1, a, b, c) * 3 + (a * n + b * 2 - c) % 7


@batch
def halves(n, low):
    """Two of n, its half and the rest give the third."""
    if n <= 1:
        return low
    half = n // 2
    rest = n - half
    left = halves(half, low)
    right = halves(rest, low + half)
    return (left * 31 + right + half) % 1000003


@batch
def expensive(x, depth):
    """To compute `y` again would cost more than to save it."""
    if depth <= 0:
        return x
    y = ((x * 37 ^ (x >> 3)) * 41 ^ (x >> 5)) * 13 ^ (x * x)
    return (expensive((y ^ depth) & 1023, depth - 1) ^ x) + y


@batch
def with_arrays(v, n):
    """An operation on arrays lies between scalars that are computed."""
    if n <= 0:
        return v[0]
    first = n * 2 + 1
    v = v * 2 + first
    second = first + n
    return with_arrays(v[::-1], n - 1) + second - first + v[1]


@batch
def swapped(x, y, n):
    """The result of the call takes the name of a variable that is read afterwards."""
    if n <= 0:
        return x
    old = x
    x = swapped(y, x + 1, n - 1)
    y = swapped(x, old, n - 2)
    return x * 2 + y + old


def inputs(count, *highest):
    generator = np.random.default_rng(1)
    return [generator.integers(0, high, count).astype(np.int32) for high in highest]


def stacks_of(function, given):
    lowered = BatchProgram(function.program(*given)).lowered
    full = [name for name, how in lowered.var_alloc.items() if how is VariableAllocation.FULL]
    return len(full)


@pytest.mark.parametrize(
    ("function", "highest", "before", "after"),
    [(polynomial, (20, 9, 9, 9), 5, 2), (halves, (60, 9), 5, 4), (expensive, (900, 20), 3, 3)],
)
def test_functions_save_what_costs_least(monkeypatch, function, highest, before, after):
    given = inputs(50, *highest)
    assert stacks_of(function, given) == after
    assert not differences(BatchProgram(function.program(*given), eq.Plan(strict=True)), given)
    monkeypatch.setattr("eqsat.autobatch.batch_program.with_cheapest_saves", lambda program, plan: program)
    assert stacks_of(function, given) == before


def test_the_price_of_pushes_decides(monkeypatch):
    monkeypatch.setattr(extraction, "SAVING", 100.0)
    assert stacks_of(expensive, inputs(5, 900, 20)) == 2  # y is computed again


@pytest.mark.parametrize("saving_cycles", [0.5, 1000.0])
def test_results_are_the_same_at_any_price(monkeypatch, saving_cycles):
    monkeypatch.setattr(extraction, "SAVING", saving_cycles)
    vectors = np.arange(12, dtype=np.int32).reshape(4, 3)
    for function, given in ((with_arrays, [vectors, *inputs(4, 5)]), (swapped, inputs(20, 9, 9, 7))):
        program = BatchProgram(function.program(*given), eq.Plan(strict=True))
        assert not differences(program, given, ["numpy"])
    assert not differences_of(21, machines=["numpy"])
