"""Kernels for single decisions of code generation, each by what is decided."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from eqsat.dtype import (
    DType,
    bool_,
    float16,
    float32,
    float64,
    index,
    int8,
    int32,
    int64,
    uint8,
    uint16,
)
from eqsat.ops import AxisType, KernelInfo, Op
from eqsat.uop import UOp
from tests.codegen.kernels import (
    GLOBAL,
    LOCAL,
    LOOP,
    REDUCE,
    UNROLL,
    UPCAST,
    Ranges,
    column_extreme,
    elementwise,
    kernel,
    load,
    matmul,
    reduced,
    row_extreme,
    row_scan,
    row_sum,
    store,
)
from tests.codegen.test_groups import row_totals
from tests.codegen.test_interleaving import woven
from tests.codegen.test_selection import padded, strided
from tests.codegen.test_streams import copied, streaming
from tests.codegen.test_sub_groups import lanes_beside, lanes_of_columns
from tests.codegen.test_transposition import transposed
from tests.fragments import CASES, NVIDIA
from tests.fragments import kernel as fragments


def gated_stores(by_lane: bool, stride: int) -> UOp:
    """Two copies of a vector, stored under a gate of each lane or of all, so far apart."""
    ranges = Ranges()
    outer, phase, lane = ranges(3, GLOBAL), ranges(2, UNROLL), ranges(8, UPCAST)
    position = outer * 8 + lane
    place = position * 2 + phase if stride == 2 else phase * 24 + position
    gate = place < 37 if by_lane else outer >= 1
    value = load(UOp.param(1, 48, float32), phase * 24 + position)
    return kernel("gated", store(UOp.param(0, 48, float32), place, value, outer, phase, lane, gate=gate))


def turned(dtype: DType, lanes: int, copies: int) -> UOp:
    """Copies that lie side by side in each lane."""
    ranges = Ranges()
    outer, copy, lane = ranges(2, GLOBAL), ranges(copies, UNROLL), ranges(lanes, UPCAST)
    size, column = 2 * lanes * copies, outer * copies + copy
    value = load(UOp.param(1, size, dtype), column * lanes + lane)
    target = UOp.param(0, size, dtype)
    return kernel("turned", store(target, lane * (2 * copies) + column, value, outer, copy, lane))


def window(taps: int, padded: bool, scale: UOp | None = None) -> UOp:
    """A convolution of rows with shared weights, all taps unrolled; outside of a row is 0. Results may be scaled by an integer."""
    ranges = Ranges()
    row, outer, tap, lane = ranges(4, GLOBAL), ranges(3, LOOP), ranges(taps, UNROLL), ranges(8, UPCAST)
    position = outer * 8 + lane
    read = position + tap + (-(taps // 2) if padded else 0)
    inside = (read >= 0) & (read < 24) if padded else None
    width = 24 if padded else 24 + taps - 1
    value = load(UOp.param(1, 4 * width, float32), row * width + read, inside)
    total = reduced(Op.ADD, value * load(UOp.param(2, taps, float32), tap), tap)
    total = total if scale is None else total * scale.cast(float32)
    return kernel("window", store(UOp.param(0, 96, float32), row * 24 + position, total, row, outer, lane))


def averaged(copies: int) -> UOp:
    """Bytes, widened, added and narrowed again."""
    ranges = Ranges()
    outer, lane, copy = ranges(4, GLOBAL), ranges(16, UPCAST), ranges(copies, UNROLL)
    value = load(UOp.param(1, 64 * copies, uint8), (outer * copies + copy) * 16 + lane).cast(int32)
    total = (value * 3 + 7) // 16
    target = UOp.param(0, 64 * copies, uint8)
    return kernel(
        "averaged", store(target, (outer * copies + copy) * 16 + lane, total.cast(uint8), outer, copy, lane)
    )


def extreme_of_group(op: Op) -> UOp:
    """The place of each row's extreme value, found by a group."""
    ranges = Ranges()
    row, item, step = ranges(3, GLOBAL), ranges(16, AxisType.GROUP_REDUCE), ranges(5, REDUCE)
    column = step * 16 + item
    value = load(UOp.param(1, 240, float32), row * 80 + column)
    place = UOp(Op.ARGREDUCE, int32, (value, column.cast(int32), item, step), (op, 1))
    return kernel("place", store(UOp.param(0, 3, int32), row, place, row))


