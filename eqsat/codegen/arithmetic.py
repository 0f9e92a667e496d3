"""How each arithmetic operation is written in OpenCL C, for every kind of dtype, scalar or vector."""

from __future__ import annotations

from typing import Protocol

from eqsat.codegen.code import Code, Level, is_rounded, literal, register_bits, suffix, unsigned_type, value_type
from eqsat.codegen.helpers import Helpers
from eqsat.codegen.target import Target
from eqsat.dtype import DType, bfloat16, float16, float32, float64, uint16
from eqsat.errors import CodegenError
from eqsat.ops import COMPARISON, Op
from eqsat.schedule.affine import bounds
from eqsat.uop import UOp


class Scope(Protocol):
    """What arithmetic asks of the renderer around it."""

    helpers: Helpers
    target: Target

    def code(self, node: UOp) -> Code:
        """The expression for a value."""
        ...

    def mask_bits(self, node: UOp) -> int:
        """Bits per lane of the mask that holds a vector of bools."""
        ...


INFIX = {
    Op.ADD: ("+", Level.ADD), Op.SUB: ("-", Level.ADD), Op.MUL: ("*", Level.MULTIPLY), Op.FDIV: ("/", Level.MULTIPLY),
    Op.CMPLT: ("<", Level.COMPARE), Op.CMPNE: ("!=", Level.EQUAL), Op.XOR: ("^", Level.BITWISE), Op.OR: ("|", Level.BITWISE),
    Op.AND: ("&", Level.BITWISE), Op.SHL: ("<<", Level.SHIFT), Op.SHR: (">>", Level.SHIFT),
}  # fmt: skip
WRAPPING = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.NEG, Op.SHL, Op.MULACC})
FLOAT_FUNCTION = {Op.SQRT: "sqrt", Op.SIN: "sin", Op.LOG2: "log2", Op.EXP2: "exp2", Op.POW: "pow"}
DIVISION = {Op.IDIV: "divide", Op.MOD: "modulo", Op.FLOORDIV: "floor_divide", Op.FLOORMOD: "floor_modulo"}
SPREADS = frozenset({32, 64})  # widths of the types that C widens to a vector by itself, without changing their value


