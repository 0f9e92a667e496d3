"""The price of every operation: cycles of its execution, and instructions in the program's text.

A price in cycles is how long one core is busy with one vector register's worth of an operation, with operands ready and pipelines full.
A price in instructions is what the operation adds to a program's text. The numbers are those of a current x86 core with AVX2
(Agner Fog's tables and our measurements). EXP2 and other functions are the polynomials that `codegen.functions` renders, with several
computed side by side. `WIDE` has factors for registers of 64 bytes.

Every `Op` is in `PRICES`, in `FREE`, or in `COMBINING`, which a test checks. An operation that is in none has no price, which is an error.
"""

from __future__ import annotations

from typing import NamedTuple

from eqsat.dtype import DType
from eqsat.errors import MachineError
from eqsat.ops import ELEMENTARY, Op

ANY = "any"  # in an `OwnPrice`: all element types


class Price(NamedTuple):
    """Cycles of one core for one vector register of elements, and instructions in the program's text."""

    cycles: float
    instructions: float = 1.0


class OwnPrice(NamedTuple):
    """The price of an operation on one machine.

    Attributes:
        op: the name of the operation.
        dtype: the name of its element type, or `ANY`.
        cycles: cycles that one core needs for one vector register of elements.
    """

    op: str
    dtype: str
    cycles: float


_SIMPLE = Price(0.5)

PRICES: dict[Op, Price] = {
    **dict.fromkeys((Op.ADD, Op.SUB, Op.NEG, Op.MUL, Op.MULACC, Op.CMPLT, Op.CMPNE), _SIMPLE),
    **dict.fromkeys((Op.AND, Op.OR, Op.XOR, Op.SHL, Op.SHR, Op.WHERE), _SIMPLE),
    Op.MAX: Price(1.5, 3), Op.MIN: Price(1.5, 3),  # they check for NaN, too
    Op.CAST: Price(1), Op.BITCAST: Price(0.125),  # usually the same register
    Op.FDIV: Price(5), Op.RECIP: Price(5), Op.SQRT: Price(6),
    Op.EXP2: Price(8, 14), Op.LOG2: Price(20, 22), Op.SIN: Price(12, 45), Op.POW: Price(37, 110),
    Op.EXP: Price(8.5, 20), Op.EXPM1: Price(12, 30), Op.LOG: Price(14, 25), Op.LOG10: Price(19, 25), Op.LOG1P: Price(17, 32),
    Op.COS: Price(13, 45), Op.TAN: Price(28, 60), Op.ASIN: Price(10, 30), Op.ACOS: Price(12, 30), Op.ATAN: Price(13, 30),
    Op.SINH: Price(21, 40), Op.COSH: Price(13, 40), Op.TANH: Price(16, 40),
    Op.ASINH: Price(45, 60), Op.ACOSH: Price(43, 60), Op.ATANH: Price(31, 50), Op.ERF: Price(13, 40), Op.ERFC: Price(27, 50),
    Op.SIGMOID: Price(10, 25), Op.SILU: Price(10, 26), Op.GELU: Price(25, 40),
    Op.ATAN2: Price(18, 50), Op.HYPOT: Price(14, 20), Op.LOGADDEXP: Price(88, 110), Op.FMOD: Price(12, 60),
    Op.DOT: Price(12, 16),  # computed by shifts and products; some processors have an instruction for it
    # division of integers by a value that is not constant: lane by lane, or through floats, plus a correction for the sign
    Op.IDIV: Price(40, 4), Op.MOD: Price(40, 6), Op.FLOORDIV: Price(48, 8), Op.FLOORMOD: Price(48, 9),
    # memory: cycles of the ports of the first level; traffic costs more
    Op.INDEX: Price(0.25, 3), Op.POINTER_INDEX: Price(0.25), Op.LOAD: Price(0.5, 2), Op.STORE: Price(1, 2), Op.ASSIGN: Price(1, 2),
    Op.COPY: Price(1.5, 2), Op.PARAM: Price(0, 2), Op.BUFFER: Price(0, 2),  # an argument's address is passed and held
    # shuffles of vectors
    Op.VECTORIZE: Price(1), Op.GEP: Price(1), Op.CAT: Price(1), Op.WMMA: Price(4),
    # control
    Op.END: Price(1.5, 4),  # one iteration of a loop: count, compare, branch
    Op.IF: Price(1, 2), Op.BARRIER: Price(30),
    # code that a user wrote in the target language: a few instructions
    Op.CUSTOM: Price(2), Op.CUSTOMI: Price(2),
}  # fmt: skip
"""Prices for floats, and for all other element types unless `DOUBLES`, `INTEGERS`, `LONG` or `INDICES` has another price."""

