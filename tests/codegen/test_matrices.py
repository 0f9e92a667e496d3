"""WMMA means a product of matrices whatever threads hold them, and its layouts are those of the manuals."""

from collections import Counter
from functools import partial

import numpy as np
import pytest

from eqsat.codegen import linearize, render
from eqsat.codegen.rendering.memory import definition
from eqsat.dtype import float16, float32, index
from eqsat.fragments import INSTRUCTIONS, Product
from eqsat.ops import Op, Stage
from eqsat.reference import evaluate, run_linear
from eqsat.spec import verify
from eqsat.uop import UOp
from tests.codegen.device import buffers_of, check
from tests.fragments import AMD, CASES, NVIDIA, Case, drawn, kernel

SIZES = [(1, 1), (2, 1), (2, 2), (1, 3)]  # warps, and matrices along the axis of the sum


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_layout_is_that_of_the_manual(case: Case):
    product = Product.of(case.arg)
    for operand, (place, lanes) in enumerate(zip(case.places, case.lanes, strict=True)):
        columns = product.shapes[operand][1]
        found = product.places(operand, lanes)
        for thread in range(case.threads):
            assert [divmod(each, columns) for each in found[thread]] == [
                place(thread, lane) for lane in range(lanes)
            ]


def test_every_instruction_is_compared_with_a_manual():
    compared = {Product.of(case.arg).instruction for case in (NVIDIA | AMD).values()}
    assert compared == set(INSTRUCTIONS)


@pytest.mark.parametrize(
    ("name", "warps", "steps"),
    [(name, *size) for number, name in enumerate(CASES) for size in SIZES[number % 2 :: 2]],
)
def test_threads_multiply_matrices(name: str, warps: int, steps: int):
    """Two sizes of each case, in turns: PoCL takes .3 s to compile its threads."""
    case = CASES[name]
    inputs, expected = drawn(case, warps, steps)
    (found,) = check(kernel(case, warps, steps), inputs)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_instructions_multiply_matrices_before_they_are_lowered(case: Case):
    inputs, expected = drawn(case, 2)
    graph = kernel(case, 2)
    rendered = render(graph)
    linear = linearize(graph)
    verify(linear, Stage.LINEAR)
    assert any(node.op is Op.WMMA for node in linear.src)
    buffers = buffers_of(rendered, inputs)
    run_linear(linear, buffers, rendered.global_size, rendered.local_size)
    np.testing.assert_array_equal(buffers[3], expected)


def test_tiles_of_a_grid_lie_beside_each_other():
    """Two columns of tiles by four rows, in one thread: those of b are side by side, each by itself row by row."""
    argument = ("tiles", (1, 1, 2), float32, float32, "HOST", 1, (), (), (2, 4))
    case = Case(argument, (8, 4, 8), CASES["1 thread"].places)
    draw = np.random.default_rng(1)
    left, right, addend = (draw.integers(-3, 4, shape) for shape in ((4, 2), (2, 2), (4, 2)))
    fragments = (left.reshape(-1), right.T.reshape(-1), addend.reshape(-1))
    (found,) = check(kernel(case), {slot: each.astype(np.float32) for slot, each in enumerate(fragments)})
    np.testing.assert_array_equal(found, (left @ right + addend).reshape(-1))


@pytest.mark.parametrize("threads", [2, 4])
def test_tiles_of_a_grid_are_spread_over_threads(threads: int):
    """Two by two tiles of 2 x 2: each thread holds a part of each tile, one tile after another."""
    held = 4 // threads
    argument = ("tiles", (2, 2, 2), float32, float32, "HOST", threads, (), (), (2, 2))
    case = Case(argument, (2 * held, 2 * held, 4 * held), CASES["1 thread"].places)
    draw = np.random.default_rng(2)
    left, right, addend = (draw.integers(-3, 4, shape) for shape in ((4, 2), (2, 4), (4, 4)))

    def fragments(matrix: np.ndarray) -> np.ndarray:
        tiles = [
            matrix[row : row + 2, column : column + 2].reshape(threads, held)
            for row in range(0, matrix.shape[0], 2)
            for column in range(0, matrix.shape[1], 2)
        ]
        return np.concatenate(tiles, axis=1).reshape(-1).astype(np.float32)

    (found,) = check(kernel(case), {slot: fragments(each) for slot, each in enumerate((left, right, addend))})
    np.testing.assert_array_equal(found, fragments(left @ right + addend))


def test_products_of_halves_are_summed_in_floats():
    case = CASES["m16n8k16 f16"]
    inputs, _ = drawn(case)
    inputs = {slot: each + np.float32(1 / 1024) if slot < 2 else each for slot, each in inputs.items()}
    halves = {
        slot: each.astype(np.float16).astype(np.float32) if slot < 2 else each
        for slot, each in inputs.items()
    }
    (found,) = check(kernel(case), halves)
    assert not np.array_equal(found, found.astype(np.float16).astype(np.float32))
    assert case.arg[2] == float16


@pytest.mark.parametrize("name", ["m16n8k8 tf32", "8 threads, two hold the same"])
def test_threads_store_each_element_of_shared_matrices_once(name: str):
    """Also where several hold the same; before a BARRIER, and in a loop behind another one."""
    case = CASES[name]
    for steps in (1, 2):
        linear = render(kernel(case, 1, steps)).linear.src
        stores = [
            each for each in linear if each.op is Op.STORE and definition(each.src[0]).op is Op.DEFINE_LOCAL
        ]
        assert sum(each.op is Op.BARRIER for each in linear) == (steps if stores else 0)
        items = [each for each in linear if each.op is Op.SPECIAL and each.arg.startswith("lid")]
        written = Counter(
            (definition(each.src[0]), int(evaluate(each.src[0].src[1].substitute(here))))
            for number in range(case.threads)
            for here in [
                dict(zip(items, map(partial(UOp.const, index), coordinates(items, number)), strict=True))
            ]
            for each in stores
            if len(each.src[0].src) < 3 or evaluate(each.src[0].src[2].substitute(here))
        )
        assert set(written.values()) <= {1}


def coordinates(items: list[UOp], number: int) -> list[int]:
    """Those of a work-item, of its number in the group."""
    found: dict[str, int] = {}
    for each in sorted(items, key=lambda each: each.arg):
        number, found[each.arg] = divmod(number, each.src[0].arg)
    return [found[each.arg] for each in items]
