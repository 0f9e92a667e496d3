"""Oriented rules: each rule with the side that is matched, grouped by the table that holds the root of that side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from eqsat.dtype import DType
from eqsat.egraph.compile.variant import as_sums, patterns_of
from eqsat.egraph.tables.schema import kind_of, nary_op
from eqsat.egraph.tables.schema import table_of as structural_table
from eqsat.ops import COMPARISON, Op
from eqsat.rules.language.pattern import Constant, Node, Pattern, Value
from eqsat.rules.language.rule import Phase, Rule, RuleSet, bounded_values
from eqsat.rules.language.structure import roles_of

KINDS = "fixb"
DIFFERENCES = frozenset({Op.SUB, Op.NEG, Op.MULACC})  # which are sums of integers


@dataclass(frozen=True)
class Direction:
    """A rule read one way.

    Attributes:
        rule: as declared.
        forwards: whether its left side is matched.
        lowered: whether it is matched on integers, where differences and negations are sums.
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
        """What is matched."""
        left = as_sums(self.oriented.left) if self.lowered else self.oriented.left
        assert isinstance(left, Node)
        return left

    @cached_property
    def uses(self) -> dict[str, int]:
        """How often each value stands in the pattern."""
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
        """Whether the rule is read this way where its domain is about this dtype: differences of integers are sums."""
        return not _has_differences(self.oriented.left) or self.lowered == (kind_of(dtype) in "ix")

    def root_tables(self) -> set[str]:
        """The tables in which the whole may be written."""
        return {table_of(self.pattern, kind) for kind in KINDS}


@lru_cache(16)
def directions_by_table(rules: RuleSet) -> Mapping[tuple[Phase, str], Sequence[Direction]]:
    """Every way to read the rules, by phase and by the tables in which the whole of it may be written."""
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
    """Whether a rule is about a difference of any two values: on integers it says what a difference is."""
    return pattern.op in DIFFERENCES and all(isinstance(source, Value) for source in pattern.src)


def table_of(node: Node, kind: str) -> str:
    """The table in which an operation on operands of a kind is written."""
    if roles_of(node.op, len(node.src)) is not None:
        return structural_table(node.op, len(node.src))
    if node.op in COMPARISON or node.dtype is not None or node.fields:
        return node.op.name
    if scaled(node, kind) is not None:
        return "SCALE"
    op = nary_op(node.op, kind)
    return f"{op.name}_N" if op is not None else node.op.name


def scaled(node: Node, kind: str) -> tuple[Pattern, Constant] | None:
    """The value and the coefficient of an integer product with one constant."""
    if node.op is not Op.MUL or kind not in "ix":
        return None
    left, right = node.src
    match isinstance(left, Constant), isinstance(right, Constant):
        case True, False:
            return right, left  # pyright: ignore[reportReturnType]
        case False, True:
            return left, right  # pyright: ignore[reportReturnType]
        case _:
            return None
