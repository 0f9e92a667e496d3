"""Which loops the compiler is told to unroll: short ones inside others, around few accumulators."""

from __future__ import annotations

import re

import pytest

import eqsat as eq
from eqsat.codegen import OPENCL_CPU, OPENCL_GPU
from eqsat.codegen.dialects import Dialect
from eqsat.codegen.rendering.short_loops import short_loops
from eqsat.codegen.rendering.source import render_source
from eqsat.dtype import AddrSpace, DType, PtrDType, float32, void
from eqsat.ops import Op
from eqsat.uop import UOp

OUTER = 64
VECTOR = float32.vec(16)


def nested(
    *extents: int, accumulators: int = 1, dtype: DType = VECTOR, barrier: bool = False
) -> tuple[UOp, ...]:
    """The instructions of loops around each other, the innermost of which updates accumulators."""
    loops = [UOp.range(extent, number) for number, extent in enumerate(extents)]
    registers = [
        UOp(Op.DEFINE_REG, PtrDType(dtype, AddrSpace.REG, 1), (), number) for number in range(accumulators)
    ]
    zero = UOp.const(dtype, 1)
    stores = [UOp(Op.STORE, void, (register, zero)) for register in registers]
    ends = [UOp(Op.END, void, (stores[-1], loop)) for loop in reversed(loops)]
    return (*registers, *loops, zero, *stores, *[UOp(Op.BARRIER, void, ())] * barrier, *ends)


def unrolled(instructions: tuple[UOp, ...]) -> list[int]:
    """The extents of the loops that are unrolled, the outermost first."""
    found = short_loops(instructions)
    return [node.src[0].arg for node in instructions if node in found]


def test_short_loops_inside_another_are_unrolled() -> None:
    assert unrolled(nested(OUTER, 3, 3)) == [3, 3]
    assert unrolled(nested(OUTER, 2, 4)) == [2, 4]


def test_an_outermost_loop_stays_a_loop() -> None:
    assert unrolled(nested(3)) == []
    assert unrolled(nested(3, 3)) == [3]


def test_a_loop_around_one_that_stays_is_not_unrolled() -> None:
    assert unrolled(nested(OUTER, 3, 5)) == []
    assert unrolled(nested(OUTER, 5, 3)) == [3]


@pytest.mark.parametrize(
    ("accumulators", "lanes", "expected"), [(16, 16, [3]), (17, 16, []), (32, 8, [3]), (33, 8, [])]
)
def test_accumulators_must_leave_half_of_the_registers_free(
    accumulators: int, lanes: int, expected: list[int]
) -> None:
    assert unrolled(nested(OUTER, 3, accumulators=accumulators, dtype=float32.vec(lanes))) == expected


def test_copies_without_accumulators_and_barriers_stay_in_loops() -> None:
    assert unrolled(nested(OUTER, 3, barrier=True)) == []
    loops = [UOp.range(extent, number) for number, extent in enumerate((OUTER, 3))]
    address = UOp(
        Op.INDEX, float32, (UOp(Op.DEFINE_GLOBAL, PtrDType(float32, AddrSpace.GLOBAL, 192), (), 0), loops[1])
    )
    store = UOp(Op.STORE, void, (address, UOp.const(float32, 1)))
    ends = [UOp(Op.END, void, (store, loop)) for loop in reversed(loops)]
    assert unrolled((address.src[0], *loops, address, store, *ends)) == []


@pytest.mark.parametrize(("dialect", "unrolls"), [(OPENCL_CPU, True), (OPENCL_GPU, False)])
def test_taps_of_a_filter_are_unrolled_for_processors(dialect: Dialect, unrolls: bool) -> None:
    """Compilers for graphics cards unroll them without being told."""
    graph = eq.trace(eq.conv2d, eq.spec((1, 64, 30, 30), eq.float32), eq.spec((64, 64, 3, 3), eq.float32))
    texts = [render_source(each.linear, each.name, dialect) for each in eq.compile(graph).kernels]
    assert any(re.search(r"#pragma unroll\n *for .* < 3;", text) for text in texts) == unrolls
