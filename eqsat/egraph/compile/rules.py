"""Compiles rules to egglog rules.

One rule becomes one egglog rule for each variant (kind of dtype). The left side becomes facts that bind variables, the guard becomes comparisons,
and the right side becomes actions. Everything that can fail (Python calls, shapes that do not fit, taking terms out of a multiset) is computed
among the facts, so that a failure only prevents the match.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache, cached_property

from eqsat.egraph.bindings import egglog
from eqsat.egraph.compile.body import LeftSide
from eqsat.egraph.compile.conditions import Conditions
from eqsat.egraph.compile.head import RightSide
from eqsat.egraph.compile.occurrence import Tree, tree_of
from eqsat.egraph.compile.variant import Variant, variants_of
from eqsat.egraph.tables.schema import TABLES
from eqsat.egraph.tables.syntax import Command, Expression, Fact, rule, union
from eqsat.rules.language.rule import Rule

_BACK = " (backwards)"


@dataclass(frozen=True, eq=False)
class Compiled:
    """An egglog rule, in a ruleset of its own, so that a run can leave it out.

    It is built when it is first used: the graphs of a program need only a few hundred of the library's 800 rules.

    Attributes:
        name: the name of the egglog rule and of its ruleset.
        rule: the rule that was compiled.
    """

    name: str
    rule: Rule
    variant: Variant

    @cached_property
    def command(self) -> Command:
        """The egglog rule itself.

        Raises:
            RuleError: the rule has a pattern that cannot be matched, or one that cannot be built.
        """
        left, root = self._left
        right, replacement = self._right
        body = [*left.facts, *self.variant.type_facts(), *right.scalars.facts]
        return rule(self.name, self.name, body, [*right.actions, union(root, replacement)])

    @cached_property
    def tables(self) -> frozenset[str]:
        """The tables of the rows that a match takes. While one of them is empty, the rule does not match."""
        return self.tables_of_left | self._right[0].scalars.tables

    @cached_property
    def tables_of_left(self) -> frozenset[str]:
        """The part of `tables` that the left side needs. It is known before the right side is compiled."""
        return frozenset(atom.table for atom in self._left[0].atoms)

    @cached_property
    def tree(self) -> Tree:
        """The rows that the left side matches, as a tree."""
        return tree_of(self._left[0], self.variant.domains)

    @cached_property
    def conditions(self) -> Conditions | None:
        """The conditions that a match puts on the root's row; None if there are none."""
        return Conditions.of(self._left[0])

    @cached_property
    def _left(self) -> tuple[LeftSide, Expression]:
        """The compiled left side, and the class that it matches."""
        left = LeftSide(self.variant)
        return left, left.match_root()

    @cached_property
    def _right(self) -> tuple[RightSide, Expression]:
        """The compiled right side with the guard, and the term that the matched class becomes equal to."""
        right = RightSide(self.variant, self._left[0])
        if self.rule.where is not None:
            right.scalars.require(self.rule.where)
        return right, right.build_root()


def compile_rule(declared: Rule) -> list[Compiled]:
    """Compiles a rule to egglog rules: one for each variant that its guard allows, in both directions if the rule holds both ways.

    Raises:
        RuleError: the patterns contradict each other in dtype.
    """
    directions = [(declared.name, declared)]
    if declared.both_ways:
        turned = replace(declared, left=declared.right, right=declared.left, both_ways=False)
        directions.append((declared.name + _BACK, turned))
    found: list[Compiled] = []
    for name, direction in directions:
        variants = enumerate(variants_of(direction))
        found += [
            Compiled(f"{name}#{number}", declared, variant)
            for number, variant in variants
            if variant.may_apply
        ]
    return found


@cache
def rule_name(compiled: str) -> str:
    """The name of the rule that a compiled rule came from."""
    return compiled.partition("#")[0].removesuffix(_BACK)


def tables_of(body: Iterable[Fact]) -> frozenset[str]:
    """The tables in the body of an egglog rule. While one of them is empty, the rule does not match."""
    found: set[str] = set()
    for fact in body:
        pending = [fact.left, fact.right] if isinstance(fact, egglog.Eq) else [fact.expr]
        while pending:
            expression = pending.pop()
            if isinstance(expression, egglog.Call):
                found.add(expression.name)
                pending += expression.args
    return frozenset(found & TABLES)
