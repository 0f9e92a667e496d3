"""Equality saturation under a budget.

A graph is encoded, then rules are applied in two phases: *simplify* until nothing changes, and *explore* a bounded number of times, each
followed by *simplify* again. Between runs of egglog, facts are brought up to date and the theory steps state what rules cannot find. One run of
egglog cannot be interrupted, so every run is one iteration, the budget is looked at between runs, and a rule that could make more than there is
room for is not run.
"""

from __future__ import annotations

from collections.abc import Sequence

from eqsat.egraph.search.budget import DEFAULT_BUDGET, Budget
from eqsat.egraph.search.report import Saturation
from eqsat.integers.facts import Facts
from eqsat.rules.language.rule import RuleSet
from eqsat.uop import UOp


def saturate(roots: Sequence[UOp], rules: RuleSet, budget: Budget = DEFAULT_BUDGET,
             equalities: Sequence[tuple[UOp, UOp]] = (), *, profile: bool = False) -> Saturation:  # fmt: skip
    """Everything that `rules` find equal to the values of `roots`.

    `equalities` are taken as true. The left side of each stays what it is, with the right side as another way to write it: that is how a split
    loop, `r = 8 * outer + inner`, keeps all its tilings in one e-graph. With `profile`, rules are applied one after the other, so that what each
    of them does can be told; that takes longer.

    Raises:
        RuleError: a rule cannot be compiled, or a function that it calls failed.
    """
    from eqsat.egraph.search.loop import search  # egglog takes a fifth of a second to import
    from eqsat.egraph.search.statistics import Recorder

    return search(roots, rules, budget, equalities, Recorder(rules) if profile else None)


def facts_of(roots: Sequence[UOp], rules: RuleSet, budget: Budget = DEFAULT_BUDGET,
             equalities: Sequence[tuple[UOp, UOp]] = ()) -> list[Facts]:  # fmt: skip
    """What is known of integer values wherever they have one, after saturation as by `saturate`."""
    from eqsat.egraph.search.loop import learn_facts  # egglog takes a fifth of a second to import

    return learn_facts(roots, rules, budget, equalities)
