"""Writes casts and bitcasts, and rounds half precision, which is held in float."""

from __future__ import annotations

from eqsat.codegen.dialects import Dialect
from eqsat.codegen.dialects.dialect import is_rounded, suffix
from eqsat.codegen.rendering.code import Code, Level, literal
from eqsat.codegen.rendering.helpers import Helpers
from eqsat.dtype import DType, bfloat16, float16, float32, float64, uint16
from eqsat.uop import UOp


def rounded(helpers: Helpers, code: Code, dtype: DType) -> Code:
    """A value that was computed in float32, rounded to `dtype` if that is a half-precision type."""
    if not is_rounded(dtype):
        return code
    is_half = dtype.scalar == float16
    name = "round_half" if is_half else "round_bfloat"
    return Code(
        helpers.call(name, float32.vec(dtype.lanes), code.text), unrounded=code.text if is_half else ""
    )


def narrowed(dialect: Dialect, code: Code, dtype: DType) -> Code:
    """Converts the result of arithmetic on narrow integers, which C promotes to int, back to their own type."""
    narrow = dtype.is_int and dtype.lanes == 1 and dtype.bits < 32
    return Code(f"({dialect.value_type(dtype)})({code.text})", Level.UNARY) if narrow else code


def cast(helpers: Helpers, node: UOp, code: Code) -> Code:
    """A CAST of the value that `code` computes."""
    before, after = node.src[0].dtype, node.dtype
    assert isinstance(before, DType)
    assert isinstance(after, DType)
    if after.is_bool:
        return code if before.is_bool else _nonzero(helpers.dialect, code, before)
    value_type = helpers.dialect.value_type
    held, wanted = value_type(before), value_type(after)
    if before.is_bool and before.lanes > 1:
        return Code(f"convert_{wanted}(-{code.at(Level.UNARY)})")
    if before.is_float and not after.is_float:
        source = float64 if before.scalar == float64 else float32
        return Code(helpers.whole(source.vec(before.lanes), after, code.text))
    if before.scalar == float64 and is_rounded(after):
        return rounded(helpers, Code(helpers.call("round_to_odd", before, code.text)), after)
    if held != wanted and before.lanes > 1:
        code = Code(f"convert_{wanted}({code.text})")
    elif held != wanted:
        code = Code(f"({wanted}){code.at(Level.UNARY)}", Level.UNARY)
    exact = before.scalar == after.scalar or before.is_bool
    return code if exact else rounded(helpers, code, after)


def bitcast(helpers: Helpers, node: UOp, code: Code) -> Code:
    """A BITCAST of the value that `code` computes. Half precision is converted through its 16 bits; a bool can only become a bool."""
    before, after = node.src[0].dtype, node.dtype
    assert isinstance(before, DType)
    assert isinstance(after, DType)
    if after.is_bool:
        return code
    value_type = helpers.dialect.value_type
    bits, text = value_type(before), code.text
    if is_rounded(before):
        bits, text = "ushort" + suffix(before.lanes), to_half_bits(helpers, code, before)
    wanted = "ushort" + suffix(after.lanes) if is_rounded(after) else value_type(after)
    text = text if bits == wanted else f"as_{wanted}({text})"
    if is_rounded(after):
        return Code(from_half_bits(helpers, text, after))
    return Code(text, Level.ATOM if bits != wanted else code.level)


def to_half_bits(helpers: Helpers, code: Code, dtype: DType) -> str:
    """The 16 bits in memory of a half-precision value held in float. Finding those of a float16 rounds."""
    if dtype.scalar == bfloat16:
        lanes = suffix(dtype.lanes)
        return f"convert_ushort{lanes}(as_uint{lanes}({code.text}) >> 16)"
    return helpers.call("half_bits", float32.vec(dtype.lanes), code.unrounded or code.text)


def from_half_bits(helpers: Helpers, text: str, dtype: DType) -> str:
    """A half-precision value, held in float, from its 16 bits."""
    if dtype.scalar == bfloat16:
        lanes = suffix(dtype.lanes)
        return f"as_float{lanes}(convert_uint{lanes}({text}) << 16)"
    return helpers.call("half_value", uint16.vec(dtype.lanes), text)


def _nonzero(dialect: Dialect, code: Code, dtype: DType) -> Code:
    return Code(f"{code.at(Level.ADD)} != {literal(0, dtype.scalar, dialect).text}", Level.EQUAL)
