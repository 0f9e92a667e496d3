"""The check of a theory step: AND, OR, MAX and MIN chains of which one has elements that follow from the others.

A comparison is a predicate of a subject: a sum without its constant part, a value, the order of two values, or a bool. Between the constants that
predicates of one subject compare it with, none of them changes, so points next to these constants stand for all integers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import gcd
from typing import Any, NamedTuple

from eqsat.dtype import DType, bool_
from eqsat.egraph.schema import kind_of
from eqsat.explain.bounds import Bounds
from eqsat.explain.constants import constant_of
from eqsat.explain.differences import exclude_each_other, is_difference_of
from eqsat.explain.elements import chain_elements, chain_op_of
from eqsat.explain.polynomials import difference, polynomial
from eqsat.ops import COMPARISON, Op
from eqsat.uop import UOp

Elements = tuple[frozenset[UOp], int | None]  # as `chain_elements` gives them
_DUAL = {Op.AND: Op.OR, Op.OR: Op.AND, Op.MAX: Op.MIN, Op.MIN: Op.MAX}


class Reading(NamedTuple):
    """A bool as a predicate of a subject: that factor * subject + constant is below zero (or else not zero), or the negation of that."""

    subject: tuple[Any, ...]
    factor: int
    constant: int
    is_less: bool = True
    is_negated: bool = False

    def holds(self, point: int) -> bool:
        """Whether it holds where the subject is this integer."""
        value = self.factor * point + self.constant
        return (value < 0 if self.is_less else value != 0) is not self.is_negated

    @property
    def near(self) -> int:
        """An integer at which it changes, or one away from there."""
        return -self.constant // self.factor


def same_limits(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """Whether two chains are equal, since what differs follows from their other elements, or these exclude each other."""
    if before.dtype != after.dtype or kind_of(before.dtype) not in "ixb":
        return False
    ops = {op for side in (before, after) if (op := chain_op_of(side)) is not None}
    return any(
        _are_equal(op, chain_elements(before, op), chain_elements(after, op), before.dtype.scalar)
        for op in ops & set(_DUAL)
    )


def _are_equal(op: Op, before: Elements, after: Elements, dtype: DType) -> bool:
    for (ours, constant), (theirs, other) in ((before, after), (after, before)):
        if constant is not None and constant != other and _decides(op, constant, dtype):
            return not ours and _exclude(op, theirs)
    ours, theirs = (_with_constant(elements, constant, dtype) for elements, constant in (before, after))
    return all(_follows(op, element, theirs) for element in ours - theirs) and all(
        _follows(op, element, ours) for element in theirs - ours
    )


def _with_constant(elements: frozenset[UOp], constant: int | None, dtype: DType) -> frozenset[UOp]:
    return elements if constant is None else elements | {UOp.const(dtype, constant)}


def _decides(op: Op, constant: int, dtype: DType) -> bool:
    """Whether an AND or OR chain is this constant where one element is."""
    return constant == (0 if op is Op.AND else dtype.all_ones) and op in (Op.AND, Op.OR)


def _wanted(op: Op) -> bool:
    """What all elements of a chain of bools have to be so that nothing is decided: an AND chain holds, an OR chain fails."""
    return op is Op.AND


def _follows(op: Op, element: UOp, given: frozenset[UOp]) -> bool:
    """Whether an element is as wanted wherever all that are given are."""
    if chain_elements(element, _DUAL[op])[0] & (given - {element}):
        return True
    if op not in (Op.AND, Op.OR):
        return False
    if is_difference_of(op, element, given):
        return True
    if element.dtype != bool_:
        return False
    wanted = _wanted(op)
    known = [reading for other in given for reading in _readings(other)]
    for reading in _readings(element):
        same = [other for other in known if other.subject == reading.subject]
        if same and all(
            reading.holds(point) is wanted
            for point in _points([reading, *same])
            if all(other.holds(point) is wanted for other in same)
        ):
            return True
    return False


def _exclude(op: Op, elements: frozenset[UOp]) -> bool:
    """Whether the elements are never all as wanted."""
    if elements and exclude_each_other(op, elements):
        return True
    if any(element.dtype != bool_ for element in elements):
        return False
    wanted = _wanted(op)
    subjects: dict[tuple[Any, ...], list[Reading]] = {}
    for element in elements:
        for reading in _readings(element):
            subjects.setdefault(reading.subject, []).append(reading)
    return any(
        not any(all(reading.holds(point) is wanted for reading in readings) for point in _points(readings))
        for readings in subjects.values()
    )


def _points(readings: Iterable[Reading]) -> Iterator[int]:
    """Integers that stand for all that a subject may be."""
    for reading in readings:
        yield from (reading.near - 1, reading.near, reading.near + 1)


def _readings(node: UOp) -> Iterator[Reading]:
    """What a bool says, of itself, and as a comparison or the negation of one."""
    yield Reading(("bool", node), -1, 0)
    if node.op not in COMPARISON:
        return
    inner = _negated(node)
    if inner is None:
        yield from _of_comparison(node)
        return
    yield Reading(("bool", inner), -1, 0, is_negated=True)
    for reading in _of_comparison(inner) if inner.op in COMPARISON else ():
        yield reading._replace(is_negated=True)


def _negated(node: UOp) -> UOp | None:
    """The bool that a comparison with True negates."""
    if node.op is Op.CMPNE and node.src[0].dtype == bool_:
        for value, other in (node.src, node.src[::-1]):
            if constant_of(other) is True:
                return value
    return None


def _of_comparison(node: UOp) -> Iterator[Reading]:
    """What a comparison of integers says."""
    kind = kind_of(node.src[0].dtype)
    is_less = node.op is Op.CMPLT
    left, right = node.src
    if kind == "x":
        form = difference(polynomial(left), polynomial(right))
        constant = form.pop((), 0)
        if form:
            first = min(form, key=lambda monomial: tuple(map(id, monomial)))
            factor = gcd(*form.values()) * (1 if form[first] > 0 else -1)
            terms = frozenset((monomial, value // factor) for monomial, value in form.items())
            yield Reading(("sum", terms), factor, constant, is_less)
    elif kind == "i":
        below, above = constant_of(left), constant_of(right)
        if below is None and above is None:
            turned = id(left) > id(right)  # the order of two values is -1, 0 or 1
            subject = ("order", right, left) if turned else ("order", left, right)
            yield Reading(subject, -1 if turned else 1, 0, is_less)
        elif below is None and above is not None:
            yield Reading(("value", left), 1, -int(above), is_less)
        elif below is not None and above is None:
            yield Reading(("value", right), -1, int(below), is_less)
