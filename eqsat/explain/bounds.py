"""Bounds of integer terms, from the terms alone: what a guard on `lo(x)` and `hi(x)` is checked with.

An interval is a pair of inclusive ends, None where there is none. A fixed-width result has the interval of its dtype as soon as it might wrap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from eqsat.dtype import DType
from eqsat.explain.assumptions import Assumption, Inequality, inequalities, known_truths
from eqsat.ops import MOVEMENT, Op
from eqsat.uop import UOp, toposort

Interval = tuple[int | None, int | None]
Ends = tuple[int, int]

UNKNOWN: Interval = (None, None)
LARGEST = 1 << 1024  # magnitude of an end that is kept: repeated squaring doubles the digits each time
ROUNDS = 16  # in which premises and assumptions tighten each other at most


class Bounds:
    """Intervals of terms, given equalities that are proved and conditions that are assumed.

    `premises` are pairs of equal terms: both have the narrower bounds.
    """

    def __init__(
        self, premises: Iterable[tuple[UOp, UOp]] = (), assumptions: Sequence[Assumption] = ()
    ) -> None:
        self.premises = tuple(premises)
        self.assumptions = tuple(assumptions)

    def of(self, terms: Sequence[UOp]) -> list[Interval]:
        """The interval of each term."""
        found = self._known(terms)
        return [found[term] for term in terms]

    def is_contradiction(self) -> bool:
        """Whether some term would have to be above and below a number at once, so that the assumptions never hold together."""
        truths: dict[UOp, bool] = {}
        for condition, holds in self.assumptions:
            for node, value in known_truths([(condition, holds)]).items():
                if truths.setdefault(node, value) != value:
                    return True
        ends = self._known([condition for condition, _ in self.assumptions]).values()
        return any(low is not None and high is not None and low > high for low, high in ends)

    def _known(self, terms: Sequence[UOp]) -> dict[UOp, Interval]:
        order = toposort(
            [*terms, *(side for pair in self.premises for side in pair), *(a for a, _ in self.assumptions)]
        )
        facts = inequalities(self.assumptions, order) if self.assumptions else []
        found: dict[UOp, Interval] = {
            node: (int(value), int(value)) for node, value in known_truths(self.assumptions).items()
        }
        for _ in range(ROUNDS if self.premises or facts else 1):
            before = dict(found)
            for node in order:
                narrowed = interval(node, [found[source] for source in node.src])
                found[node] = intersection(found.get(node, UNKNOWN), narrowed)
            for one, other in self.premises:
                found[one] = found[other] = intersection(found[one], found[other])
            for fact in facts:
                _tighten(found, fact)
            if found == before:
                break
        return found


def intersection(one: Interval, other: Interval) -> Interval:
    """The values in both."""
    low = one[0] if other[0] is None else other[0] if one[0] is None else max(one[0], other[0])
    high = one[1] if other[1] is None else other[1] if one[1] is None else min(one[1], other[1])
    return low, high


def _tighten(found: dict[UOp, Interval], fact: Inequality) -> None:
    """What sum(factor * term) <= most says about each term, the bounds of the others being known."""
    least: dict[UOp, int | None] = {}
    for term, factor in fact.terms:
        end = found[term][0 if factor > 0 else 1]
        least[term] = None if end is None else factor * end
    unknown = [term for term, value in least.items() if value is None]
    if len(unknown) > 1:
        return
    total = sum(value for value in least.values() if value is not None)
    for term, factor in fact.terms:
        if unknown and term is not unknown[0]:
            continue
        rest = fact.most - (total - (least[term] or 0))
        limit: Interval = (None, rest // factor) if factor > 0 else (-(rest // -factor), None)
        found[term] = intersection(found[term], limit)


def interval(node: UOp, sources: Sequence[Interval]) -> Interval:
    """The interval of a node from those of its sources; that of all its dtype where nothing is known, and no end beyond `LARGEST`."""
    dtype = node.dtype
    if not isinstance(dtype, DType) or dtype.lanes > 1 or dtype.is_float or dtype.kind == "v":
        return UNKNOWN
    whole: Interval = UNKNOWN if dtype.is_index else (dtype.min, dtype.max)
    function = _FUNCTIONS.get(node.op)
    found = function(node, sources) if function else UNKNOWN
    if dtype.is_index or node.op in _NEVER_WRAP or dtype.is_bool:
        return _moderate(intersection(found, whole))
    low, high = found
    if low is None or high is None or low < dtype.min or high > dtype.max:
        return whole
    return low, high


def _moderate(ends: Interval) -> Interval:
    """An interval without the ends that are too large to compute with."""
    low, high = ends
    return None if low is None or abs(low) > LARGEST else low, None if high is None or abs(
        high
    ) > LARGEST else high


def _constant(node: UOp, sources: Sequence[Interval]) -> Interval:
    return int(node.arg), int(node.arg)


def _variable(node: UOp, sources: Sequence[Interval]) -> Interval:
    return node.arg[1], node.arg[2]


def _loop(node: UOp, sources: Sequence[Interval]) -> Interval:
    end = sources[0][1] if sources else None
    return 0, None if end is None else max(0, end - 1)


def _add(node: UOp, sources: Sequence[Interval]) -> Interval:
    if node.dtype.scalar.is_bool:
        return _either(node, sources)
    (a, b), (c, d) = sources
    return _plus(a, c), _plus(b, d)


def _subtract(node: UOp, sources: Sequence[Interval]) -> Interval:
    (a, b), (c, d) = sources
    return _plus(a, None if d is None else -d), _plus(b, None if c is None else -c)


def _negate(node: UOp, sources: Sequence[Interval]) -> Interval:
    ((a, b),) = sources
    return None if b is None else -b, None if a is None else -a


def _plus(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


def _multiply(node: UOp, sources: Sequence[Interval]) -> Interval:
    if node.dtype.scalar.is_bool:
        return _both(node, sources)
    (a, b), (c, d) = sources
    for left, right in ((sources[0], sources[1]), (sources[1], sources[0])):
        if left[0] is not None and left[0] == left[1]:
            ends = [None if end is None else left[0] * end for end in right]
            return (0, 0) if left[0] == 0 else (ends[0], ends[1]) if left[0] > 0 else (ends[1], ends[0])
    if a is None or b is None or c is None or d is None:
        if a is not None and c is not None and a >= 0 and c >= 0:
            return a * c, None
        return (0, None) if node.src[0] is node.src[1] else UNKNOWN
    products = (a * c, a * d, b * c, b * d)
    return max(0, min(products)) if node.src[0] is node.src[1] else min(products), max(products)


def _multiply_add(node: UOp, sources: Sequence[Interval]) -> Interval:
    product = _multiply(UOp(Op.MUL, node.dtype, node.src[:2]), sources[:2])
    return _plus(product[0], sources[2][0]), _plus(product[1], sources[2][1])


def _floor_divide(node: UOp, sources: Sequence[Interval]) -> Interval:
    return _divide(sources, lambda one, other: one // other)


def _truncating_divide(node: UOp, sources: Sequence[Interval]) -> Interval:
    return _divide(sources, lambda one, other: abs(one) // other * (1 if one >= 0 else -1))


def _divide(sources: Sequence[Interval], quotient: Callable[[int, int], int]) -> Interval:
    (a, b), (c, d) = sources
    if c is None or d is None or (c <= 0 <= d):
        return UNKNOWN
    if c == d and d < 0:
        (a, b), c, d = (None if b is None else -b, None if a is None else -a), -d, -c
    elif c <= 0:
        return UNKNOWN
    low = None if a is None else quotient(a, d if a >= 0 else c)
    high = None if b is None else quotient(b, c if b >= 0 else d)
    return low, high


def _floor_modulo(node: UOp, sources: Sequence[Interval]) -> Interval:
    (a, b), (c, d) = sources
    if c is not None and c > 0:
        if a is not None and b is not None and a >= 0:
            if b < c:
                return a, b
            return 0, b if d is None else min(b, d - 1)
        return 0, None if d is None else d - 1
    if d is not None and d < 0:
        return None if c is None else c + 1, 0
    return UNKNOWN


def _truncating_modulo(node: UOp, sources: Sequence[Interval]) -> Interval:
    (a, b), (c, d) = sources
    if c is None or c <= 0 or d is None:
        return UNKNOWN
    if a is not None and a >= 0:
        return 0, d - 1 if b is None else min(b, d - 1)
    return 1 - d, d - 1


def _maximum(node: UOp, sources: Sequence[Interval]) -> Interval:
    (a, b), (c, d) = sources
    low = c if a is None else a if c is None else max(a, c)
    return low, None if b is None or d is None else max(b, d)


def _minimum(node: UOp, sources: Sequence[Interval]) -> Interval:
    (a, b), (c, d) = sources
    high = d if b is None else b if d is None else min(b, d)
    return None if a is None or c is None else min(a, c), high


def _choose(node: UOp, sources: Sequence[Interval]) -> Interval:
    condition, (a, b), (c, d) = sources
    if condition == (1, 1):
        return a, b
    if condition == (0, 0):
        return c, d
    return (
        None if a is None or c is None else min(a, c),
        None if b is None or d is None else max(b, d),
    )


def _less(node: UOp, sources: Sequence[Interval]) -> Interval:
    (a, b), (c, d) = sources
    if b is not None and c is not None and b < c:
        return 1, 1
    if a is not None and d is not None and a >= d:
        return 0, 0
    return 0, 1


def _differ(node: UOp, sources: Sequence[Interval]) -> Interval:
    (a, b), (c, d) = sources
    if (b is not None and c is not None and b < c) or (d is not None and a is not None and d < a):
        return 1, 1
    if None not in (a, c) and a == b == c == d:
        return 0, 0
    return 0, 1


def _both(node: UOp, sources: Sequence[Interval]) -> Interval:
    ends = [end for low, end in sources if low is not None and low >= 0 and end is not None]
    if node.dtype.scalar.is_bool:
        low = 1 if all(low == 1 for low, _ in sources) else 0
        return low, min([1, *ends])
    return (0, min(ends)) if ends else UNKNOWN


def _either(node: UOp, sources: Sequence[Interval]) -> Interval:
    if not node.dtype.scalar.is_bool:
        return UNKNOWN
    return max(low or 0 for low, _ in sources), max(1 if high is None else high for _, high in sources)


def _convert(node: UOp, sources: Sequence[Interval]) -> Interval:
    source = node.src[0].dtype.scalar
    if node.dtype.scalar.is_bool:
        low, high = sources[0]
        apart = (low is not None and low > 0) or (high is not None and high < 0)
        return (1, 1) if apart else (0, 0) if low == high == 0 else (0, 1)
    return UNKNOWN if source.is_float else sources[0]


def _move(node: UOp, sources: Sequence[Interval]) -> Interval:
    return sources[0]


def _surround(node: UOp, sources: Sequence[Interval]) -> Interval:
    low, high = sources[0]
    return None if low is None else min(low, 0), None if high is None else max(high, 0)


_NEVER_WRAP = (
    frozenset({Op.MAX, Op.MIN, Op.FLOORMOD, Op.MOD, Op.AND, Op.WHERE, Op.CONST, Op.DEFINE_VAR}) | MOVEMENT
)
_FUNCTIONS: Mapping[Op, Callable[[UOp, Sequence[Interval]], Interval]] = {
    **dict.fromkeys(MOVEMENT, _move),
    Op.BUFFERIZE: _move,
    Op.PAD: _surround,
    Op.CONST: _constant,
    Op.DEFINE_VAR: _variable,
    Op.RANGE: _loop,
    Op.SPECIAL: _loop,
    Op.ADD: _add,
    Op.SUB: _subtract,
    Op.NEG: _negate,
    Op.MUL: _multiply,
    Op.MULACC: _multiply_add,
    Op.FLOORDIV: _floor_divide,
    Op.IDIV: _truncating_divide,
    Op.FLOORMOD: _floor_modulo,
    Op.MOD: _truncating_modulo,
    Op.MAX: _maximum,
    Op.MIN: _minimum,
    Op.WHERE: _choose,
    Op.CMPLT: _less,
    Op.CMPNE: _differ,
    Op.AND: _both,
    Op.OR: _either,
    Op.CAST: _convert,
}
