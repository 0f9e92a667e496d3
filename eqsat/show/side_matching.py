"""Matches one side of a rule in a saturated e-graph: at an e-node, in an e-class, or among the operands of an n-ary operator."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from eqsat.dtype import DType, PtrDType, wrap
from eqsat.egraph.compile.variant import Variant
from eqsat.egraph.snapshot.snapshot import UNKNOWN_HI, UNKNOWN_LO, Snapshot
from eqsat.egraph.tables.schema import nary_op
from eqsat.ops import COMPARISON, TABLE, Category, Op
from eqsat.rules.language.instantiate import evaluate
from eqsat.rules.language.pattern import Constant, Node, Pattern, Value, operand_patterns
from eqsat.rules.language.scalar import Arg, Const, Scalar, Type
from eqsat.shape import Shape


class OutOfSteps(Exception):  # noqa: N818 - a signal between two modules, no error
    """Matching took more steps than it was given."""


@dataclass(frozen=True, slots=True)
class Matched:
    """What a `Value` stands for: a class, or several operands of one n-ary operator (sum, product, …).

    `dtype` and `shape` are what guards read.
    """

    classes: tuple[int, ...]
    op: Op | None
    dtype: DType | PtrDType
    shape: Shape | None


# Value: Matched; Const: a number; Arg: a tuple or Op; Type: a DType; "?d1" and the like: the dtype of a type key
Bindings = dict[str, Any]


class Searched:
    """An e-graph in which rules are matched. To match a pattern in a class takes one of `steps_left`."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.owners: list[int] = snapshot.node_class.tolist()
        self.starts: list[int] = snapshot.class_start.tolist()
        self.bounds = list(zip(snapshot.lo.tolist(), snapshot.hi.tolist(), strict=True))
        self.by_op: dict[Op, list[int]] = {}
        for node, term in enumerate(snapshot.terms):
            self.by_op.setdefault(term.op, []).append(node)
        self.steps_left = 0

    def nodes_of(self, owner: int) -> range:
        """The nodes of a class."""
        return range(self.starts[owner], self.starts[owner + 1])

    def bounds_of(self, bindings: Bindings) -> dict[str, tuple[int, int]]:
        """The known bounds of the values, by name."""
        known: dict[str, tuple[int, int]] = {}
        for name, matched in bindings.items():
            if not isinstance(matched, Matched) or matched.op not in (None, Op.ADD):
                continue
            parts = [self.bounds[owner] for owner in matched.classes]
            if all(lo != UNKNOWN_LO and hi != UNKNOWN_HI for lo, hi in parts):
                known[name] = (sum(lo for lo, _ in parts), sum(hi for _, hi in parts))
        return known


