"""What the theory steps found, as actions: a class is called by its name, and gets one when it is first called."""

from __future__ import annotations

from eqsat.egraph.frozen import Frozen, Row
from eqsat.egraph.polynomial import Polynomial
from eqsat.egraph.schema import COLUMNS
from eqsat.egraph.terms import (
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


class Feeder:
    """Collects actions on the classes of one frozen e-graph. `next_name` goes on from step to step."""

    def __init__(self, frozen: Frozen, next_name: int) -> None:
        self.frozen = frozen
        self.next_name = next_name
        self.actions: list[Action] = []
        self.names: dict[int, Expression] = {}
        self.numbers: dict[int, int] = {}  # of the names given here
        self.made: dict[str, Expression] = {}  # by table and columns, as they print
        self._shortest: dict[int, Row] | None = None

    def name(self, owner: int) -> Expression:
        """The expression for a class; its smallest term is stated again if it has no name yet."""
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
                    self._christen(current, self._restated(row))
        return self.names[owner]

    @property
    def shortest(self) -> dict[int, Row]:
        """A term of least height for each class."""
        if self._shortest is None:
            self._shortest = shortest_terms(self.frozen)
        return self._shortest

    def _christen(self, owner: int, term: Expression) -> None:
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

    def term(self, table: str, *columns: object) -> Expression:
        """A term, built once. Columns are strings, ints (BigInt), or expressions; a tuple is a multiset of expressions."""
        key = f"{table} {columns!r}"  # expressions print whole, and do not hash
        if key not in self.made:
            arguments: list[Expression] = []
            for column in columns:
                match column:
                    case str():
                        arguments.append(text(column))
                    case int():
                        arguments.append(integer(column))
                    case tuple():
                        arguments.append(call("multiset-of", *column))  # pyright: ignore
                    case _:
                        arguments.append(column)  # pyright: ignore
            local = variable(f"x{len(self.actions)}")
            self.actions.append(let(local.name, call(table, *arguments)))
            self.made[key] = local
        return self.made[key]

    def polynomial(self, place: tuple[str, str], polynomial: Polynomial) -> Expression:
        """The sum that a polynomial writes."""
        terms: list[Expression] = []
        for monomial, coefficient in sorted(polynomial.items()):
            if not monomial:
                terms.append(self.term("CONST", *place, coefficient))
                continue
            factors = tuple(self.name(atom) for atom in monomial)
            value = factors[0] if len(factors) == 1 else self.term("MUL_N", *place, factors)
            terms.append(value if coefficient == 1 else self.term("SCALE", *place, coefficient, value))
        if not terms:
            return self.term("CONST", *place, 0)
        return terms[0] if len(terms) == 1 else self.term("ADD_N", *place, tuple(terms))

    def union(self, owner: int, term: Expression) -> None:
        """States that the class equals the term."""
        self.actions.append(union(self.name(owner), term))

    def subsume(self, row: Row) -> None:
        """States that a chain need not be looked at any more, its class being written otherwise."""
        elements = [self.name(child) for child in row.columns[2]]
        columns = [text(row.dtype), text(row.shape), call("multiset-of", *elements)]
        self.actions.append(subsume(row.table, columns))

    def split(self, owner: int, divisor: int, quotient: Expression, rest: Expression) -> None:
        """States that the class is divisor * quotient + rest."""
        self.actions.append(assert_(call("SPLIT", self.name(owner), integer(divisor), quotient, rest)))


def shortest_terms(frozen: Frozen) -> dict[int, Row]:
    """For each class a term of least height, by which it can be written down without end."""
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
