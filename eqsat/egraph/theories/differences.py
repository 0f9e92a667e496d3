"""Operands of AND and OR that are differences (exclusive ors): what other operands settle is taken out, so that `a | (a ^ b)` is `a | b`.

An operand is read as an exclusive or of classes, perhaps turned over. Where an OR is zero, all its operands are, so that each of them may be
replaced by its difference with another one. The operands of an AND are looked at as those of an OR, turned over. The check says the same by
linear algebra: a sum (modulo two, bit by bit) of zeros is zero.
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


class Difference(NamedTuple):
    """The exclusive or of classes, turned over or not. The classes are sorted, and none occurs twice."""

    parts: tuple[int, ...]
    is_turned: bool


Operand = int | Difference  # in a normal form: a class, or what may have none yet


class Differences:
    """Reads classes as differences.

    Attributes:
        ones: the bits of the constant that turns all bits over, in the dtype that is looked at.
        parts: what a class is the exclusive or of, constants included; None if it is known as none.
    """

    def __init__(
        self, constants: Mapping[int, int], ones: int, parts: Callable[[int], Sequence[int] | None]
    ) -> None:
        self.constants = constants
        self.ones = ones
        self.parts = parts

    def reduced(self, table: str, operands: Sequence[int]) -> tuple[Operand, ...] | None:
        """The operands, each without what others settle of it; None if they settle the result."""
        read = [self.read(operand) for operand in operands]
        if all(len(difference.parts) < 2 for difference in read):
            return tuple(operands)
        turn = table == "AND_N"
        found = _eliminated([each._replace(is_turned=each.is_turned is not turn) for each in read])
        if found is None:
            return None
        kept: set[int] = set()
        made: set[Difference] = set()
        for operand, before, after in zip(operands, read, found, strict=True):
            restored = after._replace(is_turned=after.is_turned is not turn)
            if restored == before:
                kept.add(operand)
            elif len(after.parts) == 1 and not restored.is_turned:
                kept.add(after.parts[0])
            elif after.parts:
                made.add(restored)
        return (*sorted(kept), *sorted(made))

    def read(self, owner: int) -> Difference:
        """A class as the exclusive or of classes that are none themselves, as far as one term of each says."""
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
        return Difference(tuple(sorted(parts)), is_turned)


def _eliminated(differences: Iterable[Difference]) -> list[Difference] | None:
    """The same zeros: differences without others that they contain, or without parts where they are given already; None if one is never zero."""
    found = [(set(difference.parts), difference.is_turned) for difference in differences]
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
    return [Difference(tuple(sorted(parts)), is_turned) for parts, is_turned in found]


# The check

Zero = frozenset[UOp | None]  # of these terms; None stands for the constant that turns all bits over
_TURNED: Zero = frozenset({None})


def same_difference(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """Whether both are the exclusive or of the same terms; that of bools may be written by comparisons."""
    if before.dtype != after.dtype or kind_of(before.dtype) not in "ixb":
        return False
    return difference_of(before) == difference_of(after)


def is_difference_of(op: Op, operand: UOp, given: Iterable[UOp]) -> bool:
    """Whether an operand of an AND or OR is what it should be wherever all that are given are."""
    rest = _without(_zero(op, operand), _basis(op, given))
    return not rest


def exclude_each_other(op: Op, operands: Iterable[UOp]) -> bool:
    """Whether a sum of operands, all of them zero, is a constant that is not."""
    return not _without(_TURNED, _basis(op, operands))


def difference_of(node: UOp) -> Zero:
    """A number or bool as the exclusive or of terms that are none themselves.

    >>> from eqsat.dtype import bool_
    >>> a, b = (UOp.variable(name, 0, 1, bool_) for name in "ab")
    >>> difference_of(a.ne(b).ne(True)) == {a, b, None}
    True
    """
    dtype = node.dtype
    assert isinstance(dtype, DType)
    found: set[UOp | None] = {node}
    for term in reversed(toposort([node], _NoDifference())):
        if term in found and _is_difference(term):
            found.remove(term)
            for source in term.src:
                found ^= {source}
    for term in [term for term in found if term is not None and constant_of(term) is not None]:
        value = int(constant_of(term) or 0)
        if value in (0, dtype.all_ones):
            found.remove(term)
            found ^= _TURNED if value else set()
    return frozenset(found)


def _is_difference(node: UOp) -> bool:
    return operator_of(node) is Op.XOR or (node.op is Op.CMPNE and node.src[0].dtype.scalar.is_bool)


class _NoDifference:
    """All terms that are not looked into."""

    def __contains__(self, node: object) -> bool:
        return isinstance(node, UOp) and not _is_difference(node)


def _zero(op: Op, operand: UOp) -> Zero:
    """What is zero where an operand is what it should be."""
    difference = difference_of(operand)
    return difference ^ _TURNED if op is Op.AND else difference


def _basis(op: Op, operands: Iterable[UOp]) -> list[tuple[UOp | None, Zero]]:
    """Differences of which each has a term that those after it have not, from which the others are sums."""
    basis: list[tuple[UOp | None, Zero]] = []
    for operand in operands:
        rest = _without(_zero(op, operand), basis)
        if rest:
            basis.append((min(rest, key=lambda term: (term is None, id(term))), rest))
    return basis


def _without(difference: Zero, basis: Iterable[tuple[UOp | None, Zero]]) -> Zero:
    for term, other in basis:
        if term in difference:
            difference ^= other
    return difference
