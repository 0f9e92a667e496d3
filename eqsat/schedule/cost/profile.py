"""What a kernel does, counted once, so that thousands of loop choices can be costed without touching the graph again.

Each operation and each access is filed under two sets of ranges, kept as bit masks: those its value *depends* on (they decide how many
copies of it unrolling makes and whether it is a vector) and those it *sits in* (they decide how often it runs). Inside a reduction
loop a value also sits in every loop that the reduction sits in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from eqsat.machine import SELECTED
from eqsat.ops import Op
from eqsat.uop import UOp


@dataclass(frozen=True)
class Access:
    """One LOAD or STORE.

    Attributes:
        buffer: PARAM slot; of local memory a negative number.
        itemsize: bytes of an element.
        size: elements of the whole buffer.
        strides: elements per step of each range that the address is linear in, by range number.
        tiled: elements per step inside a tile, by (range number, tile size), where the address is linear only there.
        irregular: ranges that occur in the address other than linearly.
        gathered: those of a load by which the address is found in elements that are read.
        gate: ranges that the gate depends on.
        depends, sits: masks, see above.
        store: whether it writes.
        beside: of a store, how many of the kernel write elements side by side wherever this one writes; itself among them.
        tested: ranges in one iteration of which at most it is made, a mask: those over parts of results that a label is in one of.
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

    @property
    def is_local(self) -> bool:
        """Whether it is to local memory, which the kernel has for each work-item anew."""
        return self.buffer < 0

    def stride(self, position: int, tile: int) -> int:
        """Elements from one step to the next inside one tile of a range; 0 if that differs, or the range is not in the address."""
        if self.irregular >> position & 1:
            return self.tiled.get((position, tile), 0)
        return self.strides.get(position, 0)

    @cached_property
    def own(self) -> int:
        """The ranges that the address depends on, a mask."""
        return self.irregular | mask_of(self.strides)

    @cached_property
    def near(self) -> int:
        """The ranges walked with a stride of 1, or one at which lanes are selected from what lies side by side, a mask."""
        return self.walked(*(sign * stride for stride in (1, *SELECTED) for sign in (1, -1)))

    def walked(self, *strides: int) -> int:
        """The ranges walked with one of these strides, a mask."""
        return mask_of(position for position, stride in self.strides.items() if stride in strides)


def mask_of(positions: Iterable[int]) -> int:
    """The bit mask of some ranges."""
    return sum(1 << position for position in positions)


def positions_of(mask: int) -> list[int]:
    """The ranges of a bit mask."""
    return [position for position in range(mask.bit_length()) if mask >> position & 1]


@dataclass(frozen=True)
class Reduction:
    """One REDUCE or SCAN: the masks of its result (without its own ranges) and of the value it accumulates, and its own ranges.

    `exchanged`: sub-groups have a function for it.
    `fuses`: whether it adds products, as one instruction does both.
    `pairs`: whether it accumulates a value and its index.
    `sums`: whether it adds floats that are no products.
    `words`: whether it adds products of bytes (DOT).
    `tiles`: the ranges of rows and those of columns that matrix registers could take, masks; none where the words of rows do not follow each other.
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
    words: bool = False
    tiles: tuple[tuple[int, int], ...] = ()

    @property
    def joined(self) -> int:
        """The ranges on which depends what becomes of the lanes of an accumulator: a REDUCE combines them at last, a SCAN each time."""
        return self.value if self.scans else self.result

    @property
    def joined_in(self) -> int:
        """The loops in which that happens."""
        return self.sits if self.scans else self.result


@dataclass(frozen=True)
class Profile:
    """Ranges are numbered by position in `ranges`; `work` maps (depends, sits, itemsize) to cycles per register.

    Attributes:
        outputs: ranges that the kernel stores for, a mask.
        stages: those that it keeps values in local memory for.
        around_stages: for each such memory, the ranges that it is filled in.
        narrow: what `work` takes for half a register or less.
        bare: of `work` and `narrow`, what all kernels need that differ from this one in `ARITHMETIC` alone.
        functions: ranges that elementary functions depend on, or values of half precision, which are converted; a mask.
        alone: those of them that such functions depend on as compilers take one scalar at a time, a mask.
        combines: whether it combines values with what it has stored.
    """

    ranges: tuple[UOp, ...]
    extents: tuple[int, ...]
    outputs: int
    stages: int
    around_stages: tuple[int, ...]
    work: Mapping[tuple[int, int, int], float]
    accesses: tuple[Access, ...]
    reductions: tuple[Reduction, ...]
    narrow: Mapping[tuple[int, int, int], float]
    bare: Mapping[tuple[int, int, int], tuple[float, float]]
    functions: int
    alone: int
    combines: bool = False

    @property
    def hoisted(self) -> int:
        """Output ranges outside which every reduction stands, and all that is kept; only these can be parallel without repeating it."""
        mask = self.outputs
        for reduction in self.reductions:
            mask &= reduction.result
        for around in self.around_stages:
            mask &= around
        return mask

    @property
    def text(self) -> str:
        """All that a price depends on: not the numbers of ranges and buffers, nor the order in which anything was counted."""
        buffers: dict[int, list[str]] = {}
        for access in self.accesses:
            # buffers of local memory belong to `around_stages`
            alike = replace(access, buffer=min(access.buffer, 0))
            buffers.setdefault(access.buffer, []).append(repr(alike))
        parts = (
            [bound.arg[1].name for bound in self.ranges],
            self.extents,
            (self.outputs, self.stages, self.around_stages, self.functions, self.alone, self.combines),
            sorted(self.work.items()),
            sorted(self.narrow.items()),
            sorted(self.bare.items()),
            sorted(sorted(each) for each in buffers.values()),
            sorted(map(repr, self.reductions)),
        )
        return repr(parts)

    @property
    def written(self) -> int:
        """Ranges along which values are stored, in memory or local memory."""
        return self.outputs | self.stages
