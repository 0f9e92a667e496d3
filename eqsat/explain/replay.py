"""Replays an explanation step by step. Replay shares no code with the search that found the explanation.

For a rule step, replay builds one side of the rule from the recorded bindings and compares it with the sub-term at the position. It evaluates the
guard with bounds that it computes from those terms, builds the other side, and compares it with the recorded result. For a theory step it
runs the check of that theory (`theory_checks`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from eqsat.dtype import DType
from eqsat.egraph.tables.encode import operands_of
from eqsat.egraph.theories.terms.assumptions import Assumption, known_truths
from eqsat.egraph.theories.terms.bounds import Bounds
from eqsat.errors import EqsatError, ReplayError
from eqsat.explain.dtypes import build_like, fits
from eqsat.explain.steps import Lemma, Path, Step, StepKind
from eqsat.explain.theory_checks import THEORIES
from eqsat.integers.intervals import Interval
from eqsat.ops import Op
from eqsat.rules.language.instantiate import build, holds
from eqsat.rules.language.rule import Rule, bounded_values
from eqsat.simplification.simplify import conditional_sources
from eqsat.uop import UOp


def replay(
    before: UOp, after: UOp, steps: Sequence[Step], lemmas: Sequence[Lemma], rules: Iterable[Rule]
) -> UOp:
    """Carries out the steps on `before`, and returns the result, which is `after`.

    Raises:
        ReplayError: a step or a lemma does not hold; the message names it.
    """
    replaying = _Replay(before, lemmas, rules)
    replaying.prove_lemmas()
    result = replaying.chain(before, steps, (), len(lemmas), "", is_whole=True)
    if result is not after:
        raise ReplayError("the steps do not lead to the result that is recorded; make the explanation again")
    return result


class _Replay:
    def __init__(self, start: UOp, lemmas: Sequence[Lemma], rules: Iterable[Rule]) -> None:
        self.start, self.lemmas = start, lemmas
        self.rules = {rule.name: rule for rule in rules}

    def prove_lemmas(self) -> None:
        for number, lemma in enumerate(self.lemmas):
            found = self.chain(lemma.before, lemma.steps, lemma.assumptions, number, f"lemma {number}, ")
            if found is not lemma.after:
                raise ReplayError(
                    f"the steps of lemma {number} do not lead to its right side; make the explanation again"
                )

    def chain(
        self, term: UOp, steps: Sequence[Step], assumptions: Sequence[Assumption], usable: int, where: str, *,
        is_whole: bool = False,
    ) -> UOp:  # fmt: skip
        """The term at the end of a chain of steps. The steps may use the first `usable` lemmas."""
        for number, step in enumerate(steps):
            place = ".".join(map(str, step.position)) or "the root"
            complaint = f"{where}step {number} ({step.name} at {place}) does not hold"
            found = subterm(term, step.position)
            if found is None:
                raise ReplayError(f"{complaint}: there is no such position")
            if found is not step.before:
                raise ReplayError(f"{complaint}: another term stands there")
            if step.before.dtype != step.after.dtype or step.before.shape != step.after.shape:
                raise ReplayError(f"{complaint}: the result has another dtype or shape")
            if any(
                not 0 <= premise < usable
                for premise in (*step.premises, *([step.lemma] if step.lemma is not None else []))
            ):
                raise ReplayError(f"{complaint}: it uses a lemma that is not proved before it")
            problem = self.problem(step, assumptions, is_whole=is_whole)
            if problem:
                raise ReplayError(f"{complaint}: {problem}")
            term = replaced(term, step.position, step.after)
        return term

    def problem(self, step: Step, assumptions: Sequence[Assumption], *, is_whole: bool) -> str:
        """Why a step does not hold; empty if it holds."""
        if any(not _within(self.lemmas[number].assumptions, assumptions) for number in step.premises):
            return "it needs bounds that hold under other conditions only"
        premises = [(self.lemmas[number].before, self.lemmas[number].after) for number in step.premises]
        bounds = Bounds(premises, assumptions)
        match step.kind:
            case StepKind.RULE:
                rule = self.rules.get(step.name)
                return "there is no such rule" if rule is None else rule_problem(rule, step, bounds)
            case StepKind.THEORY:
                theory = THEORIES.get(step.name)
                sides = (step.before, step.after) if step.forwards else (step.after, step.before)
                if theory is None:
                    return "there is no such theory"
                return "" if theory.check(*sides, bounds) else "the theory's check rejects it"
            case _ if step.lemma is None:
                return "it names no lemma"
            case StepKind.LEMMA:
                return self.lemma_problem(step, self.lemmas[step.lemma], assumptions)
            case StepKind.BRANCH:
                return self.branch_problem(step, self.lemmas[step.lemma], assumptions)
            case StepKind.GATE:
                return self.gate_problem(step, self.lemmas[step.lemma], is_whole=is_whole)

    def lemma_problem(self, step: Step, lemma: Lemma, assumptions: Sequence[Assumption]) -> str:
        sides = (lemma.before, lemma.after) if step.forwards else (lemma.after, lemma.before)
        if sides != (step.before, step.after):
            return "the lemma says something else"
        return (
            "" if _within(lemma.assumptions, assumptions) else "the lemma holds under other conditions only"
        )

    def branch_problem(self, step: Step, lemma: Lemma, assumptions: Sequence[Assumption]) -> str:
        before, after = (step.before, step.after) if step.forwards else (step.after, step.before)
        changed = [
            place
            for place, (old, new) in enumerate(zip(before.src, after.src, strict=False))
            if old is not new
        ]
        if before.with_src(after.src) is not after or len(changed) != 1:
            return "something else than one source changes"
        given = dict(conditional_sources(before)).get(changed[0])
        if given is None:
            return "what changes matters under no condition"
        if (before.src[changed[0]], after.src[changed[0]]) != (lemma.before, lemma.after):
            return "the lemma says something else"
        known = (*assumptions, given)
        return "" if _within(lemma.assumptions, known) else "the lemma holds under other conditions only"

    def gate_problem(self, step: Step, lemma: Lemma, *, is_whole: bool) -> str:
        from eqsat.simplification.simplify import without_gates

        at_root = not step.position or (len(step.position) == 1 and self.start.op is Op.SINK)
        if not is_whole or not at_root or not step.forwards:
            return "gates may be left out of whole results only"
        task = without_gates(step.before)
        if task.value is not lemma.before or step.after is not lemma.after:
            return "the lemma says something else"
        return (
            ""
            if _within(lemma.assumptions, task.conditions)
            else "the lemma holds under other conditions only"
        )


def rule_problem(rule: Rule, step: Step, bounds: Bounds) -> str:
    """Why a step is not an application of a rule; empty if it is one."""
    if set(step.bindings) != set(rule.variables):
        return f"it must bind {', '.join(rule.variables)}"
    left, right = (step.before, step.after) if step.forwards else (step.after, step.before)
    if not isinstance(left.dtype, DType):
        return "rules are about values"
    values = [name for name in bounded_values(rule) if isinstance(step.bindings[name], UOp)]
    intervals: dict[str, Interval] = (
        dict(zip(values, bounds.of([step.bindings[name] for name in values]), strict=True)) if values else {}
    )
    try:
        if build_like(rule.left, step.bindings, left) is not left:
            return "the rule's left side, with these bindings, is another term"
        if not holds(rule, step.bindings, intervals):
            return "the rule's guard does not hold"
        if build(rule.right, step.bindings, left.dtype, left.shape or (), intervals) is not right:
            return "the rule's right side, with these bindings, is another term"
    except (EqsatError, TypeError, AttributeError, AssertionError) as error:
        return f"the bindings do not fit the rule ({error})"
    return "" if fits(rule, step.bindings, left) else "the rule does not hold for this dtype"


def _within(needed: Sequence[Assumption], given: Sequence[Assumption]) -> bool:
    """Whether the given assumptions contain or imply all needed ones."""
    known = known_truths(given) if needed else {}
    return all(known.get(condition) == holds for condition, holds in needed)


def subterm(term: UOp, path: Path) -> UOp | None:
    """The sub-term at a position; None if there is no such position, or if it holds no operand."""
    for place in path:
        operands = operands_of(term)
        if not 0 <= place < len(operands):
            return None
        term = operands[place]
    return term


def replaced(term: UOp, path: Path, new: UOp) -> UOp:
    """`term` with the sub-term at a position replaced by `new`."""
    spine = [term]
    for place in path:
        spine.append(spine[-1].src[place])
    for node, place in zip(reversed(spine[:-1]), reversed(path), strict=True):
        new = node.with_src((*node.src[:place], new, *node.src[place + 1 :]))
    return new
