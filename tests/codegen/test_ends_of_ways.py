"""Where ways through code generation end: what has no code is refused by name, and what no other test asks for is computed.

`python -m benchmarks.mutations --unreached` lists the lines that no test runs; most of what is here was found by it.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from eqsat.codegen import OPENCL_CPU, C, render, render_source
from eqsat.codegen.expansion.expand import expand as expand_legal
from eqsat.codegen.expansion.interleaving import _is_row  # pyright: ignore[reportPrivateUsage]
from eqsat.codegen.expansion.lanes import fold
from eqsat.codegen.linearization.launch import coordinate, multiplied
from eqsat.codegen.linearization.linearize import _addends  # pyright: ignore[reportPrivateUsage]
from eqsat.codegen.linearization.loops import LoopNest
from eqsat.codegen.rendering.memory import definition
from eqsat.dtype import DType, bool_, float32, float64, index, int32, void
from eqsat.errors import CodegenError
from eqsat.integers.values import COMPUTED
from eqsat.ops import UNARY, Op, Stage
from eqsat.uop import UOp, toposort
from tests.codegen.device import check
from tests.codegen.kernels import GLOBAL, LOOP, REDUCE, SCAN, UPCAST, Ranges, kernel, load, reduced, store
from tests.forms.form import Runs, argument, at, f, i, node, program
from tests.forms.form import load as loaded
from tests.forms.form import store as stored
from tests.forms.running import check as run

WIDTHS = (2, 3, 4, 8, 16)
NUMBERS = np.arange(1, 33, dtype=np.float32)


def part(width: int, lanes: tuple[int, ...]) -> UOp:
    """A program that stores some lanes of a vector side by side."""
    vector = node(Op.LOAD, float32.vec(width), at(argument(1, 32), i(0)))
    dtype = float32 if len(lanes) == 1 else float32.vec(len(lanes))
    return program(stored(at(argument(0, 32), i(0)), node(Op.GEP, dtype, vector, arg=lanes)))


@pytest.mark.parametrize(
    ("width", "count"), [(width, count) for width, count in product(WIDTHS, (1, *WIDTHS)) if count <= width]
)
def test_every_part_of_every_vector(width: int, count: int) -> None:
    """From the first lane, from the last, from each place where vectors are halved, and backward."""
    for start in sorted({0, width // 2, width - count} & {*range(width - count + 1)}):
        lanes = tuple(range(start, start + count))
        for chosen in {lanes, lanes[::-1]}:
            run(Runs("part", Stage.LINEAR, part(width, chosen), {1: NUMBERS}))


@pytest.mark.parametrize("count", [5, 6, 7, 9, 15])
def test_parts_of_other_sizes_are_refused(count: int) -> None:
    with pytest.raises(CodegenError, match=f"a vector of {count} lanes does not exist"):
        render_source(part(16, tuple(range(count))), "part")


@pytest.mark.parametrize(
    ("op", "dtype"), [(Op.IDIV, float32), (Op.RECIP, int32), (Op.SQRT, int32), (Op.FDIV, bool_)], ids=str
)
def test_operations_without_code_are_refused(op: Op, dtype: DType) -> None:
    given = loaded(at(argument(1, 8, dtype), i(0)))
    sources = (given,) if op in UNARY else (given, given)
    with pytest.raises(CodegenError, match=f"{op.name}.*{dtype}"):
        render_source(program(stored(at(argument(0, 8, dtype), i(0)), node(op, dtype, *sources))), "none")


def test_what_a_dialect_lacks_is_refused() -> None:
    double = program(stored(at(argument(0, 8, float64), i(0)), UOp.const(float64, 1.0)))
    with pytest.raises(CodegenError, match="computes in float64, which .* lacks; cast to float32 first"):
        render_source(double, "double", replace(OPENCL_CPU, float64=False))
    item = node(Op.SPECIAL, index, i(8), arg="gid0")
    with pytest.raises(CodegenError, match="has no work-items, so no gid0; make it a RANGE"):
        render_source(program(stored(at(argument(0, 8), item), f(1.0))), "items", C)
    with pytest.raises(CodegenError, match="SPECIAL 'banana' is unknown"):
        coordinate(node(Op.SPECIAL, index, i(8), arg="banana"))
    with pytest.raises(CodegenError, match="is not the address of a buffer"):
        definition(f(1.0))


def test_multiply_and_add_where_nothing_is_contracted() -> None:
    bound = UOp.range(8, 0, LOOP)
    a, b, c = (load(UOp.param(slot, 8, float32), bound) for slot in (1, 2, 3))
    sink = kernel("fused", store(UOp.param(0, 8, float32), bound, a.alu(Op.MULACC, b, c), bound))
    exact = render(sink, replace(OPENCL_CPU, contract=False)).source
    assert "multiply_add_float(" in exact
    assert "multiply_add" not in render(sink, OPENCL_CPU).source


def test_products_of_sizes() -> None:
    size = UOp.variable("n", 1, 8)
    assert multiplied(i(1), size) is size
    assert multiplied(i(3), i(5)) is i(15)
    assert multiplied(i(3), size) is i(3) * size
    assert fold(i(1).alu(Op.MUL, size)) is size
    assert fold(size.alu(Op.MUL, i(1))) is size
    assert fold(size.alu(Op.MUL, i(0))) is i(0)
    assert fold(size.alu(Op.ADD, i(2))) is size.alu(Op.ADD, i(2))
    assert Op.MUL in COMPUTED


def test_addends_are_the_parts_of_what_is_folded() -> None:
    total = reduced(Op.ADD, f(1.0), UOp.range(4, 0, REDUCE))
    assert _addends(total, f(3.0)) == (f(3.0),)
    assert _addends(total, UOp(Op.VECTORIZE, float32.vec(2), (f(1.0), f(2.0)))) == (f(1.0), f(2.0))


def test_rows_have_gates_that_hold_together() -> None:
    buffer, bound = UOp.param(0, 32, float32), UOp.range(8, 0)
    number = UOp(Op.LOAD, int32, (UOp(Op.INDEX, int32, (UOp.param(1, 8, int32), bound)),))
    gates = {
        "none": [(), ()],
        "one": [(bound < 3,), (bound < 3,)],
        "side by side": [(bound < 3,), (bound + 1 < 3,)],
        "of some": [(), (bound < 3,)],
        "unequal": [(bound.alu(Op.CMPNE, i(3)),), (bound.alu(Op.CMPNE, i(4)),)],
        "apart": [(bound < 3,), (bound + 2 < 3,)],
        "of numbers that may wrap": [(number < 3,), (number + 1 < 3,)],
    }
    rows = {
        name: [UOp(Op.INDEX, float32, (buffer, bound + place, *gate)) for place, gate in enumerate(these)]
        for name, these in gates.items()
    }
    assert [name for name, row in rows.items() if _is_row(row)] == ["none", "one", "side by side"]


def test_scan_in_the_loop_of_a_reduction_around_it_is_refused() -> None:
    """Its own loop is no innermost one."""
    carry, step = UOp.range(4, 0, SCAN), UOp.range(3, 1, REDUCE)
    scanned = UOp(
        Op.SCAN, float32, (load(UOp.param(1, 12, float32), carry * 3 + step), carry), (Op.ADD, False)
    )
    total = reduced(Op.ADD, scanned, step)
    sink = kernel("inside", store(UOp.param(0, 4, float32), carry, total, carry))
    nest = LoopNest.of(toposort([sink]))
    with pytest.raises(
        CodegenError, match="carries a value along loops that are not the innermost around it"
    ):
        nest.block_of(scanned)


@pytest.mark.parametrize("op", [Op.REDUCE, Op.SCAN], ids=str)
def test_places_that_are_computed_for_all_lanes_are_read_lane_by_lane(op: Op) -> None:
    """A gather whose index is a reduction, or a scan, of vectors."""
    ranges = Ranges()
    along, lane, step = ranges(3, GLOBAL), ranges(4, UPCAST), ranges(2, REDUCE if op is Op.REDUCE else SCAN)
    number = load(UOp.param(2, 24, int32), (along * 4 + lane) * 2 + step).cast(index)
    if op is Op.REDUCE:
        place, outer, row = reduced(Op.ADD, number, step), (along, lane), along * 4 + lane
    else:
        place = UOp(Op.SCAN, index, (number, step), (Op.ADD, False))
        outer, row = (along, step, lane), (along * 2 + step) * 4 + lane
    value = load(UOp.param(1, 16, float32), place)
    size = 12 if op is Op.REDUCE else 24
    sink = kernel("gathered", store(UOp.param(0, size, float32), row, value, *outer))
    given = np.arange(24, dtype=np.int32)[::-1].copy() % 8
    check(sink, {1: NUMBERS[:16], 2: given})


@pytest.mark.parametrize("step", [1, -1])
def test_pointers_in_any_order_are_read(step: int) -> None:
    group = UOp.range(4, 0, GLOBAL)
    first = 0 if step == 1 else 3
    places = [
        UOp(Op.INDEX, float32, (UOp.param(1, 16, float32), group * 4 + (first + step * lane)))
        for lane in range(4)
    ]
    vector = UOp(Op.LOAD, float32.vec(4), (UOp(Op.PTRCAT, float32, tuple(places)),))
    target = UOp(Op.INDEX, float32, (UOp.param(0, 16, float32), group * 4))
    (found,) = check(
        expand_legal(kernel("pointers", UOp(Op.STORE, void, (target, vector, group)))), {1: NUMBERS[:16]}
    )
    assert found.tolist() == NUMBERS[:16].reshape(4, 4)[:, ::step].ravel().tolist()
