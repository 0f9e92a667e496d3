"""Writes each arithmetic operation, for every kind of dtype, scalar or vector."""

from __future__ import annotations

from typing import Protocol

from eqsat.codegen.dialects.dialect import is_rounded
from eqsat.codegen.expansion.lanes import bounds_of, repeated
from eqsat.codegen.rendering.bools import (
    between_zero_and,
    negation_of,
    on_bits,
    uniform_constant,
)
from eqsat.codegen.rendering.code import Code, Level, choice, literal, short_index, unsupported
from eqsat.codegen.rendering.conversion import bitcast, cast, narrowed, rounded
from eqsat.codegen.rendering.helpers import Helpers
from eqsat.dtype import DType, float32, float64
from eqsat.ops import COMPARISON, ELEMENTARY, SHIFTS, Op
from eqsat.uop import UOp


class Scope(Protocol):
    """The parts of the renderer that `Arithmetic` uses."""

    helpers: Helpers

    def code(self, node: UOp) -> Code:
        """The expression for a value."""
        ...

    def mask_bits(self, node: UOp) -> int:
        """Bits per lane of the mask that holds a vector of bools."""
        ...

    def is_variable(self, node: UOp) -> bool:
        """Whether a variable holds a value, so that its expression is not written again."""
        ...


INFIX = {
    Op.ADD: ("+", Level.ADD), Op.SUB: ("-", Level.ADD), Op.MUL: ("*", Level.MULTIPLY), Op.FDIV: ("/", Level.MULTIPLY),
    Op.CMPLT: ("<", Level.COMPARE), Op.CMPNE: ("!=", Level.EQUAL), Op.XOR: ("^", Level.BITWISE), Op.OR: ("|", Level.BITWISE),
    Op.AND: ("&", Level.BITWISE), Op.SHL: ("<<", Level.SHIFT), Op.SHR: (">>", Level.SHIFT),
}  # fmt: skip
WRAPPING = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.NEG, Op.SHL, Op.MULACC})
DIVISION = {Op.IDIV: "divide", Op.MOD: "modulo", Op.FLOORDIV: "floor_divide", Op.FLOORMOD: "floor_modulo"}
# Bits of the scalars that C widens to a vector by itself, without changing their value
SPREADS = frozenset({32, 64})