DOUBLES: dict[Op, Price] = {
    Op.FDIV: Price(8), Op.RECIP: Price(8), Op.SQRT: Price(12),
    Op.EXP2: Price(11.5, 18), Op.LOG2: Price(22, 26), Op.SIN: Price(26, 50), Op.POW: Price(70, 120),
    Op.EXP: Price(13, 24), Op.EXPM1: Price(15, 34), Op.LOG: Price(16, 29), Op.LOG10: Price(20, 29), Op.LOG1P: Price(19, 36),
    Op.COS: Price(27, 50), Op.TAN: Price(29, 65), Op.ASIN: Price(17, 36), Op.ACOS: Price(19, 36), Op.ATAN: Price(19, 36),
    Op.SINH: Price(22, 46), Op.COSH: Price(16, 46), Op.TANH: Price(21, 46),
    Op.ASINH: Price(52, 66), Op.ACOSH: Price(46, 66), Op.ATANH: Price(35, 56), Op.ERF: Price(26, 50), Op.ERFC: Price(28, 55),
    Op.SIGMOID: Price(16, 31), Op.SILU: Price(15, 32), Op.GELU: Price(50, 70),
    Op.ATAN2: Price(28, 56), Op.HYPOT: Price(15, 20), Op.LOGADDEXP: Price(75, 130), Op.FMOD: Price(10, 60),
}  # fmt: skip
"""Prices for float64: a register holds half as many elements, polynomials are longer, and division is slower."""

INTEGERS: dict[Op, Price] = {
    Op.MAX: Price(0.5),
    Op.MIN: Price(0.5),
    Op.MUL: Price(1),
    Op.MULACC: Price(1.5, 2),
}
"""Prices for integers and bools: they have no NaN, and no fused multiply-add."""

LONG: dict[Op, Price] = {
    **INTEGERS, Op.MUL: Price(3, 8), Op.MULACC: Price(3.5, 9),
    Op.IDIV: Price(64, 4), Op.MOD: Price(64, 6), Op.FLOORDIV: Price(72, 8), Op.FLOORMOD: Price(72, 9),
}  # fmt: skip
"""Prices for 64-bit integers: AVX2 has no instruction for their products, and their divisions are computed lane by lane."""

INDICES: dict[Op, Price] = {
    **dict.fromkeys((Op.ADD, Op.SUB, Op.NEG, Op.MAX, Op.MIN, Op.WHERE, Op.CAST, Op.AND, Op.OR, Op.XOR, Op.SHL, Op.SHR), Price(0.25)),
    Op.MUL: Price(0.5), Op.MULACC: Price(0.75, 2),
    # division by a constant, as nearly all divisors of indices are: a multiplication and shifts
    Op.IDIV: Price(4, 4), Op.MOD: Price(4, 6), Op.FLOORDIV: Price(4, 8), Op.FLOORMOD: Price(4, 9),
}  # fmt: skip
"""Prices for indices: one scalar at a time, which a compiler moves out of loops or folds into addresses where it can."""

BY_CONSTANT: dict[Op, Price] = {
    Op.IDIV: Price(2.5, 4),
    Op.MOD: Price(3.5, 6),
    Op.FLOORDIV: Price(3.5, 7),
    Op.FLOORMOD: Price(4, 9),
}
"""Prices for division of integers of 16 and 32 bits by a constant: a product whose upper half is shifted."""

BYTE_BY_CONSTANT: dict[Op, Price] = {
    op: Price(2 * each.cycles, each.instructions) for op, each in BY_CONSTANT.items()
}
"""Prices for division of bytes by a constant, which is computed in 16 bits: no vector instruction multiplies bytes."""

