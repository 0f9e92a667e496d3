"""A forest at one moment, as the tables that the theory steps and the matcher read."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from typing import Any

from eqsat.egraph.bridge import float_bits
from eqsat.egraph.encode import LONGEST_CHAIN, is_structural, operands_of
from eqsat.egraph.frozen import Frozen, Row
from eqsat.egraph.schema import MOVED, chain_of, kind_of, table_of
from eqsat.explain.constants import constant_of
from eqsat.explain.forest import Forest
from eqsat.explain.paths import path_counts
from eqsat.ops import ALU, COMPARISON, Op
from eqsat.rules.structure import LANED
from eqsat.uop import UOp


@dataclass(frozen=True, slots=True)
class Way:
    """One way to write a class.

    Attributes:
        term: the member that writes it so.
        parts: its operands; of a chain its elements, the inner chains taken apart or not.
    """

    term: UOp
    parts: tuple[UOp, ...]


@dataclass(slots=True)
class Tables:
    """What is known at one moment. Classes are numbered by the size of their simplest members, so that most operands come first.

    Attributes:
        frozen: as the theory steps read an e-graph.
        witness: the way that each row was read from.
        ways: by class and table.
        owner: the class of each term.
        simplest: the smallest member of each class.
        constant: the member that is a constant, of each class that has one.
        twins: ways to write two classes as chains of the same elements.
        users: the classes that are written with a class.
    """

    frozen: Frozen = field(default_factory=Frozen)
    witness: dict[Row, Way] = field(default_factory=dict[Row, Way])
    ways: dict[tuple[int, str], list[Way]] = field(default_factory=dict[tuple[int, str], list[Way]])
    owner: dict[UOp, int] = field(default_factory=dict[UOp, int])
    simplest: dict[int, UOp] = field(default_factory=dict[int, UOp])
    constant: dict[int, UOp] = field(default_factory=dict[int, UOp])
    twins: list[tuple[Way, Way]] = field(default_factory=list[tuple[Way, Way]])
    users: dict[int, set[int]] = field(default_factory=dict[int, set[int]])


def tables(forest: Forest, recurrent: Container[UOp] = ()) -> Tables:
    """What a forest knows. Terms whose class is that of an operand are left out but for some: rules would match what they make of them again."""
    result = Tables()
    frozen = result.frozen
    simplest = {
        representative: min(members, key=lambda term: (forest.size[term], forest.number[term]))
        for representative, members in forest.members.items()
    }
    ranked = sorted(simplest.items(), key=lambda item: (forest.size[item[1]], forest.number[item[1]]))
    for rank, (representative, term) in enumerate(ranked):
        members = forest.members[representative]
        for member in members:
            result.owner[member] = rank
            if constant_of(member) is not None:
                result.constant[rank] = member
        result.simplest[rank] = term
        name = min(forest.number[member] for member in members)
        frozen.names[rank], frozen.named[name] = name, rank
    frozen.classes = len(ranked)
    for representative, (low, high) in forest.facts.items():
        if representative in forest.members:
            owner = result.owner[representative]
            if low is not None:
                frozen.lo[owner] = low.value
            if high is not None:
                frozen.hi[owner] = high.value
    first_written: dict[tuple[Any, ...], Row] = {}
    for term, rows in sorted(forest.visible.items(), key=lambda item: forest.size[item[0]]):
        for table, columns, parts in rows:
            row = _add(result, term, table, columns, parts, is_kept=term in recurrent)
            if row is not None and table.endswith("_N"):
                first = first_written.setdefault((table, *row.columns), row)
                if first.owner != row.owner:
                    result.twins.append((result.witness[first], result.witness[row]))
    frozen.atoms = frozenset(result.owner[term] for term in forest.atoms)
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
        result.witness[row] = way = Way(term, parts)
        result.frozen.rows.append(row)
        result.ways.setdefault((owner, table), []).append(way)
        for child in children:
            result.users.setdefault(child, set()).add(owner)
    return row


def written(term: UOp) -> list[tuple[str, tuple[Any, ...], tuple[UOp, ...]]]:
    """The rows that a term is written in: table, columns that hold no terms, and operands."""
    place = (term.dtype.name, repr(term.shape))
    value = constant_of(term)
    if value is not None:
        return [("CONST", (*place, float_bits(value) if isinstance(value, float) else int(value)), ())]
    if (chain := chain_op(term)) is not None:
        views = dict.fromkeys((flattened(term), term.src))
        return [(f"{chain.name}_N", place, view) for view in views]
    if (scaled := scaled_value(term)) is not None:
        value, coefficient = scaled
        return [("SCALE", (*place, coefficient), (value,))]
    if term.op in COMPARISON and kind_of(term.src[0].dtype) != "-":
        return [(term.op.name, (term.src[0].dtype.name, place[1]), term.src)]
    if term.op in (Op.CAST, Op.BITCAST) and kind_of(term.src[0].dtype) != "-":
        return [(term.op.name, (place[0], term.src[0].dtype.name, place[1]), term.src)]
    if term.op in ALU and kind_of(term.src[-1].dtype) != "-":
        return [] if lowered_on_integers(term) else [(term.op.name, place, term.src)]
    if term.op in MOVED or term.op is Op.REDUCE_AXIS:
        argument = () if term.op in (Op.RESHAPE, Op.EXPAND) else (repr(term.arg),)
        if term.op is Op.REDUCE_AXIS:
            argument = (term.arg[0].name, repr(term.arg[1]))
        return [(term.op.name, (*place, repr(term.src[0].shape), *argument), term.src)]
    if is_structural(term):
        lane = (term.src[0].dtype.name,) if term.op in LANED else ()
        argument = (repr(term.arg),) if term.op is Op.GEP else ()
        return [(table_of(term.op, len(term.src)), (place[0], *lane, place[1], *argument), term.src)]
    operands = operands_of(term)
    return [("OPAQUE", (*place, (term.op.name, repr(term.arg), term.src[len(operands) :])), operands)]


def chain_op(term: UOp) -> Op | None:
    """The operation whose chain a term is; products with a constant are none."""
    if term.op not in ALU or term.op in COMPARISON or len(term.src) != 2 or scaled_value(term) is not None:
        return None
    return chain_of(term.op, kind_of(term.dtype))


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
    """Whether a term is read as the sum that equals it."""
    return term.op in (Op.SUB, Op.NEG, Op.MULACC) and kind_of(term.dtype) in "ix"


def flattened(term: UOp) -> tuple[UOp, ...]:
    """The elements of a chain, inner chains taken apart as `inner_chains` says."""
    inner = inner_chains(term)
    found: list[UOp] = []
    stack = [term]
    while stack:
        node = stack.pop()
        if node in inner:
            stack += reversed(node.src)
        else:
            found.append(node)
    return tuple(found)


def inner_chains(term: UOp) -> frozenset[UOp]:
    """The nodes of a chain that are read as one with it: all, or those that occur once where all would make too many elements."""
    counts = _chain_counts(term)
    is_short = 1 + sum(counts.values()) <= LONGEST_CHAIN
    return frozenset(node for node, times in counts.items() if is_short or times == 1)


def _chain_counts(term: UOp) -> dict[UOp, int]:
    """How often each node of a chain's operation occurs in it."""
    op = chain_op(term)
    if op is None or all(chain_op(source) is not op for source in term.src):
        return {term: 1}
    counts = path_counts(term, lambda node: chain_op(node) is op)
    return {node: times for node, times in counts.items() if chain_op(node) is op}


def with_parts(way: Way, parts: Sequence[UOp]) -> UOp:
    """The term of a way with other parts, in their order, grouped as it is."""
    term = way.term
    if (scaled := scaled_value(term)) is not None:
        return term.with_src(tuple(parts[0] if source is scaled[0] else source for source in term.src))
    if way.parts == term.src:
        return term.with_src(tuple(parts))
    inner = inner_chains(term)
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
    """A term and what is below it, but not the inner parts of chains that occur once."""
    found: dict[UOp, None] = {}
    pending = [term]
    while pending:
        node = pending.pop()
        if node in found:
            continue
        found[node] = None
        if chain_op(node) is None:
            pending += operands_of(node)
        else:
            pending += flattened(node)
            pending += [inner for inner, times in _chain_counts(node).items() if times > 1]
    return list(found)
