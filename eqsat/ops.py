"""The operations: one row each, with everything that is a fact about the operation alone.

`TABLE` is the union of the two published UOp references that this IR follows (seed 000: tinygrad's list; seed 001: Morok's), plus
FLOORDIV and FLOORMOD, which Python's `//` and `%` build, the binary MIN that Morok's MIN reduction combines with, and the elementary
functions, each an operation of its own so that its accuracy is a property of one function.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from eqsat import shape as shapes
from eqsat.dtype import DType
from eqsat.shape import Shape, ShapeRule


class Op(Enum):
    """What a UOp does."""

    # framework
    SINK = auto()
    KERNEL = auto()
    NAME = auto()
    DEVICE = auto()
    MULTI = auto()
    COPY = auto()
    ASSIGN = auto()
    BIND = auto()
    DEFINE_VAR = auto()
    UNIQUE = auto()
    LUNIQUE = auto()
    EMPTY = auto()
    NOOP = auto()
    CUSTOM = auto()
    CUSTOMI = auto()
    CUSTOM_FUNCTION = auto()
    GROUP = auto()
    CONTIGUOUS = auto()
    CONTIGUOUS_BACKWARD = auto()
    DETACH = auto()
    PRECAST = auto()
    MSTACK = auto()
    MSELECT = auto()
    ALLREDUCE = auto()
    # constants
    CONST = auto()
    VCONST = auto()
    # movement and views
    RESHAPE = auto()
    PERMUTE = auto()
    EXPAND = auto()
    PAD = auto()
    SHRINK = auto()
    FLIP = auto()
    VIEW = auto()
    VALID = auto()
    # memory
    PARAM = auto()
    BUFFER = auto()
    BUFFER_VIEW = auto()
    BUFFERIZE = auto()
    INDEX = auto()
    POINTER_INDEX = auto()
    DEFINE_GLOBAL = auto()
    DEFINE_LOCAL = auto()
    DEFINE_ACC = auto()
    DEFINE_REG = auto()
    LOAD = auto()
    STORE = auto()
    # arithmetic
    EXP2 = auto()
    LOG2 = auto()
    SIN = auto()
    SQRT = auto()
    RECIP = auto()
    NEG = auto()
    CAST = auto()
    BITCAST = auto()
    ADD = auto()
    SUB = auto()
    MUL = auto()
    FDIV = auto()
    POW = auto()
    IDIV = auto()
    MOD = auto()
    FLOORDIV = auto()
    FLOORMOD = auto()
    MAX = auto()
    MIN = auto()
    CMPLT = auto()
    CMPNE = auto()
    XOR = auto()
    OR = auto()
    AND = auto()
    SHL = auto()
    SHR = auto()
    WHERE = auto()
    MULACC = auto()
    # elementary functions
    EXP = auto()
    EXPM1 = auto()
    LOG = auto()
    LOG10 = auto()
    LOG1P = auto()
    COS = auto()
    TAN = auto()
    ASIN = auto()
    ACOS = auto()
    ATAN = auto()
    SINH = auto()
    COSH = auto()
    TANH = auto()
    ASINH = auto()
    ACOSH = auto()
    ATANH = auto()
    ERF = auto()
    ERFC = auto()
    SIGMOID = auto()
    SILU = auto()
    GELU = auto()
    ATAN2 = auto()
    HYPOT = auto()
    LOGADDEXP = auto()
    FMOD = auto()
    # reductions
    REDUCE_AXIS = auto()
    REDUCE = auto()
    WMMA = auto()
    # control
    RANGE = auto()
    END = auto()
    ENDRANGE = auto()
    IF = auto()
    ENDIF = auto()
    BARRIER = auto()
    SPECIAL = auto()
    AFTER = auto()
    # vectors
    VECTORIZE = auto()
    GEP = auto()
    CAT = auto()
    PTRCAT = auto()
    UNROLL = auto()
    CONTRACT = auto()
    # programs
    CALL = auto()
    FUNCTION = auto()
    TUPLE = auto()
    GET_TUPLE = auto()
    PROGRAM = auto()
    LINEAR = auto()
    SOURCE = auto()
    PROGRAM_BINARY = auto()
    BLOCK = auto()
    BLOCKSTART = auto()
    BLOCKFORK = auto()
    BLOCKEND = auto()

    def __repr__(self) -> str:
        return self.name

    def __hash__(self) -> int:
        return self._value_  # Enum's own `value` is a slow property


class Stage(Enum):
    """Where in the flow a graph stands."""

    ARRAY = "array"  # values with shapes
    KERNEL = "kernel"  # one kernel over ranges
    EXPANDED = "expanded"  # vectors and copies are explicit
    LINEAR = "linear"  # a list of instructions
    PROGRAM = "program"  # kernels, calls and compiled artifacts


class Category(Enum):
    """The family of an operation."""

    FRAMEWORK = "framework"
    CONSTANT = "constant"
    MOVEMENT = "movement"
    MEMORY = "memory"
    UNARY = "unary"
    BINARY = "binary"
    TERNARY = "ternary"
    REDUCTION = "reduction"
    CONTROL = "control"
    VECTOR = "vector"
    PROGRAM = "program"


class AxisType(Enum):
    """How a loop is carried out. The value is (name, nesting priority of seed 001): lower is further out."""

    PLACEHOLDER = ("placeholder", -3)  # a canonical range, in no loop yet
    LOOP = ("loop", -1)  # a serial loop over output elements
    GLOBAL = ("global", 0)  # work-groups
    THREAD = ("thread", 0)  # CPU threads
    WARP = ("warp", 1)  # lanes of a sub-group
    LOCAL = ("local", 2)  # work-items of a group
    GROUP_REDUCE = ("group_reduce", 2)  # a reduction shared by a group
    UPCAST = ("upcast", 3)  # lanes of an explicit vector
    REDUCE = ("reduce", 4)  # a serial loop that accumulates
    UNROLL = ("unroll", 5)  # copies of the body

    @property
    def priority(self) -> int:
        """Nesting order of seed 001; lower values are outer loops."""
        return self.value[1]


class DTypeRule(Enum):
    """How the dtype of a result follows from the sources."""

    ANY = "any"  # given by the constructor
    VOID = "void"  # no value
    INDEX = "index"  # an index
    FIRST = "first"  # that of source 0
    SAME = "same"  # all sources agree
    FLOAT = "float"  # all sources are one float dtype
    INTEGRAL = "integral"  # all sources are one integer or index dtype
    BITS = "bits"  # all sources are one integer, index or bool dtype
    COMPARE = "compare"  # sources agree; the result is bool, of as many lanes
    SELECT = "select"  # bool, then two that agree
    MEMBER = "member"  # that of the tuple's element


@dataclass(frozen=True, slots=True)
class View:
    """A strided window of a buffer: element (i0, i1, …) is at offset + Σ i·stride; outside `mask` (begin, end per axis) it is 0."""

    shape: Shape
    strides: tuple[int, ...]
    offset: int = 0
    mask: tuple[tuple[int, int], ...] | None = None


@dataclass(frozen=True, slots=True)
class KernelInfo:
    """Marks a SINK as one kernel, names it by what it computes, and says how it is to be run.

    Attributes:
        name: of the kernel.
        chains: accumulators that all copies of a reduction share, at most: each waits for itself only.
        group: work-items of a work-group, at most; those of LOCAL ranges are given by these.
    """

    name: str
    chains: int = 1
    group: int = 1


@dataclass(frozen=True, slots=True)
class OpInfo:
    """One row of the table."""

    category: Category
    arity: tuple[int, int | None]  # fewest and most sources; None: no limit
    dtype: DTypeRule
    shape: ShapeRule
    stages: frozenset[Stage]
    doc: str
    seeds: str  # which seeds list it: "000", "001", "both", or "design"
    commutative: bool = False
    associative: bool = False
    identity: int | float | None = None  # e with op(x, e) == x; infinities mean the dtype's extremes
    range_start: int | None = None  # sources from here on are RANGEs that end here
    expandable: bool = False  # UNROLL passes through it
    lowering: str = ""  # what becomes of it, when it has no meaning of its own in a rendered kernel


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


def _control(arity: int | tuple[int, int | None], dtype: DTypeRule, shape: ShapeRule, stages: str, seeds: str, doc: str,
             **flags: Any) -> OpInfo:  # fmt: skip
    return _row(Category.CONTROL, arity, dtype, shape, _stages(stages), seeds, doc, **flags)


def _vector(arity: int | tuple[int, int | None], stages: str, seeds: str, doc: str, **flags: Any) -> OpInfo:
    return _row(Category.VECTOR, arity, DTypeRule.ANY, shapes.scalar, _stages(stages), seeds, doc, **flags)


def _program(arity: int | tuple[int, int | None], seeds: str, doc: str, **flags: Any) -> OpInfo:
    return _row(Category.PROGRAM, arity, DTypeRule.VOID, shapes.nothing, frozenset({P}), seeds, doc, **flags)


def _stages(letters: str) -> frozenset[Stage]:
    return frozenset({"A": A, "K": K, "E": E, "L": L, "P": P}[letter] for letter in letters)


_NO_VALUE = DTypeRule.VOID
_COMMUTES: dict[str, Any] = {"commutative": True, "associative": True}
_BLOCK = "replaced by the loop tree of codegen.linearize"

TABLE: dict[Op, OpInfo] = {
    # framework
    Op.SINK: _framework((0, None), _NO_VALUE, shapes.nothing, "AKEP", "both", "Collects the results of a graph or the stores of a kernel."),
    Op.KERNEL: _framework((0, None), _NO_VALUE, shapes.nothing, "P", "000", "One launch: arg is the kernel, sources are its inputs.", lowering="a CALL of the kernel's SINK"),
    Op.NAME: _framework((0, 1), _NO_VALUE, shapes.nothing, "P", "000", "Names a kernel or a variable; arg is the string.", lowering="KernelInfo.name"),
    Op.DEVICE: _framework(0, _NO_VALUE, shapes.nothing, "AP", "both", "A device; arg is its name."),
    Op.MULTI: _framework((1, None), DTypeRule.FIRST, shapes.sharded, "A", "both", "An array in shards; arg is (axis or None, which shards hold data).", lowering="its only shard, or PAD and ADD of the shards, on one device"),
    Op.COPY: _framework(2, DTypeRule.ANY, shapes.second, "A", "both", "Source 1 on the device of source 0; arg: force a clone.", lowering="removed where the devices agree, else a host transfer"),
    Op.ASSIGN: _framework(2, DTypeRule.FIRST, shapes.first, "AL", "000", "Writes source 1 into source 0.", lowering="STORE"),
    Op.BIND: _framework(2, DTypeRule.FIRST, shapes.first, "A", "both", "A variable bound to a constant.", lowering="substituted by the constant"),
    Op.DEFINE_VAR: _framework(0, DTypeRule.ANY, shapes.scalar, "AKEL", "both", "An integer known at run time; arg is (name, least, greatest)."),
    Op.UNIQUE: _framework(0, _NO_VALUE, shapes.nothing, "A", "both", "An identity; arg is a number or a handle of host data."),
    Op.LUNIQUE: _framework(0, _NO_VALUE, shapes.nothing, "A", "001", "An identity local to a function body; arg is a number."),
    Op.EMPTY: _framework(0, DTypeRule.ANY, shapes.shaped, "A", "000", "An array whose content does not matter; arg is its shape.", lowering="zeros"),
    Op.NOOP: _framework(1, DTypeRule.FIRST, shapes.first, "AKE", "000", "Its source.", lowering="removed"),
    Op.CUSTOM: _framework((0, None), DTypeRule.ANY, shapes.scalar, "KEL", "both", "A statement of the target language; arg is a format string over the sources."),
    Op.CUSTOMI: _framework((0, None), DTypeRule.ANY, shapes.scalar, "KEL", "both", "As CUSTOM, an expression written in place."),
    Op.CUSTOM_FUNCTION: _framework((0, None), _NO_VALUE, shapes.nothing, "P", "001", "A hook that the runtime calls; arg is its kind.", lowering="none: run by whoever registered it"),
    Op.GROUP: _framework((0, None), _NO_VALUE, shapes.nothing, "KEP", "001", "Stores that belong together.", lowering="its sources, in SINK"),
    Op.CONTIGUOUS: _framework(1, DTypeRule.FIRST, shapes.first, "A", "both", "Asks for row-major storage.", lowering="materialized by schedule"),
    Op.CONTIGUOUS_BACKWARD: _framework(1, DTypeRule.FIRST, shapes.first, "A", "both", "CONTIGUOUS in the backward pass only.", lowering="removed"),
    Op.DETACH: _framework(1, DTypeRule.FIRST, shapes.first, "A", "both", "Its source, without a gradient.", lowering="removed"),
    Op.PRECAST: _framework(1, DTypeRule.FIRST, shapes.first, "A", "001", "Its source, kept in memory before a conversion.", lowering="removed"),
    Op.MSTACK: _framework((1, None), DTypeRule.FIRST, shapes.stacked, "A", "001", "The same array on several devices.", lowering="MSELECT of it"),
    Op.MSELECT: _framework(1, DTypeRule.FIRST, shapes.first, "A", "001", "The copy of device number arg.", lowering="source arg of the MSTACK"),
    Op.ALLREDUCE: _framework((1, 2), DTypeRule.FIRST, shapes.first, "A", "001", "Combines the shards of source 0 with op arg.", lowering="ALU over the sources of the MSTACK or MULTI"),
    # constants
    Op.CONST: _row(Category.CONSTANT, (0, 1), DTypeRule.ANY, shapes.scalar, _VALUE, "both", "arg, a bool, int or float."),
    Op.VCONST: _row(Category.CONSTANT, 0, DTypeRule.ANY, shapes.scalar, _KERNEL, "both", "A vector of constants; arg is the tuple."),
    # movement and views
    Op.RESHAPE: _movement(shapes.reshape, "Same elements in row-major order; arg is the new shape."),
    Op.PERMUTE: _movement(shapes.permute, "Axis k is axis arg[k] of the source."),
    Op.EXPAND: _movement(shapes.expand, "Repeats axes of extent 1; arg is the new shape."),
    Op.PAD: _movement(shapes.pad, "Zeros around; arg is (before, after) per axis."),
    Op.SHRINK: _movement(shapes.shrink, "A window; arg is (begin, end) per axis."),
    Op.FLIP: _movement(shapes.flip, "Reverses axes; arg is one bool per axis."),
    Op.VIEW: _memory((0, 1), DTypeRule.ANY, shapes.viewed, "A", "000", "A strided window of a buffer; arg is a View.", lowering="movement operations, in schedule"),
    Op.VALID: _memory(1, DTypeRule.ANY, shapes.first, "A", "000", "Where a VIEW is inside its mask.", lowering="the gate of an INDEX"),
    # memory
    Op.PARAM: _memory((0, 1), DTypeRule.ANY, shapes.sized, "AKEP", "001", "Buffer argument; arg is (slot, size).", lowering="DEFINE_GLOBAL"),
    Op.BUFFER: _memory(2, DTypeRule.ANY, shapes.sized, "A", "both", "A buffer on (device, unique); arg is its size in elements.", lowering="PARAM"),
    Op.BUFFER_VIEW: _memory(1, DTypeRule.FIRST, shapes.view_of_buffer, "A", "both", "arg is (size, offset) within a buffer.", lowering="SHRINK of the buffer"),
    Op.BUFFERIZE: _memory((1, None), DTypeRule.FIRST, shapes.comprehension, "A", "001", "The array of source 0 over the ranges.", range_start=1, expandable=True, lowering="a STORE in one kernel and LOADs elsewhere, or inlined"),
    Op.INDEX: _memory((1, None), DTypeRule.ANY, shapes.indexed, "AKEL", "both", "The element of source 0 at the indices; a bool source gates it.", expandable=True),
    Op.POINTER_INDEX: _memory(2, DTypeRule.ANY, shapes.scalar, "EL", "001", "A pointer moved by a byte offset.", expandable=True),
    Op.DEFINE_GLOBAL: _memory(0, DTypeRule.ANY, shapes.scalar, "EL", "000", "Kernel argument number arg."),
    Op.DEFINE_LOCAL: _memory(0, DTypeRule.ANY, shapes.scalar, "KEL", "both", "Memory shared by a work-group; arg names it."),
    Op.DEFINE_ACC: _memory((1, None), DTypeRule.FIRST, shapes.scalar, "EL", "000", "An accumulator: initial value, then its ranges.", lowering="DEFINE_REG and a STORE before the loop"),
    Op.DEFINE_REG: _memory(0, DTypeRule.ANY, shapes.scalar, "EL", "001", "Private storage; arg is (size, id)."),
    Op.LOAD: _memory((1, 4), DTypeRule.ANY, shapes.loaded, "AKEL", "both", "Reads an INDEX; source 1 is the value where its gate is false.", expandable=True),
    Op.STORE: _memory((2, None), _NO_VALUE, shapes.nothing, "KEL", "both", "Writes source 1 at the INDEX of source 0 for all ranges.", range_start=2, expandable=True),
    # arithmetic
    Op.EXP2: _unary(DTypeRule.FLOAT, "both", "2 to the power of x."),
    Op.LOG2: _unary(DTypeRule.FLOAT, "both", "Logarithm to base 2."),
    Op.SIN: _unary(DTypeRule.FLOAT, "both", "Sine of an angle in radians."),
    Op.SQRT: _unary(DTypeRule.FLOAT, "both", "Square root, correctly rounded."),
    Op.RECIP: _unary(DTypeRule.FLOAT, "both", "1 / x."),
    Op.NEG: _unary(DTypeRule.SAME, "both", "-x."),
    Op.CAST: _unary(DTypeRule.ANY, "both", "Converts the value, as C and NumPy do; floats too large for an integer saturate, NaN becomes 0."),
    Op.BITCAST: _unary(DTypeRule.ANY, "both", "Keeps the bits, changes the type."),
    Op.ADD: _binary(DTypeRule.SAME, "x + y; bools: or.", identity=0, **_COMMUTES),
    Op.SUB: _binary(DTypeRule.SAME, "x - y."),
    Op.MUL: _binary(DTypeRule.SAME, "x * y; bools: and.", identity=1, **_COMMUTES),
    Op.FDIV: _binary(DTypeRule.FLOAT, "x / y of floats."),
    Op.POW: _binary(DTypeRule.SAME, "x to the power of y; of integers 0 where y < 0, but for 1 and -1."),
    Op.IDIV: _binary(DTypeRule.INTEGRAL, "Quotient truncated toward zero; 0 by zero."),
    Op.MOD: _binary(DTypeRule.INTEGRAL, "Remainder of IDIV: the sign of x; 0 by zero."),
    Op.FLOORDIV: _binary(DTypeRule.INTEGRAL, "Quotient rounded down: Python's //; 0 by zero.", seeds="design"),
    Op.FLOORMOD: _binary(DTypeRule.INTEGRAL, "Remainder of FLOORDIV: the sign of y; Python's %; 0 by zero.", seeds="design"),
    Op.MAX: _binary(DTypeRule.SAME, "The greater; NaN if either is. Of two zeros it is not said which.", identity=float("-inf"), **_COMMUTES),
    Op.MIN: _binary(DTypeRule.SAME, "The lesser; NaN if either is. Of two zeros it is not said which.", seeds="001", identity=float("inf"), **_COMMUTES),
    Op.CMPLT: _binary(DTypeRule.COMPARE, "x < y."),
    Op.CMPNE: _binary(DTypeRule.COMPARE, "x != y; NaN differs from everything.", commutative=True),
    Op.XOR: _binary(DTypeRule.BITS, "Exclusive or of the bits.", identity=0, **_COMMUTES),
    Op.OR: _binary(DTypeRule.BITS, "Or of the bits.", identity=0, **_COMMUTES),
    Op.AND: _binary(DTypeRule.BITS, "And of the bits.", identity=-1, **_COMMUTES),
    Op.SHL: _binary(DTypeRule.INTEGRAL, "x shifted left by y bits, modulo the width."),
    Op.SHR: _binary(DTypeRule.INTEGRAL, "x shifted right by y bits, modulo the width; the sign is kept."),
    Op.WHERE: _row(Category.TERNARY, 3, DTypeRule.SELECT, shapes.elementwise, _VALUE, "both", "y where x, else z.", expandable=True),
    Op.MULACC: _row(Category.TERNARY, 3, DTypeRule.SAME, shapes.elementwise, _VALUE, "both", "x * y + z; floats are rounded once, on devices that have a fused multiply-add.", expandable=True),
    # elementary functions: at most 2 units in the last place off (docs/accuracy.md)
    Op.EXP: _unary(DTypeRule.FLOAT, "design", "e to the power of x."),
    Op.EXPM1: _unary(DTypeRule.FLOAT, "design", "e to the power of x, less 1, accurate near 0."),
    Op.LOG: _unary(DTypeRule.FLOAT, "design", "Natural logarithm."),
    Op.LOG10: _unary(DTypeRule.FLOAT, "design", "Logarithm to base 10."),
    Op.LOG1P: _unary(DTypeRule.FLOAT, "design", "Natural logarithm of 1 + x, accurate near 0."),
    Op.COS: _unary(DTypeRule.FLOAT, "design", "Cosine of an angle in radians."),
    Op.TAN: _unary(DTypeRule.FLOAT, "design", "Tangent of an angle in radians."),
    Op.ASIN: _unary(DTypeRule.FLOAT, "design", "Inverse sine, in -π/2..π/2."),
    Op.ACOS: _unary(DTypeRule.FLOAT, "design", "Inverse cosine, in 0..π."),
    Op.ATAN: _unary(DTypeRule.FLOAT, "design", "Inverse tangent, in -π/2..π/2."),
    Op.SINH: _unary(DTypeRule.FLOAT, "design", "Hyperbolic sine."),
    Op.COSH: _unary(DTypeRule.FLOAT, "design", "Hyperbolic cosine."),
    Op.TANH: _unary(DTypeRule.FLOAT, "design", "Hyperbolic tangent."),
    Op.ASINH: _unary(DTypeRule.FLOAT, "design", "Inverse hyperbolic sine."),
    Op.ACOSH: _unary(DTypeRule.FLOAT, "design", "Inverse hyperbolic cosine; NaN below 1."),
    Op.ATANH: _unary(DTypeRule.FLOAT, "design", "Inverse hyperbolic tangent; NaN beyond ±1."),
    Op.ERF: _unary(DTypeRule.FLOAT, "design", "Error function."),
    Op.ERFC: _unary(DTypeRule.FLOAT, "design", "1 less the error function, accurate where that is near 1."),
    Op.SIGMOID: _unary(DTypeRule.FLOAT, "design", "1 / (1 + e^-x)."),
    Op.SILU: _unary(DTypeRule.FLOAT, "design", "x / (1 + e^-x); -0.0 at minus infinity."),
    Op.GELU: _unary(DTypeRule.FLOAT, "design", "x times the normal distribution function of x; -0.0 at minus infinity."),
    Op.ATAN2: _binary(DTypeRule.FLOAT, "Angle of the point with ordinate x and abscissa y, in -π..π.", seeds="design"),
    Op.HYPOT: _binary(DTypeRule.FLOAT, "√(x² + y²), without overflow on the way; infinite if either is.", seeds="design"),
    Op.LOGADDEXP: _binary(DTypeRule.FLOAT, "log(e^x + e^y), without overflow on the way.", seeds="design"),
    Op.FMOD: _binary(DTypeRule.FLOAT, "x less the truncated quotient x / y times y, exactly: the sign of x.", seeds="design"),
    # reductions
    Op.REDUCE_AXIS: _row(Category.REDUCTION, 1, DTypeRule.FIRST, shapes.reduce_axis, frozenset({A}), "both", "Combines along axes; arg is (op, axes).", lowering="REDUCE over ranges"),
    Op.REDUCE: _row(Category.REDUCTION, (1, None), DTypeRule.FIRST, shapes.first, frozenset({K, E}), "both", "Combines source 0 over the ranges with op arg.", range_start=1, expandable=True, lowering="an accumulator in DEFINE_REG"),
    Op.WMMA: _row(Category.REDUCTION, (3, None), DTypeRule.ANY, shapes.scalar, frozenset({K, E, L}), "both", "A matrix fragment a @ b + c by a group of threads.", range_start=3, expandable=True, lowering="multiply-add loops on devices without it"),
    # control
    Op.RANGE: _control((1, None), DTypeRule.INDEX, shapes.scalar, "AKEL", "both", "A loop variable in 0..end-1; arg is (id, AxisType), or an id with sources (start, end)."),
    Op.END: _control((1, None), _NO_VALUE, shapes.nothing, "KEL", "001", "Closes the loops of its ranges.", range_start=1, expandable=True),
    Op.ENDRANGE: _control(1, _NO_VALUE, shapes.nothing, "L", "000", "Closes one loop.", range_start=0, lowering="END"),
    Op.IF: _control((1, None), _NO_VALUE, shapes.nothing, "L", "both", "What follows up to ENDIF happens where source 0 is true."),
    Op.ENDIF: _control(1, _NO_VALUE, shapes.nothing, "L", "both", "Closes an IF."),
    Op.BARRIER: _control((0, None), _NO_VALUE, shapes.nothing, "KEL", "both", "All work-items of a group get here before any goes on."),
    Op.SPECIAL: _control(1, DTypeRule.INDEX, shapes.scalar, "KEL", "001", "A coordinate that the hardware provides, in 0..end-1; arg is its name."),
    Op.AFTER: _control((1, None), DTypeRule.FIRST, shapes.first, "AKELP", "001", "Source 0, once the others have happened.", expandable=True),
    # vectors
    Op.VECTORIZE: _vector((1, None), "KEL", "both", "A vector of its sources.", expandable=True),
    Op.GEP: _vector(1, "KEL", "both", "The lanes arg of a vector.", expandable=True),
    Op.CAT: _vector((1, None), "KEL", "both", "Vectors one after another.", lowering="VECTORIZE of GEPs"),
    Op.PTRCAT: _vector((1, None), "EL", "001", "Addresses one after another, for one vector access.", lowering="one vector access, or one per address"),
    Op.UNROLL: _vector(1, "K", "both", "Lanes are iterations; arg is ((axis, size), …).", lowering="lanes or copies, in codegen.expand"),
    Op.CONTRACT: _vector(1, "K", "both", "Collects the iterations arg into lanes.", lowering="VECTORIZE, in codegen.expand"),
    # programs
    Op.CALL: _program((1, None), "001", "Calls source 0 with the other sources.", range_start=1, lowering="a launch"),
    Op.FUNCTION: _program((1, None), "001", "A body and its formal parameters.", range_start=1, lowering="substituted where it is called"),
    Op.TUPLE: _program((0, None), "001", "Several values."),
    Op.GET_TUPLE: _row(Category.PROGRAM, 1, DTypeRule.MEMBER, shapes.member, frozenset({A, P}), "001", "Element arg of a tuple.", lowering="the element"),
    Op.PROGRAM: _program((2, 5), "001", "A kernel on its way: SINK, DEVICE, then LINEAR, SOURCE, PROGRAM_BINARY."),
    Op.LINEAR: _row(Category.PROGRAM, (0, None), DTypeRule.VOID, shapes.nothing, frozenset({L, P}), "001", "Instructions in order."),
    Op.SOURCE: _program(0, "001", "Rendered source; arg is the text."),
    Op.PROGRAM_BINARY: _program(0, "001", "A compiled kernel; arg is the bytes."),
    Op.BLOCK: _program((0, None), "000", "Instructions of one loop body.", lowering=_BLOCK),
    Op.BLOCKSTART: _program((0, None), "000", "Where a block begins.", lowering=_BLOCK),
    Op.BLOCKFORK: _program((0, None), "000", "A block with several successors.", lowering=_BLOCK),
    Op.BLOCKEND: _program((0, None), "000", "Where a block ends.", lowering=_BLOCK),
}  # fmt: skip

# The functions computed by code of our own, most of them by several dozen instructions (`codegen.functions`).
ELEMENTARY_UNARY = (
    Op.EXP2, Op.LOG2, Op.SIN, Op.EXP, Op.EXPM1, Op.LOG, Op.LOG10, Op.LOG1P, Op.COS, Op.TAN, Op.ASIN, Op.ACOS, Op.ATAN, Op.SINH, Op.COSH, Op.TANH,
    Op.ASINH, Op.ACOSH, Op.ATANH, Op.ERF, Op.ERFC, Op.SIGMOID, Op.SILU, Op.GELU,
)  # fmt: skip
ELEMENTARY_BINARY = (Op.POW, Op.ATAN2, Op.HYPOT, Op.LOGADDEXP, Op.FMOD)
ELEMENTARY = frozenset({*ELEMENTARY_UNARY, *ELEMENTARY_BINARY})  # of floats; POW of integers is none of them

UNARY = frozenset(op for op, info in TABLE.items() if info.category is Category.UNARY)
BINARY = frozenset(op for op, info in TABLE.items() if info.category is Category.BINARY)
TERNARY = frozenset(op for op, info in TABLE.items() if info.category is Category.TERNARY)
ALU = UNARY | BINARY | TERNARY
MOVEMENT = frozenset(op for op, info in TABLE.items() if info.category is Category.MOVEMENT)
COMMUTATIVE = frozenset(op for op, info in TABLE.items() if info.commutative)
COMPARISON = frozenset({Op.CMPLT, Op.CMPNE})
REDUCE_OPS = frozenset({Op.ADD, Op.MUL, Op.MAX, Op.MIN})


def identity_element(op: Op, dtype: DType) -> bool | int | float:
    """The `e` for which `op(x, e)` is `x` in `dtype`; infinities become the extremes of an integer.

    For floats ADD's is −0.0 strictly; 0.0 is used, as NumPy does, since a sum starts from it.
    """
    identity = TABLE[op].identity
    if identity is None:
        raise ValueError(f"{op} has no identity element")
    if dtype.is_float:
        return float(identity)
    if identity in (float("inf"), float("-inf")):
        extreme = dtype.max if identity > 0 else dtype.min
        return bool(extreme) if dtype.is_bool else extreme
    if dtype.is_bool:
        return bool(identity)
    return dtype.max if identity == -1 and not dtype.is_signed and not dtype.is_index else int(identity)
