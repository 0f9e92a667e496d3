"""Nested comprehensions: a RANGE belongs to the innermost comprehension that has it."""

from __future__ import annotations

from collections.abc import Sequence

from eqsat.ops import Op
from eqsat.uop import UOp, toposort


def avoid_capture(formula: UOp, ranges: Sequence[UOp]) -> UOp:
    """Renames the ranges that comprehensions within a formula bind, so that no expression put in place of `ranges` is captured."""
    while True:
        order = toposort([formula])
        same = next(
            (node for node in order if node.op is Op.BUFFERIZE and not set(ranges).isdisjoint(node.src[1:])),
            None,
        )
        if same is None:
            return formula
        first = min([0, *(node.arg[0] for node in order if node.op is Op.RANGE)]) - 1
        others = {
            each: each.replace(arg=(first - place, *each.arg[1:]))
            for place, each in enumerate(same.src[1:])
            if each in ranges
        }
        formula = formula.substitute({same: same.substitute(others)})
