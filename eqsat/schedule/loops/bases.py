"""Index expressions under every tiling at once.

A loop `r` of extent N with tiles of F elements satisfies `r = start(outer) + inner`. Here `start(outer)` is F·outer, or
min(F·outer, N − F) if F does not divide N. An index expression and these equalities for all its ranges are saturated in one e-graph.

A tiling is then a *basis*: the set of loop variables that may occur. The expression under a tiling is the cheapest term with no other
variables. If a range occurs in a sum only as one multiple, that term has the same form in any basis. Such terms are tiled by substitution,
and stay out of the e-graph.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import gcd, inf
from typing import NamedTuple

from eqsat.dtype import index
from eqsat.egraph.saturate import saturate
from eqsat.egraph.search.budget import Budget
from eqsat.egraph.snapshot.snapshot import Snapshot
from eqsat.integers.bounds import bounds
from eqsat.integers.linear import Affine, affine_forms
from eqsat.machine import Machine
from eqsat.ops import ALU, AT_HAND, AxisType, Op
from eqsat.rules.library import INDEX_LIBRARY
from eqsat.schedule.lowering.index_arithmetic import add, index_roots, multiply, simplified
from eqsat.uop import UOp, rewrite, toposort

Tiles = Mapping[UOp, int]  # the tile size of each range, in iterations; ranges that are left out have 1
Sizes = Mapping[UOp, Sequence[int]]  # the tile sizes that each range may have
BUDGET = Budget(nodes=40_000, iterations=12, seconds=2.0)
MOST_SPLITS = 200  # equalities in one e-graph at most; ranges beyond that are tiled by substitution only
LEAF_CYCLES = 0.0025  # cost of a leaf: of two equally cheap expressions, the one with fewer leaves wins
WIDEST = 64  # bits of an extent
FIRST_NUMBER = 1_000_000  # first number of tile variables; a kernel's own ranges have smaller numbers


@dataclass(frozen=True)
class Tile:
    """A range in tiles of `size` elements: `start` is the first position of tile number `outer`, and `inner` the position within the tile."""

    size: int
    outer: UOp
    inner: UOp
    start: UOp


def tile_of(bound: UOp, size: int) -> Tile:
    """The loop variables of one split, the same ones in each call. If the tile is the whole range, `inner` is the range itself."""
    extent, number = bound.src[0].arg, bound.arg[0]
    if size == extent:
        return Tile(size, UOp.const(index, 0), bound, UOp.const(index, 0))
    # Kernels number their ranges alike. Without the extent, two ranges with the same number would share their tile variables.
    first = FIRST_NUMBER + 2 * (((number << WIDEST | extent) << WIDEST) | size)
    outer = UOp.range(-(-extent // size), first, bound.arg[1])
    inner = UOp.range(size, first + 1, bound.arg[1])
    return Tile(size, outer, inner, clamped(multiply(outer, size), extent - size))


def clamped(start: UOp, last: int) -> UOp:
    """The smaller of `start` and `last`: the last tile overlaps the one before, so that it stays inside the array."""
    last = max(0, last)
    return start if bounds(start)[1] <= last else start.minimum(last)


@dataclass(frozen=True, eq=False)
class TiledForms:
    """Expressions in one e-graph, under every tiling of their ranges; `machine` prices operations."""

    snapshot: Snapshot
    machine: Machine

    @staticmethod
    def of(roots: Sequence[UOp], sizes: Sizes, machine: Machine) -> TiledForms:
        """Saturates the expressions, with each of their ranges split by each of its `sizes`."""
        tiles = [
            (node, tile_of(node, size))
            for node in toposort(roots)
            if node.op is Op.RANGE
            for size in sizes.get(node, ())
        ]
        equalities = [(bound, tile.start + tile.inner) for bound, tile in tiles if tile.inner is not bound]
        return TiledForms(saturate(roots, INDEX_LIBRARY, BUDGET, equalities[:MOST_SPLITS]).snapshot, machine)

    def express(self, tiles: Tiles) -> list[UOp]:
        """Each expression in the loop variables of the basis: `outer` and `inner` of tiled ranges, and all other ranges."""
        choice = self._choice(tiles)
        roots: list[int] = self.snapshot.root_classes.tolist()
        if all(choice[root] >= 0 for root in roots):
            return self.snapshot.build(choice)
        # a range was not split in the e-graph, because there were too many of them or the time was up
        tiled = {bound: tile_of(bound, size) for bound, size in tiles.items() if size > 1}
        positions = {bound: tile.start + tile.inner for bound, tile in tiled.items()}
        return rewrite(self.snapshot.build(self._choice({})), positions, simplified)

    def _choice(self, tiles: Tiles) -> list[int]:
        """The cheapest node of each e-class whose term has no forbidden variables, found by passes until no cost falls."""
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
        """(node, class, own cost, operands) for each e-node, those with fewer operands first."""
        snapshot = self.snapshot
        rows: list[tuple[int, int, float, list[int]]] = []
        for node, (term, owner) in enumerate(zip(snapshot.terms, snapshot.node_class.tolist(), strict=True)):
            operands = snapshot.operands(node)
            times = max(1, len(operands) - 1)
            cost = self.machine.cycles(term.op, term.dtype) * times if operands else LEAF_CYCLES
            rows.append((node, owner, cost, operands))
        return sorted(rows, key=lambda row: (len(row[3]), row[0]))


class Parts(NamedTuple):
    """An index expression as `loops + factor · other`; `loops` sums the multiples of ranges that do not occur in `other`, which may be 0."""

    loops: UOp
    factor: int
    other: UOp

    @staticmethod
    def of(form: Affine) -> Parts:
        """The parts of a linear form."""
        atoms = [atom for atom, _ in form.terms if atom.op is not Op.RANGE]
        inside = frozenset(atoms).union(*(atom.ranges for atom in atoms))
        loops = tuple(term for term in form.terms if term[0] not in inside)
        others = [term for term in form.terms if term[0] in inside]
        factor = gcd(*(coefficient for _, coefficient in others))
        other = Affine(0, tuple((atom, coefficient // factor) for atom, coefficient in others))
        return Parts(Affine(form.constant, loops).build(), factor, other.build())

    def joined(self, loops: UOp, other: UOp) -> UOp:
        """The expression with these forms of its parts `loops` and `other`."""
        return add(loops, multiply(other, self.factor)) if self.factor else loops


class Renamed(NamedTuple):
    """An expression over ranges renumbered from 0, so that different kernels share it, and the original range of each renumbered one."""

    expression: UOp
    ranges: dict[UOp, UOp]

    @staticmethod
    def of(expression: UOp) -> Renamed:
        """The renamed form of an expression; its ranges keep their order."""
        own = sorted(expression.ranges, key=lambda bound: bound.arg[0])
        places = {bound: bound.replace(arg=(place, AxisType.LOOP)) for place, bound in enumerate(own)}
        return Renamed(expression.substitute(places), {place: bound for bound, place in places.items()})

    def back(self, form: UOp, tiles: Tiles) -> UOp:
        """A form of the renamed expression, over the original ranges and their tiles; `tiles` has the tile sizes of the renamed ranges."""
        variables = dict(self.ranges)
        for place, size in tiles.items():
            tile, own = tile_of(place, size), tile_of(self.ranges[place], size)
            variables |= {tile.outer: own.outer, tile.inner: own.inner}
        return form.substitute(variables)


@dataclass(eq=False)
class Indices:
    """The index expressions of all kernels of one program, each simplified once.

    Attributes:
        machine: prices operations.
        plain: the simplest form of each expression over renumbered ranges.
        tiled: the e-graph of all forms, by such an expression and the tile sizes that its ranges may have.
        expressed: the simplest form, by the key of `tiled` and a choice of tiles.
        strides: by the same key, the stride inside the only tile; None if the form is not linear there.
    """

    machine: Machine
    plain: dict[UOp, UOp] = field(default_factory=dict[UOp, UOp])
    tiled: dict[Hashable, TiledForms] = field(default_factory=dict[Hashable, TiledForms])
    expressed: dict[Hashable, UOp] = field(default_factory=dict[Hashable, UOp])
    strides: dict[Hashable, int | None] = field(default_factory=dict[Hashable, int | None])

    def simplest(self, sink: UOp) -> dict[UOp, UOp]:
        """The simplest form of each index expression of a kernel that contains no loads and no reductions."""
        roots = index_roots(sink)
        forms = affine_forms(roots)
        parts = {root: Parts.of(forms[root]) for root in roots if _is_closed(forms[root])}
        others = dict.fromkeys(each.other for each in parts.values() if each.other.op is not Op.CONST)
        renamed = {other: Renamed.of(other) for other in others}
        new = dict.fromkeys(each.expression for each in renamed.values() if each.expression not in self.plain)
        if new:
            self.plain.update(zip(new, TiledForms.of(list(new), {}, self.machine).express({}), strict=True))
        simple = {other: each.back(self.plain[each.expression], {}) for other, each in renamed.items()}
        return {
            root: each.joined(each.loops, simple.get(each.other, each.other)) for root, each in parts.items()
        }

    def form(self, expression: UOp, sizes: Sizes, tiles: Tiles) -> UOp:
        """An expression in the loop variables of the basis `tiles`; its ranges may have tiles of these `sizes`."""
        renamed = Renamed.of(expression)
        own = {place: tiles[bound] for place, bound in renamed.ranges.items() if bound in tiles}
        return renamed.back(self.expressed[self._expressed_under(renamed, sizes, own)], own)

    def stride_inside(self, renamed: Renamed, sizes: Sizes, place: UOp, size: int) -> int | None:
        """The stride of an expression inside a tile of one of its renumbered ranges; None if it is not linear there."""
        key = self._expressed_under(renamed, sizes, {place: size})
        if key not in self.strides:
            self.strides[key] = inner_stride(self.expressed[key], tile_of(place, size).inner)
        return self.strides[key]

    def _expressed_under(self, renamed: Renamed, sizes: Sizes, tiles: Tiles) -> Hashable:
        """The key in `expressed` of an expression under these tiles of renumbered ranges, after it was added there."""
        key = renamed.expression, tuple(tuple(sizes.get(bound, ())) for bound in renamed.ranges.values())
        chosen = key, frozenset(tiles.items())
        if chosen not in self.expressed:
            if key not in self.tiled:
                cut = {place: sizes.get(bound, ()) for place, bound in renamed.ranges.items()}
                self.tiled[key] = TiledForms.of([renamed.expression], cut, self.machine)
            (self.expressed[chosen],) = self.tiled[key].express(tiles)
        return chosen


@dataclass(eq=False)
class Bases:
    """The index expressions of one kernel under every tiling.

    Attributes:
        plain: the simplest form of each expression without tiles.
        sizes: the tile sizes that each range may have.
        indices: the index expressions of all kernels of the program.
    """

    plain: Mapping[UOp, UOp]
    sizes: Sizes
    indices: Indices
    _expressed: dict[Hashable, dict[UOp, UOp]] = field(default_factory=dict[Hashable, dict[UOp, UOp]])

    @cached_property
    def _nonlinear(self) -> dict[UOp, tuple[int, Renamed]]:
        """(factor, renamed expression) of the part of each simplest form that is no sum of multiples of ranges; see `Parts`."""
        forms = affine_forms(self.plain.values())
        parts = {expression: Parts.of(forms[expression]) for expression in self.plain.values()}
        return {expression: (each.factor, Renamed.of(each.other)) for expression, each in parts.items()}

    def express(self, tiles: Tiles) -> dict[UOp, UOp]:
        """Each expression in the loop variables of the basis: `outer` and `inner` of tiled ranges, and all other ranges."""
        key = frozenset((bound, size) for bound, size in tiles.items() if size > 1)
        if key not in self._expressed:
            forms = self._under(dict(key), self.plain.values())
            self._expressed[key] = dict(zip(self.plain, forms, strict=True))
        return self._expressed[key]

    def strides_inside(self, expression: UOp, bound: UOp) -> dict[int, int]:
        """The stride of a simplest form inside a tile of `bound`, by tile size; sizes are left out if the form is constant or not linear there.

        The form contains `bound`, though not as a single multiple of it.
        """
        if expression not in self._nonlinear:
            return {}
        factor, renamed = self._nonlinear[expression]
        place = next(place for place, own in renamed.ranges.items() if own is bound)
        strides = {
            size: self.indices.stride_inside(renamed, self.sizes, place, size)
            for size in self.sizes.get(bound, ())
        }
        return {size: factor * stride for size, stride in strides.items() if stride}

    def _under(self, tiles: Tiles, expressions: Collection[UOp]) -> list[UOp]:
        """Simplest forms in the loop variables of a basis."""
        forms = affine_forms(expressions)
        parts = [Parts.of(forms[expression]) for expression in expressions]
        positions = {
            bound: (tile := tile_of(bound, size)).start + tile.inner for bound, size in tiles.items()
        }
        loops = rewrite([each.loops for each in parts], positions, simplified)
        return [
            each.joined(found, self._form(each.other, tiles))
            for found, each in zip(loops, parts, strict=True)
        ]

    def _form(self, expression: UOp, tiles: Tiles) -> UOp:
        """An expression that is not a sum of multiples of ranges, in the loop variables of a basis."""
        own = {bound: size for bound, size in tiles.items() if bound in expression.ranges}
        return self.indices.form(expression, self.sizes, own) if own else expression


def _is_closed(form: Affine) -> bool:
    """Whether an expression consists of loop variables, constants and variables only: no loaded index, no reduction."""
    atoms = [atom for atom, _ in form.terms if atom.op is not Op.RANGE]
    return all(node.op in ALU or node.op is Op.RANGE or node.op in AT_HAND for node in toposort(atoms))


def inner_stride(expression: UOp, inner: UOp) -> int | None:
    """The stride of an expression along a tile; None if the expression is not linear in `inner`."""
    form = affine_forms([expression])[expression]
    if any(atom is not inner and inner in atom.ranges for atom, _ in form.terms):
        return None
    return form.coefficients.get(inner, 0)
