"""Products of bytes are products of words, and only where every factor is a byte and rows have a word."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import eqsat as eq
from eqsat.array.core import Array
from eqsat.extract.costs.protocol import Node
from eqsat.ops import Op

BYTES = ("int8", "uint8")
PAIRS = list(product(BYTES, BYTES))
SHAPES = [(3, 4, 5), (17, 39, 20), (20, 65, 16), (2, 4098, 3)]
HALF = [  # of all pairs in all shapes: two in each
    (*pair, shape)
    for number, pair in enumerate(PAIRS)
    for place, shape in enumerate(SHAPES)
    if (number + place) % 2 == 0
]


class ProductsAreDear:
    """Prices products of integers above all, so that whatever else machines prefer is no matter."""

    name, unit = "products are dear", "operations"

    def cost(self, node: Node) -> float:
        return 1e6 * node.elements if node.op is Op.MUL else 1.0


def multiplied(a: Array, b: Array) -> Array:
    return a.astype(eq.int32) @ b.astype(eq.int32)


def words_of(arrays: list[np.ndarray]) -> eq.UOp:
    """The graph of a product, in which products of integers are avoided where they can be."""
    specs = [eq.spec(each.shape, getattr(eq, str(each.dtype))) for each in arrays]
    return eq.optimize(eq.trace(multiplied, *specs), eq.Plan(cost=ProductsAreDear())).uop


def has_words(graph: eq.UOp) -> bool:
    return any(node.op is Op.DOT for node in graph.toposort())


def drawn(shape: tuple[int, ...], dtype: str, *, extremes: bool, seed: int = 0) -> np.ndarray:
    limits, draw = np.iinfo(dtype), np.random.default_rng(seed)
    if extremes:
        return draw.choice([limits.min, limits.max], shape).astype(dtype)
    return draw.integers(limits.min, limits.max + 1, shape).astype(dtype)


def require_right(graph: eq.UOp, *choices: list[np.ndarray]) -> None:
    program = eq.compile(graph)
    for arrays in choices:
        a, b = (each.astype(np.int32) for each in arrays)
        np.testing.assert_array_equal(eq.evaluate(graph, dict(enumerate(arrays)))[0], a @ b)
        np.testing.assert_array_equal(np.asarray(program(*arrays)), a @ b)


@pytest.mark.parametrize(("one", "other", "shape"), HALF)
def test_bytes_are_multiplied_in_words(one: str, other: str, shape: tuple[int, int, int]) -> None:
    rows, terms, columns = shape
    ordinary, extreme = (
        [
            drawn((rows, terms), one, extremes=extremes),
            drawn((terms, columns), other, extremes=extremes, seed=1),
        ]
        for extremes in (False, True)
    )
    graph = words_of(ordinary)
    assert has_words(graph)
    require_right(graph, ordinary, extreme)


@pytest.mark.parametrize(
    ("one", "other"), [(np.int16, np.int8), (np.int8, np.uint16), (np.int32, np.int32)], ids=str
)
def test_what_may_be_no_byte_is_left(one: type, other: type) -> None:
    arrays = [np.ones((4, 8), one), np.ones((8, 4), other)]
    graph = words_of(arrays)
    assert not has_words(graph)
    require_right(graph, arrays)


@pytest.mark.parametrize("terms", [1, 3])
def test_rows_of_less_than_a_word_are_left(terms: int) -> None:
    arrays = [drawn((4, terms), "int8", extremes=True), drawn((terms, 4), "int8", extremes=True)]
    graph = words_of(arrays)
    assert not has_words(graph)
    require_right(graph, arrays)


def test_bytes_by_their_bounds_are_bytes() -> None:
    """Integers of 32 bits, of which the lowest bits are taken."""
    a, b = np.arange(-40, 40, dtype=np.int32).reshape(4, 20), np.arange(60, dtype=np.int32).reshape(20, 3)
    specs = [eq.spec(each.shape, eq.int32) for each in (a, b)]
    graph = eq.trace(lambda x, y: (x & 255) @ (y & 127), *specs)
    found = eq.optimize(graph, eq.Plan(cost=ProductsAreDear())).uop
    assert has_words(found)
    np.testing.assert_array_equal(eq.evaluate(found, {0: a, 1: b})[0], (a & 255) @ (b & 127))


@pytest.mark.parametrize("lanes", [1, 2, 3, 4, 8, 16])
def test_a_device_multiplies_words_as_the_reference_does(lanes: int) -> None:
    draw = np.random.default_rng(lanes)
    x, y, z = (draw.integers(-(2**31), 2**31, (16 * lanes,)).astype(np.int32) for _ in range(3))
    x[:3], y[:3] = (-1, 0, 0x80808080 - 2**32), (-1, 0x7F7F7F7F, 0x80808080 - 2**32)
    alone, summed = (eq.UOp.param(slot, 16 * lanes, eq.int32) for slot in range(2))
    graph = eq.UOp.sink(
        alone.alu(Op.DOT, summed), alone.alu(Op.DOT, summed) + eq.UOp.param(2, 16 * lanes, eq.int32)
    )
    expected = eq.evaluate(list(graph.src), {0: x, 1: y, 2: z})
    unsigned, signed = (
        each.view(kind).reshape(-1, 4).astype(np.int64) for each, kind in ((x, np.uint8), (y, np.int8))
    )
    np.testing.assert_array_equal(expected[0], (unsigned * signed).sum(1))
    for result, value in zip(eq.compile(graph)(x, y, z), expected, strict=True):
        np.testing.assert_array_equal(result, value)
