"""Sets of operations, and identity elements."""

from __future__ import annotations

from eqsat.dtype import DType
from eqsat.errors import BuildError
from eqsat.ops.kinds import AxisType, Category
from eqsat.ops.table import TABLE, Op

UNARY = frozenset(op for op, info in TABLE.items() if info.category is Category.UNARY)
BINARY = frozenset(op for op, info in TABLE.items() if info.category is Category.BINARY)
TERNARY = frozenset(op for op, info in TABLE.items() if info.category is Category.TERNARY)
ALU = UNARY | BINARY | TERNARY
ELEMENTARY = frozenset(op for op, info in TABLE.items() if info.elementary)  # elementary for floats only
ELEMENTARY_UNARY = tuple(op for op in Op if op in ELEMENTARY & UNARY)
ELEMENTARY_BINARY = tuple(op for op in Op if op in ELEMENTARY & BINARY)
AT_HAND = frozenset({Op.CONST, Op.DEFINE_VAR})  # every kernel has these without computing or loading them
MOVEMENT = frozenset(op for op, info in TABLE.items() if info.category is Category.MOVEMENT)
REORDERING = frozenset({Op.RESHAPE, Op.PERMUTE, Op.FLIP})  # the same elements, in another shape or order
GIVES_SHAPE = frozenset({Op.RESHAPE, Op.EXPAND})  # movements whose argument is the shape of the result
# operations whose argument is (op, axes)
ALONG_AXES = frozenset({Op.REDUCE_AXIS, Op.SCAN_AXIS, Op.ARGREDUCE_AXIS, Op.SCATTER_AXIS})
ACROSS = ALONG_AXES | {Op.RECUR_AXIS}  # an element of the result depends on several elements of a source
COMMUTATIVE = frozenset(op for op, info in TABLE.items() if info.commutative)
# nested applications of one of these are one application to many operands, in any order
NARY_OPS = (Op.ADD, Op.MUL, Op.MAX, Op.MIN, Op.AND, Op.OR, Op.XOR)
COMPARISON = frozenset({Op.CMPLT, Op.CMPNE})
DIVISIONS = frozenset({Op.IDIV, Op.MOD, Op.FLOORDIV, Op.FLOORMOD})
SHIFTS = frozenset({Op.SHL, Op.SHR})
REDUCE_OPS = frozenset({Op.ADD, Op.MUL, Op.MAX, Op.MIN})
EXTREMES = frozenset({Op.MAX, Op.MIN})
REDUCES = frozenset({Op.REDUCE, Op.ARGREDUCE})  # they combine over ranges, whose loops they end
IN_TURN = frozenset(
    {Op.SCAN, Op.CARRY, Op.RECUR}
)  # iterations of a loop hand values on, and what each has varies with the loop
AXES_REDUCED = frozenset({Op.REDUCE_AXIS, Op.ARGREDUCE_AXIS})  # they combine along axes, which disappear
OPENS = frozenset({Op.RANGE, Op.IF})  # they open a block of instructions
ABREAST = frozenset({AxisType.UPCAST, AxisType.UNROLL})  # iterations are vector lanes or unrolled copies
# Their iterations run concurrently, in no order
WORK_ITEMS = frozenset({AxisType.GLOBAL, AxisType.THREAD, AxisType.LOCAL, AxisType.WARP})


def identity_element(op: Op, dtype: DType) -> bool | int | float:
    """The element `e` with `op(x, e)` equal to `x` in `dtype`; for integers an infinity becomes the extreme value of the dtype.

    Strictly, the identity of ADD for floats is −0.0. It is 0.0 here, because sums start from 0.0, as in NumPy.

    Raises:
        BuildError: the operation has no identity element.
    """
    identity = TABLE[op].identity
    if identity is None:
        known = ", ".join(each.name for each in Op if TABLE[each].identity is not None)
        raise BuildError(f"{op} has no identity element; give one of {known}")
    if dtype.is_float:
        return float(identity)
    if identity in (float("inf"), float("-inf")):
        extreme = dtype.max if identity == float("inf") else dtype.min
        return bool(extreme) if dtype.is_bool else extreme
    if dtype.is_bool:
        return bool(identity)
    return dtype.max if identity == -1 and not dtype.is_signed and not dtype.is_index else int(identity)
