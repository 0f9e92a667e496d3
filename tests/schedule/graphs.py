"""Small array graphs with something of everything that scheduling treats in its own way, and their execution by the reference."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eqsat.dtype import bool_, float32, float64, index, int32, to_numpy
from eqsat.machine import Machine
from eqsat.ops import Op
from eqsat.reference import evaluate_kernel
from eqsat.schedule.draft import Draft
from eqsat.schedule.kernel import Role, Schedule
from eqsat.schedule.placement.kernel_prices import KernelPrices
from eqsat.uop import UOp
from eqsat.uop.recurrence import Recurrence, leaf

LOG2E = 1.4426950408889634


def softmax(rows: int = 5, columns: int = 37) -> UOp:
    x = UOp.param(0, rows * columns, float32).reshape((rows, columns))
    greatest = x.reduce_axis(Op.MAX, (1,)).reshape((rows, 1)).expand((rows, columns))
    powers = ((x - greatest) * LOG2E).alu(Op.EXP2)
    total = powers.reduce_axis(Op.ADD, (1,)).reshape((rows, 1)).expand((rows, columns))
    return UOp.sink(powers / total)


def layer_norm(rows: int = 6, columns: int = 20) -> UOp:
    x = UOp.param(0, rows * columns, float32).reshape((rows, columns))

    def mean(value: UOp) -> UOp:
        total = value.reduce_axis(Op.ADD, (1,)).reshape((rows, 1)).expand((rows, columns))
        return total * (1 / columns)

    centred = x - mean(x)
    return UOp.sink(centred / (mean(centred * centred) + 1e-5).alu(Op.SQRT))


def matmul(rows: int = 13, inner: int = 17, columns: int = 35) -> UOp:
    shape = (rows, inner, columns)
    a = UOp.param(0, rows * inner, float32).reshape((rows, inner, 1)).expand(shape)
    b = UOp.param(1, inner * columns, float32).reshape((1, inner, columns)).expand(shape)
    return UOp.sink((a * b).reduce_axis(Op.ADD, (1,)))


def without_local_memory(value: UOp, device: Machine) -> Draft:
    """The kernel that computes a value from its inputs as it is written."""
    return KernelPrices(device).draft((value,))


def two_matmuls(size: int = 12) -> UOp:
    shape = (size, size + 4, size)
    product = matmul(size, size, size + 4).src[0].reshape((size, size + 4, 1)).expand(shape)
    c = UOp.param(2, (size + 4) * size, float32).reshape((1, size + 4, size)).expand(shape)
    return UOp.sink((product * c).reduce_axis(Op.ADD, (1,)))


def padded_window() -> UOp:
    """A 3-wide moving sum with zeros beyond the ends, as one reduction over shifted copies."""
    x = UOp.param(0, 41, float32).pad(((1, 1),))
    shifted = [x.shrink(((shift, shift + 41),)).reshape((1, 41)) for shift in range(3)]
    stacked = [row.pad(((shift, 2 - shift), (0, 0))) for shift, row in enumerate(shifted)]
    return UOp.sink((stacked[0] + stacked[1] + stacked[2]).reduce_axis(Op.ADD, (0,)))


def moves() -> UOp:
    x = UOp.param(0, 120, int32).reshape((4, 5, 6))
    turned = (
        x.permute((2, 0, 1)).flip((True, False, True)).reshape((3, 8, 5)).shrink(((1, 3), (0, 7), (2, 5)))
    )
    return UOp.sink(turned.reshape((42,)).pad(((2, 1),)), x.reshape((8, 15)) + 1)


def gather() -> UOp:
    x = UOp.param(0, 24, float64).reshape((6, 4))
    rows = UOp.iota(10).alu(Op.FLOORMOD, UOp.full((10,), index, 6))
    columns = UOp.iota(10) + -3
    return UOp.sink(UOp(Op.INDEX, float64, (x * 2.0, rows, columns)))


def several_outputs() -> UOp:
    x = UOp.param(0, 7 * 24, float32).reshape((7, 24))
    y = UOp.param(1, 7 * 24, float32).reshape((7, 24))
    return UOp.sink(
        x.reduce_axis(Op.ADD, (1,)),
        x.reduce_axis(Op.MAX, (1,)),
        x + y,
        x * y,
        (x < y).reduce_axis(Op.MAX, (0, 1)),
    )


def column_sum() -> UOp:
    return UOp.sink(UOp.param(0, 19 * 33, float32).reshape((19, 33)).reduce_axis(Op.ADD, (0,)))


def corners() -> UOp:
    empty = UOp.param(0, 0, float32).reshape((0, 3))
    scalar = UOp.param(1, 1, float32).reshape(())
    return UOp.sink(
        empty + 1.0,
        empty.reduce_axis(Op.ADD, (0,)),
        scalar * 2.0,
        scalar.broadcast((2, 2)),
        UOp.const(bool_, True),
    )


def one_tile_and_several() -> UOp:
    """Two kernels with like loops; a tile of the second is all of the first."""

    def column_sums(slot: int, columns: int) -> UOp:
        return UOp.param(slot, 35 * columns, float32).reshape((5, 7, columns)).reduce_axis(Op.ADD, (1,))

    return UOp.sink(column_sums(0, 16), column_sums(1, 256))


def activation_between_products(rows: int = 96, inner: int = 80, columns: int = 112) -> UOp:
    """A product, an expensive function of it, another product."""
    first = matmul(rows, inner, columns).src[0].reshape((rows, columns))
    active = first * 0.5 * ((first * first * 0.05 + first).alu(Op.EXP2) + 1.0).alu(Op.LOG2)
    shape = (rows, columns, inner)
    weights = UOp.param(2, columns * inner, float32).reshape((1, columns, inner)).expand(shape)
    return UOp.sink((active.reshape((rows, columns, 1)).expand(shape) * weights).reduce_axis(Op.ADD, (1,)))


def backward_pass() -> UOp:
    """Two contractions whose results are split into heads, padded and summed: two kernels with loops of like numbers and unlike extents."""
    x = UOp.param(0, 4 * 8192, int32).reshape((4, 8192)).reduce_axis(Op.ADD, (1,))
    weights = UOp.param(1, 1024, int32).reshape((4, 16, 16))
    hidden = (x.reshape((4, 1, 1)).expand((4, 16, 16)) * weights).reduce_axis(Op.ADD, (2,))
    hidden = hidden.reshape((2, 2, 4, 4)).permute((0, 2, 1, 3)).reshape((8, 2, 4)).permute((0, 2, 1))
    shape = (8, 2, 4, 2)
    kernel = UOp.param(2, 128, int32).reshape(shape)
    products = (kernel * hidden.reshape((8, 1, 4, 2)).expand(shape)).reduce_axis(Op.ADD, (3,))
    padded = products.reshape((2, 4, 2, 4)).pad(((4, 0), (0, 0), (0, 0), (0, 0))).reshape((3, 2, 4, 2, 4))
    return UOp.sink(padded.permute((1, 3, 0, 2, 4)).reshape((4, 48)).reduce_axis(Op.ADD, (0,)))


def packed_products() -> UOp:
    """Two matrix products, the weights of both in panels of 16 columns."""

    def product(left: UOp, slot: int, columns: int) -> UOp:
        rows, inner = left.shape or ()
        panels = UOp.param(slot, inner * columns, int32).reshape((columns // 16, inner, 16))
        weights = panels.permute((1, 0, 2)).reshape((1, inner, columns))
        shape = (rows, inner, columns)
        factors = left.reshape((rows, inner, 1)).expand(shape), weights.expand(shape)
        return (factors[0] * factors[1]).reduce_axis(Op.ADD, (1,))

    x = UOp.param(0, 32 * 32, int32).reshape((32, 32))
    return UOp.sink(product(product(x, 1, 128), 2, 64))


def stencil_steps(steps: int = 12) -> UOp:
    """Weighted sums of three neighbours, zeros outside, several times."""
    x = UOp.param(0, 100, int32)
    for _ in range(steps):
        x = (x.shrink(((0, 98),)) + x.shrink(((1, 99),)) * 2 + x.shrink(((2, 100),)) * 3).pad(((1, 1),))
    return UOp.sink(x)


def row_scan() -> UOp:
    """Running sums of the squares of rows, of which a reduction is a part."""
    x = UOp.param(0, 6 * 40, float32).reshape((6, 40))
    greatest = x.reduce_axis(Op.MAX, (1,)).reshape((6, 1)).expand((6, 40))
    return UOp.sink((x * x).scan_axis(Op.ADD, 1) / greatest)


def column_scan() -> UOp:
    """Running maxima of columns, along the axis in the middle, in a frame of zeros."""
    x = UOp.param(0, 3 * 7 * 24, int32).reshape((3, 7, 24))
    return UOp.sink(x.scan_axis(Op.MAX, 1).pad(((1, 0), (0, 0), (0, 2))), x.scan_axis(Op.MIN, 1))


def table_of_sums() -> UOp:
    """Sums of all that is above and to the left: along both axes."""
    x = UOp.param(0, 9 * 16, float32).reshape((9, 16))
    return UOp.sink(x.scan_axis(Op.ADD, 1).scan_axis(Op.ADD, 0))


def filtered() -> UOp:
    """A filter of second order along rows, and what it keeps, along columns."""
    x = UOp.param(0, 48 * 32, float32).reshape((48, 32))
    first, second, now = (leaf(number, float32) for number in range(3))
    value = now * 0.5 + first
    following = (now * 0.25 - value * 0.5 + second, now * 0.125 - value * 0.25)
    rows = UOp(Op.RECUR_AXIS, float32, (x,), (Recurrence(value, following).packed(), (1,)))
    columns = UOp(Op.RECUR_AXIS, float32, (x,), (Recurrence(following[1], following).packed(), (0,)))
    return UOp.sink(rows.reduce_axis(Op.MAX, (1,)), columns)


def views_of_scans() -> UOp:
    """Running sums from the end, and those without the element itself."""
    x = UOp.param(0, 37, float32)
    backwards = x.flip((True,)).scan_axis(Op.ADD, 0).flip((True,))
    before = x.scan_axis(Op.ADD, 0).shrink(((0, 36),)).pad(((1, 0),))
    return UOp.sink(backwards * 2.0, before + x)


def scan_of_a_total() -> UOp:
    """A scan is reduced, and scanned again; read along its diagonal, and across."""
    x = UOp.param(0, 8 * 8, float32).reshape((8, 8))
    scanned = x.scan_axis(Op.ADD, 0)
    diagonal = scanned.reshape((64,)).pad(((0, 8),)).reshape((8, 9)).shrink(((0, 8), (0, 1))).reshape((8,))
    return UOp.sink(
        scanned.reduce_axis(Op.MAX, (0,)).scan_axis(Op.ADD, 0), diagonal, scanned.permute((1, 0)) + scanned
    )


GRAPHS = {
    builder.__name__: builder
    for builder in (
        softmax,
        layer_norm,
        matmul,
        two_matmuls,
        padded_window,
        moves,
        gather,
        several_outputs,
        column_sum,
        corners,
        one_tile_and_several,
        activation_between_products,
        backward_pass,
        packed_products,
        stencil_steps,
        row_scan,
        column_scan,
        table_of_sums,
        filtered,
        views_of_scans,
        scan_of_a_total,
    )
}


def inputs_for(schedule: Schedule, seed: int = 0) -> list[NDArray[Any]]:
    """Random data for every input buffer."""
    random = np.random.default_rng(seed)
    arrays: list[NDArray[Any]] = []
    for number in schedule.inputs:
        spec = schedule.buffers[number]
        values = random.normal(size=spec.size) * 4
        arrays.append(values.astype(to_numpy(spec.dtype)))
    return arrays


def run(schedule: Schedule, inputs: list[NDArray[Any]]) -> list[NDArray[Any]]:
    """The outputs, each kernel executed by the reference interpreter; temporaries of one arena share no memory here."""
    memory: list[NDArray[Any]] = []
    for spec in schedule.buffers:
        is_input = spec.role is Role.INPUT
        memory.append(
            inputs[schedule.inputs.index(len(memory))]
            if is_input
            else np.zeros(spec.size, to_numpy(spec.dtype))
        )
    for kernel in schedule.kernels:
        evaluate_kernel(kernel.ast, [memory[number] for number in kernel.buffers])
    return [memory[number] for number in schedule.outputs]
