"""An obligation as terms of Z3: the hypotheses, both sides, and where each side has a value.

The guard is a hypothesis. That all constants of the right side can be computed is another one, because the rule does not apply elsewhere.
Bounds such as `lo(x)` are variables that enclose the value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import z3

from eqsat.dtype import DType
from eqsat.ops import Op
from eqsat.proof.obligation import Obligation, known_types
from eqsat.proof.proving.cases import KEEP_INTEGERS
from eqsat.proof.proving.encoding import Encoding, Term, UnsupportedError
from eqsat.rules.language.facts import Fact
from eqsat.rules.language.instantiate import evaluate
from eqsat.rules.language.pattern import Constant, Node, Pattern, Value
from eqsat.rules.language.scalar import Call, Const, Operation, Scalar

_TRUE = z3.BoolVal(True)


@dataclass(frozen=True, slots=True, eq=False)
class Valued:
    """A term of Z3, and the condition under which it has a value."""

    term: Any
    has_value: Term = field(default=_TRUE)


@dataclass(frozen=True, slots=True, eq=False)
class Claim:
    """Claims that `holds` is true for all values of the variables that satisfy the hypotheses.

    Attributes:
        obligation: the rule and its dtypes.
        encoding: how values become terms.
        constants: the constants of the rule that are replaced by numbers.
        hypotheses: what may be assumed.
        lemmas: true facts that help the proof.
        holds: the claim itself.
        variables: values, constants and bounds (`lo(x)`, `hi(x)`), with their dtypes.
    """

    obligation: Obligation
    encoding: Encoding
    constants: Mapping[str, int]
    hypotheses: list[Term]
    lemmas: list[Term]
    holds: Term
    variables: dict[str, tuple[Term, DType]]

    def negation(self, context: z3.Context) -> list[Term]:
        """The negated claim in another context of Z3. It has a model if the claim is wrong."""
        facts = (*self._negated, *(z3.Implies(is_zero, then) for is_zero, then in self.encoding.by_zero))
        return [fact.translate(context) for fact in facts]

    def cases(self, context: z3.Context) -> list[list[Term]]:
        """The negated claim where no divisor of a value is zero, and where one is. Z3 is much slower at both together."""
        zeros = [is_zero for is_zero, _ in self.encoding.by_zero]
        if not zeros:
            return [self.negation(context)]
        facts = (*self._negated, *(z3.simplify(z3.Not(is_zero)) for is_zero in zeros))
        return [
            [fact.translate(context) for fact in facts],
            [*self.negation(context), z3.Or(*zeros).translate(context)],
        ]

    @property
    def _negated(self) -> tuple[Term, ...]:
        return (*self.hypotheses, *self.lemmas, z3.Not(self.holds))


def claim(obligation: Obligation, encoding: Encoding, constants: Mapping[str, int]) -> Claim:
    """The claim of a pointwise, integral obligation, with some constants of the rule replaced by numbers.

    Raises:
        UnsupportedError: the encoding cannot express it.
    """
    translation = _Translation(obligation, encoding, constants)
    rule, typing = obligation.rule, obligation.typing
    left = translation.pattern(rule.left, typing.left_types)
    right = translation.pattern(rule.right, typing.right_types)
    guard = translation.scalar(rule.where) if rule.where is not None else Valued(_TRUE)
    same = encoding.equal(left.term, right.term, obligation.dtype_of_left)
    first = left.has_value
    if rule.both_ways:
        first = z3.Or(left.has_value, right.has_value)
    assumed = [guard.has_value, guard.term, first, *translation.computable]
    holds = z3.And(left.has_value, right.has_value, same)
    factors = [
        term
        for name, (term, dtype) in translation.variables.items()
        if name in obligation.constants and not dtype.is_bool
    ]
    return Claim(
        obligation, encoding, constants, [*encoding.hypotheses, *assumed], encoding.lemmas(factors), holds,
        translation.variables,
    )  # fmt: skip


class _Translation:
    def __init__(self, obligation: Obligation, encoding: Encoding, constants: Mapping[str, int]) -> None:
        self.obligation = obligation
        self.encoding = encoding
        self.constants = constants
        self.known = {**known_types(obligation), **constants}
        self.variables: dict[str, tuple[Term, DType]] = {}
        self.computable: list[Term] = []

    def pattern(self, pattern: Pattern, types: Mapping[int, str]) -> Valued:
        """The term of a pattern; `types` are the type keys of its side."""
        dtype = self.obligation.dtype_of(types[id(pattern)])
        match pattern:
            case Value(name):
                return Valued(self.variable(name, dtype))
            case Constant(Const(name)) if name not in self.constants:
                return Valued(self.variable(name, dtype))
            case Constant(value):
                return Valued(self.constant(value, dtype))
            case Node():
                return self.node(pattern, dtype, types)
            case _:
                raise UnsupportedError(f"{pattern!r}")

    def constant(self, value: Scalar, dtype: DType) -> Term:
        known = evaluate(value, self.known)
        if isinstance(known, int):
            return self.encoding.constant(known, dtype)
        if dtype.is_bool:
            raise UnsupportedError(f"the computed bool {value!r}")
        number = self.scalar(value)
        self.computable.append(number.has_value)
        return self.encoding.constant(number.term, dtype)

    def variable(self, name: str, dtype: DType) -> Term:
        if name not in self.variables:
            self.variables[name] = self.encoding.variable(name, dtype), dtype
        term, first = self.variables[name]
        if first != dtype:
            raise UnsupportedError(f"a constant {name} of both {first} and {dtype}")
        return term

    def node(self, node: Node, dtype: DType, types: Mapping[int, str]) -> Valued:
        sources = [self.pattern(source, types) for source in node.src]
        terms = [source.term for source in sources]
        operand = self.obligation.dtype_of(types[id(node.src[-1])])
        if node.op is Op.CAST:
            return Valued(self.encoding.convert(terms[0], operand, dtype), sources[0].has_value)
        if node.op is Op.BITCAST:
            return Valued(self.encoding.reinterpret(terms[0], operand, dtype), sources[0].has_value)
        everywhere = [source.has_value for source in sources]
        if node.op is Op.WHERE:
            everywhere = [everywhere[0], z3.If(terms[0], everywhere[1], everywhere[2])]
        own = self.encoding.has_value(node.op, operand, terms)
        return Valued(self.encoding.apply(node.op, operand, terms), z3.And(*everywhere, own))

    def scalar(self, scalar: Scalar) -> Valued:
        """The term of a guard (a Boolean) or of a computed constant (an integer)."""
        known = evaluate(scalar, self.known)
        if isinstance(known, bool):
            return Valued(z3.BoolVal(known))
        if isinstance(known, int):
            return Valued(self.encoding.number(known))
        match scalar:
            case Const(name):
                dtype = self.obligation.constants[name]
                return Valued(self.encoding.scalar(self.variable(name, dtype), dtype))
            case Fact("lo" | "hi", Value(name)):
                return Valued(self.bound(name, scalar.kind))
            case Call(function, (operand,)) if function in KEEP_INTEGERS:
                return self.scalar(operand)
            case Operation(symbol, operands):
                return self.operation(symbol, [self.scalar(operand) for operand in operands])
            case _:
                raise UnsupportedError(f"{scalar!r} is opaque to a proof")

    def bound(self, name: str, kind: str) -> Term:
        """The lower or upper bound of a value: a variable of its dtype on one side of it."""
        dtype = self.obligation.values[name]
        value = self.encoding.scalar(self.variable(name, dtype), dtype)
        for each in ("lo", "hi"):
            if (label := f"{each}({name})") not in self.variables:
                limit = self.encoding.scalar(self.variable(label, dtype), dtype)
                below = (limit, value) if each == "lo" else (value, limit)
                self.encoding.hypotheses.append(self.encoding.operate("<=", *below))
        return self.encoding.scalar(self.variable(f"{kind}({name})", dtype), dtype)

    def operation(self, symbol: str, operands: list[Valued]) -> Valued:
        """Computes an operation of a guard in three-valued logic: false AND a term without a value is false."""
        terms, have = [each.term for each in operands], [each.has_value for each in operands]
        match symbol:
            case "not":
                return Valued(z3.Not(terms[0]), have[0])
            case "and":
                decided = [z3.And(known, z3.Not(term)) for term, known in zip(terms, have, strict=True)]
                return Valued(z3.And(*terms), z3.Or(z3.And(*have), *decided))
            case "or":
                decided = [z3.And(known, term) for term, known in zip(terms, have, strict=True)]
                return Valued(z3.Or(*terms), z3.Or(z3.And(*have), *decided))
            case "//" | "%":
                zero = self.encoding.operate("==", terms[1], self.encoding.number(0))
                return Valued(self.encoding.operate(symbol, *terms), z3.And(*have, z3.Not(zero)))
            case _:
                return Valued(self.encoding.operate(symbol, *terms), z3.And(*have))
