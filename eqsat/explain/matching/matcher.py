"""Matches patterns against the classes of a congruence closure. Operands of n-ary operators match in any order and grouping."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from eqsat.dtype import DType, wrap
from eqsat.egraph.compile.variant import nary_op_of, scaled, split_parts
from eqsat.egraph.tables.schema import kind_of, nary_op
from eqsat.egraph.theories.terms.constants import constant_of
from eqsat.explain.closure.tables import ENode, Tables, scaled_value
from eqsat.explain.matching.oriented_rules import Direction, table_of
from eqsat.ops import ALONG_AXES, COMMUTATIVE, Op
from eqsat.rules.language.pattern import Constant, Node, Pattern, Value, operand_patterns
from eqsat.rules.language.scalar import Arg, Const, Number, Scalar, Type
from eqsat.uop import UOp

# What each variable stands for. For a Value it is a class, or a tuple of UOps (the remaining operands); for Const, Arg and Type as in bindings.
Env = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Spot:
    """A match of one n-ary application in a pattern.

    Attributes:
        pattern: the application in the pattern.
        enode: the matched e-node.
        operands: for each part of the e-node, the pattern of the operand that it matched; None for parts that remain.
    """

    pattern: Node
    enode: ENode
    operands: tuple[Pattern | None, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """A match: the bindings of the variables, and which operands of n-ary applications were matched."""

    env: Env
    spots: tuple[Spot, ...]


class Matcher:
    """Matches patterns against the tables of a congruence closure; `splits` lists the classes that are x * c + y."""

    def __init__(self, known: Tables, splits: Mapping[int, Sequence[tuple[int, int, int]]]) -> None:
        self.known = known
        self.splits = splits
        self.direction: Direction

    def root(self, direction: Direction, enode: ENode, table: str) -> Iterator[Found]:
        """The matches of a whole left side with one e-node."""
        self.direction = direction
        pattern = direction.pattern
        start = Found({}, ())
        if table.endswith("_N"):
            operands = self._operands(pattern, _kind(enode.term))
            for assigned, found in self._assign(operands, enode.parts, {}, start):
                yield Found(found.env, (*found.spots, self._spot(pattern, enode, operands, assigned)))
        else:
            yield from self._way(pattern, enode, table, start)

    def _at(self, pattern: Pattern, owner: int, found: Found) -> Iterator[Found]:
        match pattern:
            case Value(name):
                bound = found.env.get(name)
                if bound is None:
                    yield Found({**found.env, name: owner}, found.spots)
                elif bound == owner:
                    yield found
            case Constant(value):
                yield from self._constant(value, owner, found)
            case Node():
                yield from self._node(pattern, owner, found)
            case _:
                return

    def _constant(self, value: Scalar, owner: int, found: Found) -> Iterator[Found]:
        term = self.known.constant.get(owner)
        if term is None:
            return
        number = constant_of(term)
        assert number is not None
        yield from self._number(value, number, term, found)

    def _node(self, node: Node, owner: int, found: Found) -> Iterator[Found]:
        kind = _kind(self.known.simplest[owner])
        table = table_of(node, kind)
        if table.endswith("_N"):
            yield from self._nested_application(node, owner, kind, found)
            return
        for enode in self.known.enodes.get((owner, table), ()):
            yield from self._way(node, enode, table, found)

    def _way(self, node: Node, enode: ENode, table: str, found: Found) -> Iterator[Found]:
        term = enode.term
        if table == "SCALE":
            pair = scaled(node, _kind(term))
            assert pair is not None
            value = scaled_value(term)
            assert value is not None
            for matched in self._number(pair[1].value, value[1], term, found):
                yield from self._at(pair[0], self.known.owner[value[0]], matched)
            return
        bound = self._fields(node, term, found)
        if bound is None or len(enode.parts) != len(node.src):
            return
        owners = [self.known.owner[part] for part in enode.parts]
        orders = [owners, owners[::-1]] if node.op in COMMUTATIVE and owners[0] != owners[-1] else [owners]
        for order in orders:
            yield from self._all(node.src, order, bound)

    def _all(self, patterns: Sequence[Pattern], owners: Sequence[int], found: Found) -> Iterator[Found]:
        if not patterns:
            yield found
            return
        for matched in self._at(patterns[0], owners[0], found):
            yield from self._all(patterns[1:], owners[1:], matched)

    def _number(self, value: Scalar, number: bool | float, term: UOp, found: Found) -> Iterator[Found]:
        """The match in which a number of the dtype of `term` is bound; no match if the pattern needs another number."""
        assert isinstance(term.dtype, DType)
        if isinstance(value, Number):
            if _is_number(value.value, number, term.dtype):
                yield found
        elif isinstance(value, Const):
            bound = found.env.get(value.name)
            if bound is None:
                yield Found({**found.env, value.name: number}, found.spots)
            elif bound == number and repr(bound) == repr(number):  # 0.0 is not -0.0, and 1 is not True
                yield found

    def _fields(self, node: Node, term: UOp, found: Found) -> Found | None:
        """The match in which the argument of a movement or reduction, or the dtype of a cast, is bound; None if the pattern needs another."""
        scalars: list[tuple[Scalar, Any]] = []
        if node.dtype is not None:
            scalars.append((node.dtype, term.dtype))
        if node.fields:
            arguments = term.arg if node.op in ALONG_AXES else (term.arg,)
            scalars += zip(node.fields, arguments, strict=True)
        env = found.env
        for scalar, value in scalars:
            match scalar:
                case Arg(name) | Type(name) if name not in env:
                    env = {**env, name: value}
                case Arg(name) | Type(name) if env[name] == value:
                    continue
                case Number(wanted) if wanted == value:
                    continue
                case _:
                    return None
        return found if env is found.env else Found(env, found.spots)

    # n-ary operators

    def _operands(self, node: Node, kind: str) -> list[Pattern]:
        """The operands of an n-ary application in a pattern. Variables come last, because they match everything."""
        op = nary_op(node.op, kind)
        assert op is not None
        found = operand_patterns(node, op, lambda inner: nary_op_of(inner, kind))
        return sorted(found, key=lambda part: isinstance(part, Value))

    def _assign(
        self, operands: Sequence[Pattern], parts: Sequence[UOp], taken: dict[int, int], found: Found
    ) -> Iterator[tuple[dict[int, int], Found]]:
        """Assigns a different part to each operand. The result maps the position of a part to the position of its operand."""
        if len(taken) == len(operands):
            yield taken, found
            return
        operand = operands[len(taken)]
        tried: set[int] = set()
        for position, part in enumerate(parts):
            owner = self.known.owner[part]
            if position in taken or owner in tried:
                continue
            tried.add(owner)
            for matched in self._at(operand, owner, found):
                yield from self._assign(operands, parts, {**taken, position: len(taken)}, matched)

    def _remaining(self, operands: Sequence[Pattern]) -> Value | None:
        """The last variable that occurs once in the pattern; it may match several operands."""
        for part in reversed(operands):
            if isinstance(part, Value) and self.direction.uses[part.name] == 1:
                return part
        return None

    def _nested_application(self, node: Node, owner: int, kind: str, found: Found) -> Iterator[Found]:
        operands, op = self._operands(node, kind), nary_op_of(node, kind)
        assert op is not None
        if op is Op.ADD and (parts := split_parts(operands, kind)) is not None:
            quotient, coefficient, rest = parts
            for factor, whole, remainder in self.splits.get(owner, ()):
                for matched in self._number(coefficient.value, factor, self.known.simplest[owner], found):
                    yield from self._all((quotient, rest), (whole, remainder), matched)
            return
        rest = self._remaining(operands)
        inner = [operand for operand in operands if operand is not rest]
        for enode in self.known.enodes.get((owner, f"{op.name}_N"), ()):
            for assigned, matched in self._assign(inner, enode.parts, {}, found):
                left = [part for position, part in enumerate(enode.parts) if position not in assigned]
                if bool(left) != (rest is not None):
                    continue
                spot = self._spot(node, enode, inner, assigned)
                env = matched.env
                if rest is not None:
                    env = {**env, rest.name: tuple(left) if len(left) > 1 else self.known.owner[left[0]]}
                yield Found(env, (*matched.spots, spot))

    @staticmethod
    def _spot(node: Node, enode: ENode, operands: Sequence[Pattern], assigned: Mapping[int, int]) -> Spot:
        matched = tuple(
            operands[assigned[position]] if position in assigned else None
            for position in range(len(enode.parts))
        )
        return Spot(node, enode, matched)


def _is_number(written: bool | float, number: bool | float, dtype: DType) -> bool:
    """Whether a number in a rule, converted to a dtype, equals a constant of that dtype."""
    if dtype.is_float:
        return repr(float(wrap(dtype, written))) == repr(number)
    return written == int(written) and wrap(dtype, int(written)) == number if isfinite(written) else False


def _kind(term: UOp) -> str:
    return kind_of(term.dtype)
