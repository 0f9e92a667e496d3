"""Recurrences: how values that are kept from one element of an axis to the next change, and what each element gives.

A recurrence consists of scalar formulas. Their leaves are the kept values before an element, counted from 0, and then the elements of the
sources. The argument of a RECUR_AXIS holds the formulas as rows of plain data, which graph files can write:
`(((operation, dtype, rows of the operands, argument), …), (row of the result, row of the first kept value, …))`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from eqsat.dtype import DType
from eqsat.errors import BuildError, brief
from eqsat.ops import ALU, COMPARISON, Op
from eqsat.uop.node import UOp
from eqsat.uop.order import toposort
from eqsat.uop.rewriting import rewrite

Rows = tuple[tuple[Op, DType, tuple[int, ...], Any], ...]
Packed = tuple[Rows, tuple[int, ...]]

PARTS = ALU | {Op.CONST}  # operations of formulas
CACHED = 1024  # recurrences whose formulas are cached


class Recurrence(NamedTuple):
    """The formulas of a recurrence.

    Attributes:
        result: what an element gives.
        following: each kept value after an element. All of them are 0 (or False) before the first element.
    """

    result: UOp
    following: tuple[UOp, ...]

    def at(self, values: Sequence[UOp]) -> Recurrence:
        """The formulas with values in place of their leaves."""
        given = {leaf(number, each.dtype): each for number, each in enumerate(values)}
        result, *following = rewrite([self.result, *self.following], given)
        return Recurrence(result, tuple(following))

    @property
    def zeros(self) -> tuple[UOp, ...]:
        """The kept values before the first element."""
        return tuple(UOp.const(each.dtype, 0) for each in self.following if isinstance(each.dtype, DType))

    def packed(self) -> Packed:
        """The formulas as plain data."""
        numbers: dict[UOp, int] = {}
        rows: list[tuple[Op, DType, tuple[int, ...], Any]] = []
        for number, node in enumerate(toposort([self.result, *self.following])):
            numbers[node] = number
            assert isinstance(node.dtype, DType)
            rows.append((node.op, node.dtype, tuple(numbers[source] for source in node.src), node.arg))
        return tuple(rows), tuple(numbers[root] for root in (self.result, *self.following))


def leaf(number: int, dtype: Any) -> UOp:
    """A leaf of formulas: a kept value, or an element of a source."""
    least, greatest = (int(dtype.min), int(dtype.max)) if dtype.is_int or dtype.is_bool else (0, 0)
    return UOp(Op.DEFINE_VAR, dtype, (), (f"#{number}", least, greatest))


@lru_cache(CACHED)
def unpacked(packed: Packed) -> Recurrence:
    """The formulas that `Recurrence.packed` returned.

    Raises:
        BuildError: it did not return this.
    """
    try:
        rows, (root, *others) = packed
        nodes: list[UOp] = []
        for op, dtype, sources, arg in rows:
            if op is not Op.DEFINE_VAR and op not in PARTS:
                raise BuildError(
                    f"{op!r} is no operation of a recurrence; its formulas consist of scalar arithmetic"
                )
            nodes.append(UOp(op, dtype, tuple(nodes[source] for source in sources), arg))
        return Recurrence(nodes[root], tuple(nodes[each] for each in others))
    except (TypeError, ValueError, IndexError) as error:
        raise BuildError(
            f"{brief(packed)} are no formulas of a recurrence; give what Recurrence.packed() returns"
        ) from error


def operations(packed: Packed) -> list[tuple[Op, DType]]:
    """Each operation that the formulas compute at an element, and its dtype; for a comparison that of its operands."""
    rows, _ = packed
    return [
        (op, rows[sources[0]][1] if op in COMPARISON else dtype)
        for op, dtype, sources, _ in rows
        if op in ALU
    ]


def loops_begin(node: UOp) -> int | None:
    """The number of the first source that is a loop of the node itself, one that it ends or along which it keeps values; None without such loops."""
    match node.op:
        case Op.SCAN:
            return 1
        case Op.CARRY:
            return node.arg[2]
        case Op.RECUR:
            return 1 + 2 * node.arg
        case op:
            return op.info.range_start
