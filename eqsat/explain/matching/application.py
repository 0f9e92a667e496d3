"""Applies a rule to a match: builds both sides from terms of the matched classes, and links them to the matched term."""

from __future__ import annotations

from typing import Any

from eqsat.egraph.theories.terms.bounds import Bounds
from eqsat.errors import BuildError, RuleError
from eqsat.explain.closure.congruence import ByRule, ByTheory, CongruenceClosure
from eqsat.explain.closure.tables import ENode, Tables, combined, nary_op_of, with_parts
from eqsat.explain.dtypes import build_like, dtype_of, fits, limited_dtype
from eqsat.explain.matching.matcher import Found, Spot
from eqsat.explain.matching.oriented_rules import Direction
from eqsat.explain.theory_checks import THEORIES
from eqsat.rules.language.instantiate import build, holds
from eqsat.rules.language.pattern import Value
from eqsat.uop import UOp

_NOTHING = Bounds()


def link(closure: CongruenceClosure, one: UOp, other: UOp, theory: str) -> None:
    """Links two terms if the check of a theory that needs no bounds accepts them."""
    closure.add(one)
    closure.add(other)
    if not closure.same(one, other) and THEORIES[theory].check(one, other, _NOTHING):
        closure.merge(one, other, ByTheory(theory))


class Applications:
    """Applies rules to a congruence closure. A rule is applied to the same terms only once."""

    def __init__(self, closure: CongruenceClosure) -> None:
        self.closure = closure
        self.applied: set[tuple[Any, ...]] = set()

    def apply(self, known: Tables, direction: Direction, enode: ENode, match: Found) -> UOp | None:
        """Rewrites the matched e-node: adds both sides of the rule, links them, and returns the new term. None if the rule does not apply."""
        rule = direction.oriented
        term = enode.term
        bindings = {name: self._bound(known, direction, match, name) for name in match.env}
        key = (direction.rule.name, direction.forwards, direction.lowered, term, *bindings.values())
        if key in self.applied:
            return None
        self.applied.add(key)
        intervals = {
            name: self.closure.bounds(bindings[name])
            for name in direction.bounded
            if bindings[name] in self.closure.parent
        }
        try:
            if not holds(rule, bindings, intervals):
                self.applied.discard(key)
                return None
            left = build_like(rule.left, bindings, term)
            right = build(rule.right, bindings, dtype_of(left), left.shape or (), intervals)
        except (BuildError, RuleError):
            return None
        ends = (left, right) if direction.forwards else (right, left)
        limited = limited_dtype(direction.rule, bindings, ends[0])
        if limited is None or not fits(direction.rule, bindings, ends[0]) or not direction.reads(limited):
            return None
        if left.dtype != right.dtype or left.shape != right.shape:
            return None
        whole_left, whole_right = self._whole(direction, match, enode, left, right)
        closure = self.closure
        closure.add(whole_left)
        if not self._bridge(direction, match, bindings, left, whole_left, enode):
            return None
        facts = closure.facts_of(bindings[name] for name in sorted(direction.bounded))
        closure.add(right)
        if not closure.same(left, right):
            closure.merge(*ends, ByRule(direction.rule, bindings, facts))
        closure.add(whole_right)
        return whole_right

    def _bound(self, known: Tables, direction: Direction, match: Found, name: str) -> Any:
        """The value of a rule's variable. A matched class is represented by its smallest term."""
        value = match.env[name]
        if not isinstance(direction.rule.variables[name], Value):
            return value
        if isinstance(value, int):
            return known.simplest[value]
        op = next(nary_op_of(spot.enode.term) for spot in match.spots if value[0] in spot.enode.parts)
        assert op is not None
        return combined(op, value)

    def _whole(
        self, direction: Direction, match: Found, enode: ENode, left: UOp, right: UOp
    ) -> tuple[UOp, UOp]:
        """Both sides of the rule, combined with the remaining operands of the matched n-ary application."""
        if not match.spots or match.spots[-1].pattern is not direction.pattern:
            return left, right
        rest = [
            part
            for part, operand in zip(enode.parts, match.spots[-1].operands, strict=True)
            if operand is None
        ]
        op = nary_op_of(enode.term)
        assert op is not None
        return combined(op, (left, *rest)), combined(op, (right, *rest))

    def _bridge(
        self,
        direction: Direction,
        match: Found,
        bindings: dict[str, Any],
        left: UOp,
        whole: UOp,
        enode: ENode,
    ) -> bool:
        """Links the matched term with the left side of the rule. Returns whether both are in one class afterwards."""
        for spot in match.spots:
            if not self._regrouped(direction, spot, bindings, whole):
                return False
        if direction.lowered and not self.closure.same(whole, enode.term):
            lowered = build_like(direction.pattern, bindings, left)
            self.closure.add(lowered)
            link(self.closure, lowered, left, "sums")
        return self.closure.same(whole, enode.term)

    def _regrouped(self, direction: Direction, spot: Spot, bindings: dict[str, Any], whole: UOp) -> bool:
        closure, term = self.closure, spot.enode.term
        parts = [
            part if operand is None else build_like(operand, bindings, part)
            for part, operand in zip(spot.enode.parts, spot.operands, strict=True)
        ]
        apart = with_parts(spot.enode, parts)
        closure.add(apart)
        if not closure.same(apart, term):
            return False
        target = whole if spot.pattern is direction.pattern else build_like(spot.pattern, bindings, term)
        closure.add(target)
        for theory in ("sums", "n-ary operands"):
            link(closure, apart, target, theory)
        return closure.same(apart, target)
