"""Outputs that are joined of parts are stored part by part, and each part computes what it needs alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat as eq
from eqsat.ops import Op
from eqsat.schedule.lowering.pieces import in_pieces
from eqsat.uop import UOp, toposort


def _kernel(extent: int, end: int) -> UOp:
    """out[6 · i + c] = where(c < end, in[c], 2 · in[c]), for c below `extent`."""
    i, c = UOp.range(10, 0, eq.AxisType.LOOP), UOp.range(extent, 1, eq.AxisType.LOOP)
    read = UOp.param(1, extent, eq.float32)
    value = UOp(Op.LOAD, eq.float32, (UOp(Op.INDEX, eq.float32, (read, c)),))
    chosen = (c < end).where(value, value * 2.0)
    address = UOp(Op.INDEX, eq.float32, (UOp.param(0, 10 * extent, eq.float32), i * extent + c))
    return UOp.sink(UOp(Op.STORE, eq.dtype.void, (address, chosen, i, c)))


@pytest.mark.parametrize(
    ("extent", "end", "pieces"),
    [
        (6, 3, 2),
        (6, 2, 3),
        (2, 1, 2),
        (64, 32, 2),
        (64, 48, 4),
        (256, 16, 16),
        (272, 16, 0),
        (2048, 64, 32),
        (4096, 64, 64),
        (4160, 64, 0),
        (6, 6, 0),
        (6, 1, 0),
    ],
)
def test_a_loop_is_cut_where_a_comparison_changes(extent: int, end: int, pieces: int) -> None:
    found = in_pieces(_kernel(extent, end))
    stores = [] if found is None else list(found.src)
    assert len(stores) == pieces
    assert not any(node.op in (Op.WHERE, Op.CMPLT) for node in toposort(stores))


def test_parts_of_different_lengths_are_stored_piece_by_piece() -> None:
    """Of 256, 128 and 640 columns, each piece of 128 is read from one array, without a comparison."""
    program = eq.compile(
        eq.trace(
            lambda *parts: eq.concat(parts, axis=1),
            *(eq.spec((512, columns), eq.float32) for columns in (256, 128, 640)),
        )
    )
    (kernel,) = program.schedule.kernels
    assert len(kernel.ast.src) == 8
    assert not any(node.op in (Op.WHERE, Op.CMPLT) for node in toposort([kernel.ast]))


def test_a_joined_array_is_chosen_once() -> None:
    """Zeros around a concatenation of two are no choice of their own where a third array follows it."""
    program = eq.compile(
        eq.trace(
            lambda *parts: eq.concat(parts), *(eq.spec((length,), eq.float32) for length in (1000, 70001, 5))
        )
    )
    (kernel,) = program.schedule.kernels
    assert sum(node.op is Op.WHERE for node in kernel.ast.toposort()) == 2


@pytest.mark.parametrize(
    ("count", "shape", "axis", "stores"),
    [(20, (50,), 0, 20), (20, (3, 40), 1, 20), (20, (50,), 1, 1)],
)
def test_many_arrays_are_stored_apart_unless_they_lie_between_each_other(
    count: int, shape: tuple[int, ...], axis: int, stores: int
) -> None:
    arrays = [np.full(shape, number, np.int32) for number in range(count)]

    def stacked(*parts: eq.Array) -> eq.Array:
        return eq.stack(parts, axis=axis)

    program = eq.compile(eq.trace(stacked, *count * [eq.spec(shape, eq.int32)]))
    assert [len(kernel.ast.src) for kernel in program.schedule.kernels] == [stores]
    np.testing.assert_array_equal(eq.jit(stacked)(*arrays), np.stack(arrays, axis=axis))


def _columns(xp: Any, x: Any, y: Any) -> Any:
    return xp.stack([x * y, x - y, xp.exp(y)], axis=1)


def _nine_columns(xp: Any, x: Any, y: Any) -> Any:
    return xp.stack([x * float(k) + y for k in range(9)], axis=1)


def _halves(xp: Any, x: Any, y: Any) -> Any:
    x, y = xp.reshape(x, (-1, 7)), xp.reshape(y, (-1, 7))
    return xp.concat([x * y, x + y], axis=1)


def _rows(xp: Any, x: Any, y: Any) -> Any:
    return xp.stack([x + 1.0, y, x * y, y - x])


def _unequal(xp: Any, x: Any, y: Any) -> Any:
    x, y = xp.reshape(x, (-1, 7)), xp.reshape(y, (-1, 7))
    return xp.concat([x[:, :1], y[:, :4], x[:, 2:]], axis=1)


def _framed(xp: Any, x: Any, y: Any) -> Any:
    return xp.pad(xp.stack([x, y], axis=1), ((0, 0), (1, 2)))


def _sums(xp: Any, x: Any, y: Any) -> Any:
    x, y = xp.reshape(x, (-1, 7)), xp.reshape(y, (-1, 7))
    return xp.stack([xp.sum(x * y, axis=1), xp.max(x, axis=1), y[:, 3]], axis=1)


@pytest.mark.parametrize("function", [_columns, _nine_columns, _halves, _rows, _unequal, _framed, _sums])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
@pytest.mark.parametrize("count", [7, 1001])
def test_joined_arrays_are_those_of_numpy(function: Callable[..., Any], dtype: type, count: int) -> None:
    draw = np.random.default_rng(1)
    x, y = (draw.standard_normal(count).astype(dtype) for _ in range(2))
    tolerance = 4e-3 if dtype is np.float16 else 1e-5
    np.testing.assert_allclose(
        eq.jit(lambda x, y: function(eq, x, y))(x, y), function(np, x, y), rtol=tolerance, atol=tolerance
    )


def test_columns_are_one_kernel_with_whole_stores() -> None:
    def columns(x: eq.Array, y: eq.Array) -> eq.Array:
        return eq.stack([x * y, x - y, y * y], axis=1)

    (kernel,) = eq.compile(eq.trace(columns, *2 * [eq.spec((4096,), eq.float32)])).kernels
    assert "?" not in kernel.source
    assert "shufflevector" in kernel.source


def test_what_all_uses_make_one_value_of_is_not_stored() -> None:
    def steps(x: eq.Array) -> eq.Array:
        for _ in range(30):
            x = 3.2 * x * (1.0 - x)
        return x

    program = eq.compile(eq.trace(steps, eq.spec((200_000,), eq.float64)))
    assert len(program.schedule.kernels) == 1
    x = np.random.default_rng(0).random(200_000)
    expected = x
    for _ in range(30):
        expected = 3.2 * expected * (1.0 - expected)
    np.testing.assert_allclose(program(x), expected, rtol=1e-9)


def test_functions_of_a_running_sum_may_be_vectors_of_their_own() -> None:
    def means(x: eq.Array) -> eq.Array:
        prices = eq.exp(eq.cumulative_sum(0.01 * x, axis=1)) * 100.0
        return eq.mean(eq.maximum(eq.mean(prices, axis=1) - 100.0, 0.0))

    program = eq.compile(eq.trace(means, eq.spec((2_000, 50), eq.float32)))
    scanning, *others = program.schedule.kernels
    assert not any(node.op is Op.EXP for node in scanning.ast.toposort())
    assert any(node.op is Op.EXP for kernel in others for node in kernel.ast.toposort())
