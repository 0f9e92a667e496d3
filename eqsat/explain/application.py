"""One application of a rule: both sides are built from terms of the matched classes and linked with what was matched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.dtype import DType
from eqsat.errors import BuildError, RuleError
from eqsat.explain.bounds import Bounds
from eqsat.explain.directions import Direction
from eqsat.explain.dtypes import build_like, fits, limited_dtype
from eqsat.explain.forest import ByRule, ByTheory, Fact, Forest
from eqsat.explain.matching import Found, Spot
from eqsat.explain.rows import Tables, Way, chain_op, with_parts
from eqsat.explain.theories import THEORIES
from eqsat.ops import Op
from eqsat.rules.instantiate import build, holds
from eqsat.rules.pattern import Value
from eqsat.uop import UOp

_NOTHING = Bounds()


def link(forest: Forest, one: UOp, other: UOp, theory: str) -> None:
    """Links two terms if a theory that needs no bounds makes them equal."""
    forest.add(one)
    forest.add(other)
    if not forest.same(one, other) and THEORIES[theory].check(one, other, _NOTHING):
        forest.merge(one, other, ByTheory(theory))


class Applications:
    """Applies rules to a forest, each to the same terms once."""

    def __init__(self, forest: Forest) -> None:
        self.forest = forest
        self.applied: set[tuple[Any, ...]] = set()

    def apply(self, known: Tables, direction: Direction, way: Way, match: Found) -> UOp | None:
        """The term that a match makes of a way to write one; None where the rule does not apply."""
        rule = direction.oriented
        term = way.term
        bindings = {name: self._bound(known, direction, match, name) for name in match.env}
        key = (direction.rule.name, direction.forwards, direction.lowered, term, *bindings.values())
        if key in self.applied:
            return None
        self.applied.add(key)
        intervals = {
            name: self.forest.bounds(bindings[name])
            for name in direction.bounded
            if bindings[name] in self.forest.parent
        }
        try:
            if not holds(rule, bindings, intervals):
                self.applied.discard(key)
                return None
            left = build_like(rule.left, bindings, term)
            right = build(rule.right, bindings, _dtype(left), left.shape or (), intervals)
        except (BuildError, RuleError):
            return None
        ends = (left, right) if direction.forwards else (right, left)
        limited = limited_dtype(direction.rule, bindings, ends[0])
        if limited is None or not fits(direction.rule, bindings, ends[0]) or not direction.reads(limited):
            return None
        if left.dtype != right.dtype or left.shape != right.shape:
            return None
        whole_left, whole_right = self._whole(direction, match, way, left, right)
        forest = self.forest
        forest.add(whole_left)
        if not self._bridge(direction, match, bindings, left, whole_left, way):
            return None
        facts = self._facts(direction, bindings)
        forest.add(right)
        if not forest.same(left, right):
            forest.merge(*ends, ByRule(direction.rule, bindings, facts))
        forest.add(whole_right)
        return whole_right

    def _bound(self, known: Tables, direction: Direction, match: Found, name: str) -> Any:
        """What a variable stands for: of a value, a term of the class that was matched."""
        value = match.env[name]
        if not isinstance(direction.rule.variables[name], Value):
            return value
        if isinstance(value, int):
            return known.simplest[value]
        op = next(chain_op(spot.way.term) for spot in match.spots if value[0] in spot.way.parts)
        assert op is not None
        return _chained(op, value)

    def _whole(self, direction: Direction, match: Found, way: Way, left: UOp, right: UOp) -> tuple[UOp, UOp]:
        """Both sides with what else the matched chain combines."""
        if not match.spots or match.spots[-1].pattern is not direction.pattern:
            return left, right
        rest = [
            part for part, element in zip(way.parts, match.spots[-1].elements, strict=True) if element is None
        ]
        op = chain_op(way.term)
        assert op is not None
        return _chained(op, (left, *rest)), _chained(op, (right, *rest))

    def _bridge(
        self, direction: Direction, match: Found, bindings: dict[str, Any], left: UOp, whole: UOp, way: Way
    ) -> bool:
        """Links the matched term with the left side that stands in its place; false if that cannot be."""
        for spot in match.spots:
            if not self._regrouped(direction, spot, bindings, whole):
                return False
        if direction.lowered and not self.forest.same(whole, way.term):
            lowered = build_like(direction.pattern, bindings, left)
            self.forest.add(lowered)
            link(self.forest, lowered, left, "sums")
        return self.forest.same(whole, way.term)

    def _regrouped(self, direction: Direction, spot: Spot, bindings: dict[str, Any], whole: UOp) -> bool:
        forest, term = self.forest, spot.way.term
        parts = [
            part if element is None else build_like(element, bindings, part)
            for part, element in zip(spot.way.parts, spot.elements, strict=True)
        ]
        apart = with_parts(spot.way, parts)
        forest.add(apart)
        if not forest.same(apart, term):
            return False
        target = whole if spot.pattern is direction.pattern else build_like(spot.pattern, bindings, term)
        forest.add(target)
        for theory in ("sums", "chains"):
            link(forest, apart, target, theory)
        return forest.same(apart, target)

    def _facts(self, direction: Direction, bindings: dict[str, Any]) -> tuple[tuple[UOp, Fact], ...]:
        return tuple(
            (bindings[name], fact)
            for name in sorted(direction.bounded)
            for fact in self.forest.facts.get(self.forest.find(bindings[name]), (None, None))
            if fact is not None
        )


def _chained(op: Op, parts: Sequence[UOp]) -> UOp:
    result = parts[0]
    for part in parts[1:]:
        result = UOp(op, result.dtype, (result, part))
    return result


def _dtype(term: UOp) -> DType:
    assert isinstance(term.dtype, DType)
    return term.dtype