class Arithmetic:
    """Writes ALU nodes; the scope provides their operands."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._helpers = scope.helpers
        self._dialect = scope.helpers.dialect

    def write(self, node: UOp) -> Code:
        """The expression for an ALU node, rounded if its dtype is narrower than the register that it is computed in."""
        operand = node.src[-1].dtype
        assert isinstance(operand, DType)
        if node.op is Op.CAST:
            return cast(self._helpers, node, self.signed(node.src[0]))
        if node.op is Op.BITCAST:
            return bitcast(self._helpers, node, self.signed(node.src[0]))
        if node.op is Op.WHERE:
            return self._where(node)
        if operand.is_bool:
            return self._bool(node)
        if operand.is_float:
            return self._float(node)
        return self._integer(node)

    # operands

    def operand(self, node: UOp, level: Level, spread: bool = False) -> str:
        """A value as an operand. `spread`: a vector that repeats a scalar is written as the scalar, if C widens it by itself."""
        if spread:
            node = inner if (inner := _uniform(node)) is not None else node
        return self.signed(node).at(level)

    def _beside(self, node: UOp, level: Level, spread: bool = False) -> str:
        """Like `operand`, for an operator whose other operand is not constant: here, a constant index needs no suffix."""
        scalar = _uniform(node) if spread and node.dtype.lanes > 1 else node
        if scalar is not None and scalar.op is Op.CONST and scalar.dtype.scalar.is_index:
            return short_index(scalar.arg, self._dialect).at(level)
        return self.operand(node, level, spread)

    def signed(self, node: UOp) -> Code:
        """A value in its own type; one that was computed as unsigned, so that it wraps, is converted back."""
        code = self._scope.code(node)
        if not code.unsigned:
            return code
        assert isinstance(node.dtype, DType)
        return Code(f"({self._dialect.value_type(node.dtype)}){code.at(Level.UNARY)}", Level.UNARY)

    def _unsigned(self, node: UOp, level: Level) -> str:
        code = self._scope.code(node)
        if code.unsigned:
            return code.at(level)
        assert isinstance(node.dtype, DType)
        if node.op is Op.CONST and node.arg >= 0:
            return f"{node.arg}u{'L' if self._dialect.bits(node.dtype) == 64 else ''}"
        return f"({self._dialect.unsigned_type(node.dtype)}){code.at(Level.UNARY)}"

    def _infix(self, node: UOp, operator: tuple[str, Level] | None = None) -> Code:
        """Writes an operator between two operands; at most one of them may stay scalar beside a vector."""
        symbol, level = operator or INFIX[node.op]
        left, right = node.src
        if node.op is Op.ADD and right.op is Op.CONST and right.arg < 0 and right.dtype.scalar.is_index:
            return Code(f"{self.operand(left, Level.ADD)} - {-right.arg}", Level.ADD)
        written = (
            self._beside
            if (uniform_constant(left) is None or uniform_constant(right) is None)
            else self.operand
        )
        # C widens a scalar amount of a shift, but not a scalar that is shifted
        spreads = _uniform(right) is None and node.op not in SHIFTS
        first = written(left, _inner(level), spreads)
        second = written(right, _inner(level, right=True), spread=True)
        return Code(f"{first} {symbol} {second}", level)

    # floats

    def _float(self, node: UOp) -> Code:
        dtype = node.src[0].dtype
        assert isinstance(dtype, DType)
        plain = [self.operand(source, Level.TERNARY) for source in node.src]
        match node.op:
            case Op.MAX | Op.MIN:
                held = float64 if dtype.scalar == float64 else float32
                name, operands = self._extreme(node)
                return Code(self._helpers.call(name, held.vec(dtype.lanes), *operands))
            case Op.NEG:
                return Code(f"-{_not_signed(self.operand(node.src[0], Level.UNARY))}", Level.UNARY)
            case Op.RECIP:
                one = literal(1.0, dtype.scalar, self._dialect).text
                code = Code(f"{one} / {self.operand(node.src[0], Level.UNARY)}", Level.MULTIPLY)
            case op if op in ELEMENTARY:
                held = float64 if dtype.scalar == float64 else float32
                name = op.name.lower() if node.arg is None else f"{op.name.lower()}_{node.arg}"
                code = Code(self._helpers.call(name, held.vec(dtype.lanes), *plain))
            case Op.MULACC if self._dialect.contract:
                factors = (
                    f"{self.operand(node.src[0], Level.MULTIPLY)} * {self.operand(node.src[1], Level.UNARY)}"
                )
                code = Code(f"{factors} + {self.operand(node.src[2], Level.MULTIPLY)}", Level.ADD)
            case Op.MULACC:
                held = float64 if dtype.scalar == float64 else float32
                code = Code(self._helpers.call("multiply_add", held.vec(dtype.lanes), *plain))
            case Op.SQRT:
                code = Code(f"sqrt({plain[0]})")
            case op if op in INFIX:
                code = self._infix(node)
            case _:
                raise unsupported(node)
        if node.op in COMPARISON or (node.op is Op.SUB and uniform_constant(node.src[0]) == 0):  # exact
            return code
        return rounded(self._helpers, code, dtype)

    def _extreme(self, node: UOp) -> tuple[str, list[str]]:
        """The helper for the greater or the lesser of two floats, and its operands. A constant that is not NaN comes last."""
        operands = [self.operand(source, Level.TERNARY) for source in node.src]
        greater = node.op is Op.MAX
        for place, source in enumerate(node.src):
            constant = uniform_constant(source)
            if constant is not None and constant == constant:
                bound = "at_least" if greater else "at_most"
                return bound, [operands[1 - place], operands[place]]
        return "maximum" if greater else "minimum", operands

    # integers and indices

    def _integer(self, node: UOp) -> Code:
        dtype = node.src[0].dtype
        assert isinstance(dtype, DType)
        if node.op in DIVISION:
            return self._division(node, dtype)
        if node.op in WRAPPING and dtype.lanes == 1 and (dtype.is_signed or dtype.bits < 32):
            return self._wrapping(node, dtype)
        plain = [self.operand(source, Level.TERNARY) for source in node.src]
        match node.op:
            case Op.MAX | Op.MIN:
                return Code(self._helpers.call("max" if node.op is Op.MAX else "min", dtype, *plain))
            case Op.NEG:
                return Code(f"-{_not_signed(self.operand(node.src[0], Level.UNARY))}", Level.UNARY)
            case Op.POW:
                return Code(self._helpers.call("power", dtype, *plain))
            case Op.DOT:
                nothing = f"({self._dialect.value_type(dtype)})(0)" if dtype.lanes > 1 else "0"
                return Code(self._helpers.call("dot", dtype, nothing, *plain))
            case Op.ADD if (added := self._added_dot(node)) is not None:
                return added
            case Op.MULACC:
                factors = (
                    f"{self.operand(node.src[0], Level.MULTIPLY)} * {self.operand(node.src[1], Level.UNARY)}"
                )
                return Code(f"{factors} + {self.operand(node.src[2], Level.MULTIPLY)}", Level.ADD)
            case op if op in INFIX:
                code = self._shift(node) if op in SHIFTS else self._infix(node)
                return code if op in COMPARISON else narrowed(self._dialect, code, dtype)
            case _:
                raise unsupported(node)

    def _added_dot(self, node: UOp) -> Code | None:
        """One call for the sum of a vector and a DOT that has no variable: some processors do both in one instruction."""
        for total, dot in (node.src, node.src[::-1]):
            if dot.op is Op.DOT and not self._scope.is_variable(dot):
                operands = [self.operand(source, Level.TERNARY) for source in (total, *dot.src)]
                assert isinstance(node.dtype, DType)
                return Code(self._helpers.call("dot", node.dtype, *operands))
        return None

    def _wrapping(self, node: UOp, dtype: DType) -> Code:
        """Arithmetic on a scalar that wraps. Signed overflow is undefined in C, so it is computed in the unsigned type, or in uint if narrow."""
        narrow = dtype.bits < 32

        def operand(source: UOp, level: Level) -> str:
            return f"(uint){self.signed(source).at(Level.UNARY)}" if narrow else self._unsigned(source, level)

        if node.op is Op.NEG:
            code = Code(f"-{operand(node.src[0], Level.UNARY)}", Level.UNARY)
        elif node.op is Op.MULACC:
            factors = f"{operand(node.src[0], Level.MULTIPLY)} * {operand(node.src[1], Level.UNARY)}"
            code = Code(f"{factors} + {operand(node.src[2], Level.MULTIPLY)}", Level.ADD)
        else:
            symbol, level = INFIX[node.op]
            first, second = node.src
            left = operand(first, _inner(level))
            shifts = node.op is Op.SHL
            right = self._amount(second) if shifts else operand(second, _inner(level, right=True))
            code = Code(f"{left} {symbol} {right}", level)
        return narrowed(self._dialect, code, dtype) if narrow else Code(code.text, code.level, unsigned=True)

    def _shift(self, node: UOp) -> Code:
        """A shift whose result does not change if C promotes the operand to int; `_wrapping` writes the others."""
        value, amount = node.src
        if value.dtype.lanes > 1:
            return self._infix(node)
        symbol, level = INFIX[node.op]
        return Code(f"{self.operand(value, Level.UNARY)} {symbol} {self._amount(amount)}", level)

    def _amount(self, amount: UOp) -> str:
        """The amount of a shift, modulo the width. For narrow scalars it is masked: they are promoted to int, whose amounts are modulo 32."""
        bits = amount.dtype.scalar.bits
        inside = amount.op is Op.CONST and 0 <= amount.arg < bits
        if amount.dtype.lanes > 1 or (bits >= 32 and self._dialect.masks_shifts) or inside:
            return self.operand(amount, Level.UNARY)
        return f"({self.operand(amount, Level.UNARY)} & {bits - 1})"

    def _division(self, node: UOp, dtype: DType) -> Code:
        """A division or remainder: C's operator if it means the same and cannot trap, else a shift, a mask or a helper function."""
        left, right = node.src
        divisor = int(constant) if (constant := uniform_constant(right)) is not None else None
        truncates = node.op in (Op.IDIV, Op.MOD)
        if (
            divisor is not None
            and divisor not in (0, -1)
            and (truncates or self._same_as_truncated(left, divisor))
        ):
            symbol = "/" if node.op in (Op.IDIV, Op.FLOORDIV) else "%"
            first = self.operand(left, Level.MULTIPLY)
            code = Code(f"{first} {symbol} {self._beside(right, Level.UNARY, spread=True)}", Level.MULTIPLY)
            return narrowed(self._dialect, code, dtype)
        if divisor is not None and divisor > 0 and divisor & (divisor - 1) == 0:
            return self._by_power_of_two(node, dtype, divisor)
        name = DIVISION[node.op]
        if dtype.kind == "u":
            name = name.removeprefix("floor_")
        elif divisor is not None and divisor > 0:
            name += "_by_positive"
        return Code(
            self._helpers.call(name, dtype, *(self.operand(source, Level.TERNARY) for source in node.src))
        )

    def _by_power_of_two(self, node: UOp, dtype: DType, divisor: int) -> Code:
        """Floor division by 2^n as a shift, and its remainder as a mask; both hold for negative numbers too."""
        left = self.operand(node.src[0], Level.UNARY)
        number = divisor - 1 if node.op is Op.FLOORMOD else divisor.bit_length() - 1
        right = f"({self._dialect.value_type(dtype)})({number})" if dtype.lanes > 1 else str(number)
        symbol, level = ("&", Level.BITWISE) if node.op is Op.FLOORMOD else (">>", Level.SHIFT)
        return narrowed(self._dialect, Code(f"{left} {symbol} {right}", level), dtype)

    @staticmethod
    def _same_as_truncated(left: UOp, divisor: int) -> bool:
        """Whether floor and truncated division by a divisor other than 0 agree, because neither number is negative."""
        return left.dtype.scalar.kind == "u" or min(divisor, bounds_of(left)[0]) >= 0

    # bools

    def _bool(self, node: UOp) -> Code:
        """An operation on bools. Scalars are bool; vectors are masks, whose lanes have all bits set where true."""
        negated = negation_of(node)
        if negated is not None:
            opposite = self._opposite(negated)
            if opposite is not None:
                return opposite
        if node.dtype.lanes > 1:
            return self._mask(node)
        if negated is not None:
            return Code(f"!{self.operand(negated, Level.UNARY)}", Level.UNARY)
        inside = self._from_zero(node)
        if inside is not None:
            return inside
        return on_bits(
            node, [self.operand(source, Level.UNARY) for source in node.src], "!", ("!=", Level.EQUAL)
        )

    def _from_zero(self, node: UOp) -> Code | None:
        """`0 <= number < constant` as one comparison of unsigned numbers: negative numbers become the greatest ones."""
        bounded = None if any(map(self._scope.is_variable, node.src)) else between_zero_and(node)
        if bounded is None:
            return None
        number, end = (self._unsigned(each, Level.ADD) for each in bounded)
        return Code(f"{number} < {end}", Level.COMPARE)

    def _opposite(self, comparison: UOp) -> Code | None:
        """The negation of a comparison as one comparison; None if there is none. `<` of floats has none: `<` and `>=` are both false for NaN."""
        if comparison.op not in COMPARISON or self._scope.is_variable(comparison):
            return None
        operand = comparison.src[0].dtype.scalar
        if operand.is_bool or (operand.is_float and comparison.op is Op.CMPLT):
            return None
        return self._infix(
            comparison, ("==", Level.EQUAL) if comparison.op is Op.CMPNE else (">=", Level.COMPARE)
        )

    def _mask(self, node: UOp) -> Code:
        bits = self._scope.mask_bits(node)
        negated = negation_of(node)
        if negated is not None:
            return Code(f"~{self.mask(negated, bits).at(Level.UNARY)}", Level.UNARY)
        return on_bits(
            node, [self.mask(source, bits).at(Level.UNARY) for source in node.src], "~", ("^", Level.BITWISE)
        )

    def mask(self, node: UOp, bits: int) -> Code:
        """A vector of bools as a mask of `bits` per lane."""
        code = self._scope.code(node)
        if self._scope.mask_bits(node) == bits:
            return code
        assert isinstance(node.dtype, DType)
        constant = uniform_constant(node)
        if constant is not None:
            return Code(f"({self._dialect.value_type(node.dtype, bits)})({-1 if constant else 0})")
        return Code(f"convert_{self._dialect.value_type(node.dtype, bits)}({code.text})")

    def _where(self, node: UOp) -> Code:
        condition, then, otherwise = node.src
        dtype = node.dtype
        assert isinstance(dtype, DType)
        single = condition if condition.dtype.lanes == 1 else repeated(condition)
        if dtype.is_bool:
            bits = self._scope.mask_bits(node)
            branches = [self.mask(then, bits), self.mask(otherwise, bits)]
        else:
            bits = self._dialect.mask_bits(dtype)
            branches = [self.signed(then), self.signed(otherwise)]
        chosen = self.signed(single) if single is not None else self.mask(condition, bits)
        return narrowed(self._dialect, choice(chosen, *branches), dtype)


def _inner(level: Level, right: bool = False) -> Level:
    """How strongly an operand must bind. Operands of bitwise operators and shifts always get parentheses: compilers warn without them."""
    if level in (Level.BITWISE, Level.SHIFT):
        return Level.UNARY
    if level in (Level.COMPARE, Level.EQUAL):
        return Level.ADD
    if not right:
        return level
    return Level.MULTIPLY if level is Level.ADD else Level.UNARY


def _not_signed(text: str) -> str:
    """An operand that may follow a minus sign."""
    return f"({text})" if text.startswith("-") else text


def _uniform(node: UOp) -> UOp | None:
    """The scalar that a vector repeats, if C widens such a scalar by itself; None otherwise."""
    dtype = node.dtype
    assert isinstance(dtype, DType)
    bits = 32 if is_rounded(dtype) else dtype.bits
    return None if dtype.kind == "b" or bits not in SPREADS else repeated(node)
