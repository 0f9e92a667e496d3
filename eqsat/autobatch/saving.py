"""Chooses what recursive functions save across calls: a value that is needed afterwards, or less that it can be computed from.

Before: a typed program in which every variable holds one tensor. After: an equal one, whose blocks may compute what follows a call before it, again
after it, or from another value that is saved anyway. Variables that no recursive call finds alive need no stack.

The values of a block are saturated together. In the extraction problem each e-class stands once for each place between calls. There it is
computed by one of its e-nodes, of operands at the same place, or taken from what was saved; saving it across a call costs a push and a pop. So
one DAG cost counts operations and pushes.

Source: P. Briggs, K. Cooper, L. Torczon, Rematerialization (PLDI 1992), for the choice.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from eqsat.array import Array, asarray
from eqsat.array.data import stand_in
from eqsat.autobatch.analysis.liveness import live_at_entries, live_within
from eqsat.autobatch.ir import (
    Block,
    ControlFlowGraph,
    Function,
    FunctionCallOp,
    PopOp,
    PrimOp,
    Program,
    Type,
    VariableAllocation,
)
from eqsat.autobatch.ir.operations import Operation
from eqsat.autobatch.ir.types import TensorType, tensor_of
from eqsat.autobatch.lowering import lower
from eqsat.autobatch.optimization import relevant
from eqsat.autobatch.primitives import traced
from eqsat.dtype import DType
from eqsat.egraph.saturate import saturate
from eqsat.egraph.search.budget import Budget
from eqsat.extract import Beam, Latency, Problem
from eqsat.ops import ALU, Op
from eqsat.pipeline.plan import Plan
from eqsat.uop import UOp, rewrite, toposort

SAVING = 2.0  # cycles of a push and the pop that follows, as the table of prices has those of operations; 1.6 were measured
_MOST_NODES = 400  # of the values of a block
_BUDGET = Budget(nodes=1000, iterations=4)  # inverses lead to larger and larger terms
_EXTRACTOR = Beam()  # in 15 to 45 ms the optimum, where that was found
_INVERTIBLE = {Op.ADD: Op.SUB, Op.SUB: Op.ADD, Op.XOR: Op.XOR}
_SCALARS = ALU | {Op.CAST, Op.BITCAST, Op.CONST, Op.PARAM, Op.RESHAPE}


def with_cheapest_saves(program: Program, plan: Plan) -> Program:
    """The program in which recursive functions save what costs least; the same one if none can do with fewer stacks."""
    recursive = _recursive_calls(program)
    functions = tuple(_improved(function, recursive, program, plan) for function in program.functions)
    types = {name: held for _, more in functions for name, held in more.items()}
    if not types:
        return program
    found = replace(program, functions=tuple(function for function, _ in functions)).replace(
        {**program.var_defs, **types}
    )
    return found if _stacked(found) < _stacked(program) else program


def _recursive_calls(program: Program) -> set[tuple[str, str]]:
    """The pairs of a function and one that it calls and that may call it again."""
    callees = {
        function.name: {
            operation.function
            for block in function.graph.blocks
            for operation in block.operations
            if isinstance(operation, FunctionCallOp)
        }
        for function in program.functions
    }
    found: set[tuple[str, str]] = set()
    for caller, called in callees.items():
        for callee in called:
            reached, pending = {callee}, [callee]
            while pending:
                new = callees[pending.pop()] - reached
                reached |= new
                pending += new
            if caller in reached:
                found.add((caller, callee))
    return found


def _stacked(program: Program) -> tuple[int, int]:
    """The bytes, and the number, of variables that need stacks."""
    lowered = lower(program)
    full = [name for name, how in lowered.var_alloc.items() if how is VariableAllocation.FULL]
    held = [tensor_of(lowered.var_defs, name) for name in full if name in lowered.var_defs]
    return sum(each.size * each.dtype.itemsize for each in held), len(full)


def _improved(
    function: Function, recursive: set[tuple[str, str]], program: Program, plan: Plan
) -> tuple[Function, dict[str, Type]]:
    """A function with other blocks where that pays, and the types of new variables."""
    live = live_at_entries(function)
    types: dict[str, Type] = {}

    def fresh(dtype: DType) -> str:
        name = f"{function.name}.saved{len(types)}"
        types[name] = Type(TensorType(dtype))
        return name

    def improved(block: Block) -> Block:
        saves = [
            isinstance(operation, FunctionCallOp) and (function.name, operation.function) in recursive
            for operation in block.operations
        ]
        if not any(saves):
            return block
        values = _Values.of(block, saves, live_within(block, live), program)
        return (_Cheapest(values, plan, fresh).block() if values.saved else None) or block

    blocks = tuple(map(improved, function.graph.blocks))
    return replace(function, graph=ControlFlowGraph(blocks)), types


@dataclass(frozen=True, slots=True)
class _Event:
    """A call, or an operation on arrays, which stays where it is; what scalars are computed lies between these."""

    operation: PrimOp | FunctionCallOp
    saves: bool


@dataclass(frozen=True)
class _Values:
    """A block as events, and the scalars that each event and the end need, as graphs of leaves.

    Attributes:
        block: the block.
        events: place k is before event k; the last place is the end.
        leaves: for each graph that stands for a variable as an event left it, or the beginning of the block, that variable and its first place.
        needed: at each place, the graphs of the variables that are read there.
        types: of variables.
        saved: how many scalars live across calls that save.
    """

    block: Block
    events: list[_Event]
    leaves: dict[UOp, tuple[str, int]]
    needed: list[dict[str, UOp]]
    types: Mapping[str, Type]
    saved: int

    @staticmethod
    def of(block: Block, saves: Sequence[bool], live: Sequence[Sequence[str]], program: Program) -> _Values:
        """Follows a block; `live` are the variables alive before each operation, and at the end."""
        across = (
            set(after).difference(operation.vars_out)
            for operation, after, is_saving in zip(block.operations, live[1:], saves, strict=True)
            if is_saving and not isinstance(operation, PopOp)
        )
        saved = {name for names in across for name in names if not tensor_of(program.var_defs, name).shape}
        following = _Values(block, [], {}, [], program.var_defs, len(saved))
        held: dict[str, UOp] = {}
        for operation, is_saving in zip(block.operations, saves, strict=True):
            assert isinstance(operation, PrimOp | FunctionCallOp), "programs before lowering pop nothing"
            values = following._computed(operation, held) if isinstance(operation, PrimOp) else None
            if values is not None:
                held |= zip(operation.vars_out, values, strict=True)
                continue
            following._need(operation.vars_in, held)
            following.events.append(_Event(operation, is_saving))
            held |= {
                name: following._leaf(name, len(following.events))
                for name in operation.vars_out
                if following._is_scalar(name)
            }
        following._need(live[-1], held)
        return following

    def _need(self, names: Sequence[str], held: dict[str, UOp]) -> None:
        self.needed.append({name: self._read(name, held) for name in names if self._is_scalar(name)})

    def _is_scalar(self, name: str) -> bool:
        return not tensor_of(self.types, name).shape

    def _read(self, name: str, held: dict[str, UOp]) -> UOp:
        if name not in held:
            held[name] = self._leaf(name, 0)
        return held[name]

    def _leaf(self, name: str, place: int) -> UOp:
        tensor = tensor_of(self.types, name)
        leaf = stand_in(len(self.leaves), tensor.shape, tensor.dtype)
        self.leaves[leaf] = name, place
        return leaf

    def _computed(self, operation: PrimOp, held: dict[str, UOp]) -> list[UOp] | None:
        """The graphs of what an operation computes; None if these are not scalars of scalars."""
        if not all(map(self._is_scalar, (*operation.vars_in, *operation.vars_out))):
            return None
        graph = traced(operation, self.types).graph
        if any(node.op not in _SCALARS and node.op is not Op.SINK for node in toposort([graph])):
            return None
        slots = {
            stand_in(slot, (), tensor_of(self.types, name).dtype): self._read(name, held)
            for slot, name in enumerate(operation.vars_in)
        }
        return rewrite(list(graph.src), slots)


class _Cheapest:
    """Extracts the values of a block at all places, and writes the block that computes them there."""

    def __init__(self, values: _Values, plan: Plan, fresh: Callable[[DType], str]) -> None:
        self._values = values
        self._plan = plan
        self._fresh = fresh
        self._places = len(values.needed)
        self._held: dict[int, str] = {}  # by class of the problem, the variable that crosses an event with it
        self._leaves: dict[str, UOp] = {}

    def block(self) -> Block | None:
        """The block; None where it is too large, or would save as many values as it does."""
        roots = list(dict.fromkeys(value for needed in self._values.needed for value in needed.values()))
        nodes = toposort(roots)
        if len(nodes) > _MOST_NODES:
            return None
        has_floats = any(isinstance(node.dtype, DType) and node.dtype.scalar.is_float for node in nodes)
        rules = relevant(self._plan.admitted, has_arrays=False, has_floats=has_floats)
        self._snapshot = saturate(roots, rules, _BUDGET, [*_inverses(nodes)]).snapshot
        self._class_of = dict(zip(roots, self._snapshot.root_classes.tolist(), strict=True))
        self._extract()
        saved = sum(self._is_saved_after(now) for now in self._chosen_classes())
        return self._written() if saved < self._values.saved else None

    # the extraction problem: class c of the e-graph at place p is _now(c, p), and _now(c, p) + 1 where it is saved

    def _now(self, class_: int, place: int) -> int:
        return 2 * (class_ * self._places + place)

    def _extract(self) -> None:
        self._rows: list[tuple[float, int, list[int], int]] = []  # cost, class, children, e-node or -1
        costs = Problem.from_snapshot(self._snapshot, Latency(self._plan.machine)).node_cost.tolist()
        first_places = {leaf.src[0].arg: place for leaf, (_, place) in self._values.leaves.items()}
        for node, (term, class_) in enumerate(
            zip(self._snapshot.terms, self._snapshot.node_class.tolist(), strict=True)
        ):
            is_leaf = term.op is Op.PARAM
            places = [first_places[term.arg]] if is_leaf else range(self._places)
            cost = 0.0 if is_leaf or term.op in (Op.RESHAPE, Op.CONST) else costs[node]
            for place in places:
                children = [self._now(operand, place) for operand in self._snapshot.operands(node)]
                self._rows.append((cost, self._now(class_, place), children, node))
        for class_, shape in enumerate(self._snapshot.class_shape):
            if shape == ():
                self._add_crossings(class_)
        needed = [
            self._now(self._class_of[value], place)
            for place, each in enumerate(self._values.needed)
            for value in each.values()
        ]
        costs, classes, children, _ = map(list, zip(*self._rows, strict=True))
        count = 2 * self._places * len(self._snapshot.class_shape)
        problem = Problem.build(costs, classes, children, list(dict.fromkeys(needed)), class_count=count)
        self._choice: list[int] = _EXTRACTOR.extract(problem).choice.tolist()

    def _add_crossings(self, class_: int) -> None:
        for place in range(1, self._places):
            before, now = self._now(class_, place - 1), self._now(class_, place)
            self._rows.append((0.0, now + 1, [before + 1], -1))
            self._rows.append((0.0, now, [now + 1], -1))
            if self._values.events[place - 1].saves:
                self._rows.append((SAVING, now + 1, [before], -1))
            else:
                self._rows.append((0.0, now, [before], -1))

    def _chosen_classes(self) -> list[int]:
        return [class_ for class_, row in enumerate(self._choice) if row >= 0]

    def _is_saved_after(self, class_: int) -> bool:
        """Whether a chosen class is where a value begins to be saved."""
        return class_ % 2 == 1 and self._rows[self._choice[class_]][2][0] % 2 == 0

    # the new block

    def _written(self) -> Block:
        operations: list[Operation] = []
        for place, event in enumerate(self._values.events):
            targets = {name: self._graph(value, place) for name, value in self._values.needed[place].items()}
            names = {name: self._variable(graph, ()) for name, graph in targets.items()}
            made = {names[name]: graph for name, graph in targets.items()} | self._kept_after(place)
            operations += self._computing(made, event.operation)
            given = tuple(names.get(name, name) for name in event.operation.vars_in)
            operations.append(replace(event.operation, vars_in=given))
        last = {name: self._graph(value, self._places - 1) for name, value in self._values.needed[-1].items()}
        operations += self._computing(last, self._values.events[-1].operation)
        return replace(self._values.block, operations=tuple(operations))

    def _kept_after(self, place: int) -> dict[str, UOp]:
        """What is computed before an event because it is read after it: variables and their values."""
        made: dict[str, UOp] = {}
        overwritten = {name for event in self._values.events[place:] for name in event.operation.vars_out}
        for class_ in self._chosen_classes():
            children = self._rows[self._choice[class_]][2]
            is_crossing = len(children) == 1 and self._rows[self._choice[class_]][3] < 0
            if is_crossing and class_ // 2 % self._places == place + 1 and children[0] % 2 == 0:
                if children[0] // 2 % self._places == place:
                    graph = self._built(children[0])
                    self._held[class_] = self._variable(graph, overwritten)
                    made[self._held[class_]] = graph
        return made

    def _variable(self, graph: UOp, overwritten: Collection[str]) -> str:
        """The variable that holds a value already, unless it is overwritten; or a new one."""
        name = next((name for name, leaf in self._leaves.items() if leaf is graph), None)
        assert isinstance(graph.dtype, DType)
        return name if name is not None and name not in overwritten else self._fresh(graph.dtype)

    def _graph(self, value: UOp, place: int) -> UOp:
        return self._built(self._now(self._class_of[value], place))

    def _built(self, root: int) -> UOp:
        """The graph of a class of the problem, of variables as they are at its place."""
        built: dict[int, UOp] = {}
        pending = [root]
        while pending:
            class_ = pending[-1]
            _, _, children, node = self._rows[self._choice[class_]]
            if class_ in built:
                pending.pop()
            elif class_ in self._held:
                built[class_] = self._leaf(self._held[class_], self._dtype(class_))
            elif node >= 0 and self._snapshot.terms[node].op is Op.PARAM:
                built[class_] = self._param(node)
            elif missing := [child for child in children if child not in built]:
                pending += missing
            else:
                operands = [built[child] for child in children]
                built[class_] = operands[0] if node < 0 else self._snapshot.write(node, operands)
        return built[root]

    def _dtype(self, class_: int) -> DType:
        found = self._snapshot.class_dtype[class_ // 2 // self._places]
        assert isinstance(found, DType)
        return found

    def _param(self, node: int) -> UOp:
        slot = self._snapshot.terms[node].arg
        name, dtype = next(
            (name, leaf.dtype) for leaf, (name, _) in self._values.leaves.items() if leaf.src[0].arg == slot
        )
        assert isinstance(dtype, DType)
        return self._leaf(name, dtype).src[0]

    def _leaf(self, name: str, dtype: DType) -> UOp:
        if name not in self._leaves:
            self._leaves[name] = stand_in(len(self._leaves), (), dtype)
        return self._leaves[name]

    def _computing(self, made: Mapping[str, UOp], near: PrimOp | FunctionCallOp) -> Iterator[Operation]:
        """One operation for all values that are not in their variables already."""
        wanted = {name: graph for name, graph in made.items() if self._leaves.get(name) is not graph}
        if not wanted:
            return
        used = set(toposort(list(wanted.values())))
        read = {name: leaf for name, leaf in self._leaves.items() if leaf in used}
        function = _OfVariables(tuple(wanted.values()), tuple(read.values()))
        names = tuple(wanted)
        yield PrimOp(tuple(read), names, function, frozenset(names), "saved", near.position)


@dataclass(frozen=True, slots=True)
class _OfVariables:
    """What graphs compute of the values of leaves, as a function of arrays."""

    graphs: tuple[UOp, ...]
    leaves: tuple[UOp, ...]

    def __call__(self, *given: Any) -> Any:
        values = {leaf: asarray(value).uop for leaf, value in zip(self.leaves, given, strict=True)}
        found = tuple(Array(graph) for graph in rewrite(list(self.graphs), values))
        return found[0] if len(found) == 1 else found


def _inverses(nodes: Iterable[UOp]) -> Iterator[tuple[UOp, UOp]]:
    """For sums of integers, and the like, each operand of the result: these wrap, so that nothing is lost."""
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
