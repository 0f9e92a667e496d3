"""Computes upper bounds on the rows that rules make, before the rules run.

A run of egglog cannot be interrupted, and one rule can match billions of times in it. Two bounds are cheap. First, a match takes a row of each
table in the rule's body, so the product of the tables' sizes bounds the matches; for almost all rules that is far below the remaining room.
Second, for the other rules, the body is read as a tree: the root's row, below it the rows of its operands, and so on. The ways to choose these rows
are counted from the leaves up, in time that grows with the rows, not with the matches. Guards and repeated variables are ignored, since they only
make the matches fewer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from eqsat.egraph.bindings import egglog
from eqsat.egraph.compile.occurrence import ROW_TABLES, atom, rows_of
from eqsat.egraph.compile.rules import Compiled
from eqsat.egraph.tables.schema import COLUMNS

_NUMBER = {table: number for number, table in enumerate(ROW_TABLES)}
_AT_MOST_ONE = "CONST"  # a class has at most one row of this table
_MULTISETS = frozenset(table for table, columns in COLUMNS.items() if columns.endswith("M"))
_IS_CALL = frozenset({"py-call"})
_IS_TERM = frozenset(COLUMNS)


class Branch(NamedTuple):
    """A row of a match, with the rows below it.

    Attributes:
        table: the table of the row.
        below: pairs of a column's number and the rows that are looked up by its value.
    """

    table: str
    below: tuple[tuple[int, tuple[Branch, ...]], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """The work of one match of a compiled rule.

    Attributes:
        root: the rows of a match, as a tree.
        terms: the number of terms that a match makes at most. If the root is a multiset, one of them is a multiset of about the same size.
        calls: the number of calls of Python functions for each match.
    """

    compiled: Compiled
    root: Branch
    terms: int
    calls: int

    @property
    def rule(self) -> str:
        """The name of the rule that it was compiled from."""
        return self.compiled.rule.name

    @property
    def has_multiset(self) -> bool:
        """Whether the root is an application of an n-ary operator."""
        return self.root.table in _MULTISETS


class Forecast(NamedTuple):
    """Upper bounds on the work of one application of a body.

    Attributes:
        matches: the number of matches, including those that guards refuse.
        rows: the number of rows that all matches make together. A multiset makes one row for each of its elements.
        steps: the steps that finding the matches takes. Copying an element of a multiset is a step; calling a Python function takes as long as `CALL`
            steps.
    """

    matches: int
    rows: int
    steps: int


def body_of(compiled: Compiled) -> Body:
    """The body of a compiled rule."""
    atoms: dict[str, list[tuple[str, Sequence[Any]]]] = {}
    first = ""
    for fact in compiled.command.rule.body:
        found = atom(fact)
        if found is not None:
            place, table, columns = found
            atoms.setdefault(place, []).append((table, columns))
            first = first or place
    terms = sum(_uses(action, _IS_TERM) for action in compiled.command.rule.head)
    (root,) = _hanging_on(first, atoms)[:1]
    calls = sum(_uses(fact, _IS_CALL) for fact in compiled.command.rule.body)
    return Body(compiled, root, max(1, terms), calls)


def _hanging_on(place: str, atoms: dict[str, list[tuple[str, Sequence[Any]]]]) -> tuple[Branch, ...]:
    """The rows that are looked up by a variable. Removes them from `atoms`, so that each counts once."""
    branches: list[Branch] = []
    for table, columns in atoms.pop(place, ()):
        below = [(number, _hanging_on(column.name, atoms)) for number, column in enumerate(columns)
                 if isinstance(column, egglog.Var)]  # fmt: skip
        branches.append(Branch(table, tuple((number, rows) for number, rows in below if rows)))
    return tuple(branches)


def _uses(part: Any, functions: frozenset[str]) -> int:
    """Counts the applications of some functions in an expression, a fact or an action."""
    match part:
        case egglog.Call():
            return (part.name in functions) + sum(_uses(argument, functions) for argument in part.args)
        case egglog.Eq():
            return _uses(part.left, functions) + _uses(part.right, functions)
        case egglog.Union():
            return _uses(part.lhs, functions) + _uses(part.rhs, functions)
        case egglog.Let():
            return _uses(part.rhs, functions)
        case egglog.Fact():
            return _uses(part.expr, functions)
        case _:
            return 0


CALL = 30
_NO_ROW = 1e-300  # stands for 0, which has no logarithm
_ALMOST_NONE = 0.1  # exponent of the size of `_AT_MOST_ONE`, which hardly adds matches; a table without rows still rules out a match
_OPERANDS = Branch("OPERAND", ())
_MULTISET_COLUMN = 2


class Forecaster:
    """Forecasts for a fixed sequence of bodies."""

    def __init__(self, bodies: Sequence[Body]) -> None:
        self.bodies = tuple(bodies)
        self._uses = np.zeros((len(self.bodies), len(ROW_TABLES)))
        for number, body in enumerate(self.bodies):
            for table in _tables(body.root):
                self._uses[number, _NUMBER[table]] += _ALMOST_NONE if table == _AT_MOST_ONE else 1
            self._uses[number, _NUMBER["OPERAND"]] += body.has_multiset
        self._terms = np.log([body.terms for body in self.bodies])

    def beyond(self, sizes: Mapping[str, int], room: float) -> list[Body]:
        """The bodies that might make more than `room` rows, judged by the sizes of tables alone."""
        if not self.bodies:
            return []
        most = np.log([sizes[table] or _NO_ROW for table in ROW_TABLES])
        return [
            self.bodies[number]
            for number in np.flatnonzero(self._uses @ most + self._terms > np.log(max(1.0, room)))
        ]


def _tables(root: Branch) -> list[str]:
    found: list[str] = []
    pending = [root]
    while pending:
        branch = pending.pop()
        found.append(branch.table)
        pending += [row for _, rows in branch.below for row in rows]
    return found


class Counts:
    """Counts the ways to choose the rows of matches in the current e-graph."""

    def __init__(self, egraph: egglog.EGraph) -> None:
        self._functions = egraph.freeze().functions
        self._rows: dict[str, list[tuple[Any, Sequence[Any]]]] = {}
        self._known: dict[Branch, Counter[Any]] = {}

    def forecast(self, body: Body) -> Forecast:
        """Upper bounds on the work of a body if it were applied now."""
        if not body.has_multiset:
            matches = self._by_place(body.root).total()
            return Forecast(matches, matches * body.terms, matches * (1 + CALL * body.calls))
        sizes = self._by_place(_OPERANDS)
        matches = copied = 0
        for _, columns, ways in self._ways(body.root):
            matches += ways
            copied += ways * sizes[columns[_MULTISET_COLUMN]]
        return Forecast(matches, matches * body.terms + copied, matches * (1 + CALL * body.calls) + copied)

    def _by_place(self, branch: Branch) -> Counter[Any]:
        """Maps each value by which the branch is looked up to the number of ways to choose its rows."""
        if branch not in self._known:
            counted: Counter[Any] = Counter()
            for place, _, ways in self._ways(branch):
                counted[place] += ways
            self._known[branch] = counted
        return self._known[branch]

    def _ways(self, branch: Branch) -> Generator[tuple[Any, Sequence[Any], int]]:
        """Each row of the branch's table that can be chosen: the value that looks it up, its columns, and the ways to choose the rows below it."""
        below = [(column, list(map(self._by_place, rows))) for column, rows in branch.below]
        for place, columns in self._table(branch.table):
            ways = 1
            for column, counts in below:
                for count in counts:
                    ways *= count[columns[column]]
            if ways:
                yield place, columns, ways

    def _table(self, table: str) -> list[tuple[Any, Sequence[Any]]]:
        """The rows of a table that rules can match, see `rows_of`."""
        if table not in self._rows:
            self._rows[table] = rows_of(self._functions, table)
        return self._rows[table]
