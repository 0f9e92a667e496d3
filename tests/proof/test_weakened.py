"""The prover and the sampler agree on what becomes of the library's rules without a part of their guards."""

from dataclasses import replace
from functools import reduce

import pytest

from eqsat.proof.obligation import obligations
from eqsat.proof.proving.prove import Verdict, prove
from eqsat.proof.sample import sample
from eqsat.rules.language.scalar import Operation
from eqsat.rules.library import LIBRARY


def parts(guard):
    """What a guard joins by "and"."""
    if isinstance(guard, Operation) and guard.symbol == "and":
        return [part for operand in guard.operands for part in parts(operand)]
    return [guard]


def weakened(rule):
    """The rule without each part of its guard in turn."""
    kept = parts(rule.where)
    for place in range(len(kept)):
        others = kept[:place] + kept[place + 1 :]
        yield replace(rule, where=reduce(Operation.__and__, others) if others else None)


GUARDED = [rule for rule in LIBRARY if rule.where is not None]


@pytest.mark.parametrize("dtype", ["int8", "index"])
def test_nothing_is_proved_that_samples_refute(dtype):
    verdicts = {verdict: 0 for verdict in Verdict}
    for rule in (weaker for guarded in GUARDED for weaker in weakened(guarded)):
        for each in obligations([rule]):
            if each.dtypes == dtype and each.is_pointwise and each.is_integral:
                verdict = prove(each, 0.1).verdict
                verdicts[verdict] += 1
                if verdict is Verdict.PROVED:
                    assert sample(each, matches=8).counterexample is None, rule
    assert verdicts[Verdict.PROVED] > 5
    assert verdicts[Verdict.REFUTED] > 5
