"""The tables of e-nodes of a congruence closure at one moment. Theories and the matcher read them."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

from eqsat.egraph.snapshot.frozen import FrozenEGraph, Row
from eqsat.egraph.tables.callbacks import float_bits
from eqsat.egraph.tables.encode import MOST_OPERANDS, operands_of, operation_row
from eqsat.egraph.tables.schema import kind_of, nary_op
from eqsat.egraph.theories.terms.constants import constant_of
from eqsat.egraph.theories.terms.operands import path_counts
from eqsat.explain.closure.congruence import CongruenceClosure, Written
from eqsat.ops import ALU, COMPARISON, Op
from eqsat.uop import UOp


@dataclass(frozen=True, slots=True)
class ENode:
    """One e-node of a class.

    Attributes:
        term: the member of the class that the e-node was read from.
        parts: its operands. For an n-ary operator, operands of nested applications may stand in place of the applications.
    """

    term: UOp
    parts: tuple[UOp, ...]


@dataclass(slots=True)
class Tables:
    """The e-nodes at one moment. Classes are numbered by the size of their smallest members, so that most operands precede their users.

    Attributes:
        frozen: the same e-nodes as a frozen e-graph, for theories.
        witness: the e-node of each row.
        enodes: the e-nodes by class and table.
        owner: the class of each term.
        simplest: the smallest member of each class.
        constant: for each class that contains a constant, that constant.
        twins: pairs of e-nodes in two classes that apply the same n-ary operator to the same operands.
        users: for each class, the classes with an e-node that has it as an operand.
    """

    frozen: FrozenEGraph = field(default_factory=FrozenEGraph)
    witness: dict[Row, ENode] = field(default_factory=dict[Row, ENode])
    enodes: dict[tuple[int, str], list[ENode]] = field(default_factory=dict[tuple[int, str], list[ENode]])
    owner: dict[UOp, int] = field(default_factory=dict[UOp, int])
    simplest: dict[int, UOp] = field(default_factory=dict[int, UOp])
    constant: dict[int, UOp] = field(default_factory=dict[int, UOp])
    twins: list[tuple[ENode, ENode]] = field(default_factory=list[tuple[ENode, ENode]])
    users: dict[int, set[int]] = field(default_factory=dict[int, set[int]])


def tables(closure: CongruenceClosure, recurrent: Container[UOp] = ()) -> Tables:
    """The tables of a congruence closure.

    A term in the class of one of its own operands (x + 0 in the class of x) is skipped unless it is in `recurrent`, because rules would match it and
    their own results over and over.
    """
    result = Tables()
    frozen = result.frozen
    simplest = {
        representative: min(members, key=lambda term: (closure.size[term], closure.number[term]))
        for representative, members in closure.members.items()
    }
    ranked = sorted(simplest.items(), key=lambda item: (closure.size[item[1]], closure.number[item[1]]))
    for rank, (representative, term) in enumerate(ranked):
        members = closure.members[representative]
        for member in members:
            result.owner[member] = rank
            if constant_of(member) is not None:
                result.constant[rank] = member
        result.simplest[rank] = term
        name = min(closure.number[member] for member in members)
        frozen.names[rank], frozen.named[name] = name, rank
    frozen.classes = len(ranked)
    for representative, (low, high) in closure.facts.items():
        if representative in closure.members:
            owner = result.owner[representative]
            if low is not None:
                frozen.lo[owner] = low.value
            if high is not None:
                frozen.hi[owner] = high.value
    first_written: dict[tuple[Any, ...], Row] = {}
    for term, rows in sorted(closure.visible.items(), key=lambda item: closure.size[item[0]]):
        for table, columns, parts in rows:
            row = _add(result, term, table, columns, parts, is_kept=term in recurrent)
            if row is not None and table.endswith("_N"):
                first = first_written.setdefault((table, *row.columns), row)
                if first.owner != row.owner:
                    result.twins.append((result.witness[first], result.witness[row]))
    frozen.atoms = frozenset(result.owner[term] for term in closure.atoms)
    return result


def _add(
    result: Tables, term: UOp, table: str, columns: tuple[Any, ...], parts: tuple[UOp, ...], *, is_kept: bool
) -> Row | None:
    owner = result.owner[term]
    children = tuple(result.owner[part] for part in parts)
    if owner in children and not is_kept:
        return None
    if table.endswith("_N"):
        children = tuple(sorted(children))
        whole: tuple[Any, ...] = (*columns, children)
    elif table == "OPAQUE":
        whole = (*columns, children)
    else:
        whole = (*columns, *children)
    row = Row(table, whole, owner, children)
    if row not in result.witness:
        result.witness[row] = enode = ENode(term, parts)
        result.frozen.rows.append(row)
        result.enodes.setdefault((owner, table), []).append(enode)
        for child in children:
            result.users.setdefault(child, set()).add(owner)
    return row


def written(term: UOp) -> list[Written]:
    """The table rows of a term."""
    place = (term.dtype.name, repr(term.shape))
    value = constant_of(term)
    if value is not None:
        return [("CONST", (*place, float_bits(value) if isinstance(value, float) else int(value)), ())]
    if (op := nary_op_of(term)) is not None:
        forms = dict.fromkeys((flattened(term), term.src))
        return [(f"{op.name}_N", place, form) for form in forms]
    if (scaled := scaled_value(term)) is not None:
        value, coefficient = scaled
        return [("SCALE", (*place, coefficient), (value,))]
    if lowered_on_integers(term):
        return []
    if (row := operation_row(term)) is not None:
        return [(*row, term.src)]
    operands = operands_of(term)
    return [("OPAQUE", (*place, (term.op.name, repr(term.arg), term.src[len(operands) :])), operands)]


def nary_op_of(term: UOp) -> Op | None:
    """The n-ary operator of a term; None for other operations, and for products with a constant."""
    if term.op not in ALU or term.op in COMPARISON or len(term.src) != 2 or scaled_value(term) is not None:
        return None
    return nary_op(term.op, kind_of(term.dtype))


def combined(op: Op, parts: Sequence[UOp]) -> UOp:
    """An application of an n-ary operator to these operands, from left to right."""
    return reduce(lambda left, right: UOp(op, left.dtype, (left, right)), parts)


def scaled_value(term: UOp) -> tuple[UOp, int] | None:
    """The value and the coefficient of an integer product with one constant."""
    if term.op is not Op.MUL or kind_of(term.dtype) not in "ix":
        return None
    for value, other in (term.src, term.src[::-1]):
        coefficient = constant_of(other)
        if coefficient is not None and constant_of(value) is None:
            return value, int(coefficient)
    return None


def lowered_on_integers(term: UOp) -> bool:
    """Whether a term is a SUB, NEG or MULACC of integers, which is read as a sum."""
    return term.op in (Op.SUB, Op.NEG, Op.MULACC) and kind_of(term.dtype) in "ix"


def flattened(term: UOp) -> tuple[UOp, ...]:
    """The operands of an n-ary application, with the inner applications in `inner_applications` flattened."""
    inner = inner_applications(term)
    found: list[UOp] = []
    stack = [term]
    while stack:
        node = stack.pop()
        if node in inner:
            stack += reversed(node.src)
        else:
            found.append(node)
    return tuple(found)


def inner_applications(term: UOp) -> frozenset[UOp]:
    """The nested applications to flatten: all of them, or only those that occur once if flattening all gives too many operands."""
    counts = _application_counts(term)
    is_short = 1 + sum(counts.values()) <= MOST_OPERANDS
    return frozenset(node for node, times in counts.items() if is_short or times == 1)


def _application_counts(term: UOp) -> dict[UOp, int]:
    """How often each nested application of the same operator occurs in a term."""
    op = nary_op_of(term)
    if op is None or all(nary_op_of(source) is not op for source in term.src):
        return {term: 1}
    counts = path_counts(term, lambda node: nary_op_of(node) is op)
    return {node: times for node, times in counts.items() if nary_op_of(node) is op}


def with_parts(enode: ENode, parts: Sequence[UOp]) -> UOp:
    """The term of an e-node with other operands, in the same order and grouping."""
    term = enode.term
    if (scaled := scaled_value(term)) is not None:
        return term.with_src(tuple(parts[0] if source is scaled[0] else source for source in term.src))
    if enode.parts == term.src:
        return term.with_src(tuple(parts))
    inner = inner_applications(term)
    replacements = iter(parts)
    done: list[UOp] = []
    stack: list[tuple[UOp, bool]] = [(term, False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            right, left = done.pop(), done.pop()
            done.append(node.with_src((left, right)))
        elif node in inner:
            stack += [(node, True), (node.src[1], False), (node.src[0], False)]
        else:
            done.append(next(replacements))
    return done[0]


def visible_terms(term: UOp) -> list[UOp]:
    """A term and its subterms, without nested n-ary applications that occur once."""
    found: dict[UOp, None] = {}
    pending = [term]
    while pending:
        node = pending.pop()
        if node in found:
            continue
        found[node] = None
        if nary_op_of(node) is None:
            pending += operands_of(node)
        else:
            pending += flattened(node)
            pending += [inner for inner, times in _application_counts(node).items() if times > 1]
    return list(found)
