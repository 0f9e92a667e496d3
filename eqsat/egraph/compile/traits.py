"""Tells in which graphs a rule can match, before it is compiled. Most rules of a library are never compiled for a given graph."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product

from eqsat.dtype import DType, bool_, index
from eqsat.egraph.compile.variant import patterns_of
from eqsat.egraph.tables.schema import BOOL_NARY, kind_of, table_of
from eqsat.ops import COMPARISON, NARY_OPS, Op
from eqsat.rules.language.pattern import Constant, Node, Pattern
from eqsat.rules.language.rule import Rule
from eqsat.rules.language.scalar import Number
from eqsat.rules.language.structure import STRUCTURAL, roles_of

# Tables whose rows hold an integer factor: a product by it, or a sum of such a product and a rest
_IN_SUMS = frozenset({"SCALE", "SPLIT"})
_INTEGER_FORMS = {
    Op.SUB: {"ADD_N", *_IN_SUMS},
    Op.MULACC: {"ADD_N", "MUL_N", *_IN_SUMS},
    Op.NEG: {"MUL_N", *_IN_SUMS},
}  # by operation: the tables that store it on integers
_OF_CONSTANT = _IN_SUMS | {"CONST"}
_NONE = frozenset[str]()


@dataclass(frozen=True, eq=False)
class Traits:
    """The operations and dtypes that one direction of a rule, from its left side to its right, matches and makes.

    Attributes:
        left: all patterns inside the left side.
        tables: sets of tables; for each set, a match takes a row of one of its tables.
        structure_matched: the structural operations of the left side. The rule cannot match where one of them does not occur.
        structure_made: the structural operations of the right side.
        kinds_made: the kinds of dtypes that the right side may add, whatever the left side matched.
    """

    left: list[Pattern]
    tables: frozenset[frozenset[str]]
    structure_matched: frozenset[Op]
    structure_made: frozenset[Op]
    kinds_made: frozenset[str]

    @staticmethod
    def of(declared: Rule) -> tuple[Traits, ...]:
        """The traits of each direction of a rule."""
        left, right = patterns_of(declared.left), patterns_of(declared.right)
        sides = [(left, right), (right, left)] if declared.both_ways else [(left, right)]
        return tuple(
            Traits(
                before,
                frozenset(filter(None, map(_tables_of, before))),
                _structure_of(before),
                _structure_of(after),
                frozenset[str]().union(*map(_kinds_of, after)),
            )
            for before, after in sides
        )

    def may_match(self, filled: frozenset[str]) -> bool:
        """Whether the left side can occur while only these tables have rows."""
        return not any(map(filled.isdisjoint, self.tables))

    def may_occur(self, pairs: frozenset[tuple[str, str]]) -> bool:
        """Whether the left side can occur in an e-graph in which only these pairs of tables hold a row and its operand, see `Occurrences.pairs`."""
        return not any(map(pairs.isdisjoint, self.pairs))

    @cached_property
    def pairs(self) -> frozenset[frozenset[tuple[str, str]]]:
        """Sets of pairs of tables, one set for each operand in the left side that is not a variable.

        For each set, a match takes a row and its operand from one of the pairs.
        """
        return frozenset(
            _pairs(_tables_of(node), lower)
            for node in self.left
            if isinstance(node, Node)
            for source in node.src
            if (lower := _tables_of(source))
        )


@cache
def _pairs(upper: frozenset[str], lower: frozenset[str]) -> frozenset[tuple[str, str]]:
    return frozenset(product(upper, lower))


def _tables_of(pattern: Pattern) -> frozenset[str]:
    """The tables that may store a part of a left side, for any kind of dtype; none for a variable."""
    if isinstance(pattern, Node):
        return _tables_of_operation(pattern.op, len(pattern.src))
    return _OF_CONSTANT if isinstance(pattern, Constant) else _NONE


@cache
def _tables_of_operation(op: Op, sources: int) -> frozenset[str]:
    if roles_of(op, sources) is not None:
        return frozenset({table_of(op, sources)})
    found = {op.name, *_INTEGER_FORMS.get(op, ())}
    if op in NARY_OPS:
        found |= {f"{op.name}_N", f"{BOOL_NARY.get(op, op).name}_N"}
    return frozenset(found | _IN_SUMS if op in (Op.ADD, Op.MUL) else found)


def _structure_of(side: list[Pattern]) -> frozenset[Op]:
    return frozenset(part.op for part in side if isinstance(part, Node) and part.op in STRUCTURAL)


def _kinds_of(part: Pattern) -> frozenset[str]:
    """The kinds of dtypes that a part names, or that its operation always has in its result or operands."""
    match part:
        case Node(op) if op in COMPARISON or op is Op.WHERE:
            return frozenset({kind_of(bool_)})
        case Node(op) if op is Op.INDEX:
            return frozenset({kind_of(index), kind_of(bool_)})
        case Node(dtype=Number(DType() as dtype)):
            return frozenset({kind_of(dtype)})
        case _:
            return frozenset()
