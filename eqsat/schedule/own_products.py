"""Rounds a product before it is added to a value that was computed from the same product.

A product and a sum may be rounded once together (contraction): as a MULACC, or by the compiler. But the other operand of the sum may depend on the
same product, and there it was rounded. Then `t - t`, with `t = x * y`, would be the rounding error of the product, and `max(t) - t` could be
negative. In such sums the product is rounded alone (`floats.rounding`).

A product inside a reduction, or in another kernel, has other ranges. It counts as the same if it is the same function of the same arrays, at
whatever positions. A maximum is one of its elements, so that `c*max(x)` depends on `c*x`; so are minima and choices by a condition.
Products by powers of two need no care, as they are not rounded.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from itertools import chain, product
from math import prod

from eqsat.floats.rounding import ROUNDED, alone, is_power_of_two
from eqsat.ops import COMMUTATIVE, REDUCES, Op
from eqsat.schedule.draft import Draft, Drafts, params_in_order
from eqsat.spec.memory import definition
from eqsat.uop import UOp, toposort

SUMS = frozenset({Op.ADD, Op.SUB})
ELSEWHERE = REDUCES | {Op.SCAN, Op.CARRY, Op.BUFFERIZE}  # what they read was computed for other positions
CARRYING = frozenset({Op.INDEX, Op.LOAD, Op.BUFFERIZE})  # their values are those of their first operands
CHOICES = frozenset({Op.MAX, Op.MIN})
MOST_ELEMENTS = 16  # values that a choice is told to be one of; of more it is a value of its own
Elements = tuple[int, ...]


def with_own_products_rounded(drafts: Drafts) -> Drafts:
    """The same kernels, in which a product is rounded before it is added to a value that depends on it."""
    program = _Program()
    return replace(
        drafts, kernels=tuple(replace(draft, sink=program.rounded(draft)) for draft in drafts.kernels)
    )


class _Program:
    """The values and products of the kernels up to the current one.

    Attributes:
        numbers: a number for each value, whatever the positions at which arrays are read.
        stored: for each buffer that a kernel stores, the `_Kernel.elements` of its values, and the products that these depend on, as a bit mask
            of their numbers.
    """

    def __init__(self) -> None:
        self.numbers: dict[Hashable, int] = {}
        self.stored: dict[int, tuple[Elements, int]] = {}

    def number(self, *key: Hashable) -> int:
        return self.numbers.setdefault(key, len(self.numbers))

    def chosen(self, own: int, among: Iterable[Elements]) -> Elements:
        """The elements of a value that is one of values with these elements, down to what is no choice."""
        last = chain.from_iterable(each[1:] or each for each in among)
        elements = tuple(dict.fromkeys((own, *last)))
        return elements if len(elements) <= MOST_ELEMENTS else (own,)

    def rounded(self, draft: Draft) -> UOp:
        """The rewritten kernel; remembers what it stores."""
        params = dict(zip(params_in_order(draft.sink), draft.buffers, strict=True))
        kernel = _Kernel(self, params)
        done: dict[UOp, UOp] = {}
        for node in toposort([draft.sink]):
            kernel.visit(node)
            done[node] = kernel.rewritten(node, [done[source] for source in node.src])
        for store in draft.sink.src:
            value = store.src[1]
            buffer = params[definition(store.src[0])]
            elements, products = kernel.elements[value], kernel.anywhere[value] | kernel.elsewhere[value]
            if buffer in self.stored:  # arrays that are joined are stored part by part
                parts, others = self.stored[buffer]
                elements = self.chosen(self.number(parts[0], elements[0]), (parts, elements))
                products |= others
            self.stored[buffer] = elements, products
        return done[draft.sink]


class _Kernel:
    """The values of one kernel.

    Attributes:
        elements: the numbers in the program of the values that each value may be: its own, then those that a choice is made among, at whatever
            positions, which are no choices themselves.
        here: for each value, the products that it depends on at the same position, as a bit mask of their numbers in the kernel.
        anywhere: for each value, the products that it depends on at any position, as a bit mask of their numbers in the program.
        elsewhere: likewise, without those at the same position.
    """

    def __init__(self, program: _Program, params: dict[UOp, int]) -> None:
        self._program, self._params = program, params
        self._products: dict[frozenset[UOp | float], int] = {}
        self.elements: dict[UOp, Elements] = {}
        self.here: dict[UOp, int] = {}
        self.anywhere: dict[UOp, int] = {}
        self.elsewhere: dict[UOp, int] = {}

    def visit(self, node: UOp) -> None:
        """Finds the number of a value, whose operands have theirs, and the products that it depends on."""
        here = elsewhere = anywhere = 0
        for source in node.src:
            here |= self.here[source]
            elsewhere |= self.elsewhere[source]
            anywhere |= self.anywhere[source]
        if node.op in ELSEWHERE:
            here, elsewhere = 0, elsewhere | anywhere
        if node in self._params:
            buffer = self._params[node]
            number = self._program.number(Op.PARAM, buffer)
            self.elements[node], elsewhere = self._program.stored.get(buffer, ((number,), 0))
            anywhere = elsewhere
        elif node.op in CARRYING:
            self.elements[node] = self.elements[node.src[0]]
        else:
            self.elements[node] = self._elements(node)
        if node.dtype in ROUNDED and node.op in (Op.MUL, Op.MULACC):
            own, number, others = self._product(node.src[:2])
            here, anywhere, elsewhere = here | 1 << own, anywhere | 1 << number, elsewhere | others
        self.here[node], self.elsewhere[node], self.anywhere[node] = here, elsewhere, anywhere

    def _elements(self, node: UOp) -> Elements:
        if node.op is Op.MUL and node.dtype in ROUNDED:
            return (self._product(node.src)[1],)
        sources = [source for source in node.src if source.op is not Op.RANGE]
        operands = [self.elements[source][0] for source in sources]
        operands = sorted(operands) if node.op in COMMUTATIVE else operands
        argument = _size(node) if node.op is Op.CONST else node.arg
        own = self._program.number(node.op, node.dtype, argument, *operands)
        if node.op is Op.WHERE:
            sources = sources[1:]
        elif not (node.op in CHOICES or (node.op in ELSEWHERE and node.arg in CHOICES)):
            sources = []
        variable = [source for source in sources if source.op is not Op.CONST]
        return self._program.chosen(own, (self.elements[source] for source in variable))

    def rewritten(self, node: UOp, sources: Sequence[UOp]) -> UOp:
        """A node with these operands; if it is a sum, with the products rounded that another operand depends on."""
        renewed = node.with_src(tuple(sources))
        if node.dtype not in ROUNDED or node.op not in SUMS | {Op.MULACC}:
            return renewed
        is_gap = _is_gap(node)
        if node.op is Op.MULACC and self._is_own(node.src[:2], node.src[2:], is_gap):
            return alone(sources[0] * sources[1]) + _rounded(sources[2])
        if node.op not in SUMS:
            return renewed
        others = [[each for each in node.src if each is not source] or [source] for source in node.src]
        is_own = [
            _magnitude(source).op is Op.MUL and self._is_own(_magnitude(source).src, rest, is_gap)
            for source, rest in zip(node.src, others, strict=True)
        ]
        return node.with_src(
            tuple(alone(each) if own else each for each, own in zip(sources, is_own, strict=True))
        )

    def _product(self, factors: Sequence[UOp]) -> tuple[int, int, int]:
        """(number of a product in the kernel, and in the program, bit mask of the products that it is chosen among), whatever its sign."""
        plain = [_magnitude(factor) for factor in factors]
        kinds = frozenset(_size(factor) if factor.op is Op.CONST else factor for factor in plain)
        own = self._products.setdefault(kinds, len(self._products))
        number = self._product_number(self.elements[factor][0] for factor in plain)
        pairs = product(*(self.elements[factor] for factor in plain))
        among = {self._product_number(pair) for pair in pairs} - {number}
        return own, number, sum(1 << each for each in among)

    def _product_number(self, factors: Iterable[int]) -> int:
        return self._program.number(Op.MUL, *sorted(factors))

    def _is_own(self, factors: Sequence[UOp], others: Sequence[UOp], is_gap: bool) -> bool:
        """Whether one of the other operands of a sum depends on the product of these factors, and the product may be rounded.

        If the operands have different signs, the other may also be chosen among products that this may be, or both among the same ones.
        """
        if any(map(is_power_of_two, factors)):
            return False
        own, number, among = self._product(factors)
        return any(
            self.here[each] >> own & 1
            or self.elsewhere[each] >> number & 1
            or self.anywhere[each] & among
            or (is_gap and (self.elsewhere[each] & among or number in self.elements[_magnitude(each)][1:]))
            for each in others
        )


def _is_gap(node: UOp) -> bool:
    """Whether the operands of a sum have different signs, as far as they tell."""
    if node.op is Op.MULACC:
        one, other, rest = map(_sign, node.src)
        return one * other != rest
    one, other = map(_sign, node.src[:2])
    return (one == other) == (node.op is Op.SUB)


def _sign(value: UOp) -> int:
    """The sign that a constant, negations and the factors of a product tell; 1 for other values."""
    parts = _magnitude(value).src if _magnitude(value).op is Op.MUL else ()
    return prod(-1 if _is_negative(each) else 1 for each in (value, *parts))


def _is_negative(value: UOp) -> bool:
    return value.op is Op.NEG or (value.op is Op.CONST and value.arg < 0)


def _size(constant: UOp) -> float:
    """A constant without its sign."""
    return abs(constant.arg)


def _magnitude(value: UOp) -> UOp:
    """A value without its negations."""
    while value.op is Op.NEG:
        (value,) = value.src
    return value


def _rounded(value: UOp) -> UOp:
    """A value that is rounded before it is added to something, if it is a product, or its negative."""
    if value.op is Op.NEG:
        return -_rounded(value.src[0])
    return alone(value) if value.op is Op.MUL else value
