"""Products whose operands a work-group stages in local memory, a panel of each at a time.

A sum over two loops over outputs, r and s, whose operands each depend on only one of them,

    for r in M: for s in N: out[r, s] = Σ over k in K of a[r, k] * b[k, s]

becomes, with r, s and k in blocks, the same sum over copies of the operands that are made for each block of k:

    for r' in M/m: for s' in N/n: for r" in m: for s" in n:
        out[r, s] = Σ over k' in K/b, k" in b of A[r", k"] * B[k", s"]   where A[x, y] = a[m r' + x, b k' + y], B[x, y] = b[b k' + x, n s' + y]

All items of a group fill A and B together, and each element is used by as many items as the block has rows, or columns. Work-items on a
processor use registers, caches and packed panels (`schedule.placement.staging`) instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import NamedTuple

from eqsat.dtype import DType
from eqsat.integers.linear import affine_forms
from eqsat.ops import AxisType, Op
from eqsat.schedule.lowering.index_arithmetic import add, flatten_index, loop_or_zero, multiply, simplified
from eqsat.shape import extent_of
from eqsat.uop import UOp, rewrite, toposort

# The block sizes to try: elements along both loops over outputs, and along the sum.
BLOCKS = ((64, 64, 16), (128, 64, 16), (32, 64, 32))
LEAST_BLOCK, LEAST_PART = 16, 4  # least block of a loop over outputs, and of the sum
MOST_LOADS = 4  # most operands that depend on the loop of the sum
OTHERS = frozenset(
    {Op.BUFFERIZE, Op.SCAN, Op.RECUR, Op.ARGREDUCE}
)  # operations that such a kernel must not have


class _Product(NamedTuple):
    """A sum, the loads of its operands, and the loops that are cut into blocks: two over outputs, and one of the sum."""

    reduction: UOp
    loads: Sequence[UOp]
    loops: tuple[UOp, UOp, UOp]


class _Block(NamedTuple):
    """A loop cut into blocks: its value is `size · outer + inner`."""

    size: int
    outer: UOp
    inner: UOp

    def at(self, inner: UOp) -> UOp:
        """The value of the loop at position `inner` of the block."""
        return add(multiply(self.outer, self.size), inner)


def in_panels(sink: UOp) -> Iterator[UOp]:
    """The kernel with panels of its operands in local memory, once for each usable block size; nothing if it is no such product."""
    found = _product(sink)
    if found is None:
        return
    sizes = [_sizes(found.loops, blocks) for blocks in BLOCKS]
    for each in dict.fromkeys(sizes):
        if each is not None:
            yield _with_panels(sink, found, each)


def _product(sink: UOp) -> _Product | None:
    order = toposort([sink])
    reductions = [node for node in order if node.op is Op.REDUCE]
    is_plain = all(store.op is Op.STORE and store.arg is None for store in sink.src)
    if not is_plain or len(reductions) != 1 or any(node.op in OTHERS for node in order):
        return None
    (reduction,) = reductions
    summed = reduction.src[1:]
    below = toposort([reduction.src[0]])
    loads = [node for node in below if node.op is Op.LOAD and not node.ranges.isdisjoint(summed)]
    if not 1 < len(loads) <= MOST_LOADS or any(
        node.op is Op.LOAD for load in loads for node in toposort(load.src)
    ):
        return None
    outputs = [node for node in order if node.op is Op.RANGE and node not in summed]
    if any(set(store.src[2:]) != set(outputs) for store in sink.src):
        return None
    pair = _pair(outputs, loads)
    longest = max(summed, key=extent_of)
    if pair is None or (len(summed) == 1 and extent_of(longest) <= BLOCKS[0][2]):
        return None  # one block would cover the whole sum
    return _Product(reduction, loads, (*pair, longest))


def _pair(outputs: Sequence[UOp], loads: Sequence[UOp]) -> tuple[UOp, UOp] | None:
    """Two loops over outputs, as long as possible, such that operands vary with each of them but none with both; None if there are none."""
    pairs = [
        (first, second)
        for first in outputs
        for second in outputs
        if any(first in load.ranges for load in loads)
        and any(second in load.ranges for load in loads)
        and not any({first, second} <= load.ranges for load in loads)
    ]
    return max(pairs, key=lambda pair: min(map(extent_of, pair)), default=None)


def _sizes(loops: Sequence[UOp], blocks: Sequence[int]) -> tuple[int, ...] | None:
    """The block sizes: for each loop the greatest divisor of its extent up to `blocks`; None if one is too small."""
    extents = list(map(extent_of, loops))
    found = tuple(
        max(size for size in range(1, most + 1) if extent % size == 0)
        for extent, most in zip(extents, blocks, strict=True)
    )
    return found if min(found[:2]) >= LEAST_BLOCK and found[2] >= LEAST_PART else None


def _with_panels(sink: UOp, product: _Product, sizes: Sequence[int]) -> UOp:
    """The kernel in blocks of these sizes."""
    ranges = sorted(
        (node for node in toposort([sink]) if node.op is Op.RANGE), key=lambda bound: bound.arg[0]
    )
    summed = product.reduction.src[1:]
    outputs = [bound for bound in ranges if bound not in summed]
    size = dict(zip(product.loops, sizes, strict=True))
    numbers = count()
    outer = {bound: _shorter(bound, next(numbers), size.get(bound, 1)) for bound in outputs}
    inner = {bound: loop_or_zero(size[bound], next(numbers), AxisType.LOOP) for bound in product.loops[:2]}
    outer |= {bound: _shorter(bound, next(numbers), size.get(bound, 1)) for bound in summed}
    inner |= {bound: loop_or_zero(size[bound], next(numbers), AxisType.REDUCE) for bound in product.loops[2:]}
    blocks = {bound: _Block(size[bound], outer[bound], inner[bound]) for bound in product.loops}
    places = {bound: blocks[bound].at(inner[bound]) if bound in blocks else outer[bound] for bound in ranges}

    def loops(bounds: Sequence[UOp]) -> list[UOp]:
        both = [each for bound in bounds for each in (outer[bound], inner.get(bound, outer[bound]))]
        return [bound for bound in dict.fromkeys(both) if bound.op is Op.RANGE]

    known = {load: _panel(load, blocks, places, numbers) for load in product.loads}
    value = rewrite([product.reduction.src[0]], {**places, **known}, simplified)[0]
    total = product.reduction.with_src((value, *loops(summed)))
    done = {**places, product.reduction: total}
    stores: list[UOp] = []
    for store in sink.src:
        written = rewrite(list(store.src[:2]), done, simplified)
        stores.append(store.with_src((*written, *loops(store.src[2:]))))
    return sink.with_src(tuple(stores))


def _panel(load: UOp, blocks: Mapping[UOp, _Block], places: Mapping[UOp, UOp], numbers: Iterator[int]) -> UOp:
    """The value of a load, read from a panel in local memory if the load varies with two of the loops in blocks."""
    own = [bound for bound in blocks if bound in load.ranges]
    if len(own) < 2:
        return rewrite([load], dict(places), simplified)[0]
    form = affine_forms([load.src[0].src[1]])[load.src[0].src[1]]
    own.sort(key=lambda bound: form.coefficients.get(bound, 0) == 1)  # the last is contiguous in the panel
    filled = {bound: loop_or_zero(blocks[bound].size, next(numbers), AxisType.LOOP) for bound in own}
    there = {bound: blocks[bound].at(filled[bound]) for bound in own}
    value = rewrite([load], {**places, **there}, simplified)[0]
    panel = UOp(Op.BUFFERIZE, load.dtype, (value, *filled.values()))
    place = flatten_index([blocks[bound].inner for bound in own], tuple(blocks[bound].size for bound in own))
    assert isinstance(load.dtype, DType)
    return UOp(Op.LOAD, load.dtype, (UOp(Op.INDEX, load.dtype, (panel, place)),))


def _shorter(bound: UOp, number: int, size: int) -> UOp:
    return loop_or_zero(extent_of(bound) // size, number, bound.arg[1])
