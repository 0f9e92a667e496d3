"""The operations and accesses of a kernel, counted once, so that thousands of loop choices can be costed without touching the graph again.

Each operation and each access is filed under two sets of ranges, as bit masks. The ranges that its value *depends* on decide how many
copies of it unrolling makes, and whether it is a vector. The ranges that it *sits in* decide how often it runs. Inside a reduction loop a
value also sits in every loop that the reduction sits in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from eqsat.machine import selected_strides
from eqsat.ops import Op
from eqsat.support.bits import bits_of, union
from eqsat.uop import UOp


@dataclass(frozen=True)
class Access:
    """LOADs or STOREs that differ at most in a constant offset. Sets of ranges are bit masks.

    Attributes:
        buffer: PARAM slot; a negative number for local memory.
        itemsize: bytes of an element.
        size: elements of the whole buffer.
        strides: for each range that the address is linear in, elements from one step to the next; by range number.
        tiled: elements from one step to the next inside a tile, by (range number, tile size), where the address is linear only there.
        irregular: ranges in which the address is not linear.
        gathered: ranges through which the address of a load depends on loaded values.
        gate: ranges that the gate depends on.
        depends, sits: ranges that the access depends on, and sits in; see the top of this module.
        store: whether the access writes.
        beside: how many stores of the kernel write neighbouring elements wherever this one writes, itself included; 1 for a load.
        tested: ranges over parts of a scatter's results. A label is in at most one part, so at most one of their iterations makes the access.
        apart: how many times as many bytes all of these touch as one of them.
        offsets: the constant offset of each LOAD or STORE, in elements, in order; of several that differ in it, from the least one.
    """

    buffer: int
    itemsize: int
    size: int
    strides: Mapping[int, int]
    tiled: Mapping[tuple[int, int], int]
    irregular: int
    gathered: int
    gate: int
    depends: int
    sits: int
    store: bool
    beside: int = 1
    tested: int = 0
    apart: float = 1.0
    offsets: tuple[int, ...] = (0,)

    @property
    def count(self) -> int:
        """How many such LOADs or STOREs the kernel has."""
        return len(self.offsets)

    @property
    def is_local(self) -> bool:
        """Whether the access is to local memory, which each work-item or work-group has for itself."""
        return self.buffer < 0

    def stride(self, position: int, tile: int) -> int:
        """Elements from one step to the next inside a tile of a range; 0 if that is not constant, or the address does not depend on the range."""
        if self.irregular >> position & 1:
            return self.tiled.get((position, tile), 0)
        return self.strides.get(position, 0)

    @cached_property
    def own(self) -> int:
        """The ranges that the address depends on, as a mask."""
        return self.irregular | mask_of(self.strides)

    @cached_property
    def contiguous_or_selected(self) -> int:
        """The ranges with a stride of 1, or with one so small that lanes are selected from whole vectors, as a mask."""
        return self.walked(
            *(sign * stride for stride in (1, *selected_strides(self.itemsize)) for sign in (1, -1))
        )

    def walked(self, *strides: int) -> int:
        """The ranges with one of these strides, as a mask."""
        return mask_of(position for position, stride in self.strides.items() if stride in strides)


def mask_of(positions: Iterable[int]) -> int:
    """The bit mask of these ranges."""
    return sum(1 << position for position in positions)


def positions_of(mask: int) -> list[int]:
    """The ranges of a bit mask."""
    return list(bits_of(mask))


@dataclass(frozen=True)
class Reduction:
    """One REDUCE, ARGREDUCE or SCAN, or a kept value of a RECUR. Sets of ranges are bit masks.

    Attributes:
        op: the operation that combines.
        scans: whether it is a SCAN, or a kept value.
        ranges: the ranges that it reduces.
        result: ranges that the result depends on, without `ranges`.
        value: ranges that the accumulated value depends on, with `ranges`.
        sits: ranges that the accumulated value sits in.
        itemsize: bytes of an element of all accumulated values.
        fuses: whether it adds float products, so that one instruction multiplies and adds.
        exchanged: whether sub-groups have a function for it.
        pairs: whether it accumulates a value and its index.
        sums: whether it adds floats that are no products.
        adds_byte_products: whether it adds products of bytes (DOT).
        tiles: (ranges of rows, ranges of columns) for each way in which matrix registers could take the product; none where the words of a
            row are not contiguous.
        latency: cycles from one update to the next if formulas compute it; 0 if one operation does.
    """

    op: Op
    scans: bool
    ranges: int
    result: int
    value: int
    sits: int
    itemsize: int
    fuses: bool
    exchanged: bool = False
    pairs: bool = False
    sums: bool = False
    adds_byte_products: bool = False
    tiles: tuple[tuple[int, int], ...] = ()
    latency: float = 0.0

    @property
    def lanes_combined(self) -> int:
        """The ranges that combined lanes of an accumulator depend on: those of the result for a REDUCE, those of each value for a SCAN."""
        return self.value if self.scans else self.result

    @property
    def lanes_combined_in(self) -> int:
        """The loops in which lanes are combined: after its own loops for a REDUCE, in each iteration for a SCAN."""
        return self.sits if self.scans else self.result


@dataclass(frozen=True)
class Profile:
    """The counts of one kernel. Ranges are numbered by position in `ranges`; sets of ranges are bit masks.

    Attributes:
        ranges: the RANGE nodes, in the order of their numbers.
        extents: extent of each range.
        outputs: ranges over outputs.
        fill_ranges: ranges of loops that fill local memory.
        around_fills: for each local memory, the ranges around the loops that fill it.
        work: cycles per vector register, by (depends, sits, bytes of the widest element).
        accesses: all loads and stores.
        reductions: all REDUCEs, ARGREDUCEs and SCANs.
        narrow: cycles as in `work`, for half a register or less.
        without_arithmetic: the parts of `work` and `narrow` that remain in every kernel that differs from this one in `ARITHMETIC` operations alone.
        functions: ranges that elementary functions depend on, or half-precision values, which need conversions.
        not_vectorized: the ranges of `functions` along which compilers compute one scalar at a time.
        combines: whether a store combines its values with those already stored.
        dynamic: whether some extents are known only when the kernel is called; `extents` has their capacities.
    """

    ranges: tuple[UOp, ...]
    extents: tuple[int, ...]
    outputs: int
    fill_ranges: int
    around_fills: tuple[int, ...]
    work: Mapping[tuple[int, int, int], float]
    accesses: tuple[Access, ...]
    reductions: tuple[Reduction, ...]
    narrow: Mapping[tuple[int, int, int], float]
    without_arithmetic: Mapping[tuple[int, int, int], tuple[float, float]]
    functions: int
    not_vectorized: int
    combines: bool = False
    dynamic: bool = False

    @property
    def shares_evenly(self) -> bool:
        """Whether all work-items must walk through the same number of tiles: none may store an element twice, or end before the others."""
        return self.combines or self.dynamic

    @property
    def kept_along(self) -> int:
        """The loops of recurrences, which are neither unrolled nor vectorized."""
        return union(each.ranges for each in self.reductions if each.latency)

    @property
    def value_ranges(self) -> set[int]:
        """The sets of ranges that the values of a kernel depend on."""
        values = {depends for depends, _, _ in self.work} | {access.depends for access in self.accesses}
        return values | {reduction.value for reduction in self.reductions}

    @property
    def outside_reductions(self) -> int:
        """Output ranges that are outside all reductions and all filling of local memory; only these can be parallel without repeating that work."""
        mask = self.outputs
        for reduction in self.reductions:
            mask &= reduction.result
        for around in self.around_fills:
            mask &= around
        return mask

    @property
    def price_key(self) -> str:
        """A canonical key of all that affects the price; it ignores how ranges and buffers are numbered and in which order items were counted."""
        buffers: dict[int, list[str]] = {}
        for access in self.accesses:
            # the number of a local buffer tells which entry of `around_fills` is its own, so it stays
            alike = replace(access, buffer=min(access.buffer, 0))
            buffers.setdefault(access.buffer, []).append(repr(alike))
        parts = (
            [bound.arg[1].name for bound in self.ranges],
            self.extents,
            (
                self.outputs,
                self.fill_ranges,
                self.around_fills,
                self.functions,
                self.not_vectorized,
                self.combines,
                self.dynamic,
            ),
            sorted(self.work.items()),
            sorted(self.narrow.items()),
            sorted(self.without_arithmetic.items()),
            sorted(sorted(each) for each in buffers.values()),
            sorted(map(repr, self.reductions)),
        )
        return repr(parts)

    @property
    def written(self) -> int:
        """Ranges along which values are stored, in global or local memory."""
        return self.outputs | self.fill_ranges
