"""Explains why a simplified expression equals the given one: a chain of steps through all stages of the simplification."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from eqsat.egraph.search.budget import Budget
from eqsat.egraph.theories.terms.assumptions import Assumption
from eqsat.egraph.theories.terms.bounds import Bounds
from eqsat.errors import ExplanationError
from eqsat.explain.closure.congruence import ByLemma
from eqsat.explain.derive import Derivation, replaced, without_detours
from eqsat.explain.explanation import Explanation
from eqsat.explain.search import Limits, Search
from eqsat.explain.steps import Lemma, Step, StepKind
from eqsat.ops import Op
from eqsat.rules.language.notation import term_text
from eqsat.rules.language.rule import RuleSet
from eqsat.simplification.simplify import Branch, Simplification, conditional_sources, simplify_scalars
from eqsat.uop import UOp

_NO_RULES = RuleSet()


def explain_equality(before: UOp, after: UOp, rules: RuleSet, limits: Limits | None = None) -> Explanation:
    """The explanation that leads from one term to an equal one.

    Raises:
        ExplanationError: no chain of steps was found within the limits.
    """
    chains = Chains(rules, Limits.of(limits))
    steps = chains.connect(before, after, ())
    return Explanation(before, after, tuple(steps), tuple(chains.lemmas), rules)


def explain_simplification(
    value: UOp, found: Simplification, rules: RuleSet, limits: Limits | None
) -> Explanation:
    """The explanation that leads from an expression, or a SINK of expressions, to its simplified form.

    Raises:
        ExplanationError: the steps of a stage were not found within the limits.
    """
    chains = Chains(rules, Limits.of(limits))
    roots = value.src if value.op is Op.SINK else (value,)
    steps: list[Step] = []
    for place, (root, task) in enumerate(zip(roots, found.tasks, strict=True)):
        after = found.values[place]
        path = (place,) if value.op is Op.SINK else ()
        own = chains.through(
            task.value, [(stage.values[place], stage.branches) for stage in found.stages], task.conditions
        )
        if task.value is root and not task.conditions:
            steps += [step.inside(path) for step in own]
        else:
            number = chains.lemma(task.value, after, own, task.conditions)
            steps.append(Step(StepKind.GATE, f"lemma {number}", True, path, root, after, lemma=number))
    result = value.with_src(found.values) if value.op is Op.SINK else found.values[0]
    return Explanation(value, result, tuple(steps), tuple(chains.lemmas), rules)


def explain_by_simplifying(
    before: UOp, after: UOp, rules: RuleSet, budget: Budget, limits: Limits | None
) -> Explanation | None:
    """The explanation between two scalars that simplify to the same expression; None if they do not.

    Raises:
        ExplanationError: they do, but the steps of a stage were not found within the limits.
    """
    ends = [simplify_scalars([side], rules, budget) for side in (before, after)]
    if ends[0].values != ends[1].values:
        return None
    chains = Chains(rules, Limits.of(limits))
    there, back = (
        chains.through(side, [(stage.values[0], stage.branches) for stage in found.stages], ())
        for side, found in zip((before, after), ends, strict=True)
    )
    steps = without_detours(before, [*there, *(step.turned() for step in reversed(back))])
    return Explanation(before, after, tuple(steps), tuple(chains.lemmas), rules)


class Chains:
    """Builds chains of steps, and collects the lemmas that they use."""

    def __init__(self, rules: RuleSet, limits: Limits) -> None:
        self.rules = rules
        self.limits = limits
        self.lemmas: list[Lemma] = []

    def lemma(self, before: UOp, after: UOp, steps: Sequence[Step], assumptions: Sequence[Assumption]) -> int:
        """Adds a lemma and returns its number."""
        self.lemmas.append(Lemma(before, after, tuple(steps), tuple(assumptions)))
        return len(self.lemmas) - 1

    def through(
        self, term: UOp, stages: Sequence[tuple[UOp, Sequence[Branch]]], assumptions: Sequence[Assumption]
    ) -> list[Step]:
        """The steps from a term through all stages of its simplification."""
        start, steps = term, list[Step]()
        for value, branches in stages:
            steps += (
                self.branches(term, value, branches) if branches else self.connect(term, value, assumptions)
            )
            term = value
        return without_detours(start, steps)

    def connect(self, before: UOp, after: UOp, assumptions: Sequence[Assumption]) -> list[Step]:
        """The steps from one term to another, found by a search with the rules.

        Raises:
            ExplanationError: no steps were found within the limits.
        """
        if before is after:
            return []
        if assumptions and Bounds((), assumptions).is_contradiction():
            return [Step(StepKind.THEORY, "impossible", True, (), before, after)]
        search = Search(self.rules, self.limits, assumptions)
        found = search.connect(before, after)
        # Rules may break a sum up before its like terms are collected
        if not found and not search.is_exhausted:
            search = Search(self.rules, self.limits, assumptions, theories_first=True)
            found = search.connect(before, after)
        if not found:
            raise ExplanationError(
                f"no chain of rules was found from {term_text(before, 400)} to {term_text(after, 400)}; "
                f"{search.spent}; a greater budget may help"
            )
        return Derivation(search.closure, self.lemmas, search.stand_ins, assumptions).steps(before, after)

    def branches(self, before: UOp, after: UOp, branches: Sequence[Branch]) -> list[Step]:
        """The steps that replace branches of WHEREs (and gated sources) by their simplified forms, under their conditions."""
        search = Search(_NO_RULES, self.limits)
        search.show(before)
        search.show(after)
        proved: dict[Branch, int] = {}
        conditional = [
            (node, found) for node in search.closure.members if (found := conditional_sources(node))
        ]
        for node, sources in conditional:
            renewed = node
            for branch, (place, given) in product(branches, sources):
                if given != (branch.condition, branch.holds) or renewed.src[place] is not branch.before:
                    continue
                if branch not in proved:
                    steps = self.connect(branch.before, branch.after, (given,))
                    proved[branch] = self.lemma(branch.before, branch.after, steps, (given,))
                changed = replaced(renewed, (place,), branch.after)
                search.show(changed)
                search.closure.merge(renewed, changed, ByLemma(StepKind.BRANCH, proved[branch]))
                renewed = changed
        if not search.connect(before, after):
            raise ExplanationError(
                f"no chain was found from {term_text(before, 400)} to {term_text(after, 400)}"
            )
        return Derivation(search.closure, self.lemmas, {}, ()).steps(before, after)