class Arithmetic:
    """Writes ALU nodes; operands come from the scope."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._helpers = scope.helpers

    def write(self, node: UOp) -> Code:
        """The expression for an ALU node, rounded if its dtype is narrower than the registers it is computed in."""
        operand = node.src[-1].dtype
        assert isinstance(operand, DType)
        if node.op is Op.CAST:
            return self._cast(node)
        if node.op is Op.BITCAST:
            return self._bitcast(node)
        if node.op is Op.WHERE:
            return self._where(node)
        if operand.is_bool:
            return self._bool(node)
        if operand.is_float:
            return self._float(node)
        return self._integer(node)

    # operands

    def operand(self, node: UOp, level: Level, spread: bool = False) -> str:
        """A value as an operand. `spread`: a scalar stands for its vector, where C widens it by itself."""
        if spread:
            inner = _uniform(node)
            if inner is not None:
                return self.signed(inner).at(level)
        return self.signed(node).at(level)

    def signed(self, node: UOp) -> Code:
        """A value in its own type: what was left unsigned to wrap is converted back."""
        code = self._scope.code(node)
        if not code.unsigned:
            return code
        assert isinstance(node.dtype, DType)
        return Code(f"({value_type(node.dtype)}){code.at(Level.UNARY)}", Level.UNARY)

    def _unsigned(self, node: UOp, level: Level) -> str:
        code = self._scope.code(node)
        if code.unsigned:
            return code.at(level)
        assert isinstance(node.dtype, DType)
        if node.op is Op.CONST and node.arg >= 0:
            return f"{node.arg}u{'L' if node.dtype.bits == 64 else ''}"
        return f"({unsigned_type(node.dtype)}){code.at(Level.UNARY)}"

    def _infix(self, node: UOp) -> Code:
        """Left and right of an operator; at most one of them may stay scalar beside a vector."""
        symbol, level = INFIX[node.op]
        left, right = node.src
        first = self.operand(left, _inner(level), spread=_uniform(right) is None)
        second = self.operand(right, _inner(level, right=True), spread=_uniform(left) is None or _uniform(right) is not None)
        if _uniform(left) is not None and _uniform(right) is not None:
            first = self.operand(left, _inner(level))
        return Code(f"{first} {symbol} {second}", level)

    # floats

    def _float(self, node: UOp) -> Code:
        dtype = node.src[0].dtype
        assert isinstance(dtype, DType)
        plain = [self.operand(source, Level.TERNARY) for source in node.src]
        match node.op:
            case Op.MAX | Op.MIN:
                held = float64 if dtype.scalar == float64 else float32
                name = "maximum" if node.op is Op.MAX else "minimum"
                return Code(self._helpers.call(name, held.vec(dtype.lanes), *plain))
            case Op.NEG:
                return Code(f"-{_not_signed(self.operand(node.src[0], Level.UNARY))}", Level.UNARY)
            case Op.RECIP:
                one = literal(1.0, dtype.scalar).text
                code = Code(f"{one} / {self.operand(node.src[0], Level.UNARY)}", Level.MULTIPLY)
            case Op.EXP2 if self._scope.target.own_exp2 and dtype.scalar != float64:
                code = Code(self._helpers.call("exp2", float32.vec(dtype.lanes), *plain))
            case Op.MULACC:
                factors = f"{self.operand(node.src[0], Level.MULTIPLY)} * {self.operand(node.src[1], Level.UNARY)}"
                code = Code(f"{factors} + {self.operand(node.src[2], Level.MULTIPLY)}", Level.ADD)
            case op if op in FLOAT_FUNCTION:
                code = Code(f"{FLOAT_FUNCTION[op]}({', '.join(plain)})")
            case op if op in INFIX:
                code = self._infix(node)
            case _:
                raise _unsupported(node)
        return code if node.op in COMPARISON else self._rounded(code, dtype)

    def _rounded(self, code: Code, dtype: DType, held: DType = float32) -> Code:
        """What was computed in `held`, rounded to the half-precision `dtype`."""
        if not is_rounded(dtype):
            return code
        name = "round_half" if dtype.scalar == float16 else "round_bfloat"
        return Code(self._helpers.call(name, held.vec(dtype.lanes), code.text))

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
                exact = [literal(source.arg, dtype).text if source.op is Op.CONST else text for source, text in zip(node.src, plain, strict=True)]
                return Code(f"{'max' if node.op is Op.MAX else 'min'}({', '.join(exact)})")
            case Op.NEG:
                return Code(f"-{_not_signed(self.operand(node.src[0], Level.UNARY))}", Level.UNARY)
            case Op.POW:
                return Code(self._helpers.call("power", dtype, *plain))
            case Op.MULACC:
                factors = f"{self.operand(node.src[0], Level.MULTIPLY)} * {self.operand(node.src[1], Level.UNARY)}"
                return Code(f"{factors} + {self.operand(node.src[2], Level.MULTIPLY)}", Level.ADD)
            case op if op in INFIX:
                code = self._infix(node)
                narrow = dtype.lanes == 1 and dtype.bits < 32 and op not in COMPARISON
                return Code(f"({value_type(dtype)})({code.text})", Level.UNARY) if narrow else code
        raise _unsupported(node)

    def _wrapping(self, node: UOp, dtype: DType) -> Code:
        """Signed overflow has no meaning in C, so a signed scalar is computed in its unsigned type; a narrow one in uint."""
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
            left = operand(node.src[0], _inner(level))
            right = self.operand(node.src[1], Level.UNARY) if node.op is Op.SHL else operand(node.src[1], _inner(level, right=True))
            code = Code(f"{left} {symbol} {right}", level)
        if narrow:
            return Code(f"({value_type(dtype)})({code.text})", Level.UNARY)
        return Code(code.text, code.level, unsigned=True)

    def _division(self, node: UOp, dtype: DType) -> Code:
        """C's operators where they mean the same and cannot trap, else a helper function."""
        left, right = node.src
        divisor = _uniform_constant(right)
        if divisor is not None and divisor not in (0, -1) and (node.op in (Op.IDIV, Op.MOD) or self._same_as_truncated(left, divisor)):
            symbol = "/" if node.op in (Op.IDIV, Op.FLOORDIV) else "%"
            first = self.operand(left, Level.MULTIPLY)
            code = Code(f"{first} {symbol} {self.operand(right, Level.UNARY, spread=True)}", Level.MULTIPLY)
            narrow = dtype.lanes == 1 and dtype.bits < 32
            return Code(f"({value_type(dtype)})({code.text})", Level.UNARY) if narrow else code
        name = DIVISION[node.op]
        if dtype.kind == "u":
            name = name.removeprefix("floor_")
        return Code(self._helpers.call(name, dtype, *(self.operand(source, Level.TERNARY) for source in node.src)))

    @staticmethod
    def _same_as_truncated(left: UOp, divisor: int) -> bool:
        """Whether flooring and truncating agree: nothing negative is divided by something positive."""
        return left.dtype.scalar.kind == "u" or (left.dtype.scalar.is_index and divisor > 0 and bounds_of(left)[0] >= 0)

    # bools

    def _bool(self, node: UOp) -> Code:
        """Scalars are bool; vectors are masks, all bits set where true."""
        if node.dtype.lanes > 1:
            return self._mask(node)
        left, right = node.src if len(node.src) == 2 else (node.src[0], node.src[0])
        first, second = (self.operand(source, Level.UNARY) for source in (left, right))
        match node.op:
            case Op.CMPNE if right.op is Op.CONST and right.arg:
                return Code(f"!{first}", Level.UNARY)
            case Op.CMPNE | Op.XOR:
                return Code(f"{first} != {second}", Level.EQUAL)
            case Op.CMPLT:
                return Code(f"!{first} & {second}", Level.BITWISE)
            case Op.AND | Op.MUL | Op.MIN:
                return Code(f"{first} & {second}", Level.BITWISE)
            case Op.OR | Op.ADD | Op.MAX:
                return Code(f"{first} | {second}", Level.BITWISE)
        raise _unsupported(node)

    def _mask(self, node: UOp) -> Code:
        bits = self._scope.mask_bits(node)
        if node.op is Op.CMPNE and _uniform_constant(node.src[1]) is True:
            return Code(f"~{self.mask(node.src[0], bits).at(Level.UNARY)}", Level.UNARY)
        first, second = (self.mask(source, bits).at(Level.UNARY) for source in node.src)
        match node.op:
            case Op.CMPNE | Op.XOR:
                return Code(f"{first} ^ {second}", Level.BITWISE)
            case Op.CMPLT:
                return Code(f"~{first} & {second}", Level.BITWISE)
            case Op.AND | Op.MUL | Op.MIN:
                return Code(f"{first} & {second}", Level.BITWISE)
            case Op.OR | Op.ADD | Op.MAX:
                return Code(f"{first} | {second}", Level.BITWISE)
        raise _unsupported(node)

    def mask(self, node: UOp, bits: int) -> Code:
        """A vector of bools as a mask of `bits` per lane."""
        code = self._scope.code(node)
        if self._scope.mask_bits(node) == bits:
            return code
        assert isinstance(node.dtype, DType)
        return Code(f"convert_{value_type(node.dtype, bits)}({code.text})")

    def _where(self, node: UOp) -> Code:
        condition, then, otherwise = node.src
        dtype = node.dtype
        assert isinstance(dtype, DType)
        single = condition if condition.dtype.lanes == 1 else repeated(condition)
        if dtype.is_bool and dtype.lanes > 1:
            bits = self._scope.mask_bits(node)
            branches = [self.mask(then, bits), self.mask(otherwise, bits)]
        else:
            bits = register_bits(dtype)
            branches = [self.signed(then), self.signed(otherwise)]
        chosen = self.signed(single) if single is not None else self.mask(condition, bits)
        text = f"{chosen.at(Level.EQUAL)} ? {branches[0].at(Level.BITWISE)} : {branches[1].at(Level.BITWISE)}"
        narrow = dtype.lanes == 1 and dtype.bits < 32 and dtype.is_int
        return Code(f"({value_type(dtype)})({text})", Level.UNARY) if narrow else Code(text, Level.TERNARY)

    # conversions

    def _cast(self, node: UOp) -> Code:
        source = node.src[0]
        before, after = source.dtype, node.dtype
        assert isinstance(before, DType) and isinstance(after, DType)
        if after.is_bool:
            if before.is_bool:
                return self._scope.code(source)
            return Code(f"{self.operand(source, Level.COMPARE)} != {literal(0, before.scalar).text}", Level.EQUAL)
        held, wanted = value_type(before), value_type(after)
        if before.is_bool and before.lanes > 1:
            return Code(f"convert_{wanted}(-{self._scope.code(source).at(Level.UNARY)})")
        if is_rounded(after) and before.scalar == float64 and after.scalar == float16:
            return self._rounded(self.signed(source), after, held=float64)
        code = self.signed(source)
        if held != wanted and before.lanes > 1:
            code = Code(f"convert_{wanted}({code.text})")
        elif held != wanted:
            code = Code(f"({wanted}){code.at(Level.UNARY)}", Level.UNARY)
        exact = before.scalar == after.scalar or before.is_bool
        return code if exact else self._rounded(code, after)

    def _bitcast(self, node: UOp) -> Code:
        """Half precision goes through its 16 bits, bool through a byte."""
        source = node.src[0]
        before, after = source.dtype, node.dtype
        assert isinstance(before, DType) and isinstance(after, DType)
        if after.is_bool:
            return Code(f"{self.operand(source, Level.COMPARE)} != {literal(0, before.scalar).text}", Level.EQUAL)
        bits, text = value_type(before), self.signed(source).text
        if before.is_bool:
            bits = "uchar" + suffix(before.lanes)
            mask = f"-{self._scope.code(source).at(Level.UNARY)}"
            text = f"convert_{bits}({mask if before.lanes > 1 else text})"
        elif is_rounded(before):
            bits, text = "ushort" + suffix(before.lanes), self.to_half_bits(text, before)
        wanted = "ushort" + suffix(after.lanes) if is_rounded(after) else value_type(after)
        code = text if bits == wanted else f"as_{wanted}({text})"
        return Code(self.from_half_bits(code, after) if is_rounded(after) else code, Level.ATOM if bits != wanted else Level.TERNARY)

    def to_half_bits(self, text: str, dtype: DType) -> str:
        """The 16 bits in memory of a half-precision value held in float."""
        if dtype.scalar == bfloat16:
            lanes = suffix(dtype.lanes)
            return f"convert_ushort{lanes}(as_uint{lanes}({text}) >> 16)"
        return self._helpers.call("half_bits", float32.vec(dtype.lanes), text)

    def from_half_bits(self, text: str, dtype: DType) -> str:
        """A half-precision value, held in float, from its 16 bits."""
        lanes = suffix(dtype.lanes)
        if dtype.scalar == bfloat16:
            return f"as_float{lanes}(convert_uint{lanes}({text}) << 16)"
        return self._helpers.call("half_value", uint16.vec(dtype.lanes), text)


