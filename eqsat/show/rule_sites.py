"""Rule sites: the e-nodes that a rule can explain, because both of its sides match in one e-class.

An e-graph doesn't record which rule added a node. So the rules that matched during saturation are matched once more on the finished e-graph, with
their guards and domains: a *site* is a node that the left side matches, with the node of the same class that the right side matches.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from eqsat.egraph.compile.variant import Variant, variants_of
from eqsat.egraph.snapshot.snapshot import Snapshot
from eqsat.rules.language.rule import Rule
from eqsat.show.rule_matching import match_left, match_right
from eqsat.show.side_matching import OutOfSteps, Searched

STEPS = 100_000  # steps that matching one rule may take; about a fifth of a second


@dataclass(frozen=True, slots=True, order=True)
class Site:
    """A node that the left side of a rule matches.

    Attributes:
        left: the node.
        right: the node of its class that the right side matches; -1 if the right side is a variable, or is in the class in another form only.
    """

    left: int
    right: int = -1


@dataclass(frozen=True, slots=True)
class RuleSites:
    """The sites of one rule.

    Attributes:
        rule: the rule.
        sites: the sites, in order of their nodes.
        is_complete: whether all matches were tried; matching ends after a number of steps.
    """

    rule: Rule
    sites: tuple[Site, ...]
    is_complete: bool


def find_sites(snapshot: Snapshot, rules: Iterable[Rule], steps: int = STEPS) -> list[RuleSites]:
    """The sites of each rule.

    >>> import eqsat as eq
    >>> best = eq.optimize(eq.UOp.sink(eq.variable("x", 0, 63) // 8 // 4))
    >>> [found] = find_sites(best.snapshot, [rule for rule in best.rules if rule.name == "divide_twice"])
    >>> [(best.problem.labels[site.left], best.problem.labels[site.right]) for site in found.sites]
    [('FLOORDIV', 'FLOORDIV')]
    """
    searched = Searched(snapshot)
    return [_sites_of(searched, rule, steps) for rule in rules]


def _sites_of(searched: Searched, rule: Rule, steps: int) -> RuleSites:
    found: set[Site] = set()
    searched.steps_left = steps
    try:
        for variant in variants_of(rule):
            for site in _sites_of_variant(searched, variant):
                found.add(site)
    except OutOfSteps:
        return RuleSites(rule, tuple(sorted(found)), is_complete=False)
    return RuleSites(rule, tuple(sorted(found)), is_complete=True)


def _sites_of_variant(searched: Searched, variant: Variant) -> Iterable[Site]:
    for match in match_left(searched, variant):
        rights = [node for node in match_right(searched, variant, match) if node != match.node]
        yield from (Site(match.node, node) for node in rights or (-1,))
