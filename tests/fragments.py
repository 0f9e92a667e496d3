"""Kernels of one WMMA whose threads load their fragments from buffers, one thread's after another's, and what they compute."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from eqsat.dtype import DType, bfloat16, float16, float32, index, void
from eqsat.ops import AxisType, KernelInfo, Op
from eqsat.uop import UOp

Places = Callable[[int, int], tuple[int, int]]  # (thread, lane) -> (row, column)


class Case(NamedTuple):
    """A WMMA: its argument, lanes of a, b and c, and where the manual of its device says that elements are."""

    arg: tuple[Any, ...]
    lanes: tuple[int, int, int]
    places: tuple[Places, Places, Places]

    @property
    def threads(self) -> int:
        return self.arg[5]


def _m16n8_sum(lane: int, i: int) -> tuple[int, int]:
    """PTX ISA, accumulators of mma.m16n8k8 and m16n8k16: groupID = lane >> 2, threadID_in_group = lane % 4."""
    return (lane >> 2 if i < 2 else (lane >> 2) + 8), (lane % 4) * 2 + (i & 1)


def _m16n8k16_a(lane: int, i: int) -> tuple[int, int]:
    row = lane >> 2 if 0 <= i < 2 or 4 <= i < 6 else (lane >> 2) + 8
    return row, (lane % 4) * 2 + (i & 1) if i < 4 else (lane % 4) * 2 + (i & 1) + 8


def _m16n8k16_b(lane: int, i: int) -> tuple[int, int]:
    return ((lane % 4) * 2 + (i & 1) if i < 2 else (lane % 4) * 2 + (i & 1) + 8), lane >> 2


def _m16n8k8_a(lane: int, i: int) -> tuple[int, int]:
    return (lane >> 2 if i < 2 else (lane >> 2) + 8), (lane % 4) * 2 + (i & 1)


def _m16n8k8_b(lane: int, i: int) -> tuple[int, int]:
    return (lane % 4) * 2 + i, lane >> 2


def _tf32_a(lane: int, i: int) -> tuple[int, int]:
    return (lane >> 2 if i in (0, 2) else (lane >> 2) + 8), (lane % 4 if i in (0, 1) else lane % 4 + 4)


def _tf32_b(lane: int, i: int) -> tuple[int, int]:
    return (lane % 4 if i == 0 else lane % 4 + 4), lane >> 2


def in_order(rows: int, columns: int, lanes: int) -> Places:
    """Elements of a matrix one after another, again from the first where there are no more."""
    return lambda thread, lane: divmod((thread * lanes + lane) % (rows * columns), columns)


def nvidia(dims: tuple[int, int, int], given: DType, *places: Places, device: str = "CUDA") -> Case:
    columns, rows, inner = dims
    lanes = rows * inner // 32, inner * columns // 32, rows * columns // 32
    return Case(("mma", dims, given, float32, device, 32), lanes, (*places, _m16n8_sum))


NVIDIA = {
    "m16n8k16 f16": nvidia((8, 16, 16), float16, _m16n8k16_a, _m16n8k16_b),
    "m16n8k16 bf16": nvidia((8, 16, 16), bfloat16, _m16n8k16_a, _m16n8k16_b, device="NV"),
    "m16n8k8 f16": nvidia((8, 16, 8), float16, _m16n8k8_a, _m16n8k8_b),
    "m16n8k8 tf32": nvidia((8, 16, 8), float32, _tf32_a, _tf32_b),
}
AMD = {
    "MFMA 16x16x16": Case(
        ("mfma", (16, 16, 16), float16, float32, "AMD", 64),
        (4, 4, 4),
        (
            lambda t, i: (t % 16, 4 * (t // 16) + i),
            lambda t, i: (4 * (t // 16) + i, t % 16),
            lambda t, i: (4 * (t // 16) + i, t % 16),
        ),
    ),
    "WMMA 16x16x16": Case(
        ("wmma", (16, 16, 16), float16, float32, "HIP", 32),
        (16, 16, 8),
        (lambda t, i: (t % 16, i), lambda t, i: (i, t % 16), lambda t, i: (2 * i + t // 16, t % 16)),
    ),
}


def spread_in_order(dims: tuple[int, int, int], threads: int, *lanes: int) -> Case:
    """A WMMA of a device that has no layout of its own."""
    columns, rows, inner = dims
    shapes = (rows, inner), (inner, columns), (rows, columns)
    a, b, c = (in_order(*shape, count) for shape, count in zip(shapes, lanes, strict=True))
    return Case(("any", dims, float32, float32, "OTHER", threads), (lanes[0], lanes[1], lanes[2]), (a, b, c))


PLAIN = {
    "1 thread": spread_in_order((2, 4, 2), 1, 8, 4, 8),
    "2 threads": spread_in_order((2, 2, 3), 2, 3, 3, 2),
    "4 threads, one lane": spread_in_order((2, 2, 2), 4, 1, 1, 1),
    "5 threads": spread_in_order((5, 2, 2), 5, 4, 2, 2),
    "8 threads, two hold the same": spread_in_order((4, 4, 4), 8, 4, 4, 2),
    "16 threads": spread_in_order((8, 8, 4), 16, 2, 2, 4),
}
CASES = NVIDIA | AMD | PLAIN


def kernel(case: Case, warps: int = 1, steps: int = 1) -> UOp:
    """Each warp of a group multiplies fragments of its own, `steps` times, which are added up."""
    item = UOp.range(case.threads, 9, AxisType.WARP) if case.threads > 1 else UOp.const(index, 0)
    warp = UOp.range(warps, 3, AxisType.LOCAL) if warps > 1 else UOp.const(index, 0)
    step = UOp.range(steps, 5, AxisType.REDUCE)
    given, made = case.arg[2:4]
    fragments = []
    for slot, (lanes, dtype) in enumerate(zip(case.lanes, (given, given, made), strict=True)):
        parts = warps if slot == 2 else warps * steps
        buffer = UOp.param(slot, parts * case.threads * lanes, dtype)
        part = warp if slot == 2 else warp * steps + step
        address = UOp(Op.INDEX, dtype, (buffer, (part * case.threads + item) * lanes))
        fragments.append(UOp(Op.LOAD, dtype.vec(lanes) if lanes > 1 else dtype, (address,)))
    reduced = (step,) if steps > 1 else ()
    if steps == 1:
        fragments = [each.substitute({step: UOp.const(index, 0)}) for each in fragments]
    product = UOp(Op.WMMA, fragments[2].dtype, (*fragments, *reduced), case.arg)
    lanes = case.lanes[2]
    result = UOp(
        Op.INDEX,
        made,
        (UOp.param(3, warps * case.threads * lanes, made), (warp * case.threads + item) * lanes),
    )
    bounds = tuple(each for each in (item, warp) if each.op is Op.RANGE)
    return UOp.sink(UOp(Op.STORE, void, (result, product, *bounds)), arg=KernelInfo("matrices"))


def drawn(
    case: Case, warps: int = 1, steps: int = 1, seed: int = 0
) -> tuple[dict[int, np.ndarray], np.ndarray]:
    """Small integers as matrices, in fragments by slot, and the fragments of the result."""
    columns, rows, inner = case.arg[1]
    draw = np.random.default_rng(seed)
    given: dict[int, list[np.ndarray]] = {0: [], 1: [], 2: []}
    expected = []
    for _ in range(warps):
        pairs = [
            (draw.integers(-3, 4, (rows, inner)), draw.integers(-3, 4, (inner, columns)))
            for _ in range(steps)
        ]
        addend = draw.integers(-3, 4, (rows, columns))
        for left, right in pairs:
            given[0].append(in_fragments(case, 0, left))
            given[1].append(in_fragments(case, 1, right))
        given[2].append(in_fragments(case, 2, addend))
        total = addend + sum(left @ right for left, right in pairs)
        expected.append(in_fragments(case, 2, total))
    inputs = {slot: np.concatenate(parts).astype(np.float32) for slot, parts in given.items()}
    return inputs, np.concatenate(expected)


def in_fragments(case: Case, operand: int, matrix: np.ndarray) -> np.ndarray:
    """What the lanes of each thread hold, thread by thread."""
    places = [
        case.places[operand](thread, lane)
        for thread in range(case.threads)
        for lane in range(case.lanes[operand])
    ]
    return np.array([matrix[place] for place in places])