def tile_of_group() -> UOp:
    """Copies and lanes of results, and a second axis of items, whose parts a group combines."""
    ranges = Ranges()
    rows, among, copy, lane = ranges(2, LOCAL), ranges(2, GLOBAL), ranges(3, UNROLL), ranges(4, UPCAST)
    item, step = ranges(8, AxisType.GROUP_REDUCE), ranges(2, REDUCE)
    row = (among * 2 + rows) * 3 + copy
    total = reduced(
        Op.ADD, load(UOp.param(1, 768, float32), (row * 16 + step * 8 + item) * 4 + lane), item, step
    )
    return kernel("tile", store(UOp.param(0, 48, float32), row * 4 + lane, total, rows, among, copy, lane))


def again(items: int) -> UOp:
    """A loop around a reduction of a group: its memory is filled again."""
    ranges = Ranges()
    row, item = ranges(4, LOOP), ranges(items, AxisType.GROUP_REDUCE)
    total = reduced(Op.ADD, load(UOp.param(1, 4 * items, float32), row * items + item), item)
    return kernel("rows", store(UOp.param(0, 4, float32), row, total, row))


def many_items() -> UOp:
    """More ranges over work-items than a launch has dimensions."""
    ranges = Ranges()
    parts = [ranges(size, GLOBAL) for size in (2, 3, 4, 5, 6)]
    place: UOp = parts[0]
    for part, size in zip(parts[1:], (3, 4, 5, 6), strict=True):
        place = place * size + part
    value = load(UOp.param(1, 720, float32), place)
    return kernel("many", store(UOp.param(0, 720, float32), place, value + value, *parts))


def nested_sums() -> UOp:
    """A sum of sums, beside another over the same loop, and a factor that no loop changes."""
    ranges = Ranges()
    row, outer, inner = ranges(4, GLOBAL), ranges(3, REDUCE), ranges(5, REDUCE)
    value = load(UOp.param(1, 60, float32), (row * 3 + outer) * 5 + inner)
    factor = load(UOp.param(2, 4, float32), row).alu(Op.SQRT)
    parts = reduced(Op.MAX, value, inner) * factor
    weights = reduced(Op.ADD, load(UOp.param(3, 3, float32), outer), outer)
    return kernel(
        "nested", store(UOp.param(0, 4, float32), row, reduced(Op.ADD, parts, outer) / weights, row)
    )


def drawn_up(size: UOp) -> UOp:
    """A loop that ends where a variable says."""
    ranges = Ranges()
    row, step = ranges(4, GLOBAL), UOp.range(size, 1, REDUCE)
    total = reduced(Op.ADD, load(UOp.param(1, 64, float32), row * 16 + step), step)
    return kernel("drawn_up", store(UOp.param(0, 4, float32), row, total, row))


def masks(compared: DType, chosen: DType) -> UOp:
    """Masks of lanes of one width that choose among lanes of another, are stored, and are counted."""
    return elementwise(
        [
            lambda a, b, c, d: (a < b).where(c, d),
            lambda a, b, c, d: (a < b) ^ (c < d),
            lambda a, b, c, d: (a < b).cast(chosen),
            lambda a, b, c, d: (a.ne(b) & (c < d)).logical_not(),
        ],
        (compared, compared, chosen, chosen),
        32,
        4,
    )


def compared_with_loops() -> UOp:
    """The number of an iteration beside lanes that were loaded."""
    ranges = Ranges()
    row, lane, step = ranges(4, GLOBAL), ranges(4, UPCAST), ranges(6, REDUCE)
    place = row * 4 + lane
    most = load(UOp.param(1, 16, int32), place).cast(index)
    value = (step < most).where(load(UOp.param(2, 6, float32), step), 0.0)
    return kernel(
        "compared", store(UOp.param(0, 16, float32), place, reduced(Op.ADD, value, step), row, lane)
    )


def copies_with_lanes_of_others() -> UOp:
    """Copies that lie side by side, which are something else in each lane where their gate is false."""
    ranges = Ranges()
    copy, lane = ranges(4, UNROLL), ranges(4, UPCAST)
    gate = load(UOp.param(2, 1, int32), UOp.const(index, 0)) < 1
    address = UOp(Op.INDEX, float32, (UOp.param(1, 16, float32), lane * 4 + copy, gate))
    value = UOp(Op.LOAD, float32, (address, lane.cast(float32)))
    return kernel("others", store(UOp.param(0, 16, float32), copy * 4 + lane, value, copy, lane))


def turned_and_scaled() -> UOp:
    """Transposed vectors with which something is computed: shuffles that are no store's value."""
    made = transposed(float32, 16, 16, 16)
    loaded = made.src[0].src[1]
    return made.substitute({loaded: loaded * 2.0})


def chains(count: int) -> UOp:
    """A sum of eight copies in so many accumulators."""
    made = row_sum(4, 128, Op.ADD, float32, 4, 8)
    return made.replace(arg=replace(cast("KernelInfo", made.arg), chains=count))


