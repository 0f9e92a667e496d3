"""The operations: one row each, with all facts that depend on the operation alone.

The rows are the union of the two published UOp references that this IR follows (seed 000: tinygrad's list; seed 001: Morok's), and
additions ("design"). Among the additions are FLOORDIV and FLOORMOD, which Python's `//` and `%` build, and the elementary functions. Each
of these is an operation of its own, so that its accuracy is a property of one function. The binary MIN is the one with which Morok's MIN
reduction combines.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from eqsat import shape as shapes
from eqsat.ops.kinds import Category, DTypeRule, Stage
from eqsat.shape import ShapeRule
from eqsat.support.enumeration import direct


@dataclass(frozen=True, slots=True)
class OpInfo:
    """One row of the table."""

    category: Category
    arity: tuple[int, int | None]  # fewest and most sources; None: no limit
    dtype: DTypeRule
    shape: ShapeRule
    stages: frozenset[Stage]  # where it is legal; empty: it is known only so that it can be refused by name
    doc: str
    seeds: str  # which seeds list it: "000", "001", "both", or "design"
    commutative: bool = False
    associative: bool = False
    identity: int | float | None = None  # e with op(x, e) == x; infinities mean the dtype's extremes
    range_start: int | None = None  # sources from this number on are RANGEs, whose loops this operation ends
    expandable: bool = False  # UNROLL passes through it
    elementary: bool = (
        False  # its meaning for floats is one of `codegen.functions`, often dozens of instructions
    )
    lowering: str = ""  # what it is lowered to, if rendered kernels do not contain it


A, K, E, L, P = Stage.ARRAY, Stage.KERNEL, Stage.EXPANDED, Stage.LINEAR, Stage.PROGRAM
_VALUE = frozenset({A, K, E, L})
_KERNEL = frozenset({K, E, L})


def _row(category: Category, arity: int | tuple[int, int | None], dtype: DTypeRule, shape: ShapeRule, stages: frozenset[Stage],
         seeds: str, doc: str, **flags: Any) -> OpInfo:  # fmt: skip
    bounds = (arity, arity) if isinstance(arity, int) else arity
    return OpInfo(category, bounds, dtype, shape, stages, doc, seeds, **flags)


def _framework(arity: int | tuple[int, int | None], dtype: DTypeRule, shape: ShapeRule, stages: str, seeds: str, doc: str,
               **flags: Any) -> OpInfo:  # fmt: skip
    return _row(Category.FRAMEWORK, arity, dtype, shape, _stages(stages), seeds, doc, **flags)


def _memory(arity: int | tuple[int, int | None], dtype: DTypeRule, shape: ShapeRule, stages: str, seeds: str, doc: str,
            **flags: Any) -> OpInfo:  # fmt: skip
    return _row(Category.MEMORY, arity, dtype, shape, _stages(stages), seeds, doc, **flags)


def _movement(shape: ShapeRule, doc: str) -> OpInfo:
    return _row(Category.MOVEMENT, 1, DTypeRule.FIRST, shape, frozenset({A}), "both", doc,
                lowering="index arithmetic on ranges, in schedule")  # fmt: skip


def _unary(dtype: DTypeRule, seeds: str, doc: str) -> OpInfo:
    return _row(Category.UNARY, 1, dtype, shapes.elementwise, _VALUE, seeds, doc, expandable=True)


def _binary(dtype: DTypeRule, doc: str, seeds: str = "both", **flags: Any) -> OpInfo:
    return _row(Category.BINARY, 2, dtype, shapes.elementwise, _VALUE, seeds, doc, expandable=True, **flags)


def _function(doc: str, arity: int = 1, seeds: str = "design") -> OpInfo:
    category = Category.UNARY if arity == 1 else Category.BINARY
    return _row(category, arity, DTypeRule.FLOAT, shapes.elementwise, _VALUE, seeds, doc, expandable=True, elementary=True)  # fmt: skip


def _control(arity: int | tuple[int, int | None], dtype: DTypeRule, shape: ShapeRule, stages: str, seeds: str, doc: str,
             **flags: Any) -> OpInfo:  # fmt: skip
    return _row(Category.CONTROL, arity, dtype, shape, _stages(stages), seeds, doc, **flags)


def _vector(arity: int | tuple[int, int | None], stages: str, seeds: str, doc: str, **flags: Any) -> OpInfo:
    return _row(Category.VECTOR, arity, DTypeRule.ANY, shapes.scalar, _stages(stages), seeds, doc, **flags)


def _program(arity: int | tuple[int, int | None], seeds: str, doc: str, **flags: Any) -> OpInfo:
    return _row(Category.PROGRAM, arity, DTypeRule.VOID, shapes.nothing, frozenset({P}), seeds, doc, **flags)


def _block(doc: str) -> OpInfo:
    """The row of a block, with which seed 000's linearizer orders instructions; it is legal at no stage here."""
    return _row(
        Category.PROGRAM, (0, None), DTypeRule.VOID, shapes.nothing, frozenset(), "000", doc, lowering=_BLOCK
    )


