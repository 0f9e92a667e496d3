"""Guards and computed scalars of a rule as egglog facts and expressions.

Integers are BigInts, so nothing overflows. Where egglog has no primitive, the rule calls a Python function (`tables/callbacks.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from eqsat.dtype import DType
from eqsat.egraph.compile.variant import Variant
from eqsat.egraph.tables.callbacks import NOTHING, encode, python_call
from eqsat.egraph.tables.syntax import TRUE, Expression, Fact, call, equal, holds, integer, text, variable
from eqsat.errors import RuleError
from eqsat.ops import Op
from eqsat.rules.language.facts import Fact as ValueFact
from eqsat.rules.language.pattern import Value
from eqsat.rules.language.scalar import Arg, Call, Const, Number, Operation, Scalar, Type

_COMPARISONS = frozenset({"<", "<=", "!="})
_Typed = dict[str, tuple[Expression, str]]


@dataclass(slots=True)
class Bindings:
    """The variables that the left side of a rule binds, as egglog expressions."""

    constants: _Typed = field(default_factory=_Typed)  # each with its kind
    arguments: _Typed = field(default_factory=_Typed)  # each with the letter that says how to read it
    values: dict[str, Expression] = field(default_factory=dict[str, Expression])
    # Values that exist only once the rule's actions run
    built_later: set[str] = field(default_factory=set[str])


class Scalars:
    """Compiles guards and computed scalars.

    Attributes:
        facts: the conditions, and the facts that bind the variables of the expressions.
        tables: the tables of facts about values (`lo`, `hi`, `axis`) that the expressions read.
    """

    def __init__(self, variant: Variant, bindings: Bindings) -> None:
        self.variant = variant
        self.bindings = bindings
        self.facts: list[Fact] = []
        self.tables: set[str] = set()
        self.known: dict[str, Expression] = {}

    def require(self, guard: Scalar) -> None:
        """Adds the facts that make the guard hold."""
        match guard:
            case Operation("and", operands):
                for operand in operands:
                    self.require(operand)
            case Operation("==", (left, right)) if not self._is_number(left) or not self._is_number(right):
                self.facts.append(equal(self.string(left)[0], self.string(right)[0]))
            case Operation("!=", (left, right)) if not self._is_number(left) or not self._is_number(right):
                self.facts.append(holds(call("!=", self.string(left)[0], self.string(right)[0])))
            case Operation("==", (left, right)):
                self.facts.append(equal(self.number(left), self.number(right)))
            case Operation(symbol, (left, right)) if symbol in _COMPARISONS:
                self.facts.append(holds(call(symbol, self.number(left), self.number(right))))
            case Call():
                self.facts.append(equal(text("1"), self.computed(guard, "b")))
            case Number(value):
                if not value:
                    raise RuleError(f"rule {self.variant.rule.name!r}: its guard is never true")
            case _:
                self.facts.append(equal(TRUE, self.truth(guard)))

    def truth(self, scalar: Scalar) -> Expression:
        """A Bool expression."""
        match scalar:
            case Operation("and" | "or" | "not" as symbol, operands):
                return call(symbol, *(self.truth(operand) for operand in operands))
            case Operation("!=", operands):
                return call("not", call("bool-=", *(self.number(operand) for operand in operands)))
            case Operation("==" | "<" | "<=" as symbol, operands):
                primitive = "bool-=" if symbol == "==" else f"bool-{symbol}"
                return call(primitive, *(self.number(operand) for operand in operands))
            case Call():
                return call("bool-=", call("from-string", self.computed(scalar, "b")), integer(1))
            case _:
                raise RuleError(
                    f"rule {self.variant.rule.name!r}: {scalar!r} is no condition; compare it with something"
                )

    def number(self, scalar: Scalar) -> Expression:
        """A BigInt expression."""
        match scalar:
            case Number(bool() | int() as value):
                return integer(int(value))
            case Const(name):
                expression, kind = self.bindings.constants[name]
                if kind == "f":
                    raise RuleError(
                        f"rule {self.variant.rule.name!r}: compute with the float {name!r} in a pure function"
                    )
                return expression
            case ValueFact("lo" | "hi" as bound, Value(name)):
                return self._bound(bound, name)
            case Operation(symbol, operands):
                return _arithmetic(symbol, [self.number(operand) for operand in operands])
            case Call():
                return call("from-string", self.computed(scalar, "i"))
            case _:
                raise RuleError(f"rule {self.variant.rule.name!r}: {scalar!r} is no integer")

    def string(self, scalar: Scalar) -> tuple[Expression, str]:
        """A String expression, and the letter that says how to read it."""
        match scalar:
            case Number(value):
                letter = "o" if isinstance(value, Op) else "d" if isinstance(value, DType) else "t"
                if isinstance(value, bool | int | float):
                    letter = "b" if isinstance(value, bool) else "i" if isinstance(value, int) else "f"
                return text(encode(value)), letter
            case Const(name):
                expression, kind = self.bindings.constants[name]
                return call("to-string", expression), kind
            case Arg(name) | Type(name):
                return self.bindings.arguments[name]
            case ValueFact("shape", Value(name)):
                return variable(shape_variable(self.variant.typing.value_shapes[name])), "t"
            case ValueFact("axis", Value(name)):
                return self._fact("axis", name), "t"
            case ValueFact("dtype", Value(name)):
                return self.variant.dtype(self.variant.typing.value_types[name]), "d"
            case Call():
                return self.computed(scalar, ""), "t"
            case _:
                return call("to-string", self.number(scalar)), "i"

    def computed(
        self,
        scalar: Call,
        result: str,
        checking: Callable[..., Any] | None = None,
        shapes: Sequence[Expression] = (),
    ) -> Expression:
        """The String that a Python function returns; the rule matches only where it returns a value.

        If `checking` is given, Python calls it instead, on the function, `shapes` and the operands. It may reject the function's value.
        """
        key = f"py{id(scalar)}{result}"
        if key in self.known:
            return self.known[key]
        operands = [self.string(operand) for operand in scalar.operands]
        value = scalar.function.value
        expression = python_call(
            self.variant.rule.name,
            value if checking is None else Checked(checking, value),
            "t" * len(shapes) + "".join(letter for _, letter in operands),
            [*shapes, *(operand for operand, _ in operands)],
            result,
        )
        return self.named(key, expression)

    def named(self, key: str, expression: Expression) -> Expression:
        """A variable bound once to a String expression that must have a value."""
        if key not in self.known:
            name = variable(f"p{len(self.known)}")
            self.facts += [equal(name, expression), holds(call("!=", name, text(NOTHING)))]
            self.known[key] = name
        return self.known[key]

    def constant(self, scalar: Scalar, key: str) -> Expression:
        """The bits of a constant with this type key. Fixed-width integers wrap; if an index needs more than 64 bits, the rule does not match."""
        kind = self.variant.kind(key)
        match scalar:
            case Number(value):
                bits = self.variant.literal(value, key)
                return integer(bits) if self.variant.fits(bits, key) else self._wrapped(integer(bits), key)
            case Const(name) if self.bindings.constants[name][1] == kind:
                return self.bindings.constants[name][0]
            case Call():
                value = call("from-string", self.computed(scalar, kind))
            case _:
                value = self.number(scalar)
        if kind == "x":
            self.facts += [
                holds(call("<=", integer(-(1 << 63)), value)),
                holds(call("<", value, integer(1 << 63))),
            ]
        return self._wrapped(value, key) if kind == "i" else value

    def _wrapped(self, value: Expression, key: str) -> Expression:
        dtype = self.variant.dtype(key)
        least, modulus = variable(f"least_{key.strip('?$')}"), variable(f"modulus_{key.strip('?$')}")
        if f"range{key}" not in self.known:
            self.known[f"range{key}"] = least
            self.facts += [equal(least, call("least", dtype)), equal(modulus, call("modulus", dtype))]
        return call("+", _arithmetic("%", [call("-", value, least), modulus]), least)

    def _bound(self, bound: str, name: str) -> Expression:
        if name in self.bindings.built_later:
            raise RuleError(
                f"rule {self.variant.rule.name!r}: {name!r} stands for several operands, whose bounds are not known yet"
            )
        return self._fact(bound, name)

    def _fact(self, table: str, name: str) -> Expression:
        """A variable bound once to a value's entry in a table of facts (`lo`, `hi` or `axis`)."""
        key = f"{table}_{name}"
        if key not in self.known:
            self.known[key] = variable(key)
            self.tables.add(table)
            self.facts.append(equal(self.known[key], call(table, self.bindings.values[name])))
        return self.known[key]

    def _is_number(self, scalar: Scalar) -> bool:
        match scalar:
            case Number(value):
                return isinstance(value, bool | int)
            case Const(name):
                return self.bindings.constants[name][1] != "f"
            case ValueFact(kind):
                return kind in ("lo", "hi")
            case Operation():
                return True
            case Call():
                return True
            case _:
                return False


@dataclass(frozen=True)
class Checked:
    """Calls `checking` on `function`, shapes and the operands of `function`; that returns the function's value if the value fits the shapes."""

    checking: Callable[..., Any]
    function: Callable[..., Any]

    def __call__(self, *operands: Any) -> Any:
        """The value; None if `function` has none, or it does not fit."""
        return self.checking(self.function, *operands)


def shape_variable(key: str) -> str:
    """The variable that holds the shape with this key."""
    return f"s_{key[1:]}"


def _arithmetic(symbol: str, operands: list[Expression]) -> Expression:
    match symbol:
        case "%":
            value, divisor = operands
            return call("%", call("+", call("%", value, divisor), divisor), divisor)
        case "//":
            value, divisor = operands
            return call("/", call("-", value, _arithmetic("%", operands)), divisor)
        case "+" | "-" | "*":
            return call(symbol, *operands)
        case _:
            raise RuleError(f"a truth value cannot be computed with as a number ({symbol!r})")
