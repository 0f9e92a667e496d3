"""Products of small integers are summed as floats, and only where no sum is rounded."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import eqsat as eq
from eqsat.array.core import Array
from eqsat.extract.costs.protocol import Node
from eqsat.ops import Op

BYTES = {"int8": -128, "uint8": 255}  # with the number of the greatest magnitude
TERMS = {("int8", "int8"): 1024, ("uint8", "uint8"): 258}  # whose sum is at most 2**24; of others 514
PAIRS = list(product(BYTES, BYTES))
SUMS = ("int32", "int64", "uint32", "uint64")


class IntegersAreDear:
    """Prices products of integers above all, so that whatever else machines prefer is no matter."""

    name, unit = "integers are dear", "operations"

    def cost(self, node: Node) -> float:
        return 1e6 if node.op is Op.MUL and not node.dtype.is_float else 1.0


def multiplied(a: Array, b: Array, dtype: str = "int32") -> Array:
    return a.astype(getattr(eq, dtype)) @ b.astype(getattr(eq, dtype))


def cheapest(arrays: list[np.ndarray], dtype: str = "int32") -> eq.UOp:
    """The graph of a product, in which products of integers are avoided where they can be."""
    specs = [eq.spec(each.shape, getattr(eq, str(each.dtype))) for each in arrays]
    graph = eq.trace(lambda a, b: multiplied(a, b, dtype), *specs)
    return eq.optimize(graph, eq.Plan(cost=IntegersAreDear())).uop


def terms_as_floats(graph: eq.UOp) -> list[int]:
    """How many terms each sum of floats has."""
    return [
        int(np.prod([node.src[0].shape[axis] for axis in node.arg[1]]))
        for node in graph.toposort()
        if node.op is Op.REDUCE_AXIS and node.dtype.is_float
    ]


def require_right(arrays: list[np.ndarray], dtype: str = "int32", graph: eq.UOp | None = None) -> None:
    """Compares results, on a device, with those of int64 as `dtype`."""
    wide = [each.astype(np.int64) for each in arrays]
    program = eq.compile(cheapest(arrays, dtype) if graph is None else graph)
    np.testing.assert_array_equal(np.asarray(program(*arrays)), (wide[0] @ wide[1]).astype(dtype))


def drawn(shape: tuple[int, ...], dtype: str, seed: int = 0) -> np.ndarray:
    limits = np.iinfo(dtype)
    return np.random.default_rng(seed).integers(limits.min, limits.max + 1, shape).astype(dtype)


def odd_extremes(one: str, other: str, terms: int) -> list[np.ndarray]:
    """Operands whose sums are as far from zero as they can be, and odd: such sums beyond 2**24 are none of float32."""
    a, b = np.full((3, terms), BYTES[one], one), np.full((terms, 5), BYTES[other], other)
    a[:, -1] -= np.sign(a[:, -1]) * (1 - a[:, -1] % 2)
    b[-1] -= np.sign(b[-1]) * (1 - b[-1] % 2).astype(other)
    return [a, b]


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_as_many_terms_as_are_exact_are_one_sum_of_floats(one: str, other: str) -> None:
    terms = TERMS.get((one, other), 514)
    arrays = odd_extremes(one, other, terms)
    graph = cheapest(arrays)
    assert terms_as_floats(graph) == [terms]
    require_right(arrays, graph=graph)


@pytest.mark.parametrize(("one", "other"), PAIRS)
@pytest.mark.parametrize("more", [1, 2, 6])
def test_more_terms_are_summed_in_parts_or_as_integers(one: str, other: str, more: int) -> None:
    most = TERMS.get((one, other), 514)
    arrays = odd_extremes(one, other, most + more)
    graph = cheapest(arrays)
    assert all(terms < most for terms in terms_as_floats(graph))
    require_right(arrays, graph=graph)


def test_a_long_sum_is_one_of_the_fewest_equal_parts() -> None:
    arrays = [drawn((4, 6144), "int8"), drawn((6144, 3), "int8", 1)]
    graph = cheapest(arrays)
    assert terms_as_floats(graph) == [1024]
    require_right(arrays, graph=graph)


def test_a_long_sum_that_has_no_equal_parts_stays_one_of_integers() -> None:
    assert terms_as_floats(cheapest([drawn((4, 4099), "int8"), drawn((4099, 3), "int8")])) == []


@pytest.mark.parametrize("dtype", SUMS)
def test_sums_of_each_dtype(dtype: str) -> None:
    arrays = [drawn((7, 65), "uint8"), drawn((65, 9), "uint8", 1)]
    assert terms_as_floats(cheapest(arrays, dtype)) == [65]
    require_right(arrays, dtype)


def test_signed_bytes_are_not_summed_as_unsigned_integers() -> None:
    arrays = [drawn((7, 65), "int8"), drawn((65, 9), "int8", 1)]
    assert terms_as_floats(cheapest(arrays, "uint32")) == []
    require_right(arrays, "uint32")


@pytest.mark.parametrize("dtype", ["int16", "int32"])
def test_large_integers_are_not_summed_as_floats(dtype: str) -> None:
    arrays = [drawn((7, 65), dtype), drawn((65, 9), dtype, 1)]
    assert terms_as_floats(cheapest(arrays)) == []
    require_right(arrays)


def test_integers_of_small_bounds_are_summed_as_floats() -> None:
    def limited(a: Array, b: Array) -> Array:
        return multiplied(eq.clip(a, -300, 200), b)

    a, b = drawn((7, 65), "int16"), drawn((65, 9), "int8", 1)
    graph = eq.trace(limited, eq.spec(a.shape, eq.int16), eq.spec(b.shape, eq.int8))
    best = eq.optimize(graph, eq.Plan(cost=IntegersAreDear())).uop
    assert terms_as_floats(best) == [65]
    expected = np.clip(a, -300, 200).astype(np.int64) @ b.astype(np.int64)
    np.testing.assert_array_equal(np.asarray(eq.compile(best)(a, b)), expected)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((1, 1), (1, 1)),
        ((3, 0), (0, 5)),
        ((17, 31), (31, 13)),
        ((37,), (37, 11)),
        ((11, 37), (37,)),
        ((37,), (37,)),
        ((3, 5, 7), (3, 7, 4)),
        ((2, 1, 5, 1030), (3, 1030, 4)),
    ],
    ids=str,
)
@pytest.mark.parametrize("dtype", BYTES)
def test_products_of_all_shapes(one: tuple[int, ...], other: tuple[int, ...], dtype: str) -> None:
    require_right([drawn(one, dtype), drawn(other, "int8", 1)])


def test_a_large_product_by_the_default_prices() -> None:
    arrays = [drawn((200, 512), "int8"), drawn((512, 304), "int8", 1)]
    program = eq.jit(multiplied)
    wide = [each.astype(np.int64) for each in arrays]
    np.testing.assert_array_equal(np.asarray(program(*arrays)), wide[0] @ wide[1])
