"""Rules declared in a line, for tests."""

from eqsat.proof.obligation import obligations
from eqsat.rules.language.rule import INTEGERS, Soundness, Topic


def declared(function, domain=INTEGERS, **options):
    """The rule that a function with a docstring states."""
    topic = Topic("examples")
    topic.rule(domain, **options)(function)
    return topic.ruleset.rules[0]


def obligation(rule, dtypes):
    """The obligation of a rule on this choice of dtypes, in words."""
    return next(each for each in obligations([rule]) if each.dtypes == dtypes)


FINITE = Soundness.FINITE
