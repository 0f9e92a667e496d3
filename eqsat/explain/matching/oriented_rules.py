"""Oriented rules: each rule with the side that is matched, grouped by the table that holds the root of that side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from eqsat.dtype import DType
from eqsat.egraph.compile.variant import as_sums, nary_op_of, patterns_of, scaled
from eqsat.egraph.tables.schema import kind_of
from eqsat.egraph.tables.schema import table_of as structural_table
from eqsat.ops import COMPARISON, Op
from eqsat.rules.language.pattern import Node, Pattern, Value
from eqsat.rules.language.rule import Phase, Rule, RuleSet, bounded_values
from eqsat.rules.language.structure import roles_of

KINDS = "fixb"
DIFFERENCES = frozenset({Op.SUB, Op.NEG, Op.MULACC})  # on integers these are written as sums


@dataclass(frozen=True)
class Direction:
    """A rule in one of its directions.

    Attributes:
        rule: the rule as declared.
        forwards: whether the left side of the rule is matched; otherwise the right side.
        lowered: whether it is matched on integers, where differences and negations are written as sums.
    """

    rule: Rule
    forwards: bool
    lowered: bool

    @cached_property
    def oriented(self) -> Rule:
        """The rule with the side to match on the left."""
        if self.forwards:
            return self.rule
        return replace(self.rule, left=self.rule.right, right=self.rule.left)

    @cached_property
    def pattern(self) -> Node:
        """The pattern of the matched side."""
        left = as_sums(self.oriented.left) if self.lowered else self.oriented.left
        assert isinstance(left, Node)
        return left

    @cached_property
    def uses(self) -> dict[str, int]:
        """How often each value occurs in the pattern."""
        counts: dict[str, int] = {}
        for part in patterns_of(self.pattern):
            if isinstance(part, Value):
                counts[part.name] = counts.get(part.name, 0) + 1
        return counts

    @cached_property
    def bounded(self) -> list[str]:
        """The values whose bounds the rule reads."""
        return bounded_values(self.rule)

    def reads(self, dtype: DType) -> bool:
        """Whether this direction applies to a dtype. Only lowered directions apply to differences of integers, since these are sums."""
        return not _has_differences(self.oriented.left) or self.lowered == (kind_of(dtype) in "ix")

    def root_tables(self) -> set[str]:
        """The tables that can hold the root of the pattern."""
        return {table_of(self.pattern, kind) for kind in KINDS}


@lru_cache(16)
def directions_by_table(rules: RuleSet) -> Mapping[tuple[Phase, str], Sequence[Direction]]:
    """All directions of the rules, by phase and by each table that can hold the root of the matched side."""
    found: dict[tuple[Phase, str], list[Direction]] = {}
    for direction in _directions(rules):
        for table in sorted(direction.root_tables()):
            found.setdefault((direction.rule.phase, table), []).append(direction)
    return found


def _directions(rules: RuleSet) -> list[Direction]:
    found: list[Direction] = []
    for rule in rules:
        for forwards in (True, False) if rule.both_ways else (True,):
            plain = Direction(rule, forwards, lowered=False)
            found.append(plain)
            if _has_differences(plain.pattern) and not _is_lowering(plain.pattern):
                found.append(Direction(rule, forwards, lowered=True))
    return found


def _has_differences(pattern: Pattern) -> bool:
    return any(isinstance(part, Node) and part.op in DIFFERENCES for part in patterns_of(pattern))


def _is_lowering(pattern: Node) -> bool:
    """Whether the matched side is a difference of two arbitrary values. On integers such a rule defines the difference."""
    return pattern.op in DIFFERENCES and all(isinstance(source, Value) for source in pattern.src)


def table_of(node: Node, kind: str) -> str:
    """The table that holds an operation on operands of a kind (`f` float, `i` integer, `x` index, `b` bool)."""
    if roles_of(node.op, len(node.src)) is not None:
        return structural_table(node.op, len(node.src))
    if node.op in COMPARISON or node.dtype is not None or node.fields:
        return node.op.name
    if scaled(node, kind) is not None:
        return "SCALE"
    op = nary_op_of(node, kind)
    return f"{op.name}_N" if op is not None else node.op.name
