"""Elements of AND and OR chains as differences, exclusive ors: which of them follow from others.

An OR chain is zero where all its elements are, and a sum (modulo two, bit by bit) of zeros is zero. AND chains are looked at turned over.
"""

from __future__ import annotations

from collections.abc import Iterable

from eqsat.dtype import DType
from eqsat.egraph.schema import kind_of
from eqsat.explain.bounds import Bounds
from eqsat.explain.constants import constant_of
from eqsat.explain.elements import chain_op_of
from eqsat.ops import Op
from eqsat.uop import UOp, toposort

Difference = frozenset[UOp | None]  # of these terms; None stands for the constant that turns all bits over
_TURNED: Difference = frozenset({None})


def same_difference(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """Whether both are the exclusive or of the same terms; that of bools may be written by comparisons."""
    if before.dtype != after.dtype or kind_of(before.dtype) not in "ixb":
        return False
    return difference_of(before) == difference_of(after)


def is_difference_of(op: Op, element: UOp, given: Iterable[UOp]) -> bool:
    """Whether an element of an AND or OR chain is what it should be wherever all that are given are."""
    rest = _without(_zero(op, element), _basis(op, given))
    return not rest


def exclude_each_other(op: Op, elements: Iterable[UOp]) -> bool:
    """Whether a sum of elements, all of them zero, is a constant that is not."""
    return not _without(_TURNED, _basis(op, elements))


def difference_of(node: UOp) -> Difference:
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
    return chain_op_of(node) is Op.XOR or (node.op is Op.CMPNE and node.src[0].dtype.scalar.is_bool)


class _NoDifference:
    """All terms that are not looked into."""

    def __contains__(self, node: object) -> bool:
        return isinstance(node, UOp) and not _is_difference(node)


def _zero(op: Op, element: UOp) -> Difference:
    """What is zero where an element is what it should be."""
    difference = difference_of(element)
    return difference ^ _TURNED if op is Op.AND else difference


def _basis(op: Op, elements: Iterable[UOp]) -> list[tuple[UOp | None, Difference]]:
    """Differences of which each has a term that those after it have not, from which the others are sums."""
    basis: list[tuple[UOp | None, Difference]] = []
    for element in elements:
        rest = _without(_zero(op, element), basis)
        if rest:
            basis.append((min(rest, key=lambda term: (term is None, id(term))), rest))
    return basis


def _without(difference: Difference, basis: Iterable[tuple[UOp | None, Difference]]) -> Difference:
    for term, other in basis:
        if term in difference:
            difference ^= other
    return difference
