"""Simplifies scalar expressions in four steps.

1. Gates: a choice between a value and EMPTY (a value that does not matter) becomes the value. The whole may then be simplified as if the condition
   held, because the result has no value where the condition fails.
2. The graph is saturated, and the cheapest expression is extracted.
3. The branches of the remaining choices, and indices behind gates, are simplified under their conditions, as long as that helps.
4. Parts that n-ary operators have in common are computed once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from time import perf_counter

from eqsat.dtype import DType, bool_
from eqsat.egraph.saturate import saturate
from eqsat.egraph.search.budget import Budget
from eqsat.egraph.theories.terms.assumptions import Assumption
from eqsat.extract.costs import FewestOperations, total_cost
from eqsat.extract.extractors.beam import Beam
from eqsat.extract.extractors.greedy_dag import GreedyDag
from eqsat.extract.problem.problem import Problem
from eqsat.extract.problem.result import Extraction
from eqsat.ops import MOVEMENT, Op
from eqsat.rules.conversions.casts import casts
from eqsat.rules.language.rule import RuleSet
from eqsat.rules.language.structure import STRUCTURAL
from eqsat.rules.library import LIBRARY, SCALAR_TOPICS
from eqsat.simplification.assumptions import Copies, ImpossibleError
from eqsat.simplification.sharing import count_operations, share_operands
from eqsat.uop import UOp, rewrite, toposort

_OTHER = MOVEMENT | STRUCTURAL  # operations that scalar rules do not concern
_MOST_ROUNDS = 3  # most rounds of simplifying branches
_MOST_BRANCHES = 24  # most nodes whose branches are simplified in one round


@dataclass(frozen=True, slots=True)
class Task:
    """An expression to simplify, and the conditions under which its value is used."""

    value: UOp
    conditions: tuple[Assumption, ...] = ()


@dataclass(frozen=True, slots=True)
class Branch:
    """One of the `conditional_sources`, before and after it was simplified under the condition, or under its opposite if `holds` is false."""

    condition: UOp
    holds: bool
    before: UOp
    after: UOp


@dataclass(frozen=True, slots=True)
class Stage:
    """All expressions after one step. `branches` has the sources that the step simplified under their conditions, if any."""

    values: tuple[UOp, ...]
    branches: tuple[Branch, ...] = ()


@dataclass(frozen=True, slots=True)
class Simplification:
    """Simplified expressions, and the steps that led to them.

    Attributes:
        tasks: the expressions without gates, and the conditions under which their values are used.
        stages: the expressions after each step; the last stage has the results.
    """

    tasks: tuple[Task, ...]
    stages: tuple[Stage, ...]

    @property
    def values(self) -> tuple[UOp, ...]:
        """The simplified expressions."""
        return self.stages[-1].values


def simplify_scalars(roots: Sequence[UOp], rules: RuleSet, budget: Budget) -> Simplification:
    """Finds expressions with as few operations as possible, never more than `roots`, that equal the roots wherever these have a value.

    The seconds of the budget limit all saturations together.
    """
    deadline = perf_counter() + budget.seconds
    rules = integral_rules(rules) if all(map(_is_integral, toposort(roots))) else rules
    tasks = [without_gates(root) for root in roots]
    model = FewestOperations()
    stages = [Stage(tuple(_simplified(tasks, rules, budget)))]
    for _ in range(_MOST_ROUNDS):
        if perf_counter() > deadline:
            break
        renewed = simplify_branches(stages[-1].values, rules, budget.until(deadline))
        if renewed is None:
            break
        again = [Task(value, task.conditions) for value, task in zip(renewed.values, tasks, strict=True)]
        best = Stage(tuple(_simplified(again, rules, budget.until(deadline))))
        if total_cost(model, best.values) >= total_cost(model, stages[-1].values):
            break
        stages += [renewed, best]
    if count_operations(stages[-1].values) > count_operations(roots):
        return Simplification(tuple(map(Task, roots)), (Stage(tuple(roots)),))
    return Simplification(tuple(tasks), tuple(stages))


def _is_integral(node: UOp) -> bool:
    """Whether only rules about integers, indices and bools, and their conversions, can apply to a node."""
    return node.op not in _OTHER and isinstance(node.dtype, DType) and not node.dtype.scalar.is_float


@lru_cache(16)
def integral_rules(rules: RuleSet) -> RuleSet:
    """Drops the library's rules about floats and arrays. With fewer rules to match, every iteration is faster."""
    topics = {topic.name for topic in (*SCALAR_TOPICS, casts)}
    own = {rule.topic for rule in LIBRARY} - topics
    return RuleSet(tuple(rule for rule in rules if rule.topic not in own))


def _simplified(tasks: Sequence[Task], rules: RuleSet, budget: Budget) -> list[UOp]:
    """Simplifies the values of all tasks in one e-graph."""
    copies = Copies()
    values = [_under(copies, task) for task in tasks]
    return share_operands(_cheapest(values, copies, rules, budget))


def _cheapest(values: Sequence[UOp], copies: Copies, rules: RuleSet, budget: Budget) -> list[UOp]:
    """The cheapest expressions that saturation finds for `values`; copies are replaced by their originals."""
    saturation = saturate([UOp.sink(*values)], rules, budget, copies.equalities)
    problem = Problem.from_snapshot(saturation.snapshot, FewestOperations(copies.forbidden))
    (sink,) = saturation.snapshot.build(_extracted(problem).choice)
    return rewrite(sink.src, copies.originals) if copies.originals else list(sink.src)


