"""Merges the loops of a lowered kernel, and puts them in order.

Neighbouring loops that always occur together are merged, so that short axes do not hide a long one. Ranges `a` and `b` of extents A and B
become one range `m` of extent A·B if every index expression contains them only as `c·(B·a + b)`. This reverses a loop split:
`a = m // B`, `b = m % B`.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from eqsat.integers.linear import Affine, affine_forms
from eqsat.ops import REDUCES, AxisType, Op
from eqsat.schedule.lowering.index_arithmetic import index_roots
from eqsat.uop import UOp, rewrite, toposort


def merge_ranges(sink: UOp, unmerged: frozenset[int]) -> UOp:
    """The kernel with every pair of mergeable loops merged, except pairs whose inner extent is a multiple of an extent in `unmerged`."""
    while True:
        merged = _merge_one(sink, unmerged)
        if merged is sink:
            return sink
        sink = merged


def with_filling_outermost(sink: UOp) -> UOp:
    """The kernel with the loops around the filling of local memory outermost, so that all other loops over outputs find the memory filled.

    Loops nest in the order of their numbers.
    """
    order = toposort([sink])
    memories = [node for node in order if node.op is Op.BUFFERIZE]
    inside = {bound for node in memories for bound in node.src[1:]}
    outputs = [
        node for node in order if node.op is Op.RANGE and node.arg[1] is AxisType.LOOP and node not in inside
    ]
    numbers = sorted(bound.arg[0] for bound in outputs)
    nested = sorted(
        outputs, key=lambda bound: (-sum(bound in node.ranges for node in memories), bound.arg[0])
    )
    renumbered = {
        bound: bound.replace(arg=(number, *bound.arg[1:]))
        for number, bound in zip(numbers, nested, strict=True)
    }
    return rewrite([sink], renumbered)[0] if memories else sink


def _merge_one(sink: UOp, unmerged: frozenset[int]) -> UOp:
    pairs = _neighbours(sink)
    roots = index_roots(sink) if pairs else []
    forms = affine_forms(roots)
    for outer, inner in pairs:
        extent = inner.src[0].arg
        if any(extent % whole == 0 for whole in unmerged):
            continue
        if all(_together(forms[root], outer, inner, extent) for root in roots):
            return _merged(sink, {root: forms[root] for root in roots}, outer, inner)
    return sink


def _neighbours(sink: UOp) -> list[tuple[UOp, UOp]]:
    pairs: dict[tuple[UOp, UOp], None] = {}
    ending = REDUCES | {Op.STORE, Op.BUFFERIZE}
    enders = [node for node in toposort([sink]) if node.op in ending]
    for node in enders:
        ended = _ended(node)
        plain = (bound for bound in ended if bound.arg[1] is not AxisType.SCAN)
        pairs.update(dict.fromkeys(itertools.pairwise(plain)))
    together = [set(_ended(node)) for node in enders]
    return [pair for pair in pairs if all((pair[0] in ended) == (pair[1] in ended) for ended in together)]


def _ended(node: UOp) -> Sequence[UOp]:
    return node.src[node.op.info.range_start :]


def _together(form: Affine, outer: UOp, inner: UOp, extent: int) -> bool:
    coefficients = form.coefficients
    if coefficients.get(outer, 0) != extent * coefficients.get(inner, 0):
        return False
    return not any(atom.op is not Op.RANGE and {outer, inner} & atom.ranges for atom, _ in form.terms)


def _merged(sink: UOp, forms: dict[UOp, Affine], outer: UOp, inner: UOp) -> UOp:
    number, axis = inner.arg
    whole = UOp.range(
        outer.src[0].arg * inner.src[0].arg, number, axis if isinstance(axis, AxisType) else AxisType.LOOP
    )
    mapping: dict[UOp, UOp] = {}
    for root, form in forms.items():
        if inner not in form.coefficients:
            continue
        terms = tuple(
            (whole if atom is inner else atom, factor) for atom, factor in form.terms if atom is not outer
        )
        mapping[root] = Affine(form.constant, terms).build()

    def without_outer(node: UOp) -> UOp:
        start = node.op.info.range_start
        if start is None or outer not in node.src[start:]:
            return node
        return node.with_src(
            node.src[:start] + tuple(source for source in node.src[start:] if source is not outer)
        )

    return rewrite([rewrite([sink], {}, without_outer)[0]], {**mapping, inner: whole})[0]
