"""A frozen e-graph: the e-nodes and bounds of an egglog e-graph between two runs, copied to plain Python for the theories and for the snapshot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from eqsat.egraph.bindings import egglog
from eqsat.egraph.snapshot.structural_order import OrderKey, ranks
from eqsat.egraph.tables.schema import COLUMNS, SHAPE_COLUMN


class Row(NamedTuple):
    """One e-node: an operation on e-classes.

    Attributes:
        table: its table.
        columns: as in `schema.COLUMNS[table]`; terms are class numbers, multisets and vectors are tuples of class numbers.
        owner: the class to which it belongs.
        children: the classes of its operands; for a multiset sorted, with repetitions.
    """

    table: str
    columns: tuple[Any, ...]
    owner: int
    children: tuple[int, ...]

    @property
    def dtype(self) -> str:
        """The first column: the dtype of the result, or of a comparison's operands."""
        return self.columns[0]

    @property
    def shape(self) -> str:
        """The shape of the result, as text."""
        return self.columns[SHAPE_COLUMN[self.table]]


@dataclass(slots=True)
class FrozenEGraph:
    """All e-nodes and bounds at one moment. E-classes are numbered, and e-nodes are sorted, in an order that depends on structure alone.

    Attributes:
        rows: the e-nodes, table by table.
        names: the least number n with `NAMED n` in a class, for each class that has one.
        named: the class of `NAMED n`, by n.
        lo: the lower bound of each e-class that has one.
        hi: the upper bound of each e-class that has one.
        atoms: the e-classes that also equal a sum of the parts of a split loop.
    """

    rows: list[Row] = field(default_factory=list[Row])
    classes: int = 0
    names: dict[int, int] = field(default_factory=dict[int, int])
    named: dict[int, int] = field(default_factory=dict[int, int])
    lo: dict[int, int] = field(default_factory=dict[int, int])
    hi: dict[int, int] = field(default_factory=dict[int, int])
    atoms: frozenset[int] = frozenset()


def freeze(egraph: egglog.EGraph) -> FrozenEGraph:
    """Copies an e-graph out of egglog."""
    return _in_order(_Reader(egraph).read())


def _in_order(read: FrozenEGraph) -> FrozenEGraph:
    """The same e-graph, with its classes numbered and its terms sorted by structure."""
    keys = [_order_key(row) for row in read.rows]
    rank = ranks(keys)
    placed: dict[str, list[tuple[Any, ...]]] = {table: [] for table in COLUMNS}
    for each in keys:
        if each.owner in rank and all(child in rank for child in each.children):
            placed[each.key[0]].append((*each.place(rank), rank[each.owner]))
    rows: list[Row] = []
    for table, found in placed.items():
        holds_many = COLUMNS[table][-1] in "MV"
        for key, children, owner in sorted(found):
            operands = (children,) if holds_many else children
            rows.append(Row(table, (*key[1:], *operands), owner, children))
    return FrozenEGraph(
        rows,
        len(rank),
        {rank[owner]: name for owner, name in read.names.items()},
        {name: rank[owner] for name, owner in read.named.items()},
        {rank[owner]: bound for owner, bound in read.lo.items() if owner in rank},
        {rank[owner]: bound for owner, bound in read.hi.items() if owner in rank},
        frozenset(rank[owner] for owner in read.atoms),
    )


def _order_key(row: Row) -> OrderKey:
    operands = 1 if COLUMNS[row.table][-1] in "MV" else len(row.children)
    key = (row.table, *row.columns[: len(row.columns) - operands])
    return OrderKey(row.owner, key, row.children, COLUMNS[row.table][-1] == "M")


class _Reader:
    def __init__(self, egraph: egglog.EGraph) -> None:
        self.egraph = egraph
        self.numbers: dict[egglog.Value, int] = {}

    def number(self, value: egglog.Value) -> int:
        return self.numbers.setdefault(value, len(self.numbers))

    def read(self) -> FrozenEGraph:
        functions = self.egraph.freeze().functions
        read_integer = _cached(self.egraph.value_to_bigint)
        by_letter = self.readers(read_integer)
        result = FrozenEGraph()
        for table, letters in COLUMNS.items():
            readers = [by_letter[letter] for letter in letters]
            first = letters.find("U") if "U" in letters else len(letters)  # operands come last
            holds_many = letters[-1] in "MV"
            for row in functions[table].rows:
                if not row.subsumed:
                    columns = tuple(
                        [reader(value) for reader, value in zip(readers, row.inputs, strict=True)]
                    )
                    children = columns[-1] if holds_many else columns[first:]
                    result.rows.append(Row(table, columns, self.number(row.output), children))
        for row in functions["NAMED"].rows:
            name, owner = self.egraph.value_to_i64(row.inputs[0]), self.number(row.output)
            result.named[name] = owner
            result.names[owner] = min(name, result.names.get(owner, name))
        for function, bounds in (("lo", result.lo), ("hi", result.hi)):
            bounds.update(
                {self.number(row.inputs[0]): read_integer(row.output) for row in functions[function].rows}
            )
        result.atoms = frozenset(self.number(row.inputs[0]) for row in functions["ATOM"].rows)
        result.classes = len(self.numbers)
        return result

    def readers(self, read_integer: Callable[[Any], Any]) -> dict[str, Callable[[Any], Any]]:
        """Functions that read columns, by the letter of the column.

        They are not stored in the reader: that would make a reference cycle with the e-graph, and any thread might then free the e-graph.
        """
        egraph, read_text = self.egraph, _cached(self.egraph.value_to_string)
        return {
            "d": read_text,
            "s": read_text,
            "t": read_text,
            "n": read_integer,
            "k": egraph.value_to_i64,
            "U": self.number,
            "M": lambda value: tuple(sorted(map(self.number, egraph.value_to_multiset(value)))),
            "V": lambda value: tuple(map(self.number, egraph.value_to_vec(value))),
        }


def _cached(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    known: dict[Any, Any] = {}

    def reader(value: Any) -> Any:
        found = known.get(value)
        if found is None:
            found = known[value] = read(value)
        return found

    return reader
