"""The loads and stores of a kernel as arrays: a row for each access, a column for each range."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from eqsat.schedule.cost.profile import Access, Profile
from eqsat.schedule.tiling import Bools, Floats, Tilings, Value


@dataclass(frozen=True)
class Accesses:
    """Loads and stores, ordered by buffer. Masks have a row for each access and a column for each range. An access stands for `count` equal ones.

    Attributes:
        depends, sits, own, irregular, gathered, gate, tested: sets of ranges, as in `Access`.
        contiguous_or_selected: ranges with so small a stride that the elements lie side by side, or that lanes are selected from elements that do.
        strides: elements from one step of a range to the next where the address is linear in the range, 0 otherwise.
        jumps: ranges whose steps go from one stretch of memory to another: ranges in `own` but not in `contiguous_or_selected`.
        step_bytes: bytes from one step of a range to the next; 1 where the stride is not known.
        equal_strides: (access, ranges) for each set of ranges in which that access has the same absolute stride.
        tiled: for each (access, range) whose address is linear only inside tiles, the stride by tile size.
        store: whether the access writes.
        beside: how many stores of the kernel write neighbouring elements, or how many loads with a small stride read near ones, this one included.
        offsets: of the loads or stores of the kernel that differ from this one at most in a constant offset, this one included, that offset.
        count: their number.
        apart: how many times as many bytes these `count` loads or stores touch as one of them.
        itemsize, size: bytes of an element, and of the whole buffer.
        buffer: number of the buffer among those of the kernel.
        body: number that identifies the pair (buffer, loops that the access sits in).
        walk: number that identifies the triple (buffer, loops that the access sits in, strides).
        local: whether the buffer is local memory.
    """

    depends: Bools
    sits: Bools
    own: Bools
    irregular: Bools
    gathered: Bools
    gate: Bools
    tested: Bools
    contiguous_or_selected: Bools
    strides: NDArray[np.int64]
    jumps: Bools
    step_bytes: NDArray[np.int64]
    equal_strides: tuple[tuple[int, list[int]], ...]
    tiled: dict[tuple[int, int], dict[int, int]]
    store: Bools
    beside: NDArray[np.int64]
    offsets: tuple[tuple[int, ...], ...]
    count: Floats
    apart: Floats
    itemsize: Floats
    size: Floats
    buffer: NDArray[np.int64]
    body: NDArray[np.int64]
    walk: NDArray[np.int64]
    local: Bools

    @staticmethod
    def of(kernel: Profile) -> Accesses:
        """The accesses of a kernel."""
        count = len(kernel.extents)
        accesses = by_buffer(kernel)
        buffers = list(dict.fromkeys(access.buffer for access in accesses))
        tiled: dict[tuple[int, int], dict[int, int]] = {}
        for number, access in enumerate(accesses):
            for (position, size), stride in access.tiled.items():
                tiled.setdefault((number, position), {})[size] = stride
        masks = zip(*([getattr(each, name) for name in MASKS] for each in accesses), strict=True)
        ranges: dict[str, Bools] = {name: bits(each, count) for name, each in zip(MASKS, masks, strict=True)}
        bodies, walks = [(each.buffer, each.sits) for each in accesses], list(map(_walk, accesses))
        return Accesses(
            **ranges,
            strides=np.array(
                [[access.stride(position, 0) for position in range(count)] for access in accesses], np.int64
            ),
            jumps=ranges["own"] & ~ranges["contiguous_or_selected"],
            step_bytes=_steps(accesses, count),
            equal_strides=tuple(_equal_strides(accesses)),
            tiled=tiled,
            store=np.array([access.store for access in accesses], bool),
            beside=np.array([access.beside for access in accesses], np.int64),
            offsets=tuple(access.offsets for access in accesses),
            count=np.array([access.count for access in accesses], np.float64),
            apart=np.array([access.apart for access in accesses], np.float64),
            itemsize=np.array([access.itemsize for access in accesses], np.float64),
            size=np.array([access.size * access.itemsize for access in accesses], np.float64),
            buffer=np.array([buffers.index(access.buffer) for access in accesses]),
            body=np.array([bodies.index(each) for each in bodies]),
            walk=np.array([walks.index(each) for each in walks]),
            local=np.array([access.is_local for access in accesses], bool),
        )

    @cached_property
    def _of_buffers(self) -> Sections:
        """A section for each buffer, of the accesses to it."""
        return Sections.of(self.buffer)

    @cached_property
    def _walks(self) -> tuple[Sections, Sections, Sections] | None:
        """Sections of accesses by walk, of walks by body, and of bodies by buffer; None if no body walks a buffer in two ways."""
        walks = Sections.of(self.walk)
        bodies = Sections.of(self.body[walks.first])
        if not bodies.others:
            return None
        return walks, bodies, Sections.of(self.buffer[walks.first[bodies.first]])

    def max_by_buffer(self, values: Floats) -> Floats:
        """For each buffer, the greatest value among its accesses."""
        return self._of_buffers.joined(np.maximum, values)

    def sum_by_buffer(self, values: Floats) -> Floats:
        """For each buffer, the sum of the values of its accesses."""
        return self._of_buffers.joined(np.add, values)

    def footprint_by_buffer(self, values: Floats) -> Floats:
        """For each buffer, how much its accesses touch together, given how much each one touches.

        Accesses of one body with different strides are assumed to touch different elements, so their values add up. Otherwise the greatest counts.
        """
        if self._walks is None:
            return self.max_by_buffer(values)
        walks, bodies, buffers = self._walks
        by_body = bodies.joined(np.add, walks.joined(np.maximum, values))
        return buffers.joined(np.maximum, by_body)

    @cached_property
    def jumping(self) -> list[int]:
        """The ranges that jump from one stretch of memory to another in at least one access."""
        return np.flatnonzero(self.jumps.any(axis=0)).tolist()

    @cached_property
    def moving(self) -> NDArray[np.int64]:
        """The ranges that move the address of at least one access."""
        return np.flatnonzero((self.jumps | self.contiguous_or_selected).any(axis=0))

    @cached_property
    def jumping_among_moving(self) -> NDArray[np.int64]:
        """The indices of the ranges of `jumping` in `moving`."""
        return np.searchsorted(self.moving, self.jumping)

    @cached_property
    def moving_jumps(self) -> Bools:
        """The columns of `jumps` for the ranges of `moving`."""
        return self.jumps[:, self.moving]

    @cached_property
    def near_steps(self) -> Floats:
        """By access and range of `moving`: bytes from one element to the next where they lie side by side, 0 otherwise."""
        return np.where(self.contiguous_or_selected, self.step_bytes, 0.0)[:, self.moving]

    @cached_property
    def jump_steps(self) -> Floats:
        """By range of `jumping` and access: bytes from one stretch of memory to the next; infinite where the range does not jump."""
        return np.where(self.jumps, self.step_bytes, np.inf).T[self.jumping]

    def jumps_within(self, way: int) -> Floats:
        """The greatest common divisor of each of `jump_steps` and the bytes of a cache way; infinite where the range does not jump."""
        if way not in self._jumps_within:
            steps = np.gcd(self.step_bytes.T[self.jumping], way)
            self._jumps_within[way] = np.where(np.isinf(self.jump_steps), np.inf, steps)
        return self._jumps_within[way]

    def jumps_that_differ(self, way: int) -> list[int]:
        """The accesses whose jumps have several divisors of `jumps_within`."""
        if way not in self._differing:
            steps = self.jumps_within(way)
            least = np.min(steps, axis=0, initial=np.inf)
            self._differing[way] = np.flatnonzero((np.isfinite(steps) & (steps > least)).any(axis=0)).tolist()
        return self._differing[way]

    @cached_property
    def _jumps_within(self) -> dict[int, Floats]:
        return {}

    @cached_property
    def _differing(self) -> dict[int, list[int]]:
        return {}

    @cached_property
    def meeting(self) -> list[int]:
        """The loads of which unrolled copies may read the same addresses."""
        linear = ~(self.store | self.irregular.any(axis=1) | self.gate.any(axis=1))
        strides = np.sort(np.abs(self.strides), axis=1).tolist()
        return [
            number
            for number in np.flatnonzero(linear).tolist()
            if self.count[number] > 1 or _are_near(filter(None, strides[number]))
        ]

    @cached_property
    def holds(self) -> bool:
        """Whether any access is to local memory."""
        return bool(self.local.any())

    @cached_property
    def around_held(self) -> Bools:
        """By access to local memory, the ranges around that memory: each element of a tile of these ranges has its own copy of it."""
        return self.depends & ~self.own & self.local[:, None]

    @cached_property
    def writes(self) -> Bools:
        """Whether each access writes to memory that other kernels see."""
        return self.store & ~self.local

    @cached_property
    def buffers(self) -> NDArray[np.int64]:
        """The numbers of the buffers accessed."""
        return self.buffer[self._of_buffers.first]

    @cached_property
    def buffers_local(self) -> Bools:
        """For each buffer, whether it is local memory."""
        return self._of_buffers.joined(np.logical_or, self.local)

    @cached_property
    def buffers_written(self) -> Bools:
        """For each buffer, whether any access writes to it and other kernels see the result."""
        return self._of_buffers.joined(np.logical_or, self.writes)

    @cached_property
    def buffers_sit(self) -> Bools:
        """For each buffer, the ranges that at least one access to it sits in."""
        return self._of_buffers.joined(np.logical_or, self.sits)

    def take(self, numbers: Sequence[int]) -> Accesses:
        """The accesses with these numbers."""
        if len(numbers) == len(self.store):
            return self
        place = {number: place for place, number in enumerate(numbers)}
        taken = np.array(numbers, np.int64)
        rows = {name: getattr(self, name).take(taken, axis=0) for name in ROWS}
        twins = tuple(
            (place[number], positions) for number, positions in self.equal_strides if number in place
        )
        tiled = {(place[number], position): sizes for (number, position), sizes in self.tiled.items() if number in place}  # fmt: skip
        offsets = tuple(self.offsets[number] for number in numbers)
        return Accesses(**rows, equal_strides=twins, tiled=tiled, offsets=offsets)

    def strides_in_tiles(self, tilings: Tilings, position: int) -> NDArray[np.int64]:
        """For each tiling and access, elements from one step to the next inside a tile of a range; 0 where the step is not constant."""
        found = np.repeat(self.strides[None, :, position], len(tilings), axis=0)
        for (number, place), by_size in self.tiled.items():
            if place == position:
                for size, stride in by_size.items():
                    found[tilings.tile[:, position] == size, number] = stride
        return found


MOST_COPIES = 16  # along a range, in tilings worth considering
WORD = 64  # bits of a NumPy integer, including the sign bit


def _are_near(strides: Iterable[int]) -> bool:
    """Whether few steps of one range, of strides in order, go as far as one of another range."""
    return any(further < MOST_COPIES * near for near, further in pairwise(strides))


def by_buffer(kernel: Profile) -> list[Access]:
    """The accesses of a kernel sorted by buffer, then by loop body, then by strides."""
    return sorted(kernel.accesses, key=_walk)


def _walk(access: Access) -> tuple[int, int, int, list[tuple[int, int]]]:
    return access.buffer, access.sits, access.irregular, sorted(access.strides.items())


@dataclass(frozen=True, eq=False)
class Sections:
    """Rows cut into sections of neighbouring rows.

    Attributes:
        first: the first row of each section.
        others: (section, row) for each row that is not the first of its section.
    """

    first: NDArray[np.int64]
    others: list[tuple[int, int]]

    @staticmethod
    def of(numbers: NDArray[np.int64]) -> Sections:
        """One section for each number; rows with equal numbers are neighbours."""
        first: list[int] = []
        others: list[tuple[int, int]] = []
        last = None
        for row, number in enumerate(numbers.tolist()):
            if number == last:
                others.append((len(first) - 1, row))
            else:
                first.append(row)
            last = number
        return Sections(np.array(first, np.int64), others)

    def joined(self, join: np.ufunc, values: NDArray[Value]) -> NDArray[Value]:
        """The rows of each section, reduced with `join`: the result of `join.reduceat`, which takes several times as long for few rows."""
        if not self.others:
            return values
        found = values.take(self.first, axis=0)
        for section, row in self.others:
            join(found[section, ...], values[row], out=found[section, ...])
        return found


MASKS = ("depends", "sits", "own", "irregular", "gathered", "gate", "tested", "contiguous_or_selected")
"""Attributes that hold ranges; an `Access` stores them as bit masks."""

ROWS = tuple(
    field.name for field in fields(Accesses) if field.name not in ("equal_strides", "tiled", "offsets")
)
"""Attributes with a row for each access."""


def _steps(accesses: Sequence[Access], count: int) -> NDArray[np.int64]:
    steps = np.ones((len(accesses), count), np.int64)
    for number, access in enumerate(accesses):
        for position, stride in access.strides.items():
            steps[number, position] = abs(stride) * access.itemsize
    return steps


def _equal_strides(accesses: Sequence[Access]) -> Iterator[tuple[int, list[int]]]:
    for number, access in enumerate(accesses):
        by_stride: dict[int, list[int]] = {}
        for position, stride in access.strides.items():
            by_stride.setdefault(abs(stride), []).append(position)
        yield from ((number, positions) for positions in by_stride.values() if len(positions) > 1)


def bits(masks: Iterable[int], count: int) -> Bools:
    """Bit masks as rows of bools. The array is cached and read-only, because kernels have the same masks again and again."""
    return _bits(tuple(masks), count)


@lru_cache(1 << 12)
def _bits(masks: tuple[int, ...], count: int) -> Bools:
    found = _unpacked(masks, count)
    found.flags.writeable = False
    return found


def _unpacked(masks: tuple[int, ...], count: int) -> Bools:
    if count < WORD:
        return (np.array(masks, np.int64)[:, None] >> np.arange(count) & 1).astype(bool)
    size = -(-count // 8)
    packed = [mask.to_bytes(size, "little") for mask in masks]
    rows = np.frombuffer(b"".join(packed), np.uint8).reshape(len(packed), size)
    return np.unpackbits(rows, axis=1, count=count, bitorder="little").astype(bool)
