"""The library's rules over single integers, indices and bools are proved; `eqsat rules --verify` does it at every width."""

from eqsat.dtype import bool_, index, int8
from eqsat.proof import verify
from eqsat.rules.conversions.casts import casts
from eqsat.rules.language.rule import RuleSet
from eqsat.rules.library import INDEX_LIBRARY

EVERY = 3
LEAST_SHARE = 0.85  # of proofs that do not take too long, on a slow machine


def test_scalar_rules_are_proved(request):
    """With `--rules-verified` some of them: the command tries all, and what is left to see here is how many are proved, not sampled."""
    every = EVERY if request.config.getoption("--rules-verified") else 1
    rules = RuleSet((INDEX_LIBRARY + casts.ruleset).rules[::every])
    report = verify(rules, [bool_, int8, index], cache=None)
    proved, claims = report.integral
    assert (report.refuted, report.unmatched) == (0, 0)
    assert claims > 200 / every
    assert proved >= LEAST_SHARE * claims