def _extracted(problem: Problem) -> Extraction:
    """The greedy choice if its lower bound proves it optimal, else the choice of beam search."""
    greedy = GreedyDag().extract(problem)
    return greedy if greedy.optimal else Beam().extract(problem)


def _under(copies: Copies, task: Task) -> UOp:
    if not task.conditions:
        return task.value
    try:
        return copies.under(task.value, task.conditions)
    except ImpossibleError:  # the value is never used
        return _anything(task.value)


def _anything(value: UOp) -> UOp:
    return UOp.const(value.dtype, 0) if isinstance(value.dtype, DType) and not value.shape else value


def without_gates(root: UOp) -> Task:
    """Removes the gates of `root`, which are choices with EMPTY. Returns the value without them, and the conditions under which it has one."""
    if not any(node.op is Op.EMPTY for node in toposort([root])):
        return Task(root)
    conditions: dict[Assumption, None] = {}
    replaced: dict[UOp, UOp] = {}
    certain = _always_needed(root)
    for node in toposort([root]):
        if node.op is not Op.WHERE:
            continue
        condition, then, otherwise = node.src
        for branch, other, holds in ((then, otherwise, True), (otherwise, then, False)):
            if other.op is Op.EMPTY and not other.src:
                replaced[node] = branch
                if node in certain:
                    conditions[condition, holds] = None
                break
    done: dict[UOp, UOp] = {}
    for node in toposort([root]):
        branch = replaced.get(node)
        done[node] = (
            done[branch] if branch is not None else node.with_src(tuple(done[source] for source in node.src))
        )
    kept = tuple((done[condition], holds) for condition, holds in conditions)
    return Task(done[root] if done[root].op is not Op.EMPTY else _anything(root), kept)


def _always_needed(root: UOp) -> set[UOp]:
    """The nodes whose values `root` always needs. A choice always needs its condition; it needs a branch if the other one is EMPTY."""
    found: set[UOp] = set()
    pending = [root]
    while pending:
        node = pending.pop()
        if node in found:
            continue
        found.add(node)
        if node.op is Op.WHERE:
            gates = [source for source in node.src[1:] if source.op is Op.EMPTY]
            pending += node.src[:1] if not gates else node.src
        else:
            pending += node.src
    return found


def conditional_sources(node: UOp) -> list[tuple[int, Assumption]]:
    """The positions of sources that matter under a condition only: branches of a choice, the index behind a gate, the alternative of a gated load."""
    if node.op is Op.WHERE:
        return [(1, (node.src[0], True)), (2, (node.src[0], False))]
    if node.op is Op.INDEX and _is_gated(node):
        return [(1, (node.src[2], True))]
    if node.op is Op.LOAD and len(node.src) == 2 and _is_gated(node.src[0]):
        return [(1, (node.src[0].src[2], False))]
    return []


def _is_gated(address: UOp) -> bool:
    return address.op is Op.INDEX and len(address.src) == 3 and address.src[2].dtype == bool_


def simplify_branches(roots: Sequence[UOp], rules: RuleSet, budget: Budget) -> Stage | None:
    """Simplifies the `conditional_sources` in `roots` under their conditions. Returns None if the conditions say nothing about any of them."""
    copies = Copies()
    branches = _branches(roots, copies, budget.nodes)
    if not branches:
        return None
    values = [value for values in branches.values() for value in values.values()]
    simplified = iter(_cheapest(values, copies, rules, budget))
    results = {node: {position: next(simplified) for position in values} for node, values in branches.items()}
    changes = [
        Branch(*condition, node.src[position], found[position])
        for node, found in results.items()
        for position, condition in conditional_sources(node)
        if node.src[position] is not found[position]
    ]
    return Stage(_with_sources(roots, results), tuple(changes))


def _branches(roots: Sequence[UOp], copies: Copies, room: int) -> dict[UOp, dict[int, UOp]]:
    """Rewrites `conditional_sources` for where their conditions hold: maps a node to its rewritten sources by position.

    Leaves out nodes whose conditions say nothing about their sources. Stops when all branches together have more than `room` nodes.
    """
    found: dict[UOp, dict[int, UOp]] = {}
    for node in reversed(toposort(roots)):
        conditional = conditional_sources(node)
        if not conditional or len(found) >= _MOST_BRANCHES:
            continue
        room -= len(toposort([node.src[position] for position, _ in conditional]))
        if room < 0:
            break
        values = {
            position: _under(copies, Task(node.src[position], (condition,)))
            for position, condition in conditional
        }
        if any(value is not node.src[position] for position, value in values.items()):
            found[node] = values
    return found


def _with_sources(roots: Sequence[UOp], sources: Mapping[UOp, Mapping[int, UOp]]) -> tuple[UOp, ...]:
    """Replaces some sources of nodes in `roots`; `sources` has them by node and position."""
    done: dict[UOp, UOp] = {}
    for node in toposort(roots):
        given = sources.get(node, {})
        done[node] = node.with_src(
            tuple(given.get(position, done[source]) for position, source in enumerate(node.src))
        )
    return tuple(done[root] for root in roots)
