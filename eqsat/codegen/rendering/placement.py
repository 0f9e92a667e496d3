"""Decides which values of a LINEAR get a variable, and which are written where they are used."""

from __future__ import annotations

from collections.abc import Sequence, Set

from eqsat.codegen.rendering.memory import DEFINITIONS, definition
from eqsat.dtype import PtrDType
from eqsat.ops import ALU, OPENS, Op
from eqsat.spec.order import closed_by
from eqsat.spec.sources import behind
from eqsat.uop import UOp

# written again at each use: names, numbers, and nodes that add nothing to their sources
TRANSPARENT = DEFINITIONS | {
    Op.CONST, Op.VCONST, Op.INDEX, Op.POINTER_INDEX, Op.AFTER, Op.DEFINE_VAR, Op.RANGE, Op.CAT,
}  # fmt: skip
LEAST_USES = {
    Op.CAT: 2,
    Op.GEP: 0,
}  # of a transparent node: the operands of a CAT get variables, a `turned` vector needs no GEP
CLOSES = frozenset({Op.END, Op.ENDIF})


class Placement:
    """Decides for each value, by the number of its uses, their blocks, and the stores before them.

    The `turned` vectors are others backwards, whose text they have once.
    """

    def __init__(self, instructions: tuple[UOp, ...], turned: Set[UOp] = frozenset()) -> None:
        self._position = {node: place for place, node in enumerate(instructions)}
        self._blocks, self._ends = _blocks(instructions)
        self._stores = _stores(instructions)
        self._uses: dict[UOp, int] = {}
        self._last: dict[UOp, int] = {}  # the last position at which the text of a value is written
        self._users_block: dict[UOp, tuple[int, ...]] = {}
        self.in_place: set[UOp] = set()
        self.transparent = {node for node in self._position if is_transparent(node)}
        self._turned = turned
        self.started_beside = self._registers_started_beside(instructions)
        for place in range(len(instructions) - 1, -1, -1):
            self._decide(instructions[place], place)

    def _registers_started_beside(self, instructions: tuple[UOp, ...]) -> set[UOp]:
        """The registers whose first access is an ungated store in the block of their definition: this store may declare them."""
        accessed: set[UOp] = set()
        found: set[UOp] = set()
        for place, node in enumerate(instructions):
            if node.op not in (Op.LOAD, Op.STORE):
                continue
            register = definition(node.src[0])
            if register.op is not Op.DEFINE_REG or register in accessed:
                continue
            accessed.add(register)
            is_gated = bool(behind(node.src[0]).src[2:])
            beside = self._blocks[place] == self._blocks[self._position[register]]
            if node.op is Op.STORE and beside and not is_gated:
                found.add(register)
        return found

    def _decide(self, node: UOp, place: int) -> None:
        uses = self._uses.get(node, 0)
        transparent = node in self.transparent
        written, block = place, self._blocks[place]
        if transparent or (uses >= 1 and self._may_inline(node, uses)):
            self.in_place.add(node)
            written, block = self._last.get(node, place), self._users_block.get(node, block)
        least = LEAST_USES.get(node.op, 1)
        counted = max(least, uses) if transparent else 1
        for source in node.src[0].src[:1] if node in self._turned else node.src:
            self._uses[source] = self._uses.get(source, 0) + counted
            self._last[source] = max(self._last.get(source, written), written)
            self._users_block.setdefault(source, block)

    def _may_inline(self, node: UOp, uses: int) -> bool:
        if node.op is Op.LOAD:
            register = definition(node.src[0]).op is Op.DEFINE_REG
            return (register or (uses == 1 and self._same_block(node))) and not self._overwritten(node)
        if uses != 1 or (node.op not in ALU and node.op not in (Op.GEP, Op.VECTORIZE, Op.CUSTOMI)):
            return False
        return self._same_block(node) or node.dtype.scalar.is_index

    def _same_block(self, node: UOp) -> bool:
        return self._users_block[node] == self._blocks[self._position[node]]

    def _overwritten(self, load: UOp) -> bool:
        """Whether the loaded element may be written between the load and the last use of its value."""
        start, end = self._position[load], self._last[load]
        own = self._blocks[start]
        inner = self._users_block[load]
        if len(inner) > len(own):
            end = max(end, self._ends[inner[len(own)]])
        return any(start < store < end for store in self._stores.get(definition(load.src[0]), ()))


def is_transparent(node: UOp) -> bool:
    """Whether a node never gets a variable of its own. This includes vectors that repeat one scalar, and single lanes."""
    if node.op in TRANSPARENT:
        return True
    if node.op is Op.VECTORIZE:
        return all(source is node.src[0] for source in node.src)
    if node.op is Op.GEP:
        return len(node.arg) == 1
    return isinstance(node.dtype, PtrDType) and node.op is not Op.LOAD


def alternatives(instructions: Sequence[UOp]) -> set[UOp]:
    """The alternative values of gated loads, and all values that they are computed from.

    If these are written in place, they are computed only where the gate is false.
    """
    found: set[UOp] = set()
    for node in reversed(instructions):
        if node.op is Op.LOAD:
            found.update(node.src[1:])
        elif node in found:
            found.update(node.src)
    return found


def _blocks(instructions: tuple[UOp, ...]) -> tuple[list[tuple[int, ...]], dict[int, int]]:
    """For each position, the positions where the loops and conditions around it open; and for each of these, the position where it closes."""
    blocks: list[tuple[int, ...]] = []
    ends: dict[int, int] = {}
    opened: list[int] = []
    for place, node in enumerate(instructions):
        for _ in closed_by(node):
            ends[opened.pop()] = place
        blocks.append(tuple(opened))
        if node.op in OPENS:
            opened.append(place)
    return blocks, ends


def _stores(instructions: tuple[UOp, ...]) -> dict[UOp, list[int]]:
    """The positions at which each memory may be written. A BARRIER counts for local memory, which other work-items may have written by then."""
    stores: dict[UOp, list[int]] = {}
    local = [node for node in instructions if node.op is Op.DEFINE_LOCAL]
    for place, node in enumerate(instructions):
        if node.op is Op.STORE:
            stores.setdefault(definition(node.src[0]), []).append(place)
        elif node.op is Op.BARRIER:
            for memory in local:
                stores.setdefault(memory, []).append(place)
    return stores
