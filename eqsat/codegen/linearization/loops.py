"""The loop nest of a kernel: which loop lies in which, and the block that each value belongs to.

A block is the tuple of the RANGEs around it, outermost first. Lanes and copies, which a kernel has before it is expanded, are not loops. A statement
(STORE or REDUCE) lies in the loops that it varies with, and everything inside a REDUCE's loop also lies in the loops around the REDUCE. Both
conditions are solved together. A STORE to local memory or registers has loops of its own, as a REDUCE has.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from eqsat.codegen.expansion.dependence import nesting
from eqsat.errors import CodegenError
from eqsat.ops import ABREAST, IN_TURN, REDUCES, AxisType, Op
from eqsat.uop import UOp, loops_begin

Block = tuple[UOp, ...]
_OF_KERNEL = frozenset({Op.DEFINE_LOCAL, Op.DEFINE_REG})
ITEMS = (AxisType.LOCAL, AxisType.WARP)  # ranges over the items of a group, which all run the same loops


class LoopNest:
    """The nesting of loops, found as a fixed point: the set of loops around each loop grows until nothing changes."""

    def __init__(self, order: list[UOp], apart: Sequence[AxisType]) -> None:
        self._apart = frozenset(apart)
        self._enclosing: dict[UOp, set[UOp]] = {node: set() for node in order if self._is_loop(node)}
        self._paths: dict[frozenset[UOp], Block] = {}
        statements = [node for node in order if node.op is Op.STORE or node.op in REDUCES]
        while any(list(map(self._grow, statements))):
            pass

    @staticmethod
    def of(order: list[UOp], apart: Sequence[AxisType] = (*ABREAST, *ITEMS)) -> LoopNest:
        """The loop nest of the kernel with this toposort; ranges of the axis types `apart` do not count as loops."""
        return LoopNest(order, apart)

    def block_of(self, node: UOp) -> Block:
        """The loops around `node`; for a REDUCE, SCAN, CARRY or RECUR, the loops around its own loops."""
        if node.op in REDUCES:
            body = self.body_of(node)
            return body[: len(body) - len(self._own(node))]
        if node.op in IN_TURN:
            return self._around(node)
        if node.op is Op.STORE:
            return self._path(self._varies(node))
        return self._path(node.ranges)

    def body_of(self, reduction: UOp) -> Block:
        """The loops around the update of the accumulator of a REDUCE, SCAN or CARRY."""
        return self._path(self._varies(reduction).union(ended_by(reduction)))

    def _around(self, scan: UOp) -> Block:
        """The loops around the loops of a SCAN or CARRY, which must be the innermost loops around it."""
        body, own = self.body_of(scan), self._loops(ended_by(scan))
        around = body[: len(body) - len(own)]
        if frozenset(body[len(around) :]) != own:
            raise CodegenError(
                f"{scan!r} carries a value along loops that are not the innermost around it; number them higher"
            )
        return around

    def _grow(self, statement: UOp) -> bool:
        """Makes the loops of a statement enclose each other in nesting order. Returns whether anything changed."""
        own = self._own(statement)
        context = self._closure(self._loops(self._varies(statement)).union(own)) - set(own)
        path = [*sorted(context, key=_nesting), *own]
        changed = False
        for depth, bound in enumerate(path):
            enclosing = self._enclosing[bound]
            before = len(enclosing)
            enclosing.update(path[:depth])
            changed |= len(enclosing) > before
        return changed

    def _closure(self, bounds: Iterable[UOp]) -> set[UOp]:
        """These loops and the loops around them, as far as these are known."""
        closed = set(bounds)
        return closed.union(*(self._enclosing[bound] for bound in closed))

    def _path(self, bounds: frozenset[UOp]) -> Block:
        """The loops among these ranges and the loops around them, outermost first."""
        found = self._paths.get(bounds)
        if found is None:
            closed = self._closure(self._loops(bounds))
            found = tuple(sorted(closed, key=lambda bound: (len(self._enclosing[bound]), _nesting(bound))))
            for depth, bound in enumerate(found):
                if self._enclosing[bound] != set(found[:depth]):
                    raise CodegenError(
                        f"loops {_numbers(found)} of one value do not nest; close one by a STORE or REDUCE first"
                    )
            self._paths[bounds] = found
        return found

    def _own(self, statement: UOp) -> list[UOp]:
        """The loops that a REDUCE or ARGREDUCE opens, or a STORE to memory of the kernel, outermost first."""
        if statement.op in REDUCES or memory_of(statement.src[0]).op in _OF_KERNEL:
            return sorted(self._loops(ended_by(statement)), key=_nesting)
        return []

    def _varies(self, statement: UOp) -> frozenset[UOp]:
        """The ranges that a statement varies with or writes for, except the ranges that a REDUCE opens."""
        if statement.op in IN_TURN or statement.op in REDUCES:
            return statement.ranges
        address, value, *bounds = statement.src
        return address.ranges.union(value.ranges, bounds)

    def _loops(self, nodes: Iterable[UOp]) -> frozenset[UOp]:
        return frozenset(filter(self._is_loop, nodes))

    def _is_loop(self, node: UOp) -> bool:
        """Whether this is a RANGE that is a sequential loop of the nest; those over lanes, unrolled copies and work-items are not."""
        return node.op is Op.RANGE and node.arg[1] not in self._apart


def ended_by(statement: UOp) -> tuple[UOp, ...]:
    """The RANGEs over which a REDUCE, ARGREDUCE or SCAN combines, along which a CARRY or RECUR keeps values, or for which a STORE writes."""
    return statement.src[loops_begin(statement) :]


def memory_of(address: UOp) -> UOp:
    """The memory that an address points into: a DEFINE_… or PARAM."""
    while address.op not in (Op.DEFINE_GLOBAL, Op.PARAM) and address.src:
        address = address.src[0]
    return address


def _nesting(bound: UOp) -> tuple[bool, int, int]:
    """The sort key of loops, from the outermost in. A GROUP_REDUCE range sorts like a REDUCE range: here, no group shares its reduction."""
    is_inner, priority, number = nesting(bound)
    return is_inner, AxisType.REDUCE.priority if bound.arg[1] is AxisType.GROUP_REDUCE else priority, number


def _numbers(bounds: Iterable[UOp]) -> str:
    return ", ".join(str(bound.arg[0]) for bound in bounds)
