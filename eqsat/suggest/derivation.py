"""Finds the candidates that rules derive already: on examples, both sides end up in one class of a saturated e-graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from eqsat.dtype import DType, index
from eqsat.egraph.saturate import saturate
from eqsat.egraph.search.budget import Budget, StopReason
from eqsat.errors import BuildError, RuleError
from eqsat.extract.costs.protocol import is_leaf
from eqsat.ops import Op
from eqsat.rules.language.instantiate import build
from eqsat.rules.language.pattern import Value
from eqsat.rules.language.rule import Rule, RuleSet
from eqsat.rules.language.walking import nodes_of
from eqsat.simplification.simplify import simplify_scalars
from eqsat.suggest.candidate import Candidate
from eqsat.suggest.grammar import Grammar
from eqsat.uop import UOp, toposort

# The seconds are never reached in practice, so that every run decides alike
BUDGET = Budget(nodes=60_000, iterations=40, seconds=60.0)
_FINISHED = frozenset({StopReason.SATURATED, StopReason.EXPLORED})
FAR = 1_000_003  # the magnitude of the bounds of an index about which nothing is assumed


def underivable(candidates: Sequence[Candidate], rules: RuleSet, grammar: Grammar) -> list[Candidate]:
    """The candidates, in order, whose sides the rules do not merge on all examples of their setting.

    The examples of all candidates share one e-graph. If that is too large to be saturated, the remaining candidates are tried again in halves.
    """
    examples = [(each, pair) for each in candidates for pair in _examples(each, grammar)]
    saturation = saturate([side for _, pair in examples for side in pair], rules, BUDGET)
    classes = saturation.snapshot.root_classes.reshape(-1, 2).tolist()
    differing = {each for (each, _), (left, right) in zip(examples, classes, strict=True) if left != right}
    kept = [each for each in candidates if each in differing]
    report = saturation.report
    if len(kept) < 2 or (report.stop in _FINISHED and not report.banned):
        return kept
    half = len(kept) // 2
    return underivable(kept[:half], rules, grammar) + underivable(kept[half:], rules, grammar)


def is_applicable(rule: Rule) -> bool:
    """Whether the e-graph can apply a rule. It cannot read bounds of the remaining operands of a sum, nor compute floats."""
    try:
        saturate([UOp.const(index, 0)], RuleSet((rule,)), BUDGET)
    except RuleError:
        return False
    return True


def simplified_already(candidate: Candidate, rules: RuleSet, grammar: Grammar) -> bool:
    """Whether simplification already makes the left side as small as the right one, using conditions inside branches, which is no rule."""
    if not any(node.op is Op.WHERE for node in nodes_of(candidate.left)):
        return False
    pairs = list(_examples(candidate, grammar))
    found = [simplify_scalars([left], rules, BUDGET).values[0] for left, _ in pairs]
    return all(_operations(best) <= _operations(right) for best, (_, right) in zip(found, pairs, strict=True))


def _operations(root: UOp) -> int:
    return sum(not is_leaf(node.op) for node in toposort([root]))


def _examples(candidate: Candidate, grammar: Grammar) -> Iterator[tuple[UOp, UOp]]:
    """Both sides as terms, with numbers for the constants; one pair for each instance of the setting."""
    for instance in candidate.setting.instances:
        bindings = {
            name: _variable(name, grammar.values[name], instance)
            if isinstance(variable, Value)
            else instance[name]
            for name, variable in candidate.variables.items()
        }
        try:
            left = build(candidate.left, bindings, grammar.dtype)
            assert isinstance(left.dtype, DType)
            yield left, build(candidate.right, bindings, left.dtype)
        except (BuildError, RuleError):
            continue  # a constant of the right side has no value here


def _variable(name: str, dtype: DType, instance: Mapping[str, int | tuple[int, int]]) -> UOp:
    if dtype.is_float:
        return UOp.param(ord(name), 1, dtype).reshape(())
    least, greatest = (-FAR, FAR) if dtype.is_index else (dtype.min, dtype.max)
    bounds = instance.get(name, (least, greatest))
    assert isinstance(bounds, tuple)
    return UOp.variable(name, *bounds, dtype)
