"""Writes claims as egglog actions. An action refers to an e-class by a name, which the e-class gets when it is first needed."""

from __future__ import annotations

from functools import cached_property

from eqsat.egraph.snapshot.frozen import FrozenEGraph, Row
from eqsat.egraph.tables.schema import COLUMNS
from eqsat.egraph.tables.syntax import (
    Action,
    Expression,
    assert_,
    call,
    integer,
    let,
    small,
    subsume,
    text,
    union,
    variable,
)
from eqsat.egraph.theories.claims import (
    Claim,
    Constant,
    Equal,
    Operation,
    Reinterpreted,
    Scaled,
    Split,
    Sum,
    Term,
    written_out,
)


class ActionWriter:
    """Collects actions on the classes of one frozen e-graph. `next_name` keeps counting from step to step."""

    def __init__(self, frozen: FrozenEGraph, next_name: int) -> None:
        self.frozen = frozen
        self.next_name = next_name
        self.actions: list[Action] = []
        self.names: dict[int, Expression] = {}
        self.numbers: dict[int, int] = {}  # by class: the number of the name that it got here
        self.made: dict[str, Expression] = {}  # the terms that were built, by table and columns as text

    def name(self, owner: int) -> Expression:
        """The expression for a class. If the class has no name yet, builds its smallest term again and names it."""
        stack = [owner]
        while stack:
            current = stack[-1]
            if current in self.names:
                stack.pop()
            elif current in self.frozen.names:
                self.names[current] = call("NAMED", small(self.frozen.names[current]))
            else:
                row = self.shortest[current]
                missing = [child for child in row.children if child not in self.names]
                if missing:
                    stack.extend(missing)
                else:
                    self._name_class(current, self._restated(row))
        return self.names[owner]

    @cached_property
    def shortest(self) -> dict[int, Row]:
        """A term of least height for each class."""
        return shortest_terms(self.frozen)

    def _name_class(self, owner: int, term: Expression) -> None:
        local = variable(f"k{self.next_name}")
        self.actions.append(let(local.name, term))
        self.actions.append(union(local, call("NAMED", small(self.next_name))))
        self.names[owner] = local
        self.numbers[owner] = self.next_name
        self.next_name += 1

    def _restated(self, row: Row) -> Expression:
        arguments: list[Expression] = []
        for letter, column in zip(COLUMNS[row.table], row.columns, strict=True):
            match letter:
                case "n":
                    arguments.append(integer(column))
                case "k":
                    arguments.append(small(column))
                case "U":
                    arguments.append(self.names[column])
                case "M" | "V":
                    container = "multiset-of" if letter == "M" else "vec-of"
                    arguments.append(call(container, *(self.names[child] for child in column)))
                case _:
                    arguments.append(text(column))
        return call(row.table, *arguments)

    def write(self, term: Term) -> Expression:
        """The expression of a term, built once."""
        match term:
            case int():
                return self.name(term)
            case Sum():
                return self.write(written_out(term))
            case Constant((dtype, shape), bits):
                return self._built("CONST", text(dtype), text(shape), integer(bits))
            case Scaled((dtype, shape), factor, value):
                return self._built("SCALE", text(dtype), text(shape), integer(factor), self.write(value))
            case Reinterpreted((dtype, shape), source, value):
                return self._built("BITCAST", text(dtype), text(source), text(shape), self.write(value))
            case Operation(table, (dtype, shape), operands):
                written = [self.write(operand) for operand in operands]
                if table.endswith("_N"):
                    written = [call("multiset-of", *written)]
                return self._built(table, text(dtype), text(shape), *written)

    def _built(self, table: str, *columns: Expression) -> Expression:
        key = f"{table} {columns!r}"  # expressions print in full, but cannot be hashed
        if key not in self.made:
            local = variable(f"x{len(self.actions)}")
            self.actions.append(let(local.name, call(table, *columns)))
            self.made[key] = local
        return self.made[key]

    def claim(self, claim: Claim) -> None:
        """Adds the actions that state a claim."""
        match claim:
            case Equal(_, owner, term, _, replaced):
                written = self.write(term)
                self.actions.append(union(self.name(owner), written))
                if replaced is not None:
                    operands = call("multiset-of", *map(self.name, replaced.columns[2]))
                    columns = [text(replaced.dtype), text(replaced.shape), operands]
                    self.actions.append(subsume(replaced.table, columns))
            case Split(_, owner, place, divisor, quotient, rest):
                parts = [self.write(Sum(place, form)) for form in (quotient, rest)]
                self.actions.append(assert_(call("SPLIT", self.name(owner), integer(divisor), *parts)))

    def lasting_name(self, owner: int) -> int:
        """A number for a class that stays the same from step to step; negative while the class has no name."""
        found = self.frozen.names.get(owner, self.numbers.get(owner))
        return -1 - owner if found is None else found


def shortest_terms(frozen: FrozenEGraph) -> dict[int, Row]:
    """A term of least height for each class. Such terms contain no cycle, so each class can be written as a finite term."""
    waiting: dict[int, list[int]] = {}
    missing: list[int] = []
    ready: list[int] = []
    for number, row in enumerate(frozen.rows):
        children = set(row.children)
        missing.append(len(children))
        for child in children:
            waiting.setdefault(child, []).append(number)
        if not children:
            ready.append(number)
    found: dict[int, Row] = {}
    for number in ready:
        row = frozen.rows[number]
        if row.owner in found:
            continue
        found[row.owner] = row
        for user in waiting.get(row.owner, ()):
            missing[user] -= 1
            if not missing[user]:
                ready.append(user)
    return found
