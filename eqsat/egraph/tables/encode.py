"""Encodes UOps as egglog terms: one egglog rule with an empty body, whose actions build the whole graph.

Nested applications of an n-ary operator are flattened while encoding if the inner value has no other user, so deep sums cost no rule applications.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import egglog.bindings as egglog

from eqsat.comprehensions import MOST_ELEMENTS, known_elements
from eqsat.dtype import DType, index, wrap
from eqsat.egraph.tables.callbacks import float_bits
from eqsat.egraph.tables.schema import MOVED, SCALARS, kind_of, nary_op, table_of
from eqsat.egraph.tables.syntax import (
    Action,
    Expression,
    assert_,
    call,
    integer,
    let,
    put,
    small,
    text,
    union,
    variable,
)
from eqsat.integers.bounds import GREATEST, bounds
from eqsat.ops import ALU, COMPARISON, TABLE, Op
from eqsat.positions import iota_extent
from eqsat.rules.language.structure import LANED, STRUCTURAL, Role, roles_of
from eqsat.uop import UOp

MOST_OPERANDS = 256  # terms flattened into one multiset; longer sums nest
_SMALL = 256  # nodes of a graph in which only the roots are named
_KEEP_CONSTANT = frozenset(MOVED) - {Op.PAD}


@dataclass(frozen=True, slots=True)
class Payload:
    """What a LEAF or OPAQUE term keeps of its UOp: everything but the operands that are terms themselves."""

    op: Op
    arg: Any
    kept: tuple[UOp, ...]  # sources that stay as they are: the ranges that it ends, the extent of a RANGE


@dataclass(slots=True)
class Encoding:
    """A graph as actions, and what is needed to read it back.

    Attributes:
        actions: what builds the terms; root number i is also called `NAMED i`.
        payloads: of LEAF and OPAQUE terms, by their number.
        roots: how many roots there are.
        names: the first number that `NAMED` does not use.
        terms: how many there are.
        kinds: the kinds of dtypes that occur, see `schema.kind_of`.
        structure: the operations of `rules.language.structure` that occur.
    """

    actions: list[Action] = field(default_factory=list[Action])
    payloads: list[Payload] = field(default_factory=list[Payload])
    roots: int = 0
    names: int = 0
    terms: int = 0
    kinds: set[str] = field(default_factory=set[str])
    structure: set[Op] = field(default_factory=set[Op])


def encode(roots: Sequence[UOp], equalities: Sequence[tuple[UOp, UOp]] = ()) -> Encoding:
    """The graph of `roots`, in which the two sides of each equality are one class.

    The left sides of equalities are marked as atoms: sums of their parts are found, but they are not replaced by one.
    """
    held = _held_comparisons(roots)
    elements = _known_elements([*roots, *held])
    encoder = _Encoder([*roots, *held, *(value for _, value in elements)], equalities)
    encoder.number_leaves()
    for node in encoder.order:
        encoder.visit(node)
    for comparison in held:
        truth = call("CONST", *encoder.place(comparison), integer(1))
        encoder.result.actions.append(union(encoder.names[comparison], truth))
    for node, value in elements:
        encoder.result.actions.append(union(encoder.names[node], encoder.names[value]))
    for left, right in equalities:
        encoder.result.actions.append(union(encoder.names[left], encoder.names[right]))
        encoder.result.actions.append(assert_(call("ATOM", encoder.names[left])))
    encoder.name_roots(roots)
    return encoder.result


def _held_comparisons(roots: Sequence[UOp]) -> list[UOp]:
    """That loop variables are below their extents, and so on for those in the extents."""
    found: dict[UOp, None] = {}
    pending = list(roots)
    while pending:
        held = [comparison for node in ordered(pending) if (comparison := held_comparison(node)) is not None]
        pending = [comparison for comparison in held if comparison not in found]
        found.update(dict.fromkeys(held))
    return list(found)


def _known_elements(roots: Sequence[UOp]) -> list[tuple[UOp, UOp]]:
    """What elements of comprehensions are, and those in what they are."""
    found: dict[UOp, UOp] = {}
    pending = list(roots)
    while pending and len(found) < MOST_ELEMENTS:
        elements = [(node, value) for node, value in known_elements(ordered(pending)) if node not in found]
        found.update(elements)
        pending = [value for _, value in elements]
    return list(found.items())


def held_comparison(node: UOp) -> UOp | None:
    """That a loop variable is below its extent, if that is computed; None of other nodes."""
    if node.op not in (Op.RANGE, Op.SPECIAL) or node.src[0].dtype is not index or node.src[0].op is Op.CONST:
        return None
    return node < node.src[0]


class _Encoder:
    def __init__(self, roots: Sequence[UOp], equalities: Sequence[tuple[UOp, UOp]]) -> None:
        every = [*roots, *(side for pair in equalities for side in pair)]
        self.order = ordered(every)
        self.users: dict[UOp, int] = dict.fromkeys(every, 2)
        for node in self.order:
            for source in operands_of(node):
                self.users[source] = self.users.get(source, 0) + 1
        self.continued_by: dict[UOp, Op] = {}  # the chain that the only user of a node continues
        for node in self.order:
            if (op := self.nary_op(node)) is not None:
                self.continued_by.update((source, op) for source in node.src if self.users[source] == 1)
        self.result = Encoding()
        self.names: dict[UOp, egglog.Var] = {}
        self.elements: dict[UOp, list[Expression]] = {}
        self.constants: dict[UOp, bool | int | float] = {}
        self.numbers: dict[tuple[Any, ...], int] = {}

    def nary_op(self, node: UOp) -> Op | None:
        """The chain that a node is stored as."""
        if node.op not in ALU or node.op in COMPARISON:
            return None
        op = Op.ADD if node.op is Op.SUB and kind_of(node.dtype) in "ix" else node.op
        return nary_op(op, kind_of(node.dtype))

    def number_leaves(self) -> None:
        """Numbers what has no operands by what it is, so that the order of a sum does not show in what is found."""
        leaves = [node for node in self.order if not operands_of(node) and node.op is not Op.CONST]
        for node in sorted(leaves, key=lambda node: (node.op.name, node.dtype.name, repr(node.arg))):
            self.number(Payload(node.op, node.arg, node.src), node.dtype)

    def visit(self, node: UOp) -> None:
        """Adds the term of a node whose sources have theirs."""
        value = self.constant(node)
        if value is not None:
            self.constants[node] = value
            self.define(node, call("CONST", *self.place(node), integer(_bits(value))))
            return
        chain = self.nary_op(node)
        if chain is not None and not (chain is Op.MUL and self.coefficient(node) is not None):
            self.visit_nary(node, chain)
        else:
            self.define(node, self.term(node))

    def define(self, node: UOp, term: Expression) -> None:
        name = f"n{len(self.names)}"
        self.result.actions.append(let(name, term))
        self.names[node] = variable(name)
        self.result.kinds.add(kind_of(node.dtype))
        for function, bound in zip(("lo", "hi"), _leaf_bounds(node), strict=False):
            self.result.actions.append(put(function, [self.names[node]], integer(bound)))
        if iota_extent(node) is not None:
            self.result.actions.append(put("axis", [self.names[node]], text("0")))

    def name_roots(self, roots: Sequence[UOp]) -> None:
        """Names the roots, and in a large graph all integers and bools: the theory steps refer to these, and would state them again."""
        large = len(self.names) > _SMALL
        landmarks = [
            name for node, name in self.names.items() if large and node.src and kind_of(node.dtype) in "ixb"
        ]
        named = [*(self.names[root] for root in roots), *landmarks]
        for number, name in enumerate(named):
            self.result.actions.append(union(name, call("NAMED", small(number))))
        self.result.roots, self.result.names, self.result.terms = len(roots), len(named), len(self.names)

    def constant(self, node: UOp) -> bool | int | float | None:
        """The value of a constant, which may have been moved about."""
        if node.op is Op.CONST and kind_of(node.dtype) in SCALARS:
            return node.arg
        return self.constants.get(node.src[0]) if node.op in _KEEP_CONSTANT else None

    def coefficient(self, node: UOp) -> int | None:
        """The constant factor of an integer product of two."""
        if node.op is not Op.MUL or kind_of(node.dtype) not in "ix":
            return None
        value = self.constants.get(node.src[1], self.constants.get(node.src[0]))
        return None if value is None else int(value)

    def visit_nary(self, node: UOp, op: Op) -> None:
        elements: list[Expression] = []
        for position, source in enumerate(node.src[:2]):
            negated = node.op is Op.SUB and position == 1
            inner = None if negated else self.elements.get(source)
            if inner is not None and len(elements) + len(inner) <= MOST_OPERANDS:
                elements += inner
            else:
                name = self.named(source)
                elements.append(self.scaled(node, -1, name) if negated else name)
        self.elements[node] = elements
        continued = self.continued_by.get(node) is op and len(elements) < MOST_OPERANDS
        if not continued:
            self.define_nary(node, op)

    def named(self, source: UOp) -> Expression:
        """The name of a source; a chain that was to be flattened into its user is defined after all."""
        if source not in self.names:
            op = self.nary_op(source)
            assert op is not None
            self.define_nary(source, op)
        return self.names[source]

    def define_nary(self, node: UOp, op: Op) -> None:
        elements = self.elements[node]
        self.define(node, call(f"{op.name}_N", *self.place(node), call("multiset-of", *elements)))
        if self.continued_by.get(node) is not op:
            del self.elements[node]

    def term(self, node: UOp) -> Expression:
        """The term of a node that is no chain."""
        place = self.place(node)
        if node.op in ALU and kind_of(node.src[-1].dtype) != "-":
            return self.arithmetic(node, place)
        if node.op in MOVED or node.op is Op.REDUCE_AXIS:
            before = text(repr(node.src[0].shape))
            return call(node.op.name, *place, before, *_fields(node), self.named(node.src[0]))
        operands = [self.named(source) for source in operands_of(node)]
        if is_structural(node):
            self.result.structure.add(node.op)
            own = [
                text(node.dtype.name),
                *([text(node.src[0].dtype.name)] if node.op in LANED else []),
                place[1],
            ]
            return call(
                table_of(node.op, len(operands)),
                *own,
                *([text(repr(node.arg))] if node.op is Op.GEP else []),
                *operands,
            )
        number = self.number(Payload(node.op, node.arg, node.src[len(operands) :]), node.dtype)
        if operands:
            return call("OPAQUE", *place, small(number), call("vec-of", *operands))
        return call("LEAF", *place, small(number))

    def arithmetic(self, node: UOp, place: list[Expression]) -> Expression:
        integral = kind_of(node.dtype) in "ix"
        coefficient = self.coefficient(node)
        if coefficient is not None:
            value = node.src[0] if node.src[1] in self.constants else node.src[1]
            return self.scaled(node, coefficient, self.named(value))
        sources = [self.named(source) for source in node.src]
        if integral and node.op is Op.NEG:
            return self.scaled(node, -1, sources[0])
        if integral and node.op is Op.MULACC:
            product = call("MUL_N", *place, call("multiset-of", *sources[:2]))
            return call("ADD_N", *place, call("multiset-of", product, sources[2]))
        operand = text(node.src[-1].dtype.name)
        if node.op in COMPARISON:
            return call(node.op.name, operand, place[1], *sources)
        if node.op in (Op.CAST, Op.BITCAST):
            return call(node.op.name, place[0], operand, place[1], *sources)
        return call(node.op.name, *place, *sources)

    def scaled(self, node: UOp, coefficient: int, value: Expression) -> Expression:
        assert isinstance(node.dtype, DType)
        return call("SCALE", *self.place(node), integer(int(wrap(node.dtype, coefficient))), value)

    def place(self, node: UOp) -> list[Expression]:
        return [text(node.dtype.name), text(repr(node.shape))]

    def number(self, payload: Payload, dtype: Any) -> int:
        key = (payload.op, dtype, payload.arg.__class__, payload.arg, payload.kept)
        if key not in self.numbers:
            self.numbers[key] = len(self.result.payloads)
            self.result.payloads.append(payload)
        return self.numbers[key]


def _bits(value: bool | int | float) -> int:
    return float_bits(value) if isinstance(value, float) else int(value)


def _fields(node: UOp) -> list[Expression]:
    if node.op in (Op.RESHAPE, Op.EXPAND):
        return []
    if node.op is Op.REDUCE_AXIS:
        return [text(node.arg[0].name), text(repr(node.arg[1]))]
    return [text(repr(node.arg))]


def is_structural(node: UOp) -> bool:
    """Whether rules look into a node that is no arithmetic, movement or reduction, as `rules.language.structure` says."""
    roles = roles_of(node.op, len(node.src))
    if roles is None or (node.arg is not None) != (node.op is Op.GEP):
        return False
    first = node.src[0].dtype
    for role, source in zip(roles, node.src, strict=True):
        fits = {
            Role.GATE: source.dtype.scalar.is_bool,
            Role.POSITION: source.dtype.scalar.is_index,
            Role.LANE: source.dtype == first,
        }
        if not fits.get(role, True):
            return False
    return node.op is not Op.LOAD or node.src[0].op is Op.INDEX


def operands_of(node: UOp) -> tuple[UOp, ...]:
    """The sources that become terms: all but the ranges that a node ends, and the extent of a loop variable."""
    if node.op in (Op.RANGE, Op.SPECIAL):
        return ()
    start = TABLE[node.op].range_start
    return node.src if start is None else node.src[:start]


def ordered(roots: Sequence[UOp]) -> list[UOp]:
    """Every node that becomes a term, operands first."""
    order: dict[UOp, None] = {}
    stack = [(root, False) for root in reversed(roots)]
    while stack:
        node, ready = stack.pop()
        if node in order:
            continue
        operands = operands_of(node)
        if ready or not operands:
            order[node] = None
            continue
        stack.append((node, True))
        stack.extend((operand, False) for operand in reversed(operands) if operand not in order)
    return list(order)


def _leaf_bounds(node: UOp) -> tuple[int, ...]:
    """The bounds of a loop variable, a named variable, or what is loaded or picked; the lower one, or none, if no more is known."""
    if node.op is Op.DEFINE_VAR:
        return node.arg[1], node.arg[2]
    if node.op in (Op.RANGE, Op.SPECIAL):
        greatest = bounds(node)[1]
        return (0, greatest) if greatest < GREATEST - 1 else (0,)
    if (extent := iota_extent(node)) is not None:
        return 0, extent - 1
    if node.op in STRUCTURAL and kind_of(node.dtype) in "ib":
        assert isinstance(node.dtype, DType)
        return int(node.dtype.min), int(node.dtype.max)
    return ()