LONG_BY_CONSTANT: dict[Op, Price] = {op: Price(15, 16) for op in BY_CONSTANT}
"""Prices for division of 64-bit integers by a constant: lane by lane, as no vector instruction computes the upper half of such a product."""


class Alone(NamedTuple):
    """Cycles of a division of one integer by itself, for which all processors have an instruction.

    Attributes:
        by_constant: by a constant, which is a product and shifts.
        busy: until the next division begins, if it does not need the result.
        result: until the result is known, for which the next one waits.
    """

    by_constant: float
    busy: float
    result: float


DIVISION_ALONE = Alone(by_constant=1.0, busy=6.0, result=20.0)

DIVISIONS = (Op.IDIV, Op.MOD, Op.FLOORDIV, Op.FLOORMOD)
"""Divisions of integers, for which no processor has a vector instruction."""

WIDE_BYTES = 64
WIDE = {**dict.fromkeys((Op.FDIV, Op.RECIP, Op.SQRT, *DIVISIONS), 2.0), **dict.fromkeys(ELEMENTARY, 1.6)}
"""Time for a register of 64 bytes relative to one of 32: only one unit divides, and fewer units execute the operations of functions."""

WIDE_PICKED = {Op.GELU: 0.65}
"""The same for functions of single and half precision that pick elements of a register: of one of 64 bytes in one instruction, instead of three for
half of the lanes."""

ALONE = frozenset(
    {Op.SIN, Op.COS, Op.TAN, Op.ASINH, Op.ACOSH, Op.ERFC, Op.GELU, Op.LOGADDEXP, Op.FMOD, Op.POW}
)
"""Functions that compilers do not vectorize in scalar loops, because they have branches."""

COMBINING = frozenset(
    {
        Op.REDUCE,
        Op.REDUCE_AXIS,
        Op.SCAN,
        Op.SCAN_AXIS,
        Op.RECUR_AXIS,
        Op.ARGREDUCE,
        Op.ARGREDUCE_AXIS,
        Op.SCATTER_AXIS,
        Op.ALLREDUCE,
    }
)
"""Operations that apply the operation named by their argument, and have its price; a recurrence applies several."""

FREE = frozenset({
    # structure: collects, names or marks other nodes
    Op.SINK, Op.KERNEL, Op.NAME, Op.DEVICE, Op.MULTI, Op.BIND, Op.DEFINE_VAR, Op.UNIQUE, Op.LUNIQUE, Op.EMPTY, Op.NOOP, Op.CUSTOM_FUNCTION,
    Op.GROUP, Op.CONTIGUOUS, Op.CONTIGUOUS_BACKWARD, Op.DETACH, Op.PRECAST, Op.MSTACK, Op.MSELECT, Op.CONST, Op.VCONST, Op.AFTER,
    # movement and views: index arithmetic of their users
    Op.RESHAPE, Op.PERMUTE, Op.EXPAND, Op.PAD, Op.SHRINK, Op.FLIP, Op.VIEW, Op.VALID, Op.BUFFER_VIEW, Op.BUFFERIZE,
    # places in memory, and loop variables
    Op.DEFINE_GLOBAL, Op.DEFINE_LOCAL, Op.DEFINE_ACC, Op.DEFINE_REG, Op.CARRY, Op.RECUR, Op.RANGE, Op.SPECIAL, Op.ENDRANGE, Op.ENDIF,
    # arrangements of vectors, which are lowered before code is rendered
    Op.PTRCAT, Op.UNROLL, Op.CONTRACT,
    # programs: their contents have prices, and a launch costs `Machine.launch_seconds`
    Op.CALL, Op.FUNCTION, Op.TUPLE, Op.GET_TUPLE, Op.PROGRAM, Op.LINEAR, Op.SOURCE, Op.PROGRAM_BINARY,
    Op.BLOCK, Op.BLOCKSTART, Op.BLOCKFORK, Op.BLOCKEND,
})  # fmt: skip
"""Operations that are never computed."""

