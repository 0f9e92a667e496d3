"""Scalar expressions with as few operations as can be found: saturation, what conditions say about branches, and shared sums.

1. Gates: a choice between a value and one that does not matter (EMPTY) is the value, and what the result is made of may be simplified as if the
   condition held, since the result has no value where it fails.
2. The graph is saturated and the cheapest expression extracted.
3. Branches of the choices that are left, and indices behind gates, are simplified under their conditions, as long as that helps.
4. Parts that sums and other chains have in common are computed once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from time import perf_counter

from eqsat.dtype import DType, bool_
from eqsat.egraph.saturate import saturate
from eqsat.egraph.search.budget import Budget
from eqsat.extract.costs import FewestOperations, Node, Value
from eqsat.extract.extractors.beam import Beam
from eqsat.extract.extractors.greedy_dag import GreedyDag
from eqsat.extract.problem.problem import Problem
from eqsat.extract.problem.result import Extraction
from eqsat.ops import MOVEMENT, Op
from eqsat.rules.conversions.casts import casts
from eqsat.rules.language.rule import RuleSet
from eqsat.rules.language.structure import STRUCTURAL
from eqsat.rules.library import LIBRARY, SCALAR_TOPICS
from eqsat.simplification.assumptions import Condition, Copies, ImpossibleError
from eqsat.simplification.sharing import count_operations, share_operands
from eqsat.uop import UOp, rewrite, toposort

_OTHER = MOVEMENT | STRUCTURAL  # operations that rules about scalars are not about
_MOST_ROUNDS = 3  # of simplifying branches
_MOST_BRANCHES = 24  # simplified in one round
_ROUNDING = 1e-9  # of sums of costs


@dataclass(frozen=True, slots=True)
class Task:
    """An expression to simplify, and the conditions under which its value is used."""

    value: UOp
    conditions: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Branch:
    """What matters under a condition only (`conditional_sources`), simplified where that holds, or where it fails."""

    condition: UOp
    holds: bool
    before: UOp
    after: UOp


@dataclass(frozen=True, slots=True)
class Stage:
    """What one step of simplifying made of all expressions; `branches` are those it simplified, if it did that."""

    values: tuple[UOp, ...]
    branches: tuple[Branch, ...] = ()


@dataclass(frozen=True, slots=True)
class Simplification:
    """Simplified expressions, and how they came about.

    Attributes:
        tasks: the expressions without gates, and where they matter.
        stages: one after another; the last one has the results.
    """

    tasks: tuple[Task, ...]
    stages: tuple[Stage, ...]

    @property
    def values(self) -> tuple[UOp, ...]:
        """The results."""
        return self.stages[-1].values


def simplify_scalars(roots: Sequence[UOp], rules: RuleSet, budget: Budget) -> Simplification:
    """Expressions equal to `roots` wherever those have a value, with as few operations as were found; never more than `roots` have.

    The seconds of the budget are those of all saturations together.
    """
    deadline = perf_counter() + budget.seconds
    rules = integral_rules(rules) if all(map(_is_integral, toposort(roots))) else rules
    tasks = [without_gates(root) for root in roots]
    stages = [Stage(tuple(_simplified(tasks, rules, budget)))]
    for _ in range(_MOST_ROUNDS):
        if perf_counter() > deadline:
            break
        renewed = simplify_branches(stages[-1].values, rules, _until(deadline, budget))
        if renewed is None:
            break
        again = [Task(value, task.conditions) for value, task in zip(renewed.values, tasks, strict=True)]
        best = Stage(tuple(_simplified(again, rules, _until(deadline, budget))))
        if _cost(best.values) >= _cost(stages[-1].values):
            break
        stages += [renewed, best]
    if count_operations(stages[-1].values) > count_operations(roots):
        return Simplification(tuple(map(Task, roots)), (Stage(tuple(roots)),))
    return Simplification(tuple(tasks), tuple(stages))


def _until(deadline: float, budget: Budget) -> Budget:
    """What is left of a budget."""
    return replace(budget, seconds=deadline - perf_counter())


def _is_integral(node: UOp) -> bool:
    """Whether only rules about integers, indices and bools, and their conversions, can apply to a node."""
    return node.op not in _OTHER and isinstance(node.dtype, DType) and not node.dtype.scalar.is_float


@lru_cache(16)
def integral_rules(rules: RuleSet) -> RuleSet:
    """Of some rules those about scalars that are no floats: with fewer rules to look for, every iteration is quicker."""
    topics = {topic.name for topic in (*SCALAR_TOPICS, casts)}
    own = {rule.topic for rule in LIBRARY} - topics
    return RuleSet(tuple(rule for rule in rules if rule.topic not in own))


def _simplified(tasks: Sequence[Task], rules: RuleSet, budget: Budget) -> list[UOp]:
    """The value of each task, simplified together."""
    copies = Copies()
    values = [_under(copies, task) for task in tasks]
    saturation = saturate([UOp.sink(*values)], rules, budget, copies.equalities)
    problem = Problem.from_snapshot(saturation.snapshot, FewestOperations(copies.forbidden))
    (sink,) = saturation.snapshot.build(_cheapest(problem).choice)
    found = rewrite(sink.src, copies.originals) if copies.originals else list(sink.src)
    return share_operands(found)


def _cheapest(problem: Problem) -> Extraction:
    """The greedy choice where its bound shows that there is none cheaper; else what comes of keeping several candidates for each class."""
    greedy = GreedyDag().extract(problem)
    return greedy if greedy.dag_cost <= greedy.lower_bound + _ROUNDING else Beam().extract(problem)


def _under(copies: Copies, task: Task) -> UOp:
    if not task.conditions:
        return task.value
    try:
        return copies.under(task.value, task.conditions)
    except ImpossibleError:  # it never matters
        return _anything(task.value)


def _anything(value: UOp) -> UOp:
    return UOp.const(value.dtype, 0) if isinstance(value.dtype, DType) and not value.shape else value


def without_gates(root: UOp) -> Task:
    """`root` without the gates that decide whether it has a value at all, and the conditions under which it has one."""
    if not any(node.op is Op.EMPTY for node in toposort([root])):
        return Task(root)
    conditions: dict[Condition, None] = {}
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
    """The nodes without whose value `root` has none; a choice needs its condition, and its branch if the other one does not matter."""
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


def conditional_sources(node: UOp) -> list[tuple[int, Condition]]:
    """The sources that matter under a condition only: the branches of a choice, the index behind a gate, the alternative of a gated load."""
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
    """`roots` with what matters under conditions only simplified under them; None if the conditions say nothing about it."""
    copies = Copies()
    branches = _branches(roots, copies, budget.nodes)
    if not branches:
        return None
    values = [value for values in branches.values() for value in values.values()]
    saturation = saturate([UOp.sink(*values)], rules, budget, copies.equalities)
    problem = Problem.from_snapshot(saturation.snapshot, FewestOperations(copies.forbidden))
    (sink,) = saturation.snapshot.build(_cheapest(problem).choice)
    simplified = iter(rewrite(sink.src, copies.originals) if copies.originals else sink.src)
    results = {node: {position: next(simplified) for position in values} for node, values in branches.items()}
    changes = [
        Branch(*condition, node.src[position], found[position])
        for node, found in results.items()
        for position, condition in conditional_sources(node)
        if node.src[position] is not found[position]
    ]
    return Stage(_with_sources(roots, results), tuple(changes))


def _branches(roots: Sequence[UOp], copies: Copies, room: int) -> dict[UOp, dict[int, UOp]]:
    """For nodes with sources that matter under a condition only, these sources written for where it holds, by position.

    Nodes of which the conditions say nothing are left out, and so are those for which there is no room, in nodes of all branches together.
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
    """`roots` with some sources of nodes replaced, by position."""
    done: dict[UOp, UOp] = {}
    for node in toposort(roots):
        given = sources.get(node, {})
        done[node] = node.with_src(
            tuple(given.get(position, done[source]) for position, source in enumerate(node.src))
        )
    return tuple(done[root] for root in roots)


def _cost(roots: Sequence[UOp]) -> float:
    model = FewestOperations()
    return sum(
        model.cost(
            Node(
                node.op,
                node.dtype,
                node.arg,
                node.shape,
                tuple(Value(source.dtype, source.shape) for source in node.src),
            )
        )
        for node in toposort(roots)
    )
