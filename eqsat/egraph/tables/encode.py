"""Encodes UOps as egglog terms: one egglog rule with an empty body, whose actions build the whole graph.

Nested applications of an n-ary operator are flattened while encoding if the inner value has no other user, so deep sums cost no rule applications.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from eqsat.comprehensions import MOST_ELEMENTS, known_elements
from eqsat.dtype import DType, index, wrap
from eqsat.egraph.bindings import egglog
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
from eqsat.ops import ALONG_AXES, ALU, COMPARISON, GIVES_SHAPE, TABLE, Op
from eqsat.positions import iota_extent
from eqsat.rules.language.structure import LANED, STRUCTURAL, Role, roles_of
from eqsat.uop import UOp

MOST_OPERANDS = 256  # most operands that are flattened into one multiset; longer sums are nested
_SMALL = 256  # most terms of a graph in which only the roots are named
_KEEP_CONSTANT = frozenset(MOVED) - {Op.PAD}


@dataclass(frozen=True, slots=True)
class Payload:
    """The data that a LEAF or OPAQUE term stands for: everything in its UOp but the operands that are terms themselves."""

    op: Op
    arg: Any
    kept: tuple[UOp, ...]  # sources that do not become terms: ended ranges, or the extent of a RANGE


@dataclass(slots=True)
class Encoding:
    """A graph as actions of egglog, with the data to read it back.

    Attributes:
        actions: build the terms; root number i also gets the name `NAMED i`.
        payloads: the payload of each LEAF or OPAQUE term, by its number.
        roots: the number of roots.
        names: the first number that `NAMED` does not use.
        terms: the number of terms.
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
    """Encodes the graph of `roots`; the two sides of each equality become one class.

    The left sides of equalities are marked as atoms: a sum that equals an atom is found, but does not replace it.
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
    """Comparisons that hold: each loop variable with a computed extent is below it. Loop variables inside extents are included."""
    found: dict[UOp, None] = {}
    pending = list(roots)
    while pending:
        held = [comparison for node in ordered(pending) if (comparison := held_comparison(node)) is not None]
        pending = [comparison for comparison in held if comparison not in found]
        found.update(dict.fromkeys(held))
    return list(found)


def _known_elements(roots: Sequence[UOp]) -> list[tuple[UOp, UOp]]:
    """Pairs of a comprehension element and its value. Elements inside these values are included."""
    found: dict[UOp, UOp] = {}
    pending = list(roots)
    while pending and len(found) < MOST_ELEMENTS:
        elements = [(node, value) for node, value in known_elements(ordered(pending)) if node not in found]
        found.update(elements)
        pending = [value for _, value in elements]
    return list(found.items())


def held_comparison(node: UOp) -> UOp | None:
    """The comparison `variable < extent` of a loop variable whose extent is computed; None for other nodes."""
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
        self.continued_by: dict[UOp, Op] = {}  # by node: the n-ary operator of its only user
        for node in self.order:
            if (op := self.nary_op(node)) is not None:
                self.continued_by.update((source, op) for source in node.src if self.users[source] == 1)
        self.result = Encoding()
        self.names: dict[UOp, egglog.Var] = {}
        self.elements: dict[UOp, list[Expression]] = {}
        self.constants: dict[UOp, bool | int | float] = {}
        self.numbers: dict[tuple[Any, ...], int] = {}

    def nary_op(self, node: UOp) -> Op | None:
        """The n-ary operator that stores a node; None if the node is stored otherwise."""
        if node.op not in ALU or node.op in COMPARISON:
            return None
        op = Op.ADD if node.op is Op.SUB and kind_of(node.dtype) in "ix" else node.op
        return nary_op(op, kind_of(node.dtype))

    def number_leaves(self) -> None:
        """Numbers leaves by their content, so that results do not depend on the order of a sum."""
        leaves = [node for node in self.order if not operands_of(node) and node.op is not Op.CONST]
        for node in sorted(leaves, key=lambda node: (node.op.name, node.dtype.name, repr(node.arg))):
            self.number(Payload(node.op, node.arg, node.src), node.dtype)

    def visit(self, node: UOp) -> None:
        """Adds the term of a node whose sources have their terms already."""
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
        """Names the roots. In a large graph, also names all computed integers and bools: theories refer to them, and would otherwise build their
        terms again.
        """
        large = len(self.names) > _SMALL
        landmarks = [
            name for node, name in self.names.items() if large and node.src and kind_of(node.dtype) in "ixb"
        ]
        named = [*(self.names[root] for root in roots), *landmarks]
        for number, name in enumerate(named):
            self.result.actions.append(union(name, call("NAMED", small(number))))
        self.result.roots, self.result.names, self.result.terms = len(roots), len(named), len(self.names)

    def constant(self, node: UOp) -> bool | int | float | None:
        """The value of a constant, or of movements of a constant; None for other nodes."""
        if node.op is Op.CONST and kind_of(node.dtype) in SCALARS:
            return node.arg
        return self.constants.get(node.src[0]) if node.op in _KEEP_CONSTANT else None

    def coefficient(self, node: UOp) -> int | None:
        """The constant factor of an integer product of two operands."""
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
        """The name of a source's term. Builds the term now if it was to be flattened into its user."""
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
        """The term of a node that is not an n-ary application."""
        place, is_integral = self.place(node), kind_of(node.dtype) in "ix"
        if (coefficient := self.coefficient(node)) is not None:
            value = node.src[0] if node.src[1] in self.constants else node.src[1]
            return self.scaled(node, coefficient, self.named(value))
        operands = [self.named(source) for source in operands_of(node)]
        if is_integral and node.op is Op.NEG:
            return self.scaled(node, -1, operands[0])
        if is_integral and node.op is Op.MULACC:
            product = call("MUL_N", *place, call("multiset-of", *operands[:2]))
            return call("ADD_N", *place, call("multiset-of", product, operands[2]))
        if (row := operation_row(node)) is not None:
            table, columns = row
            self.result.structure.update({node.op} & STRUCTURAL)
            return call(table, *map(text, columns), *operands)
        number = self.number(Payload(node.op, node.arg, node.src[len(operands) :]), node.dtype)
        if operands:
            return call("OPAQUE", *place, small(number), call("vec-of", *operands))
        return call("LEAF", *place, small(number))

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


