"""Matches the two sides of a rule in one e-class of a saturated e-graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from eqsat.egraph.compile.variant import Variant
from eqsat.rules.language.instantiate import holds
from eqsat.rules.language.pattern import Node
from eqsat.show.side_matching import Bindings, Searched, Side


@dataclass(frozen=True, slots=True)
class Match:
    """A left side at a node; `left_over` are the operands of an n-ary root that the pattern doesn't mention."""

    node: int
    bindings: Bindings
    left_over: tuple[int, ...]


def match_left(searched: Searched, variant: Variant) -> Iterator[Match]:
    """Every match of the left side whose guard holds.

    Raises:
        OutOfSteps: no steps are left.
    """
    side = Side(searched, variant, variant.typing.left_types)
    root = variant.rule.left
    assert isinstance(root, Node)
    for node in searched.by_op.get(side.nary_op(root) or root.op, []):
        for bindings, left_over in side.match_root(root, node, {}):
            if holds(variant.rule, bindings, searched.bounds_of(bindings)):
                yield Match(node, bindings, left_over)


def match_right(searched: Searched, variant: Variant, match: Match) -> list[int]:
    """The nodes of the same class that the right side matches with the bindings of a match, in ascending order.

    Raises:
        OutOfSteps: no steps are left.
    """
    nary_op = Side(searched, variant, variant.typing.left_types).nary_op(variant.rule.left)
    side = Side(searched, variant, variant.typing.right_types)
    right, bindings = variant.rule.right, match.bindings
    found: list[int] = []
    for node in searched.nodes_of(searched.owners[match.node]):
        if match.left_over and nary_op is not None:
            operands = side.match_operands(side.operand_patterns(right, nary_op), node, nary_op, bindings)
            is_right = any(Counter(rest) == Counter(match.left_over) for rest, _ in operands)
        else:
            is_right = any(not rest for _, rest in side.match_root(right, node, bindings))
        if is_right:
            found.append(node)
    return found
