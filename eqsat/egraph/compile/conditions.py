"""The conditions of a rule that depend only on the row that its left side matches at the root.

If no such row satisfies them, the rule does not match, and need not be registered with egglog. For example, many rules about reductions apply only to
long axes, or only to axes of one element.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from eqsat.egraph.bindings import egglog
from eqsat.egraph.compile.body import LeftSide
from eqsat.egraph.compile.guards import shape_variable
from eqsat.egraph.compile.occurrence import LETTERS
from eqsat.egraph.compile.variant import patterns_of
from eqsat.egraph.tables.callbacks import decode
from eqsat.egraph.tables.syntax import variable
from eqsat.rules.language.facts import Fact
from eqsat.rules.language.pattern import Constant, Node, Value
from eqsat.rules.language.scalar import Arg, Call, Number, Operation, Scalar, Type

_TEXTS = "dst"  # letters of the columns that hold text, see `schema.COLUMNS`
Reader = Callable[[Sequence[str]], Any]
"""Computes a value from the texts in columns."""


@dataclass(frozen=True, eq=False)
class Conditions:
    """The conditions that a match puts on the root's row.

    Attributes:
        columns: the numbers of the columns that are read.
        guards: functions whose values must be true.
        values: functions whose values must not be None.
    """

    columns: tuple[int, ...]
    guards: tuple[Reader, ...]
    values: tuple[Reader, ...]

    @staticmethod
    def of(left: LeftSide) -> Conditions | None:
        """The conditions of the rule with this left side; None if it computes nothing from the root's row alone."""
        _, table, arguments = left.atoms[0]
        places = {
            argument.name: number
            for number, argument in enumerate(arguments)
            if isinstance(argument, egglog.Var) and LETTERS[table][number] in _TEXTS
        }
        columns = tuple(places.values())
        row = _RowReader(left, {name: position for position, name in enumerate(places)})
        rule = left.variant.rule
        guards = tuple(filter(None, map(row.reader, _calls_in(rule.where))))
        computed = [scalar for part in patterns_of(rule.right) for scalar in _scalars_of(part)]
        values = tuple(filter(None, map(row.reader, computed)))
        return Conditions(columns, guards, values) if guards or values else None

    def satisfied_by(self, texts: tuple[str, ...]) -> bool:
        """Whether the conditions hold for a row with these texts in the columns that are read."""
        return _is_satisfied(self, texts)


@lru_cache(1 << 14)
def _is_satisfied(conditions: Conditions, texts: tuple[str, ...]) -> bool:
    return all(guard(texts) for guard in conditions.guards) and all(
        value(texts) is not None for value in conditions.values
    )


@dataclass(frozen=True)
class _RowReader:
    """The columns that are read of the root's row; `places` maps each egglog variable to its position among them."""

    left: LeftSide
    places: dict[str, int]

    def reader(self, scalar: Scalar) -> Reader | None:
        """The function that computes a scalar from the row; None if the scalar depends on anything else."""
        match scalar:
            case Number(value):
                return lambda texts: value
            case Arg(name) | Type(name):
                return self._column(*self.left.bindings.arguments[name])
            case Fact("shape", Value(name)):
                return self._column(
                    variable(shape_variable(self.left.variant.typing.value_shapes[name])), "t"
                )
            case Fact("dtype", Value(name)):
                return self._column(self.left.variant.dtype(self.left.variant.typing.value_types[name]), "d")
            case Call(function, operands):
                readers = list(map(self.reader, operands))
                known = [reader for reader in readers if reader is not None]
                return _call(function.value, known) if len(known) == len(readers) else None
            case _:
                return None

    def _column(self, expression: Any, letter: str) -> Reader | None:
        if isinstance(expression, egglog.Lit):
            known = decode(letter, expression.value.value)  # pyright: ignore
            return lambda texts: known
        place = self.places.get(expression.name)
        return None if place is None else lambda texts: decode(letter, texts[place])


def _call(function: Callable[..., Any], readers: Sequence[Reader]) -> Reader:
    """A reader that calls a function on its operands; its value is None if an operand is None."""

    def read(texts: Sequence[str]) -> Any:
        operands = [reader(texts) for reader in readers]
        return None if None in operands else function(*operands)

    return read


def _calls_in(guard: Scalar | None) -> Iterator[Call]:
    """The calls that must all be true for a guard to hold."""
    match guard:
        case Call():
            yield guard
        case Operation("and", operands):
            for operand in operands:
                yield from _calls_in(operand)
        case _:
            pass


def _scalars_of(part: Any) -> list[Scalar]:
    """The calls that a part of a right side computes."""
    match part:
        case Node(fields=fields):
            found = fields
        case Constant(value):
            found = (value,)
        case _:
            found = ()
    return [scalar for scalar in found if isinstance(scalar, Call)]
