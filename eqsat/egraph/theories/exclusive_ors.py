"""Shortens operands of AND and OR that are exclusive ors: `a | (a ^ b)` is `a | b`.

An operand is read as an exclusive or of classes, perhaps complemented. If an OR is zero, all its operands are, so each of them may be replaced by
its exclusive or with another one. An AND is treated as the complement of an OR of complements. The check uses linear algebra: a sum of zeros (modulo
two, bit by bit) is zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from eqsat.dtype import DType
from eqsat.egraph.tables.schema import kind_of
from eqsat.egraph.theories.terms.bounds import Bounds
from eqsat.egraph.theories.terms.constants import constant_of
from eqsat.egraph.theories.terms.operands import operator_of
from eqsat.ops import Op
from eqsat.uop import UOp, toposort
from eqsat.uop.satisfying import Satisfying


class ExclusiveOr(NamedTuple):
    """The exclusive or of classes, complemented or not. The classes are sorted and distinct."""

    parts: tuple[int, ...]
    is_turned: bool


Operand = int | ExclusiveOr  # in a normal form: a class, or an exclusive or that may have no class yet


class ExclusiveOrs:
    """Reads classes as exclusive ors.

    Attributes:
        ones: the bits of the constant with all bits set, in the dtype of the operands.
        parts: returns the operands of the exclusive or that a class equals, with constants; None if it equals none.
    """

    def __init__(
        self, constants: Mapping[int, int], ones: int, parts: Callable[[int], Sequence[int] | None]
    ) -> None:
        self.constants = constants
        self.ones = ones
        self.parts = parts

    def reduced(self, table: str, operands: Sequence[int]) -> tuple[Operand, ...] | None:
        """The operands, each shortened by the others. None if the operands decide the result."""
        read = [self.read(operand) for operand in operands]
        if all(len(operand.parts) < 2 for operand in read):
            return tuple(operands)
        turn = table == "AND_N"
        found = _eliminated([each._replace(is_turned=each.is_turned is not turn) for each in read])
        if found is None:
            return None
        kept: set[int] = set()
        made: set[ExclusiveOr] = set()
        for operand, before, after in zip(operands, read, found, strict=True):
            restored = after._replace(is_turned=after.is_turned is not turn)
            if restored == before:
                kept.add(operand)
            elif len(after.parts) == 1 and not restored.is_turned:
                kept.add(after.parts[0])
            elif after.parts:
                made.add(restored)
        return (*sorted(kept), *sorted(made))

    def read(self, owner: int) -> ExclusiveOr:
        """A class as the exclusive or of classes that are not exclusive ors themselves, judged by one term of each."""
        parts: set[int] = set()
        is_turned = False
        looked_at: set[int] = set()
        pending = [owner]
        while pending:
            current = pending.pop()
            value = self.constants.get(current)
            operands = None if current in looked_at or value is not None else self.parts(current)
            if value == self.ones:
                is_turned = not is_turned
            elif operands is not None:
                looked_at.add(current)
                pending += operands
            elif value != 0:
                parts ^= {current}
        return ExclusiveOr(tuple(sorted(parts)), is_turned)


def _eliminated(operands: Iterable[ExclusiveOr]) -> list[ExclusiveOr] | None:
    """Eliminates parts: if all given exclusive ors are zero, so are the returned ones, and vice versa. None if one of them is never zero."""
    found = [(set(operand.parts), operand.is_turned) for operand in operands]
    changed = True
    while changed:
        changed = False
        for place, (parts, is_turned) in enumerate(found):
            for other, (inner, inner_turned) in enumerate(found):
                if inner and place != other and inner <= parts:
                    parts, is_turned = parts - inner, is_turned is not inner_turned
                    changed = True
            found[place] = parts, is_turned
            if not parts and is_turned:
                return None
    return [ExclusiveOr(tuple(sorted(parts)), is_turned) for parts, is_turned in found]


# The check

# The exclusive or of these terms is zero; None stands for the constant with all bits set
Zero = frozenset[UOp | None]
_TURNED: Zero = frozenset({None})


def same_exclusive_or(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """Checks that both are the exclusive or of the same terms. For bools, CMPNE is an exclusive or."""
    if before.dtype != after.dtype or kind_of(before.dtype) not in "ixb":
        return False
    return exclusive_or_of(before) == exclusive_or_of(after)


def is_exclusive_or_of(op: Op, operand: UOp, given: Iterable[UOp]) -> bool:
    """Whether an operand has no effect in an AND or OR: it is zero (in an OR) or all ones (in an AND) wherever all given operands are."""
    rest = _without(_zero(op, operand), _basis(op, given))
    return not rest


def exclude_each_other(op: Op, operands: Iterable[UOp]) -> bool:
    """Whether the operands exclude each other: a sum of them is a nonzero constant, so not all of them are zero."""
    return not _without(_TURNED, _basis(op, operands))


def exclusive_or_of(node: UOp) -> Zero:
    """A number or bool as the exclusive or of terms that are not exclusive ors themselves.

    >>> from eqsat.dtype import bool_
    >>> a, b = (UOp.variable(name, 0, 1, bool_) for name in "ab")
    >>> exclusive_or_of(a.ne(b).ne(True)) == {a, b, None}
    True
    """
    dtype = node.dtype
    assert isinstance(dtype, DType)
    found: set[UOp | None] = {node}
    for term in reversed(toposort([node], _NO_EXCLUSIVE_OR)):
        if term in found and _is_exclusive_or(term):
            found.remove(term)
            for source in term.src:
                found ^= {source}
    for term in [term for term in found if term is not None and constant_of(term) is not None]:
        value = int(constant_of(term) or 0)
        if value in (0, dtype.all_ones):
            found.remove(term)
            found ^= _TURNED if value else set()
    return frozenset(found)


def _is_exclusive_or(node: UOp) -> bool:
    return operator_of(node) is Op.XOR or (node.op is Op.CMPNE and node.src[0].dtype.scalar.is_bool)


_NO_EXCLUSIVE_OR = Satisfying(lambda node: not _is_exclusive_or(node))  # a walk stops at these terms


def _zero(op: Op, operand: UOp) -> Zero:
    """The exclusive or that is zero where an operand of an OR is zero, or an operand of an AND has all bits set."""
    terms = exclusive_or_of(operand)
    return terms ^ _TURNED if op is Op.AND else terms


def _basis(op: Op, operands: Iterable[UOp]) -> list[tuple[UOp | None, Zero]]:
    """A basis of exclusive ors in echelon form: each has a term that those after it lack, and all given exclusive ors are sums of them."""
    basis: list[tuple[UOp | None, Zero]] = []
    for operand in operands:
        rest = _without(_zero(op, operand), basis)
        if rest:
            basis.append((min(rest, key=lambda term: (term is None, id(term))), rest))
    return basis


def _without(terms: Zero, basis: Iterable[tuple[UOp | None, Zero]]) -> Zero:
    for term, other in basis:
        if term in terms:
            terms ^= other
    return terms
