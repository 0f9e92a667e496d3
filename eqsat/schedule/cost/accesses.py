"""The loads and stores of a kernel as arrays: a row for each access, a column for each range."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from eqsat.schedule.cost.profile import Access, Profile
from eqsat.schedule.loops.tiling import Bools, Floats, Tilings, Value


@dataclass(frozen=True)
class Accesses:
    """Loads and stores, ordered by buffer.

    Attributes:
        depends, sits, own, irregular, gathered, gate, tested: ranges; `own` are those that the address depends on.
        near: ranges walked with strides so small that the elements lie side by side, or lanes are selected from what does.
        strides: elements that each range steps where the address is linear in it, 0 otherwise.
        jumps: ranges that step from one line of memory to others.
        step_bytes: how far each range steps; 1 where that is not known.
        twins: (access, ranges) where the ranges have one stride.
        tiled: for (access, range) whose address is linear inside tiles only, the stride by tile size.
        store: whether it writes.
        beside: how many stores write elements side by side, this one among them.
        itemsize, size: bytes of an element, and of the whole buffer.
        buffer: its number among the buffers of the kernel.
        body, walk: numbers of its buffer with the loops that it sits in, and of these with its strides; in the order of the accesses.
        local: whether that is local memory of a work-item.
    """

    depends: Bools
    sits: Bools
    own: Bools
    irregular: Bools
    gathered: Bools
    gate: Bools
    tested: Bools
    near: Bools
    strides: NDArray[np.int64]
    jumps: Bools
    step_bytes: NDArray[np.int64]
    twins: tuple[tuple[int, list[int]], ...]
    tiled: dict[tuple[int, int], dict[int, int]]
    store: Bools
    beside: NDArray[np.int64]
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
            jumps=ranges["own"] & ~ranges["near"],
            step_bytes=_steps(accesses, count),
            twins=tuple(_twins(accesses)),
            tiled=tiled,
            store=np.array([access.store for access in accesses], bool),
            beside=np.array([access.beside for access in accesses], np.int64),
            itemsize=np.array([access.itemsize for access in accesses], np.float64),
            size=np.array([access.size * access.itemsize for access in accesses], np.float64),
            buffer=np.array([buffers.index(access.buffer) for access in accesses]),
            body=np.array([bodies.index(each) for each in bodies]),
            walk=np.array([walks.index(each) for each in walks]),
            local=np.array([access.is_local for access in accesses], bool),
        )

    @cached_property
    def _of_buffers(self) -> Sections:
        """The accesses to each buffer."""
        return Sections.of(self.buffer)

    @cached_property
    def _walks(self) -> tuple[Sections, Sections, Sections] | None:
        """The accesses of each walk, the walks of each body, the bodies of each buffer; None if no body has two walks of a buffer."""
        walks = Sections.of(self.walk)
        bodies = Sections.of(self.body[walks.first])
        if not bodies.others:
            return None
        return walks, bodies, Sections.of(self.buffer[walks.first[bodies.first]])

    def most(self, values: Floats) -> Floats:
        """By buffer, the greatest of the values of its accesses."""
        return self._of_buffers.joined(np.maximum, values)

    def together(self, values: Floats) -> Floats:
        """By buffer, the sum of the values of its accesses."""
        return self._of_buffers.joined(np.add, values)

    def touched(self, values: Floats) -> Floats:
        """By buffer, what its accesses touch, of which each touches so much: those of one body elements of their own if their strides differ."""
        if self._walks is None:
            return self.most(values)
        walks, bodies, buffers = self._walks
        by_body = bodies.joined(np.add, walks.joined(np.maximum, values))
        return buffers.joined(np.maximum, by_body)

    @cached_property
    def jumping(self) -> list[int]:
        """The ranges that step from one line of memory to others in any access."""
        return np.flatnonzero(self.jumps.any(axis=0)).tolist()

    @cached_property
    def moving(self) -> NDArray[np.int64]:
        """The ranges that move the address of any access."""
        return np.flatnonzero((self.jumps | self.near).any(axis=0))

    @cached_property
    def jumping_among_moving(self) -> NDArray[np.int64]:
        """The places of the ranges of `jumping` in `moving`."""
        return np.searchsorted(self.moving, self.jumping)

    @cached_property
    def moving_jumps(self) -> Bools:
        """`jumps` of the ranges of `moving`."""
        return self.jumps[:, self.moving]

    @cached_property
    def near_steps(self) -> Floats:
        """By access and range of `moving`, bytes from one element to the next where these lie side by side, 0 otherwise."""
        return np.where(self.near, self.step_bytes, 0.0)[:, self.moving]

    @cached_property
    def jump_steps(self) -> Floats:
        """By range of `jumping` and access, bytes from one stretch of memory to the next; infinite where the range does not jump."""
        return np.where(self.jumps, self.step_bytes, np.inf).T[self.jumping]

    def jumps_within(self, way: int) -> Floats:
        """The greatest step that divides each of `jump_steps` and a way of a cache, of so many bytes; infinite where the range does not jump."""
        if way not in self._jumps_within:
            steps = np.gcd(self.step_bytes.T[self.jumping], way)
            self._jumps_within[way] = np.where(np.isinf(self.jump_steps), np.inf, steps)
        return self._jumps_within[way]

    @cached_property
    def _jumps_within(self) -> dict[int, Floats]:
        return {}

    @cached_property
    def holds(self) -> bool:
        """Whether any of them is to local memory."""
        return bool(self.local.any())

    @cached_property
    def around_held(self) -> Bools:
        """Of local memory, the ranges around it: there is one of it for each element of a tile of these."""
        return self.depends & ~self.own & self.local[:, None]

    @cached_property
    def writes(self) -> Bools:
        """Whether an access writes to what other kernels see."""
        return self.store & ~self.local

    @cached_property
    def buffers(self) -> NDArray[np.int64]:
        """The numbers of the buffers accessed."""
        return self.buffer[self._of_buffers.first]

    @cached_property
    def buffers_local(self) -> Bools:
        """By buffer, whether it is local memory."""
        return self._of_buffers.joined(np.logical_or, self.local)

    @cached_property
    def buffers_written(self) -> Bools:
        """By buffer, whether any access writes to it, and other kernels see that."""
        return self._of_buffers.joined(np.logical_or, self.writes)

    @cached_property
    def buffers_sit(self) -> Bools:
        """By buffer, the ranges that any access to it sits in."""
        return self._of_buffers.joined(np.logical_or, self.sits)

    def take(self, numbers: Sequence[int]) -> Accesses:
        """Some of the accesses."""
        if len(numbers) == len(self.store):
            return self
        place = {number: place for place, number in enumerate(numbers)}
        taken = np.array(numbers, np.int64)
        rows = {name: getattr(self, name).take(taken, axis=0) for name in ROWS}
        twins = tuple((place[number], positions) for number, positions in self.twins if number in place)
        tiled = {(place[number], position): sizes for (number, position), sizes in self.tiled.items() if number in place}  # fmt: skip
        return Accesses(**rows, twins=twins, tiled=tiled)

    def strides_in_tiles(self, tilings: Tilings, position: int) -> NDArray[np.int64]:
        """For each tiling and access, elements from one step to the next inside one tile of a range; 0 where that differs."""
        found = np.repeat(self.strides[None, :, position], len(tilings), axis=0)
        for (number, place), by_size in self.tiled.items():
            if place == position:
                for size, stride in by_size.items():
                    found[tilings.tile[:, position] == size, number] = stride
        return found


WORD = 64  # bits of an integer of NumPy's, the sign among them


def by_buffer(kernel: Profile) -> list[Access]:
    """The accesses of a kernel in the order of their buffers, those of one body and of the same strides beside each other."""
    return sorted(kernel.accesses, key=_walk)


def _walk(access: Access) -> tuple[int, int, int, list[tuple[int, int]]]:
    return access.buffer, access.sits, access.irregular, sorted(access.strides.items())


@dataclass(frozen=True, eq=False)
class Sections:
    """Sections of rows that lie side by side.

    Attributes:
        first: of each section, the first row.
        others: of each other row, its section and itself.
    """

    first: NDArray[np.int64]
    others: list[tuple[int, int]]

    @staticmethod
    def of(numbers: NDArray[np.int64]) -> Sections:
        """Of rows with these numbers: a section for each, equal ones being side by side."""
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
        """By section, all of its rows joined: `join.reduceat`, which takes several times as long for few rows."""
        if not self.others:
            return values
        found = values.take(self.first, axis=0)
        for section, row in self.others:
            join(found[section, ...], values[row], out=found[section, ...])
        return found


MASKS = ("depends", "sits", "own", "irregular", "gathered", "gate", "tested", "near")
"""Attributes with ranges, which an `Access` has as masks."""

ROWS = tuple(field.name for field in fields(Accesses) if field.name not in ("twins", "tiled"))
"""Attributes with a row for each access."""


def _steps(accesses: Sequence[Access], count: int) -> NDArray[np.int64]:
    steps = np.ones((len(accesses), count), np.int64)
    for number, access in enumerate(accesses):
        for position, stride in access.strides.items():
            steps[number, position] = abs(stride) * access.itemsize
    return steps


def _twins(accesses: Sequence[Access]) -> Iterator[tuple[int, list[int]]]:
    for number, access in enumerate(accesses):
        by_stride: dict[int, list[int]] = {}
        for position, stride in access.strides.items():
            by_stride.setdefault(abs(stride), []).append(position)
        yield from ((number, positions) for positions in by_stride.values() if len(positions) > 1)


def bits(masks: Iterable[int], count: int) -> Bools:
    """Bit masks as rows of bools, which nobody writes to: kernels have the same masks again and again."""
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
