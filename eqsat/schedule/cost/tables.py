"""A kernel's profile as arrays: a row for each operation, reduction or set of loops, a column for each range."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eqsat.schedule.cost.accesses import Accesses, bits, by_buffer
from eqsat.schedule.cost.auto_vectorization import Scalars, scalars_of
from eqsat.schedule.cost.body_tree import Body, innermost, tree
from eqsat.schedule.cost.profile import Profile
from eqsat.schedule.tiling import Bools, Floats


@dataclass(frozen=True)
class Work:
    """The operations of a kernel, a row for each kind.

    Attributes:
        depends, sits: the ranges that the operations depend on, and sit in.
        itemsize: bytes of the widest element.
        cycles: cycles for one vector register.
        narrow: cycles for half a vector register or less.
        without_arithmetic, narrow_without_arithmetic: the parts of `cycles` and `narrow` that remain in every kernel that differs in `ARITHMETIC`
            operations alone.
    """

    depends: Bools
    sits: Bools
    itemsize: Floats
    cycles: Floats
    narrow: Floats
    without_arithmetic: Floats
    narrow_without_arithmetic: Floats

    @staticmethod
    def of(kernel: Profile) -> Work:
        """The operations of a kernel."""
        count, keys = len(kernel.extents), list(kernel.work)
        return Work(
            bits([depends for depends, _, _ in keys], count),
            bits([sits for _, sits, _ in keys], count),
            np.array([itemsize for _, _, itemsize in keys], np.float64),
            np.array(list(kernel.work.values()), np.float64),
            np.array([kernel.narrow[key] for key in keys], np.float64),
            *np.array([kernel.without_arithmetic.get(key, (0.0, 0.0)) for key in keys], np.float64)
            .reshape(len(keys), 2)
            .T,
        )


@dataclass(frozen=True)
class Reductions:
    """The reductions and scans of a kernel, a row for each.

    Attributes:
        own: the ranges that it reduces.
        lanes_combined: the ranges that the combined lanes of its accumulators depend on.
        value: the ranges that the accumulated value depends on.
        itemsize: bytes of an element.
        fuses, exchanged, pairs, sums, adds_byte_products, latency: as in `Reduction`.
        rows, columns: the ranges of `Reduction.tiles`, by factor that supplies the rows, reduction and range.
        sits: the ranges that the accumulated value sits in.
    """

    own: Bools
    lanes_combined: Bools
    value: Bools
    itemsize: Floats
    fuses: Bools
    exchanged: Bools
    pairs: Bools
    sums: Bools
    adds_byte_products: Bools
    rows: Bools
    columns: Bools
    sits: Bools
    latency: Floats

    @staticmethod
    def of(kernel: Profile) -> Reductions:
        """The reductions of a kernel."""
        count, each = len(kernel.extents), kernel.reductions
        tiles = [(*reduction.tiles, *2 * [(0, 0)])[:2] for reduction in each]
        return Reductions(
            bits([reduction.ranges for reduction in each], count),
            bits([reduction.lanes_combined for reduction in each], count),
            bits([reduction.value for reduction in each], count),
            np.array([reduction.itemsize for reduction in each], np.float64),
            np.array([reduction.fuses for reduction in each], bool),
            np.array([reduction.exchanged for reduction in each], bool),
            np.array([reduction.pairs for reduction in each], bool),
            np.array([reduction.sums for reduction in each], bool),
            np.array([reduction.adds_byte_products for reduction in each], bool),
            rows=_both([[rows for rows, _ in own] for own in tiles], count),
            columns=_both([[columns for _, columns in own] for own in tiles], count),
            sits=bits([reduction.sits for reduction in each], count),
            latency=np.array([reduction.latency for reduction in each], np.float64),
        )


def _both(masks: Sequence[Sequence[int]], count: int) -> Bools:
    """The bits of the two masks of each reduction, by mask, reduction and range."""
    return np.array([bits([each[place] for each in masks], count) for place in range(2)], bool)


@dataclass(frozen=True)
class Tables:
    """All tables of a kernel.

    Attributes:
        kernel: the profile that the tables are made from.
        work, accesses, reductions: the tables of its operations, accesses and reductions.
        loops: the different sets of loops that operations, accesses or reductions are in; those of `bodies` come first.
        work_in, values_in, lanes_combined_in, results_in: matrices that are 1 where an operation, accumulated value, combination of lanes or
            result of a reduction (row) is in a set of `loops` (column), and 0 elsewhere.
        accesses_in: likewise for accesses, with their `count` in place of 1.
        bodies: the sets of loops that operations and accesses sit in.
        innermost: the numbers of the sets of `loops` that are bodies and not a subset of another body.
        tree: the bodies as a tree.
        scalars: ranges along which a compiler may vectorize scalar code.
        outputs: the ranges over outputs.
    """

    kernel: Profile
    work: Work
    accesses: Accesses
    reductions: Reductions
    loops: Bools
    work_in: Floats
    accesses_in: Floats
    values_in: Floats
    lanes_combined_in: Floats
    results_in: Floats
    bodies: Bools
    innermost: list[int]
    tree: Body
    scalars: tuple[Scalars, ...]
    outputs: Bools

    @staticmethod
    def of(kernel: Profile) -> Tables:
        """The tables of a kernel."""
        accesses = Accesses.of(kernel)
        of_work = [sits for _, sits, _ in kernel.work]
        of_accesses = [access.sits for access in by_buffer(kernel)]
        of_values = [reduction.sits for reduction in kernel.reductions]
        of_joins = [reduction.lanes_combined_in for reduction in kernel.reductions]
        of_results = [reduction.result for reduction in kernel.reductions]
        bodies = list(dict.fromkeys([*of_work, *of_accesses]))
        masks = list(dict.fromkeys([*bodies, *of_values, *of_joins, *of_results]))
        loops = bits(masks, len(kernel.extents))
        (outputs,) = bits([kernel.outputs], len(kernel.extents))
        return Tables(
            kernel,
            Work.of(kernel),
            accesses,
            Reductions.of(kernel),
            loops=loops,
            work_in=_places(of_work, masks),
            accesses_in=_places(of_accesses, masks) * accesses.count[:, None],
            values_in=_places(of_values, masks),
            lanes_combined_in=_places(of_joins, masks),
            results_in=_places(of_results, masks),
            bodies=bits(bodies, len(kernel.extents)),
            innermost=[masks.index(mask) for mask in innermost(bodies)],
            tree=tree(kernel, accesses, bodies),
            scalars=scalars_of(kernel),
            outputs=outputs,
        )


def _places(masks: Sequence[int], among: Sequence[int]) -> Floats:
    """A matrix with a row for each mask, and a 1 in the column of the equal mask in `among`."""
    found = np.zeros((len(masks), len(among)))
    for row, mask in enumerate(masks):
        found[row, among.index(mask)] = 1.0
    return found
