"""Arrays that are joined along the lanes: whole loads inside each of them, and every lane right at every seam."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import product
from typing import Literal

import numpy as np
import pytest

import eqsat as eq
from eqsat.codegen import expand, render
from eqsat.codegen.rendering.code import is_deeper
from eqsat.dtype import DType, bool_, float16, float32, float64, index, int32, to_numpy, uint8
from eqsat.ops import Op
from eqsat.uop import UOp, toposort
from tests.codegen.device import check
from tests.codegen.kernels import GLOBAL, LOOP, UPCAST, Ranges, kernel, load, store

ROWS = 3


def before(draw: random.Random, position: UOp, end: int, first: UOp, second: UOp) -> UOp:
    """One value before an end and another one behind it, said in one of four ways."""
    is_before = position < end
    is_behind = UOp.const(position.dtype, end - 1) < position
    return draw.choice(
        [
            is_before.where(first, second),
            is_before.logical_not().where(second, first),
            is_behind.where(second, first),
            is_behind.logical_not().where(first, second),
        ]
    )


def joined(draw: random.Random, dtype: DType, lanes: int, lengths: Sequence[int]) -> UOp:
    """Rows of one array after the other, of each of which the elements may begin behind the first of its rows."""
    ranges, total = Ranges(), sum(lengths)
    row, outer, lane = ranges(ROWS, GLOBAL), ranges(total // lanes, LOOP), ranges(lanes, UPCAST)
    position = outer * lanes + lane
    parts: list[tuple[int, UOp]] = []
    start = 0
    for number, length in enumerate(lengths):
        source = UOp.param(number + 1, ROWS * (length + number), dtype)
        place = position + (number - start)
        within = (place >= number) & (place < length + number)
        parts.append((start, load(source, row * (length + number) + place, within, 0)))
        start += length
    while len(parts) > 1:
        at = draw.randrange(len(parts) - 1)
        (begin, left), (end, right) = parts[at : at + 2]
        if draw.random() < 0.3:  # as where padded arrays are chosen from: the other value is never taken
            left = before(draw, position, end, left, UOp.const(dtype, 0))
        parts[at : at + 2] = [(begin, before(draw, position, end, left, right))]
    target = UOp.param(0, ROWS * total, dtype)
    return kernel("joined", store(target, row * total + position, parts[0][1], row, outer, lane))


def lengths_of(draw: random.Random, lanes: int, count: int) -> list[int]:
    """Of arrays that fill vectors together: some shorter than a vector, some of several."""
    lengths = [draw.randint(1, 2 * lanes) for _ in range(count - 1)]
    return [*lengths, lanes * draw.randint(1, 2) - sum(lengths) % lanes]


def is_right(dtype: DType, lanes: int, seed: int, count: int) -> None:
    draw, generator = random.Random(f"{dtype} {lanes} {seed} {count}"), np.random.default_rng(seed)
    lengths = lengths_of(draw, lanes, count)
    arrays = [
        generator.integers(0, 2 if dtype.is_bool else 100, (ROWS, length + number)).astype(to_numpy(dtype))
        for number, length in enumerate(lengths)
    ]
    sink = joined(draw, dtype, lanes, lengths)
    (found,) = check(sink, {number + 1: array.ravel() for number, array in enumerate(arrays)})
    wanted = np.concatenate([array[:, number:] for number, array in enumerate(arrays)], axis=1)
    np.testing.assert_array_equal(found.reshape(wanted.shape), wanted)


@pytest.mark.parametrize(("lanes", "count"), [*product([2, 4, 8, 16], [2, 3, 4])])
def test_joined_arrays_are_right(lanes: int, count: int) -> None:
    for seed in range(4):
        is_right(float32, lanes, seed, count)


@pytest.mark.parametrize("dtype", [bool_, uint8, int32, float16, float64], ids=str)
def test_every_width(dtype: DType) -> None:
    for lanes in (4, 16):
        is_right(dtype, lanes, 0, 3)


def whole_loads(sink: UOp) -> list[UOp]:
    """Gated loads of vectors that a store waits for first: what is in one array is loaded at once."""
    (value,) = (node.src[1] for node in toposort([expand(sink)]) if node.op is Op.STORE)
    found: list[UOp] = []
    while value.op is Op.LOAD and value.dtype.lanes > 1:
        found.append(value)
        value = value.src[1]
    return found


@pytest.mark.parametrize("count", [2, 3, 4])
def test_each_array_has_a_whole_load(count: int) -> None:
    """Values that are never taken hide none of them."""
    for seed in range(8):
        draw = random.Random(seed)
        loads = whole_loads(joined(draw, float32, 8, [16] * count))
        assert sorted(load.src[0].src[0].arg[0] for load in loads) == list(range(1, count + 1))


def test_arrays_without_whole_vectors_hide_no_others() -> None:
    """Of an array, an element repeated and the array backwards, only the first has whole vectors in order."""
    ranges = Ranges()
    outer, lane = ranges(4, GLOBAL), ranges(8, UPCAST)
    position = outer * 8 + lane
    source = UOp.param(1, 32, float32)
    repeated, backwards = (
        load(source, UOp.const(index, 5)),
        load(source, position * -1 + 31, position >= 20, 0),
    )
    behind = (position < 20).where(load(source, position), backwards)
    chosen = (position < 3).where(repeated, behind)
    sink = kernel("chosen", store(UOp.param(0, 32, float32), position, chosen, outer, lane))
    assert len(whole_loads(sink)) == 1
    values = np.arange(1, 33, dtype=np.float32)
    (found,) = check(sink, {1: values})
    np.testing.assert_array_equal(found, [*values[[5, 5, 5]], *values[3:20], *values[11::-1]])


def test_padding_behind_a_choice_hides_no_array() -> None:
    """A concatenation that is padded is zero where two conditions do not both hold, and then nothing of it is taken."""
    ranges = Ranges()
    outer, lane = ranges(6, GLOBAL), ranges(8, UPCAST)
    position = outer * 8 + lane
    place, zero = position - 10, UOp.const(float32, 0)
    inner = (place < 12).where(
        load(UOp.param(1, 12, float32), place, (place >= 0) & (place < 12), 0),
        load(UOp.param(2, 18, float32), place - 12, (place - 12 >= 0) & (place - 12 < 18), 0),
    )
    padded = ((place >= 0) & (place < 30)).where(inner, zero)
    last = load(UOp.param(3, 18, float32), position - 40, position - 40 >= 0, 0)
    first = load(UOp.param(4, 10, float32), position, position < 10, 0)
    chosen = (position < 10).where(first, (position < 40).where(padded, last))
    sink = kernel("chosen", store(UOp.param(0, 48, float32), position, chosen, outer, lane))
    assert len(whole_loads(sink)) == 4
    arrays = [
        np.arange(begin, begin + size, dtype=np.float32)
        for begin, size in ((10, 12), (22, 18), (40, 18), (0, 10))
    ]
    (found,) = check(sink, dict(enumerate(arrays, 1)))
    np.testing.assert_array_equal(found, np.arange(48))


def test_backwards_loads_of_a_seam_are_written_where_they_are_needed() -> None:
    """The interior of a mirrored array is copied; what its borders load is part of the alternative."""

    def mirrored(x: eq.Array) -> eq.Array:
        return eq.pad(x, 64, mode="reflect")

    (kernel,) = eq.compile(eq.trace(mirrored, eq.spec((5000,), eq.float32))).kernels
    (line,) = (each for each in kernel.source.splitlines() if "= " in each and "reversed_" in each)
    assert line.index("?") < line.index("reversed_")


def test_a_value_that_is_no_load_is_chosen_lane_by_lane() -> None:
    ranges = Ranges()
    outer, lane = ranges(4, GLOBAL), ranges(8, UPCAST)
    position = outer * 8 + lane
    chosen = (position < 20).where(load(UOp.param(1, 32, float32), position), UOp.const(float32, 2.0))
    sink = kernel("chosen", store(UOp.param(0, 32, float32), position, chosen, outer, lane))
    assert not whole_loads(sink)
    values = np.arange(32, dtype=np.float32)
    (found,) = check(sink, {1: values})
    np.testing.assert_array_equal(found, np.where(np.arange(32) < 20, values, 2))


def test_a_condition_that_differs_from_false_is_no_negation() -> None:
    """`condition != False` is the condition itself, in a gate and in a choice."""
    ranges = Ranges()
    row, outer, lane = ranges(3, GLOBAL), ranges(3, LOOP), ranges(4, UPCAST)
    position = outer * 4 + lane
    source = UOp.param(1, 30, float32)
    is_inside = (position < 10).alu(Op.CMPNE, UOp.const(bool_, False))
    gated = load(source, row * 10 + position, is_inside, 0)
    chosen = is_inside.where(gated, UOp.const(float32, 7.0))
    values = np.arange(1, 31, dtype=np.float32)
    for value, outside in ((gated, 0), (chosen, 7)):
        sink = kernel(
            "differs", store(UOp.param(0, 36, float32), row * 12 + position, value, row, outer, lane)
        )
        (found,) = check(sink, {1: values})
        wanted = np.pad(values.reshape(3, 10), ((0, 0), (0, 2)), constant_values=outside)
        np.testing.assert_array_equal(found.reshape(3, 12), wanted)


@pytest.mark.parametrize(("axis", "dtype"), [*product([0, 1, 2], [np.float32, np.float64, np.uint8])])
def test_programs_agree_with_numpy(axis: int, dtype: type) -> None:
    draw = random.Random(f"{axis} {dtype}")
    for count in (2, 4):
        shape = [draw.randint(1, 40) for _ in range(3)]
        arrays: list[np.ndarray] = []
        for _ in range(count):
            shape[axis] = draw.randint(1, 70)
            arrays.append(np.random.default_rng(count).integers(0, 99, shape).astype(dtype))
        found = eq.jit(lambda *parts: eq.concat(parts, axis=axis))(*arrays)
        np.testing.assert_array_equal(found, np.concatenate(arrays, axis=axis))


def test_no_expression_is_nested_deeper_than_compilers_take() -> None:
    """Each of 200 arrays is the alternative of another one."""
    sink = joined(random.Random(0), float32, 2, [1] * 200)
    assert not is_deeper(render(sink).source, 200)


def test_what_seams_need_is_made_at_seams_alone_however_many_arrays_there_are() -> None:
    """A variable for it would be computed for every vector: 20 arrays took 18 times as long as 16."""
    lines = render(joined(random.Random(0), float32, 2, [40] * 40)).source.splitlines()
    assert sum(" ? " in line for line in lines if "out0" in line) == 1
    assert not any(" ? " in line for line in lines if line.lstrip().startswith("const float"))


@pytest.mark.parametrize("mode", ["edge", "reflect", "symmetric", "wrap"])
@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_padded_arrays_are_those_of_numpy(
    mode: Literal["edge", "reflect", "symmetric", "wrap"], dtype: type
) -> None:
    x = np.random.default_rng(0).integers(0, 200, (9, 150)).astype(dtype)
    widths = ((2, 3), (20, 5))

    def padded(x: eq.Array) -> eq.Array:
        return eq.pad(x, widths, mode=mode)

    np.testing.assert_array_equal(eq.jit(padded)(x), np.pad(x, widths, mode=mode))


def test_joined_arrays_of_any_lengths_are_those_of_numpy() -> None:
    arrays = [np.full((5, length), length, np.float32) for length in (3, 17, 129, 64, 1, 30)]

    def joined_rows(*parts: eq.Array) -> eq.Array:
        return eq.concat([eq.concat(parts[:3], axis=1), *parts[3:]], axis=1)

    np.testing.assert_array_equal(eq.jit(joined_rows)(*arrays), np.concatenate(arrays, axis=1))
