"""Long loop bodies give up copies step by step, and vectors never: no step in length makes a kernel much slower."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from eqsat.dtype import float32
from eqsat.machine import Machine
from eqsat.ops import AxisType, Op
from eqsat.schedule.cost.estimates import (
    BODY_INSTRUCTIONS,
    TEXT_INSTRUCTIONS,
    Costs,
)
from eqsat.schedule.cost.tables import Tables
from eqsat.schedule.draft import Draft
from eqsat.schedule.kernel import Kernel
from eqsat.schedule.placement import KernelPrices
from eqsat.schedule.plan import draft
from eqsat.schedule.tiling import Tiling, Tilings
from eqsat.uop import UOp
from tests.schedule.graphs import matmul

DEVICE = Machine()
LENGTHS = [*range(10, 100, 10), *range(100, 640, 60)]  # operations; KERNEL_NODES ends a kernel at 400
STEEPEST = 1.5  # by which seconds may grow beyond the number of operations from one length to the next


def extended(value: UOp, operations: int, kind: Op) -> UOp:
    """A chain of operations, half of them of this kind, after a value."""
    x = value
    for number in range(operations // 2):
        value = value.alu(kind) + number if kind is Op.SQRT else value * x + number
    return value


def kernels(graph: UOp) -> tuple[Kernel, ...]:
    return draft(UOp.sink(graph), DEVICE).schedule().kernels


def fused(value: UOp) -> Draft:
    """The one kernel that computes all of a value."""
    return KernelPrices(DEVICE).draft((value,))


def instructions(
    kernel: Tables, tilings: Sequence[Tiling]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Those of the longest innermost loop body, where the time goes, and of the whole text; code after a reduction is in no such body."""
    counted = Costs.of(kernel, Tilings.of(kernel.kernel.extents, tilings), DEVICE).instructions
    return counted[:, kernel.innermost].max(axis=1), counted.sum(axis=1)


def axes(kernel: Kernel) -> set[AxisType]:
    return {node.arg[1] for node in kernel.ast.toposort() if node.op is Op.RANGE}


@pytest.mark.parametrize("kind", [Op.MUL, Op.SQRT, Op.RECIP, Op.SIN])
def test_chains_of_any_length_are_vectors(kind: Op) -> None:
    found = [kernels(extended(UOp.param(0, 1 << 16, float32), length, kind)) for length in LENGTHS]
    assert all(AxisType.UPCAST in axes(kernel) for each in found for kernel in each)
    seconds = [sum(kernel.predicted_seconds for kernel in each) for each in found]
    for (shorter, before), (longer, after) in pairwise(zip(LENGTHS, seconds, strict=True)):
        assert after / before < STEEPEST * longer / shorter, (shorter, longer)


def test_what_follows_a_reduction_does_not_count() -> None:
    """A matrix product keeps its register tile however much is done with the result."""
    for length in (0, 40, 160, 320):
        kernel = fused(extended(matmul(256, 128, 256).src[0], length, Op.MUL)).kernel()
        assert {AxisType.UPCAST, AxisType.UNROLL} <= axes(kernel), length


def test_copies_are_given_up_one_after_the_other() -> None:
    lengths = (4, 30, 120)
    copies: list[int] = []
    for length in lengths:
        (each,) = draft(UOp.sink(extended(UOp.param(0, 1 << 16, float32), length, Op.SQRT)), DEVICE).kernels
        copies.append(max(axis.copies for tiling in each.choice.ranked for axis in tiling.axes))
    assert copies[0] >= copies[1] >= copies[2]
    assert copies[0] > copies[2] == 1


def test_innermost_bodies_are_counted_alone() -> None:
    each = fused(extended(matmul(256, 128, 256).src[0], 200, Op.MUL))
    inner, whole = instructions(Tables.of(each.profile), each.choice.ranked)
    assert (inner < whole).all()
    assert (whole > BODY_INSTRUCTIONS).any()


def test_bodies_beyond_the_limits_have_no_copies() -> None:
    (each,) = draft(UOp.sink(extended(matmul(64, 32, 64).src[0], 40, Op.SQRT)), DEVICE).kernels
    tilings = each.choice.ranked
    inner, whole = instructions(Tables.of(each.profile), tilings)
    long = (inner > BODY_INSTRUCTIONS) | (whole > TEXT_INSTRUCTIONS)
    copies = [max(axis.copies for axis in tiling.axes) for tiling in tilings]
    assert max(copies) > 1
    assert {many for many, is_long in zip(copies, long, strict=True) if is_long} <= {1}