def _inner(level: Level, right: bool = False) -> Level:
    """How strongly an operand must bind: bitwise and shift operands are always put in parentheses, as compilers ask for."""
    if level in (Level.BITWISE, Level.SHIFT):
        return Level.UNARY
    if level in (Level.COMPARE, Level.EQUAL):
        return Level.ADD
    return Level(Level.MULTIPLY if level is Level.ADD else Level.UNARY) if right else level


def _not_signed(text: str) -> str:
    """An operand that may follow a minus sign."""
    return f"({text})" if text.startswith("-") else text


def repeated(node: UOp) -> UOp | None:
    """The scalar that a vector holds in every lane; None if the lanes differ."""
    if node.op is Op.VECTORIZE and all(source is node.src[0] for source in node.src):
        return node.src[0]
    if node.op is Op.VCONST and len(set(map(repr, node.arg))) == 1:
        return UOp(Op.CONST, node.dtype.scalar, (), node.arg[0])
    return None


def _uniform(node: UOp) -> UOp | None:
    """The scalar whose vector this is, if C widens such a scalar by itself; None otherwise."""
    scalar = node.dtype.scalar
    return None if scalar.is_bool or register_bits(scalar) not in SPREADS else repeated(node)


def _uniform_constant(node: UOp) -> bool | int | float | None:
    """The value of a constant, or of a vector of one constant."""
    scalar = node if node.op is Op.CONST else repeated(node)
    return scalar.arg if scalar is not None and scalar.op is Op.CONST else None


def bounds_of(node: UOp) -> tuple[int, int]:
    """Least and greatest value of an index, whatever its lane."""
    if node.dtype.lanes == 1:
        return bounds(node)
    inner = repeated(node)
    if inner is not None:
        return bounds_of(inner)
    if node.op is Op.VCONST:
        return min(node.arg), max(node.arg)
    if node.op in (Op.ADD, Op.MUL):
        left, right = map(bounds_of, node.src)
        pairs = [(a, b) for a in left for b in right]
        results = [a + b if node.op is Op.ADD else a * b for a, b in pairs]
        return min(results), max(results)
    return -(1 << 62), 1 << 62


def _unsupported(node: UOp) -> CodegenError:
    operands = ", ".join(str(source.dtype) for source in node.src)
    return CodegenError(f"{node.op} of {operands} has no OpenCL form; cast the operands to a dtype that {node.op} is defined for")