FORMS: dict[tuple[Op, str], float] = {
    (Op.EXP, "moderate"): 0.85, (Op.EXP, "below"): 0.92, (Op.EXP, "weight"): 0.91,
    (Op.EXP2, "moderate"): 0.85, (Op.EXP2, "below"): 0.92, (Op.EXPM1, "moderate"): 0.85,
    **{(op, "normal"): 0.75 for op in (Op.LOG, Op.LOG2, Op.LOG10)},
    **{(op, "small"): 0.2 for op in (Op.SIN, Op.COS, Op.TAN)}, **{(op, "moderate"): 0.75 for op in (Op.SIN, Op.COS, Op.TAN)},
    (Op.ASIN, "small"): 0.4, (Op.ACOS, "small"): 0.4, (Op.ATAN, "small"): 0.65, (Op.SINH, "moderate"): 0.85, (Op.COSH, "moderate"): 0.8,
    (Op.TANH, "small"): 0.3, (Op.SIGMOID, "moderate"): 0.9, (Op.SILU, "moderate"): 0.9,
    (Op.ERF, "small"): 0.3,
    (Op.EXP, "moderate_relaxed"): 0.77, (Op.EXP, "below_relaxed"): 0.82, (Op.EXP, "weight_relaxed"): 0.81, (Op.EXP, "relaxed"): 0.9,
    **{(op, "moderate_relaxed"): 0.5 for op in (Op.SIN, Op.COS, Op.TAN)}, **{(op, "relaxed"): 0.7 for op in (Op.SIN, Op.COS, Op.TAN)},
    **{(op, "normal_relaxed"): 0.55 for op in (Op.LOG2, Op.LOG10)}, **{(op, "relaxed"): 0.75 for op in (Op.LOG2, Op.LOG10)},
    (Op.LOGADDEXP, "positive_relaxed"): 0.5,
}  # fmt: skip
"""Price of each form of a function, as a share of the price of its full form."""

NOTHING = Price(0.0, 0.0)


def price(op: Op, dtype: DType) -> Price:
    """The price of an operation on elements of a type, by the tables of this module; for a comparison, the type of its operands.

    >>> from eqsat.dtype import float32, index, int32
    >>> [price(Op.FLOORDIV, dtype).cycles for dtype in (int32, index)], price(Op.MAX, float32).instructions
    ([48, 4], 3)

    Raises:
        MachineError: the operation has no price.
    """
    own = _rows(dtype).get(op) or PRICES.get(op)
    if own is not None:
        return own
    if op in FREE:
        return NOTHING
    raise MachineError(f"{op} of {dtype} has no price; give it one in eqsat.machine.prices")


def share_of_form(op: Op, form: str) -> float:
    """The share of an operation's price that a form of it takes.

    >>> share_of_form(Op.EXP, "moderate") < share_of_form(Op.EXP, "below") < 1
    True

    Raises:
        MachineError: the form has no price.
    """
    try:
        return FORMS[op, form]
    except KeyError as error:
        raise MachineError(
            f"form {form!r} of {op} has no price; give it one in eqsat.machine.prices"
        ) from error


def price_by_constant(op: Op, dtype: DType) -> Price | None:
    """The price of a division of integers by a constant, or of a maximum or minimum of floats and one; None for other operations.

    >>> from eqsat.dtype import float32, int32
    >>> price_by_constant(Op.FLOORDIV, int32).cycles, price_by_constant(Op.MAX, float32).cycles, price_by_constant(Op.FDIV, float32)
    (3.5, 0.5, None)
    """
    if dtype.is_float:
        return _SIMPLE if op in (Op.MAX, Op.MIN) else None  # the constant is no NaN
    if dtype.kind not in "iu":
        return None
    return {8: BYTE_BY_CONSTANT, 64: LONG_BY_CONSTANT}.get(dtype.scalar.bits, BY_CONSTANT).get(op)


def _rows(dtype: DType) -> dict[Op, Price]:
    match dtype.kind:
        case "x":
            return INDICES
        case "i" | "u" if dtype.scalar.bits == 64:
            return LONG
        case "i" | "u" | "b":
            return INTEGERS
        case "f" if dtype.scalar.bits == 64:
            return DOUBLES
        case _:
            return {}
