"""Work-groups: reductions that the items of a group share, local memory that they fill together, and the BARRIERs between."""

import numpy as np
import pytest

from eqsat.codegen import OPENCL_GPU, render
from eqsat.dtype import AddrSpace, DType, PtrDType, float32, float64, index, int32, void
from eqsat.errors import SpecError
from eqsat.ops import AxisType, BufferizeOpts, Op
from eqsat.uop import UOp
from tests.codegen.device import check
from tests.codegen.kernels import (
    GLOBAL,
    LOCAL,
    LOOP,
    REDUCE,
    UNROLL,
    UPCAST,
    Ranges,
    kernel,
    load,
    reduced,
    store,
)

RANDOM = np.random.default_rng(0)
GROUP_REDUCE = AxisType.GROUP_REDUCE


def row_totals(op: Op, dtype: DType, items: int, part: int, lanes: int = 1, rows: int = 3) -> UOp:
    """Reduces rows, each by a group whose items walk `part` vectors of `lanes`."""
    ranges = Ranges()
    row, item = ranges(rows, GLOBAL), ranges(items, GROUP_REDUCE)
    step, lane = ranges(part, REDUCE), ranges(lanes, UPCAST)
    own = (item, *(bound for bound, size in ((step, part), (lane, lanes)) if size > 1))
    columns = items * part * lanes
    position = row * columns + item * lanes
    position = position + step * (items * lanes) if part > 1 else position
    position = position + lane if lanes > 1 else position
    total = reduced(op, load(UOp.param(1, rows * columns, dtype), position), *own)
    return kernel("row_totals", store(UOp.param(0, rows, dtype), row, total, row))


@pytest.mark.parametrize("op", [Op.ADD, Op.MAX, Op.MIN, Op.MUL])
@pytest.mark.parametrize("dtype", [float32, int32, float64])
def test_items_share_a_reduction(op: Op, dtype: DType) -> None:
    made = row_totals(op, dtype, 8, 3)
    values = RANDOM.integers(1, 4, (3, 24))
    (found,) = check(made, {1: values}, target=OPENCL_GPU)
    of = {Op.ADD: np.sum, Op.MAX: np.max, Op.MIN: np.min, Op.MUL: np.prod}[op]
    np.testing.assert_allclose(
        found, of(values, axis=1, dtype=np.int64) if op in (Op.ADD, Op.MUL) else of(values, axis=1)
    )


@pytest.mark.parametrize(
    ("items", "part", "lanes"), [(2, 1, 1), (12, 2, 1), (11, 1, 4), (64, 2, 4), (128, 3, 1)]
)
def test_any_number_of_items(items: int, part: int, lanes: int) -> None:
    values = RANDOM.random((3, items * part * lanes), np.float32)
    (found,) = check(row_totals(Op.ADD, float32, items, part, lanes), {1: values}, 1e-5, OPENCL_GPU)
    np.testing.assert_allclose(found, values.sum(axis=1), rtol=1e-5)


def test_barriers_are_outside_of_conditions() -> None:
    """The store of the result is that of one item; every BARRIER is a statement of the kernel itself."""
    lines = render(row_totals(Op.ADD, float32, 64, 2), OPENCL_GPU).source.splitlines()
    barriers = [line for line in lines if "barrier(" in line]
    assert len(barriers) == 2
    assert all(len(line) - len(line.lstrip()) == 4 for line in barriers)
    assert any("lid0 < 1" in line or "lid0 == 0" in line for line in lines)


def test_rows_are_normalized_by_one_group_each() -> None:
    """Two reductions of one group, an epilogue by all items, and a row in local memory."""
    rows, items, part = 5, 8, 4
    ranges, columns = Ranges(), items * part
    row, item = ranges(rows, GLOBAL), ranges(items, LOCAL)
    fill, write = ranges(part, LOOP), ranges(part, LOOP)
    source = UOp.param(1, rows * columns, float32)

    def place(bound: UOp, among: UOp) -> UOp:
        return row * columns + bound * items + among

    def share(op: Op, value: object) -> UOp:
        among, step = ranges(items, GROUP_REDUCE), ranges(part, REDUCE)
        return reduced(op, value(step, among), among, step)  # type: ignore[operator]

    most = share(Op.MAX, lambda step, among: load(source, place(step, among)))
    memory = UOp(Op.DEFINE_LOCAL, PtrDType(float32, AddrSpace.LOCAL, columns), (), 0)
    value = (load(source, place(fill, item)) - most).alu(Op.EXP)
    address = UOp(Op.INDEX, float32, (memory, fill * items + item))
    ready = UOp(Op.AFTER, memory.dtype, (memory, UOp(Op.STORE, void, (address, value, fill, item))))

    def kept(at: UOp) -> UOp:
        return UOp(Op.LOAD, float32, (UOp(Op.INDEX, float32, (ready, at)),))

    total = share(Op.ADD, lambda step, among: kept(step * items + among))
    mirrored = kept(columns - 1 - (write * items + item))
    out = store(UOp.param(0, rows * columns, float32), place(write, item), mirrored / total, row, write, item)
    values = RANDOM.random((rows, columns), np.float32)
    (found,) = check(kernel("normalized", out), {1: values}, 1e-5, OPENCL_GPU)
    e = np.exp(values - values.max(axis=1, keepdims=True))
    np.testing.assert_allclose(
        found.reshape(rows, columns), (e / e.sum(axis=1, keepdims=True))[:, ::-1], rtol=1e-5
    )


