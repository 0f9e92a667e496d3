"""Compiles rules to egglog rules.

One rule becomes one egglog rule for each variant (kind of dtype). The left side becomes facts that bind variables, the guard becomes comparisons,
and the right side becomes actions. Everything that can fail (Python calls, shapes that do not fit, taking terms out of a multiset) is computed
among the facts, so that a failure only prevents the match.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import egglog.bindings as egglog

from eqsat.egraph.compile.body import LeftSide
from eqsat.egraph.compile.head import RightSide
from eqsat.egraph.compile.variant import Variant, variants_of
from eqsat.egraph.tables.schema import TABLES
from eqsat.egraph.tables.syntax import Command, rule, union
from eqsat.rules.language.rule import Rule

_BACK = " (backwards)"


@dataclass(frozen=True, slots=True)
class Compiled:
    """An egglog rule, in a ruleset of its own, so that it can be left out of a run.

    Attributes:
        name: of the egglog rule and of its ruleset.
        rule: the rule that was compiled.
        tables: a match takes a row of each of them.
    """

    name: str
    rule: Rule
    variant: Variant
    command: Command
    tables: frozenset[str]


def compile_rule(declared: Rule) -> list[Compiled]:
    """Compiles a rule to egglog rules: one for each variant, and both directions if it holds both ways.

    Raises:
        RuleError: the patterns contradict each other in dtype, or use what rules cannot match.
    """
    directions = [(declared.name, declared)]
    if declared.both_ways:
        turned = replace(declared, left=declared.right, right=declared.left, both_ways=False)
        directions.append((declared.name + _BACK, turned))
    found: list[Compiled] = []
    for name, direction in directions:
        for number, variant in enumerate(variants_of(direction)):
            compiled = f"{name}#{number}"
            command = _compile_variant(variant, compiled)
            found.append(Compiled(compiled, declared, variant, command, tables_of(command)))
    return found


@cache
def rule_name(compiled: str) -> str:
    """The name of the rule that a compiled rule came from."""
    return compiled.partition("#")[0].removesuffix(_BACK)


def tables_of(command: Command) -> frozenset[str]:
    """The tables in the body of an egglog rule. While one of them is empty, the rule does not match."""
    found: set[str] = set()
    for fact in command.rule.body:
        pending = [fact.left, fact.right] if isinstance(fact, egglog.Eq) else [fact.expr]
        while pending:
            expression = pending.pop()
            if isinstance(expression, egglog.Call):
                found.add(expression.name)
                pending += expression.args
    return frozenset(found & TABLES)


def _compile_variant(variant: Variant, name: str) -> Command:
    left = LeftSide(variant)
    root = left.match_root()
    right = RightSide(variant, left)
    if variant.rule.where is not None:
        right.scalars.require(variant.rule.where)
    replacement = right.build_root()
    body = [*left.facts, *variant.type_facts(), *right.scalars.facts]
    return rule(name, name, body, [*right.actions, union(root, replacement)])
