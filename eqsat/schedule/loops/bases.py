"""Index expressions under every tiling at once.

For a loop `r` of extent N and a tile of F, `r = start(outer) + inner` is an equality, with `start(outer)` = F·outer, or min(F·outer, N − F)
where F does not divide N. All index expressions of all kernels and all these equalities go into one e-graph and are simplified together.
A tiling is then a *basis*, the set of loop variables that may occur, and an index expression under it is the cheapest term without others.
A sum of multiples of ranges has one form in any basis: it is found by substitution, and stays out of the e-graph.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import inf

from eqsat.dtype import index
from eqsat.egraph.saturate import saturate
from eqsat.egraph.search.budget import Budget
from eqsat.egraph.snapshot.snapshot import Snapshot
from eqsat.integers.bounds import bounds
from eqsat.integers.linear import affine_forms
from eqsat.machine import Machine
from eqsat.ops import ALU, Op
from eqsat.rules.library import INDEX_LIBRARY
from eqsat.schedule.lowering.index_arithmetic import index_roots, multiply, simplified
from eqsat.uop import UOp, rewrite, toposort

Tiles = Mapping[UOp, int]  # how many iterations of a range make one tile; 1 where it is left out
BUDGET = Budget(nodes=40_000, iterations=12, seconds=2.0)
MOST_SPLITS = 200  # equalities in one e-graph; of more ranges than that allows, the later ones are only tiled by substitution
LEAF_CYCLES = 0.0025  # so that of two equal expressions the one with fewer leaves wins
WIDEST = 64  # bits of an extent
FIRST_NUMBER = 1_000_000  # of the ranges that stand for tiles; kernels' own ranges have smaller numbers


@dataclass(frozen=True)
class Tile:
    """A range in tiles of `size`: `start` is where tile number `outer` begins, `inner` the place within it."""

    size: int
    outer: UOp
    inner: UOp
    start: UOp


def tile_of(bound: UOp, size: int) -> Tile:
    """The loop variables of one split; the same ones each time it is asked for. A tile that is the whole range is the range itself."""
    extent, number = bound.src[0].arg, bound.arg[0]
    if size == extent:
        return Tile(size, UOp.const(index, 0), bound, UOp.const(index, 0))
    # Kernels number their ranges alike: without the extent, tiles of two ranges of one number would be one variable.
    first = FIRST_NUMBER + 2 * (((number << WIDEST | extent) << WIDEST) | size)
    outer = UOp.range(-(-extent // size), first, bound.arg[1])
    inner = UOp.range(size, first + 1, bound.arg[1])
    return Tile(size, outer, inner, clamped(multiply(outer, size), extent - size))


def clamped(start: UOp, last: int) -> UOp:
    """`start`, or `last` where that is less: the last tile overlaps the one before rather than leave the array."""
    last = max(0, last)
    return start if bounds(start)[1] <= last else start.minimum(last)


@dataclass
class Bases:
    """Index expressions whose ranges are split into tiles of `sizes`: `roots` in an e-graph, and those that are `affine`."""

    snapshot: Snapshot
    roots: tuple[UOp, ...]
    affine: tuple[UOp, ...]
    sizes: Mapping[UOp, Sequence[int]]
    machine: Machine
    _expressed: dict[frozenset[tuple[UOp, int]], dict[UOp, UOp]] = field(
        default_factory=dict[frozenset[tuple[UOp, int]], dict[UOp, UOp]]
    )

    @staticmethod
    def of(sinks: Sequence[UOp], sizes: Mapping[UOp, Sequence[int]], machine: Machine) -> Bases:
        """Saturates the index expressions of kernels, each range split by each of its `sizes`; `machine` says what is cheap."""
        closed = dict.fromkeys(root for sink in sinks for root in index_roots(sink) if _is_closed(root))
        forms = affine_forms(closed)
        affine = tuple(
            root
            for root in closed
            if root in forms and all(atom.op is Op.RANGE for atom, _ in forms[root].terms)
        )
        roots = tuple(root for root in closed if root not in affine)
        equalities: list[tuple[UOp, UOp]] = []
        for bound in dict.fromkeys(
            each for root in roots for each in toposort([root]) if each.op is Op.RANGE
        ):
            for size in sizes.get(bound, ()):
                tile = tile_of(bound, size)
                if tile.inner is not bound:
                    equalities.append((bound, tile.start + tile.inner))
        from eqsat.egraph.snapshot.unsaturated import (
            snapshot_as_written,  # as the e-graph, only where it is used
        )

        snapshot = (
            saturate(roots, INDEX_LIBRARY, BUDGET, equalities[:MOST_SPLITS]).snapshot
            if roots
            else snapshot_as_written([])
        )
        return Bases(snapshot, roots, affine, sizes, machine)

    def express(self, tiles: Tiles) -> dict[UOp, UOp]:
        """Each expression in the loop variables of the basis: `outer` and `inner` of tiled ranges, other ranges as they are."""
        key = frozenset((bound, size) for bound, size in tiles.items() if size > 1)
        if key not in self._expressed:
            tiled = {bound: tile_of(bound, size) for bound, size in key}
            positions = {bound: tile.start + tile.inner for bound, tile in tiled.items()}
            affine = zip(self.affine, rewrite(self.affine, positions, simplified), strict=True)
            others = zip(self.roots, self.snapshot.build(self._choice(tiles)), strict=True)
            self._expressed[key] = {**dict(affine), **dict(others)}
        return self._expressed[key]

    def strides_inside(self, expression: UOp, bound: UOp) -> dict[int, int]:
        """By tile size of `bound`: the stride of a plain expression inside a tile, where it is linear there."""
        strides: dict[int, int] = {}
        for size in self.sizes.get(bound, ()):
            tiled = (
                self.express({bound: size})[self._raw[expression]] if expression in self._raw else expression
            )
            stride = inner_stride(tiled, tile_of(bound, size).inner)
            if stride:
                strides[size] = stride
        return strides

    @cached_property
    def _raw(self) -> dict[UOp, UOp]:
        """The root behind each plain expression."""
        return {expression: root for root, expression in self.express({}).items()}

    def _choice(self, tiles: Tiles) -> list[int]:
        """The cheapest node of each class without forbidden variables; passes until nothing gets cheaper."""
        forbidden = self._forbidden(tiles)
        costs = [inf] * len(self.snapshot.class_dtype)
        choice = [-1] * len(costs)
        changed = True
        while changed:
            changed = False
            for node, owner, own, operands in self._nodes:
                total = own
                for operand in operands:
                    total += costs[operand]
                if total < costs[owner] and node not in forbidden:
                    costs[owner], choice[owner], changed = total, node, True
        return choice

    def _forbidden(self, tiles: Tiles) -> set[int]:
        """Nodes of variables that are not in the basis."""
        tiled = {bound: tile_of(bound, size) for bound, size in tiles.items() if size > 1}
        allowed = {variable for tile in tiled.values() for variable in (tile.outer, tile.inner)}
        return {
            node
            for node, variable in self._variables
            if variable not in allowed and (variable in tiled or variable.arg[0] >= FIRST_NUMBER)
        }

    @cached_property
    def _variables(self) -> list[tuple[int, UOp]]:
        terms = self.snapshot.terms
        return [
            (node, UOp(Op.RANGE, index, term.kept, term.arg))
            for node, term in enumerate(terms)
            if term.op is Op.RANGE
        ]

    @cached_property
    def _nodes(self) -> list[tuple[int, int, float, list[int]]]:
        """(node, class, own cost, operands), a leaf or a node of simple operands before what may use it."""
        snapshot = self.snapshot
        rows: list[tuple[int, int, float, list[int]]] = []
        for node, (term, owner) in enumerate(zip(snapshot.terms, snapshot.node_class.tolist(), strict=True)):
            operands = snapshot.operands(node)
            times = max(1, len(operands) - 1)
            cost = self.machine.cycles(term.op, term.dtype) * times if operands else LEAF_CYCLES
            rows.append((node, owner, cost, operands))
        return sorted(rows, key=lambda row: (len(row[3]), row[0]))


def _is_closed(root: UOp) -> bool:
    """Whether an expression holds loop variables and constants only: no loaded index, no reduction."""
    return all(node.op in ALU or node.op in (Op.RANGE, Op.CONST) for node in toposort([root]))


def inner_stride(expression: UOp, inner: UOp) -> int | None:
    """The stride of an expression along a tile; None if it is not linear in it."""
    form = affine_forms([expression])[expression]
    if any(atom is not inner and inner in atom.ranges for atom, _ in form.terms):
        return None
    return form.coefficients.get(inner, 0)
