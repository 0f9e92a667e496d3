"""Index arithmetic that simplifies as it builds: it folds constants, like terms, and quotients that are known from bounds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from eqsat.dtype import index
from eqsat.integers.bounds import bounds as computed_bounds
from eqsat.integers.linear import Affine, affine_forms, is_short
from eqsat.ops import AxisType, Op
from eqsat.uop import UOp, toposort

ARITHMETIC = frozenset({Op.ADD, Op.MUL, Op.SUB, Op.NEG, Op.FLOORDIV, Op.FLOORMOD, Op.MIN, Op.MAX})
CACHED_EXPRESSIONS = 4096  # expressions whose forms and bounds are cached


def is_arithmetic(node: UOp) -> bool:
    """Whether the node computes an index from indices, element by element."""
    return node.dtype is index and node.op in ARITHMETIC


def index_roots(sink: UOp) -> list[UOp]:
    """The index expressions with a user that is no index arithmetic; loop headers do not count as users."""
    roots: dict[UOp, None] = {}
    for node in toposort([sink]):
        if not is_arithmetic(node):
            start = node.op.info.range_start
            sources = [
                source for source in node.src[:start] if is_arithmetic(source) or source.op is Op.RANGE
            ]
            roots.update(dict.fromkeys(sources))
    return list(roots)


def add(left: UOp, right: UOp | int) -> UOp:
    """left + right, with constants folded."""
    return _shallow(left).plus(Affine(right) if isinstance(right, int) else _shallow(right)).build()


def multiply(left: UOp, factor: int) -> UOp:
    """left · factor, with constants folded unless they are very long."""
    form = _shallow(left)
    return form.times(factor).build() if form.is_short and is_short(factor) else left * factor


def floor_divide(left: UOp, divisor: int) -> UOp:
    """left // divisor; no division is left where bounds determine the quotient."""
    if divisor == 1:
        return left
    whole, rest = _divided(left, divisor)
    return whole if rest is None else add(whole, rest // divisor)


def floor_modulo(left: UOp, divisor: int) -> UOp:
    """left % divisor; no remainder is left where bounds determine the quotient."""
    if divisor == 1:
        return UOp.const(index, 0)
    whole, rest = _divided(left, divisor)
    return add(left, multiply(whole, -divisor)) if rest is None else rest % divisor


@lru_cache(CACHED_EXPRESSIONS)
def _shallow(node: UOp) -> Affine:
    return affine_forms([node])[node]


@lru_cache(CACHED_EXPRESSIONS)
def bounds(node: UOp) -> tuple[int, int]:
    """The least and greatest value of an index expression; cached, because a kernel asks for the same expressions again and again."""
    return computed_bounds(node)


def flatten_index(indices: Iterable[UOp], shape: tuple[int, ...]) -> UOp:
    """The row-major position of the element at `indices` in an array of `shape`."""
    total, stride = Affine(0), 1
    for position, extent in zip(reversed(list(indices)), reversed(shape), strict=True):
        total = total.plus(_shallow(position).times(stride))
        stride *= extent
    return _recombined(total).build()


def _recombined(form: Affine) -> Affine:
    """The form with `x % c + (x // c) · c` replaced by `x`."""
    for atom, factor in form.terms:
        if atom.op is not Op.FLOORMOD or atom.src[1].op is not Op.CONST:
            continue
        quotient = UOp(Op.FLOORDIV, index, atom.src)
        if form.coefficients.get(quotient) == factor * atom.src[1].arg:
            both = Affine(0, ((atom, factor), (quotient, factor * atom.src[1].arg)))
            return _recombined(form.plus(both, -1).plus(_shallow(atom.src[0]), factor))
    return form


def inside(indices: Sequence[UOp], shape: Sequence[int]) -> UOp | None:
    """The condition that `indices` lie within `shape`; None if they always do."""
    gate: UOp | None = None
    for position, extent in zip(indices, shape, strict=True):
        least, greatest = bounds(position)
        if least < 0:
            gate = both(gate, position >= 0)
        if greatest >= extent:
            gate = both(gate, position < extent)
    return gate


def both(left: UOp | None, right: UOp) -> UOp:
    """The conjunction of two conditions; the first may be None."""
    return right if left is None else left & right


def reshape_index(
    indices: tuple[UOp, ...], source: tuple[int, ...], target: tuple[int, ...]
) -> tuple[UOp, ...]:
    """The indices, in an array of shape `source`, of the element at `indices` after a reshape to `target`.

    The two shapes are cut into the smallest groups of axes with equal products, so that quotients and remainders appear only
    within a group.
    """
    result: list[UOp] = []
    zero = UOp.const(index, 0)
    s = t = 0
    while s < len(source) or t < len(target):
        s_end, t_end = _group(source, target, s, t)
        group_target = target[t:t_end]
        if source[s:s_end] == group_target:
            result.extend(indices[t:t_end])
        else:
            flat = flatten_index(indices[t:t_end], group_target) if group_target else zero
            result.extend(_unflatten(flat, source[s:s_end]))
        s, t = s_end, t_end
    return tuple(result)


def _group(source: tuple[int, ...], target: tuple[int, ...], s: int, t: int) -> tuple[int, int]:
    """The ends of the smallest group that starts at axes s and t; axes of extent 1 that follow join the group."""
    left = right = 1
    while True:
        if left == right and (left > 1 or s == len(source) or t == len(target)):
            break
        if s < len(source) and (left <= right or t == len(target)):
            left *= source[s]
            s += 1
        elif t < len(target):
            right *= target[t]
            t += 1
        else:
            break
    while s < len(source) and source[s] == 1:
        s += 1
    while t < len(target) and target[t] == 1:
        t += 1
    return s, t


def _unflatten(flat: UOp, shape: tuple[int, ...]) -> list[UOp]:
    positions: list[UOp] = []
    rest = flat
    for axis in range(len(shape) - 1, 0, -1):
        positions.append(floor_modulo(rest, shape[axis]))
        rest = floor_divide(rest, shape[axis])
    return [*([rest] if shape else []), *reversed(positions)]


def simplified(node: UOp) -> UOp:
    """An index operation on simplified operands, simplified: constants, like terms, quotients of multiples. Other nodes are returned unchanged."""
    if not is_arithmetic(node) or len(node.src) != 2:
        return node
    left, right = node.src
    match node.op:
        case Op.ADD:
            return add(left, right)
        case Op.MUL if right.op is Op.CONST:
            return multiply(left, right.arg)
        case Op.MUL if left.op is Op.CONST:
            return multiply(right, left.arg)
        case Op.FLOORDIV if right.op is Op.CONST and right.arg > 0:
            return floor_divide(left, right.arg)
        case Op.FLOORMOD if right.op is Op.CONST and right.arg > 0:
            return floor_modulo(left, right.arg)
        case Op.MIN if bounds(left)[1] <= bounds(right)[0]:
            return left
        case _:
            return node


def _divided(value: UOp, divisor: int) -> tuple[UOp, UOp | None]:
    """(q, r) with value = divisor·q + r. If bounds determine the whole quotient, it is q, and r is None.

    For example, 59·a + b with the divisor 58 has the quotient a if 0 ≤ a + b < 58. Otherwise r has the terms that the divisor does not divide.
    """
    form = _shallow(value)
    whole, rest = Affine(0), value
    for only_multiples in (False, True):
        parts = ((atom, *divmod(factor, divisor)) for atom, factor in form.terms)
        terms = ((atom, times) for atom, times, left in parts if times and not (left and only_multiples))
        whole = Affine(form.constant // divisor, tuple(terms))
        rest = form.plus(whole, -divisor).build()
        least, greatest = bounds(rest)
        if least // divisor == greatest // divisor:
            return whole.plus(Affine(least // divisor)).build(), None
    return whole.build(), rest


def loop_or_zero(extent: int, number: int, kind: AxisType) -> UOp:
    """A loop over an extent; the index 0 if that has a single iteration."""
    return UOp.range(extent, number, kind) if extent > 1 else UOp.const(index, 0)
