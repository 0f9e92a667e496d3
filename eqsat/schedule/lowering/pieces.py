"""Outputs that are stored piece by piece, because each piece has a formula of its own: stacked columns, or halves that were concatenated.

If values compare a loop over outputs with numbers, each iteration computes both alternatives of each comparison. Such a loop is cut into
pieces of equal length in which all comparisons are constant. Each piece gets a store that computes only its own alternative. For example,

    for c in 6: out[6 * i + c] = where(c < 3, a[3 * i + c], b[3 * i + c - 3])

becomes, for `c` in 3, `out[6 * i + c] = a[3 * i + c]` and `out[6 * i + c + 3] = b[3 * i + c]`.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd

from eqsat.dtype import bool_, index
from eqsat.integers.conditions import sign_change
from eqsat.integers.linear import affine_forms
from eqsat.ops import AxisType, Op
from eqsat.schedule.lowering.index_arithmetic import add, bounds, simplified
from eqsat.schedule.lowering.local_memory import ZERO
from eqsat.uop import UOp, rewrite, toposort

MOST = 16  # most pieces
MOST_APART = 64  # most pieces if they begin FAR apart, and are VERY_LONG or distinguished by comparisons; others need shuffles
LONG = 16  # iterations of a long piece; shorter pieces may be only as many as comparisons ask for
VERY_LONG = 64  # iterations of a piece that is worth a store of its own also where no comparison begins it
FAR = 16  # elements between the beginnings of pieces that count as far apart
TRUE, FALSE = UOp.const(bool_, True), UOp.const(bool_, False)


def in_pieces(sink: UOp) -> UOp | None:
    """The kernel with a store for each piece of a loop over outputs; None if no loop has pieces."""
    order = toposort([sink])
    loops = [node for node in order if node.op is Op.RANGE and node.arg[1] is AxisType.LOOP]
    inside = {bound for node in order if node.op is Op.BUFFERIZE for bound in (*node.src[1:], *node.ranges)}
    if any(store.op is not Op.STORE or store.arg is not None for store in sink.src):
        return None
    for loop in loops:
        extent = loop.src[0].arg
        ends = {end for end in _ends_along(loop, order) if 0 < end < extent}
        length = gcd(extent, *ends)
        if length == extent:
            continue
        asked = 2 * len(ends) + 1
        apart = MOST_APART if length >= VERY_LONG else min(asked, MOST_APART)
        most = (max(MOST, apart) if _step(loop, sink) * length >= FAR else MOST) // len(sink.src)
        few = extent <= (most if length >= LONG else min(most, asked)) * length
        if few and loop not in inside and all(loop in store.src[2:] for store in sink.src):
            stores = [piece for store in sink.src for piece in _pieces(store, loop, length)]
            return sink.with_src(tuple(stores))
    return None


def _step(loop: UOp, sink: UOp) -> int:
    """The least stride of a loop over outputs among all stores, in elements."""
    places = [store.src[0].src[1] for store in sink.src]
    forms = affine_forms(places)
    return min(abs(forms[place].coefficients.get(loop, 0)) for place in places)


def _ends_along(loop: UOp, order: list[UOp]) -> Iterator[int]:
    """All values of a loop at which the result of a comparison of the loop with a number changes."""
    tests = [node for node in order if node.op in (Op.CMPLT, Op.CMPNE) and node.src[0].dtype is index]
    forms = affine_forms(source for node in tests for source in node.src)
    for node in tests:
        left, right = (forms[source] for source in node.src)
        form = left.plus(right, -1)
        if len(form.terms) == 1 and form.terms[0][0] is loop:
            yield from _ends(node.op, form.terms[0][1], form.constant)


def _ends(op: Op, factor: int, constant: int) -> Iterator[int]:
    """The first positions at which `factor · position + constant < 0` changes (CMPLT), or at which the sum is 0 and no longer 0 (CMPNE)."""
    if op is Op.CMPLT:
        yield sign_change(factor, constant)
    elif constant % factor == 0:
        yield -constant // factor
        yield -constant // factor + 1


def _pieces(store: UOp, loop: UOp, length: int) -> Iterator[UOp]:
    """The stores of all pieces of one store."""
    inner = loop.replace(src=(UOp.const(index, length),)) if length > 1 else ZERO
    own = {loop: (inner,) if length > 1 else ()}
    loops = tuple(each for bound in store.src[2:] for each in own.get(bound, (bound,)))
    for begin in range(0, loop.src[0].arg, length):
        place = add(inner, begin)
        address, value = rewrite(list(store.src[:2]), {loop: place}, _folded)
        yield store.with_src((address, value, *loops))


def _folded(node: UOp) -> UOp:
    """A node simplified by the bounds of indices and by known conditions."""
    match node.op:
        case Op.CMPLT if node.src[0].dtype is index:
            (least, most), (other_least, other_most) = map(bounds, node.src)
            return TRUE if most < other_least else FALSE if least >= other_most else node
        case Op.CMPNE if node.src[0].dtype is index:
            (least, most), (other_least, other_most) = map(bounds, node.src)
            if most < other_least or other_most < least:
                return TRUE
            return FALSE if least == most == other_least == other_most else node
        case Op.CMPNE if TRUE in node.src or FALSE in node.src:
            return _unequal(*node.src)
        case Op.AND if FALSE in node.src:
            return FALSE
        case Op.OR if TRUE in node.src:
            return TRUE
        case Op.AND | Op.OR if TRUE in node.src or FALSE in node.src:
            return node.src[node.src[0] in (TRUE, FALSE)]
        case Op.WHERE if node.src[0] in (TRUE, FALSE):
            return node.src[1] if node.src[0] is TRUE else node.src[2]
        case Op.LOAD if node.src[0].src[-1] is FALSE:
            return node.src[1]
        case Op.LOAD if node.src[0].src[-1] is TRUE:
            return UOp(Op.LOAD, node.dtype, (node.src[0].with_src(node.src[0].src[:2]),))
        case _:
            return simplified(node)


def _unequal(left: UOp, right: UOp) -> UOp:
    """`left != right` for bools, at least one of them constant."""
    known, other = (left, right) if left in (TRUE, FALSE) else (right, left)
    if other in (TRUE, FALSE):
        return TRUE if known is not other else FALSE
    return other if known is FALSE else UOp(Op.CMPNE, bool_, (left, right))
