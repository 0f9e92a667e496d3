"""Finding where rules apply in a forest: patterns are matched class by class, sums and other chains in any order and grouping."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from eqsat.dtype import DType
from eqsat.egraph.schema import chain_of, kind_of
from eqsat.explain.constants import constant_of
from eqsat.explain.directions import Direction, scaled, table_of
from eqsat.explain.rows import Tables, Way, scaled_value
from eqsat.ops import COMMUTATIVE, COMPARISON, Op
from eqsat.rules.instantiate import wrap
from eqsat.rules.pattern import Constant, Node, Pattern, Value
from eqsat.rules.scalar import Arg, Const, Number, Scalar, Type
from eqsat.uop import UOp

Env = dict[str, Any]  # Value: a class, or UOps that are the rest of a chain; Const, Arg, Type: as in bindings


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a chain of a pattern was found.

    Attributes:
        pattern: the chain.
        way: what it was matched with.
        elements: the pattern that each part was matched with; None for the parts that remain.
    """

    pattern: Node
    way: Way
    elements: tuple[Pattern | None, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """A match: what the variables stand for, and how chains were taken apart."""

    env: Env
    spots: tuple[Spot, ...]


class Matcher:
    """Matches patterns against the tables of a forest; `splits` are the ways to write classes as x * c + y."""

    def __init__(self, known: Tables, splits: Mapping[int, Sequence[tuple[int, int, int]]]) -> None:
        self.known = known
        self.splits = splits
        self.direction: Direction

    def root(self, direction: Direction, way: Way, table: str) -> Iterator[Found]:
        """The matches of a whole left side with one way to write a term."""
        self.direction = direction
        pattern = direction.pattern
        start = Found({}, ())
        if table.endswith("_N"):
            elements = self._elements(pattern, _kind(way.term))
            for assigned, found in self._assign(elements, way.parts, {}, start):
                yield Found(found.env, (*found.spots, self._spot(pattern, way, elements, assigned)))
        else:
            yield from self._way(pattern, way, table, start)

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
            yield from self._inner_chain(node, owner, kind, found)
            return
        for way in self.known.ways.get((owner, table), ()):
            yield from self._way(node, way, table, found)

    def _way(self, node: Node, way: Way, table: str, found: Found) -> Iterator[Found]:
        term = way.term
        if table == "SCALE":
            pair = scaled(node, _kind(term))
            assert pair is not None
            value = scaled_value(term)
            assert value is not None
            for matched in self._number(pair[1].value, value[1], term, found):
                yield from self._at(pair[0], self.known.owner[value[0]], matched)
            return
        bound = self._fields(node, term, found)
        if bound is None or len(way.parts) != len(node.src):
            return
        owners = [self.known.owner[part] for part in way.parts]
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
        """The match with a number of the dtype of `term` bound; none where the pattern asks for another."""
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
        """The match with the argument of a movement or reduction, or the target of a cast, bound; None where it differs."""
        scalars: list[tuple[Scalar, Any]] = []
        if node.dtype is not None:
            scalars.append((node.dtype, term.dtype))
        if node.fields:
            arguments = term.arg if node.op is Op.REDUCE_AXIS else (term.arg,)
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

    # chains

    def _elements(self, node: Node, kind: str) -> list[Pattern]:
        """The elements of a chain in a pattern, those to look at first in front."""
        op = chain_of(node.op, kind)
        found: list[Pattern] = []
        stack: list[Pattern] = [node]
        while stack:
            current = stack.pop()
            if (
                isinstance(current, Node)
                and scaled(current, kind) is None
                and current.op not in COMPARISON
                and chain_of(current.op, kind) is op
            ):
                stack.extend(reversed(current.src))
            else:
                found.append(current)
        return sorted(found, key=lambda part: isinstance(part, Value))

    def _assign(
        self, elements: Sequence[Pattern], parts: Sequence[UOp], taken: dict[int, int], found: Found
    ) -> Iterator[tuple[dict[int, int], Found]]:
        """Different parts for all elements: the part's position, and the element's."""
        if len(taken) == len(elements):
            yield taken, found
            return
        element = elements[len(taken)]
        tried: set[int] = set()
        for position, part in enumerate(parts):
            owner = self.known.owner[part]
            if position in taken or owner in tried:
                continue
            tried.add(owner)
            for matched in self._at(element, owner, found):
                yield from self._assign(elements, parts, {**taken, position: len(taken)}, matched)

    def _inner_chain(self, node: Node, owner: int, kind: str, found: Found) -> Iterator[Found]:
        elements = self._elements(node, kind)
        if (parts := self._split(elements, kind)) is not None:
            quotient, coefficient, rest = parts
            for factor, whole, remainder in self.splits.get(owner, ()):
                for matched in self._number(coefficient.value, factor, self.known.simplest[owner], found):
                    yield from self._all((quotient, rest), (whole, remainder), matched)
            return
        rest = next(
            (
                part
                for part in reversed(elements)
                if isinstance(part, Value) and self.direction.uses[part.name] == 1
            ),
            None,
        )
        inner = [element for element in elements if element is not rest]
        op = chain_of(node.op, kind)
        assert op is not None
        for way in self.known.ways.get((owner, f"{op.name}_N"), ()):
            for assigned, matched in self._assign(inner, way.parts, {}, found):
                left = [part for position, part in enumerate(way.parts) if position not in assigned]
                if bool(left) != (rest is not None):
                    continue
                spot = self._spot(node, way, inner, assigned)
                env = matched.env
                if rest is not None:
                    assert isinstance(rest, Value)
                    env = {**env, rest.name: tuple(left) if len(left) > 1 else self.known.owner[left[0]]}
                yield Found(env, (*matched.spots, spot))

    def _split(self, elements: Sequence[Pattern], kind: str) -> tuple[Value, Constant, Value] | None:
        """The parts of `x * c + y`."""
        if len(elements) != 2 or not isinstance(elements[1], Value) or not isinstance(elements[0], Node):
            return None
        pair = scaled(elements[0], kind)
        if pair is None or not isinstance(pair[0], Value) or not isinstance(pair[1].value, Const):
            return None
        return pair[0], pair[1], elements[1]

    @staticmethod
    def _spot(node: Node, way: Way, elements: Sequence[Pattern], assigned: Mapping[int, int]) -> Spot:
        matched = tuple(
            elements[assigned[position]] if position in assigned else None
            for position in range(len(way.parts))
        )
        return Spot(node, way, matched)


def _is_number(written: bool | float, number: bool | float, dtype: DType) -> bool:
    """Whether a number in a rule is this constant of a dtype."""
    if dtype.is_float:
        return repr(float(wrap(dtype, written))) == repr(number)
    return written == int(written) and wrap(dtype, int(written)) == number if isfinite(written) else False


def _kind(term: UOp) -> str:
    return kind_of(term.dtype)
