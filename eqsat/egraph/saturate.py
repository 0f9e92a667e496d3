"""Equality saturation under a budget.

A graph is encoded, then rules are applied in two phases. *Simplify* runs until nothing changes. *Explore* runs a bounded number of times, each time
followed by *simplify*. Between runs of egglog, facts are brought up to date, and theories add equalities that rules cannot find. A run of egglog
cannot be interrupted. So every run is one iteration, the budget is checked between runs, and a rule that might make more rows than there is room
for is not run.
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
    """Saturates the graphs of `roots`: adds everything that `rules` find equal to them.

    `equalities` are assumed to hold. The left side of each is kept, and the right side is another term for it: this keeps all tilings of a
    split loop, `r = 8 * outer + inner`, in one e-graph. With `profile`, rules are applied one after the other, so that the work of each can be
    measured; that takes longer.

    Raises:
        RuleError: a rule cannot be compiled, or a function that it calls failed.
    """
    from eqsat.egraph.search.loop import search  # egglog takes a fifth of a second to import
    from eqsat.egraph.search.statistics import Recorder

    return search(roots, rules, budget, equalities, Recorder(rules) if profile else None)


def facts_of(roots: Sequence[UOp], rules: RuleSet, budget: Budget = DEFAULT_BUDGET,
             equalities: Sequence[tuple[UOp, UOp]] = ()) -> list[Facts]:  # fmt: skip
    """Facts about integer values that hold wherever they have one, found by saturation as in `saturate`."""
    from eqsat.egraph.search.loop import learn_facts  # egglog takes a fifth of a second to import

    return learn_facts(roots, rules, budget, equalities)