def test_local_memory_that_is_filled_again_waits_for_its_readers() -> None:
    """A loop over rows around a shared reduction: parts of the next row wait until those of this one were read."""
    items, rows = 8, 4
    ranges = Ranges()
    row, item = ranges(rows, LOOP), ranges(items, GROUP_REDUCE)
    total = reduced(Op.ADD, load(UOp.param(1, rows * items, float32), row * items + item), item)
    made = kernel("rows", store(UOp.param(0, rows, float32), row, total, row))
    values = RANDOM.random((rows, items), np.float32)
    (found,) = check(made, {1: values}, 1e-5, OPENCL_GPU)
    np.testing.assert_allclose(found, values.sum(axis=1), rtol=1e-5)
    instructions = render(made, OPENCL_GPU).linear.src
    assert sum(node.op is Op.BARRIER for node in instructions) == 2


@pytest.mark.parametrize("op", [Op.MAX, Op.MIN])
def test_the_first_of_equal_extremes_is_found(op: Op) -> None:
    rows, items, part = 6, 16, 5
    ranges = Ranges()
    row, item, step = ranges(rows, GLOBAL), ranges(items, GROUP_REDUCE), ranges(part, REDUCE)
    column = step * items + item
    value = load(UOp.param(1, rows * items * part, float32), row * (items * part) + column)
    place = UOp(Op.ARGREDUCE, int32, (value, column.cast(int32), item, step), (op, 1))
    made = kernel("place", store(UOp.param(0, rows, int32), row, place, row))
    values = RANDOM.integers(0, 4, (rows, items * part)).astype(np.float32)
    values[0, 17] = values[0, 3] = np.nan
    (found,) = check(made, {1: values}, target=OPENCL_GPU)
    np.testing.assert_array_equal(found, (np.argmax if op is Op.MAX else np.argmin)(values, axis=1))


def test_a_tile_of_results_is_shared_copy_by_copy() -> None:
    """Copies and lanes of the results have places of their own in local memory; a second LOCAL axis, too."""
    ranges = Ranges()
    rows, among, copy, lane, item = (
        ranges(2, LOCAL), ranges(2, GLOBAL), ranges(3, UNROLL), ranges(4, UPCAST), ranges(8, GROUP_REDUCE),
    )  # fmt: skip
    step = ranges(2, REDUCE)
    total_row = (among * 2 + rows) * 3 + copy
    position = (total_row * 16 + step * 8 + item) * 4 + lane
    total = reduced(Op.ADD, load(UOp.param(1, 12 * 16 * 4, float32), position), item, step)
    out = store(UOp.param(0, 48, float32), total_row * 4 + lane, total, rows, among, copy, lane)
    values = RANDOM.random((12, 16, 4), np.float32)
    (found,) = check(kernel("tile", out), {1: values}, 1e-5, OPENCL_GPU)
    np.testing.assert_allclose(found.reshape(12, 4), values.sum(axis=1), rtol=1e-5)


def test_what_does_not_vary_is_stored_at_every_place() -> None:
    """Only where several work-items would write to one place, one of them does."""
    ranges = Ranges()
    row, item = ranges(3, GLOBAL), ranges(4, LOCAL)
    out, two = UOp.param(0, 12, float32), UOp.const(float32, 2.0)
    (found,) = check(kernel("constants", store(out, row * 4 + item, two, row, item)), {}, target=OPENCL_GPU)
    np.testing.assert_array_equal(found, np.full(12, 2))
    (found,) = check(kernel("constants", store(out, row * 4, two, row, item)), {}, target=OPENCL_GPU)
    np.testing.assert_array_equal(found, np.tile([2, 0, 0, 0], 3))


def test_a_reduction_of_one_value_again_and_again_leaves_coordinates_of_results_alone() -> None:
    """The value varies with the item that stores it, and not with the range of the reduction, of as many items."""
    ranges = Ranges()
    row, item, again = ranges(3, GLOBAL), ranges(4, LOCAL), ranges(4, GROUP_REDUCE)
    place = row * 4 + item
    value = load(UOp.param(1, 12, int32), place)
    made = kernel("again", store(UOp.param(0, 12, int32), place, reduced(Op.ADD, value, again), row, item))
    values = np.arange(12).reshape(3, 4)
    (found,) = check(made, {1: values}, target=OPENCL_GPU)
    np.testing.assert_array_equal(found.reshape(3, 4), 4 * values)


@pytest.mark.parametrize("is_even", [True, False])
def test_a_kernel_whose_items_part_before_a_barrier_is_refused(is_even: bool) -> None:
    """Local memory is filled in a loop whose end differs between the items of a group: code generation would put BARRIERs into it."""
    item = UOp.range(4, 0, AxisType.LOCAL)
    loop = UOp.range(UOp.const(index, 4) if is_even else item + 1, 1, AxisType.REDUCE)
    given = load(UOp.param(1, 16, float32), loop * 4 + item)
    kept = UOp(Op.BUFFERIZE, float32, (given, item), BufferizeOpts(space=AddrSpace.LOCAL))
    read = UOp(Op.LOAD, float32, (UOp(Op.INDEX, float32, (kept, item * -1 + 3)),))
    sink = kernel("parted", store(UOp.param(0, 4, float32), item, reduced(Op.ADD, read, loop), item))
    if is_even:
        assert "barrier" in render(sink).source
    else:
        with pytest.raises(SpecError, match="the end of RANGE.* differs between them"):
            render(sink)
