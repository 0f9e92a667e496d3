"""Loops that add products of bytes to 16 rows are carried out by matrix registers, and no others are."""

from __future__ import annotations

import numpy as np
import pytest

from eqsat.codegen import OPENCL_CPU, render, with_tiles
from eqsat.dtype import int32
from eqsat.ops import Op
from eqsat.runtime import get_device
from eqsat.runtime.opencl import OpenCLDevice
from eqsat.uop import UOp
from tests.codegen import device
from tests.codegen.kernels import GLOBAL, LOOP, REDUCE, UNROLL, UPCAST, Ranges, kernel, load, reduced, store

TILES = with_tiles(OPENCL_CPU)
CALL = "multiply_tiles_"


def product(
    words: int,
    rows: int = 16,
    vectors: int = 1,
    lanes: int = 16,
    *,
    outer: int = 2,
    signed_rows: bool = False,
    row_step: int | None = None,
    word_step: int = 1,
    gated: bool = False,
    more: int = 0,  # is added to each product
) -> UOp:
    """`outer` tiles of rows times the columns; `row_step` words from one row to the next, `word_step` from one word of a row to the next."""
    step, columns, ranges = row_step or words * word_step, vectors * lanes, Ranges()
    tile, row, vector, lane, word = (
        ranges(outer, LOOP if outer > 1 else GLOBAL), ranges(rows, UNROLL), ranges(vectors, UNROLL),
        ranges(lanes, UPCAST), ranges(words, REDUCE),
    )  # fmt: skip
    left = UOp.param(1, (outer * rows - 1) * step + words * word_step, int32)
    right, result = UOp.param(2, words * columns, int32), UOp.param(0, outer * rows * columns, int32)
    place, column = tile * rows + row, vector * lanes + lane
    gate = word < words - 1 if gated else None
    factors = [load(left, place * step + word * word_step, gate), load(right, word * columns + column)]
    if signed_rows:
        factors.reverse()
    total = reduced(
        Op.ADD,
        factors[0].alu(Op.DOT, factors[1]) + more if more else factors[0].alu(Op.DOT, factors[1]),
        word,
    )
    return kernel("product", store(result, place * columns + column, total, tile, row, vector, lane))


def drawn(graph: UOp) -> dict[int, np.ndarray]:
    draw = np.random.default_rng(0)
    sizes = {each.slot: each.size for each in render(graph, OPENCL_CPU).arguments}
    return {slot: draw.integers(-(2**31), 2**31, sizes[slot]).astype(np.int32) for slot in (1, 2)}


def has_tiles() -> bool:
    found = get_device()
    return isinstance(found, OpenCLDevice) and found.has_tiles


@pytest.mark.parametrize(
    ("words", "vectors", "signed_rows"),
    # every length, and every number of vectors, with either sign
    [
        (16, 1, False), (16, 3, True), (17, 2, True), (17, 4, False), (31, 1, True), (31, 3, False), (48, 2, False), (48, 4, True),
        (100, 1, False), (100, 2, True),
    ],
)  # fmt: skip
def test_products_of_tiles_are_those_of_bytes(words: int, vectors: int, signed_rows: bool) -> None:
    graph = product(words, vectors=vectors, signed_rows=signed_rows, row_step=words + 3)
    source = render(graph, TILES).source
    assert f"{CALL}{vectors}_global_global" in source
    body = source.partition("__kernel")[2]
    assert body.count("TILE_SHAPES(") == body.count("TILE_RELEASE(") == 1
    if not has_tiles():
        pytest.skip("this processor has no matrix registers, or this process may not use them")
    by_graph, by_instructions, by_device = device.outputs(graph, drawn(graph), TILES)
    np.testing.assert_array_equal(by_instructions[0], by_graph[0])
    np.testing.assert_array_equal(by_device[0], by_graph[0])


@pytest.mark.parametrize(
    "graph",
    [
        product(15), product(16, rows=8), product(16, rows=32), product(16, vectors=5), product(16, lanes=8), product(32, word_step=2),
        product(16, gated=True), product(16, more=1),
    ],
    ids=["few words", "half a tile", "two tiles", "many vectors", "half a vector", "words apart", "gated", "not only products"],
)  # fmt: skip
def test_other_loops_are_left(graph: UOp) -> None:
    assert CALL not in render(graph, TILES).source


def test_only_processors_that_have_them_use_matrix_registers() -> None:
    assert CALL in render(product(64), TILES).source
    assert CALL not in render(product(64), OPENCL_CPU).source


def test_loops_with_other_words_beyond_the_last_tile_are_left() -> None:
    """The registers of a kernel have one shape."""
    first, second, alike = product(40), product(41), product(56)
    both = kernel("both", *(_moved(each, 3 * place) for place, each in enumerate((first, second, alike))))
    body = render(both, TILES).source.partition("__kernel")[2]
    assert body.count(f"{CALL}1_global_global(") == 2


def _moved(graph: UOp, slots: int) -> UOp:
    """A store of a kernel, with other buffers and ranges."""
    (root,) = graph.src
    new: dict[UOp, UOp] = {}
    for node in root.toposort():
        node_ = node.with_src(tuple(new[each] for each in node.src))
        if node.op is Op.PARAM:
            node_ = UOp.param(node.arg[0] + slots, node.arg[1], int32)
        if node.op is Op.RANGE:
            node_ = UOp.range(node.src[0].arg, node.arg[0] + 10 * slots, node.arg[1])
        new[node] = node_
    return new[root]
