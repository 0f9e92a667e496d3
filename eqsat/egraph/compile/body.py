"""The left side of a rule as egglog facts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, NamedTuple

from eqsat.egraph.compile.guards import Bindings, shape_variable
from eqsat.egraph.compile.variant import Variant, nary_op_of, operation, patterns_of, scaled, split_parts
from eqsat.egraph.tables.schema import RELATIONS
from eqsat.egraph.tables.syntax import Expression, Fact, call, equal, holds, integer, small, text, variable
from eqsat.errors import RuleError
from eqsat.ops import ALONG_AXES, GIVES_SHAPE, Op
from eqsat.rules.language.pattern import Constant, Node, Pattern, Value, operand_patterns
from eqsat.rules.language.scalar import Arg, Const, Number, Scalar, Type


@dataclass(frozen=True, slots=True)
class Rest:
    """The remaining operands of an n-ary application; one variable stands for them."""

    table: str
    dtype: Expression
    shape: Expression
    operands: Expression


class Atom(NamedTuple):
    """A row that a match takes: the row of the term in the class `place`, or a row of a relation.

    `fact` makes the egglog fact. That takes ten times as long as making the atom, so it is done only for rules that are registered with egglog.
    """

    place: Expression
    table: str
    columns: tuple[Expression, ...]

    def fact(self) -> Fact:
        """The egglog fact that matches the row."""
        row = call(self.table, *self.columns)
        return holds(row) if self.table in RELATIONS else equal(self.place, row)


class LeftSide:
    """Compiles the left side of a variant to `facts`, which match it, and `bindings`, which the right side reads.

    Attributes:
        parts: the facts in order; those that take a row are atoms.
        texts: the text that the pattern gives for a column, by the column's variable.
    """

    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        self.types, self.shapes = variant.typing.left_types, variant.typing.left_shapes
        self.parts: list[Fact | Atom] = []
        self.texts: dict[str, str] = {}
        self.bindings = Bindings()
        self.rests: dict[str, Rest] = {}
        self.root_rest: Rest | None = None
        self.slots: dict[int, Expression] = {}
        parts = patterns_of(variant.rule.left)
        self.uses = Counter([part.name for part in parts if isinstance(part, Value)])
        self.last_uses = self._count_last_uses([part for part in parts if isinstance(part, Node)])

    def _count_last_uses(self, parts: list[Node]) -> Counter[str]:
        """Counts how often each variable is the last operand of a nested application of one operator; a variable with one use counts 1."""
        found = Counter([name for name, count in self.uses.items() if count == 1])
        if not any(self._nary_op(node) is not None for node in parts[1:]):
            return found
        nested = {
            id(source)
            for node in parts
            for source in node.src
            if isinstance(source, Node)
            and self._nary_op(node) is not None
            and self._nary_op(source) is self._nary_op(node)
        }
        nary_nodes = [
            (op, operand_patterns(node, op, self._nary_op))
            for node in parts[1:]
            if id(node) not in nested and (op := self._nary_op(node)) is not None
        ]
        for op in {op for op, _ in nary_nodes}:
            last = [
                [each.name for each in row if isinstance(each, Value)][-1:]
                for own, row in nary_nodes
                if own is op
            ]
            shared = Counter(name for names in last for name in names)
            found.update({name: count for name, count in shared.items() if count == self.uses[name] > 1})
        return found

    def match_root(self) -> Expression:
        """Adds the facts of the whole left side; returns the variable of the matched class."""
        root = self.variant.rule.left
        assert isinstance(root, Node)
        pending: list[tuple[Pattern, Expression]] = []
        where = self.slot(root)
        if (op := self._nary_op(root)) is not None:
            self._match_nary(root, op, where, pending, is_root=True)
        else:
            pending.append((root, where))
        while pending:
            pattern, where = pending.pop(0)
            match pattern:
                case Constant():
                    self._match_constant(pattern, where)
                case Node() if (op := self._nary_op(pattern)) is not None:
                    self._match_nary(pattern, op, where, pending, is_root=False)
                case Node():
                    self._match_node(pattern, where, pending)
                case _:
                    continue
        return self.slot(root)

    def slot(self, pattern: Pattern) -> Expression:
        """The variable of the class that a pattern matches."""
        if isinstance(pattern, Value):
            return self.bindings.values.setdefault(pattern.name, variable(f"v_{pattern.name}"))
        return self.slots.setdefault(id(pattern), variable(f"n{len(self.slots)}"))

    def _place(self, pattern: Pattern) -> list[Expression]:
        """The dtype and shape columns of a pattern."""
        return [
            self.variant.dtype(self.types[id(pattern)]),
            variable(shape_variable(self.shapes[id(pattern)])),
        ]

    @property
    def facts(self) -> list[Fact]:
        """All facts that a match satisfies."""
        return [part.fact() if isinstance(part, Atom) else part for part in self.parts]

    @property
    def atoms(self) -> list[Atom]:
        """The rows that a match takes, the root's row first."""
        return [part for part in self.parts if isinstance(part, Atom)]

    def _match_row(self, place: Expression, table: str, *columns: Expression) -> None:
        self.parts.append(Atom(place, table, columns))

    def _kind(self, node: Node) -> str:
        return self.variant.kind(self.types[id(node)])

    def _nary_op(self, node: Node) -> Op | None:
        return nary_op_of(node, self._kind(node))

    def _match_constant(self, pattern: Constant, where: Expression) -> None:
        self._match_row(where, "CONST", *self._place(pattern), self._bits(pattern))

    def _bits(self, pattern: Constant) -> Expression:
        key = self.types[id(pattern)]
        match pattern.value:
            case Number(value):
                return integer(self.variant.literal(value, key))
            case Const(name):
                return self.bindings.constants.setdefault(
                    name, (variable(f"c_{name}"), self.variant.kind(key))
                )[0]
            case _:
                raise RuleError(
                    f"rule {self.variant.rule.name!r}: state a computed constant of the left side in the guard"
                )

    def _match_node(self, node: Node, where: Expression, pending: list[tuple[Pattern, Expression]]) -> None:
        dtype, shape = self._place(node)
        sources = [self.slot(source) for source in node.src]
        pending.extend(zip(node.src, sources, strict=True))
        if (pair := scaled(node, self._kind(node))) is not None:
            value, coefficient = pair
            pending.remove((coefficient, self.slot(coefficient)))
            self._match_row(where, "SCALE", dtype, shape, self._bits(coefficient), self.slot(value))
            return
        if node.dtype is not None:
            self._bind_type(node.dtype, dtype)
        fields = self._bind_fields(node, shape) if node.fields else []
        first, last = self._place(node.src[0]), self._place(node.src[-1])
        self._match_row(where, *operation(node, (dtype, shape), first, last, fields, sources))

    def _bind_type(self, target: Scalar, dtype: Expression) -> None:
        if isinstance(target, Type):
            self.bindings.arguments[target.name] = (dtype, "d")

    def _bind_fields(self, node: Node, shape: Expression) -> list[Expression]:
        """Binds or compares the argument of a movement or reduction. Returns the columns of the argument; a shape has none of its own."""
        if node.op in GIVES_SHAPE:
            self._bind(node.fields[0], shape, "t")
            return []
        letters = "ot" if node.op in ALONG_AXES else "t"
        columns: list[Expression] = []
        for position, (field, letter) in enumerate(zip(node.fields, letters, strict=True)):
            column = variable(f"a{len(self.slots)}_{position}_{len(self.parts)}")
            columns.append(column)
            self._bind(field, column, letter)
        return columns

    def _bind(self, field: Scalar, column: Any, letter: str) -> None:
        match field:
            case Arg(name) if name not in self.bindings.arguments:
                self.bindings.arguments[name] = (column, letter)
            case Arg(name):
                self.parts.append(equal(column, self.bindings.arguments[name][0]))
            case Number(value):
                written = value.name if isinstance(value, Op) else repr(value)
                self.texts[column.name] = written
                self.parts.append(equal(column, text(written)))
            case _:
                raise RuleError(
                    f"rule {self.variant.rule.name!r}: an argument on the left side must be an Arg or written out"
                )

    def _match_nary(self, node: Node, op: Op, where: Expression, pending: list[tuple[Pattern, Expression]], *,
                     is_root: bool) -> None:  # fmt: skip
        split = split_parts(node.src, self._kind(node)) if op is Op.ADD and not is_root else None
        if split is not None:
            quotient, coefficient, rest = split
            parts = [self._bits(coefficient), self.slot(quotient), self.slot(rest)]
            self._match_row(where, "SPLIT", where, *parts)
            return
        operands = operand_patterns(node, op, self._nary_op)
        rest = None if is_root else self._rest_of(operands)
        operands = [operand for operand in operands if operand is not rest]
        dtype, shape = self._place(node)
        terms = variable(f"m{len(self.parts)}")
        self._match_row(where, f"{op.name}_N", dtype, shape, terms)
        remaining: Expression = terms
        for operand in operands:
            slot = self.slot(operand)
            self._match_row(variable(f"k{len(self.parts)}"), "OPERAND", terms, slot)
            remaining = call("multiset-remove", remaining, slot)
            pending.append((operand, slot))
        left_over = variable(f"r{len(self.parts)}")
        self.parts.append(equal(left_over, remaining))
        if is_root:
            self.root_rest = Rest(f"{op.name}_N", dtype, shape, left_over)
        elif rest is None:
            self.parts.append(equal(small(0), call("multiset-length", left_over)))
        elif rest.name in self.rests:
            self.parts.append(equal(self.rests[rest.name].operands, left_over))
        else:
            self.parts.append(holds(call("<", small(0), call("multiset-length", left_over))))
            self.rests[rest.name] = Rest(f"{op.name}_N", dtype, shape, left_over)
            self.bindings.built_later.add(rest.name)
            self.slot(rest)

    def _rest_of(self, operands: list[Pattern]) -> Value | None:
        """The operand of a nested application that takes all remaining operands: the last variable that is used in such places only."""
        for operand in reversed(operands):
            if isinstance(operand, Value) and self.uses[operand.name] == self.last_uses[operand.name]:
                return operand
        return None
