"""The extraction problem of a block's scalars: each e-class at each place is computed there, or carried over from an earlier place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from eqsat.autobatch.optimization import relevant
from eqsat.autobatch.saving.places import BlockValues
from eqsat.dtype import DType
from eqsat.egraph.saturate import saturate
from eqsat.egraph.search.budget import Budget
from eqsat.egraph.snapshot.snapshot import Snapshot
from eqsat.extract import Beam, Latency, Problem
from eqsat.ops import Op
from eqsat.pipeline.planning.plan import Plan
from eqsat.uop import UOp, toposort

SAVING = 2.0  # cycles of a push and its pop, in each pass and at the operations' prices; 1.6 were measured
_MOST_NODES = 400  # UOps of the values of a block, at most; larger blocks are left alone
_BUDGET = Budget(nodes=1000, iterations=4)  # a small budget, since inverses lead to ever larger terms
_EXTRACTOR = Beam()  # took 15 to 45 ms and was optimal wherever the optimum is known
_INVERTIBLE = {Op.ADD: Op.SUB, Op.SUB: Op.ADD, Op.XOR: Op.XOR}


class Held(NamedTuple):
    """A class of the problem: an e-class at a place, or its saved value at that place if `is_saved`."""

    class_: int
    place: int
    is_saved: bool = False


class Row(NamedTuple):
    """An e-node of the problem.

    Attributes:
        cost: the cost in cycles.
        owner: the class that it computes.
        children: the classes that it is computed from.
        node: the e-node of the snapshot; None if the value is only carried over.
    """

    cost: float
    owner: Held
    children: list[Held]
    node: int | None = None


@dataclass(frozen=True)
class Extracted:
    """The choice for a block.

    Attributes:
        values: the block.
        snapshot: its saturated e-graph.
        class_of: the e-class of each needed value.
        chosen: for each needed class, the row that computes it.
    """

    values: BlockValues
    snapshot: Snapshot
    class_of: dict[UOp, int]
    chosen: dict[Held, Row]

    @property
    def saved(self) -> int:
        """The number of values that are saved across calls."""
        return sum(held.is_saved and not row.children[0].is_saved for held, row in self.chosen.items())

    def carried_after(self, place: int) -> Iterator[tuple[Held, Held]]:
        """The values that are computed before event `place` and read after it: pairs of the class after the event and the class before it."""
        for held, row in self.chosen.items():
            if row.node is None and held.place == place + 1 and row.children[0] == Held(held.class_, place):
                yield held, row.children[0]


def extracted(values: BlockValues, plan: Plan) -> Extracted | None:
    """The cheapest choice for a block; None if the block is too large, or if the choice saves no fewer values than the block does now."""
    roots = list(dict.fromkeys(value for needed in values.needed for value in needed.values()))
    nodes = toposort(roots)
    if len(nodes) > _MOST_NODES:
        return None
    has_floats = any(isinstance(node.dtype, DType) and node.dtype.scalar.is_float for node in nodes)
    rules = relevant(plan.admitted, has_arrays=False, has_floats=has_floats)
    snapshot = saturate(roots, rules, _BUDGET, [*_inverses(nodes)]).snapshot
    class_of = dict(zip(roots, snapshot.root_classes.tolist(), strict=True))
    costs = Problem.from_snapshot(snapshot, Latency(plan.machine)).node_cost.tolist()
    rows = [
        *_computations(values, snapshot, costs),
        *_crossings(values, snapshot, SAVING * plan.machine.passes),
    ]
    needed = [
        Held(class_of[value], place) for place, each in enumerate(values.needed) for value in each.values()
    ]
    found = Extracted(values, snapshot, class_of, _solved(rows, needed))
    return found if found.saved < values.saved else None


def _computations(values: BlockValues, snapshot: Snapshot, costs: list[float]) -> Iterator[Row]:
    """Rows that compute a value: each e-node at each place, but a leaf only at the place where it gets its value."""
    first_places = {leaf.src[0].arg: place for leaf, (_, place) in values.leaves.items()}
    for node, (term, class_) in enumerate(zip(snapshot.terms, snapshot.node_class.tolist(), strict=True)):
        is_leaf = term.op is Op.PARAM
        cost = 0.0 if is_leaf or term.op in (Op.RESHAPE, Op.CONST) else costs[node]
        for place in [first_places[term.arg]] if is_leaf else range(values.places):
            children = [Held(operand, place) for operand in snapshot.operands(node)]
            yield Row(cost, Held(class_, place), children, node)


def _crossings(values: BlockValues, snapshot: Snapshot, saving: float) -> Iterator[Row]:
    """Rows that carry a scalar past an event: free if it is saved already or the event is no saving call, else for `saving` cycles.

    A saved value stays saved, and can be taken at any later place for free.
    """
    for class_, shape in enumerate(snapshot.class_shape):
        if shape != ():
            continue
        for place in range(1, values.places):
            before, now = Held(class_, place - 1), Held(class_, place)
            saved = Held(class_, place, is_saved=True)
            yield Row(0.0, saved, [before._replace(is_saved=True)])
            yield Row(0.0, now, [saved])
            if values.events[place - 1].saves:
                yield Row(saving, saved, [before])
            else:
                yield Row(0.0, now, [before])


def _solved(rows: list[Row], needed: list[Held]) -> dict[Held, Row]:
    numbers: dict[Held, int] = {}
    for row in rows:
        for held in (row.owner, *row.children):
            numbers.setdefault(held, len(numbers))
    problem = Problem.build(
        [row.cost for row in rows],
        [numbers[row.owner] for row in rows],
        [[numbers[child] for child in row.children] for row in rows],
        list(dict.fromkeys(numbers[held] for held in needed)),
        class_count=len(numbers),
    )
    choice = _EXTRACTOR.extract(problem).choice.tolist()
    return {held: rows[choice[number]] for held, number in numbers.items() if choice[number] >= 0}


def _inverses(nodes: Iterable[UOp]) -> Iterator[tuple[UOp, UOp]]:
    """Equalities that recover each operand of an integer ADD, SUB or XOR from the result; they hold because integers wrap."""
    for node in nodes:
        if node.op not in _INVERTIBLE or not isinstance(node.dtype, DType) or node.dtype.scalar.is_float:
            continue
        left, right = node.src
        undone = _INVERTIBLE[node.op]
        if left.op is not Op.CONST:
            yield left, UOp(undone, node.dtype, (node, right))
        if right.op is not Op.CONST:
            pair = (left, node) if node.op is Op.SUB else (node, left)
            yield right, UOp(Op.SUB if node.op is Op.SUB else undone, node.dtype, pair)
