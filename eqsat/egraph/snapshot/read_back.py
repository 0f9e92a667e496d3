"""Turns the rows of a frozen e-graph into a snapshot."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from eqsat.dtype import DType, PtrDType, bool_, nearest, parse_dtype
from eqsat.egraph.snapshot.frozen import FrozenEGraph, Row
from eqsat.egraph.snapshot.snapshot import UNKNOWN_HI, UNKNOWN_LO, Int, Snapshot, Term
from eqsat.egraph.snapshot.structural_order import OrderKey, ranks
from eqsat.egraph.tables.callbacks import bits_float, decode
from eqsat.egraph.tables.encode import Encoding
from eqsat.egraph.tables.schema import MOVED, STRUCTURAL_TABLES
from eqsat.ops import ALONG_AXES, COMMUTATIVE, COMPARISON, Op
from eqsat.support.reachability import reachable
from eqsat.uop import Number


def take_snapshot(frozen: FrozenEGraph, encoding: Encoding) -> Snapshot:
    """The part of an e-graph that its roots reach, in structural order."""
    return _Sorter(frozen, encoding).snapshot()


class _Node(NamedTuple):
    key: tuple[Any, ...]  # orders terms that have the same operands
    term: Term
    children: tuple[int, ...]

    def order_key(self, owner: int) -> OrderKey:
        return OrderKey(owner, self.key, self.children, self.term.op in COMMUTATIVE)


class _Sorter:
    """Turns rows into nodes over temporary class numbers, then numbers classes and nodes by structure."""

    def __init__(self, frozen: FrozenEGraph, encoding: Encoding) -> None:
        self.frozen = frozen
        self.encoding = encoding
        self.places: dict[int, tuple[str, str]] = {}
        self.nodes: dict[int, list[_Node]] = {}
        self.made_constants: dict[tuple[str, str, int], int] = {}
        self.roots = [frozen.named[number] for number in range(encoding.roots)]

    def snapshot(self) -> Snapshot:
        for row in self.frozen.rows:
            if row.table == "CONST":
                self.made_constants.setdefault((row.dtype, row.shape, row.columns[2]), row.owner)
        for row in self.frozen.rows:
            self._add(row)
        rank = self._ranks(self._reached())
        return self._arrays(sorted(rank, key=rank.__getitem__), rank)

    def _add(self, row: Row) -> None:
        dtype = bool_.vec(parse_dtype(row.dtype).lanes).name if row.table in _COMPARISON_TABLES else row.dtype
        self.places.setdefault(row.owner, (dtype, row.shape))
        children = row.children
        if row.owner in children or (row.table.endswith("_N") and len(children) < 2):
            return
        if row.table == "SCALE":
            children = (row.columns[3], self._constant(row))
        term, key = self._term(row, dtype)
        self.nodes.setdefault(row.owner, []).append(_Node(key, term, children))

    def _constant(self, row: Row) -> int:
        """The class of the constant factor of a multiple; makes one if there is none."""
        place = (row.dtype, row.shape, row.columns[2])
        if place not in self.made_constants:
            self.made_constants[place] = made = self.frozen.classes + len(self.made_constants)
            self._add(Row("CONST", place, made, ()))
            self.frozen.lo[made] = self.frozen.hi[made] = row.columns[2]
        return self.made_constants[place]

    def _term(self, row: Row, dtype_name: str) -> tuple[Term, tuple[Any, ...]]:
        dtype = parse_dtype(dtype_name)
        columns = row.columns
        match row.table:
            case "CONST":
                value = _number(columns[2], dtype)
                return Term(Op.CONST, dtype, value), ("CONST", dtype_name, row.shape, str(columns[2]))
            case "SCALE":
                return Term(Op.MUL, dtype, None), ("MUL", dtype_name)
            case "LEAF" | "OPAQUE":
                number: int = columns[2]
                payload = self.encoding.payloads[number]
                term = Term(payload.op, dtype, payload.arg, payload.kept)
                return term, (payload.op.name, dtype_name, row.shape, f"{number:09d}")
            case table if table in _MOVEMENT_TABLES:
                argument = columns[1 if table in ("RESHAPE", "EXPAND") else 3]
                return Term(Op[table], dtype, decode("t", argument)), (table, dtype_name, argument)
            case table if table in _ALONG_AXES:
                arg = (Op[columns[3]], decode("t", columns[4]))
                return Term(Op[row.table], dtype, arg), (row.table, dtype_name, columns[3], columns[4])
            case table if table in STRUCTURAL_TABLES:
                arg = decode("t", columns[3]) if STRUCTURAL_TABLES[table] is Op.GEP else None
                return Term(STRUCTURAL_TABLES[table], dtype, arg), (table, dtype_name, str(arg))
            case table:
                return Term(Op[table.removesuffix("_N")], dtype, None), (table, dtype_name)

    def _reached(self) -> list[int]:
        return reachable(
            self.roots, lambda owner: (child for node in self.nodes.get(owner, ()) for child in node.children)
        )

    def _ranks(self, reached: list[int]) -> dict[int, int]:
        return ranks([node.order_key(owner) for owner in reached for node in self.nodes.get(owner, ())])

    def _arrays(self, order: list[int], rank: dict[int, int]) -> Snapshot:
        terms: list[Term] = []
        node_class: list[int] = []
        starts, children, class_start = [0], list[int](), [0]
        for number, owner in enumerate(order):
            distinct: dict[tuple[Any, ...], Term] = {}
            for node in self.nodes[owner]:
                if all(child in rank for child in node.children):
                    distinct.setdefault(node.order_key(owner).place(rank), node.term)
            for (_, operands), term in sorted(distinct.items(), key=lambda item: item[0]):
                terms.append(term)
                node_class.append(number)
                children += operands
                starts.append(len(children))
            class_start.append(len(terms))
        places = [self.places[owner] for owner in order]
        return Snapshot(
            tuple(terms),
            np.array(node_class, np.int64),
            np.array(starts, np.int64),
            np.array(children, np.int64),
            np.array([rank[root] for root in self.roots], np.int64),
            np.array(class_start, np.int64),
            tuple(parse_dtype(dtype) for dtype, _ in places),
            tuple(decode("t", shape) for _, shape in places),
            _bounds(self.frozen.lo, order, UNKNOWN_LO),
            _bounds(self.frozen.hi, order, UNKNOWN_HI),
        )


_COMPARISON_TABLES = frozenset(op.name for op in COMPARISON)
_ALONG_AXES = frozenset(op.name for op in ALONG_AXES)
_MOVEMENT_TABLES = frozenset(op.name for op in MOVED)


def _number(bits: int, dtype: DType | PtrDType) -> Number:
    if isinstance(dtype, DType) and dtype.is_float:
        return nearest(dtype, bits_float(bits))
    return bool(bits) if isinstance(dtype, DType) and dtype.is_bool else bits


def _bounds(known: dict[int, int], order: list[int], unknown: int) -> Int:
    values = (known.get(owner, unknown) for owner in order)
    return np.array([value if UNKNOWN_LO < value < UNKNOWN_HI else unknown for value in values], np.int64)