CORNERS: dict[str, UOp] = {
    "strided_backwards": strided(float32, 8, 2, -2, [31], 32),
    "strided_windows": strided(float32, 16, 2, 2, list(range(5)), 69),
    "strided_inside": strided(float32, 8, 2, 3, [1], 47),
    "reversed": strided(float32, 8, 2, -1, [15], 16),
    "padded_strided": padded(2, [(-1, 46)], 8, per_row=False),
    "padded_backwards": padded(-3, [(70, 70)], 8, per_row=False),
    "padded_rows": padded(2, [(1, 48)], 8, per_row=True),
    "padded_contiguous": padded(1, [(-1, 22)], 8, per_row=False),
    "window": window(3, padded=False),
    "window_padded": window(3, padded=True),
    "window_padded_beside_a_variable": window(3, padded=True, scale=UOp.variable("n", 1, 4)),
    "woven_gaps": woven(float32, 8, 3, 2),
    "woven_windows": woven(float32, 4, 2, 2, windows=2, constant=True),
    "woven_bools": woven(bool_, 8, 2, 2),
    "gated_by_lane": gated_stores(by_lane=True, stride=1),
    "gated_by_lane_apart": gated_stores(by_lane=True, stride=2),
    "gated_together": gated_stores(by_lane=False, stride=1),
    "gated_together_apart": gated_stores(by_lane=False, stride=2),
    "turned": turned(float32, 8, 4),
    "turned_in_part": turned(uint16, 4, 6),
    "transposed_gated": transposed(int32, 4, 12, 8, above=4),
    "transposed_and_scaled": turned_and_scaled(),
    "transposed_bytes": transposed(uint8, 16, 16, 16),
    "transposed_halves": transposed(float16, 8, 8, 8),
    "scan_across_lanes": row_scan(3, 96, Op.ADD, float32, 4, 3, exclusive=True),
    "scan_of_copies": row_scan(3, 96, Op.MAX, int32, 1, 3),
    "scan_without_lanes": row_scan(3, 96, Op.ADD, float64, 1, 1, exclusive=True),
    "extreme_of_columns": column_extreme(8, 32, Op.MIN, float32, 8, 2),
    "extreme_of_integers": row_extreme(4, 64, Op.MIN, int32, 4, 1),
    "extreme_of_doubles": row_extreme(4, 64, Op.MAX, float64, 1, 4),
    "sum_of_three_lanes": row_sum(4, 24, Op.ADD, float32, 3, 2),
    "product_of_integers": row_sum(4, 64, Op.MUL, int64, 8, 2),
    "sum_of_bytes": row_sum(4, 64, Op.ADD, int8, 16, 1),
    "sum_in_one_chain": chains(1),
    "sum_in_two_chains": chains(2),
    "matmul_unrolled": matmul(8, 8, 32, 2, 1, 4, unroll=4),
    "averaged": averaged(2),
    "streamed": streaming(copied(float32, 8, 2, 17)),
    "streamed_bytes": streaming(copied(uint8, 8, 2, 17)),
    "masks_of_bytes": masks(int8, float64),
    "masks_of_longs": masks(int64, float32),
    "masks_of_halves": masks(float16, int32),
    "many_items": many_items(),
    "nested_sums": nested_sums(),
    "drawn_up": drawn_up(UOp.variable("n", 1, 16)),
    "compared_with_loops": compared_with_loops(),
    "copies_with_lanes_of_others": copies_with_lanes_of_others(),
}  # fmt: skip

GROUPS: dict[str, UOp] = {
    "totals": row_totals(Op.ADD, float32, 64, 2),
    "totals_of_twelve": row_totals(Op.MUL, int32, 12, 2),
    "totals_of_lanes": row_totals(Op.ADD, float32, 11, 1, 4),
    "greatest": row_totals(Op.MAX, float32, 16, 2),
    "least_of_integers": row_totals(Op.MIN, int64, 16, 2),
    "extreme_of_group": extreme_of_group(Op.MAX),
    "tile_of_group": tile_of_group(),
    "again": again(16),
    "lanes_beside": lanes_beside(kept=False),
    "lanes_beside_kept": lanes_beside(kept=True),
    "lanes_of_columns": lanes_of_columns(),
}

MATRICES: dict[str, UOp] = {
    "product_once": fragments(NVIDIA["m16n8k16 f16"]),
    "product_of_brains": fragments(NVIDIA["m16n8k16 bf16"], steps=2),
    "product_of_floats": fragments(
        NVIDIA["m16n8k8 tf32"]._replace(arg=("tf32", *NVIDIA["m16n8k8 tf32"].arg[1:])), steps=3
    ),
}

PRODUCTS: dict[str, UOp] = {
    f"product_{name.replace(',', '').replace(' ', '_')}": fragments(case) for name, case in CASES.items()
}