def operation_row(node: UOp) -> tuple[str, tuple[str, ...]] | None:
    """The table of an operation, and the columns before its operands, as text. None if the operation has no table of its own."""
    dtype, shape = node.dtype.name, repr(node.shape)
    first = node.src[0].dtype.name if node.src else ""
    if node.op in ALU and kind_of(node.src[-1].dtype) != "-":
        if node.op in COMPARISON:
            return node.op.name, (first, shape)
        return node.op.name, (dtype, first, shape) if node.op in (Op.CAST, Op.BITCAST) else (dtype, shape)
    if node.op in MOVED or node.op in ALONG_AXES:
        return node.op.name, (dtype, shape, repr(node.src[0].shape), *_moved_by(node))
    if is_structural(node):
        lane = (first,) if node.op in LANED else ()
        argument = (repr(node.arg),) if node.op is Op.GEP else ()
        return table_of(node.op, len(node.src)), (dtype, *lane, shape, *argument)
    return None


def _moved_by(node: UOp) -> tuple[str, ...]:
    """The argument of a movement or reduction in the form that its table stores."""
    if node.op in ALONG_AXES:
        return node.arg[0].name, repr(node.arg[1])
    return () if node.op in GIVES_SHAPE else (repr(node.arg),)


def is_structural(node: UOp) -> bool:
    """Whether a node is one of the operations of `rules.language.structure`, which rules match."""
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
    """The sources that become terms: all but the ranges that a node ends and the extent of a loop variable."""
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
    """The bounds of a loop variable, a named variable, an iota, or an integer that a structural operation gives, such as a load.

    An unknown upper bound is left out; other nodes have no bounds here.
    """
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
