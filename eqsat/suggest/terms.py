"""Terms and their behaviour: a pattern, its size, and its values at all sample points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations_with_replacement, permutations, product

import numpy as np

from eqsat.dtype import DType, bool_, wrap
from eqsat.ops import Op
from eqsat.proof.matches.agreement import value_mask
from eqsat.reference.alu import compute
from eqsat.reference.number import Array, hold
from eqsat.rules.language.instantiate import evaluate
from eqsat.rules.language.pattern import Constant, Pattern, Value
from eqsat.rules.language.scalar import Const, Number, Operation, Scalar
from eqsat.suggest.grammar import Grammar, Signature
from eqsat.uop import UOp

_SYMBOLS = ("+", "-", "*", "//", "%")  # operations on constants that a right side may compute
_COMMUTING = frozenset({"+", "*"})


@dataclass(frozen=True, slots=True, eq=False)
class Term:
    """A pattern and its behaviour.

    Attributes:
        pattern: the term.
        size: the number of its operations; operations on constants alone do not count.
        is_constant: whether it has no variables except constants.
        is_matchable: whether it may stand on a left side, because it computes no constant.
        values: its value at each point.
        mask: whether it has a value, at each point.
    """

    pattern: Pattern
    size: int
    is_constant: bool
    is_matchable: bool
    values: Array
    mask: Array


def leaves(grammar: Grammar, points: Mapping[str, Array]) -> dict[DType, list[Term]]:
    """Variables, constants, numbers, and numbers computed from constants, by dtype."""
    count = len(next(iter(points.values())))
    everywhere = np.ones(count, bool)
    found: dict[DType, list[Term]] = {grammar.dtype: [], bool_: []}
    for name, dtype in grammar.values.items():
        found[dtype].append(Term(Value(name), 0, False, True, points[name], everywhere))
    constants = [Const(name) for name in grammar.constants]
    numbers: list[tuple[Scalar, bool]] = [(constant, True) for constant in constants]
    numbers += [(Number(value), True) for value in grammar.literals]
    numbers += [(scalar, False) for scalar in _computed(constants)]
    for scalar, is_matchable in numbers:
        values, mask = _at_points(scalar, grammar, points)
        found[grammar.dtype].append(Term(Constant(scalar), 0, True, is_matchable, values, mask))
    for truth in (True, False):
        found[bool_].append(Term(Constant(Number(truth)), 0, True, True, np.full(count, truth), everywhere))
    return found


def _computed(constants: list[Const]) -> list[Operation]:
    """One operation on two constants, or on a constant and one or minus one."""
    pairs = [
        (symbol, left, right)
        for symbol in _SYMBOLS
        for left, right in (combinations_with_replacement if symbol in _COMMUTING else permutations)(
            constants, 2
        )
    ]
    found = [Operation(symbol, (left, right)) for symbol, left, right in pairs]
    for constant, (symbol, number) in product(constants, (("+", 1), ("-", 1), ("*", -1))):
        found.append(Operation(symbol, (constant, Number(number))))
    return found


def _at_points(scalar: Scalar, grammar: Grammar, points: Mapping[str, Array]) -> tuple[Array, Array]:
    """The values of a computed constant, and a mask of the points where it has one."""
    dtype = grammar.dtype
    columns = {name: points[name].tolist() for name in grammar.constants}
    count = len(next(iter(points.values())))
    computed = [evaluate(scalar, {name: column[k] for name, column in columns.items()}) for k in range(count)]
    mask = np.array([value is not None for value in computed])
    numbers = [0 if value is None else wrap(dtype, value) for value in computed]
    return hold(np.array(numbers, object if dtype.is_index else None), dtype), mask


class Operator:
    """An operation on stacked behaviours, whose rows are terms and whose columns are points."""

    def __init__(self, signature: Signature) -> None:
        operands = tuple(
            UOp.variable(f"operand{number}", 0, 0, dtype) for number, dtype in enumerate(signature.operands)
        )
        self.op = signature.op
        self.dtype = signature.operands[-1]
        self.node = UOp(signature.op, signature.result, operands)

    def behaviour(self, values: list[Array], masks: list[Array]) -> tuple[Array, Array]:
        """The values of the results, which are 0 where they have none, and a mask of where they have one."""
        found = compute(self.op, self.dtype, *values)
        own = value_mask(self.node, {self.node: found, **dict(zip(self.node.src, values, strict=True))})
        if self.op is Op.WHERE:
            mask = masks[0] & np.where(values[0], masks[1], masks[2])
        else:
            mask = np.logical_and.reduce([own, *masks])
        return np.where(mask, found, np.zeros((), found.dtype)), mask


def fingerprints(values: Array) -> Array:
    """Arrays whose rows have equal bytes if the behaviours are equal: floats count by their bits, with all NaNs alike."""
    if values.dtype.kind == "f":
        values = np.where(np.isnan(values), np.array(np.nan, values.dtype), values)
    return np.ascontiguousarray(values)
