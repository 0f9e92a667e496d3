"""Index expressions as linear forms.

An index expression is a constant plus a sum of coefficient times atom. An atom is a RANGE or anything that is not linear (a quotient,
a remainder, a loaded index). Building an expression from an `Affine` folds constants and like terms, so that it is short. Reading an
expression as an `Affine` gives its strides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from eqsat.dtype import index
from eqsat.ops import Op
from eqsat.uop import UOp, toposort

MOST_BITS = 1024  # most bits of a factor of a product: repeated squaring doubles the bits each time and would soon fill the memory


class Affine(NamedTuple):
    """The linear form `constant + Σ coefficient · atom`. Its terms have a fixed order, and no coefficient is 0."""

    constant: int
    terms: tuple[tuple[UOp, int], ...] = ()

    @staticmethod
    def of(atom: UOp) -> Affine:
        """The linear form of an atom or of a constant."""
        return Affine(atom.arg) if atom.op is Op.CONST else Affine(0, ((atom, 1),))

    def plus(self, other: Affine, factor: int = 1) -> Affine:
        """self + factor · other."""
        constant = self.constant + factor * other.constant
        if not other.terms or (not self.terms and factor == 1):
            return Affine(constant, self.terms or other.terms)
        total = dict(self.terms)
        for atom, coefficient in other.terms:
            total[atom] = total.get(atom, 0) + factor * coefficient
        return Affine(constant, tuple([term for term in total.items() if term[1]]))

    def times(self, factor: int) -> Affine:
        """The product with a constant."""
        if factor == 0:
            return Affine(0)
        terms = tuple([(atom, coefficient * factor) for atom, coefficient in self.terms])
        return Affine(self.constant * factor, terms)

    @property
    def is_short(self) -> bool:
        """Whether its numbers are small enough to be multiplied."""
        return is_short(self.constant, *(coefficient for _, coefficient in self.terms))

    @property
    def coefficients(self) -> dict[UOp, int]:
        """The coefficient of each atom."""
        return dict(self.terms)

    def build(self) -> UOp:
        """Builds the expression."""
        total: UOp | None = None
        for atom, coefficient in self.terms:
            term = atom if coefficient == 1 else _multiple(atom, coefficient)
            total = term if total is None else UOp(Op.ADD, index, (total, term))
        if total is None:
            return UOp.const(index, self.constant)
        return _with_number(Op.ADD, total, self.constant) if self.constant else total


@lru_cache(1 << 12)  # the addresses of all copies have the same multiples
def _multiple(atom: UOp, coefficient: int) -> UOp:
    return _with_number(Op.MUL, atom, coefficient)


def _with_number(op: Op, left: UOp, number: int) -> UOp:
    """`left op number`, as Python's operators build it."""
    right = left.like(number) if left.shape else UOp(Op.CONST, index, (), number)
    return UOp(op, index, (left, right))


def affine_forms(roots: Iterable[UOp]) -> dict[UOp, Affine]:
    """The linear form of every index node below `roots`; anything else is an atom."""
    forms: dict[UOp, Affine] = {}
    for node in toposort(roots):
        if node.dtype is index:
            forms[node] = _form(node, forms)
    return forms


def _form(node: UOp, forms: Mapping[UOp, Affine]) -> Affine:
    if not node.src:
        return Affine.of(node)
    match node.op:
        case Op.ADD:
            return forms[node.src[0]].plus(forms[node.src[1]])
        case Op.SUB:
            return forms[node.src[0]].plus(forms[node.src[1]], -1)
        case Op.NEG:
            return forms[node.src[0]].times(-1)
        case Op.MUL:
            left, right = forms[node.src[0]], forms[node.src[1]]
            if left.terms:
                left, right = right, left
            if left.terms or not is_short(left.constant) or not right.is_short:
                return Affine.of(node)
            return right.times(left.constant)
        case _:
            return Affine.of(node)


def is_short(*numbers: int) -> bool:
    """Whether numbers are small enough to be multiplied."""
    return all(number.bit_length() <= MOST_BITS for number in numbers)
