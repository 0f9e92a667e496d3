"""The library's rules over single integers, indices and bools are proved; `eqsat rules --verify` does it at every width."""

from eqsat.dtype import bool_, index, int8
from eqsat.proof import verify
from eqsat.rules.conversions.casts import casts
from eqsat.rules.library import INDEX_LIBRARY

LEAST_SHARE = 0.85  # of proofs that do not take too long, on a slow machine


def test_scalar_rules_are_proved():
    report = verify(INDEX_LIBRARY + casts.ruleset, [bool_, int8, index], cache=None)
    proved, claims = report.integral
    assert (report.refuted, report.unmatched) == (0, 0)
    assert claims > 200
    assert proved >= LEAST_SHARE * claims
