"""Kernels built by hand, in the shapes that a schedule produces."""

from collections.abc import Callable
from itertools import count
from math import prod

from eqsat.dtype import DType, bool_, float32, index, int32, void
from eqsat.ops import AxisType, Op
from eqsat.schedule.lowering.launch import launched
from eqsat.uop import UOp

GLOBAL, LOOP, UPCAST, UNROLL, REDUCE, SCAN, LOCAL = (
    AxisType.GLOBAL, AxisType.LOOP, AxisType.UPCAST, AxisType.UNROLL, AxisType.REDUCE, AxisType.SCAN, AxisType.LOCAL,
)  # fmt: skip


class Ranges:
    """Makes ranges with rising numbers."""

    def __init__(self) -> None:
        self._numbers = count()

    def __call__(self, extent: int, axis: AxisType) -> UOp:
        return UOp.range(extent, next(self._numbers), axis)


def load(buffer: UOp, position: UOp, gate: UOp | None = None, otherwise: float = 0) -> UOp:
    """The element at a flat position; where a gate is given and false, `otherwise`."""
    assert isinstance(buffer.dtype, DType)
    if gate is None:
        return UOp(Op.LOAD, buffer.dtype, (UOp(Op.INDEX, buffer.dtype, (buffer, position)),))
    address = UOp(Op.INDEX, buffer.dtype, (buffer, position, gate))
    return UOp(Op.LOAD, buffer.dtype, (address, UOp.const(buffer.dtype, otherwise)))


def store(buffer: UOp, position: UOp, value: UOp, *ranges: UOp, gate: UOp | None = None) -> UOp:
    """Writes a value at a flat position, for all ranges."""
    gates = () if gate is None else (gate,)
    return UOp(Op.STORE, void, (UOp(Op.INDEX, buffer.dtype, (buffer, position, *gates)), value, *ranges))


def reduced(op: Op, value: UOp, *ranges: UOp) -> UOp:
    """Combined over ranges."""
    return UOp(Op.REDUCE, value.dtype, (value, *ranges), op)


def kernel(name: str, *stores: UOp) -> UOp:
    """The SINK of a kernel."""
    sink = UOp.sink(*stores)
    return sink.replace(arg=launched(name, sink))