def _stages(letters: str) -> frozenset[Stage]:
    return frozenset({"A": A, "K": K, "E": E, "L": L, "P": P}[letter] for letter in letters)


_NO_VALUE = DTypeRule.VOID
_COMMUTES: dict[str, Any] = {"commutative": True, "associative": True}
_BLOCK = "its instructions, in a LINEAR, between RANGE and END or IF and ENDIF"


# fmt: off
@direct
class Op(Enum):
    """The operations of UOps, one row each."""

    # framework
    SINK = _framework((0, None), _NO_VALUE, shapes.nothing, "AKEP", "both", "Collects the results of a graph or the stores of a kernel.")
    KERNEL = _framework((1, None), _NO_VALUE, shapes.nothing, "P", "000", "One launch: the kernel's SINK, then its arguments and maybe a NAME; arg is its KernelInfo.", lowering="a CALL of the kernel's SINK")
    NAME = _framework(0, _NO_VALUE, shapes.nothing, "P", "000", "The name of a KERNEL that it is a source of; arg is the string.", lowering="KernelInfo.name")
    DEVICE = _framework(0, _NO_VALUE, shapes.nothing, "AP", "both", "A device; arg is its name.")
    MULTI = _framework((1, None), DTypeRule.FIRST, shapes.sharded, "A", "both", "An array in shards; arg is (axis or None, which shards hold data).", lowering="what is done to it, done to each shard, in distribution")
    COPY = _framework(2, DTypeRule.ANY, shapes.second, "A", "both", "Source 1 on the device of source 0; arg: force a clone.", lowering="removed where the devices agree, else a transfer by way of the host")
    ASSIGN = _framework(2, DTypeRule.FIRST, shapes.first, "AL", "000", "Writes source 1 into source 0.", lowering="STORE")
    BIND = _framework(2, DTypeRule.FIRST, shapes.first, "A", "both", "A variable bound to a constant.", lowering="substituted by the constant")
    DEFINE_VAR = _framework(0, DTypeRule.ANY, shapes.scalar, "AKEL", "both", "An integer known at run time; arg is (name, least, greatest).")
    UNIQUE = _framework(0, _NO_VALUE, shapes.nothing, "A", "both", "An identity that makes a buffer unique; arg is a number or a handle of host data.")
    LUNIQUE = _framework(0, _NO_VALUE, shapes.nothing, "A", "001", "As UNIQUE, inside one function body; arg is a number.")
    EMPTY = _framework(0, DTypeRule.ANY, shapes.shaped, "A", "000", "An array whose content does not matter; arg is its shape.", lowering="zeros")
    NOOP = _framework(1, DTypeRule.FIRST, shapes.first, "AKE", "000", "The same value as its source.", lowering="removed")
    CUSTOM = _framework((0, None), DTypeRule.ANY, shapes.scalar, "KEL", "both", "A statement of the target language; arg is a format string over the sources.", expandable=True)
    CUSTOMI = _framework((0, None), DTypeRule.ANY, shapes.scalar, "KEL", "both", "As CUSTOM, but an expression that is written where it is used.", expandable=True)
    CUSTOM_FUNCTION = _framework(1, _NO_VALUE, shapes.nothing, "P", "001", "A function that a user registered, which a CALL calls; arg is its name, source 0 a TUPLE of EMPTYs like its results.", lowering="a CUSTOMI in a kernel, or a step on the host")
    GROUP = _framework((0, None), _NO_VALUE, shapes.nothing, "KE", "001", "Stores that belong together.", lowering="its sources, in SINK")
    CONTIGUOUS = _framework(1, DTypeRule.FIRST, shapes.first, "A", "both", "Asks for row-major storage.", lowering="materialized by schedule")
    CONTIGUOUS_BACKWARD = _framework(1, DTypeRule.FIRST, shapes.first, "A", "both", "CONTIGUOUS in the backward pass only.", lowering="removed")
    DETACH = _framework(1, DTypeRule.FIRST, shapes.first, "A", "both", "The same value as its source, without a gradient.", lowering="removed")
    PRECAST = _framework(1, DTypeRule.FIRST, shapes.first, "A", "001", "The same value as its source, which is stored in memory before a conversion.", lowering="removed")
    MSTACK = _framework((1, None), DTypeRule.FIRST, shapes.stacked, "A", "001", "An array on several devices; each device has a copy of its own.", lowering="what is done to it, done to each copy, in distribution")
    MSELECT = _framework(1, DTypeRule.FIRST, shapes.first, "A", "001", "The copy on device number arg.", lowering="source arg of the MSTACK")
    ALLREDUCE = _framework((1, 2), DTypeRule.FIRST, shapes.first, "A", "001", "Combines the copies of source 0 with the operation arg; the result is on each of their devices, or on that of source 1.", lowering="COPY and ALU of all copies on each device, or around a ring, in distribution")
    # constants
    CONST = _row(Category.CONSTANT, (0, 1), DTypeRule.ANY, shapes.scalar, _VALUE, "both", "A constant; arg is its value, a bool, int or float.")
    VCONST = _row(Category.CONSTANT, 0, DTypeRule.ANY, shapes.scalar, _KERNEL, "both", "A vector of constants; arg is the tuple.")
    # movement and views
    RESHAPE = _row(Category.MOVEMENT, 1, DTypeRule.FIRST, shapes.reshape, frozenset({A, K, E}), "both", "Same elements in row-major order; arg is the new shape. In a kernel it gives a PARAM axes, and an INDEX has one index for each axis.", lowering="index arithmetic on ranges, in schedule; on the indices, in codegen")
    PERMUTE = _movement(shapes.permute, "Axis k is axis arg[k] of the source.")
    EXPAND = _movement(shapes.expand, "Repeats axes of extent 1; arg is the new shape.")
    PAD = _movement(shapes.pad, "Adds zeros around the source; arg is (before, after) per axis.")
    SHRINK = _movement(shapes.shrink, "A window of the source; arg is (begin, end) per axis.")
    FLIP = _movement(shapes.flip, "Reverses axes; arg is one bool per axis.")
    VIEW = _memory((0, 1), DTypeRule.ANY, shapes.viewed, "A", "000", "A strided window of a buffer; arg is a View.", lowering="movement operations, in schedule")
    VALID = _memory(1, DTypeRule.ANY, shapes.first, "A", "000", "Whether each element of a VIEW is inside its mask.", lowering="the gate of an INDEX")
    # memory
    PARAM = _memory((0, 1), DTypeRule.ANY, shapes.sized, "AKEP", "001", "Buffer argument; arg is (slot, size).", lowering="DEFINE_GLOBAL")
    BUFFER = _memory(2, DTypeRule.ANY, shapes.sized, "A", "both", "A buffer on (device, unique); arg is its size in elements.", lowering="PARAM")
    BUFFER_VIEW = _memory(1, DTypeRule.FIRST, shapes.view_of_buffer, "A", "both", "A part of a buffer; arg is (size, offset).", lowering="SHRINK of the buffer")
    BUFFERIZE = _memory((1, None), DTypeRule.FIRST, shapes.comprehension, "AK", "001", "The array of the values that source 0 has over the ranges; arg is None or BufferizeOpts.", range_start=1, expandable=True, lowering="a STORE in one kernel and LOADs elsewhere, or inlined; in a kernel a STORE to local memory or registers")
    INDEX = _memory((1, None), DTypeRule.ANY, shapes.indexed, "AKEL", "both", "The element of source 0 at the indices; a bool source gates it.", expandable=True)
    POINTER_INDEX = _memory(2, DTypeRule.ANY, shapes.scalar, "EL", "001", "A pointer moved by a byte offset.", expandable=True)
    DEFINE_GLOBAL = _memory(0, DTypeRule.ANY, shapes.scalar, "EL", "000", "Kernel argument number arg.")
    DEFINE_LOCAL = _memory(0, DTypeRule.ANY, shapes.scalar, "KEL", "both", "Memory shared by a work-group; arg names it.")
    DEFINE_ACC = _memory((1, None), DTypeRule.FIRST, shapes.scalar, "L", "000", "An accumulator: initial value, then its ranges.", lowering="DEFINE_REG and a STORE before the loop")
    DEFINE_REG = _memory(0, DTypeRule.ANY, shapes.scalar, "EL", "001", "Private storage; arg is (size, id).")
    LOAD = _memory((1, 4), DTypeRule.ANY, shapes.loaded, "AKEL", "both", "Reads the element at an address; source 1 is the value where the gate of the address is false.", expandable=True)
    STORE = _memory((2, None), _NO_VALUE, shapes.nothing, "KEL", "both", "Writes source 1 to the address in source 0, for all ranges. With an operation as arg, it combines the element in memory with source 1, one iteration after another.", range_start=2, expandable=True)
    # arithmetic
    EXP2 = _function("2 to the power of x.", seeds="both")
    LOG2 = _function("Logarithm to base 2.", seeds="both")
    SIN = _function("Sine of an angle in radians.", seeds="both")
    SQRT = _unary(DTypeRule.FLOAT, "both", "Square root, correctly rounded.")
    RECIP = _unary(DTypeRule.FLOAT, "both", "1 / x.")
    NEG = _unary(DTypeRule.SAME, "both", "-x.")
    CAST = _unary(DTypeRule.ANY, "both", "Converts the value, as C and NumPy do; floats too large for an integer saturate, NaN becomes 0.")
    BITCAST = _unary(DTypeRule.ANY, "both", "Keeps the bits, changes the type.")
    ADD = _binary(DTypeRule.SAME, "x + y; bools: or.", identity=0, **_COMMUTES)
    SUB = _binary(DTypeRule.SAME, "x - y.")
    MUL = _binary(DTypeRule.SAME, "x * y; bools: and.", identity=1, **_COMMUTES)
    FDIV = _binary(DTypeRule.FLOAT, "x / y of floats.")
    POW = _binary(DTypeRule.SAME, "x to the power of y. For integers with y < 0 it is 0, except for the bases 1 and -1.", elementary=True)
    IDIV = _binary(DTypeRule.INTEGRAL, "Quotient truncated toward zero; 0 where y is 0.")
    MOD = _binary(DTypeRule.INTEGRAL, "Remainder of IDIV, with the sign of x; 0 where y is 0.")
    FLOORDIV = _binary(DTypeRule.INTEGRAL, "Quotient rounded down, as Python's //; 0 where y is 0.", seeds="design")
    FLOORMOD = _binary(DTypeRule.INTEGRAL, "Remainder of FLOORDIV, with the sign of y, as Python's %; 0 where y is 0.", seeds="design")
    MAX = _binary(DTypeRule.SAME, "The greater one; NaN if either is. For 0.0 and -0.0 it is either of them.", identity=float("-inf"), **_COMMUTES)
    MIN = _binary(DTypeRule.SAME, "The lesser one; NaN if either is. For 0.0 and -0.0 it is either of them.", seeds="001", identity=float("inf"), **_COMMUTES)
    CMPLT = _binary(DTypeRule.COMPARE, "x < y.")
    CMPNE = _binary(DTypeRule.COMPARE, "x != y; NaN differs from everything.", commutative=True)
    XOR = _binary(DTypeRule.BITS, "Exclusive or of the bits.", identity=0, **_COMMUTES)
    OR = _binary(DTypeRule.BITS, "Or of the bits.", identity=0, **_COMMUTES)
    AND = _binary(DTypeRule.BITS, "And of the bits.", identity=-1, **_COMMUTES)
    SHL = _binary(DTypeRule.INTEGRAL, "x shifted left by y bits, modulo the width.")
    SHR = _binary(DTypeRule.INTEGRAL, "x shifted right by y bits, modulo the width; the sign is kept.")
    WHERE = _row(Category.TERNARY, 3, DTypeRule.SELECT, shapes.elementwise, _VALUE, "both", "y where x, else z.", expandable=True)
    MULACC = _row(Category.TERNARY, 3, DTypeRule.SAME, shapes.elementwise, _VALUE, "both", "x * y + z; floats are rounded once, on devices that have a fused multiply-add.", expandable=True)
    DOT = _binary(DTypeRule.WORDS, "The dot product of the four unsigned bytes of x and the four signed bytes of y.", seeds="design")
    # elementary functions: at most 2 units in the last place off (docs/accuracy.md)
    EXP = _function("e to the power of x.")
    EXPM1 = _function("e to the power of x, minus 1, accurate near 0.")
    LOG = _function("Natural logarithm.")
    LOG10 = _function("Logarithm to base 10.")
    LOG1P = _function("Natural logarithm of 1 + x, accurate near 0.")
    COS = _function("Cosine of an angle in radians.")
    TAN = _function("Tangent of an angle in radians.")
    ASIN = _function("Inverse sine, in -π/2..π/2.")
    ACOS = _function("Inverse cosine, in 0..π.")
    ATAN = _function("Inverse tangent, in -π/2..π/2.")
    SINH = _function("Hyperbolic sine.")
    COSH = _function("Hyperbolic cosine.")
    TANH = _function("Hyperbolic tangent.")
    ASINH = _function("Inverse hyperbolic sine.")
    ACOSH = _function("Inverse hyperbolic cosine; NaN below 1.")
    ATANH = _function("Inverse hyperbolic tangent; NaN beyond ±1.")
    ERF = _function("Error function.")
    ERFC = _function("1 minus the error function, accurate where that is near 1.")
    SIGMOID = _function("1 / (1 + e^-x).")
    SILU = _function("x / (1 + e^-x); -0.0 at minus infinity.")
    GELU = _function("x times the normal distribution function of x; -0.0 at minus infinity.")
    ATAN2 = _function("Angle of the point with ordinate x and abscissa y, in -π..π.", arity=2)
    HYPOT = _function("√(x² + y²), without overflow of intermediate results; infinite if either operand is.", arity=2)
    LOGADDEXP = _function("log(e^x + e^y), without overflow of intermediate results.", arity=2)
    FMOD = _function("The exact remainder x - trunc(x / y) * y, with the sign of x.", arity=2)
    # reductions
    REDUCE_AXIS = _row(Category.REDUCTION, 1, DTypeRule.FIRST, shapes.reduce_axis, frozenset({A}), "both", "Reduces axes with an operation; arg is (op, axes).", lowering="REDUCE over ranges")
    REDUCE = _row(Category.REDUCTION, (1, None), DTypeRule.FIRST, shapes.first, frozenset({K, E}), "both", "Combines source 0 over the ranges with op arg.", range_start=1, expandable=True, lowering="an accumulator in DEFINE_REG")
    SCAN_AXIS = _row(Category.REDUCTION, 1, DTypeRule.FIRST, shapes.scan_axis, frozenset({A}), "design", "Combines each element with all elements before it along an axis; arg is (op, (axis,)).", lowering="SCAN over a range")
    SCAN = _row(Category.REDUCTION, (2, None), DTypeRule.FIRST, shapes.first, frozenset({K, E}), "design", "Combines source 0 over all iterations of the ranges up to the current one, in order; arg is (op, whether the current one is left out).", expandable=True, lowering="an accumulator in DEFINE_REG")
    RECUR_AXIS = _row(Category.REDUCTION, (1, None), DTypeRule.ANY, shapes.recur_axis, frozenset({A}), "design", "What a Recurrence gives for each element along an axis, one after the other; the sources have one shape. arg is (Recurrence, (axis,)).", lowering="RECUR over a range")
    CARRY = _row(Category.REDUCTION, (2, None), DTypeRule.ANY, shapes.scalar, frozenset({K, E}), "design", "A value that is kept from each iteration of the ranges to the next; 0 in the first one. arg is (recurrence, kept value, number of elements). The sources are the elements that the recurrence reads, with which the value varies, and the ranges.", expandable=True, lowering="an accumulator in DEFINE_REG")
    RECUR = _row(Category.REDUCTION, (4, None), DTypeRule.FIRST, shapes.first, frozenset({K, E}), "design", "The value of source 0. Then come arg pairs of a value and the CARRY that has it in the next iteration, and the ranges.", expandable=True, lowering="stores to accumulators in DEFINE_REG")
    ARGREDUCE_AXIS = _row(Category.REDUCTION, 1, DTypeRule.ANY, shapes.reduce_axis, frozenset({A}), "design", "The position of the first extreme element along an axis; a NaN counts as extreme. arg is (MAX or MIN, (axis,)).", lowering="ARGREDUCE over a range")
    ARGREDUCE = _row(Category.REDUCTION, (3, None), DTypeRule.ANY, shapes.first, frozenset({K, E}), "design", "Finds the pair (source 0, source 1) with the extreme first member over the ranges (a NaN counts as extreme); of several such pairs, the one with the least second member. arg is (MAX or MIN, which member it returns). Source 1 ascends from 0 along the ranges, the outer ranges first.", range_start=2, expandable=True, lowering="two accumulators in DEFINE_REG")
    SCATTER_AXIS = _row(Category.REDUCTION, 2, DTypeRule.FIRST, shapes.scatter_axis, frozenset({A}), "design", "Reduces source 0 along all axes but the first. Only those elements take part whose label is their position along the first axis; arg is (op, axes). Labels are the elements of source 1 at the first position along that axis.", lowering="a STORE that combines, at the label")
    WMMA = _row(Category.REDUCTION, (3, None), DTypeRule.ANY, shapes.scalar, frozenset({K, E, L}), "both", "A matrix fragment a @ b + c, which a group of threads computes.", range_start=3, expandable=True, lowering="multiply-add loops on devices without it")
    # control
    RANGE = _control((1, None), DTypeRule.INDEX, shapes.scalar, "AKEL", "both", "A loop variable in 0..end-1; arg is (id, AxisType), or an id with sources (start, end).")
    END = _control((1, None), _NO_VALUE, shapes.nothing, "KEL", "001", "Closes the loops of its ranges.", range_start=1, expandable=True)
    ENDRANGE = _control(1, _NO_VALUE, shapes.nothing, "L", "000", "Closes one loop.", range_start=0, lowering="END")
    IF = _control((1, None), _NO_VALUE, shapes.nothing, "L", "both", "The instructions up to ENDIF are executed only where source 0 is true.")
    ENDIF = _control(1, _NO_VALUE, shapes.nothing, "L", "both", "Closes an IF.")
    BARRIER = _control((0, None), _NO_VALUE, shapes.nothing, "KEL", "both", "All work-items of a group wait here until the last one arrives.")
    SPECIAL = _control(1, DTypeRule.INDEX, shapes.scalar, "KEL", "001", "A coordinate that the hardware provides, in 0..end-1; arg is its name.")
    AFTER = _control((1, None), DTypeRule.FIRST, shapes.first, "AKELP", "001", "The same value as source 0, after the other sources are executed.", expandable=True)
    # vectors
    VECTORIZE = _vector((1, None), "KEL", "both", "A vector of its sources.", expandable=True)
    GEP = _vector(1, "KEL", "both", "The lanes of a vector that arg lists.", expandable=True)
    CAT = _vector((1, None), "KEL", "both", "Concatenates vectors.", expandable=True, lowering="VECTORIZE of GEPs")
    PTRCAT = _vector((1, None), "EL", "001", "Concatenates addresses for one vector access.", expandable=True, lowering="one vector access, or one per address")
    UNROLL = _vector(1, "K", "both", "A vector whose lanes are iterations; arg is ((axis, size), …).", expandable=True, lowering="lanes or copies, in codegen.expand")
    CONTRACT = _vector(1, "K", "both", "Collects the iterations that arg lists into lanes.", expandable=True, lowering="VECTORIZE, in codegen.expand")
    # programs
    CALL = _program((1, None), "001", "Calls source 0 with the other sources.", range_start=1, lowering="its body in place, or a launch")
    FUNCTION = _program((1, None), "001", "A body and its formal parameters.", range_start=1, lowering="substituted where it is called")
    TUPLE = _program((0, None), "001", "Several values.", lowering="each value by itself")
    GET_TUPLE = _row(Category.PROGRAM, 1, DTypeRule.MEMBER, shapes.member, frozenset({P}), "001", "Element arg of a tuple.", lowering="the element")
    PROGRAM = _program((2, 5), "001", "A kernel in compilation: SINK, DEVICE, then LINEAR, SOURCE, PROGRAM_BINARY. The last source is run; the SINK defines the meaning.")
    LINEAR = _row(Category.PROGRAM, (0, None), DTypeRule.VOID, shapes.nothing, frozenset({L, P}), "001", "Instructions in order.")
    SOURCE = _program(0, "001", "Rendered source; arg is the text.")
    PROGRAM_BINARY = _program(0, "001", "A compiled kernel; arg is the bytes.")
    BLOCK = _block("Instructions of one loop body.")
    BLOCKSTART = _block("Where a block begins.")
    BLOCKFORK = _block("A block with several successors.")
    BLOCKEND = _block("Where a block ends.")

    _value_: int
    info: OpInfo  # its row in `TABLE`, found without hashing the operation
    number: int

    def __new__(cls, info: OpInfo) -> Op:
        """The operation of a row; its value is the number of the row, counted from 1."""
        op = object.__new__(cls)
        op._value_ = op.number = len(cls.__members__) + 1
        op.info = info
        return op

    def __repr__(self) -> str:
        return self.name

    def __hash__(self) -> int:
        return self._value_  # not the address or the name, so that sets of operations have the same order in all processes
# fmt: on


TABLE: dict[Op, OpInfo] = {op: op.info for op in Op}
