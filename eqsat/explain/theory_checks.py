"""The checks of theory steps, by name: the checks of all theories, and those of steps that only explanations use.

A check reads two terms, bounds and assumptions, and nothing else. It returns whether the terms are equal.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from math import prod

import numpy as np

from eqsat.comprehensions import written_out
from eqsat.dtype import bool_
from eqsat.egraph.theories import theory
from eqsat.egraph.theories.claims import Check
from eqsat.egraph.theories.terms.assumptions import known_truths
from eqsat.egraph.theories.terms.bounds import Bounds
from eqsat.egraph.theories.terms.constants import constant_of
from eqsat.ops import ALU, COMMUTATIVE, Op
from eqsat.reference import evaluate
from eqsat.reference.definedness import lacks_value
from eqsat.uop import UOp, toposort

MOST_POINTS = 1 << 16  # points at which two terms are compared
MOST_BITS = 4096  # bits of an index at a point


def _commuted(before: UOp, after: UOp, bounds: Bounds) -> bool:
    return before.op in COMMUTATIVE and before.with_src(before.src[::-1]) is after


def _written_out(before: UOp, after: UOp, bounds: Bounds) -> bool:
    return written_out(before) is after or written_out(after) is before


def _assumed(before: UOp, after: UOp, bounds: Bounds) -> bool:
    value = constant_of(after)
    return (
        before.dtype is bool_ and value is not None and known_truths(bounds.assumptions).get(before) == value
    )


def _impossible(before: UOp, after: UOp, bounds: Bounds) -> bool:
    return bounds.is_contradiction()


def _same_everywhere(before: UOp, after: UOp, bounds: Bounds) -> bool:
    order = toposort([before, after])
    variables = [node for node in order if node.op is Op.DEFINE_VAR]
    if any(node.shape or not (node.op in ALU or node.op in (Op.CONST, Op.DEFINE_VAR)) for node in order):
        return False
    if any(node.dtype.scalar.is_float for node in order) or points_of(variables) > MOST_POINTS:
        return False
    if not is_moderate(order):
        return False
    rows = list(product(*(range(node.arg[1], node.arg[2] + 1) for node in variables)))
    columns = dict(zip(variables, zip(*rows, strict=True), strict=True)) if variables else {}
    inputs = {node: np.array(column) for node, column in columns.items()}
    values = dict(zip(order, evaluate(order, {**inputs}), strict=True))
    if any(node.op is Op.POW or np.any(lacks_value(node, values)) for node in order):
        return False
    return bool(np.all(values[before] == values[after]))


def is_moderate(order: Iterable[UOp], most: int = MOST_BITS) -> bool:
    """Whether no index can have more than `most` bits. Repeated squaring doubles the bits each time. Elements of arrays count as 64 bits."""
    bits: dict[UOp, int] = {}
    for node in order:
        sources = [bits[source] for source in node.src]
        if not node.dtype.scalar.is_index:
            bits[node] = node.dtype.scalar.bits
        elif node.op in (Op.DEFINE_VAR, Op.CONST):
            numbers = node.arg[1:] if node.op is Op.DEFINE_VAR else (node.arg,)
            bits[node] = max(int(number).bit_length() for number in numbers)
        elif node.op is Op.SHL:
            bits[node] = sources[0] + (1 << min(sources[1], most.bit_length()))
        elif node.op in (Op.MUL, Op.MULACC):
            bits[node] = 1 + sum(sources)
        else:
            bits[node] = 1 + max(sources, default=64)
        if bits[node] > most:
            return False
    return True


def points_of(variables: Iterable[UOp]) -> int:
    """The number of points in the domain of some variables."""
    return prod(node.arg[2] - node.arg[1] + 1 for node in variables)


_EXPLAINED: Mapping[str, Check] = {
    "commuted": Check("The operands of a commutative operation change places.", _commuted),
    "comprehensions": Check("An element of the array of a formula is the formula there.", _written_out),
    "all points": Check(
        "Both have the same value for all values of their variables, which are tried.", _same_everywhere
    ),
    "assumed": Check("A bool is what the conditions say.", _assumed),
    "impossible": Check("The conditions exclude each other, so that the value does not matter.", _impossible),
}
THEORIES: Mapping[str, Check] = {
    name: check for each in (*theory.THEORIES, theory.LAST_RESORT) for name, check in each.checks.items()
} | _EXPLAINED