def elementwise(functions: list[Callable[..., UOp]], dtypes: tuple[DType, ...], size: int, lanes: int) -> UOp:
    """Output k is function k of the inputs; with more than one lane, by vectors. Inputs follow the outputs."""
    ranges = Ranges()
    outer = ranges(size // lanes, GLOBAL)
    lane = ranges(lanes, UPCAST) if lanes > 1 else None
    position = outer if lane is None else outer * lanes + lane
    closed = (outer,) if lane is None else (outer, lane)
    values = [
        load(UOp.param(len(functions) + number, size, dtype), position) for number, dtype in enumerate(dtypes)
    ]
    stores: list[UOp] = []
    for number, function in enumerate(functions):
        value = function(*values)
        assert isinstance(value.dtype, DType)
        stores.append(store(UOp.param(number, size, value.dtype), position, value, *closed))
    return kernel("elementwise", *stores)


def matmul(
    rows: int, columns: int, depth: int, tile: int, vectors: int, lanes: int, unroll: int = 1, loop: int = 1
) -> UOp:
    """C = A·B in tiles of `tile` rows by `vectors` vectors; `loop` tiles of rows per work-item; `unroll` steps of k at once."""
    ranges = Ranges()
    a, b, c = (
        UOp.param(1, rows * depth, float32),
        UOp.param(2, depth * columns, float32),
        UOp.param(0, rows * columns, float32),
    )
    group_row, group_column = (
        ranges(rows // tile // loop, GLOBAL),
        ranges(columns // (vectors * lanes), GLOBAL),
    )
    walk = ranges(loop, LOOP)
    row_copy, vector, lane = ranges(tile, UNROLL), ranges(vectors, UNROLL), ranges(lanes, UPCAST)
    step, step_copy = ranges(depth // unroll, REDUCE), ranges(unroll, UNROLL)
    row, column = (
        (group_row * loop + walk) * tile + row_copy,
        (group_column * vectors + vector) * lanes + lane,
    )
    k = step * unroll + step_copy
    product = load(a, row * depth + k) * load(b, k * columns + column)
    total = reduced(Op.ADD, product, step, step_copy)
    return kernel(
        "matmul",
        store(c, row * columns + column, total, group_row, group_column, walk, row_copy, vector, lane),
    )


def row_sum(rows: int, columns: int, op: Op, dtype: DType, lanes: int, copies: int) -> UOp:
    """Each row combined by `op`: by vectors of `lanes` and `copies` accumulators."""
    ranges = Ranges()
    source, target = UOp.param(1, rows * columns, dtype), UOp.param(0, rows, dtype)
    row = ranges(rows, GLOBAL)
    step = ranges(columns // (lanes * copies), REDUCE)
    copy, lane = ranges(copies, UNROLL), ranges(lanes, UPCAST)
    value = load(source, row * columns + (step * copies + copy) * lanes + lane)
    return kernel("row_sum", store(target, row, reduced(op, value, step, copy, lane), row))


def row_extreme(rows: int, columns: int, op: Op, dtype: DType, lanes: int, copies: int) -> UOp:
    """Each row's extreme value and the position where it stands first: by vectors of `lanes`, `copies` of them in each iteration."""
    ranges = Ranges()
    row, step = ranges(rows, GLOBAL), ranges(columns // (lanes * copies), REDUCE)
    copy, lane = ranges(copies, UNROLL), ranges(lanes, UPCAST)
    bounds = [bound for bound in (step, copy, lane) if bound.src[0].arg > 1]
    place = ((step * copies + copy) * lanes + lane).substitute(
        {bound: UOp.const(index, 0) for bound in (step, copy, lane) if bound not in bounds}
    )
    return _extremes(
        UOp.param(2, rows * columns, dtype), row * columns + place, place, bounds, op, row, (row,)
    )


def column_extreme(rows: int, columns: int, op: Op, dtype: DType, lanes: int, copies: int) -> UOp:
    """Each column's extreme value and the position where it stands first: `lanes` columns in a vector, `copies` of them in a work-item."""
    ranges = Ranges()
    group, row = ranges(columns // (lanes * copies), GLOBAL), ranges(rows, REDUCE)
    copy, lane = ranges(copies, UNROLL), ranges(lanes, UPCAST)
    column = (group * copies + copy) * lanes + lane
    source = UOp.param(2, rows * columns, dtype)
    return _extremes(source, row * columns + column, row, [row], op, column, (group, copy, lane))


def _extremes(
    source: UOp, address: UOp, place: UOp, bounds: list[UOp], op: Op, target: UOp, outer: tuple[UOp, ...]
) -> UOp:
    size = prod(bound.src[0].arg for bound in outer)
    pair = (load(source, address), place.cast(int32), *bounds)
    dtypes = (source.dtype, int32)
    stores = [
        store(UOp.param(member, size, dtype), target, UOp(Op.ARGREDUCE, dtype, pair, (op, member)), *outer)
        for member, dtype in enumerate(dtypes)
    ]
    return kernel("extremes", *stores)


def row_scan(
    rows: int, columns: int, op: Op, dtype: DType, lanes: int, copies: int, exclusive: bool = False
) -> UOp:
    """Each element of a row combined with those before it: by vectors of `lanes`, `copies` of them in each iteration."""
    ranges = Ranges()
    source, target = UOp.param(1, rows * columns, dtype), UOp.param(0, rows * columns, dtype)
    row, step = ranges(rows, GLOBAL), ranges(columns // (lanes * copies), SCAN)
    inner = [ranges(extent, axis) for extent, axis in ((copies, UNROLL), (lanes, UPCAST))]
    bounds = [bound for bound in (step, *inner) if bound.src[0].arg > 1]
    position = row * columns + (step * copies + inner[0]) * lanes + inner[1]
    position = position.substitute(
        {bound: UOp.const(index, 0) for bound in (step, *inner) if bound not in bounds}
    )
    value = load(source, position)
    scanned = UOp(Op.SCAN, dtype, (value, *bounds), (op, exclusive))
    return kernel("row_scan", store(target, position, scanned, row, *bounds))


def column_scan(rows: int, columns: int, op: Op, dtype: DType, lanes: int, copies: int) -> UOp:
    """Each element of a column combined with those above it: `lanes` columns in a vector, `copies` of them in a work-item."""
    ranges = Ranges()
    source, target = UOp.param(1, rows * columns, dtype), UOp.param(0, rows * columns, dtype)
    group, row = ranges(columns // (lanes * copies), GLOBAL), ranges(rows, SCAN)
    copy, lane = ranges(copies, UNROLL), ranges(lanes, UPCAST)
    position = row * columns + (group * copies + copy) * lanes + lane
    scanned = UOp(Op.SCAN, dtype, (load(source, position), row), (op, False))
    return kernel("column_scan", store(target, position, scanned, group, row, copy, lane))


def softmax(rows: int, columns: int, lanes: int, copies: int = 1) -> UOp:
    """Each row's softmax in one work-item: maximum, sum of exponentials, and the quotients, in three loops."""
    ranges = Ranges()
    source, target = UOp.param(1, rows * columns, float32), UOp.param(0, rows * columns, float32)
    row, write, write_lane = ranges(rows, GLOBAL), ranges(columns // lanes, LOOP), ranges(lanes, UPCAST)

    def element(reduction: bool) -> tuple[UOp, tuple[UOp, ...]]:
        if not reduction:
            return load(source, row * columns + write * lanes + write_lane), (write, write_lane)
        step, copy, lane = (
            ranges(columns // (lanes * copies), REDUCE),
            ranges(copies, UNROLL),
            ranges(lanes, UPCAST),
        )
        return load(source, row * columns + (step * copies + copy) * lanes + lane), (step, copy, lane)

    log2e = UOp.const(float32, 1.4426950408889634)
    value, bounds = element(reduction=True)
    greatest = reduced(Op.MAX, value, *bounds)
    value, bounds = element(reduction=True)
    total = reduced(Op.ADD, ((value - greatest) * log2e).alu(Op.EXP2), *bounds)
    value, bounds = element(reduction=False)
    quotient = ((value - greatest) * log2e).alu(Op.EXP2) * total.alu(Op.RECIP)
    position = row * columns + write * lanes + write_lane
    return kernel("softmax", store(target, position, quotient, row, *bounds))


def masked_copy(size: int, shift: int, lanes: int, gate_by_lane: bool) -> UOp:
    """out[i] = in[i - shift] inside the input, else 7; the gate holds for whole vectors, or for single lanes."""
    ranges = Ranges()
    outer, lane = ranges(size // lanes, GLOBAL), ranges(lanes, UPCAST)
    position = outer * lanes + lane
    read = position + -shift
    inside = (read >= 0) if gate_by_lane else (outer * lanes >= shift)
    source, target = UOp.param(1, size, float32), UOp.param(0, size, float32)
    return kernel("masked_copy", store(target, position, load(source, read, inside, 7.0), outer, lane))


def gather(size: int, rows: int, lanes: int) -> UOp:
    """out[i] = table[positions[i]], gated to the table."""
    ranges = Ranges()
    outer, lane = ranges(size // lanes, GLOBAL), ranges(lanes, UPCAST)
    position = outer * lanes + lane
    table, positions, target = (
        UOp.param(1, rows, float32),
        UOp.param(2, size, int32),
        UOp.param(0, size, float32),
    )
    where = load(positions, position).cast(index)
    inside = (where >= 0) & (where < rows)
    return kernel("gather", store(target, position, load(table, where, inside), outer, lane))


def truth(value: bool) -> UOp:
    """A constant bool."""
    return UOp.const(bool_, value)