class Side:
    """One side of a rule, with the type keys of its patterns."""

    def __init__(self, searched: Searched, variant: Variant, types: dict[int, str]) -> None:
        self.searched = searched
        self.snapshot = searched.snapshot
        self.variant = variant
        self.types = types

    def nary_op(self, pattern: Pattern) -> Op | None:
        """The n-ary operator as which the e-graph stores an operation; None if it stores the operation itself."""
        if not isinstance(pattern, Node) or pattern.op in COMPARISON:
            return None
        return nary_op(pattern.op, self.variant.kind(self.types[id(pattern)]))

    def match_root(
        self, root: Pattern, node: int, bindings: Bindings
    ) -> Iterator[tuple[Bindings, tuple[int, ...]]]:
        """Matches at a node, with the remaining operands of an n-ary application. A variable matches no node."""
        match root:
            case Node():
                nary_op = self.nary_op(root)
                typed = self.with_dtype(root, self.searched.owners[node], bindings)
                if typed is None:
                    return
                if nary_op is None:
                    yield from ((found, ()) for found in self.match_node(root, node, typed))
                    return
                for rest, found in self.match_operands(
                    self.operand_patterns(root, nary_op), node, nary_op, typed
                ):
                    yield found, rest
            case Constant():
                yield from ((found, ()) for found in self.match_constant(root, node, bindings))
            case _:
                return

    def match_class(self, pattern: Pattern, owner: int, bindings: Bindings) -> Iterator[Bindings]:
        """Matches of a pattern in a class."""
        self.searched.steps_left -= 1
        if self.searched.steps_left < 0:
            raise OutOfSteps
        typed = self.with_dtype(pattern, owner, bindings)
        if typed is None:
            return
        if isinstance(pattern, Value):
            yield from self.match_value(pattern, owner, typed)
            return
        for node in self.searched.nodes_of(owner):
            match pattern:
                case Constant():
                    yield from self.match_constant(pattern, node, typed)
                case Node() if (nary_op := self.nary_op(pattern)) is not None:
                    yield from self.match_whole_application(pattern, node, nary_op, typed)
                case Node():
                    yield from self.match_node(pattern, node, typed)
                case _:
                    return

    def with_dtype(self, pattern: Pattern, owner: int, bindings: Bindings) -> Bindings | None:
        """The bindings with the dtype of a class for the pattern's type key; None if it doesn't fit."""
        key, actual = self.types[id(pattern)], self.snapshot.class_dtype[owner]
        if key == self.variant.typing.principal and actual not in self.variant.domain:
            return None
        if key[0] == "!":  # the dtype follows from the operands of a vector
            return bindings
        if key[0] not in "?$":
            return bindings if actual.name == key else None
        return _bound(bindings, key, actual)

    def match_value(self, pattern: Value, owner: int, bindings: Bindings) -> Iterator[Bindings]:
        """A variable matches any class, or the one that it stands for already."""
        known: Matched | None = bindings.get(pattern.name)
        if known is None:
            shape = self.snapshot.class_shape[owner]
            matched = Matched((owner,), None, self.snapshot.class_dtype[owner], shape)
            yield {**bindings, pattern.name: matched}
        elif known.classes == (owner,) or (known.op is not None and self.holds_application(owner, known)):
            yield bindings

    def holds_application(self, owner: int, known: Matched) -> bool:
        """Whether a class contains the application of several operands that a variable stands for."""
        wanted = Counter(known.classes)
        return any(
            self.snapshot.terms[node].op is known.op and Counter(self.snapshot.operands(node)) == wanted
            for node in self.searched.nodes_of(owner)
        )

    def match_constant(self, pattern: Constant, node: int, bindings: Bindings) -> Iterator[Bindings]:
        """A constant matches a CONST node of that value."""
        term = self.snapshot.terms[node]
        if term.op is not Op.CONST or not isinstance(term.dtype, DType):
            return
        if isinstance(pattern.value, Const):
            found = _bound(bindings, pattern.value.name, term.arg)
            if found is not None:
                yield found
            return
        wanted = evaluate(pattern.value, bindings, self.searched.bounds_of(bindings))
        if wanted is not None and _is_same(wrap(term.dtype, wanted), term.arg):
            yield bindings

    def match_node(self, pattern: Node, node: int, bindings: Bindings) -> Iterator[Bindings]:
        """Matches of an operation that is not n-ary."""
        term = self.snapshot.terms[node]
        if term.op is not pattern.op:
            return
        found = self.match_fields(pattern, node, bindings)
        if found is None:
            return
        operands = self.snapshot.operands(node)
        if len(operands) != len(pattern.src):
            return
        orders = [operands]
        if TABLE[pattern.op].commutative and operands[0] != operands[-1]:
            orders.append(operands[::-1])
        for order in orders:
            yield from self.match_all(pattern.src, order, found)

    def match_all(
        self, patterns: Sequence[Pattern], owners: Sequence[int], bindings: Bindings
    ) -> Iterator[Bindings]:
        """Matches of patterns in classes, one by one."""
        if not patterns:
            yield bindings
            return
        for found in self.match_class(patterns[0], owners[0], bindings):
            yield from self.match_all(patterns[1:], owners[1:], found)

    def match_fields(self, pattern: Node, node: int, bindings: Bindings) -> Bindings | None:
        """The bindings with the argument and the target dtype of a node; None if they differ from the pattern's."""
        term = self.snapshot.terms[node]
        found: Bindings | None = bindings
        if pattern.dtype is not None:
            found = self.match_scalar(pattern.dtype, term.dtype, bindings)
        if not pattern.fields:
            return found
        actual = (
            (term.arg,)
            if pattern.op is Op.GEP or TABLE[pattern.op].category is Category.MOVEMENT
            else term.arg
        )
        for field, value in zip(pattern.fields, actual, strict=True):
            found = None if found is None else self.match_scalar(field, value, found)
        return found

    def match_scalar(self, scalar: Scalar, actual: Any, bindings: Bindings) -> Bindings | None:
        """The bindings with a part of an argument; None if it differs from the pattern's."""
        if isinstance(scalar, Arg | Type):
            return _bound(bindings, scalar.name, actual)
        wanted = evaluate(scalar, bindings, self.searched.bounds_of(bindings))
        return bindings if wanted == actual else None

    def operand_patterns(self, root: Pattern, nary_op: Op) -> list[Pattern]:
        """The operand patterns of an n-ary application; variables last, since they match anything."""
        found = operand_patterns(root, nary_op, self.nary_op)
        return sorted(found, key=lambda pattern: isinstance(pattern, Value))

    def match_whole_application(
        self, pattern: Node, node: int, nary_op: Op, bindings: Bindings
    ) -> Iterator[Bindings]:
        """Matches of an n-ary application inside a pattern; its last variable takes all remaining operands."""
        elements = self.operand_patterns(pattern, nary_op)
        last = elements[-1]
        if not self.takes_rest(last, bindings):
            operands = self.match_operands(elements, node, nary_op, bindings)
            yield from (found for rest, found in operands if not rest)
            return
        for rest, found in self.match_operands(elements[:-1], node, nary_op, bindings):
            if len(rest) == 1:
                yield from self.match_class(last, rest[0], found)
            elif rest:
                owner = self.searched.owners[node]
                dtype, shape = self.snapshot.class_dtype[owner], self.snapshot.class_shape[owner]
                yield {**found, last.name: Matched(rest, nary_op, dtype, shape)}

    def takes_rest(self, pattern: Pattern, bindings: Bindings) -> TypeGuard[Value]:
        """Whether a pattern is a variable that takes all remaining operands."""
        return isinstance(pattern, Value) and pattern.name not in bindings

    def match_operands(
        self, elements: Sequence[Pattern], node: int, nary_op: Op, bindings: Bindings
    ) -> Iterator[tuple[tuple[int, ...], Bindings]]:
        """Matches of patterns among the operands of an n-ary application, each with the remaining operands."""
        if self.snapshot.terms[node].op is nary_op:
            yield from self.assign(elements, tuple(self.snapshot.operands(node)), bindings)

    def assign(
        self, elements: Sequence[Pattern], operands: tuple[int, ...], bindings: Bindings
    ) -> Iterator[tuple[tuple[int, ...], Bindings]]:
        """Matches of patterns with distinct operands, in any order, each with the operands that are left over."""
        if not elements:
            yield operands, bindings
            return
        first, others = elements[0], elements[1:]
        if isinstance(first, Value) and len(known := self.classes_of(first, bindings)) > 1:
            if not Counter(known) - Counter(operands):
                yield from self.assign(others, _without(operands, known), bindings)
            return
        for owner in dict.fromkeys(operands):
            for found in self.match_class(first, owner, bindings):
                yield from self.assign(others, _without(operands, (owner,)), found)

    def classes_of(self, variable: Value, bindings: Bindings) -> tuple[int, ...]:
        """The classes that a variable stands for; none if it is not bound yet."""
        known: Matched | None = bindings.get(variable.name)
        return () if known is None else known.classes


def _bound(bindings: Bindings, name: str, value: Any) -> Bindings | None:
    """The bindings with one more; None if the name already stands for something else."""
    if name not in bindings:
        return {**bindings, name: value}
    return bindings if _is_same(bindings[name], value) else None


def _is_same(left: Any, right: Any) -> bool:
    """Equality for which 0.0 differs from -0.0, and NaN equals NaN."""
    if isinstance(left, float) and isinstance(right, float):
        if math.isnan(left) or math.isnan(right):
            return math.isnan(left) and math.isnan(right)
        return left == right and math.copysign(1, left) == math.copysign(1, right)
    return left == right


def _without(operands: tuple[int, ...], taken: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted((Counter(operands) - Counter(taken)).elements()))
