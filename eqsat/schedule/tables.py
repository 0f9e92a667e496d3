"""A kernel's profile as arrays: a row for each operation, access, reduction or body, a column for each range."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eqsat.schedule.profile import Access, Profile
from eqsat.schedule.tiling import Bools, Floats, Tilings


@dataclass(frozen=True)
class Accesses:
    """Loads and stores, ordered by buffer.

    Attributes:
        depends, sits, own, irregular, gate: ranges; `own` are those that the address depends on.
        unit, ascending: ranges walked with stride ±1, and with stride 1.
        jumps: ranges that step from one line of memory to others.
        step_bytes: how far each range steps; 1 where that is not known.
        twins: (access, ranges) where the ranges have one stride.
        tiled: for (access, range) whose address is linear inside tiles only, the tile sizes with stride 1.
        store: whether it writes.
        itemsize, size: bytes of an element, and of the whole buffer.
        first: by buffer, its first access.
    """

    depends: Bools
    sits: Bools
    own: Bools
    irregular: Bools
    gate: Bools
    unit: Bools
    ascending: Bools
    jumps: Bools
    step_bytes: NDArray[np.int64]
    twins: tuple[tuple[int, list[int]], ...]
    tiled: dict[tuple[int, int], list[int]]
    store: Bools
    itemsize: Floats
    size: Floats
    first: NDArray[np.int64]

    @staticmethod
    def of(kernel: Profile) -> Accesses:
        """The accesses of a kernel."""
        count = len(kernel.extents)
        accesses = sorted(kernel.accesses, key=lambda access: access.buffer)
        buffers = [access.buffer for access in accesses]
        tiled: dict[tuple[int, int], list[int]] = {}
        for number, access in enumerate(accesses):
            for (position, size), stride in access.tiled.items():
                if stride == 1:
                    tiled.setdefault((number, position), []).append(size)
        return Accesses(
            depends=bits([access.depends for access in accesses], count),
            sits=bits([access.sits for access in accesses], count),
            own=bits([access.own for access in accesses], count),
            irregular=bits([access.irregular for access in accesses], count),
            gate=bits([access.gate for access in accesses], count),
            unit=bits([access.walked(1, -1) for access in accesses], count),
            ascending=bits([access.walked(1) for access in accesses], count),
            jumps=bits([access.own & ~access.walked(1, -1) for access in accesses], count),
            step_bytes=_steps(accesses, count),
            twins=tuple(_twins(accesses)),
            tiled=tiled,
            store=np.array([access.store for access in accesses], bool),
            itemsize=np.array([access.itemsize for access in accesses], np.float64),
            size=np.array([access.size * access.itemsize for access in accesses], np.float64),
            first=np.array([buffers.index(buffer) for buffer in dict.fromkeys(buffers)], np.int64),
        )

    def contiguous(self, tilings: Tilings, position: int) -> Bools:
        """For each tiling and access, whether the elements of one tile of a range lie side by side."""
        found = np.broadcast_to(
            self.ascending[:, position] & ~self.irregular[:, position], (len(tilings.tile), len(self.store))
        )
        inside = [(number, sizes) for (number, place), sizes in self.tiled.items() if place == position]
        if inside:
            found = found.copy()
            for number, sizes in inside:
                found[:, number] |= np.isin(tilings.tile[:, position], sizes)
        return found


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


@dataclass(frozen=True)
class Work:
    """Operations by kind: the ranges that they depend on and sit in, bytes of an element, cycles for one register."""

    depends: Bools
    sits: Bools
    itemsize: Floats
    cycles: Floats


@dataclass(frozen=True)
class Tables:
    """All of a kernel.

    Attributes:
        bodies: the different sets of loops that something sits in.
    """

    kernel: Profile
    work: Work
    accesses: Accesses
    bodies: Bools

    @staticmethod
    def of(kernel: Profile) -> Tables:
        """The tables of a kernel."""
        count = len(kernel.extents)
        keys = list(kernel.work)
        work = Work(
            bits([depends for depends, _, _ in keys], count),
            bits([sits for _, sits, _ in keys], count),
            np.array([itemsize for _, _, itemsize in keys], np.float64),
            np.array(list(kernel.work.values()), np.float64),
        )
        bodies = dict.fromkeys([*(sits for _, sits, _ in keys), *(access.sits for access in kernel.accesses)])
        return Tables(kernel, work, Accesses.of(kernel), bits(bodies, count))


def bits(masks: Iterable[int], count: int) -> Bools:
    """Bit masks as rows of bools."""
    rows = [[bool(mask >> position & 1) for position in range(count)] for mask in masks]
    return np.array(rows, bool).reshape(len(rows), count)
