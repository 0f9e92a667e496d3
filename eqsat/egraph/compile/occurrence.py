"""Tells which rules cannot match the current e-graph, so that they need not be registered with egglog.

Registering a rule with egglog takes about a millisecond. Of the rules whose tables all have rows, only one in ten ever matches in the graph of a
program. The others need an operand that does not occur *below* its operation, or another constant, or another dtype. So the left side is read as a
tree of rows, and the classes at which each subtree occurs are found from the leaves up. Trees of different rules share subtrees. Repeated variables
are ignored, and so are guards, except those on the root's row (`compile.conditions`): they only make the matches fewer.

A weaker test needs no compiled rule: it asks only which tables have rows below rows of which other tables (`Occurrences.pairs`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from eqsat.egraph.bindings import egglog
from eqsat.egraph.tables.schema import COLUMNS

if TYPE_CHECKING:
    from eqsat.egraph.compile.body import LeftSide
    from eqsat.egraph.compile.conditions import Conditions

# Tables whose rows are looked up by the first column; rows of the others are looked up by the class of the term
_IN_FIRST_COLUMN = frozenset({"OPERAND", "SPLIT"})
LETTERS = {**COLUMNS, "OPERAND": "MU", "SPLIT": "UnUU"}  # the letters of the columns, as in `schema.COLUMNS`
ROW_TABLES = (*COLUMNS, *sorted(_IN_FIRST_COLUMN))  # the tables whose rows a match may take
_IS_TABLE = frozenset(ROW_TABLES)
_OPERANDS = {
    table: [
        (number, letter)
        for number, letter in enumerate(letters)
        if letter in "UM" and number >= (table in _IN_FIRST_COLUMN)
    ]
    for table, letters in LETTERS.items()
}  # by table: the numbers and letters of the columns that hold an operand, or a multiset of operands
# Tables in which one row may match several operations of a pattern: nested sums, and sums of products by constants
_FLATTENED = frozenset(table for table, columns in COLUMNS.items() if "M" in columns) | {"SCALE", "SPLIT"}
_BIG = {"bigint", "from-string"}  # functions that make a BigInt from a literal

Rows = list[tuple[Any, Sequence[Any]]]
"""For each row, the value by which it is looked up, and its columns."""


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """A row of a match, with the rows below it. Trees are cached and compared by identity, so that hashing a tree does not walk through it.

    Attributes:
        table: the table of the row.
        values: pairs of a column's number and the texts or integers that it may hold.
        below: pairs of a column's number and the rows that are looked up by its value.
    """

    table: str
    values: tuple[tuple[int, frozenset[Any]], ...]
    below: tuple[tuple[int, tuple[Tree, ...]], ...]


_tree = lru_cache(1 << 14)(Tree)


def tree_of(left: LeftSide, domains: dict[str, frozenset[str]]) -> Tree:
    """The tree of a left side; `domains` has the names of the dtypes that a variable may stand for."""
    atoms: dict[str, list[tuple[str, Sequence[Any]]]] = {}
    known = {**domains, **{name: frozenset([value]) for name, value in left.texts.items()}}
    for place, table, columns in left.atoms:
        key: Any = columns[0] if table in _IN_FIRST_COLUMN else place
        atoms.setdefault(key.name, []).append((table, columns))
    return next(_hanging_on(next(iter(atoms)), atoms, known))


def atom(fact: Any) -> tuple[str, str, Sequence[Any]] | None:
    """The variable by which a fact is looked up, its table and its columns. None if the fact reads none of `ROW_TABLES`."""
    term = fact.right if isinstance(fact, egglog.Eq) else fact.expr
    if not isinstance(term, egglog.Call) or term.name not in _IS_TABLE:
        return None
    place: Any = term.args[0] if term.name in _IN_FIRST_COLUMN else fact.left
    return place.name, term.name, term.args


def _hanging_on(
    place: str, atoms: dict[str, list[tuple[str, Sequence[Any]]]], known: dict[str, frozenset[Any]]
) -> Iterator[Tree]:
    """The trees that are looked up by a variable. Removes their rows from `atoms`, so that each counts once."""
    for table, columns in atoms.pop(place, ()):
        values: list[tuple[int, frozenset[Any]]] = []
        below: list[tuple[int, tuple[Tree, ...]]] = []
        for number, column in enumerate(columns):
            if isinstance(column, egglog.Var):
                if column.name in known:
                    values.append((number, known[column.name]))
                elif trees := tuple(_hanging_on(column.name, atoms, known)):
                    below.append((number, trees))
            elif (literal := _literal(column)) is not None:
                values.append((number, frozenset([literal])))
        yield _tree(table, tuple(values), tuple(below))


def _literal(expression: Any) -> str | int | None:
    """The text or the integer that a literal expression holds; None for any other expression."""
    match expression:
        case egglog.Lit(value=egglog.String(value=found)):
            return found
        case egglog.Call(name=name, args=[egglog.Lit(value=egglog.Int() | egglog.String() as found)]) if (
            name in _BIG
        ):
            return int(found.value)
        case _:
            return None


def rows_of(functions: Mapping[str, Any], table: str) -> Rows:
    """The rows of a table of a frozen e-graph that rules can match, which are the rows that are not subsumed."""
    matched = [row for row in functions[table].rows if not row.subsumed]
    by_column = table in _IN_FIRST_COLUMN
    return [
        (columns[0] if by_column else row.output, columns) for row in matched for columns in (row.inputs,)
    ]


class Occurrences:
    """Finds where trees occur in the current e-graph, in which only the `filled` tables have rows."""

    def __init__(self, egraph: egglog.EGraph, filled: frozenset[str]) -> None:
        self._filled = filled
        self._functions = egraph.freeze().functions
        self._readers: dict[str, Callable[[Any], Any]] = {
            "d": egraph.value_to_string,
            "s": egraph.value_to_string,
            "t": egraph.value_to_string,
            "n": egraph.value_to_bigint,
        }
        self._read: dict[tuple[str, Any], Any] = {}
        self._rows: dict[str, Rows] = {}
        self._known: dict[Tree, frozenset[Any]] = {}

    def pairs(self) -> frozenset[tuple[str, str]]:
        """The pairs of tables (upper, lower) in which a row of `lower` is an operand of a row of `upper`, or an element of its multiset.

        A table in which one row may match several operations is paired with itself.
        """
        # Apart from `tables`, because a multiset and a class may have equal values
        elements: dict[Any, list[Any]] = {}
        for multiset, columns in self._table("OPERAND"):
            elements.setdefault(multiset, []).append(columns[1])
        filled = [table for table in _OPERANDS if table in self._filled and table != "OPERAND"]
        tables: dict[Any, set[str]] = {}
        for table in filled:
            for place, _ in self._table(table):
                tables.setdefault(place, set()).add(table)
        found = {(table, table) for table in filled if table in _FLATTENED}
        for table in filled:
            held: set[Any] = set()
            for number, letter in _OPERANDS[table]:
                operands = {columns[number] for _, columns in self._table(table)}
                held.update(*(elements.get(each, ()) for each in operands) if letter == "M" else (operands,))
            below = set[str]().union(*(tables.get(each, ()) for each in held))
            found.update((table, each) for each in below)
        return frozenset(found)

    def has(self, tree: Tree, conditions: Conditions | None = None) -> bool:
        """Whether the tree occurs anywhere, at a root row that satisfies the conditions."""
        if conditions is None or not self._places(tree):
            return bool(self._places(tree))
        letters, columns = LETTERS[tree.table], conditions.columns
        return any(
            conditions.satisfied_by(tuple([self._value(letters[number], row[number]) for number in columns]))
            for _, row in self._matching(tree)
        )

    def _places(self, tree: Tree) -> frozenset[Any]:
        """The values by which the rows at which the tree occurs are looked up."""
        found = self._known.get(tree)
        if found is None:
            found = self._known[tree] = frozenset([place for place, _ in self._matching(tree)])
        return found

    def _matching(self, tree: Tree) -> Rows:
        """The rows of the tree's table at which the tree occurs."""
        rows = self._table(tree.table)
        for column, trees in tree.below:
            for each in trees:
                if not rows:
                    return rows
                places = self._places(each)
                rows = [row for row in rows if row[1][column] in places]
        for column, values in tree.values:
            letter = LETTERS[tree.table][column]
            rows = [row for row in rows if self._value(letter, row[1][column]) in values]
        return rows

    def _value(self, letter: str, value: Any) -> Any:
        """The text or integer that a column with this letter holds."""
        key = letter, value
        if key not in self._read:
            self._read[key] = self._readers[letter](value)
        return self._read[key]

    def _table(self, table: str) -> Rows:
        """The rows of a table that rules can match, see `rows_of`."""
        found = self._rows.get(table)
        if found is None:
            found = self._rows[table] = rows_of(self._functions, table)
        return found
