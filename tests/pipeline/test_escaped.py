"""An array that outlives the trace in which it was made is never taken for an argument of another function."""

import numpy as np
import pytest

import eqsat as eq
from eqsat.pipeline import emit_c
from tests.pipeline.test_just_in_time import X


class Cached:
    @eq.jit
    def store(self, x):
        self.cache = x * 2
        return x

    @eq.jit
    def load(self, y):
        return y + self.cache


def kept_by(make):
    """An array that a function kept while it was traced by `make`."""
    kept = []
    make(lambda a: (kept.append(a), a)[1])
    return kept[-1]


kept_members = []


def keeping(x):
    return keep(x) + 1


def keep(x):
    kept_members.append(x)
    return x


def kept_in_a_batched_function():
    eq.autobatch.batch(keeping)(X)
    return kept_members[-1]


ESCAPED = {
    "jit": lambda: kept_by(lambda function: eq.jit(function)(X)),
    "views": lambda: kept_by(lambda function: eq.jit(function)(np.ones((40, 60)).T)),
    "trace": lambda: kept_by(lambda function: eq.trace(function, eq.spec(3, "float32"))),
    "vmap": lambda: kept_by(lambda function: eq.vmap(function)(np.zeros((4, 3), np.float32))),
    "vmap in jit": lambda: kept_by(lambda function: eq.jit(eq.vmap(function))(np.zeros((4, 3), np.float32))),
    "batch": kept_in_a_batched_function,
    "by hand": lambda: eq.placeholder(0, 3, "float32"),
    "by hand, of a later slot": lambda: eq.placeholder(1, 3, "float32"),
    "by hand, of a huge slot": lambda: eq.placeholder(1 << 40, 3, "float32"),
}
READERS = {
    "jit": lambda y, escaped: eq.jit(lambda y: (y, {"a": eq.sum(escaped) + y}))(y),
    "nested jit": lambda y, escaped: eq.jit(lambda y: 2 * eq.jit(lambda z: z + eq.sum(escaped))(y))(y),
    "vmap in jit": lambda y, escaped: eq.jit(eq.vmap(lambda a: a + eq.sum(escaped)))(y),
    "trace": lambda y, escaped: eq.trace(lambda y: y + eq.sum(escaped), eq.spec(3, "float32")),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("escaped", ESCAPED)
def test_an_array_of_another_trace_is_no_argument(escaped, reader):
    array = ESCAPED[escaped]()
    if (escaped, reader) == ("by hand, of a later slot", "trace"):
        assert READERS[reader](X, array).op is eq.Op.SINK
        return
    with pytest.raises(
        eq.BuildError, match="reads an array that .* return it there, and pass it here as an argument"
    ):
        READERS[reader](X, array)


def test_an_array_of_an_earlier_call_or_of_an_outer_function_is_no_argument():
    cached = Cached()
    cached.store(X)
    with pytest.raises(eq.BuildError, match="load reads an array"):
        cached.load(X)
    with pytest.raises(eq.BuildError, match="reads an array"):
        eq.jit(lambda x: eq.jit(lambda y: y + x)(np.ones(3, np.float32)))(X)
    with pytest.raises(eq.UnknownValueError, match="use its results instead"):
        np.asarray(cached.cache)


def test_a_batched_function_takes_no_array_of_another_trace():
    escaped = kept_by(lambda function: eq.jit(function)(X))
    with pytest.raises(eq.BuildError, match=r"test_escaped\.py.* reads an array that is neither"):
        batched_reading(escaped)


def batched_reading(escaped):
    @eq.autobatch.batch
    def reading(x):
        return x + eq.sum(escaped)

    return reading(X)


def test_graphs_of_equal_functions_are_one():
    graphs = [eq.trace(lambda x, y: x @ y + 1, *(eq.spec((3, 3), "float32"),) * 2) for _ in range(2)]
    assert graphs[0] is graphs[1]
    by_hand = [eq.placeholder(slot, (3, 3), "float32") for slot in range(2)]
    assert (by_hand[0] @ by_hand[1] + 1).uop is graphs[0].src[0]


@pytest.mark.parametrize("slot", [1 << 16, 1 << 31, 1 << 32, 1 << 62])
def test_huge_numbers_of_arguments_are_refused(slot):
    graph = eq.UOp.sink(eq.placeholder(slot, 3, "float32").uop * 2.0)
    for compiled in (eq.compile, emit_c):
        with pytest.raises(
            eq.BuildError, match="has an argument number|argument of a function that is being traced"
        ):
            compiled(graph)
